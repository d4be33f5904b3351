/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Register tiles, which Ansor leaves to LLVM: the innermost tile of the sums gathers in vector
 * registers, inside the tiles of an elementwise consumer if there is one. One stage of a sketch;
 * one that reads nothing again, such as a pool, if it reads whole vectors. */

#include "sketch_rules_internal.h"

enum { PARTS = 16 }; /* lanes of a sum, */
enum { ROWS = 8 };   /* of so many sums at least; fewer have more lanes */

static bool may_gather(const opevo_i_sketch_generator *self, const opevo_i_sketch_state *from)
{
    const opevo_i_pipeline_stage *stage = opevo_i_sketch_stage(from);

    return !self->target->ansor && from->sketch.registers < 0 && !opevo_i_sketch_is_written(from) &&
           stage->own.axes > stage->dims;
}

opevo_i_sketch_verdict opevo_i_sketch_should_gather(const opevo_i_sketch_generator *self,
                                                    const opevo_i_sketch_state *from)
{
    return may_gather(self, from) &&
                   (opevo_i_sketch_needs_tiling(from->sketch.pipeline, from->stage, self->target) ||
                    opevo_i_sketch_has_rows(from->sketch.pipeline, from->stage))
               ? OPEVO_I_APPLY
               : OPEVO_I_SKIP;
}

/* Outside of the registers S R S, inside R S, with vectors along an axis, from a panel (NULL: from
 * where its operand lies). */
static opevo_status gather(opevo_i_sketch_generator *self, const opevo_i_sketch_state *from,
                           int lanes, const opevo_i_sketch_panel *panel)
{
    int64_t steps[OPEVO_I_LOOPS];
    opevo_i_sketch_state *to = NULL;
    opevo_pipeline *pipeline = NULL;
    int dims = opevo_i_sketch_stage(from)->dims;
    int sums = opevo_i_sketch_stage(from)->own.axes - dims;
    int target = opevo_i_sketch_elementwise(from->sketch.pipeline, from->stage);
    opevo_status status = opevo_i_sketch_copy_state(from, &to, self->err);

    if (status != OPEVO_OK)
        return status;
    pipeline = to->sketch.pipeline;
    OPEVO_TRY(opevo_i_sketch_tile(pipeline, to->stage, "SRSRS", lanes, steps, self->err));
    OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_ACCUMULATE, to->stage, 1,
                                  (int64_t[]){2 * dims + sums - 1}, self->err));
    to->sketch.registers = pipeline->order[to->stage];
    to->sketch.tiled[to->sketch.registers] = true;
    to->sketch.lanes = lanes;
    if (target >= 0) {
        OPEVO_TRY(opevo_i_sketch_follow(pipeline, to->stage, target, 1, steps, self->err));
        to->sketch.tiled[pipeline->order[target]] = true;
    }
    if (panel) {
        OPEVO_TRY(opevo_i_sketch_pack(pipeline, &to->stage, panel, self->err));
        to->sketch.packed = panel->constant ? panel->key : pipeline->stages - 1;
    }
    status = opevo_i_sketch_pass_on(self, &to);
cleanup:
    opevo_i_sketch_free_state(to);
    return status;
}

/* Whether a constant may be packed before the kernel is called. */
static bool has_layouts(const opevo_i_sketch_generator *self)
{
    return self->target->dialect == OPEVO_KERNEL_C;
}

opevo_status opevo_i_sketch_do_gather(opevo_i_sketch_generator *self,
                                      const opevo_i_sketch_state *from)
{
    opevo_i_sketch_panel panels[OPEVO_I_PANELS];
    int count =
        opevo_i_sketch_needs_tiling(from->sketch.pipeline, from->stage, self->target)
            ? opevo_i_sketch_panels(from->sketch.pipeline, from->stage, has_layouts(self), panels)
            : 0;
    opevo_status status = gather(self, from, opevo_i_sketch_stage(from)->dims - 1, NULL);

    for (int i = 0; i < count && status == OPEVO_OK; i++)
        status = gather(self, from, panels[i].axis, &panels[i]);
    return status;
}

/* ---- Matrix times vector ---- */

opevo_i_sketch_verdict opevo_i_sketch_should_gather_parts(const opevo_i_sketch_generator *self,
                                                          const opevo_i_sketch_state *from)
{
    opevo_i_sketch_panel panel;

    return may_gather(self, from) && opevo_i_sketch_long_sum(from->sketch.pipeline, from->stage,
                                                             has_layouts(self), &panel) >= 0
               ? OPEVO_I_APPLY
               : OPEVO_I_SKIP;
}

/* Lanes of one vector, or of so many that multiply-adds need not wait for those before them. */
static int64_t count_parts(const opevo_i_pipeline_stage *stage, int axis)
{
    int64_t parts = PARTS;
    int64_t sums = 1;

    for (int a = 0; a < stage->dims; a++)
        sums *= stage->own.axis_extent[a];
    while (sums * parts < ROWS * PARTS && stage->own.axis_extent[axis] % (2 * parts) == 0)
        parts *= 2;
    return parts;
}

opevo_status opevo_i_sketch_do_gather_parts(opevo_i_sketch_generator *self,
                                            const opevo_i_sketch_state *from)
{
    opevo_i_sketch_state *parts = NULL;
    opevo_i_sketch_panel panel;
    int axis =
        opevo_i_sketch_long_sum(from->sketch.pipeline, from->stage, has_layouts(self), &panel);
    int dims = opevo_i_sketch_stage(from)->dims;
    opevo_status status = opevo_i_sketch_copy_state(from, &parts, self->err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(opevo_i_sketch_step(parts->sketch.pipeline, OPEVO_PIPELINE_SPLIT, from->stage, 2,
                                  (int64_t[]){axis, count_parts(opevo_i_sketch_stage(from), axis)},
                                  self->err));
    OPEVO_TRY(opevo_i_sketch_step(parts->sketch.pipeline, OPEVO_PIPELINE_RFACTOR, from->stage, 2,
                                  (int64_t[]){axis + 1, dims}, self->err));
    status = gather(self, parts, dims, panel.key >= 0 ? &panel : NULL);
cleanup:
    opevo_i_sketch_free_state(parts);
    return status;
}
