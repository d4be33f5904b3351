/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Checks that hold for every type and topology: values and vertices correspond, neighbours by
 * formula agree with the definition, and the metrics agree with igraph's. */

#ifndef OPEVO_TESTS_TOPOLOGY_CHECKS_H
#define OPEVO_TESTS_TOPOLOGY_CHECKS_H

#include "check.h"
#include "igraph_view.h"

#include <opevo/graph.h>
#include <opevo/memory.h>
#include <opevo/parameter.h>

enum { CHECK_ARITY_MAX = 64 };

/* Whether two values are neighbours, straight from the definition. */
typedef bool (*adjacency)(const opevo_value *a, const opevo_value *b, size_t arity);

static inline opevo_parameter *parse_parameter(const char *text, const char *topology)
{
    opevo_parameter *parameter = NULL;

    CHECK_OK(opevo_parameter_parse("x", text, topology, &parameter, &err));
    assert_non_null(parameter);
    return parameter;
}

/* vertex -> value -> vertex and vertex -> text -> vertex come back. */
static inline void check_round_trip(const opevo_parameter *parameter, opevo_index vertex)
{
    opevo_value components[CHECK_ARITY_MAX];
    opevo_text text = {0};
    opevo_index found = 0;

    assert_true(opevo_parameter_arity(parameter) <= CHECK_ARITY_MAX);
    opevo_parameter_value(parameter, vertex, components);
    found = vertex + 1;
    assert_true(opevo_parameter_find(parameter, components, &found));
    assert_true(found == vertex);
    opevo_parameter_print(parameter, vertex, &text);
    found = vertex + 1;
    CHECK_OK(opevo_parameter_read(parameter, opevo_text_string(&text), &found, &err));
    assert_true(found == vertex);
    opevo_text_free(&text);
}

/* How often `wanted` stands among the neighbours of a vertex. */
static inline size_t count_neighbour(const opevo_parameter *parameter, opevo_index vertex,
                                     opevo_index wanted)
{
    size_t degree = (size_t)opevo_parameter_degree(parameter, vertex), times = 0;
    opevo_index *neighbours = opevo_malloc(degree, sizeof *neighbours);

    assert_non_null(neighbours);
    opevo_parameter_neighbours(parameter, vertex, neighbours);
    for (size_t k = 0; k < degree; k++)
        times += neighbours[k] == wanted;
    opevo_free(neighbours);
    return times;
}

/* All neighbours at once are the k-th neighbours in order; each is another vertex of the set and
 * has this vertex among its own once (tried for at least 32 of them). */
static inline void check_neighbours_of(const opevo_parameter *parameter, opevo_index vertex)
{
    size_t degree = (size_t)opevo_parameter_degree(parameter, vertex);
    opevo_index *neighbours = opevo_malloc(degree, sizeof *neighbours);

    assert_non_null(neighbours);
    opevo_parameter_neighbours(parameter, vertex, neighbours);
    for (size_t k = 0; k < degree; k++) {
        opevo_index w = neighbours[k];

        assert_true(w == opevo_parameter_neighbour(parameter, vertex, k));
        assert_true(w < opevo_parameter_size(parameter) && w != vertex);
        if (k % (degree / 32 + 1) == 0)
            assert_int_equal(count_neighbour(parameter, w, vertex), 1);
    }
    opevo_free(neighbours);
}

/* k -> neighbour is one to one onto the vertices that the definition calls neighbours. */
static inline void check_adjacency(const opevo_parameter *parameter, adjacency defined)
{
    size_t n = (size_t)opevo_parameter_size(parameter), arity = opevo_parameter_arity(parameter);
    unsigned char *times = opevo_malloc(n, 1);
    opevo_value *values = opevo_malloc(n * arity, sizeof *values);

    assert_non_null(times);
    assert_non_null(values);
    for (size_t v = 0; v < n; v++)
        opevo_parameter_value(parameter, v, values + v * arity);
    for (size_t v = 0; v < n; v++) {
        opevo_index degree = opevo_parameter_degree(parameter, v);

        memset(times, 0, n);
        for (opevo_index k = 0; k < degree; k++) {
            opevo_index w = opevo_parameter_neighbour(parameter, v, k);

            assert_true(w < n);
            times[(size_t)w]++;
        }
        for (size_t w = 0; w < n; w++) {
            if (times[w] != (w != v && defined(values + v * arity, values + w * arity, arity)))
                fail_msg("%s %s: vertices %zu and %zu: %d times", opevo_parameter_text(parameter),
                         opevo_parameter_topology(parameter), v, w, times[w]);
        }
    }
    opevo_free(values);
    opevo_free(times);
}

/* The explicit graph has the formula's neighbours in ascending rows. */
static inline void check_explicit(const opevo_parameter *parameter, const opevo_graph *graph)
{
    assert_true(graph->vertex_count == opevo_parameter_size(parameter));
    assert_true(graph->offset[0] == 0);
    for (size_t v = 0; v < graph->vertex_count; v++) {
        opevo_index degree = opevo_parameter_degree(parameter, v);

        assert_true(opevo_graph_degree(graph, v) == degree);
        for (uint64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++)
            assert_true(i == graph->offset[v] || graph->target[i - 1] < graph->target[i]);
        for (opevo_index k = 0; k < degree; k++) {
            opevo_index w = opevo_parameter_neighbour(parameter, v, k);
            uint64_t i = graph->offset[v];

            while (i < graph->offset[v + 1] && graph->target[i] != w)
                i++;
            assert_true(i < graph->offset[v + 1]);
        }
    }
}

