/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The bound of the product law holds with all roundings counted: against closed forms in quadruple
 * precision, and joining bounds against their exact product. */

#include "child_fixture.h"

#include "law_internal.h"

#include <opevo/random.h>

#include <float.h>

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;
#else
typedef long double quad;
#endif

static quad distance(quad a, quad b)
{
    return a > b ? a - b : b - a;
}

/* ---- The law ---- */

enum { CHOICES = 3, PARENTS_MOST = 20000 };

/* On a complete graph of three vertices: the law from a vertex at `at`. */
static quad closed_form(double q, bool at)
{
    quad stay = ((1 - (quad)q) * (CHOICES - 1) + (quad)q) / (CHOICES - 1 + (quad)q);

    return at ? stay : (1 - stay) / (CHOICES - 1);
}

/* |law - exact|_1 of a space of parameters with three choices each. */
static quad error_of(const opevo_child_law *law, const opevo_space *space,
                     const opevo_parents *parents, double q)
{
    size_t width = opevo_space_parameter_count(space);
    opevo_index vertices[WIDTH_MAX];
    quad shares[WIDTH_MAX][CHOICES] = {{0}}, sum = 0, off = 0;

    for (size_t j = 0; j < parents->count; j++)
        sum += parents->weights[j];
    for (size_t j = 0; j < parents->count; j++) {
        opevo_space_decode(space, parents->points[j], vertices);
        for (size_t i = 0; i < width; i++)
            shares[i][vertices[i]] += parents->weights[j] / sum;
    }
    for (opevo_index point = 0; point < opevo_space_size(space); point++) {
        quad exact = 1;

        opevo_space_decode(space, point, vertices);
        for (size_t i = 0; i < width; i++) {
            quad marginal = 0;

            for (opevo_index v = 0; v < CHOICES; v++)
                marginal += shares[i][v] * closed_form(q, v == vertices[i]);
            exact *= marginal;
        }
        off += distance((quad)opevo_child_law_probability(law, point), exact);
    }
    return off;
}

/* Up to 20,000 parents, all alike or not: their shares are rounded,
 * and again when they are added. */
CHECK_TEST(bound_holds)
{
    static const char *const texts[] = {"categorical(a,b,c)", "categorical(a,b,c)",
                                        "categorical(a,b,c)", "categorical(a,b,c)"};
    static opevo_index points[PARENTS_MOST];
    static double weights[PARENTS_MOST];
    static const double qs[] = {0, 0.1, 0.5, 0.9};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (size_t k = 0; k < 240; k++) {
        static const size_t counts[] = {1, 7, 1000, PARENTS_MOST};
        opevo_parents parents = {points, weights, counts[k % 4]};
        opevo_space *space = space_of(texts, 1 + k / 16 % 4);
        uint64_t size = (uint64_t)opevo_space_size(space);
        opevo_child_law *law = NULL;
        double q = qs[k / 4 % 4];

        for (size_t j = 0; j < parents.count; j++) {
            points[j] = k < 64 ? 0 : opevo_rng_below(&rng, size);
            weights[j] = k < 128 ? 1 : opevo_rng_unit(&rng);
        }
        CHECK_OK(opevo_child_law_create(space, &parents, q, NULL, &law, &err));
        if (!(error_of(law, space, &parents, q) <= (quad)opevo_child_law_bound(law)))
            fail_msg("case %zu: off by %.3g, bound %.3g", k,
                     (double)error_of(law, space, &parents, q), opevo_child_law_bound(law));
        assert_true(opevo_child_law_bound(law) < 1e-15 * (double)(100 + 8 * parents.count));
        opevo_child_law_destroy(law);
        opevo_space_destroy(space);
    }
}

/* ---- Joining ---- */

/* Never below the product, also where a part vanishes beside 1, and hardly above it. */
CHECK_TEST(joining_rounds_up)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    for (int k = 0; k < 1000; k++) {
        double bound = 0;
        quad exact = 0;

        for (int i = 0; i < 20; i++) {
            double more = exp(-80 * opevo_rng_unit(&rng));

            bound = opevo_i_law_bound_join(bound, more);
            exact += more + exact * more;
            assert_true((quad)bound >= exact);
            assert_true((quad)bound <= exact * (1 + (quad)(8 * (i + 1)) * DBL_EPSILON));
        }
    }
    assert_true(opevo_i_law_bound_join(0, 0) >= 0);
    assert_true(opevo_i_law_bound_join(0x1p-60, 0x1p-60) > 0x1p-59);
}
