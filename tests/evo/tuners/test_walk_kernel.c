/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The correlation of points, against its own definition. */

#include "branched_spaces.h"
#include "draw.h"
#include "walk_kernel_fixture.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <lapacke.h>

/* ---- Features ---- */

CHECK_TEST(test_features)
{
    static const struct {
        const char *json;
        size_t features;
    } cases[] = {
        {"{\"a\": {\"_type\": \"choice\", \"_value\": [5]}}", 0},
        {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 6]}}", 2},
        {"{\"a\": {\"_type\": \"choice\", \"_value\": [0, 1, 7, \"x\"]}}", 2},
        {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4]}}", 1},
        {"{\"a\": {\"_type\": \"discrete\", \"_value\": [3, 5, 6]}}", 1},
        {"{\"a\": {\"_type\": \"discrete\", \"_value\": [2, 3]}}", 1},
        {"{\"a\": {\"_type\": \"choice\", \"_value\": [\"1\", \"2\", \"x\"]}}", 1},
        {"{\"a\": {\"_type\": \"factor\", \"_value\": [12, 2]}}", 1},
        {"{\"a\": {\"_type\": \"factor\", \"_value\": [12, 4]}}", 4},
        {"{\"a\": {\"_type\": \"permutation\", \"_value\": [3]}}", 3},
        {"{\"a\": {\"_type\": \"permutation\", \"_value\": [9]}}", 1}, /* 9! values: no table */
        {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]},"
         " \"b\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4]}}",
         3},
        {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]},"
         " \"b\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]},"
         " \"c\": {\"_type\": \"choice\", \"_value\": [\"x\", 8, 0]}}",
         7},
    };
    walk_fixture fixture;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture = walk_fixture_open(cases[i].json);
        assert_int_equal(opevo_i_qgp_walk_kernel_features(fixture.kernel), cases[i].features);
        walk_fixture_close(&fixture);
    }
}

/* A feature of the kernel is the feature of its parameter. */
CHECK_TEST(test_components)
{
    walk_fixture fixture =
        walk_fixture_open("{\"c\": {\"_type\": \"choice\", \"_value\": [\"x\", \"y\"]},"
                          " \"a\": {\"_type\": \"factor\", \"_value\": [12, 3]}}");
    const opevo_parameter *parameter = opevo_space_parameter(fixture.space, 1);
    size_t n = (size_t)opevo_parameter_size(parameter);

    for (opevo_index v = 0; v < n; v++) {
        opevo_index vertices[] = {0, v};

        CHECK_OK(opevo_i_qgp_points_add(&fixture.points, fixture.kernel,
                                        opevo_space_encode(fixture.space, vertices), 0, &err));
    }
    for (int k = 0; k < 3; k++) {
        opevo_i_qgp_walk_feature feature;

        CHECK_OK(opevo_i_qgp_walk_feature_init(&feature, parameter, k, &err));
        for (size_t u = 0; u < n; u++) {
            for (size_t v = 0; v < n; v++) {
                float product = 1;

                opevo_i_qgp_walk_kernel_multiply(
                    fixture.kernel, 1 + (size_t)k, 4, &fixture.points, u,
                    (opevo_i_qgp_point_range){&fixture.points, v, 1}, &product);
                assert_true(product ==
                            opevo_i_qgp_walk_feature_row(&feature, 4, u)[feature.class_of[v]]);
            }
        }
        opevo_i_qgp_walk_feature_clear(&feature);
    }
    walk_fixture_close(&fixture);
}

static bool is_power_of_two(int64_t number)
{
    int64_t power = 1;

    while (power < number)
        power *= 2;
    return power == number;
}

/* Several mixed parameters: the last feature is whether all of them have a power of two, and says
 * nothing of the others. What is about powers of two is optional. */
