/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What sketches for GPUs leave open: threads, and vectors of what is brought to shared memory. The
 * loops of stages that are computed as a whole are divided among blocks and threads:
 *
 *     a tiled stage             the first three levels of its tiles: blocks, virtual threads,
 *     threads threads share a sum       the outer loops: blocks
 *     any other                 the outer loops: blocks of so many threads */

#include "sketch_internal.h"

static bool has_threads(const opevo_i_pipeline_stage *stage)
{
    for (int i = 0; i < stage->own.loops; i++) {
        if (opevo_i_nest_is_thread(stage->own.loop[i].annotation))
            return true;
    }
    return false;
}

static bool is_fetched(const opevo_i_pipeline_stage *stage)
{
    return stage->scope == OPEVO_SCOPE_SHARED && stage->place == OPEVO_PLACE_AT;
}

/* ---- Slots ---- */

/* Powers of two, until half of the threads would do nothing. */
opevo_status opevo_i_sketch_add_threads(opevo_sketch *self, opevo_slot_kind kind, int key,
                                        int64_t extent, opevo_slot **out, opevo_error *err)
{
    opevo_status status = opevo_i_sketch_add_slot(self, kind, key, "threads", out, err);

    for (int64_t n = 16; n <= OPEVO_I_BLOCK_THREADS && status == OPEVO_OK; n *= 2) {
        if (n == 16 || n < 2 * extent)
            opevo_i_sketch_add_choice(*out, n);
    }
    return status;
}

static opevo_status add_values(opevo_sketch *self, opevo_slot_kind kind, int key, const char *what,
                               const int64_t *values, size_t count, opevo_error *err)
{
    opevo_slot *slot = NULL;
    opevo_status status = opevo_i_sketch_add_slot(self, kind, key, what, &slot, err);

    for (size_t i = 0; i < count && status == OPEVO_OK; i++)
        opevo_i_sketch_add_choice(slot, values[i]);
    return status;
}

static opevo_status find_threads(opevo_sketch *self, int key, opevo_error *err)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    int loops = opevo_i_sketch_outer_loops(self->pipeline, key);
    opevo_slot *slot = NULL;
    int64_t extent = 1;

    if (stage->place != OPEVO_PLACE_ROOT || self->tiled[key] || has_threads(stage) || !loops)
        return OPEVO_OK;
    for (int i = 0; i < loops && extent < OPEVO_I_BLOCK_THREADS; i++)
        extent *= stage->own.loop[i].extent;
    return opevo_i_sketch_add_threads(self, OPEVO_SLOT_THREADS, key, extent, &slot, err);
}

opevo_status opevo_i_sketch_find_gpu(opevo_sketch *self, opevo_error *err)
{
    static const int64_t unroll[] = {0, 16, 64, 512, 1024}; /* Ansor's, for GPUs */
    static const int64_t fetch[] = {1, 2, 4};
    opevo_status status = OPEVO_OK;

    for (int number = 0; number < self->pipeline->stages; number++) {
        int key = self->pipeline->order[number];
        const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];

        if (!opevo_i_sketch_is_computed(stage))
            continue;
        OPEVO_TRY(find_threads(self, key, err));
        if (stage->own.axes > stage->dims)
            OPEVO_TRY(add_values(self, OPEVO_SLOT_UNROLL, key, "unroll", unroll,
                                 sizeof unroll / sizeof *unroll, err));
        if (is_fetched(stage))
            OPEVO_TRY(add_values(self, OPEVO_SLOT_FETCH, key, "fetch", fetch,
                                 sizeof fetch / sizeof *fetch, err));
    }
cleanup:
    return status;
}

/* ---- Building ---- */

static int64_t choice_of(const opevo_sketch *sketch, const opevo_slot_value *values, int key,
                         opevo_slot_kind kind)
{
    for (int i = 0; i < sketch->slots; i++) {
        if (sketch->slot[i].key == key && sketch->slot[i].kind == kind)
            return sketch->slot[i].value[values[i].choice];
    }
    return 1;
}

