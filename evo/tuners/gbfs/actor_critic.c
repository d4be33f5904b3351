/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Forward pass, gradients and the step of Adam, in matrix products of single precision. */

#include "actor_critic_internal.h"

#include <opevo/memory.h>

#include <cblas.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { HIDDEN = OPEVO_I_ACTOR_CRITIC_HIDDEN, ALIGNMENT = 64 };

static const double RATE = 1e-3;
static const double BETA1 = 0.9;
static const double BETA2 = 0.999;
static const double EPSILON = 1e-8;
static const float SQUARABLE = 0x1p64F; /* numbers below have finite squares */

struct opevo_i_gbfs_actor_critic {
    size_t inputs;
    size_t outputs; /* actions and one value */
    size_t weight_count;
    void *block;    /* holds the next four */
    float *weights; /* weight_count of each of these */
    float *gradient;
    float *mean; /* Adam's averages of the gradient and of its square */
    float *square;
    double mean_left; /* beta^t of the averages */
    double square_left;

    void *scratch;   /* holds the next four */
    size_t rows;     /* samples that they have room for */
    float *state;    /* rows * inputs */
    float *hidden;   /* rows * HIDDEN */
    float *output;   /* rows * outputs */
    float *hidden_d; /* rows * HIDDEN: derivatives by the hidden units */
};

/* Where the parts of the weights lie. */
static size_t bias1(const opevo_i_gbfs_actor_critic *self)
{
    return HIDDEN * self->inputs;
}

static size_t weight2(const opevo_i_gbfs_actor_critic *self)
{
    return bias1(self) + HIDDEN;
}

static size_t bias2(const opevo_i_gbfs_actor_critic *self)
{
    return weight2(self) + self->outputs * HIDDEN;
}

/* `count` floats rounded up to whole cache lines. */
static size_t lines(size_t count)
{
    size_t line = ALIGNMENT / sizeof(float);

    return (count + line - 1) / line * line;
}

/* Zeroed room for `count` floats that starts at a cache line of *block: kernels that peel by
 * alignment round differently. */
static float *allocate_lines(size_t count, void **block)
{
    char *start = opevo_calloc(count + ALIGNMENT / sizeof(float), sizeof(float));

    *block = start;
    if (!start)
        return NULL;
    start += (ALIGNMENT - (uintptr_t)start % ALIGNMENT) % ALIGNMENT;
    return (float *)(void *)start;
}

static bool reserve_rows(opevo_i_gbfs_actor_critic *self, size_t rows)
{
    void *block = NULL;
    float *start = NULL;

    if (rows <= self->rows)
        return true;
    start = allocate_lines(2 * lines(rows * HIDDEN) + lines(rows * self->outputs) +
                               lines(rows * self->inputs),
                           &block);
    if (!start)
        return false;
    opevo_free(self->scratch);
    self->scratch = block;
    self->rows = rows;
    self->hidden = start;
    self->hidden_d = start + lines(rows * HIDDEN);
    self->output = start + 2 * lines(rows * HIDDEN);
    self->state = self->output + lines(rows * self->outputs);
    return true;
}

/* Uniform in +-1/sqrt(inputs of the layer). */
static void initialise(float *weights, size_t count, size_t inputs, opevo_rng *rng)
{
    double most = 1 / sqrt((double)inputs);

    for (size_t i = 0; i < count; i++)
        weights[i] = (float)(most * (2 * opevo_rng_unit(rng) - 1));
}

