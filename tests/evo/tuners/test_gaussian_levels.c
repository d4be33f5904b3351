/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The levels that a Gaussian process draws, against the posterior enumerated level by level, and
 * against its prior where there is nothing to learn. */

#include "fit.h"
#include "walk_kernel_fixture.h"

#include <cblas.h>
#include <gsl/gsl_cdf.h>
#include <lapacke.h>

#include "gaussian_internal.h"

enum { MOST = 30 };

enum { STATES = OPEVO_I_LEVELS * OPEVO_I_LEVELS * OPEVO_I_NOISES, FEW = 8 };

/* A path and a set without order: three things to draw, 567 states in all. */
static const char drawn_space[] =
    "{\"a\": {\"_type\": \"discrete\", \"_value\": [3, 5, 6, 7, 9]},"
    " \"b\": {\"_type\": \"choice\", \"_value\": [\"x\", \"y\", \"z\"]}}";

static void put_state(opevo_i_qgp_gaussian *gaussian, size_t state)
{
    unsigned char levels[2] = {(unsigned char)(state % OPEVO_I_LEVELS),
                               (unsigned char)(state / OPEVO_I_LEVELS % OPEVO_I_LEVELS)};

    opevo_i_qgp_gaussian_set(gaussian, levels,
                             (unsigned char)(state / OPEVO_I_LEVELS / OPEVO_I_LEVELS));
}

static size_t get_state(const opevo_i_qgp_gaussian *gaussian)
{
    const unsigned char *levels = opevo_i_qgp_gaussian_levels(gaussian);

    return levels[0] +
           (size_t)OPEVO_I_LEVELS *
               (levels[1] + (size_t)OPEVO_I_LEVELS * opevo_i_qgp_gaussian_noise(gaussian));
}

static void fill_posterior(opevo_i_qgp_gaussian *gaussian, const opevo_i_qgp_points *points,
                           const double *z, double *posterior)
{
    double least = INFINITY;
    double sum = 0;

    for (size_t i = 0; i < STATES; i++) {
        put_state(gaussian, i);
        CHECK_OK(opevo_i_qgp_gaussian_evidence(gaussian, points, z, &posterior[i], &err));
        least = fmin(least, posterior[i]);
    }
    for (size_t i = 0; i < STATES; i++)
        sum += posterior[i] = exp(least - posterior[i]);
    for (size_t i = 0; i < STATES; i++)
        posterior[i] /= sum;
}

static size_t draw_state(const double *posterior, opevo_rng *rng)
{
    double left = opevo_rng_unit(rng);

    for (size_t i = 0; i + 1 < STATES; i++) {
        left -= posterior[i];
        if (left < 0)
            return i;
    }
    return STATES - 1;
}

static void check_frequencies(const double *expected, const uint64_t *found, size_t cells,
                              uint64_t total)
{
    size_t likely = 0; /* cells that count for themselves */
    double p = fit_p(found, expected, cells, total);

    for (size_t i = 0; i < cells; i++)
        likely += expected[i] * (double)total >= 10;
    assert_true(likely > 3);
    if (p < 1e-5)
        fail_msg("p-value %g of %zu cells", p, likely);
}

/* Of independent chains, each `sweeps` long: the law of where they end. Chains that start in the
 * posterior must stay in it after one sweep; others have to find it. */
static void check_chains(const walk_fixture *fixture, const double *z, size_t chains, int sweeps,
                         bool from_posterior)
{
    opevo_i_qgp_gaussian *gaussian = opevo_i_qgp_gaussian_create(fixture->kernel);
    double posterior[STATES];
    uint64_t found[STATES] = {0};
    size_t moved = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 5, "test", (uint64_t)from_posterior);
    fill_posterior(gaussian, &fixture->points, z, posterior);
    for (size_t c = 0; c < chains; c++) {
        size_t start = from_posterior ? draw_state(posterior, &rng) : 0;

        put_state(gaussian, start);
        for (int k = 0; k < sweeps; k++)
            CHECK_OK(opevo_i_qgp_gaussian_sweep(gaussian, &fixture->points, z, &rng, &err));
        moved += get_state(gaussian) != start;
        found[get_state(gaussian)]++;
    }
    assert_true(moved > chains / 2);
    check_frequencies(posterior, found, STATES, chains);
    opevo_i_qgp_gaussian_destroy(gaussian);
}

CHECK_TEST(test_sweep_draws_from_the_posterior)
{
    walk_fixture fixture = walk_fixture_open(drawn_space);
    double z[FEW];
    opevo_rng rng;

    opevo_rng_init(&rng, 4, "test", 0);
    walk_fixture_add_some(&fixture, FEW, &rng);
    for (size_t i = 0; i < FEW; i++) /* smooth along the path */
        z[i] = (double)fixture.points.values[0][i] + 0.3 * walk_fixture_normal(&rng);
    check_chains(&fixture, z, 6000, 1, true);
    check_chains(&fixture, z, 1500, 12, false);
    walk_fixture_close(&fixture);
}

