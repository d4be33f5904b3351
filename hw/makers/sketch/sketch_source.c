/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Copies through which a register tile can read its source directly. Two kinds are: a copy in
 * another order of elements, and padding, a select of an element or 0. The tile reads padding by
 * leaving out the terms outside, most of them for all lanes of a vector at once. Where it reads the
 * copy instead, that costs writing and reading it, and multiplications with 0. */

#include "sketch_tile_internal.h"

#include <opevo/computation_access.h>

typedef struct search {
    const opevo_i_pipeline_stage *reader;
    int key, count;
    const opevo_expression *read;
} search;

static void note_read(void *context, const opevo_expression *read)
{
    search *self = context;

    if (opevo_i_pipeline_target(self->reader, read->tensor) != self->key)
        return;
    self->read = read;
    self->count++;
}

static const opevo_definition *definition_of(const opevo_sketch *sketch, int key)
{
    return sketch->pipeline->computation->tensor[sketch->pipeline->stage[key]->tensor]->definition;
}

const opevo_expression *opevo_i_sketch_only_read(const opevo_sketch *sketch, int reader, int key)
{
    search self = {.reader = sketch->pipeline->stage[reader], .key = key};

    opevo_expression_reads(definition_of(sketch, reader)->value, note_read, &self);
    return self.count == 1 ? self.read : NULL;
}

/* A product of elements: a term with a 0 in it is left out of the sum. */
static bool is_product(const opevo_expression *value)
{
    return value->kind == OPEVO_EXPR_READ || (value->kind == OPEVO_EXPR_MULTIPLY &&
                                              is_product(value->left) && is_product(value->right));
}

/* The axes that a condition asks about; false where it compares elements, or is not a
 * conjunction. */
static bool note_asked(const opevo_condition *condition, unsigned *asked)
{
    if (condition->kind == OPEVO_COND_AND)
        return note_asked(condition->left, asked) && note_asked(condition->right, asked);
    if (condition->kind == OPEVO_COND_OR || !condition->a)
        return false;
    *asked |= opevo_affine_axes(condition->a) | opevo_affine_axes(condition->b);
    return true;
}

/* What a definition copies; NULL for others. */
static const opevo_expression *copied_read(const opevo_definition *definition)
{
    const opevo_expression *value = definition ? definition->value : NULL;

    if (!value || definition->axes != definition->spatial)
        return NULL;
    if (value->kind == OPEVO_EXPR_SELECT && value->right->kind == OPEVO_EXPR_NUMBER &&
        value->right->number == 0)
        value = value->left;
    return value->kind == OPEVO_EXPR_READ ? value : NULL;
}

/* Whether neighbours along the last dimension of a copy are neighbours in what is copied. */
static bool keeps_rows(const opevo_definition *copy, const opevo_expression *from)
{
    int last = from->tensor->dims - 1;

    return last >= 0 && from->index[last].count == 1 &&
           from->index[last].term[0].atom == OPEVO_ATOM_AXIS &&
           from->index[last].term[0].axis == copy->axes - 1 &&
           from->index[last].term[0].factor == 1;
}

/* The axis of the definition that lanes run along. */
static int lane_axis(const opevo_sketch *sketch, const opevo_definition *definition)
{
    int axis = definition->axes - 1;

    if (!opevo_i_sketch_is_of_parts(sketch))
        return sketch->lanes;
    while (axis > definition->spatial && definition->axis[axis].extent == 1)
        axis--;
    return axis;
}

/* Whether the rows of vectors that a tile reads along some dimension do not stay in the first
 * cache. */
static bool clashes(const opevo_definition *reader, int lanes, const opevo_expression *read,
                    const opevo_definition *copy, const opevo_expression *from,
                    const int64_t *length, const opevo_device_facts *facts)
{
    int64_t columns = length[lanes];
    int64_t step = 1;

    for (int d = from->tensor->dims - 1; d >= 0; d--) {
        int64_t rows = 1;

        for (int to = 0; to < copy->axes && step > 1; to++) {
            int64_t moves = opevo_i_sketch_factor(&from->index[d], to);

            for (int a = 0; a < reader->axes && moves; a++) {
                int64_t factor = moves * opevo_i_sketch_factor(&read->index[to], a);
                int64_t extent = a < reader->spatial ? length[a] : reader->axis[a].extent;

                rows += a == lanes ? 0 : (factor < 0 ? -factor : factor) * (extent - 1);
            }
        }
        if (rows > 1 && columns <= step && opevo_i_sketch_clashes(step, rows, columns, facts))
            return true;
        step *= from->tensor->extent[d];
    }
    return false;
}

bool opevo_i_sketch_reads_source(const opevo_sketch *sketch, int key, const int64_t *length,
                                 const opevo_device_facts *facts)
{
    const opevo_definition *reader = definition_of(sketch, sketch->registers);
    const opevo_definition *copy = definition_of(sketch, key);
    const opevo_expression *from = copied_read(copy);
    const opevo_expression *read = opevo_i_sketch_only_read(sketch, sketch->registers, key);
    unsigned asked = 0;
    bool moves = false;
    int lanes = lane_axis(sketch, reader);

    if (!from || !read || read->tensor->readers != 1 || reader->reducer != OPEVO_REDUCER_SUM ||
        !is_product(reader->value) ||
        (copy->value != from && !note_asked(copy->value->condition, &asked)))
        return false;
    for (int d = 0; d < read->tensor->dims; d++) {
        bool follows = opevo_affine_axes(&read->index[d]) >> lanes & 1;

        if (follows && asked >> d & 1)
            return false;
        moves |= follows;
    }
    return !moves ||
           (keeps_rows(copy, from) && (opevo_i_sketch_is_of_parts(sketch) ||
                                       !clashes(reader, lanes, read, copy, from, length, facts)));
}
