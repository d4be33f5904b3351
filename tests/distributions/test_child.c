/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The product law of a child against enumeration of recombination and mutation. */

#include "check_memory.h"
#include "child_fixture.h"

static const char *const small[] = {"factor(4,3)", "discrete(1,2,5)", "categorical(a,b,c)",
                                    "permutation(3)"};

static void check_against_enumeration(const opevo_space *space, const opevo_parents *parents,
                                      double q, opevo_law_method method)
{
    size_t n = (size_t)opevo_space_size(space);
    long double *kernel = kernel_by_series(space, q), off = 0;
    long double *origin = recombined_by_choices(space, parents);
    opevo_law_options options = {.method = method};
    opevo_child_law *law = NULL;
    double sum = 0;

    CHECK_OK(opevo_child_law_create(space, parents, q, &options, &law, &err));
    for (size_t y = 0; y < n; y++) {
        long double exact = 0;

        for (size_t x = 0; x < n; x++)
            exact += origin[x] * kernel[x * n + y];
        off += fabsl(opevo_child_law_probability(law, y) - exact);
        sum += opevo_child_law_probability(law, y);
    }
    assert_true(opevo_child_law_bound(law) < 1e-11);
    assert_true(off <= opevo_child_law_bound(law));
    CHECK_CLOSE(sum, 1, 1e-12);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        size_t size = (size_t)opevo_parameter_size(opevo_space_parameter(space, i));

        sum = 0;
        for (size_t v = 0; v < size; v++)
            sum += opevo_child_law_marginal(law, i)[v];
        CHECK_CLOSE(sum, 1, 1e-12);
    }
    opevo_child_law_destroy(law);
    free(kernel);
    free(origin);
}

CHECK_TEST(product_of_mixtures)
{
    static const opevo_law_method methods[] = {OPEVO_LAW_AUTO, OPEVO_LAW_CG, OPEVO_LAW_CHOLESKY,
                                               OPEVO_LAW_CG_IMPLICIT, OPEVO_LAW_LUMPED};
    static const opevo_index points[] = {0, 17, 200, 323, 17};
    static const double weights[] = {1, 0.25, 3, 2, 0.5}, one[] = {7};
    static const double qs[] = {0, 0.2, 0.5, 0.9};
    opevo_space *space = space_of(small, 4);

    assert_int_equal((int)opevo_space_size(space), 324);
    for (size_t i = 0; i < 4; i++) {
        for (size_t m = 0; m < (i == 2 ? 5 : 1); m++) {
            opevo_parents several = {points, weights, 5}, single = {points + 2, one, 1};

            check_against_enumeration(space, &several, qs[i], methods[m]);
            check_against_enumeration(space, &single, qs[i], methods[m]);
        }
    }
    opevo_space_destroy(space);
}

/* Weights count relatively, and a parent of weight 0 not at all. */
CHECK_TEST(weights_are_shares)
{
    static const opevo_index points[] = {0, 17, 200};
    static const double weights[] = {1, 0, 3}, scaled[] = {1e300, 0, 3e300};
    opevo_space *space = space_of(small, 4);
    opevo_parents two = {points, weights, 3}, same = {points, scaled, 3};
    opevo_child_law *a = NULL, *b = NULL;

    CHECK_OK(opevo_child_law_create(space, &two, 0, NULL, &a, &err));
    CHECK_OK(opevo_child_law_create(space, &same, 0, NULL, &b, &err));
    for (opevo_index y = 0; y < opevo_space_size(space); y++)
        CHECK_CLOSE(opevo_child_law_probability(a, y), opevo_child_law_probability(b, y), 1e-15);
    CHECK_CLOSE(opevo_child_law_probability(a, 17), 0, 0);
    opevo_child_law_destroy(a);
    opevo_child_law_destroy(b);
    opevo_space_destroy(space);
}

/* The space of a real operator, with more points than memory: only marginals are kept. */
CHECK_TEST(large_space)
{
    static const char *const texts[] = {"factor(1024,4)", "factor(512,4)", "factor(1024,3)",
                                        "permutation(7)"};
    opevo_space *space = space_of(texts, 4);
    opevo_index points[2] = {opevo_space_size(space) / 3, opevo_space_size(space) - 1};
    static const double weights[] = {2, 1};
    opevo_parents parents = {points, weights, 2};
    opevo_child_law *law = NULL;
    opevo_index vertices[4];
    double product = 1;

    CHECK_OK(opevo_child_law_create(space, &parents, 0.5, NULL, &law, &err));
    opevo_space_decode(space, points[0] + 12345, vertices);
    for (size_t i = 0; i < 4; i++)
        product *= opevo_child_law_marginal(law, i)[(size_t)vertices[i]];
    assert_true(product > 0);
    CHECK_CLOSE(opevo_child_law_probability(law, points[0] + 12345) / product, 1, 1e-14);
    assert_true(opevo_child_law_bound(law) < 4.1e-12);
    opevo_child_law_destroy(law);
    opevo_space_destroy(space);
}

CHECK_TEST(refused)
{
    static const char *const huge_texts[] = {"permutation(20)"};
    static const opevo_index points[] = {0, 324};
    static const double good[] = {1, 1}, negative[] = {1, -1}, zero[] = {0, 0},
                        endless[] = {1, INFINITY}, nothing[] = {NAN, 1};
    opevo_space *space = space_of(small, 4), *huge = space_of(huge_texts, 1);
    opevo_child_law *law = NULL;

    CHECK_FAILS(
        OPEVO_INVALID, "at least one parent",
        opevo_child_law_create(space, &(opevo_parents){points, good, 0}, 0.5, NULL, &law, &err));
    CHECK_FAILS(
        OPEVO_INVALID, "Parent 1 lies outside",
        opevo_child_law_create(space, &(opevo_parents){points, good, 2}, 0.5, NULL, &law, &err));
    CHECK_FAILS(
        OPEVO_INVALID, "q is",
        opevo_child_law_create(space, &(opevo_parents){points, good, 1}, 1, NULL, &law, &err));
    for (int i = 0; i < 4; i++) {
        const double *weights[] = {negative, endless, nothing, zero};
        opevo_parents parents = {(opevo_index[]){0, 1}, weights[i], 2};

        CHECK_FAILS(OPEVO_INVALID, "weight",
                    opevo_child_law_create(space, &parents, 0.5, NULL, &law, &err));
    }
    CHECK_FAILS(
        OPEVO_LIMIT, "permutation(20)",
        opevo_child_law_create(huge, &(opevo_parents){points, good, 1}, 0.5, NULL, &law, &err));
    assert_null(law);
    opevo_child_law_destroy(NULL);
    opevo_space_destroy(space);
    opevo_space_destroy(huge);
}

CHECK_TEST(every_allocation_failing)
{
    opevo_child_law *law = NULL;
    static const opevo_index points[] = {0, 17};
    static const double weights[] = {1, 2};
    opevo_space *space = space_of(small, 4);
    opevo_parents parents = {points, weights, 2};

    CHECK_MEMORY_OF(opevo_child_law_create(space, &parents, 0.5, NULL, &law, NULL),
                    opevo_child_law_destroy(law), law = NULL);
    opevo_space_destroy(space);
}
