/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of the study's analysis share. */

#ifndef OPEVO_STUDY_INTERNAL_H
#define OPEVO_STUDY_INTERNAL_H

#include <opevo/study_analysis.h>

#include "mean_interval_internal.h"

/* A run with the number of trials to which its best is known. */
typedef struct opevo_i_analysis_known_run {
    const opevo_analysed_run *run;
    uint64_t extent; /* UINT64_MAX: for ever */
} opevo_i_analysis_known_run;

/* A point of a window: the baselines there, as times of the best kernel in 1 / fitness. */
typedef struct opevo_i_analysis_window_point {
    double at; /* trials, or seconds */
    double exact, community;
} opevo_i_analysis_window_point;

typedef struct opevo_i_analysis_window {
    opevo_i_analysis_window_point *points;
    size_t count;
} opevo_i_analysis_window;

/* Whether a baseline, a time, is far enough from the optimum to divide by the difference. */
bool opevo_i_analysis_scores_against(double baseline, double optimum);

/* Scratch of one landscape. */
typedef struct opevo_i_analysis_place {
    const opevo_fitness_table *table; /* NULL: not known, or nothing is ok */
    double *random_inverse;           /* at each grid point, when there is a table */
    opevo_i_analysis_window by_trials, by_time;
} opevo_i_analysis_place;

typedef struct opevo_i_analysis_study {
    opevo_study_analysis *analysis;
    opevo_i_analysis_known_run *runs; /* cell after cell; in a cell by extent, the largest first */
    size_t *first;                    /* of each cell; one more at the end */
    opevo_i_analysis_place *places;
} opevo_i_analysis_study;

/* Count the runs of each cell and list them, once the optima are known. */
void opevo_i_analysis_study_sort_runs(opevo_i_analysis_study *self);
/* The horizon of a landscape, and its grid of trials and of seconds. Errors: NOMEM. */
opevo_status opevo_i_analysis_study_grid(opevo_i_analysis_study *self, size_t landscape,
                                         opevo_error *err);
/* Number of runs of a cell that are known to `trials`; they come first. */
size_t opevo_i_analysis_known_count(const opevo_i_analysis_study *self, size_t cell,
                                    uint64_t trials);
/* Fraction of the optimum after `trials`. */
double opevo_i_analysis_fraction(const opevo_study_place *place, const opevo_analysed_run *run,
                                 uint64_t trials);

/* The number of trials to which the best of a run is known; UINT64_MAX: for ever. */
uint64_t opevo_i_analysis_extent(const opevo_study_place *place, const opevo_analysed_run *run);

/* What one run contributes to a comparison (study_match.c). */
typedef struct opevo_i_analysis_entry {
    uint64_t seed;
    double fraction; /* of the optimum */
} opevo_i_analysis_entry;
void opevo_i_analysis_sort_entries(opevo_i_analysis_entry *entries, size_t count);
/* The runs of a cell that are known at `trials`, by seed, and their number. */
size_t opevo_i_analysis_entries(const opevo_i_analysis_study *self, size_t cell, uint64_t trials,
                                opevo_i_analysis_entry *entries);
/* The fractions of the seeds that both lists have, by seed, and their number. */
size_t opevo_i_analysis_match(const opevo_i_analysis_entry *a, size_t a_count,
                              const opevo_i_analysis_entry *b, size_t b_count, double *of_a,
                              double *of_b);

/* The seconds to which every run that counts is known; INFINITY where all hold their best. */
double opevo_i_analysis_common_seconds(const opevo_i_analysis_study *self, size_t landscape);

/* Exact random search on a landscape, and the windows of its scores: fills place->random,
 * random_inverse and the windows. The grid, horizon and optimum are there. */
opevo_status opevo_i_analysis_study_random(opevo_i_analysis_study *self, size_t landscape,
                                           opevo_error *err);
/* Everything about one cell that has runs. */
opevo_status opevo_i_analysis_study_cell(opevo_i_analysis_study *self, size_t cell,
                                         opevo_error *err);
/* The regret of a cell that has runs (study_regret.c). */
opevo_status opevo_i_analysis_study_regret(opevo_i_analysis_study *self, size_t cell,
                                           opevo_error *err);
/* All pairs, with Holm's adjustment; and the contenders over the landscapes. */
opevo_status opevo_i_analysis_study_pairs(opevo_i_analysis_study *self, opevo_error *err);
opevo_status opevo_i_analysis_study_overall(opevo_i_analysis_study *self, opevo_error *err);
/* Contenders against their twins (study_null.c). */
opevo_status opevo_i_analysis_study_null(opevo_i_analysis_study *self, opevo_error *err);

/* The streams of the bootstraps must not meet: cells, pairs, contenders and regrets each have their
 * range. */
#define OPEVO_I_STREAM_PAIRS (UINT64_C(1) << 40)
#define OPEVO_I_STREAM_OVERALL (UINT64_C(2) << 40)
#define OPEVO_I_STREAM_REGRET (UINT64_C(3) << 40)

#endif
