/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Logs of AutoTVM as tables without a description: a row for each record, a column for each knob.
 * A split is the texts of its factors but the first, which follows from the others: older logs have
 * it and newer ones have -1.
 *
 * Source: TVM 0.6 and 0.8, python/tvm/autotvm/record.py (encode), task/space.py (ConfigEntity),
 * measure/measure.py (MeasureErrorNo). */

#include "recorded_internal.h"

#include <opevo/tvm_log.h>

#include <math.h>
#include <string.h>

/* By the number of the error. */
static const char *const states[] = {
    "ok",    "invalid", "compile_error", "compile_error", "runtime_error",
    "wrong", "timeout", "timeout",       "crashed",
};

/* One record, whose parts are borrowed from `root`. */
typedef struct record {
    json_t *root;
    json_t *task; /* target, name, arguments */
    json_t *entity, *times;
    json_int_t error;
} record;

typedef struct reader {
    const char *path;
    opevo_text *table;
    record first;
    size_t first_line;
} reader;

static opevo_status fail(const reader *self, size_t line, const char *sentence, opevo_error *err)
{
    return opevo_i_landscape_fail_at(err, OPEVO_INVALID, self->path, line, "%s", sentence);
}

/* The members of either version of the log; in version 0.1 the configuration ends the input. */
static opevo_status parse(const reader *self, const char *text, size_t size, size_t line,
                          record *out, opevo_error *err)
{
    json_error_t error;
    json_t *config = NULL;
    bool complete = false;

    out->root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (!out->root)
        return opevo_i_landscape_fail_at(
            err, OPEVO_INVALID, self->path, line,
            "invalid JSON: %s; remove the line if it is the last of an "
            "unfinished run.",
            error.text);
    complete = json_unpack(out->root, "{s:o, s:o, s:[oI]}", "input", &out->task, "config", &config,
                           "result", &out->times, &out->error) == 0;
    if (!complete) {
        complete = json_unpack(out->root, "{s:o, s:[oI]}", "i", &out->task, "r", &out->times,
                               &out->error) == 0;
        config = json_array_get(out->task, json_array_size(out->task) - 1);
    }
    if (json_unpack(config, "{s:o}", "entity", &out->entity) != 0)
        json_unpack(config, "{s:o}", "e", &out->entity);
    if (!complete || !json_is_array(out->times) || !json_array_size(out->entity))
        return fail(self, line,
                    "this is not a record of AutoTVM: it needs a configuration with a list of "
                    "entities, and a result that begins with a list of times and the number of "
                    "an error.",
                    err);
    return OPEVO_OK;
}

static const char *task_name(const record *self)
{
    const char *name = json_string_value(json_array_get(self->task, 1));

    return name ? name : "?";
}

static const char *knob_name(const record *self, size_t i)
{
    const char *name = NULL;

    json_unpack(json_array_get(self->entity, i), "[s]", &name);
    return name;
}

/* Of the same task, with the same knobs. */
static bool is_same_task(const record *a, const record *b)
{
    bool same = json_array_size(a->entity) == json_array_size(b->entity);

    for (size_t i = 0; i < 4 && same; i++) {
        json_t *x = json_array_get(a->task, i), *y = json_array_get(b->task, i);

        same = (!x && !y) || json_equal(x, y);
    }
    for (size_t i = 0; same && i < json_array_size(a->entity); i++)
        same = knob_name(a, i) && knob_name(b, i) && !strcmp(knob_name(a, i), knob_name(b, i));
    return same;
}

/* ---- Cells ---------------------------------------------------------------------------------- */

static void add_scalar(opevo_text *out, const json_t *value)
{
    if (json_is_integer(value))
        opevo_text_printf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        opevo_text_add_double(out, json_real_value(value));
    else if (json_is_string(value))
        opevo_text_add(out, json_string_value(value));
    else
        opevo_text_add(out, json_is_true(value) ? "true" : json_is_false(value) ? "false" : "none");
}

