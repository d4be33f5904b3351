/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points of sketches. The sums of a register tile follow the same model as those of the
 * templates: a panel of the vectors' operand fills most of the first cache and stays there while
 * rows pass, whose operand fills half of the second. A sketch without registers starts in the
 * middle. */

#include "sketch_tile_internal.h"

#include <opevo/computation_access.h>
#include <opevo/nearest.h>

#include <math.h>

enum { BLOCK_READ = 64, BLOCK_STORED = 16 }; /* elements of rows of a block of permuted reads */

static int64_t innermost(int64_t extent, int64_t most)
{
    return opevo_i_template_divisor_below(
        extent, most < OPEVO_I_LONGEST_INNERMOST ? most : OPEVO_I_LONGEST_INNERMOST);
}

/* ---- The register tile ---- */

/* Rows of parts: more would share the sets of a cache. */
enum { PART_ROWS = 8, PART_SUMS = 24, STREAMED_ROWS = 8 };

/* Give the inner part of a sum as much as is left, short sums first; or the last ones first, which
 * run inside blocks and so share lines of a cache. Returns the product. */
static int64_t prefer_sums(const opevo_sketch *sketch, const opevo_i_sketch_axes *of, int64_t most,
                           bool in_blocks, opevo_slot_value *values)
{
    bool done[OPEVO_I_AXES] = {false};
    int64_t product = 1;

    for (int n = 0; n < of->sums_count; n++) {
        int next = 0;

        while (done[next])
            next++;
        for (int i = next + 1; i < of->sums_count; i++) {
            if (!done[i] && (in_blocks || sketch->slot[of->sums[i]].extent <
                                              sketch->slot[of->sums[next]].extent))
                next = i;
        }
        done[next] = true;
        values[of->sums[next]].length[1] =
            opevo_i_template_divisor_below(sketch->slot[of->sums[next]].extent, most / product);
        product *= values[of->sums[next]].length[1];
    }
    for (int i = 0; i < of->sums_count; i++)
        values[of->sums[i]].length[0] =
            sketch->slot[of->sums[i]].extent / values[of->sums[i]].length[1];
    return product;
}

typedef struct largest_operand {
    int lanes;
    double elements;
} largest_operand;

static void note_largest(void *context, const opevo_expression *read)
{
    largest_operand *self = context;
    bool moves = false;

    for (int d = 0; d < read->tensor->dims; d++)
        moves |= opevo_i_sketch_factor(&read->index[d], self->lanes) != 0;
    if (!moves)
        self->elements = fmax(self->elements, (double)opevo_tensor_elements(read->tensor));
}

/* How many tiles along the vectors a block has. One, unless what its rows read for the whole sum is
 * far larger than the second cache, and would come from memory for each tile. In groups of channels
 * each tile reads other elements of the same rows: then as many as have panels in half of the first
 * cache. */
static int64_t choose_panels(const opevo_sketch *sketch, const opevo_i_sketch_axes *of,
                             int64_t depth, int64_t columns, const opevo_device_facts *facts)
{
    static const double far = 8; /* times as large */
    const opevo_i_pipeline_stage *stage = sketch->pipeline->stage[sketch->registers];
    largest_operand other = {.lanes = sketch->lanes};
    double room = (double)facts->l2_bytes / 8; /* numbers, half of the cache */
    double rows = room / (double)depth;
    double terms = 1;

    opevo_expression_reads(sketch->pipeline->computation->tensor[stage->tensor]->definition->value,
                           note_largest, &other);
    for (int i = 0; i < of->sums_count; i++)
        terms *= (double)sketch->slot[of->sums[i]].extent;
    if (opevo_i_sketch_is_grouped(sketch, facts))
        return (int64_t)facts->l1_bytes / 8 / (depth * columns);
    if ((double)depth >= terms ||
        4 * fmin(rows * terms, other.elements) <= far * (double)facts->l2_bytes)
        return 1;
    return (int64_t)(room / (double)depth / (double)columns);
}

/* As many blocks as threads need, of the first axes. */
static void divide_outside(const opevo_i_sketch_axes *of, unsigned threads,
                           opevo_slot_value *values)
{
    int64_t outside = 1;

    for (int i = 0; i < of->spatials; i++)
        outside *= values[of->spatial[i]].length[0];
    for (int i = 0; i < of->spatials && outside < threads; i++) {
        int64_t *length = values[of->spatial[i]].length;
        int64_t others = outside / length[0];
        unsigned needed = (unsigned)((threads + others - 1) / others);

        if (opevo_i_template_prefer_divided(length[0] * length[1], needed, &length[0], &length[1]))
            outside = others * length[0];
    }
}

