/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a sketch leaves open, and the pipeline that values make of it. Values are applied in the order
 * of the slots: tiles, places, threads, unrolling, vectors. */

#include "sketch_internal.h"

#include "template_internal.h"

#include <stdio.h>
#include <string.h>

enum { WIDEST_VECTOR = 16 };
enum { LONG_ROWS = 28 }; /* a shorter axis can be the rows of one register tile */

/* ---- Names ---- */

/* Names in keys are C identifiers. */
static void add_name(char *out, size_t size, const char *name)
{
    size_t length = strlen(out);

    for (; *name && length + 1 < size; name++)
        out[length++] = *name == '.' || *name == '+' ? '_' : *name;
    out[length] = '\0';
}

static bool has_name(const opevo_sketch *self, const char *name)
{
    for (int i = 0; i < self->slots; i++) {
        if (strcmp(self->slot[i].name, name) == 0)
            return true;
    }
    return false;
}

/* STAGE__WHAT, with the stage cut where that is too long, and STAGE_2__WHAT and so on where another
 * slot has that name, since different names of stages and loops can give one identifier. */
static void make_name(const opevo_sketch *self, opevo_slot *slot, const char *stage,
                      const char *what)
{
    char count[16] = "";
    char tail[OPEVO_SLOT_NAME - sizeof count] = "";

    add_name(tail, sizeof tail, what);
    for (int number = 2; slot->name[0] == '\0' || has_name(self, slot->name); number++) {
        slot->name[0] = '\0';
        add_name(slot->name, sizeof slot->name - strlen(count) - strlen("__") - strlen(tail),
                 stage);
        add_name(slot->name, sizeof slot->name, count);
        add_name(slot->name, sizeof slot->name, "__");
        add_name(slot->name, sizeof slot->name, tail);
        snprintf(count, sizeof count, "_%d", number);
    }
}

opevo_status opevo_i_sketch_add_slot(opevo_sketch *self, opevo_slot_kind kind, int key,
                                     const char *what, opevo_slot **out, opevo_error *err)
{
    opevo_slot *slot = &self->slot[self->slots];

    if (self->slots == OPEVO_SKETCH_SLOTS)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "A sketch has more than %d parameters.",
                          OPEVO_SKETCH_SLOTS);
    *slot = (opevo_slot){.kind = kind, .key = key};
    make_name(self, slot, self->pipeline->stage[key]->name, what);
    self->slots++;
    *out = slot;
    return OPEVO_OK;
}

bool opevo_i_sketch_add_choice(opevo_slot *slot, int64_t value)
{
    if (slot->choices == OPEVO_SLOT_CHOICES)
        return false;
    slot->value[slot->choices++] = value;
    return true;
}

/* ---- Tiles ---- */

/* What the tiles of a register tile's axis divide: more than its extent where that has few factors,
 * or is no multiple of a vector. Edges are as long as what is left, in whole vectors. */
static int64_t tiled_extent(int64_t extent, bool has_lanes)
{
    static const int64_t rows[] = {8, 6, 4, 3, 2, 1};
    int64_t unit = extent > 2 * WIDEST_VECTOR ? 2 * WIDEST_VECTOR : WIDEST_VECTOR;

    if (has_lanes && extent < WIDEST_VECTOR)
        unit = extent > 8 ? 8 : 4;
    if (has_lanes)
        return extent > 1 ? (extent + unit - 1) / unit * unit : extent;
    return extent < LONG_ROWS ? extent : opevo_i_widened(extent, rows);
}

/* Every split of a sketch into parts of length 1 is open; the loops before it are found by doing its
 * steps again. */
static opevo_status find_tiles(opevo_sketch *self, opevo_error *err)
{
    opevo_pipeline *replay = NULL;
    int axis = 0;
    opevo_status status = opevo_pipeline_create(self->pipeline->given, &replay, err);

    if (status != OPEVO_OK)
        return status;
    for (size_t i = 0; i < self->pipeline->step_count; i++) {
        const opevo_pipeline_step *step = &self->pipeline->steps[i];

        if (step->kind == OPEVO_PIPELINE_SPLIT && step->number[1] == 1) {
            opevo_slot *slot = NULL;
            const opevo_i_loop *loop =
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
            slot->parts = slot->kind == OPEVO_SLOT_TILE ? step->count : 0;
        }
        OPEVO_TRY(opevo_pipeline_apply(replay, step, err));
    }
cleanup:
    opevo_pipeline_destroy(replay);
    return status;
}

