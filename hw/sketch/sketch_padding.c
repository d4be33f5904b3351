/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Padding, a select of an element or 0, that register tiles need no copy of. Where all lanes of a vector
 * are inside or all are not, what lies outside is a term that is left out, most of it together with
 * others. Then a copy costs what it takes to write and read it, and multiplications with 0. */

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

const opevo_expression *opevo_i_sketch_only_read(const opevo_sketch *sketch, int key)
{
    search self = {.reader = sketch->pipeline->stage[sketch->registers], .key = key};

    opevo_expression_reads(definition_of(sketch, sketch->registers)->value, note_read, &self);
    return self.count == 1 ? self.read : NULL;
}

/* A product of elements: a term with a 0 in it is left out of the sum. */
static bool is_product(const opevo_expression *value)
{
    return value->kind == OPEVO_EXPR_READ || (value->kind == OPEVO_EXPR_MULTIPLY &&
                                              is_product(value->left) && is_product(value->right));
}

/* Which axes a number depends on. */
static void note_axes(const opevo_affine *index, bool *used)
{
    for (int t = 0; t < index->count; t++) {
        if (index->term[t].atom == OPEVO_ATOM_AXIS)
            used[index->term[t].axis] = true;
        else
            note_axes(index->term[t].inner, used);
    }
}

/* The axes that a condition asks about; false where it compares elements, or is not a conjunction. */
static bool note_asked(const opevo_condition *condition, bool *asked)
{
    if (condition->kind == OPEVO_COND_AND)
        return note_asked(condition->left, asked) && note_asked(condition->right, asked);
    if (condition->kind == OPEVO_COND_OR || !condition->a)
        return false;
    note_axes(condition->a, asked);
    note_axes(condition->b, asked);
    return true;
}

static const opevo_expression *padded_read(const opevo_definition *definition)
{
    const opevo_expression *value = definition ? definition->value : NULL;

    return value && definition->axes == definition->spatial && value->kind == OPEVO_EXPR_SELECT &&
                   value->left->kind == OPEVO_EXPR_READ &&
                   value->right->kind == OPEVO_EXPR_NUMBER && value->right->number == 0
               ? value->left
               : NULL;
}

/* Whether what a tile reads along some dimension, which lanes do not lie along, does not stay in the
 * first cache. */
static bool clashes(const opevo_sketch *sketch, const opevo_expression *read,
                    const opevo_expression *from, const int64_t *length,
                    const opevo_device_facts *facts)
{
    const opevo_definition *reader = definition_of(sketch, sketch->registers);
    int64_t step = 1;

    for (int d = from->tensor->dims - 1; d >= 0; d--) {
        int64_t rows = 1;

        for (int a = 0; a < reader->axes && d < read->tensor->dims && step > 1; a++) {
            int64_t factor = opevo_i_sketch_factor(&read->index[d], a);
            int64_t extent = a < reader->spatial ? length[a] : reader->axis[a].extent;

            rows += a == sketch->lanes ? 0 : (factor < 0 ? -factor : factor) * (extent - 1);
        }
        if (rows > 1 && length[sketch->lanes] <= step &&
            opevo_i_sketch_clashes(step, rows, length[sketch->lanes], facts))
            return true;
        step *= from->tensor->extent[d];
    }
    return false;
}

bool opevo_i_sketch_reads_padding(const opevo_sketch *sketch, int key, const int64_t *length,
                                  const opevo_device_facts *facts)
{
    const opevo_definition *reader = definition_of(sketch, sketch->registers);
    const opevo_expression *from = padded_read(definition_of(sketch, key));
    const opevo_expression *read = opevo_i_sketch_only_read(sketch, key);
    bool asked[OPEVO_I_AXES] = {false};
    bool in_read[OPEVO_I_AXES] = {false};

    if (!from || !read || read->tensor->readers != 1 || opevo_i_sketch_is_of_parts(sketch) ||
        reader->reducer != OPEVO_REDUCER_SUM || !is_product(reader->value) ||
        !note_asked(definition_of(sketch, key)->value->condition, asked))
        return false;
    for (int d = 0; d < read->tensor->dims; d++) {
        bool used[OPEVO_I_AXES] = {false};

        note_axes(&read->index[d], used);
        if (asked[d] && used[sketch->lanes])
            return false;
        in_read[sketch->lanes] |= used[sketch->lanes];
    }
    return !in_read[sketch->lanes] || !clashes(sketch, read, from, length, facts);
}
