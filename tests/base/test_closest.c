/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The closest word, against a plain recursive definition of the distance. */

#include "check.h"

#include <opevo/closest.h>

#include <stdbool.h>
#include <string.h>

static const char *closest(const char *word, const char *const *known, size_t count)
{
    opevo_closest search = {.word = word};

    for (size_t i = 0; i < count; i++)
        opevo_closest_offer(&search, known[i]);
    return search.found;
}

CHECK_TEST(test_typing_mistakes)
{
    static const char *const known[] = {"opevo", "opevo-reference", "random", "q", "qgp", "tpe"};
    static const struct {
        const char *word, *found;
    } cases[] = {{"opveo", "opevo"}, {"rundom", "random"}, {"randomm", "random"},
                 {"tp", "tpe"},      {"qgpp", "qgp"},      {"opevo-ref", "opevo-reference"},
                 {"qq", "q"},        {"x", NULL},          {"genetic", NULL},
                 {"", NULL},         {"foe", NULL},        {"pte", "tpe"},
                 {"QGP", "qgp"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = closest(cases[i].word, known, sizeof known / sizeof *known);

        if (cases[i].found)
            assert_string_equal(found, cases[i].found);
        else
            assert_null(found);
    }
}

static size_t edits(const char *a, const char *b)
{
    size_t best = 0, other = 0;

    if (!*a || !*b)
        return strlen(a) + strlen(b);
    best = edits(a + 1, b + 1) + (*a != *b);
    other = edits(a + 1, b) + 1;
    best = other < best ? other : best;
    other = edits(a, b + 1) + 1;
    best = other < best ? other : best;
    if (a[0] == b[1] && a[1] == b[0]) {
        other = edits(a + 2, b + 2) + 1;
        best = other < best ? other : best;
    }
    return best;
}

/* All pairs of words of up to four letters out of two. */
CHECK_TEST(test_distance_by_definition)
{
    char words[31][5] = {""}; /* the first is the empty one */
    size_t count = 1;

    for (size_t length = 1; length <= 4; length++) {
        for (size_t bits = 0; bits < (size_t)1 << length; bits++, count++) {
            for (size_t i = 0; i < length; i++)
                words[count][i] = bits >> i & 1 ? 'b' : 'a';
        }
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < count; j++) {
            const char *known[] = {words[j]};
            size_t d = edits(words[i], words[j]);
            size_t length = strlen(words[i]);
            size_t width = strlen(words[j]);
            bool begins = length >= 3 && !strncmp(words[i], words[j], length);

            d = begins && d > 2 ? 2 : d;
            assert_int_equal(closest(words[i], known, 1) != NULL,
                             d <= 2 && 2 * d <= (length > width ? length : width));
        }
    }
}

CHECK_TEST(test_long_words_are_not_close)
{
    char word[100];
    const char *known[] = {word};

    memset(word, 'a', sizeof word);
    word[99] = '\0';
    assert_null(closest(word, known, 1));
    word[63] = '\0';
    assert_ptr_equal(closest(word, known, 1), word);
}
