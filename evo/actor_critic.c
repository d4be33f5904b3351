/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "actor_critic_internal.h"

#include <opevo/memory.h>

#include <cblas.h>

#include <math.h>
#include <string.h>

enum { HIDDEN = OPEVO_I_ACTOR_CRITIC_HIDDEN, ALIGNMENT = 64 };

static const double RATE = 1e-3;
static const double BETA1 = 0.9;
static const double BETA2 = 0.999;
static const double EPSILON = 1e-8;

struct opevo_i_actor_critic {
    size_t inputs;
    size_t outputs; /* actions and one value */
    size_t weight_count;
    void *block;     /* holds the next four */
    double *weights; /* weight_count of each of these */
    double *gradient;
    double *mean; /* Adam's averages of the gradient and of its square */
    double *square;
    double mean_left; /* beta^t of the averages */
    double square_left;

    void *scratch;    /* holds the next four */
    size_t rows;      /* samples that they have room for */
    double *state;    /* rows * inputs */
    double *hidden;   /* rows * HIDDEN */
    double *output;   /* rows * outputs */
    double *hidden_d; /* rows * HIDDEN: derivatives by the hidden units */
};

/* Where the parts of the weights lie. */
static size_t bias1(const opevo_i_actor_critic *self)
{
    return HIDDEN * self->inputs;
}

static size_t weight2(const opevo_i_actor_critic *self)
{
    return bias1(self) + HIDDEN;
}

static size_t bias2(const opevo_i_actor_critic *self)
{
    return weight2(self) + self->outputs * HIDDEN;
}

/* `count` doubles rounded up to whole cache lines. */
static size_t lines(size_t count)
{
    size_t line = ALIGNMENT / sizeof(double);

    return (count + line - 1) / line * line;
}

/* Zeroed room for `count` doubles that starts at a cache line of *block: kernels that peel by
 * alignment round differently. */
static double *allocate_lines(size_t count, void **block)
{
    char *start = opevo_calloc(count + ALIGNMENT / sizeof(double), sizeof(double));

    *block = start;
    if (!start)
        return NULL;
    start += (ALIGNMENT - (uintptr_t)start % ALIGNMENT) % ALIGNMENT;
    return (double *)(void *)start;
}

static bool reserve_rows(opevo_i_actor_critic *self, size_t rows)
{
    void *block = NULL;
    double *start = NULL;

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
static void initialise(double *weights, size_t count, size_t inputs, opevo_rng *rng)
{
    double most = 1 / sqrt((double)inputs);

    for (size_t i = 0; i < count; i++)
        weights[i] = most * (2 * opevo_rng_unit(rng) - 1);
}

opevo_status opevo_i_actor_critic_create(size_t inputs, size_t actions, opevo_rng *rng,
                                         opevo_i_actor_critic **out, opevo_error *err)
{
    opevo_i_actor_critic *self = opevo_calloc(1, sizeof *self);
    size_t stride = 0;

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a policy network.");
    self->inputs = inputs;
    self->outputs = actions + 1;
    self->weight_count = bias2(self) + self->outputs;
    self->mean_left = self->square_left = 1;
    stride = lines(self->weight_count);
    self->weights = allocate_lines(4 * stride, &self->block);
    if (!self->weights || !reserve_rows(self, 1)) {
        opevo_i_actor_critic_destroy(self);
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

void opevo_i_actor_critic_destroy(opevo_i_actor_critic *network)
{
    if (!network)
        return;
    opevo_free(network->block);
    opevo_free(network->scratch);
    opevo_free(network);
}

size_t opevo_i_actor_critic_weight_count(const opevo_i_actor_critic *network)
{
    return network->weight_count;
}

double *opevo_i_actor_critic_weights(opevo_i_actor_critic *network)
{
    return network->weights;
}

/* Turn the first `count` of `logits` into probabilities. */
static void softmax(double *logits, size_t count)
{
    double largest = logits[0];
    double sum = 0;

    for (size_t i = 1; i < count; i++)
        largest = logits[i] > largest ? logits[i] : largest;
    for (size_t i = 0; i < count; i++) {
        logits[i] = exp(logits[i] - largest);
        sum += logits[i];
    }
    for (size_t i = 0; i < count; i++)
        logits[i] /= sum;
}

static void rectify(double *units, size_t count)
{
    for (size_t i = 0; i < count; i++)
        units[i] = units[i] > 0 ? units[i] : 0;
}

double opevo_i_actor_critic_policy(opevo_i_actor_critic *network, const double *state,
                                   double *probabilities)
{
    opevo_i_actor_critic *self = network;
    size_t actions = self->outputs - 1;
    int inputs = (int)self->inputs;
    int outputs = (int)self->outputs;

    memcpy(self->state, state, self->inputs * sizeof *state);
    memcpy(self->hidden, self->weights + bias1(self), HIDDEN * sizeof(double));
    cblas_dgemv(CblasRowMajor, CblasNoTrans, HIDDEN, inputs, 1, self->weights, inputs, self->state,
                1, 1, self->hidden, 1);
    rectify(self->hidden, HIDDEN);
    memcpy(self->output, self->weights + bias2(self), self->outputs * sizeof(double));
    cblas_dgemv(CblasRowMajor, CblasNoTrans, outputs, HIDDEN, 1, self->weights + weight2(self),
                HIDDEN, self->hidden, 1, 1, self->output, 1);
    softmax(self->output, actions);
    memcpy(probabilities, self->output, actions * sizeof(double));
    return self->output[actions];
}

/* Hidden units, probabilities and values of all samples, a row each. */
static void forward(opevo_i_actor_critic *self, size_t count)
{
    int rows = (int)count;
    int inputs = (int)self->inputs;
    int outputs = (int)self->outputs;

    for (size_t i = 0; i < count; i++) {
        memcpy(self->hidden + i * HIDDEN, self->weights + bias1(self), HIDDEN * sizeof(double));
        memcpy(self->output + i * self->outputs, self->weights + bias2(self),
               self->outputs * sizeof(double));
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, HIDDEN, inputs, 1, self->state,
                inputs, self->weights, inputs, 1, self->hidden, HIDDEN);
    rectify(self->hidden, count * HIDDEN);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, rows, outputs, HIDDEN, 1, self->hidden,
                HIDDEN, self->weights + weight2(self), HIDDEN, 1, self->output, outputs);
    for (size_t i = 0; i < count; i++)
        softmax(self->output + i * self->outputs, self->outputs - 1);
}

/* Turn the outputs of one sample into the derivatives of its loss by the logits and the value. With
 * d log pi(a) / d logit_k = [k = a] - pi_k. */
static void differentiate(double *output, size_t actions, size_t action, double reward,
                          opevo_i_loss loss)
{
    double advantage = reward - output[actions];
    double by_log = loss == OPEVO_I_LOSS_REFERENCE ? advantage : -advantage;
    double by_value = -2 * advantage;

    if (loss == OPEVO_I_LOSS_REFERENCE)
        by_value -= log(output[action]);
    for (size_t k = 0; k < actions; k++)
        output[k] = by_log * ((k == action) - output[k]);
    output[actions] = by_value;
}

/* sums[k] = the sum of column k. */
static void sum_columns(const double *rows, size_t count, size_t columns, double *sums)
{
    memset(sums, 0, columns * sizeof *sums);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < columns; k++)
            sums[k] += rows[i * columns + k];
    }
}

