/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The state of `ansor`, for its crossover and its beam search. */

#ifndef OPEVO_ANSOR_INTERNAL_H
#define OPEVO_ANSOR_INTERNAL_H

#include "evolution_internal.h"
#include "genome_internal.h"

/* Room for the crossings of a generation that are scored together; none without crossover. */
typedef struct opevo_i_tvm_crossing {
    double probability; /* that a child is crossed */
    size_t capacity;
    size_t count; /* of exchanges */
    struct opevo_i_tvm_exchange *exchanges;
    opevo_index *points; /* each parent with one exchange */
    opevo_index *vertices;
    float *scores;
} opevo_i_tvm_crossing;

bool opevo_i_tvm_crossing_init(opevo_i_tvm_crossing *self, double probability, size_t capacity,
                               size_t width);
void opevo_i_tvm_crossing_release(opevo_i_tvm_crossing *self);

typedef struct opevo_i_tvm_ansor {
    opevo_i_tvm_evolution super;
    opevo_i_tvm_genome *genome;
    size_t minimum; /* samples that are enough */
    opevo_i_tvm_crossing crossing;
    opevo_i_tvm_scored *beam; /* places of the partial points that are kept */
    size_t beam_width;        /* how many are */
} opevo_i_tvm_ansor;

/* Children that are crossed, from the first place of the next generation on, and their number.
 *
 * Two parents are drawn by score; the child is the better one, of score f(a), with every stage of
 * the other for which f(a with the other's parameters of this stage) > f(a). So each stage is taken
 * from the parent whose parameters the model scores higher there. Parents must have the same active
 * parameters; a child that the constraints forbid is dropped. Errors: of the model; NOMEM.
 * Source: Zheng et al., "Ansor", section 5.1, "Node-based crossover", where the score of a node is
 * that of its statements in either program. */
opevo_status opevo_i_tvm_ansor_cross(opevo_i_tvm_ansor *self, size_t *made, opevo_error *err);

/* List the best points of a beam search. The parameters are decided in their order. A partial point
 * is extended by each value of the next parameter, or by values spread evenly over them where the
 * population does not suffice for all; it is completed by a sample of the other parameters, and has
 * the score of this completion. As many as the list of the best has places go on, or a population.
 * Of the last parameter all extensions compete for the list. Errors: of the model.
 * Source: Zheng et al., "Ansor", section 7.1: beam search with early pruning of incomplete
 * programs. */
opevo_status opevo_i_tvm_ansor_beam(opevo_i_tvm_ansor *self, opevo_error *err);

#endif
