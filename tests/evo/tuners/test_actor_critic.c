/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The network of N-A2C, which computes in single precision, against one in plain loops and double
 * precision, whose gradient is that of its loss by central differences. */

#include "plain_network.h"

#include <opevo/memory.h>

static opevo_i_gbfs_actor_critic *make(uint64_t seed)
{
    opevo_i_gbfs_actor_critic *network = NULL;
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "test", 0);
    CHECK_OK(opevo_i_gbfs_actor_critic_create(INPUTS, ACTIONS, &rng, &network, &err));
    assert_int_equal(opevo_i_gbfs_actor_critic_weight_count(network), WEIGHTS);
    return network;
}

static void copy_weights(opevo_i_gbfs_actor_critic *network, double *weights)
{
    for (size_t i = 0; i < WEIGHTS; i++)
        weights[i] = (double)opevo_i_gbfs_actor_critic_weights(network)[i];
}

static samples make_samples(uint64_t seed)
{
    samples made;
    opevo_rng rng;

    opevo_rng_init(&rng, seed, "samples", 0);
    for (size_t i = 0; i < SAMPLES * INPUTS; i++)
        made.states[i] = (float)(opevo_rng_unit(&rng) - 0.5);
    for (size_t i = 0; i < SAMPLES; i++) {
        made.actions[i] = (size_t)opevo_rng_below(&rng, ACTIONS);
        made.rewards[i] = 3 * opevo_rng_unit(&rng);
    }
    return made;
}

CHECK_TEST(test_policy)
{
    opevo_i_gbfs_actor_critic *network = make(1);
    samples s = make_samples(2);
    double weights[WEIGHTS];

    copy_weights(network, weights);
    for (size_t i = 0; i < SAMPLES; i++) {
        pass expected;
        float actual[ACTIONS];
        float value = opevo_i_gbfs_actor_critic_policy(network, s.states + i * INPUTS, actual);

        plain_forward(weights, s.states + i * INPUTS, &expected);
        assert_true(all_near(&value, &expected.value, 1));
        assert_true(all_near(actual, expected.probabilities, ACTIONS));
        actual[i] *= 1.0001F;
        value *= 1.001F;
        assert_false(all_near(&value, &expected.value, 1));
        assert_false(all_near(actual, expected.probabilities, ACTIONS));
    }
    opevo_i_gbfs_actor_critic_destroy(network);
}

/* Uniform in +-1/sqrt(inputs) below the hidden layer and +-1/sqrt(128) above it: the extremes of so
 * many numbers lie within 5 % of the bounds, with probability above 1 - 1e-12. */
CHECK_TEST(test_first_weights)
{
    opevo_i_gbfs_actor_critic *network = make(3);
    double weights[WEIGHTS];
    double most[2] = {0, 0};

    assert_int_equal(WEIGHTS, HIDDEN * (INPUTS + 1) + (ACTIONS + 1) * (HIDDEN + 1));
    copy_weights(network, weights);
    for (size_t i = 0; i < WEIGHTS; i++)
        most[i >= WEIGHT2] = fmax(most[i >= WEIGHT2], fabs(weights[i]));
    CHECK_CLOSE(most[0] * sqrt(INPUTS), 0.975, 0.025);
    CHECK_CLOSE(most[1] * sqrt(HIDDEN), 0.975, 0.025);
    opevo_i_gbfs_actor_critic_destroy(network);
}

