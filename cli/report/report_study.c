/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An analysis of runs as the data of a page: the numbers of `opevo analyze --json`, by columns, so
 * that 10,000 runs of a hundred contenders stay a few megabytes. */

#include "finals_of_call_internal.h"
#include "kernels_read_internal.h"
#include "options_internal.h"
#include "reasons_internal.h"
#include "report_internal.h"

#include <opevo/finals.h>
#include <opevo/gsl_errors.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/run_curve.h>
#include <opevo/unit.h>

#include <gsl/gsl_sort_ulong.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
    QUANTILES = 256,    /* steps of a landscape's distribution */
    MOST_COURSES = 1000 /* single runs, of all cells together */
};

typedef struct writer {
    const opevo_call *call;
    const opevo_stored_study *data;
    const opevo_study_analysis *analysis;
    opevo_text *out;
} writer;

/* A column of a member of an array of structs. */
#define COLUMN(self, key, rows, count, member)                                                     \
    opevo_i_cli_report_json_column((self)->out, key, (count) ? &(rows)[0].member : NULL, count,    \
                                   sizeof *(rows))

static void add_numbers(opevo_text *out, const char *key, const uint64_t *values, size_t count)
{
    opevo_json_open(out, key, "[");
    for (size_t i = 0; i < count; i++) {
        opevo_json_next(out, "");
        opevo_text_add_index(out, values[i]);
    }
    opevo_text_add(out, "]");
}

/* ---- Curves ---- */

static void add_points(const writer *self, const opevo_study_place *place,
                       const opevo_study_cell *cell)
{
    const opevo_study_point *points = cell->points;
    size_t count = place->grid_count;

    opevo_json_key(self->out, "known");
    opevo_text_add(self->out, "[");
    for (size_t i = 0; i < count; i++) {
        opevo_json_next(self->out, "");
        opevo_text_add_index(self->out, points[i].runs);
    }
    opevo_text_add(self->out, "]");
    COLUMN(self, "mean", points, count, mean);
    COLUMN(self, "low", points, count, interval.low);
    COLUMN(self, "high", points, count, interval.high);
    COLUMN(self, "sd", points, count, sd);
    COLUMN(self, "worst", points, count, worst);
    COLUMN(self, "within_5", points, count, within_5);
    COLUMN(self, "within_1", points, count, within_1);
    COLUMN(self, "score", points, count, score);
    COLUMN(self, "ecdf", points, count, ecdf);
}

static void add_courses(const writer *self, const opevo_study_place *place,
                        const opevo_study_cell *cell)
{
    opevo_text *out = self->out;
    const opevo_study_target *targets = cell->targets;
    size_t count = self->analysis->options.target_count;

    add_points(self, place, cell);
    opevo_json_open(out, "over_seconds", "{");
    COLUMN(self, "mean", cell->moments, place->moment_count, mean);
    COLUMN(self, "low", cell->moments, place->moment_count, interval.low);
    COLUMN(self, "high", cell->moments, place->moment_count, interval.high);
    opevo_text_add(out, "}");
    opevo_json_open(out, "targets", "{");
    COLUMN(self, "ert", targets, count, ert);
    COLUMN(self, "low", targets, count, interval.low);
    COLUMN(self, "high", targets, count, interval.high);
    COLUMN(self, "share", targets, count, hit);
    opevo_json_open(out, "reached", "[");
    for (size_t i = 0; i < count; i++) {
        opevo_json_next(out, "");
        opevo_text_add_index(out, targets[i].reached);
    }
    opevo_text_add(out, "]}");
    opevo_json_double(out, "area", cell->ecdf_area);
    opevo_json_double(out, "area_low", cell->ecdf_area_interval.low);
    opevo_json_double(out, "area_high", cell->ecdf_area_interval.high);
}

/* ---- The runs of a cell ---- */

static bool is_of(const opevo_analysed_run *run, const opevo_study_cell *cell)
{
    return run->landscape == cell->landscape && run->contender == cell->contender;
}

/* "1-40, 50". */
static void add_seeds(opevo_text *out, uint64_t *seeds, size_t count)
{
    opevo_text text = {0};

    gsl_sort_ulong(seeds, 1, count);
    for (size_t i = 0; i < count; i++) {
        size_t first = i;

        while (i + 1 < count && seeds[i + 1] == seeds[i] + 1)
            i++;
        opevo_text_printf(&text, "%s%llu", first ? ", " : "", (unsigned long long)seeds[first]);
        if (i > first)
            opevo_text_printf(&text, "-%llu", (unsigned long long)seeds[i]);
    }
    opevo_json_string(out, "seeds", opevo_text_string(&text));
    out->failed = out->failed || text.failed;
    opevo_text_free(&text);
}

