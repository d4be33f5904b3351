/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The literal walk against its exact law, by tables and by formula, with spoilt laws that the same
 * draws must reject. */

#include "check_memory.h"
#include "law_fixture.h"

#include <opevo/sampler.h>

/* Draws per vertex of `n` from `start`. */
static uint64_t *draw(const opevo_walker *walker, size_t n, opevo_index start, uint64_t draws,
                      uint64_t seed)
{
    uint64_t *drawn = calloc(n, sizeof *drawn);
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "sampler test", 0);
    for (uint64_t i = 0; i < draws; i++) {
        opevo_index vertex = opevo_walker_draw(walker, start, &rng);

        assert_true(vertex < n);
        drawn[(size_t)vertex]++;
    }
    return drawn;
}

static double *law_of(const opevo_parameter *parameter, double q, opevo_index start)
{
    size_t n = (size_t)opevo_parameter_size(parameter);
    double *probability = calloc(n, sizeof *probability);
    opevo_law *law = NULL;

    CHECK_OK(opevo_law_create(parameter, q, start, NULL, &law, &err));
    for (size_t v = 0; v < n; v++)
        probability[v] = opevo_law_probability(law, v);
    opevo_law_destroy(law);
    return probability;
}

/* 300000 draws a start at four q. The spoilt laws below show the power: q off by 0.01 and a lost
 * neighbour are rejected at 1e-9. A right sampler fails one of the 32 tests with probability
 * 32e-5, and the seed is fixed. */
CHECK_TEST(walks_follow_the_law)
{
    static const struct {
        const char *text, *topology;
    } rows[] = {{"factor(8,3)", NULL},
                {"factor(60,2)", "any-divisor"},
                {"permutation(4)", NULL},
                {"discrete(1,2,3,4,5,6)", NULL},
                {"discrete(1,2,3,4,5,6)", "cycle"},
                {"categorical(a,b,c,d)", NULL},
                {"discrete(1,2)", NULL},
                {"categorical(a)", NULL}};
    static const double qs[] = {0.1, 0.5, 0.8, 0.95};
    enum { DRAWS = 300000 };

    for (size_t t = 0; t < sizeof rows / sizeof *rows; t++) {
        opevo_parameter *parameter = parameter_of(rows[t].text, rows[t].topology);
        size_t n = (size_t)opevo_parameter_size(parameter);

        for (size_t i = 0; i < 4; i++) {
            opevo_walker *walker = NULL;
            opevo_index start = (i * 7) % n;
            double *law = law_of(parameter, qs[i], start);
            uint64_t *drawn = NULL;

            CHECK_OK(opevo_walker_create(parameter, qs[i], &walker, &err));
            drawn = draw(walker, n, start, DRAWS, t);
            assert_true(fit_p(drawn, law, n, DRAWS) > 1e-5);
            free(drawn);
            free(law);
            opevo_walker_destroy(walker);
        }
        opevo_parameter_destroy(parameter);
    }
}

CHECK_TEST(spoilt_laws_are_rejected)
{
    enum { DRAWS = 300000 };
    opevo_parameter *parameter = parameter_of("factor(8,3)", NULL);
    opevo_index start = vertex_of(parameter, "8,1,1");
    double *wrong_q = law_of(parameter, 0.51, start);
    double less[10], p0[10] = {0};
    opevo_graph *graph = NULL, *lacking = NULL;
    uint32_t edges[2 * 18];
    size_t edge_count = 0;
    opevo_walker *walker = NULL;
    uint64_t *drawn = NULL;

    CHECK_OK(opevo_walker_create(parameter, 0.5, &walker, &err));
    drawn = draw(walker, 10, start, DRAWS, 1);
    assert_true(fit_p(drawn, wrong_q, 10, DRAWS) < 1e-9);

    /* The graph without the edge (4,2,1) - (2,4,1). */
    CHECK_OK(opevo_graph_create(parameter, 0, &graph, &err));
    for (size_t u = 0; u < 10; u++) {
        for (uint64_t k = graph->offset[u]; k < graph->offset[u + 1]; k++) {
            size_t v = graph->target[k];
            bool lost =
                u + v == (size_t)(vertex_of(parameter, "4,2,1") + vertex_of(parameter, "2,4,1")) &&
                (u == vertex_of(parameter, "4,2,1") || v == vertex_of(parameter, "4,2,1"));

            if (u < v && !lost) {
                edges[2 * edge_count] = (uint32_t)u;
                edges[2 * edge_count++ + 1] = (uint32_t)v;
            }
        }
    }
    CHECK_OK(opevo_graph_from_edges(10, edges, edge_count, &lacking, &err));
    p0[(size_t)start] = 1;
    CHECK_OK(opevo_law_solve(lacking, 0.5, p0, NULL, less, NULL, &err));
    assert_true(fit_p(drawn, less, 10, DRAWS) < 1e-9);
    free(drawn);
    free(wrong_q);
    opevo_graph_destroy(graph);
    opevo_graph_destroy(lacking);
    opevo_walker_destroy(walker);
    opevo_parameter_destroy(parameter);
}