/* ---- Places ---- */

static bool has_point(const opevo_pipeline *self, int key, int loop)
{
    for (int i = 0; i < self->stages; i++) {
        if (self->stage[i]->place == OPEVO_PLACE_AT && self->stage[i]->at == key &&
            self->stage[i]->at_loop == loop)
            return true;
    }
    return false;
}

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
        const opevo_i_loop *loop = &stage->own.loop[i];

        reduced |= loop->reduces;
        if ((loop->reduces && !self->tiled[key]) || (!loop->reduces && reduced))
            break;
        if (stage->place == OPEVO_PLACE_AT && !loop->reduces && ends_in_zero(loop->name))
            continue;
        add_place(slot, key, i);
        if (has_point(pipeline, key, i))
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

static opevo_status find_places(opevo_sketch *self, opevo_error *err)
{
    const opevo_pipeline *pipeline = self->pipeline;
    opevo_status status = OPEVO_OK;

    for (int number = pipeline->stages - 1; number >= 0; number--) {
        int key = pipeline->order[number];
        const opevo_i_pipeline_stage *stage = pipeline->stage[key];
        int consumers[OPEVO_PIPELINE_STAGES];
        opevo_slot *slot = NULL;

        if (stage->kind == OPEVO_STAGE_INPUT || stage->place != OPEVO_PLACE_ROOT ||
            (self->tiled[key] && !is_parts(self, key)) ||
            opevo_i_pipeline_is_output(pipeline, key) ||
            opevo_i_sketch_needs_tiling(pipeline, number))
            continue;
        OPEVO_TRY(opevo_i_sketch_add_slot(self, OPEVO_SLOT_LOCATION, key, "location", &slot, err));
        add_place(slot, OPEVO_I_AT_ROOT, 0);
        if (stage->own.axes == stage->dims && key != self->packed && !has_point(pipeline, key, 0))
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

int opevo_i_sketch_outer_loops(const opevo_pipeline *pipeline, int key)
{
    const opevo_i_loops *own = &pipeline->stage[key]->own;
    int count = 0;

    while (count < own->loops && !own->loop[count].reduces &&
           own->loop[count].annotation == OPEVO_ANNOTATION_SERIAL) {
        if (has_point(pipeline, key, count++))
            break;
    }
    return count;
}

/* Inner loops that can be fused to a vector, likewise. */
static int inner_loops(const opevo_pipeline *pipeline, int key)
{
    const opevo_i_loops *own = &pipeline->stage[key]->own;
    int count = 0;

    while (count < own->loops && !own->loop[own->loops - 1 - count].reduces &&
           own->loop[own->loops - 1 - count].annotation == OPEVO_ANNOTATION_SERIAL &&
           !has_point(pipeline, key, own->loops - 1 - count))
        count++;
    return count;
}

bool opevo_i_sketch_is_computed(const opevo_i_pipeline_stage *stage)
{
    return stage->kind != OPEVO_STAGE_INPUT && stage->place != OPEVO_PLACE_INLINED;
}

static opevo_status find_threads(opevo_sketch *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int number = 0; number < self->pipeline->stages; number++) {
        int key = self->pipeline->order[number];
        opevo_slot *slot = NULL;

        if (!opevo_i_sketch_is_computed(self->pipeline->stage[key]) ||
            self->pipeline->stage[key]->place != OPEVO_PLACE_ROOT)
            continue;
        OPEVO_TRY(opevo_i_sketch_add_slot(self, OPEVO_SLOT_PARALLEL, key, "parallel", &slot, err));
        for (int i = 1; i <= opevo_i_sketch_outer_loops(self->pipeline, key); i++)
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
            key == self->registers)
            continue;
        OPEVO_TRY(opevo_i_sketch_add_slot(self, OPEVO_SLOT_UNROLL, key, "unroll", &slot, err));
        for (size_t i = 0; i < sizeof most / sizeof *most; i++)
            opevo_i_sketch_add_choice(slot, most[i]);
    }
cleanup:
    return status;
}

