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

OPEVO_BEGIN_C

typedef struct opevo_diagram opevo_diagram;

/* What compiling may take. Both are counted, not measured, so that the same spaces fit everywhere.
 */
typedef struct opevo_diagram_limits {
    uint64_t work; /* operations of about 10 ns */
    size_t bytes;  /* held at once while compiling */
} opevo_diagram_limits;
#define OPEVO_DIAGRAM_WORK_MOST (UINT64_C(1) << 30)
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

/* The diagram of a space with the limits above, compiled when it is first asked for and kept by the
 * space; any number of threads may ask. Errors: as opevo_diagram_create, the same each time. */
opevo_status opevo_space_diagram(const opevo_space *space, const opevo_diagram **out,
                                 opevo_error *err);
/* The same where uniform draws of allowed points come from it; NULL where they are made by
 * rejection, or from a list: in spaces of at most 2^20 points, where at least one in 256 of 4096
 * fixed pseudo-random points is allowed, where the diagram does not fit, and where it has no
 * points. Whether there is one depends on the space alone. */
const opevo_diagram *opevo_space_draws_from(const opevo_space *space);
/* Refuse a space without allowed points, where a diagram is drawn from or the space is small enough
 * to be tabulated, which was done when it was made. `origin` begins the message; NULL: "the space".
 * Errors: INVALID, naming a smallest group of constraints that conflict. */
opevo_status opevo_space_check_points(const opevo_space *space, const char *origin,
                                      opevo_error *err);

/* Constraints of a space that exclude no point which the others allow: *useless, of one flag for
 * each. Errors: as opevo_diagram_create. Cost: a look at 1024 points, and a compilation for each
 * constraint that is not found to exclude one of them alone. */
opevo_status opevo_space_find_useless(const opevo_space *space, bool *useless, opevo_error *err);

/* The number of allowed points; false, with *count untouched, when it exceeds 2^128 - 1. */
bool opevo_diagram_count(const opevo_diagram *diagram, opevo_index *count);
/* Its decimal digits, whatever its size, and its binary logarithm, -INFINITY for 0. */
void opevo_diagram_print_count(const opevo_diagram *diagram, opevo_text *out);
double opevo_diagram_log2_count(const opevo_diagram *diagram);
/* Nodes of all levels, and bytes held. */
size_t opevo_diagram_node_count(const opevo_diagram *diagram);
size_t opevo_diagram_bytes(const opevo_diagram *diagram);

/* Whether all arcs are in order, all counts are the sums of those below, and all nodes know what is
 * behind them: true of every diagram that was made, and false of nearly every one that was damaged.
 * Cost: a pass over all arcs and their vertices. Hook of tests. */
bool opevo_diagram_is_sound(const opevo_diagram *diagram);

/* Whether the point is allowed. Cost: a search among the arcs of a node for each parameter. */
bool opevo_diagram_allows(const opevo_diagram *diagram, const opevo_index *vertices);
/* The same of a point whose vertices are asked for one by one, in the order of the diagram, until
 * one does not fit with those before it. Parameters that nothing is tied to are not asked for. */
typedef opevo_index (*opevo_diagram_vertex)(void *context, size_t parameter);
bool opevo_diagram_allows_asked(const opevo_diagram *diagram, opevo_diagram_vertex vertex,
                                void *context);

/* Allowed points are ranked 0 .. count - 1: lexicographically by groups, which are ordered by their
 * first parameters, within a group by the diagram's order. False, with *rank untouched, for a point
 * that is not allowed. Both only where opevo_diagram_count gives a number; cost: as above.
 * Hook of tests. */
bool opevo_diagram_rank(const opevo_diagram *diagram, const opevo_index *vertices,
                        opevo_index *rank);
void opevo_diagram_unrank(const opevo_diagram *diagram, opevo_index rank, opevo_index *vertices);

/* The number of the point of a rank. */
opevo_index opevo_diagram_point(const opevo_diagram *diagram, opevo_index rank);

/* A uniform allowed point of a space that has any, whatever their number. `random` gives 64 uniform
 * bits. Each group is drawn by unranking a number that is drawn by rejection, fewer than two tries
 * in the mean. Cost: about 1 us for 10 parameters. */
