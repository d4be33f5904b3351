/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which run is known how far, and from that the horizon of each landscape and the trials and
 * seconds at which its curves are computed. */

#include "study_internal.h"

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>
#include <opevo/unit.h>

#include <gsl/gsl_sort_ulong.h>

#include <math.h>
#include <stdlib.h>

const opevo_study_cell *opevo_study_cell_of(const opevo_study_analysis *analysis, size_t landscape,
                                            size_t contender)
{
    return &analysis->cells[landscape * analysis->study.contender_count + contender];
}

size_t opevo_i_analysis_known_count(const opevo_i_analysis_study *self, size_t cell,
                                    uint64_t trials)
{
    size_t low = self->first[cell], high = self->first[cell + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (self->runs[middle].extent >= trials)
            low = middle + 1;
        else
            high = middle;
    }
    return low - self->first[cell];
}

double opevo_i_analysis_fraction(const opevo_study_place *place, const opevo_analysed_run *run,
                                 uint64_t trials)
{
    return place->optimum > 0 ? opevo_run_curve_best(&run->curve, trials) / place->optimum : 0;
}

/* ---- Which runs a cell has ---- */

/* A run that has found a known optimum cannot rise any more. */
uint64_t opevo_i_analysis_extent(const opevo_study_place *place, const opevo_analysed_run *run)
{
    bool there = place->optimum_known && opevo_run_curve_best(&run->curve, UINT64_MAX) >=
                                             opevo_fitness_share(1, place->optimum);

    return run->end == OPEVO_RUN_OVER || there ? UINT64_MAX : run->curve.trials;
}

static int by_extent(const void *a, const void *b)
{
    const opevo_i_analysis_known_run *x = a, *y = b;

    if (x->extent != y->extent)
        return x->extent < y->extent ? 1 : -1;
    return (x->run->seed > y->run->seed) - (x->run->seed < y->run->seed);
}

void opevo_i_analysis_study_sort_runs(opevo_i_analysis_study *self)
{
    opevo_study_analysis *analysis = self->analysis;
    const opevo_analysed_study *study = &analysis->study;
    size_t cells = study->landscape_count * study->contender_count;

    for (size_t i = 0; i < study->run_count; i++) {
        const opevo_analysed_run *run = &study->runs[i];
        size_t number = run->landscape * study->contender_count + run->contender;

        analysis->cells[number].runs++;
        analysis->cells[number].trials += run->curve.trials;
        analysis->cells[number].failed += run->curve.failed;
        analysis->cells[number].cost_s += run->curve.cost_s;
    }
    for (size_t i = 0; i < cells; i++) {
        analysis->cells[i].landscape = i / study->contender_count;
        analysis->cells[i].contender = i % study->contender_count;
        self->first[i + 1] = self->first[i] + analysis->cells[i].runs;
        analysis->cells[i].runs = 0;
    }
    for (size_t i = 0; i < study->run_count; i++) {
        const opevo_analysed_run *run = &study->runs[i];
        size_t number = run->landscape * study->contender_count + run->contender;

        self->runs[self->first[number] + analysis->cells[number].runs++] =
            (opevo_i_analysis_known_run){
                run, opevo_i_analysis_extent(&analysis->places[run->landscape], run)};
    }
    for (size_t i = 0; i < cells; i++)
        qsort(self->runs + self->first[i], analysis->cells[i].runs, sizeof *self->runs, by_extent);
}

/* ---- Horizons and grids ---- */

/* The budget of a cell: the largest number of trials that was used up, but of runs that used up
 * their seconds the smallest, so that all of them count. Where no run says why it ended, the
 * longest one shows the budget. */
static uint64_t budget_of(const opevo_i_analysis_study *self, size_t cell)
{
    uint64_t most = 0, most_trials = 0, least_seconds = UINT64_MAX;

    for (size_t i = self->first[cell]; i < self->first[cell + 1]; i++) {
        const opevo_analysed_run *run = self->runs[i].run;
        uint64_t trials = run->curve.trials;

        most = trials > most ? trials : most;
        if (run->end == OPEVO_RUN_TRIALS && trials > most_trials)
            most_trials = trials;
        if (run->end == OPEVO_RUN_SECONDS && trials < least_seconds)
            least_seconds = trials;
    }
    if (least_seconds < UINT64_MAX && least_seconds > most_trials)
        return least_seconds;
    return most_trials ? most_trials : most;
}

/* A budget limits what can be said only where runs did not end of themselves. */
static bool is_limited(const opevo_i_analysis_study *self, size_t cell)
{
    return self->first[cell] < self->first[cell + 1] &&
           self->runs[self->first[cell + 1] - 1].extent < UINT64_MAX;
}

