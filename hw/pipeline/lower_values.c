/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Definitions as statements: the axes of a stage are replaced by what its loops make of them, and
 * reads of inlined stages by their definitions. */

#include "lower_pipeline_internal.h"

#include <opevo/computation_access.h>

#include <math.h>

#define FAR (INT64_C(1) << 60) /* no whole number of a computation is beyond it */

/* ---- Whole numbers ---- */

/* floor(a / divisor), for an `a` of any sign. */
static opevo_i_affine floor_divide(opevo_i_atoms *atoms, opevo_i_affine a, int64_t divisor,
                                   int64_t *shift)
{
    int64_t least = opevo_i_affine_least(atoms, &a);

    *shift = least < 0 ? (-least + divisor - 1) / divisor : 0;
    a.constant += *shift * divisor;
    return a;
}

/* A whole number of a definition's axes. */
static opevo_i_affine whole(opevo_i_atoms *atoms, const opevo_affine *a, const opevo_i_affine *axis)
{
    opevo_i_affine sum = opevo_i_affine_constant(a->constant);

    for (int i = 0; i < a->count; i++) {
        const opevo_term *term = &a->term[i];
        opevo_i_affine one;
        int64_t shift = 0;

        if (term->atom == OPEVO_ATOM_AXIS) {
            one = axis[term->axis];
        } else {
            one = floor_divide(atoms, whole(atoms, term->inner, axis), term->divisor, &shift);
            if (term->atom == OPEVO_ATOM_FLOOR) {
                one = opevo_i_affine_divide(atoms, &one, term->divisor);
                one.constant -= shift;
            } else {
                one = opevo_i_affine_modulo(atoms, &one, term->divisor);
            }
        }
        sum = opevo_i_affine_add(atoms, sum, term->factor, &one);
    }
    return sum;
}

/* An expression over the atoms of the pipeline that stand for axes. */
static opevo_i_affine imported(opevo_i_pipeline_lowering *self, const opevo_i_pipeline_stage *stage,
                               const opevo_i_affine *a, const opevo_i_affine *value)
{
    opevo_i_atoms *atoms = &self->nest->atoms;
    opevo_i_affine sum = opevo_i_affine_constant(a->constant);

    for (int i = 0; i < a->count; i++) {
        const opevo_i_atom *atom = &self->pipeline->atoms.item[a->term[i].atom];
        opevo_i_affine one = opevo_i_affine_constant(0);

        if (atom->is_loop) {
            for (int d = 0; d < stage->own.axes; d++)
                one = stage->axis_atom[d] == a->term[i].atom ? value[d] : one;
        } else {
            one = imported(self, stage, &atom->inner, value);
            one = atom->modulus ? opevo_i_affine_modulo(atoms, &one, atom->modulus)
                                : opevo_i_affine_divide(atoms, &one, atom->divisor);
        }
        sum = opevo_i_affine_add(atoms, sum, a->term[i].factor, &one);
    }
    return sum;
}

/* The axes of the definition of a stage. */
static const opevo_definition *set_axes(opevo_i_pipeline_lowering *self, int key,
                                        const opevo_i_affine *value, opevo_i_affine *axis)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_definition *definition =
        self->pipeline->computation->tensor[stage->tensor]->definition;

    for (int a = 0; a < definition->axes; a++)
        axis[a] = stage->map ? imported(self, stage, &stage->map[a], value) : value[a];
    return definition;
}

/* ---- Elements that are read ---- */

/* The element of its source that a copy or the sum of parts reads. */
static void source_index(const opevo_i_pipeline_stage *stage, const opevo_i_affine *value,
                         opevo_i_affine *index)
{
    int d = 0;

    for (int a = 0; a < stage->dims; a++) {
        if (stage->kind == OPEVO_STAGE_GATHER && a == stage->factored)
            index[d++] = value[stage->dims];
        index[d++] = value[a];
    }
    if (stage->kind == OPEVO_STAGE_GATHER && stage->dims == stage->factored)
        index[d] = value[stage->dims];
}

typedef struct walk {
    opevo_i_pipeline_lowering *self;
    const opevo_i_pipeline_stage *stage;
    const opevo_i_affine *axis;
    opevo_i_element_function each;
    void *context;
} walk;

