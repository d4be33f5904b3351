/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where sums in registers may go on beyond the stage. Results there are dropped, so along an axis
 * that is kept it is enough that reads stay in memory of the kernel. Along a reduction axis terms
 * are added to results that count, so all factors must be 0 there: copies of just their part hold
 * zeros beyond the tensor. */

#include "lower_pipeline_internal.h"

typedef struct search {
    int key;
    bool *masked;
} search;

static bool is_range(const opevo_condition *condition)
{
    if (condition->kind == OPEVO_COND_AND)
        return is_range(condition->left) && is_range(condition->right);
    return condition->kind != OPEVO_COND_OR && condition->kind != OPEVO_COND_NOT_EQUAL &&
           condition->a;
}

/* An element, or 0 outside a range of integers. */
static bool is_padding(const opevo_expression *value)
{
    return value->kind == OPEVO_EXPR_READ ||
           (value->kind == OPEVO_EXPR_SELECT && value->left->kind == OPEVO_EXPR_READ &&
            value->right->kind == OPEVO_EXPR_NUMBER && value->right->number == 0 &&
            is_range(value->condition));
}

/* Whether a stage holds zeros beyond the tensor that it is of. */
static bool holds_zeros(const opevo_i_pipeline_lowering *self, int key)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];

    while (stage->exact)
        stage = self->pipeline->stage[stage->source];
    if (stage->kind == OPEVO_STAGE_INPUT)
        return true;
    return stage->place == OPEVO_PLACE_INLINED && stage->kind == OPEVO_STAGE_DEFINED &&
           is_padding(self->pipeline->computation->tensor[stage->tensor]->definition->value);
}

static bool uses(const opevo_i_pipeline_lowering *self, const opevo_i_affine *index,
                 const opevo_i_affine *axis)
{
    for (int t = 0; t < axis->count; t++) {
        for (int i = 0; i < index->count; i++) {
            opevo_i_affine one = opevo_i_affine_of_atom(index->term[i].atom);

            if (index->term[i].atom == axis->term[t].atom ||
                (self->nest->atoms.item[axis->term[t].atom].is_loop &&
                 opevo_i_affine_uses(&self->nest->atoms, &one, axis->term[t].atom)))
                return true;
        }
    }
    return false;
}

/* Whether all indices that the axis decides lie in the part, where the stage holds zeros. */
static bool is_padded_along(opevo_i_pipeline_lowering *self, int key, const opevo_i_affine *index,
                            const opevo_i_affine *axis)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    bool found = false;

    if (stage->kind == OPEVO_STAGE_INPUT ? stage->pieces == 0 : !holds_zeros(self, key))
        return false;
    for (int d = 0; d < stage->dims; d++) {
        opevo_i_affine place = index[d];

        if (!uses(self, &index[d], axis))
            continue;
        found = true;
        if (stage->kind != OPEVO_STAGE_INPUT)
            place = opevo_i_pipeline_held(self, key, d, &index[d]);
        if (opevo_i_affine_least(&self->nest->atoms, &place) < 0 ||
            opevo_i_affine_most(&self->nest->atoms, &place) >= self->part[key]->extent[d])
            return false;
    }
    return found;
}

/* Whether an element beyond the part is in memory: the buffer grows for it. */
static bool is_held(opevo_i_pipeline_lowering *self, int key, const opevo_i_affine *index)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    opevo_i_nest_buffer *buffer = &self->nest->buffer[self->part[key]->buffer];
    opevo_i_nest_access access;
    int64_t most = 0;

    if (self->part[key]->buffer < self->nest->operands) {
        bool fits = stage->pieces > 0;

        for (int d = 0; d < stage->dims && fits; d++)
            fits = opevo_i_affine_least(&self->nest->atoms, &index[d]) >= 0 &&
                   opevo_i_affine_most(&self->nest->atoms, &index[d]) < self->part[key]->extent[d];
        return fits;
    }
    access = opevo_i_pipeline_access(self, key, index);
    most = opevo_i_affine_most(&self->nest->atoms, &access.address);
    if (opevo_i_affine_least(&self->nest->atoms, &access.address) < 0)
        return false;
    buffer->size = most >= buffer->size ? most + 1 : buffer->size;
    return true;
}

static void look(opevo_i_pipeline_lowering *self, void *context, int key,
                 const opevo_i_affine *index)
{
    const search *of = context;
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[of->key];
    const opevo_i_affine *value = self->part[of->key]->value;
    int dims = self->pipeline->stage[key]->dims;

    for (int a = 0; a < stage->own.axes; a++) {
        bool used = false;

        for (int d = 0; d < dims; d++)
            used |= uses(self, &index[d], &value[a]);
        if (stage->axis_reduces[a])
            of->masked[a] |= !is_padded_along(self, key, index, &value[a]);
        else if (used && !of->masked[a])
            of->masked[a] = !is_held(self, key, index);
    }
}

void opevo_i_pipeline_find_masked(opevo_i_pipeline_lowering *self, int key, bool *masked)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    search of = {key, masked};

    for (int a = 0; a < stage->own.axes; a++)
        masked[a] = false;
    opevo_i_pipeline_walk(self, key, self->part[key]->value, look, &of);
}