static void find_horizon(opevo_i_analysis_study *self, size_t landscape, uint64_t *longest)
{
    opevo_study_analysis *analysis = self->analysis;
    opevo_study_place *place = &analysis->places[landscape];
    size_t width = analysis->study.contender_count;
    uint64_t least = UINT64_MAX;

    *longest = 0;
    for (size_t i = landscape * width; i < (landscape + 1) * width; i++) {
        uint64_t budget = budget_of(self, i);

        *longest = budget > *longest ? budget : *longest;
        if (is_limited(self, i) && budget < least)
            least = budget;
    }
    place->horizon = least < UINT64_MAX ? least : *longest;
    place->compared_at = place->horizon;
    for (size_t i = 0; i < analysis->options.checkpoint_count; i++) {
        if (!analysis->options.compare_at_horizon &&
            analysis->options.checkpoints[i] <= place->horizon)
            place->compared_at = analysis->options.checkpoints[i];
    }
    for (size_t i = landscape * width; i < (landscape + 1) * width; i++)
        analysis->cells[i].open =
            analysis->cells[i].runs - opevo_i_analysis_known_count(self, i, place->horizon);
}

/* Checkpoints, the trials of the comparison, the horizon, and ten points a decade for curves. */
static opevo_status make_grid(opevo_i_analysis_study *self, size_t landscape, uint64_t longest,
                              opevo_error *err)
{
    const opevo_analysis_options *options = &self->analysis->options;
    opevo_study_place *place = &self->analysis->places[landscape];
    uint64_t *grid = opevo_malloc(options->checkpoint_count + 210, sizeof *grid);
    size_t count = 0, kept = 0;

    OPEVO_NEED_OR_RETURN(grid, "the curves of a landscape");
    place->grid = grid;
    for (size_t i = 0; i < options->checkpoint_count; i++) {
        if (options->checkpoints[i] <= longest)
            grid[count++] = options->checkpoints[i];
    }
    if (place->horizon) {
        grid[count++] = place->horizon;
        grid[count++] = place->compared_at;
    }
    for (int i = 0; i < 190 && pow(10, i / 10.0) < (double)longest; i++)
        grid[count++] = (uint64_t)(pow(10, i / 10.0) + 0.5);
    gsl_sort_ulong(grid, 1, count);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || grid[kept - 1] != grid[i])
            grid[kept++] = grid[i];
    }
    place->grid_count = kept;
    return OPEVO_OK;
}

double opevo_i_analysis_common_seconds(const opevo_i_analysis_study *self, size_t landscape)
{
    const opevo_study_analysis *analysis = self->analysis;
    size_t width = analysis->study.contender_count;
    double least = INFINITY;

    for (size_t cell = landscape * width; cell < (landscape + 1) * width; cell++) {
        size_t known =
            opevo_i_analysis_known_count(self, cell, analysis->places[landscape].horizon);

        for (size_t i = self->first[cell]; i < self->first[cell] + known; i++) {
            if (self->runs[i].extent < UINT64_MAX)
                least = fmin(least, self->runs[i].run->curve.cost_s);
        }
    }
    return least;
}

/* Where all runs hold their best, the longest one ends the curve. */
static opevo_status make_moments(opevo_i_analysis_study *self, size_t landscape, opevo_error *err)
{
    enum { MOMENTS = 26 };
    opevo_study_place *place = &self->analysis->places[landscape];
    size_t width = self->analysis->study.contender_count;
    double last = opevo_i_analysis_common_seconds(self, landscape);

    if (isinf(last)) {
        last = 0;
        for (size_t i = self->first[landscape * width]; i < self->first[(landscape + 1) * width];
             i++)
            last = fmax(last, self->runs[i].run->curve.cost_s);
    }
    place->moments = opevo_malloc(MOMENTS, sizeof *place->moments);
    OPEVO_NEED_OR_RETURN(place->moments, "the curves of a landscape");
    place->moment_count = last > 0 ? MOMENTS : 0;
    for (size_t i = 0; i < place->moment_count; i++)
        place->moments[i] = last * pow(10, -(double)(MOMENTS - 1 - i) / 10);
    return OPEVO_OK;
}

opevo_status opevo_i_analysis_study_grid(opevo_i_analysis_study *self, size_t landscape,
                                         opevo_error *err)
{
    uint64_t longest = 0;
    opevo_status status = OPEVO_OK;

    find_horizon(self, landscape, &longest);
    status = make_grid(self, landscape, longest, err);
    return status == OPEVO_OK ? make_moments(self, landscape, err) : status;
}
