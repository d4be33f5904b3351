/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What every test file needs around cmocka: its headers in the order that it asks for, tests that
 * need no list, and the assertions that it lacks. */

#ifndef OPEVO_TESTS_CHECK_H
#define OPEVO_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <opevo/status.h>

/* cmocka gives each test a state, which few use. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#ifdef __clang_analyzer__ /* which does not see that a failed check leaves the test */
void _fail(const char *const file, const int line) __attribute__((analyzer_noreturn));
#endif

/* Whether addresses are checked, which takes terabytes of them and wider frames: gcc has a macro
 * for that, clang a feature. */
#ifdef __has_feature
#define CHECK_ADDRESSES __has_feature(address_sanitizer)
#elif defined __SANITIZE_ADDRESS__
#define CHECK_ADDRESSES 1
#else
#define CHECK_ADDRESSES 0
#endif

/* A test: CHECK_TEST(name) { ... }. The tests of a file run in their order there. */
#define CHECK_TEST(name)                                                                           \
    static void name(void **check_state);                                                          \
    CHECK_ADD(name, NULL, NULL)                                                                    \
    static void name(void **check_state)

/* A test between two functions, which set its `state` up and tear it down. */
#define CHECK_TEST_WITHIN(name, set_up, tear_down)                                                 \
    static void name(void **state);                                                                \
    CHECK_ADD(name, set_up, tear_down)                                                             \
    static void name(void **state)

#define CHECK_ADD(name, set_up, tear_down)                                                         \
    __attribute__((constructor)) static void add_##name(void)                                      \
    {                                                                                              \
        check_add((struct CMUnitTest)cmocka_unit_test_setup_teardown(name, set_up, tear_down));    \
    }

/* By CHECK_TEST, before main. */
void check_add(struct CMUnitTest test);

/* Runs all tests, between two functions or NULL; 0 if they passed. A file without main() does this
 * and nothing else (check_main.c). */
int check_tests(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* |actual - expected| <= tolerance, absolute; fails on NaN. */
#define CHECK_CLOSE(actual, expected, tolerance)                                                   \
    do {                                                                                           \
        double check_a = (actual), check_e = (expected), check_t = (tolerance);                    \
        if (!(fabs(check_a - check_e) <= check_t))                                                 \
            fail_msg("%s = %.17g, expected %.17g within %g", #actual, check_a, check_e, check_t);  \
    } while (0)

/* The call returns OPEVO_OK; the sentence is shown otherwise. Uses a variable `err`. */
#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        opevo_error err = {OPEVO_OK, ""};                                                          \
        opevo_status check_s = (call);                                                             \
        if (check_s != OPEVO_OK)                                                                   \
            fail_msg("%s: %s: %s", #call, opevo_status_name(check_s), err.message);                \
    } while (0)

/* The call fails with `expected`, and its sentence contains `words`. */
#define CHECK_FAILS(expected, words, call)                                                         \
    do {                                                                                           \
        opevo_error err = {OPEVO_OK, ""};                                                          \
        opevo_status check_s = (call);                                                             \
        if (check_s != (expected) || !strstr(err.message, (words)))                                \
            fail_msg("%s: %s: \"%s\", expected %s with \"%s\"", #call, opevo_status_name(check_s), \
                     err.message, opevo_status_name(expected), (words));                           \
    } while (0)

/* Skip the test, as where a file is not there; `./dev test` ends with what it lacks. */
#define CHECK_SKIP(...)                                                                            \
    do {                                                                                           \
        print_message("skipped: " __VA_ARGS__);                                                    \
        print_message("\n");                                                                       \
        skip();                                                                                    \
    } while (0)

#endif
