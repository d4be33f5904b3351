/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law by every method on every type: against the summed series, the defining equation, detailed
 * balance and closed forms; its domain; its errors; every allocation failing. */

#include "law_fixture.h"

#include <opevo/memory.h>

static const struct {
    const char *text, *topology;
} types[] = {
    {"factor(8,3)", NULL},
    {"factor(960,2)", NULL},
    {"factor(64,3)", "any-divisor"},
    {"factor(36,2)", "complete"},
    {"factor(1,3)", NULL},
    {"factor(7,1)", NULL},
    {"permutation(1)", NULL},
    {"permutation(2)", NULL},
    {"permutation(3)", NULL},
    {"permutation(5)", NULL},
    {"permutation(5)", "adjacent-swap"},
    {"permutation(4)", "insertion"},
    {"permutation(4)", "complete"},
    {"discrete(5)", NULL},
    {"discrete(1,2)", NULL},
    {"discrete(1,2,5,7,11,20,24)", NULL},
    {"discrete(1,2,5,7,11,20,24)", "steps(2)"},
    {"discrete(1,2,5)", "cycle"},
    {"discrete(1,2,5,7)", "cycle"},
    {"discrete(1,2,5,7,11,20,24)", "cycle"},
    {"discrete(1,2,5,7,11,20,24)", "complete"},
    {"categorical(a)", NULL},
    {"categorical(a,b)", NULL},
    {"categorical(a,b,c,d,e)", NULL},
};

enum { TYPE_COUNT = sizeof types / sizeof *types };

static double distance(const opevo_law *law, const long double *exact, size_t n)
{
    long double sum = 0;

    for (size_t v = 0; v < n; v++)
        sum += fabsl(opevo_law_probability(law, v) - exact[v]);
    return (double)sum;
}

static void check_law(const opevo_law *law, const long double *exact, size_t n)
{
    double sum = 0, class_sum = 0, classes_hold = 0;

    assert_true(opevo_law_bound(law) >= 0 && opevo_law_bound(law) <= 1e-12);
    if (distance(law, exact, n) > opevo_law_bound(law) + 1e-18)
        fail_msg("%s, %s, q %g: off by %g, bound %g",
                 opevo_parameter_text(opevo_law_parameter(law)),
                 opevo_law_method_name(opevo_law_get_method(law)), opevo_law_q(law),
                 distance(law, exact, n), opevo_law_bound(law));
    for (size_t v = 0; v < n; v++) {
        assert_true(opevo_law_probability(law, v) >= 0);
        sum += opevo_law_probability(law, v);
    }
    CHECK_CLOSE(sum, 1, 2e-12);
    for (size_t i = 0; i < opevo_law_class_count(law); i++) {
        opevo_law_class class = opevo_law_class_get(law, i);

        assert_true(class.representative < n);
        CHECK_CLOSE(opevo_law_probability(law, class.representative), class.probability, 0);
        class_sum += (double)class.size * class.probability;
        classes_hold += (double)class.size;
    }
    CHECK_CLOSE(class_sum, 1, 2e-12);
    CHECK_CLOSE(classes_hold, (double)n, 0);
}

static void check_methods(const opevo_parameter *parameter, const opevo_graph *graph, double q,
                          size_t start)
{
    static const opevo_law_method methods[] = {OPEVO_LAW_AUTO, OPEVO_LAW_CHOLESKY, OPEVO_LAW_CG,
                                               OPEVO_LAW_CG_IMPLICIT, OPEVO_LAW_LUMPED};
    size_t n = graph->vertex_count;
    double *p0 = calloc(n, sizeof *p0);
    long double *exact = calloc(n, sizeof *exact);

    p0[start] = 1;
    law_by_series(graph, q, p0, exact);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        opevo_law_options options = {.method = methods[m]};
        opevo_law *law = NULL;

        CHECK_OK(opevo_law_create(parameter, q, start, &options, &law, &err));
        assert_true(opevo_law_start(law) == start);
        assert_ptr_equal(opevo_law_parameter(law), parameter);
        assert_int_not_equal(opevo_law_get_method(law), OPEVO_LAW_AUTO);
        if (methods[m] != OPEVO_LAW_AUTO)
            assert_int_equal(opevo_law_get_method(law), methods[m]);
        check_law(law, exact, n);
        if (q == 0)
            CHECK_CLOSE(opevo_law_probability(law, start), 1, 0);
        opevo_law_destroy(law);
    }
    free(p0);
    free(exact);
}

