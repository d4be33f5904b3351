/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The search of a cost model, on scores that are known for every point. */

#include "formula.h"

#include <opevo/memory.h>

#include "annealing_internal.h"

enum { POINTS_MOST = 1024 };

typedef struct target {
    const opevo_space *space;
    float scores[POINTS_MOST];
    bool excluded[POINTS_MOST];
    size_t calls;
    size_t fails_at;   /* call that fails; 0: none */
    opevo_index first; /* where the first chain was at the first call */
} target;

static opevo_status target_scores(void *context, const opevo_index *points,
                                  const opevo_index *vertices, size_t count, float *scores,
                                  opevo_error *err)
{
    target *self = context;
    size_t width = opevo_space_parameter_count(self->space);

    if (++self->calls == self->fails_at)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "No score.");
    if (self->calls == 1)
        self->first = points[0];
    for (size_t i = 0; i < count; i++) {
        assert_true(opevo_space_allows(self->space, points[i]));
        assert_true(opevo_space_encode(self->space, vertices + i * width) == points[i]);
        scores[i] = self->scores[(size_t)points[i]];
    }
    return OPEVO_OK;
}

static bool target_excludes(void *context, opevo_index point)
{
    return ((target *)context)->excluded[(size_t)point];
}

static const char *const spaces[] = {
    "{\"a\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"b\": {\"_type\": \"permutation\","
    " \"_value\": [4]}}",
    "{\"a\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"b\": {\"_type\": \"discrete\","
    " \"_value\": [1, 2, 3, 4, 5]}, \"_constraints\": [\"a[0] * b <= 16\"]}",
    "{\"a\": {\"_type\": \"choice\", \"_value\": [7]}}",
    "{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]}}",
};

/* The k-th largest score that may be found. */
static float kth_score(const target *self, size_t k)
{
    size_t size = (size_t)opevo_space_size(self->space);

    for (size_t i = 0; i < size; i++) {
        size_t larger = 0;

        if (self->excluded[i] || !opevo_space_allows(self->space, i))
            continue;
        for (size_t j = 0; j < size; j++)
            larger += self->scores[j] > self->scores[i] && !self->excluded[j] &&
                      opevo_space_allows(self->space, j);
        if (larger == k)
            return self->scores[i];
    }
    return -1;
}

static size_t count_findable(const target *self, float least)
{
    size_t count = 0;

    for (size_t i = 0; i < (size_t)opevo_space_size(self->space); i++)
        count +=
            opevo_space_allows(self->space, i) && !self->excluded[i] && self->scores[i] >= least;
    return count;
}

static target make_target(const opevo_space *space, uint64_t seed)
{
    target made = {.space = space};
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "test", 0);
    for (size_t i = 0; i < POINTS_MOST; i++) {
        made.scores[i] = (float)(opevo_rng_unit(&rng) - 0.25);
        made.excluded[i] = opevo_rng_below(&rng, 5) == 0;
    }
    return made;
}

/* In a space that the chains can walk through many times over, the list is the true one: the
 * largest scores that are not below the least one, by falling score, none excluded, none twice. */
CHECK_TEST(test_finds_the_best)
{
    for (size_t s = 0; s < sizeof spaces / sizeof *spaces; s++) {
        opevo_space *space = formula_space(spaces[s]);

        for (uint64_t seed = 1; seed <= 5; seed++) {
            target wanted = make_target(space, seed);
            float least = seed % 2 ? 0 : seed == 2 ? -0.125F : -1;
            opevo_i_tvm_annealing_goal goal = {target_scores, target_excludes, &wanted, least,
                                               false};
            opevo_i_tvm_annealing *annealing = opevo_i_tvm_annealing_create(space, 128, 2000);
            opevo_index points[40];
            size_t count = 0;
            opevo_rng rng;

            opevo_rng_init(&rng, seed, "test", 1);
            /* The second search goes on from where the chains are. */
            for (int search = 0; search < 2; search++) {
                size_t findable = count_findable(&wanted, least);

                CHECK_OK(
                    opevo_i_tvm_annealing_search(annealing, &goal, 40, &rng, points, &count, &err));
                assert_int_equal(count, findable < 40 ? findable : 40);
                for (size_t i = 0; i < count; i++) {
                    assert_false(wanted.excluded[(size_t)points[i]]);
                    CHECK_CLOSE((double)wanted.scores[(size_t)points[i]],
                                (double)kth_score(&wanted, i), 0);
                    for (size_t k = 0; k < i; k++)
                        assert_true(points[k] != points[i]);
                }
            }
            opevo_i_tvm_annealing_destroy(annealing);
        }
        opevo_space_destroy(space);
    }
}

