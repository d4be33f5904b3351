/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rows of a table that has a description. Table and description are checked against each other
 * before a landscape exists: columns, counts, the listed values, the constraints, the best result.
 */

#include "recorded_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>

/* Largest relative difference between numbers that ought to be equal up to rounding to six digits.
 */
#define ROUNDING 1e-4

/* The states of a row, as the table spells them. */
static const struct {
    const char *name;
    const char *rows; /* for messages */
    opevo_outcome_class kind;
} states[] = {
    {"ok", "rows with status ok", OPEVO_OUTCOME_OK},
    {"compile_error", "rows with status compile_error", OPEVO_OUTCOME_BUILD_ERROR},
    {"runtime_error", "rows with status runtime_error", OPEVO_OUTCOME_LAUNCH_ERROR},
    {"invalid", "rows with status invalid", OPEVO_OUTCOME_REJECTED},
    {"timeout", "rows with status timeout", OPEVO_OUTCOME_TIMEOUT},
    {"wrong", "rows with status wrong", OPEVO_OUTCOME_WRONG},
    {"crashed", "rows with status crashed", OPEVO_OUTCOME_CRASHED},
};
enum { STATE_COUNT = sizeof states / sizeof states[0] };

const char *opevo_recorded_status(opevo_outcome_class kind)
{
    for (size_t i = 0; i < STATE_COUNT; i++) {
        if (states[i].kind == kind)
            return states[i].name;
    }
    return NULL;
}

/* Columns of results, SIZE_MAX where the table has none. */
typedef struct result_columns {
    size_t time, status, gflops, runs, compile, cost;
} result_columns;

typedef struct reader {
    opevo_i_landscape_recording *recording;
    opevo_i_landscape_table *table;
    const json_t *root;
    const char *description;
    opevo_i_landscape_table_facts facts;
    result_columns columns;
    opevo_value *values; /* column_count of them */
    size_t state_counts[STATE_COUNT];
    double best_gflops, best_time_s; /* of the ok rows; NAN before the first */
} reader;

static size_t find_column(const reader *self, const char *name)
{
    return opevo_i_landscape_find_name(self->table->names, self->table->column_count, name);
}

static opevo_status find_result_columns(reader *self, opevo_error *err)
{
    const char *missing = NULL;

    self->columns = (result_columns){.time = find_column(self, "time_ms"),
                                     .status = find_column(self, "status"),
                                     .gflops = find_column(self, "gflops"),
                                     .runs = find_column(self, "runs"),
                                     .compile = find_column(self, "compile_ms"),
                                     .cost = find_column(self, "cost_ms")};
    if (self->columns.time == SIZE_MAX)
        missing = "time_ms";
    else if (self->columns.status == SIZE_MAX)
        missing = "status";
    if (missing)
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, self->table->path, 1,
                                         "missing column '%s', which every landscape needs.",
                                         missing);
    return OPEVO_OK;
}

/* ---- Facts ---------------------------------------------------------------------------------- */

static opevo_status read_facts(reader *self, opevo_error *err)
{
    const json_t *flop = json_object_get(self->root, "flop_per_run");
    const char *named = json_string_value(json_object_get(self->root, "unit"));
    const char *unit = named ? opevo_unit_find(named) : NULL;

    self->facts.name = json_string_value(json_object_get(self->root, "name"));
    self->facts.of = json_string_value(json_object_get(self->root, "objective"));
    self->facts.unit = flop || self->columns.gflops != SIZE_MAX ? "GFLOP/s" : "1/s";
    if (unit && opevo_unit_agree(unit, self->facts.unit))
        self->facts.unit = unit;
    if (!flop)
        return OPEVO_OK;
    self->facts.flop = json_number_value(flop);
    if (!(self->facts.flop > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: \"flop_per_run\" must be a number above 0.",
                          self->description);
    return OPEVO_OK;
}

/* ---- Rows ----------------------------------------------------------------------------------- */

/* The number in a cell: NAN when the table lacks the column or the cell is empty. */
static opevo_status read_number(const reader *self, size_t column, double *out, opevo_error *err)
{
    const opevo_i_landscape_table *table = self->table;
    double value = 0;

    if (column == SIZE_MAX || !*table->cells[column]) {
        *out = NAN;
        return OPEVO_OK;
    }
    if (!opevo_parse_double(table->cells[column], &value) || value < 0)
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, table->line,
                                         "'%.80s' in column '%s' is not a number of at least 0.",
                                         table->cells[column], table->names[column]);
    *out = value;
    return OPEVO_OK;
}

