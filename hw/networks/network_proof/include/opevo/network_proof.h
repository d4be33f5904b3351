/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether the steps that a library runs are the same function as the model: both are evaluated in
 * the field of residues at the same random inputs and weights, step by step. With proofs of the
 * kernels, each of which is a step, and of the memory plan the library is the model's function.
 * docs/prove.md says what is covered, docs/mathematics.md has the statement. */

#ifndef OPEVO_NETWORK_PROOF_H
#define OPEVO_NETWORK_PROOF_H

#include <opevo/network_passes.h>

OPEVO_BEGIN_C

typedef enum opevo_network_verdict {
    OPEVO_NETWORK_PROVED,
    OPEVO_NETWORK_REFUTED,
    OPEVO_NETWORK_UNDECIDED
} opevo_network_verdict;

typedef struct opevo_network_proof {
    opevo_network_verdict verdict;
    char reason[400]; /* a sentence; empty: it is proved */
    /* For all weights. False: for those of the model alone, since passes look at their values, or
     * measured times chose other steps. */
    bool all_weights;
    /* The pass `scale` multiplies constants into weights and rounds these. The model that is
     * compared is then the one behind it. */
    bool scaled;
    unsigned unknown; /* steps that are nodes of the network, as unknown functions */
    /* That two different functions agree: at most, or with `assumed` about, as functions beyond
     * + - * / count as random ones. */
    double probability;
    bool assumed;
    uint64_t elements, compared; /* of all outputs */
    double time_s;               /* of processors */
} opevo_network_proof;

/* Compare the steps with those of the network after the passes fold, split and drop of the mask,
 * which give nodes and constants the meaning that they have anywhere.
 *
 *   steps   what the passes of the mask made of it, or other steps
 *
 * Errors: those of passes; LIMIT for tensors of more than 2^31 elements; NOMEM.
 * Cost: two evaluations of all definitions in the field, 24 bytes for each element that is alive.
 * Above 2^36 operations it is undecided at once. */
opevo_status opevo_network_prove(const opevo_network *network, const opevo_network_inference *steps,
                                 uint32_t mask, uint64_t seed, opevo_network_proof *out,
                                 opevo_error *err);

OPEVO_END_C

#endif