CHECK_TEST(every_method_on_every_type)
{
    static const double qs[] = {0, 1e-9, 0.1, 0.5, 0.9, 0.99};

    for (size_t t = 0; t < TYPE_COUNT; t++) {
        opevo_parameter *parameter = parameter_of(types[t].text, types[t].topology);
        opevo_graph *graph = NULL;

        CHECK_OK(opevo_graph_create(parameter, 0, &graph, &err));
        for (size_t i = 0; i < sizeof qs / sizeof *qs; i++) {
            check_methods(parameter, graph, qs[i], 0);
            check_methods(parameter, graph, qs[i], graph->vertex_count / 2);
            check_methods(parameter, graph, qs[i], graph->vertex_count - 1);
        }
        opevo_graph_destroy(graph);
        opevo_parameter_destroy(parameter);
    }
}

/* Two triangles joined at a vertex, an edge apart, and vertex 5 alone. */
CHECK_TEST(parts_and_lone_vertices)
{
    opevo_parameter *parameter = parameter_of_edges("0 1\n1 2\n0 2\n2 3\n3 4\n2 4\n6 7\n");
    opevo_graph *graph = NULL;
    opevo_law *law = NULL;

    CHECK_OK(opevo_graph_create(parameter, 0, &graph, &err));
    for (size_t start = 0; start < 8; start++) {
        check_methods(parameter, graph, 0.5, start);
        check_methods(parameter, graph, 0.95, start);
    }
    CHECK_OK(opevo_law_create(parameter, 0.9, 5, NULL, &law, &err));
    CHECK_CLOSE(opevo_law_probability(law, 5), 1, 0);
    CHECK_CLOSE(opevo_law_probability(law, 0), 0, 0);
    opevo_law_destroy(law);
    opevo_graph_destroy(graph);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(methods_chosen)
{
    static const struct {
        const char *text, *topology;
        opevo_law_method method;
    } rows[] = {
        {"factor(8,3)", NULL, OPEVO_LAW_CG},
        {"permutation(5)", NULL, OPEVO_LAW_CLOSED_FORM},
        {"permutation(5)", "adjacent-swap", OPEVO_LAW_CG},
        {"permutation(5)", "complete", OPEVO_LAW_CLOSED_FORM},
        {"discrete(1,2,3,4,5)", NULL, OPEVO_LAW_TRIDIAGONAL},
        {"discrete(1,2,3,4,5)", "cycle", OPEVO_LAW_CLOSED_FORM},
        {"discrete(1,2,3,4,5)", "steps(2)", OPEVO_LAW_CG},
        {"categorical(a,b,c)", NULL, OPEVO_LAW_CLOSED_FORM},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opevo_parameter *parameter = parameter_of(rows[i].text, rows[i].topology);
        opevo_law *law = NULL;

        CHECK_OK(opevo_law_create(parameter, 0.5, 1, NULL, &law, &err));
        assert_string_equal(opevo_law_method_name(opevo_law_get_method(law)),
                            opevo_law_method_name(rows[i].method));
        opevo_law_destroy(law);
        opevo_parameter_destroy(parameter);
    }
}

/* The paper's example, figure 2: factor(8,3) from (8,1,1) at q = 1/2. */
CHECK_TEST(golden_paper_example)
{
    static const struct {
        const char *value;
        double p;
    } golden[] = {{"8,1,1", .540780}, {"4,2,1", .163121}, {"4,1,2", .163121}, {"2,2,2", .050000},
                  {"2,4,1", .026950}, {"2,1,4", .026950}, {"1,2,4", .009929}, {"1,4,2", .009929},
                  {"1,8,1", .004610}, {"1,1,8", .004610}};
    opevo_parameter *parameter = parameter_of("factor(8,3)", NULL);
    opevo_law *law = NULL;

    CHECK_OK(opevo_law_create(parameter, 0.5, vertex_of(parameter, "8,1,1"), NULL, &law, &err));
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++)
        CHECK_CLOSE(opevo_law_probability(law, vertex_of(parameter, golden[i].value)), golden[i].p,
                    5e-7);
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);
}

static double stay(const char *text, const char *start)
{
    opevo_parameter *parameter = parameter_of(text, NULL);
    opevo_index vertex = vertex_of(parameter, start);
    opevo_law *law = NULL;
    double p = 0;

    CHECK_OK(opevo_law_create(parameter, 0.5, vertex, NULL, &law, &err));
    p = opevo_law_probability(law, vertex);
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);
    return p;
}

CHECK_TEST(golden_probability_to_stay)
{
    CHECK_CLOSE(stay("factor(1024,4)", "1024,1,1,1"), .52746, 5e-6);
    CHECK_CLOSE(stay("factor(960,2)", "960,1"), .54626, 5e-6);
}