/* Blocks of tiles along all axes but those that all operands have, `panels` along that of the
 * vectors, then as many outside as threads need. */
static void prefer_blocks(const opevo_sketch *sketch, const opevo_i_sketch_axes *of, int64_t most,
                          int64_t panels, unsigned threads, opevo_slot_value *values)
{
    bool parts = opevo_i_sketch_is_of_parts(sketch);
    opevo_i_sketch_shared_axes reads = opevo_i_sketch_find_shared(sketch);

    for (int i = of->spatials - 1; i >= 0; i--) {
        int64_t *length = values[of->spatial[i]].length;
        int64_t tiles = sketch->slot[of->spatial[i]].extent / length[2];
        bool last = i == of->spatials - 1;
        bool once = !parts && reads.has[of->axis[i]];

        length[1] = opevo_i_template_divisor_below(tiles, last ? panels : once ? 1 : most);
        length[0] = tiles / length[1];
        most /= last ? 1 : length[1];
    }
    divide_outside(of, threads, values);
}

/* Vectors that are read once come in whole rows, a few of them at a time, and the sums stay in the
 * first cache. */
static void prefer_stream(const opevo_sketch *sketch, const opevo_i_sketch_axes *of, int64_t most,
                          unsigned threads, opevo_slot_value *values)
{
    int last = of->spatial[of->spatials - 1];
    int64_t tiles = sketch->slot[last].extent / values[last].length[2];

    prefer_sums(sketch, of, STREAMED_ROWS, false, values);
    for (int i = 0; i < of->spatials - 1; i++) {
        int slot = of->spatial[i];

        values[slot].length[1] = 1;
        values[slot].length[0] = sketch->slot[slot].extent / values[slot].length[2];
    }
    values[last].length[1] = opevo_i_template_divisor_below(tiles, most / values[last].length[2]);
    values[last].length[0] = tiles / values[last].length[1];
    divide_outside(of, threads, values);
}

/* Rows of parts: short axes whole, and some of the next one, all of which read their own
 * vectors. */
static void prefer_part_rows(const opevo_sketch *sketch, const opevo_i_sketch_axes *of,
                             opevo_slot_value *values)
{
    int64_t rows = 1;

    for (int i = of->spatials - 2; i >= 0; i--) {
        int64_t extent = sketch->slot[of->spatial[i]].extent;
        int64_t most = PART_SUMS / rows < PART_ROWS ? PART_SUMS / rows : PART_ROWS;

        values[of->spatial[i]].length[2] = opevo_i_template_divisor_below(extent, most);
        rows *= values[of->spatial[i]].length[2];
    }
}

/* ---- Where an operand is computed ---- */

/* How many elements of an operand blocks of so many iterations of an axis have, all together, for
 * each that it has; infinite where it does not depend on the axis. */
static double repeats(const opevo_definition *definition, const opevo_expression *read, int axis,
                      int64_t block)
{
    double most = INFINITY;

    for (int d = 0; d < read->tensor->dims; d++) {
        int64_t step = opevo_i_sketch_factor(&read->index[d], axis);
        int64_t reach = 1;

        for (int t = 0; t < read->index[d].count && step > 0; t++) {
            const opevo_term *term = &read->index[d].term[t];

            if (term->atom != OPEVO_ATOM_AXIS)
                return INFINITY;
            reach += term->factor *
                     ((term->axis == axis ? block : definition->axis[term->axis].extent) - 1);
        }
        if (step > 0)
            most = fmin(most, (double)reach / (double)(step * block));
    }
    return most;
}

/* The innermost of the outer loops, in each iteration of which an operand is computed for itself,
 * and hardly an element of it twice; -1: none. */
static int find_own_loop(const opevo_sketch *sketch, int key, const opevo_slot_value *values)
{
    static const double seldom = 1.25;
    const opevo_i_pipeline_stage *stage = sketch->pipeline->stage[sketch->registers];
    const opevo_definition *definition =
        sketch->pipeline->computation->tensor[stage->tensor]->definition;
    const opevo_expression *read = opevo_i_sketch_only_read(sketch, sketch->registers, key);
    double all = 1;
    int axis = 0;
    int found = -1;

    for (int i = 0; i < sketch->slots && read; i++) {
        const opevo_slot *slot = &sketch->slot[i];
        const int64_t *length = values[i].length;

        if (slot->kind != OPEVO_SLOT_TILE || slot->key != sketch->registers || slot->parts != 3)
            continue;
        if (length[0] > 1)
            all *= repeats(definition, read, axis, length[1] * length[2]);
        if (length[0] > 1 && all <= seldom)
            found = axis;
        axis++;
    }
    return found;
}