typedef uint64_t (*opevo_diagram_random)(void *context);
void opevo_diagram_draw(const opevo_diagram *diagram, opevo_diagram_random random, void *context,
                        opevo_index *vertices);
/* The number of such a point. */
opevo_index opevo_diagram_draw_point(const opevo_diagram *diagram, opevo_diagram_random random,
                                     void *context);
/* The points of a wide space without its constraints; NULL of others. */
const opevo_diagram *opevo_space_all(const opevo_space *space);

/* The share of the allowed points that has each vertex of a parameter: shares[vertex], and behind
 * the last the share of those at which it is inactive. Right up to rounding, a few 1e-16 for each
 * level. Errors: LIMIT for a parameter of more than 2^24 vertices; NOMEM. Cost: a pass over the
 * group's arcs above it, and one over its vertices for each node of its level. */
opevo_status opevo_diagram_shares(const opevo_diagram *diagram, size_t parameter, double *shares,
                                  opevo_error *err);
/* The same for pairs: shares[u * (size_b + 1) + v]. The parameters differ. Errors: LIMIT for more
 * than 2^24 pairs; NOMEM. Cost: for each vertex of one of them a pass over the group. */
opevo_status opevo_diagram_pair_shares(const opevo_diagram *diagram, size_t a, size_t b,
                                       double *shares, opevo_error *err);

/* The number of the group of a parameter. Parameters of different groups are independent: what one
 * may be does not depend on the other. */
size_t opevo_diagram_group(const opevo_diagram *diagram, size_t parameter);
size_t opevo_diagram_group_count(const opevo_diagram *diagram);

/* Whether an allowed point has the vertex. Cost: a search among the arcs of each node of a level.
 */
bool opevo_diagram_occurs(const opevo_diagram *diagram, size_t parameter, opevo_index vertex);

/* The vertices of a parameter that an allowed point may have in place of its own, with all else as
 * it is: its allowed neighbours in that parameter under any topology. Writes the first `capacity`
 * of them, ascending, and returns how many there are. Cost: a path for each arc of a node; no
 * vertex is tried that does not fit with the parameters ahead of it in the order. */
size_t opevo_diagram_alternatives(const opevo_diagram *diagram, const opevo_index *vertices,
                                  size_t parameter, opevo_index *out, size_t capacity);
/* The same for vertices that are those of an allowed point: only the group of the parameter is
 * looked at. */
size_t opevo_diagram_alternatives_of_allowed(const opevo_diagram *diagram,
                                             const opevo_index *vertices, size_t parameter,
                                             opevo_index *out, size_t capacity);
/* How many there are of each parameter of a group: counts[i] for its parameters i. The vertices are
 * those of an allowed point. False, with nothing written, without memory. Cost: a byte for each
 * node of the group, and a search among the arcs of each node that a path with one other vertex
 * meets; so for all parameters hardly more than for one. */
bool opevo_diagram_count_alternatives(const opevo_diagram *diagram, const opevo_index *vertices,
                                      size_t group, size_t *counts);

/* Change vertices to those of an allowed point of a space that has any: in the order of the diagram
 * each that fits with those ahead of it stays, and another becomes the nearest that does, the
 * smaller of two. Whether all stayed, as they do if and only if they are allowed. Cost: a search
 * among the arcs of a node for each parameter. */
bool opevo_diagram_settle(const opevo_diagram *diagram, opevo_index *vertices);
/* The first point of a space, so changed where uniform draws come from its diagram. */
opevo_index opevo_space_start(const opevo_space *space);

/* An allowed point with the smallest sum of differences |vertex - wanted| of all parameters that
 * are active at it, of which any vertex may be wanted; among equals that with the larger vertices,
 * the first levels first. False, with nothing written, where no point is allowed, and without
 * memory. Cost: 16 bytes for each node, and at most a pass over arcs. */
bool opevo_diagram_nearest(const opevo_diagram *diagram, const opevo_index *wanted,
                           opevo_index *vertices);

OPEVO_END_C

#endif
