/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What loads and stores need: their guards, their addresses,
 * and room in the buffers that they touch. */

#include "lower_internal.h"

/* least <= value < limit, unless it always holds. */
void opevo_i_nest_lower_add_guard(opevo_i_nest_lowering *self, opevo_i_nest_guards *guards,
                                  const opevo_i_affine *value, int64_t least, int64_t limit)
{
    if (!opevo_i_nest_guards_add(&self->schedule->atoms, guards, value, least, limit))
        OPEVO_I_REFUSE(self, "A statement would need more than %d conditions.", OPEVO_I_GUARDS);
}

void opevo_i_nest_lower_grow(opevo_i_nest_lowering *self, const opevo_i_nest_access *access)
{
    opevo_i_nest_buffer *buffer = &self->nest->buffer[access->buffer];
    int64_t most = opevo_i_affine_most(&self->schedule->atoms, &access->address);

    if (access->address.overflow)
        OPEVO_I_REFUSE(self, "An address has more than %d parts.", OPEVO_I_TERMS);
    if (buffer->scope != OPEVO_SCOPE_GLOBAL && most >= buffer->size)
        buffer->size = most + 1;
}

/* What selects the copy of a virtual thread, and the half of a double buffer; `iteration` is the
 * number of the iteration that the half belongs to. */
opevo_i_affine opevo_i_nest_lower_select_copy(opevo_i_nest_lowering *self,
                                              const opevo_i_nest_stage *stage,
                                              const opevo_i_affine *iteration)
{
    opevo_i_affine_atoms *atoms = &self->schedule->atoms;
    int64_t stride = opevo_i_nest_stage_size(stage);
    opevo_i_affine offset = opevo_i_affine_constant(0);

    for (int i = stage->vthreads - 1; i >= 0; i--) {
        opevo_i_affine one = opevo_i_affine_of_atom(stage->vthread[i]);

        offset = opevo_i_affine_add(atoms, offset, stride, &one);
        stride *= atoms->item[stage->vthread[i]].extent;
    }
    if (stage->double_buffer) {
        opevo_i_affine half = opevo_i_affine_modulo(atoms, iteration, 2);

        offset = opevo_i_affine_add(atoms, offset, stride, &half);
    }
    return offset;
}

/* The element of a stage at an index of its tensor. */
opevo_i_nest_access opevo_i_nest_lower_access_of(opevo_i_nest_lowering *self, int number,
                                                 const opevo_i_affine *index)
{
    const opevo_i_nest_stage *stage = &self->schedule->stage[number];
    opevo_i_nest_access access = {.buffer = number};

    access.address = opevo_i_nest_schedule_address(self->schedule, stage, index);
    if (!opevo_i_nest_is_tensor(stage)) {
        opevo_i_affine iteration = opevo_i_affine_constant(0);
        opevo_i_affine offset;

        if (stage->attached >= 0)
            iteration = opevo_i_affine_of_atom(self->compute->own.loop[stage->attached].atom);
        offset = opevo_i_nest_lower_select_copy(self, stage, &iteration);
        access.address = opevo_i_affine_add(&self->schedule->atoms, access.address, 1, &offset);
    }
    opevo_i_nest_lower_grow(self, &access);
    return access;
}

/* That an index lies inside its tensor, or in the room of its layout, which holds zeros there. */
void opevo_i_nest_lower_bound_index(opevo_i_nest_lowering *self, opevo_i_nest_guards *guards,
                                    int tensor, const opevo_i_affine *index)
{
    const opevo_i_nest_tensor *one = &self->schedule->compute.tensor[tensor];
    const opevo_i_nest_stage *stage = &self->schedule->stage[tensor];

    for (int d = 0; d < one->dims; d++)
        opevo_i_nest_lower_add_guard(self, guards, &index[d], 0,
                                     stage->pieces ? opevo_i_nest_stage_room(stage, d)
                                                   : one->extent[d]);
}
