/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces whose points are listed and sparse: moves and uniform draws over all points would hardly
 * ever meet one that is allowed. Draws and neighbours are taken from the list instead.
 *
 * The list is kept in the order of each cyclic rotation of the parameters. Rows that stand next to
 * each other in a rotation agree in the longest run of parameters from its first one on; so what
 * differs from a row in the parameter before that alone stands beside it. Memory: 12 bytes for each
 * row and parameter, at most 96 MiB, made when first needed. */

#ifndef OPEVO_SPACE_LISTED_H
#define OPEVO_SPACE_LISTED_H

#include <opevo/space.h>

OPEVO_BEGIN_C

/* More than 2^20 points, of which at most one in 16 is listed and allowed; of spaces with
 * constraints, at most 2^22 points may be listed. The other functions are for such spaces only. */
bool opevo_space_is_sparse(const opevo_space *space);

opevo_index opevo_space_listed_count(const opevo_space *space);
/* The k-th listed point in ascending order, k from 0. */
opevo_index opevo_space_listed_point(const opevo_space *space, opevo_index k);
/* Go on to the first listed point from *point on; false after the last. */
bool opevo_space_listed_next(const opevo_space *space, opevo_index *point);

/* Whether the caller does not want a point. */
typedef bool (*opevo_refuses)(const void *context, opevo_index point);

/* The listed point that differs from `vertices` in the fewest parameters, among the nearest of each
 * rotation that are not refused (`refuses` may be NULL); of equals the smallest. One that differs
 * in one parameter is always among them. False, with *point untouched, where 512 in each direction
 * are refused, and without memory. Cost: about 20 us for 10^5 rows of 12 parameters. */
bool opevo_space_nearest_listed(const opevo_space *space, const opevo_index *vertices,
                                opevo_refuses refuses, const void *context, opevo_index *point);

/* A neighbour of a listed point: one of the next two on a side of it in a rotation, which `random`,
 * 64 uniform bits, chooses. The point itself where it is alone, and without memory. Cost: 1 us. */
opevo_index opevo_space_listed_step(const opevo_space *space, opevo_index point, uint64_t random);

OPEVO_END_C

#endif
