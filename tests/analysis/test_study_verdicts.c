/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The analysis of studies of random search on toy landscapes: its means against its own formulas,
 * the same numbers on any number of threads, and how often verdicts are right and wrong. */

#include "analysed_runs.h"
#include "points.h"

#include <opevo/memory.h>
#include <opevo/random.h>

#include <gsl/gsl_cdf.h>

enum { POINTS = 300 };

static void make_landscape(double *fitness, double *cost_s, uint64_t index)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 21, "landscape", index);
    for (size_t i = 0; i < POINTS; i++) {
        fitness[i] = i % 5 ? 1 + 99 * pow(opevo_rng_unit(&rng), 4) : 0;
        cost_s[i] = 1 + opevo_rng_unit(&rng);
    }
}

/* Random search without replacement that looks at `picks` points in one trial and keeps the best:
 * a better tuner with the same course. */
static void search(const double *fitness, const double *cost_s, size_t trials, size_t picks,
                   uint64_t stream, opevo_analysed_run *run)
{
    size_t order[POINTS], at = 0;
    opevo_rng rng;

    opevo_rng_init(&rng, 33, "search", stream);
    for (size_t i = 0; i < POINTS; i++)
        order[i] = i;
    for (size_t t = 0; t < trials; t++) {
        double best = 0, spent = 0;

        for (size_t k = 0; k < picks; k++, at++) {
            size_t j = at + (size_t)opevo_rng_below(&rng, POINTS - at);
            size_t held = order[at];

            order[at] = order[j];
            order[j] = held;
            best = fmax(best, fitness[order[at]]);
            spent += cost_s[order[at]] / (double)picks;
        }
        add(run, best, spent);
    }
}

static void check_random_target(const opevo_study_target *seen, const opevo_study_target *expected)
{
    double error = sqrt(expected->hit * (1 - expected->hit) / (double)seen->runs);

    CHECK_CLOSE(seen->hit, expected->hit, 4.5 * error + 1e-12);
    CHECK_CLOSE(seen->ert, expected->ert, 4.5 / 3.9 * (seen->interval.high - seen->interval.low));
    assert_true(seen->interval.low < seen->ert && seen->ert < seen->interval.high);
}

/* Means over time against means by hand, and the baseline where its approximation holds. */
static void check_moments(const opevo_study_analysis *analysis, const opevo_analysed_run *runs,
                          size_t count)
{
    const opevo_study_cell *cell = opevo_study_cell_of(analysis, 0, 0);
    const opevo_study_cell *random = &analysis->places[0].random;

    for (size_t i = 0; i < analysis->places[0].moment_count; i++) {
        const opevo_study_moment *seen = &cell->moments[i];
        double by_hand = 0;

        for (size_t r = 0; r < count; r++)
            by_hand += opevo_run_curve_best_by(&runs[r].curve, seen->seconds) /
                       analysis->places[0].optimum / (double)count;
        CHECK_CLOSE(seen->mean, by_hand, 1e-12);
        if (seen->seconds > 10) /* the approximation of the baseline: five trials or more */
            CHECK_CLOSE(seen->mean, random->moments[i].mean,
                        4.5 / 3.9 * (seen->interval.high - seen->interval.low) + 0.01);
    }
}

/* 800 runs of random search agree with the formulas in every statistic, within 4.5 standard errors;
 * and so does the score over time, whose baseline turns seconds into trials at the mean cost. */
