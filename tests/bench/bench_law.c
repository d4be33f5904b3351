/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law against LAPACK's general dense solve and igraph's personalised PageRank, in processor
 * time of one thread (OpenBLAS is told so here, whatever the environment says). */

#include "../igraph_view.h"
#include "bench.h"

#include <opevo/law.h>

#include <cblas.h>
#include <lapacke.h>
#undef I /* of complex.h */

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void need(opevo_status status, const opevo_error *err)
{
    if (status != OPEVO_OK) {
        fprintf(stderr, "bench_law: %s\n", err->message);
        exit(1);
    }
}

static opevo_parameter *parameter_of(const char *text)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_parameter *parameter = NULL;

    need(opevo_parameter_parse("x", text, NULL, &parameter, &err), &err);
    return parameter;
}

/* Shortest of several solves, each from scratch. */
static double time_solve(const opevo_graph *graph, double q, const double *p0, double *law,
                         double *bound, int repeats)
{
    opevo_error err = {OPEVO_OK, ""};
    double best = DBL_MAX;

    for (int i = 0; i < repeats; i++) {
        double start = opevo_clock_process_s();

        need(opevo_law_solve(graph, q, p0, NULL, law, bound, &err), &err);
        best = fmin(best, opevo_clock_process_s() - start);
    }
    return best;
}

/* ---- Against the dense solve ---- */

static double time_dense(const opevo_graph *graph, double q, const double *p0, double *x)
{
    size_t n = graph->vertex_count;
    double *matrix = calloc(n * n, sizeof *matrix), start = 0;
    lapack_int *pivot = calloc(n, sizeof *pivot), order = (lapack_int)n;

    for (size_t u = 0; u < n; u++) {
        x[u] = (1 - q) * p0[u];
        matrix[u * n + u] = 1;
        for (uint64_t k = graph->offset[u]; k < graph->offset[u + 1]; k++)
            matrix[u * n + graph->target[k]] = -q / (double)opevo_graph_degree(graph, u);
    }
    start = opevo_clock_process_s();
    LAPACKE_dgesv(LAPACK_COL_MAJOR, order, 1, matrix, order, pivot, x, order);
    start = opevo_clock_process_s() - start;
    free(matrix);
    free(pivot);
    return start;
}

static void against_dense(bench *self)
{
    const char *text = "factor(2^10*3^4*5,3)";
    opevo_error err = {OPEVO_OK, ""};
    opevo_parameter *parameter = parameter_of("factor(414720,3)");
    opevo_graph *graph = NULL;
    opevo_law *law = NULL;
    size_t n = 0;
    double *p0 = NULL, *fast = NULL, *dense = NULL, bound = 0, distance = 0, ours = 0, theirs = 0;
    double start = 0;

    need(opevo_graph_create(parameter, 0, &graph, &err), &err);
    n = graph->vertex_count;
    p0 = calloc(n, sizeof *p0);
    fast = calloc(n, sizeof *fast);
    dense = calloc(n, sizeof *dense);
    p0[0] = 1;
    ours = time_solve(graph, 0.5, p0, fast, &bound, 200);
    theirs = time_dense(graph, 0.5, p0, dense);
    for (size_t v = 0; v < n; v++)
        distance += fabs(fast[v] - dense[v]);
    start = opevo_clock_process_s();
    need(opevo_law_create(parameter, 0.5, 0, NULL, &law, &err), &err);
    start = opevo_clock_process_s() - start;

    bench_title("Law of one start vertex against LAPACK's dgesv on I - Q, q = 0.5");
    printf("%s: %zu vertices, %llu edges; OpenBLAS core %s, %d thread(s)\n", text, n,
           (unsigned long long)graph->offset[n] / 2, openblas_get_corename(),
           openblas_get_num_threads());
    bench_note("dgesv", theirs * 1e3, "ms cpu");
    bench_note("law by conjugate gradients, certificate included", ours * 1e3, "ms cpu");
    bench_note("the same with the graph built first", start * 1e3, "ms cpu");
    bench_at_least(self, "dgesv / law", theirs / ours, 100, "times");
    bench_at_most(self, "bound", bound, 1e-12, "1-norm");
    bench_at_most(self, "distance to dgesv's solution", distance, 1e-12, "1-norm");
    opevo_law_destroy(law);
    free(p0);
    free(fast);
    free(dense);
    opevo_graph_destroy(graph);
    opevo_parameter_destroy(parameter);
}

