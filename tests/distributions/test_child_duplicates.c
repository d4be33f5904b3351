/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a child after duplicates are handled: against the process followed step by step, for
 * both rules, and against draws. */

#include "child_fixture.h"

#include <opevo/memory.h>
#include <opevo/sampler.h>

/* Follow the mass on taken points, mutation by mutation, until less than 1e-17 moves: `continue` as
 * the rule is worded. What never leaves stays behind. */
static void follow(const long double *kernel, size_t n, const bool *taken, long double *law)
{
    long double *now = calloc(n, sizeof *now), *next = calloc(n, sizeof *next), moved = 1;

    memcpy(now, law, n * sizeof *now); /* after recombination */
    memset(law, 0, n * sizeof *law);
    for (int first = 1; moved > 1e-17L || first; first = 0) {
        memset(next, 0, n * sizeof *next);
        for (size_t x = 0; x < n; x++) {
            for (size_t y = 0; now[x] > 0 && y < n; y++)
                next[y] += now[x] * kernel[x * n + y];
        }
        moved = 0;
        for (size_t y = 0; y < n; y++) {
            if (!taken[y]) {
                law[y] += next[y];
                moved += next[y];
                next[y] = 0;
            }
        }
        memcpy(now, next, n * sizeof *now);
    }
    free(now);
    free(next);
}

static void again(const long double *kernel, size_t n, const bool *taken, long double *law)
{
    long double *origin = calloc(n, sizeof *origin);

    memcpy(origin, law, n * sizeof *origin);
    memset(law, 0, n * sizeof *law);
    for (size_t x = 0; x < n; x++) {
        long double accepted = 0;

        for (size_t y = 0; y < n; y++)
            accepted += taken[y] ? 0 : kernel[x * n + y];
        for (size_t y = 0; y < n && accepted > 0; y++)
            law[y] += taken[y] ? 0 : origin[x] * kernel[x * n + y] / accepted;
    }
    free(origin);
}

static void check_rule(const opevo_space *space, const opevo_parents *parents, double q,
                       opevo_duplicate_rule rule, const bool *taken, const long double *kernel)
{
    size_t n = (size_t)opevo_space_size(space);
    long double *exact = recombined_by_choices(space, parents), off = 0, sum = 0;
    double *law = calloc(n, sizeof *law), lost = -1, bound = -1;

    (rule == OPEVO_DUPLICATE_REDRAW ? again : follow)(kernel, n, taken, exact);
    CHECK_OK(opevo_child_law_without_duplicates(
        &(opevo_child_step){space, parents, q, rule, taken, {0, 0}}, law, &lost, &bound, &err));
    for (size_t y = 0; y < n; y++) {
        assert_true(law[y] >= 0 && !(taken[y] && law[y] != 0));
        off += fabsl(law[y] - exact[y]);
        sum += law[y];
    }
    assert_true(bound >= 0 && bound <= 1e-9);
    if (!(off <= bound + 1e-15L))
        fail_msg("off by %Lg, bound %g", off, bound);
    CHECK_CLOSE((double)sum + lost, 1, bound);
    free(exact);
    free(law);
}

static const char *const texts[] = {"factor(4,2)", "discrete(1,2,5,7)", "categorical(a,b,c)"};
static const opevo_index points[] = {0, 17, 35, 20};
static const double weights[] = {1, 0.25, 3, 2};
static const opevo_parents four = {points, weights, 4};

/* A fixed pattern that takes about `tenths` tenths of the points. */
static void take(bool *taken, size_t n, unsigned tenths)
{
    for (size_t x = 0; x < n; x++)
        taken[x] = x * 7919 % 104729 % 10 < tenths;
}

CHECK_TEST(both_rules)
{
    static const double qs[] = {0.1, 0.5, 0.9};
    opevo_space *space = space_of(texts, 3);
    size_t n = (size_t)opevo_space_size(space);
    bool taken[36];

    assert_int_equal(n, 36);
    for (size_t i = 0; i < 3; i++) {
        long double *kernel = kernel_by_series(space, qs[i]);

        for (unsigned tenths = 0; tenths <= 10; tenths++) {
            take(taken, n, tenths);
            check_rule(space, &four, qs[i], OPEVO_DUPLICATE_CONTINUE, taken, kernel);
            check_rule(space, &four, qs[i], OPEVO_DUPLICATE_REDRAW, taken, kernel);
        }
        for (size_t left = 0; i > 0 && left < n; left += 5) { /* one point left */
            memset(taken, true, sizeof taken);
            taken[left] = false;
            check_rule(space, &four, qs[i], OPEVO_DUPLICATE_CONTINUE, taken, kernel);
            check_rule(space, &four, qs[i], OPEVO_DUPLICATE_REDRAW, taken, kernel);
        }
        free(kernel);
    }
    opevo_space_destroy(space);
}

