/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One contender on one landscape. What a run contributes to each statistic is a row of numbers, and
 * a statistic is the mean of a column or the ratio of two, so that one bootstrap of rows serves all
 * of them. A column counts the runs that are known far enough; they are the first rows. */

#include "study_internal.h"

#include <opevo/memory.h>
#include <opevo/unit.h>

#include <math.h>
#include <stddef.h>

/* The columns in order: fractions at the grid, times of the best kernel at the grid, trials spent
 * and success for each target, fractions at the moments, then these. */
enum { AREA, TRIALS_EXACT, TRIALS_COMMUNITY, TIME_EXACT, TIME_COMMUNITY, LAST_COLUMNS };

typedef struct sheet {
    const opevo_i_analysis_study *study;
    const opevo_study_place *place;
    const opevo_i_analysis_place *scratch;
    const opevo_i_analysis_known_run *runs;
    opevo_study_cell *cell;
    size_t cell_number;
    size_t grid_count, target_count, moment_count, columns;
    size_t *known;            /* rows of each column */
    double *rows;             /* [run * columns + column] */
    double *mean;             /* of each column */
    opevo_interval *interval; /* of each column */
    opevo_interval *range;    /* of each column: what a run can contribute */
    double *block, *sorted;   /* for a bootstrap */
    opevo_i_analysis_resamples resamples;
    opevo_i_analysis_replicates replicates;
} sheet;

/* ---- What a run contributes ---- */

/* Time of the best kernel so far, as 1 / fitness; before the first success the worst time there is.
 */
static double inverse_of(const opevo_fitness_table *table, double fitness)
{
    return 1 / (fitness > 0 ? fitness : table->fitness[table->ok - 1]);
}

bool opevo_i_analysis_scores_against(double baseline, double optimum)
{
    return baseline - optimum > 1e-9 * optimum;
}

/* Means over the window of (baseline - time) / (baseline - optimum), leaving out where the baseline
 * is the optimum itself. */
static void average_score(const sheet *self, const opevo_run_curve *curve,
                          const opevo_i_analysis_window *window, bool seconds, double *exact,
                          double *community)
{
    const opevo_fitness_table *table = self->scratch->table;
    double optimum = 1 / table->fitness[0], sums[2] = {0, 0};
    size_t counts[2] = {0, 0}, step = 0;

    for (size_t i = 0; i < window->count; i++) {
        const opevo_i_analysis_window_point *point = &window->points[i];
        double baselines[2] = {point->exact, point->community}, time = 0;

        while (step < curve->count && (seconds ? curve->steps[step].cost_s
                                               : (double)curve->steps[step].trial) <= point->at)
            step++;
        time = inverse_of(table, step ? curve->steps[step - 1].fitness : 0);
        for (int b = 0; b < 2; b++) {
            if (!opevo_i_analysis_scores_against(baselines[b], optimum))
                continue;
            sums[b] += (baselines[b] - time) / (baselines[b] - optimum);
            counts[b]++;
        }
    }
    *exact = counts[0] ? sums[0] / (double)counts[0] : NAN;
    *community = counts[1] ? sums[1] / (double)counts[1] : NAN;
}

/* Area under the run's own ECDF: it steps up by 1 / (number of targets) at each target's trial. */
static double area_of(const sheet *self, const opevo_run_curve *curve)
{
    double horizon = (double)self->place->horizon, area = 0;

    for (size_t i = 0; i < self->target_count; i++) {
        double fitness = opevo_fitness_share(self->cell->targets[i].fraction, self->place->optimum);
        uint64_t trials = fitness > 0 ? opevo_run_curve_trials_to(curve, fitness) : 0;

        if (trials == 0 || trials > self->place->horizon)
            continue;
        area += horizon > 1 ? 1 - log((double)trials) / log(horizon) : 1;
    }
    return area / (double)self->target_count;
}

