/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which numbers follow: equal ones always; others within the bound or interval that is stated,
 * where the file was not made by this build on such a machine. */

#include "check.h"

#include <opevo/manifest.h>
#include <opevo/reproduction.h>

#include <math.h>
#include <string.h>

static opevo_reproduction compare(const char *stated, const char *found, bool exactly)
{
    opevo_reproduction result = {.equal = 0};

    assert_int_equal(opevo_reproduction_compare(&result, stated, strlen(stated), found,
                                                strlen(found), exactly, NULL),
                     OPEVO_OK);
    return result;
}

/* Counts of a comparison: equal, within, unjudged, differing. */
static void check(const char *stated, const char *found, bool exactly, const size_t wanted[4])
{
    opevo_reproduction result = compare(stated, found, exactly);
    size_t have[] = {result.equal, result.within, result.unjudged, result.differ};

    for (int i = 0; i < 4; i++)
        assert_int_equal(have[i], wanted[i]);
    opevo_reproduction_free(&result);
}

CHECK_TEST(equal_numbers_follow)
{
    const char *all = "{\"a\": 0.1, \"b\": [1, 2.5, null], \"c\": {\"d\": true, \"e\": \"x 3\"}}";

    check(all, all, true, (size_t[]){6, 0, 0, 0});
    check(all, "{\"a\": 0.1, \"b\": [1, 2.50, null], \"c\": {\"e\": \"x 3\", \"d\": true}}", true,
          (size_t[]){6, 0, 0, 0});
}

CHECK_TEST(estimates_follow_within_their_interval)
{
    const char *stated = "{\"mean\": 0.5, \"interval\": [0.4, 0.6]}";
    const char *inside = "{\"mean\": 0.59, \"interval\": [0.45, 0.7]}";
    const char *outside = "{\"mean\": 0.61, \"interval\": [0.45, 0.7]}";
    const char *apart = "{\"mean\": 0.5, \"interval\": [0.65, 0.7]}";

    check(stated, inside, false, (size_t[]){0, 3, 0, 0});
    check(stated, outside, false, (size_t[]){0, 2, 0, 1});
    check(stated, apart, false, (size_t[]){1, 0, 0, 1});
    check(stated, inside, true, (size_t[]){0, 0, 0, 2});
}

CHECK_TEST(an_interval_belongs_to_its_key)
{
    const char *stated = "{\"difference\": 1, \"difference_interval\": [0, 2], \"p\": 0.5}";

    check(stated, "{\"difference\": 1.5, \"difference_interval\": [0, 2], \"p\": 0.6}", false,
          (size_t[]){2, 1, 1, 0});
    check(stated, "{\"difference\": 3, \"difference_interval\": [0, 2], \"p\": 0.5}", false,
          (size_t[]){3, 0, 0, 1});
}

/* The same trials give the same p-values and counts on any build; of others nothing is known. */
CHECK_TEST(what_has_no_interval_follows_from_the_same_trials)
{
    const char *stated = "{\"mean\": 0.5, \"interval\": [0.4, 0.6], \"p_holm\": 0.01, \"wins\": 7, "
                         "\"sentence\": \"p = 0.01\"}";
    const char *spoilt = "{\"mean\": 0.50000000000001, \"interval\": [0.4, 0.60000000000001], "
                         "\"p_holm\": 0.02, \"wins\": 8, \"sentence\": \"p = 0.02\"}";
    const char *other = "{\"mean\": 0.51, \"interval\": [0.4, 0.6], \"p_holm\": 0.02, \"wins\": 8, "
                        "\"sentence\": \"p = 0.02\"}";
    const char *wider = "{\"mean\": 0.5, \"interval\": [0.4, 0.65], \"p_holm\": 0.02, \"wins\": 7, "
                        "\"sentence\": \"p = 0.01\"}";
    opevo_reproduction result = {.equal = 0};

    check(stated, stated, false, (size_t[]){6, 0, 0, 0});
    check(stated, spoilt, false, (size_t[]){0, 3, 1, 2});
    check(stated, other, false, (size_t[]){2, 1, 3, 0});
    check(stated, wider, false, (size_t[]){3, 2, 1, 0});
    check("{\"p_holm\": 0.01}", "{\"p_holm\": 0.02}", false, (size_t[]){0, 0, 1, 0});
    /* What another comparison left open stays open. */
    for (int i = 0; i < 2; i++)
        assert_int_equal(opevo_reproduction_compare(&result, stated, strlen(stated),
                                                    i ? spoilt : other, strlen(i ? spoilt : other),
                                                    false, NULL),
                         OPEVO_OK);
    assert_int_equal(result.unjudged, 4);
    assert_int_equal(result.differ, 2);
    assert_non_null(strstr(opevo_text_string(&result.open), "p_holm: 0.01 is stated, 0.02 found"));
    assert_non_null(strstr(opevo_text_string(&result.list), "wins: 7 is stated, 8 found"));
    opevo_reproduction_free(&result);
}

