/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The genes of `ansor`: what a parameter is by its name, and the exact laws of samples and of
 * mutations, by enumeration. A wrong weight, a bound not kept or a value left out would shift some
 * probability by a tenth or more, which the tests see for certain at these numbers of draws. */

#include "formula.h"

#include <stdlib.h>

#include "fit.h"
#include "genome_internal.h"
#include "tiling_internal.h"

/* Two sketches; C__i of both has the same key. */
static const char sketches[] =
    "{\"sketch\": {\"_type\": \"choice\", \"_value\": [\n"
    "  {\"_name\": \"tiled\",\n"
    "   \"C__i\": {\"_type\": \"factor\", \"_value\": [12, 3]},\n"
    "   \"C__unroll\": {\"_type\": \"discrete\", \"_value\": [0, 16, 64]},\n"
    "   \"C_local__location\": {\"_type\": \"choice\", \"_value\": [0, 1, 2, 3]},\n"
    "   \"C__parallel\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]},\n"
    "   \"C__vectorize\": {\"_type\": \"discrete\", \"_value\": [1, 2]}},\n"
    "  {\"_name\": \"flat\",\n"
    "   \"C__i\": {\"_type\": \"factor\", \"_value\": [6, 2]}},\n"
    "  \"plain\"]},\n"
    " \"order\": {\"_type\": \"permutation\", \"_value\": 2},\n"
    " \"one\": {\"_type\": \"discrete\", \"_value\": [5]}}";

enum { WIDTH = 9, PARTS_MOST = 4 };

static size_t find(const opevo_space *space, const char *name)
{
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        if (!strcmp(opevo_parameter_name(opevo_space_parameter(space, i)), name))
            return i;
    }
    fail_msg("no parameter %s", name);
    return 0;
}

CHECK_TEST(test_names)
{
    static const struct {
        const char *name;
        opevo_i_tvm_gene kind;
        const char *same_stage; /* a parameter of the same stage */
        const char *other_stage;
    } expected[] = {
        {"sketch", OPEVO_I_GENE_FIXED, "order", "C__unroll"},
        {"sketch.tiled.C__i", OPEVO_I_GENE_TILE, "C__unroll", "C_local__location"},
        {"C__unroll", OPEVO_I_GENE_UNROLL, "C__parallel", "sketch"},
        {"C_local__location", OPEVO_I_GENE_LOCATION, "C_local__location", "C__unroll"},
        {"C__parallel", OPEVO_I_GENE_PARALLEL, "sketch.flat.C__i", "order"},
        {"C__vectorize", OPEVO_I_GENE_FIXED, "C__unroll", "one"},
        {"sketch.flat.C__i", OPEVO_I_GENE_TILE, "sketch.tiled.C__i", "order"},
        {"order", OPEVO_I_GENE_UNROLL, "one", "C__unroll"},
        {"one", OPEVO_I_GENE_FIXED, "sketch", "C__unroll"},
    };
    opevo_space *space = formula_space(sketches);
    opevo_i_tvm_genome *genome = opevo_i_tvm_genome_create(space, OPEVO_I_GENE_WEIGHTS_AUTO, 64);

    assert_non_null(genome);
    assert_int_equal(opevo_space_parameter_count(space), WIDTH);
    assert_int_equal(opevo_i_tvm_genome_stage_count(genome), 3);
    for (size_t k = 0; k < WIDTH; k++) {
        size_t i = find(space, expected[k].name);

        assert_int_equal(opevo_i_tvm_genome_kind(genome, i), expected[k].kind);
        assert_int_equal(opevo_i_tvm_genome_stage(genome, i),
                         opevo_i_tvm_genome_stage(genome, find(space, expected[k].same_stage)));
        assert_int_not_equal(
            opevo_i_tvm_genome_stage(genome, i),
            opevo_i_tvm_genome_stage(genome, find(space, expected[k].other_stage)));
    }
    opevo_i_tvm_genome_destroy(genome);
    opevo_space_destroy(space);
}

static int64_t last_part(const opevo_parameter *parameter, opevo_index vertex)
{
    opevo_value value[PARTS_MOST];

    opevo_parameter_value(parameter, vertex, value);
    return value[opevo_parameter_arity(parameter) - 1].as.integer;
}

