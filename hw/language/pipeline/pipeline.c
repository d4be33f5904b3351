/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Making pipelines. Each step is checked against the pipeline as it stands; whether
 * all readers of a stage are where it is computed is checked when it is lowered. */

#include "pipeline_internal.h"

#include <opevo/computation_reshape.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* ---- Making ---- */

/* The dimensions of an input, by their names where the text has one for each. */
static void name_dims(opevo_i_pipeline_stage *stage, const opevo_tensor *tensor)
{
    bool named = true;

    for (int d = 0; d < tensor->dims; d++) {
        named &= tensor->dim_name[d] != NULL;
        for (int e = 0; e < d && named; e++)
            named = strcmp(tensor->dim_name[d], tensor->dim_name[e]) != 0;
    }
    for (int d = 0; d < tensor->dims; d++) {
        if (named)
            snprintf(stage->axis_name[d], OPEVO_I_NAME, "%s", tensor->dim_name[d]);
        else
            snprintf(stage->axis_name[d], OPEVO_I_NAME, "i%d", d);
    }
}

static opevo_status set_stage(opevo_pipeline *self, const opevo_tensor *tensor, opevo_error *err)
{
    const opevo_definition *definition = tensor->definition;
    opevo_i_pipeline_stage *stage = opevo_calloc(1, sizeof *stage);
    bool reduces[OPEVO_COMPUTATION_AXES];

    OPEVO_NEED_OR_RETURN(stage, "a pipeline");
    self->order[self->stages] = tensor->number;
    self->stage[self->stages++] = stage;
    snprintf(stage->name, sizeof stage->name, "%s", tensor->name);
    stage->tensor = tensor->number;
    stage->accumulate = stage->trim = -1;
    if (!definition) {
        stage->kind = OPEVO_STAGE_INPUT;
        stage->dims = stage->own.axes = tensor->dims;
        memcpy(stage->own.axis_extent, tensor->extent, sizeof tensor->extent);
        name_dims(stage, tensor);
        return OPEVO_OK;
    }
    stage->kind = OPEVO_STAGE_DEFINED;
    for (int a = 0; a < definition->axes; a++)
        reduces[a] = a >= definition->spatial;
    return opevo_i_pipeline_set_axes(self, stage, definition->axes, definition->axis, reduces, err);
}

opevo_status opevo_pipeline_create(const opevo_computation *computation, opevo_pipeline **out,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_pipeline *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "a pipeline");
    self->given = self->computation = computation;
    if (computation->tensors > OPEVO_PIPELINE_STAGES) {
        status = OPEVO_FAIL(err, OPEVO_LIMIT, "A pipeline has at most %d stages.",
                            OPEVO_PIPELINE_STAGES);
        goto cleanup;
    }
    for (int i = 0; i < computation->tensors; i++)
        OPEVO_TRY(set_stage(self, computation->tensor[i], err));
    *out = self;
    self = NULL;
cleanup:
    opevo_pipeline_destroy(self);
    return status;
}

/* NULL also for an array of nothing. */
static void *duplicate(const void *from, size_t count, size_t size)
{
    void *made = count ? opevo_malloc(count, size) : NULL;

    if (made)
        memcpy(made, from, count * size);
    return made;
}

/* Of axes, loops and the changes of loops, most of a stage, those that are there. NULL without
 * memory. */
static opevo_i_pipeline_stage *duplicate_stage(const opevo_i_pipeline_stage *from)
{
    const size_t names = offsetof(opevo_i_pipeline_stage, axis_name);
    const size_t changes = offsetof(opevo_i_pipeline_stage, change);
    opevo_i_pipeline_stage *made = opevo_malloc(1, sizeof *made);

    if (!made)
        return NULL;
    memcpy(made, from,
           offsetof(opevo_i_pipeline_stage, own.axis) +
               (size_t)from->own.axes * sizeof *from->own.axis);
    made->own.loops = from->own.loops;
    memcpy(made->own.loop, from->own.loop, (size_t)from->own.loops * sizeof *from->own.loop);
    memcpy((char *)made + names, (const char *)from + names,
           changes - names + (size_t)from->changes * sizeof *from->change);
    return made;
}

/* All arrays of a pipeline without merged dimensions; false without memory. */
static bool copy_parts(opevo_pipeline *self, const opevo_pipeline *from)
{
    self->atoms = (opevo_i_affine_atoms){
        .item = duplicate(from->atoms.item, from->atoms.count, sizeof *from->atoms.item),
        .count = from->atoms.count,
        .capacity = from->atoms.count,
        .failed = from->atoms.failed};
    self->steps = duplicate(from->steps, from->step_count, sizeof *from->steps);
    self->step_count = self->step_capacity = from->step_count;
    for (int key = 0; key < from->stages; key++) {
        const opevo_i_pipeline_stage *one = from->stage[key];
        opevo_i_pipeline_stage *stage = duplicate_stage(one);

        if (!stage)
            return false;
        self->stage[self->stages++] = stage;
        stage->map = NULL;
        if (!one->map)
            continue;
        stage->map = duplicate(one->map, (size_t)one->mapped, sizeof *one->map);
        if (!stage->map)
            return false;
    }
    return (self->atoms.item || from->atoms.count == 0) && (self->steps || from->step_count == 0);
}

