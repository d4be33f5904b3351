/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rules. A state is a pipeline with the number of the stage to look at next, the last one
 * first. Each rule whose condition holds gives states; the first that excludes the others ends the
 * trial. */

#include "sketch_rules_internal.h"

#include <opevo/memory.h>

#include <string.h>

static opevo_i_sketch_verdict should_inline(const opevo_i_sketch_generator *self,
                                            const opevo_i_sketch_state *from)
{
    return opevo_i_sketch_inlines(from->sketch.pipeline, from->stage, self->target)
               ? OPEVO_I_APPLY_ALONE
               : OPEVO_I_SKIP;
}

static opevo_status do_inline(opevo_i_sketch_generator *self, const opevo_i_sketch_state *from)
{
    opevo_i_sketch_state *to = NULL;
    opevo_status status = opevo_i_sketch_copy_state(from, &to, self->err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(opevo_i_sketch_step(to->sketch.pipeline, OPEVO_PIPELINE_COMPUTE_INLINE, to->stage, 0,
                                  (int64_t[]){0}, self->err));
    status = opevo_i_sketch_pass_on(self, &to);
cleanup:
    opevo_i_sketch_free_state(to);
    return status;
}

static opevo_i_sketch_verdict should_rfactor(const opevo_i_sketch_generator *self,
                                             const opevo_i_sketch_state *from)
{
    return !opevo_i_sketch_is_written(from) &&
                   opevo_i_sketch_needs_rfactor(from->sketch.pipeline, from->stage,
                                                self->target->cores)
               ? OPEVO_I_APPLY
               : OPEVO_I_SKIP;
}

/* All reduction loops become one, which is split; `inner`: the parts of the sum belong to its inner
 * loop, which is moved innermost to become a vector. */
static opevo_status rfactor(opevo_i_sketch_generator *self, const opevo_i_sketch_state *from,
                            bool inner)
{
    opevo_i_sketch_state *to = NULL;
    opevo_pipeline *pipeline = NULL;
    int dims = opevo_i_sketch_stage(from)->dims;
    int64_t numbers[OPEVO_I_LOOPS];
    int loops = 0;
    opevo_status status = opevo_i_sketch_copy_state(from, &to, self->err);

    if (status != OPEVO_OK)
        return status;
    pipeline = to->sketch.pipeline;
    loops = opevo_i_sketch_stage(to)->own.loops;
    for (int i = dims; i < loops; i++)
        numbers[i - dims] = i;
    if (loops - dims > 1)
        OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_FUSE, to->stage, loops - dims,
                                      numbers, self->err));
    OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_SPLIT, to->stage, 2,
                                  (int64_t[]){dims, 1}, self->err));
    OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_RFACTOR, to->stage, 2,
                                  (int64_t[]){dims + inner, dims}, self->err));
    if (inner) {
        for (int i = 0; i < dims; i++)
            numbers[i] = i;
        numbers[dims] = dims + 1;
        numbers[dims + 1] = dims;
        OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_REORDER, to->stage, dims + 2,
                                      numbers, self->err));
    }
    status = opevo_i_sketch_pass_on(self, &to);
cleanup:
    opevo_i_sketch_free_state(to);
    return status;
}

static opevo_status do_rfactor(opevo_i_sketch_generator *self, const opevo_i_sketch_state *from)
{
    opevo_status status = rfactor(self, from, false);

    return status == OPEVO_OK ? rfactor(self, from, true) : status;
}

static opevo_i_sketch_verdict should_write(const opevo_i_sketch_generator *self,
                                           const opevo_i_sketch_state *from)
{
    if (opevo_i_sketch_is_written(from) ||
        !opevo_i_sketch_needs_tiling(from->sketch.pipeline, from->stage, self->target) ||
        opevo_i_sketch_elementwise(from->sketch.pipeline, from->stage) >= 0)
        return OPEVO_I_SKIP;
    return opevo_i_sketch_is_gpu(self->target->dialect) ? OPEVO_I_APPLY_ALONE : OPEVO_I_APPLY;
}