static bool is_factor(const opevo_parameter *parameter)
{
    return !strcmp(opevo_parameter_type(parameter), "factor");
}

/* Values that a sample may have. */
static double admitted(const opevo_parameter *parameter, int64_t innermost)
{
    size_t count = 0;

    for (opevo_index v = 0; v < opevo_parameter_size(parameter); v++)
        count += !is_factor(parameter) || last_part(parameter, v) <= innermost;
    return (double)count;
}

/* The law of a sample, point by point: every choice uniform, so that each of the three sketches has
 * a third although they have 18 * 3 * 4 * 3 * 2, 4 and 1 times as many points. */
CHECK_TEST(test_law_of_samples)
{
    opevo_space *space = formula_space(sketches);
    opevo_i_tvm_genome *genome = opevo_i_tvm_genome_create(space, OPEVO_I_GENE_WEIGHTS_AUTO, 4);
    size_t size = (size_t)opevo_space_size(space);
    double *law = calloc(size, sizeof *law);
    uint64_t *drawn = calloc(size, sizeof *drawn);
    enum { DRAWS = 1000000 };
    double sum = 0;
    opevo_rng rng;

    for (size_t point = 0; point < size; point++) {
        opevo_index vertices[WIDTH];

        law[point] = 1;
        opevo_space_decode(space, point, vertices);
        for (size_t i = 0; i < WIDTH; i++) {
            const opevo_parameter *parameter = opevo_space_parameter(space, i);

            if (vertices[i] == OPEVO_INACTIVE)
                continue;
            law[point] /= admitted(parameter, 4);
            if (is_factor(parameter) && last_part(parameter, vertices[i]) > 4)
                law[point] = 0;
        }
        sum += law[point];
    }
    CHECK_CLOSE(sum, 1, 1e-9);
    opevo_rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < DRAWS; i++) {
        opevo_index vertices[WIDTH];
        opevo_index point = 0;

        opevo_i_tvm_genome_sample(genome, 0, &rng, vertices);
        point = opevo_space_encode(space, vertices);
        assert_true(law[point] > 0);
        drawn[point]++;
    }
    assert_true(fit_p(drawn, law, size, DRAWS) > 1e-4);
    free(law);
    free(drawn);
    opevo_i_tvm_genome_destroy(genome);
    opevo_space_destroy(space);
}

/* ---- Mutations ---- */

/* Add what MutateTileSize makes of a tile, times `weight`: all orders of the components, and all
 * divisors of the first that can give. */
static void add_tile_law(const opevo_parameter *parameter, opevo_index vertex, int64_t innermost,
                         double weight, double *law)
{
    size_t arity = opevo_parameter_arity(parameter);
    size_t order[PARTS_MOST] = {0};
    opevo_value value[PARTS_MOST];
    size_t orders = 1, all = 1;

    opevo_parameter_value(parameter, vertex, value);
    for (size_t i = 0; i < arity; i++)
        all *= arity;
    for (size_t i = 2; i <= arity; i++)
        orders *= i;
    for (size_t code = 0; code < all; code++) { /* all tuples; permutations are kept */
        unsigned used = 0;
        bool moved = false;

        for (size_t i = 0, left = code; i < arity; i++, left /= arity)
            used |= 1U << (order[i] = left % arity);
        if (used != (1U << arity) - 1)
            continue;
        for (size_t i = 0; i < arity && !moved; i++) {
            size_t from = order[i], to = order[(i + 1) % arity];
            int64_t divisors[64];
            size_t count = 0;

            for (int64_t d = 2; d <= value[from].as.integer; d++) {
                if (value[from].as.integer % d == 0 &&
                    (to != arity - 1 || innermost == 0 || value[to].as.integer * d <= innermost))
                    divisors[count++] = d;
            }
            for (size_t k = 0; k < count; k++) {
                opevo_value next[PARTS_MOST];
                opevo_index reached = 0;

                memcpy(next, value, sizeof next);
                next[from].as.integer /= divisors[k];
                next[to].as.integer *= divisors[k];
                assert_true(opevo_parameter_find(parameter, next, &reached));
                law[reached] += weight / (double)orders / (double)count;
            }
            moved = count > 0;
        }
        law[vertex] += moved ? 0 : weight / (double)orders;
    }
}

