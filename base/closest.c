/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The closest of some words by the distance of optimal string alignment. */

#include <opevo/closest.h>

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 63, MISTAKES = 2, BEGINNING = 3 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Of the first i characters of a and the first j of b, row by row; a swap looks two rows back. */
static size_t distance(const char *a, const char *b, size_t width)
{
    size_t rows[3][LONGEST + 1] = {{0}};
    size_t i = 0;

    for (size_t j = 0; j <= width; j++)
        rows[0][j] = j;
    for (i = 1; a[i - 1]; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            size_t replaced = above[j - 1] + !is_same(a[i - 1], b[j - 1]);

            row[j] = least(replaced, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[(i - 1) % 3][width];
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
    if (edits > MISTAKES || 2 * edits > (length > width ? length : width) ||
        (self->found && edits >= self->distance))
        return;
    self->found = known;
    self->distance = edits;
}