/* The network in double precision has the derivatives of its loss for a gradient. */
CHECK_TEST(test_plain_gradient)
{
    opevo_i_gbfs_actor_critic *network = make(4);
    samples s = make_samples(5);
    double weights[WEIGHTS];
    double constant[SAMPLES];

    copy_weights(network, weights);
    opevo_i_gbfs_actor_critic_destroy(network);
    for (size_t i = 0; i < SAMPLES; i++) {
        pass made;

        plain_forward(weights, s.states + i * INPUTS, &made);
        constant[i] = s.rewards[i] - made.value.value;
    }
    for (int loss = OPEVO_I_LOSS_PUBLISHED; loss <= OPEVO_I_LOSS_REFERENCE; loss++) {
        near gradient[WEIGHTS];
        double largest = 0;

        plain_gradient(weights, &s, (opevo_i_gbfs_loss)loss, gradient);
        for (size_t i = 0; i < WEIGHTS; i++) {
            const double h = 1e-5;
            double kept = weights[i];
            double difference = 0;

            weights[i] = kept + h;
            difference = plain_loss(weights, &s, (opevo_i_gbfs_loss)loss, constant);
            weights[i] = kept - h;
            difference -= plain_loss(weights, &s, (opevo_i_gbfs_loss)loss, constant);
            weights[i] = kept;
            CHECK_CLOSE(gradient[i].value, difference / (2 * h), 1e-6);
            largest = fmax(largest, fabs(gradient[i].value));
        }
        assert_true(largest > 1);
    }
}

/* Single precision is within its bounds, and what is spoilt is not: the other loss, the other sign,
 * another reward, a thousandth of a single entry. */
CHECK_TEST(test_gradient)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        opevo_i_gbfs_actor_critic *network = make(seed);
        samples s = make_samples(seed);
        double weights[WEIGHTS];

        copy_weights(network, weights);
        for (int loss = OPEVO_I_LOSS_PUBLISHED; loss <= OPEVO_I_LOSS_REFERENCE; loss++) {
            near expected[WEIGHTS];
            near other[WEIGHTS];
            samples changed = s;
            const float *gradient = NULL;
            float spoilt[WEIGHTS];
            size_t largest = 0;

            CHECK_OK(opevo_i_gbfs_actor_critic_gradient(network, s.states, s.actions, s.rewards,
                                                        SAMPLES, (opevo_i_gbfs_loss)loss, &gradient,
                                                        &err));
            plain_gradient(weights, &s, (opevo_i_gbfs_loss)loss, expected);
            assert_true(all_near(gradient, expected, WEIGHTS));

            plain_gradient(weights, &s, (opevo_i_gbfs_loss)!loss, other);
            assert_false(all_near(gradient, other, WEIGHTS));
            changed.rewards[seed % SAMPLES] += 0.001;
            plain_gradient(weights, &changed, (opevo_i_gbfs_loss)loss, other);
            assert_false(all_near(gradient, other, WEIGHTS));
            for (size_t i = 0; i < WEIGHTS; i++) {
                spoilt[i] = -gradient[i];
                largest = fabsf(gradient[i]) > fabsf(gradient[largest]) ? i : largest;
            }
            assert_false(all_near(spoilt, expected, WEIGHTS));
            memcpy(spoilt, gradient, sizeof spoilt);
            spoilt[largest] *= 1.001F;
            assert_false(all_near(spoilt, expected, WEIGHTS));
        }
        opevo_i_gbfs_actor_critic_destroy(network);
    }
}

/* An action whose probability is 0 in single precision has a logarithm, so that those who take it
 * by chance learn. */
CHECK_TEST(test_least_probability)
{
    opevo_i_gbfs_actor_critic *network = make(5);
    samples s = make_samples(5);
    double weights[WEIGHTS];
    near expected[WEIGHTS];
    float probabilities[ACTIONS];
    const float *gradient = NULL;

    opevo_i_gbfs_actor_critic_weights(network)[BIAS2 + s.actions[0]] = -200;
    copy_weights(network, weights);
    opevo_i_gbfs_actor_critic_policy(network, s.states, probabilities);
    assert_true(probabilities[s.actions[0]] == 0);
    CHECK_OK(opevo_i_gbfs_actor_critic_gradient(network, s.states, s.actions, s.rewards, SAMPLES,
                                                OPEVO_I_LOSS_REFERENCE, &gradient, &err));
    plain_gradient(weights, &s, OPEVO_I_LOSS_REFERENCE, expected);
    assert_true(expected[BIAS2 + ACTIONS].value > 150);
    assert_true(all_near(gradient, expected, WEIGHTS));
    opevo_i_gbfs_actor_critic_destroy(network);
}