/* The moves of a tile are steps of the graph any-divisor, and have the law of all orders. */
static void check_tile(const char *type, int64_t innermost)
{
    enum { DRAWS = 40000 };
    opevo_parameter *parameter = NULL;
    opevo_i_tvm_tiling tiling;
    size_t size = 0;
    opevo_rng rng;

    CHECK_OK(opevo_parameter_parse("t", type, "any-divisor", &parameter, &err));
    assert_true(opevo_i_tvm_tiling_of(parameter, &tiling));
    size = (size_t)opevo_parameter_size(parameter);
    opevo_rng_init(&rng, 2, "test", 0);
    for (opevo_index vertex = 0; vertex < size; vertex++) {
        double *law = calloc(size, sizeof *law);
        uint64_t *drawn = calloc(size, sizeof *drawn);

        add_tile_law(parameter, vertex, innermost, 1, law);
        for (int i = 0; i < DRAWS; i++) {
            opevo_index reached = vertex;
            bool moved =
                opevo_i_tvm_tiling_move(&tiling, parameter, (uint64_t)innermost, &rng, &reached);

            assert_int_equal(moved, reached != vertex);
            assert_true(law[reached] > 0);
            drawn[reached]++;
        }
        assert_true(fit_p(drawn, law, size, DRAWS) > 1e-6);
        for (opevo_index reached = 0; reached < size; reached++) {
            opevo_index degree = opevo_parameter_degree(parameter, vertex), k = 0;

            while (k < degree && opevo_parameter_neighbour(parameter, vertex, k) != reached)
                k++;
            assert_true(k < degree || reached == vertex || law[reached] == 0);
        }
        free(law);
        free(drawn);
    }
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_law_of_tiles)
{
    check_tile("factor(12,3)", 0);
    check_tile("factor(12,3)", 4);
    check_tile("factor(30,2)", 6);
    check_tile("factor(16,4)", 2);
    check_tile("factor(7,2)", 5); /* 7,1 cannot move at all */
}

/* The law of a mutation of one point: by kind, then by gene, then by value. */
static void add_mutation_law(const opevo_space *space, const opevo_i_tvm_genome *genome,
                             const double *weights, int64_t innermost, const opevo_index *vertices,
                             double *law)
{
    size_t present[OPEVO_I_GENE_FIXED] = {0};
    bool counts[WIDTH] = {0};
    double sum = 0;

    for (size_t i = 0; i < WIDTH; i++) {
        opevo_i_tvm_gene kind = opevo_i_tvm_genome_kind(genome, i);

        counts[i] = kind != OPEVO_I_GENE_FIXED && vertices[i] != OPEVO_INACTIVE &&
                    (kind != OPEVO_I_GENE_TILE ||
                     last_part(opevo_space_parameter(space, i), vertices[i]) <= innermost);
        if (counts[i])
            present[kind]++;
    }
    for (size_t kind = 0; kind < OPEVO_I_GENE_FIXED; kind++)
        sum += present[kind] ? weights[kind] : 0;
    for (size_t i = 0; i < WIDTH; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        opevo_i_tvm_gene kind = opevo_i_tvm_genome_kind(genome, i);
        size_t size = (size_t)opevo_parameter_size(parameter);
        double values[64] = {0};

        if (!counts[i])
            continue;
        if (kind == OPEVO_I_GENE_TILE)
            add_tile_law(parameter, vertices[i], innermost, 1, values);
        for (size_t v = 0; v < size; v++) {
            opevo_index next[WIDTH];

            memcpy(next, vertices, sizeof next);
            next[i] = v;
            if (kind == OPEVO_I_GENE_PARALLEL)
                values[v] = v == vertices[i] ? 0 : 1 / (double)(size - 1);
            else if (kind != OPEVO_I_GENE_TILE)
                values[v] = 1 / (double)size;
            law[opevo_space_encode(space, next)] +=
                values[v] * weights[kind] / sum / (double)present[kind];
        }
    }
}

static opevo_index largest_last(const opevo_parameter *parameter)
{
    opevo_index largest = 0;

    for (opevo_index v = 1; v < opevo_parameter_size(parameter); v++) {
        if (last_part(parameter, v) > last_part(parameter, largest))
            largest = v;
    }
    return largest;
}

