/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps that make copies, and that say how one lies in memory and when it is made. */

#include "schedule_internal.h"

#include <stdio.h>
#include <string.h>

static bool has_copy(const opevo_schedule *self, int tensor)
{
    for (int i = self->compute.output + 1; i < self->stages; i++) {
        if (self->stage[i].tensor == tensor)
            return true;
    }
    return false;
}

opevo_status opevo_i_nest_step_add_copy(opevo_schedule *self, const opevo_step *step,
                                        opevo_error *err)
{
    const opevo_i_nest_stage *source = &self->stage[step->stage];
    opevo_i_nest_stage *stage = &self->stage[self->stages];
    bool write = step->kind == OPEVO_STEP_CACHE_WRITE;
    static const char *const scopes[] = {
#define SCOPE_NAME(suffix, name) name,
        OPEVO_SCOPE_LIST(SCOPE_NAME)
#undef SCOPE_NAME
    };
    opevo_scope scope = OPEVO_SCOPE_GLOBAL;
    char name[OPEVO_I_NAME];

    if (step->count != 1 || step->number[0] <= OPEVO_SCOPE_GLOBAL ||
        step->number[0] >= OPEVO_SCOPE_COUNT)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A copy must be in packed, shared or local memory.");
    scope = (opevo_scope)step->number[0];
    if (self->stages == OPEVO_I_STAGES)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "A schedule has at most %d stages.", OPEVO_I_STAGES);
    if (write ? source->kind != OPEVO_I_COMPUTE || scope != OPEVO_SCOPE_LOCAL
              : source->kind != OPEVO_I_TENSOR && source->kind != OPEVO_I_CACHE_READ)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s",
                          write ? "A cache_write step applies only to C, in scope local."
                                : "A cache_read step applies only to A, B and their copies.");
    if (write ? has_copy(self, self->compute.output)
              : source->kind == OPEVO_I_TENSOR && has_copy(self, source->tensor))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s already has a copy.", source->name);
    for (int i = self->compute.output + 1; i < self->stages; i++) {
        if (self->stage[i].kind == OPEVO_I_CACHE_READ && self->stage[i].source == step->stage)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s already has a copy.", source->name);
    }
    if (snprintf(name, sizeof name, "%s.%s", source->name, scopes[scope]) >= (int)sizeof name)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "The name of a copy of %s is too long.", source->name);
    *stage = (opevo_i_nest_stage){.kind = write ? OPEVO_I_CACHE_WRITE : OPEVO_I_CACHE_READ,
                                  .tensor = source->tensor,
                                  .source = step->stage,
                                  .scope = scope,
                                  .attached = -1};
    memcpy(stage->name, name, sizeof name);
    self->stages++;
    return OPEVO_OK;
}

opevo_status opevo_i_nest_step_attach(opevo_schedule *self, opevo_i_nest_stage *stage,
                                      const opevo_step *step, opevo_error *err)
{
    const opevo_i_nest_stage *compute = &self->stage[self->compute.output];
    int loop = 0;
    opevo_status status = opevo_i_nest_step_take_loop(compute, step, &loop, err);

    if (status != OPEVO_OK)
        return status;
    if (stage->kind != OPEVO_I_CACHE_READ && stage->kind != OPEVO_I_CACHE_WRITE)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a copy.", stage->name);
    if (stage->attached >= 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is already attached.", stage->name);
    if (stage->kind == OPEVO_I_CACHE_READ) {
        const opevo_i_nest_stage *source = &self->stage[stage->source];

        if (source->kind == OPEVO_I_CACHE_READ && (source->attached < 0 || source->attached > loop))
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s must be attached outside its copy %s.",
                              source->name, stage->name);
    }
    return opevo_i_nest_schedule_attach(self, stage, loop, err);
}

/* The piece of a dimension that goes on where `covered` indices end: one turn pieces first, as they
 * go nowhere. `used` marks those taken. */
static opevo_i_nest_piece *next_piece(opevo_i_nest_stage *stage, int count, int dim,
                                      int64_t covered, bool *used)
{
    int found = -1;

    for (int i = 0; i < count; i++) {
        const opevo_i_nest_piece *piece = &stage->piece[i];

        if (!used[i] && piece->dim == dim && piece->divisor == covered &&
            (found < 0 || piece->extent < stage->piece[found].extent))
            found = i;
    }
    if (found < 0)
        return NULL;
    used[found] = true;
    return &stage->piece[found];
}

/* Whether the pieces of each dimension continue one another and hold all of it. */
static opevo_status check_pieces(opevo_i_nest_stage *stage, int count, opevo_error *err)
{
    bool used[OPEVO_I_PIECES] = {false};
    int taken = 0;

    for (int d = 0; d < stage->own.axes; d++) {
        int64_t covered = 1;
        opevo_i_nest_piece *last = NULL;

        for (opevo_i_nest_piece *one = next_piece(stage, count, d, 1, used); one;
             one = next_piece(stage, count, d, covered, used)) {
            if (covered > (INT64_C(1) << 40) / one->extent)
                return OPEVO_FAIL(err, OPEVO_LIMIT, "A layout of %s is too large.", stage->name);
            covered *= one->extent;
            last = one;
            taken++;
        }
        if (!last || covered < stage->own.axis_extent[d])
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "The pieces of dimension %d of %s hold %lld of its %lld indices.", d,
                              stage->name, (long long)covered,
                              (long long)stage->own.axis_extent[d]);
        last->outermost = true;
    }
    if (taken != count)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The pieces of a dimension of %s are not contiguous.",
                          stage->name);
    return OPEVO_OK;
}