CHECK_TEST(test_random_search)
{
    enum { RUNS = 800, TRIALS = 60 };
    static const uint64_t checkpoints[] = {10, 30, 60};
    double fitness[POINTS], cost_s[POINTS], width = 0;
    opevo_analysed_run *runs = opevo_calloc(RUNS, sizeof *runs);
    opevo_fitness_table table;
    opevo_study_landscape toy = {"toy", "1/s", NAN, &table};
    opevo_analysed_study study = {.landscapes = &toy,
                                  .contenders = two_names,
                                  .runs = runs,
                                  .landscape_count = 1,
                                  .contender_count = 1,
                                  .run_count = RUNS};
    opevo_analysis_options options = small_options();
    opevo_study_analysis *analysis = NULL;
    const opevo_study_cell *cell = NULL, *random = NULL;

    options.checkpoints = checkpoints;
    options.checkpoint_count = 3;
    make_landscape(fitness, cost_s, 0);
    CHECK_OK(opevo_fitness_table_create(fitness, cost_s, POINTS, &table, &err));
    for (size_t i = 0; i < RUNS; i++) {
        runs[i] = (opevo_analysed_run){.seed = i, .end = OPEVO_RUN_TRIALS};
        search(fitness, cost_s, TRIALS, 1, i, &runs[i]);
    }
    CHECK_OK(opevo_study_analyse(&study, &options, &analysis, &err));
    cell = opevo_study_cell_of(analysis, 0, 0);
    random = &analysis->places[0].random;
    for (size_t i = 0; i < analysis->places[0].grid_count; i++) {
        const opevo_study_point *seen = &cell->points[i], *expected = &random->points[i];

        CHECK_CLOSE(seen->mean, expected->mean, 4.5 * expected->sd / sqrt(RUNS));
        CHECK_CLOSE(seen->sd / expected->sd, 1, 0.15);
        CHECK_CLOSE(seen->within_5, expected->within_5,
                    4.5 * sqrt(expected->within_5 * (1 - expected->within_5) / RUNS) + 1e-12);
        width = seen->score_interval.high - seen->score_interval.low; /* 3.9 standard errors */
        CHECK_CLOSE(seen->score, 0, 4.5 / 3.9 * width);
    }
    for (size_t i = 0; i < 2; i++)
        check_random_target(&cell->targets[i], &random->targets[i]);
    check_moments(analysis, runs, RUNS);
    width = cell->ecdf_area_interval.high - cell->ecdf_area_interval.low;
    CHECK_CLOSE(cell->ecdf_area, random->ecdf_area, 4.5 / 3.9 * width);
    width = cell->by_trials.exact_interval.high - cell->by_trials.exact_interval.low;
    CHECK_CLOSE(cell->by_trials.exact, 0, 4.5 / 3.9 * width);
    width = cell->by_time.exact_interval.high - cell->by_time.exact_interval.low;
    CHECK_CLOSE(cell->by_time.exact, 0, 4.5 / 3.9 * width);
    opevo_study_analysis_destroy(analysis);
    free_runs(runs, RUNS);
    opevo_free(runs);
    opevo_fitness_table_free(&table);
}

/* ---- Whole studies ---- */

enum { PLACES = 3, PAIRS = 20, STUDY_RUNS = 2 * PLACES * PAIRS };

typedef struct toy_study {
    double fitness[PLACES][POINTS], cost_s[PLACES][POINTS];
    opevo_fitness_table table[PLACES];
    opevo_study_landscape landscape[PLACES];
    opevo_analysed_run runs[STUDY_RUNS];
    opevo_analysed_study study;
} toy_study;

static void make_study(toy_study *self)
{
    static const char *const names[] = {"x", "y", "z"};

    for (size_t l = 0; l < PLACES; l++) {
        make_landscape(self->fitness[l], self->cost_s[l], l);
        CHECK_OK(opevo_fitness_table_create(self->fitness[l], self->cost_s[l], POINTS,
                                            &self->table[l], &err));
        self->landscape[l] = (opevo_study_landscape){names[l], "1/s", NAN, &self->table[l]};
    }
    self->study = (opevo_analysed_study){.landscapes = self->landscape,
                                         .contenders = two_names,
                                         .runs = self->runs,
                                         .landscape_count = PLACES,
                                         .contender_count = 2,
                                         .run_count = STUDY_RUNS};
}

/* Runs of both contenders, each of its own stream; `picks` makes the second one better. */
static void fill_study(toy_study *self, uint64_t number, size_t picks)
{
    for (size_t i = 0; i < STUDY_RUNS; i++) {
        size_t landscape = i / (2 * PAIRS), contender = i / PAIRS % 2;

        self->runs[i] = (opevo_analysed_run){.landscape = landscape,
                                             .contender = contender,
                                             .seed = i % PAIRS,
                                             .end = OPEVO_RUN_TRIALS};
        search(self->fitness[landscape], self->cost_s[landscape], 8, contender ? picks : 1,
               number * STUDY_RUNS + i, &self->runs[i]);
    }
}

static void free_study(toy_study *self)
{
    for (size_t l = 0; l < PLACES; l++)
        opevo_fitness_table_free(&self->table[l]);
}

