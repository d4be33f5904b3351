/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The steps of pipelines that rules and slots share. */

#include "sketch_rules_internal.h"

#include <string.h>

opevo_status opevo_i_sketch_step(opevo_pipeline *pipeline, opevo_pipeline_step_kind kind, int stage,
                                 int count, const int64_t *numbers, opevo_error *err)
{
    opevo_pipeline_step step = {.kind = kind, .stage = stage, .count = count};

    if (count > OPEVO_PIPELINE_NUMBERS)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "A stage has too many loops for a sketch.");
    memcpy(step.number, numbers, (size_t)count * sizeof *numbers);
    return opevo_pipeline_apply(pipeline, &step, err);
}

/* Which axes the operand of the vectors moves with: none where the stage has other axes than its
 * definition. */
static void find_vector_axes(const opevo_pipeline *pipeline, int stage, int lanes, bool *moves)
{
    const opevo_i_pipeline_stage *own = opevo_i_pipeline_at(pipeline, stage);

    if (lanes >= 0 && !own->map)
        opevo_i_sketch_vector_axes(pipeline->computation->tensor[own->tensor]->definition, lanes,
                                   moves);
}

/* In the innermost tile a vector is read again for all rows, and a number is broadcast for all
 * vectors: axes of rows come first, then those of vectors, then that along them. */
static int loop_rank(const bool *moves, int lanes, int axis, bool innermost)
{
    return !innermost || lanes < 0 ? 0 : axis == lanes ? 2 : moves[axis];
}

opevo_status opevo_i_sketch_tile(opevo_pipeline *pipeline, int stage, const char *structure,
                                 int lanes, int64_t *steps, opevo_error *err)
{
    static const int64_t ones[OPEVO_PIPELINE_NUMBERS] = {0, 1, 1, 1, 1, 1, 1, 1};
    const opevo_i_nest_loops *own = &opevo_i_pipeline_at(pipeline, stage)->own;
    int loops = own->loops;
    int first[OPEVO_I_LOOPS]; /* part of each loop */
    bool reduces[OPEVO_I_LOOPS];
    int64_t order[OPEVO_I_LOOPS];
    bool moves[OPEVO_I_AXES] = {false};
    int parts[2] = {0, 0};
    int level[2] = {0, 0};
    int at = 0;
    int count = 0;
    opevo_status status = OPEVO_OK;

    find_vector_axes(pipeline, stage, lanes, moves);
    for (const char *letter = structure; *letter; letter++)
        parts[*letter == 'R']++;
    for (int i = 0; i < loops; i++) {
        int64_t numbers[8];

        memcpy(numbers, ones, sizeof numbers);
        numbers[0] = at;
        reduces[i] = own->loop[at].reduces;
        first[i] = at;
        if (!reduces[i])
            steps[i] = (int64_t)opevo_pipeline_step_count(pipeline);
        OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_SPLIT, stage, parts[reduces[i]],
                                      numbers, err));
        at += parts[reduces[i]];
    }
    for (const char *letter = structure; *letter; letter++) {
        bool sums = *letter == 'R';

        for (int turn = 0; turn < 3; turn++) {
            for (int i = 0; i < loops; i++) {
                if (reduces[i] == sums && loop_rank(moves, lanes, i, !letter[1]) == turn)
                    order[count++] = first[i] + level[sums];
            }
        }
        level[sums]++;
    }
    status = opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_REORDER, stage, count, order, err);
cleanup:
    return status;
}

opevo_status opevo_i_sketch_follow(opevo_pipeline *pipeline, int stage, int target, int level,
                                   const int64_t *steps, opevo_error *err)
{
    int dims = opevo_i_pipeline_at(pipeline, target)->dims;
    int64_t order[OPEVO_I_LOOPS];
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < dims; i++) {
        int64_t numbers[] = {(int64_t)i * (level + 1), steps[i], level};

        OPEVO_TRY(
            opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_FOLLOW_SPLIT, target, 3, numbers, err));
    }
    for (int i = 0; i < dims * (level + 1); i++)
        order[i] = (int64_t)(i % dims) * (level + 1) + i / dims;
    OPEVO_TRY(opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_REORDER, target, dims * (level + 1),
                                  order, err));
    status = opevo_i_sketch_step(pipeline, OPEVO_PIPELINE_COMPUTE_AT, stage, 2,
                                 (int64_t[]){target, (int64_t)level * dims - 1}, err);
cleanup:
    return status;
}

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

opevo_status opevo_i_sketch_fuse(opevo_pipeline *pipeline, int key, int first, int count,
                                 opevo_error *err)
{
    int64_t loops[OPEVO_I_LOOPS];

    for (int i = 0; i < count; i++)
        loops[i] = first + i;
    return count > 1 ? opevo_i_sketch_step_on(pipeline, key, OPEVO_PIPELINE_FUSE, count, loops, err)
                     : OPEVO_OK;
}
