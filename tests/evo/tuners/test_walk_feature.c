/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The walk's correlation of the values of one parameter, against the exact law of the walk, and of
 * classes of them, against the series of the quotient graph. */

#include "parameters.h"
#include "walk_feature_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <opevo/law.h>
#include <opevo/memory.h>

static double correlation(const opevo_i_qgp_walk_feature *self, size_t level, size_t u, size_t v)
{
    return (double)opevo_i_qgp_walk_feature_row(self, (unsigned)level, u)[self->class_of[v]];
}

/* ---- Values: the law ---- */

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

/* Every correlation is sqrt(S_u(v) S_v(u) / (S_u(u) S_v(v))). */
static void check_values(const opevo_parameter *parameter)
{
    size_t n = (size_t)opevo_parameter_size(parameter);
    double *laws = malloc(n * n * sizeof *laws);
    opevo_i_qgp_walk_feature feature;

    assert_non_null(laws);
    CHECK_OK(opevo_i_qgp_walk_feature_init(&feature, parameter, OPEVO_I_FEATURE_VALUE, &err));
    assert_int_equal(feature.classes, n);
    for (size_t level = 0; level < OPEVO_I_LEVELS; level++) {
        fill_laws(parameter, opevo_i_qgp_level_q[level], n, laws);
        for (size_t u = 0; u < n; u++) {
            for (size_t v = 0; v < n; v++) {
                double expected = sqrt(fmax(laws[u * n + v], 0) * fmax(laws[v * n + u], 0) /
                                       (laws[u * n + u] * laws[v * n + v]));

                CHECK_CLOSE(correlation(&feature, level, u, v), expected, 2e-6);
            }
        }
    }
    opevo_i_qgp_walk_feature_clear(&feature);
    free(laws);
}

CHECK_TEST(test_against_the_law)
{
    static const char *const cases[][2] = {
        {"discrete(1,2,4,8,16,32,64)", NULL},
        {"discrete(3,5,6,7,9)", "cycle"},
        {"factor(64,3)", NULL},
        {"factor(60,2)", "any-divisor"},
        {"permutation(4)", NULL},
        {"choice(\"x\",\"y\",\"z\",\"u\",\"v\")", NULL},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_parameter *parameter = parameter_of(cases[i][0], cases[i][1]);

        check_values(parameter);
        opevo_parameter_destroy(parameter);
    }
}

/* A path, a triangle and a vertex alone: parts know nothing of each other. */
CHECK_TEST(test_disconnected)
{
    opevo_parameter *parameter = parameter_of_edges("0 1\n1 2\n4 5\n5 6\n6 4\n");
    opevo_i_qgp_walk_feature feature;
    size_t apart = 0;

    check_values(parameter);
    CHECK_OK(opevo_i_qgp_walk_feature_init(&feature, parameter, OPEVO_I_FEATURE_VALUE, &err));
    for (size_t v = 0; v < feature.classes; v++)
        apart += correlation(&feature, OPEVO_I_LEVELS - 1, 0, v) == 0;
    assert_int_equal(apart, feature.classes - 3);
    opevo_i_qgp_walk_feature_clear(&feature);
    opevo_parameter_destroy(parameter);
}

/* ---- Classes: the series ---- */

enum { CLASSES_MOST = 16, TERMS = 400 };

static bool same_component(const opevo_parameter *parameter, opevo_index u, opevo_index v, size_t k)
{
    opevo_value a[8];
    opevo_value b[8];

    opevo_parameter_value(parameter, u, a);
    opevo_parameter_value(parameter, v, b);
    return opevo_value_compare(a[k], b[k]) == 0;
}

