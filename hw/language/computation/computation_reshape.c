/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reshaping computations. First it is found which dimension of each tensor and which axis of each
 * definition takes part, from the given one on until nothing more follows; then everything is
 * copied, with the indices rewritten. */

#include "computation_reshape_internal.h"

#include <opevo/computation_reshape.h>
#include <opevo/memory.h>

/* ---- Indices ---- */

/* The axis that an index is, beside axes of extent 1; OPEVO_I_UNSHAPED where it is anything
 * else. */
static int axis_of(const opevo_definition *definition, const opevo_affine *index)
{
    int found = OPEVO_I_UNSHAPED;

    if (index->constant)
        return OPEVO_I_UNSHAPED;
    for (int i = 0; i < index->count; i++) {
        const opevo_term *term = &index->term[i];

        if (term->atom != OPEVO_ATOM_AXIS)
            return OPEVO_I_UNSHAPED;
        if (definition->axis[term->axis].extent == 1)
            continue;
        if (found != OPEVO_I_UNSHAPED || term->factor != 1)
            return OPEVO_I_UNSHAPED;
        found = term->axis;
    }
    return found;
}

/* Note an axis or a dimension that takes part; false where another one does. */
static bool note(opevo_i_comp_reshaper *self, int *where, int what)
{
    if (*where == what)
        return true;
    if (*where != OPEVO_I_UNSHAPED)
        return false;
    *where = what;
    self->changed = true;
    return true;
}

static bool is_spatial(const opevo_i_comp_reshaper *self, const opevo_definition *definition,
                       int axis)
{
    return axis + (self->length == 0) < definition->spatial;
}

static void note_axis(opevo_i_comp_reshaper *self, const opevo_tensor *read, int axis)
{
    opevo_i_comp_shaped *own = &self->tensor[self->own];

    if (!note(self, &own->axis, axis) ||
        (is_spatial(self, self->definition, axis) && !note(self, &own->dim, axis)))
        self->bad = read;
}

/* ---- What merges ---- */

/* The first of two neighbouring dimensions that are read along two neighbouring axes, all of both;
 * the axes do not occur elsewhere in the read. */
static int merging_dim(const opevo_definition *definition, const opevo_expression *read, int axis)
{
    const opevo_tensor *tensor = read->tensor;
    int found = OPEVO_I_UNSHAPED;

    for (int d = 0; d < tensor->dims; d++) {
        if (!opevo_i_comp_whole_uses(&read->index[d], axis) &&
            !opevo_i_comp_whole_uses(&read->index[d], axis + 1))
            continue;
        if (found == OPEVO_I_UNSHAPED && d + 1 < tensor->dims &&
            axis_of(definition, &read->index[d]) == axis &&
            axis_of(definition, &read->index[d + 1]) == axis + 1 &&
            tensor->extent[d] == definition->axis[axis].extent &&
            tensor->extent[d + 1] == definition->axis[axis + 1].extent)
            found = d++;
        else
            return OPEVO_I_UNSHAPED;
    }
    return found;
}

static bool uses_either(const opevo_expression *read, int axis)
{
    for (int d = 0; d < read->tensor->dims; d++) {
        if (opevo_i_comp_whole_uses(&read->index[d], axis) ||
            opevo_i_comp_whole_uses(&read->index[d], axis + 1))
            return true;
    }
    return false;
}

static void look_at_merging(void *context, const opevo_expression *read)
{
    opevo_i_comp_reshaper *self = context;
    opevo_i_comp_shaped *tensor = &self->tensor[read->tensor->number];
    const opevo_definition *definition = self->definition;
    int axis = self->tensor[self->own].axis;

    if (tensor->dim != OPEVO_I_UNSHAPED) {
        int first = axis_of(definition, &read->index[tensor->dim]);

        if (first == OPEVO_I_UNSHAPED || first + 1 >= definition->axes ||
            (first < definition->spatial) != (first + 1 < definition->spatial) ||
            merging_dim(definition, read, first) != tensor->dim)
            self->bad = read->tensor;
        else
            note_axis(self, read->tensor, first);
    } else if (axis != OPEVO_I_UNSHAPED && uses_either(read, axis)) {
        int dim = merging_dim(definition, read, axis);

        if (dim == OPEVO_I_UNSHAPED || !note(self, &tensor->dim, dim) ||
            (read->tensor->definition && !note(self, &tensor->axis, dim)))
            self->bad = read->tensor;
    }
}

/* ---- What is divided ---- */

/* A definition that reads what is divided has the same axis. */
static void look_at_dividing(void *context, const opevo_expression *read)
{
    opevo_i_comp_reshaper *self = context;
    const opevo_i_comp_shaped *tensor = &self->tensor[read->tensor->number];
    const opevo_definition *definition = self->definition;
    int axis = OPEVO_I_UNSHAPED;

    if (tensor->dim == OPEVO_I_UNSHAPED)
        return;
    axis = axis_of(definition, &read->index[tensor->dim]);
    if (axis == OPEVO_I_UNSHAPED ||
        definition->axis[axis].extent != read->tensor->extent[tensor->dim])
        self->bad = read->tensor;
    else
        note_axis(self, read->tensor, axis);
}

/* The dimension of an input that all reads have along the divided axis; OPEVO_I_UNSHAPED without
 * one. */
typedef struct common_dim {
    const opevo_i_comp_reshaper *self;
    const opevo_tensor *tensor;
    const opevo_definition *definition;
    int axis, dim;
    bool any, fails;
} common_dim;

