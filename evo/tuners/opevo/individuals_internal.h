/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which individuals the authors' program of OpEvo takes to be equal.
 *
 * There a factorisation carries the table of all its values, and the value it has is one row of
 * that table. A walk writes into this row, so two individuals compare equal only when every
 * factorisation has the same value *and* began its walks at the same row, its founder. A founder is
 * inherited with the value. Other parameters compare by value, and have founder 0 here. */

#ifndef OPEVO_INDIVIDUALS_INTERNAL_H
#define OPEVO_INDIVIDUALS_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/index.h>

typedef struct opevo_i_opevo_individuals opevo_i_opevo_individuals;

opevo_i_opevo_individuals *opevo_i_opevo_individuals_create(void); /* NULL without memory */
void opevo_i_opevo_individuals_destroy(opevo_i_opevo_individuals *individuals);

/* Whether an equal individual was told, or is of this brood. */
bool opevo_i_opevo_individuals_has(const opevo_i_opevo_individuals *individuals, opevo_index point,
                                   opevo_index founders, uint64_t brood);
/* Add one of a brood, not yet told; false without memory. *number is its name. */
bool opevo_i_opevo_individuals_add(opevo_i_opevo_individuals *individuals, opevo_index point,
                                   opevo_index founders, uint64_t brood, size_t *number);
void opevo_i_opevo_individuals_tell(opevo_i_opevo_individuals *individuals, size_t number);

#endif