/* All taken: everything is lost. None taken: both are the product law. */
CHECK_TEST(extremes)
{
    opevo_space *space = space_of(texts, 3);
    bool taken[36];
    double law[36], lost = 0, bound = 0;
    opevo_child_law *product = NULL;

    CHECK_OK(opevo_child_law_create(space, &four, 0.5, NULL, &product, &err));
    for (int rule = 0; rule < 2; rule++) {
        memset(taken, true, sizeof taken);
        CHECK_OK(opevo_child_law_without_duplicates(
            &(opevo_child_step){space, &four, 0.5, (opevo_duplicate_rule)rule, taken, {0, 0}}, law,
            &lost, &bound, &err));
        CHECK_CLOSE(lost, 1, 1e-15);
        for (size_t y = 0; y < 36; y++)
            CHECK_CLOSE(law[y], 0, 0);
        memset(taken, false, sizeof taken);
        CHECK_OK(opevo_child_law_without_duplicates(
            &(opevo_child_step){space, &four, 0.5, (opevo_duplicate_rule)rule, taken, {0, 0}}, law,
            NULL, NULL, &err));
        for (size_t y = 0; y < 36; y++)
            CHECK_CLOSE(law[y], opevo_child_law_probability(product, y), 1e-13);
    }
    opevo_child_law_destroy(product);
    opevo_space_destroy(space);
}

/* Without steps a child that was seen stays so, whatever the rule. */
CHECK_TEST(no_steps)
{
    opevo_space *space = space_of(texts, 3);
    long double *origin = recombined_by_choices(space, &four);
    bool taken[36];
    double law[36], lost = 0, expected = 0;

    take(taken, 36, 4);
    for (size_t x = 0; x < 36; x++)
        expected += taken[x] ? (double)origin[x] : 0;
    assert_true(expected > 0.05);
    for (int rule = 0; rule < 2; rule++) {
        CHECK_OK(opevo_child_law_without_duplicates(
            &(opevo_child_step){space, &four, 0, (opevo_duplicate_rule)rule, taken, {0, 0}}, law,
            &lost, NULL, &err));
        CHECK_CLOSE(lost, expected, 1e-15);
        for (size_t x = 0; x < 36; x++)
            CHECK_CLOSE(law[x], taken[x] ? 0 : (double)origin[x], 1e-15);
    }
    free(origin);
    opevo_space_destroy(space);
}

/* A graph in two parts and a lone vertex: what starts in a part without a free point is lost. */
CHECK_TEST(parts_cut_off)
{
    opevo_parameter *parameters[2] = {parameter_of_edges("0 1\n1 2\n3 4\n6 7\n"), NULL};
    static const opevo_index starts[] = {0, 3, 5, 6};
    opevo_space *space = NULL;
    opevo_parents parents = {starts, weights, 4};
    long double *kernel = NULL;

    CHECK_OK(opevo_space_create(parameters, 1, NULL, 0, OPEVO_DIALECT_C, "test", &space, &err));
    kernel = kernel_by_series(space, 0.6);
    for (unsigned pattern = 0; pattern < 256; pattern++) {
        bool taken[8];

        for (size_t x = 0; x < 8; x++)
            taken[x] = pattern >> x & 1;
        check_rule(space, &parents, 0.6, OPEVO_DUPLICATE_CONTINUE, taken, kernel);
        check_rule(space, &parents, 0.6, OPEVO_DUPLICATE_REDRAW, taken, kernel);
    }
    free(kernel);
    opevo_space_destroy(space);
}

/* The steps as one would write them down, with the walkers of each parameter. */
static size_t draw_child(const opevo_space *space, opevo_walker *const *walkers,
                         const opevo_parents *parents, opevo_duplicate_rule rule, const bool *taken,
                         const opevo_alias *choice, opevo_rng *rng)
{
    opevo_index child[3], origin[3], parent[3], point = 0;

    for (size_t i = 0; i < 3; i++) {
        opevo_space_decode(space, parents->points[opevo_alias_draw(choice, rng)], parent);
        child[i] = origin[i] = parent[i];
    }
    do {
        for (size_t i = 0; i < 3; i++)
            child[i] = opevo_walker_draw(
                walkers[i], rule == OPEVO_DUPLICATE_REDRAW ? origin[i] : child[i], rng);
        point = opevo_space_encode(space, child);
    } while (taken[(size_t)point]);
    return (size_t)point;
}

/* 200000 children a rule, 18 free points. The draws of one rule reject the law of the other at
 * 1e-12, so that neither could be taken for the other; a right law fails with probability 1e-4. */
