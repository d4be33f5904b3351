/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Independent implementations of the same law: igraph's personalised PageRank by both of its
 * algorithms, and LU of the full matrix I - Q by LAPACK. igraph lets a vertex without neighbours
 * jump to the reset distribution, where a walk stays, so such vertices go to LAPACK alone. */

#include "igraph_view.h"
#include "law_fixture.h"

#include <opevo/random.h>

#include <lapacke.h>
#undef I /* of complex.h */

/* Largest 1-norm distances that these graphs show: 1.6e-11 for PRPACK, 3.7e-13 for ARPACK. */
static void check_igraph(const opevo_graph *graph, double q, const double *p0, const double *law)
{
    static const struct {
        igraph_pagerank_algo_t algorithm;
        double tolerance;
    } oracles[] = {{IGRAPH_PAGERANK_ALGO_PRPACK, 1e-10}, {IGRAPH_PAGERANK_ALGO_ARPACK, 1e-11}};
    igraph_t view;
    igraph_vector_t found, reset;
    size_t n = graph->vertex_count;

    assert_true(igraph_view(graph, &view));
    igraph_vector_init(&found, 0);
    igraph_vector_init(&reset, (igraph_integer_t)n);
    for (size_t v = 0; v < n; v++)
        VECTOR(reset)[v] = p0[v];
    for (size_t i = 0; i < 2; i++) {
        igraph_arpack_options_t options;
        double distance = 0;

        igraph_arpack_options_init(&options);
        assert_int_equal(igraph_personalized_pagerank(&view, oracles[i].algorithm, &found, NULL,
                                                      igraph_vss_all(), IGRAPH_UNDIRECTED, q,
                                                      &reset, NULL, &options),
                         IGRAPH_SUCCESS);
        for (size_t v = 0; v < n; v++)
            distance += fabs(VECTOR(found)[v] - law[v]);
        CHECK_CLOSE(distance, 0, oracles[i].tolerance);
    }
    igraph_vector_destroy(&found);
    igraph_vector_destroy(&reset);
    igraph_destroy(&view);
}

static void check_lu(const opevo_graph *graph, double q, const double *p0, const double *law)
{
    size_t n = graph->vertex_count;
    double *matrix = calloc(n * n, sizeof *matrix), *x = calloc(n, sizeof *x), distance = 0;
    lapack_int *pivot = calloc(n, sizeof *pivot), order = (lapack_int)n;

    for (size_t u = 0; u < n; u++) {
        uint64_t degree = opevo_graph_degree(graph, u);

        x[u] = (1 - q) * p0[u];
        matrix[u * n + u] = degree ? 1 : 1 - q;
        for (uint64_t k = graph->offset[u]; k < graph->offset[u + 1]; k++)
            matrix[u * n + graph->target[k]] = -q / (double)degree; /* column u of I - Q */
    }
    assert_int_equal(LAPACKE_dgesv(LAPACK_COL_MAJOR, order, 1, matrix, order, pivot, x, order), 0);
    for (size_t v = 0; v < n; v++)
        distance += fabs(x[v] - law[v]);
    CHECK_CLOSE(distance, 0, 1e-12);
    free(matrix);
    free(x);
    free(pivot);
}

static void check_graph(const opevo_graph *graph, bool with_igraph)
{
    static const double qs[] = {0.15, 0.5, 0.85, 0.99};
    size_t n = graph->vertex_count;
    double *law = calloc(n, sizeof *law), *p0 = calloc(n, sizeof *p0), bound = 0;

    for (size_t i = 0; i < 4; i++) {
        for (int mixed = 0; mixed < 2; mixed++) {
            memset(p0, 0, n * sizeof *p0);
            p0[n / 3] = mixed ? 0.25 : 1;
            if (mixed) {
                p0[0] += 0.5;
                p0[n - 1] += 0.25;
            }
            CHECK_OK(opevo_law_solve(graph, qs[i], p0, NULL, law, &bound, &err));
            assert_true(bound <= 1e-12);
            check_lu(graph, qs[i], p0, law);
            if (with_igraph)
                check_igraph(graph, qs[i], p0, law);
        }
    }
    free(law);
    free(p0);
}

/* Edges at random; with `connected` a path through all vertices is added. */
static opevo_graph *random_graph(size_t n, size_t edge_count, bool connected)
{
    uint32_t *edges = calloc(2 * (edge_count + n), sizeof *edges);
    opevo_graph *graph = NULL;
    size_t made = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "random graph", n);
    while (made < edge_count) {
        edges[2 * made] = (uint32_t)opevo_rng_below(&rng, n);
        edges[2 * made + 1] = (uint32_t)opevo_rng_below(&rng, n);
        made += edges[2 * made] != edges[2 * made + 1];
    }
    for (size_t v = 1; connected && v < n; v++, made++) {
        edges[2 * made] = (uint32_t)(v - 1);
        edges[2 * made + 1] = (uint32_t)v;
    }
    CHECK_OK(opevo_graph_from_edges(n, edges, made, &graph, &err));
    free(edges);
    return graph;
}

CHECK_TEST(random_graphs)
{
    opevo_graph *dense = random_graph(300, 1800, true);
    opevo_graph *sparse = random_graph(400, 250, false); /* many parts and lone vertices */

    check_graph(dense, true);
    check_graph(sparse, false);
    opevo_graph_destroy(dense);
    opevo_graph_destroy(sparse);
}

CHECK_TEST(parameter_graphs)
{
    static const struct {
        const char *text, *topology;
    } rows[] = {{"factor(1024,4)", NULL},
                {"factor(720,3)", "any-divisor"},
                {"permutation(6)", NULL},
                {"permutation(6)", "insertion"},
                {"discrete(1,2,3,4,5,6,7,8,9)", NULL},
                {"discrete(1,2,3,4,5,6,7,8,9)", "steps(3)"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opevo_parameter *parameter = parameter_of(rows[i].text, rows[i].topology);
        opevo_graph *graph = NULL;

        CHECK_OK(opevo_graph_create(parameter, 0, &graph, &err));
        check_graph(graph, true);
        opevo_graph_destroy(graph);
        opevo_parameter_destroy(parameter);
    }
}
