/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether a computation is two products in a row that can be computed by blocks of rows. */

#include "computation_rows_internal.h"

#include <string.h>

/* ---- Axes along which definitions read each other -------------------------------------------- */

static void rename_label(opevo_i_comp_rows *self, int from, int to)
{
    for (int t = 0; t < self->from->tensors; t++)
        for (int a = 0; a < OPEVO_COMPUTATION_AXES; a++)
            if (self->label[t][a] == from)
                self->label[t][a] = to;
}

static void unite(void *context, const opevo_expression *read)
{
    opevo_i_comp_rows *self = context;
    const int *own = self->label[self->reader->number];

    if (!read->tensor->definition)
        return;
    for (int d = 0; d < read->tensor->dims; d++) {
        const opevo_affine *index = &read->index[d];

        if (index->count == 0 && read->tensor->extent[d] == 1)
            continue;
        if (!opevo_i_comp_is_axis(index)) {
            self->plain = false;
            return;
        }
        rename_label(self, self->label[read->tensor->number][d], own[index->term[0].axis]);
    }
}

/* False where a definition reads another one in another way than at axes, or has two axes along
 * one. */
static bool find_labels(opevo_i_comp_rows *self)
{
    self->plain = true;
    for (int t = 0; t < self->from->tensors; t++)
        for (int a = 0; a < OPEVO_COMPUTATION_AXES; a++)
            self->label[t][a] = t * OPEVO_COMPUTATION_AXES + a;
    for (int t = 0; t < self->from->tensors && self->plain; t++) {
        self->reader = self->from->tensor[t];
        if (self->reader->definition)
            opevo_expression_reads(self->reader->definition->value, unite, self);
    }
    for (int t = 0; t < self->from->tensors && self->plain; t++) {
        const opevo_definition *definition = self->from->tensor[t]->definition;

        for (int a = 0; definition && a < definition->axes; a++)
            for (int b = 0; b < a; b++)
                self->plain &= self->label[t][a] != self->label[t][b];
    }
    return self->plain;
}

int opevo_i_comp_rows_axis(const opevo_i_comp_rows *self, const opevo_tensor *tensor)
{
    int label = self->label[self->product->number][self->row];

    for (int a = 0; tensor->definition && a < tensor->definition->spatial; a++)
        if (self->label[tensor->number][a] == label)
            return a;
    return -1;
}

/* ---- The two products ------------------------------------------------------------------------ */

static bool depends_on(const opevo_tensor *tensor, const bool *made)
{
    bool depends = false;

    for (int p = 0; p < tensor->producers; p++)
        depends |= made[tensor->producer[p]->number];
    return depends;
}

static bool is_read(const opevo_expression *value)
{
    return value && value->kind == OPEVO_EXPR_READ;
}

static bool is_product(const opevo_tensor *tensor)
{
    const opevo_definition *definition = tensor->definition;

    return definition && definition->reducer == OPEVO_REDUCER_SUM &&
           definition->value->kind == OPEVO_EXPR_MULTIPLY && is_read(definition->value->left) &&
           is_read(definition->value->right) &&
           definition->value->left->tensor != definition->value->right->tensor &&
           opevo_tensor_needs_tiling(tensor);
}

/* The only two products, and one output. */
static bool find_products(opevo_i_comp_rows *self)
{
    int products = 0;

    if (self->from->tensors < 1 || self->from->tensors > OPEVO_ROWS_TENSORS)
        return false;
    for (int t = 0; t < self->from->tensors; t++) {
        const opevo_tensor *tensor = self->from->tensor[t];

        if (tensor->element != OPEVO_FLOAT32 ||
            (tensor->role == OPEVO_ROLE_OUTPUT) != (t == self->from->tensors - 1))
            return false;
        if (!is_product(tensor)) {
            if (tensor->definition && opevo_tensor_needs_tiling(tensor) &&
                tensor->definition->reducer != OPEVO_REDUCER_NONE)
                return false;
            continue;
        }
        if (products++ == 0)
            self->scores = tensor;
        self->product = tensor;
    }
    return products == 2;
}

/* What is made of the scores, and of the second product; definitions behind that do not reduce. */
static bool find_order(opevo_i_comp_rows *self)
{
    bool second[OPEVO_ROWS_TENSORS] = {false};

    second[self->product->number] = true;
    for (int t = 0; t < self->from->tensors; t++) {
        const opevo_tensor *tensor = self->from->tensor[t];

        self->behind[t] = depends_on(tensor, self->behind) || depends_on(tensor, second);
        self->ahead[t] = !self->behind[t] && tensor != self->product &&
                         (tensor == self->scores || depends_on(tensor, self->ahead));
        if (self->behind[t] && tensor->definition->reducer != OPEVO_REDUCER_NONE)
            return false;
    }
    return true;
}

static unsigned axes_of(const opevo_expression *read)
{
    unsigned axes = 0;

    for (int d = 0; d < read->tensor->dims; d++)
        axes |= opevo_affine_axes(&read->index[d]);
    return axes;
}

/* The second product reads what is ahead as one operand; its rows are the last dimension of that
 * which is an axis of the result and not in the other operand. Its last axis is one of vectors. */
