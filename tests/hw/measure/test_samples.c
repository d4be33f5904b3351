/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "check.h"

#include "samples_internal.h"

#include <opevo/sign_test.h>

/* P(Bin(n, 1/2) < k), by adding binomial coefficients. */
static double below(size_t n, size_t k)
{
    double sum = 0;
    double term = pow(0.5, (double)n);

    for (size_t i = 0; i < k; i++) {
        sum += term;
        term *= (double)(n - i) / (double)(i + 1);
    }
    return sum;
}

/* [x_(l), x_(n+1-l)] covers the median with 1 - 2 P(Bin < l); l must be the largest that keeps the
 * confidence, and the interval symmetric in ranks. */
CHECK_TEST(test_interval)
{
    double ranks[200];
    double low = 0;
    double high = 0;

    for (size_t i = 0; i < 200; i++)
        ranks[i] = (double)(i + 1);
    for (size_t n = 1; n <= 200; n++) {
        bool found = opevo_median_interval(ranks, n, 0.95, &low, &high);
        size_t l = found ? (size_t)low : 0;

        assert_int_equal(found, n >= 6);
        if (!found)
            continue;
        assert_int_equal((size_t)high, n + 1 - l);
        assert_true(below(n, l) <= 0.025);
        assert_true(2 * l >= n || below(n, l + 1) > 0.025);
    }
}

CHECK_TEST(test_median)
{
    double odd[] = {5, 1, 3};
    double even[] = {8, 1, 2, 4};

    opevo_i_wire_sort(odd, 3);
    opevo_i_wire_sort(even, 4);
    assert_true(opevo_i_wire_median(odd, 3) == 3);
    assert_true(opevo_i_wire_median(even, 4) == 3);
}

/* What is written in milliseconds and read back is the same time. */
CHECK_TEST(test_recordable)
{
    double x = 0.37;

    for (int i = 0; i < 100000; i++) {
        double time_s = 0;
        double ms = 0;
        bool back = false;

        x = 3.9 * x * (1 - x); /* anything irregular */
        time_s = opevo_i_wire_recordable_s(x * 1e-3);
        ms = time_s * 1e3;
        CHECK_CLOSE(time_s, x * 1e-3, 1e-18);
        back = ms / 1e3 == time_s || nextafter(ms, 0) / 1e3 == time_s ||
               nextafter(ms, 1) / 1e3 == time_s;
        assert_true(back);
    }
}

/* What another process took of a core is not in the time of a window. */
CHECK_TEST(test_window_times)
{
    const double elapsed_s[] = {2e-3, 9e-3, 1e-3};
    const double processor_s[] = {2.5e-3, 2e-3, 4e-3};
    double times[3];

    opevo_i_wire_window_times(elapsed_s, processor_s, 3, times);
    assert_true(times[0] == 2e-3 && times[1] == 2e-3 && times[2] == 1e-3);
}

/* Of few windows the least, of many one that ten percent are below. */
CHECK_TEST(test_time_of_windows)
{
    double times[201];

    for (size_t i = 0; i < 201; i++)
        times[i] = (double)(i + 1);
    for (size_t count = 1; count <= 5; count++)
        assert_true(opevo_i_wire_time_of_windows(times, count) == 1);
    assert_true(opevo_i_wire_time_of_windows(times, 11) == 2);
    assert_true(opevo_i_wire_time_of_windows(times, 201) == 21);
}
