/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The loops that make a copy, and those that write one back. */

#include "lower_internal.h"

/* The axes of a copy with its thread loops as the threads of C; what they have too many is cut off
 * by guards. */
static void bind_axes(opevo_i_nest_lowering *self, const opevo_i_nest_stage *stage,
                      opevo_i_affine *axis, opevo_i_nest_guards *keep)
{
    opevo_i_affine_atoms *atoms = &self->schedule->atoms;

    for (int d = 0; d < stage->own.axes; d++)
        axis[d] = stage->own.axis[d];
    for (int i = 0; i < stage->own.loops; i++) {
        const opevo_i_nest_loop *loop = &stage->own.loop[i];
        opevo_i_affine thread;

        if (!opevo_i_nest_is_thread(loop->annotation))
            continue;
        if (self->nest->launch[0].bound[loop->annotation] < 0 ||
            self->nest->launch[0].bound_extent[loop->annotation] < loop->extent) {
            OPEVO_I_REFUSE(self, "%s of %s needs %lld threads, and C has fewer on that axis.",
                           loop->name, stage->name, (long long)loop->extent);
            return;
        }
        thread = opevo_i_affine_of_atom(self->nest->launch[0].bound[loop->annotation]);
        opevo_i_nest_lower_add_guard(self, keep, &thread, 0, loop->extent);
        for (int d = 0; d < stage->own.axes; d++)
            axis[d] = opevo_i_affine_replace(atoms, &axis[d], loop->atom, &thread);
    }
    for (int d = 0; d < stage->own.axes; d++)
        opevo_i_nest_lower_add_guard(self, keep, &axis[d], 0, stage->own.axis_extent[d]);
}

/* Registers that hold what one thread brings of a staged copy:
 * one for each iteration of its loops. */
static opevo_i_nest_access staging(opevo_i_nest_lowering *self, int number)
{
    const opevo_i_nest_stage *stage = &self->schedule->stage[number];
    opevo_i_nest_access access = {.buffer = OPEVO_I_STAGES + number};
    int64_t stride = 1;

    access.address = opevo_i_affine_constant(0);
    for (int i = stage->own.loops - 1; i >= 0; i--) {
        opevo_i_affine one = opevo_i_affine_of_atom(stage->own.loop[i].atom);

        if (opevo_i_nest_is_thread(stage->own.loop[i].annotation))
            continue;
        access.address = opevo_i_affine_add(&self->schedule->atoms, access.address, stride, &one);
        stride *= stage->own.loop[i].extent;
    }
    self->nest->buffer[access.buffer].scope = OPEVO_SCOPE_LOCAL;
    opevo_i_nest_lower_grow(self, &access);
    return access;
}

/* The element of a copy at its own axes, in the iteration given (NULL: this one). */
static opevo_i_nest_access held_access(opevo_i_nest_lowering *self, int number,
                                       const opevo_i_affine *axis, const opevo_i_affine *iteration)
{
    const opevo_i_nest_stage *stage = &self->schedule->stage[number];
    opevo_i_affine now = opevo_i_affine_of_atom(self->compute->own.loop[stage->attached].atom);
    opevo_i_affine offset =
        opevo_i_nest_lower_select_copy(self, stage, iteration ? iteration : &now);
    opevo_i_affine own[OPEVO_I_AXES];
    opevo_i_nest_access held = {.buffer = number};

    for (int i = 0; i < stage->own.axes; i++)
        own[i] = stage->kind == OPEVO_I_CACHE_READ
                     ? opevo_i_nest_schedule_copied(self->schedule, stage, i, axis)
                     : axis[i];
    held.address = opevo_i_nest_schedule_address(self->schedule, stage, own);
    held.address = opevo_i_affine_add(&self->schedule->atoms, held.address, 1, &offset);
    opevo_i_nest_lower_grow(self, &held);
    return held;
}

/* Where a thread leaves its sums for the one that adds them: an element for each element of the
 * copy and each thread in x and y, neighbouring threads side by side. */
static opevo_i_nest_access mailbox(opevo_i_nest_lowering *self, int number,
                                   const opevo_i_nest_access *held)
{
    static const opevo_annotation axes[2] = {OPEVO_ANNOTATION_THREAD_X, OPEVO_ANNOTATION_THREAD_Y};
    opevo_i_nest_access access = {.buffer = OPEVO_I_STAGES + number};
    int64_t threads = 1;

    access.address = opevo_i_affine_constant(0);
    for (int i = 0; i < 2; i++) {
        opevo_i_affine thread;

        if (self->nest->launch[0].bound[axes[i]] < 0)
            continue;
        thread = opevo_i_affine_of_atom(self->nest->launch[0].bound[axes[i]]);
        access.address =
            opevo_i_affine_add(&self->schedule->atoms, access.address, threads, &thread);
        threads *= self->nest->launch[0].bound_extent[axes[i]];
    }
    access.address =
        opevo_i_affine_add(&self->schedule->atoms, access.address, threads, &held->address);
    self->nest->buffer[access.buffer].scope = OPEVO_SCOPE_SHARED;
    opevo_i_nest_lower_grow(self, &access);
    return access;
}