/* D^-1 A between the classes: of the edges of a class, the shares that lead to each. */
static void fill_shares(const opevo_parameter *parameter, const opevo_i_qgp_walk_feature *feature,
                        double *shares, double *degrees)
{
    size_t n = feature->classes;

    memset(shares, 0, n * n * sizeof *shares);
    memset(degrees, 0, n * sizeof *degrees);
    for (opevo_index u = 0; u < opevo_parameter_size(parameter); u++) {
        for (opevo_index k = 0; k < opevo_parameter_degree(parameter, u); k++) {
            opevo_index v = opevo_parameter_neighbour(parameter, u, k);

            shares[feature->class_of[u] * n + feature->class_of[v]] += 1;
            degrees[feature->class_of[u]] += 1;
        }
    }
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++)
            shares[a * n + b] /= degrees[a];
    }
}

/* Visits to b from a: the sum of q^k (D^-1 A)^k, which is R(a, b) sqrt(D(b) / D(a)). */
static void fill_visits(const double *shares, size_t n, double q, double *visits)
{
    for (size_t a = 0; a < n; a++) {
        double now[CLASSES_MOST] = {0};

        now[a] = 1;
        memset(visits + a * n, 0, n * sizeof *visits);
        for (int k = 0; k < TERMS; k++) {
            double next[CLASSES_MOST] = {0};

            for (size_t b = 0; b < n; b++) {
                visits[a * n + b] += now[b];
                for (size_t c = 0; c < n; c++)
                    next[c] += q * now[b] * shares[b * n + c];
            }
            memcpy(now, next, sizeof now);
        }
    }
}

static void check_series(const opevo_parameter *parameter, const opevo_i_qgp_walk_feature *feature)
{
    enum { LEVEL = 3 }; /* .9^400 is 5e-19 */
    double shares[CLASSES_MOST * CLASSES_MOST];
    double degrees[CLASSES_MOST];
    double visits[CLASSES_MOST * CLASSES_MOST];
    size_t n = feature->classes;

    assert_true(n <= CLASSES_MOST);
    fill_shares(parameter, feature, shares, degrees);
    fill_visits(shares, n, opevo_i_qgp_level_q[LEVEL], visits);
    for (size_t u = 0; u < opevo_parameter_size(parameter); u++) {
        size_t a = feature->class_of[u];

        for (size_t b = 0; b < n; b++) {
            double expected = visits[a * n + b] * sqrt(degrees[a] / degrees[b] /
                                                       (visits[a * n + a] * visits[b * n + b]));

            CHECK_CLOSE((double)opevo_i_qgp_walk_feature_row(feature, LEVEL, u)[b], expected, 1e-6);
        }
    }
}

CHECK_TEST(test_components)
{
    static const struct {
        const char *text, *topology;
        size_t arity;
    } cases[] = {
        {"factor(64,3)", NULL, 3},       {"factor(12,4)", "any-divisor", 4},
        {"factor(60,3)", "complete", 3}, {"permutation(4)", NULL, 4},
        {"permutation(8)", NULL, 8}, /* more values than a table of them holds */
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_parameter *parameter = parameter_of(cases[i].text, cases[i].topology);
        opevo_index size = opevo_parameter_size(parameter);

        for (size_t k = 0; k < cases[i].arity; k++) {
            opevo_i_qgp_walk_feature feature;

            CHECK_OK(opevo_i_qgp_walk_feature_init(&feature, parameter, (int)k, &err));
            for (opevo_index u = 0; u < size; u += 1 + size / 50) {
                for (opevo_index v = 0; v < size; v += 1 + size / 50)
                    assert_int_equal(feature.class_of[u] == feature.class_of[v],
                                     same_component(parameter, u, v, k));
            }
            check_series(parameter, &feature);
            opevo_i_qgp_walk_feature_clear(&feature);
        }
        opevo_parameter_destroy(parameter);
    }
}

