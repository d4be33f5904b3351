/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From what was measured to a matrix: configurations by their texts, so that spaces need not be the
 * same ones; where a space lacks a text, by the counterpart that the configuration has there. */

#include "portfolio_cli_internal.h"

#include <opevo/memory.h>
#include <opevo/portfolio_crossing.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static opevo_status fail_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a portfolio.");
}

/* ---- Cells ---------------------------------------------------------------------------------- */

static void free_cell(opevo_i_cli_portfolio_cell *cell)
{
    opevo_free(cell->configuration);
    opevo_free(cell->measured);
}

opevo_status opevo_i_cli_portfolio_add(opevo_i_cli_portfolio *self, size_t workload,
                                       const char *configuration, const char *measured,
                                       double fitness, opevo_error *err)
{
    opevo_i_cli_portfolio_cell cell = {.workload = workload, .fitness = fitness};
    void *cells = self->cells;

    if (!opevo_reserve(&cells, &self->cell_capacity, self->cell_count + 1, sizeof *self->cells))
        return fail_memory(err);
    self->cells = cells;
    cell.configuration = opevo_strdup(configuration);
    cell.measured = measured ? opevo_strdup(measured) : NULL;
    if (!cell.configuration || (measured && !cell.measured)) {
        free_cell(&cell);
        return fail_memory(err);
    }
    self->cells[self->cell_count++] = cell;
    return OPEVO_OK;
}

static void free_workload(opevo_i_cli_portfolio_workload *row)
{
    opevo_free(row->name);
    opevo_free(row->numbers);
    opevo_free(row->unit);
    opevo_free(row->on);
    opevo_free(row->what);
    opevo_free(row->space);
    opevo_space_destroy(row->points);
}

/* ---- The matrix ----------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    const opevo_i_cli_portfolio_cell *x = a, *y = b;
    int order = strcmp(x->configuration, y->configuration);

    if (order)
        return order;
    return (x->workload > y->workload) - (x->workload < y->workload);
}

/* Those of a configuration on a workload stand together, once the cells are sorted. */
static const opevo_i_cli_portfolio_cell *find_cell(const opevo_i_cli_portfolio *self, size_t count,
                                                   const char *text, size_t workload)
{
    /* Only compared. */
    const opevo_i_cli_portfolio_cell key = {.configuration = (char *)text, .workload = workload};

    return bsearch(&key, self->cells, count, sizeof *self->cells, by_text);
}

const char *opevo_i_cli_portfolio_text_on(const opevo_i_cli_portfolio *self, size_t workload,
                                          const char *configuration)
{
    const opevo_i_cli_portfolio_cell *cell =
        find_cell(self, self->cell_count, configuration, workload);

    return cell && cell->measured ? cell->measured : configuration;
}

/* The mean of the successes of such cells, of the first `count`. */
static double mean_of(const opevo_i_cli_portfolio *self, size_t count,
                      const opevo_i_cli_portfolio_cell *cell)
{
    const opevo_i_cli_portfolio_cell *first = cell, *end = self->cells + count;
    double sum = 0;
    size_t successes = 0;

    while (first > self->cells && by_text(first - 1, cell) == 0)
        first--;
    for (; first < end && by_text(first, cell) == 0; first++) {
        sum += first->fitness;
        successes += first->fitness > 0;
    }
    return successes ? sum / (double)successes : 0;
}

/* What a configuration of workload `own` has on another one, of which the first `count` cells are
 * sorted. */
static opevo_status carry_cell(opevo_i_cli_portfolio *self, size_t count, const char *text,
                               size_t own, size_t other, opevo_error *err)
{
    const opevo_space *from = self->workloads[own].points, *to = self->workloads[other].points;
    const opevo_i_cli_portfolio_cell *cell = NULL;
    opevo_text there = {0};
    opevo_index point = 0;
    bool found = false;
    opevo_status status = OPEVO_OK;

    if (!to || opevo_space_signature(from) == opevo_space_signature(to) ||
        find_cell(self, count, text, other) ||
        opevo_space_read(from, text, &point, NULL) != OPEVO_OK)
        return OPEVO_OK;
    OPEVO_TRY(opevo_portfolio_carry(from, point, to, &found, &point, err));
    if (found) {
        opevo_space_print(to, point, &there);
        OPEVO_TRY(opevo_text_check(&there, err));
        cell = find_cell(self, count, there.data, other);
    }
    if (cell || !found) /* without a counterpart it cannot be used there */
        status = opevo_i_cli_portfolio_add(self, other, text, there.data,
                                           cell ? mean_of(self, count, cell) : 0, err);
cleanup:
    opevo_text_free(&there);
    return status;
}

/* Of each configuration, on the workloads where it was not measured itself; cells are sorted. */
static opevo_status carry_cells(opevo_i_cli_portfolio *self, opevo_error *err)
{
    size_t count = self->cell_count;

    for (size_t i = 0; i < count; i++) {
        const char *text = self->cells[i].configuration;
        size_t own = self->cells[i].workload;

        if ((i > 0 && !strcmp(text, self->cells[i - 1].configuration)) ||
            !self->workloads[own].points)
            continue;
        for (size_t w = 0; w < self->workload_count; w++) {
            opevo_status status = carry_cell(self, count, text, own, w, err);

            if (status != OPEVO_OK)
                return status;
        }
    }
    return OPEVO_OK;
}

static size_t count_configurations(const opevo_i_cli_portfolio *self)
{
    size_t count = 0;

    for (size_t i = 0; i < self->cell_count; i++)
        count +=
            i == 0 || strcmp(self->cells[i].configuration, self->cells[i - 1].configuration) != 0;
    return count;
}

