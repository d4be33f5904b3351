/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A table that has a description. Both are checked against each other before a landscape exists:
 * columns, counts, the listed values, the constraints, the best result. */

#include "described_table_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>

typedef opevo_i_landscape_described_table reader;

static size_t find_column(const reader *self, const char *name)
{
    return opevo_i_landscape_find_name(self->table->names, self->table->column_count, name);
}

static opevo_status find_result_columns(reader *self, opevo_error *err)
{
    const char *missing = NULL;

    self->columns = (opevo_i_landscape_result_columns){.time = find_column(self, "time_ms"),
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

    if (!json || fabs(found - expected) <= OPEVO_I_LANDSCAPE_ROUNDING * fabs(expected))
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
    OPEVO_TRY(check_count(self, json_object_get(self->root, "valid"), self->tally.states[0],
                          opevo_i_landscape_states[0].rows, err));
    for (size_t i = 0; i < OPEVO_I_LANDSCAPE_STATES; i++) {
        const json_t *expected = json_object_get(counts, opevo_i_landscape_states[i].name);

        OPEVO_TRY(check_count(self, expected, self->tally.states[i],
                              opevo_i_landscape_states[i].rows, err));
        if (counts && !expected && self->tally.states[i])
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s: status_counts lacks %s, which %s has.",
                              self->description, opevo_i_landscape_states[i].name,
                              self->table->path);
    }
    OPEVO_TRY(check_best(self, "time_ms", 1e3 * self->tally.best_time_s, err));
    if (self->columns.gflops != SIZE_MAX)
        OPEVO_TRY(check_best(self, "gflops", self->tally.best_gflops, err));
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
                   .tally = {.best_gflops = NAN, .best_time_s = NAN}};

    recording->path = table->path;
    recording->names = table->names;
    recording->name_count = table->column_count;
    recording->cells = true;
    OPEVO_TRY(opevo_i_landscape_description_begin(recording, table, root, description, space, err));
    OPEVO_TRY(find_result_columns(&self, err));
    OPEVO_TRY(opevo_i_landscape_description_criteria(recording, table, root, description, err));
    OPEVO_TRY(read_facts(&self, err));
    recording->flop = self.facts.flop;
    OPEVO_NEED(opevo_i_landscape_recording_restart(recording), "reading %s", table->path);
    OPEVO_TRY(opevo_i_landscape_described_rows_read(&self, err));
    OPEVO_TRY(check_totals(&self, err));
    *facts = self.facts;
cleanup:
    return status;
}