static void add_course(opevo_text *out, const opevo_analysed_run *run)
{
    const opevo_run_curve *curve = &run->curve;

    opevo_text_add(out, "{");
    opevo_json_index(out, "seed", run->seed);
    opevo_json_index(out, "length", curve->trials);
    opevo_json_open(out, "trial", "[");
    for (size_t i = 0; i < curve->count; i++) {
        opevo_json_next(out, "");
        opevo_text_add_index(out, curve->steps[i].trial);
    }
    opevo_text_add(out, "]");
    opevo_i_cli_report_json_column(out, "fitness", curve->count ? &curve->steps[0].fitness : NULL,
                                   curve->count, sizeof *curve->steps);
    opevo_text_add(out, "}");
}

/* Outcomes by class, seeds, and a few single courses. */
static opevo_status add_runs(const writer *self, const opevo_study_cell *cell, size_t courses,
                             opevo_error *err)
{
    const opevo_analysed_study *study = &self->analysis->study;
    uint64_t outcomes[OPEVO_OUTCOME_CLASS_COUNT] = {0};
    uint64_t *seeds = opevo_malloc(cell->runs, sizeof *seeds);
    size_t count = 0, shown = 0;

    OPEVO_NEED_OR_RETURN(seeds, "the seeds of a report");
    opevo_json_key(self->out, "courses");
    opevo_text_add(self->out, "[");
    for (size_t i = 0; i < study->run_count && count < cell->runs; i++) {
        if (!is_of(&study->runs[i], cell))
            continue;
        seeds[count++] = study->runs[i].seed;
        for (int k = 0; k < OPEVO_OUTCOME_CLASS_COUNT; k++)
            outcomes[k] += self->data->outcomes[i][k];
        if (shown++ < courses) {
            opevo_json_next(self->out, "");
            add_course(self->out, &study->runs[i]);
        }
    }
    opevo_text_add(self->out, "]");
    add_numbers(self->out, "outcomes", outcomes, OPEVO_OUTCOME_CLASS_COUNT);
    add_seeds(self->out, seeds, count);
    opevo_free(seeds);
    return OPEVO_OK;
}

static opevo_status add_cell(const writer *self, const opevo_study_cell *cell, const char *verdict,
                             size_t courses, opevo_error *err)
{
    opevo_text *out = self->out;
    opevo_status status = OPEVO_OK;

    opevo_text_add(out, "{");
    opevo_json_index(out, "contender", cell->contender);
    opevo_json_string(out, "against_first", verdict);
    opevo_i_cli_analysis_json_counts(cell, out);
    opevo_i_cli_analysis_json_regret(&cell->regret, out);
    add_courses(self, &self->analysis->places[cell->landscape], cell);
    status = add_runs(self, cell, courses, err);
    opevo_text_add(out, "}");
    return status;
}

/* ---- In short ---- */

/* The line as a member of an array, if it says something; frees it. */
static void add_short_line(opevo_i_cli_short *line, opevo_text *out)
{
    if (line->who.length) {
        opevo_json_open_next(out, " ", "{");
        opevo_json_string(out, "where", opevo_text_string(&line->where));
        opevo_json_string(out, "who", opevo_text_string(&line->who));
        opevo_json_string(out, "rest", opevo_text_string(&line->rest));
        opevo_text_add(out, "}");
    }
    out->failed = out->failed || line->where.failed || line->who.failed || line->rest.failed;
    opevo_i_cli_short_free(line);
}

static opevo_status add_short(const writer *self, opevo_error *err)
{
    opevo_i_cli_short line = {.where = {0}};
    opevo_status status = opevo_i_cli_short_overall(self->analysis, &line, err);

    opevo_json_key(self->out, "short");
    opevo_text_add(self->out, "[");
    add_short_line(&line, self->out);
    for (size_t i = 0; i < self->analysis->study.landscape_count && status == OPEVO_OK; i++) {
        status = opevo_i_cli_short_place(self->analysis, i, &line, err);
        add_short_line(&line, self->out);
    }
    opevo_text_add(self->out, "]");
    return status;
}

