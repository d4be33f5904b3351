/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How definitions read each other. */

#include "computation_internal.h"

#include <opevo/computation_access.h>

#include <opevo/memory.h>

/* The spatial axis that an index is, plus a constant; -1 for others. */
static int shifted_axis(const opevo_definition *definition, const opevo_affine *index)
{
    const opevo_term *term = index->term;
    bool shifted = index->count == 1 && term->factor == 1 && term->atom == OPEVO_ATOM_AXIS &&
                   term->axis < definition->spatial;

    return shifted ? term->axis : -1;
}

/* ---- One pair of tensors ---- */

typedef struct observer {
    const opevo_definition *definition;
    const opevo_tensor *read;
    opevo_access access;
    bool found;
    int common; /* leading dimensions that all reads have at their place */
} observer;

static void observe_indices(observer *self, const opevo_expression *read)
{
    int uses[OPEVO_COMPUTATION_AXES] = {0};
    int last = 0;

    for (int d = 0; d < read->tensor->dims; d++) {
        int axis = shifted_axis(self->definition, &read->index[d]);

        if (read->index[d].count == 0)
            continue;
        if (axis < 0) {
            self->access.simple = false;
            return;
        }
        self->access.same_order &= axis >= last;
        last = axis;
        uses[axis]++;
    }
    for (int a = 0; a < self->definition->spatial; a++) {
        self->access.axis_missing |= uses[a] == 0;
        self->access.axis_duplicated |= uses[a] > 1;
    }
}

static void observe(void *context, const opevo_expression *read)
{
    observer *self = context;

    if (read->tensor != self->read)
        return;
    self->found = true;
    observe_indices(self, read);
    for (int d = 0; d < self->common; d++) {
        if (shifted_axis(self->definition, &read->index[d]) != d)
            self->common = d;
    }
}

static bool look(const opevo_tensor *reader, const opevo_tensor *read, observer *out)
{
    int common = 0;

    if (!reader->definition)
        return false;
    while (common < reader->dims && common < read->dims &&
           reader->extent[common] == read->extent[common])
        common++;
    *out = (observer){.definition = reader->definition,
                      .read = read,
                      .access = {.simple = true, .same_order = true},
                      .common = common};
    opevo_i_comp_walk_reads(reader->definition->value, observe, out);
    if (!out->access.simple)
        out->access = (opevo_access){0};
    return out->found;
}

bool opevo_tensor_access(const opevo_tensor *reader, const opevo_tensor *read, opevo_access *out)
{
    observer self;

    if (!look(reader, read, &self))
        return false;
    *out = self.access;
    return true;
}

void opevo_expression_reads(const opevo_expression *expression, opevo_read_function each,
                            void *context)
{
    opevo_i_comp_walk_reads(expression, each, context);
}

/* ---- One definition ---- */

static bool is_cheap(const opevo_expression *expression)
{
    if (expression->kind == OPEVO_EXPR_SELECT || expression->kind == OPEVO_EXPR_EXP ||
        expression->kind >= OPEVO_EXPR_TANH)
        return false;
    return (!expression->left || is_cheap(expression->left)) &&
           (!expression->right || is_cheap(expression->right));
}

bool opevo_tensor_is_strictly_inlineable(const opevo_tensor *tensor)
{
    const opevo_definition *definition = tensor->definition;

    if (!definition || definition->reducer != OPEVO_REDUCER_NONE)
        return false;
    if (tensor->producers == 0)
        return true;
    for (int p = 0; p < tensor->producers; p++) {
        opevo_access access = {0};

        opevo_tensor_access(tensor, tensor->producer[p], &access);
        if (!access.simple || !access.same_order || access.axis_duplicated)
            return false;
    }
    return is_cheap(definition->value);
}

unsigned opevo_affine_axes(const opevo_affine *affine)
{
    unsigned axes = 0;

    for (int i = 0; i < affine->count; i++)
        axes |= affine->term[i].atom == OPEVO_ATOM_AXIS ? 1U << affine->term[i].axis
                                                        : opevo_affine_axes(affine->term[i].inner);
    return axes;
}