CHECK_TEST(draws_tell_the_rules_apart)
{
    enum { DRAWS = 200000 };
    opevo_space *space = space_of(texts, 3);
    opevo_walker *walkers[3] = {NULL};
    opevo_alias *choice = NULL;
    double law[2][36];
    bool taken[36];
    opevo_rng rng;

    take(taken, 36, 5);
    CHECK_OK(opevo_alias_create(weights, 4, &choice, &err));
    for (size_t i = 0; i < 3; i++)
        CHECK_OK(opevo_walker_create(opevo_space_parameter(space, i), 0.4, &walkers[i], &err));
    for (int rule = 0; rule < 2; rule++)
        CHECK_OK(opevo_child_law_without_duplicates(
            &(opevo_child_step){space, &four, 0.4, (opevo_duplicate_rule)rule, taken, {0, 0}},
            law[rule], NULL, NULL, &err));
    for (int rule = 0; rule < 2; rule++) {
        uint64_t drawn[36] = {0};

        opevo_rng_init(&rng, 1, "child", (uint64_t)rule);
        for (int i = 0; i < DRAWS; i++)
            drawn[draw_child(space, walkers, &four, (opevo_duplicate_rule)rule, taken, choice,
                             &rng)]++;
        assert_true(fit_p(drawn, law[rule], 36, DRAWS) > 1e-4);
        assert_true(fit_p(drawn, law[1 - rule], 36, DRAWS) < 1e-12);
    }
    for (size_t i = 0; i < 3; i++)
        opevo_walker_destroy(walkers[i]);
    opevo_alias_destroy(choice);
    opevo_space_destroy(space);
}

/* A path of 60 points with one far end left at small q: escaping takes 1e40 mutations, and no
 * answer is better than a wrong one. */
CHECK_TEST(too_improbable)
{
    opevo_space *space = path_of(60);
    static const opevo_index start[] = {0};
    opevo_parents parents = {start, weights, 1};
    bool taken[60];
    double law[60] = {7};

    memset(taken, true, sizeof taken);
    taken[59] = false;
    CHECK_FAILS(
        OPEVO_TOLERANCE, "",
        opevo_child_law_without_duplicates(
            &(opevo_child_step){space, &parents, 0.1, OPEVO_DUPLICATE_REDRAW, taken, {0, 0}}, law,
            NULL, NULL, &err));
    CHECK_CLOSE(law[0], 7, 0);
    opevo_space_destroy(space);
}

CHECK_TEST(refused)
{
    static const char *const large[] = {"discrete(1,2,3,4,5,6,7,8,9)", "permutation(6)"};
    opevo_space *space = space_of(large, 2), *fine = space_of(texts, 3);
    static const bool taken[36] = {false};
    static const double zero[4] = {0};
    double law[36];

    CHECK_FAILS(OPEVO_LIMIT, "4096",
                opevo_child_law_without_duplicates(
                    &(opevo_child_step){space, &four, 0.5, OPEVO_DUPLICATE_CONTINUE, taken, {0, 0}},
                    law, NULL, NULL, &err));
    CHECK_FAILS(OPEVO_INVALID, "q is",
                opevo_child_law_without_duplicates(
                    &(opevo_child_step){fine, &four, 1, OPEVO_DUPLICATE_CONTINUE, taken, {0, 0}},
                    law, NULL, NULL, &err));
    CHECK_FAILS(
        OPEVO_INVALID, "weight",
        opevo_child_law_without_duplicates(&(opevo_child_step){fine,
                                                               &(opevo_parents){points, zero, 4},
                                                               0.5,
                                                               OPEVO_DUPLICATE_CONTINUE,
                                                               taken,
                                                               {0, 0}},
                                           law, NULL, NULL, &err));
    opevo_space_destroy(space);
    opevo_space_destroy(fine);
}

CHECK_TEST(every_allocation_failing)
{
    opevo_space *space = space_of(texts, 3);
    bool taken[36];
    int64_t live = opevo_memory_live();

    take(taken, 36, 5);
    for (int rule = 0; rule < 2; rule++) {
        opevo_status status = OPEVO_NOMEM;

        for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
            double law[36];

            opevo_memory_fail_at(n);
            status = opevo_child_law_without_duplicates(
                &(opevo_child_step){space, &four, 0.5, (opevo_duplicate_rule)rule, taken, {0, 0}},
                law, NULL, NULL, NULL);
            opevo_memory_fail_at(0);
            assert_int_equal(opevo_memory_live(), live);
        }
        assert_int_equal(status, OPEVO_OK);
    }
    opevo_space_destroy(space);
}
