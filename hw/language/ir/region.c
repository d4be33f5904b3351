/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Copies: which part of a tensor one holds, and where an index lies in it.
 *
 * A written copy has an element for each combination of the non-reduction loops inside its
 * compute_at point. For a read copy, the index of a tensor in a dimension is a sum of terms of the
 * loops of C: terms of loops outside the compute_at point make its base, the others its extent. An
 * axis that was split unevenly or extended runs too far; what is read there goes into results that
 * are masked, so the copy need not hold it, except along reduction axes, where it must read as 0.
 * Indices that all lie a step apart, as those of a convolution with a stride and a kernel of one
 * pixel, are held without the gaps. */

#include "schedule_internal.h"

#include <stdio.h>
#include <string.h>

opevo_i_affine opevo_i_nest_schedule_index(const opevo_schedule *schedule, int tensor, int dim)
{
    const opevo_i_nest_tensor *one = &schedule->compute.tensor[tensor];
    opevo_i_affine index = opevo_i_affine_constant(one->offset[dim]);

    for (int i = 0; i < schedule->compute.axes; i++) {
        if (one->factor[dim][i])
            index = opevo_i_affine_add(&schedule->atoms, index, one->factor[dim][i],
                                       &schedule->stage[schedule->compute.output].own.axis[i]);
    }
    return index;
}

/* Whether a loop of C counts as inside a copy with this compute_at point. */
static bool is_inside(const opevo_i_nest_stage *compute, int loop, int compute_at,
                      opevo_scope scope)
{
    opevo_annotation what = compute->own.loop[loop].annotation;

    if (opevo_i_nest_is_thread(what) || what == OPEVO_ANNOTATION_VTHREAD)
        return scope == OPEVO_SCOPE_SHARED;
    return loop > compute_at && !opevo_i_nest_is_block(what);
}

/* The part of `index` that varies inside the compute_at point; *base is the rest. */
static opevo_i_affine varying(const opevo_schedule *self, const opevo_i_affine *index,
                              int compute_at, opevo_scope scope, opevo_i_affine *base)
{
    const opevo_i_nest_stage *compute = &self->stage[self->compute.output];
    opevo_i_affine inner = opevo_i_affine_constant(0);

    *base = opevo_i_affine_constant(index->constant);
    for (int t = 0; t < index->count; t++) {
        opevo_i_affine term = opevo_i_affine_of_atom(index->term[t].atom);
        bool inside = false;

        for (int i = 0; i < compute->own.loops && !inside; i++)
            inside = is_inside(compute, i, compute_at, scope) &&
                     opevo_i_affine_uses(&self->atoms, &term, compute->own.loop[i].atom);
        if (inside)
            inner = opevo_i_affine_add(&self->atoms, inner, index->term[t].factor, &term);
        else
            *base = opevo_i_affine_add(&self->atoms, *base, index->term[t].factor, &term);
    }
    return inner;
}

/* How many indices of a dimension matter in all. */
static int64_t needed(const opevo_schedule *self, int tensor, int dim)
{
    const opevo_i_nest_compute *compute = &self->compute;
    int64_t count = 1;

    for (int i = 0; i < compute->axes; i++) {
        int64_t turns = compute->axis_extent[i];

        if (compute->axis_reduces[i])
            turns =
                opevo_i_affine_most(&self->atoms, &self->stage[self->compute.output].own.axis[i]) +
                1;
        count += compute->tensor[tensor].factor[dim][i] * (turns - 1);
    }
    return count;
}

