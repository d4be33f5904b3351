/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tuner qgp on landscapes given by formulas. What every tuner has to do is in
 * test_tuner_contract. */

#include "tuner_fixture.h"

#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <opevo/memory.h>

/* ---- Landscapes ---- */

/* Fitness of a point of a space; 0 is a failure. */
typedef double (*landscape)(const opevo_space *space, opevo_index point);

/* 45 * 8 * 6 = 2160 points. */
static const char toy_space[] =
    "{\"a\": {\"_type\": \"factor\", \"_value\": [256, 3]}, \"b\": {\"_type\": \"discrete\","
    " \"_value\": [3, 5, 6, 7, 9, 10, 11, 12]}, \"c\": {\"_type\": \"choice\","
    " \"_value\": [0, 1, 2, 3, 4, 5]}}";

static double component(const opevo_space *space, opevo_index point, size_t parameter, size_t k)
{
    opevo_index vertices[8];
    opevo_value values[8];

    opevo_space_decode(space, point, vertices);
    opevo_parameter_value(opevo_space_parameter(space, parameter), vertices[parameter], values);
    return (double)values[k].as.integer;
}

/* One summit at a = (4, 16, 4), b = 7, c = 3; c = 2 comes next, and the other values are alike. */
static double summit(const opevo_space *space, opevo_index point)
{
    double x = log2(component(space, point, 0, 0)) - 2;
    double y = log2(component(space, point, 0, 1)) - 4;
    double b = component(space, point, 1, 0) - 7;
    double c = component(space, point, 2, 0);
    double gain = c == 3 ? 1 : 0.6;

    gain = c == 2 ? 0.8 : gain;
    return 100 * gain * exp(-0.12 * (x * x + y * y + x * y)) / (1 + 0.05 * b * b);
}

/* The same where less than a fifth of the points run: those of two values of c and a small first
 * component. */
static double mostly_failing(const opevo_space *space, opevo_index point)
{
    double c = component(space, point, 2, 0);
    double first = component(space, point, 0, 0);

    return (c == 3 || c == 5) && first <= 4 ? summit(space, point) : 0;
}

/* Over 600 orders of magnitude. */
static double extreme(const opevo_space *space, opevo_index point)
{
    double relative = log(summit(space, point) / 100); /* 0 to about -8 */

    return exp(690 + 160 * fmax(relative, -8.6));
}

/* ---- Runs ---- */

/* One at a time; all points of a run are different and allowed. */
static void run(const opevo_space *space, landscape fitness, const char *changes, uint64_t seed,
                size_t trials, opevo_index *points, double *values)
{
    opevo_tuner *tuner = tuner_make("qgp", space, changes, seed);

    for (size_t i = 0; i < trials; i++) {
        opevo_proposal proposal;
        opevo_trial trial;
        size_t count = 0;

        CHECK_OK(opevo_tuner_ask(tuner, &proposal, 1, &count, &err));
        assert_int_equal(count, 1);
        assert_true(opevo_space_allows(space, proposal.point));
        for (size_t j = 0; j < i; j++)
            assert_true(points[j] != proposal.point);
        points[i] = proposal.point;
        values[i] = fitness(space, proposal.point);
        trial = (opevo_trial){.proposal = proposal};
        if (!(values[i] > 0))
            trial.outcome = opevo_outcome_failed((opevo_outcome_class)1);
        trial.outcome.fitness = values[i];
        CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    }
    opevo_tuner_destroy(tuner);
}

static double best_of(const double *values, size_t count)
{
    double best = 0;

    for (size_t i = 0; i < count; i++)
        best = fmax(best, values[i]);
    return best;
}

static double best_of_space(const opevo_space *space, landscape fitness)
{
    double best = 0;

    for (opevo_index point = 0; point < opevo_space_size(space); point++)
        best = fmax(best, fitness(space, point));
    return best;
}

/* ---- Tests ---- */

/* A point of 2160 within 60 trials: random search has a chance of 0.028, five times of 1.6e-8. */
CHECK_TEST(test_finds_the_summit)
{
    opevo_space *space = formula_space(toy_space);
    opevo_index points[60];
    double values[60];

    for (uint64_t seed = 1; seed <= 5; seed++) {
        run(space, summit, "", seed, 60, points, values);
        assert_true(best_of(values, 60) == best_of_space(space, summit));
    }
    opevo_space_destroy(space);
}

