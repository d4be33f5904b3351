/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The computation of two products by rows, with rows as the last dimension of all that lies between
 * them. */

#include "computation_rows_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* Tensors are known by their numbers: what takes the place of one has its number. */
typedef struct turner {
    opevo_i_comp_rows rows;
    opevo_i_comp_arena arena;
    const opevo_expression *scaled,
        *scale; /* scores with a factor, and that: one of its operands */
    const opevo_expression *numerator, *divisor; /* of the weights, which are their quotient */
    const opevo_tensor *reader;                  /* whose definition is copied */
    const opevo_expression *across;              /* a read of an input whose rows lie apart */
    const opevo_tensor *copy;
    const opevo_tensor *list[OPEVO_ROWS_TENSORS + 3];
    int count;
} turner;

/* ---- What moves ------------------------------------------------------------------------------ */

typedef struct count {
    const opevo_tensor *tensor;
    int reads;
} count;

static void count_read(void *context, const opevo_expression *read)
{
    count *self = context;

    self->reads += read->tensor == self->tensor;
}

static int reads_of(const turner *self, const opevo_tensor *tensor)
{
    count all = {.tensor = tensor};

    for (int t = 0; t < self->rows.from->tensors; t++)
        if (self->rows.from->tensor[t]->definition)
            opevo_expression_reads(self->rows.from->tensor[t]->definition->value, count_read, &all);
    return all.reads;
}

static bool is_constant(const opevo_expression *value)
{
    if (value->kind == OPEVO_EXPR_NUMBER)
        return true;
    for (int d = 0; value->kind == OPEVO_EXPR_READ && d < value->tensor->dims; d++)
        if (value->index[d].count)
            return false;
    return value->kind == OPEVO_EXPR_READ && value->tensor->role == OPEVO_ROLE_CONSTANT;
}

/* Scores that are read once, with a constant factor or divisor. */
static void find_scale(turner *self, const opevo_expression *value)
{
    bool divides = false;

    if (!value || self->scaled)
        return;
    divides = value->kind == OPEVO_EXPR_DIVIDE;
    if (divides || value->kind == OPEVO_EXPR_MULTIPLY) {
        const opevo_expression *left = value->left, *right = value->right;
        bool first = left->kind == OPEVO_EXPR_READ && left->tensor == self->rows.scores;
        bool second =
            !divides && right->kind == OPEVO_EXPR_READ && right->tensor == self->rows.scores;

        if ((first && is_constant(right)) || (second && is_constant(left))) {
            self->scaled = value;
            self->scale = first ? right : left;
            return;
        }
    }
    find_scale(self, value->left);
    find_scale(self, value->right);
}

/* Weights that are a quotient, whose divisor is the same for all terms of a row, are not divided;
 * their sums are. */
static void find_quotient(turner *self)
{
    const opevo_i_comp_rows *rows = &self->rows;
    const opevo_tensor *weight = rows->weight->tensor;
    const opevo_expression *value = weight->definition->value;

    if (weight->definition->reducer != OPEVO_REDUCER_NONE || value->kind != OPEVO_EXPR_DIVIDE ||
        value->left->kind != OPEVO_EXPR_READ || value->right->kind != OPEVO_EXPR_READ ||
        !value->left->tensor->definition || !value->right->tensor->definition ||
        !opevo_reads_own_place(weight->definition, value->left) || reads_of(self, weight) != 1)
        return;
    for (int d = 0; d < value->right->tensor->dims; d++) {
        const opevo_affine *index = &value->right->index[d];

        if (index->count && (rows->weight->index[index->term[0].axis].count == 0 ||
                             rows->weight->index[index->term[0].axis].term[0].axis >=
                                 rows->product->definition->spatial))
            return;
    }
    self->numerator = value->left;
    self->divisor = value->right;
}

/* ---- Order of axes --------------------------------------------------------------------------- */

/* Where an axis of a definition, or a dimension of its tensor, comes to be. */
static int place_of(const turner *self, const opevo_tensor *tensor, int axis)
{
    int row = 0;

    if (!tensor->definition || !opevo_i_comp_rows_turns(&self->rows, tensor))
        return axis;
    row = opevo_i_comp_rows_axis(&self->rows, tensor);
    if (axis >= tensor->definition->spatial || axis < row)
        return axis;
    return axis == row ? tensor->definition->spatial - 1 : axis - 1;
}

