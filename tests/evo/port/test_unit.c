/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Units of results: what a program printed is what a user reads, and a target is reached by exactly
 * the results that are at least as good. */

#include "check.h"

#include <opevo/unit.h>

#include <math.h>
#include <string.h>

static const struct {
    const char *unit;
    double in_one_second;
} times[] = {{"1/s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};

CHECK_TEST(test_names)
{
    assert_string_equal(opevo_unit_name("1/s"), "s");
    assert_string_equal(opevo_unit_name("GFLOP/s"), "GFLOP/s");
    assert_string_equal(opevo_unit_of_fitness("TFLOP/s"), "GFLOP/s");
    assert_string_equal(opevo_unit_of_fitness("score"), "score");
    assert_string_equal(opevo_unit_better("us"), "smaller");
    assert_string_equal(opevo_unit_better("score"), "larger");
    assert_string_equal(opevo_unit_find("ns"), "ns");
    assert_null(opevo_unit_find("parsec"));
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_true(opevo_unit_is_time(times[i].unit));
        assert_true(opevo_unit_agree(times[i].unit, "1/s"));
        assert_string_equal(opevo_unit_of_fitness(times[i].unit), "1/s");
    }
    assert_false(opevo_unit_is_time("GFLOP/s") || opevo_unit_agree("ms", "GFLOP/s"));
    assert_true(opevo_unit_agree("TFLOP/s", "GFLOP/s"));
    assert_true(opevo_unit_follows_time("us") && opevo_unit_follows_time("TFLOP/s"));
    assert_false(opevo_unit_follows_time("score") || opevo_unit_is_speedup("score"));
    assert_true(opevo_unit_follows_time("x") && opevo_unit_is_speedup("x"));
    assert_false(opevo_unit_is_time("x"));
}

/* Numbers of up to nine digits, in all sizes that occur. */
CHECK_TEST(test_there_and_back)
{
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        for (unsigned k = 1; k < 20000; k++) {
            double printed = (double)(k * 48271 % 999999937) / 1e6;
            double fitness = 1 / (printed / times[i].in_one_second);

            assert_true(opevo_unit_result(times[i].unit, fitness) == printed);
            assert_true(fitness >= opevo_unit_fitness(times[i].unit, printed));
            assert_true(1 / (printed * (1 + 1e-14) / times[i].in_one_second) <
                        opevo_unit_fitness(times[i].unit, printed));
        }
    }
    assert_true(isnan(opevo_unit_result("ms", 0)));
    assert_true(opevo_unit_result("TFLOP/s", 1234) == 1.234);
    assert_true(opevo_unit_fitness("TFLOP/s", 1.234) <= 1.234 / 1e-3);
    assert_true(opevo_unit_result("GFLOP/s", .1) == .1 && opevo_unit_fitness("score", .1) == .1);
}

/* The share is reached by a fitness that is exactly the share in decimals, whatever the rounding of
 * the optimum, of the share or of their product, and not by one that is 1e-9 short of it. */
CHECK_TEST(test_share)
{
    for (unsigned k = 1; k < 20000; k++) {
        double optimum = (double)(k * 48271 % 999999937) / 1e4;

        assert_true(optimum >= opevo_fitness_share(100.0 / 100, optimum));
        assert_true(optimum * (1 - 1e-9) < opevo_fitness_share(1, optimum));
        for (unsigned percent = 1; percent < 100; percent++) {
            double part = (double)(percent * k) / 1e4, whole = (double)(100 * k) / 1e4;

            assert_true(part >= opevo_fitness_share(percent / 100.0, whole));
            assert_true(part * (1 - 1e-9) < opevo_fitness_share(percent / 100.0, whole));
        }
    }
}
