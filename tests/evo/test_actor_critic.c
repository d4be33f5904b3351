/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The network of N-A2C against one written out in plain loops: policy and value, the gradient by
 * central differences of the loss, Adam step by step. */

#include "check.h"

#include <stdlib.h>

#include <opevo/memory.h>

#include "actor_critic_internal.h"

enum { INPUTS = 5, ACTIONS = 7, HIDDEN = OPEVO_I_ACTOR_CRITIC_HIDDEN, SAMPLES = 6 };

static opevo_i_actor_critic *make(uint64_t seed)
{
    opevo_i_actor_critic *network = NULL;
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "test", 0);
    CHECK_OK(opevo_i_actor_critic_create(INPUTS, ACTIONS, &rng, &network, &err));
    return network;
}

/* Probabilities and value from an array of weights in the order of the header. */
static double plain_policy(const double *weights, const double *state, double *probabilities)
{
    const double *bias1 = weights + HIDDEN * INPUTS;
    const double *weights2 = bias1 + HIDDEN;
    const double *bias2 = weights2 + (ACTIONS + 1) * HIDDEN;
    double hidden[HIDDEN];
    double output[ACTIONS + 1];
    double sum = 0;

    for (size_t h = 0; h < HIDDEN; h++) {
        double x = bias1[h];

        for (size_t i = 0; i < INPUTS; i++)
            x += weights[h * INPUTS + i] * state[i];
        hidden[h] = x > 0 ? x : 0;
    }
    for (size_t k = 0; k <= ACTIONS; k++) {
        output[k] = bias2[k];
        for (size_t h = 0; h < HIDDEN; h++)
            output[k] += weights2[k * HIDDEN + h] * hidden[h];
    }
    for (size_t k = 0; k < ACTIONS; k++)
        sum += exp(output[k]);
    for (size_t k = 0; k < ACTIONS; k++)
        probabilities[k] = exp(output[k]) / sum;
    return output[ACTIONS];
}

typedef struct samples {
    double states[SAMPLES * INPUTS];
    size_t actions[SAMPLES];
    double rewards[SAMPLES];
} samples;

static samples make_samples(uint64_t seed)
{
    samples made;
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "samples", 0);
    for (size_t i = 0; i < SAMPLES * INPUTS; i++)
        made.states[i] = opevo_rng_unit(&rng) - 0.5;
    for (size_t i = 0; i < SAMPLES; i++) {
        made.actions[i] = (size_t)opevo_rng_below(&rng, ACTIONS);
        made.rewards[i] = 3 * opevo_rng_unit(&rng);
    }
    return made;
}

/* `constant` are the advantages that the published loss takes as constants. */
static double plain_loss(const double *weights, const samples *s, opevo_i_loss loss,
                         const double *constant)
{
    double sum = 0;

    for (size_t i = 0; i < SAMPLES; i++) {
        double probabilities[ACTIONS];
        double value = plain_policy(weights, s->states + i * INPUTS, probabilities);
        double advantage = s->rewards[i] - value;
        double logarithm = log(probabilities[s->actions[i]]);

        sum += advantage * advantage;
        sum += loss == OPEVO_I_LOSS_REFERENCE ? logarithm * advantage : -logarithm * constant[i];
    }
    return sum;
}

static void test_policy(void **state)
{
    opevo_i_actor_critic *network = make(1);
    samples s = make_samples(2);

    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        double expected[ACTIONS];
        double actual[ACTIONS];
        double value =
            plain_policy(opevo_i_actor_critic_weights(network), s.states + i * INPUTS, expected);

        CHECK_CLOSE(opevo_i_actor_critic_policy(network, s.states + i * INPUTS, actual), value,
                    1e-14);
        for (size_t k = 0; k < ACTIONS; k++)
            CHECK_CLOSE(actual[k], expected[k], 1e-14);
    }
    opevo_i_actor_critic_destroy(network);
}

