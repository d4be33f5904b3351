/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a child that is looked for within limits, against the sampler's loop followed mutation
 * by mutation, against a closed form where a mutation hardly ever succeeds, and against draws. */

#include "child_fixture.h"

#include <opevo/child_sampler.h>
#include <opevo/memory.h>

static const char *const json = "{\"K\": {\"_type\": \"factor\", \"_value\": [4, 2]},"
                                " \"D\": {\"_type\": \"discrete\", \"_value\": [1, 2, 5, 7]},"
                                " \"C\": {\"_type\": \"choice\", \"_value\": [1, 2, 3]},"
                                " \"_constraints\": [\"K[0] * D % 4 != 1\", \"C < 3 || D > 1\"]}";
enum { POINTS = 36 };

static const opevo_index points[] = {3, 17, 34, 20};
static const double weights[] = {1, 0.25, 3, 2};
static const opevo_parents four = {points, weights, 4};

/* Forbidden, or seen with probability `tenths` / 10. */
static void take(const opevo_space *space, unsigned tenths, unsigned pattern, bool *taken)
{
    for (size_t x = 0; x < POINTS; x++)
        taken[x] =
            !opevo_space_allows(space, x) || (x + 41 * pattern) * 7919 % 104729 % 10 < tenths;
}

/* mass[x][y]: the child was recombined as x, and the last mutation, or recombination, left y. */
typedef struct course {
    long double mass[POINTS][POINTS], law[POINTS];
} course;

static void begin_round(course *self, const long double *origin)
{
    long double total = 0;

    for (size_t x = 0; x < POINTS; x++)
        for (size_t y = 0; y < POINTS; y++)
            total += self->mass[x][y];
    memset(self->mass, 0, sizeof self->mass);
    for (size_t x = 0; x < POINTS; x++)
        self->mass[x][x] = total * origin[x];
}

static void mutate(course *self, const long double *kernel, bool redraws, const bool *taken)
{
    long double next[POINTS][POINTS] = {{0}};

    for (size_t x = 0; x < POINTS; x++) {
        for (size_t y = 0; y < POINTS; y++) {
            for (size_t z = 0; self->mass[x][y] > 0 && z < POINTS; z++)
                next[x][z] += self->mass[x][y] * kernel[(redraws ? x : y) * POINTS + z];
        }
        for (size_t z = 0; z < POINTS; z++) {
            self->law[z] += taken[z] ? 0 : next[x][z];
            self->mass[x][z] = taken[z] ? next[x][z] : 0;
        }
    }
}

/* Returns the probability that there is no child. */
static long double follow(course *self, const long double *kernel, const long double *origin,
                          const opevo_child_step *step)
{
    long double lost = 0;
    unsigned patience = step->q > 0 ? step->limits.patience : 1;

    memset(self, 0, sizeof *self);
    self->mass[0][0] = 1;
    for (unsigned try = 0; try < step->limits.tries; try++) {
        if (try % patience == 0)
            begin_round(self, origin);
        mutate(self, kernel, step->rule == OPEVO_DUPLICATE_REDRAW, step->taken);
    }
    for (size_t x = 0; x < POINTS; x++)
        for (size_t y = 0; y < POINTS; y++)
            lost += self->mass[x][y];
    return lost;
}

/* Children of which the allowed ones are drawn, until one is new. */
static long double follow_given(course *self, const long double *kernel, const long double *origin,
                                const opevo_child_step *step)
{
    long double child[POINTS] = {0}, allowed = 0, left = 1;

    memset(self, 0, sizeof *self);
    for (size_t x = 0; x < POINTS; x++)
        for (size_t y = 0; y < POINTS; y++)
            child[y] += origin[x] * kernel[x * POINTS + y];
    for (size_t y = 0; y < POINTS; y++)
        allowed += opevo_space_allows(step->space, y) ? child[y] : 0;
    for (unsigned try = 0; try < step->limits.tries; try++) {
        long double found = 0;

        for (size_t y = 0; y < POINTS; y++) {
            self->law[y] += step->taken[y] ? 0 : left * child[y] / allowed;
            found += step->taken[y] ? 0 : left * child[y] / allowed;
        }
        left -= found;
    }
    return left;
}