CHECK_TEST(test_kinds)
{
    static const uint16_t expected[] = {0, 0, 1, 0, 1, 1, 0}; /* 1, 2, 3, 4, 5, 6, 8 */
    opevo_parameter *parameter = parameter_of("discrete(1,2,3,4,5,6,8)", NULL);
    opevo_parameter *alike = parameter_of("discrete(3,5,6)", NULL);
    opevo_i_qgp_walk_feature feature;

    CHECK_OK(opevo_i_qgp_walk_feature_init(&feature, parameter, OPEVO_I_FEATURE_KIND, &err));
    assert_int_equal(feature.classes, 2);
    for (size_t v = 0; v < 7; v++)
        assert_int_equal(feature.class_of[v], expected[v]);
    check_series(parameter, &feature);
    opevo_i_qgp_walk_feature_clear(&feature);
    CHECK_OK(opevo_i_qgp_walk_feature_init(&feature, alike, OPEVO_I_FEATURE_KIND, &err));
    assert_int_equal(feature.classes, 1);
    opevo_i_qgp_walk_feature_clear(&feature);
    opevo_parameter_destroy(parameter);
    opevo_parameter_destroy(alike);
}

/* ---- Inactive ---- */

/* What the classes had stays; the one more has the mean over values, which classes may share. */
static void check_inactive(const opevo_parameter *parameter, int what)
{
    size_t size = (size_t)opevo_parameter_size(parameter);
    opevo_i_qgp_walk_feature before, after;

    CHECK_OK(opevo_i_qgp_walk_feature_init(&before, parameter, what, &err));
    CHECK_OK(opevo_i_qgp_walk_feature_init(&after, parameter, what, &err));
    CHECK_OK(opevo_i_qgp_walk_feature_add_inactive(&after, size, &err));
    assert_int_equal(after.classes, before.classes + 1);
    assert_int_equal(after.class_of[size], before.classes);
    for (size_t level = 0; level < OPEVO_I_LEVELS; level++) {
        assert_true(correlation(&after, level, size, size) == 1);
        for (size_t u = 0; u < size; u++) {
            double mean = 0;

            for (size_t v = 0; v < size; v++) {
                assert_true(correlation(&after, level, u, v) == correlation(&before, level, u, v));
                mean += correlation(&before, level, u, v) / (double)size;
            }
            CHECK_CLOSE(correlation(&after, level, u, size), mean, 1e-6);
            assert_true(correlation(&after, level, u, size) == correlation(&after, level, size, u));
        }
    }
    opevo_i_qgp_walk_feature_clear(&before);
    opevo_i_qgp_walk_feature_clear(&after);
}

CHECK_TEST(test_inactive)
{
    static const struct {
        const char *text;
        int what;
    } cases[] = {
        {"discrete(1,2,3,4,6)", OPEVO_I_FEATURE_VALUE},
        {"discrete(1,2,3,4,6)", OPEVO_I_FEATURE_KIND},
        {"choice(\"x\",\"y\",\"z\")", OPEVO_I_FEATURE_VALUE},
        {"factor(12,4)", 3},
        {"permutation(4)", 0},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_parameter *parameter = parameter_of(cases[i].text, NULL);

        check_inactive(parameter, cases[i].what);
        opevo_parameter_destroy(parameter);
    }
}

CHECK_TEST(test_every_allocation_fails)
{
    opevo_parameter *parameter = parameter_of("factor(12,3)", NULL);
    int64_t live = opevo_memory_live();
    opevo_status status = OPEVO_NOMEM;

    for (int64_t n = 1; status != OPEVO_OK; n++) {
        opevo_i_qgp_walk_feature feature;

        assert_true(n < 100);
        opevo_memory_fail_at(n);
        status = opevo_i_qgp_walk_feature_init(&feature, parameter, 1, NULL);
        if (status == OPEVO_OK) {
            status = opevo_i_qgp_walk_feature_add_inactive(
                &feature, (size_t)opevo_parameter_size(parameter), NULL);
            opevo_i_qgp_walk_feature_clear(&feature);
        }
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
    }
    opevo_parameter_destroy(parameter);
}