static void find_vthreads(const opevo_schedule *self, opevo_i_nest_stage *stage)
{
    const opevo_i_nest_stage *compute = &self->stage[self->compute.output];

    stage->vthreads = 0;
    for (int i = 0; i < compute->own.loops && stage->scope == OPEVO_SCOPE_LOCAL; i++) {
        bool used = false;

        for (int d = 0; d < self->compute.tensor[stage->tensor].dims && !used; d++) {
            opevo_i_affine index = opevo_i_nest_schedule_index(self, stage->tensor, d);

            used = opevo_i_affine_uses(&self->atoms, &index, compute->own.loop[i].atom);
        }
        if (used && compute->own.loop[i].annotation == OPEVO_ANNOTATION_VTHREAD &&
            stage->vthreads < 3)
            stage->vthread[stage->vthreads++] = compute->own.loop[i].atom;
    }
}

/* A name for the loop over a dimension: that of its first axis. */
static void name_dim(const opevo_schedule *self, int tensor, int dim, char *name)
{
    for (int i = 0; i < self->compute.axes; i++) {
        if (self->compute.tensor[tensor].factor[dim][i]) {
            snprintf(name, OPEVO_I_NAME, "%c", self->compute.axis_name[i]);
            return;
        }
    }
}

/* The distance that all values of an index are multiples of. */
static int64_t step_of(const opevo_i_affine_atoms *atoms, const opevo_i_affine *inner)
{
    int64_t step = 0;

    for (int i = 0; i < inner->count; i++) {
        if (atoms->item[inner->term[i].atom].extent > 1)
            step = opevo_i_affine_gcd(inner->term[i].factor, step);
    }
    return step > 0 ? step : 1;
}

/* One axis of a copy, with a loop of its own. */
static void set_axis(opevo_schedule *self, opevo_i_nest_stage *stage, int axis, int64_t extent)
{
    stage->own.axis_extent[axis] = extent;
    stage->own.loop[axis].extent = extent;
    stage->own.loop[axis].atom = opevo_i_affine_atoms_loop(&self->atoms, extent);
    stage->own.loop[axis].annotation = OPEVO_ANNOTATION_SERIAL;
    stage->own.loop[axis].reduces = false;
    stage->own.axis[axis] = opevo_i_affine_of_atom(stage->own.loop[axis].atom);
    stage->piece[axis] = (opevo_i_nest_piece){axis, 1, extent, 0, true};
}

static void set_part(opevo_schedule *self, opevo_i_nest_stage *stage, int loop)
{
    stage->own.axes = self->compute.tensor[stage->tensor].dims;
    for (int d = 0; d < stage->own.axes; d++) {
        opevo_i_affine index = opevo_i_nest_schedule_index(self, stage->tensor, d);
        opevo_i_affine inner = varying(self, &index, loop, stage->scope, &stage->base[d]);
        int64_t extent = opevo_i_affine_most(&self->atoms, &inner) + 1;
        int64_t most = needed(self, stage->tensor, d);

        if (extent > most)
            extent = most;
        stage->step[d] = step_of(&self->atoms, &inner);
        name_dim(self, stage->tensor, d, stage->own.loop[d].name);
        set_axis(self, stage, d, (extent - 1) / stage->step[d] + 1);
    }
}

static opevo_status set_sums(opevo_schedule *self, opevo_i_nest_stage *stage, int loop,
                             opevo_error *err)
{
    const opevo_i_nest_stage *compute = &self->stage[self->compute.output];

    stage->own.axes = 0;
    for (int i = 0; i < compute->own.loops; i++) {
        if (compute->own.loop[i].reduces || !is_inside(compute, i, loop, OPEVO_SCOPE_LOCAL))
            continue;
        if (stage->own.axes == OPEVO_I_PIECES)
            return OPEVO_FAIL(err, OPEVO_LIMIT,
                              "More than %d loops are inside the compute_at point of a copy of C.",
                              OPEVO_I_PIECES);
        stage->origin[stage->own.axes] = compute->own.loop[i].atom;
        memcpy(stage->own.loop[stage->own.axes].name, compute->own.loop[i].name, OPEVO_I_NAME);
        set_axis(self, stage, stage->own.axes, compute->own.loop[i].extent);
        stage->own.axes++;
    }
    return OPEVO_OK;
}

