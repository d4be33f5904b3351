/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Register tiles whose operands are streamed: each element is read once, as in the products of a
 * batch and in sums in groups of channels. The bandwidth of the memory limits them. It is reached
 * only if the processor asks for data early enough, and a processor looks no further ahead than the
 * instructions that it has begun: so a tile should not be much longer than that window. */

#include "sketch_tile_internal.h"

#include <opevo/computation_access.h>

static void note_shared(void *context, const opevo_expression *read)
{
    opevo_i_sketch_shared_axes *self = context;

    self->reads++;
    for (int axis = 0; axis < OPEVO_I_AXES; axis++) {
        bool moves = false;

        for (int d = 0; d < read->tensor->dims; d++)
            moves |= opevo_i_sketch_factor(&read->index[d], axis) != 0;
        self->has[axis] &= moves;
    }
}

opevo_i_sketch_shared_axes opevo_i_sketch_find_shared(const opevo_sketch *sketch)
{
    const opevo_i_pipeline_stage *stage = sketch->pipeline->stage[sketch->registers];
    opevo_i_sketch_shared_axes found = {.reads = 0};

    for (int axis = 0; axis < OPEVO_I_AXES; axis++)
        found.has[axis] = true;
    opevo_expression_reads(sketch->pipeline->computation->tensor[stage->tensor]->definition->value,
                           note_shared, &found);
    return found;
}

/* ---- Products of a batch ---- */

bool opevo_i_sketch_is_batched(const opevo_sketch *sketch, const opevo_device_facts *facts)
{
    const opevo_i_pipeline_stage *stage = sketch->pipeline->stage[sketch->registers];
    opevo_i_sketch_operand from = opevo_i_sketch_find_operand(sketch);
    opevo_i_sketch_shared_axes shared = opevo_i_sketch_find_shared(sketch);
    double products = 1, bytes = 0;

    if (!from.definition || sketch->packed >= 0 || from.computed || !from.adjacent ||
        shared.has[sketch->lanes] ||
        !opevo_i_sketch_clashes(from.step, from.terms, facts->vector_bits / 16, facts))
        return false;
    for (int a = 0; a < stage->dims; a++)
        products *= shared.has[a] ? (double)stage->own.axis_extent[a] : 1;
    bytes = 4 * from.elements / products;
    return products > 1 && 2 * bytes > (double)facts->l1_bytes &&
           2 * bytes <= (double)facts->l2_bytes;
}

/* A tile of one vector whose rows hide the latency alone, if there is one; otherwise as it is. */
static opevo_i_template_register_tile one_vector(const opevo_i_template_register_tile *tile,
                                                 int64_t rows)
{
    int64_t fewer = opevo_i_template_divisor_below(rows, OPEVO_I_ACCUMULATORS);

    return 2 * fewer > OPEVO_I_ACCUMULATORS
               ? (opevo_i_template_register_tile){fewer, tile->lanes, tile->lanes}
               : *tile;
}

/* ---- Groups of channels ---- */

typedef struct groups {
    int lanes;
    int64_t least; /* 0: none */
} groups;

static void note_group(void *context, const opevo_expression *read)
{
    groups *self = context;

    for (int d = 0; d < read->tensor->dims; d++) {
        for (int t = 0; t < read->index[d].count; t++) {
            const opevo_term *term = &read->index[d].term[t];

            if (term->atom == OPEVO_ATOM_FLOOR && opevo_i_sketch_factor(term->inner, self->lanes) &&
                (self->least == 0 || term->divisor < self->least))
                self->least = term->divisor;
        }
    }
}

int64_t opevo_i_sketch_group(const opevo_sketch *sketch)
{
    const opevo_i_pipeline_stage *stage = sketch->pipeline->stage[sketch->registers];
    opevo_i_sketch_shared_axes shared = opevo_i_sketch_find_shared(sketch);
    groups found = {.lanes = sketch->lanes};

    if (opevo_i_sketch_is_of_parts(sketch) || shared.reads < 2)
        return 0;
    if (shared.has[sketch->lanes])
        return 1;
    opevo_expression_reads(sketch->pipeline->computation->tensor[stage->tensor]->definition->value,
                           note_group, &found);
    return found.least;
}

