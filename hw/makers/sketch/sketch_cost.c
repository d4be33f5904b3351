/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The cost model of register tiles, by which the sketch to start with is chosen: the one with the
 * fastest tile. */

#include "sketch_tile_internal.h"

#include <math.h>

/* What beside its multiply-adds a register tile costs, in units of their rate. Fitted to shares of
 * the peak that starts reach on one core of an AMD EPYC with AVX-512 (Zen 4, 32 KiB and 1 MiB of
 * caches, 116 GFLOP/s): `turned` and `stored` to matmul(512,K,512), K = 16 to 512, with panels of
 * A, which has both, and of B, which has neither; `stored`, `crossing` and `paired` to
 * conv2d(1,C,H,H,F,R,R,S,P) of 32 to 144 terms, with vectors along channels and along rows. */
static const double scattered = .1; /* vectors whose elements do not lie side by side, */
static const double paired = .82;   /* but every second one does */
static const double crossing = .97; /* that lie in two lines of a cache */
static const double far = .9;       /* whose rows are far apart, in a large operand read often, */
static const double clashing = .65; /* and share the sets of a cache */
static const double copied = 24;    /* multiply-adds in the time of copying an element, */
static const double turned = 72;    /* of one whose rows become columns, */
static const double stored = 8;     /* and of storing a sum that is far from the next */
enum { OFTEN = 8 };

static double multiply_adds(const opevo_sketch *sketch)
{
    int tensor = sketch->pipeline->stage[sketch->registers]->tensor;
    const opevo_definition *definition = sketch->pipeline->computation->tensor[tensor]->definition;
    double count = 1;

    for (int a = 0; a < definition->axes; a++)
        count *= (double)definition->axis[a].extent;
    return count;
}

static double results(const opevo_i_pipeline_stage *stage)
{
    double count = 1;

    for (int a = 0; a < stage->dims; a++)
        count *= (double)stage->own.axis_extent[a];
    return count;
}

/* What is left of the rate where the terms of a sum lie far apart in a large operand, which tiles
 * read more than OFTEN times, each of them for `results` sums and `wide` elements of a term side by
 * side. */
static double distance(const opevo_i_sketch_operand *from, int64_t results, int64_t wide,
                       const opevo_device_facts *facts, double count)
{
    if (from->computed || from->step < OPEVO_I_SKETCH_LINE ||
        8 * from->elements <= (double)facts->l2_bytes ||
        count <= OFTEN * (double)results * from->elements)
        return 1;
    return opevo_i_sketch_clashes(from->step, from->terms, wide, facts) ? clashing : far;
}

/* How fast the register tile of a sketch is expected to be, up to a factor; `count`:
 * multiply-adds */
static double expected_rate(const opevo_sketch *sketch, const opevo_device_facts *facts,
                            double count)
{
    const opevo_i_pipeline_stage *stage = sketch->pipeline->stage[sketch->registers];
    opevo_i_sketch_axes of = opevo_i_sketch_find_axes(sketch);
    int rows = -1, blocks = -1;
    opevo_i_template_register_tile tile =
        opevo_i_sketch_choose_rows(sketch, &of, facts, &rows, &blocks);
    double extent = (double)stage->own.axis_extent[sketch->lanes];
    opevo_i_sketch_operand from = opevo_i_sketch_find_operand(sketch);
    opevo_i_sketch_operand broadcast = opevo_i_sketch_find_broadcast(sketch);
    bool batched = opevo_i_sketch_is_batched(sketch, facts);
    double rate =
        batched || opevo_i_sketch_is_grouped(sketch, facts)
            ? (double)tile.lanes
            : opevo_i_template_tile_rate(tile.rows, tile.columns / tile.lanes, tile.lanes);

    rate *= extent / (ceil(extent / (double)tile.lanes) * (double)tile.lanes);
    if (sketch->packed < 0 && !from.adjacent)
        rate *= from.paired ? paired : scattered;
    if (sketch->packed < 0 && from.adjacent && !from.aligned)
        rate *= crossing;
    if (sketch->packed < 0 && !batched)
        rate *= distance(&from, tile.rows, tile.columns, facts, count);
    rate *= distance(&broadcast, tile.columns, tile.rows, facts, count);
    if (sketch->packed >= 0 && sketch->pipeline->stage[sketch->packed]->kind == OPEVO_STAGE_COPY)
        rate /= 1 + (from.adjacent ? copied : turned) * from.elements / count;
    if (!opevo_i_sketch_stores_adjacent(sketch))
        rate /= 1 + stored * results(stage) / count;
    return rate;
}

/* Without register tiles: blocks for permuted reads, copies of the text for cases, then longer
 * rows. */
static double preference(const opevo_sketch *sketch)
{
    double blocked = 0;

    for (int key = 0; key < sketch->pipeline->stages; key++)
        blocked += sketch->blocked[key];
    return 4 * blocked + (sketch->expanded ? 2 : sketch->pipeline->reshaped != NULL);
}

/* Whether a constant lies as tiles read it. */
static bool has_panels(const opevo_sketch *sketch)
{
    return sketch->packed >= 0 && sketch->pipeline->stage[sketch->packed]->kind != OPEVO_STAGE_COPY;
}

size_t opevo_i_sketch_choose(const opevo_sketches *sketches, const opevo_device_facts *given,
                             bool registers, const bool *refused)
{
    opevo_device_facts facts = opevo_i_template_known_facts(given);
    size_t best = sketches->count;
    double most = 0;
    double rate = 0;

    for (size_t i = 0; i < sketches->count; i++) {
        const opevo_sketch *one = sketches->item[i];
        double count = registers && one->registers >= 0 ? multiply_adds(one) : 0;
        double own = count > 0 ? expected_rate(one, &facts, count) : preference(one);

        if ((one->registers >= 0) != registers || (refused && refused[i]))
            continue;
        if (best == sketches->count || count > most ||
            (count == most && (own > rate || (own == rate && has_panels(one) &&
                                              !has_panels(sketches->item[best]))))) {
            best = i;
            most = count;
            rate = own;
        }
    }
    return best;
}
