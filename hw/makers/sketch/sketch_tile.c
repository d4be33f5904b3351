/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The register tile of a sketch: what its vectors are read from, and the tile that a model of the
 * processor prefers. */

#include "sketch_tile_internal.h"

#include <opevo/computation_access.h>

#include <string.h>

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

enum { WAY = 64 }; /* lines of a way of the first cache */

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

/* How fast a tile is without the lanes that it has: 1 and more where neither latency nor loads hold
 * it up. */
static double rate_of(const opevo_i_template_register_tile *tile)
{
    return opevo_i_template_tile_rate(tile->rows, tile->columns / tile->lanes, 1);
}

void opevo_i_sketch_vector_axes(const opevo_definition *definition, int lanes, bool *moves)
{
    opevo_i_sketch_operand from = {.definition = definition, .lanes = lanes};

    opevo_expression_reads(definition->value, look_at, &from);
    memcpy(moves, from.moves, sizeof from.moves);
}

/* Along which axes something else than the vectors' operand moves. */
typedef struct beside {
    int lanes;
    bool moves[OPEVO_I_AXES];
} beside;

static void look_beside(void *context, const opevo_expression *read)
{
    beside *self = context;
    unsigned used = 0;

    for (int d = 0; d < read->tensor->dims; d++)
        used |= opevo_affine_axes(&read->index[d]);
    for (int a = 0; a < OPEVO_I_AXES && !(used >> self->lanes & 1); a++)
        self->moves[a] |= used >> a & 1;
}

static int find_blocks(const opevo_sketch *sketch, const opevo_i_sketch_axes *of,
                       const opevo_i_sketch_operand *from, const opevo_device_facts *facts)
{
    beside others = {.lanes = sketch->lanes};

    if (opevo_i_sketch_is_of_parts(sketch) || !from->definition ||
        32 * sketch->slot[of->spatial[of->spatials - 1]].extent > facts->vector_bits)
        return -1;
    opevo_expression_reads(from->definition->value, look_beside, &others);
    for (int i = of->spatials - 2; i >= 0; i--) {
        if (from->moves[of->axis[i]] && !others.moves[of->axis[i]] &&
            sketch->slot[of->spatial[i]].extent > 1)
            return i;
    }
    return -1;
}

/* Whether a tile is faster; where nothing holds up the other, as fast with fewer columns, of which
 * a panel has more terms of the sums. */
static bool is_better(const opevo_i_template_register_tile *tile,
                      const opevo_i_template_register_tile *than)
{
    double rate = rate_of(tile) * (double)tile->lanes, before = rate_of(than) * (double)than->lanes;

    return rate_of(than) >= 1 ? rate >= before && tile->columns < than->columns : rate > before;
}

opevo_i_template_register_tile opevo_i_sketch_choose_rows(const opevo_sketch *sketch,
                                                          const opevo_i_sketch_axes *of,
                                                          const opevo_device_facts *facts,
                                                          int *rows, int *blocks)
{
    opevo_i_sketch_operand from = opevo_i_sketch_find_operand(sketch);
    int64_t columns = sketch->slot[of->spatial[of->spatials - 1]].extent;
    int64_t group = opevo_i_sketch_is_grouped(sketch, facts) ? opevo_i_sketch_group(sketch) : 0;
    opevo_i_template_register_tile best;

    *blocks = find_blocks(sketch, of, &from, facts);
    columns *= *blocks < 0 ? 1 : sketch->slot[of->spatial[*blocks]].extent;
    if (group > 1 && columns % group == 0)
        columns = group;
    best = opevo_i_template_choose_tile(facts, 1, columns);
    *rows = -1;
    for (int n = 0; n < 2 * of->spatials - 2; n++) {
        int i = (2 * of->spatials - 3 - n) % (of->spatials - 1);
        bool moves = n >= of->spatials - 1;
        opevo_i_template_register_tile tile =
            opevo_i_template_choose_tile(facts, sketch->slot[of->spatial[i]].extent, columns);

        if (moves ? best.rows * best.columns >= OPEVO_I_ACCUMULATORS * best.lanes
                  : rate_of(&best) >= 1 && *blocks < 0)
            break;
        if (i == *blocks || from.moves[of->axis[i]] != moves ||
            (moves ? tile.rows * tile.columns <= best.rows * best.columns
                   : !is_better(&tile, &best)))
            continue;
        best = tile;
        *rows = i;
    }
    if (*rows >= 0 && *blocks < 0)
        best = opevo_i_sketch_stream(sketch, of, facts, best, rows);
    /* Blocks are read from the second cache, which more rows ask for less often. */
    if (*blocks >= 0 && *rows >= 0)
        best.rows = opevo_i_template_divisor_below(
            sketch->slot[of->spatial[*rows]].extent,
            opevo_i_template_most_rows(facts, best.columns / best.lanes));
    return best;
}

bool opevo_i_sketch_stores_adjacent(const opevo_sketch *sketch)
{
    return sketch->lanes == sketch->pipeline->stage[sketch->registers]->dims - 1;
}
