/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the tests and their power share: the pooling of vertices into cells, so that the power is
 * that of the very test made; when a defect is caught; and the law of the child step. */

#ifndef OPEVO_VERIFY_INTERNAL_H
#define OPEVO_VERIFY_INTERNAL_H

#include <opevo/child.h>
#include <opevo/law.h>

/* What opevo_i_verify_cells.cell holds for something that has probability 0. */
#define OPEVO_I_IMPOSSIBLE UINT32_MAX

/* The cells for `draws` draws. */
typedef struct opevo_i_verify_cells {
    uint64_t draws;
    size_t unit_count;   /* what is pooled: vertices, or classes of them */
    uint32_t *cell;      /* of each unit */
    double *probability; /* of each cell; they sum to 1 */
    size_t count;
    size_t pooled; /* units in the pooled cell, 0 without one */
} opevo_i_verify_cells;

opevo_status opevo_i_verify_cells_create(const double *probability, size_t count, uint64_t draws,
                                         opevo_i_verify_cells *out, opevo_error *err);
void opevo_i_verify_cells_destroy(opevo_i_verify_cells *cells);

/* A symmetry class of a law, and the unit that it belongs to. */
typedef struct opevo_i_verify_class {
    opevo_law_class law_class;
    size_t unit;
} opevo_i_verify_class;

/* The units of a law: its vertices in order, or, above 2^20 of them, one for each value that it
 * takes on its classes, ascending; values nearer than rounding can tell apart are one. */
typedef struct opevo_i_verify_units {
    bool vertices;
    size_t count;
    double *probability; /* of each unit as a whole */
    /* Without `vertices`: */
    double *value;                 /* of each vertex of the unit */
    opevo_i_verify_class *classes; /* by ascending value */
    size_t class_count;
} opevo_i_verify_units;

opevo_status opevo_i_verify_units_create(const opevo_law *law, opevo_i_verify_units *out,
                                         opevo_error *err);
/* Unit of a vertex below the parameter's size. */
size_t opevo_i_verify_units_find(const opevo_i_verify_units *units, const opevo_law *law,
                                 opevo_index vertex);
void opevo_i_verify_units_destroy(opevo_i_verify_units *units);

/* A test of the law of `units`, and what it takes to fail it. */
typedef struct opevo_i_verify_detector {
    opevo_i_verify_cells cells;
    double noncentrality; /* caught from here on, with probability OPEVO_VERIFY_POWER */
    double *sum;          /* scratch: a number for each cell */
} opevo_i_verify_detector;

/* `probability` as for opevo_i_verify_cells_create; `size` is that of Pearson's test. On failure
 * there is nothing to release. */
opevo_status opevo_i_verify_detector_init(const double *probability, size_t count, uint64_t draws,
                                          double size, opevo_i_verify_detector *out,
                                          opevo_error *err);
void opevo_i_verify_detector_release(opevo_i_verify_detector *self);
/* Whether the test catches draws from `law`, a probability for each unit. */
bool opevo_i_verify_detector_catches(opevo_i_verify_detector *self, const double *law);

/* Whether the test catches a sampler with another q. */
typedef opevo_status (*opevo_i_verify_catches_q)(void *context, double q, bool *caught,
                                                 opevo_error *err);
/* Smallest delta, to 1 %, such that q - delta and q + delta are both caught, and NAN when there is
 * none: opevo_fit.detectable_q. Cost: up to 24 calls of `catches`. */
opevo_status opevo_i_verify_detect_q(double q, opevo_i_verify_catches_q catches, void *context,
                                     double *detectable, opevo_error *err);

/* The law that a child step is tested against, and behind the last point the probability of no
 * child; *law is to be freed. Errors, and `bound`: as opevo_verify_child. */
opevo_status opevo_i_verify_child_law(const opevo_child_step *step, double **law, double *bound,
                                      opevo_error *err);

#endif
