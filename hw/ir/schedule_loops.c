/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps on the loops of a stage. Each axis of the stage stays an expression in its loops: a loop
 * that is split or fused is replaced in it by what it has become. */

#include "schedule_internal.h"

#include <stdio.h>
#include <string.h>

opevo_status opevo_i_step_add_loop(opevo_schedule *self, opevo_i_stage *stage, const char *name,
                                   int64_t extent, bool reduces, opevo_error *err)
{
    opevo_i_loop *loop = &stage->loop[stage->loops];

    *loop = (opevo_i_loop){.extent = extent, .reduces = reduces};
    snprintf(loop->name, sizeof loop->name, "%s", name);
    loop->atom = opevo_i_atoms_loop(&self->atoms, extent);
    if (self->atoms.failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the loops of a schedule.");
    stage->loops++;
    return OPEVO_OK;
}

/* The loop named by a step. */
opevo_status opevo_i_step_take_loop(const opevo_i_stage *stage, const opevo_step *step, int *loop,
                                    opevo_error *err)
{
    if (step->count < 1 || step->number[0] < 0 || step->number[0] >= stage->loops)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has no such loop.", stage->name);
    *loop = (int)step->number[0];
    return OPEVO_OK;
}

/* Every axis of the stage with `value` in the place of a loop's atom. */
static opevo_status replace_loop(opevo_schedule *self, opevo_i_stage *stage, int atom,
                                 const opevo_i_affine *value, opevo_error *err)
{
    for (int i = 0; i < stage->axes; i++) {
        stage->axis[i] = opevo_i_affine_replace(&self->atoms, &stage->axis[i], atom, value);
        if (stage->axis[i].overflow)
            return OPEVO_FAIL(err, OPEVO_LIMIT, "An index of %s would have more than %d parts.",
                              stage->name, OPEVO_I_TERMS);
    }
    if (self->atoms.failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the loops of a schedule.");
    return OPEVO_OK;
}

static opevo_status name_part(const opevo_i_loop *loop, int part, char *name, opevo_error *err)
{
    int length = snprintf(name, OPEVO_I_NAME, "%s.%d", loop->name, part);

    if (length < 0 || length >= OPEVO_I_NAME)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "The name of a part of %s is too long.", loop->name);
    return OPEVO_OK;
}

opevo_status opevo_i_step_split(opevo_schedule *self, opevo_i_stage *stage, const opevo_step *step,
                                opevo_error *err)
{
    int at = 0;
    int parts = step->count;
    int64_t inner = 1;
    opevo_i_affine value = opevo_i_affine_constant(0);
    opevo_i_loop old;
    opevo_i_loop after[OPEVO_I_LOOPS];
    int after_count = 0;
    opevo_status status = opevo_i_step_take_loop(stage, step, &at, err);

    if (status != OPEVO_OK)
        return status;
    old = stage->loop[at];
    for (int i = 1; i < parts; i++) {
        if (step->number[i] < 1 || step->number[i] > (INT64_C(1) << 40) / inner)
            return OPEVO_FAIL(err, OPEVO_INVALID, "A part of %s cannot have length %lld.", old.name,
                              (long long)step->number[i]);
        inner *= step->number[i];
    }
    if (parts < 2 || old.annotation != OPEVO_ANNOTATION_SERIAL)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: a split needs a serial loop and a length.",
                          old.name);
    if (stage->loops + parts - 1 > OPEVO_I_LOOPS)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s would have more than %d loops.", stage->name,
                          OPEVO_I_LOOPS);
    after_count = stage->loops - at - 1;
    memcpy(after, &stage->loop[at + 1], (size_t)after_count * sizeof *after);
    stage->loops = at;
    for (int i = 0; i < parts; i++) {
        char name[OPEVO_I_NAME];
        int64_t extent = i ? step->number[i] : (old.extent + inner - 1) / inner;
        opevo_i_affine part;

        if (i)
            inner /= extent;
        OPEVO_TRY(name_part(&old, i, name, err));
        OPEVO_TRY(opevo_i_step_add_loop(self, stage, name, extent, old.reduces, err));
        part = opevo_i_affine_atom(stage->loop[at + i].atom);
        value = opevo_i_affine_add(&self->atoms, value, inner, &part);
    }
    memcpy(&stage->loop[stage->loops], after, (size_t)after_count * sizeof *after);
    stage->loops += after_count;
    status = replace_loop(self, stage, old.atom, &value, err);
cleanup:
    return status;
}

enum { EXTENDED_MOST = 4096 }; /* turns more than twice as many */

opevo_status opevo_i_step_extend(opevo_schedule *self, opevo_i_stage *stage, const opevo_step *step,
                                 opevo_error *err)
{
    int at = 0;
    opevo_i_affine value;
    opevo_status status = opevo_i_step_take_loop(stage, step, &at, err);
    opevo_i_loop *loop = &stage->loop[at];

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
    value = opevo_i_affine_atom(opevo_i_atoms_loop(&self->atoms, step->number[1]));
    status = replace_loop(self, stage, loop->atom, &value, err);
    loop->atom = value.term[0].atom;
    loop->extent = step->number[1];
    return status;
}

