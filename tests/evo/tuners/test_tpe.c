/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parzen estimators against hyperopt's formulas written out plainly, and the tuner `tpe`. */

#include "tuner_fixture.h"

#include <opevo/diagram.h>

#include "parzen_internal.h"

enum { OBSERVATIONS_MOST = 200, VALUES_MOST = 64 };

static opevo_i_tpe_parzen *make_parzen(const char *text, opevo_parameter **parameter)
{
    opevo_i_tpe_parzen *parzen = NULL;

    CHECK_OK(opevo_parameter_parse("x", text, NULL, parameter, &err));
    parzen = opevo_i_tpe_parzen_create(*parameter);
    assert_non_null(parzen);
    return parzen;
}

/* ---- The formulas ---- */

static double normal_below(double x)
{
    return 0.5 * (1 + erf(x / sqrt(2)));
}

/* adaptive_parzen_normal and GMM1_lpdf with q = 1, low = -1/2, high = n - 1/2, as hyperopt has
 * them: means[] sorted with the prior in it, one component each. */
static void ordered_by_definition(const size_t *values, const double *weights, size_t count,
                                  size_t size, double *law)
{
    double mean[OBSERVATIONS_MOST + 1], sigma[OBSERVATIONS_MOST + 1], weight[OBSERVATIONS_MOST + 1];
    double middle = ((double)size - 1) / 2, accepted = 0;
    size_t kept = 0, prior = 0;

    for (size_t v = 0; v < size; v++) {
        for (size_t k = 0; k < count; k++) {
            if (values[k] != v || weights[k] == 0)
                continue;
            mean[kept] = (double)v;
            weight[kept++] = weights[k];
        }
    }
    while (prior < kept && mean[prior] < middle)
        prior++;
    memmove(mean + prior + 1, mean + prior, (kept - prior) * sizeof *mean);
    memmove(weight + prior + 1, weight + prior, (kept - prior) * sizeof *weight);
    mean[prior] = middle;
    weight[prior] = 1;
    kept++;
    for (size_t k = 0; k < kept; k++) {
        double divisor = fmin(100, 1 + (double)kept);
        double left = k > 0 ? mean[k] - mean[k - 1] : 0;
        double right = k + 1 < kept ? mean[k + 1] - mean[k] : 0;

        sigma[k] = kept == 2 ? (double)size / 2 : fmax(left, right);
        sigma[k] = fmin(fmax(sigma[k], (double)size / divisor), (double)size);
    }
    sigma[prior] = (double)size;
    for (size_t k = 0; k < kept; k++)
        accepted += weight[k] * (normal_below(((double)size - 0.5 - mean[k]) / sigma[k]) -
                                 normal_below((-0.5 - mean[k]) / sigma[k]));
    for (size_t v = 0; v < size; v++) {
        law[v] = 0;
        for (size_t k = 0; k < kept; k++)
            law[v] += weight[k] * (normal_below(((double)v + 0.5 - mean[k]) / sigma[k]) -
                                   normal_below(((double)v - 0.5 - mean[k]) / sigma[k]));
        law[v] /= accepted;
    }
}

/* ap_randint_sampler: counts by weight, and 1 more for each value. */
static void unordered_by_definition(const size_t *values, const double *weights, size_t count,
                                    size_t size, double *law)
{
    double sum = (double)size;

    for (size_t v = 0; v < size; v++)
        law[v] = 1;
    for (size_t k = 0; k < count; k++) {
        law[values[k]] += weights[k];
        sum += weights[k];
    }
    for (size_t v = 0; v < size; v++)
        law[v] /= sum;
}

static void check_law(opevo_i_tpe_parzen *parzen, opevo_i_tpe_parzen_side side, const double *law,
                      size_t size)
{
    double sum = 0;

    for (size_t v = 0; v < size; v++) {
        CHECK_CLOSE(opevo_i_tpe_parzen_probability(parzen, side, v), law[v], 1e-12);
        sum += law[v];
    }
    CHECK_CLOSE(sum, 1, 1e-9);
}