static opevo_status layout(opevo_i_nest_stage *stage, const opevo_step *step, opevo_error *err)
{
    int count = step->count / 3;
    double size = 1;
    opevo_status status = OPEVO_OK;

    if (step->count % 3 || count < 1 || count > OPEVO_I_PIECES)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A layout is one to %d pieces of three numbers.",
                          OPEVO_I_PIECES);
    for (int i = 0; i < count; i++) {
        const int64_t *number = &step->number[(ptrdiff_t)3 * i];

        if (number[0] < 0 || number[0] >= stage->own.axes || number[1] < 1 || number[2] < 1 ||
            number[2] > INT64_C(1) << 40)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s has no such piece.", stage->name);
        stage->piece[i] = (opevo_i_nest_piece){(int)number[0], number[1], number[2], 0, false};
        size *= (double)number[2];
    }
    if (size > 0x1p40)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "A layout of %s is too large.", stage->name);
    OPEVO_TRY(check_pieces(stage, count, err));
    stage->pieces = count;
    opevo_i_nest_schedule_strides(stage);
cleanup:
    return status;
}

static opevo_status trim(opevo_i_nest_stage *stage, const opevo_step *step, opevo_error *err)
{
    int loop = 0;
    opevo_status status = opevo_i_nest_step_take_loop(stage, step, &loop, err);

    if (status != OPEVO_OK)
        return status;
    for (int i = 0; i < stage->own.axes && stage->kind == OPEVO_I_CACHE_WRITE; i++) {
        opevo_i_affine whole = opevo_i_affine_of_atom(stage->own.loop[loop].atom);

        if (opevo_i_affine_equal(&stage->own.axis[i], &whole)) {
            stage->trimmed = true;
            stage->trim = i;
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s is not a whole loop of a copy of C, so it cannot be trimmed.",
                      stage->own.loop[loop].name);
}

/* A constant is brought into its layout before the kernel is called. */
opevo_status opevo_i_nest_step_lay_out(const opevo_schedule *self, opevo_i_nest_stage *stage,
                                       const opevo_step *step, opevo_error *err)
{
    const opevo_i_nest_tensor *tensor = &self->compute.tensor[stage->tensor];
    opevo_operand_list list;

    opevo_operator_operands(&self->op, &list);
    if (list.item[stage->tensor].role != OPEVO_ROLE_CONSTANT)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s has the layout that it is passed in: only copies and constants have "
                          "layouts of their own.",
                          stage->name);
    stage->own.axes = tensor->dims;
    memcpy(stage->own.axis_extent, tensor->extent, sizeof tensor->extent);
    return layout(stage, step, err);
}

opevo_status opevo_i_nest_step_set_flag(opevo_i_nest_stage *stage, const opevo_step *step,
                                        opevo_error *err)
{
    if (stage->attached < 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not attached.", stage->name);
    switch (step->kind) {
    case OPEVO_STEP_LAYOUT:
        return layout(stage, step, err);
    case OPEVO_STEP_PITCH:
        if (step->count < 1 || step->count > 2 || step->number[0] < 0 || step->number[0] > 1024)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s: a pitch is 0 to 1024 elements.",
                              stage->name);
        if (step->count == 2 && (step->number[1] < 1 || step->number[1] > stage->pieces))
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s: a pitch comes after 1 to %d pieces.",
                              stage->name, stage->pieces);
        stage->pitch = step->number[0];
        stage->pitch_pieces = step->count == 2 ? (int)step->number[1] : 1;
        opevo_i_nest_schedule_strides(stage);
        return OPEVO_OK;
    case OPEVO_STEP_TRIM:
        return trim(stage, step, err);
    case OPEVO_STEP_PREFETCH:
        if (step->count != 1 || step->number[0] < 0 || step->number[0] > INT64_C(1) << 40 ||
            stage->kind != OPEVO_I_CACHE_READ)
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "%s: prefetch applies only to read copies, at most 2^40 elements ahead.",
                stage->name);
        stage->prefetch = step->number[0];
        return OPEVO_OK;
    case OPEVO_STEP_DOUBLE_BUFFER:
    case OPEVO_STEP_STAGED:
        if (stage->scope != OPEVO_SCOPE_SHARED)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s: only a shared copy has a double buffer.",
                              stage->name);
        stage->double_buffer = true;
        stage->staged = step->kind == OPEVO_STEP_STAGED;
        return OPEVO_OK;
    default:
        if (stage->kind != OPEVO_I_CACHE_WRITE)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s: stream applies only to written stages.",
                              stage->name);
        stage->stream = true;
        return OPEVO_OK;
    }
}