/* The outermost place where the parts of sums that are gathered before they are added up stay in
 * the first cache, and tiles are as they are elsewhere. */
static int find_parts_place(const opevo_sketch *sketch, const opevo_slot *slot,
                            const int64_t *length, const opevo_device_facts *facts)
{
    const opevo_i_pipeline_stage *stage = sketch->pipeline->stage[sketch->registers];

    for (int c = 0; c < slot->choices; c++) {
        int first = slot->place[c].key == OPEVO_I_AT_ROOT ? 0 : slot->place[c].loop + 1;
        double elements = 1;

        if (first > 0 && length[first - 1] > 1)
            break;
        for (int a = first; a < stage->dims; a++)
            elements *= (double)stage->own.axis_extent[a];
        if (elements <= (double)facts->l1_bytes / 8)
            return c;
    }
    return 0;
}

static void prefer_places(const opevo_sketch *sketch, const opevo_i_sketch_axes *of,
                          const opevo_device_facts *facts, opevo_slot_value *values)
{
    const opevo_i_pipeline_stage *stage = sketch->pipeline->stage[sketch->registers];
    int outside = stage->place == OPEVO_PLACE_AT ? stage->at : sketch->registers;
    int64_t length[OPEVO_I_AXES] = {0};

    for (int i = 0; i < of->spatials; i++)
        length[of->axis[i]] = values[of->spatial[i]].length[2];
    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];
        bool placed = slot->kind == OPEVO_SLOT_LOCATION && slot->key != sketch->packed &&
                      slot->key != sketch->registers;
        bool inlined = placed && opevo_i_sketch_reads_source(sketch, slot->key, length, facts);
        int loop = placed && !inlined && !opevo_i_sketch_is_of_parts(sketch)
                       ? find_own_loop(sketch, slot->key, values)
                       : -1;

        if (slot->kind == OPEVO_SLOT_LOCATION && slot->key == sketch->registers)
            values[i].choice = find_parts_place(sketch, slot, length, facts);
        for (int c = 0; c < slot->choices; c++) {
            if (inlined ? slot->place[c].key == OPEVO_I_INLINED
                        : loop >= 0 && slot->place[c].key == outside && slot->place[c].loop == loop)
                values[i].choice = c;
        }
    }
}

/* ---- All of a register tile ---- */

static void prefer_registers(const opevo_sketch *sketch, const opevo_device_facts *given,
                             unsigned threads, opevo_slot_value *values)
{
    opevo_device_facts facts = opevo_i_template_known_facts(given);
    opevo_i_sketch_axes of = opevo_i_sketch_find_axes(sketch);
    int rows = -1, blocks = -1;
    opevo_i_template_register_tile tile =
        opevo_i_sketch_choose_rows(sketch, &of, &facts, &rows, &blocks);
    int64_t columns = blocks < 0 ? tile.columns : sketch->slot[of.spatial[of.spatials - 1]].extent;
    int64_t panel = opevo_i_sketch_stores_adjacent(sketch)
                        ? 3 * (int64_t)facts.l1_bytes / 16
                        : (int64_t)facts.l2_bytes / 8; /* numbers */
    int64_t depth = prefer_sums(sketch, &of, panel / tile.columns, blocks >= 0, values);
    bool batched = opevo_i_sketch_is_batched(sketch, &facts);

    for (int i = 0; i < of.spatials; i++)
        values[of.spatial[i]].length[2] = i == rows     ? tile.rows
                                          : i == blocks ? tile.columns / columns
                                                        : 1;
    values[of.spatial[of.spatials - 1]].length[2] = columns;
    if (opevo_i_sketch_is_of_parts(sketch))
        prefer_part_rows(sketch, &of, values);
    if (rows < 0 && blocks < 0 && !opevo_i_sketch_is_of_parts(sketch))
        prefer_stream(sketch, &of, (int64_t)facts.l1_bytes / 8, threads, values);
    else
        prefer_blocks(sketch, &of,
                      batched ? 1
                      : depth < OPEVO_I_SHORT_SUM
                          ? (int64_t)facts.l1_bytes / 8 / tile.rows / tile.columns
                          : (int64_t)facts.l2_bytes / 8 / depth / tile.rows,
                      batched ? sketch->slot[of.spatial[of.spatials - 1]].extent
                              : choose_panels(sketch, &of, depth, tile.columns, &facts),
                      threads, values);
    prefer_places(sketch, &of, &facts, values);
    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];

        for (int c = 0; c < slot->choices && slot->kind == OPEVO_SLOT_LANES; c++) {
            if (slot->value[c] <= tile.lanes)
                values[i].choice = c;
        }
        if (batched && slot->kind == OPEVO_SLOT_UNROLL && slot->key == sketch->registers)
            values[i].choice = slot->choices - 1;
    }
}