/* Where nothing enters the list it ends after 50 steps, and it never takes more than it may. */
CHECK_TEST(test_steps)
{
    opevo_space *space = formula_space(spaces[0]);
    target flat = {.space = space};
    opevo_i_tvm_annealing_goal goal = {target_scores, target_excludes, &flat, 0, false};
    opevo_i_tvm_annealing *annealing = opevo_i_tvm_annealing_create(space, 8, 500);
    opevo_index points[4];
    size_t count = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 1);
    memset(flat.excluded, true, sizeof flat.excluded);
    CHECK_OK(opevo_i_tvm_annealing_search(annealing, &goal, 4, &rng, points, &count, &err));
    assert_int_equal(count, 0);
    assert_int_equal(flat.calls, 51); /* the start, and 50 steps */
    opevo_i_tvm_annealing_destroy(annealing);
    annealing = opevo_i_tvm_annealing_create(space, 8, 7);
    flat.calls = 0;
    CHECK_OK(opevo_i_tvm_annealing_search(annealing, &goal, 4, &rng, points, &count, &err));
    assert_int_equal(flat.calls, 8);
    opevo_i_tvm_annealing_destroy(annealing);
    opevo_i_tvm_annealing_destroy(NULL);
    opevo_space_destroy(space);
}

/* Two points with scores 0 and 1/2, one chain, one step, which is at temperature 1: from the good
 * point it goes with probability exp(-1/2) = .607, from the bad one always. Of 4,000 chains half
 * start at the good one; the bound is four standard errors, and a difference of the wrong sign, an
 * exponent that is not negated or a temperature forgotten are off by more than 20. */
CHECK_TEST(test_acceptance)
{
    opevo_space *space = formula_space("{\"a\": {\"_type\": \"choice\", \"_value\": [1, 2]}}");
    unsigned starts[2] = {0}, moves[2] = {0};

    for (uint64_t seed = 1; seed <= 4000; seed++) {
        target two = {.space = space, .scores = {0, 0.5F}};
        opevo_i_tvm_annealing_goal goal = {target_scores, target_excludes, &two, 0, false};
        opevo_i_tvm_annealing *annealing = opevo_i_tvm_annealing_create(space, 1, 1);
        opevo_index points[1];
        opevo_index start = 0;
        size_t count = 0;
        opevo_rng rng;

        opevo_rng_init(&rng, seed, "test", 1);
        CHECK_OK(opevo_i_tvm_annealing_search(annealing, &goal, 1, &rng, points, &count, &err));
        start = two.first;
        two.calls = 0;
        CHECK_OK(opevo_i_tvm_annealing_search(annealing, &goal, 1, &rng, points, &count, &err));
        starts[(size_t)start]++;
        moves[(size_t)start] += two.first != start;
        opevo_i_tvm_annealing_destroy(annealing);
    }
    assert_int_equal(moves[0], starts[0]);
    CHECK_CLOSE((double)moves[1] / starts[1], exp(-0.5), 4 * sqrt(0.24 / starts[1]));
    opevo_space_destroy(space);
}

CHECK_TEST(test_scores_that_fail)
{
    opevo_space *space = formula_space(spaces[0]);
    target wanted = make_target(space, 1);
    opevo_i_tvm_annealing_goal goal = {target_scores, target_excludes, &wanted, 0, false};
    opevo_i_tvm_annealing *annealing = opevo_i_tvm_annealing_create(space, 8, 50);
    opevo_index points[4];
    size_t count = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 1);
    wanted.fails_at = 3;
    CHECK_FAILS(OPEVO_LIMIT, "No score",
                opevo_i_tvm_annealing_search(annealing, &goal, 4, &rng, points, &count, &err));
    opevo_i_tvm_annealing_destroy(annealing);
    opevo_space_destroy(space);
}
