/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps that place a stage, and those that make new ones. */

#include "pipeline_internal.h"

#include <opevo/computation_access.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* ---- Places ---- */

static opevo_status compute_at(opevo_pipeline *self, opevo_i_pipeline_stage *stage,
                               const opevo_pipeline_step *step, opevo_error *err)
{
    const opevo_i_pipeline_stage *target = NULL;

    if (step->count != 2 || step->number[0] <= step->stage || step->number[0] >= self->stages)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s can be computed only at a loop of a later stage.",
                          stage->name);
    target = opevo_i_pipeline_at(self, (int)step->number[0]);
    if (target->place == OPEVO_PLACE_INLINED || target->kind == OPEVO_STAGE_INPUT ||
        step->number[1] < 0 || step->number[1] >= target->own.loops)
        return opevo_i_pipeline_no_loop_at(target, step->number[1], err);
    stage->place = OPEVO_PLACE_AT;
    stage->at = self->order[step->number[0]];
    stage->at_loop = (int)step->number[1];
    return OPEVO_OK;
}

static bool is_target(const opevo_pipeline *self, int key)
{
    for (int i = 0; i < self->stages; i++) {
        if (self->stage[i]->place == OPEVO_PLACE_AT && self->stage[i]->at == key)
            return true;
    }
    return false;
}

static opevo_status accumulate(opevo_i_pipeline_stage *stage, const opevo_pipeline_step *step,
                               opevo_error *err)
{
    bool inside = false;

    if (step->count != 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "accumulate takes a loop.");
    if (step->number[0] < 0 || step->number[0] >= stage->own.loops)
        return opevo_i_pipeline_no_loop_at(stage, step->number[0], err);
    for (int i = (int)step->number[0] + 1; i < stage->own.loops; i++)
        inside |= stage->own.loop[i].reduces;
    if (!inside)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s of %s has no reduction loop inside.",
                          stage->own.loop[step->number[0]].name, stage->name);
    stage->accumulate = (int)step->number[0];
    return OPEVO_OK;
}

/* A loop of the registers: one that does not reduce, inside the point of accumulate. */
static opevo_status trim(opevo_i_pipeline_stage *stage, const opevo_pipeline_step *step,
                         opevo_error *err)
{
    int64_t loop = step->count == 1 ? step->number[0] : -1;

    if (loop < 0 || loop >= stage->own.loops)
        return opevo_i_pipeline_no_loop_at(stage, loop, err);
    if (stage->accumulate < 0 || loop <= stage->accumulate || stage->own.loop[loop].reduces)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "%s is not a loop over registers that gather sums, so it cannot be trimmed.",
            stage->own.loop[loop].name);
    stage->trim = (int)loop;
    return OPEVO_OK;
}

opevo_status opevo_i_pipeline_place(opevo_pipeline *self, const opevo_pipeline_step *step,
                                    opevo_error *err)
{
    int key = self->order[step->stage];
    opevo_i_pipeline_stage *stage = self->stage[key];

    if (step->kind == OPEVO_PIPELINE_ACCUMULATE)
        return accumulate(stage, step, err);
    if (step->kind == OPEVO_PIPELINE_TRIM)
        return trim(stage, step, err);
    if (step->kind != OPEVO_PIPELINE_COMPUTE_ROOT && opevo_i_pipeline_is_output(self, key))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is an output, so it is computed as a whole.",
                          stage->name);
    if (step->kind == OPEVO_PIPELINE_COMPUTE_AT)
        return compute_at(self, stage, step, err);
    if (step->kind == OPEVO_PIPELINE_COMPUTE_INLINE) {
        if (stage->own.axes > stage->dims)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s is a reduction and cannot be inlined.",
                              stage->name);
        if (is_target(self, key))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s cannot be inlined: another stage is computed at its loops.",
                              stage->name);
    }
    stage->exact = false;
    stage->place =
        step->kind == OPEVO_PIPELINE_COMPUTE_INLINE ? OPEVO_PLACE_INLINED : OPEVO_PLACE_ROOT;
    return OPEVO_OK;
}

/* ---- New stages ---- */

opevo_status opevo_i_pipeline_set_axes(opevo_pipeline *self, opevo_i_pipeline_stage *stage,
                                       int axes, const opevo_axis *axis, const bool *reduces,
                                       opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    stage->own.axes = stage->own.loops = stage->changes = stage->dims = 0;
    if (axes > OPEVO_I_AXES)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s would have more than %d axes.", stage->name,
                          OPEVO_I_AXES);
    for (int a = 0; a < axes; a++) {
        OPEVO_TRY(opevo_i_nest_loops_add(&stage->own, &self->atoms, axis[a].name, axis[a].extent,
                                         reduces[a], err));
        memcpy(stage->axis_name[a], stage->own.loop[a].name, sizeof stage->axis_name[a]);
        stage->own.axis_extent[a] = axis[a].extent;
        stage->axis_atom[a] = stage->own.loop[a].atom;
        stage->axis_reduces[a] = reduces[a];
        stage->own.axis[a] = opevo_i_affine_of_atom(stage->axis_atom[a]);
        stage->own.axes++;
        stage->dims += !reduces[a];
    }