/* Uniform in +-1/sqrt(inputs) below the hidden layer and +-1/sqrt(128) above it: the extremes of so
 * many numbers lie within 5 % of the bounds, with probability above 1 - 1e-12. */
static void test_first_weights(void **state)
{
    opevo_i_actor_critic *network = make(3);
    const double *weights = opevo_i_actor_critic_weights(network);
    size_t count = opevo_i_actor_critic_weight_count(network);
    size_t below = HIDDEN * (INPUTS + 1);
    double most[2] = {0, 0};

    (void)state;
    assert_int_equal(count, HIDDEN * (INPUTS + 1) + (ACTIONS + 1) * (HIDDEN + 1));
    for (size_t i = 0; i < count; i++)
        most[i >= below] = fmax(most[i >= below], fabs(weights[i]));
    CHECK_CLOSE(most[0] * sqrt(INPUTS), 0.975, 0.025);
    CHECK_CLOSE(most[1] * sqrt(HIDDEN), 0.975, 0.025);
    opevo_i_actor_critic_destroy(network);
}

static void test_gradient(void **state)
{
    opevo_i_actor_critic *network = make(4);
    double *weights = opevo_i_actor_critic_weights(network);
    size_t count = opevo_i_actor_critic_weight_count(network);
    samples s = make_samples(5);
    double constant[SAMPLES];

    (void)state;
    for (size_t i = 0; i < SAMPLES; i++) {
        double probabilities[ACTIONS];

        constant[i] = s.rewards[i] - plain_policy(weights, s.states + i * INPUTS, probabilities);
    }
    for (int loss = OPEVO_I_LOSS_PUBLISHED; loss <= OPEVO_I_LOSS_REFERENCE; loss++) {
        const double *gradient = NULL;
        double largest = 0;

        CHECK_OK(opevo_i_actor_critic_gradient(network, s.states, s.actions, s.rewards, SAMPLES,
                                               (opevo_i_loss)loss, &gradient, &err));
        for (size_t i = 0; i < count; i++) {
            const double h = 1e-5;
            double kept = weights[i];
            double difference = 0;

            weights[i] = kept + h;
            difference = plain_loss(weights, &s, (opevo_i_loss)loss, constant);
            weights[i] = kept - h;
            difference -= plain_loss(weights, &s, (opevo_i_loss)loss, constant);
            weights[i] = kept;
            CHECK_CLOSE(gradient[i], difference / (2 * h), 1e-6);
            largest = fmax(largest, fabs(gradient[i]));
        }
        assert_true(largest > 1);
    }
    opevo_i_actor_critic_destroy(network);
}

static void test_adam(void **state)
{
    enum { STEPS = 5 };
    opevo_i_actor_critic *network = make(6);
    size_t count = opevo_i_actor_critic_weight_count(network);
    double *expected = calloc(count, sizeof *expected);
    double *mean = calloc(count, sizeof *mean);
    double *square = calloc(count, sizeof *square);

    (void)state;
    memcpy(expected, opevo_i_actor_critic_weights(network), count * sizeof *expected);
    for (int t = 1; t <= STEPS; t++) {
        samples s = make_samples((uint64_t)t);
        const double *gradient = NULL;

        CHECK_OK(opevo_i_actor_critic_gradient(network, s.states, s.actions, s.rewards, SAMPLES,
                                               OPEVO_I_LOSS_PUBLISHED, &gradient, &err));
        for (size_t i = 0; i < count; i++) {
            mean[i] = 0.9 * mean[i] + 0.1 * gradient[i];
            square[i] = 0.999 * square[i] + 0.001 * gradient[i] * gradient[i];
            expected[i] -= 1e-3 * (mean[i] / (1 - pow(0.9, t))) /
                           (sqrt(square[i] / (1 - pow(0.999, t))) + 1e-8);
        }
        CHECK_OK(opevo_i_actor_critic_learn(network, s.states, s.actions, s.rewards, SAMPLES,
                                            OPEVO_I_LOSS_PUBLISHED, &err));
        for (size_t i = 0; i < count; i++)
            CHECK_CLOSE(opevo_i_actor_critic_weights(network)[i], expected[i], 1e-12);
    }
    free(expected);
    free(mean);
    free(square);
    opevo_i_actor_critic_destroy(network);
}

