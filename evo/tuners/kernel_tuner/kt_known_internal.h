/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The points that `kt-vndx` has learned from, and its prediction: the mean cost of the nearest, by
 * the number of parameters that differ. */

#ifndef OPEVO_KT_KNOWN_INTERNAL_H
#define OPEVO_KT_KNOWN_INTERNAL_H

#include "kt_space_internal.h"

enum { OPEVO_I_KT_NEAREST_MOST = 16 };

typedef struct opevo_i_kt_known {
    const opevo_i_kt_space *space;
    size_t count; /* points, repeats included */
    size_t capacity;
    size_t varied_count; /* parameters of several values */
    uint8_t *widths;     /* of each of these: planes */
    size_t plane_count;
    uint8_t *planes; /* see kt_known.c */
    double *costs;
    uint8_t *names;     /* scratch: one for each plane */
    uint8_t *distances; /* scratch: one for each point */
} opevo_i_kt_known;

/* `space` must outlive it. False without memory; opevo_i_kt_known_clear is right in any case. */
bool opevo_i_kt_known_init(opevo_i_kt_known *self, const opevo_i_kt_space *space);
void opevo_i_kt_known_clear(opevo_i_kt_known *self);

/* Errors: NOMEM. */
opevo_status opevo_i_kt_known_add(opevo_i_kt_known *self, const opevo_index *vertices, double cost,
                                  opevo_error *err);

/* Mean cost of the k (1 to OPEVO_I_KT_NEAREST_MOST) nearest of the known points, of which there is
 * at least one; the earlier ones where distances are equal, which all from 255 on count as.
 * Cost: a byte compared for each point and parameter, 16 at a time. */
double opevo_i_kt_known_predict(opevo_i_kt_known *self, const opevo_index *vertices, size_t k);

#endif
