/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The most likely correction of a mistyped word. */

#ifndef OPEVO_CLOSEST_H
#define OPEVO_CLOSEST_H

#include <opevo/api.h>

#include <stddef.h>

OPEVO_BEGIN_C

/* A search among known words, a plain value: start from {.word = "..."}, offer each known word, and
 * read `found`. Offered words are borrowed. */
typedef struct opevo_closest {
    const char *word;
    const char *found; /* the closest so far, the first of equals; NULL: none is close */
    size_t distance;   /* of `found` */
} opevo_closest;

/* A word is close when at most two edits, and at most half as many as the longer of the two has
 * characters, turn the one into the other: a character added, removed or replaced, or two
 * neighbours swapped, whatever the case (optimal string alignment); or when the mistyped word is
 * the beginning of it with at least three characters. Cost: the product of both lengths; words
 * above 63 characters are never close. */
void opevo_closest_offer(opevo_closest *self, const char *known);

OPEVO_END_C

#endif
