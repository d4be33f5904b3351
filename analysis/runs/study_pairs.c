/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Comparisons: every two contenders on a landscape, seed by seed. */

#include "study_internal.h"

#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double wanted_power = 0.8;

const char *opevo_verdict_name(opevo_verdict verdict)
{
    return verdict == OPEVO_VERDICT_BETTER  ? "better"
           : verdict == OPEVO_VERDICT_WORSE ? "worse"
                                            : "not resolved";
}

/* The fractions over the seeds that both have. */
typedef struct matched {
    double *a, *b, *difference;
    size_t count;
} matched;

/* Test and intervals that hold at any number of pairs; the differences are overwritten. */
static opevo_status test_anytime(const matched *runs, double confidence, opevo_study_pair *pair,
                                 opevo_error *err)
{
    static const opevo_interval range = {-1, 1}, share = {0, 1};
    opevo_status status = opevo_anytime_test(runs->a, runs->b, runs->count, &pair->anytime, err);

    if (status == OPEVO_OK)
        status = opevo_confidence_sequence(runs->difference, runs->count, range, confidence,
                                           &pair->interval, err);
    for (size_t i = 0; i < runs->count; i++) {
        double error = OPEVO_ROUNDING * (fabs(runs->a[i]) + fabs(runs->b[i]));

        runs->difference[i] = fabs(runs->difference[i]) <= error ? 0.5
                              : runs->difference[i] > 0          ? 1
                                                                 : 0;
    }
    if (status == OPEVO_OK)
        status = opevo_confidence_sequence(runs->difference, runs->count, share, confidence,
                                           &pair->superiority, err);
    return status;
}

static opevo_status test_pair(const opevo_i_analysis_study *self, size_t number,
                              const matched *runs, opevo_study_pair *pair, opevo_error *err)
{
    static const opevo_interval range = {-1, 1};
    const opevo_analysis_options *options = &self->analysis->options;
    opevo_bootstrap bootstrap = {options->resamples, options->seed, OPEVO_I_STREAM_PAIRS + number};
    opevo_status status =
        opevo_signed_rank_test_of_pairs(runs->a, runs->b, runs->count, &pair->test, err);

    pair->mean_a = opevo_i_analysis_mean(runs->a, runs->count, 1);
    pair->mean_b = opevo_i_analysis_mean(runs->b, runs->count, 1);
    if (status == OPEVO_OK && options->anytime)
        status = test_anytime(runs, options->confidence, pair, err);
    else if (status == OPEVO_OK)
        status = opevo_mean_interval(runs->difference, runs->count, range, &bootstrap,
                                     options->confidence, options->exact_intervals, &pair->interval,
                                     err);
    return status;
}

static opevo_status compare(void *context, size_t index, unsigned worker, opevo_error *err)
{
    opevo_i_analysis_study *self = context;
    opevo_study_pair *pair = &self->analysis->pairs[index];
    size_t width = self->analysis->study.contender_count;
    size_t cell_a = pair->landscape * width + pair->a, cell_b = pair->landscape * width + pair->b;
    size_t runs_a = self->analysis->cells[cell_a].runs, runs_b = self->analysis->cells[cell_b].runs;
    opevo_i_analysis_entry *a = opevo_malloc(runs_a, sizeof *a);
    opevo_i_analysis_entry *b = opevo_malloc(runs_b, sizeof *b);
    double *room = opevo_malloc(3 * runs_a, sizeof *room);
    opevo_status status = OPEVO_OK;

    (void)worker;
    if (a && b && room) {
        matched runs = {room, room + runs_a, room + 2 * runs_a, 0};

        runs.count = opevo_i_analysis_match(
            a, opevo_i_analysis_entries(self, cell_a, pair->trials, a), b,
            opevo_i_analysis_entries(self, cell_b, pair->trials, b), runs.a, runs.b);
        for (size_t i = 0; i < runs.count; i++)
            runs.difference[i] = runs.a[i] - runs.b[i];
        status = test_pair(self, index, &runs, pair, err);
    } else {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to compare %zu runs.", runs_a);
    }
    opevo_free(a);
    opevo_free(b);
    opevo_free(room);
    return status;
}

