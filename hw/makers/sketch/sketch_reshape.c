/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Dimensions that are merged or divided before anything else, so that a register tile finds its
 * rows. Rows of pixels that lie one behind the other are one long row, which vectors divide without
 * rest. A dimension of which an operand is read in groups is divided into groups and what is in
 * them; then the other operand has a dimension that the first one lacks. Where nothing is summed,
 * long rows are all that vectors need. */

#include "sketch_internal.h"

#include <opevo/computation_access.h>

/* An axis that is divided inside indices: axis // length or axis % length. */
typedef struct group {
    const opevo_definition *definition;
    int axis;
    int64_t length; /* 0: none */
} group;

static void find_in(group *found, const opevo_affine *index)
{
    for (int t = 0; t < index->count; t++) {
        const opevo_term *term = &index->term[t];
        const opevo_affine *inner = term->inner;
        int axis = 0;

        if (term->atom == OPEVO_ATOM_AXIS)
            continue;
        find_in(found, inner);
        if (found->length || inner->count != 1 || inner->constant ||
            inner->term[0].atom != OPEVO_ATOM_AXIS || inner->term[0].factor != 1)
            continue;
        axis = inner->term[0].axis;
        if (axis < found->definition->spatial &&
            term->divisor < found->definition->axis[axis].extent &&
            found->definition->axis[axis].extent % term->divisor == 0) {
            found->axis = axis;
            found->length = term->divisor;
        }
    }
}

static void look_for_group(void *context, const opevo_expression *read)
{
    for (int d = 0; d < read->tensor->dims; d++)
        find_in(context, &read->index[d]);
}

/* A step that may not be possible, which *done says. Errors: NOMEM. */
static opevo_status try_step(opevo_pipeline *pipeline, opevo_pipeline_step_kind kind, int stage,
                             int count, const int64_t *numbers, bool *done, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_i_sketch_step(pipeline, kind, stage, count, numbers, &inner);

    *done = status == OPEVO_OK;
    return status == OPEVO_NOMEM ? OPEVO_FAIL(err, OPEVO_NOMEM, "%s", inner.message) : OPEVO_OK;
}

static const opevo_definition *definition_of(const opevo_pipeline *pipeline, int stage)
{
    return pipeline->computation->tensor[stage]->definition;
}

/* Merge the last two dimensions as long as they are rows that follow one another; the first `kept`
 * dimensions of more than one element stay. */
static opevo_status merge_rows(opevo_pipeline *pipeline, int stage, int kept, bool *any,
                               opevo_error *err)
{
    const opevo_definition *first = definition_of(pipeline, stage);
    opevo_status status = OPEVO_OK;
    int long_ones = 0;

    for (int a = 0; a < first->spatial; a++)
        long_ones += first->axis[a].extent > 1;
    for (bool done = true; done && long_ones > kept + 1; long_ones--) {
        const opevo_definition *now = definition_of(pipeline, stage);
        int last = now->spatial - 1;

        done = last > 0 && now->axis[last].extent > 1 && now->axis[last - 1].extent > 1;
        if (done)
            OPEVO_TRY(try_step(pipeline, OPEVO_PIPELINE_MERGE, stage, 1, (int64_t[]){last - 1},
                               &done, err));
        *any |= done;
    }
cleanup:
    return status;
}

/* Divide groups, and merge rows. */
static opevo_status reshape_sum(opevo_pipeline *pipeline, int stage, bool *any, opevo_error *err)
{
    group found = {.definition = definition_of(pipeline, stage)};
    opevo_status status = OPEVO_OK;

    opevo_expression_reads(found.definition->value, look_for_group, &found);
    if (found.length)
        OPEVO_TRY(try_step(pipeline, OPEVO_PIPELINE_DIVIDE, stage, 2,
                           (int64_t[]){found.axis, found.length}, any, err));
    status = merge_rows(pipeline, stage, 0, any, err);
cleanup:
    return status;
}

opevo_status opevo_i_sketch_reshape(opevo_pipeline *pipeline, const opevo_sketch_target *target,
                                    bool *reshaped, bool *any, opevo_error *err)
{
    int last = pipeline->stages - 1;
    opevo_status status = OPEVO_OK;

    *any = false;
    if (!opevo_i_sketch_reduces_anywhere(pipeline)) {
        status = merge_rows(pipeline, last, target->threads > 1, any, err);
        reshaped[last] = *any;
        return status;
    }
    for (int stage = pipeline->computation->tensors - 1; stage >= 0 && status == OPEVO_OK;
         stage--) {
        bool here = false;

        if (!definition_of(pipeline, stage) ||
            definition_of(pipeline, stage)->reducer == OPEVO_REDUCER_NONE ||
            !opevo_i_sketch_needs_tiling(pipeline, stage, target))
            continue;
        status = reshape_sum(pipeline, stage, &here, err);
        reshaped[stage] = here;
        *any |= here;
    }
    return status;
}
