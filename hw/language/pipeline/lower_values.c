/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Definitions as statements: the axes of a stage are replaced by what its loops make of them, and
 * reads of inlined stages by their definitions. */

#include "lower_pipeline_internal.h"

#include <opevo/computation_access.h>

#include <opevo/memory.h>

#define FAR (INT64_C(1) << 60) /* no whole number of a computation is beyond it */

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
static const opevo_i_nest_value *build_stage(opevo_i_pipeline_lowering *self,
                                             opevo_i_nest_leaf *leaf, int key,
                                             const opevo_i_affine *value);

/* An element of a stage, in a statement of this type. */
static const opevo_i_nest_value *build_element(opevo_i_pipeline_lowering *self,
                                               opevo_i_nest_leaf *leaf, opevo_element type, int key,
                                               const opevo_i_affine *index)
{
    opevo_i_nest_value *value = NULL;

    if (self->pipeline->stage[key]->place == OPEVO_PLACE_INLINED)
        return build_stage(self, leaf, key, index);
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

static const opevo_i_nest_value *build_stage(opevo_i_pipeline_lowering *self,
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

/* ---- Statements that have a shorter form ---- */

static bool add_guard(const opevo_i_pipeline_lowering *self, opevo_i_nest_guards *guards,
                      const opevo_i_nest_guard *guard)
{
    int before = guards->count;
    bool fits = opevo_i_nest_guards_add(&self->nest->atoms, guards, &guard->value, guard->least,
                                        guard->limit);

    if (guards->count > before)
        guards->item[before].omits = guard->omits;
    return fits;
}

static bool add_comparison(const opevo_i_pipeline_lowering *self, opevo_i_nest_guards *guards,
                           const opevo_i_nest_condition *condition, bool omits)
{
    const opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_affine value = condition->whole;
    int64_t least = -FAR;
    int64_t limit = condition->kind == OPEVO_COND_LESS ? 0 : 1;
    int64_t shift = value.constant;

    if (!condition->is_whole || condition->kind == OPEVO_COND_NOT_EQUAL)
        return false;
    if (condition->kind == OPEVO_COND_EQUAL)
        least = 0;
    value.constant = 0;
    if (value.count && value.term[0].factor < 0) { /* the other way around */
        opevo_i_affine none = opevo_i_affine_constant(0);
        int64_t most = least == -FAR ? FAR : 1 - least;

        value = opevo_i_affine_add(atoms, none, -1, &value);
        least = 1 - limit;
        limit = most;
        shift = -shift;
    }
    least = least == -FAR ? opevo_i_affine_least(atoms, &value) : least - shift;
    limit = limit == FAR ? opevo_i_affine_most(atoms, &value) + 1 : limit - shift;
    for (int i = 0; i < guards->count; i++) {
        opevo_i_nest_guard *one = &guards->item[i];

        if (!opevo_i_affine_equal(&one->value, &value))
            continue;
        one->least = least > one->least ? least : one->least;
        one->limit = limit < one->limit ? limit : one->limit;
        one->omits |= omits;
        return true;
    }
    return add_guard(self, guards, &(opevo_i_nest_guard){value, least, limit, omits});
}

static bool add_comparisons(const opevo_i_pipeline_lowering *self, opevo_i_nest_guards *guards,
                            const opevo_i_nest_condition *condition, bool omits)
{
    if (condition->kind == OPEVO_COND_AND)
        return add_comparisons(self, guards, condition->left, omits) &&
               add_comparisons(self, guards, condition->right, omits);
    return add_comparison(self, guards, condition, omits);
}

/* Add what a condition on whole numbers says, where it is an AND of comparisons; false, with
 * `guards` as before, where it is not. */
static bool add_condition(const opevo_i_pipeline_lowering *self, opevo_i_nest_guards *guards,
                          const opevo_i_nest_condition *condition, bool omits)
{
    opevo_i_nest_guards old = *guards;

    if (add_comparisons(self, guards, condition, omits))
        return true;
    *guards = old;
    return false;
}

static bool is_zero(const opevo_i_nest_value *value)
{
    return value->kind == OPEVO_EXPR_NUMBER && value->number == 0;
}

static bool is_zero_unless(const opevo_i_nest_value *value)
{
    return value->kind == OPEVO_EXPR_SELECT && is_zero(value->right);
}

/* Take off selects that are 0 unless whole numbers are in range. Around a product they omit it;
 * around a factor they make it 0. */
static const opevo_i_nest_value *strip(const opevo_i_pipeline_lowering *self,
                                       opevo_i_nest_guards *guards, const opevo_i_nest_value *value)
{
    const opevo_i_nest_value *inside = value;

    while (is_zero_unless(inside))
        inside = inside->left;
    while (is_zero_unless(value) &&
           add_condition(self, guards, value->condition, inside->kind == OPEVO_EXPR_MULTIPLY))
        value = value->left;
    return value;
}

/* The factors of a product of elements in one type, each 0 unless in range; -1 where the value is
 * no such product. */
static int find_product(const opevo_i_pipeline_lowering *self, opevo_i_nest_guards *guards,
                        const opevo_i_nest_value *value, opevo_element type, int *read, int count)
{
    value = strip(self, guards, value);
    if (value->kind == OPEVO_EXPR_MULTIPLY && value->type == type) {
        count = find_product(self, guards, value->left, type, read, count);
        return count < 0 ? count : find_product(self, guards, value->right, type, read, count);
    }
    if (value->kind != OPEVO_EXPR_READ || count == OPEVO_I_FACTORS)
        return -1;
    read[count] = value->read;
    return count + 1;
}

static void shorten_sum(const opevo_i_pipeline_lowering *self, opevo_element type,
                        opevo_i_nest_leaf *leaf)
{
    int read[OPEVO_I_FACTORS];
    opevo_i_nest_guards guards = leaf->keep;
    int count = find_product(self, &guards, leaf->value, type, read, 0);
    opevo_i_nest_access factor[OPEVO_I_FACTORS];

    leaf->kind = OPEVO_I_SUM;
    if (count < 0) {
        leaf->value = strip(self, &leaf->keep, leaf->value);
        return;
    }
    leaf->keep = guards;
    leaf->kind = count > 1 ? OPEVO_I_MAC : OPEVO_I_ADD;
    leaf->value = NULL;
    leaf->factors = count;
    for (int i = 0; i < count; i++)
        factor[i] = leaf->factor[read[i]];
    for (int i = 0; i < count; i++)
        leaf->factor[i] = factor[i];
}

static void shorten_store(const opevo_i_pipeline_lowering *self, opevo_i_nest_leaf *leaf)
{
    opevo_i_nest_guards guards = {0};
    const opevo_i_nest_value *value = strip(self, &guards, leaf->value);

    leaf->kind = OPEVO_I_STORE;
    if (value->kind == OPEVO_EXPR_READ) {
        leaf->kind = OPEVO_I_COPY;
        leaf->value = NULL;
        leaf->inside = guards;
        leaf->factor[0] = leaf->factor[value->read];
        leaf->factors = 1;
    }
}

opevo_reducer opevo_i_pipeline_reducer(const opevo_i_pipeline_lowering *self, int key)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];

    if (stage->own.axes == stage->dims)
        return OPEVO_REDUCER_NONE;
    return self->pipeline->computation->tensor[stage->tensor]->definition->reducer;
}

