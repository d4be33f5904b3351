/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is left of a constraint once some of its parameters are bound: its residual. Two ways to
 * bind them have the same residual where the values that the bound ones decide are the same in what
 * is still needed (a canonical text, after folding constants and dropping what bounds decide), or
 * where a table of what is left shows that both allow the same. So a constraint is an automaton
 * that reads one value after the other, made as far as it is asked for. */

#ifndef OPEVO_RESIDUAL_H
#define OPEVO_RESIDUAL_H

#include <opevo/space.h>

#include "term.h"
#include "words.h"

/* A parameter of a group, at its level in the group's order. A label is a vertex, or `size` where
 * the parameter is inactive. */
typedef struct opevo_i_topology_variable {
    size_t parameter;
    uint32_t size;
    size_t arity;
    const opevo_value *values; /* of all vertices; NULL where no constraint names it */
    bool conditional;          /* it has a parent */
} opevo_i_topology_variable;

/* A conjunct of a constraint, or the list of points of a space. */
typedef struct opevo_i_topology_clause {
    uint32_t root;
    size_t *levels; /* of its parameters, ascending */
    size_t count;
    bool conditional;  /* some of them are */
    bool listed;       /* the space's list in place of a term */
    size_t constraint; /* that it belongs to */
} opevo_i_topology_clause;

enum { OPEVO_I_RESIDUAL_FALSE, OPEVO_I_RESIDUAL_TRUE };

typedef struct opevo_i_topology_residual {
    uint32_t clause, bound; /* so many of its parameters are bound */
    size_t labels;          /* where those of one way to bind them begin */
    uint64_t *holds;        /* a bit for each label of the last parameter, when needed */
    uint32_t *next;         /* residual for each label of the next one, when needed */
} opevo_i_topology_residual;

typedef struct opevo_i_topology_residuals {
    const opevo_space *space;
    const opevo_i_topology_terms *terms;
    const opevo_i_topology_variable *variables;
    const opevo_i_topology_clause *clauses;
    opevo_i_topology_residual *items;
    size_t count, capacity;
    uint32_t *labels;
    size_t label_count, label_capacity;
    opevo_i_topology_words keys;
    uint32_t *meanings; /* the residual of each key */
    size_t meaning_capacity;
    const opevo_value **rows; /* by parameter of the space */
    uint32_t *key;            /* scratch */
    size_t key_length, key_capacity;
    size_t bytes;  /* of tables */
    uint64_t work; /* terms evaluated */
    bool failed;   /* without memory */
} opevo_i_topology_residuals;

/* The clauses, terms and variables stay the caller's; false without memory. */
bool opevo_i_topology_residuals_init(opevo_i_topology_residuals *self, const opevo_space *space,
                                     const opevo_i_topology_terms *terms,
                                     const opevo_i_topology_variable *variables,
                                     const opevo_i_topology_clause *clauses);
void opevo_i_topology_residuals_clear(opevo_i_topology_residuals *self);
size_t opevo_i_topology_residuals_bytes(const opevo_i_topology_residuals *self);

/* The residual with nothing bound; FALSE with `failed` without memory. */
uint32_t opevo_i_topology_residual_first(opevo_i_topology_residuals *self, uint32_t clause);
/* Of one that has at least two parameters left: with the next one bound. */
uint32_t opevo_i_topology_residual_bind(opevo_i_topology_residuals *self, uint32_t residual,
                                        uint32_t label);
/* Of one that has one parameter left: the labels that it allows. NULL with `failed`. */
const uint64_t *opevo_i_topology_residual_holds(opevo_i_topology_residuals *self,
                                                uint32_t residual);

/* What a term has become: a value, or a fault; or an undecided one that is written in the key. */
typedef struct opevo_i_topology_part {
    bool decided;
    opevo_i_topology_fault fault;
    opevo_value value;
    opevo_i_topology_interval interval;
} opevo_i_topology_part;

/* Fold a term whose parameters below `level` are bound as rows say. */
opevo_i_topology_part opevo_i_topology_term_fold(opevo_i_topology_residuals *self, uint32_t term,
                                                 size_t level);

#endif
