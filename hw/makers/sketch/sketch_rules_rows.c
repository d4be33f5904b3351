/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Blocks of rows: of two products, of which the second reads what becomes of rows of the first,
 * everything is computed for a block of rows, and then for the next. The output has the loops
 * around the blocks, and all other stages are computed there: sums in registers, others in vectors
 * along the rows, and those that cost nothing where they are read.
 * Source: opevo_computation_rows. */

#include "sketch_rules_internal.h"

#include <opevo/computation_access.h>
#include <opevo/computation_rows.h>

typedef struct blocks {
    opevo_i_sketch_state *to;
    opevo_pipeline *pipeline;
    opevo_row_blocks rows;
    int last, loop; /* the output, and its loop over blocks */
    opevo_error *err;
} blocks;

bool opevo_i_sketch_has_blocks(const opevo_computation *computation,
                               const opevo_sketch_target *target)
{
    opevo_row_blocks rows;

    return !target->ansor && !opevo_i_sketch_is_gpu(target->dialect) &&
           opevo_computation_row_blocks(computation, &rows);
}

/* Nothing else is tried: no other sketch keeps the products of the first in a cache. */
opevo_i_sketch_verdict opevo_i_sketch_should_take_rows(const opevo_i_sketch_generator *self,
                                                       const opevo_i_sketch_state *from)
{
    return opevo_pipeline_step_count(from->sketch.pipeline) == 0 &&
                   opevo_i_sketch_has_blocks(from->sketch.pipeline->computation, self->target)
               ? OPEVO_I_APPLY_ALONE
               : OPEVO_I_SKIP;
}

/* The loops of other axes, then those of blocks and rows, then what is inside. */
static opevo_status tile_output(blocks *self)
{
    const opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(self->pipeline, self->last);
    int64_t order[OPEVO_I_LOOPS];
    int row = self->rows.row, dims = stage->dims, count = 0;
    opevo_status status = opevo_i_sketch_step(self->pipeline, OPEVO_PIPELINE_SPLIT, self->last, 2,
                                              (int64_t[]){row, 1}, self->err);

    if (status != OPEVO_OK)
        return status;
    for (int pass = 0; pass < 2; pass++) {
        for (int a = 0; a < dims; a++)
            if (a != row && (self->rows.outer >> a & 1) != (unsigned)pass)
                order[count++] = a + (a > row);
        if (pass == 0) {
            self->loop = count;
            order[count++] = row;
            order[count++] = row + 1;
        }
    }
    self->to->sketch.tiled[self->pipeline->order[self->last]] = true;
    return opevo_i_sketch_step(self->pipeline, OPEVO_PIPELINE_REORDER, self->last, count, order,
                               self->err);
}

/* Sums of a tile gather in registers: its rows and what else is inside are split in two. */
static opevo_status gather(blocks *self, int number)
{
    const opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(self->pipeline, number);
    int dims = stage->dims, axes = stage->own.axes, key = self->pipeline->order[number];
    unsigned inside = self->rows.inside[stage->tensor];
    int64_t order[OPEVO_I_LOOPS];
    int at = 0, first[OPEVO_I_AXES], count = 0, outside = 0;
    opevo_status status = OPEVO_OK;

    for (int a = 0; a < axes; a++) {
        first[a] = at;
        if (a < dims && inside >> a & 1)
            OPEVO_TRY(opevo_i_sketch_step(self->pipeline, OPEVO_PIPELINE_SPLIT, number, 2,
                                          (int64_t[]){at++, 1}, self->err));
        at++;
    }
    for (int pass = 0; pass < 2; pass++)
        for (int a = 0; a < dims; a++)
            if ((inside >> a & 1) == (unsigned)pass)
                order[count++] = first[a];
    outside = count;
    for (int a = dims; a < axes; a++)
        order[count++] = first[a];
    for (int a = 0; a < dims; a++)
        if (inside >> a & 1)
            order[count++] = first[a] + 1;
    OPEVO_TRY(opevo_i_sketch_step(self->pipeline, OPEVO_PIPELINE_REORDER, number, count, order,
                                  self->err));
    OPEVO_TRY(opevo_i_sketch_step(self->pipeline, OPEVO_PIPELINE_ACCUMULATE, number, 1,
                                  (int64_t[]){outside - 1}, self->err));
    self->to->sketch.gathers[key] = count - outside - (axes - dims);
cleanup:
    return status;
}

/* Whether a definition is stored for a block: a product reads it, or it costs more than to load. */
static bool is_stored(const opevo_tensor *tensor, const opevo_row_blocks *rows)
{
    bool stored = tensor->definition->reducer != OPEVO_REDUCER_NONE;

    if (!rows->inside[tensor->number])
        return false;
    for (int r = 0; r < tensor->readers; r++)
        stored |= opevo_tensor_needs_tiling(tensor->reader[r]) &&
                  tensor->reader[r]->definition->reducer != OPEVO_REDUCER_NONE;
    return stored || !opevo_tensor_is_strictly_inlineable(tensor);
}

