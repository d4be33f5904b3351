/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Definitions as statements: the axes of a stage are replaced by what its loops make of them, and
 * reads of inlined stages by their definitions. */

#include "lower_pipeline_internal.h"

#include <opevo/computation_access.h>

#include <opevo/memory.h>

/* Definitions of 200 nested operations and chains of 64 inlined stages are allowed: what recurses
 * through them keeps expressions on the heap. */
static opevo_i_affine *take_expressions(opevo_i_pipeline_lowering *self, int count)
{
    opevo_i_affine *all = opevo_malloc((size_t)count, sizeof *all);

    if (!all)
        OPEVO_I_PIPELINE_REFUSE(self, NOMEM, "No memory for a loop nest.");
    return all;
}

/* The index of an element that a definition reads; NULL without memory. */
static opevo_i_affine *take_index(opevo_i_pipeline_lowering *self, const opevo_expression *read,
                                  const opevo_i_affine *axis)
{
    opevo_i_affine *index = take_expressions(self, read->tensor->dims + 1);

    for (int d = 0; index && d < read->tensor->dims; d++)
        opevo_i_pipeline_whole(self, &read->index[d], axis, &index[d]);
    return index;
}

/* ---- Elements that are read ---- */

typedef struct walk {
    opevo_i_pipeline_lowering *self;
    const opevo_i_pipeline_stage *stage;
    const opevo_i_affine *axis;
    opevo_i_pipeline_element_function each;
    void *context;
} walk;

static void step_to(opevo_i_pipeline_lowering *self, int key, const opevo_i_affine *index,
                    opevo_i_pipeline_element_function each, void *context)
{
    if (self->pipeline->stage[key]->place == OPEVO_PLACE_INLINED)
        opevo_i_pipeline_walk(self, key, index, each, context);
    else
        each(self, context, key, index);
}

static void walk_read(void *context, const opevo_expression *read)
{
    walk *one = context;
    opevo_i_affine *index = take_index(one->self, read, one->axis);

    if (index)
        step_to(one->self, opevo_i_pipeline_target(one->stage, read->tensor), index, one->each,
                one->context);
    opevo_free(index);
}

void opevo_i_pipeline_walk(opevo_i_pipeline_lowering *self, int key, const opevo_i_affine *value,
                           opevo_i_pipeline_element_function each, void *context)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    opevo_i_affine *axis = NULL;

    if (stage->kind == OPEVO_STAGE_INPUT)
        return;
    axis = take_expressions(self, OPEVO_I_AXES + 1);
    if (!axis)
        return;
    if (stage->kind == OPEVO_STAGE_DEFINED) {
        const opevo_definition *definition = opevo_i_pipeline_axes(self, key, value, axis);
        walk one = {self, stage, axis, each, context};

        opevo_expression_reads(definition->value, walk_read, &one);
    } else {
        opevo_i_pipeline_source_index(stage, value, axis);
        step_to(self, stage->source, axis, each, context);
    }
    opevo_free(axis);
}

/* ---- Values ---- */

opevo_reducer opevo_i_pipeline_reducer(const opevo_i_pipeline_lowering *self, int key)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];

    if (stage->own.axes == stage->dims)
        return OPEVO_REDUCER_NONE;
    return self->pipeline->computation->tensor[stage->tensor]->definition->reducer;
}

opevo_element opevo_i_pipeline_type(const opevo_i_pipeline_lowering *self, int key)
{
    return opevo_element_accumulator(opevo_i_pipeline_element(self->pipeline, key));
}

typedef struct builder {
    opevo_i_pipeline_lowering *self;
    opevo_i_nest_leaf *leaf;
    opevo_element type;
    const opevo_i_pipeline_stage *stage;
    const opevo_i_affine *axis;
} builder;

static opevo_i_nest_value *take_value(opevo_i_pipeline_lowering *self, opevo_expression_kind kind,
                                      opevo_element type)
{
    opevo_i_nest_value *value = opevo_i_nest_take(self->nest, sizeof *value);

    if (!value) {
        OPEVO_I_PIPELINE_REFUSE(self, NOMEM, "No memory for a loop nest.");
        return NULL;
    }
    value->kind = kind;
    value->type = type;
    return value;
}