/* linear_forgetting_weights of the observations of one side, by age; 0 for those of the other. */
static void weights_by_definition(const bool *below, bool side, size_t count, double *weights)
{
    size_t members = 0, k = 0, old = 0;

    for (size_t age = 0; age < count; age++)
        members += below[age] == side;
    old = members > 25 ? members - 25 : 0;
    for (size_t age = 0; age < count; age++) {
        double first = 1 / (double)members;

        weights[age] = 0;
        if (below[age] != side)
            continue;
        weights[age] = k >= old ? 1 : first + (k ? (1 - first) * (double)k / (double)(old - 1) : 0);
        k++;
    }
}

/* Some observations change sides, each time others. */
static void change_sides(opevo_i_tpe_parzen *parzen, bool *below, size_t count, opevo_rng *rng)
{
    for (size_t k = opevo_rng_below(rng, 4); k-- > 0;) {
        size_t age = (size_t)opevo_rng_below(rng, count);

        below[age] = !below[age];
        opevo_i_tpe_parzen_move(parzen, age,
                                below[age] ? OPEVO_I_PARZEN_BELOW : OPEVO_I_PARZEN_ABOVE);
    }
}

static void check_against_definition(const char *text, bool ordered)
{
    opevo_parameter *parameter = NULL;
    opevo_i_tpe_parzen *parzen = make_parzen(text, &parameter);
    size_t size = (size_t)opevo_parameter_size(parameter);
    size_t values[OBSERVATIONS_MOST];
    bool below[OBSERVATIONS_MOST] = {false};
    double weights[OBSERVATIONS_MOST], law[2][VALUES_MOST], listed[VALUES_MOST];
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    opevo_i_tpe_parzen_fit(parzen); /* of a branch that was never entered */
    for (size_t v = 0; v < size; v++)
        CHECK_CLOSE(opevo_i_tpe_parzen_ratio(parzen, v), 1, 1e-12);
    for (size_t count = 1; count <= OBSERVATIONS_MOST; count++) {
        /* Mostly small values, so that there are ties and gaps. */
        values[count - 1] = (size_t)opevo_rng_below(&rng, 1 + opevo_rng_below(&rng, size));
        CHECK_OK(opevo_i_tpe_parzen_observe(parzen, values[count - 1], &err));
        change_sides(parzen, below, count, &rng);
        opevo_i_tpe_parzen_fit(parzen);
        for (int side = 0; side < 2; side++) {
            weights_by_definition(below, side == OPEVO_I_PARZEN_BELOW, count, weights);
            (ordered ? ordered_by_definition : unordered_by_definition)(values, weights, count,
                                                                        size, law[side]);
            check_law(parzen, (opevo_i_tpe_parzen_side)side, law[side], size);
        }
        opevo_i_tpe_parzen_law(parzen, listed);
        for (size_t v = 0; v < size; v++)
            CHECK_CLOSE(listed[v], law[0][v], 1e-12);
        for (int again = 0; again < 2; again++) {
            for (size_t v = 0; v < size; v++)
                CHECK_CLOSE(opevo_i_tpe_parzen_ratio(parzen, v), law[0][v] / law[1][v],
                            1e-9 * law[0][v] / law[1][v]);
        }
    }
    opevo_i_tpe_parzen_destroy(parzen);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_estimators)
{
    check_against_definition("discrete(1,2,4,8,16,32,64,128,256,512,1024,2048)", true);
    check_against_definition("discrete(5,6)", true);
    check_against_definition("discrete(5)", true);
    check_against_definition("categorical(a,b,c,d,e)", false);
    check_against_definition("factor(64,3)", false);
    check_against_definition("permutation(4)", false);
}

/* Draws follow the probabilities: chi-squared over the values, 20,000 draws. The bound is the
 * quantile at 1e-6 of up to 27 degrees of freedom; a deviation halved, the prior forgotten or the
 * cut left out give several hundred. */