static opevo_status join_names(const opevo_i_stage *stage, int first, int count, char *name,
                               opevo_error *err)
{
    size_t length = 0;

    for (int i = 0; i < count; i++) {
        const char *one = stage->loop[first + i].name;

        if (length + strlen(one) + 2 > OPEVO_I_NAME)
            return OPEVO_FAIL(err, OPEVO_LIMIT, "The name of a fused loop of %s is too long.",
                              stage->name);
        length += (size_t)snprintf(name + length, OPEVO_I_NAME - length, "%s%s", i ? "+" : "", one);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_step_fuse(opevo_schedule *self, opevo_i_stage *stage, const opevo_step *step,
                               opevo_error *err)
{
    int at = 0;
    int count = step->count == 2 ? (int)step->number[1] : 0;
    int64_t inner = 1;
    opevo_i_loop fused = {0};
    opevo_i_affine whole;
    opevo_status status = opevo_i_step_take_loop(stage, step, &at, err);

    if (status != OPEVO_OK)
        return status;
    if (count < 2 || at + count > stage->loops)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Only two or more adjacent loops can be fused.");
    fused.extent = 1;
    fused.reduces = stage->loop[at].reduces;
    for (int i = 0; i < count; i++) {
        const opevo_i_loop *one = &stage->loop[at + i];

        if (one->reduces != fused.reduces || one->annotation != OPEVO_ANNOTATION_SERIAL)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s cannot be fused: all must be serial, and all or none reduce.",
                              one->name);
        if (one->extent > (INT64_C(1) << 40) / fused.extent)
            return OPEVO_FAIL(err, OPEVO_LIMIT,
                              "A fused loop would have more than 2^40 iterations.");
        fused.extent *= one->extent;
    }
    OPEVO_TRY(join_names(stage, at, count, fused.name, err));
    fused.atom = opevo_i_atoms_loop(&self->atoms, fused.extent);
    whole = opevo_i_affine_atom(fused.atom);
    for (int i = count - 1; i >= 0; i--) {
        opevo_i_affine part = opevo_i_affine_divide(&self->atoms, &whole, inner);

        if (i)
            part = opevo_i_affine_modulo(&self->atoms, &part, stage->loop[at + i].extent);
        inner *= stage->loop[at + i].extent;
        OPEVO_TRY(replace_loop(self, stage, stage->loop[at + i].atom, &part, err));
    }
    stage->loop[at] = fused;
    memmove(&stage->loop[at + 1], &stage->loop[at + count],
            (size_t)(stage->loops - at - count) * sizeof *stage->loop);
    stage->loops -= count - 1;
cleanup:
    return status;
}

opevo_status opevo_i_step_reorder(opevo_i_stage *stage, const opevo_step *step, opevo_error *err)
{
    opevo_i_loop old[OPEVO_I_LOOPS];
    bool seen[OPEVO_I_LOOPS] = {false};

    if (step->count != stage->loops)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "A reorder step must name each of the %d loops of %s.", stage->loops,
                          stage->name);
    memcpy(old, stage->loop, sizeof old);
    for (int i = 0; i < step->count; i++) {
        int64_t from = step->number[i];

        if (from < 0 || from >= stage->loops || seen[from])
            return OPEVO_FAIL(err, OPEVO_INVALID, "A reorder step must name each loop of %s once.",
                              stage->name);
        seen[from] = true;
        stage->loop[i] = old[from];
    }
    return OPEVO_OK;
}

opevo_status opevo_i_step_annotate(opevo_i_stage *stage, const opevo_step *step, opevo_error *err)
{
    int at = 0;
    opevo_status status = opevo_i_step_take_loop(stage, step, &at, err);
    opevo_annotation what = OPEVO_ANNOTATION_SERIAL;
    opevo_i_loop *loop = &stage->loop[at];

    if (status != OPEVO_OK)
        return status;
    if (step->count != 2 || step->number[1] < 0 || step->number[1] >= OPEVO_ANNOTATION_COUNT)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: unknown annotation.", loop->name);
    what = (opevo_annotation)step->number[1];
    for (int i = 0; i < stage->loops && (opevo_i_is_block(what) || opevo_i_is_thread(what)); i++) {
        if (i != at && stage->loop[i].annotation == what)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s and %s cannot both be bound to one thread axis.",
                              stage->loop[i].name, loop->name);
    }
    if (stage->kind != OPEVO_I_COMPUTE &&
        (opevo_i_is_block(what) || what == OPEVO_ANNOTATION_VTHREAD ||
         what == OPEVO_ANNOTATION_PARALLEL))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: only loops of C can be bound to that.",
                          loop->name);
    /* Threads in z may share a sum: it is gathered before it is written. */
    if (loop->reduces &&
        (what == OPEVO_ANNOTATION_PARALLEL || what == OPEVO_ANNOTATION_VTHREAD ||
         (opevo_i_is_thread(what) && what != OPEVO_ANNOTATION_THREAD_Z) || opevo_i_is_block(what)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is a reduction loop and cannot be parallelised.",
                          loop->name);
    loop->annotation = what;
    return OPEVO_OK;
}
