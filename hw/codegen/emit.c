/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From a schedule or a pipeline to a kernel: lower, check, print. */

#include <opevo/emit.h>

#include "lower_pipeline_internal.h"
#include "print_internal.h"

/* The nest that a schedule was lowered to, with what the lowering said; destroys it. */
static opevo_status emit(opevo_i_nest *nest, const opevo_error *lowered,
                         opevo_kernel_dialect dialect, const opevo_limits *limits,
                         opevo_kernel *out, bool *fits, opevo_text *why, opevo_error *err)
{
    opevo_kernel kernel = {0};
    opevo_status status = OPEVO_OK;

    *fits = false;
    if (lowered->status == OPEVO_INVALID || lowered->status == OPEVO_LIMIT) {
        opevo_text_add(why, lowered->message);
        return OPEVO_OK;
    }
    if (lowered->status != OPEVO_OK)
        return OPEVO_FAIL(err, lowered->status, "%s", lowered->message);
    if (opevo_i_nest_check(nest, dialect, limits, why)) {
        opevo_i_nest_print(nest, dialect, limits, &kernel);
        OPEVO_TRY(opevo_text_check(&kernel.source, err));
        *out = kernel;
        kernel = (opevo_kernel){0};
        *fits = true;
    }
cleanup:
    opevo_kernel_free(&kernel);
    opevo_i_nest_destroy(nest);
    return status;
}

opevo_status opevo_schedule_emit(const opevo_schedule *schedule, opevo_kernel_dialect dialect,
                                 const opevo_limits *limits, opevo_kernel *out, bool *fits,
                                 opevo_text *why, opevo_error *err)
{
    opevo_i_nest *nest = NULL;
    opevo_error lowered = {OPEVO_OK, ""};

    lowered.status = opevo_i_nest_create(schedule, &nest, &lowered);
    return emit(nest, &lowered, dialect, limits, out, fits, why, err);
}

opevo_status opevo_pipeline_emit(const opevo_pipeline *pipeline, opevo_kernel_dialect dialect,
                                 const opevo_limits *limits, opevo_kernel *out, bool *fits,
                                 opevo_text *why, opevo_error *err)
{
    opevo_i_nest *nest = NULL;
    opevo_error lowered = {OPEVO_OK, ""};

    lowered.status = opevo_i_pipeline_lower(pipeline, &nest, &lowered);
    if (lowered.status == OPEVO_OK && dialect == OPEVO_KERNEL_C &&
        !opevo_i_nest_split_vectors(nest))
        lowered.status = OPEVO_FAIL(&lowered, OPEVO_NOMEM, "No memory for a loop nest.");
    return emit(nest, &lowered, dialect, limits, out, fits, why, err);
}
