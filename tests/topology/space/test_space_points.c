/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces of listed points: what is allowed, counted, written and read back, and what is refused. */

#include "space_file_checks.h"

#include <stdlib.h>

static const char plain[] = "{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4]},"
                            " \"b\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]}}";
static const char constrained[] = "{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4]},"
                                  " \"b\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]},"
                                  " \"_constraints\": [\"a != b\"]}";
/* 2^24 points: no table of all of them. */
static const char large[] = "{\"a\": {\"_type\": \"permutation\", \"_value\": [9]},"
                            " \"b\": {\"_type\": \"permutation\", \"_value\": [5]}%s}";

static opevo_index allowed_count(const opevo_space *space)
{
    opevo_space_share share;

    CHECK_OK(opevo_space_count_allowed(space, 1 << 26, 1, &share, &err));
    assert_true(share.exact);
    return share.allowed;
}

/* Restrict, write, read: the same space; another than that without the list. */
static void check_restricted(const char *json, opevo_index *points, size_t count,
                             opevo_index expected)
{
    opevo_space *space = parse(json), *again = NULL;
    uint64_t before = opevo_space_signature(space);
    opevo_text text = {0};

    CHECK_OK(opevo_space_restrict(space, points, count, &err));
    assert_true(opevo_space_is_restricted(space));
    assert_true(opevo_space_signature(space) != before);
    assert_true(allowed_count(space) == expected);
    opevo_space_write_json(space, &text);
    again = parse(text.data);
    assert_true(opevo_space_signature(again) == opevo_space_signature(space));
    for (size_t i = 0; i < count; i++) {
        for (opevo_index at = points[i] ? points[i] - 1 : 0; at <= points[i] + 1; at++)
            assert_int_equal(opevo_space_allows(space, at), opevo_space_allows(again, at));
    }
    opevo_text_free(&text);
    opevo_space_destroy(space);
    opevo_space_destroy(again);
}

CHECK_TEST(allows_what_is_listed)
{
    opevo_index points[] = {7, 0, 1, 11, 5, 1};
    opevo_index far[] = {12345678, 3, 4, 43545599, 12345679};
    char json[200];
    opevo_space *space = parse(plain);

    assert_false(opevo_space_is_restricted(space));
    CHECK_OK(opevo_space_restrict(space, points, 6, &err));
    for (opevo_index at = 0; at < 12; at++)
        assert_int_equal(opevo_space_allows(space, at),
                         at == 0 || at == 1 || at == 5 || at == 7 || at == 11);
    opevo_space_destroy(space);
    check_restricted(plain, points, 6, 5);
    /* a == b at the points 0, 4 and 8. */
    check_restricted(constrained, points, 6, 4);
    snprintf(json, sizeof json, large, "");
    check_restricted(json, far, 5, 5);
    snprintf(json, sizeof json, large, ", \"_constraints\": [\"a[0] != 0\"]");
    check_restricted(json, far, 5, 3);
}

CHECK_TEST(reads_and_refuses_lists)
{
    static const char *const good[] = {"0", "0-11", "0-3 5", "2 4 6-6 8-11"};
    static const char *const bad[] = {"",    " ",    "12",   "0-12", "3-2",  "1 1", "2 1",
                                      "1,2", "1  2", "1-2-", "-1",   "1 -2", "1 ",  "x"};
    char json[400];

    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        snprintf(json, sizeof json, "%.*s, \"_points\": \"%s\"}", (int)sizeof plain - 2, plain,
                 good[i]);
        opevo_space_destroy(parse(json));
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        opevo_space *space = NULL;

        snprintf(json, sizeof json, "%.*s, \"_points\": \"%s\"}", (int)sizeof plain - 2, plain,
                 bad[i]);
        CHECK_FAILS(OPEVO_INVALID, "s.json:1: _points must be a string of ascending numbers",
                    opevo_space_parse(json, "s.json", NULL, &space, &err));
    }
}

/* Equal sets are equal spaces, however the list is cut into ranges. */
CHECK_TEST(knows_equal_lists)
{
    char json[400];
    uint64_t signatures[2];

    for (size_t i = 0; i < 2; i++) {
        opevo_space *space = NULL;

        snprintf(json, sizeof json, "%.*s, \"_points\": \"%s\"}", (int)sizeof plain - 2, plain,
                 i ? "0 1-2 3 7" : "0-3 7");
        space = parse(json);
        signatures[i] = opevo_space_signature(space);
        opevo_space_destroy(space);
    }
    assert_true(signatures[0] == signatures[1]);
}

CHECK_TEST(keeps_lists_under_other_topologies)
{
    const char *const topologies[] = {"complete", NULL};
    opevo_index points[] = {2, 3, 9};
    opevo_space *space = parse(plain), *other = NULL;

    CHECK_OK(opevo_space_restrict(space, points, 3, &err));
    CHECK_OK(opevo_space_with_topologies(space, topologies, &other, &err));
    assert_true(allowed_count(other) == 3);
    assert_true(opevo_space_allows(other, 9) && !opevo_space_allows(other, 8));
    opevo_space_destroy(space);
    opevo_space_destroy(other);
}
