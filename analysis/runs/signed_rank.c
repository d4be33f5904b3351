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
    double least, most; /* its size lies between them */
    int sign;
    double rank;
} difference;

static difference make(double value, double error)
{
    double size = fabs(value);

    if (size <= error)
        return (difference){0, 0, 0, 0};
    return (difference){size - error, size + error, value > 0 ? 1 : -1, 0};
}

static int by_least(const void *a, const void *b)
{
    const difference *x = a, *y = b;

    return (x->least > y->least) - (x->least < y->least);
}

/* Sizes that may be equal, directly or by others between them, share a rank. */
static void rank_all(difference *sorted, size_t count)
{
    for (size_t i = 0, end = 0; i < count; i = end) {
        double most = sorted[i].most;

        for (end = i + 1; end < count && sorted[end].least <= most; end++)
            most = fmax(most, sorted[end].most);
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
        OPEVO_NEED_OR_RETURN(law, "a signed-rank test");
        test->p = fmin(1, 2 * exact_tail(sorted, test->pairs, least, law, most));
        opevo_free(law);
    }
    return OPEVO_OK;
}

/* Ranks the differences in place. */
static opevo_status test_differences(difference *differences, size_t count, opevo_signed_rank *out,
                                     opevo_error *err)
{
    opevo_signed_rank test = {.pairs = count, .superiority = NAN};
    opevo_status status = OPEVO_OK;

    qsort(differences, count, sizeof *differences, by_least);
    rank_all(differences, count);
    for (size_t i = 0; i < count; i++) {
        test.wins += differences[i].sign > 0;
        test.losses += differences[i].sign < 0;
        test.plus += differences[i].sign > 0 ? differences[i].rank : 0;
        test.minus += differences[i].sign < 0 ? differences[i].rank : 0;
    }
    test.ties = count - test.wins - test.losses;
    status = find_p(differences, &test, err);
    if (status != OPEVO_OK)
        return status;
    if (test.plus + test.minus > 0)
        test.rank_biserial = (test.plus - test.minus) / (test.plus + test.minus);
    if (count)
        test.superiority = ((double)test.wins + (double)test.ties / 2) / (double)count;
    *out = test;
    return OPEVO_OK;
}

/* Of a - b, or of a alone as it is where b is NULL. */
static opevo_status test_all(const double *a, const double *b, size_t count, opevo_signed_rank *out,
                             opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    difference *differences = opevo_malloc(count, sizeof *differences);

    OPEVO_NEED_OR_RETURN(differences, "%zu differences", count);
    for (size_t i = 0; i < count; i++) {
        double value = b ? a[i] - b[i] : a[i];

        if (!isfinite(value)) {
            status = OPEVO_FAIL(err, OPEVO_INVALID, "Difference %zu is not a finite number.", i);
            goto cleanup;
        }
        differences[i] = make(value, b ? OPEVO_ROUNDING * (fabs(a[i]) + fabs(b[i])) : 0);
    }
    status = test_differences(differences, count, out, err);
cleanup:
    opevo_free(differences);
    return status;
}

opevo_status opevo_signed_rank_test(const double *differences, size_t count, opevo_signed_rank *out,
                                    opevo_error *err)
{
    return test_all(differences, NULL, count, out, err);
}

opevo_status opevo_signed_rank_test_of_pairs(const double *a, const double *b, size_t count,
                                             opevo_signed_rank *out, opevo_error *err)
{
    return test_all(a, b, count, out, err);
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

    OPEVO_NEED_OR_RETURN(sorted, "adjusting %zu p-values", count);
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
