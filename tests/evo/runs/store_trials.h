/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trials with every kind of value at its ends, and their space. */

#ifndef OPEVO_TESTS_STORE_TRIALS_H
#define OPEVO_TESTS_STORE_TRIALS_H

#include "formula.h"

#include <math.h>
#include <string.h>

static const char space_text[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"p\": {\"_type\": \"permutation\","
    " \"_value\": [30]}}";

static const double samples[] = {0.5, 1e-300, INFINITY, -0.0};

/* Fills five; returns their number. */
static inline size_t make_trials(opevo_trial *trials)
{
    const opevo_trial made[] = {
        {{0, "initial"}, 1, {.fitness = 1.0 / 3, .time_s = 5e-324, .build_s = 1e300}},
        {{(opevo_index)1 << 100, "child"}, 2, opevo_outcome_failed(OPEVO_OUTCOME_WRONG)},
        {{OPEVO_INDEX_MAX, "child"},
         3,
         {.fitness = 7,
          .time_s = 2,
          .build_s = 1,
          .run_s = 2,
          .check_s = 3,
          .other_s = 4,
          .samples_s = samples,
          .sample_count = 4,
          .message = "text"}},
        {{((opevo_index)0x0123456789abcdef << 64) | 0xfedcba9876543210, "odd; --'origin"},
         4,
         opevo_outcome_failed(OPEVO_OUTCOME_UNRECORDED)},
        {{5, "initial"}, 5, {.fitness = 1.7e308, .time_s = NAN}},
    };

    memcpy(trials, made, sizeof made);
    trials[1].outcome.message = "ptxas: \xc3\xbc; DROP TABLE trials; --";
    return sizeof made / sizeof *made;
}

#endif
