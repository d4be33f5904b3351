/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Bounds as they are printed: never below the bound, and above it by less than one in its second digit. */

#include "check.h"
#include "draw.h"

#include "cli_internal.h"

#include <stdlib.h>

/* What is printed lies above the bound also in long double, where most decimal numbers are not rounded
 * to the double that they stand for. */
static void check_bound(double bound)
{
    opevo_text text = {0};
    long double printed = 0;

    opevo_i_text_add_bound(&text, bound);
    printed = strtold(opevo_text_string(&text), NULL);
    if (!(printed >= (long double)bound) || !(printed <= 1.2L * (long double)bound))
        fail_msg("%.17g is printed as %s", bound, opevo_text_string(&text));
    assert_in_range(text.length, 1, 7); /* "1.2e-16" */
    opevo_text_free(&text);
}

static void test_bounds(void **state)
{
    uint64_t random = 1;

    (void)state;
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

static void check_text(double bound, const char *wanted)
{
    opevo_text text = {0};

    opevo_i_text_add_bound(&text, bound);
    assert_string_equal(opevo_text_string(&text), wanted);
    opevo_text_free(&text);
}

static void test_texts(void **state)
{
    (void)state;
    check_text(0, "0");
    check_text(0x1p-53, "1.2e-16");
    check_text(0.0994, "0.1");
    check_text(9.99e-7, "1e-06");
    check_text(1.21, "1.3");
    check_text(INFINITY, "inf");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
