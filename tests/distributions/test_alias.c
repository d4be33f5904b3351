/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Alias tables: the probabilities that they realise, found exactly by feeding the table chosen
 * words instead of random ones, and draws. */

#include "check_memory.h"
#include "law_fixture.h"

#include <opevo/sampler.h>

#include <float.h>

/* What the table gives for one 64-bit word. */
static size_t given_word(const opevo_alias *alias, uint64_t word)
{
    opevo_rng rng = {.word = {word}, .used = 0};

    return opevo_alias_draw(alias, &rng);
}

/* First word of column i of n: the least u with u n / 2^64 >= i. */
static opevo_index column_start(size_t i, size_t n)
{
    return (((opevo_index)i << 64) + n - 1) / n;
}

/* Words that give each entry, counted exactly: in a column the words up to a threshold give one
 * entry and the rest another, so the threshold is found by bisection. */
static void count_words(const opevo_alias *alias, size_t n, opevo_index *words)
{
    memset(words, 0, n * sizeof *words);
    for (size_t i = 0; i < n; i++) {
        opevo_index first = column_start(i, n), end = column_start(i + 1, n);
        opevo_index low = first, high = end - 1;
        size_t lower = given_word(alias, (uint64_t)first);
        size_t upper = given_word(alias, (uint64_t)(end - 1));

        if (lower == upper) {
            words[lower] += end - first;
            continue;
        }
        while (high - low > 1) {
            opevo_index middle = low + (high - low) / 2;

            if (given_word(alias, (uint64_t)middle) == lower)
                low = middle;
            else
                high = middle;
        }
        words[lower] += high - first;
        words[upper] += end - high;
    }
}

/* `tolerance` leaves a few units of 2^-64 for each column that an entry may share. */
static void check_realised(const double *weights, size_t n, double tolerance)
{
    opevo_alias *alias = NULL;
    opevo_index *words = calloc(n, sizeof *words);
    long double sum = 0;

    CHECK_OK(opevo_alias_create(weights, n, &alias, &err));
    count_words(alias, n, words);
    for (size_t i = 0; i < n; i++)
        sum += weights[i];
    for (size_t i = 0; i < n; i++) {
        long double realised = (long double)words[i] * 0x1p-64L;

        CHECK_CLOSE((double)realised, (double)(weights[i] / sum), tolerance);
        if (weights[i] == 0)
            assert_true(words[i] == 0);
    }
    opevo_alias_destroy(alias);
    free(words);
}

CHECK_TEST(realised_probabilities)
{
    static const double plain[] = {1, 2, 3, 4};
    static const double zeros[] = {0, 1, 0, 0, 3, 0};
    static const double one[] = {0.3};
    static const double only[] = {0, 0, DBL_MIN, 0};
    static const double spread[] = {1e-300, 1, DBL_MAX, 1e280, 0x1p-1074};
    static const double large[] = {DBL_MAX, DBL_MAX};
    static const double equal[] = {.1, .1, .1, .1, .1, .1, .1};
    double many[5000];

    check_realised(plain, 4, 0x1p-60);
    check_realised(zeros, 6, 0x1p-60);
    check_realised(one, 1, 0);
    check_realised(only, 4, 0);
    check_realised(spread, 5, 0x1p-60);
    check_realised(large, 2, 0x1p-60);
    check_realised(equal, 7, 0x1p-60);
    for (size_t i = 0; i < 5000; i++)
        many[i] = i % 3 == 0 ? 0 : pow(1.01, (double)(i * 7919 % 5000));
    check_realised(many, 5000, 0x1p-44);
}

CHECK_TEST(law_as_a_table)
{
    enum { DRAWS = 300000 };
    opevo_parameter *parameter = parameter_of("factor(64,3)", NULL);
    double law[28];
    uint64_t drawn[28] = {0};
    opevo_law *exact = NULL;
    opevo_alias *alias = NULL;
    opevo_rng rng;

    assert_int_equal((int)opevo_parameter_size(parameter), 28);
    CHECK_OK(opevo_law_create(parameter, 0.8, 4, NULL, &exact, &err));
    for (size_t v = 0; v < 28; v++)
        law[v] = opevo_law_probability(exact, v);
    CHECK_OK(opevo_alias_create_from_law(exact, &alias, &err));
    opevo_law_destroy(exact);
    opevo_rng_init(&rng, 1, "alias", 0);
    for (int i = 0; i < DRAWS; i++)
        drawn[opevo_alias_draw(alias, &rng)]++;
    assert_true(fit_p(drawn, law, 28, DRAWS) > 1e-4);
    opevo_alias_destroy(alias);
    opevo_parameter_destroy(parameter);
}

CHECK_TEST(refused)
{
    static const double bad[][2] = {{1, -1}, {NAN, 1}, {1, INFINITY}, {0, 0}};
    opevo_parameter *huge = parameter_of("permutation(20)", NULL);
    opevo_law *law = NULL;
    opevo_alias *alias = NULL;

    for (size_t i = 0; i < 4; i++)
        CHECK_FAILS(OPEVO_INVALID, "alias table", opevo_alias_create(bad[i], 2, &alias, &err));
    CHECK_FAILS(OPEVO_INVALID, "alias table", opevo_alias_create(bad[0], 0, &alias, &err));
    CHECK_FAILS(OPEVO_INVALID, "alias table",
                opevo_alias_create(bad[0], (size_t)UINT32_MAX + 1, &alias, &err));
    CHECK_OK(opevo_law_create(huge, 0.5, 0, NULL, &law, &err));
    CHECK_FAILS(OPEVO_LIMIT, "2^26", opevo_alias_create_from_law(law, &alias, &err));
    assert_null(alias);
    opevo_alias_destroy(NULL);
    opevo_law_destroy(law);
    opevo_parameter_destroy(huge);
}

CHECK_TEST(every_allocation_failing)
{
    opevo_alias *alias = NULL;
    static const double weights[] = {1, 2, 3};

    CHECK_MEMORY_OF(opevo_alias_create(weights, 3, &alias, NULL), opevo_alias_destroy(alias),
                    alias = NULL);
}
