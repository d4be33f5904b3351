/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A call that GSL refuses, or that finds no memory, ends no program: its result is checked. */

#include "check.h"

#include <opevo/bootstrap.h>
#include <opevo/comparison.h>
#include <opevo/statistics.h>

#include <dlfcn.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_permutation.h>

/* ---- Allocations of GSL that fail ---- */

static bool no_memory;

/* These stand before GSL's of the same names. */
gsl_permutation *gsl_permutation_calloc(size_t n)
{
    gsl_permutation *(*real)(size_t) = NULL;

    if (no_memory)
        GSL_ERROR_NULL("no memory", GSL_ENOMEM);
    *(void **)&real = dlsym(RTLD_NEXT, "gsl_permutation_calloc");
    return real(n);
}

gsl_integration_glfixed_table *gsl_integration_glfixed_table_alloc(size_t n)
{
    gsl_integration_glfixed_table *(*real)(size_t) = NULL;

    if (no_memory)
        GSL_ERROR_NULL("no memory", GSL_ENOMEM);
    *(void **)&real = dlsym(RTLD_NEXT, "gsl_integration_glfixed_table_alloc");
    return real(n);
}

CHECK_TEST(failed_allocations)
{
    static const double values[] = {1, 2, 3, 3, 1, 2, 2, 3, 1};
    double mean_ranks[3];
    opevo_friedman test;

    CHECK_OK(opevo_friedman_test(values, 3, 3, 1, mean_ranks, &test, &err));
    assert_true(test.exact && isfinite(opevo_nemenyi_difference(3, 3, 0.05)));
    no_memory = true;
    CHECK_FAILS(OPEVO_NOMEM, "No memory",
                opevo_friedman_test(values, 3, 3, 1, mean_ranks, &test, &err));
    assert_true(isnan(opevo_normal_range_tail(2, 3)));
    assert_true(isnan(opevo_normal_range_quantile(0.05, 3)));
    assert_true(isnan(opevo_nemenyi_difference(3, 3, 0.05)));
    no_memory = false;
}

/* ---- Numbers outside the domain ---- */

CHECK_TEST(refused_numbers)
{
    assert_true(isnan(gsl_cdf_binomial_P(3, 1.5, 7)));
    assert_true(isnan(opevo_chi_square_tail(3, (double)NAN)));
    assert_true(isnan(opevo_chi_square_quantile(0.05, (double)NAN)));
    assert_true(isnan(opevo_noncentrality_for_power((double)NAN, 0.05, 0.9)));
}

/* GSL's continued fraction for the beta law does not converge here; an end that is not known is not
 * one that is wrong. */
CHECK_TEST(shares_of_very_many)
{
    opevo_interval interval = opevo_share_interval(100000, 1000000, 0.95);
    uint64_t unknown = 0;

    assert_true(interval.low < 0.1 && 0.1 < interval.high && interval.high < 0.101);
    for (uint64_t count = 10000000; count <= 10000000000000; count *= 10) {
        interval = opevo_share_interval(count / 9, count, 0.95);
        unknown += isnan(interval.low) || isnan(interval.high);
        assert_true(isnan(interval.low) || (interval.low > 0.11 && interval.low < 1.0 / 9));
        assert_true(isnan(interval.high) || (interval.high < 0.112 && interval.high > 1.0 / 9));
    }
    assert_true(unknown > 0);
}

/* ---- The handler ---- */

static int errors;

static void count_errors(const char *reason, const char *file, int line, int code)
{
    errors++;
}

/* The handler that a program sets stays. */
CHECK_TEST(handler_of_the_program)
{
    gsl_error_handler_t *before = gsl_set_error_handler(count_errors);

    assert_non_null(before); /* not the default, which ends the program */
    opevo_chi_square_tail(3, 2);
    gsl_cdf_binomial_P(3, 1.5, 7);
    assert_int_equal(errors, 1);
    assert_true(gsl_set_error_handler(before) == count_errors);
}
