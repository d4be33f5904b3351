/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a sketch leaves open. */

#include "sketch_internal.h"

#include "template_internal.h"

#include <stdio.h>
#include <string.h>

enum { LONG_ROWS = 28 }; /* a shorter axis can be the rows of one register tile */

/* ---- Tiles ---- */

static int64_t whole(int64_t extent, int64_t unit)
{
    return (extent + unit - 1) / unit * unit;
}

/* What the tiles of a register tile's axis divide: more than its extent where that has few factors,
 * or is not a multiple of a vector. Edges are as long as what is left, in whole vectors. */
static int64_t tiled_extent(int64_t extent, bool has_lanes)
{
    static const int64_t rows[] = {8, 6, 4, 3, 2, 1};
    int64_t unit =
        extent > 2 * OPEVO_I_WIDEST_VECTOR ? 2 * OPEVO_I_WIDEST_VECTOR : OPEVO_I_WIDEST_VECTOR;

    if (has_lanes && extent < OPEVO_I_WIDEST_VECTOR)
        unit = extent > 8 ? 8 : 4;
    if (has_lanes)
        return extent > 1 ? whole(extent, unit) : extent;
    return extent < LONG_ROWS ? extent : opevo_i_template_widened(extent, rows);
}

/* What the blocks of permuted reads divide: whole vectors, unless the axis is shorter than one. */
static int64_t blocked_extent(int64_t extent)
{
    return extent < OPEVO_I_WIDEST_VECTOR ? extent : whole(extent, OPEVO_I_WIDEST_VECTOR);
}

/* Whether a step splits the last loop of a stage that does not reduce. */
static bool is_last_axis(const opevo_pipeline *pipeline, const opevo_pipeline_step *step)
{
    const opevo_i_nest_loops *own = &opevo_i_pipeline_at(pipeline, step->stage)->own;
    int loop = (int)step->number[0] + 1;

    return loop == own->loops || own->loop[loop].reduces;
}

/* Every split of a sketch into parts of length 1 is open; the loops before it are found by doing
 * its steps again. */
static opevo_status find_tiles(opevo_sketch *self, opevo_error *err)
{
    opevo_pipeline *replay = NULL;
    int axis = 0;
    opevo_status status = opevo_pipeline_create(self->pipeline->given, &replay, err);

    if (status != OPEVO_OK)
        return status;
    for (size_t i = 0; i < self->pipeline->step_count; i++) {
        const opevo_pipeline_step *step = &self->pipeline->steps[i];

        if (step->kind == OPEVO_PIPELINE_SPLIT && step->number[1] == 1 &&
            !self->closed[replay->order[step->stage]]) {
            opevo_slot *slot = NULL;
            const opevo_i_nest_loop *loop =
                &opevo_i_pipeline_at(replay, step->stage)->own.loop[step->number[0]];

            int key = replay->order[step->stage];

            if (opevo_i_sketch_is_gpu(self->dialect) && !self->tiled[key])
                OPEVO_TRY(opevo_i_sketch_add_threads(self, OPEVO_SLOT_SUM_THREADS, key,
                                                     loop->extent, &slot, err));
            else
                OPEVO_TRY(
                    opevo_i_sketch_add_slot(self, OPEVO_SLOT_TILE, key, loop->name, &slot, err));
            slot->step = i;
            slot->extent = loop->extent;
            if (slot->key == self->registers && !loop->reduces)
                slot->extent = tiled_extent(loop->extent, axis++ == self->lanes);
            if (self->gathers[key])
                slot->extent = tiled_extent(loop->extent, is_last_axis(replay, step));
            if (self->blocked[key] || (self->rows && opevo_i_pipeline_is_output(replay, key)))
                slot->extent = blocked_extent(loop->extent);
            slot->parts = slot->kind == OPEVO_SLOT_TILE ? step->count : 0;
        }
        OPEVO_TRY(opevo_pipeline_apply(replay, step, err));
    }
cleanup:
    opevo_pipeline_destroy(replay);
    return status;
}

/* ---- Places ---- */

static bool ends_in_zero(const char *name)
{
    size_t length = strlen(name);

    return length > 2 && strcmp(name + length - 2, ".0") == 0;
}

static void add_place(opevo_slot *slot, int key, int loop)
{
    if (slot->choices == OPEVO_SLOT_CHOICES)
        return;
    slot->place[slot->choices].key = key;
    slot->place[slot->choices++].loop = loop;
}