CHECK_TEST(columns_have_intervals_beside_them)
{
    const char *stated = "{\"mean\": [1, 2], \"low\": [0, 1.9], \"high\": [2, 2.1]}";

    check(stated, "{\"mean\": [1.5, 2.05], \"low\": [0, 1.9], \"high\": [2, 2.1]}", false,
          (size_t[]){4, 2, 0, 0});
    check(stated, "{\"mean\": [1.5, 2.2], \"low\": [0, 1.9], \"high\": [2, 2.1]}", false,
          (size_t[]){4, 1, 0, 1});
}

CHECK_TEST(bounded_numbers_follow_within_the_bound)
{
    const char *stated = "{\"bound\": 0.01, \"law\": [{\"p\": 0.5}]}";

    check(stated, "{\"bound\": 0.01, \"law\": [{\"p\": 0.505}]}", false, (size_t[]){1, 1, 0, 0});
    check(stated, "{\"bound\": 0.01, \"law\": [{\"p\": 0.52}]}", false, (size_t[]){1, 0, 0, 1});
}

/* A verdict is a word: it may not change, however its numbers do. */
CHECK_TEST(words_follow_but_for_their_numbers)
{
    check("{\"sentence\": \"a is better: mean 0.9\"}", "{\"sentence\": \"a is better: mean 0.85\"}",
          false, (size_t[]){0, 0, 1, 0});
    check("{\"sentence\": \"a is better: mean 0.9\"}", "{\"sentence\": \"a is worse: mean 0.85\"}",
          false, (size_t[]){0, 0, 0, 1});
    check("{\"sentence\": \"a is better: mean 0.9\"}", "{\"sentence\": \"a is better: mean 0.85\"}",
          true, (size_t[]){0, 0, 0, 1});
}

CHECK_TEST(what_is_missing_does_not_follow)
{
    check("{\"a\": 1, \"b\": [1, 2]}", "{\"b\": [1]}", false, (size_t[]){0, 0, 0, 2});
    check("{\"a\": 1}", "{\"a\": \"1\"}", false, (size_t[]){0, 0, 0, 1});
    check("{\"b\": [{}]}", "{\"a\": 1, \"b\": [{\"failed\": 3}]}", true, (size_t[]){0, 0, 0, 2});
    check("{\"b\": [{}]}", "{\"a\": 1, \"b\": [{\"failed\": 3}]}", false, (size_t[]){0, 0, 0, 2});
}

/* An author may state any build, interval and bound: none of them lets another number pass. */
CHECK_TEST(a_file_does_not_say_how_far_off_it_may_be)
{
    const char *found = "{\"mean\": 0.5, \"interval\": [0.4, 0.6]}";
    const char *law = "{\"bound\": 1e-12, \"law\": [{\"p\": 0.5}]}";

    check("{\"mean\": 9, \"interval\": [0, 10]}", found, false, (size_t[]){0, 0, 0, 2});
    check("{\"mean\": 0.5, \"interval\": [0.499, 0.501]}", found, false, (size_t[]){1, 0, 0, 1});
    check("{\"mean\": 0.5, \"interval\": [null, null]}", found, false, (size_t[]){1, 0, 0, 1});
    check("{\"mean\": 0.5, \"interval\": [0.6, 0.4]}", found, false, (size_t[]){1, 0, 0, 1});
    check("{\"bound\": 1, \"law\": [{\"p\": 0.9}]}", law, false, (size_t[]){0, 0, 0, 2});
}

CHECK_TEST(what_is_given_or_exact_follows_but_for_rounding)
{
    check("{\"optimum\": 3, \"runs\": 7, \"seed\": 1}",
          "{\"optimum\": 1, \"runs\": 8, \"seed\": 2}", false, (size_t[]){0, 0, 0, 3});
    check("{\"sure\": \"exact\", \"points\": [{\"sd\": 0.3}, {\"sd\": 0.4}]}",
          "{\"sure\": \"exact\", \"points\": [{\"sd\": 0.30000000000000004}, {\"sd\": 0.41}]}",
          false, (size_t[]){1, 1, 0, 1});
}

/* Digits in names and settings are not numbers of a sentence. */
CHECK_TEST(words_are_not_numbers)
{
    check("{\"settings\": \"lambda=8\"}", "{\"settings\": \"lambda=9\"}", false,
          (size_t[]){0, 0, 0, 1});
    check("{\"sentence\": \"a is better\"}", "{\"sentence\": \"a is b.tt-r\"}", false,
          (size_t[]){0, 0, 0, 1});
    check("{\"on\": \"recorded:/a/x.csv\"}", "{\"on\": \"recorded:/b/x.csv\"}", true,
          (size_t[]){1, 0, 0, 0});
    check("{\"on\": \"recorded:/a/x.csv\"}", "{\"on\": \"recorded:/b/y.csv\"}", true,
          (size_t[]){0, 0, 0, 1});
}