static void backward(opevo_i_actor_critic *self, size_t count)
{
    int rows = (int)count;
    int inputs = (int)self->inputs;
    int outputs = (int)self->outputs;
    double *gradient = self->gradient;

    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, outputs, HIDDEN, rows, 1, self->output,
                outputs, self->hidden, HIDDEN, 0, gradient + weight2(self), HIDDEN);
    sum_columns(self->output, count, self->outputs, gradient + bias2(self));
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, HIDDEN, outputs, 1, self->output,
                outputs, self->weights + weight2(self), HIDDEN, 0, self->hidden_d, HIDDEN);
    for (size_t i = 0; i < count * HIDDEN; i++)
        self->hidden_d[i] = self->hidden[i] > 0 ? self->hidden_d[i] : 0;
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, HIDDEN, inputs, rows, 1, self->hidden_d,
                HIDDEN, self->state, inputs, 0, gradient, inputs);
    sum_columns(self->hidden_d, count, HIDDEN, gradient + bias1(self));
}

opevo_status opevo_i_actor_critic_gradient(opevo_i_actor_critic *network, const double *states,
                                           const size_t *actions, const double *rewards,
                                           size_t count, opevo_i_loss loss, const double **gradient,
                                           opevo_error *err)
{
    opevo_i_actor_critic *self = network;

    if (!reserve_rows(self, count))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu samples of a policy.", count);
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

/* Whether one of the numbers is not finite: its exponent is the largest, and one more is carried
 * into the sign. */
static ALWAYS_INLINE bool find_strange(const double *numbers, size_t count)
{
    uint64_t strange = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;

        memcpy(&bits, &numbers[i], sizeof bits);
        strange |= (bits & UINT64_C(0x7ff0000000000000)) + UINT64_C(0x0010000000000000);
    }
    return strange >> 63;
}

/* mean and square towards the gradient and its square, weights -= rate mean / (sqrt(square) +
 * least). */
static ALWAYS_INLINE void move_weights(opevo_i_actor_critic *self, double rate, double least)
{
    double *restrict weights = self->weights;
    double *restrict mean = self->mean;
    double *restrict square = self->square;
    const double *restrict gradient = self->gradient;
    size_t count = self->weight_count;

    for (size_t i = 0; i < count; i++) {
        mean[i] = BETA1 * mean[i] + (1 - BETA1) * gradient[i];
        square[i] = BETA2 * square[i] + (1 - BETA2) * gradient[i] * gradient[i];
        weights[i] -= rate * mean[i] / (sqrt(square[i]) + least);
    }
}

static bool is_strange(const double *numbers, size_t count)
{
    return find_strange(numbers, count);
}

static WIDE bool is_strange_wide(const double *numbers, size_t count)
{
    return find_strange(numbers, count);
}

static void move(opevo_i_actor_critic *self, double rate, double least)
{
    move_weights(self, rate, least);
}

static WIDE void move_wide(opevo_i_actor_critic *self, double rate, double least)
{
    move_weights(self, rate, least);
}

/* One step of Adam: with m and v the averages divided by 1 - beta^t, w -= RATE m / (sqrt(v) +
 * EPSILON). The division of v is taken out of the loop: its root multiplies both sides. A gradient
 * that is not finite moves nothing. */
static void step(opevo_i_actor_critic *self)
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
    (wide ? move_wide : move)(self, rate, EPSILON * root);
}

opevo_status opevo_i_actor_critic_learn(opevo_i_actor_critic *network, const double *states,
                                        const size_t *actions, const double *rewards, size_t count,
                                        opevo_i_loss loss, opevo_error *err)
{
    opevo_i_actor_critic *self = network;
    const double *gradient = NULL;
    opevo_status status =
        opevo_i_actor_critic_gradient(self, states, actions, rewards, count, loss, &gradient, err);

    if (status == OPEVO_OK)
        step(self);
    return status;
}
