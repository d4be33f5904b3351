/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From the constraints of a space to its diagram: groups, the order of their parameters, and the
 * compilation of one group. */

#ifndef OPEVO_DIAGRAM_BUILD_H
#define OPEVO_DIAGRAM_BUILD_H

#include "diagram_internal.h"
#include "residual.h"

/* A conjunct before it is known where its parameters stand in the order. */
typedef struct opevo_i_topology_conjunct {
    uint32_t root;
    size_t constraint;
    size_t *parameters; /* ascending */
    size_t count;
    bool listed; /* the list of points, over all parameters */
} opevo_i_topology_conjunct;

typedef struct opevo_i_topology_compiler {
    const opevo_space *space;
    opevo_i_topology_terms terms;
    opevo_i_topology_conjunct *conjuncts;
    size_t conjunct_count, conjunct_capacity;
    opevo_value **values; /* of the parameters that constraints name */
    size_t *tied_to;      /* another parameter of the same group, itself if it is the first */
    size_t bytes;         /* of what is kept: values and finished groups */
    uint64_t work;
    opevo_diagram_limits limits;
} opevo_i_topology_compiler;

/* The members of one group in the order of their levels, and what is tested on them. */
typedef struct opevo_i_topology_plan {
    opevo_i_topology_variable *variables;
    size_t depth;
    opevo_i_topology_clause *clauses;
    size_t clause_count;
} opevo_i_topology_plan;

/* Take the constraints apart and tie their parameters. `used` says which constraints; NULL: all. On
 * failure, too, clear it. */
opevo_status opevo_i_topology_compiler_init(opevo_i_topology_compiler *self,
                                            const opevo_space *space, const bool *used,
                                            const opevo_diagram_limits *limits, opevo_error *err);
void opevo_i_topology_compiler_clear(opevo_i_topology_compiler *self);
/* The first parameter of the group of a parameter. */
size_t opevo_i_topology_compiler_first(const opevo_i_topology_compiler *self, size_t parameter);

/* Order the parameters of the group of `first`, and place its conjuncts. */
opevo_status opevo_i_topology_plan_create(opevo_i_topology_compiler *compiler, size_t first,
                                          opevo_i_topology_plan *plan, opevo_error *err);
void opevo_i_topology_plan_release(opevo_i_topology_plan *plan);

/* Compile one group. Errors: LIMIT; NOMEM. */
opevo_status opevo_i_topology_group_compile(opevo_i_topology_compiler *compiler,
                                            const opevo_i_topology_plan *plan,
                                            opevo_i_topology_group *group, opevo_error *err);

#endif
