/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps on the loops of a stage. Each becomes a change with its lengths, which is kept: the loops
 * of a part are made by the same changes. */

#include "pipeline_internal.h"

#include <opevo/memory.h>

#include <string.h>

static int64_t product(const int64_t *number, int count)
{
    int64_t all = 1;

    for (int i = 0; i < count; i++)
        all = number[i] > 0 && all <= (INT64_C(1) << 40) / number[i] ? all * number[i] : -1;
    return all;
}

static int64_t parts_of(int64_t extent, int64_t length)
{
    return (extent + length - 1) / length;
}

/* The lengths of the inner loops that a split makes of `extent` iterations. The lengths of the
 * change are at least 1. */
static void inner_lengths(const opevo_i_pipeline_loop_change *change, int64_t extent, bool shrink,
                          int64_t *out)
{
    int64_t left = extent;

    if (change->kind == OPEVO_PIPELINE_SPLIT_OUTER) {
        for (int i = 0; i < change->count; i++) {
            left = parts_of(left, change->number[i]);
            if (i)
                out[i - 1] = change->number[i];
        }
        out[change->count - 1] = left;
        left = extent;
    } else {
        memcpy(out, change->number, (size_t)change->count * sizeof *out);
    }
    for (int i = change->count - 1; i >= 0 && shrink; i--) {
        out[i] = out[i] < left ? out[i] : left;
        left = parts_of(left, out[i]);
    }
}

opevo_status opevo_i_pipeline_loop_change_apply(const opevo_i_pipeline_loop_change *change,
                                                opevo_i_nest_loops *loops, bool shrink,
                                                opevo_i_affine_atoms *atoms, const char *stage,
                                                opevo_error *err)
{
    int64_t lengths[OPEVO_I_LOOPS];

    switch (change->kind) {
    case OPEVO_PIPELINE_SPLIT:
    case OPEVO_PIPELINE_SPLIT_OUTER:
        inner_lengths(change, loops->loop[change->at].extent, shrink, lengths);
        return opevo_i_nest_loops_split(loops, atoms, stage, change->at, change->count, lengths,
                                        err);
    case OPEVO_PIPELINE_FUSE:
        if (change->count == 1)
            return OPEVO_OK;
        return opevo_i_nest_loops_fuse(loops, atoms, stage, change->at, change->count, err);
    case OPEVO_PIPELINE_REORDER:
        return opevo_i_nest_loops_reorder(loops, stage, change->count, change->number, err);
    case OPEVO_PIPELINE_EXTEND:
        if (shrink && loops->loop[change->at].extent < change->number[1])
            return OPEVO_OK;
        return opevo_i_nest_loops_extend(loops, atoms, stage, change->at, change->number[0], err);
    default:
        loops->loop[change->at].annotation = (opevo_annotation)change->number[0];
        return OPEVO_OK;
    }
}

/* ---- Compute_at points ---- */

/* Loop numbers of the stage after a change. A point at a loop that is split goes to the innermost
 * part, one at a loop that is fused to the fused loop. */
static int moved(const opevo_i_pipeline_loop_change *change, int loop)
{
    int before = change->at;

    switch (change->kind) {
    case OPEVO_PIPELINE_SPLIT:
    case OPEVO_PIPELINE_SPLIT_OUTER:
        return loop < before ? loop : loop + change->count;
    case OPEVO_PIPELINE_FUSE:
        if (loop < before)
            return loop;
        return loop < before + change->count ? before : loop - change->count + 1;
    case OPEVO_PIPELINE_REORDER:
        for (int i = 0; i < change->count; i++) {
            if (change->number[i] == loop)
                return i;
        }
        return loop;
    default:
        return loop;
    }
}

static void move_points(opevo_pipeline *self, int key, const opevo_i_pipeline_loop_change *change)
{
    for (int i = 0; i < self->stages; i++) {
        opevo_i_pipeline_stage *one = self->stage[i];

        if (one->place == OPEVO_PLACE_AT && one->at == key)
            one->at_loop = moved(change, one->at_loop);
        if (i == key && one->accumulate >= 0)
            one->accumulate = moved(change, one->accumulate);
        if (i == key && one->trim >= 0)
            one->trim = moved(change, one->trim);
    }
}

/* ---- From steps to changes ---- */