static const opevo_i_nest_value *build(const builder *of, const opevo_expression *expression);
/* An element of a stage, in a statement of this type. */
static const opevo_i_nest_value *build_element(opevo_i_pipeline_lowering *self,
                                               opevo_i_nest_leaf *leaf, opevo_element type, int key,
                                               const opevo_i_affine *index)
{
    opevo_i_nest_value *value = NULL;

    if (self->pipeline->stage[key]->place == OPEVO_PLACE_INLINED)
        return opevo_i_pipeline_value(self, leaf, key, index);
    value = take_value(self, OPEVO_EXPR_READ, type);
    if (!value)
        return NULL;
    value->read = opevo_i_pipeline_add_read(self, leaf, key, index);
    return value->read < 0 ? NULL : value;
}

static const opevo_i_nest_condition *build_condition(const builder *of,
                                                     const opevo_condition *condition)
{
    opevo_i_nest_condition *out = opevo_i_nest_take(of->self->nest, sizeof *out);

    if (!out) {
        OPEVO_I_PIPELINE_REFUSE(of->self, NOMEM, "No memory for a loop nest.");
        return NULL;
    }
    out->kind = condition->kind;
    if (condition->kind == OPEVO_COND_AND || condition->kind == OPEVO_COND_OR) {
        out->left = build_condition(of, condition->left);
        out->right = build_condition(of, condition->right);
    } else if (condition->a) {
        out->is_whole = true;
        opevo_i_pipeline_difference(of->self, condition->a, condition->b, of->axis, &out->whole);
    } else {
        out->x = build(of, condition->x);
        out->y = build(of, condition->y);
    }
    return out;
}

static const opevo_i_nest_value *build_read(const builder *of, const opevo_expression *read)
{
    opevo_i_affine *index = take_index(of->self, read, of->axis);
    const opevo_i_nest_value *value =
        index ? build_element(of->self, of->leaf, of->type,
                              opevo_i_pipeline_target(of->stage, read->tensor), index)
              : NULL;

    opevo_free(index);
    return value;
}

static bool is_extreme(const opevo_expression *expression)
{
    return expression->kind == OPEVO_EXPR_MAX || expression->kind == OPEVO_EXPR_MIN;
}

static bool is_number(const opevo_expression *expression)
{
    return expression->kind == OPEVO_EXPR_NUMBER || expression->kind == OPEVO_EXPR_WHOLE;
}

/* Of an extreme the number comes first, so that one instruction gives NaN for NaN. */
static const opevo_i_nest_value *build(const builder *of, const opevo_expression *expression)
{
    opevo_i_nest_value *value = NULL;

    if (expression->kind == OPEVO_EXPR_READ)
        return build_read(of, expression);
    value = take_value(of->self, expression->kind, of->type);
    if (!value)
        return NULL;
    value->number = expression->number;
    if (expression->kind == OPEVO_EXPR_WHOLE)
        opevo_i_pipeline_whole(of->self, expression->index, of->axis, &value->whole);
    if (expression->left)
        value->left = build(of, expression->left);
    if (expression->right)
        value->right = build(of, expression->right);
    if (expression->condition)
        value->condition = build_condition(of, expression->condition);
    if (is_extreme(expression) && is_number(expression->right)) {
        const opevo_i_nest_value *left = value->left;

        value->left = value->right;
        value->right = left;
    }
    return value;
}

const opevo_i_nest_value *opevo_i_pipeline_value(opevo_i_pipeline_lowering *self,
                                                 opevo_i_nest_leaf *leaf, int key,
                                                 const opevo_i_affine *value)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    opevo_element type = opevo_i_pipeline_type(self, key);
    opevo_i_affine *axis = take_expressions(self, OPEVO_I_AXES + 1);
    const opevo_i_nest_value *out = NULL;

    if (!axis)
        return NULL;
    if (stage->kind == OPEVO_STAGE_DEFINED) {
        const opevo_definition *definition = opevo_i_pipeline_axes(self, key, value, axis);

        out = build(&(builder){self, leaf, type, stage, axis}, definition->value);
    } else {
        opevo_i_pipeline_source_index(stage, value, axis);
        out = build_element(self, leaf, type, stage->source, axis);
    }
    opevo_free(axis);
    return out;
}
