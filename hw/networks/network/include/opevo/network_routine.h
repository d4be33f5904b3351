/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Code of steps that are nodes: a routine in C with its parameters, which `--run` calls and a
 * library has as a text. */

#ifndef OPEVO_NETWORK_ROUTINE_H
#define OPEVO_NETWORK_ROUTINE_H

#include <opevo/network_inference.h>

OPEVO_BEGIN_C

typedef struct opevo_network_routine {
    const char *name; /* of the function in the text; NULL: the step has no code */
    int64_t *whole;   /* its parameters */
    double *number;
    size_t wholes, numbers;
    /* Bytes of memory that a call is given, and the least that it can do with, more slowly. */
    double memory_bytes, least_memory_bytes;
} opevo_network_routine;

/* The routine of a NODE step. Free it with opevo_network_routine_free, also after a failure.
 * Errors: INVALID for parameters that the node does not have; NOMEM. */
opevo_status opevo_network_step_routine(const opevo_network_inference *inference,
                                        const opevo_network_step *step, opevo_network_routine *out,
                                        opevo_error *err);
void opevo_network_routine_free(opevo_network_routine *routine);

/* The texts of routines, in an order in which each comes behind what it includes by its name; a
 * NULL ends them. The first two are needed by all others; a function of a text is named there as
 * "routine_...(". */
typedef struct opevo_network_routine_text {
    const char *name, *text;
} opevo_network_routine_text;
extern const opevo_network_routine_text opevo_network_routine_texts[];

OPEVO_END_C

#endif
