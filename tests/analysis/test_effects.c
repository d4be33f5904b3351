/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Effects of parameters: exact on additive results without noise, the model of confounded values
 * where margins mislead, and intervals that hold what made the data. */

#include "check.h"

#include <opevo/effects.h>
#include <opevo/random.h>

#include <math.h>
#include <string.h>

enum { A = 4, B = 3, C = 5 };
static const char text[] = "{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8]},"
                           " \"b\": {\"_type\": \"choice\", \"_value\": [\"x\", \"y\", \"z\"]},"
                           " \"c\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 5]}}";
static const double of_a[A] = {0.3, 0.1, -0.1, -0.3}, of_b[B] = {-1, 0, 1};

static opevo_space *make_space(void)
{
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse(text, "space", ".", &space, &err));
    return space;
}

static const opevo_effect *find(const opevo_effects *effects, const char *name)
{
    for (size_t i = 0; i < effects->count; i++) {
        if (!strcmp(effects->effects[i].name, name))
            return &effects->effects[i];
    }
    fail_msg("no effect of %s", name);
    return NULL;
}

static double truth(const opevo_index *vertices)
{
    return of_a[vertices[0]] + of_b[vertices[1]];
}

/* All points once: margins are the effects, c has none, and the model finds the same. */
CHECK_TEST(test_balanced)
{
    opevo_space *space = make_space();
    opevo_index points[A * B * C];
    double fitness[A * B * C];
    opevo_effects *effects = NULL;

    for (size_t i = 0; i < A * B * C; i++) {
        opevo_index vertices[3];

        points[i] = i;
        opevo_space_decode(space, i, vertices);
        fitness[i] = 50 * exp(truth(vertices));
    }
    CHECK_OK(opevo_effects_create(space, points, fitness, A * B * C, &effects, &err));
    assert_int_equal(effects->count, 3);
    assert_string_equal(effects->effects[0].name, "b");
    assert_string_equal(effects->effects[1].name, "a");
    assert_true(effects->explained > 0.99);
    for (size_t k = 0; k < B; k++) {
        const opevo_effect_level *level = &find(effects, "b")->levels[k];

        assert_int_equal(level->trials, A * C);
        CHECK_CLOSE(level->mean, of_b[k], 1e-12);
        CHECK_CLOSE(level->model, of_b[k], 0.02);
        CHECK_CLOSE(level->best, 50 * exp(of_b[k] + of_a[0]), 1e-9);
    }
    for (size_t k = 0; k < C; k++)
        CHECK_CLOSE(find(effects, "c")->levels[k].model, 0, 1e-9);
    /* Shares of the variance: 2/3 of b, .05 of a. */
    CHECK_CLOSE(find(effects, "b")->importance, (2.0 / 3) / (2.0 / 3 + 0.05), 0.02);
    CHECK_CLOSE(find(effects, "c")->importance, 0, 1e-9);
    opevo_effects_destroy(effects);
    opevo_space_destroy(space);
}

/* The value 1 of a, the best one, is tried with x, the worst of b, most of the time: its margin is
 * below that of 8, and the model still finds it better. */
CHECK_TEST(test_confounded)
{
    opevo_space *space = make_space();
    opevo_index points[200];
    double fitness[200];
    opevo_effects *effects = NULL;
    const opevo_effect *of = NULL;
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    for (size_t i = 0; i < 200; i++) {
        opevo_index vertices[3] = {opevo_rng_below(&rng, A), opevo_rng_below(&rng, B),
                                   opevo_rng_below(&rng, C)};

        if (vertices[0] == 0 && opevo_rng_unit(&rng) < 0.9)
            vertices[1] = 0;
        if (vertices[0] == 3 && opevo_rng_unit(&rng) < 0.9)
            vertices[1] = 2;
        points[i] = opevo_space_encode(space, vertices);
        fitness[i] = exp(truth(vertices) + 0.05 * (opevo_rng_unit(&rng) - 0.5));
    }
    CHECK_OK(opevo_effects_create(space, points, fitness, 200, &effects, &err));
    of = find(effects, "a");
    assert_true(of->levels[0].mean_high < of->levels[3].mean_low);
    assert_true(of->levels[0].model_low > of->levels[3].model_high);
    CHECK_CLOSE(of->levels[0].model - of->levels[3].model, of_a[0] - of_a[3], 0.05);
    opevo_effects_destroy(effects);
    opevo_space_destroy(space);
}