/* Both contenders have runs there. */
static opevo_status list_pairs(opevo_study_analysis *analysis, opevo_error *err)
{
    size_t width = analysis->study.contender_count;
    void *pairs = NULL;
    size_t capacity = 0;

    for (size_t i = 0; i < analysis->study.landscape_count; i++) {
        for (size_t a = 0; a < width; a++) {
            for (size_t b = a + 1; b < width; b++) {
                if (!analysis->cells[i * width + a].runs || !analysis->cells[i * width + b].runs)
                    continue;
                OPEVO_NEED_OR_RETURN(opevo_reserve(&pairs, &capacity, analysis->pair_count + 1,
                                                   sizeof *analysis->pairs),
                                     "comparisons");
                analysis->pairs = pairs;
                analysis->pairs[analysis->pair_count++] =
                    (opevo_study_pair){.landscape = i,
                                       .a = a,
                                       .b = b,
                                       .trials = analysis->places[i].compared_at,
                                       .anytime.p = NAN,
                                       .superiority = {NAN, NAN}};
            }
        }
    }
    return OPEVO_OK;
}

static void judge(const opevo_study_analysis *analysis, size_t family, opevo_study_pair *pair)
{
    double alpha = analysis->options.alpha;
    double total = pair->test.plus + pair->test.minus;
    bool ahead = analysis->options.anytime ? pair->anytime.log_better > pair->anytime.log_worse
                                           : pair->test.rank_biserial > 0;

    pair->pairs_needed = INFINITY;
    if (pair->p_adjusted <= alpha)
        pair->verdict = ahead ? OPEVO_VERDICT_BETTER : OPEVO_VERDICT_WORSE;
    if (total > 0)
        pair->pairs_needed =
            opevo_signed_rank_pairs(pair->test.plus / total, alpha / (double)family, wanted_power);
}

opevo_status opevo_i_analysis_study_pairs(opevo_i_analysis_study *self, opevo_error *err)
{
    opevo_study_analysis *analysis = self->analysis;
    opevo_status status = list_pairs(analysis, err);
    double *p = opevo_malloc(2 * analysis->pair_count, sizeof *p);
    size_t family = 0;

    if (status != OPEVO_OK)
        goto cleanup;
    OPEVO_NEED(p, "comparisons");
    OPEVO_TRY(
        opevo_parallel_for(analysis->pair_count, analysis->options.threads, compare, self, err));
    for (size_t i = 0; i < analysis->pair_count; i++) {
        p[i] = !analysis->pairs[i].test.pairs ? (double)NAN
               : analysis->options.anytime    ? analysis->pairs[i].anytime.p
                                              : analysis->pairs[i].test.p;
        family += analysis->pairs[i].test.pairs > 0;
    }
    OPEVO_TRY(opevo_holm_adjust(p, analysis->pair_count, p + analysis->pair_count, err));
    for (size_t i = 0; i < analysis->pair_count; i++) {
        analysis->pairs[i].p_adjusted = p[analysis->pair_count + i];
        judge(analysis, family, &analysis->pairs[i]);
    }
cleanup:
    opevo_free(p);
    return status;
}

/* ---- The sentence ---- */

static void add_p(double p, opevo_text *out)
{
    if (p < 0.0001)
        opevo_text_add(out, "p < .0001");
    else
        opevo_text_printf(out, "p = %.2g", p);
}

static void add_needed(const opevo_study_pair *pair, opevo_text *out)
{
    if (pair->pairs_needed < 1e6)
        opevo_text_printf(out, "; about %.0f pairs would resolve such a difference",
                          fmax(ceil(pair->pairs_needed), (double)pair->test.pairs + 1));
    else
        opevo_text_add(out, "; the estimated difference is too small to resolve");
}