/* An earlier split: its lengths come after its loop. */
static const opevo_pipeline_step *find_split(const opevo_pipeline *self, int64_t number,
                                             opevo_error *err)
{
    if (number < 0 || (size_t)number >= self->step_count ||
        self->steps[number].kind > OPEVO_PIPELINE_SPLIT_OUTER) {
        OPEVO_FAIL(err, OPEVO_INVALID, "Step %lld is not an earlier split.", (long long)number);
        return NULL;
    }
    return &self->steps[number];
}

/* Lengths of 1 to 2^40, also all together. */
static opevo_status set_lengths(opevo_i_pipeline_loop_change *change, opevo_pipeline_step_kind kind,
                                int count, const int64_t *lengths, opevo_error *err)
{
    if (count < 1 || count > OPEVO_I_LOOPS || product(lengths, count) < 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A split needs lengths of 1 to 2^40.");
    memcpy(change->number, lengths, (size_t)count * sizeof *lengths);
    change->kind = kind;
    change->count = count;
    return OPEVO_OK;
}

/* The last of the inner loops holds all that the source splits further. */
static opevo_status set_following(const opevo_pipeline *self, const opevo_pipeline_step *step,
                                  opevo_i_pipeline_loop_change *change, opevo_error *err)
{
    int64_t count = step->count == 3 ? step->number[2] : 0;
    const opevo_pipeline_step *source =
        step->count == 3 ? find_split(self, step->number[1], err) : NULL;

    if (!source)
        return step->count == 3
                   ? OPEVO_INVALID
                   : OPEVO_FAIL(err, OPEVO_INVALID,
                                "follow_split takes a loop, a step and a number of loops.");
    if (count < 1 || count > source->count)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Step %lld makes %d loops, not %lld or more.",
                          (long long)step->number[1], source->count, (long long)count);
    change->count = (int)count;
    for (int i = 0; i < change->count - 1; i++)
        change->number[i] = source->number[1 + i];
    change->number[count - 1] = product(&source->number[count], source->count - (int)count);
    return OPEVO_OK;
}

static opevo_status set_following_fused(const opevo_pipeline *self, const opevo_pipeline_step *step,
                                        opevo_i_pipeline_loop_change *change, opevo_error *err)
{
    int64_t length[2] = {1, 1};

    if (step->count < 4 || step->number[2] < 0 || step->number[2] > 1)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "follow_fused_split takes a loop, a level, 0 or 1, and steps.");
    for (int i = 3; i < step->count; i++) {
        const opevo_pipeline_step *source = find_split(self, step->number[i], err);

        if (!source)
            return OPEVO_INVALID;
        if (step->number[1] < 0 || step->number[1] >= source->count - 1)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Step %lld has no length %lld.",
                              (long long)step->number[i], (long long)step->number[1]);
        length[1] = source->number[1 + step->number[1]];
        length[0] = product(length, 2);
    }
    return set_lengths(change, step->number[2] ? OPEVO_PIPELINE_SPLIT : OPEVO_PIPELINE_SPLIT_OUTER,
                       1, length, err);
}

static opevo_status check_annotation(const opevo_i_pipeline_stage *stage,
                                     const opevo_i_pipeline_loop_change *change, opevo_error *err)
{
    const opevo_i_nest_loop *loop = &stage->own.loop[change->at];
    opevo_annotation what = (opevo_annotation)change->number[0];

    if (change->number[0] < 0 || change->number[0] >= OPEVO_ANNOTATION_COUNT)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: unknown annotation.", loop->name);
    for (int i = 0;
         i < stage->own.loops && (opevo_i_nest_is_block(what) || opevo_i_nest_is_thread(what));
         i++) {
        if (i != change->at && stage->own.loop[i].annotation == what)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s and %s cannot both be bound to one thread axis.",
                              stage->own.loop[i].name, loop->name);
    }
    if (loop->reduces && what >= OPEVO_ANNOTATION_PARALLEL && !opevo_i_nest_is_thread(what))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is a reduction loop and cannot be parallelised.",
                          loop->name);
    return what == OPEVO_ANNOTATION_PARALLEL
               ? opevo_i_nest_loops_check_parallel(&stage->own, change->at, err)
               : OPEVO_OK;
}