static void fill_row(const sheet *self, const opevo_run_curve *curve, double *row)
{
    const opevo_fitness_table *table = self->scratch->table;
    double *last = row + self->columns - LAST_COLUMNS;
    double *target = row + 2 * self->grid_count;

    for (size_t i = 0; i < self->grid_count; i++) {
        double best = opevo_run_curve_best(curve, self->place->grid[i]);

        row[i] = best > 0 ? best / self->place->optimum : 0;
        row[self->grid_count + i] = table ? inverse_of(table, best) : NAN;
    }
    for (size_t i = 0; i < self->target_count; i++) {
        double fitness = opevo_fitness_share(self->cell->targets[i].fraction, self->place->optimum);
        uint64_t trials = fitness > 0 ? opevo_run_curve_trials_to(curve, fitness) : 0;

        target[2 * i] = (double)(trials ? trials : curve->trials);
        target[2 * i + 1] = trials ? 1 : 0;
    }
    for (size_t i = 0; i < self->moment_count; i++) {
        double best = opevo_run_curve_best_by(curve, self->place->moments[i]);

        last[(ptrdiff_t)i - (ptrdiff_t)self->moment_count] =
            best > 0 ? best / self->place->optimum : 0;
    }
    last[AREA] = area_of(self, curve);
    for (int i = TRIALS_EXACT; i < LAST_COLUMNS; i++)
        last[i] = NAN;
    if (table) {
        average_score(self, curve, &self->scratch->by_trials, false, &last[TRIALS_EXACT],
                      &last[TRIALS_COMMUNITY]);
        average_score(self, curve, &self->scratch->by_time, true, &last[TIME_EXACT],
                      &last[TIME_COMMUNITY]);
    }
}

/* Fractions, areas and shares lie in [0, 1]; times between those of the best and the worst point of
 * the landscape; and a score is at most 1 and at least that of a run that finds nothing. */
static void fill_ranges(sheet *self)
{
    const opevo_fitness_table *table = self->scratch->table;
    const opevo_run_curve nothing = {0};
    opevo_interval *last = self->range + self->columns - LAST_COLUMNS;
    double least[LAST_COLUMNS] = {0};

    for (size_t j = 0; j < self->columns; j++)
        self->range[j] = (opevo_interval){0, 1};
    if (!table)
        return;
    for (size_t i = 0; i < self->grid_count; i++)
        self->range[self->grid_count + i] =
            (opevo_interval){inverse_of(table, table->fitness[0]), inverse_of(table, 0)};
    average_score(self, &nothing, &self->scratch->by_trials, false, &least[TRIALS_EXACT],
                  &least[TRIALS_COMMUNITY]);
    average_score(self, &nothing, &self->scratch->by_time, true, &least[TIME_EXACT],
                  &least[TIME_COMMUNITY]);
    for (int i = TRIALS_EXACT; i < LAST_COLUMNS; i++)
        last[i].low = least[i];
}

static void fill_rows(sheet *self)
{
    size_t all = self->cell->runs;

    for (size_t i = 0; i < self->grid_count; i++)
        self->known[i] = self->known[self->grid_count + i] =
            opevo_i_analysis_known_count(self->study, self->cell_number, self->place->grid[i]);
    for (size_t i = 0; i < 2 * self->target_count; i++)
        self->known[2 * self->grid_count + i] = all;
    for (size_t i = 2 * (self->grid_count + self->target_count); i < self->columns; i++)
        self->known[i] =
            opevo_i_analysis_known_count(self->study, self->cell_number, self->place->horizon);
    for (size_t i = 0; i < all; i++)
        fill_row(self, &self->runs[i].run->curve, self->rows + i * self->columns);
}

/* ---- Means and intervals of the columns ---- */

/* The ratio of two columns side by side, which hold the trials spent and whether a target was
 * reached. */
static opevo_interval interval_of_ratio(sheet *self, size_t j, size_t column)
{
    const opevo_analysis_options *options = &self->study->analysis->options;
    double rows = (double)self->resamples.rows;

    for (size_t b = 0; b < options->resamples; b++) {
        const double *sum = self->resamples.sums + 3 * b * self->resamples.columns + j;
        double reached = round(sum[1] + rows * self->mean[column + 1]);

        self->sorted[b] =
            reached > 0 ? (sum[0] + rows * self->mean[column]) / reached : (double)INFINITY;
    }
    return opevo_percentile_interval(self->sorted, options->resamples, options->confidence);
}

static opevo_interval interval_of_mean(sheet *self, size_t rows, size_t j, size_t count,
                                       size_t column)
{
    const opevo_analysis_options *options = &self->study->analysis->options;
    double variance = 0;

    if (isnan(self->mean[column]))
        return (opevo_interval){NAN, NAN};
    for (size_t i = 0; i < rows; i++)
        variance += self->block[i * count + j] * self->block[i * count + j] / (double)rows;
    opevo_i_analysis_replicates_clear(&self->replicates, options->resamples);
    opevo_i_analysis_replicates_add(&self->resamples, j, self->mean[column], variance,
                                    self->range[column], 1, &self->replicates);
    return opevo_i_analysis_replicates_interval(&self->replicates, options->resamples,
                                                options->confidence, options->exact_intervals);
}