/* ---- Against PageRank ---- */

/* A square of 1000 x 1000, everything within two steps a neighbour: 12 of them inside. */
static opevo_graph *plane(void)
{
    enum { SIDE = 1000 };
    uint32_t *edges = malloc(sizeof *edges * 12 * SIDE * SIDE);
    opevo_error err = {OPEVO_OK, ""};
    opevo_graph *graph = NULL;
    size_t count = 0;
    static const int steps[6][2] = {{1, 0}, {2, 0}, {0, 1}, {0, 2}, {1, 1}, {1, -1}};

    for (int x = 0; x < SIDE; x++) {
        for (int y = 0; y < SIDE; y++) {
            for (size_t s = 0; s < 6; s++) {
                int to_x = x + steps[s][0], to_y = y + steps[s][1];

                if (to_x < SIDE && to_y >= 0 && to_y < SIDE) {
                    edges[2 * count] = (uint32_t)(x * SIDE + y);
                    edges[2 * count++ + 1] = (uint32_t)(to_x * SIDE + to_y);
                }
            }
        }
    }
    need(opevo_graph_from_edges(SIDE * SIDE, edges, count, &graph, &err), &err);
    free(edges);
    return graph;
}

/* Six parameters of ten values, one step along one of them: at most 12 neighbours. */
static opevo_graph *box(void)
{
    enum { VERTICES = 1000000 };
    uint32_t *edges = malloc(sizeof *edges * 12 * VERTICES);
    opevo_error err = {OPEVO_OK, ""};
    opevo_graph *graph = NULL;
    size_t count = 0;

    for (uint32_t v = 0; v < VERTICES; v++) {
        for (uint32_t stride = 1; stride < VERTICES; stride *= 10) {
            if (v / stride % 10 < 9) {
                edges[2 * count] = v;
                edges[2 * count++ + 1] = v + stride;
            }
        }
    }
    need(opevo_graph_from_edges(VERTICES, edges, count, &graph, &err), &err);
    free(edges);
    return graph;
}

static double distance_to(const double *law, const igraph_vector_t *other)
{
    double sum = 0;

    for (igraph_integer_t v = 0; v < igraph_vector_size(other); v++)
        sum += fabs(law[v] - VECTOR(*other)[v]);
    return sum;
}

static void against_pagerank(bench *self, const char *name, const opevo_graph *graph, double q,
                             double wanted)
{
    size_t n = graph->vertex_count, start = n / 2 + 500;
    double *p0 = calloc(n, sizeof *p0), *law = calloc(n, sizeof *law);
    double bound = 0, ours = 0, theirs = 0, loose = 0, accuracy = 0;
    opevo_error err = {OPEVO_OK, ""};
    opevo_law_options options = {.method = OPEVO_LAW_CG};
    igraph_t view;
    igraph_vector_t found, reset;
    char line[64];

    p0[start] = 1;
    ours = time_solve(graph, q, p0, law, &bound, 3);
    if (!igraph_view(graph, &view))
        exit(1);
    igraph_vector_init(&found, 0);
    igraph_vector_init(&reset, (igraph_integer_t)n);
    VECTOR(reset)[start] = 1;
    theirs = opevo_clock_process_s();
    igraph_personalized_pagerank(&view, IGRAPH_PAGERANK_ALGO_PRPACK, &found, NULL, igraph_vss_all(),
                                 IGRAPH_UNDIRECTED, q, &reset, NULL, NULL);
    theirs = opevo_clock_process_s() - theirs;
    accuracy = distance_to(law, &found);
    /* Ours again, only as accurate as igraph's answer turned out to be. */
    options.tolerance = fmax(accuracy, 1e-12);
    loose = opevo_clock_process_s();
    need(opevo_law_solve(graph, q, p0, &options, law, NULL, &err), &err);
    loose = opevo_clock_process_s() - loose;

    printf("%s, q = %g: igraph's answer is within %.2g, ours certified within %.2g\n", name, q,
           accuracy, bound);
    bench_note("igraph PRPACK", theirs, "s cpu");
    bench_note("law, bound 1e-12", ours, "s cpu");
    snprintf(line, sizeof line, "PRPACK / law at PRPACK's accuracy (%.1e)", options.tolerance);
    bench_at_least(self, line, theirs / loose, wanted, "times");
    bench_at_least(self, "PRPACK / law at bound 1e-12", theirs / ours, wanted, "times");
    igraph_vector_destroy(&found);
    igraph_vector_destroy(&reset);
    igraph_destroy(&view);
    free(p0);
    free(law);
}

