/* SPDX-License-Identifier: GPL-3.0-or-later */

/* AutoTVM's search of a cost model: many chains of simulated annealing side by side, which go on
 * from one search to the next, and a list of the best points that any of them met. */

#ifndef OPEVO_ANNEALING_INTERNAL_H
#define OPEVO_ANNEALING_INTERNAL_H

#include <opevo/hash.h>
#include <opevo/random.h>
#include <opevo/space.h>

typedef struct opevo_i_tvm_annealing opevo_i_tvm_annealing;

/* `space` must outlive it. Where a step costs several times as much as in others, in wide spaces
 * and in those that are drawn from their diagrams, a search has a fifth of the steps. NULL without
 * memory. */
opevo_i_tvm_annealing *opevo_i_tvm_annealing_create(const opevo_space *space, size_t chains,
                                                    size_t steps);
void opevo_i_tvm_annealing_destroy(opevo_i_tvm_annealing *annealing);

/* What is maximised: scores of `count` points, at most as many as there are chains. In a wide space
 * whose goal does not ask for numbers `points` are OPEVO_INDEX_MAX. */
typedef opevo_status (*opevo_i_tvm_annealing_scores)(void *context, const opevo_index *points,
                                                     const opevo_index *vertices, size_t count,
                                                     float *scores, opevo_error *err);
/* Points that are not an answer, though chains may pass through them. */
typedef bool (*opevo_i_tvm_annealing_excludes)(void *context, opevo_index point);

typedef struct opevo_i_tvm_annealing_goal {
    opevo_i_tvm_annealing_scores scores;
    opevo_i_tvm_annealing_excludes excludes;
    void *context;
    float least;  /* points of a smaller score are left out, as in TVM those below 0 */
    bool numbers; /* the scores are of numbers of points: a wide space keeps each that is made */
} opevo_i_tvm_annealing_goal;

/* The points of the largest scores that the chains meet, at most `wanted` (at least 1), by falling
 * score and none twice; those below the least score are left out. Chains start at distinct uniform
 * allowed points, fewer where the space has fewer.
 *
 *   points  out: room for `wanted`
 *   count   out: how many there are
 *
 * Errors: NOMEM, and what `scores` reports. Cost: a call of `scores` for each step. */
opevo_status opevo_i_tvm_annealing_search(opevo_i_tvm_annealing *annealing,
                                          const opevo_i_tvm_annealing_goal *goal, size_t wanted,
                                          opevo_rng *rng, opevo_index *points, size_t *count,
                                          opevo_error *err);

#endif