/* Canonical forms are equal exactly where the integers are written alike. */
static bool same_whole(const opevo_affine *a, const opevo_affine *b)
{
    bool same = a->constant == b->constant && a->count == b->count;

    for (int i = 0; i < a->count && same; i++) {
        const opevo_term *x = &a->term[i], *y = &b->term[i];

        same = x->factor == y->factor && x->atom == y->atom;
        if (same && x->atom == OPEVO_ATOM_AXIS)
            same = x->axis == y->axis;
        else if (same)
            same = x->divisor == y->divisor && same_whole(x->inner, y->inner);
    }
    return same;
}

bool opevo_reads_same_element(const opevo_expression *a, const opevo_expression *b)
{
    bool same = a->tensor == b->tensor;

    for (int d = 0; same && d < a->tensor->dims; d++)
        same = same_whole(&a->index[d], &b->index[d]);
    return same;
}

typedef struct collector {
    const opevo_tensor *read;
    unsigned axes;
} collector;

static void collect(void *context, const opevo_expression *read)
{
    collector *self = context;

    for (int d = 0; d < read->tensor->dims && read->tensor == self->read; d++)
        self->axes |= opevo_affine_axes(&read->index[d]);
}

bool opevo_tensor_needs_tiling(const opevo_tensor *tensor)
{
    const opevo_definition *definition = tensor->definition;
    int missing = 0;

    for (int p = 0; p < tensor->producers; p++) {
        collector seen = {.read = tensor->producer[p]};
        bool lacks = false;

        opevo_i_comp_walk_reads(definition->value, collect, &seen);
        for (int a = 0; a < definition->spatial; a++)
            lacks |= definition->axis[a].extent > 1 && !(seen.axes >> a & 1);
        missing += lacks;
    }
    return missing >= 2 || (missing && definition->reducer != OPEVO_REDUCER_NONE);
}

/* ---- Chains ---- */

static bool same_shape(const opevo_tensor *a, const opevo_tensor *b)
{
    bool same = a->dims == b->dims;

    for (int d = 0; d < a->dims && same; d++)
        same = a->extent[d] == b->extent[d];
    return same;
}

/* Whether index d is axis d, or its only value. */
static bool is_own_place(const opevo_affine *index, int d, int64_t extent)
{
    if (index->count == 0)
        return index->constant == 0 && extent == 1;
    return index->count == 1 && index->constant == 0 && index->term[0].factor == 1 &&
           index->term[0].atom == OPEVO_ATOM_AXIS && index->term[0].axis == d;
}

bool opevo_reads_own_place(const opevo_definition *reader, const opevo_expression *read)
{
    bool own = read->tensor->dims == reader->spatial;

    for (int d = 0; d < read->tensor->dims && own; d++)
        own = read->tensor->extent[d] == reader->axis[d].extent &&
              is_own_place(&read->index[d], d, read->tensor->extent[d]);
    return own;
}

bool opevo_tensor_matches_elementwise(const opevo_tensor *tensor, const opevo_tensor *target)
{
    for (const opevo_tensor *at = tensor; at != target; at = at->reader[0]) {
        opevo_access access = {0};

        if (at->readers != 1 || !same_shape(at, at->reader[0]))
            return false;
        opevo_tensor_access(at->reader[0], at, &access);
        if (!access.simple || access.axis_missing || access.axis_duplicated || !access.same_order)
            return false;
    }
    return true;
}

opevo_status opevo_tensor_common_outer(const opevo_computation *computation,
                                       const opevo_tensor *tensor, const opevo_tensor *target,
                                       int *out, opevo_error *err)
{
    int *least = opevo_malloc((size_t)computation->tensors, sizeof *least); /* -1: no path */

    OPEVO_NEED_OR_RETURN(least, "a computation");
    for (int i = 0; i < computation->tensors; i++)
        least[i] = i == tensor->number ? tensor->dims : -1;
    for (int i = tensor->number; i < target->number; i++) {
        const opevo_tensor *at = computation->tensor[i];

        for (int r = 0; r < at->readers && least[i] >= 0; r++) {
            int number = at->reader[r]->number;
            observer pair;
            int common =
                look(at->reader[r], at, &pair) && pair.common < least[i] ? pair.common : least[i];

            if (least[number] < 0 || common < least[number])
                least[number] = common;
        }
    }
    *out = least[target->number] < 0 ? 0 : least[target->number];
    opevo_free(least);
    return OPEVO_OK;
}
