/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces and settings on which every tuner keeps its contract. */

#ifndef OPEVO_TESTS_CONTRACT_FIXTURE_H
#define OPEVO_TESTS_CONTRACT_FIXTURE_H

#include "formula.h"

#include "branched_spaces.h"

#include <stdlib.h>
#include <unistd.h>

#include <opevo/memory.h>
#include <opevo/tuners.h>

/* Small enough to be exhausted. */
static const char *const small_spaces[] = {
    /* one point */
    "{\"a\": {\"_type\": \"choice\", \"_value\": [7]}}",
    "{\"a\": {\"_type\": \"factor\", \"_value\": [1, 3]}, \"b\": {\"_type\": \"permutation\","
    " \"_value\": [1]}}",
    /* fewer points than any generation */
    "{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4]}}",
    "{\"a\": {\"_type\": \"factor\", \"_value\": [4, 2]}, \"b\": {\"_type\": \"choice\","
    " \"_value\": [0, 1]}}",
    /* some hundreds */
    "{\"a\": {\"_type\": \"factor\", \"_value\": [12, 3]}, \"b\": {\"_type\": \"permutation\","
    " \"_value\": [4]}}",
    /* half, few and one allowed */
    "{\"a\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"b\": {\"_type\": \"discrete\","
    " \"_value\": [1, 2, 3, 4, 5]}, \"_constraints\": [\"a[0] * b <= 16\"]}",
    "{\"a\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"b\": {\"_type\": \"discrete\","
    " \"_value\": [1, 2, 3, 4, 5]}, \"_constraints\": [\"a[0] == 64 || a[2] == 64\"]}",
    "{\"a\": {\"_type\": \"permutation\", \"_value\": [5]}, \"_constraints\": [\"a[0] == 4\","
    " \"a[1] == 3\", \"a[2] == 2\", \"a[3] == 1\"]}",
    /* with branches */
    "{" FLAT_CHOICE "}",
    "{" TWO_LEVELS TWO_LEVELS_CONSTRAINT "}",
};
enum {
    SMALL_COUNT = sizeof small_spaces / sizeof *small_spaces,
    SMALL_MOST = 1024 /* points */
};

/* More points than a plan of 64, so that cost models are trained, but not many more. */
static const char middle_space[] =
    "{\"a\": {\"_type\": \"factor\", \"_value\": [12, 3]}, \"b\": {\"_type\": \"discrete\","
    " \"_value\": [1, 2, 3, 4]}}";

static const char large_space[] =
    "{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]}, \"X\": {\"_type\": \"factor\","
    " \"_value\": [512, 4]}, \"Y\": {\"_type\": \"factor\", \"_value\": [1024, 4]},"
    " \"o\": {\"_type\": \"permutation\", \"_value\": [6]}, \"u\": {\"_type\": \"discrete\","
    " \"_value\": [0, 125, 256]}, \"_constraints\": [\"X[2] * Y[2] <= 1024\"]}";

/* Settings that every tuner which has them must survive. */
static const char *const variants[] = {
    "", "lambda=1 rho=1", "lambda=3 rho=20", "lambda=20 rho=3 duplicates=redraw", "q=0",
    "q=0.99 duplicates=redraw", "q=0.001",
    /* autotvm, autotvm-ga, ansor-knobs, droplet, tpe */
    "loss=reg diversity=2 plan=16", "population=7 elite=7 mutation=1", "warmup=0 batch=16 random=1",
    "batch=1 exhausted=restart", "startup=1 candidates=1", "startup=3 batch=5",
    /* ansor */
    "search=beam batch=16 warmup=0", "search=random", "crossover=1 population=70 warmup=0 batch=8",
    "initial=2 samples=1 batch=7 margin=0",                                  /* qgp */
    "population=5 crossover=0 mutation=0", "population=3 crossover=1 q=0",   /* nsga2 */
    "population=6 tournament=dcd elite=0.25 retries=2", "elite=0 retries=3", /* nsga2 */
    "neighbours=4 patience=2 q=0.9",                                         /* climb */
};
enum { VARIANT_COUNT = sizeof variants / sizeof *variants };

static inline bool has_keys(const opevo_tuner_ops *ops, const char *changes)
{
    char copy[256];
    char *rest = NULL;
    opevo_setting_value values[FORMULA_SETTINGS_MOST];

    snprintf(copy, sizeof copy, "%s", changes);
    opevo_settings_default(ops, values);
    for (char *one = strtok_r(copy, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
        if (opevo_settings_set(ops, one, values, NULL) != OPEVO_OK)
            return false;
    }
    return true;
}

/* Settings that make a tuner cheaper and leave what it does: the contract is the same. */
static const struct {
    const char *name;
    const char *changes;
} cheaper[] = {
    {"ansor", "population=100 generations=1 trees=10"},
    {"ansor-knobs", "population=600 generations=1 trees=10"},
    {"autotvm", "chains=16 steps=60 trees=20"},
};

static inline const char *cheaper_settings(const opevo_tuner_ops *ops)
{
    for (size_t i = 0; i < sizeof cheaper / sizeof *cheaper; i++) {
        if (!strcmp(cheaper[i].name, ops->name))
            return cheaper[i].changes;
    }
    return "";
}

static inline opevo_tuner *make(const opevo_tuner_ops *ops, const opevo_space *space,
                                const char *changes, uint64_t seed)
{
    opevo_setting_value values[FORMULA_SETTINGS_MOST];
    opevo_tuner *tuner = NULL;
    char all[256];

    /* A search without generations or a model refuses what makes those cheaper. */
    snprintf(all, sizeof all, "%s %s",
             strstr(changes, "search=") ? "population=100" : cheaper_settings(ops), changes);
    formula_settings(ops, all, values);
    CHECK_OK(opevo_tuner_create(ops, space, values, seed, &tuner, &err));
    return tuner;
}

/* Ask for up to `capacity`, evaluate, tell. Returns the count; the points go to `points`. */
static inline size_t turn(opevo_tuner *tuner, const formula *objective, size_t capacity,
                          opevo_index *points)
{
    opevo_proposal proposals[64];
    opevo_trial trials[64];
    size_t count = 0;

    assert_true(capacity <= 64);
    CHECK_OK(opevo_tuner_ask(tuner, proposals, capacity, &count, &err));
    assert_true(count <= capacity);
    for (size_t i = 0; i < count; i++) {
        assert_non_null(proposals[i].origin);
        points[i] = proposals[i].point;
        trials[i] = (opevo_trial){.number = 1,
                                  .proposal = proposals[i],
                                  .outcome = formula_outcome(objective, points[i])};
    }
    assert_int_equal(tuner->pending, count);
    CHECK_OK(opevo_tuner_tell(tuner, trials, count, &err));
    assert_int_equal(tuner->pending, 0);
    return count;
}

enum { OBSERVED_MOST = 12 };

/* Every third allowed point of the space, at most `most` of them; their number. */
static inline size_t choose_observed(const opevo_space *space, const formula *objective,
                                     opevo_trial *out, size_t most)
{
    size_t count = 0;
    size_t allowed = 0;

    for (opevo_index point = 0; point < opevo_space_size(space) && count < most; point++) {
        if (!opevo_space_allows(space, point) || allowed++ % 3 != 0)
            continue;
        out[count] = (opevo_trial){.number = count + 1,
                                   .proposal = {.point = point, .origin = "start"},
                                   .outcome = formula_outcome(objective, point)};
        count++;
    }
    return count;
}

#endif
