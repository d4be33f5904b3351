/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a kernel computes, an operator or a computation, and the operands that it is called with.
 * All that builds, checks and measures kernels sees this and need not ask which of the two it
 * is. */

#ifndef OPEVO_WORKLOAD_H
#define OPEVO_WORKLOAD_H

#include <opevo/computation.h>

#ifdef __cplusplus
extern "C" {
#endif

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

/* Inputs and constants, then outputs; each in the order of the operator's operands or of the
 * computation's tensors. */
typedef struct opevo_workload_list {
    int count, inputs; /* operands; those before the first output */
    const opevo_workload_operand *item;
} opevo_workload_list;

typedef struct opevo_workload {
    const opevo_operator *op; /* exactly one of both is not NULL */
    const opevo_computation *computation;
    /* What a vendor's library may compute in its place, on the same operands: the operator, or the
     * one that the computation is equal to and has its name from. NULL: none. */
    const opevo_operator *library;
    opevo_workload_list list;
    double flop; /* operations of one execution, or an upper bound (opevo_computation_flop) */
} opevo_workload;

/* Of an operator, which is copied, or of a computation, which must outlive it; the other is NULL.
 * Errors: LIMIT for more operands, or more elements in one of them than any memory has; NOMEM. */
opevo_status opevo_workload_create(const opevo_operator *op, const opevo_computation *computation,
                                   opevo_workload **out, opevo_error *err);
/* The same with a computation that is destroyed with it, on failure at once. */
opevo_status opevo_workload_adopt(opevo_computation *computation, opevo_workload **out,
                                  opevo_error *err);
/* What a user writes: an operator (opevo_operator_parse), or what opevo_computation_read takes.
 * Errors: those of both. */
opevo_status opevo_workload_read(const char *what, opevo_workload **out, opevo_error *err);
void opevo_workload_destroy(opevo_workload *self); /* NULL is allowed */

/* The operator's form with shapes, the computation's name, or else its canonical text in one line:
 * opevo_workload_read reads an equal one from it. */
void opevo_workload_print(const opevo_workload *self, opevo_text *out);

#ifdef __cplusplus
}
#endif

#endif