cleanup:
    return status;
}

/* A stage named after another, not yet among those of the pipeline. Names of several copies in one
 * scope end in a number. */
static opevo_status make_stage(const opevo_pipeline *self, const opevo_i_pipeline_stage *of,
                               const char *suffix, opevo_i_pipeline_stage **out, opevo_error *err)
{
    opevo_i_pipeline_stage *stage = NULL;
    char name[OPEVO_I_NAME];

    if (self->stages == OPEVO_PIPELINE_STAGES)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "A pipeline has at most %d stages.",
                          OPEVO_PIPELINE_STAGES);
    for (int again = 1; again == 1 || opevo_pipeline_find(self, name) >= 0; again++) {
        int length =
            snprintf(name, sizeof name, again > 1 ? "%s.%s.%d" : "%s.%s", of->name, suffix, again);

        if (length < 0 || length >= (int)sizeof name)
            return OPEVO_FAIL(err, OPEVO_LIMIT, "The name of a stage of %s is too long.", of->name);
    }
    OPEVO_NEW_OR_RETURN(stage, 1, "a stage");
    memcpy(stage->name, name, sizeof name);
    stage->tensor = of->tensor;
    stage->accumulate = stage->trim = -1;
    *out = stage;
    return OPEVO_OK;
}

/* The axes of another stage; those that do not reduce only, if `kept`. */
static opevo_status take_axes(opevo_pipeline *self, opevo_i_pipeline_stage *stage,
                              const opevo_i_pipeline_stage *of, bool kept, opevo_error *err)
{
    opevo_axis axis[OPEVO_I_AXES];
    char names[OPEVO_I_AXES][OPEVO_I_NAME];
    bool reduces[OPEVO_I_AXES];
    int count = kept ? of->dims : of->own.axes;

    for (int a = 0; a < count; a++) {
        memcpy(names[a], of->axis_name[a], sizeof names[a]);
        axis[a] = (opevo_axis){names[a], of->own.axis_extent[a]};
        reduces[a] = of->kind != OPEVO_STAGE_INPUT && of->axis_reduces[a];
    }
    return opevo_i_pipeline_set_axes(self, stage, count, axis, reduces, err);
}

static void insert(opevo_pipeline *self, opevo_i_pipeline_stage *stage, int number)
{
    int key = self->stages;

    self->stage[key] = stage;
    memmove(&self->order[number + 1], &self->order[number],
            (size_t)(self->stages - number) * sizeof *self->order);
    self->order[number] = key;
    self->stages++;
}

static opevo_status take_scope(int64_t number, opevo_scope *out, opevo_error *err)
{
    if (number <= OPEVO_SCOPE_GLOBAL || number >= OPEVO_SCOPE_COUNT)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A copy must be in packed, shared or local memory.");
    *out = (opevo_scope)number;
    return OPEVO_OK;
}

/* ---- cache_read ---- */

static opevo_status check_readers(const opevo_pipeline *self, const opevo_pipeline_step *step,
                                  opevo_error *err)
{
    for (int i = 1; i < step->count; i++) {
        int64_t reader = step->number[i];
        const opevo_i_pipeline_stage *one = NULL;

        if (reader <= step->stage || reader >= self->stages ||
            !opevo_pipeline_reads(self, (int)reader, step->stage))
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not read by that stage.",
                              opevo_i_pipeline_at(self, step->stage)->name);
        one = opevo_i_pipeline_at(self, (int)reader);
        if (one->redirects == OPEVO_I_REDIRECTS)
            return OPEVO_FAIL(err, OPEVO_LIMIT, "%s reads more than %d copies.", one->name,
                              OPEVO_I_REDIRECTS);
    }
    return OPEVO_OK;
}

typedef struct redirection {
    opevo_i_pipeline_stage *reader;
    int from, to;
} redirection;

static void redirect_read(void *context, const opevo_expression *read)
{
    redirection *self = context;
    opevo_i_pipeline_stage *reader = self->reader;

    if (opevo_i_pipeline_target(reader, read->tensor) != self->from)
        return;
    for (int i = 0; i < reader->redirects; i++) {
        if (reader->redirect[i].tensor == read->tensor->number) {
            reader->redirect[i].key = self->to;
            return;
        }
    }
    reader->redirect[reader->redirects].tensor = read->tensor->number;
    reader->redirect[reader->redirects++].key = self->to;
}

