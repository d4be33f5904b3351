/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The analysis of a study: a small one by hand, random search against its own formulas, and how
 * often verdicts are right and wrong. */

#include "check.h"

#include <opevo/memory.h>
#include <opevo/random.h>
#include <opevo/study_analysis.h>

#include <gsl/gsl_cdf.h>

static void add(opevo_analysed_run *run, double fitness, double cost_s)
{
    opevo_outcome outcome = opevo_outcome_failed(OPEVO_OUTCOME_CRASHED);

    if (fitness > 0) {
        outcome.kind = OPEVO_OUTCOME_OK;
        outcome.fitness = fitness;
    }
    outcome.run_s = cost_s;
    CHECK_OK(opevo_run_curve_add(&run->curve, &outcome, &err));
}

static void free_runs(opevo_analysed_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        opevo_run_curve_free(&runs[i].curve);
}

static opevo_analysis_options small_options(void)
{
    static const uint64_t checkpoints[] = {2, 4};
    static const double targets[] = {0.5, 1};
    opevo_analysis_options options = opevo_analysis_options_default();

    options.checkpoints = checkpoints;
    options.checkpoint_count = 2;
    options.targets = targets;
    options.target_count = 2;
    options.resamples = 200;
    options.threads = 1;
    return options;
}

static const opevo_study_point *point_at(const opevo_study_analysis *analysis,
                                         const opevo_study_cell *cell, uint64_t trials)
{
    const opevo_study_place *place = &analysis->places[cell->landscape];

    for (size_t i = 0; i < place->grid_count; i++) {
        if (place->grid[i] == trials)
            return &cell->points[i];
    }
    fail_msg("no point at %llu trials", (unsigned long long)trials);
    return NULL;
}

/* ---- By hand ---- */

static const char *const two_names[] = {"a", "b"};

/* One landscape of the fitnesses 1, 2, 4, 8 and a failure; two contenders, seeds 1 to 3. Contender
 * a: 4 trials each; the second run finds the optimum at its third trial and ends there, the third
 * is interrupted after 2 trials. Contender b ends of itself after 1 trial in its first run. */
static void make_small(opevo_analysed_run *runs)
{
    static const double fitness[6][4] = {{1, 0, 4, 2}, {0, 2, 8, 0}, {2, 1, 0, 0},
                                         {4, 0, 0, 0}, {1, 1, 2, 4}, {0, 0, 1, 0}};
    static const size_t lengths[6] = {4, 3, 2, 1, 4, 4};
    static const opevo_run_end ends[6] = {OPEVO_RUN_TRIALS, OPEVO_RUN_OVER, OPEVO_RUN_OPEN,
                                          OPEVO_RUN_OVER,   OPEVO_RUN_OPEN, OPEVO_RUN_OPEN};

    for (size_t i = 0; i < 6; i++) {
        runs[i] = (opevo_analysed_run){.contender = i / 3, .seed = 1 + i % 3, .end = ends[i]};
        for (size_t t = 0; t < lengths[i]; t++)
            add(&runs[i], fitness[i][t], 1);
    }
}