static opevo_status find_vectors(opevo_sketch *self, opevo_error *err)
{
    static const int64_t most_statements[] = {0, 16, 64, 256};
    opevo_status status = OPEVO_OK;

    for (int number = 0; number < self->pipeline->stages; number++) {
        int key = self->pipeline->order[number];
        opevo_slot *slot = NULL;
        int loops = inner_loops(self->pipeline, key);

        if (!opevo_i_sketch_is_computed(self->pipeline->stage[key]) || self->tiled[key] ||
            loops < 2)
            continue;
        OPEVO_TRY(
            opevo_i_sketch_add_slot(self, OPEVO_SLOT_VECTORIZE, key, "vectorize", &slot, err));
        for (int i = 1; i <= loops; i++)
            opevo_i_sketch_add_choice(slot, i);
    }
    if (self->registers >= 0) {
        opevo_slot *slot = NULL;

        OPEVO_TRY(
            opevo_i_sketch_add_slot(self, OPEVO_SLOT_LANES, self->registers, "lanes", &slot, err));
        for (int lanes = 4; lanes <= WIDEST_VECTOR; lanes *= 2)
            opevo_i_sketch_add_choice(slot, lanes);
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
    OPEVO_TRY(find_places(sketch, err));
    if (target->threads > 1)
        OPEVO_TRY(find_threads(sketch, err));
    OPEVO_TRY(find_unrolling(sketch, err));
    OPEVO_TRY(find_vectors(sketch, err));
    if (!target->ansor)
        OPEVO_TRY(find_streams(sketch, err));
cleanup:
    return status;
}

/* ---- Building ---- */

opevo_status opevo_i_sketch_step_on(opevo_pipeline *pipeline, int key,
                                    opevo_pipeline_step_kind kind, int count,
                                    const int64_t *numbers, opevo_error *err)
{
    return opevo_i_sketch_step(pipeline, kind, opevo_i_pipeline_number(pipeline, key), count,
                               numbers, err);
}

opevo_status opevo_i_sketch_annotate(opevo_pipeline *pipeline, int key, int loop,
                                     opevo_annotation what, opevo_error *err)
{
    return opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_ANNOTATE, 2,
                                  (int64_t[]){loop, what}, err);
}

int opevo_i_sketch_lane_slot(const opevo_sketch *sketch)
{
    int axis = 0;
    int slot = 0;

    while (sketch->slot[slot].kind != OPEVO_SLOT_TILE ||
           sketch->slot[slot].key != sketch->registers || axis++ != sketch->lanes)
        slot++;
    return slot;
}

static opevo_status build_tiles(const opevo_sketch *sketch, const opevo_slot_value *values,
                                opevo_pipeline **out, opevo_error *err)
{
    opevo_pipeline *pipeline = NULL;
    opevo_status status = opevo_pipeline_create(sketch->pipeline->given, &pipeline, err);
    int slot = 0;

    for (size_t i = 0; i < sketch->pipeline->step_count && status == OPEVO_OK; i++) {
        opevo_pipeline_step step = sketch->pipeline->steps[i];

        if (opevo_i_sketch_is_open(sketch, slot, i)) {
            const opevo_slot *one = &sketch->slot[slot];

            for (int k = 1; k < step.count; k++)
                step.number[k] = one->kind == OPEVO_SLOT_TILE ? values[slot].length[k]
                                                              : one->value[values[slot].choice];
            slot++;
        }
        if (step.kind == OPEVO_PIPELINE_LAYOUT)
            step.number[1] = values[opevo_i_sketch_lane_slot(sketch)].length[2];
        status = opevo_pipeline_apply(pipeline, &step, err);
    }
    if (status != OPEVO_OK) {
        opevo_pipeline_destroy(pipeline);
        return status;
    }
    *out = pipeline;
    return OPEVO_OK;
}

static opevo_status build_place(opevo_pipeline *pipeline, const opevo_slot *slot, int choice,
                                opevo_error *err)
{
    int key = slot->place[choice].key;

    if (key == OPEVO_I_AT_ROOT)
        return OPEVO_OK;
    if (key == OPEVO_I_INLINED)
        return opevo_i_sketch_step_on(pipeline, slot->key, OPEVO_PIPELINE_COMPUTE_INLINE, 0,
                                      (int64_t[]){0}, err);
    return opevo_i_sketch_step_on(
        pipeline, slot->key, OPEVO_PIPELINE_COMPUTE_AT, 2,
        (int64_t[]){opevo_i_pipeline_number(pipeline, key), slot->place[choice].loop}, err);
}

