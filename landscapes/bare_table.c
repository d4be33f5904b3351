/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A table without a description: the caller names the column of the result, and the parameters are
 * inferred from the others. A column of numbers is `discrete`, one with any other cell
 * `categorical`. Left out are columns with one value, columns of results, and columns that look
 * like measurements or names of rows. Optuna's trials_dataframe() marks parameters by "params_".
 *
 * The whole table is cut into cells first, for the values must be known before the space is. */

#include "bare_table_internal.h"

#include <opevo/memory.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MEASURED_LEAST = 16 /* different values from which a column may be one of measurements */ };

static const opevo_i_landscape_bare_unit units[] = {
    {"s", "1/s", 1, true},           {"ms", "ms", 1e3, true},
    {"us", "us", 1e6, true},         {"ns", "ns", 1e9, true},
    {"gflops", "GFLOP/s", 1, false}, {"tflops", "TFLOP/s", 1e-3, false},
    {"score", "score", 1, false},
};

/* Columns of results, also of other programs, that are not parameters. */
static const char *const result_names[] = {
    "time_ms",    "time_sd_ms", "gflops", "runs",  "compile_ms", "cost_ms",
    "samples_ms", "message",    "status", "state", "timestamp",
};

/* ---- The result ----------------------------------------------------------------------------- */

static opevo_status fail_result(const opevo_i_landscape_bare_table *self, const char *problem,
                                opevo_error *err)
{
    opevo_text names = {0};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->table->column_count; i++) {
        if (*self->table->names[i])
            opevo_text_printf(&names, "%s%.80s", names.length ? ", " : "", self->table->names[i]);
    }
    status = OPEVO_FAIL(err, OPEVO_INVALID,
                        "%s: %s; give --result UNIT:COLUMN, such as ms:time, with s, ms, us, ns, "
                        "gflops, tflops or score; the columns are %.400s.",
                        self->table->path, problem, opevo_text_string(&names));
    opevo_text_free(&names);
    return status;
}

/* "UNIT:COLUMN" or "UNIT:COLUMN,mean". */
static opevo_status read_result(opevo_i_landscape_bare_table *self, const char *text,
                                opevo_error *err)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? strlen(colon + 1) : 0;
    char *name = NULL;

    self->state =
        opevo_i_landscape_find_name(self->table->names, self->table->column_count, "status");
    if (self->state == SIZE_MAX)
        self->state =
            opevo_i_landscape_find_name(self->table->names, self->table->column_count, "state");
    for (size_t i = 0; colon && i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) == (size_t)(colon - text) &&
            strncmp(units[i].name, text, (size_t)(colon - text)) == 0)
            self->unit = &units[i];
    }
    if (!self->unit)
        return fail_result(self, "the result has no known unit", err);
    self->averages = length > 5 && strcmp(colon + 1 + length - 5, ",mean") == 0;
    name = opevo_strndup(colon + 1, length - (self->averages ? 5 : 0));
    if (!name)
        return opevo_i_landscape_bare_no_memory(self, err);
    self->result = opevo_i_landscape_find_name(self->table->names, self->table->column_count, name);
    opevo_free(name);
    return self->result == SIZE_MAX ? fail_result(self, "it has no such column of results", err)
                                    : OPEVO_OK;
}

/* ---- Cells ---------------------------------------------------------------------------------- */

static opevo_status read_cells(opevo_i_landscape_bare_table *self, opevo_error *err)
{
    size_t width = self->table->column_count;
    bool more = false;

    for (;;) {
        opevo_status status = opevo_i_landscape_table_next(self->table, &more, err);

        if (status != OPEVO_OK || !more)
            return status;
        if (!opevo_reserve((void **)&self->cells, &self->cell_capacity, (self->rows + 1) * width,
                           sizeof *self->cells) ||
            !opevo_reserve((void **)&self->lines, &self->line_capacity, self->rows + 1,
                           sizeof *self->lines))
            return opevo_i_landscape_bare_no_memory(self, err);
        memcpy(self->cells + self->rows * width, self->table->cells, width * sizeof *self->cells);
        self->lines[self->rows++] = self->table->line;
    }
}

static int compare_values(const void *a, const void *b)
{
    return opevo_value_compare(*(const opevo_value *)a, *(const opevo_value *)b);
}

