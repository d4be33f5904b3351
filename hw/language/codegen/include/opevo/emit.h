/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From schedules and pipelines to kernels. */

#ifndef OPEVO_EMIT_H
#define OPEVO_EMIT_H

#include <opevo/pipeline.h>
#include <opevo/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Turn the schedule into a kernel for a dialect. A schedule that cannot be lowered for it or breaks
 * a limit leaves *fits false and says so in `why`. Errors: NOMEM. */
opevo_status opevo_schedule_emit(const opevo_schedule *schedule, opevo_kernel_dialect dialect,
                                 const opevo_limits *limits, opevo_kernel *out, bool *fits,
                                 opevo_text *why, opevo_error *err);

/* The same for a pipeline. The operands of the kernel are the inputs and constants of its
 * computation, in the order of its text, then the outputs. */
opevo_status opevo_pipeline_emit(const opevo_pipeline *pipeline, opevo_kernel_dialect dialect,
                                 const opevo_limits *limits, opevo_kernel *out, bool *fits,
                                 opevo_text *why, opevo_error *err);

#ifdef __cplusplus
}
#endif

#endif
