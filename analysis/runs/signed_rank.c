/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Paired comparison by ranks. The exact distribution counts signs: with ranks doubled to be whole
 * numbers, multiplying the polynomials (1 + x^(2r)) / 2 gives P(T = t) for all t. */

#include <opevo/comparison.h>

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>

#include <gsl/gsl_cdf.h>

#include <math.h>
#include <stdlib.h>

enum { MOST_EXACT = 150 };

typedef struct difference {
    double size;
    int sign;
    double rank;
} difference;

static int by_size(const void *a, const void *b)
{
    const difference *x = a, *y = b;

    return (x->size > y->size) - (x->size < y->size);
}

static void rank_all(difference *sorted, size_t count)
{
    for (size_t i = 0, end = 0; i < count; i = end) {
        for (end = i + 1; end < count && sorted[end].size <= sorted[i].size; end++) {
        }
        for (size_t j = i; j < end; j++)
            sorted[j].rank = (double)(i + 1 + end) / 2;
    }
}

/* P(T <= least), T the sum of the ranks with positive sign. `law` has room for all doubled sums up
 * to `most`. */
static double exact_tail(const difference *sorted, size_t count, double least, double *law,
                         size_t most)
{
    size_t reach = 0; /* largest doubled sum so far */
    double tail = 0;

    for (size_t t = 0; t <= most; t++)
        law[t] = 0;
    law[0] = 1;
    for (size_t i = 0; i < count; i++) {
        size_t step = (size_t)(2 * sorted[i].rank);

        if (sorted[i].sign == 0)
            continue;
        reach += step;
        for (size_t t = reach + 1; t-- > step;)
            law[t] = (law[t] + law[t - step]) / 2;
        for (size_t t = 0; t < step && t <= reach; t++)
            law[t] /= 2;
    }
    for (size_t t = 0; (double)t <= 2 * least && t <= reach; t++)
        tail += law[t];
    return tail;
}

static double normal_tail(const difference *sorted, size_t count, double least, double total)
{
    double squares = 0;

    for (size_t i = 0; i < count; i++)
        squares += sorted[i].sign ? sorted[i].rank * sorted[i].rank : 0;
    return gsl_cdf_ugaussian_P((least + 0.5 - total / 2) / sqrt(squares / 4));
}

static opevo_status find_p(const difference *sorted, opevo_signed_rank *test, opevo_error *err)
{
    double total = test->plus + test->minus, least = fmin(test->plus, test->minus);
    size_t most = (size_t)(2 * total);
    double *law = NULL;

    test->exact = test->wins + test->losses <= MOST_EXACT;
    if (test->wins + test->losses == 0) {
        test->p = 1;
    } else if (!test->exact) {
        test->p = fmin(1, 2 * normal_tail(sorted, test->pairs, least, total));
    } else {
        law = opevo_malloc(most + 1, sizeof *law);
        if (!law)
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a signed-rank test.");
        test->p = fmin(1, 2 * exact_tail(sorted, test->pairs, least, law, most));
        opevo_free(law);
    }
    return OPEVO_OK;
}

opevo_status opevo_signed_rank_test(const double *differences, size_t count, opevo_signed_rank *out,
                                    opevo_error *err)
{
    opevo_signed_rank test = {.pairs = count};
    opevo_status status = OPEVO_OK;
    difference *sorted = opevo_malloc(count, sizeof *sorted);

    if (!sorted)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu differences.", count);
    for (size_t i = 0; i < count; i++) {
        double d = differences[i];

        if (!isfinite(d)) {
            status = OPEVO_FAIL(err, OPEVO_INVALID, "Difference %zu is not a finite number.", i);
            goto cleanup;
        }
        sorted[i] = (difference){fabs(d), (d > 0) - (d < 0), 0};
        test.wins += d > 0;
        test.losses += d < 0;
    }
    test.ties = count - test.wins - test.losses;
    qsort(sorted, count, sizeof *sorted, by_size);
    rank_all(sorted, count);
    for (size_t i = 0; i < count; i++) {
        test.plus += sorted[i].sign > 0 ? sorted[i].rank : 0;
        test.minus += sorted[i].sign < 0 ? sorted[i].rank : 0;
    }
    OPEVO_TRY(find_p(sorted, &test, err));
    if (test.plus + test.minus > 0)
        test.rank_biserial = (test.plus - test.minus) / (test.plus + test.minus);
    test.superiority =
        count ? ((double)test.wins + (double)test.ties / 2) / (double)count : (double)NAN;
    *out = test;
cleanup:
    opevo_free(sorted);
    return status;
}

double opevo_signed_rank_pairs(double share, double alpha, double power)
{
    double z = gsl_cdf_ugaussian_Pinv(1 - alpha / 2) + gsl_cdf_ugaussian_Pinv(power);

    return z * z / (3 * (share - 0.5) * (share - 0.5));
}

typedef struct indexed {
    double p;
    size_t at;
} indexed;

static int by_p(const void *a, const void *b)
{
    const indexed *x = a, *y = b;

    return (x->p > y->p) - (x->p < y->p);
}

opevo_status opevo_holm_adjust(const double *p, size_t count, double *adjusted, opevo_error *err)
{
    indexed *sorted = opevo_malloc(count, sizeof *sorted);
    size_t family = 0;
    double running = 0;

    if (!sorted)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to adjust %zu p-values.", count);
    for (size_t i = 0; i < count; i++) {
        adjusted[i] = p[i];
        if (!isnan(p[i]))
            sorted[family++] = (indexed){p[i], i};
    }
    qsort(sorted, family, sizeof *sorted, by_p);
    for (size_t i = 0; i < family; i++) {
        running = fmax(running, fmin(1, (double)(family - i) * sorted[i].p));
        adjusted[sorted[i].at] = running;
    }
    opevo_free(sorted);
    return OPEVO_OK;
}
