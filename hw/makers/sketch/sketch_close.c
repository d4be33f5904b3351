/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sketches of computations of many definitions, which leave more open than a space can hold: some
 * stages keep their parameters, others in each sketch, and the rest get tiles as they suit vectors
 * and are computed as a whole. */

#include "sketch_rules_internal.h"

#include "template_internal.h"

#include <math.h>

enum { PARAMETERS = 80, BITS = 96 }; /* of the stages that keep theirs */
/* Of those that have none: a vector by few rows and terms, so that the sums stay in registers and
 * the text short, whatever the processor has. */
enum { VECTOR = 16, ROWS = 4, TERMS = 8 };

/* About the parameters of a stage, and about the logarithm of their values. */
static int count_parameters(const opevo_i_pipeline_stage *stage)
{
    return stage->own.axes + 3;
}

static double count_bits(const opevo_i_pipeline_stage *stage)
{
    double bits = 6;

    for (int a = 0; a < stage->own.axes; a++)
        bits += 1.2 * log2((double)stage->own.axis_extent[a]) + 1;
    return bits;
}

/* The register tile keeps its parameters, and so do others from the one with this number on. */
static void choose(opevo_sketch *sketch, size_t number)
{
    const opevo_pipeline *pipeline = sketch->pipeline;
    int stages = pipeline->stages, parameters = 0;
    double bits = 0;

    for (int n = -1; n < stages; n++) {
        int key =
            n < 0 ? sketch->registers : pipeline->order[((size_t)n + 5 * number) % (size_t)stages];
        const opevo_i_pipeline_stage *stage = key < 0 ? NULL : pipeline->stage[key];

        if (!stage || stage->kind == OPEVO_STAGE_INPUT || (n >= 0 && key == sketch->registers))
            continue;
        sketch->closed[key] = n >= 0 && (parameters + count_parameters(stage) > PARAMETERS ||
                                         bits + count_bits(stage) > BITS);
        if (sketch->closed[key])
            continue;
        parameters += count_parameters(stage);
        bits += count_bits(stage);
    }
}

/* The innermost length of a split: a vector along the last axis, a few iterations of others. */
static int64_t length_of(const opevo_i_pipeline_stage *stage, int loop)
{
    const opevo_i_nest_loop *one = &stage->own.loop[loop];
    int64_t most = one->reduces                                                        ? TERMS
                   : loop + 1 < stage->own.loops && !stage->own.loop[loop + 1].reduces ? ROWS
                                                                                       : VECTOR;

    return opevo_i_template_divisor_below(one->extent, most);
}

opevo_status opevo_i_sketch_close(opevo_sketch *sketch, size_t number, opevo_error *err)
{
    opevo_pipeline *replay = NULL;
    opevo_status status = opevo_pipeline_create(sketch->pipeline->given, &replay, err);

    if (status != OPEVO_OK)
        return status;
    choose(sketch, number);
    for (size_t i = 0; i < sketch->pipeline->step_count && status == OPEVO_OK; i++) {
        opevo_pipeline_step *step = &sketch->pipeline->steps[i];

        if (step->kind == OPEVO_PIPELINE_SPLIT && step->number[1] == 1 &&
            sketch->closed[replay->order[step->stage]])
            step->number[step->count - 1] =
                length_of(opevo_i_pipeline_at(replay, step->stage), (int)step->number[0]);
        status = opevo_pipeline_apply(replay, step, err);
    }
    if (status == OPEVO_OK) {
        opevo_pipeline_destroy(sketch->pipeline);
        sketch->pipeline = replay;
        return OPEVO_OK;
    }
    opevo_pipeline_destroy(replay);
    return status;
}

/* ---- Points ---- */

/* log2 of the number of ways to write a number as a product of so many factors in order. */
static double log_factorisations(int64_t number, int parts)
{
    double sum = 0;

    for (int64_t p = 2; number > 1; p++) {
        p = p * p > number ? number : p;
        for (int power = 1; number % p == 0; power++) {
            number /= p;
            sum += log2((double)(power + parts - 1) / power);
        }
    }
    return sum;
}

static double log_points(const opevo_sketch *sketch)
{
    double sum = 0;

    for (int i = 0; i < sketch->slots; i++) {
        const opevo_slot *slot = &sketch->slot[i];

        sum += slot->kind == OPEVO_SLOT_TILE ? log_factorisations(slot->extent, slot->parts)
                                             : log2(slot->choices);
    }
    return sum;
}

bool opevo_i_sketch_fit(const opevo_sketches *sketches)
{
    double points = 0;

    for (size_t i = 0; i < sketches->count; i++)
        points += exp2(log_points(sketches->item[i]));
    return sketches->count > 0 && points < 0x1p127;
}
