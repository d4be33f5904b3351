/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The closest of some words by Levenshtein distance. */

#include <opevo/closest.h>

#include <string.h>

enum { LONGEST = 63, MISTAKES = 2, BEGINNING = 3 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Levenshtein distance of two words, by the usual two rows folded into one. */
static size_t distance(const char *a, const char *b, size_t width)
{
    size_t row[LONGEST + 1];

    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            row[j] = least(replaced, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[width];
}

void opevo_closest_offer(opevo_closest *self, const char *known)
{
    size_t length = strlen(self->word);
    size_t width = strlen(known);
    size_t edits = 0;

    if (length > LONGEST || width > LONGEST)
        return;
    edits = distance(self->word, known, width);
    if (length >= BEGINNING && strncmp(self->word, known, length) == 0)
        edits = least(edits, MISTAKES);
    if (edits > MISTAKES || edits >= (length > width ? length : width) ||
        (self->found && edits >= self->distance))
        return;
    self->found = known;
    self->distance = edits;
}