void opevo_i_cli_report_json_words(opevo_text *out)
{
    opevo_json_open(out, "words", "{");
    opevo_json_string(out, "random", opevo_i_cli_random_name);
    opevo_json_index(out, "rows", OPEVO_I_RANKING_ROWS);
    opevo_json_open(out, "ranking", "[");
    for (int i = 0; i < OPEVO_I_RANKING_COLUMNS; i++) {
        opevo_json_next(out, " ");
        opevo_text_add_json(out, opevo_i_cli_ranking_heads[i]);
    }
    opevo_text_add(out, "]");
    opevo_json_open(out, "verdicts", "[");
    for (int i = OPEVO_VERDICT_WORSE; i <= OPEVO_VERDICT_BETTER; i++) {
        opevo_json_next(out, " ");
        opevo_text_add_json(out, opevo_verdict_name((opevo_verdict)i));
    }
    opevo_text_add(out, "]}");
}

/* ---- Landscapes ---- */

/* The fitness of the points that are ok as its quantile function, in equal steps of the share. */
static void add_distribution(opevo_text *out, const opevo_fitness_table *table)
{
    opevo_json_key(out, "distribution");
    if (!table || table->ok == 0) {
        opevo_text_add(out, "null");
        return;
    }
    opevo_text_add(out, "{");
    opevo_json_index(out, "points", table->points);
    opevo_json_index(out, "ok", table->ok);
    opevo_json_open(out, "quantile", "[");
    for (size_t i = 0; i <= QUANTILES; i++) {
        double place = (double)(table->ok - 1) * (1 - (double)i / (double)QUANTILES);

        opevo_json_next(out, "");
        opevo_text_add_double(out, table->fitness[(size_t)(place + 0.5)]);
    }
    opevo_text_add(out, "]}");
}

static void add_place_facts(const writer *self, size_t landscape)
{
    const opevo_study_place *place = &self->analysis->places[landscape];
    const opevo_stored_landscape *row = &self->data->landscapes[landscape];
    opevo_text *out = self->out;

    opevo_i_cli_analysis_json_place(row, place, out);
    add_numbers(out, "trials", place->grid, place->grid_count);
    opevo_i_cli_report_json_column(out, "seconds", place->moments, place->moment_count,
                                   sizeof *place->moments);
    add_distribution(out, row->has_table ? &row->table : NULL);
}

static opevo_status add_place(const writer *self, size_t landscape, size_t courses,
                              opevo_error *err)
{
    const opevo_study_place *place = &self->analysis->places[landscape];
    opevo_text *out = self->out;
    size_t *order = NULL;
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_ranking_make(self->analysis, landscape, &order, &count, err));
    opevo_text_add(out, "{");
    add_place_facts(self, landscape);
    opevo_json_key(out, "random");
    if (place->exact_random) {
        opevo_text_add(out, "{");
        add_courses(self, place, &place->random);
        opevo_text_add(out, "}");
    } else {
        opevo_text_add(out, "null");
    }
    opevo_json_open(out, "cells", "[");
    for (size_t i = 0; i < self->analysis->study.contender_count; i++) {
        const opevo_study_cell *cell = opevo_study_cell_of(self->analysis, landscape, i);

        if (!cell->runs)
            continue;
        opevo_json_next(out, "\n  ");
        OPEVO_TRY(add_cell(self, cell,
                           opevo_i_cli_ranking_verdict(self->analysis, landscape, order, count, i),
                           courses, err));
    }
    opevo_text_add(out, "]}");
cleanup:
    opevo_free(order);
    return status;
}

/* ---- Verdicts ---- */

static void add_pair_columns(const writer *self)
{
    const opevo_study_pair *pairs = self->analysis->pairs;
    size_t count = self->analysis->pair_count;

    COLUMN(self, "mean_a", pairs, count, mean_a);
    COLUMN(self, "mean_b", pairs, count, mean_b);
    COLUMN(self, "low", pairs, count, interval.low);
    COLUMN(self, "high", pairs, count, interval.high);
    COLUMN(self, "p", pairs, count, test.p);
    COLUMN(self, "p_holm", pairs, count, p_adjusted);
    COLUMN(self, "rank_biserial", pairs, count, test.rank_biserial);
    COLUMN(self, "pairs_needed", pairs, count, pairs_needed);
}

/* Row by row: landscape, a, b, pairs, wins, ties, losses, and 1, -1 or 0 for a better or worse than
 * b or not resolved. */
