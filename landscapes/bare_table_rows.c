/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rows of a table without a description: the outcome of each, and those of one point
 * averaged. */

#include "bare_table_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>
#include <strings.h>

/* Words of a status beside those of described tables; Optuna's first. NULL: not a trial. */
static const struct {
    const char *name;
    opevo_outcome_class kind;
    bool skipped;
} states[] = {
    {"COMPLETE", OPEVO_OUTCOME_OK, false},  {"PRUNED", OPEVO_OUTCOME_TIMEOUT, false},
    {"FAIL", OPEVO_OUTCOME_CRASHED, false}, {"RUNNING", OPEVO_OUTCOME_OK, true},
    {"WAITING", OPEVO_OUTCOME_OK, true},
};

/* Empty, or what programs write for no number. */
static bool is_missing(const char *cell)
{
    static const char *const words[] = {"", "nan", "na", "n/a", "none", "null", "<na>"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcasecmp(cell, words[i]) == 0)
            return true;
    }
    return false;
}

/* What came of a row; *skipped where it is not a trial. */
static opevo_status read_state(const opevo_i_landscape_bare_table *self, size_t row,
                               opevo_outcome_class *kind, bool *skipped, opevo_error *err)
{
    const char *cell =
        self->state == SIZE_MAX ? "" : opevo_i_landscape_bare_cell(self, row, self->state);

    *skipped = false;
    *kind = OPEVO_OUTCOME_OK;
    for (size_t i = 0; *cell && i < sizeof states / sizeof *states; i++) {
        if (strcasecmp(cell, states[i].name) == 0) {
            *kind = states[i].kind;
            *skipped = states[i].skipped;
            return OPEVO_OK;
        }
    }
    for (int i = 0; *cell && i < OPEVO_OUTCOME_CLASS_COUNT; i++) {
        const char *name = opevo_recorded_status((opevo_outcome_class)i);

        if (name && strcasecmp(cell, name) == 0) {
            *kind = (opevo_outcome_class)i;
            return OPEVO_OK;
        }
    }
    return *cell ? opevo_i_landscape_fail_status(self->table->path, self->lines[row], cell, err)
                 : OPEVO_OK;
}

/* The number of the result; NAN for a failure. */
static opevo_status read_number(const opevo_i_landscape_bare_table *self, size_t row, double *out,
                                opevo_error *err)
{
    const char *cell = opevo_i_landscape_bare_cell(self, row, self->result);
    bool read = opevo_parse_double(cell, out);

    if (read && *out > 0)
        return OPEVO_OK;
    *out = NAN;
    if (is_missing(cell) || strcasecmp(cell, "inf") == 0 || strcasecmp(cell, "infinity") == 0)
        return OPEVO_OK;
    return opevo_i_landscape_fail_at(
        err, OPEVO_INVALID, self->table->path, self->lines[row],
        "'%.80s' in column '%s' is not a number above 0; leave the cell of a "
        "failure empty.",
        cell, self->table->names[self->result]);
}

static bool is_same_point(const opevo_i_landscape_bare_table *self, size_t row, size_t other)
{
    for (size_t i = 0; i < self->table->column_count; i++) {
        if (self->columns[i].parameter &&
            opevo_value_compare(opevo_value_parse(opevo_i_landscape_bare_cell(self, row, i)),
                                opevo_value_parse(opevo_i_landscape_bare_cell(self, other, i))) !=
                0)
            return false;
    }
    return true;
}

static uint64_t hash_of(const opevo_i_landscape_bare_table *self, size_t row)
{
    uint64_t hash = OPEVO_HASH_START;

    for (size_t i = 0; i < self->table->column_count; i++) {
        opevo_value value = opevo_value_parse(opevo_i_landscape_bare_cell(self, row, i));
        double number = opevo_i_landscape_bare_is_number(value) ? opevo_value_number(value) : 0;

        if (!self->columns[i].parameter)
            continue;
        if (opevo_i_landscape_bare_is_number(value))
            hash = opevo_hash_bytes(hash, &number, sizeof number);
        else
            hash = opevo_hash_bytes(hash, opevo_i_landscape_bare_cell(self, row, i),
                                    strlen(opevo_i_landscape_bare_cell(self, row, i)) + 1);
    }
    return hash;
}

