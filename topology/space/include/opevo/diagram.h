/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The allowed points of a space, compiled: a decision diagram for each group of parameters that
 * constraints, branches or a list of points tie together. A path from the root of a diagram to its
 * end chooses a vertex for each parameter of the group, and every path is a choice that is allowed;
 * so counting, ranking and drawing take one pass.
 *
 * A diagram is multi-valued, ordered, and reduced: an arc stands for consecutive vertices, the
 * order of the parameters is the same on all paths, and no two nodes of a level have the same arcs.
 * docs/mathematics.md says how it is made. Vertices of an inactive parameter are OPEVO_INACTIVE.
 *
 * Source: R. E. Bryant, "Graph-based algorithms for Boolean function manipulation", IEEE
 *         Transactions on Computers 35, 1986; A. Srinivasan, T. Kam, S. Malik, R. K. Brayton,
 *         "Algorithms for discrete function manipulation", ICCAD 1990.
 *
 * Immutable after create, so that any number of threads may read one. */

#ifndef OPEVO_DIAGRAM_H
#define OPEVO_DIAGRAM_H

#include <opevo/space.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct opevo_diagram opevo_diagram;

/* What compiling may take. Both are counted, not measured, so that the same spaces fit everywhere.
 */
typedef struct opevo_diagram_limits {
    uint64_t work; /* operations of about a nanosecond */
    size_t bytes;  /* held at once while compiling */
} opevo_diagram_limits;
#define OPEVO_DIAGRAM_WORK_MOST (UINT64_C(1) << 33)
#define OPEVO_DIAGRAM_BYTES_MOST ((size_t)448 << 20)

/* Compile the space, which must outlive the diagram.
 *
 *   limits  NULL: those above
 *
 * Errors: LIMIT, naming the parameters of the group that does not fit; NOMEM.
 * Cost:   an evaluation for each value of a parameter and each different remainder of the
 *         constraints behind it. */
opevo_status opevo_diagram_create(const opevo_space *space, const opevo_diagram_limits *limits,
                                  opevo_diagram **out, opevo_error *err);
void opevo_diagram_destroy(opevo_diagram *diagram);

/* The number of allowed points; false, with *count untouched, when it exceeds 2^128 - 1. */
bool opevo_diagram_count(const opevo_diagram *diagram, opevo_index *count);
/* Its decimal digits, whatever its size, and its binary logarithm, -INFINITY for 0. */
void opevo_diagram_print_count(const opevo_diagram *diagram, opevo_text *out);
double opevo_diagram_log2_count(const opevo_diagram *diagram);
/* Nodes of all levels, and bytes held. */
size_t opevo_diagram_node_count(const opevo_diagram *diagram);
size_t opevo_diagram_bytes(const opevo_diagram *diagram);

/* Whether all arcs are in order and all counts are the sums of those below: true of every diagram
 * that was made, and false of nearly every one that was damaged. Cost: a pass over all arcs. */
bool opevo_diagram_is_sound(const opevo_diagram *diagram);

/* Whether the point is allowed. Cost: a search among the arcs of a node for each parameter. */
bool opevo_diagram_allows(const opevo_diagram *diagram, const opevo_index *vertices);

/* Allowed points are ranked 0 .. count - 1: lexicographically by groups, which are ordered by their
 * first parameters, within a group by the diagram's order. False, with *rank untouched, for a point
 * that is not allowed. Both only where opevo_diagram_count gives a number; cost: as above. */
bool opevo_diagram_rank(const opevo_diagram *diagram, const opevo_index *vertices,
                        opevo_index *rank);
void opevo_diagram_unrank(const opevo_diagram *diagram, opevo_index rank, opevo_index *vertices);

/* A uniform allowed point of a space that has any, whatever their number. `random` gives 64 uniform
 * bits. Each group is drawn by unranking a number that is drawn by rejection, fewer than two tries
 * in the mean. Cost: about 1 us for 10 parameters. */
typedef uint64_t (*opevo_diagram_random)(void *context);
void opevo_diagram_draw(const opevo_diagram *diagram, opevo_diagram_random random, void *context,
                        opevo_index *vertices);

#ifdef __cplusplus
}
#endif

#endif