static void check_small(const opevo_study_analysis *analysis)
{
    const opevo_study_place *place = &analysis->places[0];
    const opevo_study_cell *a = opevo_study_cell_of(analysis, 0, 0);
    const opevo_study_cell *b = opevo_study_cell_of(analysis, 0, 1);
    const opevo_study_point *point = point_at(analysis, a, 4);

    CHECK_CLOSE(place->optimum, 8, 0);
    assert_true(place->optimum_known);
    assert_int_equal(place->horizon, 4);
    assert_int_equal(place->compared_at, 4);
    assert_int_equal(a->open, 1);
    assert_int_equal(b->open, 0);
    assert_int_equal(a->trials, 9);
    assert_int_equal(a->failed, 2);
    assert_int_equal(point->runs, 2); /* 4 / 8 and 8 / 8, held */
    CHECK_CLOSE(point->mean, 0.75, 1e-15);
    CHECK_CLOSE(point->sd, sqrt(0.125), 1e-15);
    CHECK_CLOSE(point->worst, 0.5, 0);
    CHECK_CLOSE(point->within_5, 0.5, 0);
    CHECK_CLOSE(point->ecdf, 0.75, 0); /* .5 twice, 1 once, of four */
    point = point_at(analysis, a, 2);
    assert_int_equal(point->runs, 3);
    CHECK_CLOSE(point->mean, (1 + 2 + 2) / 24.0, 1e-15);
    point = point_at(analysis, b, 4);
    assert_int_equal(point->runs, 3);
    CHECK_CLOSE(point->mean, (4 + 4 + 1) / 24.0, 1e-15);
    /* Targets: a reaches 4 after 3 trials, after 3, not in 2; and 8 not in 4, after 3, not in 2. */
    CHECK_CLOSE(a->targets[0].ert, (3 + 3 + 2) / 2.0, 1e-15);
    CHECK_CLOSE(a->targets[1].ert, (4 + 3 + 2) / 1.0, 1e-15);
    CHECK_CLOSE(b->targets[0].ert, (1 + 4 + 4) / 2.0, 1e-15);
    assert_true(isinf(b->targets[1].ert));
    /* Areas over the runs known at the horizon: 1 - ln T / ln 4 for each target reached at T. */
    CHECK_CLOSE(a->ecdf_area, 3 * (1 - log(3) / log(4)) / 4, 1e-15);
    CHECK_CLOSE(b->ecdf_area, (1 + 0.0) / 6, 1e-15); /* at 1 and at 4 */
}

/* The score: random search's mean time is summed here over all sets of 4 of the 5 points. */
static void check_small_score(const opevo_study_analysis *analysis)
{
    const opevo_study_cell *a = opevo_study_cell_of(analysis, 0, 0);
    const opevo_study_point *point = point_at(analysis, a, 4);
    const opevo_study_point *random = point_at(analysis, &analysis->places[0].random, 4);
    double expected = (4 * 0.125 + 0.25) / 5; /* without the 8 the best is 4 */

    CHECK_CLOSE(point->score, (expected - (0.25 + 0.125) / 2) / (expected - 0.125), 1e-12);
    CHECK_CLOSE(random->mean, (4 * 8 + 4) / 40.0, 1e-12);
    CHECK_CLOSE(random->within_5, 0.8, 1e-12);
    CHECK_CLOSE(random->ecdf, (1 + 0.8) / 2, 1e-12);
}

/* Scores over the window of trials 1 to 2 (cut-offs .5 and 1), which at a second a trial is also that
 * of seconds. Mean times of random search: .575 after one trial, .325 after two; the community's
 * baseline: .25 and .125, the optimum, which is left out. Contender a: 1 and 1, then 1 and .5. */
static void check_small_windows(const opevo_study_analysis *analysis)
{
    const opevo_study_place *place = &analysis->places[0];
    const opevo_study_cell *a = opevo_study_cell_of(analysis, 0, 0);
    double first = (0.575 - 1) / (0.575 - 0.125), second = (0.325 - 0.75) / (0.325 - 0.125);
    double over_seconds = 0;

    assert_int_equal(place->trials_from, 1);
    assert_int_equal(place->trials_to, 2);
    CHECK_CLOSE(place->seconds_from, 1, 0);
    CHECK_CLOSE(place->seconds_to, 2, 0);
    assert_false(place->trials_cut || place->seconds_cut);
    assert_int_equal(a->by_trials.runs, 2);
    CHECK_CLOSE(a->by_trials.exact, (first + second) / 2, 1e-12);
    CHECK_CLOSE(a->by_trials.community, (0.25 - 1) / 0.125, 1e-12);
    /* Random search itself is far from 0 against that baseline. */
    CHECK_CLOSE(place->community_random_by_trials, (0.25 - 0.575) / 0.125, 1e-12);
    assert_true(opevo_community_is_degenerate(place->community_random_by_trials));
    assert_false(opevo_community_is_degenerate(0.9));
    assert_false(opevo_community_is_degenerate(NAN));
    for (int i = 0; i < 1000; i++) {
        double baseline = 0.575 - 0.25 * i / 999, time = i < 999 ? 1 : 0.75;

        over_seconds += (baseline - time) / (baseline - 0.125) / 1000;
    }
    CHECK_CLOSE(a->by_time.exact, over_seconds, 1e-12);
    CHECK_CLOSE(a->by_time.community, (0.25 - 1) / 0.125, 1e-12);
}

