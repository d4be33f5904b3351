/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations by name: the table of families, operators, and whatever a user writes. */

#ifndef OPEVO_COMPUTATION_NAMED_H
#define OPEVO_COMPUTATION_NAMED_H

#include <opevo/computation.h>

OPEVO_BEGIN_C

/* A family of computations, one row of a table. Its text takes the parameters as numbers; a line of
 * it that begins with '+' stands only where the parameter pad is not 0, one with '-' only where
 * it is. */
typedef struct opevo_computation_family {
    const char *name;       /* "c2d" */
    const char *parameters; /* "batch,height,width,in,out,kernel,stride,pad" */
    const char *summary;    /* one line */
    const char *divides;    /* "groups|in,groups|out": what must divide what; NULL */
    const char *shapes;     /* all parameters but the first: "56,56,64,64,1,1,0;..."; NULL */
    const char *text;
} opevo_computation_family;
size_t opevo_computation_family_count(void);
const opevo_computation_family *opevo_computation_family_get(size_t i);

/* An operator as a computation: its operands by their names, padding as a definition of its own. */
opevo_status opevo_computation_of_operator(const opevo_operator *op, opevo_computation **out,
                                           opevo_error *err);
/* What a user writes: a name as above, an operator (opevo_operator_parse), or a text, which has a
 * '['. Files are the caller's. Errors: those of whichever it is. */
opevo_status opevo_computation_read(const char *what, opevo_computation **out, opevo_error *err);

OPEVO_END_C

#endif
