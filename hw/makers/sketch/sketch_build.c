/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pipeline that values make of a sketch. They are applied in the order of the slots: tiles,
 * places, threads, unrolling, vectors. */

#include "sketch_internal.h"

#include "template_internal.h"

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
        if (step.kind == OPEVO_PIPELINE_LAYOUT && !sketch->rows)
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

/* Lanes of a longer innermost loop. What an inner one of an axis runs too far is written by the
 * next iteration of the loop around it as well, which may be another thread's. */
static int64_t lanes_of(const opevo_i_nest_loop *loop)
{
    return loop->inner ? opevo_i_template_divisor_below(loop->extent, OPEVO_I_WIDEST_VECTOR)
                       : OPEVO_I_WIDEST_VECTOR;
}

/* The innermost loops become a vector, as many of them as have up to 16 iterations together; a
 * longer innermost loop is split. */
static opevo_status build_vector(opevo_pipeline *pipeline, int key, int wanted, opevo_error *err)
{
    const opevo_i_nest_loops *own = &pipeline->stage[key]->own;
    int most = opevo_i_sketch_inner_loops(pipeline, key);
    int count = 0;
    int64_t lanes = 1;
    opevo_status status = OPEVO_OK;

    while (count < wanted && count < most &&
           own->loop[own->loops - 1 - count].extent <= OPEVO_I_WIDEST_VECTOR / lanes)
        lanes *= own->loop[own->loops - 1 - count++].extent;
    if (count == 0 && most > 0 && (!own->loop[own->loops - 1].inner || own->axes == most)) {
        lanes = lanes_of(&own->loop[own->loops - 1]);
        if (lanes == 1)
            return OPEVO_OK;
        OPEVO_TRY(opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_SPLIT, 2,
                                         (int64_t[]){own->loops - 1, lanes}, err));
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

/* A row of a block is a vector, or several of the widest that divide it. */
static opevo_status build_block(opevo_pipeline *pipeline, int key, opevo_error *err)
{
    const opevo_i_nest_loops *own = &pipeline->stage[key]->own;
    int64_t extent = own->loop[own->loops - 1].extent;
    int64_t lanes = opevo_i_template_divisor_below(extent, OPEVO_I_WIDEST_VECTOR);
    opevo_status status = OPEVO_OK;

    if (lanes == 1)
        return OPEVO_OK;
    if (lanes < extent)
        OPEVO_TRY(opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_SPLIT, 2,
                                         (int64_t[]){own->loops - 1, lanes}, err));
    status =
        opevo_i_sketch_annotate(pipeline, key, own->loops - 1, OPEVO_ANNOTATION_VECTORIZE, err);
cleanup:
    return status;
}

/* The innermost loops, a tile, are written out, the last one in vectors. */
static opevo_status build_registers(opevo_pipeline *pipeline, int key, int tile, int64_t lanes,
                                    opevo_error *err)
{
    const opevo_i_nest_loops *own = &pipeline->stage[key]->own;
    int64_t extent = own->loop[own->loops - 1].extent;
    opevo_status status = OPEVO_OK;

    if (extent % lanes)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A row of the register tile has %lld elements, which vectors of %lld do "
                          "not divide.",
                          (long long)extent, (long long)lanes);
    for (int i = own->loops - tile; i < own->loops - 1; i++)
        OPEVO_TRY(opevo_i_sketch_annotate(pipeline, key, i, OPEVO_ANNOTATION_UNROLL, err));
    OPEVO_TRY(opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_SPLIT, 2,
                                     (int64_t[]){own->loops - 1, lanes}, err));
    OPEVO_TRY(opevo_i_sketch_annotate(pipeline, key, own->loops - 2, OPEVO_ANNOTATION_UNROLL, err));
    status =
        opevo_i_sketch_annotate(pipeline, key, own->loops - 1, OPEVO_ANNOTATION_VECTORIZE, err);
cleanup:
    return status;
}

/* The innermost loops of the sum around a register tile are written out, as far as their statements
 * are at most `most`; of the first that has more, the largest part that divides it. */
static opevo_status build_turns(opevo_pipeline *pipeline, int key, int64_t most, opevo_error *err)
{
    const opevo_i_nest_loops *own = &pipeline->stage[key]->own;
    int loop = own->loops - 1 - pipeline->stage[key]->dims; /* the first of the tile */
    int64_t turns = most;
    int64_t part = 0;
    opevo_status status = OPEVO_OK;

    for (int i = loop; i < own->loops - 1; i++)
        turns /= own->loop[i].extent;
    for (loop--;
         turns > 1 && own->loop[loop].reduces && !opevo_i_sketch_has_point(pipeline, key, loop);
         loop--) {
        if (own->loop[loop].extent == 1)
            continue;
        part = opevo_i_template_divisor_below(own->loop[loop].extent, turns);
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

/* Of all stages whose sums gather in registers. */
static opevo_status build_lanes(const opevo_sketch *sketch, opevo_pipeline *pipeline, int64_t lanes,
                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int key = 0; key < pipeline->stages && status == OPEVO_OK; key++) {
        int tile = key == sketch->registers ? pipeline->stage[key]->dims : sketch->gathers[key];

        if (tile)
            status = build_registers(pipeline, key, tile, lanes, err);
    }
    return status;
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
        return build_lanes(sketch, pipeline, slot->value[choice], err);
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

        if (sketch->blocked[key])
            OPEVO_TRY(build_block(pipeline, key, err));
        else if (opevo_i_sketch_is_computed(pipeline->stage[key]) && key != sketch->registers &&
                 !sketch->gathers[key])
            OPEVO_TRY(build_vector(pipeline, key, vector_loops(sketch, values, key), err));
    }
    *out = pipeline;
    pipeline = NULL;
cleanup:
    opevo_pipeline_destroy(pipeline);
    return status;
}
