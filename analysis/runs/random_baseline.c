/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Expectations of random search. Several numbers of trials go through the table side by side, so
 * that the one division of a point serves all of them and the rest is vector arithmetic. */

#include <opevo/random_baseline.h>

#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/unit.h>

#include <math.h>

enum { LANES = 16 };

/* Nothing that matters is left once the best has been found with all but this probability. */
static const double negligible = 1e-19;

typedef struct expectations {
    const opevo_fitness_table *table;
    const uint64_t *trials;
    size_t count;
    opevo_random_expectation *out;
} expectations;

/* The sums of up to LANES numbers of trials. left[j] is the probability that none of the points
 * seen so far was drawn, of which the share m / (N - k) falls on the next point. */
typedef struct lanes {
    double trials[LANES], left[LANES];
    double fitness[LANES], square[LANES], inverse[LANES];
} lanes;

static void add_points(const opevo_fitness_table *table, uint64_t first, uint64_t end, lanes *self)
{
    for (uint64_t k = first; k < end; k++) {
        double value = table->fitness[k], inverse = 1 / value;
        double share = 1 / (double)(table->points - k);

        for (size_t j = 0; j < LANES; j++) {
            double drawn = self->trials[j] * share;
            double weight = self->left[j] * (drawn < 1 ? drawn : 1);

            self->fitness[j] += weight * value;
            self->square[j] += weight * (value * value);
            self->inverse[j] += weight * inverse;
            self->left[j] -= weight;
        }
    }
}

static bool all_done(const lanes *self)
{
    for (size_t j = 0; j < LANES; j++) {
        if (self->left[j] > negligible)
            return false;
    }
    return true;
}

static opevo_status expect_block(void *context, size_t index, unsigned worker, opevo_error *err)
{
    const expectations *self = context;
    const opevo_fitness_table *table = self->table;
    size_t first = index * LANES;
    lanes sums = {{0}, {0}, {0}, {0}, {0}};

    (void)worker;
    (void)err;
    for (size_t j = 0; j < LANES && first + j < self->count; j++) {
        uint64_t trials = self->trials[first + j];

        sums.trials[j] = (double)(trials < table->points ? trials : table->points);
        sums.left[j] = 1;
    }
    for (uint64_t k = 0; k < table->ok && !all_done(&sums); k += 1024)
        add_points(table, k, k + 1024 < table->ok ? k + 1024 : table->ok, &sums);
    for (size_t j = 0; j < LANES && first + j < self->count; j++) {
        double mean = sums.fitness[j];
        double worst = table->ok ? table->fitness[table->ok - 1] : 0;

        self->out[first + j] = (opevo_random_expectation){
            .fitness = mean,
            .sd = sqrt(fmax(sums.square[j] - mean * mean, 0)),
            .inverse = table->ok ? sums.inverse[j] + sums.left[j] / worst : INFINITY};
    }
    return OPEVO_OK;
}

opevo_status opevo_random_expect(const opevo_fitness_table *table, const uint64_t *trials,
                                 size_t count, unsigned threads, opevo_random_expectation *out,
                                 opevo_error *err)
{
    expectations self = {.table = table, .trials = trials, .count = count, .out = out};

    return opevo_parallel_for((count + LANES - 1) / LANES, threads, expect_block, &self, err);
}

uint64_t opevo_fitness_table_reaching(const opevo_fitness_table *table, double fitness)
{
    uint64_t low = 0, high = table->ok;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (table->fitness[middle] >= fitness)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The ratio of binomials is symmetric in K and M, so the shorter product is taken. */
double opevo_random_hit(uint64_t points, uint64_t good, uint64_t trials)
{
    uint64_t few = good < trials ? good : trials, many = good < trials ? trials : good;
    double missed = 1;

    if (few == 0)
        return 0;
    if (many >= points || few > points - many)
        return 1;
    for (uint64_t j = 0; j < few && missed > negligible; j++)
        missed *= (double)(points - many - j) / (double)(points - j);
    return 1 - missed;
}

double opevo_random_trials_to(uint64_t points, uint64_t good)
{
    return good ? ((double)points + 1) / ((double)good + 1) : INFINITY;
}

/* E[min(T, B)] is the sum of P(T > M) over M < B, and P(T > M) falls by (N - K - M + 1) / (N - M +
 * 1) from M - 1 to M. */
opevo_random_run_time opevo_random_run_time_of(uint64_t points, uint64_t good, uint64_t budget)
{
    uint64_t last = points - good + 1; /* by then it is hit for certain */
    double missed = 1, spent = 0, area = 0;

    if (good == 0 || budget == 0)
        return (opevo_random_run_time){INFINITY, 0};
    for (uint64_t m = 1; m <= budget && m <= last; m++) {
        spent += missed;
        missed *= (double)(points - good - (m - 1)) / (double)(points - (m - 1));
        if (m < budget)
            area += missed * log1p(1 / (double)m);
    }
    area = budget > 1 ? 1 - area / log((double)budget) : 1 - missed;
    return (opevo_random_run_time){spent / (1 - missed), area};
}

double opevo_community_baseline(const opevo_fitness_table *table, uint64_t trials)
{
    double n = (double)table->ok, m = (double)trials;
    double place = 0;

    if (table->ok == 0)
        return INFINITY;
    place = fmin(n - 1, nearbyint(m * (n + 1) / (m + 1)));
    return 1 / table->fitness[table->ok - 1 - (uint64_t)place];
}

uint64_t opevo_community_trials(const opevo_fitness_table *table, double p)
{
    uint64_t n = table->ok, as_good = 0, place = 0;
    double best = 0, median = 0, wanted = 0;

    if (n == 0)
        return 0;
    best = 1 / table->fitness[0];
    median = (1 / table->fitness[(n - 1) / 2] + 1 / table->fitness[n / 2]) / 2;
    wanted = best + (median - best) * (1 - p);
    as_good = opevo_fitness_table_reaching(table, opevo_fitness_share(1, 1 / wanted));
    place = n - as_good;
    if (p < 1 && place > 0 && table->fitness[as_good - 1] >= table->fitness[0])
        place--;
    place = (uint64_t)ceil((double)place / (double)(n + 1 - place));
    return place ? place : 1;
}

double opevo_community_cost_s(const opevo_fitness_table *table)
{
    double failing = 1 - (double)table->ok / (double)table->points;

    return table->mean_cost_ok_s + failing * table->mean_cost_failed_s;
}