/* deg(u) S_u(v) = deg(v) S_v(u) on all pairs. */
CHECK_TEST(detailed_balance)
{
    opevo_parameter *parameter = parameter_of("factor(64,3)", NULL);
    size_t n = (size_t)opevo_parameter_size(parameter);
    opevo_law **laws = calloc(n, sizeof(opevo_law *));

    for (size_t u = 0; u < n; u++)
        CHECK_OK(opevo_law_create(parameter, 0.7, u, NULL, &laws[u], &err));
    for (size_t u = 0; u < n; u++) {
        for (size_t v = 0; v < u; v++)
            CHECK_CLOSE(
                (double)opevo_parameter_degree(parameter, u) * opevo_law_probability(laws[u], v),
                (double)opevo_parameter_degree(parameter, v) * opevo_law_probability(laws[v], u),
                1e-12);
    }
    for (size_t u = 0; u < n; u++)
        opevo_law_destroy(laws[u]);
    free(laws);
    opevo_parameter_destroy(parameter);
}

/* A graph that is nearly everything that CG cannot like: a long path, q close to 1. */
CHECK_TEST(hard_settings)
{
    opevo_text text = {0};
    opevo_parameter *parameter = NULL;
    static const opevo_law_method methods[] = {OPEVO_LAW_TRIDIAGONAL, OPEVO_LAW_CG,
                                               OPEVO_LAW_CHOLESKY};
    static const double qs[] = {0.999, 0.9999};
    double first = 0;

    opevo_text_add(&text, "discrete(0");
    for (int i = 1; i < 1500; i++)
        opevo_text_printf(&text, ",%d", i);
    opevo_text_add(&text, ")");
    parameter = parameter_of(opevo_text_string(&text), NULL);
    for (size_t i = 0; i < 2; i++) {
        for (size_t m = 0; m < 3; m++) {
            opevo_law_options options = {.method = methods[m]};
            opevo_law *law = NULL;

            CHECK_OK(opevo_law_create(parameter, qs[i], 700, &options, &law, &err));
            assert_true(opevo_law_bound(law) <= 1e-12);
            if (m == 0)
                first = opevo_law_probability(law, 690);
            CHECK_CLOSE(opevo_law_probability(law, 690), first, 2e-12);
            opevo_law_destroy(law);
        }
    }
    opevo_parameter_destroy(parameter);
    opevo_text_free(&text);
}

CHECK_TEST(solve_from_any_start_law)
{
    static const uint32_t edges[] = {0, 1, 1, 2, 2, 3, 3, 0, 0, 2, 5, 6};
    static const double p0[7] = {.25, 0, .125, 0, .125, .5, 0};
    long double exact[7] = {0};
    opevo_graph *graph = NULL;

    CHECK_OK(opevo_graph_from_edges(7, edges, 6, &graph, &err));
    law_by_series(graph, 0.8, p0, exact);
    for (int method = OPEVO_LAW_AUTO; method <= OPEVO_LAW_CG; method++) {
        opevo_law_options options = {.method = (opevo_law_method)method};
        double law[7] = {0}, bound = -1;

        if (method == OPEVO_LAW_CLOSED_FORM || method == OPEVO_LAW_TRIDIAGONAL) {
            CHECK_FAILS(OPEVO_INVALID, "does not work from a graph alone",
                        opevo_law_solve(graph, 0.8, p0, &options, law, &bound, &err));
            continue;
        }
        CHECK_OK(opevo_law_solve(graph, 0.8, p0, &options, law, &bound, &err));
        assert_true(bound >= 0 && bound <= 1e-12);
        for (size_t v = 0; v < 7; v++)
            CHECK_CLOSE(law[v], (double)exact[v], bound);
        CHECK_CLOSE(law[4], .125, 1e-15); /* a vertex without neighbours keeps its share */
    }
    opevo_graph_destroy(graph);
}

/* ---- Domains and errors ---- */

