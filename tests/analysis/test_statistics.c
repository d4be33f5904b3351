/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "check.h"

#include <opevo/statistics.h>
#include <opevo/summary.h>

/* Two degrees of freedom: P(X > x) = exp(-x/2); one: erfc(sqrt(x/2)). */
CHECK_TEST(test_central_closed_forms)
{
    for (int i = 0; i < 20; i++) {
        double x = 0.01 * pow(1.7, i);

        CHECK_CLOSE(opevo_chi_square_tail(x, 2) / exp(-x / 2), 1, 1e-11);
        CHECK_CLOSE(opevo_chi_square_tail(x, 1) / erfc(sqrt(x / 2)), 1, 1e-11);
    }
    CHECK_CLOSE(opevo_chi_square_tail(0, 5), 1, 0);
    CHECK_CLOSE(opevo_chi_square_tail(1e9, 5), 0, 0);
    CHECK_CLOSE(opevo_chi_square_tail(INFINITY, 5), 0, 0);
    CHECK_CLOSE(opevo_chi_square_tail(0, 0), 0, 0);
}

/* The quantile undoes the tail, also for the many degrees of freedom where GSL's inverse fails. */
CHECK_TEST(test_quantile_undoes_tail)
{
    static const double k[] = {1, 2, 7, 100, 1e4, 1e6};
    static const double p[] = {0.999, 0.5, 1e-3, 1e-6, 1e-12};

    for (size_t i = 0; i < sizeof k / sizeof k[0]; i++)
        for (size_t j = 0; j < sizeof p / sizeof p[0]; j++) {
            double x = opevo_chi_square_quantile(p[j], k[i]);

            CHECK_CLOSE(opevo_chi_square_tail(x, k[i]) / p[j], 1, 1e-7);
        }
    CHECK_CLOSE(opevo_chi_square_quantile(1e-6, 2), -2 * log(1e-6), 1e-10);
}

/* One degree of freedom is the square of a normal variable with mean sqrt(noncentrality). */
CHECK_TEST(test_noncentral_one_degree)
{
    for (int i = 0; i < 14; i++) {
        for (int j = 0; j < 16; j++) {
            double lambda = i > 0 ? 0.3 * pow(2, i) : 0, x = 0.05 * pow(2.1, j);
            double a = sqrt(x), b = sqrt(lambda), truncation = 1;
            double exact = 0.5 * (erfc((a - b) / sqrt(2)) + erfc((a + b) / sqrt(2)));

            CHECK_CLOSE(opevo_noncentral_chi_square_tail(x, 1, lambda, &truncation), exact, 2e-12);
            assert_true(truncation >= 0 && truncation < 1e-14);
        }
    }
}

/* Noncentrality 0 is the central law, and d Q_k / d lambda = (Q_{k+2} - Q_k) / 2. */
CHECK_TEST(test_noncentral_any_degrees)
{
    static const double k[] = {2, 7, 63.5, 1000};

    for (size_t i = 0; i < sizeof k / sizeof k[0]; i++) {
        for (int j = 0; j < 11; j++) {
            double x = k[i] / 3 * pow(1.3, j);
            double lambda = 0.8 * k[i] + 3, h = 1e-3;
            double up = opevo_noncentral_chi_square_tail(x, k[i], lambda + h, NULL);
            double down = opevo_noncentral_chi_square_tail(x, k[i], lambda - h, NULL);
            double here = opevo_noncentral_chi_square_tail(x, k[i], lambda, NULL);
            double next = opevo_noncentral_chi_square_tail(x, k[i] + 2, lambda, NULL);

            CHECK_CLOSE((up - down) / (2 * h), (next - here) / 2, 1e-8);
            CHECK_CLOSE(opevo_noncentral_chi_square_tail(x, k[i], 0, NULL),
                        opevo_chi_square_tail(x, k[i]), 1e-13);
        }
    }
}

CHECK_TEST(test_noncentrality_for_power)
{
    static const double k[] = {1, 7, 50, 2000, 1e5};

    for (size_t i = 0; i < sizeof k / sizeof k[0]; i++) {
        double critical = opevo_chi_square_quantile(1e-6, k[i]);
        double lambda = opevo_noncentrality_for_power(k[i], 1e-6, 0.999);

        CHECK_CLOSE(opevo_noncentral_chi_square_tail(critical, k[i], lambda, NULL), 0.999, 1e-9);
    }
    assert_true(isinf(opevo_noncentrality_for_power(0, 1e-6, 0.999)));
}

CHECK_TEST(test_moments)
{
    double values[] = {4, 1, 3, 2}, one[] = {7};
    opevo_moments m = opevo_moments_of(values, 4);

    assert_int_equal(m.count, 4);
    CHECK_CLOSE(m.mean, 2.5, 0);
    CHECK_CLOSE(m.sd, sqrt(5.0 / 3), 1e-15);
    CHECK_CLOSE(m.min, 1, 0);
    CHECK_CLOSE(m.max, 4, 0);
    CHECK_CLOSE(m.median, 2.5, 0);
    m = opevo_moments_of(one, 1);
    CHECK_CLOSE(m.mean, 7, 0);
    CHECK_CLOSE(m.median, 7, 0);
    assert_true(isnan(m.sd));
    m = opevo_moments_of(NULL, 0);
    assert_int_equal(m.count, 0);
    assert_true(isnan(m.mean) && isnan(m.sd) && isnan(m.min) && isnan(m.max) && isnan(m.median));
}

/* A large common part must not swamp the spread. */
CHECK_TEST(test_moments_far_from_zero)
{
    double values[1000];
    opevo_moments m;

    for (int i = 0; i < 1000; i++)
        values[i] = 1e9 + (i % 2 ? 1 : -1);
    m = opevo_moments_of(values, 1000);
    CHECK_CLOSE(m.sd, sqrt(1000.0 / 999), 1e-9);
}

CHECK_TEST(test_quantiles)
{
    static const double values[] = {10, 20, 30, 40, 50};

    CHECK_CLOSE(opevo_quantile_sorted(values, 5, 0), 10, 0);
    CHECK_CLOSE(opevo_quantile_sorted(values, 5, 1), 50, 0);
    CHECK_CLOSE(opevo_quantile_sorted(values, 5, 0.5), 30, 0);
    CHECK_CLOSE(opevo_quantile_sorted(values, 5, 0.1), 14, 1e-13);
    CHECK_CLOSE(opevo_quantile_sorted(values, 1, 0.3), 10, 0);
    assert_true(isnan(opevo_quantile_sorted(values, 0, 0.5)));
}
