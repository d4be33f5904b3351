/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How many samples a test draws. */

#ifndef OPEVO_TESTS_POINTS_H
#define OPEVO_TESTS_POINTS_H

#include "check.h"

#include <opevo/text.h>

#include <stdlib.h>

/* `usual`, or what the environment says. */
static inline size_t test_count(const char *variable, size_t usual)
{
    const char *text = getenv(variable);
    uint64_t count = usual;

    if (text)
        assert_true(opevo_parse_u64(text, &count));
    return (size_t)count;
}

static inline size_t test_points(size_t usual)
{
    return test_count("OPEVO_TEST_POINTS", usual);
}

static inline size_t test_graphs(size_t usual)
{
    return test_count("OPEVO_TEST_GRAPHS", usual);
}

#endif