/* Action 2 is rewarded and all others are not, at every state. The published loss learns that, the
 * reference with its wrong sign learns to avoid it. */
static void test_sign(void **state)
{
    (void)state;
    for (int loss = OPEVO_I_LOSS_PUBLISHED; loss <= OPEVO_I_LOSS_REFERENCE; loss++) {
        opevo_i_actor_critic *network = make(8);
        double before[ACTIONS];
        double after[ACTIONS];
        samples probe = make_samples(999);

        opevo_i_actor_critic_policy(network, probe.states, before);
        for (uint64_t t = 0; t < 200; t++) {
            samples s = make_samples(t);

            for (size_t i = 0; i < SAMPLES; i++)
                s.rewards[i] = s.actions[i] == 2 ? 10 : 0;
            CHECK_OK(opevo_i_actor_critic_learn(network, s.states, s.actions, s.rewards, SAMPLES,
                                                (opevo_i_loss)loss, &err));
        }
        opevo_i_actor_critic_policy(network, probe.states, after);
        if (loss == OPEVO_I_LOSS_PUBLISHED)
            assert_true(after[2] > 0.5 && before[2] < 0.25);
        else
            assert_true(after[2] < before[2] / 4);
        opevo_i_actor_critic_destroy(network);
    }
}

/* The same calls give the same bits, wherever the memory happens to lie. */
static void test_repeats_to_the_bit(void **state)
{
    double first[ACTIONS];

    (void)state;
    for (size_t run = 0; run < 8; run++) {
        void *shift = opevo_malloc(1 + 40 * run, 1);
        opevo_i_actor_critic *network = make(9);
        double now[ACTIONS];
        samples s = make_samples(10);

        for (int t = 0; t < 20; t++)
            CHECK_OK(opevo_i_actor_critic_learn(network, s.states, s.actions, s.rewards,
                                                1 + (size_t)t % SAMPLES, OPEVO_I_LOSS_PUBLISHED,
                                                &err));
        opevo_i_actor_critic_policy(network, s.states, now);
        if (run == 0)
            memcpy(first, now, sizeof now);
        assert_memory_equal(first, now, sizeof now);
        opevo_i_actor_critic_destroy(network);
        opevo_free(shift);
    }
}

/* Rewards that no arithmetic survives leave numbers in the network. */
static void test_huge_rewards(void **state)
{
    static const double huge[] = {1e308, 1e160, 1e100, 1.7e308, 5e-324};
    opevo_i_actor_critic *network = make(11);
    samples s = make_samples(12);

    (void)state;
    for (size_t r = 0; r < sizeof huge / sizeof *huge; r++) {
        double probabilities[ACTIONS];
        double sum = 0;

        s.rewards[0] = huge[r];
        for (int loss = OPEVO_I_LOSS_PUBLISHED; loss <= OPEVO_I_LOSS_REFERENCE; loss++)
            CHECK_OK(opevo_i_actor_critic_learn(network, s.states, s.actions, s.rewards, SAMPLES,
                                                (opevo_i_loss)loss, &err));
        assert_true(isfinite(opevo_i_actor_critic_policy(network, s.states, probabilities)));
        for (size_t k = 0; k < ACTIONS; k++)
            sum += probabilities[k];
        CHECK_CLOSE(sum, 1, 1e-12);
    }
    opevo_i_actor_critic_destroy(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_policy),       cmocka_unit_test(test_first_weights),
        cmocka_unit_test(test_gradient),     cmocka_unit_test(test_adam),
        cmocka_unit_test(test_sign),         cmocka_unit_test(test_repeats_to_the_bit),
        cmocka_unit_test(test_huge_rewards),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
