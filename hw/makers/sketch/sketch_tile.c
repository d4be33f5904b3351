/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The register tile of a sketch that a model of the processor prefers. */

#include "sketch_tile_internal.h"

#include <opevo/computation_access.h>

#include <string.h>

/* How fast a tile is without the lanes that it has: 1 and more where neither latency nor loads hold
 * it up. */
static double rate_of(const opevo_i_template_register_tile *tile)
{
    return opevo_i_template_tile_rate(tile->rows, tile->columns / tile->lanes, 1);
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