/* The copy has an elementwise consumer then, which may hold its tiles. */
static opevo_status do_write(opevo_i_sketch_generator *self, const opevo_i_sketch_state *from)
{
    opevo_i_sketch_state *to = NULL;
    opevo_status status = opevo_i_sketch_copy_state(from, &to, self->err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(opevo_i_sketch_step(to->sketch.pipeline, OPEVO_PIPELINE_CACHE_WRITE, to->stage, 1,
                                  (int64_t[]){OPEVO_SCOPE_LOCAL}, self->err));
    to->written[to->sketch.pipeline->order[to->stage]] = true;
    status = opevo_i_sketch_push(self, to);
    to = NULL;
cleanup:
    opevo_i_sketch_free_state(to);
    return status;
}

static opevo_i_sketch_verdict should_fuse(const opevo_i_sketch_generator *self,
                                          const opevo_i_sketch_state *from)
{
    if (!opevo_i_sketch_needs_tiling(from->sketch.pipeline, from->stage, self->target) ||
        opevo_i_sketch_elementwise(from->sketch.pipeline, from->stage) < 0)
        return OPEVO_I_SKIP;
    return opevo_i_sketch_is_written(from) || opevo_i_sketch_is_gpu(self->target->dialect)
               ? OPEVO_I_APPLY_ALONE
               : OPEVO_I_APPLY;
}

/* Ansor's; on a GPU the first three are blocks, virtual threads and threads. */
static const char *structure_of(const opevo_i_sketch_generator *self)
{
    return opevo_i_sketch_is_gpu(self->target->dialect) ? "SSSRRSRS" : "SSRSRS";
}

static opevo_status do_fuse(opevo_i_sketch_generator *self, const opevo_i_sketch_state *from)
{
    opevo_status status = OPEVO_OK;
    bool gpu = opevo_i_sketch_is_gpu(self->target->dialect);

    for (int level = gpu ? 3 : 1; level <= (gpu ? 3 : 2) && status == OPEVO_OK; level++) {
        int target = opevo_i_sketch_elementwise(from->sketch.pipeline, from->stage);
        int64_t steps[OPEVO_I_LOOPS];
        opevo_i_sketch_state *to = NULL;

        status = opevo_i_sketch_copy_state(from, &to, self->err);
        if (status == OPEVO_OK)
            status = opevo_i_sketch_tile(to->sketch.pipeline, to->stage, structure_of(self), -1,
                                         steps, self->err);
        if (status == OPEVO_OK)
            status = opevo_i_sketch_follow(to->sketch.pipeline, to->stage, target, level, steps,
                                           self->err);
        if (status != OPEVO_OK) {
            opevo_i_sketch_free_state(to);
            return status;
        }
        to->sketch.tiled[to->sketch.pipeline->order[to->stage]] = true;
        to->sketch.tiled[to->sketch.pipeline->order[target]] = true;
        status = opevo_i_sketch_pass_on(self, &to);
    }
    return status;
}

static opevo_i_sketch_verdict should_tile(const opevo_i_sketch_generator *self,
                                          const opevo_i_sketch_state *from)
{
    return opevo_i_sketch_needs_tiling(from->sketch.pipeline, from->stage, self->target)
               ? OPEVO_I_APPLY_ALONE
               : OPEVO_I_SKIP;
}

static opevo_status do_tile(opevo_i_sketch_generator *self, const opevo_i_sketch_state *from)
{
    int64_t steps[OPEVO_I_LOOPS];
    opevo_i_sketch_state *to = NULL;
    opevo_status status = opevo_i_sketch_copy_state(from, &to, self->err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(opevo_i_sketch_tile(to->sketch.pipeline, to->stage, structure_of(self), -1, steps,
                                  self->err));
    to->sketch.tiled[to->sketch.pipeline->order[to->stage]] = true;
    status = opevo_i_sketch_pass_on(self, &to);
cleanup:
    opevo_i_sketch_free_state(to);
    return status;
}

/* The stage stays as it is. Nothing else is tried on the state, so it moves instead of being
 * copied, which would apply all its steps again. */
static opevo_status skip(opevo_i_sketch_generator *self, opevo_i_sketch_state *from)
{
    opevo_i_sketch_state *to = opevo_malloc(1, sizeof *to);

    if (!to)
        return OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a sketch.");
    *to = *from;
    from->sketch.pipeline = NULL;
    return opevo_i_sketch_pass_on(self, &to);
}

/* Dimensions are merged and divided for register tiles and long vectors; Ansor's rules have the
 * computation as it is. */
static opevo_i_sketch_verdict should_end(const opevo_i_sketch_generator *self,
                                         const opevo_i_sketch_state *from)
{
    (void)self;
    return from->reshaped[from->sketch.pipeline->order[from->stage]] && from->sketch.registers < 0
               ? OPEVO_I_APPLY_ALONE
               : OPEVO_I_SKIP;
}

/* A stage that does not reduce stays as it is. */
static opevo_status do_end(opevo_i_sketch_generator *self, const opevo_i_sketch_state *from)
{
    opevo_i_sketch_state *to = NULL;
    opevo_status status = OPEVO_OK;

    if (opevo_i_sketch_stage(from)->own.axes > opevo_i_sketch_stage(from)->dims)
        return OPEVO_OK;
    status = opevo_i_sketch_copy_state(from, &to, self->err);
    if (status != OPEVO_OK)
        return status;
    return opevo_i_sketch_pass_on(self, &to);
}

/* Ansor's order for CPUs; what opevo adds comes before a rule that would exclude it. */
static const opevo_i_sketch_rule cpu_rules[] = {
    {opevo_i_sketch_should_take_rows, opevo_i_sketch_do_take_rows},
    {should_inline, do_inline},
    {opevo_i_sketch_should_expand, opevo_i_sketch_do_expand},
    {opevo_i_sketch_should_gather, opevo_i_sketch_do_gather},
    {opevo_i_sketch_should_gather_parts, opevo_i_sketch_do_gather_parts},
    {opevo_i_sketch_should_block, opevo_i_sketch_do_block},
    {should_end, do_end},
    {should_rfactor, do_rfactor},
    {should_write, do_write},
    {should_fuse, do_fuse},
    {should_tile, do_tile},
    {NULL, NULL},
};

/* Ansor's order for GPUs. */
static const opevo_i_sketch_rule gpu_rules[] = {
    {opevo_i_sketch_should_read, opevo_i_sketch_do_read},
    {should_inline, do_inline},
    {opevo_i_sketch_should_cross, opevo_i_sketch_do_cross},
    {should_write, do_write},
    {should_fuse, do_fuse},
    {should_tile, do_tile},
    {NULL, NULL},
};

/* A rule that would make more loops or stages than a pipeline may have gives no sketch. */
opevo_status opevo_i_sketch_try_rules(opevo_i_sketch_generator *self, opevo_i_sketch_state *from)
{
    const opevo_i_sketch_rule *rules =
        opevo_i_sketch_is_gpu(self->target->dialect) ? gpu_rules : cpu_rules;

    for (; rules->should; rules++) {
        opevo_i_sketch_verdict found = rules->should(self, from);
        opevo_status status = found == OPEVO_I_SKIP ? OPEVO_OK : rules->apply(self, from);

        if (status == OPEVO_LIMIT)
            continue;
        if (status != OPEVO_OK || found == OPEVO_I_APPLY_ALONE)
            return status;
    }
    return skip(self, from);
}
