/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tables written: the other side of recorded_table.c and recording.c. A cell is the value as a
 * person writes it; a text that would be read as something else stands as a JSON string in it. */

#include "recorded_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const results[] = {"time_ms",    "status",  "gflops",     "runs",
                                      "compile_ms", "cost_ms", "samples_ms", "message"};
enum { RESULT_COUNT = sizeof results / sizeof results[0], GFLOPS = 2 };

static bool has_gflops(const char *unit)
{
    return !strcmp(opevo_unit_of_fitness(unit), "GFLOP/s");
}

/* ---- Columns -------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* `line` is the line of names, all of them identifiers; it is cut apart. */
static opevo_status check_distinct(char *line, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const char **names = NULL;
    size_t count = 1;

    for (const char *at = line; *at; at++)
        count += *at == ',';
    names = opevo_malloc(count, sizeof *names);
    OPEVO_NEED_OR_RETURN(names, "the columns of a table");
    for (size_t i = 0; i < count; i++) {
        names[i] = line;
        line += strcspn(line, ",");
        *line++ = '\0';
    }
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 1; i < count && status == OPEVO_OK; i++) {
        if (strcmp(names[i - 1], names[i]) == 0)
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "Two columns of the table would be called %s: give the parameter "
                                "or its components another name.",
                                names[i]);
    }
    opevo_free(names);
    return status;
}

static void add_names(const opevo_objective *objective, bool gflops, opevo_text *out)
{
    const opevo_space *space = objective->space;

    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);

        for (size_t k = 0; k < opevo_parameter_arity(parameter); k++) {
            opevo_i_landscape_column_name(parameter, k, out);
            opevo_text_add(out, ",");
        }
    }
    for (size_t i = 0; i < RESULT_COUNT; i++) {
        if (i != GFLOPS || gflops)
            opevo_text_printf(out, "%s%s", i ? "," : "", results[i]);
    }
    for (size_t i = 0; i < objective->more_count; i++)
        opevo_text_printf(out, ",%s", objective->criteria[i].name);
}

opevo_status opevo_recorded_add_columns(const opevo_objective *objective, opevo_text *out,
                                        opevo_error *err)
{
    opevo_text line = {0};
    opevo_status status = OPEVO_OK;

    add_names(objective, true, &line); /* whatever the unit, no parameter may be called gflops */
    OPEVO_TRY(opevo_text_check(&line, err));
    OPEVO_TRY(check_distinct(line.data, err));
    add_names(objective, has_gflops(objective->unit), out);
    opevo_text_add(out, "\n");
    OPEVO_TRY(opevo_text_check(out, err));
cleanup:
    opevo_text_free(&line);
    return status;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

static void add_cell(opevo_value value, opevo_text *cell, opevo_text *out)
{
    opevo_text_clear(cell);
    if (value.kind == OPEVO_VALUE_TEXT &&
        (*value.as.text == '"' || opevo_value_parse(value.as.text).kind != OPEVO_VALUE_TEXT))
        opevo_value_print_json(cell, value);
    else
        opevo_value_print(cell, value);
    opevo_text_add_csv(out, opevo_text_string(cell));
    opevo_text_add(out, ",");
    out->failed = out->failed || cell->failed;
}

/* Cells of a parameter that is not active are empty. */
static void add_values(const opevo_space *space, opevo_index point, opevo_text *out)
{
    size_t count = opevo_space_parameter_count(space);
    opevo_index *vertices = opevo_calloc(count, sizeof *vertices);
    opevo_text cell = {0};

    if (!vertices) {
        out->failed = true;
        return;
    }
    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < count; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        size_t arity = opevo_parameter_arity(parameter);
        opevo_value *values = NULL;

        if (vertices[i] == OPEVO_INACTIVE) {
            for (size_t k = 0; k < arity; k++)
                opevo_text_add(out, ",");
            continue;
        }
        values = opevo_calloc(arity, sizeof *values);
        if (!values) {
            out->failed = true;
            break;
        }
        opevo_parameter_value(parameter, vertices[i], values);
        for (size_t k = 0; k < arity; k++)
            add_cell(values[k], &cell, out);
        opevo_free(values);
    }
    opevo_text_free(&cell);
    opevo_free(vertices);
}

/* A time of the outcome in milliseconds, such that the double that is read back and divided by
 * 1000 is the time again, where such a double exists. */
static void add_ms(double time_s, opevo_text *out)
{
    double ms = time_s * 1e3;

    if (ms / 1e3 != time_s && nextafter(ms, 0) / 1e3 == time_s)
        ms = nextafter(ms, 0);
    else if (ms / 1e3 != time_s && nextafter(ms, INFINITY) / 1e3 == time_s)
        ms = nextafter(ms, INFINITY);
    opevo_text_add_double(out, ms);
}

/* On one line, so that where the values are too, a row is. */
static void add_message(const char *message, opevo_text *out)
{
    opevo_text line = {0};

    for (; message && *message; message++)
        opevo_text_add_bytes(&line, *message == '\n' || *message == '\r' ? " " : message, 1);
    opevo_text_add_csv(out, opevo_text_string(&line));
    out->failed = out->failed || line.failed;
    opevo_text_free(&line);
}

/* Empty where it is not known. */
static void add_criteria(const opevo_objective *objective, const opevo_outcome *outcome,
                         opevo_text *out)
{
    for (size_t i = 0; i < objective->more_count; i++) {
        opevo_text_add(out, ",");
        if (outcome->kind == OPEVO_OUTCOME_OK && isfinite(outcome->more[i]))
            opevo_text_add_double(out, outcome->more[i]);
    }
}

void opevo_recorded_add_row(const opevo_objective *objective, opevo_index point,
                            const opevo_outcome *outcome, opevo_text *out)
{
    bool ok = outcome->kind == OPEVO_OUTCOME_OK;

    add_values(objective->space, point, out);
    if (ok)
        add_ms(outcome->time_s, out);
    opevo_text_printf(out, ",%s,", opevo_recorded_status(outcome->kind));
    if (has_gflops(objective->unit)) {
        if (ok)
            opevo_text_add_double(out, outcome->fitness);
        opevo_text_add(out, ",");
    }
    if (ok && outcome->sample_count)
        opevo_text_printf(out, "%zu", outcome->sample_count);
    opevo_text_add(out, ",");
    opevo_text_add_double(out, 1e3 * outcome->build_s);
    opevo_text_add(out, ",");
    opevo_text_add_double(out, 1e3 * opevo_outcome_cost_s(outcome));
    opevo_text_add(out, ",");
    for (size_t i = 0; outcome->samples_s && i < outcome->sample_count; i++) {
        opevo_text_add(out, i ? ";" : "");
        opevo_text_add_double(out, 1e3 * outcome->samples_s[i]);
    }
    opevo_text_add(out, ",");
    add_message(outcome->message, out);
    add_criteria(objective, outcome, out);
    opevo_text_add(out, "\n");
}
