/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The points that a model-based tuner chooses from: every allowed point that was not proposed yet,
 * where the space has at most OPEVO_I_LISTED_MOST of them and at most 2^20 points; elsewhere a
 * pool, made anew when asked: neighbours of the best points by one step in one parameter (the first
 * 256 of a parameter, 1024 in all; a step of a choice leads to the first point of the branch that
 * it opens), children of the best points by the step of OpEvo (q = 1/2), and
 * uniform points. */

#ifndef OPEVO_CANDIDATES_INTERNAL_H
#define OPEVO_CANDIDATES_INTERNAL_H

#include <opevo/random.h>

#include "walk_kernel_internal.h"

enum { OPEVO_I_LISTED_MOST = 1 << 15, OPEVO_I_POOL_PARENTS = 8 };

typedef struct opevo_i_qgp_candidates {
    opevo_i_qgp_points points;
    opevo_index *numbers; /* of the points, in the space */
    size_t number_capacity;
    bool listed; /* every allowed point that is left */
    /* the rest is private */
    const opevo_space *space;
    opevo_i_qgp_walk_kernel *kernel;
    struct opevo_index_set *proposed;
    struct opevo_child_sampler *sampler;
    opevo_index *vertices; /* scratch */
} opevo_i_qgp_candidates;

/* Both must outlive it. Errors: NOMEM. */
opevo_status opevo_i_qgp_candidates_init(opevo_i_qgp_candidates *self, const opevo_space *space,
                                         opevo_i_qgp_walk_kernel *kernel, opevo_error *err);
void opevo_i_qgp_candidates_clear(opevo_i_qgp_candidates *self);

/* Remember a point as proposed; one that is listed stays until the next refresh. Errors: NOMEM. */
opevo_status opevo_i_qgp_candidates_take(opevo_i_qgp_candidates *self, opevo_index point,
                                         opevo_error *err);
bool opevo_i_qgp_candidates_taken(const opevo_i_qgp_candidates *self, opevo_index point);
/* Leave out what was proposed, or make the pool anew from up to OPEVO_I_POOL_PARENTS points and
 * their fitness, which is positive. Errors: NOMEM. */
opevo_status opevo_i_qgp_candidates_refresh(opevo_i_qgp_candidates *self,
                                            const opevo_index *parents, const double *fitness,
                                            size_t count, opevo_rng *rng, opevo_error *err);

#endif
