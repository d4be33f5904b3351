/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Runs for the analysis of a study, trial by trial, and options for small ones. */

#ifndef OPEVO_TESTS_ANALYSED_RUNS_H
#define OPEVO_TESTS_ANALYSED_RUNS_H

#include "check.h"

#include <opevo/study_analysis.h>

static const char *const two_names[] = {"a", "b"};

static inline void add(opevo_analysed_run *run, double fitness, double cost_s)
{
    opevo_outcome outcome = opevo_outcome_failed(OPEVO_OUTCOME_CRASHED);

    if (fitness > 0) {
        outcome.kind = OPEVO_OUTCOME_OK;
        outcome.fitness = fitness;
    }
    outcome.run_s = cost_s;
    CHECK_OK(opevo_run_curve_add(&run->curve, &outcome, &err));
}

static inline void free_runs(opevo_analysed_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        opevo_run_curve_free(&runs[i].curve);
}

static inline opevo_analysis_options small_options(void)
{
    static const uint64_t checkpoints[] = {2, 4};
    static const double targets[] = {0.5, 1};
    opevo_analysis_options options = opevo_analysis_options_default();

    options.checkpoints = checkpoints;
    options.checkpoint_count = 2;
    options.targets = targets;
    options.target_count = 2;
    options.resamples = 200;
    options.threads = 1;
    return options;
}

static inline const opevo_study_point *point_at(const opevo_study_analysis *analysis,
                                                const opevo_study_cell *cell, uint64_t trials)
{
    const opevo_study_place *place = &analysis->places[cell->landscape];

    for (size_t i = 0; i < place->grid_count; i++) {
        if (place->grid[i] == trials)
            return &cell->points[i];
    }
    fail_msg("no point at %llu trials", (unsigned long long)trials);
    return NULL;
}

#endif