void opevo_study_pair_sentence(const opevo_study_analysis *analysis, const opevo_study_pair *pair,
                               opevo_text *out)
{
    const opevo_analysed_study *study = &analysis->study;
    const opevo_signed_rank *test = &pair->test;

    opevo_text_printf(out, "%s at %llu trials: %s ", study->landscapes[pair->landscape].name,
                      (unsigned long long)pair->trials, study->contenders[pair->a]);
    if (test->pairs == 0) {
        opevo_text_printf(out, "and %s have no seed in common, so they are not compared",
                          study->contenders[pair->b]);
        return;
    }
    if (pair->verdict == OPEVO_VERDICT_UNRESOLVED)
        opevo_text_printf(out, "against %s is not resolved by %zu pair%s of runs",
                          study->contenders[pair->b], test->pairs, test->pairs == 1 ? "" : "s");
    else
        opevo_text_printf(out, "is %s than %s", opevo_verdict_name(pair->verdict),
                          study->contenders[pair->b]);
    opevo_text_printf(out, ": mean %.4f against %.4f", pair->mean_a, pair->mean_b);
    if (isfinite(pair->interval.low))
        opevo_text_printf(out, ", difference %+.4f (%+.4f to %+.4f)", pair->mean_a - pair->mean_b,
                          pair->interval.low, pair->interval.high);
    opevo_text_printf(out, ", ahead in %zu, level in %zu, behind in %zu of %zu pairs (", test->wins,
                      test->ties, test->losses, test->pairs);
    add_p(pair->p_adjusted, out);
    opevo_text_printf(out, " after Holm, %s; rank correlation %+.2f)",
                      analysis->options.anytime ? "at any time"
                      : test->exact             ? "exact"
                                                : "normal approximation",
                      test->rank_biserial);
    if (pair->verdict == OPEVO_VERDICT_UNRESOLVED)
        add_needed(pair, out);
}

/* ---- Over the landscapes ---- */

/* Whether a trial of any run succeeded there. */
static bool has_success(const opevo_study_analysis *analysis, size_t landscape)
{
    for (size_t i = 0; i < analysis->study.contender_count; i++) {
        const opevo_study_cell *cell = opevo_study_cell_of(analysis, landscape, i);

        if (cell->failed < cell->trials)
            return true;
    }
    return false;
}

/* The landscapes on which every contender is known where they are compared. Where all trials of all
 * failed, all have the same rank, which would draw the mean ranks of all together. */
static size_t list_blocks(const opevo_i_analysis_study *self, size_t *blocks)
{
    const opevo_analysed_study *study = &self->analysis->study;
    size_t count = 0;

    for (size_t i = 0; i < study->landscape_count; i++) {
        bool whole = has_success(self->analysis, i);

        self->analysis->overall.all_failed += !whole;
        for (size_t j = 0; j < study->contender_count && whole; j++)
            whole = opevo_i_analysis_known_count(self, i * study->contender_count + j,
                                                 self->analysis->places[i].compared_at) > 0;
        if (whole)
            blocks[count++] = i;
    }
    return count;
}

/* What the means of a contender over the blocks are made of; rows for the runs of one. */
typedef struct averaging {
    double *fraction;
    opevo_i_analysis_resamples resamples;
    opevo_i_analysis_replicates replicates;
} averaging;

