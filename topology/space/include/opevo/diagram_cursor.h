/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The allowed points of a diagram one after the other, in the order of the vertices: the last
 * parameter of the space runs fastest, whatever the order of the diagram. That is the order of the
 * points' numbers, except in a wide space, where these are hashes. */

#ifndef OPEVO_DIAGRAM_CURSOR_H
#define OPEVO_DIAGRAM_CURSOR_H

#include <opevo/diagram.h>

OPEVO_BEGIN_C

typedef struct opevo_diagram_cursor opevo_diagram_cursor;

/* Ahead of the first point; the diagram must outlive it. Errors: NOMEM. Cost: 4 bytes a node. */
opevo_status opevo_diagram_cursor_create(const opevo_diagram *diagram, opevo_diagram_cursor **out,
                                         opevo_error *err);
void opevo_diagram_cursor_destroy(opevo_diagram_cursor *cursor);

/* Go to the next point; false behind the last one. *vertices are borrowed until the next call.
 * Cost: a path where only the last parameter of a group changes; otherwise, for that parameter and
 * each behind it, at most a pass over the nodes of its group. */
bool opevo_diagram_cursor_next(opevo_diagram_cursor *cursor, const opevo_index **vertices);

OPEVO_END_C

#endif