opevo_status opevo_i_gbfs_actor_critic_create(size_t inputs, size_t actions, opevo_rng *rng,
                                              opevo_i_gbfs_actor_critic **out, opevo_error *err)
{
    opevo_i_gbfs_actor_critic *self = opevo_calloc(1, sizeof *self);
    size_t stride = 0;

    OPEVO_NEED_OR_RETURN(self, "a policy network");
    self->inputs = inputs;
    self->outputs = actions + 1;
    self->weight_count = bias2(self) + self->outputs;
    self->mean_left = self->square_left = 1;
    stride = lines(self->weight_count);
    self->weights = allocate_lines(4 * stride, &self->block);
    if (!self->weights || !reserve_rows(self, 1)) {
        opevo_i_gbfs_actor_critic_destroy(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a policy network.");
    }
    self->gradient = self->weights + stride;
    self->mean = self->weights + 2 * stride;
    self->square = self->weights + 3 * stride;
    initialise(self->weights, weight2(self), inputs, rng);
    initialise(self->weights + weight2(self), self->weight_count - weight2(self), HIDDEN, rng);
    *out = self;
    return OPEVO_OK;
}

void opevo_i_gbfs_actor_critic_destroy(opevo_i_gbfs_actor_critic *network)
{
    if (!network)
        return;
    opevo_free(network->block);
    opevo_free(network->scratch);
    opevo_free(network);
}

size_t opevo_i_gbfs_actor_critic_weight_count(const opevo_i_gbfs_actor_critic *network)
{
    return network->weight_count;
}

float *opevo_i_gbfs_actor_critic_weights(opevo_i_gbfs_actor_critic *network)
{
    return network->weights;
}

/* Turn `count` logits into probabilities; returns the logarithm of the sum of their
 * exponentials. */
static float softmax(float *logits, size_t count)
{
    float largest = logits[0];
    float sum = 0;

    for (size_t i = 1; i < count; i++)
        largest = logits[i] > largest ? logits[i] : largest;
    for (size_t i = 0; i < count; i++) {
        logits[i] = expf(logits[i] - largest);
        sum += logits[i];
    }
    for (size_t i = 0; i < count; i++)
        logits[i] /= sum;
    /* cppcheck-suppress invalidFunctionArg ; at least 1 */
    return largest + logf(sum);
}

static void rectify(float *units, size_t count)
{
    for (size_t i = 0; i < count; i++)
        units[i] = units[i] > 0 ? units[i] : 0;
}

float opevo_i_gbfs_actor_critic_policy(opevo_i_gbfs_actor_critic *network, const float *state,
                                       float *probabilities)
{
    opevo_i_gbfs_actor_critic *self = network;
    size_t actions = self->outputs - 1;
    int inputs = (int)self->inputs;
    int outputs = (int)self->outputs;

    memcpy(self->state, state, self->inputs * sizeof *state);
    memcpy(self->hidden, self->weights + bias1(self), HIDDEN * sizeof(float));
    cblas_sgemv(CblasRowMajor, CblasTrans, inputs, HIDDEN, 1, self->weights, HIDDEN, self->state, 1,
                1, self->hidden, 1);
    rectify(self->hidden, HIDDEN);
    memcpy(self->output, self->weights + bias2(self), self->outputs * sizeof(float));
    cblas_sgemv(CblasRowMajor, CblasNoTrans, outputs, HIDDEN, 1, self->weights + weight2(self),
                HIDDEN, self->hidden, 1, 1, self->output, 1);
    softmax(self->output, actions);
    memcpy(probabilities, self->output, actions * sizeof(float));
    return self->output[actions];
}

/* Hidden units, logits and values of all samples, a row each. */
static void forward(opevo_i_gbfs_actor_critic *self, size_t count)
{
    int rows = (int)count;
    int inputs = (int)self->inputs;
    int outputs = (int)self->outputs;

    for (size_t i = 0; i < count; i++) {
        memcpy(self->hidden + i * HIDDEN, self->weights + bias1(self), HIDDEN * sizeof(float));
        memcpy(self->output + i * self->outputs, self->weights + bias2(self),
               self->outputs * sizeof(float));
    }
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, HIDDEN, inputs, 1, self->state,
                inputs, self->weights, HIDDEN, 1, self->hidden, HIDDEN);
    rectify(self->hidden, count * HIDDEN);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, outputs, HIDDEN, 1, self->hidden,
                HIDDEN, self->weights + weight2(self), HIDDEN, 1, self->output, outputs);
}

/* Turn the outputs of one sample into the derivatives of its loss by them, with d log pi(a) /
 * d logit_k = [k = a] - pi_k. The logarithm is taken of logits,
 * for pi(a) may be too small a number. */
static void differentiate(float *output, size_t actions, size_t action, double reward,
                          opevo_i_gbfs_loss loss)
{
    float advantage = (float)reward - output[actions];
    float by_log = loss == OPEVO_I_LOSS_REFERENCE ? advantage : -advantage;
    float by_value = -2 * advantage;
    float logit = output[action];
    float logarithm = logit - softmax(output, actions);

    if (loss == OPEVO_I_LOSS_REFERENCE)
        by_value -= logarithm;
    for (size_t k = 0; k < actions; k++)
        output[k] = by_log * ((float)(k == action) - output[k]);
    output[actions] = by_value;
}

/* sums[k] = the sum of column k. */
static void sum_columns(const float *rows, size_t count, size_t columns, float *sums)
{
    memset(sums, 0, columns * sizeof *sums);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < columns; k++)
            sums[k] += rows[i * columns + k];
    }
}

static void backward(opevo_i_gbfs_actor_critic *self, size_t count)
{
    int rows = (int)count;
    int inputs = (int)self->inputs;
    int outputs = (int)self->outputs;
    float *gradient = self->gradient;

    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, outputs, HIDDEN, rows, 1, self->output,
                outputs, self->hidden, HIDDEN, 0, gradient + weight2(self), HIDDEN);
    sum_columns(self->output, count, self->outputs, gradient + bias2(self));
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, HIDDEN, outputs, 1, self->output,
                outputs, self->weights + weight2(self), HIDDEN, 0, self->hidden_d, HIDDEN);
    for (size_t i = 0; i < count * HIDDEN; i++)
        self->hidden_d[i] = self->hidden[i] > 0 ? self->hidden_d[i] : 0;
    cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, inputs, HIDDEN, rows, 1, self->state,
                inputs, self->hidden_d, HIDDEN, 0, gradient, HIDDEN);
    sum_columns(self->hidden_d, count, HIDDEN, gradient + bias1(self));
}