/* One row of the recording. */
typedef struct merged {
    size_t row;
    double sum;
    size_t count; /* of the numbers in the sum */
    opevo_outcome_class kind;
} merged;

static opevo_status add(opevo_i_landscape_bare_table *self, const merged *one, opevo_error *err)
{
    opevo_i_landscape_row row = {.kind = one->count ? OPEVO_OUTCOME_OK : one->kind, .time_s = NAN};
    double mean = one->sum / (double)one->count;

    for (size_t i = 0; i < OPEVO_CRITERIA_MOST - 1; i++)
        row.more[i] = NAN;
    if (one->count && self->unit->is_time) {
        row.time_s = mean / self->unit->divisor;
        row.fitness = 1 / row.time_s;
        row.run_s = row.time_s * (double)one->count;
    } else if (one->count) {
        row.fitness = mean / self->unit->divisor;
    }
    if (one->count && (!isfinite(row.fitness) || !(row.fitness > 0)))
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, self->table->path,
                                         self->lines[one->row],
                                         "the result %g is beyond what is measured.", mean);
    for (size_t i = 0; i < self->table->column_count; i++)
        self->values[i] =
            (opevo_value){.kind = OPEVO_VALUE_TEXT,
                          .as = {.text = opevo_i_landscape_bare_cell(self, one->row, i)}};
    return opevo_i_landscape_recording_add(self->recording, self->values, &row,
                                           self->lines[one->row], err);
}

/* Put a row to the others of its point, if rows are averaged. */
static opevo_status merge(const opevo_i_landscape_bare_table *self, const merged *read,
                          opevo_index_map *first_of, merged *all, size_t *count, opevo_error *err)
{
    uint64_t at = 0;
    opevo_index hash = self->averages ? hash_of(self, read->row) : read->row;

    /* Of equal hashes the next are tried. */
    for (; self->averages && opevo_index_map_get(first_of, hash, &at); hash++) {
        if (!is_same_point(self, all[at].row, read->row))
            continue;
        if (!all[at].count)
            all[at].kind = read->kind;
        all[at].sum += read->sum;
        all[at].count += read->count;
        return OPEVO_OK;
    }
    if (!opevo_index_map_put(first_of, hash, *count))
        return opevo_i_landscape_bare_no_memory(self, err);
    all[(*count)++] = *read;
    return OPEVO_OK;
}

opevo_status opevo_i_landscape_bare_rows_add(opevo_i_landscape_bare_table *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index_map *first_of = opevo_index_map_create();
    merged *all = opevo_malloc(self->rows, sizeof *all);
    size_t count = 0;

    if (!first_of || !all) {
        status = opevo_i_landscape_bare_no_memory(self, err);
        goto cleanup;
    }
    for (size_t row = 0; row < self->rows; row++) {
        merged read = {.row = row};
        double number = NAN;
        bool skipped = false;

        OPEVO_TRY(read_state(self, row, &read.kind, &skipped, err));
        if (skipped)
            continue;
        OPEVO_TRY(read_number(self, row, &number, err));
        if (read.kind == OPEVO_OUTCOME_OK && isnan(number))
            read.kind = OPEVO_OUTCOME_LAUNCH_ERROR;
        else if (read.kind == OPEVO_OUTCOME_OK)
            read = (merged){.row = row, .sum = number, .count = 1};
        OPEVO_TRY(merge(self, &read, first_of, all, &count, err));
    }
    for (size_t i = 0; i < count; i++)
        OPEVO_TRY(add(self, &all[i], err));
    if (count < self->rows && self->averages)
        opevo_text_printf(&self->recording->inferred,
                          "rows that repeat a configuration and are averaged: %zu\n",
                          self->rows - count);
cleanup:
    opevo_index_map_destroy(first_of);
    opevo_free(all);
    return status;
}
