/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Hamming neighbours of a point from the diagram of a space without branches. */

#ifndef OPEVO_KT_HAMMING_INTERNAL_H
#define OPEVO_KT_HAMMING_INTERNAL_H

#include "kt_space_internal.h"

typedef struct opevo_i_kt_hamming opevo_i_kt_hamming;

/* `space` has a diagram, and must outlive it. NULL without memory. */
opevo_i_kt_hamming *opevo_i_kt_hamming_create(const opevo_i_kt_space *space);
void opevo_i_kt_hamming_destroy(opevo_i_kt_hamming *hamming);

/* `count` different neighbours, or as many as there are; as opevo_i_kt_neighbours. False
 * without memory, and where there are more than 2^20. Cost: a count of all neighbours, for an
 * allowed point in those groups only that have changed since the last call; and a list of the
 * alternatives of the parameter that changes. */
bool opevo_i_kt_hamming_draw(opevo_i_kt_hamming *hamming, const opevo_index *from, opevo_rng *rng,
                             size_t count, opevo_index *rows, size_t *found);
/* Whether the point was the last one asked for, and has no neighbour: searches ask for one again
 * and again. */
bool opevo_i_kt_hamming_has_none(const opevo_i_kt_hamming *hamming, const opevo_index *from);

#endif