static void check_draws(const char *text)
{
    enum { DRAWS = 20000 };
    opevo_parameter *parameter = NULL;
    opevo_i_tpe_parzen *parzen = make_parzen(text, &parameter);
    size_t size = (size_t)opevo_parameter_size(parameter);
    double squares = 0;
    size_t counts[VALUES_MOST] = {0};
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    for (size_t k = 0; k < 60; k++) {
        CHECK_OK(opevo_i_tpe_parzen_observe(parzen, k % 7 == 0 ? 0 : k % size, &err));
        if (k % 3 != 0)
            opevo_i_tpe_parzen_move(parzen, k, OPEVO_I_PARZEN_BELOW);
    }
    assert_true(opevo_i_tpe_parzen_fit(parzen));
    assert_false(opevo_i_tpe_parzen_fit(parzen));
    for (int i = 0; i < DRAWS; i++)
        counts[(size_t)opevo_i_tpe_parzen_draw(parzen, &rng)]++;
    for (size_t v = 0; v < size; v++) {
        double expected = DRAWS * opevo_i_tpe_parzen_probability(parzen, OPEVO_I_PARZEN_BELOW, v);

        squares += ((double)counts[v] - expected) * ((double)counts[v] - expected) / expected;
    }
    assert_true(squares < 78);
    opevo_i_tpe_parzen_destroy(parzen);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_draws)
{
    check_draws("discrete(1,2,4,8,16,32,64,128,256,512)");
    check_draws("categorical(a,b,c,d,e)");
    check_draws("factor(64,3)");
}

/* ---- The tuner ---- */

/* The best of `wanted` trials on a bowl with its top at vertex 40 of each of three lists. */
static double best_of(const char *name, const opevo_space *space, uint64_t seed, size_t wanted)
{
    opevo_tuner *tuner = tuner_make(name, space, NULL, seed);
    double best = 0;

    for (size_t i = 0; i < wanted; i++) {
        opevo_trial trial = {0};
        opevo_index vertices[3];
        double away = 0;
        size_t count = 0;

        CHECK_OK(opevo_tuner_ask(tuner, &trial.proposal, 1, &count, &err));
        assert_int_equal(count, 1);
        opevo_space_decode(space, trial.proposal.point, vertices);
        for (size_t k = 0; k < 3; k++)
            away += fabs((double)vertices[k] - 40);
        trial.outcome.fitness = 120 - away;
        best = fmax(best, trial.outcome.fitness);
        CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    }
    opevo_tuner_destroy(tuner);
    return best;
}

static opevo_space *bowl_space(void)
{
    opevo_text json = {0};
    opevo_space *space = NULL;

    for (int p = 0; p < 3; p++) {
        opevo_text_printf(&json, "%s\"p%d\": {\"_type\": \"discrete\", \"_value\": [0",
                          p ? ", " : "{", p);
        for (int v = 1; v < 50; v++)
            opevo_text_printf(&json, ", %d", v);
        opevo_text_add(&json, "]}");
    }
    opevo_text_add(&json, "}");
    space = formula_space(opevo_text_string(&json));
    opevo_text_free(&json);
    return space;
}

/* Much nearer to the top of a bowl than random search in every one of ten runs of 100 trials. */
CHECK_TEST(test_climbs)
{
    opevo_space *space = bowl_space();

    for (uint64_t seed = 1; seed <= 10; seed++) {
        assert_true(best_of("tpe", space, seed, 100) > 112);
        assert_true(best_of("random", space, seed, 100) < 118);
    }
    opevo_space_destroy(space);
}

CHECK_TEST(test_starts_with_random_points)
{
    opevo_space *space = bowl_space();
    opevo_tuner *tuner = tuner_make("tpe", space, NULL, 4);
    opevo_tuner *uniform = tuner_make("random", space, NULL, 4);
    opevo_proposal first[30], drawn[30];
    size_t count = 0;

    CHECK_OK(opevo_tuner_ask(tuner, first, 30, &count, &err));
    assert_int_equal(count, 20);
    CHECK_OK(opevo_tuner_ask(uniform, drawn, 20, &count, &err));
    for (size_t i = 0; i < 20; i++)
        assert_true(first[i].point == drawn[i].point);
    CHECK_OK(opevo_tuner_ask(tuner, first, 30, &count, &err));
    assert_int_equal(count, 0);
    opevo_tuner_destroy(tuner);
    opevo_tuner_destroy(uniform);
    opevo_space_destroy(space);
}

