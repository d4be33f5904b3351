/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "topology_checks.h"

/* w comes from u by u_m / z and u_n * z in two places m != n, and nowhere else; z, or 0. */
static int64_t moved_divisor(const opevo_value *u, const opevo_value *w, size_t arity)
{
    int64_t given = 0, taken = 0;

    for (size_t i = 0; i < arity; i++) {
        int64_t a = u[i].as.integer, b = w[i].as.integer;

        if (a == b)
            continue;
        if (a > b && a % b == 0 && !given)
            given = a / b;
        else if (b > a && b % a == 0 && !taken)
            taken = b / a;
        else
            return 0;
    }
    return given == taken ? given : 0;
}

static bool is_prime(int64_t number)
{
    for (int64_t d = 2; d * d <= number; d++) {
        if (number % d == 0)
            return false;
    }
    return number > 1;
}

static bool prime_move(const opevo_value *u, const opevo_value *w, size_t arity)
{
    return is_prime(moved_divisor(u, w, arity));
}

static bool any_divisor(const opevo_value *u, const opevo_value *w, size_t arity)
{
    return moved_divisor(u, w, arity) > 1;
}

/* All tuples by trying every value of each place: the set itself, independent of primes. */
static size_t count_tuples(int64_t product, size_t places)
{
    size_t count = 0;

    if (places == 1)
        return 1;
    for (int64_t d = 1; d <= product; d++) {
        if (product % d == 0)
            count += count_tuples(product / d, places - 1);
    }
    return count;
}

CHECK_TEST(test_small_sets)
{
    static const struct {
        int product, places;
    } sets[] = {{1, 1}, {1, 4}, {2, 1},  {2, 2},  {7, 5},  {8, 2},  {8, 3},  {12, 3},
                {6, 2}, {6, 4}, {30, 3}, {36, 2}, {36, 3}, {16, 5}, {60, 3}, {96, 4}};

    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        char text[64];
        opevo_parameter *parameter = NULL;

        snprintf(text, sizeof text, "factor(%d,%d)", sets[i].product, sets[i].places);
        parameter = parse_parameter(text, NULL);
        assert_int_equal(opevo_parameter_size(parameter),
                         count_tuples(sets[i].product, (size_t)sets[i].places));
        assert_int_equal(opevo_parameter_arity(parameter), sets[i].places);
        opevo_parameter_destroy(parameter);
        check_small(text, NULL, prime_move);
        check_small(text, "prime-move", prime_move);
        check_small(text, "any-divisor", any_divisor);
        check_small(text, "complete", any_two);
    }
}

/* One prime in decreasing order of the first places; then the largest prime runs fastest. */
CHECK_TEST(test_order)
{
    static const char *const eight[] = {"8,1,1", "4,2,1", "4,1,2", "2,4,1", "2,2,2",
                                        "2,1,4", "1,8,1", "1,4,2", "1,2,4", "1,1,8"};
    static const char *const twelve[] = {"12,1", "4,3", "6,2", "2,6", "3,4", "1,12"};
    opevo_parameter *a = parse_parameter("factor(8,3)", NULL);
    opevo_parameter *b = parse_parameter("factor(12,2)", NULL);
    opevo_text text = {0};

    for (size_t v = 0; v < 10; v++) {
        opevo_text_clear(&text);
        opevo_parameter_print(a, v, &text);
        assert_string_equal(opevo_text_string(&text), eight[v]);
    }
    for (size_t v = 0; v < 6; v++) {
        opevo_text_clear(&text);
        opevo_parameter_print(b, v, &text);
        assert_string_equal(opevo_text_string(&text), twelve[v]);
    }
    opevo_text_free(&text);
    opevo_parameter_destroy(a);
    opevo_parameter_destroy(b);
}

/* Sizes and degrees of the operators' parameters as their published spaces have them. */
CHECK_TEST(test_published_sets)
{
    static const struct {
        const char *text;
        int size, low, high;
        double mean;
    } sets[] = {
        {"factor(8,3)", 10, 2, 6, 3.6},        {"factor(512,4)", 220, 3, 12, 9},
        {"factor(1024,3)", 66, 2, 6, 5},       {"factor(1024,4)", 286, 3, 12, 120. / 13},
        {"factor(4096,4)", 455, 3, 12, 9.6},   {"factor(960,2)", 28, 3, 4, 26. / 7},
        {"factor(192,4)", 336, 6, 15, 11},     {"factor(55,4)", 16, 6, 6, 6},
        {"factor(4096,3)", 91, 2, 6, 36. / 7},
    };

    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        opevo_parameter *parameter = parse_parameter(sets[i].text, NULL);
        opevo_parameter_metrics metrics = {0};

        CHECK_OK(opevo_parameter_measure(parameter, &metrics, &err));
        assert_int_equal(opevo_parameter_size(parameter), sets[i].size);
        assert_int_equal(metrics.degree_min, sets[i].low);
        assert_int_equal(metrics.degree_max, sets[i].high);
        CHECK_CLOSE(metrics.degree_mean, sets[i].mean, 1e-12);
        opevo_parameter_destroy(parameter);
    }
}