/* One round of gathering: the thread whose iteration it is sends, the first one receives. */
static opevo_i_nest_leaf round_leaf(opevo_i_nest_lowering *self, int number,
                                    opevo_i_nest_copy_kind kind, const opevo_i_affine *round,
                                    const opevo_i_nest_access *held)
{
    opevo_i_nest_access box = mailbox(self, number, held);
    opevo_i_affine thread = opevo_i_affine_of_atom(self->slice);
    opevo_i_nest_leaf leaf = {.kind = OPEVO_I_ADD, .to = *held, .factors = 1, .factor = {box}};

    if (kind == OPEVO_I_SEND) {
        leaf.kind = OPEVO_I_COPY;
        leaf.to = box;
        leaf.factor[0] = *held;
        thread = opevo_i_affine_add(&self->schedule->atoms, thread, -1, round);
    }
    opevo_i_nest_lower_add_guard(self, &leaf.keep, &thread, 0, 1);
    return leaf;
}

/* The leaf of a copy's nest; `iteration` replaces the loop that it is attached at (NULL:
 * does not). */
static opevo_i_nest_leaf copy_leaf(opevo_i_nest_lowering *self, int number,
                                   opevo_i_nest_copy_kind kind, const opevo_i_affine *iteration)
{
    opevo_i_nest_stage *stage =
        number == self->output ? self->zeroed : &self->schedule->stage[number];
    opevo_i_affine_atoms *atoms = &self->schedule->atoms;
    opevo_i_nest_leaf leaf = {
        .kind = OPEVO_I_COPY, .stream = stage->stream, .prefetch = stage->prefetch, .factors = 1};
    opevo_i_affine axis[OPEVO_I_AXES];
    opevo_i_affine index[OPEVO_I_DIMS];
    opevo_i_nest_access held;

    bind_axes(self, stage, axis, &leaf.keep);
    for (int d = 0; d < self->schedule->compute.tensor[stage->tensor].dims; d++) {
        index[d] = opevo_i_nest_schedule_copied(self->schedule, stage, d, axis);
        if (iteration && stage->kind == OPEVO_I_CACHE_READ)
            index[d] = opevo_i_affine_replace(
                atoms, &index[d], self->compute->own.loop[stage->attached].atom, iteration);
    }
    if (number == self->output) { /* the sums gather in C itself */
        leaf.kind = OPEVO_I_ZERO;
        leaf.factors = 0;
        opevo_i_nest_lower_bound_index(self, &leaf.keep, self->output, index);
        leaf.to = opevo_i_nest_lower_access_of(self, self->output, index);
        return leaf;
    }
    if (kind == OPEVO_I_SEND || kind == OPEVO_I_RECEIVE) {
        held = held_access(self, number, axis, NULL);
        return round_leaf(self, number, kind, iteration, &held);
    }
    held = held_access(self, number, axis, iteration);
    if (kind == OPEVO_I_CLEAR) {
        leaf.kind = OPEVO_I_ZERO;
        leaf.factors = 0;
        leaf.to = held;
    } else if (kind == OPEVO_I_WRITE || kind == OPEVO_I_GATHER) {
        if (self->slices > 1) { /* only the thread that has the whole sum */
            opevo_i_affine thread = opevo_i_affine_of_atom(self->slice);

            opevo_i_nest_lower_add_guard(self, &leaf.keep, &thread, 0, 1);
        }
        leaf.kind = kind == OPEVO_I_WRITE ? OPEVO_I_COPY : OPEVO_I_ADD;
        opevo_i_nest_lower_bound_index(self, &leaf.keep, self->output, index);
        leaf.to = opevo_i_nest_lower_access_of(self, self->output, index);
        leaf.factor[0] = held;
    } else if (kind == OPEVO_I_PUT) {
        leaf.to = held;
        leaf.factor[0] = staging(self, number);
    } else {
        if (opevo_i_nest_is_tensor(&self->schedule->stage[stage->source]))
            opevo_i_nest_lower_bound_index(self, &leaf.inside, stage->tensor, index);
        leaf.factor[0] = opevo_i_nest_lower_access_of(self, stage->source, index);
        leaf.to = kind == OPEVO_I_FETCH ? staging(self, number) : held;
    }
    return leaf;
}

void opevo_i_nest_lower_add_nest(opevo_i_nest_lowering *self, opevo_i_nest_node *parent, int number,
                                 opevo_i_nest_copy_kind kind, const opevo_i_affine *iteration)
{
    const opevo_i_nest_stage *stage =
        number == self->output ? self->zeroed : &self->schedule->stage[number];
    opevo_i_nest_leaf leaf = copy_leaf(self, number, kind, iteration);
    bool spread = false; /* over virtual threads */

    for (int i = 0; i < stage->own.loops && parent; i++) {
        const opevo_i_nest_loop *loop = &stage->own.loop[i];

        /* Lanes stay innermost, so that they can become a vector. */
        if (!spread && loop->annotation == OPEVO_ANNOTATION_VECTORIZE) {
            parent = opevo_i_nest_lower_add_vthreads(self, parent, &leaf);
            spread = true;
        }
        if (!opevo_i_nest_is_thread(loop->annotation))
            parent = opevo_i_nest_lower_add_loop(self, parent, loop->atom, loop->extent,
                                                 loop->annotation);
    }
    if (parent && !spread)
        parent = opevo_i_nest_lower_add_vthreads(self, parent, &leaf);
    if (parent)
        opevo_i_nest_lower_add_leaf(self, parent, &leaf);
}
