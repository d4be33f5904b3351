/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Does this version of XGBoost grow the trees that others grew? Trees of a small table are compared
 * bit for bit. Gradients of the squared error are differences, so no exponential decides. */

#include <opevo/hash.h>

#include <stdio.h>

#include "cost_model_internal.h"
#include "xgboost_internal.h"

#define HASH_TESTED UINT64_C(0xed953bb3060d73b2) /* of 1.7.4 and 3.0.0 */

enum { ROWS = 64, WIDTH = 3 };

static bool train(unsigned depth, const opevo_i_model_samples *samples, float *predictions)
{
    const opevo_i_tvm_boosting boosting = {
        .loss = OPEVO_I_LOSS_SQUARED,
        .depth = depth,
        .gamma = 0.001,
        .child_weight = 1,
        .eta = 0.3,
        .rounds = 8,
        .patience = 8,
        .stride = 1,
    };
    opevo_i_tvm_cost_model *model = opevo_i_tvm_cost_model_create(WIDTH, &boosting);
    bool done = model && opevo_i_tvm_cost_model_train(model, samples, NULL) == OPEVO_OK &&
                opevo_i_tvm_cost_model_predict(model, samples->features, ROWS, predictions, NULL) ==
                    OPEVO_OK;

    opevo_i_tvm_cost_model_destroy(model);
    return done;
}

static bool grows_as_tested(void)
{
    float features[ROWS * WIDTH], labels[ROWS], weights[ROWS], predictions[ROWS];
    opevo_i_model_samples samples = {.count = ROWS, .features = features, .labels = labels};
    uint64_t hash = OPEVO_HASH_START;

    for (size_t i = 0; i < ROWS; i++) {
        features[i * WIDTH] = (float)(i % 4);
        features[i * WIDTH + 1] = (float)(i / 4 % 4);
        features[i * WIDTH + 2] = (float)(i * 37 % ROWS);
        labels[i] = (float)(i * i % 61) / 61;
        weights[i] = (float)(1 + i % 5);
    }
    for (unsigned depth = 3; depth <= 10; depth += 7) {
        samples.weights = depth > 3 ? weights : NULL;
        if (!train(depth, &samples, predictions))
            return false;
        hash = opevo_hash_bytes(hash, predictions, sizeof predictions);
    }
    return hash == HASH_TESTED;
}

void opevo_i_tvm_cost_model_library(opevo_tuner_library *out)
{
    opevo_i_tvm_xgboost *library = NULL;
    int major = 0, minor = 0, patch = 0;

    snprintf(out->name, sizeof out->name, "XGBoost (not installed)");
    if (opevo_i_tvm_xgboost_open(&library, NULL) == OPEVO_OK) {
        library->XGBoostVersion(&major, &minor, &patch);
        snprintf(out->name, sizeof out->name, "XGBoost %d.%d.%d", major, minor, patch);
    }
    out->tested = "1.7 and 3.0";
    out->as_tested = grows_as_tested();
}