static void look_for_common(void *context, const opevo_expression *read)
{
    common_dim *common = context;
    int found = OPEVO_I_UNSHAPED;

    if (read->tensor != common->tensor)
        return;
    for (int d = 0; d < read->tensor->dims && common->axis != OPEVO_I_UNSHAPED; d++) {
        if (axis_of(common->definition, &read->index[d]) == common->axis &&
            read->tensor->extent[d] == common->definition->axis[common->axis].extent &&
            found == OPEVO_I_UNSHAPED)
            found = d;
    }
    common->fails |= found == OPEVO_I_UNSHAPED || (common->any && found != common->dim);
    common->any = true;
    common->dim = found;
}

static void divide_inputs(opevo_i_comp_reshaper *self)
{
    for (int i = 0; i < self->from->tensors; i++) {
        common_dim common = {
            .self = self, .tensor = self->from->tensor[i], .dim = OPEVO_I_UNSHAPED};

        for (int r = 0; r < common.tensor->readers && !common.tensor->definition; r++) {
            const opevo_tensor *reader = common.tensor->reader[r];

            common.definition = reader->definition;
            common.axis = self->tensor[reader->number].axis;
            opevo_i_comp_walk_reads(reader->definition->value, look_for_common, &common);
        }
        if (common.any && !common.fails && common.tensor->dims < OPEVO_COMPUTATION_DIMS)
            self->tensor[i].dim = common.dim;
    }
}

/* ---- From one dimension to all ---- */

static void spread(opevo_i_comp_reshaper *self)
{
    do {
        self->changed = false;
        for (int i = 0; i < self->from->tensors && !self->bad; i++) {
            self->definition = self->from->tensor[i]->definition;
            self->own = i;
            if (self->definition)
                opevo_i_comp_walk_reads(self->definition->value,
                                        self->length ? look_at_dividing : look_at_merging, self);
        }
    } while (self->changed && !self->bad);
    if (self->length && !self->bad)
        divide_inputs(self);
}

/* ---- Everything ---- */

static opevo_status reshape(opevo_i_comp_reshaper *self, int tensor, int dim,
                            opevo_computation **out, opevo_error *err)
{
    const opevo_computation *from = self->from;
    const opevo_tensor **list = NULL;
    opevo_status status = OPEVO_OK;

    self->tensor = opevo_calloc((size_t)from->tensors, sizeof *self->tensor);
    self->name = opevo_calloc((size_t)from->tensors, sizeof *self->name);
    list =
        opevo_i_comp_arena_take(&self->arena, (size_t)from->tensors * sizeof(const opevo_tensor *));
    OPEVO_NEED(self->tensor && self->name && list, "a computation");
    for (int i = 0; i < from->tensors; i++)
        self->tensor[i] = (opevo_i_comp_shaped){OPEVO_I_UNSHAPED, OPEVO_I_UNSHAPED, NULL};
    self->tensor[tensor].dim = self->tensor[tensor].axis = dim;
    spread(self);
    for (int i = 0; i < from->tensors && !self->bad && self->length; i++) {
        const opevo_tensor *one = from->tensor[i];

        if (one->definition && self->tensor[i].axis != OPEVO_I_UNSHAPED &&
            (one->definition->axes == OPEVO_COMPUTATION_AXES ||
             one->dims == OPEVO_COMPUTATION_DIMS))
            self->bad = one;
    }
    if (!self->bad)
        OPEVO_TRY(opevo_i_comp_reshape_copy(self, list, err));
    if (self->bad || self->alone) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "The dimensions of %s cannot be %s, because of %s.",
                            from->tensor[tensor]->name, self->length ? "divided" : "merged",
                            self->bad ? self->bad->name : "an axis that is used by itself");
        goto cleanup;
    }
    *out = opevo_i_comp_create(&self->arena, list, from->tensors);
    if (!*out)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a computation.");
cleanup:
    opevo_i_comp_arena_free(&self->arena);
    opevo_free(self->tensor);
    opevo_free(self->name);
    return status;
}

static opevo_status check_dim(const opevo_computation *computation, int tensor, int dim, int count,
                              opevo_error *err)
{
    if (tensor < 0 || tensor >= computation->tensors || !computation->tensor[tensor]->definition ||
        dim < 0 || dim + count > computation->tensor[tensor]->dims)
        return OPEVO_FAIL(err, OPEVO_INVALID, "No definition has such a dimension.");
    return OPEVO_OK;
}

opevo_status opevo_computation_merge(const opevo_computation *computation, int tensor, int dim,
                                     opevo_computation **out, opevo_error *err)
{
    opevo_i_comp_reshaper self = {.from = computation};
    opevo_status status = check_dim(computation, tensor, dim, 2, err);

    return status == OPEVO_OK ? reshape(&self, tensor, dim, out, err) : status;
}

opevo_status opevo_computation_divide(const opevo_computation *computation, int tensor, int dim,
                                      int64_t length, opevo_computation **out, opevo_error *err)
{
    opevo_i_comp_reshaper self = {.from = computation, .length = length};
    opevo_status status = check_dim(computation, tensor, dim, 1, err);

    if (status == OPEVO_OK && (length < 1 || computation->tensor[tensor]->extent[dim] % length))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%lld does not divide dimension %d of %s.",
                          (long long)length, dim, computation->tensor[tensor]->name);
    return status == OPEVO_OK ? reshape(&self, tensor, dim, out, err) : status;
}
