/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Friedman's test and Nemenyi's critical difference. Ranks are counted twice, so that they and the
 * sums of their squares are whole numbers and two combinations of orders compare exactly. The range
 * of normal variables (the studentized range with infinite degrees of freedom), which GSL lacks, is
 * one smooth integral. */

#include <opevo/comparison.h>

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>
#include <opevo/random.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_permutation.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sort.h>

#include <math.h>
#include <string.h>

static bool may_be_equal(double a, double b)
{
    return a == b || fabs(a - b) <= OPEVO_ROUNDING * (fabs(a) + fabs(b));
}

void opevo_midranks_descending(const double *values, size_t count, size_t *order, double *ranks)
{
    gsl_sort_index(order, values, 1, count); /* ascending */
    for (size_t i = 0, end = 0; i < count; i = end) {
        for (end = i + 1; end < count && may_be_equal(values[order[end - 1]], values[order[end]]);
             end++) {
        }
        for (size_t j = i; j < end; j++)
            ranks[order[j]] = (double)count - (double)(i + end - 1) / 2;
    }
}

static void judge(opevo_friedman *test, double between, double within)
{
    double n = (double)test->blocks, k = (double)test->count, rest = 0;

    test->p_chi_square = test->p_f = 1;
    if (within <= 0) /* all values of each block are the same */
        return;
    test->chi_square = (k - 1) * between / within;
    test->p_chi_square = gsl_cdf_chisq_Q(test->chi_square, k - 1);
    rest = n * (k - 1) - test->chi_square;
    if (rest <= 1e-12 * n * (k - 1)) {
        test->f = INFINITY;
        test->p_f = exp(-(n - 1) * gsl_sf_lnfact((unsigned)test->count));
    } else {
        test->f = (n - 1) * test->chi_square / rest;
        test->p_f = gsl_cdf_fdist_Q(test->f, k - 1, (k - 1) * (n - 1));
    }
}

/* ---- The law of the statistic over the orders of the ranks ---- */

enum { MOST_COUNTED = 4000000, MOST_DRAWN = 100000, LEAST_DRAWN = 10000, DRAWN_RANKS = 20000000 };

typedef struct orders {
    size_t blocks, count;
    int64_t *ranks; /* [block * count + j], twice the midranks */
    int64_t *sums;  /* scratch: `count` numbers */
} orders;

/* Four times sum_j (R_j - n (k + 1) / 2)^2, on which alone the statistic depends. */
static int64_t spread(const int64_t *sums, const orders *self)
{
    int64_t middle = (int64_t)(self->blocks * (self->count + 1)), total = 0;

    for (size_t j = 0; j < self->count; j++)
        total += (sums[j] - middle) * (sums[j] - middle);
    return total;
}

static int64_t observed_spread(const orders *self)
{
    for (size_t j = 0; j < self->count; j++) {
        self->sums[j] = 0;
        for (size_t i = 0; i < self->blocks; i++)
            self->sums[j] += self->ranks[i * self->count + j];
    }
    return spread(self->sums, self);
}

/* (k!)^(n - 1), 0 where that is more than are counted. */
static uint64_t combinations(const orders *self)
{
    uint64_t total = 1;

    for (size_t i = 1; i < self->blocks; i++) {
        for (size_t k = 2; k <= self->count; k++) {
            total *= k;
            if (total > MOST_COUNTED)
                return 0;
        }
    }
    return total;
}

/* The next combination, as an odometer; `order` has one permutation for each block but the first.
 */
static void advance(gsl_permutation **order, size_t count)
{
    for (size_t i = 0; i < count && gsl_permutation_next(order[i]) != GSL_SUCCESS; i++)
        gsl_permutation_init(order[i]);
}

static uint64_t count_hits(const orders *self, int64_t least, uint64_t total,
                           gsl_permutation **order)
{
    uint64_t hits = 0;

    for (uint64_t c = 0; c < total; c++) {
        memcpy(self->sums, self->ranks, self->count * sizeof *self->sums);
        for (size_t i = 1; i < self->blocks; i++) {
            const int64_t *ranks = self->ranks + i * self->count;

            for (size_t j = 0; j < self->count; j++)
                self->sums[j] += ranks[gsl_permutation_get(order[i - 1], j)];
        }
        hits += spread(self->sums, self) >= least;
        advance(order, self->blocks - 1);
    }
    return hits;
}

static opevo_status count_all(const orders *self, int64_t least, uint64_t total,
                              opevo_friedman *test, opevo_error *err)
{
    gsl_permutation **order = opevo_calloc(self->blocks, sizeof(void *));
    bool room = order != NULL;

    for (size_t i = 0; room && i + 1 < self->blocks; i++) {
        order[i] = gsl_permutation_calloc(self->count);
        room = order[i] != NULL;
    }
    if (room) {
        test->p = (double)count_hits(self, least, total, order) / (double)total;
        test->p_interval = (opevo_interval){test->p, test->p};
        test->exact = true;
    }
    for (size_t i = 0; order && i + 1 < self->blocks; i++)
        gsl_permutation_free(order[i]);
    opevo_free(order);
    return room ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the orders of ranks.");
}