/* The chance of random search, which does not repeat itself,
 * to find in `trials` at least `value`. */
static double chance_of_random(const opevo_space *space, landscape fitness, double value,
                               size_t trials)
{
    double size = (double)opevo_space_size(space);
    double worse = 0;
    double none = 1;

    for (opevo_index point = 0; point < opevo_space_size(space); point++)
        worse += fitness(space, point) < value;
    for (size_t i = 0; i < trials; i++)
        none *= fmax(worse - (double)i, 0) / (size - (double)i);
    return 1 - none;
}

/* Fisher's test: were qgp no better than random search, each chance u would be above any x with
 * probability at least 1 - x, and - 2 sum log u at most chi-square of two degrees a seed. */
CHECK_TEST(test_better_than_random)
{
    enum { SEEDS = 16, TRIALS = 30 };
    opevo_space *space = formula_space(toy_space);
    opevo_index points[TRIALS];
    double values[TRIALS];
    double statistic = 0;

    for (uint64_t seed = 11; seed < 11 + SEEDS; seed++) {
        run(space, summit, "", seed, TRIALS, points, values);
        statistic -= 2 * log(chance_of_random(space, summit, best_of(values, TRIALS), TRIALS));
    }
    if (gsl_cdf_chisq_Q(statistic, 2 * SEEDS) > 1e-6)
        fail_msg("Fisher's statistic is %g", statistic);
    opevo_space_destroy(space);
}

/* Three branches of 45 * 8, 5 * 3 and 45 * 6 points, times 4. */
static const char branched_space[] =
    "{\"op\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"tiled\", \"a\": {\"_type\":"
    " \"factor\", \"_value\": [256, 3]}, \"b\": {\"_type\": \"discrete\", \"_value\": [3, 5, 6,"
    " 7, 9, 10, 11, 12]}}, {\"_name\": \"flat\", \"d\": {\"_type\": \"discrete\", \"_value\": [1, "
    "2,"
    " 4, 8, 16]}, \"e\": {\"_type\": \"choice\", \"_value\": [0, 1, 2]}}, {\"_name\": \"fused\","
    " \"f\": {\"_type\": \"factor\", \"_value\": [256, 3]}, \"g\": {\"_type\": \"permutation\","
    " \"_value\": 3}}]}, \"u\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3]}}";

/* A summit in the first branch, a lower one in the last; the second is flat, and u matters in all.
 */
static double of_branches(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[8];
    double u = component(space, point, 7, 0) - 2;
    double height = 40;

    opevo_space_decode(space, point, vertices);
    if (vertices[0] != 1) {
        size_t split = vertices[0] == 0 ? 1 : 5;
        double x = log2(component(space, point, split, 0)) - 2;
        double y = log2(component(space, point, split, 1)) - 4;

        height = (split == 1 ? 100 : 80) * exp(-0.12 * (x * x + y * y + x * y));
    }
    if (vertices[0] == 0)
        height /= 1 + 0.05 * pow(component(space, point, 2, 0) - 7, 2);
    return height / (1 + 0.1 * u * u);
}

/* As test_better_than_random. */
CHECK_TEST(test_branches)
{
    enum { SEEDS = 12, TRIALS = 40 };
    opevo_space *space = formula_space(branched_space);
    opevo_index points[TRIALS];
    double values[TRIALS];
    double statistic = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(space, of_branches, "", seed, TRIALS, points, values);
        statistic -= 2 * log(chance_of_random(space, of_branches, best_of(values, TRIALS), TRIALS));
    }
    if (gsl_cdf_chisq_Q(statistic, 2 * SEEDS) > 1e-6)
        fail_msg("Fisher's statistic is %g", statistic);
    opevo_space_destroy(space);
}

/* More than four of five points fail: more trials succeed than uniform points would, and the best
 * of them is better. */
CHECK_TEST(test_learns_what_fails)
{
    enum { SEEDS = 8, TRIALS = 40 };
    opevo_space *space = formula_space(toy_space);
    double failing = 0;
    double statistic = 0;
    unsigned failed = 0;
    opevo_index points[TRIALS];
    double values[TRIALS];

    for (opevo_index point = 0; point < opevo_space_size(space); point++)
        failing += mostly_failing(space, point) == 0;
    failing /= (double)opevo_space_size(space);
    assert_true(failing > 0.8);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        run(space, mostly_failing, "", seed, TRIALS, points, values);
        for (size_t i = 0; i < TRIALS; i++)
            failed += values[i] == 0;
        statistic -=
            2 * log(chance_of_random(space, mostly_failing, best_of(values, TRIALS), TRIALS));
    }
    if (gsl_cdf_binomial_P(failed, failing, SEEDS * TRIALS) > 1e-6)
        fail_msg("%u of %d fail", failed, SEEDS * TRIALS);
    if (gsl_cdf_chisq_Q(statistic, 2 * SEEDS) > 1e-4)
        fail_msg("Fisher's statistic is %g", statistic);
    opevo_space_destroy(space);
}