CHECK_TEST(test_large_sets)
{
    static const char *const texts[] = {
        "factor(1099511627776,6)",       /* 2^40 */
        "factor(614889782588491410,4)",  /* the product of the 15 smallest primes */
        "factor(897612484786617600,6)",  /* 103680 divisors, the most below 10^18 */
        "factor(4611686018427387904,9)", /* 2^62 */
        "factor(1000000007,20)",
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check_large(texts[i], NULL, prime_move, 12);
    check_large("factor(1099511627776,6)", "any-divisor", any_divisor, 6);
    check_large("factor(897612484786617600,6)", "any-divisor", any_divisor, 4);
}

/* The factorisation, on numbers with large, repeated and close prime factors. With two places, the
 * size is the number of divisors, and every vertex multiplies to C. */
CHECK_TEST(test_hard_factorisations)
{
    static const struct {
        const char *text;
        int divisors;
    } cases[] = {
        {"factor(9223372036854775807,2)", 96}, /* 7^2 73 127 337 92737 649657 */
        {"factor(9223372036854775783,2)", 2},  /* the largest prime below 2^63 */
        {"factor(4611686014132420609,2)", 3},  /* (2^31 - 1)^2 */
        {"factor(9223371994482243049,2)", 3},  /* 3037000493^2 */
        {"factor(9223371873002223329,2)", 4},  /* 3037000453 * 3037000493 */
        {"factor(1018081,2)", 3},              /* 1009^2, just above the trial divisions */
        {"factor(1027243729,2)", 4},           /* 1009^3 */
        {"factor(3215031751,2)", 8},           /* a strong pseudoprime to 2, 3, 5 and 7 */
        {"factor(341550071728321,2)", 4},      /* a strong pseudoprime to 2 .. 17 */
        {"factor(3825123056546413051,2)", 8},  /* a strong pseudoprime to 2 .. 23 */
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_parameter *parameter = parse_parameter(cases[i].text, NULL);

        if (opevo_parameter_size(parameter) != (opevo_index)cases[i].divisors)
            fail_msg("%s has %d divisors", cases[i].text, (int)opevo_parameter_size(parameter));
        for (opevo_index v = 0; v < opevo_parameter_size(parameter); v++)
            check_round_trip(parameter, v);
        opevo_parameter_destroy(parameter);
    }
}

CHECK_TEST(test_families)
{
    static const struct {
        const char *text, *topology;
        opevo_family family;
    } cases[] = {
        {"factor(8,3)", "prime-move", OPEVO_FAMILY_GENERAL},
        {"factor(8,2)", "prime-move", OPEVO_FAMILY_PATH},
        {"factor(8,2)", "any-divisor", OPEVO_FAMILY_COMPLETE},
        {"factor(7,4)", "prime-move", OPEVO_FAMILY_COMPLETE},
        {"factor(7,4)", "any-divisor", OPEVO_FAMILY_COMPLETE},
        {"factor(12,2)", "prime-move", OPEVO_FAMILY_GENERAL},
        {"factor(12,2)", "any-divisor", OPEVO_FAMILY_GENERAL},
        {"factor(1,3)", "prime-move", OPEVO_FAMILY_COMPLETE},
        {"factor(8,1)", "any-divisor", OPEVO_FAMILY_COMPLETE},
        {"factor(8,3)", "complete", OPEVO_FAMILY_COMPLETE},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_parameter *parameter = parse_parameter(cases[i].text, cases[i].topology);
        opevo_index size = opevo_parameter_size(parameter);

        assert_int_equal(opevo_parameter_family(parameter), cases[i].family);
        for (opevo_index v = 0; v < size; v++) {
            if (cases[i].family == OPEVO_FAMILY_COMPLETE)
                assert_true(opevo_parameter_degree(parameter, v) == size - 1);
            if (cases[i].family == OPEVO_FAMILY_PATH && v > 0)
                assert_int_equal(count_neighbour(parameter, v, v - 1), 1);
        }
        opevo_parameter_destroy(parameter);
    }
}

CHECK_TEST(test_refused_values)
{
    opevo_parameter *parameter = parse_parameter("factor(8,3)", NULL);
    opevo_value whole[] = {opevo_value_of_integer(8),
                           opevo_value_of_integer(1),
                           {.kind = OPEVO_VALUE_REAL, .as = {.real = 1.0}}};
    opevo_index vertex = 7;

    CHECK_FAILS(OPEVO_INVALID, "4,1,1 is not a value of factor(8,3): its product is 4",
                opevo_parameter_read(parameter, "4,1,1", &vertex, &err));
    CHECK_FAILS(OPEVO_INVALID, "it has 2 components, not 3",
                opevo_parameter_read(parameter, "4,2", &vertex, &err));
    CHECK_FAILS(OPEVO_INVALID, "positive integers",
                opevo_parameter_read(parameter, "-8,-1,1", &vertex, &err));
    CHECK_FAILS(OPEVO_INVALID, "positive integers",
                opevo_parameter_read(parameter, "0,1,1", &vertex, &err));
    CHECK_FAILS(OPEVO_INVALID, "positive integers",
                opevo_parameter_read(parameter, "a,1,1", &vertex, &err));
    CHECK_FAILS(OPEVO_INVALID, "positive integers",
                opevo_parameter_read(parameter, "0.5,16,1", &vertex, &err));
    CHECK_FAILS(OPEVO_INVALID, "exceeds 2^63",
                opevo_parameter_read(parameter, "4294967296,4294967296,1", &vertex, &err));
    CHECK_FAILS(OPEVO_INVALID, "components", opevo_parameter_read(parameter, "", &vertex, &err));
    CHECK_FAILS(OPEVO_INVALID,
                "4,,1 is not a value of factor(8,3): a value is missing between two commas.",
                opevo_parameter_read(parameter, "4,,1", &vertex, &err));
    CHECK_FAILS(OPEVO_INVALID, "a value is missing after the last comma",
                opevo_parameter_read(parameter, "8,1,", &vertex, &err));
    assert_true(vertex == 7);
    CHECK_OK(opevo_parameter_read(parameter, " 4, 1 ,2 ", &vertex, &err));
    assert_true(vertex == 2);
    assert_true(opevo_parameter_find(parameter, whole, &vertex));
    assert_true(vertex == 0);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_refused_arguments)
{
    static const struct {
        const char *text, *words;
        opevo_status status;
    } cases[] = {
        {"factor(0,3)", "2 positive integers", OPEVO_INVALID},
        {"factor(8,0)", "2 positive integers", OPEVO_INVALID},
        {"factor(-8,3)", "not (-8,3)", OPEVO_INVALID},
        {"factor(8)", "not (8)", OPEVO_INVALID},
        {"factor(8,3,1)", "not (8,3,1)", OPEVO_INVALID},
        {"factor()", "not ()", OPEVO_INVALID},
        {"factor(8.5,3)", "not (8.5,3)", OPEVO_INVALID},
        {"factor(9223372036854775808,3)", "below 2^63", OPEVO_INVALID},
        {"factor(a,3)", "not (a,3)", OPEVO_INVALID},
        {"factor(8,1025)", "1024", OPEVO_LIMIT},
        {"factor(4611686018427387904,100)", "2^128", OPEVO_LIMIT},
        {"factor(614889782588491410,1000)", "2^128", OPEVO_LIMIT},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        opevo_parameter *parameter = NULL;

        CHECK_FAILS(cases[i].status, cases[i].words,
                    opevo_parameter_parse("x", cases[i].text, NULL, &parameter, &err));
        assert_null(parameter);
    }
}

CHECK_TEST(test_powers)
{
    static const char *const same[][2] = {
        {"factor(2^40,6)", "factor(1099511627776,6)"},
        {"factor(3037000499^2,2^1)", "factor(9223372030926249001,2)"},
        {"factor(1^99,7^0)", "factor(1,1)"}};
    static const char *const refused[] = {
        "factor(2^63,2)", "factor(0^3,2)",  "factor(3037000500^2,2)", "factor(2^,2)",
        "factor(^2,2)",   "factor(2^-1,2)", "factor(-2^2,2)",         "factor(2^2^2,2)"};
    opevo_parameter *a = NULL;

    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        opevo_parameter *b = parse_parameter(same[i][1], NULL);

        a = parse_parameter(same[i][0], NULL);
        assert_string_equal(opevo_parameter_text(a), same[i][0]);
        assert_true(opevo_parameter_hash(a, 0) == opevo_parameter_hash(b, 0));
        opevo_parameter_destroy(a);
        opevo_parameter_destroy(b);
    }
    a = NULL;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        CHECK_FAILS(OPEVO_INVALID, "positive integers",
                    opevo_parameter_parse("x", refused[i], NULL, &a, &err));
    assert_null(a);
}