static void check_mutations(opevo_i_tvm_gene_weights which, const double *weights)
{
    enum { DRAWS = 20000, STARTS = 25 };
    opevo_space *space = formula_space(sketches);
    opevo_i_tvm_genome *genome = opevo_i_tvm_genome_create(space, which, 4);
    size_t size = (size_t)opevo_space_size(space);
    size_t tile = find(space, "sketch.tiled.C__i");
    opevo_rng rng;

    opevo_rng_init(&rng, 3, "test", 0);
    for (int start = 0; start < STARTS; start++) {
        double *law = calloc(size, sizeof *law);
        uint64_t *drawn = calloc(size, sizeof *drawn);
        opevo_index vertices[WIDTH];

        opevo_i_tvm_genome_sample(genome, 0, &rng, vertices);
        if (vertices[tile] != OPEVO_INACTIVE && start % 5 == 0) /* above the bound it stays */
            vertices[tile] = largest_last(opevo_space_parameter(space, tile));
        add_mutation_law(space, genome, weights, 4, vertices, law);
        for (int i = 0; i < DRAWS; i++) {
            opevo_index next[WIDTH];
            opevo_index point = 0;

            memcpy(next, vertices, sizeof next);
            assert_true(opevo_i_tvm_genome_mutate(genome, &rng, next));
            point = opevo_space_encode(space, next);
            assert_true(law[point] > 0);
            drawn[point]++;
        }
        assert_true(fit_p(drawn, law, size, DRAWS) > 1e-6);
        free(law);
        free(drawn);
    }
    opevo_i_tvm_genome_destroy(genome);
    opevo_space_destroy(space);
}

CHECK_TEST(test_law_of_mutations)
{
    static const double cpu[] = {0.90, 0.04, 0.05, 0.01};
    static const double gpu[] = {0.90, 0.10, 0, 0};

    check_mutations(OPEVO_I_GENE_WEIGHTS_CPU, cpu);
    check_mutations(OPEVO_I_GENE_WEIGHTS_AUTO, cpu); /* it has locations */
    check_mutations(OPEVO_I_GENE_WEIGHTS_GPU, gpu);
}

/* Without locations and parallel loops the weights are those of GPUs. */
CHECK_TEST(test_weights_of_flat_spaces)
{
    opevo_space *space = formula_space("{\"t\": {\"_type\": \"factor\", \"_value\": [2, 2]},"
                                       " \"u\": {\"_type\": \"choice\", \"_value\": [0, 1]}}");
    opevo_i_tvm_genome *genome = opevo_i_tvm_genome_create(space, OPEVO_I_GENE_WEIGHTS_AUTO, 64);
    /* The other tile 0.9; the other u half of 0.1, and the point itself the other half. */
    static const double law[] = {0.05, 0.05, 0.9, 0};
    uint64_t drawn[4] = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 4, "test", 0);
    for (int i = 0; i < 100000; i++) {
        opevo_index vertices[2] = {0, 0};

        assert_true(opevo_i_tvm_genome_mutate(genome, &rng, vertices));
        drawn[opevo_space_encode(space, vertices)]++;
    }
    assert_true(fit_p(drawn, law, 4, 100000) > 1e-6);
    opevo_i_tvm_genome_destroy(genome);
    opevo_space_destroy(space);
}

/* A point without a gene to mutate stays. */
CHECK_TEST(test_nothing_to_mutate)
{
    opevo_space *space = formula_space("{\"vectorize\": {\"_type\": \"discrete\", \"_value\":"
                                       " [1, 2]}, \"t\": {\"_type\": \"factor\", \"_value\":"
                                       " [127, 2]}}");
    opevo_i_tvm_genome *genome = opevo_i_tvm_genome_create(space, OPEVO_I_GENE_WEIGHTS_AUTO, 64);
    opevo_rng rng;

    opevo_rng_init(&rng, 5, "test", 0);
    for (opevo_index point = 0; point < opevo_space_size(space); point++) {
        opevo_index vertices[2];

        opevo_space_decode(space, point, vertices);
        assert_false(opevo_i_tvm_genome_mutate(genome, &rng, vertices));
        assert_true(opevo_space_encode(space, vertices) == point);
    }
    opevo_i_tvm_genome_destroy(genome);
    opevo_space_destroy(space);
}
