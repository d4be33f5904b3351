/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pooling of vertices into the cells of a goodness-of-fit test, shared by the tests and by their
 * power, so that the power is that of the very test made. */

#ifndef OPEVO_VERIFY_INTERNAL_H
#define OPEVO_VERIFY_INTERNAL_H

#include <opevo/law.h>

/* What opevo_i_cells.cell holds for something that has probability 0. */
#define OPEVO_I_IMPOSSIBLE UINT32_MAX

/* The cells for `draws` draws. */
typedef struct opevo_i_cells {
    uint64_t draws;
    size_t unit_count;   /* what is pooled: vertices, or classes of them */
    uint32_t *cell;      /* of each unit */
    double *probability; /* of each cell; they sum to 1 */
    size_t count;
    size_t pooled; /* units in the pooled cell, 0 without one */
} opevo_i_cells;

opevo_status opevo_i_cells_create(const double *probability, size_t count, uint64_t draws,
                                  opevo_i_cells *out, opevo_error *err);
void opevo_i_cells_destroy(opevo_i_cells *cells);

/* A symmetry class of a law, and the unit that it belongs to. */
typedef struct opevo_i_class {
    opevo_law_class law_class;
    size_t unit;
} opevo_i_class;

/* The units of a law: its vertices in order, or, above 2^20 of them, one for each value that it
 * takes on its classes, ascending; values nearer than rounding can tell apart are one. */
typedef struct opevo_i_units {
    bool vertices;
    size_t count;
    double *probability; /* of each unit as a whole */
    /* Without `vertices`: */
    double *value;          /* of each vertex of the unit */
    opevo_i_class *classes; /* by ascending value */
    size_t class_count;
} opevo_i_units;

opevo_status opevo_i_units_create(const opevo_law *law, opevo_i_units *out, opevo_error *err);
/* Unit of a vertex below the parameter's size. */
size_t opevo_i_units_find(const opevo_i_units *units, const opevo_law *law, opevo_index vertex);
void opevo_i_units_destroy(opevo_i_units *units);

#endif
