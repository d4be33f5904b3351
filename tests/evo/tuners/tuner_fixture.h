/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A tuner by its name, and a single outcome told to it. */

#ifndef OPEVO_TESTS_TUNER_FIXTURE_H
#define OPEVO_TESTS_TUNER_FIXTURE_H

#include "formula.h"

#include <opevo/tuners.h>

/* The tuner of that name with the defaults changed so. */
static inline opevo_tuner *tuner_make(const char *name, const opevo_space *space,
                                      const char *changes, uint64_t seed)
{
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    const opevo_tuner_ops *ops = NULL;
    opevo_tuner *tuner = NULL;

    CHECK_OK(opevo_tuner_find(name, &ops, &err));
    formula_settings(ops, changes, values);
    CHECK_OK(opevo_tuner_create(ops, space, values, seed, &tuner, &err));
    return tuner;
}

static inline void tuner_tell(opevo_tuner *tuner, const opevo_proposal *proposal, double fitness)
{
    opevo_trial trial = {.proposal = *proposal};

    trial.outcome.fitness = fitness;
    CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
}

#endif
