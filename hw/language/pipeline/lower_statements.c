/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The statement of a stage: its value in the shortest form that there is, and all that it must not
 * do. */

#include "lower_pipeline_internal.h"

#define FAR (INT64_C(1) << 60) /* no integer of a computation is beyond it */

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

/* Add what a condition on integers says, where it is an AND of comparisons; false, with
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

/* Take off selects that are 0 unless integers are in range. Around a product they omit it;
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
 * not such a product. */
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

static void add_bound(opevo_i_pipeline_lowering *self, opevo_i_nest_guards *guards,
                      const opevo_i_affine *value, int64_t limit, int free, bool reduces)
{
    if (value->overflow)
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A condition has more than %d parts.", OPEVO_I_TERMS);
    else if (!opevo_i_pipeline_add_extent(self, guards, value, limit, free, reduces))
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A statement would need more than %d conditions.",
                                OPEVO_I_GUARDS);
}

/* Loops that were split unevenly run too far. */
static void add_bounds(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_guards *guards)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_affine *value = self->part[key]->value;

    for (int a = 0; a < stage->own.axes; a++)
        add_bound(self, guards, &value[a], stage->own.axis_extent[a], self->part[key]->free[a],
                  stage->axis_reduces[a]);
    if (stage->map) {
        opevo_i_affine axis[OPEVO_I_AXES];
        const opevo_definition *definition = opevo_i_pipeline_axes(self, key, value, axis);

        for (int a = 0; a < definition->axes; a++)
            add_bound(self, guards, &axis[a], definition->axis[a].extent,
                      opevo_i_pipeline_free_of_axis(self->pipeline, definition, a),
                      a >= definition->spatial);
    }
}

/* least <= value < limit, joined with what is asked of the value already. */
static void add_range(opevo_i_pipeline_lowering *self, opevo_i_nest_guards *guards,
                      opevo_i_affine value, int64_t limit, int free)
{
    int64_t shift = value.constant;

    if (free && !opevo_i_pipeline_add_below(self, guards, &value, free, false))
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A statement would need more than %d conditions.",
                                OPEVO_I_GUARDS);
    value.constant = 0;
    for (int i = 0; i < guards->count; i++) {
        opevo_i_nest_guard *one = &guards->item[i];

        if (!opevo_i_affine_equal(&one->value, &value))
            continue;
        one->least = -shift > one->least ? -shift : one->least;
        one->limit = limit - shift < one->limit ? limit - shift : one->limit;
        return;
    }
    value.constant = shift;
    add_bound(self, guards, &value, limit, 0, false);
}

/* What an exact copy reads is 0 beyond its source. One that is exact itself has room for all that
 * is read, but along a dimension that it holds as a whole. */
static void add_source_bounds(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_leaf *leaf)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_pipeline_stage *source = self->pipeline->stage[stage->source];
    const opevo_i_pipeline_part *part = self->part[key];

    for (int d = 0; d < stage->dims; d++) {
        if (!source->exact ||
            self->part[stage->source]->own.axis_extent[d] == source->own.axis_extent[d])
            add_range(self, leaf->kind == OPEVO_I_COPY ? &leaf->inside : &leaf->keep,
                      part->value[d], stage->own.axis_extent[d], part->free[d]);
    }
}

static void add_part_bounds(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_guards *guards)
{
    const opevo_i_nest_loops *own = &self->part[key]->own;

    for (int a = 0; a < own->axes; a++)
        add_bound(self, guards, &own->axis[a], own->axis_extent[a], 0, false);
}

/* Sums in registers may go on beyond the stage, where what they read is there: those results are
 * dropped. */
static void add_sum_bounds(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_leaf *leaf)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    bool masked[OPEVO_I_AXES];

    if (leaf->kind == OPEVO_I_SUM) {
        add_bounds(self, key, &leaf->keep);
        return;
    }
    opevo_i_pipeline_find_masked(self, key, masked);
    for (int a = 0; a < stage->own.axes; a++) {
        if (masked[a])
            add_bound(self, &leaf->keep, &self->part[key]->value[a], stage->own.axis_extent[a],
                      self->part[key]->free[a], stage->axis_reduces[a]);
    }
}

void opevo_i_pipeline_leaf(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_leaf *out)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    opevo_reducer reducer = opevo_i_pipeline_reducer(self, key);
    bool beyond = reducer == OPEVO_REDUCER_SUM && stage->extended && stage->accumulate >= 0 &&
                  stage->kind == OPEVO_STAGE_DEFINED && !stage->map;

    *out = (opevo_i_nest_leaf){.keep = self->part[key]->bound, .prefetch = stage->prefetch};
    if (stage->exact)
        add_part_bounds(self, key, &out->keep);
    else if (!beyond)
        add_bounds(self, key, &out->keep);
    out->value = opevo_i_pipeline_value(self, out, key, self->part[key]->value);
    if (self->status != OPEVO_OK)
        return;
    switch (reducer) {
    case OPEVO_REDUCER_NONE:
        shorten_store(self, out);
        if (stage->exact)
            add_source_bounds(self, key, out);
        return;
    case OPEVO_REDUCER_SUM:
        shorten_sum(self, opevo_i_pipeline_type(self, key), out);
        if (beyond)
            add_sum_bounds(self, key, out);
        return;
    default:
        out->kind = reducer == OPEVO_REDUCER_MAX ? OPEVO_I_MAX : OPEVO_I_MIN;
        return;
    }
}