/* Neighbours, outer first. */
static opevo_status set_fused(const opevo_pipeline_step *step, opevo_i_pipeline_loop_change *change,
                              opevo_error *err)
{
    for (int i = 1; i < step->count; i++) {
        if (step->number[i] != step->number[0] + i)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Only adjacent loops can be fused, outer first.");
    }
    change->count = step->count;
    return OPEVO_OK;
}

enum { EXTENDED_MOST = 4096 }; /* iterations more than twice as many */

static opevo_status set_extended(const opevo_i_pipeline_stage *stage,
                                 const opevo_pipeline_step *step,
                                 opevo_i_pipeline_loop_change *change, opevo_error *err)
{
    const opevo_i_nest_loop *loop = &stage->own.loop[change->at];

    if (step->count != 2 || step->number[1] < loop->extent ||
        step->number[1] > 2 * loop->extent + EXTENDED_MOST)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has %lld iterations; it can be padded to at most %lld.", loop->name,
                          (long long)loop->extent, (long long)(2 * loop->extent + EXTENDED_MOST));
    if (loop->annotation != OPEVO_ANNOTATION_SERIAL || loop->inner)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is an inner loop of an axis, or not serial.",
                          loop->name);
    change->number[0] = step->number[1];
    change->number[1] = loop->extent;
    return OPEVO_OK;
}

static opevo_status make_change(const opevo_pipeline *self, const opevo_i_pipeline_stage *stage,
                                const opevo_pipeline_step *step, opevo_i_pipeline_loop_change *out,
                                opevo_error *err)
{
    if (step->count < 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A step on loops takes a loop of %s.", stage->name);
    if (step->number[0] < 0 || step->number[0] >= stage->own.loops)
        return opevo_i_pipeline_no_loop_at(stage, step->number[0], err);
    *out = (opevo_i_pipeline_loop_change){.kind = OPEVO_PIPELINE_SPLIT, .at = (int)step->number[0]};
    switch (step->kind) {
    case OPEVO_PIPELINE_SPLIT:
    case OPEVO_PIPELINE_SPLIT_OUTER:
        return set_lengths(out, step->kind, step->count - 1, &step->number[1], err);
    case OPEVO_PIPELINE_FOLLOW_SPLIT:
        return set_following(self, step, out, err);
    case OPEVO_PIPELINE_FOLLOW_FUSED_SPLIT:
        return set_following_fused(self, step, out, err);
    case OPEVO_PIPELINE_EXTEND:
        out->kind = OPEVO_PIPELINE_EXTEND;
        return set_extended(stage, step, out, err);
    case OPEVO_PIPELINE_FUSE:
        out->kind = OPEVO_PIPELINE_FUSE;
        return set_fused(step, out, err);
    case OPEVO_PIPELINE_REORDER:
        *out = (opevo_i_pipeline_loop_change){.kind = OPEVO_PIPELINE_REORDER, .count = step->count};
        for (int i = 0; i < out->count; i++)
            out->number[i] = step->number[i];
        return OPEVO_OK;
    default:
        out->kind = OPEVO_PIPELINE_ANNOTATE;
        out->number[0] = step->count == 2 ? step->number[1] : -1;
        return check_annotation(stage, out, err);
    }
}

opevo_status opevo_i_pipeline_change(opevo_pipeline *self, const opevo_pipeline_step *step,
                                     opevo_error *err)
{
    opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(self, step->stage);
    opevo_i_pipeline_loop_change change;
    opevo_i_nest_loops *loops = NULL;
    opevo_status status = make_change(self, stage, step, &change, err);

    if (status != OPEVO_OK)
        return status;
    if (stage->place == OPEVO_PLACE_INLINED)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is inlined and has no loops.", stage->name);
    if (stage->changes == OPEVO_I_CHANGES)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "The loops of %s are changed more than %d times.",
                          stage->name, OPEVO_I_CHANGES);
    loops = opevo_malloc(1, sizeof *loops);
    OPEVO_NEED_OR_RETURN(loops, "a step");
    *loops = stage->own;
    OPEVO_TRY(
        opevo_i_pipeline_loop_change_apply(&change, loops, false, &self->atoms, stage->name, err));
    stage->own = *loops;
    stage->extended |= change.kind == OPEVO_PIPELINE_EXTEND;
    stage->change[stage->changes++] = change;
    move_points(self, self->order[step->stage], &change);
cleanup:
    opevo_free(loops);
    return status;
}