/* Every metric that is known agrees with igraph's on the explicit graph; `required` must be known.
 */
static inline void check_metrics(const opevo_parameter *parameter, unsigned required)
{
    opevo_graph *graph = NULL;
    opevo_parameter_metrics metrics = {0};
    igraph_t view;
    igraph_vector_int_t degrees;
    igraph_integer_t components = 0;
    igraph_real_t diameter = 0;

    CHECK_OK(opevo_graph_create(parameter, 0, &graph, &err));
    check_explicit(parameter, graph);
    assert_true(igraph_view(graph, &view));
    CHECK_OK(opevo_parameter_measure(parameter, &metrics, &err));
    assert_int_equal(metrics.known & required, required);
    assert_int_equal(igraph_vector_int_init(&degrees, 0), 0);
    assert_int_equal(igraph_degree(&view, &degrees, igraph_vss_all(), IGRAPH_ALL, true), 0);
    assert_int_equal(igraph_diameter(&view, &diameter, NULL, NULL, NULL, NULL, false, true), 0);
    assert_int_equal(igraph_connected_components(&view, NULL, NULL, &components, IGRAPH_WEAK), 0);
    assert_int_equal(metrics.edges, igraph_ecount(&view));
    assert_int_equal(metrics.degree_min, igraph_vector_int_min(&degrees));
    assert_int_equal(metrics.degree_max, igraph_vector_int_max(&degrees));
    CHECK_CLOSE(metrics.degree_mean,
                2 * (double)igraph_ecount(&view) / (double)igraph_vcount(&view), 0);
    if (metrics.known & OPEVO_METRIC_DIAMETER)
        assert_int_equal(metrics.diameter, diameter);
    assert_int_equal(metrics.components, components);
    igraph_vector_int_destroy(&degrees);
    igraph_destroy(&view);
    opevo_graph_destroy(graph);
}

enum {
    CHECK_ALL_METRICS =
        OPEVO_METRIC_DEGREES | OPEVO_METRIC_DIAMETER | OPEVO_METRIC_COMPONENTS | OPEVO_METRIC_EDGES
};

/* Everything above on every vertex of a small parameter. */
static inline void check_small(const char *text, const char *topology, adjacency defined)
{
    opevo_parameter *parameter = parse_parameter(text, topology);

    for (opevo_index v = 0; v < opevo_parameter_size(parameter); v++) {
        check_round_trip(parameter, v);
        check_neighbours_of(parameter, v);
    }
    check_adjacency(parameter, defined);
    check_metrics(parameter, CHECK_ALL_METRICS);
    opevo_parameter_destroy(parameter);
}

/* A fixed stream of numbers; the vertices that a test of a large set visits. */
static inline opevo_index next_vertex(uint64_t *state, opevo_index size)
{
    opevo_index wide = 0;

    for (int i = 0; i < 3; i++) {
        *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        wide = wide << 48 ^ *state >> 16;
    }
    return wide % size;
}

/* First, last and some other vertices of a set too large to build. */
static inline void check_large(const char *text, const char *topology, adjacency defined, int tries)
{
    opevo_parameter *parameter = parse_parameter(text, topology);
    opevo_index size = opevo_parameter_size(parameter);
    opevo_value a[CHECK_ARITY_MAX], b[CHECK_ARITY_MAX];
    uint64_t state = 1;

    for (int i = 0; i < tries; i++) {
        opevo_index v = i == 0 ? 0 : i == 1 ? size - 1 : next_vertex(&state, size);
        opevo_index degree = opevo_parameter_degree(parameter, v);

        check_round_trip(parameter, v);
        check_neighbours_of(parameter, v);
        opevo_parameter_value(parameter, v, a);
        for (opevo_index k = 0; k < degree; k++) {
            opevo_parameter_value(parameter, opevo_parameter_neighbour(parameter, v, k), b);
            assert_true(defined(a, b, opevo_parameter_arity(parameter)));
        }
    }
    opevo_parameter_destroy(parameter);
}

static inline bool any_two(const opevo_value *a, const opevo_value *b, size_t arity)
{
    return true;
}

/* Make every allocation of a successful parse fail in turn. */
static inline void check_allocations(const char *text, const char *topology)
{
    int64_t live = opevo_memory_live();

    for (int64_t n = 1;; n++) {
        opevo_parameter *parameter = NULL;
        opevo_error err = {OPEVO_OK, ""};
        opevo_status status = OPEVO_OK;

        opevo_memory_fail_at(n);
        status = opevo_parameter_parse("x", text, topology, &parameter, &err);
        opevo_memory_fail_at(0);
        if (status == OPEVO_OK) {
            assert_true(n > 4);
            opevo_parameter_destroy(parameter);
            assert_int_equal(opevo_memory_live(), live);
            return;
        }
        assert_int_equal(status, OPEVO_NOMEM);
        assert_null(parameter);
        assert_int_equal(opevo_memory_live(), live);
        assert_true(err.message[0] != '\0');
    }
}

#endif
