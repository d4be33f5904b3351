/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "surrogate_ensemble_internal.h"

#include <opevo/memory.h>

#include <math.h>

double opevo_i_tvm_acquisition_value(opevo_i_tvm_acquisition acquisition, double mean,
                                     double deviation)
{
    double gain = mean - 1, z = gain / deviation;

    if (acquisition == OPEVO_I_ACQUISITION_MEAN)
        return mean;
    if (acquisition == OPEVO_I_ACQUISITION_UCB)
        return mean + deviation;
    if (!(deviation > 0))
        return fmax(gain, 0);
    return gain * 0.5 * erfc(-z * M_SQRT1_2) +
           deviation * exp(-z * z / 2) * (M_2_SQRTPI * M_SQRT1_2 / 2);
}

bool opevo_i_tvm_ensemble_create(opevo_i_tvm_ensemble *self, const opevo_i_model_ops *ops,
                                 const opevo_i_model_plan *how, opevo_i_tvm_acquisition acquisition,
                                 size_t batch_most)
{
    size_t count = acquisition == OPEVO_I_ACQUISITION_MEAN ? 1 : OPEVO_I_ENSEMBLE_MOST;
    opevo_rng source = *how->rng;
    uint64_t seed = opevo_rng_u64(&source);

    self->acquisition = acquisition;
    self->batch_most = batch_most;
    opevo_rng_init(&self->bootstrap, seed, "bootstrap", 0);
    for (size_t i = 0; i < count; i++) {
        opevo_i_model_plan own = *how;
        opevo_rng stream = *how->rng;

        if (i > 0)
            opevo_rng_init(&stream, seed, "ensemble", i);
        own.rng = &stream;
        self->models[i] = ops->create(&own);
        if (!self->models[i])
            return false;
        self->count++;
    }
    if (count == 1)
        return true;
    self->each = opevo_malloc(count * batch_most, sizeof *self->each);
    return self->each != NULL;
}

void opevo_i_tvm_ensemble_release(opevo_i_tvm_ensemble *self)
{
    for (size_t i = 0; i < self->count; i++)
        self->models[i]->ops->destroy(self->models[i]);
    opevo_free(self->each);
}

bool opevo_i_tvm_ensemble_is_trained(const opevo_i_tvm_ensemble *self)
{
    for (size_t i = 0; i < self->count; i++) {
        if (!self->models[i]->ops->is_trained(self->models[i]))
            return false;
    }
    return true;
}

static double mean_of(const opevo_i_tvm_ensemble *self, size_t i)
{
    double sum = 0;

    for (size_t k = 0; k < self->count; k++)
        sum += (double)self->each[k * self->batch_most + i];
    return sum / (double)self->count;
}

opevo_status opevo_i_tvm_ensemble_predict(opevo_i_tvm_ensemble *self, const float *features,
                                          const size_t *rows, size_t count, float *out,
                                          opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t k = 0; k < self->count; k++) {
        float *to = self->each ? self->each + k * self->batch_most : out;

        OPEVO_TRY(self->models[k]->ops->predict(self->models[k], features, rows, count, to, err));
    }
    for (size_t i = 0; i < count && self->each; i++)
        out[i] = (float)mean_of(self, i);
cleanup:
    return status;
}

void opevo_i_tvm_ensemble_acquire(const opevo_i_tvm_ensemble *self, size_t count, float *scores)
{
    for (size_t i = 0; i < count && self->each; i++) {
        double mean = mean_of(self, i), sum = 0;

        for (size_t k = 0; k < self->count; k++) {
            double apart = (double)self->each[k * self->batch_most + i] - mean;

            sum += apart * apart;
        }
        scores[i] = (float)opevo_i_tvm_acquisition_value(self->acquisition, (double)scores[i],
                                                         sqrt(sum / (double)(self->count - 1)));
    }
}
