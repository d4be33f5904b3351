/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rows of a recording in as many bytes as their numbers need, and where the row of a point
 * is. */

#ifndef OPEVO_ROW_STORE_H
#define OPEVO_ROW_STORE_H

#include <opevo/objective.h>
#include <opevo/space.h>

typedef struct opevo_i_landscape_row {
    double fitness, time_s; /* 0 and NAN unless kind is OK */
    double build_s, run_s, check_s, other_s;
    double more[OPEVO_CRITERIA_MOST - 1]; /* criteria; NAN where not known */
    opevo_outcome_class kind;
} opevo_i_landscape_row;

/* Points, each once, and a row for each, numbered as they are added: up to 2^32 - 2. */
typedef struct opevo_i_row_store opevo_i_row_store;

/* For points of a space; `flop` is the work of one execution, 0 where not known: fitness may then
 * follow from the time. NULL without memory. */
opevo_i_row_store *opevo_i_row_store_create(const opevo_space *space, double flop);
void opevo_i_row_store_destroy(opevo_i_row_store *self);
/* Add the row of a point that has none. False without memory, the store then as before, or when it
 * is full. */
bool opevo_i_row_store_add(opevo_i_row_store *self, opevo_index point,
                           const opevo_i_landscape_row *row);
/* The number of a point's row; SIZE_MAX: it has none. Cost: O(1), expected. */
size_t opevo_i_row_store_find(const opevo_i_row_store *self, opevo_index point);
/* Say that the row of a point will soon be asked for, or added: what that takes is fetched from
 * memory meanwhile. */
void opevo_i_row_store_expect(const opevo_i_row_store *self, opevo_index point);
size_t opevo_i_row_store_count(const opevo_i_row_store *self);
opevo_index opevo_i_row_store_point(const opevo_i_row_store *self, size_t row);
/* The row, every number as it was added. */
opevo_i_landscape_row opevo_i_row_store_get(const opevo_i_row_store *self, size_t row);
/* Bytes that the store holds. Hook of tests. */
size_t opevo_i_row_store_bytes(const opevo_i_row_store *self);

#endif
