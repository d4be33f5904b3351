/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How many samples a test draws: all of them where the environment has OPEVO_TEST_LONG, as in
 * `./dev test --long`, and a sixteenth otherwise. */

#ifndef OPEVO_TESTS_POINTS_H
#define OPEVO_TESTS_POINTS_H

#include "check.h"

#include <opevo/text.h>

#include <stdbool.h>
#include <stdlib.h>

/* `all` in the long run, and `some` otherwise. */
static inline size_t test_size(size_t some, size_t all)
{
    return getenv("OPEVO_TEST_LONG") ? all : some;
}

/* The compiler's option for kernels whose speed does not matter. */
static inline const char *test_optimisation(void)
{
    return test_size(0, 1) ? "-O2" : "-O1";
}

/* Whether the test takes case `number` of so many at a place: every one in the long run, and
 * otherwise one, another at the next place. */
static inline bool test_takes(size_t place, size_t number, size_t count)
{
    return test_size(place % count == number, true);
}

/* `all` or one `share`-th of it, rounded up, or what the environment says. */
static inline size_t test_part(const char *variable, size_t all, size_t share)
{
    const char *text = getenv(variable);
    uint64_t count = test_size((all + share - 1) / share, all);

    if (text)
        assert_true(opevo_parse_u64(text, &count));
    return (size_t)count;
}

static inline size_t test_count(const char *variable, size_t all)
{
    return test_part(variable, all, 16);
}

static inline size_t test_points(size_t all)
{
    return test_count("OPEVO_TEST_POINTS", all);
}

/* Where a share of the points has to show something, of which few would show nothing. */
static inline size_t test_most_points(size_t all)
{
    return test_part("OPEVO_TEST_POINTS", all, 8);
}

static inline size_t test_graphs(size_t all)
{
    return test_count("OPEVO_TEST_GRAPHS", all);
}

#endif