/* Exactly the same numbers on any number of threads. */
CHECK_TEST(test_threads)
{
    static toy_study self;
    opevo_analysis_options options = small_options();
    opevo_study_analysis *one = NULL, *three = NULL;

    make_study(&self);
    fill_study(&self, 7, 2);
    CHECK_OK(opevo_study_analyse(&self.study, &options, &one, &err));
    options.threads = 3;
    CHECK_OK(opevo_study_analyse(&self.study, &options, &three, &err));
    for (size_t i = 0; i < 2 * PLACES; i++) {
        size_t count = one->places[i / 2].grid_count;

        assert_memory_equal(one->cells[i].points, three->cells[i].points,
                            count * sizeof *one->cells[i].points);
        assert_memory_equal(one->cells[i].targets, three->cells[i].targets,
                            2 * sizeof *one->cells[i].targets);
        CHECK_CLOSE(one->cells[i].by_time.exact_interval.low,
                    three->cells[i].by_time.exact_interval.low, 0);
    }
    for (size_t i = 0; i < PLACES; i++) {
        CHECK_CLOSE(one->pairs[i].interval.low, three->pairs[i].interval.low, 0);
        CHECK_CLOSE(one->pairs[i].p_adjusted, three->pairs[i].p_adjusted, 0);
    }
    assert_int_equal(one->overall.blocks, PLACES);
    CHECK_CLOSE(one->overall.interval[1].high, three->overall.interval[1].high, 0);
    opevo_study_analysis_destroy(one);
    opevo_study_analysis_destroy(three);
    free_runs(self.runs, STUDY_RUNS);
    free_study(&self);
}

/* Hundreds of studies of a tuner against itself on three landscapes: the share of studies with any
 * verdict but "not resolved" stays below alpha, up to what chance allows once in 10^4. */
CHECK_TEST(test_false_alarms)
{
    static toy_study self;
    opevo_analysis_options options = small_options();
    unsigned studies = (unsigned)test_size(300, 1000), alarms = 0, bound = 0;

    options.resamples = 100;
    make_study(&self);
    for (size_t l = 0; l < PLACES; l++) {
        self.landscape[l].table = NULL; /* verdicts do not need it */
        self.landscape[l].optimum = self.table[l].fitness[0];
    }
    for (uint64_t s = 0; s < studies; s++) {
        opevo_study_analysis *analysis = NULL;
        bool alarm = false;

        fill_study(&self, s, 1);
        CHECK_OK(opevo_study_analyse(&self.study, &options, &analysis, &err));
        for (size_t i = 0; i < analysis->pair_count; i++)
            alarm = alarm || analysis->pairs[i].verdict != OPEVO_VERDICT_UNRESOLVED;
        alarms += alarm;
        opevo_study_analysis_destroy(analysis);
        free_runs(self.runs, STUDY_RUNS);
    }
    while (gsl_cdf_binomial_Q(bound, options.alpha, studies) > 1e-4)
        bound++;
    assert_true(alarms <= bound);
    assert_true(100 * alarms >
                studies); /* and the test is not merely silent: its size is near alpha */
    free_study(&self);
}

/* ---- A/A ---- */

/* Twins of the first contender that look at `picks` points a trial, in the second half of the runs.
 */
static void fill_twins(toy_study *self, uint64_t number, size_t picks)
{
    size_t own = 0, twins = 0;

    fill_study(self, number, picks);
    for (size_t i = 0; i < STUDY_RUNS; i++) {
        opevo_analysed_run held = self->runs[i];

        if (held.contender)
            continue;
        self->runs[i] = self->runs[own]; /* a twin that stands before it */
        self->runs[own++] = held;
    }
    for (twins = own; twins < STUDY_RUNS; twins++)
        self->runs[twins].contender = 0;
    self->study.contender_count = 1;
    self->study.run_count = own;
    self->study.twins = self->runs + own;
    self->study.twin_count = STUDY_RUNS - own;
}

/* The number of false verdicts is that of p <= alpha, counted by hand; over all studies its rate is
 * at most alpha, up to what chance allows once in 10^4, and the test is not silent. Twins that are
 * better are found, and said to be biased. */