/* A cell that was measured several times has the mean of its successes. */
static void fill(opevo_i_cli_portfolio *self, double *fitness, size_t columns)
{
    size_t column = 0;

    for (size_t i = 0; i < self->workload_count * columns; i++)
        fitness[i] = NAN;
    for (size_t i = 0, end = 0; i < self->cell_count; i = end) {
        const opevo_i_cli_portfolio_cell *first = &self->cells[i];
        double sum = 0;
        size_t successes = 0;

        column += i > 0 && strcmp(first->configuration, self->cells[i - 1].configuration) != 0;
        self->configurations[column] = first->configuration;
        for (end = i; end < self->cell_count && by_text(first, &self->cells[end]) == 0; end++) {
            sum += self->cells[end].fitness;
            successes += self->cells[end].fitness > 0;
        }
        fitness[first->workload * columns + column] = successes ? sum / (double)successes : 0;
        self->measured++;
    }
}

/* Of a workload of which nothing succeeded no configuration is better than another. */
static opevo_status drop_failures(opevo_i_cli_portfolio *self, opevo_error *err)
{
    size_t *place = opevo_calloc(self->workload_count + 1, sizeof *place), kept = 0, cells = 0;

    if (!place)
        return fail_memory(err);
    for (size_t i = 0; i < self->cell_count; i++)
        place[self->cells[i].workload] |= self->cells[i].fitness > 0;
    for (size_t w = 0; w < self->workload_count; w++) {
        opevo_i_cli_portfolio_workload row = self->workloads[w];

        if (place[w]) {
            self->workloads[kept++] = row;
            place[w] = kept;
            continue;
        }
        opevo_text_printf(&self->dropped, "%s%s", self->dropped.length ? ", " : "", row.name);
        opevo_text_add(&self->dropped_json, self->dropped_json.length ? ", " : "");
        opevo_text_add_json(&self->dropped_json, row.name);
        free_workload(&row);
    }
    for (size_t i = 0; i < self->cell_count; i++) {
        opevo_i_cli_portfolio_cell cell = self->cells[i];

        if (place[cell.workload]) {
            cell.workload = place[cell.workload] - 1;
            self->cells[cells++] = cell;
        } else {
            free_cell(&cell);
        }
    }
    self->workload_count = kept;
    self->cell_count = cells;
    opevo_free(place);
    return opevo_text_check(self->dropped.failed ? &self->dropped : &self->dropped_json, err);
}

opevo_status opevo_i_cli_portfolio_make_matrix(opevo_i_cli_portfolio *self, opevo_error *err)
{
    double *fitness = NULL;
    size_t columns = 0;
    opevo_status status = OPEVO_OK;

    if (self->cell_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "no configuration was measured; name stores with runs, or recordings.");
    OPEVO_TRY(drop_failures(self, err));
    if (self->cell_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "no configuration succeeded of %s.",
                          opevo_text_string(&self->dropped));
    qsort(self->cells, self->cell_count, sizeof *self->cells, by_text);
    OPEVO_TRY(carry_cells(self, err));
    qsort(self->cells, self->cell_count, sizeof *self->cells, by_text);
    columns = count_configurations(self);
    fitness = opevo_malloc(self->workload_count, columns * sizeof *fitness);
    self->configurations = opevo_calloc(columns, sizeof *self->configurations);
    self->names = opevo_calloc(self->workload_count, sizeof *self->names);
    if (!fitness || !self->configurations || !self->names) {
        status = fail_memory(err);
        goto cleanup;
    }
    for (size_t w = 0; w < self->workload_count; w++)
        self->names[w] = self->workloads[w].name;
    fill(self, fitness, columns);
    OPEVO_TRY(opevo_portfolio_regret(fitness, self->workload_count, columns, &self->regret, err));
    self->matrix = (opevo_portfolio_matrix){self->regret, self->workload_count, columns};
cleanup:
    opevo_free(fitness);
    return status;
}

/* Numbers are of use if all workloads have as many. */
opevo_status opevo_i_cli_portfolio_join_numbers(opevo_i_cli_portfolio *self, opevo_error *err)
{
    size_t features = self->workloads[0].count;

    for (size_t w = 0; w < self->workload_count; w++)
        features = self->workloads[w].count == features ? features : 0;
    self->weights = opevo_malloc(self->workload_count, sizeof *self->weights);
    self->numbers = opevo_malloc(self->workload_count, (features + 1) * sizeof *self->numbers);
    if (!self->weights || !self->numbers)
        return fail_memory(err);
    for (size_t w = 0; w < self->workload_count; w++) {
        self->weights[w] = self->workloads[w].weight;
        if (features)
            memcpy(self->numbers + w * features, self->workloads[w].numbers,
                   features * sizeof *self->numbers);
    }
    self->features = features;
    return OPEVO_OK;
}

void opevo_i_cli_portfolio_free(opevo_i_cli_portfolio *self)
{
    for (size_t i = 0; i < self->cell_count; i++)
        free_cell(&self->cells[i]);
    for (size_t i = 0; i < self->workload_count; i++)
        free_workload(&self->workloads[i]);
    opevo_free(self->cells);
    opevo_free(self->workloads);
    opevo_free(self->regret);
    opevo_free(self->numbers);
    opevo_free(self->weights);
    opevo_free(self->configurations);
    opevo_free(self->names);
    opevo_text_free(&self->dropped);
    opevo_text_free(&self->dropped_json);
    opevo_free(self->by_best);
    opevo_free(self->by_tree);
    opevo_portfolio_free(&self->portfolio);
    opevo_portfolio_tree_free(&self->tree);
}
