/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The regret of the runs of a contender, split. */

#include "study_internal.h"

#include <opevo/memory.h>
#include <opevo/regret.h>

#include <math.h>

opevo_regret opevo_regret_of_trials(const double *truth, const double *measured, size_t count,
                                    double optimum)
{
    double tried = 0, chosen = 0, reported = 0;

    for (size_t i = 0; i < count; i++) {
        if (measured[i] > reported) {
            reported = measured[i];
            chosen = truth[i];
        }
        tried = fmax(tried, measured[i] > 0 ? truth[i] : 0);
    }
    return opevo_regret_split(optimum, tried, chosen, reported);
}

/* What regrets on a landscape are measured from: its optimum or, if that is not known, the best of
 * what finals say of all runs; 0 if neither is known. */
static double reference_of(const opevo_study_analysis *analysis, size_t landscape)
{
    const opevo_analysed_study *study = &analysis->study;
    double best = 0;

    if (analysis->places[landscape].optimum_known)
        return analysis->places[landscape].optimum;
    for (size_t i = 0; i < study->run_count; i++) {
        if (study->runs[i].landscape == landscape && study->runs[i].truth.known)
            best = fmax(best, study->runs[i].truth.tried);
    }
    return best;
}

/* The split of a run as shares of the reference; false where the truth is not known. On a known
 * landscape the trials are the truth. */
static bool split(const opevo_study_place *place, const opevo_analysed_run *run, double reference,
                  opevo_regret *out)
{
    double reported = opevo_run_curve_best(&run->curve, UINT64_MAX) / reference;

    if (run->truth.known)
        *out = opevo_regret_split(1, run->truth.tried / reference, run->truth.chosen / reference,
                                  reported);
    else
        *out = opevo_regret_split(1, reported, reported, reported);
    return run->truth.known || place->optimum_known;
}

/* Mean of a part, with its interval; all parts are of the same resamples of the runs. Flattered
 * noise has no bound but what is seen. */
static opevo_status average(const opevo_study_analysis *analysis, const double *values,
                            size_t count, uint64_t stream, opevo_study_mean *out, opevo_error *err)
{
    const opevo_analysis_options *options = &analysis->options;
    const opevo_bootstrap bootstrap = {options->resamples, options->seed, stream};
    opevo_interval range = {0, 1};

    for (size_t i = 0; i < count; i++) {
        range.low = fmin(range.low, values[i] < 0 ? fmin(values[i], -1) : 0);
        range.high = fmax(range.high, values[i]);
    }
    out->mean = opevo_i_analysis_mean(values, count, 1);
    return opevo_mean_interval(values, count, range, &bootstrap, options->confidence,
                               options->exact_intervals, &out->interval, err);
}

opevo_status opevo_i_analysis_study_regret(opevo_i_analysis_study *self, size_t number,
                                           opevo_error *err)
{
    const opevo_study_analysis *analysis = self->analysis;
    opevo_study_cell *cell = &self->analysis->cells[number];
    const opevo_study_place *place = &analysis->places[cell->landscape];
    double reference = reference_of(analysis, cell->landscape);
    double *room = opevo_malloc(4 * cell->runs, sizeof *room);
    opevo_study_regret *out = &cell->regret;
    opevo_study_mean *means[] = {&out->total, &out->exploration, &out->selection, &out->noise};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(room, "the regret of %zu runs", cell->runs);
    *out = (opevo_study_regret){.is_exact = true};
    for (size_t i = 0; i < cell->runs && reference > 0; i++) {
        const opevo_analysed_run *run = self->runs[self->first[number] + i].run;
        opevo_regret one;

        if (!split(place, run, reference, &one))
            continue;
        out->is_exact = out->is_exact && !run->truth.known;
        room[out->runs] = one.exploration + one.selection + one.noise;
        room[cell->runs + out->runs] = one.exploration;
        room[2 * cell->runs + out->runs] = one.selection;
        room[3 * cell->runs + out->runs++] = one.noise;
    }
    for (size_t k = 0; k < 4 && out->runs; k++)
        OPEVO_TRY(average(analysis, room + k * cell->runs, out->runs,
                          OPEVO_I_STREAM_REGRET + number, means[k], err));
cleanup:
    opevo_free(room);
    return status;
}
