/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The correlation of points of several runs, copies of points, and points without memory. */

#include "check_memory.h"
#include "walk_kernel_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Runs ---- */

/* Points of several runs: those of different ones correlate by the last level's q times what they
 * would have in one run. */
CHECK_TEST(test_runs)
{
    enum { COUNT = 60, RUNS = 3 };
    walk_fixture fixture = walk_fixture_open(many_groups);
    opevo_i_qgp_walk_kernel *kernel = NULL;
    unsigned char levels[WALK_FEATURES_MOST];
    opevo_i_qgp_points points;
    float alone[COUNT], together[COUNT];
    size_t features = opevo_i_qgp_walk_kernel_features(fixture.kernel);
    opevo_rng rng;

    opevo_rng_init(&rng, 5, "test", 0);
    CHECK_OK(opevo_i_qgp_walk_kernel_create(fixture.space, RUNS, &kernel, &err));
    assert_int_equal(opevo_i_qgp_walk_kernel_features(kernel), features + 1);
    CHECK_OK(opevo_i_qgp_points_init(&points, kernel, &err));
    for (size_t i = 0; i < COUNT; i++) {
        opevo_index point = opevo_rng_below_wide(&rng, opevo_space_size(fixture.space));

        CHECK_OK(opevo_i_qgp_points_add(&fixture.points, fixture.kernel, point, 0, &err));
        CHECK_OK(opevo_i_qgp_points_add(&points, kernel, point, i % RUNS, &err));
    }
    walk_fixture_levels(&fixture, &rng, levels);
    for (unsigned level = 0; level < OPEVO_I_LEVELS; level++) {
        levels[features] = (unsigned char)level;
        for (size_t i = 0; i < COUNT; i += 7) {
            opevo_i_qgp_walk_kernel_row(fixture.kernel, levels, &fixture.points, i,
                                        (opevo_i_qgp_point_range){&fixture.points, 0, COUNT},
                                        alone);
            opevo_i_qgp_walk_kernel_row(kernel, levels, &points, i,
                                        (opevo_i_qgp_point_range){&points, 0, COUNT}, together);
            for (size_t j = 0; j < COUNT; j++) {
                double expected =
                    (double)alone[j] * (i % RUNS == j % RUNS ? 1 : opevo_i_qgp_level_q[level]);

                CHECK_CLOSE((double)together[j], expected, 1e-6 * expected);
            }
        }
    }
    opevo_i_qgp_points_clear(&points);
    opevo_i_qgp_walk_kernel_destroy(kernel);
    walk_fixture_close(&fixture);
}

/* Points keep their values when their columns grow, and copies are the points. */
CHECK_TEST(test_add_and_copy)
{
    enum { COUNT = 150 };
    walk_fixture fixture = walk_fixture_open(many_groups);
    size_t width = opevo_space_parameter_count(fixture.space);
    unsigned char levels[WALK_FEATURES_MOST];
    opevo_i_qgp_points copies;
    float row[COUNT];
    opevo_rng rng;

    opevo_rng_init(&rng, 3, "test", 0);
    CHECK_OK(opevo_i_qgp_points_init(&copies, fixture.kernel, &err));
    for (size_t i = 0; i < COUNT; i++) {
        add_uniform(&fixture, 1, &rng);
        CHECK_OK(opevo_i_qgp_points_copy(&copies, &fixture.points, i, &err));
    }
    opevo_rng_init(&rng, 3, "test", 0);
    for (size_t i = 0; i < COUNT; i++) {
        opevo_index vertices[WALK_FEATURES_MOST];

        opevo_space_decode(fixture.space,
                           opevo_rng_below_wide(&rng, opevo_space_size(fixture.space)), vertices);
        for (size_t p = 0; p < width; p++) {
            assert_int_equal(copies.values[p][i], fixture.points.values[p][i]);
            if (p + 1 < width) /* the values of the last are numbered as they are met */
                assert_int_equal(copies.values[p][i], vertices[p]);
        }
    }
    walk_fixture_levels(&fixture, &rng, levels);
    for (size_t i = 0; i < COUNT; i++) {
        opevo_i_qgp_walk_kernel_row(fixture.kernel, levels, &fixture.points, i,
                                    (opevo_i_qgp_point_range){&copies, 0, COUNT}, row);
        assert_true(row[i] == 1);
    }
    opevo_i_qgp_points_clear(&copies);
    walk_fixture_close(&fixture);
}

/* ---- Without memory ---- */

static opevo_status use(const opevo_space *space)
{
    opevo_i_qgp_walk_kernel *kernel = NULL;
    opevo_i_qgp_points points = {0};
    opevo_i_qgp_points copies = {0};
    opevo_status status = opevo_i_qgp_walk_kernel_create(space, 2, &kernel, NULL);

    if (status == OPEVO_OK)
        status = opevo_i_qgp_points_init(&points, kernel, NULL);
    if (status == OPEVO_OK)
        status = opevo_i_qgp_points_init(&copies, kernel, NULL);
    for (opevo_index point = 0; point < 40 && status == OPEVO_OK; point++)
        status = opevo_i_qgp_points_add(&points, kernel, point * 12345, 1, NULL);
    for (size_t i = 0; i < 40 && status == OPEVO_OK; i++)
        status = opevo_i_qgp_points_copy(&copies, &points, i, NULL);
    opevo_i_qgp_points_clear(&points);
    opevo_i_qgp_points_clear(&copies);
    opevo_i_qgp_walk_kernel_destroy(kernel);
    return status;
}

CHECK_TEST(test_every_allocation_fails)
{
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse("{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]},"
                               " \"b\": {\"_type\": \"permutation\", \"_value\": [9]},"
                               " \"c\": {\"_type\": \"choice\", \"_value\": [4, 5, {\"_name\":"
                               " 6, \"d\": {\"_type\": \"choice\", \"_value\": [1, 2]}}]}}",
                               "a test", NULL, &space, &err));
    CHECK_MEMORY(use(space));
    opevo_space_destroy(space);
    opevo_i_qgp_walk_kernel_destroy(NULL);
}

/* A point that did not fit leaves the others, and fits once there is memory. */
CHECK_TEST(test_goes_on_after_a_failure)
{
    walk_fixture fixture = walk_fixture_open(many_groups);
    opevo_rng rng;
    unsigned char levels[WALK_FEATURES_MOST];
    float row[33];

    opevo_rng_init(&rng, 4, "test", 0);
    add_uniform(&fixture, 32, &rng); /* the first capacity */
    walk_fixture_levels(&fixture, &rng, levels);
    for (int64_t n = 1; n <= 4; n++) {
        opevo_memory_fail_at(n);
        CHECK_FAILS(OPEVO_NOMEM, "No memory for 96 points",
                    opevo_i_qgp_points_add(&fixture.points, fixture.kernel, 1, 0, &err));
        opevo_memory_fail_at(0);
        assert_int_equal(fixture.points.count, 32);
    }
    add_uniform(&fixture, 1, &rng);
    for (size_t i = 0; i < 33; i++) {
        opevo_i_qgp_walk_kernel_row(fixture.kernel, levels, &fixture.points, i,
                                    (opevo_i_qgp_point_range){&fixture.points, 0, 33}, row);
        assert_true(row[i] == 1);
    }
    walk_fixture_close(&fixture);
}
