/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The walk's correlation, against the exact law of the walk and its own definition. */

#include "walk_fixture.h"

#include <stdlib.h>
#include <unistd.h>

#include <lapacke.h>

#include <opevo/law.h>

/* ---- One parameter: the law ---- */

static void fill_laws(const opevo_parameter *parameter, double q, size_t n, double *laws)
{
    opevo_law_options options = {.method = OPEVO_LAW_AUTO, .tolerance = 1e-9};

    for (size_t u = 0; u < n; u++) {
        opevo_law *law = NULL;

        CHECK_OK(opevo_law_create(parameter, q, u, &options, &law, &err));
        for (size_t v = 0; v < n; v++)
            laws[u * n + v] = opevo_law_probability(law, v);
        opevo_law_destroy(law);
    }
}

static bool is_power(size_t number)
{
    return number == 1 || number == 2 || number == 4;
}

/* Every correlation of the only parameter is sqrt(S_u(v) S_v(u) / (S_u(u) S_v(v))), for a parameter
 * without kinds, or one whose values are their own numbers. */
static void check_parameter(walk_fixture *self)
{
    bool numbered = opevo_i_walk_kernel_has_kind(self->kernel, 0);
    size_t n = (size_t)opevo_space_size(self->space);
    double *laws = malloc(n * n * sizeof *laws);

    assert_non_null(laws);
    walk_fixture_add_all(self);
    for (size_t level = 0; level < OPEVO_I_LEVELS; level++) {
        opevo_i_levels levels = {(unsigned char)level, 0};

        fill_laws(opevo_space_parameter(self->space, 0), opevo_i_level_q[level], n, laws);
        for (size_t u = 0; u < n; u++) {
            for (size_t v = 0; v < n; v++) {
                double expected = sqrt(fmax(laws[u * n + v], 0) * fmax(laws[v * n + u], 0) /
                                       (laws[u * n + u] * laws[v * n + v]));

                if (numbered && is_power(u) != is_power(v))
                    expected *= opevo_i_level_q[0];

                CHECK_CLOSE(
                    walk_fixture_correlation(self, &levels, &self->points, u, &self->points, v),
                    expected, 2e-6);
            }
        }
    }
    free(laws);
}

static void test_against_the_law(void **state)
{
    static const char *const spaces[] = {
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8, 16, 32, 64]}}",
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [3, 5, 6, 7, 9], \"_topology\": \"cycle\"}}",
        "{\"a\": {\"_type\": \"factor\", \"_value\": [64, 3]}}",
        "{\"a\": {\"_type\": \"factor\", \"_value\": [60, 2], \"_topology\": \"any-divisor\"}}",
        "{\"a\": {\"_type\": \"permutation\", \"_value\": [4]}}",
        "{\"a\": {\"_type\": \"choice\", \"_value\": [\"x\", \"y\", \"z\", \"u\", \"v\"]}}",
        "{\"a\": {\"_type\": \"choice\", \"_value\": [5]}}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        walk_fixture fixture = walk_fixture_open(spaces[i]);

        check_parameter(&fixture);
        walk_fixture_close(&fixture);
    }
}

/* A path, a triangle and a vertex alone: parts know nothing of each other. */
static void test_disconnected(void **state)
{
    char folder[] = "opevo-test-XXXXXX";
    char path[64];
    opevo_space *space = NULL;
    walk_fixture fixture;
    opevo_i_levels levels = {OPEVO_I_LEVELS - 1, 0};
    size_t apart = 0;
    FILE *file = NULL;

    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/parts.edges", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs("0 1\n1 2\n4 5\n5 6\n6 4\n", file);
    fclose(file);
    CHECK_OK(opevo_space_parse("{\"g\": {\"_type\": \"graph\", \"_value\": [\"parts.edges\"]}}",
                               "a test", folder, &space, &err));
    walk_fixture_take(&fixture, space);
    check_parameter(&fixture);
    for (size_t v = 0; v < fixture.points.count; v++)
        apart += walk_fixture_correlation(&fixture, &levels, &fixture.points, 0, &fixture.points,
                                          v) == 0;
    assert_int_equal(apart, fixture.points.count - 3);
    walk_fixture_close(&fixture);
    unlink(path);
    rmdir(folder);
}