/* The loops of the only consumer at which a stage may be computed, from the outside in: until the
 * first that reduces, of a tiled one until the first that does not after those. Then those of the
 * stage that the consumer is computed in. */
static void add_places(const opevo_sketch *self, opevo_slot *slot, int target)
{
    const opevo_pipeline *pipeline = self->pipeline;
    int key = pipeline->order[target];
    const opevo_i_pipeline_stage *stage = pipeline->stage[key];
    bool reduced = false;

    for (int i = 0; i < stage->own.loops; i++) {
        const opevo_i_nest_loop *loop = &stage->own.loop[i];

        reduced |= loop->reduces;
        if ((loop->reduces && !self->tiled[key]) || (!loop->reduces && reduced))
            break;
        if (stage->place == OPEVO_PLACE_AT && !loop->reduces && ends_in_zero(loop->name))
            continue;
        add_place(slot, key, i);
        if (opevo_i_sketch_has_point(pipeline, key, i))
            break;
    }
    if (stage->place != OPEVO_PLACE_AT)
        return;
    for (int i = 0; i <= stage->at_loop && !pipeline->stage[stage->at]->own.loop[i].reduces; i++)
        add_place(slot, stage->at, i);
}

/* Whether a register tile gathers parts of sums: they can be added up as soon as they are there. */
static bool is_parts(const opevo_sketch *self, int key)
{
    return key == self->registers && self->pipeline->stage[key]->map;
}

static opevo_status find_places(opevo_sketch *self, const opevo_sketch_target *target,
                                opevo_error *err)
{
    const opevo_pipeline *pipeline = self->pipeline;
    opevo_status status = OPEVO_OK;

    for (int number = pipeline->stages - 1; number >= 0; number--) {
        int key = pipeline->order[number];
        const opevo_i_pipeline_stage *stage = pipeline->stage[key];
        int consumers[OPEVO_PIPELINE_STAGES];
        opevo_slot *slot = NULL;

        if (stage->kind == OPEVO_STAGE_INPUT || stage->place != OPEVO_PLACE_ROOT ||
            self->closed[key] || (self->tiled[key] && !is_parts(self, key)) ||
            opevo_i_pipeline_is_output(pipeline, key) ||
            opevo_i_sketch_needs_tiling(pipeline, number, target))
            continue;
        OPEVO_TRY(opevo_i_sketch_add_slot(self, OPEVO_SLOT_LOCATION, key, "location", &slot, err));
        add_place(slot, OPEVO_I_AT_ROOT, 0);
        if (stage->own.axes == stage->dims && key != self->packed &&
            !opevo_i_sketch_has_point(pipeline, key, 0) &&
            opevo_i_sketch_leaves_room(pipeline, number))
            add_place(slot, OPEVO_I_INLINED, 0);
        if (opevo_i_sketch_consumers(pipeline, number, consumers) == 1)
            add_places(self, slot, consumers[0]);
        if (slot->choices == 1)
            self->slots--;
    }
cleanup:
    return status;
}

/* ---- Threads, unrolling, vectors ---- */

static opevo_status find_threads(opevo_sketch *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int number = 0; number < self->pipeline->stages; number++) {
        int key = self->pipeline->order[number];
        opevo_slot *slot = NULL;
        int most = 0;

        if (!opevo_i_sketch_is_computed(self->pipeline->stage[key]) ||
            self->pipeline->stage[key]->place != OPEVO_PLACE_ROOT)
            continue;
        OPEVO_TRY(opevo_i_sketch_add_slot(self, OPEVO_SLOT_PARALLEL, key, "parallel", &slot, err));
        most = opevo_i_sketch_outer_loops(self->pipeline, key);
        /* A block is one thread's. */
        if (self->blocked[key] && most > self->pipeline->stage[key]->dims)
            most = self->pipeline->stage[key]->dims;
        for (int i = self->closed[key] && most > 0 ? most : 1; i <= most; i++)
            opevo_i_sketch_add_choice(slot, i);
        if (slot->choices == 0)
            self->slots--;
    }
cleanup:
    return status;
}

