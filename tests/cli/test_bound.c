/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Bounds as they are printed: never below the bound, and above it by less than one in its second
 * digit. Intervals as they are printed have all of the interval in them, and less than one in the
 * last digit more at each end. */

#include "check.h"
#include "draw.h"

#include "law_rows_internal.h"
#include "terminal_internal.h"

#include <opevo/law.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is printed lies above the bound also in long double, where most decimal numbers are not
 * rounded to the double that they stand for. */
static void check_bound(double bound)
{
    opevo_text text = {0};
    long double printed = 0;

    opevo_i_cli_text_add_bound(&text, bound);
    printed = strtold(opevo_text_string(&text), NULL);
    if (!(printed >= (long double)bound) || !(printed <= 1.2L * (long double)bound))
        fail_msg("%.17g is printed as %s", bound, opevo_text_string(&text));
    assert_in_range(text.length, 1, 7); /* "1.2e-16" */
    opevo_text_free(&text);
}

CHECK_TEST(test_bounds)
{
    uint64_t random = 1;

    for (int exponent = -90; exponent <= 90; exponent++) {
        for (int digits = 10; digits < 100; digits++) {
            char text[16];
            double bound = 0;

            snprintf(text, sizeof text, "%de%d", digits, exponent);
            bound = strtod(text, NULL);
            check_bound(bound);
            check_bound(nextafter(bound, 0));
            check_bound(nextafter(bound, INFINITY));
        }
    }
    for (int i = 0; i < 100000; i++)
        check_bound(ldexp(1 + (double)draw(&random, UINT64_C(1) << 52) * 0x1p-52,
                          (int)draw(&random, 600) - 300));
}

static void check_interval(char form, int digits, double low, double high)
{
    long double printed[2] = {0}, unit[2] = {0}, ends[2] = {low, high};
    opevo_text text = {0};
    char *rest = NULL;

    opevo_i_cli_text_add_interval(&text, form, digits, low, high);
    printed[0] = strtold(opevo_text_string(&text), &rest);
    if (strncmp(rest, " to ", 4) != 0)
        fail_msg("%.17g to %.17g is printed as %s", low, high, opevo_text_string(&text));
    printed[1] = strtold(rest + 4, NULL);
    for (int i = 0; i < 2; i++) {
        long double exponent = form == 'f' || ends[i] == 0 ? 0 : floorl(log10l(fabsl(ends[i]))) + 1;

        unit[i] = powl(10, exponent - digits) * (1 + 1e-12L);
    }
    if (!(printed[0] <= ends[0]) || !(printed[1] >= ends[1]) || ends[0] - printed[0] > unit[0] ||
        printed[1] - ends[1] > unit[1])
        fail_msg("%.17g to %.17g is printed as %s", low, high, opevo_text_string(&text));
    opevo_text_free(&text);
}

CHECK_TEST(test_intervals)
{
    uint64_t random = 1;

    for (int i = 0; i < 100000; i++) {
        double low = (double)draw(&random, UINT64_C(1) << 53) * 0x1p-53;
        double high = low + (1 - low) * (double)draw(&random, 1000) / 999;

        check_interval('f', 4, low, high);
        check_interval('g', 5, low * 1e-3, high * 1e3);
        check_interval('g', 5, -high, -low);
    }
}

static void check_interval_text(double low, double high, const char *wanted)
{
    opevo_text text = {0};

    opevo_i_cli_text_add_interval(&text, 'f', 4, low, high);
    assert_string_equal(opevo_text_string(&text), wanted);
    opevo_text_free(&text);
}

CHECK_TEST(test_interval_texts)
{
    check_interval_text(0, 1, "0.0000 to 1.0000");
    check_interval_text(0.35657, 0.76084, "0.3565 to 0.7609");
    check_interval_text(0.12341, 0.12349, "0.1234 to 0.1235");
    check_interval_text(0.5, 0.75, "0.5000 to 0.7500");
}

static void check_text(double bound, const char *wanted)
{
    opevo_text text = {0};

    opevo_i_cli_text_add_bound(&text, bound);
    assert_string_equal(opevo_text_string(&text), wanted);
    opevo_text_free(&text);
}

CHECK_TEST(test_texts)
{
    check_text(0, "0");
    check_text(0x1p-53, "1.2e-16");
    check_text(0.0994, "0.1");
    check_text(9.99e-7, "1e-06");
    check_text(1.21, "1.3");
    check_text(0.5, "0.5");
    check_text(INFINITY, "inf");
}

/* On the complete graph with n vertices each other vertex has q / (n - 1 + q), in long double. */
static void check_law(const char *parameter_text, size_t n, double q)
{
    long double other = q / (n - 1 + (long double)q), error = 0;
    opevo_parameter *parameter = NULL;
    opevo_law *law = NULL;
    opevo_text text = {0};

    CHECK_OK(opevo_parameter_parse("P", parameter_text, NULL, &parameter, &err));
    CHECK_OK(opevo_law_create(parameter, q, 0, NULL, &law, &err));
    for (size_t v = 0; v < n; v++) {
        opevo_text_clear(&text);
        opevo_text_add_double(&text, opevo_law_probability(law, v));
        error += fabsl(strtold(opevo_text_string(&text), NULL) -
                       (v ? other : 1 - (long double)(n - 1) * other));
    }
    opevo_text_clear(&text);
    opevo_text_add_double(&text, opevo_i_cli_law_printed_bound(law));
    if (error > strtold(opevo_text_string(&text), NULL))
        fail_msg("%s, q = %g: off by %Lg, said to be %s", parameter_text, q, error,
                 opevo_text_string(&text));
    assert_true(strtod(opevo_text_string(&text), NULL) < opevo_law_bound(law) + 3e-16);
    opevo_text_free(&text);
    opevo_law_destroy(law);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_printed_law)
{
    char text[512] = "categorical(0";

    for (size_t n = 2; n <= 60; n++) {
        size_t length = strlen(text);

        snprintf(text + length, sizeof text - length, ",%zu)", n - 1);
        for (int k = 1; k < 40; k++)
            check_law(text, n, k / 40.0);
        text[strlen(text) - 1] = '\0';
    }
}