static void add_pairs(const writer *self)
{
    const opevo_study_analysis *analysis = self->analysis;
    opevo_text *out = self->out;

    opevo_json_open(out, "pairs", "{");
    opevo_json_open(out, "rows", "[");
    for (size_t i = 0; i < analysis->pair_count; i++) {
        const opevo_study_pair *pair = &analysis->pairs[i];

        opevo_json_next(out, "");
        opevo_text_printf(out, "[%zu,%zu,%zu,%zu,%zu,%zu,%zu,%d]", pair->landscape, pair->a,
                          pair->b, pair->test.pairs, pair->test.wins, pair->test.ties,
                          pair->test.losses, (int)pair->verdict);
    }
    opevo_text_add(out, "]");
    add_pair_columns(self);
    opevo_text_add(out, "}");
}

static void add_overall(const writer *self)
{
    const opevo_study_overall *overall = &self->analysis->overall;
    size_t count = self->analysis->study.contender_count;
    opevo_text *out = self->out;

    if (!opevo_i_cli_analysis_json_overall(self->analysis, out))
        return;
    opevo_i_cli_report_json_column(out, "mean", overall->mean, count, sizeof *overall->mean);
    COLUMN(self, "low", overall->interval, count, low);
    COLUMN(self, "high", overall->interval, count, high);
    opevo_i_cli_report_json_column(out, "mean_rank", overall->mean_rank, count,
                                   sizeof *overall->mean_rank);
    opevo_text_add(out, "}");
}

/* ---- All ---- */

static void add_contenders(const writer *self)
{
    opevo_json_key(self->out, "contenders");
    opevo_text_add(self->out, "[");
    for (size_t i = 0; i < self->data->contender_count; i++) {
        opevo_json_next(self->out, "\n ");
        opevo_text_add(self->out, "{");
        opevo_i_cli_analysis_json_contender(&self->data->contenders[i], true, self->out);
        opevo_text_add(self->out, "}");
    }
    opevo_text_add(self->out, "]");
}

static void add_settings(const writer *self)
{
    const opevo_analysis_options *options = &self->analysis->options;
    opevo_text *out = self->out;

    opevo_i_cli_analysis_json_settings(self->data, options, out);
    add_numbers(out, "checkpoints", options->checkpoints, options->checkpoint_count);
    opevo_i_cli_report_json_column(out, "targets", options->targets, options->target_count,
                                   sizeof *options->targets);
    opevo_json_open(out, "classes", "[");
    for (int i = 0; i < OPEVO_OUTCOME_CLASS_COUNT; i++) {
        opevo_json_next(out, " ");
        opevo_text_add_json(out, opevo_outcome_name((opevo_outcome_class)i));
    }
    opevo_text_add(out, "]");
}

/* Of all runs that have some; whose they are is said by the places of landscape and contender. */
static opevo_status add_finals(const writer *self, opevo_error *err)
{
    const opevo_analysed_study *study = &self->analysis->study;
    opevo_text *out = self->out;
    opevo_status status = OPEVO_OK;

    opevo_json_open(out, "finals", "[");
    for (size_t i = 0; i < study->run_count && status == OPEVO_OK; i++) {
        const opevo_stored_landscape *landscape = &self->data->landscapes[study->runs[i].landscape];
        const opevo_run_info info = {.run = self->data->stored[i].run, .on = landscape->on};
        opevo_store *store = opevo_stored_study_store(self->data, i);
        opevo_i_cli_kernels kernels = {0};
        opevo_finals *finals = NULL;
        opevo_space *space = NULL;

        status = opevo_finals_read(store, info.run, &finals, &space, err);
        if (status == OPEVO_OK && finals->ran)
            status = opevo_i_cli_kernels_read(store, &info, NULL, &kernels, err);
        if (status == OPEVO_OK && finals->ran) {
            opevo_json_open_next(out, " ", "{");
            opevo_json_index(out, "landscape", study->runs[i].landscape);
            opevo_json_index(out, "contender", study->runs[i].contender);
            opevo_json_index(out, "seed", study->runs[i].seed);
            opevo_i_cli_finals_print_json(finals, space, landscape->unit, &kernels, out);
            opevo_text_add(out, "}");
        }
        opevo_space_destroy(space);
        opevo_finals_destroy(finals);
        opevo_i_cli_kernels_free(&kernels);
    }
    opevo_text_add(out, "]");
    return status;
}

/* ---- Failures ---- */