static opevo_status find_unrolling(opevo_sketch *self, opevo_error *err)
{
    static const int64_t most[] = {0, 16, 64, 512}; /* Ansor's, for CPUs */
    opevo_status status = OPEVO_OK;

    for (int number = 0; number < self->pipeline->stages; number++) {
        int key = self->pipeline->order[number];
        const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
        opevo_slot *slot = NULL;

        if (!opevo_i_sketch_is_computed(stage) || stage->own.axes == stage->dims ||
            self->closed[key] || key == self->registers || self->gathers[key])
            continue;
        OPEVO_TRY(opevo_i_sketch_add_slot(self, OPEVO_SLOT_UNROLL, key, "unroll", &slot, err));
        for (size_t i = 0; i < sizeof most / sizeof *most; i++)
            opevo_i_sketch_add_choice(slot, most[i]);
    }
cleanup:
    return status;
}

static opevo_status find_lanes(opevo_sketch *self, int key, opevo_error *err)
{
    opevo_slot *slot = NULL;
    opevo_status status = opevo_i_sketch_add_slot(self, OPEVO_SLOT_LANES, key, "lanes", &slot, err);

    for (int lanes = 4; lanes <= OPEVO_I_WIDEST_VECTOR && status == OPEVO_OK; lanes *= 2)
        opevo_i_sketch_add_choice(slot, lanes);
    return status;
}

static opevo_status find_vectors(opevo_sketch *self, opevo_error *err)
{
    static const int64_t most_statements[] = {0, 16, 64, 256};
    opevo_status status = OPEVO_OK;

    for (int number = 0; number < self->pipeline->stages; number++) {
        int key = self->pipeline->order[number];
        opevo_slot *slot = NULL;
        int loops = opevo_i_sketch_inner_loops(self->pipeline, key);

        if (!opevo_i_sketch_is_computed(self->pipeline->stage[key]) || self->tiled[key] ||
            self->closed[key] || loops < 2)
            continue;
        OPEVO_TRY(
            opevo_i_sketch_add_slot(self, OPEVO_SLOT_VECTORIZE, key, "vectorize", &slot, err));
        for (int i = 1; i <= loops; i++)
            opevo_i_sketch_add_choice(slot, i);
    }
    if (self->rows)
        return find_lanes(self, self->pipeline->order[self->pipeline->stages - 1], err);
    if (self->registers >= 0) {
        opevo_slot *slot = NULL;

        OPEVO_TRY(find_lanes(self, self->registers, err));
        OPEVO_TRY(opevo_i_sketch_add_slot(self, OPEVO_SLOT_UNROLL, self->registers, "unroll", &slot,
                                          err));
        for (size_t i = 0; i < sizeof most_statements / sizeof *most_statements; i++)
            opevo_i_sketch_add_choice(slot, most_statements[i]);
    }
cleanup:
    return status;
}

/* Outputs that no cache holds until the kernel has ended. */
static opevo_status find_streams(opevo_sketch *self, opevo_error *err)
{
    static const int64_t least_elements = INT64_C(1) << 22; /* 16 MiB */
    opevo_status status = OPEVO_OK;

    for (int number = 0; number < self->pipeline->stages; number++) {
        int key = self->pipeline->order[number];
        const opevo_tensor *tensor =
            self->pipeline->computation->tensor[self->pipeline->stage[key]->tensor];
        int consumers[OPEVO_PIPELINE_STAGES];
        opevo_slot *slot = NULL;

        if (!opevo_i_pipeline_is_output(self->pipeline, key) || tensor->element != OPEVO_FLOAT32 ||
            opevo_tensor_elements(tensor) < least_elements ||
            opevo_i_sketch_consumers(self->pipeline, number, consumers) > 0)
            continue;
        OPEVO_TRY(opevo_i_sketch_add_slot(self, OPEVO_SLOT_STREAM, key, "stream", &slot, err));
        opevo_i_sketch_add_choice(slot, 0);
        opevo_i_sketch_add_choice(slot, 1);
    }
cleanup:
    return status;
}

opevo_status opevo_i_sketch_find_slots(opevo_sketch *sketch, const opevo_sketch_target *target,
                                       opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    sketch->slots = 0;
    OPEVO_TRY(find_tiles(sketch, err));
    if (opevo_i_sketch_is_gpu(sketch->dialect))
        return opevo_i_sketch_find_gpu(sketch, err);
    OPEVO_TRY(find_places(sketch, target, err));
    if (target->threads > 1)
        OPEVO_TRY(find_threads(sketch, err));
    OPEVO_TRY(find_unrolling(sketch, err));
    OPEVO_TRY(find_vectors(sketch, err));
    if (!target->ansor)
        OPEVO_TRY(find_streams(sketch, err));
cleanup:
    return status;
}
