/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The list of a program's tests. Constructors of one file run in the order of their definitions. */

#include "check.h"

#include <stdlib.h>

enum { TESTS_MOST = 200 };

static struct CMUnitTest tests[TESTS_MOST];
static size_t count;

void check_add(struct CMUnitTest test)
{
    if (count == TESTS_MOST)
        abort();
    tests[count++] = test;
}

int check_tests(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    return _cmocka_run_group_tests("tests", tests, count, set_up, tear_down) != 0;
}