static void check_step(const opevo_child_step *step, const long double *kernel,
                       const long double *origin)
{
    course exact;
    double law[POINTS], lost = -1, bound = -1;
    long double lost_exactly = step->rule == OPEVO_DUPLICATE_GIVEN
                                   ? follow_given(&exact, kernel, origin, step)
                                   : follow(&exact, kernel, origin, step);
    long double off = 0;

    CHECK_OK(opevo_child_law_without_duplicates(step, law, &lost, &bound, &err));
    off = fabsl(lost - lost_exactly);
    for (size_t y = 0; y < POINTS; y++) {
        assert_true(law[y] >= 0 && !(step->taken[y] && law[y] != 0));
        off += fabsl(law[y] - exact.law[y]);
    }
    assert_true(bound >= 0 && bound <= 1e-11);
    if (!(off <= bound + 1e-15L))
        fail_msg("rule %d, q %g, limits %u, %u: off by %Lg, bound %g", (int)step->rule, step->q,
                 step->limits.patience, step->limits.tries, off, bound);
}

CHECK_TEST(loop_followed)
{
    static const opevo_child_limits limits[] = {{1, 1}, {1, 5},  {3, 6},  {3, 7},   {4, 9},
                                                {5, 4}, {8, 16}, {9, 13}, {40, 100}};
    static const double qs[] = {0, 0.1, 0.5, 0.9};
    opevo_space *space = NULL;
    long double *origin = NULL;

    CHECK_OK(opevo_space_parse(json, "test", NULL, &space, &err));
    assert_true(opevo_space_size(space) == POINTS);
    origin = recombined_by_choices(space, &four);
    for (size_t i = 0; i < sizeof qs / sizeof *qs; i++) {
        long double *kernel = kernel_by_series(space, qs[i]);

        for (unsigned tenths = 0; tenths <= 10; tenths += 2) {
            for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
                bool taken[POINTS];

                take(space, tenths, (unsigned)k, taken);
                for (opevo_duplicate_rule rule = 0; rule < 3; rule++)
                    check_step(&(opevo_child_step){space, &four, qs[i], rule, taken, limits[k]},
                               kernel, origin);
            }
        }
        free(kernel);
    }
    free(origin);
    opevo_space_destroy(space);
}

/* What starts in a part of the graph without a free point is recombined anew, or lost. */
CHECK_TEST(parts_cut_off)
{
    static const opevo_index starts[] = {0, 3, 5, 6};
    opevo_parameter *parameter = parameter_of_edges("0 1\n1 2\n3 4\n6 7\n");
    opevo_space *space = NULL;
    opevo_parents parents = {starts, weights, 4};
    static const bool taken[8] = {true, false, true, true, true, true, true, false};
    static const double dead = 0.25 + 3, all = 6.25; /* weights of 3 and 5 */

    CHECK_OK(opevo_space_create(&parameter, 1, NULL, 0, OPEVO_DIALECT_C, "test", &space, &err));
    for (int rule = 0; rule < 2; rule++) {
        opevo_child_step step = {space, &parents,
                                 0.6,   (opevo_duplicate_rule)rule,
                                 taken, {OPEVO_CHILD_PATIENCE, OPEVO_CHILD_TRIES}};
        double law[8], lost = -1, bound = -1;

        CHECK_OK(opevo_child_law_without_duplicates(&step, law, &lost, &bound, &err));
        CHECK_CLOSE(lost, (dead / all) * (dead / all), 1e-14);
        CHECK_CLOSE(law[1], (1 + dead / all) * 1 / all, 1e-14);
        CHECK_CLOSE(law[7], (1 + dead / all) * 2 / all, 1e-14);
    }
    opevo_space_destroy(space);
}

/* A path of 60 points with its far end left: a mutation arrives there with k = 1e-59, so within the
 * limits of the sampler a child has probability 2 P k, to many digits. */
CHECK_TEST(hardly_ever)
{
    opevo_space *space = path_of(60);
    static const opevo_index start[] = {0};
    opevo_parents parents = {start, weights, 1};
    opevo_child_step step = {.parents = &parents,
                             .q = 0.1,
                             .rule = OPEVO_DUPLICATE_REDRAW,
                             .limits = {OPEVO_CHILD_PATIENCE, OPEVO_CHILD_TRIES}};
    opevo_law *walk = NULL;
    bool taken[60];
    double law[60], lost = 0, k = 0;

    memset(taken, true, sizeof taken);
    taken[59] = false;
    step.space = space;
    step.taken = taken;
    CHECK_OK(opevo_law_create(opevo_space_parameter(space, 0), 0.1, 0, NULL, &walk, &err));
    k = opevo_law_probability(walk, 59);
    assert_true(k > 0 && k < 1e-50);
    CHECK_OK(opevo_child_law_without_duplicates(&step, law, &lost, NULL, &err));
    CHECK_CLOSE(law[59] / k, OPEVO_CHILD_TRIES, 1e-8);
    CHECK_CLOSE(lost, 1, 1e-15);
    opevo_law_destroy(walk);
    opevo_space_destroy(space);
}