/* ---- Kinds, and parameters without a table ---- */

static void test_kinds(void **state)
{
    static const struct {
        const char *json;
        bool expected;
    } cases[] = {
        {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 6]}}", true},
        {"{\"a\": {\"_type\": \"choice\", \"_value\": [0, 1, 7, \"x\"]}}", true},
        {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4]}}", false},
        {"{\"a\": {\"_type\": \"discrete\", \"_value\": [3, 5, 6]}}", false},
        {"{\"a\": {\"_type\": \"discrete\", \"_value\": [2, 3]}}", false},
        {"{\"a\": {\"_type\": \"choice\", \"_value\": [\"1\", \"2\", \"x\"]}}", false},
        {"{\"a\": {\"_type\": \"factor\", \"_value\": [12, 2]}}", false},
    };
    walk_fixture fixture;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture = walk_fixture_open(cases[i].json);
        assert_int_equal(opevo_i_walk_kernel_has_kind(fixture.kernel, 0), cases[i].expected);
        walk_fixture_close(&fixture);
    }
}

/* Values of one kind correlate by the walk alone, others by the kind's q besides. */
static void test_factor_of_kinds(void **state)
{
    static const bool power[] = {true, true, false, true, false, false, true};
    walk_fixture plain = walk_fixture_open(
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [3, 5, 6, 7, 9, 10, 11]}}");
    walk_fixture mixed =
        walk_fixture_open("{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 5, 6, 8]}}");

    (void)state;
    walk_fixture_add_all(&plain);
    walk_fixture_add_all(&mixed);
    for (size_t kind = 0; kind < OPEVO_I_LEVELS; kind++) {
        opevo_i_levels levels = {4, (unsigned char)kind};

        for (size_t u = 0; u < 7; u++) {
            for (size_t v = 0; v < 7; v++) {
                double walk =
                    walk_fixture_correlation(&plain, &levels, &plain.points, u, &plain.points, v);
                double q = power[u] == power[v] ? 1 : opevo_i_level_q[kind];

                CHECK_CLOSE(
                    walk_fixture_correlation(&mixed, &levels, &mixed.points, u, &mixed.points, v),
                    walk * q, 1e-6);
            }
        }
    }
    walk_fixture_close(&plain);
    walk_fixture_close(&mixed);
}

static void test_large_parameter(void **state)
{
    /* 1820 values */
    walk_fixture fixture =
        walk_fixture_open("{\"a\": {\"_type\": \"factor\", \"_value\": [4096, 5]}}");
    static const opevo_index numbers[] = {1819, 0, 700, 1819, 1, 0};
    enum { COUNT = sizeof numbers / sizeof *numbers };

    (void)state;
    assert_int_equal(opevo_space_size(fixture.space), 1820);
    assert_true(opevo_i_walk_kernel_has_walk(fixture.kernel, 0));
    for (size_t i = 0; i < COUNT; i++)
        CHECK_OK(opevo_i_points_add(&fixture.points, fixture.kernel, numbers[i], &err));
    for (size_t level = 0; level < OPEVO_I_LEVELS; level++) {
        opevo_i_levels levels = {(unsigned char)level, 0};

        for (size_t i = 0; i < COUNT; i++) {
            float row[COUNT];

            opevo_i_walk_kernel_row(fixture.kernel, &levels, &fixture.points, i, &fixture.points, 0,
                                    COUNT, row);
            for (size_t j = 0; j < COUNT; j++) {
                double expected = numbers[i] == numbers[j] ? 1 : opevo_i_level_q[level];

                CHECK_CLOSE((double)row[j], expected, 1e-7);
                CHECK_CLOSE(walk_fixture_correlation(&fixture, &levels, &fixture.points, i,
                                                     &fixture.points, j),
                            expected, 1e-7);
            }
        }
    }
    walk_fixture_close(&fixture);
}

/* ---- Whole points ---- */

/* Unit diagonal, symmetric, and no eigenvalue below 0 by more than single precision. */
static void check_positive(walk_fixture *self, const opevo_i_levels *levels)
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

