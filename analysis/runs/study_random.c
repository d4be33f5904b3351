/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The zero lines of one landscape: exact random search at every point of the grid, and both
 * baselines along the windows of the scores. All numbers of trials that are needed are collected
 * first, so that the table of the landscape is gone through once. */

#include "study_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <stdlib.h>

enum { RESOLUTION = 1000 }; /* points of a window, as the method has it */

/* Numbers of trials, ascending and different, with what random search expects there. */
typedef struct expectation_list {
    uint64_t *trials;
    opevo_random_expectation *expected;
    size_t count;
} expectation_list;

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static const opevo_random_expectation *find(const expectation_list *list, uint64_t trials)
{
    const uint64_t *at =
        bsearch(&trials, list->trials, list->count, sizeof *list->trials, ascending);

    return &list->expected[at - list->trials];
}

/* ---- Windows ---- */

static void find_windows(const opevo_i_analysis_study *self, size_t landscape)
{
    const opevo_analysis_options *options = &self->analysis->options;
    const opevo_fitness_table *table = self->places[landscape].table;
    opevo_study_place *place = &self->analysis->places[landscape];
    uint64_t from = opevo_community_trials(table, options->cutoff_from);
    uint64_t to = opevo_community_trials(table, options->cutoff_to);
    double known_s = opevo_i_analysis_common_seconds(self, landscape);
    /* Where most points fail at no cost the median says nothing. */
    double cost_s = table->median_cost_s > 0 ? table->median_cost_s : table->mean_cost_s;

    place->trials_from = from;
    place->trials_cut = to > place->horizon;
    place->trials_to = place->trials_cut ? place->horizon : to;
    place->seconds_from = (double)from * cost_s;
    place->seconds_to = (double)to * cost_s;
    place->seconds_cut = place->seconds_to > known_s;
    place->seconds_to = fmin(place->seconds_to, known_s);
    if (!(cost_s > 0)) { /* costs are not known */
        place->seconds_from = 1;
        place->seconds_to = 0;
    }
}

/* Places of the points; the baselines come later. */
static opevo_status make_windows(opevo_i_analysis_study *self, size_t landscape, opevo_error *err)
{
    opevo_study_place *place = &self->analysis->places[landscape];
    opevo_i_analysis_window *by_trials = &self->places[landscape].by_trials;
    opevo_i_analysis_window *by_time = &self->places[landscape].by_time;
    double span = (double)place->trials_to - (double)place->trials_from;

    by_trials->points = opevo_calloc(RESOLUTION, sizeof *by_trials->points);
    by_time->points = opevo_calloc(RESOLUTION, sizeof *by_time->points);
    OPEVO_NEED_OR_RETURN(by_trials->points && by_time->points, "the windows of a score");
    if (span >= 0)
        by_trials->count = span < RESOLUTION - 1 ? (size_t)span + 1 : RESOLUTION;
    for (size_t i = 0; i < by_trials->count; i++)
        by_trials->points[i].at =
            (double)place->trials_from +
            (i ? round(span * (double)i / (double)(by_trials->count - 1)) : 0);
    if (place->seconds_from <= place->seconds_to)
        by_time->count = RESOLUTION;
    for (size_t i = 0; i < by_time->count; i++)
        by_time->points[i].at = place->seconds_from + (place->seconds_to - place->seconds_from) *
                                                          (double)i / (RESOLUTION - 1);
    return OPEVO_OK;
}

/* Trials that exact random search makes in these seconds, at the mean cost of a trial. */
static double trials_in(const opevo_fitness_table *table, double seconds)
{
    return fmin(fmax(seconds / table->mean_cost_s, 1), (double)table->points);
}