static opevo_status cache_read(opevo_pipeline *self, const opevo_pipeline_step *step,
                               opevo_error *err)
{
    int from = self->order[step->stage];
    const opevo_i_pipeline_stage *source = self->stage[from];
    opevo_i_pipeline_stage *stage = NULL;
    opevo_scope scope = OPEVO_SCOPE_GLOBAL;
    opevo_status status = OPEVO_OK;

    if (step->count < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID, "cache_read takes a scope and the stages that read.");
    OPEVO_TRY(take_scope(step->number[0], &scope, err));
    OPEVO_TRY(check_readers(self, step, err));
    if (source->place == OPEVO_PLACE_INLINED) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s is inlined.", source->name);
        goto cleanup;
    }
    OPEVO_TRY(make_stage(self, source, opevo_i_nest_scope_names[scope], &stage, err));
    stage->kind = OPEVO_STAGE_COPY;
    stage->source = from;
    stage->scope = scope;
    OPEVO_TRY(take_axes(self, stage, source, true, err));
    for (int i = 1; i < step->count; i++) {
        redirection one = {opevo_i_pipeline_at(self, (int)step->number[i]), from, self->stages};

        if (one.reader->kind == OPEVO_STAGE_DEFINED)
            opevo_expression_reads(self->computation->tensor[one.reader->tensor]->definition->value,
                                   redirect_read, &one);
        else
            one.reader->source = one.to;
    }
    insert(self, stage, step->stage + 1);
    stage = NULL;
cleanup:
    opevo_free(stage);
    return status;
}

/* ---- cache_write and rfactor ---- */

static opevo_status check_untouched(const opevo_pipeline *self, int key, const char *step,
                                    opevo_error *err)
{
    const opevo_i_pipeline_stage *stage = self->stage[key];

    if (stage->place != OPEVO_PLACE_ROOT || is_target(self, key) || stage->accumulate >= 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: %s comes before all places.", stage->name, step);
    return OPEVO_OK;
}

static opevo_status cache_write(opevo_pipeline *self, const opevo_pipeline_step *step,
                                opevo_error *err)
{
    int key = self->order[step->stage];
    opevo_i_pipeline_stage *old = self->stage[key];
    opevo_i_pipeline_stage *stage = NULL;
    opevo_scope scope = OPEVO_SCOPE_GLOBAL;
    opevo_status status = OPEVO_OK;

    if (step->count != 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "cache_write takes a scope.");
    OPEVO_TRY(take_scope(step->number[0], &scope, err));
    OPEVO_TRY(check_untouched(self, key, "cache_write", err));
    if (old->changes) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: cache_write comes before all other steps.",
                            old->name);
        goto cleanup;
    }
    OPEVO_TRY(make_stage(self, old, opevo_i_nest_scope_names[scope], &stage, err));
    stage->kind = old->kind;
    stage->source = old->source;
    stage->factored = old->factored;
    stage->scope = scope;
    stage->redirects = old->redirects;
    memcpy(stage->redirect, old->redirect, sizeof old->redirect);
    if (old->map) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: cache_write comes before rfactor.", old->name);
        goto cleanup;
    }
    OPEVO_TRY(take_axes(self, stage, old, false, err));
    OPEVO_TRY(take_axes(self, old, stage, true, err));
    old->kind = OPEVO_STAGE_COPY;
    old->source = self->stages;
    old->redirects = 0;
    insert(self, stage, step->stage);
    stage = NULL;
cleanup:
    opevo_free(stage);
    return status;
}

/* Axes and map of the stage that holds the parts of sums: the kept axes with the factored loop
 * among them, then the other reduction loops. */
