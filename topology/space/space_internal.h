/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of a space share: its struct, and what its constraints are kept as. */

#ifndef OPEVO_SPACE_INTERNAL_H
#define OPEVO_SPACE_INTERNAL_H

#include <opevo/diagram.h>
#include <opevo/space.h>

#include "expression_internal.h"

enum {
    OPEVO_I_CONSTRAINTS_MAX = 4096,
    OPEVO_I_ROWS_MAX = 256,       /* parameters that one constraint names */
    OPEVO_I_SCRATCH_MAX = 2048,   /* components of those of them that are not listed */
    OPEVO_I_LISTED_MAX = 1 << 18, /* components of a parameter whose values are listed */
    OPEVO_I_TRIED_MAX = 1 << 22,  /* combinations that a constraint is tried on */
    OPEVO_I_TABULATED_MAX = 1 << 20
};

/* Operations, of about a nanosecond, that are spent on trying all constraints of a space, and on
 * counting the points that they allow. */
#define OPEVO_I_WORK_MAX (UINT64_C(1) << 33)

/* A constraint depends only on the parameters that it names, and on those that activate them, which
 * are rows of its expression, too. Up to OPEVO_I_TRIED_MAX combinations
 * of these are computed once and kept as bits; a look-up is then a scalar product and a bit test.
 */
typedef struct opevo_i_topology_constraint {
    char *text;
    opevo_i_topology_expression expression;
    uint64_t *table;  /* NULL: evaluated each time */
    uint64_t *stride; /* of each row of the expression in the table */
    size_t last;      /* the largest parameter named */
    uint64_t cost;    /* operations of one evaluation, or of a look-up */
} opevo_i_topology_constraint;

/* Points first .. last. */
typedef struct opevo_i_topology_range {
    opevo_index first, last;
} opevo_i_topology_range;

/* The points of a wide space that were met, by their numbers. */
typedef struct opevo_i_topology_known opevo_i_topology_known;

/* The diagram of a space, made when it is asked for. */
typedef struct opevo_i_topology_compiled opevo_i_topology_compiled;

struct opevo_space {
    opevo_parameter **parameters;
    size_t parameter_count;
    opevo_index size;
    opevo_i_topology_known *known; /* NULL: points are numbered without gaps */
    opevo_diagram *all;            /* of a wide space: its points without constraints and lists */
    opevo_index *stride;           /* of each parameter in the number of a point, unless wide */
    uint64_t *small_sizes; /* of each parameter; NULL when the points do not fit in 64 bits, and
                              with branches */
    opevo_activation *activations; /* NULL: there are no branches */
    /* With branches, of each parameter that opens some: the offset of the branch of each value, and
     * all their points behind the last. */
    opevo_index **offsets;
    opevo_dialect dialect;
    opevo_i_topology_constraint *constraints;
    size_t constraint_count;
    size_t *order;        /* the constraints by ascending `last`, the order of evaluation */
    opevo_value **listed; /* all values of a parameter, or NULL */
    uint64_t *allowed;    /* a bit for each point up to OPEVO_I_TABULATED_MAX, or NULL */
    opevo_index allowed_count;
    opevo_i_topology_range *ranges; /* ascending: no other points are allowed; NULL: any */
    size_t range_count;
    bool list_allowed;                        /* no constraint excludes a point of the ranges */
    struct opevo_i_topology_listing *listing; /* NULL without ranges */
    opevo_i_topology_compiled *compiled;
};

/* Constraints as they were written, and where. */
typedef struct opevo_i_topology_constraint_list {
    const char *const *texts;
    const size_t *lines; /* of each in `origin`, from 1; NULL: not known */
    size_t count;
    opevo_dialect dialect;
    const char *origin; /* what messages call it */
} opevo_i_topology_constraint_list;

/* As opevo_space_create_branched. */
opevo_status opevo_i_topology_space_create(opevo_parameter **parameters,
                                           const opevo_activation *activations, size_t count,
                                           const opevo_i_topology_constraint_list *constraints,
                                           opevo_space **out, opevo_error *err);

/* ---- Branches (space_branches.c) ---- */

/* Copy the activations of a space whose parameters are in place, unless all are always active. */
opevo_status opevo_i_topology_branches_create(opevo_space *space,
                                              const opevo_activation *activations,
                                              opevo_error *err);
/* Set the size and the strides of a space with branches, unless it has more than 2^128 - 1 points.
 */
opevo_status opevo_i_topology_branches_measure(opevo_space *space, bool *fits, opevo_error *err);
void opevo_i_topology_branches_release(opevo_space *space);
void opevo_i_topology_branches_decode(const opevo_space *space, opevo_index point,
                                      opevo_index *vertices);
opevo_index opevo_i_topology_branches_encode(const opevo_space *space, const opevo_index *vertices);
/* The smallest of the points that agree with `vertices` in the first `count` parameters, and how
 * many there are: they follow each other. Reads no vertex of a parameter that is not active. */
opevo_index opevo_i_topology_branches_first(const opevo_space *space, const opevo_index *vertices,
                                            size_t count, opevo_index *agreeing);
/* PARENT.BRANCH.KEY. */
void opevo_i_topology_branch_name(const char *parent, opevo_value branch, const char *key,
                                  opevo_text *out);
