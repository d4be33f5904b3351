/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Permutations: numbering, adjacent swaps, metrics in closed form. */

#include "topology_checks.h"

static size_t differing_places(const opevo_value *a, const opevo_value *b, size_t n,
                               size_t places[2])
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        if (a[i].as.integer == b[i].as.integer)
            continue;
        if (count < 2)
            places[count] = i;
        count++;
    }
    return count;
}

static bool transposition(const opevo_value *a, const opevo_value *b, size_t n)
{
    size_t places[2];

    return differing_places(a, b, n, places) == 2;
}

static bool adjacent_swap(const opevo_value *a, const opevo_value *b, size_t n)
{
    size_t places[2];

    return differing_places(a, b, n, places) == 2 && places[1] == places[0] + 1;
}

/* Some element, taken out of both, leaves the same row. */
static bool insertion(const opevo_value *a, const opevo_value *b, size_t n)
{
    bool found = false;

    for (size_t e = 0; e < n && !found; e++) {
        size_t i = 0, j = 0;

        found = true;
        while (found && (i < n || j < n)) {
            if (i < n && a[i].as.integer == (int64_t)e)
                i++;
            else if (j < n && b[j].as.integer == (int64_t)e)
                j++;
            else
                found = a[i++].as.integer == b[j++].as.integer;
        }
    }
    return found;
}

CHECK_TEST(test_small_sets)
{
    for (int n = 1; n <= 6; n++) {
        char text[32];
        opevo_parameter *parameter = NULL;
        opevo_index factorial = 1;

        snprintf(text, sizeof text, "permutation(%d)", n);
        check_small(text, NULL, transposition);
        check_small(text, "adjacent-swap", adjacent_swap);
        check_small(text, "insertion", insertion);
        check_small(text, "complete", any_two);
        for (unsigned i = 2; i <= (unsigned)n; i++)
            factorial *= i;
        parameter = parse_parameter(text, NULL);
        assert_true(opevo_parameter_size(parameter) == factorial);
        assert_int_equal(opevo_parameter_family(parameter), OPEVO_FAMILY_TRANSPOSITIONS);
        opevo_parameter_destroy(parameter);
    }
}

/* Vertices are in lexicographic order, here over all of S_7. */
CHECK_TEST(test_order)
{
    opevo_parameter *parameter = parse_parameter("permutation(7)", NULL);
    opevo_value before[7], after[7];

    opevo_parameter_value(parameter, 0, before);
    for (size_t i = 0; i < 7; i++)
        assert_int_equal(before[i].as.integer, i);
    for (opevo_index v = 1; v < opevo_parameter_size(parameter); v++) {
        size_t i = 0;

        opevo_parameter_value(parameter, v, after);
        while (i < 7 && before[i].as.integer == after[i].as.integer)
            i++;
        assert_true(i < 7 && before[i].as.integer < after[i].as.integer);
        memcpy(before, after, sizeof before);
    }
    opevo_parameter_destroy(parameter);
}

/* 20 and 21 straddle the digits that 64 bits hold; 34 is the longest. */
CHECK_TEST(test_large_sets)
{
    static const int lengths[] = {13, 20, 21, 30, 34};

    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        char text[32];

        snprintf(text, sizeof text, "permutation(%d)", lengths[i]);
        check_large(text, NULL, transposition, 6);
        check_large(text, "adjacent-swap", adjacent_swap, 6);
        check_large(text, "insertion", insertion, 3);
    }
}

CHECK_TEST(test_limits)
{
    opevo_parameter *parameter = parse_parameter("permutation(34)", NULL);
    opevo_parameter_metrics metrics = {0};
    opevo_index vertex = 0;
    char text[OPEVO_INDEX_TEXT_SIZE];

    assert_string_equal(opevo_index_format(opevo_parameter_size(parameter), text),
                        "295232799039604140847618609643520000000");
    CHECK_OK(opevo_parameter_read(parameter,
                                  "33,32,31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,"
                                  "12,11,10,9,8,7,6,5,4,3,2,1,0",
                                  &vertex, &err));
    assert_true(vertex == opevo_parameter_size(parameter) - 1);
    CHECK_OK(opevo_parameter_measure(parameter, &metrics, &err));
    /* 34! * 561 / 2 exceeds 2^128, so the number of edges is unknown and the rest is not. */
    assert_int_equal(metrics.known, CHECK_ALL_METRICS & ~OPEVO_METRIC_EDGES);
    assert_int_equal(metrics.diameter, 33);
    opevo_parameter_destroy(parameter);
    parameter = NULL;
    CHECK_FAILS(OPEVO_LIMIT, "n may be at most 34",
                opevo_parameter_parse("x", "permutation(35)", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "1 positive integer",
                opevo_parameter_parse("x", "permutation(0)", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "1 positive integer",
                opevo_parameter_parse("x", "permutation(3,4)", NULL, &parameter, &err));
    CHECK_FAILS(OPEVO_INVALID, "1 positive integer",
                opevo_parameter_parse("x", "permutation(abc)", NULL, &parameter, &err));
    assert_null(parameter);
}

CHECK_TEST(test_refused_values)
{
    static const char *const refused[] = {"0,1,1", "1,2,3", "-1,0,1", "0,0.5,1", "a,b,c"};
    opevo_parameter *parameter = parse_parameter("permutation(3)", NULL);
    opevo_index vertex = 9;

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        CHECK_FAILS(OPEVO_INVALID, "each of 0 .. 2 once",
                    opevo_parameter_read(parameter, refused[i], &vertex, &err));
    CHECK_FAILS(OPEVO_INVALID, "2 components, not 3",
                opevo_parameter_read(parameter, "0,1", &vertex, &err));
    assert_true(vertex == 9);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_allocations)
{
    check_allocations("permutation(5)", "insertion");
}