static const opevo_affine *turn_whole(void *context, const opevo_affine *from)
{
    turner *self = context;
    opevo_affine *made = opevo_i_comp_arena_copy(&self->arena, from, sizeof *made);
    opevo_term *term = NULL;

    if (!made)
        return NULL;
    term = opevo_i_comp_arena_copy(&self->arena, from->term, (size_t)from->count * sizeof *term);
    if (from->count && !term)
        return NULL;
    made->term = term;
    for (int i = 0; i < from->count; i++) {
        if (term[i].atom == OPEVO_ATOM_AXIS)
            term[i].axis = place_of(self, self->reader, term[i].axis);
        else
            term[i].inner = turn_whole(self, term[i].inner);
    }
    return made;
}

/* A read of a tensor at these indices of the definition that is copied. */
static opevo_expression *turn_to(turner *self, const opevo_tensor *tensor,
                                 const opevo_affine *index)
{
    opevo_expression *made = opevo_i_comp_arena_take(&self->arena, sizeof *made);
    opevo_affine *turned =
        opevo_i_comp_arena_take(&self->arena, (size_t)(tensor->dims + 1) * sizeof *turned);

    if (!made || !turned)
        return NULL;
    for (int d = 0; d < tensor->dims; d++) {
        const opevo_affine *one = turn_whole(self, &index[d]);

        if (!one)
            return NULL;
        turned[place_of(self, tensor, d)] = *one;
    }
    *made = (opevo_expression){.kind = OPEVO_EXPR_READ, .tensor = tensor, .index = turned};
    return made;
}

/* ---- Definitions ----------------------------------------------------------------------------- */

static const opevo_expression *turn_read(void *context, const opevo_expression *read)
{
    turner *self = context;
    bool divided = read == self->rows.weight && self->numerator;

    return turn_to(self, divided ? self->numerator->tensor : read->tensor, read->index);
}

/* The scores without the factor that they had. */
static void leave_out(void *context, opevo_expression *made)
{
    turner *self = context;
    const opevo_expression *left = made->left, *right = made->right;

    if (!self->scaled || made->kind != self->scaled->kind || !left || !right)
        return;
    if (left->kind == OPEVO_EXPR_READ && left->tensor == self->rows.scores)
        *made = *left;
    else if (right->kind == OPEVO_EXPR_READ && right->tensor == self->rows.scores)
        *made = *right;
}

static const opevo_expression *turn_value(turner *self, const opevo_expression *from)
{
    const opevo_i_comp_mapping mapping = {.arena = &self->arena,
                                          .context = self,
                                          .read = turn_read,
                                          .whole = turn_whole,
                                          .finish = leave_out};

    return opevo_i_comp_map_expression(&mapping, from);
}

static opevo_tensor *turn_tensor(turner *self, const opevo_tensor *from)
{
    opevo_tensor *made = opevo_i_comp_arena_copy(&self->arena, from, sizeof *made);
    opevo_definition *definition =
        from->definition
            ? opevo_i_comp_arena_copy(&self->arena, from->definition, sizeof *definition)
            : NULL;

    if (!made || !definition)
        return made;
    self->reader = from;
    for (int a = 0; a < from->definition->axes; a++)
        definition->axis[place_of(self, from, a)] = from->definition->axis[a];
    for (int d = 0; d < made->dims; d++) {
        made->dim_name[d] = definition->axis[d].name;
        made->extent[d] = definition->axis[d].extent;
    }
    definition->value = turn_value(self, from->definition->value);
    made->definition = definition;
    return made;
}

/* A name that no tensor has. */
static const char *new_name(turner *self, const char *prefix)
{
    char name[OPEVO_COMPUTATION_NAME + 1];
    int number = 0;

    do
        snprintf(name, sizeof name, "%s%d", prefix, number++);
    while (opevo_computation_find(self->rows.from, name));
    return opevo_i_comp_arena_copy(&self->arena, name, strlen(name) + 1);
}

