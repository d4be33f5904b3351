/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Losses of a batch. */

#include "tree_gru_internal.h"

#include <math.h>
#include <string.h>

/* log(1 + exp(x)), also where exp(x) is too large a number. */
static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double rank(const opevo_i_real *scores, const float *labels, size_t count,
                   opevo_i_real *derivatives)
{
    double sum = 0, pairs = 0;

    memset(derivatives, 0, count * sizeof *derivatives);
    for (size_t a = 0; a < count; a++) {
        for (size_t b = 0; b < count; b++) {
            double difference = (double)scores[b] - (double)scores[a];
            opevo_i_real slope = 0;

            if (!(labels[a] > labels[b]))
                continue;
            slope = (opevo_i_real)(1 / (1 + exp(-difference)));
            sum += softplus(difference);
            derivatives[a] -= slope;
            derivatives[b] += slope;
            pairs++;
        }
    }
    for (size_t i = 0; i < count && pairs > 0; i++)
        derivatives[i] /= (opevo_i_real)pairs;
    return pairs > 0 ? sum / pairs : 0;
}

static double squared(const opevo_i_real *scores, const float *labels, const float *weights,
                      size_t count, opevo_i_real *derivatives)
{
    double sum = 0, weight = 0;

    for (size_t i = 0; i < count; i++) {
        double w = weights ? (double)weights[i] : 1;
        double difference = (double)scores[i] - (double)labels[i];

        weight += w;
        sum += w * difference * difference / 2;
        derivatives[i] = (opevo_i_real)(w * difference);
    }
    for (size_t i = 0; i < count; i++)
        derivatives[i] = weight > 0 ? derivatives[i] / (opevo_i_real)weight : 0;
    return weight > 0 ? sum / weight : 0;
}

double opevo_i_tree_gru_loss(opevo_i_model_loss kind, const opevo_i_real *scores,
                             const float *labels, const float *weights, size_t count,
                             opevo_i_real *derivatives)
{
    return kind == OPEVO_I_LOSS_RANK ? rank(scores, labels, count, derivatives)
                                     : squared(scores, labels, weights, count, derivatives);
}
