/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels with a harness on devices that have a launcher. */

#ifndef OPEVO_OWN_LAUNCH_INTERNAL_H
#define OPEVO_OWN_LAUNCH_INTERNAL_H

#include "own_operands_internal.h"

/* What a launcher computes in the default configuration is right. Errors: INVALID for a kernel that
 * fails, MISMATCH, NOMEM; those of the host. */
opevo_status opevo_i_own_golden_by(opevo_i_own *own, opevo_launcher *launcher, opevo_error *err);
/* Run a kernel with the values of a job on those of cases from..end - 1 that have golden results,
 * and judge it. False, with the outcome in *result, where it fails; *first is what became of the
 * first of them, and stays without any. Case 0 is the one that is timed. */
bool opevo_i_own_judge(opevo_i_own *own, opevo_launcher *launcher, const opevo_kernel *kernel,
                       size_t from, size_t end, opevo_evaluation *first,
                       opevo_i_wire_result *result);
/* Run case 0 on contents that are drawn for it alone (opevo_i_own_draw_contents), and judge it;
 * what became of it goes to *out. False, with the outcome in *result, where it fails. */
bool opevo_i_own_judge_anew(opevo_i_own *own, opevo_launcher *launcher, opevo_evaluation *out,
                            opevo_i_wire_result *result);
/* Run case 0 without comparing its results, and say in *out what became of it. False, with the
 * outcome in *result, where it fails. */
bool opevo_i_own_run(opevo_i_own *own, opevo_launcher *launcher, const opevo_kernel *kernel,
                     opevo_evaluation *out, opevo_i_wire_result *result);

#endif
