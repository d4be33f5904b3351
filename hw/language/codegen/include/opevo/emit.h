/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From pipelines to kernels. */

#ifndef OPEVO_EMIT_H
#define OPEVO_EMIT_H

#include <opevo/pipeline.h>

OPEVO_BEGIN_C

/* Turn a pipeline into a kernel for a dialect. Its operands are the inputs and constants of the
 * computation, in the order of its text, then the outputs. One that cannot be lowered for the
 * dialect or breaks a limit leaves *fits false and says so in `why`. Errors: NOMEM. */
opevo_status opevo_pipeline_emit(const opevo_pipeline *pipeline, opevo_kernel_dialect dialect,
                                 const opevo_limits *limits, opevo_kernel *out, bool *fits,
                                 opevo_text *why, opevo_error *err);
/* The functions of numbers that kernels of a dialect are written with, in all widths, as they stand
 * in front of a kernel that calls them. */
void opevo_kernel_functions(opevo_kernel_dialect dialect, opevo_text *out);

OPEVO_END_C

#endif