enum spoilt { SOUND, WRONG_SIGN, UNCORRECTED, SWAPPED_BETAS, SPOILT_COUNT };

/* One step of Adam in double precision; its averages are of the gradient, of its size and of its
 * square. What single precision may be off by: each term of the mean has been rounded at most 3 t
 * times and each of the square 3 t + 1 times, constants included, of which the root leaves half;
 * six more roundings make the step from them, in proportion to the mean of the size;
 * and one the weight. */
static void plain_adam(const float *gradient, int t, enum spoilt spoilt, double (*averages)[3],
                       near *weights)
{
    double beta1 = spoilt == SWAPPED_BETAS ? 0.999 : 0.9;
    double beta2 = spoilt == SWAPPED_BETAS ? 0.9 : 0.999;
    double left1 = spoilt == UNCORRECTED ? 1 : 1 - pow(beta1, t);
    double left2 = spoilt == UNCORRECTED ? 1 : 1 - pow(beta2, t);

    for (size_t i = 0; i < WEIGHTS; i++) {
        double *average = averages[i];
        double g = (double)gradient[i];
        double divisor = 0;

        average[0] = beta1 * average[0] + (1 - beta1) * g;
        average[1] = beta1 * average[1] + (1 - beta1) * fabs(g);
        average[2] = beta2 * average[2] + (1 - beta2) * g * g;
        divisor = left1 * (sqrt(average[2] / left2) + 1e-8);
        weights[i].value -= (spoilt == WRONG_SIGN ? -1e-3 : 1e-3) * average[0] / divisor;
        weights[i].bound += 1.01 * U * (4.5 * t + 6.5) * 1e-3 * average[1] / divisor;
        weights[i] = rounded(weights[i].value, weights[i].bound);
    }
}

CHECK_TEST(test_adam)
{
    enum { STEPS = 5 };

    for (enum spoilt spoilt = SOUND; spoilt < SPOILT_COUNT; spoilt++) {
        opevo_i_gbfs_actor_critic *network = make(6);
        double averages[WEIGHTS][3] = {{0}};
        near expected[WEIGHTS];

        for (size_t i = 0; i < WEIGHTS; i++)
            expected[i] = exact((double)opevo_i_gbfs_actor_critic_weights(network)[i]);
        for (int t = 1; t <= STEPS; t++) {
            samples s = make_samples((uint64_t)t);
            const float *gradient = NULL;

            CHECK_OK(opevo_i_gbfs_actor_critic_gradient(network, s.states, s.actions, s.rewards,
                                                        SAMPLES, OPEVO_I_LOSS_PUBLISHED, &gradient,
                                                        &err));
            plain_adam(gradient, t, spoilt, averages, expected);
            CHECK_OK(opevo_i_gbfs_actor_critic_learn(network, s.states, s.actions, s.rewards,
                                                     SAMPLES, OPEVO_I_LOSS_PUBLISHED, &err));
            assert_int_equal(
                all_near(opevo_i_gbfs_actor_critic_weights(network), expected, WEIGHTS),
                spoilt == SOUND || (spoilt == SWAPPED_BETAS && t == 1));
        }
        opevo_i_gbfs_actor_critic_destroy(network);
    }
}

/* Action 2 is rewarded and all others are not, at every state. The published loss learns that, the
 * reference with its wrong sign learns to avoid it. */