static void check_small_pair(const opevo_study_analysis *analysis)
{
    const opevo_study_pair *pair = &analysis->pairs[0];
    opevo_text sentence = {0};

    assert_int_equal(analysis->pair_count, 1);
    assert_int_equal(pair->test.pairs, 2); /* seeds 1 and 2; 3 of a is not known so far */
    assert_int_equal(pair->test.wins, 1);
    assert_int_equal(pair->test.ties, 1);
    CHECK_CLOSE(pair->mean_a, 0.75, 1e-15);
    CHECK_CLOSE(pair->mean_b, 0.5, 1e-15);
    CHECK_CLOSE(pair->p_adjusted, 1, 0);
    assert_int_equal(pair->verdict, OPEVO_VERDICT_UNRESOLVED);
    opevo_study_pair_sentence(analysis, pair, &sentence);
    assert_non_null(strstr(opevo_text_string(&sentence),
                           "toy at 4 trials: a against b is not resolved by 2 pairs of runs: mean "
                           "0.7500 against 0.5000"));
    opevo_text_free(&sentence);
}

static void test_small_study(void **state)
{
    static const double fitness[] = {1, 2, 4, 8, 0}, cost_s[] = {1, 1, 1, 1, 1};
    opevo_analysed_run runs[6];
    opevo_fitness_table table;
    opevo_study_landscape toy = {"toy", "1/s", NAN, &table};
    opevo_analysed_study study = {&toy, two_names, runs, 1, 2, 6};
    opevo_analysis_options options = small_options();
    opevo_study_analysis *analysis = NULL;

    (void)state;
    make_small(runs);
    CHECK_OK(opevo_fitness_table_create(fitness, cost_s, 5, &table, &err));
    CHECK_OK(opevo_study_analyse(&study, &options, &analysis, &err));
    check_small(analysis);
    check_small_score(analysis);
    check_small_pair(analysis);
    assert_int_equal(analysis->overall.blocks, 1);
    opevo_study_analysis_destroy(analysis);
    options.cutoff_to = 1;
    CHECK_OK(opevo_study_analyse(&study, &options, &analysis, &err));
    check_small_windows(analysis);
    opevo_study_analysis_destroy(analysis);
    /* An optimum alone gives the same without scores. */
    toy.table = NULL;
    toy.optimum = 8;
    CHECK_OK(opevo_study_analyse(&study, &options, &analysis, &err));
    check_small(analysis);
    assert_false(analysis->places[0].exact_random);
    assert_true(isnan(point_at(analysis, opevo_study_cell_of(analysis, 0, 0), 4)->score));
    opevo_study_analysis_destroy(analysis);
    /* Without it fractions are of the best run, and none of it is held for certain. */
    toy.optimum = NAN;
    CHECK_OK(opevo_study_analyse(&study, &options, &analysis, &err));
    assert_false(analysis->places[0].optimum_known);
    CHECK_CLOSE(analysis->places[0].optimum, 8, 0);
    opevo_study_analysis_destroy(analysis);
    /* A smaller one belongs to another landscape. */
    toy.optimum = 7;
    CHECK_FAILS(OPEVO_MISMATCH, "must be a different one",
                opevo_study_analyse(&study, &options, &analysis, &err));
    free_runs(runs, 6);
    opevo_fitness_table_free(&table);
    assert_int_equal(opevo_memory_live(), 0);
}

/* A landscape on which every trial failed says nothing about who is better, and is left out of the
 * mean ranks. */
static void test_all_failed(void **state)
{
    opevo_study_landscape places[] = {
        {"one", "s", NAN, NULL}, {"two", "s", NAN, NULL}, {"none", "s", NAN, NULL}};
    opevo_analysed_run runs[6];
    opevo_analysed_study study = {places, two_names, runs, 3, 2, 6};
    opevo_analysis_options options = small_options();
    opevo_study_analysis *analysis = NULL;

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        runs[i] = (opevo_analysed_run){
            .landscape = i / 2, .contender = i % 2, .seed = 1, .end = OPEVO_RUN_TRIALS};
        add(&runs[i], i < 4 ? 2 - (double)(i % 2) : 0, 1);
    }
    CHECK_OK(opevo_study_analyse(&study, &options, &analysis, &err));
    assert_int_equal(analysis->overall.blocks, 2);
    assert_int_equal(analysis->overall.all_failed, 1);
    CHECK_CLOSE(analysis->overall.mean_rank[0], 1, 0);
    CHECK_CLOSE(analysis->overall.mean_rank[1], 2, 0);
    CHECK_CLOSE(analysis->overall.mean[1], 0.5, 1e-15);
    opevo_study_analysis_destroy(analysis);
    free_runs(runs, 6);
    assert_int_equal(opevo_memory_live(), 0);
}

