/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An objective without hardware or files for the tests of this room: outcomes are a formula of the
 * point, so that any test can compute what must come out. */

#ifndef OPEVO_TESTS_FORMULA_H
#define OPEVO_TESTS_FORMULA_H

#include <stdatomic.h>
#include <time.h>

#include <opevo/hash.h>
#include <opevo/objective.h>
#include <opevo/tuner.h>

#include "check.h"

typedef struct formula {
    opevo_objective super;
    uint64_t salt;          /* decides all outcomes */
    unsigned fail_one_in;   /* 0: never, 1: always */
    unsigned broken_one_in; /* of the others: a fitness that is not a number; 0: never */
    long delay_ns;
    uint64_t error_after; /* evaluations before the objective itself breaks; 0: never */
    bool keeps_samples;
    _Atomic uint64_t evaluated;
    double samples_s[3];
} formula;

static inline uint64_t formula_hash(const formula *self, opevo_index point)
{
    return opevo_hash_mix((uint64_t)point ^ opevo_hash_mix((uint64_t)(point >> 64) + self->salt));
}

static inline opevo_outcome formula_outcome(const formula *self, opevo_index point)
{
    uint64_t hash = formula_hash(self, point);
    opevo_outcome outcome = {.kind = OPEVO_OUTCOME_OK};

    outcome.build_s = (double)(hash % 7) / 64;
    outcome.other_s = 1.0 / 64;
    if (self->fail_one_in && hash % self->fail_one_in == 0) {
        opevo_outcome failed =
            opevo_outcome_failed((opevo_outcome_class)(1 + hash / 1024 % OPEVO_OUTCOME_UNRECORDED));

        failed.build_s = outcome.build_s;
        failed.other_s = outcome.other_s;
        failed.message = "the formula says no";
        return failed;
    }
    outcome.fitness = 1 + (double)(hash >> 40) / 1024;
    outcome.time_s = 1 / outcome.fitness;
    outcome.run_s = outcome.time_s;
    if (self->broken_one_in && hash / 7 % self->broken_one_in == 0)
        outcome.fitness = (const double[]){NAN, INFINITY, -1}[hash % 3];
    if (self->keeps_samples) {
        outcome.samples_s = self->samples_s;
        outcome.sample_count = 3;
    }
    return outcome;
}

static inline opevo_status formula_evaluate(opevo_objective *objective, const opevo_index *points,
                                            size_t count, opevo_outcome *outcomes, opevo_error *err)
{
    formula *self = (formula *)objective;

    for (size_t i = 0; i < count; i++) {
        uint64_t before = atomic_fetch_add(&self->evaluated, 1);
        struct timespec delay = {0, self->delay_ns};

        if (self->error_after && before >= self->error_after)
            return OPEVO_FAIL(err, OPEVO_IO, "The formula broke.");
        if (self->delay_ns)
            nanosleep(&delay, NULL);
        outcomes[i] = formula_outcome(self, points[i]);
    }
    return OPEVO_OK;
}

static inline void formula_destroy(opevo_objective *objective)
{
}

static const opevo_objective_ops formula_ops = {
    .kind = "formula", .evaluate = formula_evaluate, .destroy = formula_destroy};

/* The space is borrowed; nothing is to be released. */
static inline formula formula_on(const opevo_space *space, uint64_t salt, unsigned fail_one_in)
{
    return (formula){
        .super = {.ops = &formula_ops,
                  .space = space,
                  .name = "formula",
                  .unit = "1/s",
                  .signature = opevo_space_signature(space) ^ opevo_hash_mix(salt + fail_one_in),
                  .concurrent = true},
        .salt = salt,
        .fail_one_in = fail_one_in,
        .samples_s = {0.5, 0.25, 0.125},
    };
}

static inline opevo_space *formula_space(const char *json)
{
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse(json, "a test", NULL, &space, &err));
    return space;
}

enum { FORMULA_SETTINGS_MOST = 24 };

/* The defaults of a tuner, changed by a list "key=value key=value" (NULL: none). */
static inline void formula_settings(const opevo_tuner_ops *ops, const char *changes,
                                    opevo_setting_value *values)
{
    char copy[256];
    char *rest = NULL;

    assert_true(ops->setting_count <= FORMULA_SETTINGS_MOST);
    opevo_settings_default(ops, values);
    snprintf(copy, sizeof copy, "%s", changes ? changes : "");
    for (char *one = strtok_r(copy, " ", &rest); one; one = strtok_r(NULL, " ", &rest))
        CHECK_OK(opevo_settings_set(ops, one, values, &err));
}

#endif
