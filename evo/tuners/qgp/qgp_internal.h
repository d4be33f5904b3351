/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The state of the tuner `qgp`: qgp.c proposes, qgp_models.c predicts. */

#ifndef OPEVO_QGP_INTERNAL_H
#define OPEVO_QGP_INTERNAL_H

#include <opevo/tuner.h>

#include "candidates_internal.h"
#include "gaussian_internal.h"
#include "rounds_internal.h"
#include "training_set_internal.h"

/* Candidates that are followed from trial to trial, and the size of a block. */
enum { OPEVO_I_QGP_FIELD = 2048 };

typedef struct opevo_i_qgp {
    opevo_tuner super;
    const opevo_space *space;
    size_t initial, samples, batch;
    double margin, offset;
    size_t models; /* the full ones, and the clipped one last */
    opevo_rng rng;
    opevo_i_rounds *rounds;
    opevo_i_qgp_walk_kernel *kernel;
    opevo_i_qgp_candidates candidates;
    opevo_i_qgp_feasibility *success;
    opevo_i_qgp_gaussian **gaussians; /* one for each model */

    opevo_i_qgp_training_set observed;
    bool remembering; /* whether the first model knows earlier runs */

    /* Successes when the levels were drawn, when the field was chosen, and that the models know. */
    size_t fitted, refreshed, known;
    size_t told, told_fitted; /* outcomes, and as many when the feasibility model was fitted */
    size_t proposed;          /* by improvement */
    double refreshed_best;
    bool started;

    opevo_i_qgp_points field;
    opevo_index field_numbers[OPEVO_I_QGP_FIELD];
    float probability[OPEVO_I_QGP_FIELD], mean[OPEVO_I_QGP_FIELD], deviation[OPEVO_I_QGP_FIELD];
    double *scores; /* of all candidates */
    size_t *order;
    size_t score_capacity, order_capacity;
} opevo_i_qgp;

static inline double opevo_i_qgp_offset(const opevo_i_qgp *self)
{
    return self->offset;
}

/* Whether the model of the clipped target decides the next proposal: every other one without a
 * margin. */
bool opevo_i_qgp_uses_clipped(const opevo_i_qgp *self);

/* Bring models and field up to what was observed. Errors: NOMEM; TOLERANCE. */
opevo_status opevo_i_qgp_update(opevo_i_qgp *self, opevo_error *err);
/* The place in the field of the largest score; the field's size when all were proposed. */
size_t opevo_i_qgp_best_of_field(opevo_i_qgp *self);

/* Let the models believe what they predict at a point of the field; and forget all after the first
 * `known` successes of this run. Errors: NOMEM; TOLERANCE. */
opevo_status opevo_i_qgp_believe(opevo_i_qgp *self, size_t chosen, opevo_error *err);
void opevo_i_qgp_forget(opevo_i_qgp *self, size_t known);

#endif