static void step_to(opevo_i_pipeline_lowering *self, int key, const opevo_i_affine *index,
                    opevo_i_element_function each, void *context)
{
    if (self->pipeline->stage[key]->place == OPEVO_PLACE_INLINED)
        opevo_i_pipeline_walk(self, key, index, each, context);
    else
        each(self, context, key, index);
}

static void walk_read(void *context, const opevo_expression *read)
{
    walk *one = context;
    opevo_i_affine index[OPEVO_I_AXES];

    for (int d = 0; d < read->tensor->dims; d++)
        index[d] = whole(&one->self->nest->atoms, &read->index[d], one->axis);
    step_to(one->self, opevo_i_pipeline_target(one->stage, read->tensor), index, one->each,
            one->context);
}

void opevo_i_pipeline_walk(opevo_i_pipeline_lowering *self, int key, const opevo_i_affine *value,
                           opevo_i_element_function each, void *context)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    opevo_i_affine axis[OPEVO_I_AXES + 1];

    if (stage->kind == OPEVO_STAGE_DEFINED) {
        const opevo_definition *definition = set_axes(self, key, value, axis);
        walk one = {self, stage, axis, each, context};

        opevo_expression_reads(definition->value, walk_read, &one);
    } else if (stage->kind != OPEVO_STAGE_INPUT) {
        source_index(stage, value, axis);
        step_to(self, stage->source, axis, each, context);
    }
}

/* The address in a layout of its own. */
static opevo_i_affine laid_out(opevo_i_pipeline_lowering *self, int key,
                               const opevo_i_affine *index, int64_t *size)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_part *part = self->part[key];
    opevo_i_atoms *atoms = &self->nest->atoms;
    opevo_i_affine address = opevo_i_affine_constant(0);

    for (int i = stage->pieces - 1; i >= 0; i--) {
        opevo_i_piece piece = opevo_i_pipeline_piece(stage, i, part->extent);
        opevo_i_affine place =
            opevo_i_affine_add(atoms, index[piece.dim], -1, &part->base[piece.dim]);

        if (opevo_i_affine_least(atoms, &place) < 0) {
            OPEVO_I_REFUSE(self, INVALID,
                           "%s has a layout, so it cannot be read ahead of its first element.",
                           stage->name);
            return address;
        }
        place = opevo_i_affine_divide(atoms, &place, piece.divisor);
        if (!piece.outermost)
            place = opevo_i_affine_modulo(atoms, &place, piece.extent);
        address = opevo_i_affine_add(atoms, address, *size, &place);
        *size *= piece.extent;
    }
    return address;
}

opevo_i_access opevo_i_pipeline_access(opevo_i_pipeline_lowering *self, int key,
                                       const opevo_i_affine *index)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_part *part = self->part[key];
    opevo_i_atoms *atoms = &self->nest->atoms;
    opevo_i_access access = {.buffer = part->buffer};
    int64_t stride = 1;

    if (stage->pieces)
        access.address = laid_out(self, key, index, &stride);
    for (int d = stage->dims - 1; d >= 0 && !stage->pieces; d--) {
        opevo_i_affine place = opevo_i_affine_add(atoms, index[d], -1, &part->base[d]);

        access.address = opevo_i_affine_add(atoms, access.address, stride, &place);
        stride *= part->extent[d];
    }
    for (int i = part->vthreads - 1; i >= 0; i--) {
        opevo_i_affine one = opevo_i_affine_atom(part->vthread[i]);

        access.address = opevo_i_affine_add(atoms, access.address, stride, &one);
        stride *= atoms->item[part->vthread[i]].extent;
    }
    if (access.address.overflow)
        OPEVO_I_REFUSE(self, LIMIT, "An address of %s has more than %d parts.",
                       self->pipeline->stage[key]->name, OPEVO_I_TERMS);
    return access;
}

/* ---- Values ---- */

opevo_element opevo_i_pipeline_type(const opevo_i_pipeline_lowering *self, int key)
{
    return opevo_element_accumulator(opevo_i_pipeline_element(self->pipeline, key));
}

