/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What freestanding libraries compute: steps that need no heap, by plain loops. */

#include "library_internal.h"

#include <opevo/computation_access.h>

#include <string.h>

const char *opevo_i_library_free_refusal(const char *routine)
{
    static const char *const with_heap[] = {"routine_top",       "routine_determinant",
                                            "routine_recurrent", "routine_resize",
                                            "routine_suppress",  "routine_grams"};

    for (size_t i = 0; i < sizeof with_heap / sizeof *with_heap; i++) {
        if (strcmp(routine, with_heap[i]) == 0)
            return "its code takes memory from a heap, which a freestanding library does not have";
    }
    return NULL;
}

/* The only reader of a stage, if it reads each element at its own place and sums nothing; -1 if
 * not. */
static int reader_of(const opevo_pipeline *pipeline, int s)
{
    opevo_stage_info stage = opevo_pipeline_stage(pipeline, s);
    const opevo_tensor *reader = NULL;

    if (stage.kind != OPEVO_STAGE_DEFINED || stage.output || stage.tensor->readers != 1)
        return -1;
    reader = stage.tensor->reader[0];
    if (reader->definition->reducer != OPEVO_REDUCER_NONE ||
        !opevo_tensor_matches_elementwise(stage.tensor, reader))
        return -1;
    for (int r = s + 1; r < opevo_pipeline_stage_count(pipeline); r++) {
        if (opevo_pipeline_stage(pipeline, r).tensor == reader)
            return r;
    }
    return -1;
}

/* What is read at one place is computed for one element at a time, and has no array of its own. */
opevo_status opevo_i_library_free_schedule(opevo_pipeline *pipeline, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int s = opevo_pipeline_stage_count(pipeline) - 1; s >= 0 && status == OPEVO_OK; s--) {
        int reader = reader_of(pipeline, s);
        opevo_pipeline_step step = {
            .kind = OPEVO_PIPELINE_COMPUTE_AT, .stage = s, .count = 2, .number = {reader, 0}};

        if (reader < 0 || opevo_pipeline_stage(pipeline, reader).loops == 0)
            continue;
        step.number[1] = opevo_pipeline_stage(pipeline, reader).loops - 1;
        status = opevo_pipeline_apply(pipeline, &step, err);
    }
    return status;
}