/* The model sees fitness over the best only, so scale is nothing; and no ratio breaks it. */
static double scaled_up(const opevo_space *space, opevo_index point)
{
    return summit(space, point) * 0x1p+900;
}

static double scaled_down(const opevo_space *space, opevo_index point)
{
    return summit(space, point) * 0x1p-900;
}

CHECK_TEST(test_scale_of_fitness)
{
    static const landscape scaled[] = {scaled_up, scaled_down};
    enum { TRIALS = 40 };
    opevo_space *space = formula_space(toy_space);
    opevo_index points[TRIALS], others[TRIALS];
    double values[TRIALS];

    run(space, summit, "", 3, TRIALS, points, values);
    for (size_t i = 0; i < 2; i++) {
        run(space, scaled[i], "", 3, TRIALS, others, values);
        assert_memory_equal(points, others, sizeof points);
    }
    run(space, extreme, "", 3, TRIALS, others, values);
    run(space, extreme, "offset=1e-6 batch=3", 4, TRIALS, others, values);
    opevo_space_destroy(space);
}

/* The same in a space too large to be listed, where parents are drawn by fitness. */
static double huge_extremes(const opevo_space *space, opevo_index point)
{
    static const double values[] = {1.7e308, 1e-300, 5e-324, 1.6e308, 0, 1e300, 1};

    return values[opevo_hash_mix((uint64_t)point) % 7];
}

CHECK_TEST(test_extremes_with_a_pool)
{
    enum { TRIALS = 25 };
    opevo_space *space =
        formula_space("{\"a\": {\"_type\": \"factor\", \"_value\": [1024, 4]}, \"b\": {\"_type\":"
                      " \"factor\", \"_value\": [4096, 5]}, \"c\": {\"_type\": \"discrete\","
                      " \"_value\": [1, 2, 3, 4, 5, 6, 7, 8]}}");
    opevo_index points[TRIALS];
    double values[TRIALS];

    run(space, huge_extremes, "samples=1", 1, TRIALS, points, values);
    opevo_space_destroy(space);
}

/* A batch is handed out without an outcome, and is of different points, every fourth of them the
 * close model's. */
CHECK_TEST(test_batches)
{
    enum { BATCH = 16 };
    opevo_space *space = formula_space(toy_space);
    opevo_tuner *tuner = tuner_make("qgp", space, "batch=16 initial=16", 5);
    double best = 0;

    for (size_t round = 0; round < 8; round++) {
        opevo_proposal proposals[BATCH + 1];
        opevo_trial trials[BATCH];
        size_t count = 0;

        CHECK_OK(opevo_tuner_ask(tuner, proposals, BATCH + 1, &count, &err));
        assert_int_equal(count, BATCH);
        for (size_t i = 0; i < BATCH; i++) {
            for (size_t j = 0; j < i; j++)
                assert_true(proposals[j].point != proposals[i].point);
            assert_string_equal(proposals[i].origin, round == 0   ? "uniform"
                                                     : i % 4 == 1 ? "close"
                                                                  : "improvement");
            trials[i] = (opevo_trial){.proposal = proposals[i]};
            trials[i].outcome.fitness = summit(space, proposals[i].point);
            best = fmax(best, trials[i].outcome.fitness);
        }
        CHECK_OK(opevo_tuner_tell(tuner, trials, BATCH, &err));
    }
    assert_true(best == best_of_space(space, summit));
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

CHECK_TEST(test_equal_seeds)
{
    enum { TRIALS = 30 };
    opevo_space *space = formula_space(toy_space);
    opevo_index first[TRIALS], again[TRIALS];
    double values[TRIALS];

    run(space, mostly_failing, "samples=2", 9, TRIALS, first, values);
    run(space, mostly_failing, "samples=2", 9, TRIALS, again, values);
    assert_memory_equal(first, again, sizeof first);
    run(space, mostly_failing, "samples=2", 10, TRIALS, again, values);
    assert_memory_not_equal(first, again, sizeof first);
    opevo_space_destroy(space);
}

/* ---- Earlier runs ---- */

enum { EARLIER = 80 };

/* The trials of a search on another landscape, numbered from 1. */
static void make_earlier(const opevo_space *space, landscape fitness, uint64_t seed,
                         opevo_trial *trials)
{
    opevo_index points[EARLIER];
    double values[EARLIER];

    run(space, fitness, "", seed, EARLIER, points, values);
    for (size_t i = 0; i < EARLIER; i++) {
        trials[i] = (opevo_trial){.number = i + 1, .proposal = {.point = points[i]}};
        if (!(values[i] > 0))
            trials[i].outcome = opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT);
        trials[i].outcome.fitness = values[i];
    }
}