static opevo_status read_state(reader *self, opevo_outcome_class *kind, opevo_error *err)
{
    const char *cell = self->table->cells[self->columns.status];

    for (size_t i = 0; i < STATE_COUNT; i++) {
        if (strcmp(cell, states[i].name) == 0) {
            self->state_counts[i]++;
            *kind = states[i].kind;
            return OPEVO_OK;
        }
    }
    return opevo_i_landscape_fail_status(self->table->path, self->table->line, cell, err);
}

/* An ok row has a result in the column, every other row has none. */
static opevo_status check_result(const reader *self, size_t column, bool ok, double value,
                                 opevo_error *err)
{
    const opevo_i_landscape_table *table = self->table;

    if (column == SIZE_MAX)
        return OPEVO_OK;
    if (ok && !(value > 0))
        return opevo_i_landscape_fail_at(
            err, OPEVO_INVALID, table->path, table->line,
            "the status is ok, but column '%s' holds no number above 0.", table->names[column]);
    if (!ok && !isnan(value))
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, table->line,
                                         "the status is %s, but column '%s' is not empty.",
                                         table->cells[self->columns.status], table->names[column]);
    return OPEVO_OK;
}

static opevo_status set_fitness(reader *self, double gflops, opevo_i_landscape_row *row,
                                opevo_error *err)
{
    double computed = self->facts.flop / row->time_s / 1e9;

    if (isnan(gflops)) {
        row->fitness = self->facts.flop > 0 ? computed : 1 / row->time_s;
    } else {
        row->fitness = gflops;
        if (self->facts.flop > 0 && !(fabs(gflops - computed) <= ROUNDING * computed))
            return opevo_i_landscape_fail_at(
                err, OPEVO_INVALID, self->table->path, self->table->line,
                "%g GFLOP/s disagree with the time, which gives %g at the flop_per_run of %s.",
                gflops, computed, self->description);
    }
    if (!isfinite(row->fitness))
        return opevo_i_landscape_fail_short(self->table->path, self->table->line, row->time_s, err);
    self->best_time_s = fmin(self->best_time_s, row->time_s);
    self->best_gflops = fmax(self->best_gflops, gflops);
    return OPEVO_OK;
}

/* What the trial cost: compile_ms is building, the rest of cost_ms running. Without cost_ms, the
 * time of all runs. */
static opevo_status set_costs(const reader *self, opevo_i_landscape_row *row, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double compile = NAN;
    double cost = NAN;
    double runs = NAN;

    OPEVO_TRY(read_number(self, self->columns.compile, &compile, err));
    OPEVO_TRY(read_number(self, self->columns.cost, &cost, err));
    OPEVO_TRY(read_number(self, self->columns.runs, &runs, err));
    row->build_s = isnan(compile) ? 0 : compile / 1e3;
    if (!isnan(cost))
        row->run_s = fmax(0, cost / 1e3 - row->build_s);
    else if (row->kind == OPEVO_OUTCOME_OK)
        row->run_s = row->time_s * (isnan(runs) ? 1 : runs);
cleanup:
    return status;
}

/* Those of the row: any number, or an empty cell where it is not known. */
static opevo_status read_criteria(const reader *self, opevo_i_landscape_row *row, opevo_error *err)
{
    const opevo_i_landscape_criteria *criteria = &self->recording->criteria;
    const opevo_i_landscape_table *table = self->table;

    for (size_t i = 0; i < OPEVO_CRITERIA_MOST - 1; i++)
        row->more[i] = NAN;
    for (size_t i = 0; i < criteria->count && row->kind == OPEVO_OUTCOME_OK; i++) {
        const char *cell = table->cells[criteria->columns[i]];

        if (*cell && !opevo_parse_double(cell, &row->more[i]))
            return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, table->line,
                                             "'%.80s' in column '%s' is not a number.", cell,
                                             table->names[criteria->columns[i]]);
    }
    return OPEVO_OK;
}