CHECK_TEST(test_null)
{
    static toy_study self;
    opevo_analysis_options options = small_options();
    size_t studies = test_size(150, 400), verdicts = 0, bound = 0, biased = 0;

    options.resamples = 100;
    make_study(&self);
    for (uint64_t s = 0; s < studies; s++) {
        opevo_study_analysis *analysis = NULL;
        opevo_interval share;
        size_t by_hand = 0;

        fill_twins(&self, s, 1);
        CHECK_OK(opevo_study_analyse(&self.study, &options, &analysis, &err));
        for (size_t l = 0; l < PLACES; l++) {
            double own[PAIRS], other[PAIRS];
            opevo_signed_rank test;

            for (size_t i = 0; i < STUDY_RUNS; i++) {
                const opevo_analysed_run *run = &self.runs[i];

                if (run->landscape == l)
                    (i < self.study.run_count ? own : other)[run->seed] =
                        opevo_run_curve_best(&run->curve, 8) / analysis->places[l].optimum;
            }
            CHECK_OK(opevo_signed_rank_test_of_pairs(own, other, PAIRS, &test, &err));
            by_hand += test.p <= 0.05;
        }
        assert_int_equal(analysis->pair_count, 0);
        assert_int_equal(analysis->null.pairs, PLACES);
        assert_int_equal(analysis->null.verdicts, by_hand);
        share = opevo_share_interval(by_hand, PLACES, 0.95);
        CHECK_CLOSE(analysis->null.interval.high, share.high, 0);
        verdicts += by_hand;
        opevo_study_analysis_destroy(analysis);
        free_runs(self.runs, STUDY_RUNS);
    }
    while (gsl_cdf_binomial_Q((unsigned)bound, options.alpha, (unsigned)(PLACES * studies)) > 1e-4)
        bound++;
    assert_true(verdicts <= bound && 20 * verdicts > studies);
    for (uint64_t s = 0; s < 10; s++) {
        opevo_study_analysis *analysis = NULL;

        fill_twins(&self, s, 8);
        CHECK_OK(opevo_study_analyse(&self.study, &options, &analysis, &err));
        biased += analysis->null.is_biased;
        opevo_study_analysis_destroy(analysis);
        free_runs(self.runs, STUDY_RUNS);
    }
    assert_int_equal(biased, 10);
    free_study(&self);
}

/* ---- A planted difference ---- */

/* Difference of the best after 8 trials, one run each. */
static double one_difference(const double *fitness, const double *cost_s, uint64_t stream)
{
    opevo_analysed_run a = {.seed = 0}, b = {.seed = 0};
    double difference = 0;

    search(fitness, cost_s, 8, 2, 2 * stream, &a);
    search(fitness, cost_s, 8, 1, 2 * stream + 1, &b);
    difference = opevo_run_curve_best(&a.curve, 8) - opevo_run_curve_best(&b.curve, 8);
    opevo_run_curve_free(&a.curve);
    opevo_run_curve_free(&b.curve);
    return difference;
}

/* Two picks a trial against one. The share of ranks is measured on 4,000 pairs; the number of pairs
 * that the formula then names for a power of .8 finds the difference, with the right sign, in .8 of
 * 400 studies, up to 4.5 standard errors and the .03 by which the normal formula may err. */
CHECK_TEST(test_planted_difference)
{
    enum { LARGE = 4000, STUDIES = 400 };
    static double difference[LARGE];
    double fitness[POINTS], cost_s[POINTS], needed = 0;
    opevo_signed_rank test;
    size_t found = 0, wrong = 0, pairs = 0;

    make_landscape(fitness, cost_s, 0);
    for (size_t i = 0; i < LARGE; i++)
        difference[i] = one_difference(fitness, cost_s, 1000000 + i);
    CHECK_OK(opevo_signed_rank_test(difference, LARGE, &test, &err));
    needed = opevo_signed_rank_pairs(test.plus / (test.plus + test.minus), 0.05, 0.8);
    pairs = (size_t)ceil(needed);
    assert_true(pairs > 10 && pairs < 100);
    for (size_t s = 0; s < STUDIES; s++) {
        for (size_t i = 0; i < pairs; i++)
            difference[i] = one_difference(fitness, cost_s, 2000000 + s * pairs + i);
        CHECK_OK(opevo_signed_rank_test(difference, pairs, &test, &err));
        found += test.p <= 0.05 && test.rank_biserial > 0;
        wrong += test.p <= 0.05 && test.rank_biserial < 0;
    }
    CHECK_CLOSE((double)found / STUDIES, 0.8, 4.5 * sqrt(0.8 * 0.2 / STUDIES) + 0.03);
    assert_true(wrong <= 2);
}