/* Shuffles the ranks in place. */
static void draw_some(orders *self, int64_t least, uint64_t seed, opevo_friedman *test)
{
    uint64_t draws = DRAWN_RANKS / (self->blocks * self->count), hits = 0;
    opevo_rng rng;

    draws = draws > MOST_DRAWN ? MOST_DRAWN : draws < LEAST_DRAWN ? LEAST_DRAWN : draws;
    opevo_rng_init(&rng, seed, "friedman", 0);
    for (uint64_t d = 0; d < draws; d++) {
        for (size_t i = 1; i < self->blocks; i++) {
            int64_t *ranks = self->ranks + i * self->count;

            opevo_rng_shuffle(&rng, ranks, self->count, sizeof *ranks);
        }
        hits += observed_spread(self) >= least;
    }
    test->p = (double)(hits + 1) / (double)(draws + 1);
    test->p_interval = opevo_share_interval(hits, draws, 0.95);
}

static opevo_status find_p(orders *self, uint64_t seed, opevo_friedman *test, opevo_error *err)
{
    int64_t least = observed_spread(self);
    uint64_t total = combinations(self);

    if (total)
        return count_all(self, least, total, test, err);
    draw_some(self, least, seed, test);
    return OPEVO_OK;
}

/* ---- The test ---- */

static void sum_ranks(const double *values, orders *self, double *ranks, size_t *order,
                      double *mean_ranks, opevo_friedman *test)
{
    double middle = ((double)self->count + 1) / 2, between = 0, within = 0;

    for (size_t j = 0; j < self->count; j++)
        mean_ranks[j] = 0;
    for (size_t i = 0; i < self->blocks; i++) {
        opevo_midranks_descending(values + i * self->count, self->count, order, ranks);
        for (size_t j = 0; j < self->count; j++) {
            mean_ranks[j] += ranks[j];
            within += (ranks[j] - middle) * (ranks[j] - middle);
            self->ranks[i * self->count + j] = (int64_t)(2 * ranks[j]);
        }
    }
    for (size_t j = 0; j < self->count; j++) {
        double off = mean_ranks[j] - (double)self->blocks * middle;

        between += off * off;
        mean_ranks[j] /= (double)self->blocks;
    }
    judge(test, between, within);
}

opevo_status opevo_friedman_test(const double *values, size_t blocks, size_t count, uint64_t seed,
                                 double *mean_ranks, opevo_friedman *out, opevo_error *err)
{
    opevo_friedman test = {.blocks = blocks, .count = count};
    orders all = {blocks, count, NULL, NULL};
    double *ranks = NULL;
    size_t *order = NULL;
    opevo_status status = OPEVO_OK;

    if (blocks < 2 || count < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Friedman's test needs at least 2 blocks and 2 things to compare.");
    for (size_t i = 0; i < blocks * count; i++) {
        if (isnan(values[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Block %zu holds a value that is not a number.",
                              i / count);
    }
    ranks = opevo_malloc(count, sizeof *ranks);
    order = opevo_malloc(count, sizeof *order);
    all.ranks = opevo_malloc(blocks, count * sizeof *all.ranks);
    all.sums = opevo_malloc(count, sizeof *all.sums);
    OPEVO_NEED(ranks && order && all.ranks && all.sums, "ranks");
    sum_ranks(values, &all, ranks, order, mean_ranks, &test);
    OPEVO_TRY(find_p(&all, seed, &test, err));
    *out = test;
cleanup:
    opevo_free(ranks);
    opevo_free(order);
    opevo_free(all.ranks);
    opevo_free(all.sums);
    return status;
}

/* ---- The critical difference ---- */

typedef struct range {
    double q;
    size_t count;
} range;

/* Density of the largest variable at z, the others lying within q below it. */
static double range_density(double z, void *parameters)
{
    const range *self = parameters;
    double inside = gsl_cdf_ugaussian_P(z) - gsl_cdf_ugaussian_P(z - self->q);

    return (double)self->count * gsl_ran_ugaussian_pdf(z) * pow(inside, (double)self->count - 1);
}

double opevo_normal_range_tail(double q, size_t count)
{
    range self = {q, count};
    gsl_function density = {range_density, &self};
    gsl_integration_glfixed_table *table = NULL;
    double inside = 0;

    if (q <= 0)
        return 1;
    /* The integrand lives in |z| < 9; pieces of width 1 make 16 points of Gauss plenty. */
    table = gsl_integration_glfixed_table_alloc(16);
    if (!table)
        return (double)NAN;
    for (int z = -9; z < 9; z++)
        inside += gsl_integration_glfixed(&density, z, z + 1, table);
    gsl_integration_glfixed_table_free(table); /* which takes no NULL */
    return 1 - inside;
}

double opevo_normal_range_quantile(double tail, size_t count)
{
    double low = 0, high = 1, at_high = opevo_normal_range_tail(high, count);

    while (at_high > tail) {
        low = high;
        high *= 2;
        at_high = opevo_normal_range_tail(high, count);
    }
    while (high - low > 1e-10 * high && !isnan(at_high)) {
        double middle = low + (high - low) / 2, at_middle = opevo_normal_range_tail(middle, count);

        if (at_middle > tail) {
            low = middle;
        } else {
            high = middle;
            at_high = at_middle;
        }
    }
    return isnan(at_high) ? (double)NAN : high;
}

double opevo_nemenyi_difference(size_t count, size_t blocks, double alpha)
{
    double k = (double)count;

    return opevo_normal_range_quantile(alpha, count) / sqrt(2) *
           sqrt(k * (k + 1) / (6 * (double)blocks));
}
