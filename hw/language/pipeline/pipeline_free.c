/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Axes whose extents are arguments of kernels. An extent is free in all dimensions that it is of:
 * those of definitions by their axes, and those of inputs by the name that the text gives them; a
 * dimension with another name or none keeps its extent, and its stride, whatever reads it. Where a
 * free dimension is read by the axis itself, reads stay inside it for every extent. */

#include "pipeline_internal.h"

#include <opevo/computation_access.h>

#include <string.h>

int opevo_i_pipeline_free_of_axis(const opevo_pipeline *pipeline,
                                  const opevo_definition *definition, int axis)
{
    for (int i = 0; i < pipeline->frees; i++) {
        if (strcmp(definition->axis[axis].name, pipeline->free[i].name) == 0)
            return i + 1;
    }
    return 0;
}

/* A stage whose axes are not those of the definition: the one that an axis is, -1 for none. */
static int mapped_axis(const opevo_i_pipeline_stage *stage, int axis)
{
    opevo_i_affine own = opevo_i_affine_of_atom(stage->axis_atom[axis]);

    for (int i = 0; i < stage->mapped; i++) {
        if (opevo_i_affine_equal(&stage->map[i], &own))
            return i;
    }
    return -1;
}

int opevo_i_pipeline_free_of(const opevo_pipeline *pipeline, const opevo_i_pipeline_stage *stage,
                             int axis)
{
    for (; stage->kind == OPEVO_STAGE_COPY || stage->kind == OPEVO_STAGE_GATHER;
         stage = pipeline->stage[stage->source]) {
        if (stage->kind == OPEVO_STAGE_GATHER)
            axis = axis == stage->dims ? stage->factored : axis + (axis >= stage->factored);
    }
    if (stage->kind == OPEVO_STAGE_INPUT)
        return pipeline->free_dim[stage->tensor][axis];
    if (stage->map)
        axis = mapped_axis(stage, axis);
    if (axis < 0)
        return 0;
    return opevo_i_pipeline_free_of_axis(
        pipeline, pipeline->computation->tensor[stage->tensor]->definition, axis);
}

/* ---- What is read ---- */

typedef struct reading {
    const opevo_axis *axis;
    const opevo_definition *reader;
    bool otherwise[OPEVO_PIPELINE_STAGES][OPEVO_COMPUTATION_DIMS]; /* than by the axis itself */
} reading;

static bool is_axis(const reading *self, const opevo_affine *index)
{
    const opevo_term *term = index->term;

    return index->count == 1 && !index->constant && term->factor == 1 &&
           term->atom == OPEVO_ATOM_AXIS &&
           strcmp(self->reader->axis[term->axis].name, self->axis->name) == 0;
}

static void look_at(void *context, const opevo_expression *read)
{
    reading *self = context;

    for (int d = 0; d < read->tensor->dims; d++)
        self->otherwise[read->tensor->number][d] |= !is_axis(self, &read->index[d]);
}

/* Whether a dimension has the extent of the axis. */
static bool is_of(const reading *self, const opevo_tensor *tensor, int d)
{
    const opevo_definition *definition = tensor->definition;
    const char *name = definition ? definition->axis[d].name : tensor->dim_name[d];

    return name && strcmp(name, self->axis->name) == 0;
}

static opevo_status look_at_all(const opevo_computation *computation, reading *self,
                                opevo_error *err)
{
    for (int t = 0; t < computation->tensors; t++) {
        self->reader = computation->tensor[t]->definition;
        if (self->reader)
            opevo_expression_reads(self->reader->value, look_at, self);
    }
    for (int t = 0; t < computation->tensors; t++) {
        const opevo_tensor *tensor = computation->tensor[t];

        for (int d = 0; d < tensor->dims; d++) {
            if (is_of(self, tensor, d) && self->otherwise[t][d])
                return OPEVO_FAIL(err, OPEVO_INVALID,
                                  "The extent of %s cannot be an argument: dimension %d of %s is "
                                  "not only read by %s itself.",
                                  self->axis->name, d, tensor->name, self->axis->name);
        }
    }
    return OPEVO_OK;
}

static const opevo_axis *find_axis(const opevo_computation *computation, const char *name)
{
    for (int t = 0; t < computation->tensors; t++) {
        const opevo_definition *definition = computation->tensor[t]->definition;

        for (int a = 0; definition && a < definition->axes; a++) {
            if (strcmp(definition->axis[a].name, name) == 0)
                return &definition->axis[a];
        }
    }
    return NULL;
}

opevo_status opevo_pipeline_free_axis(opevo_pipeline *pipeline, const char *axis, opevo_error *err)
{
    const opevo_computation *computation = pipeline->computation;
    reading self = {.axis = find_axis(computation, axis)};
    opevo_status status = OPEVO_OK;

    if (!self.axis)
        return OPEVO_FAIL(err, OPEVO_INVALID, "No axis is called %s.", axis);
    for (int i = 0; i < pipeline->frees; i++) {
        if (strcmp(pipeline->free[i].name, axis) == 0)
            return OPEVO_FAIL(err, OPEVO_INVALID, "The extent of %s is an argument already.", axis);
    }
    if (pipeline->frees == OPEVO_KERNEL_ARGUMENTS)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "A kernel has at most %d extents as arguments.",
                          OPEVO_KERNEL_ARGUMENTS);
    status = look_at_all(computation, &self, err);
    if (status != OPEVO_OK)
        return status;
    pipeline->free[pipeline->frees++] = *self.axis;
    for (int t = 0; t < computation->tensors; t++) {
        for (int d = 0; d < computation->tensor[t]->dims; d++) {
            if (!computation->tensor[t]->definition && is_of(&self, computation->tensor[t], d))
                pipeline->free_dim[t][d] = (unsigned char)pipeline->frees;
        }
    }
    return OPEVO_OK;
}
