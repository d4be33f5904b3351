/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which points constraints allow, and how many: against plain loops and closed forms. */

#include "points.h"
#include "space_checks.h"

/* ---- Constraints ---- */

/* A condition on the vertices of four parameters of at most 9 values, as text and as C. */
typedef struct condition {
    const char *text;
    bool (*holds)(int64_t a, int64_t b, int64_t c, int64_t k0, int64_t k1);
} condition;

static bool product_small(int64_t a, int64_t b, int64_t c, int64_t k0, int64_t k1)
{
    return a * b <= 24;
}

static bool divides(int64_t a, int64_t b, int64_t c, int64_t k0, int64_t k1)
{
    return a == 0 || (k0 - k1) % a == 0;
}

static bool ends(int64_t a, int64_t b, int64_t c, int64_t k0, int64_t k1)
{
    return (c == 3 || b > 4) && k0 >= k1;
}

static bool first_only(int64_t a, int64_t b, int64_t c, int64_t k0, int64_t k1)
{
    return a != 2;
}

static const condition conditions[] = {
    {"a * b <= 24", product_small},
    {"a == 0 || (K[0] - low) % a == 0", divides},
    {"(c == 3 || b > 4) && high >= low", ends},
    {"a != 2", first_only},
};

static opevo_space *make_constrained(const char *const *constraints)
{
    static const char *const names[] = {"high", "low"};
    const opevo_value sides[] = {opevo_value_of_integer(60), opevo_value_of_integer(2)};
    opevo_parameter *parameters[4] = {NULL};
    opevo_space *space = NULL;
    size_t count = 0;

    while (constraints[count])
        count++;
    CHECK_OK(opevo_parameter_parse("a", "discrete(0,1,2,3,4,5,6,7)", NULL, &parameters[0], &err));
    CHECK_OK(opevo_parameter_create(&(opevo_parameter_spec){.name = "K",
                                                            .type = "factor",
                                                            .values = sides,
                                                            .value_count = 2,
                                                            .component_names = names,
                                                            .component_name_count = 2},
                                    &parameters[1], &err));
    CHECK_OK(opevo_parameter_parse("b", "choice(3,9,4,1,5)", NULL, &parameters[2], &err));
    CHECK_OK(opevo_parameter_parse("c", "choice(1,3)", NULL, &parameters[3], &err));
    CHECK_OK(opevo_space_create(parameters, 4, constraints, count, OPEVO_DIALECT_C, "here", &space,
                                &err));
    return space;
}

/* All sixteen sets of the conditions: each point against the C functions, and the counts. */
CHECK_TEST(test_constraints_point_by_point)
{
    for (unsigned set = 0; set < 16; set++) {
        const char *constraints[5] = {NULL};
        size_t count = 0;
        opevo_space *space = NULL;
        opevo_index allowed = 0;
        opevo_space_share share = {0};

        for (unsigned i = 0; i < 4; i++)
            if (set >> i & 1)
                constraints[count++] = conditions[i].text;
        space = make_constrained(constraints);
        check_index(opevo_space_size(space), 8 * 12 * 5 * 2);
        assert_int_equal(opevo_space_constraint_count(space), count);
        for (size_t i = 0; i < count; i++)
            assert_string_equal(opevo_space_constraint(space, i), constraints[i]);
        for (opevo_index point = 0; point < opevo_space_size(space); point++) {
            opevo_index vertices[4];
            opevo_value a, k[2], b, c;
            bool expected = true;

            opevo_space_decode(space, point, vertices);
            opevo_parameter_value(opevo_space_parameter(space, 0), vertices[0], &a);
            opevo_parameter_value(opevo_space_parameter(space, 1), vertices[1], k);
            opevo_parameter_value(opevo_space_parameter(space, 2), vertices[2], &b);
            opevo_parameter_value(opevo_space_parameter(space, 3), vertices[3], &c);
            for (unsigned i = 0; i < 4; i++)
                if (set >> i & 1)
                    expected &= conditions[i].holds(a.as.integer, b.as.integer, c.as.integer,
                                                    k[0].as.integer, k[1].as.integer);
            assert_int_equal(opevo_space_allows(space, point), expected);
            allowed += expected;
        }
        CHECK_OK(opevo_space_count_allowed(space, 0, 1, &share, &err));
        assert_true(share.exact);
        check_index(share.allowed, allowed);
        CHECK_CLOSE(share.share, (double)allowed / 960, 0);
        opevo_space_destroy(space);
    }
}

