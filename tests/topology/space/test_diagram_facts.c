/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Shares, neighbours, values and constraints that do not matter: against enumeration. */

#include "random_systems.h"
#include "space_checks.h"

#include <opevo/diagram.h>

enum { SYSTEMS = 300, WIDTH_MOST = 32, SIZE_MOST = 128 };

static const opevo_diagram *diagram_of(const opevo_space *space)
{
    const opevo_diagram *diagram = NULL;

    CHECK_OK(opevo_space_diagram(space, &diagram, &err));
    return diagram;
}

/* Where a vertex counts: behind the last if it is inactive. */
static size_t column_of(const opevo_space *space, size_t i, opevo_index vertex)
{
    return (size_t)(vertex == OPEVO_INACTIVE ? opevo_parameter_size(opevo_space_parameter(space, i))
                                             : vertex);
}

static void check_shares(const opevo_space *space, size_t a, size_t b)
{
    const opevo_diagram *diagram = diagram_of(space);
    size_t size_a = column_of(space, a, OPEVO_INACTIVE),
           size_b = column_of(space, b, OPEVO_INACTIVE);
    static double pairs[SIZE_MOST * SIZE_MOST], shares[SIZE_MOST], counts[SIZE_MOST * SIZE_MOST];
    double total = 0, least = 0;

    assert_true(size_a < SIZE_MOST && size_b < SIZE_MOST);
    memset(counts, 0, sizeof counts);
    for (opevo_index point = 0; point < opevo_space_size(space); point++) {
        opevo_index vertices[WIDTH_MOST];

        if (!opevo_space_allows(space, point))
            continue;
        opevo_space_decode(space, point, vertices);
        counts[column_of(space, a, vertices[a]) * (size_b + 1) +
               column_of(space, b, vertices[b])]++;
        total++;
    }
    CHECK_OK(opevo_diagram_shares(diagram, a, shares, &err));
    CHECK_OK(opevo_diagram_pair_shares(diagram, a, b, pairs, &err));
    for (size_t u = 0; u <= size_a; u++) {
        double sum = 0;

        for (size_t v = 0; v <= size_b; v++) {
            least = counts[u * (size_b + 1) + v] / total;
            CHECK_CLOSE(pairs[u * (size_b + 1) + v], least, 1e-13);
            sum += least;
        }
        CHECK_CLOSE(shares[u], sum, 1e-13);
        assert_int_equal(
            opevo_diagram_occurs(diagram, a, u == size_a ? OPEVO_INACTIVE : (opevo_index)u),
            sum > 0);
    }
}

/* The points that differ from one in one parameter only, whose others keep their places. */
static void check_alternatives(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[WIDTH_MOST];

    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        opevo_index found[SIZE_MOST], size = opevo_parameter_size(opevo_space_parameter(space, i));
        size_t count = opevo_diagram_alternatives(diagram_of(space), vertices, i, found, SIZE_MOST);
        size_t at = 0;
        opevo_index own = vertices[i];

        for (opevo_index v = 0; v < size && own != OPEVO_INACTIVE; v++) {
            opevo_index other[WIDTH_MOST];

            vertices[i] = v;
            opevo_space_decode(space, opevo_space_encode(space, vertices), other);
            if (v == own ||
                memcmp(other, vertices, sizeof *other * opevo_space_parameter_count(space)) != 0 ||
                !opevo_space_allows(space, opevo_space_encode(space, vertices)))
                continue;
            assert_true(at < count && found[at] == v);
            at++;
        }
        assert_int_equal(at, count);
        vertices[i] = own;
    }
}

/* Those of an allowed point, counted for whole groups. */
static void check_counts_of_alternatives(const opevo_space *space, opevo_index point)
{
    const opevo_diagram *diagram = diagram_of(space);
    size_t width = opevo_space_parameter_count(space), counts[WIDTH_MOST];
    opevo_index vertices[WIDTH_MOST];

    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < width; i++) {
        assert_true(opevo_diagram_group(diagram, i) < opevo_diagram_group_count(diagram));
        counts[i] = SIZE_MAX;
    }
    for (size_t g = 0; g < opevo_diagram_group_count(diagram); g++)
        assert_true(opevo_diagram_count_alternatives(diagram, vertices, g, counts));
    for (size_t i = 0; i < width; i++)
        assert_int_equal(counts[i], opevo_diagram_alternatives(diagram, vertices, i, NULL, 0));
}

/* Allowed vertices stay, and others become allowed. */
static void check_settling(const opevo_space *space, opevo_index point)
{
    const opevo_diagram *diagram = diagram_of(space);
    opevo_index vertices[WIDTH_MOST], settled[WIDTH_MOST];
    size_t width = opevo_space_parameter_count(space);

    opevo_space_decode(space, point, vertices);
    memcpy(settled, vertices, sizeof settled);
    assert_int_equal(opevo_diagram_settle(diagram, settled), opevo_space_allows(space, point));
    assert_true(opevo_diagram_allows(diagram, settled));
    for (size_t i = 0; opevo_space_allows(space, point) && i < width; i++)
        assert_true(settled[i] == vertices[i]);
}