static opevo_status bootstrap_block(sheet *self, size_t rows, const size_t *column, size_t count,
                                    uint64_t stream, opevo_error *err)
{
    const opevo_analysis_options *options = &self->study->analysis->options;
    opevo_bootstrap bootstrap = {options->resamples, options->seed, stream};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < count; j++)
            self->block[i * count + j] =
                self->rows[i * self->columns + column[j]] - self->mean[column[j]];
    }
    status = opevo_i_analysis_resample(self->block, rows, count, &bootstrap, &self->resamples, err);
    for (size_t j = 0; j < count && status == OPEVO_OK; j++) {
        size_t place = column[j] - 2 * self->grid_count;

        if (column[j] < 2 * self->grid_count || place >= 2 * self->target_count)
            self->interval[column[j]] = interval_of_mean(self, rows, j, count, column[j]);
        else if (place % 2 == 0)
            self->interval[column[j]] = interval_of_ratio(self, j, column[j]);
    }
    return status;
}

/* Columns with the same rows are drawn together. */
static opevo_status bootstrap_all(sheet *self, size_t *column, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t done = 0, block = 0;
    size_t rows = self->cell->runs;

    for (; done < self->columns && status == OPEVO_OK; block++) {
        size_t count = 0, next = 0;

        for (size_t j = 0; j < self->columns; j++) {
            if (self->known[j] == rows)
                column[count++] = j;
            else if (self->known[j] < rows && self->known[j] > next)
                next = self->known[j];
        }
        if (rows >= 2)
            status =
                bootstrap_block(self, rows, column, count, self->cell_number * 4096 + block, err);
        done += count;
        if (rows == 0)
            break;
        rows = next;
    }
    return status;
}

static void find_means(sheet *self)
{
    for (size_t j = 0; j < self->columns; j++) {
        self->mean[j] = opevo_i_analysis_mean(self->rows + j, self->known[j], self->columns);
        self->interval[j] = (opevo_interval){NAN, NAN};
    }
}

/* ---- Results ---- */

/* Score of a mean time; it falls with the time, so an interval turns round. */
static void fill_score(const sheet *self, size_t i, opevo_study_point *point)
{
    double random = self->scratch->random_inverse[i];
    double optimum = 1 / self->scratch->table->fitness[0], gap = random - optimum;
    opevo_interval time = self->interval[self->grid_count + i];

    if (!(gap > 1e-9 * optimum))
        return;
    point->score = (random - self->mean[self->grid_count + i]) / gap;
    point->score_interval = (opevo_interval){(random - time.high) / gap, (random - time.low) / gap};
}

static void fill_point(const sheet *self, size_t i, opevo_study_point *point)
{
    const opevo_analysis_options *options = &self->study->analysis->options;
    double squares = 0, reached = 0;
    uint64_t within_5 = 0, within_1 = 0;

    point->runs = self->known[i];
    point->mean = self->mean[i];
    point->interval = self->interval[i];
    point->worst = point->score = point->ecdf = NAN;
    point->score_interval = (opevo_interval){NAN, NAN};
    for (size_t r = 0; r < point->runs; r++) {
        const opevo_run_curve *curve = &self->runs[r].run->curve;
        double value = self->rows[r * self->columns + i];
        double best = opevo_run_curve_best(curve, point->trials);

        squares += (value - point->mean) * (value - point->mean);
        point->worst = fmin(point->worst, value); /* of NAN and a number the number */
        within_5 += best > 0 && best >= opevo_fitness_share(0.95, self->place->optimum);
        within_1 += best > 0 && best >= opevo_fitness_share(0.99, self->place->optimum);
        for (size_t t = 0; t < self->target_count; t++)
            reached +=
                best > 0 && best >= opevo_fitness_share(options->targets[t], self->place->optimum);
    }
    point->sd = point->runs > 1 ? sqrt(squares / (double)(point->runs - 1)) : (double)NAN;
    point->within_5 = point->runs ? (double)within_5 / (double)point->runs : (double)NAN;
    point->within_1 = point->runs ? (double)within_1 / (double)point->runs : (double)NAN;
    point->within_5_interval = opevo_share_interval(within_5, point->runs, options->confidence);
    point->within_1_interval = opevo_share_interval(within_1, point->runs, options->confidence);
    if (point->runs)
        point->ecdf = reached / ((double)point->runs * (double)self->target_count);
    if (self->scratch->table)
        fill_score(self, i, point);
}

