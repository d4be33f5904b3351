/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Studies that add seeds until their tuners are told apart. */

#ifndef OPEVO_STUDY_UNTIL_H
#define OPEVO_STUDY_UNTIL_H

#include <opevo/anytime.h>
#include <opevo/study.h>
#include <opevo/study_analysis.h>

OPEVO_BEGIN_C

/* Two lines of one objective, over the first seeds that both have. */
typedef struct opevo_until_pair {
    size_t a, b; /* lines of the study */
    opevo_anytime test;
    double p_adjusted; /* Holm over all pairs of the study */
    opevo_verdict verdict;
} opevo_until_pair;

typedef struct opevo_until_result {
    opevo_until_pair *pairs;
    size_t pair_count, resolved;
    size_t seeds;            /* of the lines that have most */
    size_t looks;            /* how often the pairs were tested */
    opevo_study_result runs; /* of all looks together */
} opevo_until_result;

/* Run the first `study->seed_count` seeds of all lines; look at all pairs of lines of an objective;
 * then give the lines of the pairs that are not resolved a tenth more seeds, at least one, and so
 * on, until none is left or they have `seeds_most`. A pair is resolved if its p_adjusted is at most
 * alpha: as each p holds at all looks (opevo_anytime_test), the probability that any two lines
 * whose runs are exchangeable are ever resolved is at most alpha. Twins have the seeds of their
 * lines. The store is marked as looked at before the first run. Which runs are in it follows from
 * the plan, alpha and seeds_most, so that a call after a kill continues.
 *
 * Errors: INVALID for lines without a limit of trials, or with one of seconds or different budgets,
 * and as opevo_study_extend; those of opevo_study_run. Free the result in any case. */
OPEVO_API opevo_status opevo_study_until_sized(opevo_study *study,
                                               const opevo_study_options *options, size_t size,
                                               double alpha, size_t seeds_most,
                                               opevo_until_result *out, opevo_error *err);
static inline opevo_status opevo_study_until(opevo_study *study, const opevo_study_options *options,
                                             double alpha, size_t seeds_most,
                                             opevo_until_result *out, opevo_error *err)
{
    return opevo_study_until_sized(study, options, sizeof *options, alpha, seeds_most, out, err);
}
OPEVO_API void opevo_until_result_free(opevo_until_result *result);

OPEVO_END_C

#endif