opevo_status opevo_i_nest_schedule_attach(opevo_schedule *schedule, opevo_i_nest_stage *stage,
                                          int loop, opevo_error *err)
{
    double size = 1;

    if (stage->kind == OPEVO_I_CACHE_WRITE) {
        opevo_status status = set_sums(schedule, stage, loop, err);

        if (status != OPEVO_OK)
            return status;
    } else {
        set_part(schedule, stage, loop);
    }
    stage->own.loops = stage->pieces = stage->own.axes;
    for (int i = 0; i < stage->own.axes; i++)
        size *= (double)stage->own.axis_extent[i];
    find_vthreads(schedule, stage);
    stage->attached = loop;
    if (schedule->atoms.failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the loops of a schedule.");
    if (size > 0x1p40)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s would have more than 2^40 elements.", stage->name);
    opevo_i_nest_schedule_strides(stage);
    return OPEVO_OK;
}

opevo_i_affine opevo_i_nest_schedule_copied(opevo_schedule *schedule,
                                            const opevo_i_nest_stage *stage, int dim,
                                            const opevo_i_affine *axis)
{
    opevo_i_affine index;

    if (stage->kind == OPEVO_I_CACHE_READ)
        return opevo_i_affine_add(&schedule->atoms, stage->base[dim], stage->step[dim], &axis[dim]);
    index = opevo_i_nest_schedule_index(schedule, stage->tensor, dim);
    for (int i = 0; i < stage->own.axes; i++)
        index = opevo_i_affine_replace(&schedule->atoms, &index, stage->origin[i], &axis[i]);
    return index;
}

void opevo_i_nest_schedule_strides(opevo_i_nest_stage *stage)
{
    int64_t stride = 1;

    for (int i = stage->pieces - 1; i >= 0; i--) {
        stage->piece[i].stride = stride;
        stride *= stage->piece[i].extent;
        if (i == stage->pieces - stage->pitch_pieces)
            stride += stage->pitch;
    }
}

opevo_i_affine opevo_i_nest_schedule_address(opevo_schedule *schedule,
                                             const opevo_i_nest_stage *stage,
                                             const opevo_i_affine *index)
{
    opevo_i_affine address = opevo_i_affine_constant(0);
    const opevo_i_nest_tensor *tensor = &schedule->compute.tensor[stage->tensor];

    if ((stage->kind == OPEVO_I_TENSOR || stage->kind == OPEVO_I_COMPUTE) && !stage->pieces) {
        int64_t stride = 1;

        for (int d = tensor->dims - 1; d >= 0; d--) {
            address = opevo_i_affine_add(&schedule->atoms, address, stride, &index[d]);
            stride *= tensor->extent[d];
        }
        return address;
    }
    for (int i = 0; i < stage->pieces; i++) {
        const opevo_i_nest_piece *piece = &stage->piece[i];
        opevo_i_affine value = index[piece->dim];

        if (stage->kind == OPEVO_I_CACHE_READ) {
            value = opevo_i_affine_add(&schedule->atoms, value, -1, &stage->base[piece->dim]);
            value = opevo_i_affine_divide(&schedule->atoms, &value, stage->step[piece->dim]);
        }
        value = opevo_i_affine_divide(&schedule->atoms, &value, piece->divisor);
        if (!piece->outermost)
            value = opevo_i_affine_modulo(&schedule->atoms, &value, piece->extent);
        address = opevo_i_affine_add(&schedule->atoms, address, piece->stride, &value);
    }
    return address;
}

int64_t opevo_i_nest_stage_room(const opevo_i_nest_stage *stage, int dim)
{
    int64_t room = 1;

    for (int i = 0; i < stage->pieces; i++) {
        if (stage->piece[i].dim == dim)
            room *= stage->piece[i].extent;
    }
    return room;
}

int64_t opevo_i_nest_stage_size(const opevo_i_nest_stage *stage)
{
    return stage->pieces ? stage->piece[0].stride * stage->piece[0].extent : 1;
}