/* ---- Large parameters ---- */

static double time_create(const char *text, double q, opevo_index start, double *bound)
{
    opevo_parameter *parameter = parameter_of(text);
    opevo_error err = {OPEVO_OK, ""};
    opevo_law *law = NULL;
    double seconds = opevo_clock_process_s();

    need(opevo_law_create(parameter, q, start, NULL, &law, &err), &err);
    seconds = opevo_clock_process_s() - seconds;
    *bound = fmax(*bound, opevo_law_bound(law));
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);
    return seconds;
}

static void large_parameters(bench *self)
{
    enum { VALUES = 1000000 };
    opevo_text path = {0};
    double bound = 0;

    opevo_text_add(&path, "discrete(0");
    for (int i = 1; i < VALUES; i++)
        opevo_text_printf(&path, ",%d", i);
    opevo_text_add(&path, ")");
    bench_title("Large parameters");
    bench_at_most(self, "permutation(30), 2.65e32 vertices, q = 0.5",
                  time_create("permutation(30)", 0.5, 12345, &bound), 1, "s cpu");
    bench_at_most(self, "permutation(30), q = 0.99",
                  time_create("permutation(30)", 0.99, 12345, &bound), 1, "s cpu");
    bench_at_most(self, "discrete of 1e6 values, q = 0.5",
                  time_create(opevo_text_string(&path), 0.5, VALUES / 3, &bound), 1, "s cpu");
    bench_at_most(self, "discrete of 1e6 values, q = 0.99",
                  time_create(opevo_text_string(&path), 0.99, VALUES / 3, &bound), 1, "s cpu");
    bench_at_most(self, "largest bound of these", bound, 1e-12, "1-norm");
    opevo_text_free(&path);
}

/* What finding the coarsest equitable partition costs beside solving without it. */
static void lumping(void)
{
    static const char *const texts[] = {"factor(414720,3)", "permutation(8)", "factor(1024,5)"};

    bench_title("Lumping against conjugate gradients, q = 0.99, graph built in both");
    for (size_t i = 0; i < 3; i++) {
        opevo_parameter *parameter = parameter_of(texts[i]);
        opevo_error err = {OPEVO_OK, ""};
        double seconds[2] = {0, 0};
        size_t classes = 0;
        char line[64];

        for (int lumped = 0; lumped < 2; lumped++) {
            opevo_law_options options = {.method = lumped ? OPEVO_LAW_LUMPED : OPEVO_LAW_CG};
            opevo_law *law = NULL;

            seconds[lumped] = opevo_clock_process_s();
            need(opevo_law_create(parameter, 0.99, 0, &options, &law, &err), &err);
            seconds[lumped] = opevo_clock_process_s() - seconds[lumped];
            classes = opevo_law_class_count(law);
            opevo_law_destroy(law);
        }
        snprintf(line, sizeof line, "%s: cg", texts[i]);
        bench_note(line, seconds[0] * 1e3, "ms cpu");
        snprintf(line, sizeof line, "%s: lumped to %zu classes", texts[i], classes);
        bench_note(line, seconds[1] * 1e3, "ms cpu");
        opevo_parameter_destroy(parameter);
    }
}

int main(void)
{
    bench self = {0};
    opevo_graph *graph = NULL;

    openblas_set_num_threads(1);
    against_dense(&self);
    bench_title("Law against igraph's personalised PageRank, 1e6 vertices of degree 12");
    graph = plane();
    against_pagerank(&self, "plane of radius 2", graph, 0.85, 3);
    against_pagerank(&self, "plane of radius 2", graph, 0.99, 10);
    opevo_graph_destroy(graph);
    graph = box();
    against_pagerank(&self, "box of six dimensions", graph, 0.85, 3);
    against_pagerank(&self, "box of six dimensions", graph, 0.99, 10);
    opevo_graph_destroy(graph);
    large_parameters(&self);
    lumping();
    return bench_end(&self);
}