static opevo_status factor(opevo_pipeline *self, const opevo_i_pipeline_stage *old, int loop,
                           int position, opevo_i_pipeline_stage *stage, opevo_error *err)
{
    opevo_axis axis[OPEVO_I_AXES];
    bool reduces[OPEVO_I_AXES] = {false};
    int from[OPEVO_I_AXES]; /* the loop that each axis was */
    int count = 0;
    int axes = old->own.axes;
    opevo_status status = OPEVO_OK;

    for (int i = 0; i <= old->dims; i++)
        from[count++] = i == position ? loop : i < position ? i : i - 1;
    for (int i = old->dims; i < old->own.loops; i++) {
        if (i != loop && count < OPEVO_I_AXES) {
            reduces[count] = true;
            from[count++] = i;
        }
    }
    if (count != old->own.loops)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s has too many loops for rfactor.", old->name);
    for (int a = 0; a < count; a++)
        axis[a] = (opevo_axis){old->own.loop[from[a]].name, old->own.loop[from[a]].extent};
    OPEVO_TRY(opevo_i_pipeline_set_axes(self, stage, count, axis, reduces, err));
    stage->map = opevo_malloc((size_t)axes, sizeof *stage->map);
    OPEVO_NEED(stage->map, "a stage");
    stage->mapped = axes;
    memcpy(stage->map, old->own.axis, (size_t)axes * sizeof *stage->map);
    for (int a = 0; a < axes; a++) {
        for (int i = 0; i < count; i++) {
            opevo_i_affine own = opevo_i_affine_of_atom(stage->axis_atom[i]);

            stage->map[a] = opevo_i_affine_replace(&self->atoms, &stage->map[a],
                                                   old->own.loop[from[i]].atom, &own);
        }
    }
cleanup:
    return status;
}

static opevo_status check_rfactor(const opevo_pipeline *self, const opevo_pipeline_step *step,
                                  opevo_error *err)
{
    int key = self->order[step->stage];
    const opevo_i_pipeline_stage *stage = self->stage[key];
    bool kept = stage->own.loops > stage->dims && !stage->extended;

    for (int i = 0; i < stage->dims && kept; i++)
        kept = stage->own.loop[i].atom == stage->axis_atom[i];
    for (int i = 0; i < stage->own.loops; i++)
        kept &= stage->own.loop[i].annotation == OPEVO_ANNOTATION_SERIAL;
    if (step->count != 2 || step->number[0] < stage->dims || step->number[0] >= stage->own.loops ||
        !kept || stage->kind != OPEVO_STAGE_DEFINED || stage->map)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "rfactor takes a reduction loop of a definition whose other loops are as "
                          "they were; %s has none.",
                          stage->name);
    if (step->number[1] < 0 || step->number[1] > stage->dims)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has %d axes; the new one comes at 0 to %d.",
                          stage->name, stage->dims, stage->dims);
    return check_untouched(self, key, "rfactor", err);
}

static opevo_status rfactor(opevo_pipeline *self, const opevo_pipeline_step *step, opevo_error *err)
{
    opevo_i_pipeline_stage *old = opevo_i_pipeline_at(self, step->stage);
    opevo_i_pipeline_stage *stage = NULL;
    opevo_axis axis[OPEVO_I_AXES];
    char names[OPEVO_I_AXES][OPEVO_I_NAME];
    bool reduces[OPEVO_I_AXES] = {false};
    int loop = (int)step->number[0];
    opevo_status status = check_rfactor(self, step, err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(make_stage(self, old, "rf", &stage, err));
    stage->kind = OPEVO_STAGE_DEFINED;
    stage->scope = old->scope;
    stage->redirects = old->redirects;
    memcpy(stage->redirect, old->redirect, sizeof old->redirect);
    OPEVO_TRY(factor(self, old, loop, (int)step->number[1], stage, err));
    for (int a = 0; a <= old->dims; a++) {
        int from = a == old->dims ? loop : a;

        memcpy(names[a], old->own.loop[from].name, sizeof names[a]);
        axis[a] = (opevo_axis){names[a], old->own.loop[from].extent};
        reduces[a] = a == old->dims;
    }
    OPEVO_TRY(opevo_i_pipeline_set_axes(self, old, old->dims + 1, axis, reduces, err));
    old->kind = OPEVO_STAGE_GATHER;
    old->source = self->stages;
    old->factored = (int)step->number[1];
    old->redirects = 0;
    insert(self, stage, step->stage);
    stage = NULL;
cleanup:
    if (stage)
        opevo_free(stage->map);
    opevo_free(stage);
    return status;
}

static opevo_status add(opevo_pipeline *self, const opevo_pipeline_step *step, opevo_error *err)
{
    switch (step->kind) {
    case OPEVO_PIPELINE_CACHE_READ:
        return cache_read(self, step, err);
    case OPEVO_PIPELINE_CACHE_WRITE:
        return cache_write(self, step, err);
    default:
        return rfactor(self, step, err);
    }
}

/* The stage that a new one is made of may be changed when memory ends. */
opevo_status opevo_i_pipeline_add(opevo_pipeline *self, const opevo_pipeline_step *step,
                                  opevo_error *err)
{
    opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(self, step->stage);
    opevo_i_pipeline_stage *before = opevo_malloc(1, sizeof *before);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(before, "a step");
    *before = *stage;
    status = add(self, step, err);
    if (status != OPEVO_OK)
        *stage = *before;
    opevo_free(before);
    return status;
}