CHECK_TEST(test_powers_of_two)
{
    static const int64_t a[] = {1, 2, 3, 4, 6};
    static const int64_t b[] = {5, 8, 16};
    walk_fixture fixture =
        walk_fixture_open("{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 6]},"
                          " \"c\": {\"_type\": \"discrete\", \"_value\": [3, 5, 7]},"
                          " \"d\": {\"_type\": \"discrete\", \"_value\": [1, 3]},"
                          " \"b\": {\"_type\": \"discrete\", \"_value\": [5, 8, 16]}}");
    static const bool optional[] = {false, true, false, false, false, true, true};
    size_t last = opevo_i_qgp_walk_kernel_features(fixture.kernel) - 1;

    assert_int_equal(last, 6);
    for (size_t f = 0; f <= last; f++) {
        assert_int_equal(opevo_i_qgp_walk_kernel_is_optional(fixture.kernel, f), optional[f]);
        assert_int_equal(opevo_i_qgp_walk_kernel_start(fixture.kernel, f) == OPEVO_I_LEVELS - 1,
                         f < last && optional[f]);
    }
    walk_fixture_add_all(&fixture);
    for (opevo_index u = 0; u < fixture.points.count; u++) {
        for (opevo_index v = 0; v < fixture.points.count; v++) {
            bool of_u = is_power_of_two(a[u / 18]) && is_power_of_two(b[u % 3]);
            bool of_v = is_power_of_two(a[v / 18]) && is_power_of_two(b[v % 3]);

            for (unsigned level = 0; level < OPEVO_I_LEVELS; level++) {
                float product = 1;

                opevo_i_qgp_walk_kernel_multiply(
                    fixture.kernel, last, level, &fixture.points, (size_t)u,
                    (opevo_i_qgp_point_range){&fixture.points, (size_t)v, 1}, &product);
                assert_true(product == (of_u == of_v ? 1 : (float)opevo_i_qgp_level_q[level]));
            }
        }
    }
    walk_fixture_close(&fixture);
}

CHECK_TEST(test_without_a_table)
{
    walk_fixture fixture =
        walk_fixture_open("{\"a\": {\"_type\": \"permutation\", \"_value\": [9]}}");
    static const opevo_index numbers[] = {362879, 0, 70000, 362879, 1, 0};
    enum { COUNT = sizeof numbers / sizeof *numbers };

    for (size_t i = 0; i < COUNT; i++)
        CHECK_OK(opevo_i_qgp_points_add(&fixture.points, fixture.kernel, numbers[i], 0, &err));
    for (size_t level = 0; level < OPEVO_I_LEVELS; level++) {
        unsigned char levels[] = {(unsigned char)level};

        for (size_t i = 0; i < COUNT; i++) {
            float row[COUNT];

            opevo_i_qgp_walk_kernel_row(fixture.kernel, levels, &fixture.points, i,
                                        (opevo_i_qgp_point_range){&fixture.points, 0, COUNT}, row);
            for (size_t j = 0; j < COUNT; j++) {
                double expected = numbers[i] == numbers[j] ? 1 : opevo_i_qgp_level_q[level];

                CHECK_CLOSE((double)row[j], expected, 1e-7);
            }
        }
    }
    walk_fixture_close(&fixture);
}

/* ---- Whole points ---- */

/* Unit diagonal, symmetric, and no eigenvalue below 0 by more than single precision. */
static void check_positive(walk_fixture *self, const unsigned char *levels)
{
    size_t n = self->points.count;
    double *matrix = malloc(n * n * sizeof *matrix);
    double *values = malloc(n * sizeof *values);

    assert_true(matrix && values);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            matrix[i * n + j] =
                walk_fixture_correlation(self, levels, &self->points, i, &self->points, j);
    }
    for (size_t i = 0; i < n; i++) {
        assert_true(matrix[i * n + i] == 1);
        for (size_t j = 0; j < i; j++)
            assert_true(matrix[i * n + j] == matrix[j * n + i] && matrix[i * n + j] >= 0 &&
                        matrix[i * n + j] < 1);
    }
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', (int)n, matrix, (int)n, values), 0);
    assert_true(values[0] > -(double)n * 0x1p-24);
    free(matrix);
    free(values);
}