/* 362880 vertices: no tables. Cells are the 30 cycle types. If the transpositions, a quarter of all
 * ends, came 3 % too often, the statistic would grow by 89 on average, and at 1e-4 it may exceed
 * its mean by 37 at most: caught with probability 0.99. */
CHECK_TEST(walks_by_formula)
{
    enum { DRAWS = 300000 };
    opevo_parameter *parameter = parameter_of("permutation(9)", NULL);
    opevo_index start = 123456;
    opevo_law *law = NULL;
    opevo_walker *walker = NULL;
    double classes[30], expected[30];
    uint64_t drawn[30] = {0};
    opevo_rng rng;

    CHECK_OK(opevo_law_create(parameter, 0.6, start, NULL, &law, &err));
    CHECK_OK(opevo_walker_create(parameter, 0.6, &walker, &err));
    assert_int_equal(opevo_law_class_count(law), 30);
    for (size_t i = 0; i < 30; i++) {
        opevo_law_class class = opevo_law_class_get(law, i);

        classes[i] = class.probability;
        expected[i] = (double)class.size * class.probability;
    }
    opevo_rng_init(&rng, 1, "formula", 0);
    for (int i = 0; i < DRAWS; i++) {
        double p = opevo_law_probability(law, opevo_walker_draw(walker, start, &rng));
        size_t class = 0;

        while (classes[class] != p)
            class ++;
        drawn[class]++;
    }
    assert_true(fit_p(drawn, expected, 30, DRAWS) > 1e-4);
    opevo_walker_destroy(walker);
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);
}

/* A graph with 10^25 vertices: every step is to a neighbour. */
CHECK_TEST(steps_on_a_graph_beyond_memory)
{
    opevo_parameter *parameter = parameter_of("permutation(25)", NULL);
    opevo_walker *walker = NULL;
    opevo_index vertex = opevo_parameter_size(parameter) / 3;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "large", 0);
    CHECK_OK(opevo_walker_create(parameter, 0.9, &walker, &err));
    for (int i = 0; i < 300; i++) {
        opevo_index next = opevo_walker_step(walker, vertex, &rng);
        bool neighbour = false;

        for (opevo_index k = 0; k < 300 && !neighbour; k++)
            neighbour = opevo_parameter_neighbour(parameter, vertex, k) == next;
        assert_true(neighbour);
        vertex = next;
    }
    opevo_walker_destroy(walker);
    opevo_parameter_destroy(parameter);
}

/* One step from each vertex of a graph: neighbours alike, a vertex without neighbours stays. */
CHECK_TEST(single_steps)
{
    enum { DRAWS = 60000 };
    static const uint32_t edges[] = {0, 1, 0, 2, 0, 3, 1, 2};
    static const double law[5][5] = {{0, 1 / 3.0, 1 / 3.0, 1 / 3.0, 0},
                                     {.5, 0, .5, 0, 0},
                                     {.5, .5, 0, 0, 0},
                                     {1, 0, 0, 0, 0},
                                     {0, 0, 0, 0, 1}};
    opevo_graph *graph = NULL;
    opevo_walker *walker = NULL;
    opevo_rng rng;

    CHECK_OK(opevo_graph_from_edges(5, edges, 4, &graph, &err));
    CHECK_OK(opevo_walker_create_on_graph(graph, 0.5, &walker, &err));
    opevo_graph_destroy(graph); /* copied */
    opevo_rng_init(&rng, 1, "steps", 0);
    for (size_t v = 0; v < 5; v++) {
        uint64_t drawn[5] = {0};

        for (int i = 0; i < DRAWS; i++)
            drawn[(size_t)opevo_walker_step(walker, v, &rng)]++;
        for (size_t w = 0; w < 5; w++)
            assert_true((law[v][w] > 0) == (drawn[w] > 0));
        assert_true(fit_p(drawn, law[v], 5, DRAWS) > 1e-4);
        assert_true(opevo_walker_draw(walker, 4, &rng) == 4);
    }
    opevo_walker_destroy(walker);
}

CHECK_TEST(without_steps_the_start_is_kept)
{
    opevo_parameter *parameter = parameter_of("factor(8,3)", NULL);
    opevo_walker *walker = NULL;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "stay", 0);
    CHECK_OK(opevo_walker_create(parameter, 0, &walker, &err));
    for (int i = 0; i < 1000; i++)
        assert_true(opevo_walker_draw(walker, 3, &rng) == 3);
    opevo_walker_destroy(walker);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(refused)
{
    static const double qs[] = {-0.1, 1, NAN};
    opevo_parameter *parameter = parameter_of("factor(8,3)", NULL);
    opevo_walker *walker = NULL;

    for (size_t i = 0; i < 3; i++)
        CHECK_FAILS(OPEVO_INVALID, "q is", opevo_walker_create(parameter, qs[i], &walker, &err));
    assert_null(walker);
    opevo_walker_destroy(NULL);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(every_allocation_failing)
{
    opevo_walker *walker = NULL;
    opevo_parameter *parameter = parameter_of("factor(64,3)", NULL);

    CHECK_MEMORY_OF(opevo_walker_create(parameter, 0.5, &walker, NULL),
                    opevo_walker_destroy(walker), walker = NULL);
    opevo_parameter_destroy(parameter);
}