opevo_status opevo_i_gbfs_actor_critic_gradient(opevo_i_gbfs_actor_critic *network,
                                                const float *states, const size_t *actions,
                                                const double *rewards, size_t count,
                                                opevo_i_gbfs_loss loss, const float **gradient,
                                                opevo_error *err)
{
    opevo_i_gbfs_actor_critic *self = network;

    OPEVO_NEED_OR_RETURN(reserve_rows(self, count), "%zu samples of a policy", count);
    memcpy(self->state, states, count * self->inputs * sizeof *states);
    forward(self, count);
    for (size_t i = 0; i < count; i++)
        differentiate(self->output + i * self->outputs, self->outputs - 1, actions[i], rewards[i],
                      loss);
    backward(self, count);
    *gradient = self->gradient;
    return OPEVO_OK;
}

/* The loops over all weights are compiled twice, for every processor and for those with wider
 * registers. Both give the same bits: instructions that merge two steps of the arithmetic are not
 * asked for. */
#if defined __GNUC__ && defined __x86_64__
#define WIDE __attribute__((target("avx2")))
#define ALWAYS_INLINE inline __attribute__((always_inline))
static bool has_wide(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
#define WIDE
#define ALWAYS_INLINE inline
static bool has_wide(void)
{
    return false;
}
#endif

/* Whether one of the numbers has no finite square, or is NaN. */
static ALWAYS_INLINE bool find_strange(const float *numbers, size_t count)
{
    int strange = 0;

    for (size_t i = 0; i < count; i++)
        strange |= !(fabsf(numbers[i]) < SQUARABLE);
    return strange;
}

/* 0 for a subnormal number: arithmetic with them takes a hundred times as long, and a mean that
 * decays would stay one for ever. */
static ALWAYS_INLINE float flush(float x)
{
    return fabsf(x) < FLT_MIN ? 0 : x;
}

/* mean and square towards the gradient and its square, weights -= rate mean / (sqrt(square) +
 * least). */
static ALWAYS_INLINE void move_weights(opevo_i_gbfs_actor_critic *self, float rate, float least)
{
    const float keep1 = (float)BETA1;
    const float keep2 = (float)BETA2;
    const float add1 = (float)(1 - BETA1);
    const float add2 = (float)(1 - BETA2);
    float *restrict weights = self->weights;
    float *restrict mean = self->mean;
    float *restrict square = self->square;
    const float *restrict gradient = self->gradient;
    size_t count = self->weight_count;

    for (size_t i = 0; i < count; i++) {
        mean[i] = flush(keep1 * mean[i] + add1 * gradient[i]);
        square[i] = flush(keep2 * square[i] + add2 * gradient[i] * gradient[i]);
        weights[i] -= rate * mean[i] / (sqrtf(square[i]) + least);
    }
}

static bool is_strange(const float *numbers, size_t count)
{
    return find_strange(numbers, count);
}

static WIDE bool is_strange_wide(const float *numbers, size_t count)
{
    return find_strange(numbers, count);
}

static void move(opevo_i_gbfs_actor_critic *self, float rate, float least)
{
    move_weights(self, rate, least);
}

static WIDE void move_wide(opevo_i_gbfs_actor_critic *self, float rate, float least)
{
    move_weights(self, rate, least);
}

/* One step of Adam: with m and v the averages divided by 1 - beta^t, w -= RATE m / (sqrt(v) +
 * EPSILON). The division of v is taken out of the loop: its root multiplies both sides. A gradient
 * without a finite square moves nothing. */
static void step(opevo_i_gbfs_actor_critic *self)
{
    bool wide = has_wide();
    double root = 0;
    double rate = 0;

    if ((wide ? is_strange_wide : is_strange)(self->gradient, self->weight_count))
        return;
    self->mean_left *= BETA1;
    self->square_left *= BETA2;
    root = sqrt(1 - self->square_left);
    rate = RATE * root / (1 - self->mean_left);
    (wide ? move_wide : move)(self, (float)rate, (float)(EPSILON * root));
}

opevo_status opevo_i_gbfs_actor_critic_learn(opevo_i_gbfs_actor_critic *network,
                                             const float *states, const size_t *actions,
                                             const double *rewards, size_t count,
                                             opevo_i_gbfs_loss loss, opevo_error *err)
{
    opevo_i_gbfs_actor_critic *self = network;
    const float *gradient = NULL;
    opevo_status status = opevo_i_gbfs_actor_critic_gradient(self, states, actions, rewards, count,
                                                             loss, &gradient, err);

    if (status == OPEVO_OK)
        step(self);
    return status;
}