static void test_refusals(void **state)
{
    opevo_analysed_run runs[6];
    opevo_study_landscape toy = {"toy", "1/s", 8, NULL};
    opevo_analysed_study study = {&toy, two_names, runs, 1, 2, 6};
    opevo_analysis_options options = small_options();
    opevo_study_analysis *analysis = NULL;
    static const double bad[] = {0.5, 1.5};

    (void)state;
    make_small(runs);
    study.run_count = 0;
    CHECK_FAILS(OPEVO_INVALID, "at least one run",
                opevo_study_analyse(&study, &options, &analysis, &err));
    study.run_count = 6;
    options.targets = bad;
    CHECK_FAILS(OPEVO_INVALID, "domain", opevo_study_analyse(&study, &options, &analysis, &err));
    options = small_options();
    options.resamples = 1;
    CHECK_FAILS(OPEVO_INVALID, "domain", opevo_study_analyse(&study, &options, &analysis, &err));
    free_runs(runs, 6);
}

/* Horizon, and how many runs of a single contender are unfinished, from lengths and ends. */
static void check_horizon(const size_t *lengths, const opevo_run_end *ends, size_t count,
                          double fitness, uint64_t horizon, size_t open)
{
    opevo_analysed_run runs[4];
    opevo_study_landscape toy = {"toy", "1/s", NAN, NULL};
    opevo_analysed_study study = {&toy, two_names, runs, 1, 1, count};
    opevo_analysis_options options = small_options();
    opevo_study_analysis *analysis = NULL;

    for (size_t i = 0; i < count; i++) {
        runs[i] = (opevo_analysed_run){.seed = i, .end = ends[i]};
        for (size_t t = 0; t < lengths[i]; t++)
            add(&runs[i], fitness, 1);
    }
    CHECK_OK(opevo_study_analyse(&study, &options, &analysis, &err));
    assert_int_equal(analysis->places[0].horizon, horizon);
    assert_int_equal(analysis->cells[0].open, open);
    CHECK_CLOSE(point_at(analysis, analysis->cells, horizon)->mean, fitness > 0 ? 1 : 0, 0);
    opevo_study_analysis_destroy(analysis);
    free_runs(runs, count);
}

static void test_horizons(void **state)
{
    static const size_t lengths[] = {30, 20, 30, 7};
    static const opevo_run_end trials[] = {OPEVO_RUN_TRIALS, OPEVO_RUN_OPEN, OPEVO_RUN_TRIALS,
                                           OPEVO_RUN_OVER},
                               seconds[] = {OPEVO_RUN_SECONDS, OPEVO_RUN_SECONDS, OPEVO_RUN_SECONDS,
                                            OPEVO_RUN_OPEN},
                               unknown[] = {OPEVO_RUN_OPEN, OPEVO_RUN_OPEN, OPEVO_RUN_OPEN,
                                            OPEVO_RUN_OPEN},
                               over[] = {OPEVO_RUN_OVER, OPEVO_RUN_OVER, OPEVO_RUN_OVER,
                                         OPEVO_RUN_OVER};

    (void)state;
    check_horizon(lengths, trials, 4, 5, 30, 1);
    check_horizon(lengths, seconds, 4, 5, 20, 1);
    check_horizon(lengths, unknown, 4, 5, 30, 2);
    check_horizon(lengths, over, 4, 5, 30, 0);
    check_horizon(lengths, trials, 4, 0, 30, 1); /* every trial failed */
    assert_int_equal(opevo_memory_live(), 0);
}