/* The largest set that fits: 15 primes, each in v places, v^15 < 2^128 up to v = 370. */
CHECK_TEST(test_largest_set)
{
    opevo_parameter *parameter = parse_parameter("factor(614889782588491410,370)", NULL);
    opevo_parameter_metrics metrics = {0};
    opevo_value *components = opevo_malloc(370, sizeof *components);
    opevo_index last = opevo_parameter_size(parameter) - 1, found = 0;

    assert_non_null(components);
    CHECK_CLOSE((double)last / pow(370, 15), 1, 1e-12);
    opevo_parameter_value(parameter, last, components);
    assert_true(components[369].as.integer == 614889782588491410);
    assert_true(opevo_parameter_find(parameter, components, &found) && found == last);
    CHECK_OK(opevo_parameter_measure(parameter, &metrics, &err));
    assert_int_equal(metrics.known, CHECK_ALL_METRICS & ~OPEVO_METRIC_EDGES);
    assert_true(metrics.edges == 0);
    assert_int_equal(metrics.degree_max, 369 * 15);
    CHECK_CLOSE(metrics.degree_mean, 369 * 15, 1e-9);
    opevo_free(components);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(test_allocations)
{
    check_allocations("factor(96,4)", NULL);
    check_allocations("factor(1,1)", "any-divisor");
}