static opevo_status place(blocks *self, int number)
{
    const opevo_tensor *tensor = self->pipeline->computation->tensor[number];
    int key = self->pipeline->order[number];
    int along = opevo_i_sketch_permuted_axis(self->pipeline, number);
    opevo_status status = OPEVO_OK;

    if (!is_stored(tensor, &self->rows))
        return opevo_i_sketch_step(self->pipeline, OPEVO_PIPELINE_COMPUTE_INLINE, number, 0,
                                   (int64_t[]){0}, self->err);
    if (tensor->definition->reducer != OPEVO_REDUCER_NONE) {
        OPEVO_TRY(gather(self, number));
    } else if (along >= 0 && self->rows.inside[number] >> along & 1) {
        OPEVO_TRY(opevo_i_sketch_block(self->pipeline, number, along, self->err));
        self->to->sketch.blocked[key] = true;
    }
    self->to->sketch.tiled[key] = true;
    status = opevo_i_sketch_step(self->pipeline, OPEVO_PIPELINE_COMPUTE_AT, number, 2,
                                 (int64_t[]){self->last, self->loop}, self->err);
cleanup:
    return status;
}

/* A constant that lies in the order of its dimensions but is read by vectors along rows, which are
 * not its last one, is packed with them last, once. */
typedef struct layouts {
    const opevo_row_blocks *rows;
    const opevo_tensor *reader;
    int dim[OPEVO_ROWS_TENSORS]; /* of each tensor; -1: it stays */
} layouts;

static void look_at_constant(void *context, const opevo_expression *read)
{
    layouts *self = context;
    int row = self->reader->definition->spatial - 1;

    if (read->tensor->role != OPEVO_ROLE_CONSTANT || read->tensor->dims > OPEVO_I_DIMS)
        return;
    for (int d = 0; d < read->tensor->dims - 1; d++) {
        const opevo_affine *index = &read->index[d];

        if (index->count == 1 && index->term[0].atom == OPEVO_ATOM_AXIS &&
            index->term[0].axis == row && read->tensor->extent[d] > 1)
            self->dim[read->tensor->number] = d;
    }
}

static opevo_status lay_out(blocks *self, int number, int dim)
{
    int dims = opevo_i_pipeline_at(self->pipeline, number)->dims, count = 0;
    int64_t pieces[2 * OPEVO_I_DIMS];

    for (int pass = 0; pass < 2; pass++) {
        for (int d = 0; d < dims; d++) {
            if ((d == dim) != pass)
                continue;
            pieces[count++] = d;
            pieces[count++] = 1;
        }
    }
    return opevo_i_sketch_step(self->pipeline, OPEVO_PIPELINE_LAYOUT, number, count, pieces,
                               self->err);
}

static opevo_status lay_out_constants(blocks *self)
{
    const opevo_computation *computation = self->pipeline->computation;
    layouts found = {.rows = &self->rows};
    opevo_status status = OPEVO_OK;

    for (int t = 0; t < computation->tensors; t++)
        found.dim[t] = -1;
    for (int t = 0; t < self->last; t++) {
        found.reader = computation->tensor[t];
        if (found.reader->definition && self->rows.inside[t] &&
            found.reader->definition->reducer == OPEVO_REDUCER_NONE)
            opevo_expression_reads(found.reader->definition->value, look_at_constant, &found);
    }
    for (int t = 0; t < self->last; t++)
        if (found.dim[t] >= 0 && opevo_i_sketch_can_be_packed(self->pipeline, t))
            OPEVO_TRY(lay_out(self, t, found.dim[t]));
cleanup:
    return status;
}

opevo_status opevo_i_sketch_do_take_rows(opevo_i_sketch_generator *self,
                                         const opevo_i_sketch_state *from)
{
    blocks all = {.last = from->stage, .err = self->err};
    opevo_i_sketch_state *to = NULL;
    opevo_status status = opevo_i_sketch_copy_state(from, &to, self->err);

    if (status != OPEVO_OK)
        return status;
    all.to = to;
    all.pipeline = to->sketch.pipeline;
    opevo_computation_row_blocks(all.pipeline->computation, &all.rows);
    to->sketch.rows = true;
    OPEVO_TRY(tile_output(&all));
    for (int number = all.last - 1; number >= 0; number--)
        if (all.pipeline->computation->tensor[number]->definition)
            OPEVO_TRY(place(&all, number));
    if (self->target->dialect == OPEVO_KERNEL_C)
        OPEVO_TRY(lay_out_constants(&all));
    to->stage = -1;
    status = opevo_i_sketch_push(self, to);
    to = NULL;
cleanup:
    opevo_i_sketch_free_state(to);
    return status;
}