/* The key under which a file gives parameter i: its name, without PARENT.BRANCH. */
const char *opevo_i_topology_branch_key(const opevo_space *space, size_t i);

/* ---- Points of wide spaces (space_known.c). Any number of threads may use one table. ---- */

opevo_i_topology_known *opevo_i_topology_known_create(void); /* NULL without memory */
/* One more owner. */
opevo_i_topology_known *opevo_i_topology_known_share(opevo_i_topology_known *known);
void opevo_i_topology_known_release(opevo_i_topology_known *known);
/* The number of the vertices, which are kept; OPEVO_INDEX_MAX without memory, and if another point
 * has the same number (probability 2^-68 for a billion points). */
opevo_index opevo_i_topology_known_add(opevo_i_topology_known *known, const opevo_index *vertices,
                                       size_t count);
/* The vertices of a number, unless NULL; false if it was not met. */
bool opevo_i_topology_known_get(opevo_i_topology_known *known, opevo_index point,
                                opevo_index *vertices, size_t count);

/* Let a wide space know the points of another with the same parameters, from here on. */
void opevo_i_topology_space_join(opevo_space *space, const opevo_space *with);

/* ---- The diagram (space_diagram.c) ---- */

opevo_i_topology_compiled *opevo_i_topology_compiled_create(void); /* NULL without memory */
void opevo_i_topology_compiled_destroy(opevo_i_topology_compiled *compiled);
/* Whether random points of the space come from its diagram, as the allowed ones are rare. */
bool opevo_i_topology_draws_from_diagram(const opevo_space *space);
/* The space has other allowed points from here on. */
void opevo_i_topology_compiled_forget(opevo_i_topology_compiled *compiled);

/* ---- Constraints (space_constraints.c, space_combinations.c) ---- */

/* Compile the constraints of a space whose parameters are in place, try them, tabulate what is
 * small enough. On failure the caller releases what was made. */
opevo_status opevo_i_topology_constraints_create(opevo_space *space,
                                                 const opevo_i_topology_constraint_list *list,
                                                 opevo_error *err);
void opevo_i_topology_constraints_release(opevo_space *space);
/* Fill the table of a constraint whose rows have `count` combinations. Errors: INVALID for one at
 * which a text or a real stands where it may not, with `where` before the sentence, and where it
 * holds at none. */
opevo_status opevo_i_topology_constraint_try_all(const opevo_space *space,
                                                 opevo_i_topology_constraint *self, uint64_t count,
                                                 const char *where, opevo_error *err);
/* Operations of testing one point, all constraints together. */
uint64_t opevo_i_topology_constraints_cost(const opevo_space *space);

/* ---- Constraints at a point (space_holds.c) ---- */

bool opevo_i_topology_constraint_holds(const opevo_space *space,
                                       const opevo_i_topology_constraint *constraint,
                                       const opevo_index *vertices);
/* The components of a parameter's value: listed, or computed into the scratch memory, of which it
 * takes so many. */
const opevo_value *opevo_i_topology_constraint_value(const opevo_space *space, size_t parameter,
                                                     opevo_index vertex, opevo_value *scratch);
size_t opevo_i_topology_constraint_scratch(const opevo_space *space, size_t parameter);
/* The row of a parameter; their count where it has none. */
size_t opevo_i_topology_expression_row(const opevo_i_topology_expression *expression,
                                       size_t parameter);

/* ---- Points that constraints allow (space_allows.c, space_table.c) ---- */

/* The smallest `last` of a constraint that fails, or `none`. */
size_t opevo_i_topology_failing(const opevo_space *space, const opevo_index *vertices, size_t none);
/* Count the allowed points in [begin, end), and set their bits when `bits` is not NULL. */
uint64_t opevo_i_topology_enumerate(const opevo_space *space, uint64_t begin, uint64_t end,
                                    uint64_t *bits);
/* Note which points all constraints allow. Errors: INVALID when there is none. */
opevo_status opevo_i_topology_space_tabulate(opevo_space *space, const char *origin,
                                             opevo_error *err);

/* ---- Listed points (space_ranges.c, space_points.c) ---- */

void opevo_i_topology_points_release(opevo_space *space);
bool opevo_i_topology_points_have(const opevo_space *space, opevo_index point);
/* The list as a text: ascending numbers of points and ranges of them, "0-7 9 12-40". False, with
 * the space to be released, for any other text, a point outside the space, without memory, and
 * where the constraints of a space of up to 2^20 points allow none of them. */
bool opevo_i_topology_points_read(opevo_space *space, const char *text);
void opevo_i_topology_points_write(const opevo_space *space, opevo_text *out);
opevo_index opevo_i_topology_points_count(const opevo_space *space);

/* ---- Ranks of listed points, and their neighbours (space_listed.c) ---- */

typedef struct opevo_i_topology_listing opevo_i_topology_listing;
/* Of the ranges of a space, which stay as they are; NULL without memory. */
opevo_i_topology_listing *opevo_i_topology_listing_create(const opevo_space *space);
void opevo_i_topology_listing_destroy(opevo_i_topology_listing *listing);

#endif
