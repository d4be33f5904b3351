/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The allowed points of a box, the product of a few vertices of each parameter. They are counted
 * and drawn by a walk over the nodes that the box reaches, which are few in a small box, however
 * large the diagram is. */

#ifndef OPEVO_DIAGRAM_BOX_H
#define OPEVO_DIAGRAM_BOX_H

#include <opevo/diagram.h>

#include <limits.h>

OPEVO_BEGIN_C

typedef struct opevo_diagram_box opevo_diagram_box;

/* Vertices vertices[stride * i + 0 .. counts[i] - 1] of parameter i, each once; all that it has for
 * OPEVO_BOX_ALL of them. OPEVO_INACTIVE may be one, and a parameter of a branch that the box leaves
 * needs it. */
#define OPEVO_BOX_ALL UINT_MAX
typedef struct opevo_box {
    const opevo_index *vertices;
    const unsigned *counts;
    size_t stride;
} opevo_box;

/* The diagram must outlive it. Errors: NOMEM. Cost: 12 bytes for each node. */
opevo_status opevo_diagram_box_create(const opevo_diagram *diagram, opevo_diagram_box **out,
                                      opevo_error *err);
void opevo_diagram_box_destroy(opevo_diagram_box *box);

/* The number of allowed points in a box: exact up to 2^53, then right up to a few 1e-16 for each
 * level; INFINITY beyond the range of a double. 0 if and only if there are none. Cost: for each
 * node that is reached a search among its arcs for each vertex of its parameter, or a look at each
 * arc. */
double opevo_diagram_box_count(opevo_diagram_box *self, const opevo_box *box);

/* A uniform one of those that were counted last, of which there is one; the box is as it was. */
void opevo_diagram_box_draw(const opevo_diagram_box *self, const opevo_box *box,
                            opevo_diagram_random random, void *context, opevo_index *vertices);

OPEVO_END_C

#endif