typedef struct builder {
    opevo_i_pipeline_lowering *self;
    opevo_i_leaf *leaf;
    opevo_element type;
    const opevo_i_pipeline_stage *stage;
    const opevo_i_affine *axis;
} builder;

static opevo_i_value *take_value(opevo_i_pipeline_lowering *self, opevo_expression_kind kind,
                                 opevo_element type)
{
    opevo_i_value *value = opevo_i_nest_take(self->nest, sizeof *value);

    if (!value) {
        OPEVO_I_REFUSE(self, NOMEM, "No memory for a loop nest.");
        return NULL;
    }
    value->kind = kind;
    value->type = type;
    return value;
}

static const opevo_i_value *build(const builder *of, const opevo_expression *expression);
static const opevo_i_value *build_stage(opevo_i_pipeline_lowering *self, opevo_i_leaf *leaf,
                                        int key, const opevo_i_affine *value);

/* An element of a stage, in a statement of this type. */
static const opevo_i_value *build_element(opevo_i_pipeline_lowering *self, opevo_i_leaf *leaf,
                                          opevo_element type, int key, const opevo_i_affine *index)
{
    opevo_i_access access;
    opevo_i_value *value = NULL;

    if (self->pipeline->stage[key]->place == OPEVO_PLACE_INLINED)
        return build_stage(self, leaf, key, index);
    value = take_value(self, OPEVO_EXPR_READ, type);
    if (!value)
        return NULL;
    access = opevo_i_pipeline_access(self, key, index);
    while (value->read < leaf->factors &&
           (leaf->factor[value->read].buffer != access.buffer ||
            !opevo_i_affine_equal(&leaf->factor[value->read].address, &access.address)))
        value->read++;
    if (value->read == OPEVO_I_FACTORS) {
        OPEVO_I_REFUSE(self, LIMIT, "A statement would read more than %d elements.",
                       OPEVO_I_FACTORS);
        return NULL;
    }
    if (value->read == leaf->factors)
        leaf->factor[leaf->factors++] = access;
    return value;
}

static const opevo_i_condition *build_condition(const builder *of, const opevo_condition *condition)
{
    opevo_i_atoms *atoms = &of->self->nest->atoms;
    opevo_i_condition *out = opevo_i_nest_take(of->self->nest, sizeof *out);

    if (!out) {
        OPEVO_I_REFUSE(of->self, NOMEM, "No memory for a loop nest.");
        return NULL;
    }
    out->kind = condition->kind;
    if (condition->kind == OPEVO_COND_AND || condition->kind == OPEVO_COND_OR) {
        out->left = build_condition(of, condition->left);
        out->right = build_condition(of, condition->right);
    } else if (condition->a) {
        opevo_i_affine b = whole(atoms, condition->b, of->axis);

        out->is_whole = true;
        out->whole = opevo_i_affine_add(atoms, whole(atoms, condition->a, of->axis), -1, &b);
    } else {
        out->x = build(of, condition->x);
        out->y = build(of, condition->y);
    }
    return out;
}

static const opevo_i_value *build(const builder *of, const opevo_expression *expression)
{
    opevo_i_value *value = NULL;

    if (expression->kind == OPEVO_EXPR_READ) {
        opevo_i_affine index[OPEVO_I_AXES];

        for (int d = 0; d < expression->tensor->dims; d++)
            index[d] = whole(&of->self->nest->atoms, &expression->index[d], of->axis);
        return build_element(of->self, of->leaf, of->type,
                             opevo_i_pipeline_target(of->stage, expression->tensor), index);
    }
    value = take_value(of->self, expression->kind, of->type);
    if (!value)
        return NULL;
    value->number = expression->number;
    if (expression->kind == OPEVO_EXPR_WHOLE)
        value->whole = whole(&of->self->nest->atoms, expression->index, of->axis);
    if (expression->left)
        value->left = build(of, expression->left);
    if (expression->right)
        value->right = build(of, expression->right);
    if (expression->condition)
        value->condition = build_condition(of, expression->condition);
    return value;
}

