/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Questions that the rules ask of a stage. Bounds of extents are those of Ansor's rules.
 * Source: TVM 0.8, src/auto_scheduler/search_policy/sketch_policy_rules.cc and utils.h. */

#include "sketch_internal.h"

#include <opevo/computation_access.h>

int opevo_i_sketch_consumers(const opevo_pipeline *pipeline, int stage, int *out)
{
    int count = 0;
    bool reads[OPEVO_PIPELINE_STAGES] = {false}; /* it, or an inlined stage that reads it */

    reads[stage] = true;
    for (int one = stage + 1; one < pipeline->stages; one++) {
        bool through = false;

        for (int via = stage; via < one && !through; via++)
            through = reads[via] && opevo_pipeline_reads(pipeline, one, via);
        if (!through)
            continue;
        reads[one] = opevo_i_pipeline_at(pipeline, one)->place == OPEVO_PLACE_INLINED;
        if (!reads[one])
            out[count++] = one;
    }
    return count;
}

/* The definition that a stage computes as it stands; NULL for inputs, copies and parts of sums. */
static const opevo_tensor *defined(const opevo_pipeline *pipeline, int stage)
{
    const opevo_i_pipeline_stage *one = opevo_i_pipeline_at(pipeline, stage);

    return one->kind == OPEVO_STAGE_DEFINED && !one->map
               ? pipeline->computation->tensor[one->tensor]
               : NULL;
}

bool opevo_i_sketch_reduces_anywhere(const opevo_pipeline *pipeline)
{
    const opevo_computation *computation = pipeline->computation;

    for (int t = 0; t < computation->tensors; t++) {
        if (computation->tensor[t]->definition &&
            computation->tensor[t]->definition->reducer != OPEVO_REDUCER_NONE)
            return true;
    }
    return false;
}

bool opevo_i_sketch_leaves_room(const opevo_pipeline *pipeline, int stage)
{
    int consumer[OPEVO_PIPELINE_STAGES];
    int count = opevo_i_sketch_consumers(pipeline, stage, consumer);
    bool room = true;

    for (int i = 0; i < count && room; i++) {
        const opevo_tensor *reader = defined(pipeline, consumer[i]);

        room = !reader || opevo_i_sketch_has_room(pipeline, reader, pipeline->order[stage]);
    }
    return room;
}

/* On a GPU what is computed again costs less than a kernel of its own, whatever it is. */
bool opevo_i_sketch_inlines(const opevo_pipeline *pipeline, int stage,
                            const opevo_sketch_target *target)
{
    const opevo_tensor *tensor = defined(pipeline, stage);

    return tensor && tensor->definition->axes == tensor->definition->spatial &&
           !opevo_i_pipeline_is_output(pipeline, pipeline->order[stage]) &&
           (opevo_i_sketch_is_gpu(target->dialect) ||
            opevo_tensor_is_strictly_inlineable(tensor)) &&
           opevo_i_sketch_leaves_room(pipeline, stage);
}

/* Whether a definition reads a tensor at its own place. */
typedef struct owner {
    const opevo_definition *definition;
    bool found;
} owner;

static void find_own(void *context, const opevo_expression *read)
{
    owner *self = context;

    self->found |= opevo_reads_own_place(self->definition, read);
}

bool opevo_i_sketch_needs_tiling(const opevo_pipeline *pipeline, int stage,
                                 const opevo_sketch_target *target)
{
    const opevo_tensor *tensor = defined(pipeline, stage);
    owner own = {0};

    if (!tensor || !opevo_tensor_needs_tiling(tensor))
        return false;
    own.definition = tensor->definition;
    if (!target->ansor && own.definition->reducer == OPEVO_REDUCER_NONE)
        opevo_expression_reads(own.definition->value, find_own, &own);
    return !own.found;
}

/* The products of the extents of the axes that do not reduce, and of those that do. */
static void count_points(const opevo_tensor *tensor, double *kept, double *summed)
{
    *kept = *summed = 1;
    for (int a = 0; a < tensor->definition->axes; a++)
        *(a < tensor->definition->spatial ? kept : summed) *=
            (double)tensor->definition->axis[a].extent;
}

/* Where results are enough for all cores, 16 each, cores need not share a sum. */
bool opevo_i_sketch_needs_rfactor(const opevo_pipeline *pipeline, int stage, unsigned cores)
{
    const opevo_tensor *tensor = defined(pipeline, stage);
    double kept = 1;
    double summed = 1;

    if (!tensor)
        return false;
    count_points(tensor, &kept, &summed);
    if (opevo_tensor_needs_tiling(tensor))
        return kept <= summed && kept <= 16.0 * cores;
    return summed > 1 && summed > cores;
}

bool opevo_i_sketch_needs_threads(const opevo_pipeline *pipeline, int stage, int threads, int warp)
{
    const opevo_tensor *tensor = defined(pipeline, stage);
    double kept = 1;
    double summed = 1;

    if (!tensor)
        return false;
    count_points(tensor, &kept, &summed);
    if (opevo_tensor_needs_tiling(tensor))
        return kept <= threads && kept < summed;
    return summed > 1 && summed > warp;
}

int opevo_i_sketch_elementwise(const opevo_pipeline *pipeline, int stage)
{
    int consumers[OPEVO_PIPELINE_STAGES];
    const opevo_i_pipeline_stage *one = opevo_i_pipeline_at(pipeline, stage);
    const opevo_i_pipeline_stage *target = NULL;

    if (opevo_i_pipeline_is_output(pipeline, pipeline->order[stage]) ||
        opevo_i_sketch_consumers(pipeline, stage, consumers) != 1)
        return -1;
    target = opevo_i_pipeline_at(pipeline, consumers[0]);
    if (target->own.axes > target->dims || target->dims != one->dims ||
        target->scope == OPEVO_SCOPE_SHARED || target->own.loops != target->own.axes)
        return -1;
    if (target->kind == OPEVO_STAGE_COPY)
        return target->source == pipeline->order[stage] ? consumers[0] : -1;
    return target->kind == OPEVO_STAGE_DEFINED &&
                   opevo_tensor_matches_elementwise(pipeline->computation->tensor[one->tensor],
                                                    pipeline->computation->tensor[target->tensor])
               ? consumers[0]
               : -1;
}