CHECK_TEST(tables)
{
    const char *stated = "X,time_ms,status,samples_ms\n1,2,ok,1;3\n2,,timeout,\n3,5,ok,4;6\n";
    const char *found = "X,time_ms,status,samples_ms\n3,6.5,ok,6;7\n1,9,ok,8;10\n2,,crashed,\n";
    opevo_reproduction result = {.equal = 0};

    assert_int_equal(
        opevo_reproduction_compare_tables(&result, stated, found, true, false, false, NULL),
        OPEVO_OK);
    assert_int_equal(result.equal, 2);  /* two statuses */
    assert_int_equal(result.within, 1); /* 4 .. 6 and 6 .. 7 */
    assert_int_equal(result.differ, 2); /* 1 .. 3 and 8 .. 10; timeout and crashed */
    opevo_reproduction_free(&result);
    result = (opevo_reproduction){.equal = 0};
    assert_int_equal(
        opevo_reproduction_compare_tables(&result, stated, stated, false, false, false, NULL),
        OPEVO_OK);
    assert_int_equal(result.equal, 9);
    assert_int_equal(result.differ, 0);
    opevo_reproduction_free(&result);
}

/* Measured tables without the columns that are compared, however many others they have. */
CHECK_TEST(tables_without_times)
{
    static const char *const columns[] = {"X\n1\n", "X,time_ms\n1,2\n", "X,status\n1,ok\n"};
    opevo_text wide = {0};

    for (int i = 0; i < 5000; i++)
        opevo_text_add(&wide, "X,");
    opevo_text_add(&wide, "\n1\n");
    for (size_t i = 0; i < 4; i++) {
        const char *table = i < 3 ? columns[i] : opevo_text_string(&wide);
        opevo_reproduction result = {.equal = 0};

        assert_int_equal(
            opevo_reproduction_compare_tables(&result, table, table, true, false, false, NULL),
            OPEVO_OK);
        assert_int_equal(result.differ, 1);
        assert_non_null(strstr(opevo_text_string(&result.list), "are missing"));
        opevo_reproduction_free(&result);
    }
    opevo_text_free(&wide);
}

/* What does not follow of a table beside the one that was found. */
static size_t tables_differ(const char *stated, const char *found, bool is_sample, bool is_part)
{
    opevo_reproduction result = {.equal = 0};
    size_t differ = 0;

    assert_int_equal(
        opevo_reproduction_compare_tables(&result, stated, found, false, is_sample, is_part, NULL),
        OPEVO_OK);
    differ = result.differ;
    opevo_reproduction_free(&result);
    return differ;
}

CHECK_TEST(rows_and_columns_are_all_stated)
{
    const char *found = "X,Y,time_ms,status\n1,2,3,ok\n2,1,4,ok\n";

    assert_int_equal(tables_differ(found, found, false, false), 0);
    assert_int_equal(tables_differ("X,Y,time_ms,status\n1,2,3,ok\n", found, false, false), 2);
    assert_int_equal(tables_differ("X,Y,time_ms,status\n1,2,3,ok\n", found, true, false), 1);
    assert_int_equal(tables_differ("X,Y,time_ms,status\n1,2,3,ok\n", found, false, true), 0);
    assert_int_equal(
        tables_differ("X,Y,time_ms,status\n1,2,3,ok\n1,2,3,ok\n2,1,4,ok\n", found, false, false),
        1);
    assert_int_equal(tables_differ("Y,X,time_ms,status\n1,2,3,ok\n2,1,4,ok\n", found, false, false),
                     1);
    assert_int_equal(tables_differ("X,Y,time_us,status\n1,2,3,ok\n2,1,4,ok\n", found, false, false),
                     1);
}

CHECK_TEST(pages_print_rounded_numbers)
{
    assert_true(opevo_reproduction_prints("815,558", 815558));
    assert_false(opevo_reproduction_prints("815,559", 815558));
    assert_true(opevo_reproduction_prints(".997", 0.9966));
    assert_false(opevo_reproduction_prints(".997", 0.9964));
    assert_true(opevo_reproduction_prints("6.81", 6.8149));
    assert_false(opevo_reproduction_prints("x", 1));
    assert_false(opevo_reproduction_prints("1", (double)NAN));
}

/* The hash is of the values: layout and order do not count, any digit does. */
CHECK_TEST(the_content_has_one_hash)
{
    const char *const same[] = {"{\"a\": 0.10, \"b\": [1, 2]}",
                                "{\n \"b\": [1,2],\n \"a\": 1e-1,\n \"manifest\": {\"x\": 1}}"};
    const char *const other[] = {"{\"a\": 0.11, \"b\": [1, 2]}", "{\"a\": 0.1, \"b\": [1, 3]}",
                                 "{\"a\": 0.1, \"b\": [2, 1]}",
                                 "{\"a\": 0.10000000000000002, \"b\": [1, 2]}"};
    opevo_text first = {0};

    assert_int_equal(opevo_manifest_content(same[0], strlen(same[0]), &first, NULL), OPEVO_OK);
    for (size_t i = 0; i < 5; i++) {
        const char *text = i ? other[i - 1] : same[1];
        opevo_text hash = {0};

        assert_int_equal(opevo_manifest_content(text, strlen(text), &hash, NULL), OPEVO_OK);
        assert_int_equal(strcmp(hash.data, first.data) == 0, i == 0);
        opevo_text_free(&hash);
    }
    opevo_text_free(&first);
    assert_int_equal(opevo_manifest_content("[1]", 3, &first, NULL), OPEVO_INVALID);
}
