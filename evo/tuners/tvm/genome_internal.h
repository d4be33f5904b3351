/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parameters of a space as the genes of `ansor`: what kind of decision each is and to which
 * stage it belongs, samples of them and mutations. A parameter is called STAGE.WHAT, or in a
 * branch, where a key has no dots, STAGE__WHAT; without a separator it belongs to no stage. What it
 * decides follows from its type and from the word that WHAT begins with:
 *
 *     factor, of any name     a tile
 *     unroll...               an unrolling
 *     location...             a compute location
 *     parallel...             how many loops are parallel
 *     vectorize...            fixed: sampled and never mutated, as in Ansor
 *     a parameter of one value or that opens branches, such as the choice of a sketch: fixed
 *     anything else           mutated as an unrolling is */

#ifndef OPEVO_GENOME_INTERNAL_H
#define OPEVO_GENOME_INTERNAL_H

#include <opevo/random.h>
#include <opevo/space.h>

typedef enum opevo_i_tvm_gene {
    OPEVO_I_GENE_TILE,
    OPEVO_I_GENE_UNROLL,
    OPEVO_I_GENE_LOCATION,
    OPEVO_I_GENE_PARALLEL,
    OPEVO_I_GENE_FIXED /* the last */
} opevo_i_tvm_gene;

/* Probabilities of the mutations in the order above: CPU .90, .04, .05, .01; GPU .90, .10, 0, 0.
 * AUTO is GPU where a space has neither locations nor parallel loops. Source: TVM v0.8,
 * SketchPolicyNode, mutation_rules. */
typedef enum opevo_i_tvm_gene_weights {
    OPEVO_I_GENE_WEIGHTS_AUTO,
    OPEVO_I_GENE_WEIGHTS_CPU,
    OPEVO_I_GENE_WEIGHTS_GPU
} opevo_i_tvm_gene_weights;

typedef struct opevo_i_tvm_genome opevo_i_tvm_genome;

/* `space` must outlive it. `innermost` is the largest last component of a sampled or mutated tile,
 * 0: no bound. NULL without memory. */
opevo_i_tvm_genome *opevo_i_tvm_genome_create(const opevo_space *space,
                                              opevo_i_tvm_gene_weights weights, uint64_t innermost);
void opevo_i_tvm_genome_destroy(opevo_i_tvm_genome *genome);

/* What a parameter is in TVM. Hook of tests. */
opevo_i_tvm_gene opevo_i_tvm_genome_kind(const opevo_i_tvm_genome *genome, size_t parameter);

size_t opevo_i_tvm_genome_stage_count(const opevo_i_tvm_genome *genome);
/* Number of the stage of a parameter, below the count, by first appearance. Those of no stage share
 * a number. */
size_t opevo_i_tvm_genome_stage(const opevo_i_tvm_genome *genome, size_t parameter);

/* Draw the vertices of the parameters from `first` on; those before are given. Each is uniform over
 * its values, a tile over those within the bound. So each value of a choice that opens branches has
 * the same probability, however many points its branch has. The constraints are not looked at. */
void opevo_i_tvm_genome_sample(const opevo_i_tvm_genome *genome, size_t first, opevo_rng *rng,
                               opevo_index *vertices);

/* Whether a sample may have this vertex: a tile within the bound, or any other gene. */
bool opevo_i_tvm_genome_admits(const opevo_i_tvm_genome *genome, size_t parameter,
                               opevo_index vertex);

/* Mutate one gene. Its kind is drawn by the weights, renormalised over the kinds that the point
 * has, and the gene is uniform over those of the kind. A gene counts if it is active and has
 * several values, a tile also only if its last component is within the bound.
 *
 *     tile                  opevo_i_tvm_tiling_move
 *     unrolling, location   uniform over all values, the present one included
 *     parallel              uniform over all other values
 *
 * False, with the vertices untouched, if there is no gene to mutate. The constraints are not looked
 * at. Source: TVM v0.8, MutateTileSize, MutateAutoUnroll, MutateComputeLocation, MutateParallel. */
bool opevo_i_tvm_genome_mutate(const opevo_i_tvm_genome *genome, opevo_rng *rng,
                               opevo_index *vertices);

#endif
