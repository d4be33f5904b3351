/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rules of GPUs: copies in shared memory, and sums that the threads of a block share. */

#include "sketch_rules_internal.h"

#include <opevo/computation_access.h>

/* ---- Copies in shared memory ---- */

static bool is_crossed(const opevo_i_pipeline_stage *stage)
{
    for (int i = 0; i < stage->own.loops; i++) {
        if (stage->own.loop[i].reduces && opevo_i_nest_is_thread(stage->own.loop[i].annotation))
            return true;
    }
    return false;
}

/* A tiled stage that reads the other itself, if that has axes along which threads can bring it. */
static bool fetches(const opevo_i_sketch_state *self, int reader, int stage,
                    const opevo_sketch_target *target)
{
    const opevo_pipeline *pipeline = self->sketch.pipeline;

    return opevo_i_pipeline_at(pipeline, stage)->dims > 0 &&
           self->sketch.tiled[pipeline->order[reader]] &&
           opevo_i_sketch_needs_tiling(pipeline, reader, target) &&
           !is_crossed(opevo_i_pipeline_at(pipeline, reader)) &&
           opevo_pipeline_reads(pipeline, reader, stage);
}

opevo_i_sketch_verdict opevo_i_sketch_should_read(const opevo_i_sketch_generator *self,
                                                  const opevo_i_sketch_state *from)
{
    int consumers[OPEVO_PIPELINE_STAGES];

    (void)self;
    return opevo_i_sketch_consumers(from->sketch.pipeline, from->stage, consumers) > 0 &&
                   fetches(from, consumers[0], from->stage, self->target)
               ? OPEVO_I_APPLY_ALONE
               : OPEVO_I_SKIP;
}

/* The last of the outermost reduction loops; without any, the last loop over threads. */
static int fetching_loop(const opevo_i_pipeline_stage *stage)
{
    int sums = stage->own.axes - stage->dims;

    return 3 * stage->dims - 1 + sums;
}

/* The stage is looked at again: others may read it, too. */
opevo_status opevo_i_sketch_do_read(opevo_i_sketch_generator *self,
                                    const opevo_i_sketch_state *from)
{
    int consumers[OPEVO_PIPELINE_STAGES];
    int count = opevo_i_sketch_consumers(from->sketch.pipeline, from->stage, consumers);
    opevo_i_sketch_state *to = NULL;
    opevo_status status = opevo_i_sketch_copy_state(from, &to, self->err);

    if (status != OPEVO_OK)
        return status;
    for (int i = 0, added = 0; i < count; i++) {
        opevo_pipeline *pipeline = to->sketch.pipeline;
        int reader = consumers[i] + added;

        if (!fetches(to, reader, to->stage, self->target))
            continue;
        OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_CACHE_READ, to->stage, 2,
                                      (int64_t[]){OPEVO_SCOPE_SHARED, reader}, self->err));
        added++;
        reader++;
        OPEVO_TRY(opevo_i_sketch_step(
            pipeline, OPEVO_PIPELINE_COMPUTE_AT, to->stage + 1, 2,
            (int64_t[]){reader, fetching_loop(opevo_i_pipeline_at(pipeline, reader))}, self->err));
    }
    status = opevo_i_sketch_push(self, to);
    to = NULL;
cleanup:
    opevo_i_sketch_free_state(to);
    return status;
}

/* ---- Sums that threads share ---- */

opevo_i_sketch_verdict opevo_i_sketch_should_cross(const opevo_i_sketch_generator *self,
                                                   const opevo_i_sketch_state *from)
{
    return !opevo_i_sketch_is_written(from) &&
                   opevo_i_sketch_needs_threads(from->sketch.pipeline, from->stage,
                                                OPEVO_I_BLOCK_THREADS,
                                                opevo_i_sketch_warp(self->target->dialect))
               ? OPEVO_I_APPLY
               : OPEVO_I_SKIP;
}

/* How many outer loops a stage has in common with its only consumer, in which it can be computed;
 * 0 where it is computed on its own. */