opevo_status opevo_i_sketch_fuse(opevo_pipeline *pipeline, int key, int first, int count,
                                 opevo_error *err)
{
    int64_t loops[OPEVO_I_LOOPS];

    for (int i = 0; i < count; i++)
        loops[i] = first + i;
    return count > 1 ? opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_FUSE, count, loops, err)
                     : OPEVO_OK;
}

static opevo_status build_threads(opevo_pipeline *pipeline, const opevo_slot *slot, int choice,
                                  opevo_error *err)
{
    int most = opevo_i_sketch_outer_loops(pipeline, slot->key);
    int count = (int)slot->value[choice] < most ? (int)slot->value[choice] : most;
    opevo_status status = OPEVO_OK;

    /* A stage that has another place by now is divided among threads with the stage around it. */
    if (count == 0 || pipeline->stage[slot->key]->place != OPEVO_PLACE_ROOT)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_sketch_fuse(pipeline, slot->key, 0, count, err));
    status = opevo_i_sketch_annotate(pipeline, slot->key, 0, OPEVO_ANNOTATION_PARALLEL, err);
cleanup:
    return status;
}

/* The innermost loops become a vector, as many of them as have up to 16 iterations together; a
 * longer innermost loop is split. */
static opevo_status build_vector(opevo_pipeline *pipeline, int key, int wanted, opevo_error *err)
{
    const opevo_i_loops *own = &pipeline->stage[key]->own;
    int most = inner_loops(pipeline, key);
    int count = 0;
    int64_t lanes = 1;
    opevo_status status = OPEVO_OK;

    while (count < wanted && count < most &&
           own->loop[own->loops - 1 - count].extent <= WIDEST_VECTOR / lanes)
        lanes *= own->loop[own->loops - 1 - count++].extent;
    if (count == 0 && most > 0 && (!own->loop[own->loops - 1].inner || own->axes == most)) {
        OPEVO_TRY(opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_SPLIT, 2,
                                         (int64_t[]){own->loops - 1, WIDEST_VECTOR}, err));
        return opevo_i_sketch_annotate(pipeline, key, own->loops - 1, OPEVO_ANNOTATION_VECTORIZE,
                                       err);
    }
    if (count == 0 || lanes == 1)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_sketch_fuse(pipeline, key, own->loops - count, count, err));
    status =
        opevo_i_sketch_annotate(pipeline, key, own->loops - 1, OPEVO_ANNOTATION_VECTORIZE, err);
cleanup:
    return status;
}

/* The innermost tile is written out, its last loop in vectors. */
static opevo_status build_registers(opevo_pipeline *pipeline, int key, int64_t lanes,
                                    opevo_error *err)
{
    const opevo_i_loops *own = &pipeline->stage[key]->own;
    int dims = pipeline->stage[key]->dims;
    int64_t extent = own->loop[own->loops - 1].extent;
    opevo_status status = OPEVO_OK;

    if (extent % lanes)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A row of the register tile has %lld elements, which vectors of %lld do "
                          "not divide.",
                          (long long)extent, (long long)lanes);
    for (int i = own->loops - dims; i < own->loops - 1; i++)
        OPEVO_TRY(opevo_i_sketch_annotate(pipeline, key, i, OPEVO_ANNOTATION_UNROLL, err));
    OPEVO_TRY(opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_SPLIT, 2,
                                     (int64_t[]){own->loops - 1, lanes}, err));
    OPEVO_TRY(opevo_i_sketch_annotate(pipeline, key, own->loops - 2, OPEVO_ANNOTATION_UNROLL, err));
    status =
        opevo_i_sketch_annotate(pipeline, key, own->loops - 1, OPEVO_ANNOTATION_VECTORIZE, err);
cleanup:
    return status;
}

/* The innermost loops of the sum around a register tile are written out, as far as their statements are
 * at most `most`; of the first that has more, the largest part that divides it. */
