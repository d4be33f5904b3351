/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Laws on classes of vertices: cycle types against the law of every single permutation, and the
 * coarsest equitable partition against its definition and known counts. */

#include "law_fixture.h"

#include <opevo/memory.h>
#include <opevo/random.h>

#include "equitable_internal.h"

/* ---- Cycle types ---- */

CHECK_TEST(cycle_types_are_the_explicit_law)
{
    static const double qs[] = {0.3, 0.5, 0.9, 0.999};
    static const char *const texts[] = {"permutation(6)", "permutation(7)"};

    for (size_t t = 0; t < 2; t++) {
        opevo_parameter *parameter = parameter_of(texts[t], NULL);
        size_t n = (size_t)opevo_parameter_size(parameter);

        for (size_t i = 0; i < 4; i++) {
            opevo_law_options explicit_options = {.method = OPEVO_LAW_CG};
            opevo_law *closed = NULL, *whole = NULL;
            double distance = 0;

            CHECK_OK(opevo_law_create(parameter, qs[i], n / 3, NULL, &closed, &err));
            CHECK_OK(opevo_law_create(parameter, qs[i], n / 3, &explicit_options, &whole, &err));
            assert_int_equal(opevo_law_get_method(closed), OPEVO_LAW_CLOSED_FORM);
            for (size_t v = 0; v < n; v++)
                distance +=
                    fabs(opevo_law_probability(closed, v) - opevo_law_probability(whole, v));
            CHECK_CLOSE(distance, 0, opevo_law_bound(closed) + opevo_law_bound(whole));
            opevo_law_destroy(closed);
            opevo_law_destroy(whole);
        }
        opevo_parameter_destroy(parameter);
    }
}

/* Numbers of partitions (OEIS A000041), sizes that add to n!, classes of the representatives. */
CHECK_TEST(classes_of_all_orders)
{
    static const size_t partitions[] = {1,    1,    2,    3,    5,    7,    11,    15,   22,
                                        30,   42,   56,   77,   101,  135,  176,   231,  297,
                                        385,  490,  627,  792,  1002, 1255, 1575,  1958, 2436,
                                        3010, 3718, 4565, 5604, 6842, 8349, 10143, 12310};

    for (unsigned n = 1; n <= 34; n += n < 12 ? 1 : 11) {
        char text[32];
        opevo_parameter *parameter = NULL;
        opevo_law *law = NULL;
        opevo_index vertices = 0;
        double sum = 0;

        snprintf(text, sizeof text, "permutation(%u)", n);
        parameter = parameter_of(text, NULL);
        CHECK_OK(opevo_law_create(parameter, 0.5, opevo_parameter_size(parameter) / 5, NULL, &law,
                                  &err));
        if (n >= 3) {
            assert_int_equal(opevo_law_class_count(law), partitions[n]);
            for (size_t i = 0; i < opevo_law_class_count(law); i++) {
                opevo_law_class class = opevo_law_class_get(law, i);

                vertices += class.size;
                sum += (double)class.size * class.probability;
                CHECK_CLOSE(opevo_law_probability(law, class.representative), class.probability, 0);
            }
            assert_true(vertices == opevo_parameter_size(parameter));
            CHECK_CLOSE(sum, 1, 1e-12);
        }
        opevo_law_destroy(law);
        opevo_parameter_destroy(parameter);
    }
}

/* S(v) = (1-q) [v is the start] + q sum of S over the neighbours / degree, at vertices near and far
 * of a graph that nobody can store. */
static void defining_equation_at(const opevo_law *law, opevo_index vertex, double q)
{
    const opevo_parameter *parameter = opevo_law_parameter(law);
    opevo_index degree = opevo_parameter_degree(parameter, vertex);
    double right = vertex == opevo_law_start(law) ? 1 - q : 0;

    for (opevo_index k = 0; k < degree; k++)
        right += q / (double)degree *
                 opevo_law_probability(law, opevo_parameter_neighbour(parameter, vertex, k));
    CHECK_CLOSE(opevo_law_probability(law, vertex), right, opevo_law_bound(law) + 1e-15);
    if (right > 1e-11)
        CHECK_CLOSE(opevo_law_probability(law, vertex) / right, 1, 1e-3);
}

CHECK_TEST(permutation_30_fulfils_its_equation)
{
    opevo_parameter *parameter = parameter_of("permutation(30)", NULL);
    opevo_index start = opevo_parameter_size(parameter) / 7 * 3;
    static const double qs[] = {0.5, 0.9};
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "permutation walk", 0);
    for (size_t i = 0; i < 2; i++) {
        opevo_index vertex = start;
        opevo_law *law = NULL;

        CHECK_OK(opevo_law_create(parameter, qs[i], start, NULL, &law, &err));
        for (int steps = 0; steps < 8; steps++) {
            defining_equation_at(law, vertex, qs[i]);
            vertex = opevo_parameter_neighbour(
                parameter, vertex,
                opevo_rng_below_wide(&rng, opevo_parameter_degree(parameter, vertex)));
        }
        defining_equation_at(law, 0, qs[i]);
        opevo_law_destroy(law);
    }
    opevo_parameter_destroy(parameter);
}

/* ---- Equitable partitions ---- */