/* 200,000 children of the sampler within (3, 7), few of them new: they fit that law (p above 1e-4
 * at this seed), and reject the laws of (3, 6), (4, 7) and of no limits at 1e-6. */
CHECK_TEST(draws_tell_limits_apart)
{
    enum { DRAWS = 200000 };
    static const opevo_child_limits limits[] = {{3, 7}, {3, 6}, {4, 7}, {0, 0}};
    opevo_space *space = NULL;
    opevo_index_set *seen = opevo_index_set_create();
    opevo_index vertices[4][3], child[3];
    const opevo_index *rows[] = {vertices[0], vertices[1], vertices[2], vertices[3]};
    bool taken[POINTS];

    CHECK_OK(opevo_space_parse(json, "test", NULL, &space, &err));
    take(space, 9, 1, taken);
    for (opevo_index x = 0; x < POINTS; x++)
        if (taken[(size_t)x])
            assert_true(opevo_index_set_add(seen, x));
    for (size_t j = 0; j < 4; j++)
        opevo_space_decode(space, points[j], vertices[j]);
    for (opevo_duplicate_rule rule = 0; rule < 2; rule++) {
        opevo_child_sampler *sampler = NULL;
        uint64_t drawn[POINTS + 1] = {0};
        opevo_rng rng;

        CHECK_OK(opevo_child_sampler_create(space, 0.3, rule, &sampler, &err));
        CHECK_OK(opevo_child_sampler_set_parents(sampler, rows, weights, 4, &err));
        opevo_rng_init(&rng, 3, "child", rule);
        for (int i = 0; i < DRAWS; i++) {
            opevo_index point = 0;

            drawn[opevo_child_sampler_try(sampler, seen, limits[0], &rng, child, &point)
                      ? (size_t)point
                      : POINTS]++;
        }
        assert_true(drawn[POINTS] > 1000);
        for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
            double law[POINTS + 1], p = 0;

            CHECK_OK(opevo_child_law_without_duplicates(
                &(opevo_child_step){space, &four, 0.3, rule, taken, limits[k]}, law, &law[POINTS],
                NULL, &err));
            p = law[POINTS] > 0 ? fit_p(drawn, law, POINTS + 1, DRAWS) : 0;
            if (k ? p > 1e-6 : p < 1e-4)
                fail_msg("rule %d, limits %zu: p = %g", (int)rule, k, p);
        }
        opevo_child_sampler_destroy(sampler);
    }
    opevo_index_set_destroy(seen);
    opevo_space_destroy(space);
}

CHECK_TEST(one_limit_refused)
{
    opevo_space *space = NULL;
    static const bool taken[POINTS] = {false};
    double law[POINTS];

    CHECK_OK(opevo_space_parse(json, "test", NULL, &space, &err));
    CHECK_FAILS(OPEVO_INVALID, "give both, or neither",
                opevo_child_law_without_duplicates(
                    &(opevo_child_step){space, &four, 0.5, OPEVO_DUPLICATE_REDRAW, taken, {0, 5}},
                    law, NULL, NULL, &err));
    opevo_space_destroy(space);
}

CHECK_TEST(every_allocation_failing)
{
    opevo_space *space = NULL;
    bool taken[POINTS];
    int64_t live = 0;

    CHECK_OK(opevo_space_parse(json, "test", NULL, &space, &err));
    take(space, 5, 0, taken);
    live = opevo_memory_live();
    for (opevo_duplicate_rule rule = 0; rule < 3; rule++) {
        opevo_status status = OPEVO_NOMEM;

        for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
            double law[POINTS];

            opevo_memory_fail_at(n);
            status = opevo_child_law_without_duplicates(
                &(opevo_child_step){space, &four, 0.5, rule, taken, {3, 7}}, law, NULL, NULL, NULL);
            opevo_memory_fail_at(0);
            assert_int_equal(opevo_memory_live(), live);
        }
        assert_int_equal(status, OPEVO_OK);
    }
    opevo_space_destroy(space);
}