static void fill_windows(const expectation_list *list, opevo_i_analysis_place *place)
{
    double cost_s = opevo_community_cost_s(place->table);

    for (size_t i = 0; i < place->by_trials.count; i++) {
        opevo_i_analysis_window_point *point = &place->by_trials.points[i];

        point->exact = find(list, (uint64_t)point->at)->inverse;
        point->community = opevo_community_baseline(place->table, (uint64_t)point->at);
    }
    for (size_t i = 0; i < place->by_time.count; i++) {
        opevo_i_analysis_window_point *point = &place->by_time.points[i];
        double trials = trials_in(place->table, point->at), part = trials - floor(trials);

        point->exact = (1 - part) * find(list, (uint64_t)floor(trials))->inverse +
                       part * find(list, (uint64_t)ceil(trials))->inverse;
        point->community = opevo_community_baseline(
            place->table, (uint64_t)nearbyint(fmax(point->at / cost_s, 1)));
    }
}

bool opevo_community_is_degenerate(double score_of_random)
{
    return fabs(score_of_random) > 1;
}

/* What exact random search scores against the community's baseline, averaged as a run's score. */
static double score_of_random(const opevo_i_analysis_window *window,
                              const opevo_fitness_table *table)
{
    double optimum = 1 / table->fitness[0], sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < window->count; i++) {
        const opevo_i_analysis_window_point *point = &window->points[i];

        if (!opevo_i_analysis_scores_against(point->community, optimum))
            continue;
        sum += (point->community - point->exact) / (point->community - optimum);
        count++;
    }
    return count ? sum / (double)count : NAN;
}

/* ---- Expectations ---- */

static void list_seconds(const opevo_fitness_table *table, double seconds, expectation_list *list)
{
    double trials = trials_in(table, seconds);

    list->trials[list->count++] = (uint64_t)floor(trials);
    list->trials[list->count++] = (uint64_t)ceil(trials);
}

static void list_trials(const opevo_study_place *result, const opevo_i_analysis_place *place,
                        expectation_list *list)
{
    size_t kept = 0;

    for (size_t i = 0; i < result->grid_count; i++)
        list->trials[list->count++] = result->grid[i];
    for (size_t i = 0; i < place->by_trials.count; i++)
        list->trials[list->count++] = (uint64_t)place->by_trials.points[i].at;
    for (size_t i = 0; i < place->by_time.count; i++)
        list_seconds(place->table, place->by_time.points[i].at, list);
    for (size_t i = 0; i < result->moment_count && place->table->mean_cost_s > 0; i++)
        list_seconds(place->table, result->moments[i], list);
    qsort(list->trials, list->count, sizeof *list->trials, ascending);
    for (size_t i = 0; i < list->count; i++) {
        if (kept == 0 || list->trials[kept - 1] != list->trials[i])
            list->trials[kept++] = list->trials[i];
    }
    list->count = kept;
}

static opevo_interval sure(double value)
{
    return (opevo_interval){value, value};
}

static void fill_point(const opevo_study_analysis *analysis, const opevo_study_place *place,
                       const opevo_fitness_table *table, const opevo_random_expectation *expected,
                       opevo_study_point *point)
{
    uint64_t within_5 =
        opevo_fitness_table_reaching(table, opevo_fitness_share(0.95, place->optimum));
    uint64_t within_1 =
        opevo_fitness_table_reaching(table, opevo_fitness_share(0.99, place->optimum));

    point->mean = expected->fitness / place->optimum;
    point->sd = expected->sd / place->optimum;
    point->worst = NAN;
    point->interval = sure(point->mean);
    point->within_5 = opevo_random_hit(table->points, within_5, point->trials);
    point->within_1 = opevo_random_hit(table->points, within_1, point->trials);
    point->within_5_interval = sure(point->within_5);
    point->within_1_interval = sure(point->within_1);
    point->score_interval = sure(0);
    for (size_t i = 0; i < analysis->options.target_count; i++) {
        uint64_t good = opevo_fitness_table_reaching(
            table, opevo_fitness_share(analysis->options.targets[i], place->optimum));

        point->ecdf += opevo_random_hit(table->points, good, point->trials) /
                       (double)analysis->options.target_count;
    }
}

