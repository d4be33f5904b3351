/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The network of N-A2C in plain loops and double precision, and how far single precision may be
 * from it. With u = 2^-24 an operation rounds by at most u times its result, and a sum of n
 * products in any order by at most n u / (1 - n u) times the sum of their absolute values (Higham,
 * "Accuracy and Stability of Numerical Algorithms", 3.1). What errors of the operands come to is
 * carried along. */

#ifndef OPEVO_TESTS_PLAIN_NETWORK_H
#define OPEVO_TESTS_PLAIN_NETWORK_H

#include <float.h>
#include <stdlib.h>

#include "actor_critic_internal.h"
#include "check.h"

enum {
    INPUTS = 5,
    ACTIONS = 7,
    OUTPUTS = ACTIONS + 1,
    HIDDEN = OPEVO_I_ACTOR_CRITIC_HIDDEN,
    SAMPLES = 6,
    BIAS1 = HIDDEN * INPUTS, /* where the parts of the weights lie */
    WEIGHT2 = BIAS1 + HIDDEN,
    BIAS2 = WEIGHT2 + OUTPUTS * HIDDEN,
    WEIGHTS = BIAS2 + OUTPUTS
};

static const double U = FLT_EPSILON / 2;

typedef struct samples {
    float states[SAMPLES * INPUTS];
    size_t actions[SAMPLES];
    double rewards[SAMPLES];
} samples;

/* A number, and how far that of single precision may be from it. */
typedef struct near {
    double value;
    double bound;
} near;

/* A sum of products: its value, what the errors of the factors make of it, and the sum of the
 * absolute values. */
typedef struct sum {
    double value;
    double inherited;
    double size;
    double terms;
} sum;

static inline void add(sum *self, near a, near b)
{
    self->value += a.value * b.value;
    self->inherited += fabs(a.value) * b.bound + fabs(b.value) * a.bound + a.bound * b.bound;
    self->size += (fabs(a.value) + a.bound) * (fabs(b.value) + b.bound);
    self->terms++;
}

static inline near finish(sum self)
{
    double roundings = self.terms * U / (1 - self.terms * U);

    return (near){self.value, self.inherited + roundings * self.size};
}

static inline near exact(double value)
{
    return (near){value, 0};
}

/* The result of one operation on numbers whose errors change it by `inherited`. */
static inline near rounded(double value, double inherited)
{
    return (near){value, inherited + U * (fabs(value) + inherited)};
}

static inline near times(near a, near b)
{
    return rounded(a.value * b.value,
                   fabs(a.value) * b.bound + fabs(b.value) * a.bound + a.bound * b.bound);
}

typedef struct pass {
    near before[HIDDEN]; /* the hidden units before they are rectified */
    near hidden[HIDDEN];
    near probabilities[ACTIONS];
    near logarithms[ACTIONS]; /* of them */
    near value;
} pass;

/* The C library's expf and logf are within one unit in the last place, 2 u; what underflows is off
 * by less than the smallest normal number. */
static inline void plain_softmax(const near *logits, near *probabilities, near *logarithms)
{
    double largest = logits[0].value;
    double worst = 0;
    near exponential[ACTIONS];
    near logarithm = {0, 0};
    near all = {0, 0};
    sum whole = {0};

    for (size_t k = 0; k < ACTIONS; k++) {
        largest = fmax(largest, logits[k].value);
        worst = fmax(worst, logits[k].bound);
    }
    for (size_t k = 0; k < ACTIONS; k++) {
        near shifted = rounded(logits[k].value - largest, logits[k].bound + worst);
        double value = exp(shifted.value);

        exponential[k] =
            (near){value, value * (expm1(shifted.bound) * (1 + 2 * U) + 2 * U) + (double)FLT_MIN};
        add(&whole, exponential[k], exact(1));
    }
    all = finish(whole);
    logarithm = (near){log(all.value), -log1p(-all.bound / all.value)};
    logarithm.bound += 2 * U * (fabs(logarithm.value) + logarithm.bound);
    logarithm = rounded(largest + logarithm.value, worst + logarithm.bound);
    for (size_t k = 0; k < ACTIONS; k++) {
        double quotient = exponential[k].value / all.value;

        probabilities[k] = rounded(quotient, (exponential[k].bound + quotient * all.bound) /
                                                 (all.value - all.bound));
        probabilities[k].bound += (double)FLT_MIN;
        logarithms[k] =
            rounded(logits[k].value - logarithm.value, logits[k].bound + logarithm.bound);
    }
}