/* Add a block with the weight 1 / blocks; its mean. */
static opevo_status add_block(const opevo_i_analysis_study *self, size_t block, size_t contender,
                              averaging *out, double *mean, opevo_error *err)
{
    static const opevo_interval range = {0, 1};
    const opevo_analysis_options *options = &self->analysis->options;
    const opevo_study_place *place = &self->analysis->places[block];
    size_t cell = block * self->analysis->study.contender_count + contender;
    size_t count = opevo_i_analysis_known_count(self, cell, place->compared_at);
    opevo_bootstrap bootstrap = {options->resamples, options->seed, OPEVO_I_STREAM_OVERALL + cell};
    double variance = 0;
    opevo_status status = OPEVO_OK;

    for (size_t r = 0; r < count; r++)
        out->fraction[r] = opevo_i_analysis_fraction(place, self->runs[self->first[cell] + r].run,
                                                     place->compared_at);
    *mean = opevo_i_analysis_mean(out->fraction, count, 1);
    for (size_t r = 0; r < count; r++) {
        out->fraction[r] -= *mean;
        variance += out->fraction[r] * out->fraction[r] / (double)count;
    }
    status = opevo_i_analysis_resample(out->fraction, count, 1, &bootstrap, &out->resamples, err);
    if (status == OPEVO_OK)
        opevo_i_analysis_replicates_add(&out->resamples, 0, *mean, variance, range,
                                        1 / (double)self->analysis->overall.blocks,
                                        &out->replicates);
    return status;
}

/* Mean over the blocks of a contender's mean fraction, with the resamples of its runs in each: the
 * landscapes are these, not a sample of others. `value` gets the mean of each block. */
static opevo_status average(const opevo_i_analysis_study *self, const size_t *blocks,
                            size_t contender, double *value, opevo_error *err)
{
    const opevo_analysis_options *options = &self->analysis->options;
    opevo_study_overall *overall = &self->analysis->overall;
    size_t width = self->analysis->study.contender_count, most = options->resamples;
    averaging work = {.fraction = opevo_malloc(self->analysis->study.run_count, sizeof(double)),
                      .resamples = {.sums = opevo_malloc(3 * most, sizeof(double)),
                                    .bound_share = opevo_malloc(most, sizeof(double))},
                      .replicates = {.shift = opevo_malloc(4 * most, sizeof(double))}};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(work.fraction && work.resamples.sums && work.resamples.bound_share &&
                   work.replicates.shift,
               "means over landscapes");
    opevo_i_analysis_replicates_clear(&work.replicates, most);
    for (size_t i = 0; i < overall->blocks; i++)
        OPEVO_TRY(add_block(self, blocks[i], contender, &work, &value[i * width], err));
    overall->mean[contender] = work.replicates.mean;
    overall->interval[contender] = opevo_i_analysis_replicates_interval(
        &work.replicates, most, options->confidence, options->exact_intervals);
cleanup:
    opevo_free(work.fraction);
    opevo_free(work.resamples.sums);
    opevo_free(work.resamples.bound_share);
    opevo_free(work.replicates.shift);
    return status;
}

opevo_status opevo_i_analysis_study_overall(opevo_i_analysis_study *self, opevo_error *err)
{
    opevo_study_analysis *analysis = self->analysis;
    opevo_study_overall *overall = &analysis->overall;
    size_t width = analysis->study.contender_count, height = analysis->study.landscape_count;
    size_t *blocks = opevo_malloc(height, sizeof *blocks);
    double *values = opevo_malloc(height, width * sizeof *values);
    opevo_status status = OPEVO_OK;

    overall->mean = opevo_calloc(width, sizeof *overall->mean);
    overall->interval = opevo_calloc(width, sizeof *overall->interval);
    overall->mean_rank = opevo_calloc(width, sizeof *overall->mean_rank);
    OPEVO_NEED(blocks && values && overall->mean && overall->interval && overall->mean_rank,
               "means over landscapes");
    overall->blocks = list_blocks(self, blocks);
    for (size_t j = 0; j < width && overall->blocks; j++)
        OPEVO_TRY(average(self, blocks, j, values + j, err));
    if (overall->blocks >= 2 && width >= 2) {
        OPEVO_TRY(opevo_friedman_test(values, overall->blocks, width, analysis->options.seed,
                                      overall->mean_rank, &overall->test, err));
        overall->critical_difference =
            opevo_nemenyi_difference(width, overall->blocks, analysis->options.alpha);
        if (isnan(overall->critical_difference))
            status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a critical difference.");
    }
cleanup:
    opevo_free(blocks);
    opevo_free(values);
    return status;
}
