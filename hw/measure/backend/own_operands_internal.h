/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels that opevo did not write, in a worker: the buffers of their harness as operands, which
 * results are right, and what a compiler is told. */

#ifndef OPEVO_OWN_OPERANDS_INTERNAL_H
#define OPEVO_OWN_OPERANDS_INTERNAL_H

#include <jansson.h>

#include <opevo/kernel_harness.h>

#include "job_internal.h"
#include "operands_internal.h"

/* Bytes on both sides of a buffer in which a write is noticed and named. */
enum { OPEVO_I_OWN_MARGIN = 4096 };
/* What these bytes hold, and buffers that nothing wrote: numbers that are not finite, and others
 * for each buffer, as a kernel that goes too far in all of them writes what it read beside
 * another. */
static inline uint32_t opevo_i_own_pattern(size_t buffer)
{
    return UINT32_C(0xffffff00) | (uint32_t)(buffer % 127);
}

typedef struct opevo_i_own opevo_i_own;

/* Of the member "harness" of a setup; `sets` operands, from its seeds in turn, which must be freed
 * before this. Golden results that the harness itself says, by files or as a computation, are
 * there. Errors: those of the harness and of its files; LIMIT for more than
 * OPEVO_WORKLOAD_OPERANDS buffers; NOMEM. */
opevo_status opevo_i_own_open(const json_t *setup, int sets, opevo_i_reference_operands *out,
                              opevo_i_own **own, opevo_error *err);
void opevo_i_own_close(opevo_i_own *own); /* NULL is allowed */
const opevo_harness *opevo_i_own_harness(const opevo_i_own *own);
opevo_golden *opevo_i_own_golden(const opevo_i_own *own);

/* Results of a job whose execution takes less than this are compared: INFINITY for all, otherwise
 * the time of the best so far. */
double opevo_i_own_check_below_s(const opevo_i_own *own, const opevo_i_wire_job *job);
/* In the message of a result that was not compared. */
#define OPEVO_I_OWN_UNCHECKED "its results were not checked"

/* Ask the verifier of the setup about what a set of operands holds; false, with the outcome in
 * *result, where it does not accept it. Without one everything is accepted. */
bool opevo_i_own_verify(const opevo_i_own *own, const opevo_i_reference_operands *operands,
                        opevo_i_wire_result *result);

/* Keep the largest error of results that are judged from now on; and tell a result, where some
 * were. */
void opevo_i_own_begin(opevo_i_own *own);
void opevo_i_own_note_error(opevo_i_own *own, double error);
void opevo_i_own_tell_error(const opevo_i_own *own, opevo_i_wire_result *result);

/* Executions of which each has contents of its own and is judged, in place of windows: the member
 * "calls" of the setup; 0: windows. */
unsigned opevo_i_own_calls(const opevo_i_own *own);
/* Contents that nothing has seen for set 0, of a seed that is drawn here, as what runs beside may
 * know all that was there before; and the results that are right for them. Errors: those of fills
 * and of the computation; MISMATCH where these are not finite. */
opevo_status opevo_i_own_draw_contents(opevo_i_own *own, uint64_t *seed, opevo_error *err);
/* The case of set 0, borrowed. */
opevo_case *opevo_i_own_case(const opevo_i_own *own);

/* The member "reference", a kernel; nothing for none. Errors: INVALID for a malformed one. */
opevo_status opevo_i_own_reference(const json_t *setup, opevo_i_wire_job *out, opevo_error *err);
/* What the operands hold now is right. Errors: MISMATCH, NOMEM. */
opevo_status opevo_i_own_take_golden(opevo_i_own *own, const opevo_i_reference_operands *sets,
                                     opevo_error *err);
/* Give buffers that no result is in, and that nothing fills, the sizes that they have at the values
 * of a kernel. False, with the outcome in *result, where another one's size depends on them, and
 * for expressions without a value. */
bool opevo_i_own_fit(opevo_i_own *own, opevo_i_reference_operands *sets, const opevo_kernel *kernel,
                     opevo_i_wire_result *result);

/* The words of a kernel for its compiler, with those that name kernels of C++ or without. Errors:
 * NOMEM. */
opevo_status opevo_i_own_add_options(const opevo_kernel *kernel, bool names,
                                     opevo_i_process_arguments *out, opevo_error *err);

/* Values from lines NAME=VALUE. */
typedef struct opevo_i_own_values {
    char *text; /* owned */
    const char *names[OPEVO_HARNESS_VALUES];
    int64_t numbers[OPEVO_HARNESS_VALUES];
    opevo_harness_values values;
} opevo_i_own_values;
/* Errors: INVALID for other lines, NOMEM. */
opevo_status opevo_i_own_values_read(const char *lines, opevo_i_own_values *out, opevo_error *err);
void opevo_i_own_values_free(opevo_i_own_values *self);

/* The outcome of a verdict that is not ok. */
void opevo_i_own_fail(const opevo_evaluation *evaluation, opevo_i_wire_result *result);

#endif
