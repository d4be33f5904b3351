/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What constraints mean in spaces with branches, against functions of the values. */

#include "branch_checks.h"

/* The allowed points of FLAT_CHOICE under a constraint, against a function of the values. */
typedef struct values {
    int64_t n, kernel, tile0, last; /* kernel and tile0: 0 where they are not active */
    char op, size;                  /* c, p, s; a, b or 0 */
} values;

static values values_of(const opevo_space *space, opevo_index point)
{
    opevo_index at[6];
    opevo_value value[2];
    values out = {0};

    opevo_space_decode(space, point, at);
    out.n = (int64_t)1 << (int)at[0];
    out.op = "cps"[(size_t)at[1]];
    if (out.op == 'c') {
        out.kernel = at[2] ? 3 : 1;
        opevo_parameter_value(opevo_space_parameter(space, 3), at[3], value);
        out.tile0 = value[0].as.integer;
    }
    out.size = out.op == 'p' ? "ab"[(size_t)at[4]] : '\0';
    out.last = (int64_t)at[5];
    return out;
}

static bool naming(values v) /* does not apply where kernel is not active */
{
    return v.op != 'c' || v.kernel < v.n;
}

static bool guarded(values v) /* false where it is not */
{
    return v.op == 'c' && v.kernel < v.n;
}

static bool either(values v)
{
    return v.op == 'c' ? v.tile0 > 1 : v.op == 'p' ? v.size == 'a' : v.last == 1;
}

static bool late(values v) /* the left side decides before kernel is looked at */
{
    return v.n == 1 || v.op != 'c' || v.kernel == 3;
}

static bool only_activity(values v)
{
    return (v.op == 'c') + v.last == 1;
}

CHECK_TEST(test_constraints_over_branches)
{
    static const struct {
        const char *text;
        bool (*holds)(values v);
    } cases[] = {
        {"kernel < n", naming},
        {"active(kernel) && kernel < n", guarded},
        {"op == 'conv' && kernel < n", guarded},
        {"op == 'conv' ? tile[0] > 1 : op == 'pool' ? size == 'a' : last == 1", either},
        {"active(tile) ? tile[0] > 1 : active(size) ? size == 'a' : last", either},
        {"n == 1 || kernel == 3", late},
        {"active(kernel) + last == 1", only_activity},
        {"active(op) && 12 / kernel > 12 / n", naming},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_text members = {0};
        opevo_space *space = NULL;
        opevo_space_share share = {0};
        opevo_index expected = 0;

        opevo_text_printf(&members, FLAT_CHOICE ", \"_constraints\": [\"%s\"]", cases[i].text);
        space = parse(opevo_text_string(&members));
        for (opevo_index point = 0; point < opevo_space_size(space); point++) {
            bool holds = cases[i].holds(values_of(space, point));

            if (opevo_space_allows(space, point) != holds)
                fail_msg("%s: point %d", cases[i].text, (int)point);
            expected += holds;
        }
        CHECK_OK(opevo_space_count_allowed(space, OPEVO_INDEX_MAX, 1, &share, &err));
        assert_true(share.exact && share.allowed == expected);
        opevo_text_free(&members);
        opevo_space_destroy(space);
    }
}

/* A combination that no point has is not tried: kernel is 0 in the branch of `safe` only. */
CHECK_TEST(test_impossible_combinations_are_not_tried)
{
    static const char members[] =
        "\"a\": {\"_type\": \"choice\", \"_value\": [{\"_name\": \"safe\", \"k\": {\"_type\": "
        "\"discrete\", \"_value\": [0, 1]}}, {\"_name\": \"other\", \"m\": {\"_type\": "
        "\"discrete\", \"_value\": [2, 3]}}]}, \"_constraints\": [\"%s\"]";
    opevo_text text = {0};
    opevo_space *space = NULL;
    opevo_space_share share = {0};

    opevo_text_printf(&text, members, "m / k > 0"); /* never both */
    opevo_space_destroy(parse(opevo_text_string(&text)));
    opevo_text_clear(&text);
    opevo_text_printf(&text, members, "a == 'other' || 4 / k > 0");
    space = parse(opevo_text_string(&text));
    CHECK_OK(opevo_space_count_allowed(space, OPEVO_INDEX_MAX, 1, &share, &err));
    assert_true(share.exact && share.allowed == 3); /* all but k = 0 */
    opevo_space_destroy(space);
    space = NULL;
    opevo_text_clear(&text);
    opevo_text_add(&text, "{");
    opevo_text_printf(&text, members, "active(b)");
    opevo_text_add(&text, "}");
    CHECK_FAILS(OPEVO_INVALID, "column 8: active takes the name of a parameter",
                opevo_space_parse(opevo_text_string(&text), "s", NULL, &space, &err));
    opevo_text_free(&text);
}

/* Too many points for a table of them, and in the second case too many combinations for one of the
 * constraint: the count equals a sum over the branches. */
CHECK_TEST(test_large_spaces)
{
    static const char members[] =
        "\"a\": {\"_type\": \"choice\", \"_value\": [\"none\", {\"_name\": \"p\", \"x\": "
        "{\"_type\": \"permutation\", \"_value\": 8}, \"y\": {\"_type\": \"permutation\", "
        "\"_value\": 5}}, {\"_name\": \"q\", \"z\": {\"_type\": \"discrete\", \"_value\": [1, 2, "
        "3]}}]}, \"w\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4]},"
        "\"_constraints\": [\"%s\"]";
    static const struct {
        const char *text;
        uint64_t allowed;
    } cases[] = {
        {"z < w", (1 + UINT64_C(40320) * 120) * 4 + 6},
        /* x[0] < y[0]: of 8 and of 5 values, each as often; nothing applies to the others */
        {"x[0] < y[0] && w == 1", UINT64_C(5040) * 24 * (4 + 3 + 2 + 1) + 4 + 3 * 4},
        {"active(x) && x[0] == w", UINT64_C(5040) * 120 * 4},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_text text = {0};
        opevo_space *space = NULL;
        opevo_space_share share = {0};

        opevo_text_printf(&text, members, cases[i].text);
        space = parse(opevo_text_string(&text));
        CHECK_OK(opevo_space_count_allowed(space, OPEVO_INDEX_MAX, 2, &share, &err));
        if (!share.exact || share.allowed != cases[i].allowed)
            fail_msg("%s: %llu, expected %llu", cases[i].text, (unsigned long long)share.allowed,
                     (unsigned long long)cases[i].allowed);
        opevo_text_free(&text);
        opevo_space_destroy(space);
    }
}