/* Merged dimensions belong to a computation of the pipeline's own, which its steps make again. */
static opevo_status apply_again(const opevo_pipeline *pipeline, opevo_pipeline **out,
                                opevo_error *err)
{
    opevo_status status = opevo_pipeline_create(pipeline->given, out, err);

    if (status != OPEVO_OK)
        return status;
    for (size_t i = 0; i < pipeline->step_count && status == OPEVO_OK; i++)
        status = opevo_pipeline_apply(*out, &pipeline->steps[i], err);
    for (int i = 0; i < pipeline->frees && status == OPEVO_OK; i++)
        status = opevo_pipeline_free_axis(*out, pipeline->free[i].name, err);
    if (status != OPEVO_OK) {
        opevo_pipeline_destroy(*out);
        *out = NULL;
    }
    return status;
}

opevo_status opevo_pipeline_copy(const opevo_pipeline *pipeline, opevo_pipeline **out,
                                 opevo_error *err)
{
    opevo_pipeline *self = NULL;

    if (pipeline->reshaped)
        return apply_again(pipeline, out, err);
    OPEVO_NEW_OR_RETURN(self, 1, "a pipeline");
    self->given = self->computation = pipeline->given;
    memcpy(self->order, pipeline->order, sizeof self->order);
    self->frees = pipeline->frees;
    memcpy(self->free, pipeline->free, sizeof self->free);
    memcpy(self->free_dim, pipeline->free_dim, sizeof self->free_dim);
    if (!copy_parts(self, pipeline)) {
        opevo_pipeline_destroy(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a pipeline.");
    }
    *out = self;
    return OPEVO_OK;
}

void opevo_pipeline_destroy(opevo_pipeline *pipeline)
{
    if (!pipeline)
        return;
    for (int i = 0; i < pipeline->stages; i++) {
        opevo_free(pipeline->stage[i]->map);
        opevo_free(pipeline->stage[i]);
    }
    opevo_computation_destroy(pipeline->reshaped);
    opevo_i_affine_atoms_free(&pipeline->atoms);
    opevo_free(pipeline->steps);
    opevo_free(pipeline);
}

/* ---- Steps ---- */

static opevo_status set_unrolling(opevo_i_pipeline_stage *stage, const opevo_pipeline_step *step,
                                  opevo_error *err)
{
    if (step->count < 1 || step->count > 2 || step->number[0] < 0 || step->number[0] > 1 << 20 ||
        (step->count == 2 && (step->number[1] < 0 || step->number[1] > 1)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "auto_unroll takes a number of statements from 0 to 2^20, and 1 for "
                          "loops as text.");
    stage->auto_unroll = step->number[0];
    stage->auto_unroll_explicit = step->count == 2 && step->number[1];
    return OPEVO_OK;
}

/* What a stage reads back would come from memory. */
static opevo_status set_streaming(opevo_pipeline *self, const opevo_pipeline_step *step,
                                  opevo_error *err)
{
    bool streams = step->count == 0 && opevo_i_pipeline_is_output(self, self->order[step->stage]);

    for (int i = 0; i < self->stages; i++)
        streams &= !opevo_pipeline_reads(self, i, step->stage);
    if (!streams)
        return OPEVO_FAIL(err, OPEVO_INVALID, "stream takes an output that no stage reads.");
    opevo_i_pipeline_at(self, step->stage)->stream = true;
    return OPEVO_OK;
}

static opevo_status set_exact(opevo_i_pipeline_stage *stage, const opevo_pipeline_step *step,
                              opevo_error *err)
{
    if (step->count || stage->kind != OPEVO_STAGE_COPY || stage->place != OPEVO_PLACE_AT)
        return OPEVO_FAIL(err, OPEVO_INVALID, "exact takes a copy that is computed at a loop.");
    stage->exact = true;
    return OPEVO_OK;
}

static opevo_status set_double_buffer(opevo_i_pipeline_stage *stage,
                                      const opevo_pipeline_step *step, opevo_error *err)
{
    if (step->count || stage->kind != OPEVO_STAGE_COPY || stage->scope != OPEVO_SCOPE_SHARED)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: only a shared copy has a double buffer.",
                          stage->name);
    stage->double_buffer = true;
    stage->staged = step->kind == OPEVO_PIPELINE_STAGED;
    return OPEVO_OK;
}

static opevo_status set_prefetch(opevo_i_pipeline_stage *stage, const opevo_pipeline_step *step,
                                 opevo_error *err)
{
    if (step->count != 1 || step->number[0] < 0 || step->number[0] > INT64_C(1) << 40 ||
        stage->kind != OPEVO_STAGE_COPY)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: prefetch applies only to copies, at most 2^40 elements ahead.",
                          stage->name);
    stage->prefetch = step->number[0];
    return OPEVO_OK;
}