/* The same point twice: the levels of q make no difference to the density, so chains that start in
 * the prior stay in it, by which half of what is optional does not matter. */
CHECK_TEST(test_prior)
{
    enum { CHAINS = 4000, FEATURES = 6 };
    static const double z[] = {0, 1};
    walk_fixture fixture =
        walk_fixture_open("{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]},"
                          " \"c\": {\"_type\": \"choice\", \"_value\": [0, 1]},"
                          " \"b\": {\"_type\": \"discrete\", \"_value\": [4, 5, 6]}}");
    opevo_i_qgp_gaussian *gaussian = opevo_i_qgp_gaussian_create(fixture.kernel);
    uint64_t found[FEATURES][OPEVO_I_LEVELS] = {{0}};
    opevo_rng rng;

    opevo_rng_init(&rng, 6, "test", 0);
    assert_int_equal(opevo_i_qgp_walk_kernel_features(fixture.kernel), FEATURES);
    for (int i = 0; i < 2; i++)
        CHECK_OK(opevo_i_qgp_points_add(&fixture.points, fixture.kernel, 5, 0, &err));
    for (size_t c = 0; c < CHAINS; c++) {
        unsigned char levels[FEATURES];

        walk_fixture_levels(&fixture, &rng, levels);
        for (size_t f = 0; f < FEATURES; f++) {
            if (opevo_i_qgp_walk_kernel_is_optional(fixture.kernel, f))
                levels[f] = opevo_rng_below(&rng, 2)
                                ? OPEVO_I_LEVELS - 1
                                : (unsigned char)opevo_rng_below(&rng, OPEVO_I_LEVELS - 1);
        }
        opevo_i_qgp_gaussian_set(gaussian, levels, 2);
        CHECK_OK(opevo_i_qgp_gaussian_sweep(gaussian, &fixture.points, z, &rng, &err));
        for (size_t f = 0; f < FEATURES; f++)
            found[f][opevo_i_qgp_gaussian_levels(gaussian)[f]]++;
    }
    for (size_t f = 0; f < FEATURES; f++) {
        bool optional = opevo_i_qgp_walk_kernel_is_optional(fixture.kernel, f);
        double prior[OPEVO_I_LEVELS];

        for (size_t level = 0; level < OPEVO_I_LEVELS; level++)
            prior[level] = !optional                     ? 1.0 / OPEVO_I_LEVELS
                           : level == OPEVO_I_LEVELS - 1 ? 0.5
                                                         : 0.5 / (OPEVO_I_LEVELS - 1);
        check_frequencies(prior, found[f], OPEVO_I_LEVELS, CHAINS);
    }
    opevo_i_qgp_gaussian_destroy(gaussian);
    walk_fixture_close(&fixture);
}

/* Targets of the model itself, C being that of the first parameter alone. */
static void draw_targets(const walk_fixture *fixture, opevo_rng *rng, double *z)
{
    double matrix[MOST * MOST];
    double normals[MOST];
    size_t n = fixture->points.count;

    assert_true(n <= MOST);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            float product = 1;

            opevo_i_qgp_walk_kernel_multiply(fixture->kernel, 0, 4, &fixture->points, i,
                                             (opevo_i_qgp_point_range){&fixture->points, j, 1},
                                             &product);
            matrix[i * n + j] = (double)product + (i == j ? 0.01 : 0);
        }
        normals[i] = walk_fixture_normal(rng);
    }
    assert_int_equal(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', (int)n, matrix, (int)n), 0);
    for (size_t i = 0; i < n; i++)
        z[i] = cblas_ddot((int)i + 1, matrix + i * n, 1, normals, 1);
}

/* Level 5 or above of 0 .. 8 has a chance of 4 in 9 where nothing is learned. */
CHECK_TEST(test_irrelevant_parameter)
{
    enum { SETS = 24, COUNT = 30 };
    size_t high = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 6, "test", 0);
    for (size_t set = 0; set < SETS; set++) {
        walk_fixture fixture =
            walk_fixture_open("{\"a\": {\"_type\": \"discrete\", \"_value\": [3, 5, 6, 7, 9, 10]},"
                              " \"b\": {\"_type\": \"choice\", \"_value\": [0, 3, 5, 6, 7, 9]}}");
        opevo_i_qgp_gaussian *gaussian = opevo_i_qgp_gaussian_create(fixture.kernel);
        double z[COUNT];

        walk_fixture_add_some(&fixture, COUNT, &rng);
        draw_targets(&fixture, &rng, z);
        for (int k = 0; k < 12; k++)
            CHECK_OK(opevo_i_qgp_gaussian_sweep(gaussian, &fixture.points, z, &rng, &err));
        high += opevo_i_qgp_gaussian_levels(gaussian)[1] >= 5;
        opevo_i_qgp_gaussian_destroy(gaussian);
        walk_fixture_close(&fixture);
    }
    if (gsl_cdf_binomial_Q((unsigned)high - 1, 4.0 / 9, SETS) > 1e-5)
        fail_msg("%zu of %d", high, SETS);
}
