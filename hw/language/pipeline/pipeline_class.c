/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The steps of a member of a class, on its largest member. Steps that say how many parts there are
 * or how far a loop is padded are written anew where the loop is longer there, and loops that
 * threads or lanes are bound to as a whole are divided, so that tiles keep their sizes. */

#include "pipeline_internal.h"

#include <opevo/pipeline_class.h>

static int64_t product_of(const int64_t *lengths, int count)
{
    int64_t product = 1;

    for (int i = 0; i < count; i++)
        product *= lengths[i];
    return product;
}

/* Outer lengths become inner ones: those behind the first, and what they leave on the member. */
static void keep_tiles(opevo_pipeline_step *step, int64_t extent)
{
    int64_t parts = product_of(&step->number[1], step->count - 1);

    step->kind = OPEVO_PIPELINE_SPLIT;
    for (int i = 1; i + 1 < step->count; i++)
        step->number[i] = step->number[i + 1];
    step->number[step->count - 1] = (extent + parts - 1) / parts;
}

/* What a padded loop is split into next: its length is a multiple of that. */
static int64_t padded_to(const opevo_pipeline *member, size_t at)
{
    const opevo_pipeline_step *step = &member->steps[at];

    for (size_t i = at + 1; i < member->step_count; i++) {
        const opevo_pipeline_step *next = &member->steps[i];

        if (next->kind == OPEVO_PIPELINE_SPLIT && next->stage == step->stage &&
            next->number[0] == step->number[0])
            return product_of(&next->number[1], next->count - 1);
    }
    return 1;
}

/* By key of a stage: the loop that was divided, which its later steps count as one; -1: none. */
typedef struct divided {
    int at[OPEVO_PIPELINE_STAGES];
} divided;

static int shifted(const divided *self, int key, int64_t loop)
{
    return (int)loop + (self->at[key] >= 0 && loop >= self->at[key]);
}

/* Step `at` of a member, as it is on the largest one; `mirror` is the member ahead of it. */
static opevo_pipeline_step adapted(const opevo_pipeline *member, size_t at,
                                   const opevo_pipeline *mirror, const opevo_pipeline *made,
                                   const divided *loops)
{
    opevo_pipeline_step step = member->steps[at];
    int64_t here = 0, there = 0;

    if (step.kind != OPEVO_PIPELINE_SPLIT_OUTER && step.kind != OPEVO_PIPELINE_EXTEND)
        return step;
    here = opevo_pipeline_loop(mirror, step.stage, (int)step.number[0]).extent;
    there = opevo_pipeline_loop(made, step.stage,
                                shifted(loops, made->order[step.stage], step.number[0]))
                .extent;
    if (here == there)
        return step;
    if (step.kind == OPEVO_PIPELINE_SPLIT_OUTER) {
        keep_tiles(&step, here);
    } else {
        int64_t multiple = padded_to(member, at);

        step.number[1] = (there + multiple - 1) / multiple * multiple;
    }
    return step;
}

/* ---- Loops that would become longer than what they are annotated as ---- */

/* The step as it is where a loop of a stage was divided: the inner part stands for it. Errors:
 * INVALID for a step that orders or fuses loops. */
static opevo_status renumber(const divided *self, const opevo_pipeline *made,
                             opevo_pipeline_step *step, opevo_error *err)
{
    int key = made->order[step->stage];

    if (step->kind == OPEVO_PIPELINE_COMPUTE_AT) {
        if (step->count == 2 && step->number[0] >= 0 && step->number[0] < made->stages)
            step->number[1] = shifted(self, made->order[step->number[0]], step->number[1]);
        return OPEVO_OK;
    }
    if (self->at[key] < 0 || step->count < 1)
        return OPEVO_OK;
    if (step->kind == OPEVO_PIPELINE_FUSE || step->kind == OPEVO_PIPELINE_REORDER ||
        step->kind == OPEVO_PIPELINE_RFACTOR)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has a loop that is annotated as a whole before others are ordered.",
                          made->stage[key]->name);
    if (step->kind <= OPEVO_PIPELINE_ANNOTATE || step->kind == OPEVO_PIPELINE_EXTEND ||
        step->kind == OPEVO_PIPELINE_ACCUMULATE || step->kind == OPEVO_PIPELINE_TRIM)
        step->number[0] = shifted(self, key, step->number[0]);
    return OPEVO_OK;
}

/* Whether a stage has blocks, or gets them by a step behind number `at` of the member. */
static bool has_blocks(const opevo_i_pipeline_stage *stage, const opevo_pipeline *member, size_t at)
{
    bool any = false;

    for (int i = 0; i < stage->own.loops; i++)
        any |= opevo_i_nest_is_block(stage->own.loop[i].annotation);
    for (size_t i = at + 1; i < member->step_count; i++) {
        const opevo_pipeline_step *later = &member->steps[i];

        any |= later->kind == OPEVO_PIPELINE_ANNOTATE && later->stage == member->steps[at].stage &&
               later->count == 2 && opevo_i_nest_is_block((opevo_annotation)later->number[1]);
    }
    return any;
}

