/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How freestanding libraries compute: by plain loops. */

#include "library_internal.h"

#include <opevo/computation_access.h>

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
