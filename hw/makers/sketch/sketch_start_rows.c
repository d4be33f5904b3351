/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The start of blocks of rows: a block has so many rows that what is stored for it stays in half of
 * the second cache, as does a tile of each product in registers. */

#include "sketch_internal.h"

#include "template_internal.h"

enum { MOST_ROWS = 64, MOST_VECTORS = 4 }; /* of a block; of sums of one row each, side by side */

/* Elements that are stored for each row of a block. */
static double stored_for_row(const opevo_sketch *sketch)
{
    const opevo_pipeline *pipeline = sketch->pipeline;
    double sum = 0;

    for (int key = 0; key < pipeline->stages; key++) {
        const opevo_i_pipeline_stage *stage = pipeline->stage[key];
        double longest = 1;

        for (int a = 0; a + 1 < stage->dims && stage->place == OPEVO_PLACE_AT; a++)
            if ((double)stage->own.axis_extent[a] > longest)
                longest = (double)stage->own.axis_extent[a];
        sum += stage->place == OPEVO_PLACE_AT ? longest : 0;
    }
    return sum;
}

/* The slots of the splits of a stage, in the order of its axes. Returns how many. */
static int tiles_of(const opevo_sketch *sketch, int key, int *out)
{
    int count = 0;

    for (int i = 0; i < sketch->slots && count < OPEVO_I_AXES; i++)
        if (sketch->slot[i].kind == OPEVO_SLOT_TILE && sketch->slot[i].key == key)
            out[count++] = i;
    return count;
}

static void set(const opevo_sketch *sketch, int slot, int64_t inner, opevo_slot_value *values)
{
    values[slot].length[1] = inner;
    values[slot].length[0] = sketch->slot[slot].extent / inner;
}

/* Vectors along the last axis, rows along the one before it; others one by one. `rows`: of a
 * block, along which the vectors run except in the last sum. */
static void prefer_tile(const opevo_sketch *sketch, int key, int64_t rows,
                        const opevo_device_facts *facts, opevo_slot_value *values)
{
    int slot[OPEVO_I_AXES];
    int count = tiles_of(sketch, key, slot), last = slot[count - 1];
    bool along_rows = false;
    int64_t columns = 0;
    opevo_i_template_register_tile tile = {.rows = 1};

    for (int later = key + 1; later < sketch->pipeline->stages; later++)
        along_rows |= sketch->gathers[later] > 0;
    columns = along_rows ? rows : sketch->slot[last].extent;
    for (int i = 0; i < count; i++)
        set(sketch, slot[i], 1, values);
    if (count == 1) {
        set(sketch, last,
            opevo_i_template_divisor_below(columns,
                                           MOST_VECTORS * (int64_t)facts->vector_bits / 32),
            values);
        return;
    }
    tile = opevo_i_template_choose_tile(facts, sketch->slot[slot[count - 2]].extent, columns);
    set(sketch, last, tile.columns, values);
    set(sketch, slot[count - 2], tile.rows, values);
}

void opevo_i_sketch_prefer_rows(const opevo_sketch *sketch, const opevo_device_facts *given,
                                opevo_slot_value *values)
{
    opevo_device_facts facts = opevo_i_template_known_facts(given);
    const opevo_pipeline *pipeline = sketch->pipeline;
    int slot[OPEVO_I_AXES];
    double room = (double)facts.l2_bytes / 8 / stored_for_row(sketch); /* rows */
    int64_t most = room < OPEVO_I_WIDEST_VECTOR ? OPEVO_I_WIDEST_VECTOR
                   : room > MOST_ROWS           ? MOST_ROWS
                                                : (int64_t)room;
    int64_t rows = 1;

    tiles_of(sketch, pipeline->order[pipeline->stages - 1], slot);
    rows = opevo_i_template_divisor_below(sketch->slot[slot[0]].extent, most);
    set(sketch, slot[0], rows, values);
    for (int key = 0; key < pipeline->stages; key++)
        if (sketch->gathers[key])
            prefer_tile(sketch, key, rows, &facts, values);
    for (int i = 0; i < sketch->slots; i++)
        for (int c = 0; c < sketch->slot[i].choices && sketch->slot[i].kind == OPEVO_SLOT_LANES;
             c++)
            if (32 * sketch->slot[i].value[c] <= (int64_t)facts.vector_bits)
                values[i].choice = c;
}