static void check_equitable(const opevo_graph *graph, size_t start, const uint32_t *class_of,
                            size_t class_count)
{
    size_t n = graph->vertex_count;
    uint64_t *first = calloc(class_count * class_count, sizeof *first);
    uint64_t *count = calloc(class_count, sizeof *count);
    bool *seen = calloc(class_count, sizeof *seen);

    for (size_t v = 0; v < n; v++) {
        uint32_t a = class_of[v];

        assert_true(a < class_count);
        assert_true(v == start || a != class_of[start]);
        memset(count, 0, class_count * sizeof *count);
        for (uint64_t k = graph->offset[v]; k < graph->offset[v + 1]; k++)
            count[class_of[graph->target[k]]]++;
        if (!seen[a])
            memcpy(first + a * class_count, count, class_count * sizeof *count);
        seen[a] = true;
        assert_memory_equal(first + a * class_count, count, class_count * sizeof *count);
    }
    for (size_t a = 0; a < class_count; a++)
        assert_true(seen[a]);
    free(first);
    free(count);
    free(seen);
}

static size_t class_count_of(const opevo_graph *graph, size_t start)
{
    uint32_t *class_of = NULL;
    size_t class_count = 0;

    CHECK_OK(opevo_i_law_equitable_partition(graph, start, &class_of, &class_count, &err));
    check_equitable(graph, start, class_of, class_count);
    opevo_free(class_of);
    return class_count;
}

/* Coarsest: where the classes are known. */
CHECK_TEST(known_partitions)
{
    static const struct {
        const char *text, *topology;
        size_t start, classes;
    } rows[] = {
        {"discrete(1,2,3,4,5,6,7)", NULL, 0, 7}, /* distances from the end */
        {"discrete(1,2,3,4,5,6,7)", NULL, 3, 4}, /* both halves alike */
        {"discrete(1,2,3,4,5,6,7)", NULL, 2, 7},
        {"discrete(1,2,3,4,5,6,7)", "cycle", 2, 4},
        {"discrete(1,2,3,4,5,6,7,8)", "cycle", 2, 5},
        {"categorical(a,b,c,d,e)", NULL, 3, 2},
        {"categorical(a)", NULL, 0, 1},
        {"permutation(5)", NULL, 17, 7}, /* partitions of 5 */
        {"permutation(6)", NULL, 0, 11},
        {"factor(8,3)", NULL, 0, 6}, /* two places alike */
        {"factor(2,5)", NULL, 2, 2},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        opevo_parameter *parameter = parameter_of(rows[i].text, rows[i].topology);
        opevo_graph *graph = NULL;

        CHECK_OK(opevo_graph_create(parameter, 0, &graph, &err));
        assert_int_equal(class_count_of(graph, rows[i].start), rows[i].classes);
        opevo_graph_destroy(graph);
        opevo_parameter_destroy(parameter);
    }
}

/* Two copies of a random sparse graph under one start vertex that is tied to the same vertex of
 * both: the copies are alike, so there is at most one class for each vertex of a copy and the
 * start. From a vertex of one copy nothing of the kind holds, but the partition is still equitable.
 */
CHECK_TEST(random_graphs)
{
    enum { HALF = 150, EDGES = 300, TOP = 2 * HALF };

    for (uint64_t seed = 0; seed < 20; seed++) {
        uint32_t edges[4 * EDGES + 4] = {TOP, 0, TOP, HALF};
        opevo_graph *graph = NULL;
        opevo_rng rng;

        opevo_rng_init(&rng, seed, "equitable", 0);
        for (size_t e = 1; e <= EDGES; e++) {
            uint32_t a = (uint32_t)opevo_rng_below(&rng, HALF);
            uint32_t b = (a + 1 + (uint32_t)opevo_rng_below(&rng, HALF - 1)) % HALF;

            memcpy(edges + 4 * e, (uint32_t[]){a, b, a + HALF, b + HALF}, 4 * sizeof *edges);
        }
        CHECK_OK(opevo_graph_from_edges(TOP + 1, edges, 2 * EDGES + 2, &graph, &err));
        assert_true(class_count_of(graph, TOP) <= HALF + 1);
        assert_true(class_count_of(graph, 7) > HALF / 2);
        opevo_graph_destroy(graph);
    }
}

CHECK_TEST(cycle_types_are_the_coarsest_partition)
{
    opevo_parameter *parameter = parameter_of("permutation(7)", NULL);
    opevo_law_options options = {.method = OPEVO_LAW_LUMPED};
    opevo_law *lumped = NULL, *closed = NULL;

    CHECK_OK(opevo_law_create(parameter, 0.5, 4321, &options, &lumped, &err));
    CHECK_OK(opevo_law_create(parameter, 0.5, 4321, NULL, &closed, &err));
    assert_int_equal(opevo_law_class_count(lumped), opevo_law_class_count(closed));
    for (size_t i = 0; i < opevo_law_class_count(closed); i++) {
        opevo_law_class class = opevo_law_class_get(closed, i);

        CHECK_CLOSE(opevo_law_probability(lumped, class.representative), class.probability, 1e-14);
    }
    opevo_law_destroy(lumped);
    opevo_law_destroy(closed);
    opevo_parameter_destroy(parameter);
}
