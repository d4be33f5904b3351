/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The steps of a member of a class, on its largest member. Steps that say how many parts there are
 * or how far a loop is padded are written anew where the loop is longer there, so that tiles keep
 * their sizes. */

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

/* Step `at` of a member, as it is on the largest one; `mirror` is the member ahead of it. */
static opevo_pipeline_step adapted(const opevo_pipeline *member, size_t at,
                                   const opevo_pipeline *mirror, const opevo_pipeline *made)
{
    opevo_pipeline_step step = member->steps[at];
    int64_t here = 0, there = 0;

    if ((step.kind != OPEVO_PIPELINE_SPLIT_OUTER && step.kind != OPEVO_PIPELINE_EXTEND) ||
        step.number[0] >= opevo_i_pipeline_at(made, step.stage)->own.loops)
        return step;
    here = opevo_pipeline_loop(mirror, step.stage, (int)step.number[0]).extent;
    there = opevo_pipeline_loop(made, step.stage, (int)step.number[0]).extent;
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
    opevo_status status = check_member(member, of, err);

    OPEVO_TRY(status);
    OPEVO_TRY(opevo_pipeline_create(member->given, &mirror, err));
    OPEVO_TRY(opevo_pipeline_create(of->largest, &made, err));
    for (size_t i = 0; i < member->step_count; i++) {
        opevo_pipeline_step step = adapted(member, i, mirror, made);

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
