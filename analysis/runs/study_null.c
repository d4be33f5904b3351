/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A/A: each contender against itself on other seeds, by the test of the verdicts. */

#include "study_internal.h"

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>

#include <gsl/gsl_cdf.h>

#include <math.h>

/* What a contender and its twin have on one landscape; room for the runs of either. */
typedef struct twins {
    opevo_i_analysis_entry *own, *other;
    double *of_own, *of_other;
} twins;

static bool make_room(twins *out, size_t own, size_t other)
{
    *out = (twins){.own = opevo_malloc(own, sizeof *out->own),
                   .other = opevo_malloc(other, sizeof *out->other),
                   .of_own = opevo_malloc(own, sizeof *out->of_own),
                   .of_other = opevo_malloc(own, sizeof *out->of_other)};
    return out->own && out->other && out->of_own && out->of_other;
}

static void free_room(twins *self)
{
    opevo_free(self->own);
    opevo_free(self->other);
    opevo_free(self->of_own);
    opevo_free(self->of_other);
}

/* The runs of the twin that are known as far as the contenders are compared. */
static size_t list_twin(const opevo_study_analysis *analysis, const opevo_study_cell *cell,
                        opevo_i_analysis_entry *out)
{
    const opevo_study_place *place = &analysis->places[cell->landscape];
    size_t count = 0;

    for (size_t i = 0; i < analysis->study.twin_count; i++) {
        const opevo_analysed_run *run = &analysis->study.twins[i];

        if (run->landscape == cell->landscape && run->contender == cell->contender &&
            opevo_i_analysis_extent(place, run) >= place->compared_at)
            out[count++] = (opevo_i_analysis_entry){
                run->seed, opevo_i_analysis_fraction(place, run, place->compared_at)};
    }
    opevo_i_analysis_sort_entries(out, count);
    return count;
}

/* p of a contender against its twin; NAN without a seed in common. */
static opevo_status compare_cell(const opevo_i_analysis_study *self, size_t number, double *p,
                                 opevo_error *err)
{
    const opevo_study_analysis *analysis = self->analysis;
    const opevo_study_cell *cell = &analysis->cells[number];
    opevo_signed_rank test;
    opevo_anytime anytime;
    opevo_status status = OPEVO_OK;
    twins room;
    size_t pairs = 0;

    *p = NAN;
    OPEVO_NEED(make_room(&room, cell->runs, analysis->study.twin_count), "comparing %zu runs",
               cell->runs);
    pairs = opevo_i_analysis_match(
        room.own,
        opevo_i_analysis_entries(self, number, analysis->places[cell->landscape].compared_at,
                                 room.own),
        room.other, list_twin(analysis, cell, room.other), room.of_own, room.of_other);
    if (pairs > 0 && analysis->options.anytime) {
        OPEVO_TRY(opevo_anytime_test(room.of_own, room.of_other, pairs, &anytime, err));
        *p = anytime.p;
    } else if (pairs > 0) {
        OPEVO_TRY(opevo_signed_rank_test_of_pairs(room.of_own, room.of_other, pairs, &test, err));
        *p = test.p;
    }
cleanup:
    free_room(&room);
    return status;
}

static size_t count_verdicts(const double *p, size_t count, double alpha)
{
    size_t verdicts = 0;

    for (size_t i = 0; i < count; i++)
        verdicts += p[i] <= alpha; /* false for NAN */
    return verdicts;
}

/* P(X >= verdicts), X binomial (pairs, alpha). */
static double tail(const opevo_study_null *null, double alpha)
{
    if (!null->verdicts)
        return 1;
    return gsl_cdf_binomial_Q((unsigned)null->verdicts - 1, alpha, (unsigned)null->pairs);
}

opevo_status opevo_i_analysis_study_null(opevo_i_analysis_study *self, opevo_error *err)
{
    opevo_study_analysis *analysis = self->analysis;
    const opevo_analysis_options *options = &analysis->options;
    size_t cells = analysis->study.landscape_count * analysis->study.contender_count;
    double *p = opevo_malloc(2 * cells, sizeof *p);
    opevo_study_null out = {.rate = NAN, .p = NAN};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(p, "comparisons");
    for (size_t i = 0; i < cells && analysis->study.twin_count; i++) {
        OPEVO_TRY(compare_cell(self, i, &p[i], err));
        out.pairs += isnan(p[i]) ? 0 : 1;
    }
    if (out.pairs) {
        OPEVO_TRY(opevo_holm_adjust(p, cells, p + cells, err));
        out.verdicts = count_verdicts(p, cells, options->alpha);
        out.family_verdicts = count_verdicts(p + cells, cells, options->alpha);
        out.rate = (double)out.verdicts / (double)out.pairs;
        out.interval = opevo_share_interval(out.verdicts, out.pairs, options->confidence);
        out.p = tail(&out, options->alpha);
        out.is_biased = out.interval.low > options->alpha;
    }
    analysis->null = out;
cleanup:
    opevo_free(p);
    return status;
}

void opevo_study_null_sentence(const opevo_study_analysis *analysis, opevo_text *out)
{
    const opevo_study_null *null = &analysis->null;
    double alpha = analysis->options.alpha;

    opevo_text_printf(out,
                      "A/A: %zu of %zu comparisons of a tuner with itself on other seeds have "
                      "p <= %g: a rate of %.3f (%.3f to %.3f, exact)",
                      null->verdicts, null->pairs, alpha, null->rate, null->interval.low,
                      null->interval.high);
    opevo_text_printf(out, "; %zu false verdict%s after Holm", null->family_verdicts,
                      null->family_verdicts == 1 ? "" : "s");
    if (null->is_biased)
        opevo_text_printf(out,
                          ". That is more than %g: runs of one tuner differ by more than chance, "
                          "so the verdicts do not hold",
                          alpha);
}