static opevo_status build_turns(opevo_pipeline *pipeline, int key, int64_t most, opevo_error *err)
{
    const opevo_i_loops *own = &pipeline->stage[key]->own;
    int loop = own->loops - 1 - pipeline->stage[key]->dims; /* the first of the tile */
    int64_t turns = most;
    int64_t part = 0;
    opevo_status status = OPEVO_OK;

    for (int i = loop; i < own->loops - 1; i++)
        turns /= own->loop[i].extent;
    for (loop--; turns > 1 && own->loop[loop].reduces && !has_point(pipeline, key, loop); loop--) {
        if (own->loop[loop].extent == 1)
            continue;
        part = opevo_i_divisor_below(own->loop[loop].extent, turns);
        if (part == own->loop[loop].extent) {
            OPEVO_TRY(opevo_i_sketch_annotate(pipeline, key, loop, OPEVO_ANNOTATION_UNROLL, err));
            turns /= part;
            continue;
        }
        if (part == 1)
            break;
        OPEVO_TRY(opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_SPLIT, 2,
                                         (int64_t[]){loop, part}, err));
        return opevo_i_sketch_annotate(pipeline, key, loop + 1, OPEVO_ANNOTATION_UNROLL, err);
    }
cleanup:
    return status;
}

static opevo_status build_unrolling(opevo_pipeline *pipeline, int key, int64_t most, bool registers,
                                    opevo_error *err)
{
    if (most == 0)
        return OPEVO_OK;
    return registers
               ? build_turns(pipeline, key, most, err)
               : opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_AUTO_UNROLL, 1, &most, err);
}

static opevo_status build_slot(const opevo_sketch *sketch, const opevo_slot *slot,
                               opevo_pipeline *pipeline, int choice, opevo_error *err)
{
    switch (slot->kind) {
    case OPEVO_SLOT_LOCATION:
        return build_place(pipeline, slot, choice, err);
    case OPEVO_SLOT_PARALLEL:
        return build_threads(pipeline, slot, choice, err);
    case OPEVO_SLOT_UNROLL:
        return build_unrolling(pipeline, slot->key, slot->value[choice],
                               slot->key == sketch->registers, err);
    case OPEVO_SLOT_LANES:
        return build_registers(pipeline, slot->key, slot->value[choice], err);
    case OPEVO_SLOT_STREAM:
        return slot->value[choice]
                   ? opevo_i_sketch_step_on(pipeline, slot->key, OPEVO_PIPELINE_STREAM, 0,
                                            (int64_t[]){0}, err)
                   : OPEVO_OK;
    default: /* tiles are built, as are threads; vectors come last */
        return OPEVO_OK;
    }
}

/* How many loops of a stage are to become a vector: what a slot says, or one. */
static int vector_loops(const opevo_sketch *sketch, const opevo_slot_value *values, int key)
{
    for (int i = 0; i < sketch->slots; i++) {
        if (sketch->slot[i].kind == OPEVO_SLOT_VECTORIZE && sketch->slot[i].key == key)
            return (int)sketch->slot[i].value[values[i].choice];
    }
    return 1;
}

opevo_status opevo_sketch_build(const opevo_sketch *sketch, const opevo_slot_value *values,
                                opevo_pipeline **out, opevo_error *err)
{
    opevo_pipeline *pipeline = NULL;
    opevo_status status = build_tiles(sketch, values, &pipeline, err);

    if (status != OPEVO_OK)
        return status;
    if (opevo_i_sketch_is_gpu(sketch->dialect))
        OPEVO_TRY(opevo_i_sketch_build_gpu(sketch, values, pipeline, err));
    for (int i = 0; i < sketch->slots; i++)
        OPEVO_TRY(build_slot(sketch, &sketch->slot[i], pipeline, values[i].choice, err));
    for (int number = 0; number < pipeline->stages && !opevo_i_sketch_is_gpu(sketch->dialect);
         number++) {
        int key = pipeline->order[number];

        if (opevo_i_sketch_is_computed(pipeline->stage[key]) && key != sketch->registers)
            OPEVO_TRY(build_vector(pipeline, key, vector_loops(sketch, values, key), err));
    }
    *out = pipeline;
    pipeline = NULL;
cleanup:
    opevo_pipeline_destroy(pipeline);
    return status;
}
