/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The first of two equal members is found in the object of the second only, whatever stands in
 * strings, in objects beside it and around it. */

#include "check.h"

#include <opevo/json_duplicate.h>

#include <string.h>

/* The text ends with the key that a parser refuses. */
static size_t first(const char *text)
{
    return opevo_json_first_line(text, strlen(text));
}

CHECK_TEST(finds_the_first)
{
    assert_int_equal(first("{\"a\": 1, \"a\""), 1);
    assert_int_equal(first("\n{\n\"b\": 1,\n\"a\": [{\"b\": 2}],\n\"b\""), 3);
    assert_int_equal(first("{\"c\":{\n\"k\":1},\n\"d\": {\n\"k\"\n : 1,\n\"k\""), 4);
    assert_int_equal(first("{\n\"q\\\"{\": 1,\n\"q\\\"{\""), 2);
    assert_int_equal(first("{\"s\": \"}{[\\\\\",\n\"t\": [1, [2]],\n\"t\""), 2);
}

CHECK_TEST(finds_none)
{
    assert_int_equal(first("{\"a\": 1, \"b\""), 0);
    assert_int_equal(first("{\"a\": {\"b\": 1}, \"b\""), 0); /* in an object inside */
    assert_int_equal(first("{\"b\": 1, \"a\": {\"b\""), 0);  /* around */
    assert_int_equal(first("[{\"b\": 1}, {\"b\""), 0);       /* beside */
    assert_int_equal(first("{\"a\": \"b\", \"b\""), 0);      /* a value */
    assert_int_equal(first("{\"a\": \"b\\\": \", \"b"), 0);  /* cut */
    assert_int_equal(first("1"), 0);
    assert_int_equal(first(""), 0);
}

CHECK_TEST(says_what_is_wrong)
{
    char out[OPEVO_JSON_FAULT_SIZE];

    opevo_json_fault("{\"a\": 1,\n\"a\"", 12, true, "fault", out);
    assert_string_equal(out,
                        "the member \"a\" is a duplicate of that in line 1; remove one of them");
    opevo_json_fault("{\"a\": 1,\n\"a\"", 12, false, "fault", out);
    assert_string_equal(out, "fault");
    opevo_json_fault("{\"a\": 1,\n\"\\u0061\"", 17, true, "fault", out);
    assert_string_equal(out, "fault");
}