static inline void plain_forward(const double *weights, const float *state, pass *made)
{
    near output[OUTPUTS];

    for (size_t h = 0; h < HIDDEN; h++) {
        sum unit = {0};

        add(&unit, exact(weights[BIAS1 + h]), exact(1));
        for (size_t i = 0; i < INPUTS; i++)
            add(&unit, exact(weights[i * HIDDEN + h]), exact((double)state[i]));
        made->before[h] = made->hidden[h] = finish(unit);
        made->hidden[h].value = fmax(0, made->before[h].value);
    }
    for (size_t k = 0; k < OUTPUTS; k++) {
        sum unit = {0};

        add(&unit, exact(weights[BIAS2 + k]), exact(1));
        for (size_t h = 0; h < HIDDEN; h++)
            add(&unit, exact(weights[WEIGHT2 + k * HIDDEN + h]), made->hidden[h]);
        output[k] = finish(unit);
    }
    plain_softmax(output, made->probabilities, made->logarithms);
    made->value = output[ACTIONS];
}

/* `constant` are the advantages that the published loss takes as constants. */
static inline double plain_loss(const double *weights, const samples *s, opevo_i_gbfs_loss loss,
                                const double *constant)
{
    double total = 0;

    for (size_t i = 0; i < SAMPLES; i++) {
        pass made;
        double advantage = 0;
        double logarithm = 0;

        plain_forward(weights, s->states + i * INPUTS, &made);
        advantage = s->rewards[i] - made.value.value;
        logarithm = made.logarithms[s->actions[i]].value;
        total += advantage * advantage;
        total += loss == OPEVO_I_LOSS_REFERENCE ? logarithm * advantage : -logarithm * constant[i];
    }
    return total;
}

/* The derivatives of the loss of sample i by its logits and its value. */
static inline void plain_output(const samples *s, size_t i, const pass *made,
                                opevo_i_gbfs_loss loss, near *derivatives)
{
    double sign = loss == OPEVO_I_LOSS_REFERENCE ? 1 : -1;
    near reward = rounded(s->rewards[i], 0);
    near advantage = rounded(reward.value - made->value.value, reward.bound + made->value.bound);
    near logarithm = made->logarithms[s->actions[i]];

    for (size_t k = 0; k < ACTIONS; k++) {
        near probability = made->probabilities[k];
        near rest = rounded((k == s->actions[i]) - probability.value, probability.bound);

        derivatives[k] = times((near){sign * advantage.value, advantage.bound}, rest);
    }
    derivatives[ACTIONS] = (near){-2 * advantage.value, 2 * advantage.bound};
    if (loss == OPEVO_I_LOSS_REFERENCE)
        derivatives[ACTIONS] = rounded(derivatives[ACTIONS].value - logarithm.value,
                                       derivatives[ACTIONS].bound + logarithm.bound);
}

static inline void plain_gradient(const double *weights, const samples *s, opevo_i_gbfs_loss loss,
                                  near *gradient)
{
    sum *sums = calloc(WEIGHTS, sizeof *sums);

    for (size_t i = 0; i < SAMPLES; i++) {
        pass made;
        near derivatives[OUTPUTS];

        plain_forward(weights, s->states + i * INPUTS, &made);
        plain_output(s, i, &made, loss, derivatives);
        for (size_t h = 0; h < HIDDEN; h++) {
            near before = made.before[h];
            near by_hidden = {0, 0};
            near by_unit = {0, 0};
            sum unit = {0};

            for (size_t k = 0; k < OUTPUTS; k++) {
                add(&unit, derivatives[k], exact(weights[WEIGHT2 + k * HIDDEN + h]));
                add(&sums[WEIGHT2 + k * HIDDEN + h], derivatives[k], made.hidden[h]);
            }
            by_hidden = finish(unit);
            if (before.value > 0)
                by_unit = by_hidden;
            if (fabs(before.value) <= before.bound) /* it may be on or off */
                by_unit.bound = fabs(by_hidden.value) + by_hidden.bound;
            add(&sums[BIAS1 + h], by_unit, exact(1));
            for (size_t k = 0; k < INPUTS; k++)
                add(&sums[k * HIDDEN + h], by_unit, exact((double)s->states[i * INPUTS + k]));
        }
        for (size_t k = 0; k < OUTPUTS; k++)
            add(&sums[BIAS2 + k], derivatives[k], exact(1));
    }
    for (size_t i = 0; i < WEIGHTS; i++)
        gradient[i] = finish(sums[i]);
    free(sums);
}

static inline bool all_near(const float *actual, const near *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabs((double)actual[i] - expected[i].value) <= expected[i].bound))
            return false;
    }
    return true;
}

#endif