static opevo_status read_row(reader *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_landscape_row row = {.time_s = NAN};
    double time_ms = NAN;
    double gflops = NAN;
    bool ok = false;

    OPEVO_TRY(read_state(self, &row.kind, err));
    ok = row.kind == OPEVO_OUTCOME_OK;
    OPEVO_TRY(read_number(self, self->columns.time, &time_ms, err));
    OPEVO_TRY(read_number(self, self->columns.gflops, &gflops, err));
    OPEVO_TRY(check_result(self, self->columns.time, ok, time_ms, err));
    OPEVO_TRY(check_result(self, self->columns.gflops, ok, gflops, err));
    if (ok) {
        row.time_s = time_ms / 1e3;
        OPEVO_TRY(set_fitness(self, gflops, &row, err));
    }
    OPEVO_TRY(set_costs(self, &row, err));
    OPEVO_TRY(read_criteria(self, &row, err));
    for (size_t i = 0; i < self->table->column_count; i++)
        self->values[i] =
            (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = self->table->cells[i]}};
    OPEVO_TRY(opevo_i_landscape_recording_add(self->recording, self->values, &row,
                                              self->table->line, err));
cleanup:
    return status;
}

/* ---- What the description says about all rows together ----------------------------------------
 */

/* `expected` is a member of the description, NULL when it says nothing. */
static opevo_status check_count(const reader *self, const json_t *expected, size_t count,
                                const char *what, opevo_error *err)
{
    if (!expected)
        return OPEVO_OK;
    if (!json_is_integer(expected) || json_integer_value(expected) != (json_int_t)count)
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, self->table->path, self->table->line,
                                         "the table has %zu %s, but %s says %.0f.", count, what,
                                         self->description, json_number_value(expected));
    return OPEVO_OK;
}

static opevo_status check_best(const reader *self, const char *key, double found, opevo_error *err)
{
    const json_t *json = json_object_get(json_object_get(self->root, "best"), key);
    double expected = json_number_value(json);

    if (!json || fabs(found - expected) <= ROUNDING * fabs(expected))
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s: best.%s is %g, but the best in %s is %g.",
                      self->description, key, expected, self->table->path, found);
}

static opevo_status check_totals(const reader *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const json_t *counts = json_object_get(self->root, "status_counts");
    size_t rows = opevo_i_landscape_recording_rows(self->recording) + self->recording->ignored;

    if (!rows)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: the table is empty.", self->table->path);
    OPEVO_TRY(check_count(self, json_object_get(self->root, "rows"), rows, "rows", err));
    OPEVO_TRY(check_count(self, json_object_get(self->root, "valid"), self->state_counts[0],
                          states[0].rows, err));
    for (size_t i = 0; i < STATE_COUNT; i++) {
        const json_t *expected = json_object_get(counts, states[i].name);

        OPEVO_TRY(check_count(self, expected, self->state_counts[i], states[i].rows, err));
        if (counts && !expected && self->state_counts[i])
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s: status_counts lacks %s, which %s has.",
                              self->description, states[i].name, self->table->path);
    }
    OPEVO_TRY(check_best(self, "time_ms", 1e3 * self->best_time_s, err));
    if (self->columns.gflops != SIZE_MAX)
        OPEVO_TRY(check_best(self, "gflops", self->best_gflops, err));
cleanup:
    return status;
}

opevo_status opevo_i_landscape_described_table_read(opevo_i_landscape_recording *recording,
                                                    opevo_i_landscape_table *table,
                                                    const json_t *root, const char *description,
                                                    const char *space,
                                                    opevo_i_landscape_table_facts *facts,
                                                    opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    reader self = {.recording = recording,
                   .table = table,
                   .root = root,
                   .description = description,
                   .best_gflops = NAN,
                   .best_time_s = NAN};
    bool more = false;

    recording->path = table->path;
    recording->names = table->names;
    recording->name_count = table->column_count;
    recording->cells = true;
    OPEVO_NEW(self.values, table->column_count, table->path);
    OPEVO_TRY(opevo_i_landscape_description_begin(recording, table, root, description, space, err));
    OPEVO_TRY(find_result_columns(&self, err));
    OPEVO_TRY(opevo_i_landscape_description_criteria(recording, table, root, description, err));
    OPEVO_TRY(read_facts(&self, err));
    recording->flop = self.facts.flop;
    if (!opevo_i_landscape_recording_restart(recording)) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", table->path);
        goto cleanup;
    }
    for (;;) {
        OPEVO_TRY(opevo_i_landscape_table_next(table, &more, err));
        if (!more)
            break;
        OPEVO_TRY(read_row(&self, err));
    }
    OPEVO_TRY(check_totals(&self, err));
    *facts = self.facts;
cleanup:
    opevo_free(self.values);
    return status;
}