static opevo_status collect(opevo_i_landscape_bare_table *self, size_t i, opevo_error *err)
{
    opevo_i_landscape_bare_column *one = &self->columns[i];
    size_t kept = 0;

    one->values = opevo_malloc(self->rows, sizeof *one->values);
    if (!one->values)
        return opevo_i_landscape_bare_no_memory(self, err);
    for (size_t row = 0; row < self->rows; row++) {
        const char *cell = opevo_i_landscape_bare_cell(self, row, i);

        one->optional = one->optional || !*cell;
        one->values[row] = opevo_value_parse(cell);
    }
    qsort(one->values, self->rows, sizeof *one->values, compare_values);
    for (size_t row = 0; row < self->rows; row++) {
        if (kept == 0 || compare_values(&one->values[kept - 1], &one->values[row]) != 0)
            one->values[kept++] = one->values[row];
    }
    one->count = kept;
    return OPEVO_OK;
}

/* ---- Parameters ----------------------------------------------------------------------------- */

/* Numbers come first in the order of values. */
static bool has_numbers_only(const opevo_i_landscape_bare_column *self)
{
    return self->count == 0 || opevo_i_landscape_bare_is_number(self->values[self->count - 1]);
}

/* Numbers with decimals, or names of rows, that are different in more than half of the rows. */
static bool looks_measured(const opevo_i_landscape_bare_table *self,
                           const opevo_i_landscape_bare_column *one)
{
    bool decimal = !has_numbers_only(one);

    for (size_t i = 0; i < one->count && !decimal; i++)
        decimal = one->values[i].kind == OPEVO_VALUE_REAL;
    return one->count == self->rows
               ? self->rows >= MEASURED_LEAST
               : decimal && one->count > MEASURED_LEAST && one->count > self->rows / 2;
}

/* The name without "params_", with '_' for what no identifier has. */
static char *identifier(const char *name)
{
    bool marked = strncmp(name, "params_", 7) == 0;
    char *text = opevo_malloc(strlen(name) + 2, 1);
    char *to = text;

    if (!text)
        return NULL;
    name += marked && name[7] ? 7 : 0;
    if (isdigit((unsigned char)*name))
        *to++ = '_';
    for (; *name; name++)
        *to++ = isalnum((unsigned char)*name) || *name == '_' ? *name : '_';
    *to = '\0';
    return text;
}

/* Whether a space file has a parameter or component of this name. */
static bool is_named(const opevo_space *space, const char *name, const char *other)
{
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);

        if (strcmp(opevo_parameter_name(parameter), name) == 0 ||
            strcmp(opevo_parameter_name(parameter), other) == 0)
            return true;
        for (size_t k = 0; k < opevo_parameter_arity(parameter); k++) {
            const char *component = opevo_parameter_component_name(parameter, k);

            if (component && (strcmp(component, name) == 0 || strcmp(component, other) == 0))
                return true;
        }
    }
    return false;
}

static bool is_result(const opevo_i_landscape_bare_table *self, size_t i)
{
    for (size_t k = 0; k < sizeof result_names / sizeof *result_names; k++) {
        if (strcmp(self->table->names[i], result_names[k]) == 0)
            return true;
    }
    return i == self->result || i == self->state || !*self->table->names[i];
}

static void say_column(opevo_i_landscape_bare_table *self, const char *name)
{
    opevo_text_add(&self->recording->inferred, "column ");
    opevo_text_add_visible(&self->recording->inferred, name);
}

/* What a column is; a line of the report on it. */
static opevo_status judge(opevo_i_landscape_bare_table *self, size_t i, bool marked,
                          const opevo_space *given, opevo_error *err)
{
    opevo_i_landscape_bare_column *one = &self->columns[i];
    const char *name = self->table->names[i];
    opevo_text *said = &self->recording->inferred;
    const char *why = NULL;

    one->name = identifier(name);
    if (!one->name)
        return opevo_i_landscape_bare_no_memory(self, err);
    if (is_result(self, i) || (marked && strncmp(name, "params_", 7) != 0))
        return OPEVO_OK;
    if (given) {
        one->parameter = is_named(given, name, one->name);
        return OPEVO_OK;
    }
    if (one->count < 2)
        why = "has one value";
    else if (!marked && looks_measured(self, one))
        why = "looks like a measurement";
    if (why) {
        say_column(self, name);
        opevo_text_printf(said, " %s and is left out\n", why);
        return OPEVO_OK;
    }
    one->parameter = true;
    say_column(self, name);
    opevo_text_printf(said, " is a %s parameter", has_numbers_only(one) ? "discrete" : "choice");
    if (strcmp(name, one->name) != 0)
        opevo_text_printf(said, " %s", one->name);
    opevo_text_printf(said, " of %zu values%s\n", one->count,
                      one->optional ? ", of which one is the empty cell" : "");
    return OPEVO_OK;
}