/* As run, of a tuner that learned; the number of the trial that reached the best of the space, one
 * more than there are where none did. */
static size_t run_after(const opevo_space *space, landscape fitness, const opevo_trial *earlier,
                        size_t count, uint64_t seed, size_t trials, opevo_proposal *proposals)
{
    opevo_tuner *tuner = tuner_make("qgp", space, "", seed);
    double best = best_of_space(space, fitness);
    size_t reached = trials + 1;

    CHECK_OK(opevo_tuner_learn(tuner, earlier, count, &err));
    for (size_t i = 0; i < trials; i++) {
        opevo_trial trial = {0};
        size_t got = 0;

        CHECK_OK(opevo_tuner_ask(tuner, &proposals[i], 1, &got, &err));
        assert_int_equal(got, 1);
        for (size_t j = 0; j < i; j++)
            assert_true(proposals[j].point != proposals[i].point);
        trial.proposal = proposals[i];
        trial.outcome.fitness = fitness(space, proposals[i].point);
        if (trial.outcome.fitness == best && reached > trials)
            reached = i + 1;
        CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    }
    opevo_tuner_destroy(tuner);
    return reached;
}

/* The summit in other units and elsewhere in b. */
static double moved_summit(const opevo_space *space, opevo_index point)
{
    double b = component(space, point, 1, 0);

    return 1e-5 * summit(space, point) * (1 + 0.05 * (b - 7) * (b - 7)) /
           (1 + 0.05 * (b - 10) * (b - 10));
}

/* The best is worst: what was learned misleads in every way. */
static double abyss(const opevo_space *space, opevo_index point)
{
    return 1 / summit(space, point);
}

/* It begins with the best of the earlier run, although that was in other units. Where only one
 * parameter differs it needs fewer trials than without, over all seeds;
 * and it finds the best after being misled. */
CHECK_TEST(test_earlier_runs)
{
    enum { TRIALS = 60, SEEDS = 8 };
    opevo_space *space = formula_space(toy_space);
    opevo_proposal proposals[TRIALS];
    opevo_trial earlier[EARLIER];
    size_t with = 0;
    size_t without = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        double best = 0;

        make_earlier(space, moved_summit, 100 + seed, earlier);
        for (size_t i = 0; i < EARLIER; i++)
            best = fmax(best, earlier[i].outcome.fitness);
        with += run_after(space, summit, earlier, EARLIER, seed, TRIALS, proposals);
        assert_true(moved_summit(space, proposals[0].point) == best);
        for (size_t i = 0; i < 5; i++)
            assert_string_equal(proposals[i].origin, "earlier");
        without += run_after(space, summit, NULL, 0, seed, TRIALS, proposals);
        assert_string_equal(proposals[0].origin, "uniform");
        make_earlier(space, abyss, 100 + seed, earlier);
        assert_true(run_after(space, summit, earlier, EARLIER, seed, TRIALS, proposals) <= TRIALS);
    }
    if (with >= without)
        fail_msg("%zu trials with earlier runs, %zu without", with, without);
    opevo_space_destroy(space);
}

/* Runs that failed everywhere, and everywhere where this one does not. */
CHECK_TEST(test_earlier_failures)
{
    opevo_space *space = formula_space(toy_space);
    opevo_proposal proposals[60];
    opevo_trial earlier[EARLIER];

    make_earlier(space, summit, 9, earlier);
    for (size_t i = 0; i < EARLIER; i++)
        earlier[i].outcome = opevo_outcome_failed(OPEVO_OUTCOME_TIMEOUT);
    run_after(space, summit, earlier, EARLIER, 1, 60, proposals);
    assert_string_equal(proposals[0].origin, "uniform");
    make_earlier(space, mostly_failing, 9, earlier);
    assert_true(run_after(space, summit, earlier, EARLIER, 1, 60, proposals) <= 60);
    opevo_space_destroy(space);
}