/* Among 1, 2, 7, 8 of 0 .. 9. */
CHECK_TEST(test_settling_is_near)
{
    static const uint64_t nearest[] = {1, 1, 2, 2, 2, 7, 7, 7, 8, 8};
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse("{\"a\": {\"_type\": \"discrete\", \"_value\": [0, 1, 2, 3, 4, 5, 6,"
                               " 7, 8, 9]}, \"_constraints\": [\"a == 1 || a == 2 || a == 7 ||"
                               " a == 8\"]}",
                               "here", NULL, &space, &err));
    for (opevo_index v = 0; v < 10; v++) {
        opevo_index settled = v;

        opevo_diagram_settle(diagram_of(space), &settled);
        assert_true(settled == nearest[(size_t)v]);
    }
    assert_true(opevo_space_start(space) == 0); /* many are allowed */
    opevo_space_destroy(space);
}

CHECK_TEST(test_random_systems)
{
    size_t systems = 0;

    for (uint64_t n = 5000; systems < SYSTEMS; n++) {
        opevo_text text = {0};
        opevo_space *space = random_system(n, &text);
        size_t width = space ? opevo_space_parameter_count(space) : 0;

        for (size_t k = 0; k < 3 && width > 1; k++) {
            size_t a = (size_t)(n + k) % width;

            check_shares(space, a, (a + 1 + k % (width - 1)) % width);
        }
        for (opevo_index point = 0; space && point < opevo_space_size(space); point += 1 + n % 7) {
            check_alternatives(space, point);
            if (opevo_diagram_log2_count(diagram_of(space)) >= 0)
                check_settling(space, point);
            if (opevo_space_allows(space, point))
                check_counts_of_alternatives(space, point);
        }
        systems += space != NULL;
        opevo_space_destroy(space);
        opevo_text_free(&text);
    }
}

/* ---- Constraints ---- */

CHECK_TEST(test_useless_constraints)
{
    opevo_space *space =
        make(LIST("a: discrete(1,2,3,4)", "b: discrete(1,2,3,4)", "c: discrete(1,2)"),
             LIST("a < b", "a + b < 8", "c > 1", "a != b", "b > 1", "a * c < 100", "a * b <= 8"));
    bool useless[7] = {false};
    const bool expected[] = {false, true, false, true, true, true, false};

    CHECK_OK(opevo_space_find_useless(space, useless, &err));
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(useless[i], expected[i]);
    opevo_space_destroy(space);
}

/* Three that conflict only together, among others; and five, more than are tried in all groups. */
CHECK_TEST(test_conflicts)
{
    opevo_space *space = NULL;

    CHECK_FAILS(
        OPEVO_INVALID,
        "here: no point satisfies the constraints 2 (\"a < b\"), 4 (\"b < c\") and 5 (\"c < a\")",
        build(LIST("a: discrete(1,2,3)", "b: discrete(1,2,3)", "c: discrete(1,2,3)"),
              LIST("a * b < 9", "a < b", "a + c < 6", "b < c", "c < a", "b != 7"), OPEVO_DIALECT_C,
              &space, &err));
    CHECK_FAILS(
        OPEVO_INVALID,
        "the constraints 1 (\"a < b\"), 3 (\"b < c\"), 4 (\"c < d\") and 5 (\"d < a\") together",
        build(LIST("a: discrete(1,2,3,4)", "b: discrete(1,2,3,4)", "c: discrete(1,2,3,4)",
                   "d: discrete(1,2,3,4)"),
              LIST("a < b", "a + b < 8", "b < c", "c < d", "d < a"), OPEVO_DIALECT_C, &space,
              &err));
    assert_null(space);
}

/* In a large space the conflict is found when its points are wanted. */
CHECK_TEST(test_conflict_in_a_large_space)
{
    opevo_text list = {0}, parameter[4] = {{0}};
    const char *names[5] = {NULL};
    opevo_space *space = NULL;
    opevo_space_share share = {0};

    opevo_text_add(&list, "1");
    for (int value = 2; value <= 64; value++)
        opevo_text_printf(&list, ",%d", value);
    for (int i = 0; i < 4; i++) {
        opevo_text_printf(&parameter[i], "%c: discrete(%s)", "abcd"[i], opevo_text_string(&list));
        names[i] = opevo_text_string(&parameter[i]);
    }
    space = make(names, LIST("a * b == 128", "c * d == 128", "b + 62 < a", "a % 2 == 0"));
    CHECK_FAILS(OPEVO_INVALID, "1 (\"a * b == 128\") and 3 (\"b + 62 < a\") together",
                opevo_space_check_points(space, "s.json", &err));
    CHECK_OK(opevo_space_count_allowed(space, 0, 1, &share, &err));
    assert_true(share.exact && share.allowed == 0);
    assert_null(opevo_space_draws_from(space));
    opevo_space_destroy(space);
    opevo_text_free(&list);
    for (int i = 0; i < 4; i++)
        opevo_text_free(&parameter[i]);
}
