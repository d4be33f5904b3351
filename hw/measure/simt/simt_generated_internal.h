/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Generated kernels in the interpreter. */

#ifndef OPEVO_SIMT_GENERATED_INTERNAL_H
#define OPEVO_SIMT_GENERATED_INTERNAL_H

#include <opevo/kernel.h>

#include "job_internal.h"
#include "operands_internal.h"

typedef struct opevo_simt opevo_simt; /* opevo/simt.h, which needs LLVM */

/* Run the launches of a kernel once on the operands of its workload, and judge what it computes.
 * False, with a failed *result, for a kernel that is not right: a fault of the interpreter, an
 * output that is not written in full, an element that is wrong.
 *   simt      of the module that has the kernel
 *   operands  outputs are overwritten
 *   cost      out: cycles of all launches */
bool opevo_i_simt_judge(opevo_simt *simt, opevo_i_reference_operands *operands,
                        const opevo_kernel *kernel, double *cost, opevo_i_wire_result *result);

#endif
