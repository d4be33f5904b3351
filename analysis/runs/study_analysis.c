/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The frame of a study's analysis: checks, memory and the order of the work. Cells and pairs are
 * worked on side by side, each with streams of its own. */

#include "study_internal.h"

#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/struct_size.h>

#include <math.h>
#include <string.h>

static const uint64_t default_checkpoints[] = {50, 100, 150, 220, 500};
static const double default_targets[] = {0.9, 0.95, 0.99, 1};

void opevo_analysis_options_fill(opevo_analysis_options *out, size_t size)
{
    const opevo_analysis_options options = {
        .checkpoints = default_checkpoints,
        .checkpoint_count = sizeof default_checkpoints / sizeof *default_checkpoints,
        .compare_at_horizon = true,
        .targets = default_targets,
        .target_count = sizeof default_targets / sizeof *default_targets,
        .confidence = 0.95,
        .alpha = 0.05,
        .resamples = 2000,
        .seed = 1,
        .cutoff_from = 0.5,
        .cutoff_to = 0.96};

    memset(out, 0, size);
    memcpy(out, &options, size < sizeof options ? size : sizeof options);
}

/* ---- Checks ---- */

static bool is_share(double value)
{
    return value > 0 && value < 1;
}

static opevo_status check_options(const opevo_analysis_options *options, opevo_error *err)
{
    bool good = is_share(options->confidence) && is_share(options->alpha) &&
                options->resamples >= 100 && options->checkpoint_count > 0 &&
                options->target_count > 0 && is_share(options->cutoff_from) &&
                options->cutoff_to > options->cutoff_from && options->cutoff_to <= 1;

    for (size_t i = 0; good && i < options->checkpoint_count; i++)
        good = options->checkpoints[i] > (i ? options->checkpoints[i - 1] : 0);
    for (size_t i = 0; good && i < options->target_count; i++)
        good = options->targets[i] > (i ? options->targets[i - 1] : 0) && options->targets[i] <= 1;
    return good ? OPEVO_OK
                : OPEVO_FAIL(err, OPEVO_INVALID,
                             "An option of the analysis lies outside its domain.");
}

static double best_of(const opevo_analysed_run *run)
{
    return opevo_run_curve_best(&run->curve, UINT64_MAX);
}

/* What fractions are of; a run above it does not belong to this landscape. */
static opevo_status find_optima(opevo_i_analysis_study *self, opevo_error *err)
{
    opevo_study_analysis *analysis = self->analysis;
    const opevo_analysed_study *study = &analysis->study;

    for (size_t i = 0; i < study->landscape_count; i++) {
        const opevo_study_landscape *landscape = &study->landscapes[i];
        double optimum = landscape->optimum;

        if (landscape->table)
            optimum = landscape->table->ok ? landscape->table->fitness[0] : 0;
        analysis->places[i].optimum_known = optimum > 0;
        analysis->places[i].optimum = optimum > 0 ? optimum : 0;
        self->places[i].table = landscape->table && landscape->table->ok ? landscape->table : NULL;
    }
    for (size_t i = 0; i < study->run_count; i++) {
        const opevo_analysed_run *run = &study->runs[i];
        opevo_study_place *place = &analysis->places[run->landscape];
        double best = best_of(run);

        if (!place->optimum_known)
            place->optimum = fmax(place->optimum, best);
        else if (best > place->optimum * (1 + 1e-9))
            return OPEVO_FAIL(err, OPEVO_MISMATCH,
                              "%s: a run (%s, seed %llu) found %.8g, above the optimum %.8g: the "
                              "landscape must be a different one.",
                              study->landscapes[run->landscape].name,
                              study->contenders[run->contender], (unsigned long long)run->seed,
                              best, place->optimum);
    }
    return OPEVO_OK;
}

/* ---- What is filled in ---- */

static bool is_checkpoint(const opevo_study_analysis *analysis, const opevo_study_place *place,
                          uint64_t trials)
{
    for (size_t i = 0; i < analysis->options.checkpoint_count; i++) {
        if (analysis->options.checkpoints[i] == trials)
            return true;
    }
    return trials == place->compared_at;
}

static opevo_status prepare_cell(opevo_i_analysis_study *self, const opevo_study_place *place,
                                 opevo_study_cell *cell, opevo_error *err)
{
    const opevo_study_analysis *analysis = self->analysis;
    const opevo_analysis_options *options = &analysis->options;

    cell->points = opevo_calloc(place->grid_count, sizeof *cell->points);
    cell->targets = opevo_calloc(options->target_count, sizeof *cell->targets);
    cell->moments = opevo_calloc(place->moment_count, sizeof *cell->moments);
    OPEVO_NEED_OR_RETURN(cell->points && cell->targets && cell->moments,
                         "the statistics of a study");
    for (size_t i = 0; i < place->grid_count; i++) {
        cell->points[i].trials = place->grid[i];
        cell->points[i].checkpoint = is_checkpoint(analysis, place, place->grid[i]);
    }
    for (size_t i = 0; i < options->target_count; i++)
        cell->targets[i].fraction = options->targets[i];
    for (size_t i = 0; i < place->moment_count; i++)
        cell->moments[i].seconds = place->moments[i];
    return OPEVO_OK;
}

