/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Friedman's test and Nemenyi's critical difference. The range of normal variables (the studentized
 * range with infinite degrees of freedom), which GSL lacks, is one smooth integral. */

#include <opevo/comparison.h>

#include <opevo/memory.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sort.h>

#include <math.h>

void opevo_midranks_descending(const double *values, size_t count, size_t *order, double *ranks)
{
    gsl_sort_index(order, values, 1, count); /* ascending */
    for (size_t i = 0, end = 0; i < count; i = end) {
        for (end = i + 1; end < count && values[order[end]] <= values[order[i]]; end++) {
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

opevo_status opevo_friedman_test(const double *values, size_t blocks, size_t count,
                                 double *mean_ranks, opevo_friedman *out, opevo_error *err)
{
    opevo_friedman test = {.blocks = blocks, .count = count};
    double middle = ((double)count + 1) / 2, between = 0, within = 0;
    double *ranks = NULL;
    size_t *order = NULL;
    opevo_status status = OPEVO_OK;

    if (blocks < 2 || count < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Friedman's test needs at least 2 blocks and 2 things to compare.");
    for (size_t i = 0; i < blocks * count; i++) {
        if (isnan(values[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Block %zu holds a value that is no number.",
                              i / count);
    }
    ranks = opevo_malloc(count, sizeof *ranks);
    order = opevo_malloc(count, sizeof *order);
    if (!ranks || !order) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for ranks.");
        goto cleanup;
    }
    for (size_t j = 0; j < count; j++)
        mean_ranks[j] = 0;
    for (size_t i = 0; i < blocks; i++) {
        opevo_midranks_descending(values + i * count, count, order, ranks);
        for (size_t j = 0; j < count; j++) {
            mean_ranks[j] += ranks[j];
            within += (ranks[j] - middle) * (ranks[j] - middle);
        }
    }
    for (size_t j = 0; j < count; j++) {
        double off = mean_ranks[j] - (double)blocks * middle;

        between += off * off;
        mean_ranks[j] /= (double)blocks;
    }
    judge(&test, between, within);
    *out = test;
cleanup:
    opevo_free(ranks);
    opevo_free(order);
    return status;
}

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
    for (int z = -9; table && z < 9; z++)
        inside += gsl_integration_glfixed(&density, z, z + 1, table);
    gsl_integration_glfixed_table_free(table);
    return table ? 1 - inside : (double)NAN;
}

double opevo_normal_range_quantile(double tail, size_t count)
{
    double low = 0, high = 1;

    while (opevo_normal_range_tail(high, count) > tail) {
        low = high;
        high *= 2;
    }
    while (high - low > 1e-10 * high) {
        double middle = low + (high - low) / 2;

        if (opevo_normal_range_tail(middle, count) > tail)
            low = middle;
        else
            high = middle;
    }
    return high;
}

double opevo_nemenyi_difference(size_t count, size_t blocks, double alpha)
{
    double k = (double)count;

    return opevo_normal_range_quantile(alpha, count) / sqrt(2) *
           sqrt(k * (k + 1) / (6 * (double)blocks));
}