static void test_positive_definite(void **state)
{
    walk_fixture fixture =
        walk_fixture_open("{\"a\": {\"_type\": \"factor\", \"_value\": [8, 3]}, \"b\": {\"_type\":"
                          " \"discrete\", \"_value\": [1, 2, 3, 4, 6]}, \"c\": {\"_type\":"
                          " \"choice\", \"_value\": [\"x\", \"y\", \"z\"]}}");
    opevo_i_levels levels[3] = {{0, 0}, {0, 0}, {0, 0}};
    opevo_rng rng;

    (void)state;
    opevo_rng_init(&rng, 1, "test", 0);
    walk_fixture_add_all(&fixture);
    check_positive(&fixture, levels);
    for (size_t p = 0; p < 3; p++)
        levels[p] = (opevo_i_levels){OPEVO_I_LEVELS - 1, OPEVO_I_LEVELS - 1};
    check_positive(&fixture, levels);
    for (int i = 0; i < 4; i++) {
        walk_fixture_levels(&fixture, &rng, levels);
        check_positive(&fixture, levels);
    }
    walk_fixture_close(&fixture);
}

/* Groups of several parameters, one that stands alone, and one without a table in between. */
static const char many_groups[] =
    "{\"a\": {\"_type\": \"factor\", \"_value\": [64, 3]}, \"b\": {\"_type\": \"discrete\","
    " \"_value\": [1, 2, 3, 4, 6, 8, 12]}, \"c\": {\"_type\": \"choice\", \"_value\": [0, 1]},"
    " \"big\": {\"_type\": \"permutation\", \"_value\": [7]}, \"d\": {\"_type\": \"factor\","
    " \"_value\": [1024, 4]}, \"e\": {\"_type\": \"permutation\", \"_value\": [5]},"
    " \"f\": {\"_type\": \"choice\", \"_value\": [9]}, \"g\": {\"_type\": \"discrete\","
    " \"_value\": [3, 4, 5]}}";

static void add_uniform(walk_fixture *self, size_t count, opevo_rng *rng)
{
    for (size_t i = 0; i < count; i++) {
        opevo_index point = opevo_rng_below_wide(rng, opevo_space_size(self->space));

        CHECK_OK(opevo_i_points_add(&self->points, self->kernel, point, &err));
    }
}

static void test_row_is_the_product(void **state)
{
    enum { COUNT = 90 };
    walk_fixture fixture = walk_fixture_open(many_groups);
    opevo_i_levels levels[WALK_WIDTH_MOST];
    float row[COUNT];
    opevo_rng rng;

    (void)state;
    opevo_rng_init(&rng, 2, "test", 0);
    add_uniform(&fixture, COUNT, &rng);
    for (size_t i = 0; i < COUNT; i += 7) {
        size_t first = i / 2;

        walk_fixture_levels(&fixture, &rng, levels);
        opevo_i_walk_kernel_row(fixture.kernel, levels, &fixture.points, i, &fixture.points, first,
                                COUNT - first, row);
        for (size_t j = first; j < COUNT; j++) {
            double expected =
                walk_fixture_correlation(&fixture, levels, &fixture.points, i, &fixture.points, j);

            CHECK_CLOSE((double)row[j - first], expected, 1e-6 * expected);
        }
    }
    walk_fixture_close(&fixture);
}