CHECK_TEST(test_sign)
{
    for (int loss = OPEVO_I_LOSS_PUBLISHED; loss <= OPEVO_I_LOSS_REFERENCE; loss++) {
        opevo_i_gbfs_actor_critic *network = make(8);
        float before[ACTIONS];
        float after[ACTIONS];
        samples probe = make_samples(999);

        opevo_i_gbfs_actor_critic_policy(network, probe.states, before);
        for (uint64_t t = 0; t < 200; t++) {
            samples s = make_samples(t);

            for (size_t i = 0; i < SAMPLES; i++)
                s.rewards[i] = s.actions[i] == 2 ? 10 : 0;
            CHECK_OK(opevo_i_gbfs_actor_critic_learn(network, s.states, s.actions, s.rewards,
                                                     SAMPLES, (opevo_i_gbfs_loss)loss, &err));
        }
        opevo_i_gbfs_actor_critic_policy(network, probe.states, after);
        if (loss == OPEVO_I_LOSS_PUBLISHED)
            assert_true(after[2] > 0.5F && before[2] < 0.25F);
        else
            assert_true(after[2] < before[2] / 4);
        opevo_i_gbfs_actor_critic_destroy(network);
    }
}

/* The same calls give the same bits, wherever the memory happens to lie. */
CHECK_TEST(test_repeats_to_the_bit)
{
    float first[ACTIONS];

    for (size_t run = 0; run < 8; run++) {
        void *shift = opevo_malloc(1 + 40 * run, 1);
        opevo_i_gbfs_actor_critic *network = make(9);
        float now[ACTIONS];
        samples s = make_samples(10);

        for (int t = 0; t < 20; t++)
            CHECK_OK(opevo_i_gbfs_actor_critic_learn(network, s.states, s.actions, s.rewards,
                                                     1 + (size_t)t % SAMPLES,
                                                     OPEVO_I_LOSS_PUBLISHED, &err));
        opevo_i_gbfs_actor_critic_policy(network, s.states, now);
        if (run == 0)
            memcpy(first, now, sizeof now);
        assert_memory_equal(first, now, sizeof now);
        opevo_i_gbfs_actor_critic_destroy(network);
        opevo_free(shift);
    }
}

/* Rewards that no arithmetic survives change nothing, and leave a network that learns. The
 * probabilities have a sum of 1 up to the roundings of their own sum and of their quotients. */
CHECK_TEST(test_huge_rewards)
{
    static const double huge[] = {1e308, 1e160, 1e100, 1.7e308, 1e38, 1e25};
    opevo_i_gbfs_actor_critic *network = make(11);
    samples s = make_samples(12);
    double usual = s.rewards[0];

    for (size_t r = 0; r < sizeof huge / sizeof *huge; r++) {
        for (int loss = OPEVO_I_LOSS_PUBLISHED; loss <= OPEVO_I_LOSS_REFERENCE; loss++) {
            float *weights = opevo_i_gbfs_actor_critic_weights(network);
            float kept[WEIGHTS];
            float probabilities[ACTIONS];
            double whole = 0;

            memcpy(kept, weights, sizeof kept);
            s.rewards[0] = huge[r];
            CHECK_OK(opevo_i_gbfs_actor_critic_learn(network, s.states, s.actions, s.rewards,
                                                     SAMPLES, (opevo_i_gbfs_loss)loss, &err));
            assert_memory_equal(weights, kept, sizeof kept);
            s.rewards[0] = r % 2 ? usual : 5e-324;
            CHECK_OK(opevo_i_gbfs_actor_critic_learn(network, s.states, s.actions, s.rewards,
                                                     SAMPLES, (opevo_i_gbfs_loss)loss, &err));
            for (size_t i = WEIGHTS - OUTPUTS; i < WEIGHTS; i++)
                assert_true(weights[i] != kept[i]);
            assert_true(
                isfinite(opevo_i_gbfs_actor_critic_policy(network, s.states, probabilities)));
            for (size_t k = 0; k < ACTIONS; k++)
                whole += (double)probabilities[k];
            CHECK_CLOSE(whole, 1, ACTIONS * U * (1 + ACTIONS * U));
        }
    }
    opevo_i_gbfs_actor_critic_destroy(network);
}