/* A space of 4,152,720 points, above what is tabulated; the truth by loops over the values. */
CHECK_TEST(test_untabulated_space)
{
    opevo_space *space =
        make(LIST("K: factor(1024,3)", "X: factor(512,4)", "Y: factor(1024,4)"),
             LIST("X[1] * Y[1] * X[2] * Y[2] <= 1024", "K[2] > 1 && K[2] < 64", "K[0] != X[0]"));
    const opevo_parameter *k = opevo_space_parameter(space, 0);
    const opevo_parameter *x = opevo_space_parameter(space, 1);
    const opevo_parameter *y = opevo_space_parameter(space, 2);
    opevo_space_share one = {0}, four = {0}, limited = {0};
    uint64_t expected = 0;

    for (opevo_index i = 0; i < 66; i++)
        for (opevo_index j = 0; j < 220; j++)
            for (opevo_index l = 0; l < 286; l++) {
                opevo_value kv[3], xv[4], yv[4];
                bool allowed = false;

                opevo_parameter_value(k, i, kv);
                opevo_parameter_value(x, j, xv);
                opevo_parameter_value(y, l, yv);
                allowed =
                    xv[1].as.integer * yv[1].as.integer * xv[2].as.integer * yv[2].as.integer <=
                        1024 &&
                    kv[2].as.integer > 1 && kv[2].as.integer < 64 &&
                    kv[0].as.integer != xv[0].as.integer;
                expected += allowed;
                if ((j + l) % 97 == 0)
                    assert_int_equal(opevo_space_allows(space, (i * 220 + j) * 286 + l), allowed);
            }
    CHECK_OK(opevo_space_count_allowed(space, 1 << 30, 1, &one, &err));
    CHECK_OK(opevo_space_count_allowed(space, 1 << 30, 4, &four, &err));
    assert_true(one.exact && four.exact);
    check_index(one.allowed, expected);
    check_index(four.allowed, expected);
    CHECK_OK(opevo_space_count_allowed(space, 1000, 2, &limited, &err)); /* by the diagram */
    assert_true(limited.exact);
    check_index(limited.allowed, expected);
    opevo_space_destroy(space);
}

/* Enumeration in chunks that begin and end inside a run of allowed points. */
CHECK_TEST(test_counting_by_runs)
{
    opevo_space *space = make(LIST("K: factor(1024,3)", "X: factor(512,4)", "Y: factor(1024,4)"),
                              LIST("K[0] != 4", "X[0] * K[1] != 8"));
    const opevo_parameter *k = opevo_space_parameter(space, 0);
    const opevo_parameter *x = opevo_space_parameter(space, 1);
    opevo_space_share share = {0};
    uint64_t expected = 0;

    for (opevo_index i = 0; i < 66; i++)
        for (opevo_index j = 0; j < 220; j++) {
            opevo_value kv[3], xv[4];

            opevo_parameter_value(k, i, kv);
            opevo_parameter_value(x, j, xv);
            if (kv[0].as.integer != 4 && xv[0].as.integer * kv[1].as.integer != 8)
                expected += 286;
        }
    CHECK_OK(opevo_space_count_allowed(space, 4152720, 2, &share, &err));
    assert_true(share.exact);
    check_index(share.allowed, expected);
    opevo_space_destroy(space);
}

/* factor(2^40,6) has more values than are listed but few enough to try: 2^e[0] >= 2^e[5] holds for
 * sum over e[0] >= e[5] of binomial(40 - e[0] - e[5] + 3, 3) of them. */
CHECK_TEST(test_unlisted_values)
{
    opevo_space *space = make(LIST("F: factor(1099511627776,6)"), LIST("F[0] >= F[5]"));
    opevo_space_share share = {0};
    opevo_index expected = 0;

    for (uint64_t a = 0; a <= 40; a++)
        for (uint64_t b = 0; b <= a && a + b <= 40; b++) {
            opevo_index ways = 0;

            assert_true(opevo_index_binomial(43 - a - b, 3, &ways));
            expected += ways;
        }
    CHECK_OK(opevo_space_count_allowed(space, OPEVO_INDEX_MAX, 0, &share, &err));
    assert_true(share.exact);
    check_index(share.allowed, expected);
    opevo_space_destroy(space);
}

/* One constraint over more combinations than are tried must agree with its parts, which are. A
 * point at which it divides by zero is not allowed. */