static void fill_target(const sheet *self, size_t i, opevo_study_target *target)
{
    size_t column = 2 * self->grid_count + 2 * i;
    double runs = (double)self->cell->runs;

    target->runs = self->cell->runs;
    target->reached = (size_t)round(self->mean[column + 1] * runs);
    target->hit = self->mean[column + 1];
    target->ert = target->reached ? self->mean[column] / self->mean[column + 1] : INFINITY;
    target->interval = self->interval[column];
}

static void fill_cell(const sheet *self)
{
    opevo_study_cell *cell = self->cell;
    size_t last = self->columns - LAST_COLUMNS;

    for (size_t i = 0; i < self->grid_count; i++)
        fill_point(self, i, &cell->points[i]);
    for (size_t i = 0; i < self->target_count; i++)
        fill_target(self, i, &cell->targets[i]);
    for (size_t i = 0; i < self->moment_count; i++) {
        size_t column = last - self->moment_count + i;

        cell->moments[i].runs = self->known[column];
        cell->moments[i].mean = self->mean[column];
        cell->moments[i].interval = self->interval[column];
    }
    cell->ecdf_area = self->mean[last + AREA];
    cell->ecdf_area_interval = self->interval[last + AREA];
    cell->by_trials = (opevo_study_score){
        self->known[last], self->mean[last + TRIALS_EXACT], self->mean[last + TRIALS_COMMUNITY],
        self->interval[last + TRIALS_EXACT], self->interval[last + TRIALS_COMMUNITY]};
    cell->by_time = (opevo_study_score){
        self->known[last], self->mean[last + TIME_EXACT], self->mean[last + TIME_COMMUNITY],
        self->interval[last + TIME_EXACT], self->interval[last + TIME_COMMUNITY]};
}

opevo_status opevo_i_analysis_study_cell(opevo_i_analysis_study *study, size_t number,
                                         opevo_error *err)
{
    opevo_study_analysis *analysis = study->analysis;
    opevo_study_cell *cell = &analysis->cells[number];
    const opevo_study_place *place = &analysis->places[cell->landscape];
    size_t resamples = analysis->options.resamples;
    size_t *column = NULL;
    opevo_status status = OPEVO_OK;
    sheet self = {.study = study,
                  .place = place,
                  .scratch = &study->places[cell->landscape],
                  .runs = study->runs + study->first[number],
                  .cell = cell,
                  .cell_number = number,
                  .grid_count = place->grid_count,
                  .target_count = analysis->options.target_count,
                  .moment_count = place->moment_count};

    self.columns = 2 * (self.grid_count + self.target_count) + self.moment_count + LAST_COLUMNS;
    column = opevo_malloc(self.columns, sizeof *column);
    self.known = opevo_malloc(self.columns, sizeof *self.known);
    self.mean = opevo_malloc(self.columns, sizeof *self.mean);
    self.interval = opevo_malloc(self.columns, sizeof *self.interval);
    self.rows = opevo_malloc(cell->runs, self.columns * sizeof *self.rows);
    self.block = opevo_malloc(cell->runs, self.columns * sizeof *self.block);
    self.range = opevo_malloc(self.columns, sizeof *self.range);
    self.sorted = opevo_malloc(resamples, sizeof *self.sorted);
    self.resamples.sums = opevo_malloc(3 * resamples, self.columns * sizeof(double));
    self.resamples.bound_share = opevo_malloc(resamples, sizeof(double));
    self.replicates.shift = opevo_malloc(4 * resamples, sizeof(double));
    OPEVO_NEED(column && self.known && self.mean && self.interval && self.range && self.rows &&
                   self.block && self.sorted && self.resamples.sums && self.resamples.bound_share &&
                   self.replicates.shift,
               "analysing %zu runs", cell->runs);
    fill_rows(&self);
    fill_ranges(&self);
    find_means(&self);
    OPEVO_TRY(bootstrap_all(&self, column, err));
    fill_cell(&self);
cleanup:
    opevo_free(column);
    opevo_free(self.known);
    opevo_free(self.mean);
    opevo_free(self.interval);
    opevo_free(self.rows);
    opevo_free(self.block);
    opevo_free(self.range);
    opevo_free(self.sorted);
    opevo_free(self.resamples.sums);
    opevo_free(self.resamples.bound_share);
    opevo_free(self.replicates.shift);
    return status;
}