/* Points keep their values when their columns grow, and copies are the points. */
static void test_add_and_copy(void **state)
{
    enum { COUNT = 150 };
    walk_fixture fixture = walk_fixture_open(many_groups);
    size_t width = opevo_i_walk_kernel_width(fixture.kernel);
    opevo_i_levels levels[WALK_WIDTH_MOST];
    opevo_i_points copies;
    float row[COUNT];
    opevo_rng rng;

    (void)state;
    opevo_rng_init(&rng, 3, "test", 0);
    CHECK_OK(opevo_i_points_init(&copies, fixture.kernel, &err));
    for (size_t i = 0; i < COUNT; i++) {
        add_uniform(&fixture, 1, &rng);
        CHECK_OK(opevo_i_points_copy(&copies, &fixture.points, i, &err));
    }
    opevo_rng_init(&rng, 3, "test", 0);
    for (size_t i = 0; i < COUNT; i++) {
        opevo_index vertices[WALK_WIDTH_MOST];

        opevo_space_decode(fixture.space,
                           opevo_rng_below_wide(&rng, opevo_space_size(fixture.space)), vertices);
        for (size_t p = 0; p < width; p++) {
            assert_int_equal(copies.values[p][i], fixture.points.values[p][i]);
            if (opevo_parameter_size(opevo_space_parameter(fixture.space, p)) <= OPEVO_I_DENSE_MOST)
                assert_int_equal(copies.values[p][i], vertices[p]);
        }
    }
    walk_fixture_levels(&fixture, &rng, levels);
    for (size_t i = 0; i < COUNT; i++) {
        opevo_i_walk_kernel_row(fixture.kernel, levels, &fixture.points, i, &copies, 0, COUNT, row);
        assert_true(row[i] == 1);
    }
    opevo_i_points_clear(&copies);
    walk_fixture_close(&fixture);
}

/* ---- Without memory ---- */

static opevo_status use(const opevo_space *space)
{
    opevo_i_walk_kernel *kernel = NULL;
    opevo_i_points points = {0};
    opevo_i_points copies = {0};
    opevo_status status = opevo_i_walk_kernel_create(space, &kernel, NULL);

    if (status == OPEVO_OK)
        status = opevo_i_points_init(&points, kernel, NULL);
    if (status == OPEVO_OK)
        status = opevo_i_points_init(&copies, kernel, NULL);
    for (opevo_index point = 0; point < 40 && status == OPEVO_OK; point++)
        status = opevo_i_points_add(&points, kernel, point * 12345, NULL);
    for (size_t i = 0; i < 40 && status == OPEVO_OK; i++)
        status = opevo_i_points_copy(&copies, &points, i, NULL);
    opevo_i_points_clear(&points);
    opevo_i_points_clear(&copies);
    opevo_i_walk_kernel_destroy(kernel);
    return status;
}

static void test_every_allocation_fails(void **state)
{
    opevo_space *space = NULL;
    opevo_status status = OPEVO_NOMEM;
    int64_t live = 0;

    (void)state;
    CHECK_OK(opevo_space_parse("{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]},"
                               " \"b\": {\"_type\": \"permutation\", \"_value\": [9]}}",
                               "a test", NULL, &space, &err));
    live = opevo_memory_live();
    for (int64_t n = 1; status != OPEVO_OK; n++) {
        assert_true(n < 100);
        opevo_memory_fail_at(n);
        status = use(space);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
    }
    opevo_space_destroy(space);
    opevo_i_walk_kernel_destroy(NULL);
}

/* A point that did not fit leaves the others, and fits once there is memory. */
static void test_goes_on_after_a_failure(void **state)
{
    walk_fixture fixture = walk_fixture_open(many_groups);
    opevo_rng rng;
    opevo_i_levels levels[WALK_WIDTH_MOST];
    float row[33];

    (void)state;
    opevo_rng_init(&rng, 4, "test", 0);
    add_uniform(&fixture, 32, &rng); /* the first capacity */
    walk_fixture_levels(&fixture, &rng, levels);
    for (int64_t n = 1; n <= 4; n++) {
        opevo_memory_fail_at(n);
        CHECK_FAILS(OPEVO_NOMEM, "No memory for 96 points",
                    opevo_i_points_add(&fixture.points, fixture.kernel, 1, &err));
        opevo_memory_fail_at(0);
        assert_int_equal(fixture.points.count, 32);
    }
    add_uniform(&fixture, 1, &rng);
    for (size_t i = 0; i < 33; i++) {
        opevo_i_walk_kernel_row(fixture.kernel, levels, &fixture.points, i, &fixture.points, 0, 33,
                                row);
        assert_true(row[i] == 1);
    }
    walk_fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_the_law),
        cmocka_unit_test(test_disconnected),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_factor_of_kinds),
        cmocka_unit_test(test_large_parameter),
        cmocka_unit_test(test_positive_definite),
        cmocka_unit_test(test_row_is_the_product),
        cmocka_unit_test(test_add_and_copy),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_goes_on_after_a_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