static bool find_weight(opevo_i_comp_rows *self)
{
    const opevo_definition *definition = self->product->definition;
    const opevo_expression *left = definition->value->left, *right = definition->value->right;
    bool first = self->ahead[left->tensor->number];

    self->weight = first ? left : right;
    self->value = first ? right : left;
    if (!self->ahead[self->weight->tensor->number] || self->ahead[self->value->tensor->number])
        return false;
    self->row = -1;
    for (int d = 0; d < self->weight->tensor->dims; d++) {
        int axis = self->weight->index[d].count ? self->weight->index[d].term[0].axis : -1;

        if (axis >= 0 && axis < definition->spatial && !(axes_of(self->value) >> axis & 1))
            self->row = axis;
    }
    return self->row >= 0 && definition->axis[self->row].extent >= OPEVO_ROWS_LEAST &&
           definition->axis[definition->spatial - 1].extent > 1;
}

static bool find_query(opevo_i_comp_rows *self)
{
    const opevo_expression *left = self->scores->definition->value->left;
    const opevo_expression *right = self->scores->definition->value->right;
    bool first = false;

    self->query_axis = opevo_i_comp_rows_axis(self, self->scores);
    if (self->query_axis < 0)
        return false;
    first = axes_of(left) >> self->query_axis & 1;
    self->query = first ? left : right;
    self->key = first ? right : left;
    return !(axes_of(self->key) >> self->query_axis & 1);
}

/* What is known before a run, in its order or another. */
static bool is_constant(const opevo_tensor *tensor)
{
    bool constant = tensor->role == OPEVO_ROLE_CONSTANT || tensor->definition;

    for (int p = 0; p < tensor->producers && constant; p++)
        constant = tensor->producer[p]->role == OPEVO_ROLE_CONSTANT;
    return constant;
}

/* Whether axes with this label are those of loops around a block. */
static bool is_outer(const opevo_i_comp_rows *self, int label)
{
    const opevo_definition *definition = self->product->definition;

    for (int d = 0; d < self->weight->tensor->dims; d++) {
        int axis = self->weight->index[d].count ? self->weight->index[d].term[0].axis : -1;

        if (axis >= 0 && axis < definition->spatial &&
            self->label[self->product->number][axis] == label)
            return true;
    }
    return false;
}

/* Sums over heads, say, would need the scores of all heads for each of them. */
static bool sums_outside(const opevo_i_comp_rows *self, const opevo_tensor *tensor)
{
    const opevo_definition *definition = tensor->definition;
    bool outside = false;

    for (int a = definition->spatial; a < definition->axes; a++)
        outside |= is_outer(self, self->label[tensor->number][a]);
    return outside;
}

/* Layers of a perceptron are two products in a row as well. Their weights are long rows, which are
 * packed, and of their rows nothing is summed between. */
static bool is_attention(const opevo_i_comp_rows *self)
{
    bool reduces = false;

    for (int t = 0; t < self->from->tensors; t++) {
        const opevo_tensor *tensor = self->from->tensor[t];

        if (!self->ahead[t] || tensor == self->scores ||
            tensor->definition->reducer == OPEVO_REDUCER_NONE)
            continue;
        if (sums_outside(self, tensor))
            return false;
        reduces = true;
    }
    return reduces && !is_constant(self->key->tensor) && !is_constant(self->value->tensor);
}

/* ---- All definitions ------------------------------------------------------------------------- */

/* What is not ahead or behind moves elements of inputs only, or has rows; and what is ahead or
 * behind has them. */
static bool fits(const opevo_i_comp_rows *self, const opevo_tensor *tensor)
{
    bool has_rows = opevo_i_comp_rows_axis(self, tensor) >= 0;

    if (self->ahead[tensor->number] || self->behind[tensor->number])
        return has_rows;
    return tensor->definition->reducer == OPEVO_REDUCER_NONE &&
           (has_rows || opevo_tensor_flop(tensor).count == 0);
}

bool opevo_i_comp_rows_find(const opevo_computation *from, opevo_i_comp_rows *out)
{
    bool found = false;

    memset(out, 0, sizeof *out);
    out->from = from;
    found = find_products(out) && find_order(out) && find_labels(out) && find_weight(out) &&
            find_query(out) && is_attention(out);
    for (int t = 0; t < from->tensors && found; t++)
        found = !from->tensor[t]->definition || from->tensor[t] == out->product ||
                fits(out, from->tensor[t]);
    return found;
}

/* ---- Blocks ---------------------------------------------------------------------------------- */

bool opevo_computation_row_blocks(const opevo_computation *computation, opevo_row_blocks *out)
{
    opevo_i_comp_rows rows;
    const opevo_tensor *last = NULL;

    if (!opevo_i_comp_rows_find(computation, &rows))
        return false;
    last = computation->tensor[computation->tensors - 1];
    if (last == rows.product || !rows.query->tensor->definition)
        return false;
    *out = (opevo_row_blocks){.row = opevo_i_comp_rows_axis(&rows, last)};
    for (int t = 0; t < computation->tensors; t++) {
        const opevo_definition *definition = computation->tensor[t]->definition;
        int row = opevo_i_comp_rows_axis(&rows, computation->tensor[t]);

        if (opevo_i_comp_rows_turns(&rows, computation->tensor[t]) &&
            row != definition->spatial - 1)
            return false;
        for (int a = 0; row >= 0 && a < definition->spatial; a++) {
            if (a == row || !is_outer(&rows, rows.label[t][a]))
                out->inside[t] |= 1U << a;
            if (computation->tensor[t] == last && is_outer(&rows, rows.label[t][a]))
                out->outer |= 1U << a;
        }
    }
    return true;
}
