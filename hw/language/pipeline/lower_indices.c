/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Integer expressions of definitions in the loops of a nest, and where elements lie. They are
 * large, so functions that recurse through stages and definitions call these and hold none. */

#include "lower_pipeline_internal.h"

/* ---- Integer expressions ---- */

/* floor(a / divisor), for an `a` of any sign. */
static opevo_i_affine floor_divide(opevo_i_affine_atoms *atoms, opevo_i_affine a, int64_t divisor,
                                   int64_t *shift)
{
    int64_t least = opevo_i_affine_least(atoms, &a);

    *shift = least < 0 ? (-least + divisor - 1) / divisor : 0;
    a.constant += *shift * divisor;
    return a;
}

/* An integer of a definition's axes. */
static opevo_i_affine whole(opevo_i_affine_atoms *atoms, const opevo_affine *a,
                            const opevo_i_affine *axis)
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
    opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_affine sum = opevo_i_affine_constant(a->constant);

    for (int i = 0; i < a->count; i++) {
        const opevo_i_affine_atom *atom = &self->pipeline->atoms.item[a->term[i].atom];
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

void opevo_i_pipeline_whole(opevo_i_pipeline_lowering *self, const opevo_affine *a,
                            const opevo_i_affine *axis, opevo_i_affine *out)
{
    *out = whole(&self->nest->atoms, a, axis);
    if (out->overflow)
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "An integer has more than %d parts.", OPEVO_I_TERMS);
}

void opevo_i_pipeline_difference(opevo_i_pipeline_lowering *self, const opevo_affine *a,
                                 const opevo_affine *b, const opevo_i_affine *axis,
                                 opevo_i_affine *out)
{
    opevo_i_affine less;

    opevo_i_pipeline_whole(self, b, axis, &less);
    opevo_i_pipeline_whole(self, a, axis, out);
    *out = opevo_i_affine_add(&self->nest->atoms, *out, -1, &less);
    if (out->overflow)
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A condition has more than %d parts.", OPEVO_I_TERMS);
}

const opevo_definition *opevo_i_pipeline_axes(opevo_i_pipeline_lowering *self, int key,
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

void opevo_i_pipeline_source_index(const opevo_i_pipeline_stage *stage, const opevo_i_affine *value,
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

opevo_i_affine opevo_i_pipeline_held(opevo_i_pipeline_lowering *self, int key, int dim,
                                     const opevo_i_affine *index)
{
    const opevo_i_pipeline_part *part = self->part[key];
    opevo_i_affine place = opevo_i_affine_add(&self->nest->atoms, *index, -1, &part->base[dim]);

    return part->step[dim] > 1 ? opevo_i_affine_divide(&self->nest->atoms, &place, part->step[dim])
                               : place;
}

/* The address in a layout of its own. */
static opevo_i_affine laid_out(opevo_i_pipeline_lowering *self, int key,
                               const opevo_i_affine *index, int64_t *size)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_pipeline_part *part = self->part[key];
    opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_affine address = opevo_i_affine_constant(0);

    for (int i = stage->pieces - 1; i >= 0; i--) {
        opevo_i_nest_piece piece = opevo_i_pipeline_piece(stage, i, part->extent);
        opevo_i_affine place = opevo_i_pipeline_held(self, key, piece.dim, &index[piece.dim]);

        if (opevo_i_affine_least(atoms, &place) < 0) {
            OPEVO_I_PIPELINE_REFUSE(
                self, INVALID, "%s has a layout, so it cannot be read ahead of its first element.",
                stage->name);
            return address;
        }
        place = opevo_i_affine_divide(atoms, &place, piece.divisor);
        if (!piece.outermost)
            place = opevo_i_affine_modulo(atoms, &place, piece.extent);
        *size = opevo_i_pipeline_piece_stride(stage, i, *size);
        address = opevo_i_affine_add(atoms, address, *size, &place);
        *size *= piece.extent;
    }
    return address;
}

/* The address, and the elements of an array that it is in. */
static opevo_i_affine address_of(opevo_i_pipeline_lowering *self, int key,
                                 const opevo_i_affine *index, int64_t *size)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_pipeline_part *part = self->part[key];
    opevo_i_affine address = opevo_i_affine_constant(0);
    bool is_operand = part->buffer < self->nest->operands;

    *size = 1;
    if (stage->pieces)
        return laid_out(self, key, index, size);
    for (int d = stage->dims - 1; d >= 0; d--) {
        opevo_i_affine place = opevo_i_pipeline_held(self, key, d, &index[d]);

        for (int inner = d + 1; inner < stage->dims && is_operand; inner++) {
            if (part->free[inner])
                place = opevo_i_affine_scale(&self->nest->atoms, &place,
                                             self->nest->argument[part->free[inner] - 1].atom);
        }
        *size = opevo_i_pipeline_stride(stage, d, *size);
        address = opevo_i_affine_add(&self->nest->atoms, address, *size, &place);
        if (!is_operand || !part->free[d])
            *size *= part->extent[d];
    }
    return address;
}

opevo_i_affine opevo_i_pipeline_address(opevo_i_pipeline_lowering *self, int key,
                                        const opevo_i_affine *index)
{
    int64_t size = 1;

    return address_of(self, key, index, &size);
}

opevo_i_nest_access opevo_i_pipeline_access(opevo_i_pipeline_lowering *self, int key,
                                            const opevo_i_affine *index)
{
    const opevo_i_pipeline_part *part = self->part[key];
    opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_nest_access access = {.buffer = part->buffer};
    int64_t stride = 1;

    access.address = address_of(self, key, index, &stride);
    for (int i = part->vthreads - 1; i >= 0; i--) {
        opevo_i_affine one = opevo_i_affine_of_atom(part->vthread[i]);

        access.address = opevo_i_affine_add(atoms, access.address, stride, &one);
        stride *= atoms->item[part->vthread[i]].extent;
    }
    if (self->pipeline->stage[key]->double_buffer) {
        opevo_i_affine half = opevo_i_affine_modulo(atoms, &part->turn, 2);

        access.address = opevo_i_affine_add(atoms, access.address, stride, &half);
    }
    if (access.address.overflow)
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "An address of %s has more than %d parts.",
                                self->pipeline->stage[key]->name, OPEVO_I_TERMS);
    return access;
}

int opevo_i_pipeline_add_read(opevo_i_pipeline_lowering *self, opevo_i_nest_leaf *leaf, int key,
                              const opevo_i_affine *index)
{
    opevo_i_nest_access access = opevo_i_pipeline_access(self, key, index);
    int read = 0;

    while (read < leaf->factors &&
           (leaf->factor[read].buffer != access.buffer ||
            !opevo_i_affine_equal(&leaf->factor[read].address, &access.address)))
        read++;
    if (read == OPEVO_I_FACTORS) {
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A statement would read more than %d elements.",
                                OPEVO_I_FACTORS);
        return -1;
    }
    if (read == leaf->factors)
        leaf->factor[leaf->factors++] = access;
    return read;
}