static void add_bound(opevo_i_pipeline_lowering *self, opevo_i_nest_guards *guards,
                      const opevo_i_affine *value, int64_t limit, bool reduces)
{
    if (value->overflow)
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A condition has more than %d parts.", OPEVO_I_TERMS);
    else if (!add_guard(self, guards, &(opevo_i_nest_guard){*value, 0, limit, reduces}))
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A statement would need more than %d conditions.",
                                OPEVO_I_GUARDS);
}

/* Loops that were split unevenly run too far. */
static void add_bounds(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_guards *guards)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_affine *value = self->part[key]->value;

    for (int a = 0; a < stage->own.axes; a++)
        add_bound(self, guards, &value[a], stage->own.axis_extent[a], stage->axis_reduces[a]);
    if (stage->map) {
        opevo_i_affine axis[OPEVO_I_AXES];
        const opevo_definition *definition = opevo_i_pipeline_axes(self, key, value, axis);

        for (int a = 0; a < definition->axes; a++)
            add_bound(self, guards, &axis[a], definition->axis[a].extent, a >= definition->spatial);
    }
}

void opevo_i_pipeline_leaf(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_leaf *out)
{
    opevo_reducer reducer = opevo_i_pipeline_reducer(self, key);

    *out = (opevo_i_nest_leaf){.keep = self->part[key]->bound};
    add_bounds(self, key, &out->keep);
    out->value = build_stage(self, out, key, self->part[key]->value);
    if (self->status != OPEVO_OK)
        return;
    switch (reducer) {
    case OPEVO_REDUCER_NONE:
        shorten_store(self, out);
        return;
    case OPEVO_REDUCER_SUM:
        shorten_sum(self, opevo_i_pipeline_type(self, key), out);
        return;
    default:
        out->kind = reducer == OPEVO_REDUCER_MAX ? OPEVO_I_MAX : OPEVO_I_MIN;
        return;
    }
}
