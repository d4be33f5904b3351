/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Explicit graphs against adjacency matrices. */

#include "topology_checks.h"

#include <time.h>

CHECK_TEST(test_from_edges)
{
    static const uint32_t edges[] = {3, 0, 1, 2, 0, 1, 1, 0, 2, 1, 1, 2, 4, 0};
    static const uint32_t rows[] = {1, 3, 4, 0, 2, 1, 0, 0};
    static const uint64_t offsets[] = {0, 3, 5, 6, 7, 8, 8};
    opevo_graph *graph = NULL;

    CHECK_OK(opevo_graph_from_edges(6, edges, 7, &graph, &err));
    assert_int_equal(graph->vertex_count, 6);
    assert_memory_equal(graph->offset, offsets, sizeof offsets);
    assert_memory_equal(graph->target, rows, sizeof rows);
    assert_int_equal(opevo_graph_degree(graph, 0), 3);
    assert_int_equal(opevo_graph_degree(graph, 5), 0);
    opevo_graph_destroy(graph);
    opevo_graph_destroy(NULL);
}

CHECK_TEST(test_refused_edges)
{
    static const uint32_t outside[] = {0, 1, 1, 3};
    static const uint32_t loop[] = {0, 1, 2, 2};
    opevo_graph *graph = NULL;

    CHECK_FAILS(OPEVO_INVALID, "Edge 1 joins 1 and 3, but there are 3 vertices",
                opevo_graph_from_edges(3, outside, 2, &graph, &err));
    CHECK_FAILS(OPEVO_INVALID, "Edge 1 joins vertex 2 to itself",
                opevo_graph_from_edges(3, loop, 2, &graph, &err));
    assert_null(graph);
}

/* Random graphs with repeated edges against igraph's simplified ones. */
CHECK_TEST(test_from_edges_against_igraph)
{
    uint64_t stream = 7;

    for (size_t n = 2; n < 40; n++) {
        size_t count = 3 * n;
        uint32_t edges[6 * 40];
        igraph_t reference, view;
        igraph_vector_int_t ends;
        igraph_bool_t same = false;
        opevo_graph *graph = NULL;

        igraph_vector_int_init(&ends, (igraph_integer_t)(2 * count));
        for (size_t e = 0; e < count; e++) {
            edges[2 * e] = (uint32_t)next_vertex(&stream, n);
            edges[2 * e + 1] = (uint32_t)((edges[2 * e] + 1 + next_vertex(&stream, n - 1)) % n);
            VECTOR(ends)[2 * e] = edges[2 * e];
            VECTOR(ends)[2 * e + 1] = edges[2 * e + 1];
        }
        CHECK_OK(opevo_graph_from_edges(n, edges, count, &graph, &err));
        assert_true(igraph_view(graph, &view));
        igraph_create(&reference, &ends, (igraph_integer_t)n, IGRAPH_UNDIRECTED);
        igraph_simplify(&reference, true, true, NULL);
        igraph_is_same_graph(&reference, &view, &same);
        assert_true(same);
        igraph_destroy(&reference);
        igraph_destroy(&view);
        igraph_vector_int_destroy(&ends);
        opevo_graph_destroy(graph);
    }
}

CHECK_TEST(test_limits)
{
    opevo_parameter *small = parse_parameter("factor(1024,4)", NULL);
    opevo_parameter *large = parse_parameter("permutation(13)", NULL);
    opevo_graph *graph = NULL;
    size_t needed = (size_t)opevo_graph_bytes(286, 1320);

    assert_int_equal(needed, 8 * 287 + 8 * 1320);
    CHECK_FAILS(OPEVO_LIMIT, "takes more than",
                opevo_graph_create(small, needed - 1, &graph, &err));
    CHECK_FAILS(OPEVO_LIMIT, "too many for an explicit graph",
                opevo_graph_create(small, 100, &graph, &err));
    CHECK_FAILS(OPEVO_LIMIT, "too many", opevo_graph_create(large, 0, &graph, &err));
    assert_null(graph);
    CHECK_OK(opevo_graph_create(small, needed, &graph, &err));
    opevo_graph_destroy(graph);
    opevo_parameter_destroy(small);
    opevo_parameter_destroy(large);
}