static opevo_status prepare_places(opevo_i_analysis_study *self, opevo_error *err)
{
    opevo_study_analysis *analysis = self->analysis;
    const opevo_analysed_study *study = &analysis->study;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < study->landscape_count; i++) {
        OPEVO_TRY(opevo_i_analysis_study_grid(self, i, err));
        OPEVO_TRY(prepare_cell(self, &analysis->places[i], &analysis->places[i].random, err));
        for (size_t j = 0; j < study->contender_count; j++)
            OPEVO_TRY(prepare_cell(self, &analysis->places[i],
                                   &analysis->cells[i * study->contender_count + j], err));
        OPEVO_TRY(opevo_i_analysis_study_random(self, i, err));
    }
cleanup:
    return status;
}

/* ---- All of it ---- */

static opevo_status work_on_cell(void *context, size_t index, unsigned worker, opevo_error *err)
{
    opevo_i_analysis_study *self = context;

    opevo_status status = OPEVO_OK;

    (void)worker;
    if (!self->analysis->cells[index].runs)
        return OPEVO_OK;
    status = opevo_i_analysis_study_cell(self, index, err);
    return status == OPEVO_OK ? opevo_i_analysis_study_regret(self, index, err) : status;
}

static opevo_status allocate(opevo_i_analysis_study *self, opevo_error *err)
{
    opevo_study_analysis *analysis = self->analysis;
    const opevo_analysed_study *study = &analysis->study;
    size_t cells = study->landscape_count * study->contender_count;

    analysis->places = opevo_calloc(study->landscape_count, sizeof *analysis->places);
    analysis->cells = opevo_calloc(cells, sizeof *analysis->cells);
    self->places = opevo_calloc(study->landscape_count, sizeof *self->places);
    self->runs = opevo_calloc(study->run_count, sizeof *self->runs);
    self->first = opevo_calloc(cells + 1, sizeof *self->first);
    OPEVO_NEED_OR_RETURN(analysis->places && analysis->cells && self->places && self->runs &&
                             self->first,
                         "the analysis of %zu runs", study->run_count);
    return OPEVO_OK;
}

static void free_scratch(opevo_i_analysis_study *self)
{
    for (size_t i = 0; self->places && i < self->analysis->study.landscape_count; i++) {
        opevo_free(self->places[i].random_inverse);
        opevo_free(self->places[i].by_trials.points);
        opevo_free(self->places[i].by_time.points);
    }
    opevo_free(self->places);
    opevo_free(self->runs);
    opevo_free(self->first);
}

opevo_status opevo_study_analyse_sized(const opevo_analysed_study *study,
                                       const opevo_analysis_options *options, size_t size,
                                       opevo_study_analysis **out, opevo_error *err)
{
    opevo_analysis_options known;
    opevo_i_analysis_study self = {NULL, NULL, NULL, NULL};
    opevo_status status =
        opevo_struct_read(options, size, "opevo_analysis_options", &known, sizeof known, err);

    if (status == OPEVO_OK)
        status = check_options(&known, err);
    if (status != OPEVO_OK)
        return status;
    if (study->run_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "An analysis needs at least one run.");
    OPEVO_NEW(self.analysis, 1, "an analysis");
    self.analysis->study = *study;
    self.analysis->options = known;
    OPEVO_TRY(allocate(&self, err));
    OPEVO_TRY(find_optima(&self, err));
    opevo_i_analysis_study_sort_runs(&self);
    OPEVO_TRY(prepare_places(&self, err));
    OPEVO_TRY(opevo_parallel_for(study->landscape_count * study->contender_count, known.threads,
                                 work_on_cell, &self, err));
    OPEVO_TRY(opevo_i_analysis_study_pairs(&self, err));
    OPEVO_TRY(opevo_i_analysis_study_overall(&self, err));
    OPEVO_TRY(opevo_i_analysis_study_null(&self, err));
cleanup:
    free_scratch(&self);
    if (status == OPEVO_OK)
        *out = self.analysis;
    else
        opevo_study_analysis_destroy(self.analysis);
    return status;
}

static void free_cell(opevo_study_cell *cell)
{
    opevo_free(cell->points);
    opevo_free(cell->targets);
    opevo_free(cell->moments);
}

void opevo_study_analysis_destroy(opevo_study_analysis *analysis)
{
    if (!analysis)
        return;
    for (size_t i = 0; analysis->places && i < analysis->study.landscape_count; i++) {
        free_cell(&analysis->places[i].random);
        opevo_free(analysis->places[i].grid);
        opevo_free(analysis->places[i].moments);
    }
    for (size_t i = 0;
         analysis->cells && i < analysis->study.landscape_count * analysis->study.contender_count;
         i++)
        free_cell(&analysis->cells[i]);
    opevo_free(analysis->places);
    opevo_free(analysis->cells);
    opevo_free(analysis->pairs);
    opevo_free(analysis->overall.mean);
    opevo_free(analysis->overall.interval);
    opevo_free(analysis->overall.mean_rank);
    opevo_free(analysis);
}
