/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps on the loops of a stage. */

#include "schedule_internal.h"

#include <string.h>

/* The loop named by a step. */
opevo_status opevo_i_nest_step_take_loop(const opevo_i_nest_stage *stage, const opevo_step *step,
                                         int *loop, opevo_error *err)
{
    if (step->count < 1 || step->number[0] < 0 || step->number[0] >= stage->own.loops)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has no such loop.", stage->name);
    *loop = (int)step->number[0];
    return OPEVO_OK;
}

opevo_status opevo_i_nest_step_split(opevo_schedule *self, opevo_i_nest_stage *stage,
                                     const opevo_step *step, opevo_error *err)
{
    int at = 0;
    opevo_status status = opevo_i_nest_step_take_loop(stage, step, &at, err);

    if (status != OPEVO_OK)
        return status;
    if (stage->own.loops + step->count - 1 > OPEVO_STEP_NUMBERS) /* a reorder step names all */
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s would have more than %d loops.", stage->name,
                          OPEVO_STEP_NUMBERS);
    return opevo_i_nest_loops_split(&stage->own, &self->atoms, stage->name, at, step->count - 1,
                                    &step->number[1], err);
}

enum { EXTENDED_MOST = 4096 }; /* turns more than twice as many */

opevo_status opevo_i_nest_step_extend(opevo_schedule *self, opevo_i_nest_stage *stage,
                                      const opevo_step *step, opevo_error *err)
{
    int at = 0;
    opevo_status status = opevo_i_nest_step_take_loop(stage, step, &at, err);
    opevo_i_nest_loop *loop = &stage->own.loop[at];

    if (status != OPEVO_OK)
        return status;
    if (step->count != 2 || step->number[1] < loop->extent ||
        step->number[1] > 2 * loop->extent + EXTENDED_MOST)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has %lld iterations; it can be padded to at most %lld.", loop->name,
                          (long long)loop->extent, (long long)(2 * loop->extent + EXTENDED_MOST));
    if (loop->annotation != OPEVO_ANNOTATION_SERIAL || stage->kind != OPEVO_I_COMPUTE ||
        strlen(loop->name) != 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not an original loop of C.", loop->name);
    return opevo_i_nest_loops_extend(&stage->own, &self->atoms, stage->name, at, step->number[1],
                                     err);
}

opevo_status opevo_i_nest_step_fuse(opevo_schedule *self, opevo_i_nest_stage *stage,
                                    const opevo_step *step, opevo_error *err)
{
    int at = 0;
    opevo_status status = opevo_i_nest_step_take_loop(stage, step, &at, err);

    if (status != OPEVO_OK)
        return status;
    return opevo_i_nest_loops_fuse(&stage->own, &self->atoms, stage->name, at,
                                   step->count == 2 ? (int)step->number[1] : 0, err);
}

/* Threads divide loops of C and of what is packed. */
static opevo_status check_parallel(const opevo_i_nest_stage *stage, int at, opevo_error *err)
{
    if (stage->kind != OPEVO_I_COMPUTE &&
        (stage->kind != OPEVO_I_CACHE_READ || stage->scope != OPEVO_SCOPE_PACKED))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: only loops of C and of packed copies can be parallel.",
                          stage->own.loop[at].name);
    return opevo_i_nest_loops_check_parallel(&stage->own, at, err);
}

opevo_status opevo_i_nest_step_annotate(opevo_i_nest_stage *stage, const opevo_step *step,
                                        opevo_error *err)
{
    int at = 0;
    opevo_status status = opevo_i_nest_step_take_loop(stage, step, &at, err);
    opevo_annotation what = OPEVO_ANNOTATION_SERIAL;
    opevo_i_nest_loop *loop = &stage->own.loop[at];

    if (status != OPEVO_OK)
        return status;
    if (step->count != 2 || step->number[1] < 0 || step->number[1] >= OPEVO_ANNOTATION_COUNT)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: unknown annotation.", loop->name);
    what = (opevo_annotation)step->number[1];
    for (int i = 0;
         i < stage->own.loops && (opevo_i_nest_is_block(what) || opevo_i_nest_is_thread(what));
         i++) {
        if (i != at && stage->own.loop[i].annotation == what)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s and %s cannot both be bound to one thread axis.",
                              stage->own.loop[i].name, loop->name);
    }
    if (stage->kind != OPEVO_I_COMPUTE &&
        (opevo_i_nest_is_block(what) || what == OPEVO_ANNOTATION_VTHREAD))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: only loops of C can be bound to that.",
                          loop->name);
    if (what == OPEVO_ANNOTATION_PARALLEL && check_parallel(stage, at, err) != OPEVO_OK)
        return OPEVO_INVALID;
    /* Threads in z may share a sum: it is gathered before it is written. */
    if (loop->reduces && (what == OPEVO_ANNOTATION_PARALLEL || what == OPEVO_ANNOTATION_VTHREAD ||
                          (opevo_i_nest_is_thread(what) && what != OPEVO_ANNOTATION_THREAD_Z) ||
                          opevo_i_nest_is_block(what)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is a reduction loop and cannot be parallelised.",
                          loop->name);
    loop->annotation = what;
    return OPEVO_OK;
}
