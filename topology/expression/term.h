/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Expressions as trees, which the code for a stack machine is taken apart into. A tree can be
 * evaluated in parts: what the parameters that are bound decide is folded to a constant.
 *
 * Sums, products, minima, maxima and bit operations of integers that can neither overflow nor be
 * undefined have any number of operands, so that bound ones fold wherever they stand. */

#ifndef OPEVO_TERM_H
#define OPEVO_TERM_H

#include "expression_internal.h"

typedef enum opevo_i_topology_term_kind {
    OPEVO_I_TERM_CONSTANT,
    OPEVO_I_TERM_LOAD,
    OPEVO_I_TERM_ACTIVE,
    OPEVO_I_TERM_ONE,   /* opcode, one operand */
    OPEVO_I_TERM_TWO,   /* opcode, two operands */
    OPEVO_I_TERM_FOLD,  /* opcode, any number of operands, in any order */
    OPEVO_I_TERM_ALL,   /* 0 at the first operand that is false, else 1 */
    OPEVO_I_TERM_ANY,   /* 1 at the first operand that is true, else 0 */
    OPEVO_I_TERM_CHOICE /* condition, value if true, value if false */
} opevo_i_topology_term_kind;

/* What is known of the values of a term: all are numbers within [low, high], all are integers. */
typedef struct opevo_i_topology_interval {
    double low, high;
    bool number, whole;
} opevo_i_topology_interval;

typedef struct opevo_i_topology_term {
    opevo_i_topology_term_kind kind;
    unsigned opcode;
    size_t parameter;              /* of LOAD and ACTIVE */
    size_t component;              /* of LOAD */
    opevo_value value;             /* of CONSTANT */
    uint32_t first, last;          /* cells of its operands */
    uint32_t depth;                /* terms on the longest way down, itself included */
    uint32_t weight;               /* terms in it, those that are shared as often as they occur */
    bool sure;                     /* never undefined */
    opevo_i_topology_interval all; /* over all values of the parameters */
    size_t level; /* parameters ahead of the one that decides it, itself included; set later */
} opevo_i_topology_term;

#define OPEVO_I_NO_CELL UINT32_MAX

typedef struct opevo_i_topology_cell {
    uint32_t term, next;
} opevo_i_topology_cell;

typedef struct opevo_i_topology_terms {
    opevo_i_topology_term *items;
    size_t count, capacity;
    opevo_i_topology_cell *cells;
    size_t cell_count, cell_capacity;
} opevo_i_topology_terms;

/* What is known of a component of a parameter, and whether the parameter is always active. */
typedef opevo_i_topology_interval (*opevo_i_topology_interval_of)(const void *context,
                                                                  size_t parameter,
                                                                  size_t component, bool *active);

/* Append the terms of an expression; *root is the whole. Errors: NOMEM; LIMIT where operators nest
 * too deeply for a recursion over the tree. Cost: a term for each instruction. */
opevo_status opevo_i_topology_terms_add(opevo_i_topology_terms *terms,
                                        const opevo_i_topology_expression *expression,
                                        opevo_i_topology_interval_of interval_of,
                                        const void *context, uint32_t *root, opevo_error *err);
void opevo_i_topology_terms_release(opevo_i_topology_terms *terms);

/* The interval of a term from those of its operands. */
opevo_i_topology_interval opevo_i_topology_interval_one(unsigned opcode,
                                                        const opevo_i_topology_interval *a);
opevo_i_topology_interval opevo_i_topology_interval_two(unsigned opcode,
                                                        const opevo_i_topology_interval *a,
                                                        const opevo_i_topology_interval *b);
opevo_i_topology_interval opevo_i_topology_interval_join(const opevo_i_topology_interval *a,
                                                         const opevo_i_topology_interval *b);
opevo_i_topology_interval opevo_i_topology_interval_of_value(const opevo_value *value);

/* The value of a term where every parameter that it needs is bound: rows[parameter] holds the
 * components, and is NULL for an inactive parameter. */
opevo_i_topology_fault opevo_i_topology_term_evaluate(const opevo_i_topology_terms *terms,
                                                      uint32_t term, const opevo_value *const *rows,
                                                      opevo_value *out);
/* As opevo_i_topology_expression_holds. */
bool opevo_i_topology_term_holds(const opevo_i_topology_terms *terms, uint32_t term,
                                 const opevo_value *const *rows);

#endif
