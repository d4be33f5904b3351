/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Permuted reads: a definition without a reduction whose vectors run along its last axis, while
 * some array that it reads lies side by side along another one, such as a transposition. Both axes
 * are split, and the inner parts become the innermost loops: a block, of which the lines of both
 * arrays are used whole. Blocks follow one another along the rows of what is read, which processors
 * fetch ahead. The axis of the read comes first in a block, so that a copy of it can be transposed
 * in registers. */

#include "sketch_rules_internal.h"

#include <opevo/computation_access.h>

/* What is looked for in the reads of a definition. */
typedef struct permutation {
    const opevo_definition *definition;
    int along; /* the axis along which a read lies that moves along the last one too; -1: none */
} permutation;

/* The axis along which the elements of a read lie side by side; -1: none. Dimensions of one element
 * have no neighbours. */
static int fastest_axis(const opevo_definition *definition, const opevo_expression *read)
{
    int d = read->tensor->dims - 1;
    const opevo_term *term = NULL;

    while (d >= 0 && read->tensor->extent[d] == 1)
        d--;
    if (d < 0 || read->index[d].count != 1)
        return -1;
    term = read->index[d].term;
    return term->atom == OPEVO_ATOM_AXIS && term->factor == 1 &&
                   definition->axis[term->axis].extent > 1
               ? term->axis
               : -1;
}

static void look_at(void *context, const opevo_expression *read)
{
    permutation *self = context;
    int last = self->definition->axes - 1;
    int fastest = fastest_axis(self->definition, read);
    unsigned used = 0;

    for (int d = 0; d < read->tensor->dims; d++)
        used |= opevo_affine_axes(&read->index[d]);
    if (self->along < 0 && fastest >= 0 && fastest != last && used >> last & 1)
        self->along = fastest;
}

int opevo_i_sketch_permuted_axis(const opevo_pipeline *pipeline, int number)
{
    const opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(pipeline, number);
    permutation found = {.along = -1};

    if (stage->kind != OPEVO_STAGE_DEFINED || stage->map || stage->own.axes > stage->dims ||
        stage->place != OPEVO_PLACE_ROOT || stage->own.loops != stage->own.axes ||
        stage->dims < 2 || stage->own.axis_extent[stage->dims - 1] == 1)
        return -1;
    found.definition = pipeline->computation->tensor[stage->tensor]->definition;
    opevo_expression_reads(found.definition->value, look_at, &found);
    return found.along;
}

opevo_i_sketch_verdict opevo_i_sketch_should_block(const opevo_i_sketch_generator *self,
                                                   const opevo_i_sketch_state *from)
{
    const opevo_pipeline *pipeline = from->sketch.pipeline;

    return !self->target->ansor && !opevo_i_sketch_reduces_anywhere(pipeline) &&
                   opevo_i_sketch_permuted_axis(pipeline, from->stage) >= 0
               ? OPEVO_I_APPLY
               : OPEVO_I_SKIP;
}

opevo_status opevo_i_sketch_block(opevo_pipeline *pipeline, int number, int along, opevo_error *err)
{
    int last = opevo_i_pipeline_at(pipeline, number)->dims - 1;
    int64_t order[OPEVO_I_LOOPS];
    int count = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(
        opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_SPLIT, number, 2, (int64_t[]){last, 1}, err));
    OPEVO_TRY(
        opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_SPLIT, number, 2, (int64_t[]){along, 1}, err));
    for (int a = 0; a < last; a++)
        if (a != along)
            order[count++] = a + (a > along);
    order[last - 1] = last + 1;
    order[last] = along;
    order[last + 1] = along + 1;
    order[last + 2] = last + 2;
    status = opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_REORDER, number, last + 3, order, err);
cleanup:
    return status;
}

opevo_status opevo_i_sketch_do_block(opevo_i_sketch_generator *self,
                                     const opevo_i_sketch_state *from)
{
    opevo_i_sketch_state *to = NULL;
    int along = opevo_i_sketch_permuted_axis(from->sketch.pipeline, from->stage);
    int key = from->sketch.pipeline->order[from->stage];
    opevo_status status = opevo_i_sketch_copy_state(from, &to, self->err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(opevo_i_sketch_block(to->sketch.pipeline, to->stage, along, self->err));
    to->sketch.tiled[key] = to->sketch.blocked[key] = true;
    status = opevo_i_sketch_pass_on(self, &to);
cleanup:
    opevo_i_sketch_free_state(to);
    return status;
}