/* Whether an annotation is of as many iterations as a loop has: threads, lanes, copies. */
static bool is_of_size(opevo_annotation what)
{
    return what != OPEVO_ANNOTATION_SERIAL && what != OPEVO_ANNOTATION_PARALLEL &&
           !opevo_i_nest_is_block(what);
}

/* Ahead of such an annotation of a loop that is longer than on the member: divide it, so that the
 * inner part has the member's length. The outer one becomes blocks where a stage has threads and no
 * blocks. */
static opevo_status divide_annotated(divided *self, const opevo_pipeline *member, size_t at,
                                     const opevo_pipeline *mirror, opevo_pipeline *made,
                                     opevo_error *err)
{
    const opevo_pipeline_step *step = &member->steps[at];
    int key = made->order[step->stage];
    const opevo_i_pipeline_stage *stage = made->stage[key];
    opevo_pipeline_step split = {OPEVO_PIPELINE_SPLIT, step->stage, 2, {0}};
    opevo_annotation what = OPEVO_ANNOTATION_SERIAL;
    int64_t here = 0;
    opevo_status status = OPEVO_OK;

    if (step->kind != OPEVO_PIPELINE_ANNOTATE || step->count != 2 || self->at[key] >= 0)
        return OPEVO_OK;
    what = (opevo_annotation)step->number[1];
    here = opevo_pipeline_loop(mirror, step->stage, (int)step->number[0]).extent;
    if (!is_of_size(what) || stage->own.loop[step->number[0]].extent <= here ||
        stage->own.loop[step->number[0]].reduces)
        return OPEVO_OK;
    split.number[0] = step->number[0];
    split.number[1] = here;
    OPEVO_TRY(opevo_pipeline_apply(made, &split, err));
    self->at[key] = (int)step->number[0];
    if (opevo_i_nest_is_thread(what) && stage->place == OPEVO_PLACE_ROOT &&
        !has_blocks(stage, member, at)) {
        opevo_pipeline_step blocks = {
            OPEVO_PIPELINE_ANNOTATE, step->stage, 2, {step->number[0], OPEVO_ANNOTATION_BLOCK_X}};

        status = opevo_pipeline_apply(made, &blocks, err);
    }
cleanup:
    return status;
}

static opevo_status check_member(const opevo_pipeline *member, const opevo_class *of,
                                 opevo_error *err)
{
    int64_t numbers[OPEVO_CLASS_NUMBERS];
    bool is_member = false;
    opevo_status status = opevo_class_find(of, member->given, &is_member, numbers, err);

    if (status == OPEVO_OK && !is_member)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "The computation is not one of %.200s.", of->text);
    return status;
}

static opevo_status free_axes(opevo_pipeline *made, const opevo_class *of, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < of->numbers; i++) {
        for (int a = 0; a < of->number[i].axes; a++) {
            opevo_error inner = {OPEVO_OK, ""};

            status = opevo_pipeline_free_axis(made, of->number[i].axis[a], &inner);
            if (status != OPEVO_OK)
                return OPEVO_FAIL(err, status, "%s%s", inner.message,
                                  made->reshaped ? " The schedule merges or divides dimensions."
                                                 : "");
        }
    }
    return status;
}

opevo_status opevo_pipeline_for_class(const opevo_pipeline *member, const opevo_class *of,
                                      opevo_pipeline **out, opevo_error *err)
{
    opevo_pipeline *mirror = NULL, *made = NULL;
    divided loops;
    opevo_status status = check_member(member, of, err);

    OPEVO_TRY(status);
    for (int i = 0; i < OPEVO_PIPELINE_STAGES; i++)
        loops.at[i] = -1;
    OPEVO_TRY(opevo_pipeline_create(member->given, &mirror, err));
    OPEVO_TRY(opevo_pipeline_create(of->largest, &made, err));
    for (size_t i = 0; i < member->step_count; i++) {
        opevo_pipeline_step step = adapted(member, i, mirror, made, &loops);

        OPEVO_TRY(divide_annotated(&loops, member, i, mirror, made, err));
        OPEVO_TRY(renumber(&loops, made, &step, err));
        OPEVO_TRY(opevo_pipeline_apply(made, &step, err));
        OPEVO_TRY(opevo_pipeline_apply(mirror, &member->steps[i], err));
    }
    OPEVO_TRY(free_axes(made, of, err));
    *out = made;
    made = NULL;
cleanup:
    opevo_pipeline_destroy(mirror);
    opevo_pipeline_destroy(made);
    return status;
}

int opevo_class_arguments(const opevo_class *of, const int64_t *numbers, int64_t *arguments)
{
    int count = 0;

    for (int i = 0; i < of->numbers; i++) {
        for (int a = 0; a < of->number[i].axes && count < OPEVO_KERNEL_ARGUMENTS; a++)
            arguments[count++] = numbers[i];
    }
    return count;
}