/* Normal noise of sd .3, 60 random trials, 200 times: 95 % intervals of differences from the mean
 * over the trials hold them in 90 to 99 % of 2400 cases. */
CHECK_TEST(test_intervals)
{
    enum { RUNS = 200, TRIALS = 60 };
    opevo_space *space = make_space();
    size_t held = 0, asked = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 2, "test", 0);
    for (size_t r = 0; r < RUNS; r++) {
        opevo_index points[TRIALS];
        double fitness[TRIALS], mean = 0;
        opevo_effects *effects = NULL;

        for (size_t i = 0; i < TRIALS; i++) {
            opevo_index vertices[3] = {opevo_rng_below(&rng, A), opevo_rng_below(&rng, B),
                                       opevo_rng_below(&rng, C)};
            double noise = sqrt(-2 * log(1 - opevo_rng_unit(&rng))) *
                           cos(6.283185307179586 * opevo_rng_unit(&rng));

            points[i] = opevo_space_encode(space, vertices);
            fitness[i] = exp(truth(vertices) + 0.3 * noise);
            mean += of_b[vertices[1]] / TRIALS;
        }
        CHECK_OK(opevo_effects_create(space, points, fitness, TRIALS, &effects, &err));
        for (size_t k = 0; k < B; k++) {
            const opevo_effect_level *level = &find(effects, "b")->levels[k];

            held += level->model_low <= of_b[k] - mean && of_b[k] - mean <= level->model_high;
            asked++;
        }
        opevo_effects_destroy(effects);
    }
    assert_true((double)held / (double)asked > 0.9 && (double)held / (double)asked < 0.99);
    opevo_space_destroy(space);
}

/* Nothing to model: few trials, equal results, one value; many values in groups. */
CHECK_TEST(test_edges)
{
    opevo_space *space = make_space(), *wide = NULL;
    opevo_index points[700];
    double fitness[700];
    opevo_effects *effects = NULL;
    opevo_text list = {0};
    size_t trials = 0;

    CHECK_OK(opevo_effects_create(space, points, fitness, 0, &effects, &err));
    assert_int_equal(effects->count, 0);
    opevo_effects_destroy(effects);
    for (size_t i = 0; i < 60; i++) {
        points[i] = i;
        fitness[i] = 3;
    }
    CHECK_OK(opevo_effects_create(space, points, fitness, 60, &effects, &err));
    assert_int_equal(effects->count, 3);
    assert_true(isnan(effects->explained) && isnan(effects->effects[0].importance));
    CHECK_CLOSE(effects->effects[0].levels[0].mean, 0, 1e-12);
    opevo_effects_destroy(effects);

    opevo_text_add(&list, "{\"w\": {\"_type\": \"discrete\", \"_value\": [0");
    for (int i = 1; i < 700; i++)
        opevo_text_printf(&list, ", %d", i);
    opevo_text_add(&list, "]}}");
    CHECK_OK(opevo_space_parse(opevo_text_string(&list), "wide", ".", &wide, &err));
    for (size_t i = 0; i < 700; i++) {
        points[i] = i;
        fitness[i] = 1 + (double)i;
    }
    CHECK_OK(opevo_effects_create(wide, points, fitness, 700, &effects, &err));
    assert_int_equal(effects->trials, OPEVO_EFFECTS_TRIALS);
    assert_int_equal(effects->effects[0].level_count, 16);
    for (size_t k = 0; k < 16; k++)
        trials += effects->effects[0].levels[k].trials;
    assert_int_equal(trials, OPEVO_EFFECTS_TRIALS);
    assert_true(strstr(effects->effects[0].levels[0].label, "0 to "));
    opevo_effects_destroy(effects);
    opevo_text_free(&list);
    opevo_space_destroy(wide);
    opevo_space_destroy(space);
}