CHECK_TEST(test_positive_definite)
{
    walk_fixture fixture =
        walk_fixture_open("{\"a\": {\"_type\": \"factor\", \"_value\": [8, 3]}, \"b\": {\"_type\":"
                          " \"discrete\", \"_value\": [1, 2, 3, 4, 6]}, \"c\": {\"_type\":"
                          " \"choice\", \"_value\": [\"x\", \"y\", \"z\"]}}");
    unsigned char levels[WALK_FEATURES_MOST] = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    walk_fixture_add_all(&fixture);
    check_positive(&fixture, levels);
    memset(levels, OPEVO_I_LEVELS - 1, sizeof levels);
    check_positive(&fixture, levels);
    for (int i = 0; i < 4; i++) {
        walk_fixture_levels(&fixture, &rng, levels);
        check_positive(&fixture, levels);
    }
    walk_fixture_close(&fixture);
}

CHECK_TEST(test_row_is_the_product)
{
    enum { COUNT = 90 };
    walk_fixture fixture = walk_fixture_open(many_groups);
    unsigned char levels[WALK_FEATURES_MOST];
    float row[COUNT];
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    add_uniform(&fixture, COUNT, &rng);
    for (size_t i = 0; i < COUNT; i += 7) {
        size_t first = i / 2;

        walk_fixture_levels(&fixture, &rng, levels);
        opevo_i_qgp_walk_kernel_row(
            fixture.kernel, levels, &fixture.points, i,
            (opevo_i_qgp_point_range){&fixture.points, first, COUNT - first}, row);
        for (size_t j = first; j < COUNT; j++) {
            double expected =
                walk_fixture_correlation(&fixture, levels, &fixture.points, i, &fixture.points, j);

            CHECK_CLOSE((double)row[j - first], expected, 1e-6 * expected);
        }
    }
    walk_fixture_close(&fixture);
}

/* ---- Branches ---- */

/* The mean correlation of value u with all values, or that with v, by one feature. */
static double of_feature(const opevo_parameter *parameter, int what, unsigned level, opevo_index u,
                         opevo_index v)
{
    opevo_i_qgp_walk_feature feature;
    size_t size = (size_t)opevo_parameter_size(parameter);
    double sum = 0;

    CHECK_OK(opevo_i_qgp_walk_feature_init(&feature, parameter, what, &err));
    if (feature.classes == 1)
        sum = 1;
    else if (v != OPEVO_INACTIVE)
        sum = (double)opevo_i_qgp_walk_feature_row(&feature, level, (size_t)u)[feature.class_of[v]];
    for (size_t w = 0; feature.classes > 1 && v == OPEVO_INACTIVE && w < size; w++)
        sum +=
            (double)opevo_i_qgp_walk_feature_row(&feature, level, (size_t)u)[feature.class_of[w]] /
            (double)size;
    opevo_i_qgp_walk_feature_clear(&feature);
    return sum;
}

/* The correlation of two vertices of a parameter, by all of its features at one level. */
static double of_parameter(const opevo_parameter *parameter, unsigned level, opevo_index u,
                           opevo_index v)
{
    size_t arity = opevo_parameter_arity(parameter);
    double product = 1;

    if (u == OPEVO_INACTIVE && v == OPEVO_INACTIVE)
        return 1;
    if (u == OPEVO_INACTIVE)
        return of_parameter(parameter, level, v, u);
    for (size_t k = 0; arity > 2 && k < arity; k++)
        product *= of_feature(parameter, (int)k, level, u, v);
    if (arity <= 2)
        product *= of_feature(parameter, OPEVO_I_FEATURE_VALUE, level, u, v);
    if (arity == 1 && opevo_parameter_size(parameter) > 2)
        product *= of_feature(parameter, OPEVO_I_FEATURE_KIND, level, u, v);
    return product;
}