/* Fewer points than there are to begin with, and all of them known from before. */
CHECK_TEST(test_earlier_runs_of_a_tiny_space)
{
    opevo_space *space = formula_space("{\"b\": {\"_type\": \"choice\", \"_value\": [1, 2, 3]}}");
    opevo_trial earlier[6] = {0};
    opevo_tuner *tuner = tuner_make("qgp", space, "batch=4", 1);
    opevo_proposal proposals[8];
    size_t told = 0;
    size_t count = 0;

    for (size_t i = 0; i < 6; i++) {
        earlier[i] = (opevo_trial){.number = 1 + i % 3, .proposal = {.point = i % 3}};
        earlier[i].outcome.fitness = 1 + (double)i;
    }
    CHECK_OK(opevo_tuner_learn(tuner, earlier, 6, &err));
    do {
        CHECK_OK(opevo_tuner_ask(tuner, proposals, 8, &count, &err));
        for (size_t i = 0; i < count; i++) {
            opevo_trial trial = {.number = ++told, .proposal = proposals[i]};

            trial.outcome.fitness = 5;
            CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
        }
    } while (count > 0);
    assert_int_equal(told, 3);
    assert_non_null(tuner->reason);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

/* Nothing stays alive, whichever allocation of learning fails. */
CHECK_TEST(test_learning_without_memory)
{
    opevo_space *space = formula_space(toy_space);
    opevo_trial earlier[EARLIER];
    opevo_status status = OPEVO_NOMEM;
    int64_t live = 0;

    make_earlier(space, mostly_failing, 3, earlier);
    live = opevo_memory_live();
    for (int64_t n = 1; status != OPEVO_OK; n += 7) {
        opevo_tuner *tuner = tuner_make("qgp", space, "", 1);

        assert_true(n < 100000);
        opevo_memory_fail_at(n);
        status = opevo_tuner_learn(tuner, earlier, EARLIER, NULL);
        opevo_memory_fail_at(0);
        opevo_tuner_destroy(tuner);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
    }
    opevo_space_destroy(space);
}

/* After an allocation that failed, asking or telling again goes on, and nothing is asked twice. */
static void check_goes_on(landscape fitness, size_t trials, const opevo_trial *earlier,
                          size_t earlier_count)
{
    opevo_space *space = formula_space(toy_space);
    opevo_tuner *tuner = tuner_make("qgp", space, "initial=3 samples=2 batch=2", 2);
    opevo_index points[100];
    size_t failures = 0;
    size_t got = 0;

    CHECK_OK(opevo_tuner_learn(tuner, earlier, earlier_count, &err));
    for (size_t k = 0; got < trials; k++) {
        opevo_proposal proposal;
        opevo_trial trial;
        size_t count = 0;

        assert_true(k < 100000);
        opevo_memory_fail_at(k % 3 == 0 ? 0 : (int64_t)(k % 13));
        if (opevo_tuner_ask(tuner, &proposal, 1, &count, NULL) != OPEVO_OK) {
            failures++;
            continue;
        }
        opevo_memory_fail_at(0);
        assert_int_equal(count, 1);
        for (size_t j = 0; j < got; j++)
            assert_true(points[j] != proposal.point);
        points[got++] = proposal.point;
        trial = (opevo_trial){.proposal = proposal};
        trial.outcome.fitness = fitness(space, proposal.point);
        CHECK_OK(opevo_tuner_tell(tuner, &trial, 1, &err));
    }
    opevo_memory_fail_at(0);
    assert_true(failures > 3);
    opevo_tuner_destroy(tuner);
    opevo_space_destroy(space);
}

CHECK_TEST(test_goes_on_without_memory)
{
    check_goes_on(mostly_failing, 40, NULL, 0);
}

/* Until what was learned is forgotten, which takes 64 successes, and beyond. */
CHECK_TEST(test_goes_on_with_earlier_runs)
{
    opevo_space *space = formula_space(toy_space);
    opevo_trial earlier[EARLIER];

    make_earlier(space, mostly_failing, 3, earlier);
    check_goes_on(summit, 90, earlier, EARLIER);
    opevo_space_destroy(space);
}
