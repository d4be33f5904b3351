/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points of sketches. The sums of a register tile follow the same model as those of the
 * templates: a panel of the vectors' operand fills most of the first cache and stays there while rows
 * pass, whose operand fills half of the second. A sketch without registers starts in the middle. */

#include "sketch_internal.h"

#include "template_internal.h"

#include <opevo/nearest.h>

#include <math.h>

/* Accumulators that hide the latency of multiply-adds. */
enum { ACCUMULATORS = 12 };

static int64_t innermost(int64_t extent, int64_t most)
{
    return opevo_i_divisor_below(
        extent, most < OPEVO_I_LONGEST_INNERMOST ? most : OPEVO_I_LONGEST_INNERMOST);
}

/* ---- The register tile ---- */

/* The splits of the stage with registers, in the order of its axes. */
typedef struct axes {
    int spatial[OPEVO_I_AXES], sums[OPEVO_I_AXES]; /* slots */
    int spatials, sums_count;
} axes;

static axes find_axes(const opevo_sketch *sketch)
{
    axes found = {.spatials = 0};

    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];

        if (slot->kind != OPEVO_SLOT_TILE || slot->key != sketch->registers)
            continue;
        if (slot->parts == 3)
            found.spatial[found.spatials++] = i;
        else
            found.sums[found.sums_count++] = i;
    }
    return found;
}

/* The tile, and the axis of its rows: the innermost one that gives enough accumulators, otherwise
 * the one that gives most; -1 where there is none. */
static opevo_i_register_tile choose_rows(const opevo_sketch *sketch, const axes *of,
                                         const opevo_device_facts *facts, int *rows)
{
    int64_t columns = sketch->slot[of->spatial[of->spatials - 1]].extent;
    opevo_i_register_tile best = opevo_i_choose_tile(facts, 1, columns);

    *rows = -1;
    for (int i = of->spatials - 2; i >= 0; i--) {
        opevo_i_register_tile tile =
            opevo_i_choose_tile(facts, sketch->slot[of->spatial[i]].extent, columns);

        if (best.rows * best.columns >= ACCUMULATORS * best.lanes)
            break;
        if (tile.rows * tile.columns <= best.rows * best.columns)
            continue;
        best = tile;
        *rows = i;
    }
    return best;
}

/* Give the inner part of a sum as much as is left, short sums first; returns the product. */
static int64_t wish_sums(const opevo_sketch *sketch, const axes *of, int64_t most,
                         opevo_slot_value *values)
{
    bool done[OPEVO_I_AXES] = {false};
    int64_t product = 1;

    for (int n = 0; n < of->sums_count; n++) {
        int next = 0;

        while (done[next])
            next++;
        for (int i = next + 1; i < of->sums_count; i++) {
            if (!done[i] && sketch->slot[of->sums[i]].extent < sketch->slot[of->sums[next]].extent)
                next = i;
        }
        done[next] = true;
        values[of->sums[next]].length[1] =
            innermost(sketch->slot[of->sums[next]].extent, most / product);
        product *= values[of->sums[next]].length[1];
    }
    for (int i = 0; i < of->sums_count; i++)
        values[of->sums[i]].length[0] =
            sketch->slot[of->sums[i]].extent / values[of->sums[i]].length[1];
    return product;
}

/* Blocks of tiles along all axes but that of the vectors, then as many outside as threads need. */
static void wish_blocks(const opevo_sketch *sketch, const axes *of, int64_t most, unsigned threads,
                        opevo_slot_value *values)
{
    int64_t outside = 1;

    for (int i = of->spatials - 1; i >= 0; i--) {
        int64_t *length = values[of->spatial[i]].length;
        int64_t tiles = sketch->slot[of->spatial[i]].extent / length[2];

        length[1] = i == of->spatials - 1 ? 1 : opevo_i_divisor_below(tiles, most);
        length[0] = tiles / length[1];
        most /= length[1];
        outside *= length[0];
    }
    for (int i = 0; i < of->spatials && outside < threads; i++) {
        int64_t *length = values[of->spatial[i]].length;
        int64_t others = outside / length[0];
        unsigned needed = (unsigned)((threads + others - 1) / others);

        if (opevo_i_wish_divided(length[0] * length[1], needed, &length[0], &length[1]))
            outside = others * length[0];
    }
}

static void wish_registers(const opevo_sketch *sketch, const opevo_device_facts *given,
                           unsigned threads, opevo_slot_value *values)
{
    opevo_device_facts facts = opevo_i_known_facts(given);
    axes of = find_axes(sketch);
    int rows = -1;
    opevo_i_register_tile tile = choose_rows(sketch, &of, &facts, &rows);
    int64_t depth = wish_sums(sketch, &of, 3 * (int64_t)facts.l1_bytes / 16 / tile.columns, values);

    for (int i = 0; i < of.spatials; i++)
        values[of.spatial[i]].length[2] = i == rows ? tile.rows : 1;
    values[of.spatial[of.spatials - 1]].length[2] = tile.columns;
    wish_blocks(sketch, &of, (int64_t)facts.l2_bytes / 8 / depth / tile.rows, threads, values);
    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];

        for (int c = 0; c < slot->choices && slot->kind == OPEVO_SLOT_LANES; c++) {
            if (slot->value[c] <= tile.lanes)
                values[i].choice = c;
        }
    }
}

/* ---- Everything else ---- */

/* Equal parts of loops; stages on their own; as many threads as can be; otherwise the middle. */
static void wish_middle(const opevo_sketch *sketch, opevo_slot_value *values)
{
    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];
        int64_t part = llround(pow((double)slot->extent, 1.0 / (slot->parts ? slot->parts : 1)));

        values[i] = (opevo_slot_value){.choice = slot->choices / 2};
        if (slot->kind == OPEVO_SLOT_LOCATION)
            values[i].choice = 0;
        if (slot->kind == OPEVO_SLOT_PARALLEL)
            values[i].choice = slot->choices - 1;
        if (slot->kind != OPEVO_SLOT_TILE)
            continue;
        values[i].length[0] = slot->extent;
        for (int k = slot->parts - 1; k > 0; k--) {
            values[i].length[k] = innermost(values[i].length[0], part);
            values[i].length[0] /= values[i].length[k];
        }
    }
}

void opevo_i_sketch_wish(const opevo_sketch *sketch, const opevo_device_facts *facts,
                         unsigned threads, opevo_slot_value *values)
{
    wish_middle(sketch, values);
    if (opevo_i_sketch_is_gpu(sketch->dialect))
        opevo_i_sketch_wish_gpu(sketch, values);
    if (sketch->registers >= 0)
        wish_registers(sketch, facts, threads, values);
}

static double register_points(const opevo_sketch *sketch)
{
    double points = 1;

    if (sketch->registers < 0)
        return 0;
    for (int i = 0; i < sketch->slots; i++) {
        if (sketch->slot[i].kind == OPEVO_SLOT_TILE && sketch->slot[i].key == sketch->registers)
            points *= (double)sketch->slot[i].extent;
    }
    return points;
}

size_t opevo_i_sketch_choose(const opevo_sketches *sketches, bool registers)
{
    size_t best = sketches->count;

    for (size_t i = 0; i < sketches->count; i++) {
        const opevo_sketch *one = sketches->item[i];

        if ((one->registers >= 0) != registers)
            continue;
        if (best == sketches->count || register_points(one) > register_points(sketches->item[best]))
            best = i;
    }
    return best;
}