static opevo_status build_levels(opevo_pipeline *pipeline, int key, opevo_error *err)
{
    static const opevo_annotation levels[] = {OPEVO_ANNOTATION_BLOCK_X, OPEVO_ANNOTATION_VTHREAD,
                                              OPEVO_ANNOTATION_THREAD_X};
    int dims = pipeline->stage[key]->dims;
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < 3; i++) {
        OPEVO_TRY(opevo_i_sketch_fuse(pipeline, key, i, dims, err));
        OPEVO_TRY(opevo_i_sketch_annotate(pipeline, key, i, levels[i], err));
    }
cleanup:
    return status;
}

/* The outer loops as one; *extent is 0 where there is none. */
static opevo_status fuse_outer(opevo_pipeline *pipeline, int key, int64_t *extent, opevo_error *err)
{
    int loops = opevo_i_sketch_outer_loops(pipeline, key);
    opevo_status status = opevo_i_sketch_fuse(pipeline, key, 0, loops, err);

    *extent = loops ? pipeline->stage[key]->own.loop[0].extent : 0;
    return status;
}

static opevo_status build_root(const opevo_sketch *sketch, const opevo_slot_value *values,
                               opevo_pipeline *pipeline, int key, opevo_error *err)
{
    int64_t threads = choice_of(sketch, values, key, OPEVO_SLOT_THREADS);
    int64_t extent = 0;
    bool divided = has_threads(pipeline->stage[key]);
    opevo_status status = OPEVO_OK;

    if (sketch->tiled[key])
        return build_levels(pipeline, key, err);
    OPEVO_TRY(fuse_outer(pipeline, key, &extent, err));
    if (!extent)
        return OPEVO_OK;
    if (!divided && extent > threads) {
        OPEVO_TRY(opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_SPLIT, 2,
                                         (int64_t[]){0, threads}, err));
        OPEVO_TRY(opevo_i_sketch_annotate(pipeline, key, 1, OPEVO_ANNOTATION_THREAD_X, err));
        divided = true;
    }
    status = opevo_i_sketch_annotate(
        pipeline, key, 0, divided ? OPEVO_ANNOTATION_BLOCK_X : OPEVO_ANNOTATION_THREAD_X, err);
cleanup:
    return status;
}

/* All threads of the tiled stage bring a part each, in vectors. */
static opevo_status build_fetch(const opevo_sketch *sketch, const opevo_slot_value *values,
                                opevo_pipeline *pipeline, int key, opevo_error *err)
{
    const opevo_i_pipeline_stage *stage = pipeline->stage[key];
    int64_t lanes = choice_of(sketch, values, key, OPEVO_SLOT_FETCH);
    int64_t numbers[OPEVO_PIPELINE_NUMBERS] = {0, 1, 1};
    int count = 3;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_sketch_fuse(pipeline, key, 0, stage->own.loops, err));
    if (lanes > 1) {
        OPEVO_TRY(opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_SPLIT, 2,
                                         (int64_t[]){0, lanes}, err));
        OPEVO_TRY(opevo_i_sketch_annotate(pipeline, key, 1, OPEVO_ANNOTATION_VECTORIZE, err));
    }
    for (int i = 0; i < sketch->slots && count < OPEVO_PIPELINE_NUMBERS; i++) {
        if (opevo_i_sketch_is_spatial(&sketch->slot[i], stage->at))
            numbers[count++] = (int64_t)sketch->slot[i].step;
    }
    OPEVO_TRY(opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_FOLLOW_FUSED_SPLIT, count,
                                     numbers, err));
    status = opevo_i_sketch_annotate(pipeline, key, 1, OPEVO_ANNOTATION_THREAD_X, err);
cleanup:
    return status;
}

opevo_status opevo_i_sketch_build_gpu(const opevo_sketch *sketch, const opevo_slot_value *values,
                                      opevo_pipeline *pipeline, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int number = 0; number < pipeline->stages && status == OPEVO_OK; number++) {
        int key = pipeline->order[number];
        const opevo_i_pipeline_stage *stage = pipeline->stage[key];

        if (!opevo_i_sketch_is_computed(stage))
            continue;
        if (stage->place == OPEVO_PLACE_ROOT)
            status = build_root(sketch, values, pipeline, key, err);
        else if (is_fetched(stage))
            status = build_fetch(sketch, values, pipeline, key, err);
    }
    return status;
}
