/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interpreter as a launcher of harnesses. */

#ifndef OPEVO_SIMT_LAUNCHER_H
#define OPEVO_SIMT_LAUNCHER_H

#include <opevo/kernel_harness.h>
#include <opevo/simt.h>

OPEVO_BEGIN_C

/* A launcher of the kernels in a module, which is decoded here and was verified before. A kernel of
 * C++ is found by the name in its source where no other one has it. Kernels work on the buffers of
 * a case in place; the cost of a case is that of the interpreter.
 *   costs    borrowed, as the harness is, whose "races" it takes
 * Errors: those of opevo_simt_create. */
opevo_status opevo_simt_launcher_create(struct LLVMOpaqueModule *module,
                                        const opevo_simt_costs *costs,
                                        const opevo_simt_options *options,
                                        const opevo_harness *harness, opevo_launcher **out,
                                        opevo_error *err);
/* Of the next run; 0: no limit. */
void opevo_simt_launcher_limit(opevo_launcher *launcher, uint64_t steps);
/* Call `prepare` in each run, once the machine has the buffers of the case under the case's
 * numbers, and before its first step. */
typedef opevo_status opevo_simt_prepare(void *context, opevo_simt *simt, opevo_case *what,
                                        opevo_error *err);
void opevo_simt_launcher_prepare(opevo_launcher *launcher, opevo_simt_prepare *prepare,
                                 void *context);
/* The machine, which has the results of the last run; borrowed. */
const opevo_simt *opevo_simt_launcher_machine(const opevo_launcher *launcher);
/* Warp instructions of the last run. */
uint64_t opevo_simt_launcher_steps(const opevo_launcher *launcher);

OPEVO_END_C

#endif