/* Multiply-adds of vectors during which a processor asks for what the next tile reads: half of
 * those that it has begun at a time. */
enum { AHEAD = 160 };

static int64_t count_terms(const opevo_sketch *sketch, const opevo_i_sketch_axes *of)
{
    int64_t terms = 1;

    for (int i = 0; i < of->sums_count; i++)
        terms *= sketch->slot[of->sums[i]].extent;
    return terms;
}

bool opevo_i_sketch_is_grouped(const opevo_sketch *sketch, const opevo_device_facts *facts)
{
    opevo_i_sketch_axes of = opevo_i_sketch_find_axes(sketch);

    return opevo_i_sketch_group(sketch) > 0 && count_terms(sketch, &of) < OPEVO_I_SHORT_SUM &&
           2 * opevo_i_sketch_find_operand(sketch).elements > (double)facts->l2_bytes;
}

/* Whether padding is read in place in such a tile. */
static bool reads_padding(const opevo_sketch *sketch, const opevo_i_sketch_axes *of,
                          const opevo_i_template_register_tile *tile, int rows,
                          const opevo_device_facts *facts)
{
    int64_t length[OPEVO_I_AXES] = {0};

    for (int i = 0; i < of->spatials; i++)
        length[of->axis[i]] = i == of->spatials - 1 ? tile->columns : i == rows ? tile->rows : 1;
    for (int i = 0; i < sketch->slots; i++) {
        if (sketch->slot[i].kind == OPEVO_SLOT_LOCATION && sketch->slot[i].key != sketch->packed &&
            sketch->slot[i].key != sketch->registers &&
            opevo_i_sketch_reads_source(sketch, sketch->slot[i].key, length, facts))
            return true;
    }
    return false;
}

/* The tile of a short sum of single channels, whose padding is read in place: as wide as it can be,
 * with rows along the last axis but one. What they ask about the padding is the same for all tiles
 * along the last, and those pass memory in its order. */
static opevo_i_template_register_tile pass_rows(const opevo_sketch *sketch,
                                                const opevo_i_sketch_axes *of,
                                                const opevo_device_facts *facts, int64_t most,
                                                opevo_i_template_register_tile tile, int *rows)
{
    int64_t widest = OPEVO_I_LONGEST_INNERMOST / tile.lanes;
    int64_t vectors = sketch->slot[of->spatial[of->spatials - 1]].extent / tile.lanes;
    int64_t extent = sketch->slot[of->spatial[of->spatials - 3]].extent;

    vectors = opevo_i_template_divisor_below(vectors, most < widest ? most : widest);
    tile.columns = tile.lanes * vectors;
    *rows = of->spatials - 3;
    tile.rows = opevo_i_template_divisor_below(extent, most / vectors);
    while (tile.rows > 1 && !reads_padding(sketch, of, &tile, *rows, facts))
        tile.rows = opevo_i_template_divisor_below(extent, tile.rows - 1);
    return tile;
}

/* The tile of a short sum in groups of channels. */
static opevo_i_template_register_tile grouped(const opevo_sketch *sketch,
                                              const opevo_i_sketch_axes *of,
                                              const opevo_device_facts *facts,
                                              opevo_i_template_register_tile tile, int *rows)
{
    int64_t most = AHEAD / count_terms(sketch, of);
    int64_t fewer = most / (tile.columns / tile.lanes);

    if (opevo_i_sketch_group(sketch) == 1 && of->spatials > 2 &&
        reads_padding(sketch, of, &tile, *rows, facts))
        return pass_rows(sketch, of, facts, most, tile, rows);
    if (fewer < tile.rows)
        tile.rows = opevo_i_template_divisor_below(sketch->slot[of->spatial[*rows]].extent, fewer);
    return tile;
}

opevo_i_template_register_tile opevo_i_sketch_stream(const opevo_sketch *sketch,
                                                     const opevo_i_sketch_axes *of,
                                                     const opevo_device_facts *facts,
                                                     opevo_i_template_register_tile tile, int *rows)
{
    if (opevo_i_sketch_is_batched(sketch, facts))
        return one_vector(&tile, sketch->slot[of->spatial[*rows]].extent);
    return opevo_i_sketch_is_grouped(sketch, facts) ? grouped(sketch, of, facts, tile, rows) : tile;
}