/* ["tile_f", "sp", [-1, 2, 16]] as 2x16; orders and annotations as 0-2-1 and unroll-none. */
static void print_knob(json_t *knob, opevo_text *out)
{
    const char *name = NULL, *kind = NULL;
    const json_t *value = NULL;
    bool splits = json_unpack(knob, "[sso]", &name, &kind, &value) == 0 && !strcmp(kind, "sp");

    if (!json_is_array(value))
        add_scalar(out, value);
    for (size_t i = splits && json_array_size(value) > 1; i < json_array_size(value); i++) {
        if (out->length)
            opevo_text_add(out, splits ? "x" : "-");
        add_scalar(out, json_array_get(value, i));
    }
}

static opevo_status print_time(const reader *self, const record *read, size_t line,
                               opevo_error *err)
{
    const json_t *times = read->times;
    json_int_t error = read->error;
    double sum = 0;

    if (error < 0 || error >= (json_int_t)(sizeof states / sizeof *states))
        return fail(self, line, "the number of the error must be from 0 to 8.", err);
    for (size_t i = 0; i < json_array_size(times) && !error; i++)
        sum += json_number_value(json_array_get(times, i));
    if (!error && !(sum > 0 && isfinite(sum)))
        return fail(self, line, "a record without an error needs times above 0.", err);
    if (!error)
        opevo_text_add_double(self->table, sum / (double)json_array_size(times));
    opevo_text_printf(self->table, ",%s", states[error]);
    return OPEVO_OK;
}

/* ---- Lines ---------------------------------------------------------------------------------- */

static opevo_status print_row(const reader *self, const record *read, size_t line, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (!is_same_task(&self->first, read))
        return opevo_i_landscape_fail_at(
            err, OPEVO_INVALID, self->path, line,
            "the task %.80s differs from that of line %zu, %.80s, in its "
            "target, arguments or knobs: keep the records of one task.",
            task_name(read), self->first_line, task_name(&self->first));
    OPEVO_TRY(print_time(self, read, line, err));
    for (size_t i = 0; i < json_array_size(read->entity); i++) {
        opevo_text cell = {0};

        print_knob(json_array_get(read->entity, i), &cell);
        opevo_text_add(self->table, ",");
        opevo_text_add_csv(self->table, opevo_text_string(&cell));
        self->table->failed = self->table->failed || cell.failed;
        opevo_text_free(&cell);
    }
    opevo_text_add(self->table, "\n");
cleanup:
    return status;
}

static void print_head(const reader *self)
{
    opevo_text_add(self->table, "time_s,status");
    for (size_t i = 0; i < json_array_size(self->first.entity); i++) {
        const char *name = knob_name(&self->first, i);
        opevo_text cell = {0};

        opevo_text_printf(&cell, "params_%s", name ? name : "");
        opevo_text_add(self->table, ",");
        opevo_text_add_csv(self->table, opevo_text_string(&cell));
        self->table->failed = self->table->failed || cell.failed;
        opevo_text_free(&cell);
    }
    opevo_text_add(self->table, "\n");
}

opevo_status opevo_i_landscape_autotvm_table(const char *path, const char *text, opevo_text *table,
                                             opevo_error *err)
{
    reader self = {.path = path, .table = table};
    opevo_status status = OPEVO_OK;

    for (size_t line = 1; opevo_tvm_log_next(&text, &line);) {
        size_t size = strcspn(text, "\n");
        record read = {.root = NULL};

        status = parse(&self, text, size, line, &read, err);
        if (status == OPEVO_OK && !self.first.root) {
            self.first = read;
            self.first_line = line;
            json_incref(read.root);
            print_head(&self);
        }
        if (status == OPEVO_OK)
            status = print_row(&self, &read, line, err);
        json_decref(read.root);
        OPEVO_TRY(status);
        text += size;
    }
    OPEVO_TRY(opevo_text_check(table, err));
cleanup:
    json_decref(self.first.root);
    return status;
}