CHECK_TEST(test_single_vertex)
{
    static const char *const texts[] = {"factor(1,3)", "factor(6,1)", "permutation(1)",
                                        "discrete(4)", "categorical(a)"};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        opevo_parameter *parameter = parse_parameter(texts[i], NULL);

        assert_true(opevo_parameter_size(parameter) == 1);
        assert_true(opevo_parameter_degree(parameter, 0) == 0);
        check_metrics(parameter, CHECK_ALL_METRICS);
        opevo_parameter_destroy(parameter);
    }
}

/* Rows longer than what insertion sorts, out of order and in order. */
CHECK_TEST(test_long_rows)
{
    opevo_parameter *unordered = parse_parameter("factor(30030,7)", "any-divisor");
    opevo_parameter *ordered = parse_parameter("factor(1024,4)", "complete");
    opevo_graph *graph = NULL;

    check_metrics(ordered, CHECK_ALL_METRICS);
    CHECK_OK(opevo_graph_create(unordered, 0, &graph, &err));
    for (size_t v = 0; v < graph->vertex_count; v += 97) {
        opevo_index degree = opevo_parameter_degree(unordered, v), sum = 0;

        assert_true(opevo_graph_degree(graph, v) == degree);
        for (opevo_index k = 0; k < degree; k++)
            sum += opevo_parameter_neighbour(unordered, v, k);
        for (uint64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
            assert_true(i == graph->offset[v] || graph->target[i - 1] < graph->target[i]);
            sum -= graph->target[i];
        }
        assert_true(sum == 0);
    }
    opevo_graph_destroy(graph);
    opevo_parameter_destroy(unordered);
    opevo_parameter_destroy(ordered);
}

/* 1,221,759 vertices and 16,290,120 edges. The bound leaves a factor of ten or more. */
CHECK_TEST(test_million_vertices)
{
    opevo_parameter *parameter = parse_parameter("factor(1099511627776,6)", NULL);
    opevo_parameter_metrics metrics = {0};
    opevo_graph *graph = NULL;
    clock_t start = clock();

    CHECK_OK(opevo_graph_create(parameter, 0, &graph, &err));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20);
    CHECK_OK(opevo_parameter_measure(parameter, &metrics, &err));
    assert_int_equal(graph->vertex_count, 1221759);
    assert_int_equal(metrics.edges, 16290120);
    assert_int_equal(graph->offset[graph->vertex_count], 2 * 16290120);
    opevo_graph_destroy(graph);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_allocations)
{
    static const uint32_t edges[] = {0, 1, 1, 2};
    opevo_parameter *parameter = parse_parameter("factor(96,4)", NULL);
    int64_t live = opevo_memory_live(), tries = 0;
    opevo_status status = OPEVO_NOMEM;

    for (int64_t n = 1; status == OPEVO_NOMEM; n++, tries++) {
        opevo_graph *graph = NULL;

        opevo_memory_fail_at(n);
        status = opevo_graph_create(parameter, 0, &graph, NULL);
        opevo_memory_fail_at(0);
        assert_true((graph != NULL) == (status == OPEVO_OK));
        opevo_graph_destroy(graph);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_int_equal(status, OPEVO_OK);
    assert_int_equal(tries, 5);
    status = OPEVO_NOMEM;
    for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
        opevo_graph *graph = NULL;

        opevo_memory_fail_at(n);
        status = opevo_graph_from_edges(3, edges, 2, &graph, NULL);
        opevo_memory_fail_at(0);
        opevo_graph_destroy(graph);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_int_equal(status, OPEVO_OK);
    opevo_parameter_destroy(parameter);
}
