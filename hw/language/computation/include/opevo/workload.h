/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a kernel computes, and the operands that it is called with. */

#ifndef OPEVO_WORKLOAD_H
#define OPEVO_WORKLOAD_H

#include <opevo/computation.h>

OPEVO_BEGIN_C

enum { OPEVO_WORKLOAD_OPERANDS = 64 }; /* most of one kernel */

/* One argument of a kernel: a dense array of its type (element.h), the last dimension innermost. */
typedef struct opevo_workload_operand {
    const char *name;
    opevo_role role; /* never INTERMEDIATE */
    int dims;        /* 0 is one element */
    const int64_t *extent;
    int64_t elements;
    opevo_element element;
} opevo_workload_operand;

/* Inputs and constants, then outputs; each in the order of the computation's tensors. */
typedef struct opevo_workload_list {
    int count, inputs; /* operands; those before the first output */
    const opevo_workload_operand *item;
} opevo_workload_list;

typedef struct opevo_workload {
    const opevo_computation *computation;
    /* What a vendor's library may compute in its place, on the same operands: the matrix product or
     * convolution that the computation is equal to and has its name from. NULL: none. */
    const opevo_operator *library;
    opevo_workload_list list;
    double flop; /* operations of one execution, or an upper bound (opevo_computation_flop) */
} opevo_workload;

/* Of a computation, which must outlive it. Errors: LIMIT for more operands; NOMEM. */
opevo_status opevo_workload_create(const opevo_computation *computation, opevo_workload **out,
                                   opevo_error *err);
/* The same with a computation that is destroyed with it, on failure at once. */
opevo_status opevo_workload_adopt(opevo_computation *computation, opevo_workload **out,
                                  opevo_error *err);
/* Of an operator as a computation. Errors: also those of opevo_computation_of_operator.
 * Hook of tests. */
opevo_status opevo_workload_of_operator(const opevo_operator *op, opevo_workload **out,
                                        opevo_error *err);
/* What a user writes: what opevo_computation_read takes. Errors: also those of that. */
opevo_status opevo_workload_read(const char *what, opevo_workload **out, opevo_error *err);
void opevo_workload_destroy(opevo_workload *self); /* NULL is allowed */

/* The computation's name, or else its canonical text in one line: opevo_workload_read reads an
 * equal one from it. */
void opevo_workload_print(const opevo_workload *self, opevo_text *out);

OPEVO_END_C

#endif