static const opevo_i_value *build_stage(opevo_i_pipeline_lowering *self, opevo_i_leaf *leaf,
                                        int key, const opevo_i_affine *value)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    opevo_element type = opevo_i_pipeline_type(self, key);
    opevo_i_affine axis[OPEVO_I_AXES + 1];

    if (stage->kind == OPEVO_STAGE_DEFINED) {
        const opevo_definition *definition = set_axes(self, key, value, axis);

        return build(&(builder){self, leaf, type, stage, axis}, definition->value);
    }
    source_index(stage, value, axis);
    return build_element(self, leaf, type, stage->source, axis);
}

/* ---- Statements that have a shorter form ---- */

/* Add what a condition on whole numbers says, where it is an AND of comparisons; false, with
 * `guards` as before, where it is not. */
static bool add_condition(const opevo_i_pipeline_lowering *self, opevo_i_guards *guards,
                          const opevo_i_condition *condition)
{
    const opevo_i_atoms *atoms = &self->nest->atoms;
    opevo_i_guards old = *guards;
    opevo_i_affine value = condition->whole;
    int64_t least = -FAR;
    int64_t limit = condition->kind == OPEVO_COND_LESS ? 0 : 1;
    int64_t shift = value.constant;

    if (condition->kind == OPEVO_COND_AND) {
        if (add_condition(self, guards, condition->left) &&
            add_condition(self, guards, condition->right))
            return true;
        *guards = old;
        return false;
    }
    if (!condition->is_whole || condition->kind == OPEVO_COND_OR ||
        condition->kind == OPEVO_COND_NOT_EQUAL)
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
        opevo_i_guard *one = &guards->item[i];

        if (!opevo_i_affine_equal(&one->value, &value))
            continue;
        one->least = least > one->least ? least : one->least;
        one->limit = limit < one->limit ? limit : one->limit;
        return true;
    }
    return opevo_i_guards_add(atoms, guards, &value, least, limit);
}

static bool is_zero(const opevo_i_value *value)
{
    return value->kind == OPEVO_EXPR_NUMBER && value->number == 0;
}

/* Take off selects that are 0 unless whole numbers are in range. */
static const opevo_i_value *strip(const opevo_i_pipeline_lowering *self, opevo_i_guards *guards,
                                  const opevo_i_value *value)
{
    while (value->kind == OPEVO_EXPR_SELECT && is_zero(value->right) &&
           add_condition(self, guards, value->condition))
        value = value->left;
    return value;
}

/* The factors of a product of elements in one type, each 0 unless in range; -1 where the value is no such product. */
static int find_product(const opevo_i_pipeline_lowering *self, opevo_i_guards *guards,
                        const opevo_i_value *value, opevo_element type, int *read, int count)
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
                        opevo_i_leaf *leaf)
{
    int read[OPEVO_I_FACTORS];
    opevo_i_guards guards = leaf->keep;
    int count = find_product(self, &guards, leaf->value, type, read, 0);
    opevo_i_access factor[OPEVO_I_FACTORS];

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

static void shorten_store(const opevo_i_pipeline_lowering *self, opevo_i_leaf *leaf)
{
    opevo_i_guards guards = {0};
    const opevo_i_value *value = strip(self, &guards, leaf->value);

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

/* Loops that were split unevenly run too far. */
static void add_bounds(opevo_i_pipeline_lowering *self, int key, opevo_i_guards *guards)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_affine *value = self->part[key]->value;
    bool fit = true;

    for (int a = 0; a < stage->own.axes; a++)
        fit &=
            opevo_i_guards_add(&self->nest->atoms, guards, &value[a], 0, stage->own.axis_extent[a]);
    if (stage->map) {
        opevo_i_affine axis[OPEVO_I_AXES];
        const opevo_definition *definition = set_axes(self, key, value, axis);

        for (int a = 0; a < definition->axes; a++)
            fit &= opevo_i_guards_add(&self->nest->atoms, guards, &axis[a], 0,
                                      definition->axis[a].extent);
    }
    if (!fit)
        OPEVO_I_REFUSE(self, LIMIT, "A statement would need more than %d conditions.",
                       OPEVO_I_GUARDS);
}

void opevo_i_pipeline_leaf(opevo_i_pipeline_lowering *self, int key, opevo_i_leaf *out)
{
    opevo_reducer reducer = opevo_i_pipeline_reducer(self, key);

    *out = (opevo_i_leaf){.keep = self->part[key]->bound};
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