/* The kernel is the product over parameters, of which at most one is mixed. */
static void check_branches(const char *json, unsigned level)
{
    walk_fixture fixture = walk_fixture_open(json);
    unsigned char levels[WALK_FEATURES_MOST];
    size_t width = opevo_space_parameter_count(fixture.space);

    memset(levels, (int)level, sizeof levels);
    walk_fixture_add_all(&fixture);
    for (size_t i = 0; i < fixture.points.count; i++) {
        opevo_index u[WALK_FEATURES_MOST];

        opevo_space_decode(fixture.space, i, u);
        for (size_t j = 0; j < fixture.points.count; j += 5) {
            opevo_index v[WALK_FEATURES_MOST];
            double expected = 1;
            float got = 0;

            opevo_space_decode(fixture.space, j, v);
            for (size_t p = 0; p < width; p++)
                expected *=
                    of_parameter(opevo_space_parameter(fixture.space, p), level, u[p], v[p]);
            opevo_i_qgp_walk_kernel_row(fixture.kernel, levels, &fixture.points, i,
                                        (opevo_i_qgp_point_range){&fixture.points, j, 1}, &got);
            CHECK_CLOSE((double)got, expected, 1e-5 * expected);
        }
    }
    walk_fixture_close(&fixture);
}

CHECK_TEST(test_branches)
{
    check_branches("{" FLAT_CHOICE "}", 1);
    check_branches("{" TWO_LEVELS "}", 0);
    check_branches("{" TWO_LEVELS TWO_LEVELS_CONSTRAINT "}", 4);
}

/* A parameter without a table correlates by the mean over its values with being inactive. */
static void check_branch_without_a_table(walk_fixture *fixture, opevo_index inside, double values)
{
    opevo_index size = opevo_space_size(fixture->space);
    const opevo_index numbers[] = {0, inside, size - 1};

    for (size_t i = 0; i < 3; i++)
        CHECK_OK(opevo_i_qgp_points_add(&fixture->points, fixture->kernel, numbers[i], 0, &err));
    for (unsigned level = 0; level < OPEVO_I_LEVELS; level++) {
        unsigned char levels[WALK_FEATURES_MOST];
        double q = opevo_i_qgp_level_q[level];
        float row[3];

        memset(levels, OPEVO_I_LEVELS - 1, sizeof levels);
        levels[1] = (unsigned char)level; /* after the choice */
        for (size_t i = 0; i < 3; i++) {
            opevo_i_qgp_walk_kernel_row(fixture->kernel, levels, &fixture->points, i,
                                        (opevo_i_qgp_point_range){&fixture->points, 0, 3}, row);
            assert_true(row[i] == 1);
            if (i < 2)
                CHECK_CLOSE((double)row[1 - i], q, 1e-6);
            for (size_t j = 0; j < 2 && i == 2; j++)
                CHECK_CLOSE((double)row[j], (q + (1 - q) / values) * opevo_i_qgp_level_q[8], 1e-6);
        }
    }
}

CHECK_TEST(test_branch_without_a_table)
{
    walk_fixture large = walk_fixture_open("{\"c\": {\"_type\": \"choice\", \"_value\": ["
                                           "{\"_name\": \"a\", \"order\": {\"_type\":"
                                           " \"permutation\", \"_value\": 20}}, \"b\"]}}");
    walk_fixture nine = walk_fixture_open("{\"c\": {\"_type\": \"choice\", \"_value\": ["
                                          "{\"_name\": \"a\", \"order\": {\"_type\":"
                                          " \"permutation\", \"_value\": 9}}, \"b\"]}}");

    check_branch_without_a_table(&large, 5, 2432902008176640000.0);
    check_branch_without_a_table(&nine, 362879, 362880);
    walk_fixture_close(&large);
    walk_fixture_close(&nine);
}

