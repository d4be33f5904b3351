/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The analysis of a study: a small one by hand, and what is refused. test_study_verdicts.c has
 * large ones. */

#include "analysed_runs.h"

#include <opevo/memory.h>

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

/* Scores over the window of trials 1 to 2 (cut-offs .5 and 1), which at a second a trial is also
 * that of seconds. Mean times of random search: .575 after one trial, .325 after two; the
 * community's baseline: .25 and .125, the optimum, which is left out. Contender a: 1 and 1,
 * then 1 and .5. */
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

CHECK_TEST(test_small_study)
{
    static const double fitness[] = {1, 2, 4, 8, 0}, cost_s[] = {1, 1, 1, 1, 1};
    opevo_analysed_run runs[6];
    opevo_fitness_table table;
    opevo_study_landscape toy = {"toy", "1/s", NAN, &table};
    opevo_analysed_study study = {.landscapes = &toy,
                                  .contenders = two_names,
                                  .runs = runs,
                                  .landscape_count = 1,
                                  .contender_count = 2,
                                  .run_count = 6};
    opevo_analysis_options options = small_options();
    opevo_study_analysis *analysis = NULL;

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
CHECK_TEST(test_all_failed)
{
    opevo_study_landscape places[] = {
        {"one", "s", NAN, NULL}, {"two", "s", NAN, NULL}, {"none", "s", NAN, NULL}};
    opevo_analysed_run runs[6];
    opevo_analysed_study study = {.landscapes = places,
                                  .contenders = two_names,
                                  .runs = runs,
                                  .landscape_count = 3,
                                  .contender_count = 2,
                                  .run_count = 6};
    opevo_analysis_options options = small_options();
    opevo_study_analysis *analysis = NULL;

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

CHECK_TEST(test_refusals)
{
    opevo_analysed_run runs[6];
    opevo_study_landscape toy = {"toy", "1/s", 8, NULL};
    opevo_analysed_study study = {.landscapes = &toy,
                                  .contenders = two_names,
                                  .runs = runs,
                                  .landscape_count = 1,
                                  .contender_count = 2,
                                  .run_count = 6};
    opevo_analysis_options options = small_options();
    opevo_study_analysis *analysis = NULL;
    static const double bad[] = {0.5, 1.5};

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
    opevo_analysed_study study = {.landscapes = &toy,
                                  .contenders = two_names,
                                  .runs = runs,
                                  .landscape_count = 1,
                                  .contender_count = 1,
                                  .run_count = count};
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

CHECK_TEST(test_horizons)
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

    check_horizon(lengths, trials, 4, 5, 30, 1);
    check_horizon(lengths, seconds, 4, 5, 20, 1);
    check_horizon(lengths, unknown, 4, 5, 30, 2);
    check_horizon(lengths, over, 4, 5, 30, 0);
    check_horizon(lengths, trials, 4, 0, 30, 1); /* every trial failed */
    assert_int_equal(opevo_memory_live(), 0);
}

/* Every allocation fails in turn: an error each time, and nothing is left. */
CHECK_TEST(test_without_memory)
{
    static const double fitness[] = {1, 2, 4, 8, 0}, cost_s[] = {1, 1, 1, 1, 1};
    opevo_analysed_run runs[6];
    opevo_fitness_table table;
    opevo_study_landscape toy = {"toy", "1/s", NAN, &table};
    opevo_analysed_study study = {.landscapes = &toy,
                                  .contenders = two_names,
                                  .runs = runs,
                                  .landscape_count = 1,
                                  .contender_count = 2,
                                  .run_count = 6};
    opevo_analysis_options options = small_options();
    opevo_study_analysis *analysis = NULL;
    opevo_status status = OPEVO_NOMEM;
    int64_t alive = 0;

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