CHECK_TEST(test_untried_constraint)
{
    const char *const parameters[] = {"K: factor(1024,3)", "X: factor(512,4)", "Y: factor(4096,4)",
                                      NULL};
    opevo_space *whole =
        make(parameters, LIST("X[1] * Y[1] <= 256 && K[2] < X[2] && 8 / (K[1] - 1) < 8"));
    opevo_space *parts = make(
        parameters, LIST("X[1] * Y[1] <= 256", "K[2] < X[2]", "K[1] != 1 && 8 / (K[1] - 1) < 8"));
    opevo_space_share a = {0}, b = {0};

    for (opevo_index point = 0; point < opevo_space_size(whole); point += 331)
        assert_int_equal(opevo_space_allows(whole, point), opevo_space_allows(parts, point));
    CHECK_OK(opevo_space_count_allowed(whole, OPEVO_INDEX_MAX, 0, &a, &err));
    CHECK_OK(opevo_space_count_allowed(parts, OPEVO_INDEX_MAX, 0, &b, &err));
    assert_true(a.exact && b.exact && a.allowed > 0);
    check_index(a.allowed, b.allowed);
    opevo_space_destroy(whole);
    opevo_space_destroy(parts);
}

/* Constraints that guard each other from separate lines mean the same in spaces whose combinations
 * are all tried and in those where they are too many. */
static void check_guards(opevo_dialect dialect, unsigned most)
{
    opevo_text list = {0}, parameter[4] = {{0}};
    const char *names[5] = {NULL};
    opevo_space *space = NULL;
    opevo_index size = 1;

    for (unsigned value = 1; value <= most; value++)
        opevo_text_printf(&list, "%s%u", value > 1 ? "," : "", value);
    for (int i = 0; i < 4; i++) {
        opevo_text_printf(&parameter[i], "%c: discrete(%s)", "abcw"[i], opevo_text_string(&list));
        names[i] = opevo_text_string(&parameter[i]);
        size *= most;
    }
    CHECK_OK(build(names,
                   dialect == OPEVO_DIALECT_C
                       ? LIST("(a*b) % c == 0", "w % ((a*b)/c) == 0", "100 / (a - 3) < 60")
                       : LIST("(a*b) % c == 0", "w % ((a*b)//c) == 0", "100 // (a - 3) < 60"),
                   dialect, &space, &err));
    for (opevo_index point = 0; point<size; point += most> 8 ? 9973u : 1u) {
        opevo_index v[4];
        int64_t a = 0, b = 0, c = 0, w = 0;

        opevo_space_decode(space, point, v);
        a = (int64_t)v[0] + 1;
        b = (int64_t)v[1] + 1;
        c = (int64_t)v[2] + 1;
        w = (int64_t)v[3] + 1;
        assert_int_equal(opevo_space_allows(space, point),
                         a * b % c == 0 && w % (a * b / c) == 0 && a != 3 && 100 / (a - 3) < 60);
    }
    opevo_space_destroy(space);
    opevo_text_free(&list);
    for (int i = 0; i < 4; i++)
        opevo_text_free(&parameter[i]);
}

CHECK_TEST(test_undefined_is_not_allowed)
{
    opevo_space *space = NULL;

    for (int dialect = OPEVO_DIALECT_C; dialect <= OPEVO_DIALECT_PYTHON; dialect++) {
        check_guards((opevo_dialect)dialect, 8);
        check_guards((opevo_dialect)dialect, 64);
    }
    space = make(LIST("K: discrete(1,4611686018427387904)"), LIST("K * 2 > 0"));
    assert_true(opevo_space_allows(space, 0) && !opevo_space_allows(space, 1));
    opevo_space_destroy(space);
    space = NULL;
    CHECK_FAILS(OPEVO_INVALID, "\"4 / K >= 0\" never holds",
                build(LIST("K: discrete(0)"), LIST("4 / K >= 0"), OPEVO_DIALECT_C, &space, &err));
}

/* Beyond 64 bits everything is a formula or an estimate. The share of permutations of 30 with
 * p[0] < p[1] is one half, of those with p[0] == 0 it is 1/30. */
CHECK_TEST(test_huge_space)
{
    opevo_space *space = make(LIST("P: permutation(30)", "F: factor(1024,2)"),
                              LIST("P[0] < P[1]", "P[2] == 0 || F[0] > 0"));
    opevo_space_share share = {0};
    opevo_index point = opevo_space_size(space) - 1;

    assert_false(opevo_space_allows(space, point)); /* 29, 28, ..., 0 */
    assert_true(opevo_space_allows(space, 0));
    CHECK_OK(opevo_space_count_allowed(space, OPEVO_INDEX_MAX, 0, &share, &err));
    assert_false(share.exact);
    assert_true(share.share_low < 0.5 && 0.5 < share.share_high);
    assert_true(share.share_low <= share.share && share.share <= share.share_high);
    assert_true(share.share_high - share.share_low < 0.003); /* a 99 % interval */
    opevo_space_destroy(space);
    space = make(LIST("P: permutation(30)", "F: factor(1024,2)"), LIST("P[0] == 0"));
    CHECK_OK(opevo_space_count_allowed(space, OPEVO_INDEX_MAX, 0, &share, &err));
    assert_true(share.share_low < 1.0 / 30 && 1.0 / 30 < share.share_high);
    opevo_space_destroy(space);
    space = make(LIST("P: permutation(30)", "F: factor(1024,2)"), NULL);
    CHECK_OK(opevo_space_count_allowed(space, 0, 0, &share, &err));
    assert_true(share.exact && share.allowed == opevo_space_size(space) && share.share == 1);
    opevo_space_destroy(space);
}

