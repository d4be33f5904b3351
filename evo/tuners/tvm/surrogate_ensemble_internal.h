/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The models of a surrogate: one, or several whose spread is the uncertainty of an acquisition
 * function. */

#ifndef OPEVO_SURROGATE_ENSEMBLE_INTERNAL_H
#define OPEVO_SURROGATE_ENSEMBLE_INTERNAL_H

#include "surrogate_internal.h"

enum { OPEVO_I_ENSEMBLE_MOST = 5 };

typedef struct opevo_i_tvm_ensemble {
    opevo_i_tvm_acquisition acquisition;
    opevo_i_model *models[OPEVO_I_ENSEMBLE_MOST];
    size_t count;
    opevo_rng bootstrap; /* draws the samples that each is trained on */
    float *each;         /* predictions of the first, the second, ...; NULL for one model */
    size_t batch_most;
} opevo_i_tvm_ensemble;

/* Into zeros. False without memory; release also then. */
bool opevo_i_tvm_ensemble_create(opevo_i_tvm_ensemble *self, const opevo_i_model_ops *ops,
                                 const opevo_i_model_plan *how, opevo_i_tvm_acquisition acquisition,
                                 size_t batch_most);
void opevo_i_tvm_ensemble_release(opevo_i_tvm_ensemble *self);
bool opevo_i_tvm_ensemble_is_trained(const opevo_i_tvm_ensemble *self);
/* Mean predictions of at most batch_most candidates. Errors: of the models. */
opevo_status opevo_i_tvm_ensemble_predict(opevo_i_tvm_ensemble *self, const float *features,
                                          const size_t *rows, size_t count, float *out,
                                          opevo_error *err);
/* Turn these means, to which something may have been added, into the acquisition's values. */
void opevo_i_tvm_ensemble_acquire(const opevo_i_tvm_ensemble *self, size_t count, float *scores);

#endif