static opevo_status find_common(const opevo_i_sketch_generator *self,
                                const opevo_i_sketch_state *from, int *target, int *common)
{
    const opevo_pipeline *pipeline = from->sketch.pipeline;
    int consumers[OPEVO_PIPELINE_STAGES];
    const opevo_i_pipeline_stage *reader = NULL;

    *common = 0;
    if (opevo_i_pipeline_is_output(pipeline, pipeline->order[from->stage]) ||
        opevo_i_sketch_consumers(pipeline, from->stage, consumers) != 1 ||
        opevo_i_sketch_needs_tiling(pipeline, consumers[0], self->target))
        return OPEVO_OK;
    *target = consumers[0];
    reader = opevo_i_pipeline_at(pipeline, *target);
    if (reader->kind != OPEVO_STAGE_DEFINED || reader->place != OPEVO_PLACE_ROOT || reader->map)
        return OPEVO_OK;
    return opevo_tensor_common_outer(self->computation,
                                     self->computation->tensor[opevo_i_sketch_stage(from)->tensor],
                                     self->computation->tensor[reader->tensor], common, self->err);
}

/* Split a loop of a stage and bind its inner part to threads; `source` < 0: of an open number,
 * otherwise as many as that step makes. */
static opevo_status bind_part(opevo_i_sketch_state *to, int stage, int loop, int64_t source,
                              opevo_error *err)
{
    opevo_pipeline *pipeline = to->sketch.pipeline;
    opevo_status status = OPEVO_OK;

    if (source < 0) {
        to->threads[pipeline->order[stage]] = opevo_pipeline_step_count(pipeline) + 1;
        OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_SPLIT, stage, 2,
                                      (int64_t[]){loop, 1}, err));
    } else {
        OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_FOLLOW_SPLIT, stage, 3,
                                      (int64_t[]){loop, source, 1}, err));
    }
    status = opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_ANNOTATE, stage, 2,
                                 (int64_t[]){loop + 1, OPEVO_ANNOTATION_THREAD_X}, err);
cleanup:
    return status;
}

/* Divide the last loop of the stage that a sum is computed in among threads, unless it is. False
 * where it is not possible. */
static opevo_status divide_target(opevo_i_sketch_state *to, int target, int common, bool *divided,
                                  opevo_error *err)
{
    const opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(to->sketch.pipeline, target);
    int last = stage->own.loops - 1;

    *divided = to->threads[to->sketch.pipeline->order[target]] > 0;
    if (*divided || stage->changes || common > last || stage->own.loop[last].reduces)
        return OPEVO_OK;
    *divided = true;
    return bind_part(to, target, last, -1, err);
}

/* All reduction loops as one. */
static opevo_status fuse_sums(opevo_pipeline *pipeline, int stage, opevo_error *err)
{
    const opevo_i_pipeline_stage *one = opevo_i_pipeline_at(pipeline, stage);
    int sums = one->own.loops - one->dims;
    int64_t loops[OPEVO_I_LOOPS];

    for (int i = 0; i < sums; i++)
        loops[i] = one->dims + i;
    return sums > 1 ? opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_FUSE, stage, sums, loops, err)
                    : OPEVO_OK;
}

opevo_status opevo_i_sketch_do_cross(opevo_i_sketch_generator *self,
                                     const opevo_i_sketch_state *from)
{
    int dims = opevo_i_sketch_stage(from)->dims;
    opevo_i_sketch_state *to = NULL;
    opevo_pipeline *pipeline = NULL;
    bool inside = false;
    int target = -1;
    int common = 0;
    opevo_status status = find_common(self, from, &target, &common);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(opevo_i_sketch_copy_state(from, &to, self->err));
    pipeline = to->sketch.pipeline;
    OPEVO_TRY(fuse_sums(pipeline, to->stage, self->err));
    if (common > 0)
        OPEVO_TRY(divide_target(to, target, common, &inside, self->err));
    OPEVO_TRY(bind_part(to, to->stage, dims,
                        inside ? (int64_t)to->threads[pipeline->order[target]] - 1 : -1,
                        self->err));
    if (inside)
        OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_COMPUTE_AT, to->stage, 2,
                                      (int64_t[]){target, common - 1}, self->err));
    status = opevo_i_sketch_pass_on(self, &to);
cleanup:
    opevo_i_sketch_free_state(to);
    return status;
}