/* How often a class of failure came on a landscape; the run that has its first one, from 0. */
static uint64_t count_failures(const writer *self, size_t landscape, int kind, size_t *first)
{
    const opevo_analysed_study *study = &self->analysis->study;
    uint64_t count = 0;

    for (size_t i = 0; i < study->run_count; i++) {
        if (study->runs[i].landscape != landscape || !self->data->outcomes[i][kind])
            continue;
        *first = count ? *first : i;
        count += self->data->outcomes[i][kind];
    }
    return count;
}

static void add_failure(const writer *self, size_t landscape, int kind, uint64_t count,
                        size_t first, const opevo_i_cli_reason *reason)
{
    opevo_text *out = self->out;

    opevo_json_open_next(out, " ", "{");
    opevo_json_index(out, "landscape", landscape);
    opevo_json_string(out, "outcome", opevo_outcome_name((opevo_outcome_class)kind));
    opevo_json_index(out, "count", count);
    opevo_json_index(out, "run", (opevo_index)self->data->stored[first].run);
    if (self->data->store_count > 1)
        opevo_json_string(out, "store", self->call->arguments[self->data->stored[first].store]);
    opevo_json_index(out, "trial", reason->trial);
    opevo_json_string(out, "message", opevo_text_string(&reason->message));
    opevo_text_add(out, "}");
}

/* Of each landscape and class of failure the first one with its message. */
static opevo_status add_failures(const writer *self, opevo_error *err)
{
    opevo_i_cli_reasons reasons = {.of[0] = {0}};
    size_t read = SIZE_MAX; /* whose reasons these are */
    opevo_status status = OPEVO_OK;

    opevo_json_key(self->out, "failures");
    opevo_text_add(self->out, "[");
    for (size_t l = 0; l < self->analysis->study.landscape_count; l++) {
        for (int k = OPEVO_OUTCOME_OK + 1; k < OPEVO_OUTCOME_CLASS_COUNT; k++) {
            size_t first = 0;
            uint64_t count = count_failures(self, l, k, &first);

            if (!count || status != OPEVO_OK)
                continue;
            if (read != first) {
                opevo_i_cli_reasons_free(&reasons);
                status = opevo_i_cli_reasons_of_run(opevo_stored_study_store(self->data, first),
                                                    self->data->stored[first].run, &reasons, err);
                read = first;
            }
            add_failure(self, l, k, count, first, &reasons.of[k]);
        }
    }
    opevo_text_add(self->out, "]");
    opevo_i_cli_reasons_free(&reasons);
    return status;
}

static opevo_status add_all(const char *title, const writer *self, opevo_error *err)
{
    const opevo_analysed_study *study = &self->analysis->study;
    size_t cells = study->landscape_count * study->contender_count;
    opevo_status status = OPEVO_OK;

    opevo_text_add(self->out, "{");
    opevo_i_cli_report_json_head("study", title, self->call, self->out);
    add_settings(self);
    opevo_i_cli_report_json_words(self->out);
    OPEVO_TRY(add_short(self, err));
    add_contenders(self);
    opevo_json_key(self->out, "landscapes");
    opevo_text_add(self->out, "[");
    for (size_t i = 0; i < study->landscape_count; i++) {
        opevo_json_next(self->out, "\n ");
        OPEVO_TRY(add_place(self, i, MOST_COURSES / cells, err));
    }
    opevo_text_add(self->out, "]");
    add_pairs(self);
    opevo_i_cli_analysis_json_null(self->analysis, self->out);
    add_overall(self);
    OPEVO_TRY(add_finals(self, err));
    OPEVO_TRY(add_failures(self, err));
    OPEVO_TRY(opevo_i_cli_report_networks(self->data, self->out, err));
    OPEVO_TRY(opevo_i_cli_report_edits(self->call, self->out, err));
    opevo_i_cli_analysis_json_fronts(self->data, true, self->out);
    opevo_text_add(self->out, "}");
cleanup:
    return status;
}

opevo_status opevo_i_cli_report_study(const opevo_call *call, const char *title, opevo_text *json,
                                      opevo_error *err)
{
    opevo_i_cli_analysis_work work = {.analysis = NULL};
    opevo_status status = opevo_i_cli_analysis_make(call, &work, err);

    if (status == OPEVO_OK)
        status = add_all(title, &(writer){call, &work.data, work.analysis, json}, err);
    opevo_i_cli_analysis_free(&work);
    return status;
}
