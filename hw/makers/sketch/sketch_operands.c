/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How the operands of a sum are read as its axes move. */

#include "sketch_tile_internal.h"

#include <opevo/computation_access.h>

#include <string.h>

enum { WAY = 64 }; /* lines of a way of the first cache */

bool opevo_i_sketch_is_of_parts(const opevo_sketch *sketch)
{
    return sketch->pipeline->stage[sketch->registers]->map != NULL;
}

opevo_i_sketch_axes opevo_i_sketch_find_axes(const opevo_sketch *sketch)
{
    opevo_i_sketch_axes found = {.spatials = 0};
    int axis = 0;
    int lanes = opevo_i_sketch_lane_slot(sketch);

    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];

        if (slot->kind != OPEVO_SLOT_TILE || slot->key != sketch->registers)
            continue;
        if (slot->parts == 2) {
            found.sums[found.sums_count++] = i;
            continue;
        }
        if (i != lanes) {
            found.axis[found.spatials] = axis;
            found.spatial[found.spatials++] = i;
        }
        axis++;
    }
    found.axis[found.spatials] = sketch->lanes;
    found.spatial[found.spatials++] = lanes;
    return found;
}

int64_t opevo_i_sketch_factor(const opevo_affine *index, int axis)
{
    int64_t factor = 0;

    for (int t = 0; t < index->count; t++) {
        if (index->term[t].atom == OPEVO_ATOM_AXIS && index->term[t].axis == axis)
            factor += index->term[t].factor;
    }
    return factor;
}

/* Elements from one value of an axis, or of a division, to the next; and what they are not
 * multiples of is a line that a vector crosses. */
static void note_steps(opevo_i_sketch_operand *self, const opevo_affine *index, int64_t stride)
{
    self->aligned &= index->constant * stride % OPEVO_I_SKETCH_LINE == 0;
    for (int t = 0; t < index->count; t++) {
        const opevo_term *term = &index->term[t];
        int64_t step = term->factor * stride;

        if (term->atom == OPEVO_ATOM_AXIS &&
            (term->axis == self->lanes || self->definition->axis[term->axis].extent == 1))
            continue;
        self->aligned &= step % OPEVO_I_SKETCH_LINE == 0;
        if (term->atom == OPEVO_ATOM_AXIS && term->axis >= self->definition->spatial &&
            self->definition->axis[term->axis].extent > self->terms) {
            self->terms = self->definition->axis[term->axis].extent;
            self->step = step;
        }
    }
}

static void look_at(void *context, const opevo_expression *read)
{
    opevo_i_sketch_operand *self = context;
    double elements = (double)opevo_tensor_elements(read->tensor);
    int last = read->tensor->dims - 1;
    int64_t stride = 1;
    int64_t factor = 0;
    unsigned used = 0;

    for (int d = 0; d <= last; d++)
        used |= opevo_affine_axes(&read->index[d]);
    if ((used >> self->lanes & 1) == (unsigned)self->broadcast)
        return;
    if (last >= 0)
        factor = opevo_i_sketch_factor(&read->index[last], self->lanes);
    for (int a = 0; a < OPEVO_I_AXES; a++)
        self->moves[a] |= used >> a & 1;
    for (int d = last; d >= 0; d--) {
        note_steps(self, &read->index[d], stride);
        stride *= read->tensor->extent[d];
    }
    self->adjacent = (!self->found || self->adjacent) && factor == 1;
    self->paired = (!self->found || self->paired) && (factor == 1 || factor == 2);
    self->computed |= read->tensor->definition != NULL;
    self->elements = elements > self->elements ? elements : self->elements;
    self->found = true;
}

static opevo_i_sketch_operand find_operand(const opevo_sketch *sketch, bool broadcast)
{
    const opevo_i_pipeline_stage *stage = sketch->pipeline->stage[sketch->registers];
    opevo_i_sketch_operand from = {
        .definition = sketch->pipeline->computation->tensor[stage->tensor]->definition,
        .lanes = sketch->lanes,
        .broadcast = broadcast,
        .aligned = true};

    if (opevo_i_sketch_is_of_parts(
            sketch)) /* lanes of a sum: no vector is read again, none is scattered */
        return (opevo_i_sketch_operand){.found = true, .adjacent = true, .aligned = true};
    opevo_expression_reads(from.definition->value, look_at, &from);
    return from;
}

opevo_i_sketch_operand opevo_i_sketch_find_operand(const opevo_sketch *sketch)
{
    return find_operand(sketch, false);
}

opevo_i_sketch_operand opevo_i_sketch_find_broadcast(const opevo_sketch *sketch)
{
    return find_operand(sketch, true);
}

bool opevo_i_sketch_clashes(int64_t step, int64_t rows, int64_t columns,
                            const opevo_device_facts *facts)
{
    int64_t lines = step / OPEVO_I_SKETCH_LINE;
    int64_t wide = (columns + OPEVO_I_SKETCH_LINE - 1) / OPEVO_I_SKETCH_LINE;
    int64_t sets = WAY;

    if (step % OPEVO_I_SKETCH_LINE || lines == 0)
        return false;
    while (lines % 2 == 0 && sets > 1) {
        lines /= 2;
        sets /= 2;
    }
    sets = sets * wide < WAY ? sets * wide : WAY;
    return rows * wide >= (int64_t)facts->l1_bytes / (4 * OPEVO_I_SKETCH_LINE * WAY) * sets;
}

void opevo_i_sketch_vector_axes(const opevo_definition *definition, int lanes, bool *moves)
{
    opevo_i_sketch_operand from = {.definition = definition, .lanes = lanes};

    opevo_expression_reads(definition->value, look_at, &from);
    memcpy(moves, from.moves, sizeof from.moves);
}