static void swap(opevo_pipeline *a, opevo_pipeline *b)
{
    opevo_pipeline kept = *a;

    *a = *b;
    *b = kept;
}

/* Stages begin anew: there are no other steps yet. */
static opevo_status reshape(opevo_pipeline *self, const opevo_pipeline_step *step, opevo_error *err)
{
    opevo_computation *made = NULL;
    opevo_pipeline *fresh = NULL;
    bool divides = step->kind == OPEVO_PIPELINE_DIVIDE;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < self->step_count; i++) {
        if (self->steps[i].kind != OPEVO_PIPELINE_MERGE &&
            self->steps[i].kind != OPEVO_PIPELINE_DIVIDE)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "merge and divide come ahead of all other steps.");
    }
    if (self->frees)
        return OPEVO_FAIL(err, OPEVO_INVALID, "merge and divide come before axes are made free.");
    if (step->count != 1 + divides)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          divides ? "divide takes a dimension and an extent."
                                  : "merge takes a dimension.");
    if (step->number[0] < 0 || step->number[0] >= OPEVO_COMPUTATION_DIMS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "No definition has such a dimension.");
    status = divides ? opevo_computation_divide(self->computation, self->order[step->stage],
                                                (int)step->number[0], step->number[1], &made, err)
                     : opevo_computation_merge(self->computation, self->order[step->stage],
                                               (int)step->number[0], &made, err);
    if (status == OPEVO_OK)
        status = opevo_pipeline_create(made, &fresh, err);
    if (status != OPEVO_OK) {
        opevo_computation_destroy(made);
        return status;
    }
    fresh->given = self->given;
    fresh->reshaped = made;
    fresh->steps = self->steps;
    fresh->step_count = self->step_count;
    fresh->step_capacity = self->step_capacity;
    self->steps = NULL;
    swap(self, fresh);
    opevo_pipeline_destroy(fresh);
    return OPEVO_OK;
}

static opevo_status apply(opevo_pipeline *self, const opevo_pipeline_step *step, opevo_error *err)
{
    switch (step->kind) {
    case OPEVO_PIPELINE_AUTO_UNROLL:
        return set_unrolling(opevo_i_pipeline_at(self, step->stage), step, err);
    case OPEVO_PIPELINE_STREAM:
        return set_streaming(self, step, err);
    case OPEVO_PIPELINE_COMPUTE_AT:
    case OPEVO_PIPELINE_COMPUTE_INLINE:
    case OPEVO_PIPELINE_COMPUTE_ROOT:
    case OPEVO_PIPELINE_ACCUMULATE:
    case OPEVO_PIPELINE_TRIM:
        return opevo_i_pipeline_place(self, step, err);
    case OPEVO_PIPELINE_EXACT:
        return set_exact(opevo_i_pipeline_at(self, step->stage), step, err);
    case OPEVO_PIPELINE_DOUBLE_BUFFER:
    case OPEVO_PIPELINE_STAGED:
        return set_double_buffer(opevo_i_pipeline_at(self, step->stage), step, err);
    case OPEVO_PIPELINE_PREFETCH:
        return set_prefetch(opevo_i_pipeline_at(self, step->stage), step, err);
    case OPEVO_PIPELINE_LAYOUT:
        return opevo_i_pipeline_layout(self, step, err);
    case OPEVO_PIPELINE_STORAGE_ALIGN:
        return opevo_i_pipeline_storage_align(self, step, err);
    case OPEVO_PIPELINE_MERGE:
    case OPEVO_PIPELINE_DIVIDE:
        return reshape(self, step, err);
    case OPEVO_PIPELINE_CACHE_READ:
    case OPEVO_PIPELINE_CACHE_WRITE:
    case OPEVO_PIPELINE_RFACTOR:
        return opevo_i_pipeline_add(self, step, err);
    default:
        return opevo_i_pipeline_change(self, step, err);
    }
}

opevo_status opevo_pipeline_apply(opevo_pipeline *pipeline, const opevo_pipeline_step *step,
                                  opevo_error *err)
{
    size_t atoms = pipeline->atoms.count;
    opevo_status status = OPEVO_OK;

    if (step->stage < 0 || step->stage >= pipeline->stages || step->count < 0 ||
        step->count > OPEVO_PIPELINE_NUMBERS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The step names no stage of the pipeline.");
    if (opevo_i_pipeline_at(pipeline, step->stage)->kind == OPEVO_STAGE_INPUT &&
        step->kind != OPEVO_PIPELINE_CACHE_READ && step->kind != OPEVO_PIPELINE_LAYOUT)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is an input; only cache_read and, of a constant, layout apply to it.",
                          opevo_i_pipeline_at(pipeline, step->stage)->name);
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&pipeline->steps, &pipeline->step_capacity,
                                       pipeline->step_count + 1, sizeof *pipeline->steps),
                         "a step");
    status = apply(pipeline, step, err);
    if (status == OPEVO_OK) {
        pipeline->steps[pipeline->step_count++] = *step;
    } else { /* nothing that is left uses what was made for it */
        pipeline->atoms.count = atoms;
        pipeline->atoms.failed = false;
    }
    return status;
}