/* Parameters of a random space, each with a name of its own; choices nest up to `depth` deep. */
static void write_parameters(uint64_t *state, int depth, size_t *named, char *text, size_t size)
{
    static const char *const plain[] = {
        "{\"_type\": \"discrete\", \"_value\": [1, 2, 3]}",
        "{\"_type\": \"discrete\", \"_value\": [1, 2, 4, 6]}",
        "{\"_type\": \"factor\", \"_value\": [4, 3]}",
        "{\"_type\": \"factor\", \"_value\": [8, 2]}",
        "{\"_type\": \"permutation\", \"_value\": 3}",
        "{\"_type\": \"choice\", \"_value\": [\"x\"]}",
    };
    size_t count = 1 + (size_t)draw(state, 2);

    for (size_t i = 0; i < count; i++) {
        size_t at = strlen(text);

        snprintf(text + at, size - at, ", \"p%zu\": ", (*named)++);
        at = strlen(text);
        if (depth == 0 || draw(state, 2) == 0) {
            snprintf(text + at, size - at, "%s", plain[draw(state, sizeof plain / sizeof *plain)]);
            continue;
        }
        snprintf(text + at, size - at, "{\"_type\": \"choice\", \"_value\": [\"none\"");
        for (uint64_t branch = 1 + draw(state, 3); branch > 0; branch--) {
            at = strlen(text);
            snprintf(text + at, size - at, ", {\"_name\": \"b%" PRIu64 "\"", branch);
            write_parameters(state, depth - 1, named, text, size);
            at = strlen(text);
            snprintf(text + at, size - at, "}");
        }
        at = strlen(text);
        snprintf(text + at, size - at, "]}");
    }
}

/* A random space with branches, of 30 to 1024 points, and at most eight parameters. */
static opevo_space *draw_branched(uint64_t *state)
{
    for (;;) {
        char text[8192] = "";
        opevo_space *space = NULL;
        size_t named = 0;

        write_parameters(state, 2, &named, text, sizeof text - 2);
        text[0] = '{';
        strcat(text, "}");
        if (named > 8)
            continue;
        CHECK_OK(opevo_space_parse(text, "a test", NULL, &space, &err));
        if (opevo_space_has_branches(space) && opevo_space_size(space) >= 30 &&
            opevo_space_size(space) <= 1024)
            return space;
        opevo_space_destroy(space);
    }
}

static void check_rows(walk_fixture *self, const unsigned char *levels)
{
    float row[100];

    for (size_t i = 0; i < self->points.count; i++) {
        opevo_i_qgp_walk_kernel_row(self->kernel, levels, &self->points, i,
                                    (opevo_i_qgp_point_range){&self->points, 0, self->points.count},
                                    row);
        for (size_t j = 0; j < self->points.count; j++) {
            double expected =
                walk_fixture_correlation(self, levels, &self->points, i, &self->points, j);

            CHECK_CLOSE((double)row[j], expected, 1e-5 * expected);
        }
    }
}

CHECK_TEST(test_random_branches_are_positive)
{
    uint64_t draws = 1;
    opevo_rng rng;

    opevo_rng_init(&rng, 6, "test", 0);
    for (int i = 0; i < 40; i++) {
        unsigned char levels[WALK_FEATURES_MOST] = {0};
        walk_fixture fixture;
        opevo_space *space = draw_branched(&draws);
        size_t size = (size_t)opevo_space_size(space);

        walk_fixture_take(&fixture, space);
        walk_fixture_add_some(&fixture, size < 100 ? size : 100, &rng);
        check_positive(&fixture, levels);
        memset(levels, OPEVO_I_LEVELS - 1, sizeof levels);
        check_positive(&fixture, levels);
        for (int k = 0; k < 4; k++) {
            walk_fixture_levels(&fixture, &rng, levels);
            check_positive(&fixture, levels);
            check_rows(&fixture, levels);
        }
        walk_fixture_close(&fixture);
    }
}