/* Every allocation fails in turn: an error each time, and nothing is left. */
static void test_without_memory(void **state)
{
    static const double fitness[] = {1, 2, 4, 8, 0}, cost_s[] = {1, 1, 1, 1, 1};
    opevo_analysed_run runs[6];
    opevo_fitness_table table;
    opevo_study_landscape toy = {"toy", "1/s", NAN, &table};
    opevo_analysed_study study = {&toy, two_names, runs, 1, 2, 6};
    opevo_analysis_options options = small_options();
    opevo_study_analysis *analysis = NULL;
    opevo_status status = OPEVO_NOMEM;
    int64_t alive = 0;

    (void)state;
    make_small(runs);
    CHECK_OK(opevo_fitness_table_create(fitness, cost_s, 5, &table, &err));
    alive = opevo_memory_live();
    for (int64_t n = 1; status == OPEVO_NOMEM; n++) {
        opevo_memory_fail_at(n);
        status = opevo_study_analyse(&study, &options, &analysis, NULL);
        opevo_memory_fail_at(0);
        if (status != OPEVO_OK)
            assert_int_equal(opevo_memory_live(), alive);
        assert_true(n < 1000);
    }
    assert_int_equal(status, OPEVO_OK);
    opevo_study_analysis_destroy(analysis);
    free_runs(runs, 6);
    opevo_fitness_table_free(&table);
    assert_int_equal(opevo_memory_live(), 0);
}

/* ---- Random search on a toy landscape ---- */

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

/* 800 runs of random search agree with the formulas in every statistic, within 4.5 standard errors;
 * and so does the score over time, whose baseline turns seconds into trials at the mean cost. */
static void test_random_search(void **state)
{
    enum { RUNS = 800, TRIALS = 60 };
    static const uint64_t checkpoints[] = {10, 30, 60};
    double fitness[POINTS], cost_s[POINTS], width = 0;
    opevo_analysed_run *runs = opevo_calloc(RUNS, sizeof *runs);
    opevo_fitness_table table;
    opevo_study_landscape toy = {"toy", "1/s", NAN, &table};
    opevo_analysed_study study = {&toy, two_names, runs, 1, 1, RUNS};
    opevo_analysis_options options = small_options();
    opevo_study_analysis *analysis = NULL;
    const opevo_study_cell *cell = NULL, *random = NULL;

    (void)state;
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
    for (size_t i = 0; i < analysis->places[0].moment_count; i++) {
        const opevo_study_moment *seen = &cell->moments[i];
        double by_hand = 0;

        for (size_t r = 0; r < RUNS; r++)
            by_hand += opevo_run_curve_best_by(&runs[r].curve, seen->seconds) /
                       analysis->places[0].optimum / RUNS;
        CHECK_CLOSE(seen->mean, by_hand, 1e-12);
        if (seen->seconds > 10) /* the approximation of the baseline: five trials or more */
            CHECK_CLOSE(seen->mean, random->moments[i].mean,
                        4.5 / 3.9 * (seen->interval.high - seen->interval.low) + 0.01);
    }
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
    self->study =
        (opevo_analysed_study){self->landscape, two_names, self->runs, PLACES, 2, STUDY_RUNS};
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
static void test_threads(void **state)
{
    static toy_study self;
    opevo_analysis_options options = small_options();
    opevo_study_analysis *one = NULL, *three = NULL;

    (void)state;
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

/* 1,000 studies of a tuner against itself on three landscapes: the share of studies with any
 * verdict but "not resolved" stays below alpha, up to what chance allows once in 10^4. */
static void test_false_alarms(void **state)
{
    static toy_study self;
    opevo_analysis_options options = small_options();
    unsigned alarms = 0, bound = 0;

    (void)state;
    options.resamples = 100;
    make_study(&self);
    for (size_t l = 0; l < PLACES; l++) {
        self.landscape[l].table = NULL; /* verdicts do not need it */
        self.landscape[l].optimum = self.table[l].fitness[0];
    }
    for (uint64_t s = 0; s < 1000; s++) {
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
    while (gsl_cdf_binomial_Q(bound, options.alpha, 1000) > 1e-4)
        bound++;
    assert_true(alarms <= bound);
    assert_true(alarms > 10); /* and the test is not merely silent: its size is near alpha */
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
static void test_planted_difference(void **state)
{
    enum { LARGE = 4000, STUDIES = 400 };
    static double difference[LARGE];
    double fitness[POINTS], cost_s[POINTS], needed = 0;
    opevo_signed_rank test;
    size_t found = 0, wrong = 0, pairs = 0;

    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_study),   cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_horizons),      cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_random_search), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_false_alarms),  cmocka_unit_test(test_planted_difference),
        cmocka_unit_test(test_all_failed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
