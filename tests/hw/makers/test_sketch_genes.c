/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parameters of sketches as genes of the tuner `ansor`: each is mutated as what it decides, and
 * most samples and mutations are allowed. */

#include "check.h"

#include <opevo/computation_named.h>
#include <opevo/random.h>
#include <opevo/sketch.h>

#include "genome_internal.h"

static const char *const computations[] = {
    "matmul(512,512,512)",
    "matmul(8,512,8)",
    "softmax(64,1024)",
    "c2d(1,56,56,64,64,3,1,1)",
    "conv-layer(1,56,56,64,64,3,1,1)",
};

static opevo_i_tvm_gene gene_of(const opevo_slot *slot)
{
    switch (slot->kind) {
    case OPEVO_SLOT_TILE:
        return OPEVO_I_GENE_TILE;
    case OPEVO_SLOT_LOCATION:
        return OPEVO_I_GENE_LOCATION;
    case OPEVO_SLOT_PARALLEL:
        return OPEVO_I_GENE_PARALLEL;
    case OPEVO_SLOT_VECTORIZE:
        return OPEVO_I_GENE_FIXED;
    default:
        return OPEVO_I_GENE_UNROLL;
    }
}

/* The parameter of a slot: the key, behind the branch if several have it. */
static size_t find(const opevo_space *space, size_t sketch, const opevo_slot *slot)
{
    char whole[160];

    snprintf(whole, sizeof whole, "sketch.s%zu.%s", sketch + 1, slot->name);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        const char *name = opevo_parameter_name(opevo_space_parameter(space, i));

        if (!strcmp(name, whole) || !strcmp(name, slot->name))
            return i;
    }
    fail_msg("no parameter %s", whole);
    return 0;
}

static void check_genes(const opevo_sketches *sketches, const opevo_space *space,
                        const opevo_i_tvm_genome *genome)
{
    for (size_t s = 0; s < sketches->count; s++) {
        for (int k = 0; k < sketches->item[s]->slots; k++) {
            const opevo_slot *slot = &sketches->item[s]->slot[k];
            size_t i = find(space, s, slot);

            if (opevo_parameter_size(opevo_space_parameter(space, i)) == 1)
                assert_int_equal(opevo_i_tvm_genome_kind(genome, i), OPEVO_I_GENE_FIXED);
            else
                assert_int_equal(opevo_i_tvm_genome_kind(genome, i), gene_of(slot));
        }
    }
}

/* At least a tenth of the samples, and a third of the mutations of allowed points. */
static void check_shares(const opevo_space *space, const opevo_i_tvm_genome *genome)
{
    enum { SAMPLES = 5000 };
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    size_t sampled = 0, mutated = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (int i = 0; i < SAMPLES; i++) {
        opevo_i_tvm_genome_sample(genome, 0, &rng, vertices);
        if (!opevo_space_allows(space, opevo_space_encode(space, vertices)))
            continue;
        sampled++;
        opevo_i_tvm_genome_mutate(genome, &rng, vertices);
        mutated += opevo_space_allows(space, opevo_space_encode(space, vertices));
    }
    assert_true(sampled > SAMPLES / 10);
    assert_true(mutated > sampled / 3);
}

CHECK_TEST(test_sketches_are_genomes)
{
    const opevo_sketch_target target = {.dialect = OPEVO_KERNEL_C, .cores = 4, .threads = 4};

    for (size_t i = 0; i < sizeof computations / sizeof *computations; i++) {
        opevo_computation *computation = NULL;
        opevo_sketches *sketches = NULL;
        opevo_space *space = NULL;
        opevo_i_tvm_genome *genome = NULL;

        CHECK_OK(opevo_computation_read(computations[i], &computation, &err));
        CHECK_OK(opevo_sketches_create(computation, &target, &sketches, &err));
        CHECK_OK(opevo_sketches_space(sketches, &space, &err));
        genome = opevo_i_tvm_genome_create(space, OPEVO_I_GENE_WEIGHTS_AUTO, 64);
        assert_non_null(genome);
        check_genes(sketches, space, genome);
        check_shares(space, genome);
        opevo_i_tvm_genome_destroy(genome);
        opevo_space_destroy(space);
        opevo_sketches_destroy(sketches);
        opevo_computation_destroy(computation);
    }
}