/* Texts, truth values and reals in constraints, in both dialects. */
CHECK_TEST(test_kinds_of_values)
{
    const char *const parameters[] = {"p: choice(fp16,fp32)", "f: choice(true,false)",
                                      "r: discrete(0.5,1,2)", "m: choice(1,auto)", NULL};
    opevo_space *c = make(parameters, LIST("p == \"fp16\" || f", "r < 1 || m != 'auto'"));
    opevo_space *python = NULL;
    size_t allowed = 0;

    CHECK_OK(build(parameters, LIST("p == 'fp16' or f == True", "r < 1 or m not in ['auto']"),
                   OPEVO_DIALECT_PYTHON, &python, &err));
    for (opevo_index point = 0; point < opevo_space_size(c); point++) {
        assert_int_equal(opevo_space_allows(c, point), opevo_space_allows(python, point));
        allowed += opevo_space_allows(c, point);
    }
    assert_int_equal(allowed, 3 * (2 + 2 * 1));
    assert_true(opevo_space_signature(c) != opevo_space_signature(python));
    opevo_space_destroy(c);
    opevo_space_destroy(python);
}

/* A short file may not ask for hours: many constraints on a large parameter are refused, and where
 * nothing is tried, in the long run, fewer points are looked at. Alternatives count that are never
 * evaluated, so that the limit is near. */
CHECK_TEST(test_work_is_bounded)
{
    enum { ALTERNATIVES = 250 };
    opevo_space *space = NULL;
    opevo_space_share share;

    for (int n = 10; n <= (int)test_size(10, 11); n++) {
        opevo_text json = {0};

        opevo_text_printf(&json, "{\"p\": {\"_type\": \"permutation\", \"_value\": [%d]},", n);
        opevo_text_add(&json, "\"_constraints\": [");
        for (int i = 0; i < 200; i++) {
            opevo_text_printf(&json, "%s\"p[%d] < %d", i ? "," : "", i % n, n);
            for (int k = 0; n == 10 && k < ALTERNATIVES; k++)
                opevo_text_printf(&json, " || p[%d] < %d", k % n, k);
            opevo_text_add(&json, "\"");
        }
        opevo_text_add(&json, "]}");
        if (n == 10) {
            CHECK_FAILS(OPEVO_LIMIT, "constraint 2: evaluating the constraints up to here",
                        opevo_space_parse(json.data, "space.json", NULL, &space, &err));
        } else {
            CHECK_OK(opevo_space_parse(json.data, "space.json", NULL, &space, &err));
            CHECK_OK(opevo_space_count_allowed(space, OPEVO_INDEX_MAX, 1, &share, &err));
            assert_true(!share.exact && share.share == 1);
            opevo_space_destroy(space);
        }
        opevo_text_free(&json);
    }
}

/* Names of components are looked up in any number and order. */
CHECK_TEST(test_many_names)
{
    opevo_text json = {0};
    opevo_space *space = NULL;

    opevo_text_add(&json,
                   "{\"f\": {\"_type\": \"factor\", \"_value\": [2, 300], \"_components\": [");
    for (int i = 0; i < 300; i++)
        opevo_text_printf(&json, "%s\"n%d\"", i ? ", " : "", i * 7919 % 1000);
    opevo_text_add(&json, "]}, \"_constraints\": [\"n0 == 2\", \"n1 + n10");
    opevo_text_add(&json, "\"]}");
    CHECK_FAILS(OPEVO_INVALID, "unknown name n1;",
                opevo_space_parse(json.data, "space.json", NULL, &space, &err));
    json.length -= strlen(", \"n1 + n10\"]}");
    opevo_text_add(&json, "]}");
    CHECK_OK(opevo_space_parse(json.data, "space.json", NULL, &space, &err));
    assert_true(opevo_space_allows(space, 0) && !opevo_space_allows(space, 1));
    opevo_space_destroy(space);
    opevo_text_free(&json);
}