static void fill_targets(const opevo_study_place *place, const opevo_fitness_table *table,
                         size_t target_count, opevo_study_cell *cell)
{
    for (size_t i = 0; i < target_count; i++) {
        opevo_study_target *target = &cell->targets[i];
        uint64_t good = opevo_fitness_table_reaching(
            table, opevo_fitness_share(target->fraction, place->optimum));
        opevo_random_run_time time = opevo_random_run_time_of(table->points, good, place->horizon);

        target->hit = opevo_random_hit(table->points, good, place->horizon);
        target->ert = time.ert;
        target->interval = sure(time.ert);
        cell->ecdf_area += time.area / (double)target_count;
    }
    cell->ecdf_area_interval = sure(cell->ecdf_area);
}

static void fill_moments(const expectation_list *list, const opevo_fitness_table *table,
                         const opevo_study_place *place, opevo_study_cell *cell)
{
    for (size_t i = 0; i < place->moment_count; i++) {
        opevo_study_moment *moment = &cell->moments[i];
        double trials = 0, part = 0;

        moment->mean = NAN;
        if (table->mean_cost_s > 0) {
            trials = trials_in(table, moment->seconds);
            part = trials - floor(trials);
            moment->mean = ((1 - part) * find(list, (uint64_t)floor(trials))->fitness +
                            part * find(list, (uint64_t)ceil(trials))->fitness) /
                           place->optimum;
        }
        moment->interval = sure(moment->mean);
    }
}

static opevo_status expect_all(opevo_i_analysis_study *self, size_t landscape,
                               expectation_list *list, opevo_error *err)
{
    opevo_i_analysis_place *place = &self->places[landscape];
    const opevo_study_place *result = &self->analysis->places[landscape];
    size_t most = result->grid_count + place->by_trials.count + 2 * place->by_time.count +
                  2 * result->moment_count;

    list->trials = opevo_malloc(most, sizeof *list->trials);
    list->expected = opevo_malloc(most, sizeof *list->expected);
    place->random_inverse = opevo_malloc(result->grid_count, sizeof *place->random_inverse);
    OPEVO_NEED_OR_RETURN(list->trials && list->expected && place->random_inverse,
                         "the expectations of random search");
    list_trials(result, place, list);
    return opevo_random_expect(place->table, list->trials, list->count,
                               self->analysis->options.threads, list->expected, err);
}

opevo_status opevo_i_analysis_study_random(opevo_i_analysis_study *self, size_t landscape,
                                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_analysis_place *place = &self->places[landscape];
    opevo_study_place *result = &self->analysis->places[landscape];
    expectation_list list = {NULL, NULL, 0};

    result->trials_from = 1;
    result->seconds_from = 1;
    result->community_random_by_trials = result->community_random_by_time = NAN;
    if (!place->table || result->horizon == 0)
        return OPEVO_OK;
    result->exact_random = true;
    find_windows(self, landscape);
    OPEVO_TRY(make_windows(self, landscape, err));
    OPEVO_TRY(expect_all(self, landscape, &list, err));
    fill_windows(&list, place);
    result->community_random_by_trials = score_of_random(&place->by_trials, place->table);
    result->community_random_by_time = score_of_random(&place->by_time, place->table);
    for (size_t i = 0; i < result->grid_count; i++) {
        const opevo_random_expectation *expected = find(&list, result->grid[i]);

        place->random_inverse[i] = expected->inverse;
        fill_point(self->analysis, result, place->table, expected, &result->random.points[i]);
    }
    result->random.landscape = landscape;
    fill_moments(&list, place->table, result, &result->random);
    fill_targets(result, place->table, self->analysis->options.target_count, &result->random);
cleanup:
    opevo_free(list.trials);
    opevo_free(list.expected);
    return status;
}