static opevo_status infer(opevo_i_landscape_bare_table *self, const char *space, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_space *given = NULL;
    bool marked = false;

    if (space)
        OPEVO_TRY(opevo_space_load(space, &given, err));
    for (size_t i = 0; i < self->table->column_count; i++)
        marked = marked || strncmp(self->table->names[i], "params_", 7) == 0;
    for (size_t i = 0; i < self->table->column_count; i++) {
        OPEVO_TRY(collect(self, i, err));
        OPEVO_TRY(judge(self, i, marked, given, err));
    }
cleanup:
    opevo_space_destroy(given);
    return status;
}

static opevo_status begin(opevo_i_landscape_bare_table *self, const char *space, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_landscape_parameters list = {0};
    const char **names = opevo_calloc(self->table->column_count, sizeof *names);

    if (!names)
        return opevo_i_landscape_bare_no_memory(self, err);
    for (size_t i = 0; i < self->table->column_count; i++)
        names[i] = self->columns[i].name;
    self->recording->own_names = names; /* a space file meets names as parameters have them */
    self->recording->owns_texts = true;
    self->recording->names = names;
    self->recording->name_count = self->table->column_count;
    for (size_t i = 0; i < self->table->column_count; i++) {
        opevo_i_landscape_bare_column *one = &self->columns[i];
        opevo_parameter *parameter = NULL;
        opevo_error inner = {OPEVO_OK, ""};
        opevo_parameter_spec spec = {.name = one->name,
                                     .type = has_numbers_only(one) ? "discrete" : "categorical",
                                     .values = one->values,
                                     .value_count = one->count};

        if (!one->parameter)
            continue;
        if (opevo_parameter_create(&spec, &parameter, &inner) != OPEVO_OK) {
            status = opevo_i_landscape_fail_in(err, &inner, self->table->path);
            goto cleanup;
        }
        if (!opevo_i_landscape_parameters_add(&list, parameter, &i)) {
            opevo_parameter_destroy(parameter);
            status = opevo_i_landscape_bare_no_memory(self, err);
            goto cleanup;
        }
    }
    OPEVO_TRY(opevo_i_landscape_recording_begin(self->recording, &list, NULL, 0, self->table->path,
                                                space, err));
cleanup:
    opevo_i_landscape_parameters_clear(&list);
    return status;
}

/* ---- The table ------------------------------------------------------------------------------ */

static opevo_status refuse_shape(const opevo_i_landscape_bare_table *self, opevo_error *err)
{
    const char *path = self->table->path;

    if (self->table->column_count == 1 && strpbrk(self->table->names[0], ";\t"))
        return opevo_i_landscape_fail_at(
            err, OPEVO_INVALID, path, 1,
            "columns are separated by semicolons or tabs; export the table with "
            "commas.");
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s: the table is empty.", path);
}

opevo_status opevo_i_landscape_bare_table_read(opevo_i_landscape_recording *recording,
                                               opevo_i_landscape_table *table, const char *result,
                                               const char *space,
                                               opevo_i_landscape_table_facts *facts,
                                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_landscape_bare_table self = {
        .recording = recording, .table = table, .result = SIZE_MAX};

    recording->path = table->path;
    recording->cells = true;
    recording->selects = true;
    self.columns = opevo_calloc(table->column_count, sizeof *self.columns);
    self.values = opevo_calloc(table->column_count, sizeof *self.values);
    if (!self.columns || !self.values) {
        status = opevo_i_landscape_bare_no_memory(&self, err);
        goto cleanup;
    }
    if (table->column_count == 1) {
        status = refuse_shape(&self, err);
        goto cleanup;
    }
    if (!result) {
        const char *ending = strstr(table->path, ".csv");
        char problem[300];

        snprintf(problem, sizeof problem, "its description %.*s.json is missing",
                 ending ? (int)(ending - table->path) : 0, table->path);
        status = fail_result(&self, problem, err);
        goto cleanup;
    }
    OPEVO_TRY(read_result(&self, result, err));
    OPEVO_TRY(read_cells(&self, err));
    if (self.rows == 0) {
        status = refuse_shape(&self, err);
        goto cleanup;
    }
    say_column(&self, table->names[self.result]);
    opevo_text_printf(&recording->inferred, " is the result in %s\n", self.unit->name);
    OPEVO_TRY(infer(&self, space, err));
    OPEVO_TRY(begin(&self, space, err));
    OPEVO_TRY(opevo_i_landscape_bare_rows_add(&self, err));
    OPEVO_TRY(opevo_text_check(&recording->inferred, err));
    *facts = (opevo_i_landscape_table_facts){.unit = self.unit->unit};
cleanup:
    for (size_t i = 0; self.columns && i < table->column_count; i++) {
        opevo_free(self.columns[i].values);
        if (!recording->own_names) /* which own them otherwise */
            opevo_free(self.columns[i].name);
    }
    opevo_free(self.columns);
    opevo_free(self.values);
    opevo_free(self.cells);
    opevo_free(self.lines);
    return status;
}
