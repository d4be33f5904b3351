/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The exact law of the statistic of Mann and Whitney is built from the best run downwards: when m
 * runs of X and n of Y are left, the best of them is a Y with probability nk / (m + nk), and it
 * then beats the m of X. So, with u the number of pairs that Y wins,
 *
 *     P(m,n,u) = nk/(m+nk) P(m,n-1,u-m) + m/(m+nk) P(m-1,n,u),
 *
 * and k = 1 is the law without a difference. A row holds P(m, n, .) for one m and all n. */

#include <opevo/sample_size.h>

#include <opevo/comparison.h>
#include <opevo/gsl_errors.h>
#include <opevo/memory.h>

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Up to so many pairs the sign test's power is computed. */
enum { SIGN_TEST_MAX = 20000 };

/* ---- The exact law of the rank statistic ---- */

typedef struct rank_law {
    double odds;   /* k */
    unsigned size; /* largest n */
    double *row, *next;
} rank_law;

/* P(m, n, 0) in a row of m: before it stand the m i + 1 numbers of each i < n. */
static size_t start(size_t m, size_t n)
{
    return m * n * (n ? n - 1 : 0) / 2 + n;
}

static bool begin_law(rank_law *self, double odds, unsigned size)
{
    *self = (rank_law){.odds = odds, .size = size};
    self->row = opevo_malloc(start(size, size + 1), sizeof *self->row);
    self->next = opevo_malloc(start(size, size + 1), sizeof *self->next);
    if (!self->row || !self->next)
        return false;
    for (unsigned n = 0; n <= size; n++)
        self->row[n] = 1; /* no X left to be beaten */
    return true;
}

static void end_law(rank_law *self)
{
    opevo_free(self->row);
    opevo_free(self->next);
}

/* From the row of m - 1 to that of m. */
static void advance(rank_law *self, size_t m)
{
    double *swap = self->row;

    self->next[0] = 1;
    for (size_t n = 1; n <= self->size; n++) {
        double weight = (double)n * self->odds;
        double is_y = weight / ((double)m + weight);
        const double *left = self->next + start(m, n - 1); /* m (n-1) + 1 numbers */
        const double *up = self->row + start(m - 1, n);    /* (m-1) n + 1 numbers */
        double *out = self->next + start(m, n);

        for (size_t u = 0; u <= m * n; u++)
            out[u] =
                (u >= m ? is_y * left[u - m] : 0) + (u <= (m - 1) * n ? (1 - is_y) * up[u] : 0);
    }
    self->row = self->next;
    self->next = swap;
}

/* Power of the test with n runs each, from the rows of m = n of the law without a difference and
 * of the other. */
static double power_from(const double *null, const double *law, size_t n, double alpha)
{
    size_t last = n * n;
    double level = 0;
    double power = 0;

    for (size_t u = 0; 2 * u < last; u++) {
        level += null[u];
        if (2 * level > alpha)
            break;
        power += law[u] + law[last - u];
    }
    return power;
}

/* Raise n until the power is there; *found = 0 when it is not up to `size`. With `only`, the power
 * at that n. */
static opevo_status search(double p, double alpha, double power, unsigned size, unsigned only,
                           uint64_t *found, double *reached, opevo_error *err)
{
    rank_law null = {.size = 0};
    rank_law law = {.size = 0};
    opevo_status status = OPEVO_OK;

    *found = 0;
    OPEVO_NEED(begin_law(&null, 1, size) && begin_law(&law, p / (1 - p), size),
               "the power of a test");
    for (unsigned n = 1; n <= size && !*found; n++) {
        advance(&null, n);
        advance(&law, n);
        if (only && n != only)
            continue;
        *reached = power_from(null.row + start(n, n), law.row + start(n, n), n, alpha);
        if (only || *reached >= power)
            *found = n;
    }
cleanup:
    end_law(&null);
    end_law(&law);
    return status;
}

opevo_status opevo_rank_test_power(double p, double alpha, unsigned n, double *power,
                                   opevo_error *err)
{
    uint64_t found = 0;

    if (!(p > 0 && p < 1 && alpha > 0 && alpha < 1) || n < 1 || n > OPEVO_SAMPLE_SIZE_EXACT_MAX)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The power of the rank test is known for probabilities inside (0, 1) and "
                          "1 to %d runs.",
                          (int)OPEVO_SAMPLE_SIZE_EXACT_MAX);
    return search(p, alpha, 1, n, n, &found, power, err);
}

/* ---- The others ---- */

/* The smallest number of pairs at which the exact two-sided sign test has the power. The largest
 * number of signs against it that still rejects, `c`, grows with n by 0 or 1; -1: none. */
static uint64_t pairs_for_sign_test(double p, double alpha, double power, double *reached)
{
    unsigned n = 0;
    int c = -1;

    do {
        n++;
        if (2 * gsl_cdf_binomial_P((unsigned)(c + 1), .5, n) <= alpha)
            c++;
        *reached = c < 0 ? 0
                         : gsl_cdf_binomial_P((unsigned)c, p, n) +
                               gsl_cdf_binomial_Q(n - (unsigned)c - 1, p, n);
    } while (*reached < power);
    return n;
}

static uint64_t runs_for_any_law(double p, double z_a, double z_b)
{
    double n = 1;

    while (z_a * sqrt((2 * n + 1) / (12 * n * n)) + z_b * sqrt(p * (1 - p) / n) > p - .5)
        n++;
    return (uint64_t)n;
}

opevo_status opevo_sample_size_for(double p, double alpha, double power, opevo_sample_size *out,
                                   opevo_error *err)
{
    opevo_sample_size self = {.noether = 0};
    opevo_status status = OPEVO_OK;
    double z_a = 0;
    double z_b = 0;
    double wanted = 0;

    if (!(p > 0 && p < 1 && fabs(p - .5) >= .001))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A probability of superiority must be between 0 and 1 and at least 0.001 "
                          "away from a half.");
    if (!(alpha > 0 && alpha < power && power < 1))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The power must be between the level of the test and 1.");
    p = p < .5 ? 1 - p : p;
    z_a = gsl_cdf_ugaussian_Qinv(alpha / 2);
    z_b = gsl_cdf_ugaussian_Pinv(power);
    wanted = (z_a + z_b) * (z_a + z_b) / (6 * (p - .5) * (p - .5));
    self.noether = (uint64_t)ceil(wanted);
    self.pairs_signed_rank = (uint64_t)ceil(opevo_signed_rank_pairs(p, alpha, power));
    self.any = runs_for_any_law(p, z_a, z_b);
    self.pairs_sign = (uint64_t)ceil(1.5 * wanted);
    if (self.pairs_sign <= SIGN_TEST_MAX)
        self.pairs_sign = pairs_for_sign_test(p, alpha, power, &self.pairs_sign_power);
    if (1.1 * wanted < OPEVO_SAMPLE_SIZE_EXACT_MAX)
        OPEVO_TRY(search(p, alpha, power,
                         (unsigned)fmin(1.1 * wanted + 20, OPEVO_SAMPLE_SIZE_EXACT_MAX), 0,
                         &self.exact, &self.exact_power, err));
    *out = self;
cleanup:
    return status;
}