/* What is forgotten leaves no trace. */
static void check_forgets(const char *text)
{
    opevo_parameter *parameter = NULL, *same = NULL;
    opevo_i_tpe_parzen *parzen = make_parzen(text, &parameter);
    opevo_i_tpe_parzen *other = make_parzen(text, &same);
    size_t size = (size_t)opevo_parameter_size(parameter);

    for (size_t k = 0; k < 60; k++) {
        CHECK_OK(opevo_i_tpe_parzen_observe(parzen, (5 * k + 1) % size, &err));
        if (k < 37)
            CHECK_OK(opevo_i_tpe_parzen_observe(other, (5 * k + 1) % size, &err));
    }
    opevo_i_tpe_parzen_forget(parzen, 37);
    assert_int_equal(opevo_i_tpe_parzen_count(parzen), 37);
    for (size_t k = 37; k < 90; k++) {
        CHECK_OK(opevo_i_tpe_parzen_observe(parzen, k % size, &err));
        CHECK_OK(opevo_i_tpe_parzen_observe(other, k % size, &err));
    }
    opevo_i_tpe_parzen_fit(parzen);
    opevo_i_tpe_parzen_fit(other);
    for (size_t v = 0; v < size; v++)
        assert_true(opevo_i_tpe_parzen_probability(parzen, OPEVO_I_PARZEN_ABOVE, v) ==
                    opevo_i_tpe_parzen_probability(other, OPEVO_I_PARZEN_ABOVE, v));
    opevo_i_tpe_parzen_destroy(parzen);
    opevo_i_tpe_parzen_destroy(other);
    opevo_parameter_destroy(parameter);
    opevo_parameter_destroy(same);
}

CHECK_TEST(test_forgets)
{
    check_forgets("discrete(1,2,4,8,16,32,64,128)");
    check_forgets("categorical(a,b,c,d,e)");
}

/* Tell what was asked: its height, or as failed. */
static void tell_all(opevo_tuner *tuner, const opevo_proposal *asked, size_t count, bool fails)
{
    for (size_t i = 0; i < count; i++) {
        opevo_trial trial = {.proposal = asked[i],
                             .outcome = opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT)};

        if (!fails)
            trial.outcome = (opevo_outcome){.kind = OPEVO_OUTCOME_OK,
                                            .fitness = 1 + (double)(asked[i].point % 97)};
        CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    }
}

/* Where allowed points are rare, candidates are drawn given that they are allowed. */
CHECK_TEST(test_rare_points)
{
    opevo_space *space = formula_space(
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]},"
        " \"b\": {\"_type\": \"factor\", \"_value\": [30030, 4]},"
        " \"c\": {\"_type\": \"factor\", \"_value\": [30030, 4]},"
        " \"_constraints\": [\"b[0] * c[1] == 1001 * 30 * a\"]}");
    opevo_tuner *tuner = tuner_make("tpe", space, NULL, 1);
    opevo_proposal asked[20];
    size_t count = 0;

    assert_non_null(opevo_space_draws_from(space));
    for (size_t made = 0; made < 200; made += count) {
        CHECK_OK(opevo_tuner_ask(tuner, asked, 20, &count, &err));
        for (size_t i = 0; i < count; i++) {
            assert_true(opevo_space_allows(space, asked[i].point));
            assert_string_equal(asked[i].origin, made + i < 20 ? "initial" : "model");
        }
        tell_all(tuner, asked, count, false);
    }
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* A batch is what a run would propose in which each point of the batch had failed: the lie is the
 * worst outcome. 8 more failures do not change the number of good observations, ceil(sqrt(20) / 4).
 */
CHECK_TEST(test_batch_lies)
{
    opevo_space *space = bowl_space();
    opevo_tuner *tuner = tuner_make("tpe", space, "batch=8", 4);
    opevo_tuner *single = tuner_make("tpe", space, NULL, 4);
    opevo_proposal first[30], batch[30], one;
    size_t count = 0;

    CHECK_OK(opevo_tuner_ask(single, first, 30, &count, &err));
    tell_all(single, first, count, false);
    CHECK_OK(opevo_tuner_ask(tuner, first, 30, &count, &err));
    assert_int_equal(count, 20);
    tell_all(tuner, first, count, false);
    CHECK_OK(opevo_tuner_ask(tuner, batch, 30, &count, &err));
    assert_int_equal(count, 8);
    for (size_t i = 0; i < 8; i++) {
        CHECK_OK(opevo_tuner_ask(single, &one, 1, &count, &err));
        assert_true(one.point == batch[i].point);
        tell_all(single, &one, 1, true);
    }
    opevo_tuner_destroy(tuner);
    opevo_tuner_destroy(single);
    opevo_space_destroy(space);
}