CHECK_TEST(refused)
{
    opevo_parameter *parameter = parameter_of("factor(8,3)", NULL);
    opevo_law *law = NULL;
    static const double qs[] = {-0.1, 1, 1.5, NAN, INFINITY};
    static const double tolerances[] = {-1e-9, 1, NAN};

    for (size_t i = 0; i < 5; i++)
        CHECK_FAILS(OPEVO_INVALID, "q is", opevo_law_create(parameter, qs[i], 0, NULL, &law, &err));
    for (size_t i = 0; i < 3; i++) {
        opevo_law_options options = {.tolerance = tolerances[i]};

        CHECK_FAILS(OPEVO_INVALID, "tolerance",
                    opevo_law_create(parameter, 0.5, 0, &options, &law, &err));
    }
    CHECK_FAILS(OPEVO_INVALID, "start", opevo_law_create(parameter, 0.5, 10, NULL, &law, &err));
    CHECK_FAILS(OPEVO_INVALID, "closed-form",
                opevo_law_create(parameter, 0.5, 0,
                                 &(opevo_law_options){.method = OPEVO_LAW_CLOSED_FORM}, &law,
                                 &err));
    CHECK_FAILS(OPEVO_INVALID, "tridiagonal",
                opevo_law_create(parameter, 0.5, 0,
                                 &(opevo_law_options){.method = OPEVO_LAW_TRIDIAGONAL}, &law,
                                 &err));
    CHECK_FAILS(OPEVO_INVALID, "method",
                opevo_law_create(parameter, 0.5, 0,
                                 &(opevo_law_options){.method = (opevo_law_method)99}, &law, &err));
    assert_null(law);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(refused_start_laws)
{
    static const uint32_t edges[] = {0, 1};
    static const double bad[][2] = {{0.5, 0.4}, {1.5, -0.5}, {NAN, 1}, {INFINITY, 0}};
    double law[2] = {7, 7};
    opevo_graph *graph = NULL;

    CHECK_OK(opevo_graph_from_edges(2, edges, 1, &graph, &err));
    for (size_t i = 0; i < 4; i++)
        CHECK_FAILS(OPEVO_INVALID, "start distribution",
                    opevo_law_solve(graph, 0.5, bad[i], NULL, law, NULL, &err));
    CHECK_CLOSE(law[0], 7, 0);
    opevo_graph_destroy(graph);
}

CHECK_TEST(tolerance_out_of_reach)
{
    static const opevo_law_method methods[] = {OPEVO_LAW_AUTO, OPEVO_LAW_CHOLESKY, OPEVO_LAW_CG,
                                               OPEVO_LAW_CG_IMPLICIT, OPEVO_LAW_LUMPED};
    static const char *const texts[] = {"factor(64,3)", "permutation(6)", "discrete(1,2,3,4,5,6)",
                                        "categorical(a,b,c)"};

    for (size_t t = 0; t < 4; t++) {
        opevo_parameter *parameter = parameter_of(texts[t], NULL);

        for (size_t m = 0; m < 5; m++) {
            opevo_law_options options = {.method = methods[m], .tolerance = 1e-19};
            opevo_law *law = NULL;

            CHECK_FAILS(OPEVO_TOLERANCE, "certified only within",
                        opevo_law_create(parameter, 0.9, 0, &options, &law, &err));
            assert_null(law);
        }
        opevo_parameter_destroy(parameter);
    }
}

CHECK_TEST(too_large)
{
    opevo_parameter *huge = parameter_of("permutation(20)", "insertion");
    opevo_parameter *large = parameter_of("permutation(8)", NULL);
    opevo_law *law = NULL;

    CHECK_FAILS(OPEVO_LIMIT, "fit in memory", opevo_law_create(huge, 0.5, 0, NULL, &law, &err));
    CHECK_FAILS(OPEVO_LIMIT, "cholesky",
                opevo_law_create(large, 0.5, 0, &(opevo_law_options){.method = OPEVO_LAW_CHOLESKY},
                                 &law, &err));
    opevo_parameter_destroy(huge);
    opevo_parameter_destroy(large);
}

CHECK_TEST(method_names)
{
    opevo_law_method method = OPEVO_LAW_AUTO;

    for (int i = OPEVO_LAW_AUTO; i <= OPEVO_LAW_LUMPED; i++) {
        assert_true(opevo_law_method_parse(opevo_law_method_name((opevo_law_method)i), &method));
        assert_int_equal(method, i);
    }
    assert_false(opevo_law_method_parse("magic", &method));
    assert_int_equal(method, OPEVO_LAW_LUMPED);
}

CHECK_TEST(every_allocation_failing)
{
    for (size_t t = 0; t < TYPE_COUNT; t++) {
        opevo_parameter *parameter = parameter_of(types[t].text, types[t].topology);

        for (int m = OPEVO_LAW_AUTO; m <= OPEVO_LAW_LUMPED; m++) {
            opevo_law_options options = {.method = (opevo_law_method)m};
            int64_t live = opevo_memory_live();
            opevo_status status = OPEVO_NOMEM;

            for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
                opevo_law *law = NULL;

                opevo_memory_fail_at(n);
                status = opevo_law_create(parameter, 0.5, 0, &options, &law, NULL);
                opevo_memory_fail_at(0);
                assert_true((status == OPEVO_OK) == (law != NULL));
                opevo_law_destroy(law);
                assert_int_equal(opevo_memory_live(), live);
            }
            assert_true(status == OPEVO_OK || status == OPEVO_INVALID);
        }
        opevo_parameter_destroy(parameter);
    }
}