/* The read of a tensor of the same axes at the own place of a definition. */
static opevo_expression *read_own_place(turner *self, const opevo_tensor *tensor)
{
    opevo_expression *made = opevo_i_comp_arena_take(&self->arena, sizeof *made);
    opevo_affine *index =
        opevo_i_comp_arena_take(&self->arena, (size_t)(tensor->dims + 1) * sizeof *index);

    for (int d = 0; d < tensor->dims && index; d++) {
        opevo_term *term = opevo_i_comp_arena_take(&self->arena, sizeof *term);

        if (!term)
            return NULL;
        *term = (opevo_term){.factor = 1, .atom = OPEVO_ATOM_AXIS, .axis = d};
        index[d] = (opevo_affine){.count = 1, .term = term};
    }
    if (made && index)
        *made = (opevo_expression){.kind = OPEVO_EXPR_READ, .tensor = tensor, .index = index};
    return index ? made : NULL;
}

/* The divisor of the weights, read for a row of the second product. */
static const opevo_expression *read_divisor(turner *self)
{
    const opevo_expression *read = self->divisor;
    opevo_affine *index = opevo_i_comp_arena_copy(&self->arena, read->index,
                                                  (size_t)read->tensor->dims * sizeof *index);

    for (int d = 0; d < read->tensor->dims && index; d++)
        if (index[d].count)
            index[d] = self->rows.weight->index[index[d].term[0].axis];
    return index ? turn_to(self, read->tensor, index) : NULL;
}

/* A tensor under another name, and what takes its place: (tensor `kind` right), or the same without
 * `right`. */
static bool add_after(turner *self, const opevo_tensor *from, const char *prefix,
                      opevo_expression_kind kind, const opevo_expression *right)
{
    opevo_tensor *turned = turn_tensor(self, from);
    opevo_tensor *result = NULL;
    opevo_definition *definition = NULL;
    opevo_expression *value = opevo_i_comp_arena_take(&self->arena, sizeof *value);

    if (!turned || !turned->definition || !value)
        return false;
    result = opevo_i_comp_arena_copy(&self->arena, turned, sizeof *result);
    definition = opevo_i_comp_arena_copy(&self->arena, turned->definition, sizeof *definition);
    turned->name = new_name(self, prefix);
    turned->role = OPEVO_ROLE_INTERMEDIATE;
    turned->number = self->rows.from->tensors + self->count;
    if (!result || !definition || !turned->name)
        return false;
    definition->axes = definition->spatial;
    definition->reducer = OPEVO_REDUCER_NONE;
    definition->value = read_own_place(self, turned);
    *value = (opevo_expression){.kind = kind, .left = definition->value, .right = right};
    if (right)
        definition->value = value;
    result->definition = definition;
    self->list[self->count++] = turned;
    self->list[self->count++] = result;
    return true;
}

/* ---- The whole ------------------------------------------------------------------------------- */