/* ---- Everything else ---- */

/* Equal parts of loops; stages on their own; as many threads as can be; otherwise the middle. */
static void prefer_middle(const opevo_sketch *sketch, opevo_slot_value *values)
{
    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];
        int64_t part = llround(pow((double)slot->extent, 1.0 / (slot->parts ? slot->parts : 1)));

        values[i] = (opevo_slot_value){.choice = slot->choices / 2};
        if (slot->kind == OPEVO_SLOT_LOCATION) /* panels: where they are read, outside the tiles */
            values[i].choice = sketch->packed >= 0 && slot->key == sketch->packed &&
                                       !opevo_i_sketch_is_of_parts(sketch)
                                   ? slot->choices - 1
                                   : 0;
        if (slot->kind == OPEVO_SLOT_PARALLEL) /* the last loop may become a vector */
            values[i].choice =
                slot->choices -
                (slot->choices > 1 && slot->value[slot->choices - 1] ==
                                          sketch->pipeline->stage[slot->key]->own.loops
                     ? 2
                     : 1);
        if (slot->kind != OPEVO_SLOT_TILE)
            continue;
        values[i].length[0] = slot->extent;
        for (int k = slot->parts - 1; k > 0; k--) {
            values[i].length[k] = innermost(values[i].length[0], part);
            values[i].length[0] /= values[i].length[k];
        }
    }
}

/* Blocks of permuted reads: several whole lines of what is read, one of what is stored. The last
 * axis is split first. */
static void prefer_permuted(const opevo_sketch *sketch, opevo_slot_value *values)
{
    bool stored[OPEVO_PIPELINE_STAGES] = {false};

    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];
        int64_t lines = 1, most = 0;

        if (slot->kind != OPEVO_SLOT_TILE || !sketch->blocked[slot->key])
            continue;
        lines = slot->extent % OPEVO_I_SKETCH_LINE == 0 ? OPEVO_I_SKETCH_LINE : 1;
        most = stored[slot->key] ? BLOCK_READ : BLOCK_STORED;
        values[i].length[1] =
            lines * opevo_i_template_divisor_below(slot->extent / lines, most / lines);
        stored[slot->key] = true;
        values[i].length[0] = slot->extent / values[i].length[1];
    }
}

/* What costs nothing, such as padding, is read through where the text has a copy for each read. */
static void prefer_inlined(const opevo_sketch *sketch, opevo_slot_value *values)
{
    const opevo_computation *computation = sketch->pipeline->computation;

    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];

        for (int c = 0; c < slot->choices && slot->kind == OPEVO_SLOT_LOCATION; c++)
            if (slot->place[c].key == OPEVO_I_INLINED &&
                opevo_tensor_flop(computation->tensor[sketch->pipeline->stage[slot->key]->tensor])
                        .count == 0)
                values[i].choice = c;
    }
}

/* Threads divide what is computed at the root only. */
static void prefer_threads(const opevo_sketch *sketch, opevo_slot_value *values)
{
    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];

        for (int k = 0; k < sketch->slots && slot->kind == OPEVO_SLOT_LOCATION; k++) {
            if (sketch->slot[k].kind == OPEVO_SLOT_PARALLEL && sketch->slot[k].key == slot->key &&
                slot->place[values[i].choice].key != OPEVO_I_AT_ROOT)
                values[k].choice = 0;
        }
    }
}

void opevo_i_sketch_prefer(const opevo_sketch *sketch, const opevo_device_facts *facts,
                           unsigned threads, opevo_slot_value *values)
{
    prefer_middle(sketch, values);
    if (opevo_i_sketch_is_gpu(sketch->dialect))
        opevo_i_sketch_prefer_gpu(sketch, values);
    if (sketch->registers >= 0)
        prefer_registers(sketch, facts, threads, values);
    prefer_permuted(sketch, values);
    if (sketch->rows)
        opevo_i_sketch_prefer_rows(sketch, facts, values);
    if (sketch->expanded)
        prefer_inlined(sketch, values);
    prefer_threads(sketch, values);
}