static opevo_status turn(turner *self, opevo_computation **out, opevo_error *err)
{
    const opevo_computation *from = self->rows.from;
    bool made = true;

    for (int t = 0; t < from->tensors && made; t++) {
        const opevo_tensor *tensor = from->tensor[t];

        if (tensor == self->rows.product)
            made = add_after(self, tensor, "O", OPEVO_EXPR_DIVIDE,
                             self->numerator ? read_divisor(self) : NULL);
        else if (tensor == self->rows.query->tensor && self->scaled)
            made = add_after(self, tensor, "Q", self->scaled->kind, turn_value(self, self->scale));
        else if (!self->numerator || tensor != self->rows.weight->tensor)
            made = (self->list[self->count++] = turn_tensor(self, tensor)) != NULL;
    }
    if (!made || self->arena.failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a computation.");
    return opevo_i_comp_rebuild(&(opevo_computation){.tensors = self->count, .tensor = self->list},
                                "rows", out, err);
}

/* ---- Copies with rows last ------------------------------------------------------------------- */

/* Whether neighbouring rows of an input lie apart. */
static bool is_across(const opevo_expression *read, int row)
{
    int d = read->tensor->dims - 1;
    bool has_rows = false;

    while (d >= 0 && read->tensor->extent[d] == 1)
        d--;
    for (int i = 0; i < d; i++)
        has_rows |= opevo_affine_axes(&read->index[i]) >> row & 1;
    return has_rows && opevo_affine_axes(&read->index[d]) != 1U << row;
}

static void look_at_read(void *context, const opevo_expression *read)
{
    turner *self = context;
    bool is_query = read == self->rows.query;
    bool plain = true;

    if (self->across || read->tensor->definition)
        return;
    for (int d = 0; d < read->tensor->dims; d++)
        plain &= opevo_i_comp_is_axis(&read->index[d]) ||
                 (read->index[d].count == 0 && read->tensor->extent[d] == 1);
    if (is_query ||
        (plain && read->tensor->role == OPEVO_ROLE_INPUT && self->reader != self->rows.scores &&
         is_across(read, opevo_i_comp_rows_axis(&self->rows, self->reader))))
        self->across = read;
}

/* The operand of the first product that has rows, or one of what is made of the scores whose rows
 * lie apart; *reader reads it. */
static const opevo_tensor *find_across(turner *self)
{
    for (int t = 0; t < self->rows.from->tensors; t++) {
        self->reader = self->rows.from->tensor[t];
        if (self->rows.ahead[t])
            opevo_expression_reads(self->reader->definition->value, look_at_read, self);
        if (self->across)
            return self->reader;
    }
    return NULL;
}

static const opevo_expression *copy_read(void *context, const opevo_expression *read)
{
    turner *self = context;
    opevo_expression *made = opevo_i_comp_arena_copy(&self->arena, read, sizeof *made);

    if (made && read == self->across)
        made->tensor = self->copy;
    return made;
}

/* The definition that copies the input, of axes of its own. */
static bool make_copy(turner *self)
{
    opevo_tensor *copy = opevo_i_comp_arena_copy(&self->arena, self->across->tensor, sizeof *copy);
    opevo_definition *of = opevo_i_comp_arena_take(&self->arena, sizeof *of);

    self->copy = copy;
    if (!copy || !of)
        return false;
    copy->name = new_name(self, "Q");
    copy->number = self->rows.from->tensors;
    copy->role = OPEVO_ROLE_INTERMEDIATE;
    copy->definition = of;
    of->axes = of->spatial = copy->dims;
    for (int d = 0; d < copy->dims; d++) {
        char name[32];

        snprintf(name, sizeof name, "u%d_%d", copy->number, d);
        copy->dim_name[d] = of->axis[d].name =
            opevo_i_comp_arena_copy(&self->arena, name, strlen(name) + 1);
        of->axis[d].extent = copy->extent[d];
    }
    of->value = read_own_place(self, self->across->tensor);
    return of->value != NULL;
}

/* With one input more that is read by way of a copy. */
static opevo_status add_copy(turner *self, const opevo_tensor *reader, opevo_computation **out,
                             opevo_error *err)
{
    const opevo_i_comp_mapping mapping = {
        .arena = &self->arena, .context = self, .read = copy_read};
    opevo_tensor *made = opevo_i_comp_arena_copy(&self->arena, reader, sizeof *made);
    opevo_definition *definition =
        opevo_i_comp_arena_copy(&self->arena, reader->definition, sizeof *definition);

    if (!made || !definition || !make_copy(self))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a computation.");
    definition->value = opevo_i_comp_map_expression(&mapping, reader->definition->value);
    made->definition = definition;
    for (int t = 0; t < self->rows.from->tensors; t++) {
        bool reads = self->rows.from->tensor[t] == reader;

        if (reads)
            self->list[self->count++] = self->copy;
        self->list[self->count++] = reads ? made : self->rows.from->tensor[t];
    }
    if (self->arena.failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a computation.");
    return opevo_i_comp_rebuild(&(opevo_computation){.tensors = self->count, .tensor = self->list},
                                "rows", out, err);
}

opevo_status opevo_computation_rows(const opevo_computation *from, opevo_computation **out,
                                    opevo_error *err)
{
    turner self = {.count = 0};
    const opevo_tensor *reader = NULL;
    opevo_computation *copied = NULL;
    opevo_status status = OPEVO_OK;

    if (!opevo_i_comp_rows_find(from, &self.rows))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "It is not two products, of which the second reads rows of the first.");
    reader = find_across(&self);
    if (reader) {
        OPEVO_TRY(add_copy(&self, reader, &copied, err));
        OPEVO_TRY(opevo_computation_rows(copied, out, err));
        goto cleanup;
    }
    if (reads_of(&self, self.rows.scores) == 1 && reads_of(&self, self.rows.query->tensor) == 1)
        for (int t = 0; t < from->tensors; t++)
            if (from->tensor[t]->definition)
                find_scale(&self, from->tensor[t]->definition->value);
    find_quotient(&self);
    OPEVO_TRY(turn(&self, out, err));
cleanup:
    opevo_computation_destroy(copied);
    opevo_i_comp_arena_free(&self.arena);
    return status;
}
