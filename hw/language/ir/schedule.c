/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Applying steps. Each step is checked against the schedule as it stands, so a list that was
 * replayed is valid as a loop nest; what a device allows is checked when code is made. A step works
 * on a copy of its stage, which replaces the stage only when all went well. */

#include "schedule_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* ---- Making and looking ---- */

static opevo_status set_stages(opevo_schedule *self, opevo_error *err)
{
    const opevo_i_nest_compute *compute = &self->compute;
    opevo_status status = OPEVO_OK;
    opevo_operand_list list;

    opevo_operator_operands(&self->op, &list);
    for (int i = 0; i < list.count; i++) {
        opevo_i_nest_stage *stage = &self->stage[i];

        stage->kind = i == compute->output ? OPEVO_I_COMPUTE : OPEVO_I_TENSOR;
        stage->tensor = i;
        stage->attached = -1;
        snprintf(stage->name, sizeof stage->name, "%s", list.item[i].name);
    }
    self->stages = list.count;
    for (int i = 0; i < compute->axes; i++) {
        opevo_i_nest_stage *stage = &self->stage[compute->output];
        char name[2] = {compute->axis_name[i], '\0'};

        OPEVO_TRY(opevo_i_nest_loops_add(&stage->own, &self->atoms, name, compute->axis_extent[i],
                                         compute->axis_reduces[i], err));
        stage->own.axis_extent[i] = compute->axis_extent[i];
        stage->own.axis[i] = opevo_i_affine_of_atom(stage->own.loop[i].atom);
        stage->own.axes++;
    }
cleanup:
    return status;
}

opevo_status opevo_schedule_create(const opevo_operator *op, opevo_schedule **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_schedule *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a schedule.");
    self->op = *op;
    OPEVO_TRY(opevo_i_nest_compute_of(op, &self->compute, err));
    OPEVO_TRY(set_stages(self, err));
    *out = self;
    self = NULL;
cleanup:
    opevo_schedule_destroy(self);
    return status;
}

opevo_schedule *opevo_i_nest_schedule_clone(const opevo_schedule *schedule)
{
    opevo_schedule *copy = opevo_malloc(1, sizeof *copy);

    if (!copy)
        return NULL;
    *copy = *schedule;
    copy->steps = NULL;
    copy->step_count = copy->step_capacity = 0;
    copy->atoms.item = opevo_malloc(schedule->atoms.count, sizeof *copy->atoms.item);
    copy->atoms.capacity = copy->atoms.count;
    if (!copy->atoms.item) {
        opevo_free(copy);
        return NULL;
    }
    memcpy(copy->atoms.item, schedule->atoms.item, copy->atoms.count * sizeof *copy->atoms.item);
    return copy;
}

void opevo_schedule_destroy(opevo_schedule *schedule)
{
    if (!schedule)
        return;
    opevo_i_affine_atoms_free(&schedule->atoms);
    opevo_free(schedule->steps);
    opevo_free(schedule);
}

size_t opevo_schedule_step_count(const opevo_schedule *schedule)
{
    return schedule->step_count;
}

const opevo_operator *opevo_schedule_operator(const opevo_schedule *schedule)
{
    return &schedule->op;
}

int opevo_schedule_stage_count(const opevo_schedule *schedule)
{
    return schedule->stages;
}

const char *opevo_schedule_stage_name(const opevo_schedule *schedule, int stage)
{
    return schedule->stage[stage].name;
}

int opevo_schedule_loop_count(const opevo_schedule *schedule, int stage)
{
    return schedule->stage[stage].own.loops;
}

opevo_loop opevo_schedule_loop(const opevo_schedule *schedule, int stage, int loop)
{
    const opevo_i_nest_loop *one = &schedule->stage[stage].own.loop[loop];

    return (opevo_loop){one->name, one->extent, one->annotation, one->reduces};
}

int opevo_schedule_find_loop(const opevo_schedule *schedule, int stage, const char *name)
{
    for (int i = 0; i < schedule->stage[stage].own.loops; i++) {
        if (strcmp(schedule->stage[stage].own.loop[i].name, name) == 0)
            return i;
    }
    return -1;
}

/* ---- One step ---- */

static opevo_status apply_to(opevo_schedule *self, opevo_i_nest_stage *stage,
                             const opevo_step *step, opevo_error *err)
{
    bool frozen = false;

    for (int i = self->compute.output + 1; i < self->stages; i++)
        frozen |= stage->kind == OPEVO_I_COMPUTE && self->stage[i].attached >= 0;
    if (frozen && step->kind <= OPEVO_STEP_ANNOTATE)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The loops of C cannot be changed once a copy is attached.");
    switch (step->kind) {
    case OPEVO_STEP_SPLIT:
        return opevo_i_nest_step_split(self, stage, step, err);
    case OPEVO_STEP_EXTEND:
        return opevo_i_nest_step_extend(self, stage, step, err);
    case OPEVO_STEP_FUSE:
        return opevo_i_nest_step_fuse(self, stage, step, err);
    case OPEVO_STEP_REORDER:
        return opevo_i_nest_loops_reorder(&stage->own, stage->name, step->count, step->number, err);
    case OPEVO_STEP_ANNOTATE:
        return opevo_i_nest_step_annotate(stage, step, err);
    case OPEVO_STEP_ATTACH:
        return opevo_i_nest_step_attach(self, stage, step, err);
    default:
        if (step->kind == OPEVO_STEP_LAYOUT && stage->kind == OPEVO_I_TENSOR)
            return opevo_i_nest_step_lay_out(self, stage, step, err);
        return opevo_i_nest_step_set_flag(stage, step, err);
    }
}

static opevo_status set_unrolling(opevo_schedule *self, const opevo_step *step, opevo_error *err)
{
    if (step->count != 2 || step->stage != self->compute.output || step->number[0] < 0 ||
        step->number[0] > 1 << 20 || step->number[1] < 0 || step->number[1] > 1)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "auto_unroll takes C, a number of statements up to 2^20, and 0 or 1.");
    self->auto_unroll = step->number[0];
    self->auto_unroll_explicit = step->number[1] != 0;
    return OPEVO_OK;
}

opevo_status opevo_schedule_apply(opevo_schedule *schedule, const opevo_step *step,
                                  opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_nest_stage *copy = NULL;

    if (step->stage < 0 || step->stage >= schedule->stages || step->count < 0 ||
        step->count > OPEVO_STEP_NUMBERS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The step names no stage of the schedule.");
    if (!opevo_reserve((void **)&schedule->steps, &schedule->step_capacity,
                       schedule->step_count + 1, sizeof *schedule->steps))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a step.");
    if (step->kind == OPEVO_STEP_CACHE_READ || step->kind == OPEVO_STEP_CACHE_WRITE) {
        status = opevo_i_nest_step_add_copy(schedule, step, err);
    } else if (step->kind == OPEVO_STEP_AUTO_UNROLL) {
        status = set_unrolling(schedule, step, err);
    } else {
        copy = opevo_malloc(1, sizeof *copy);
        if (!copy)
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a step.");
        *copy = schedule->stage[step->stage];
        OPEVO_TRY(apply_to(schedule, copy, step, err));
        schedule->stage[step->stage] = *copy;
    }
    if (status == OPEVO_OK)
        schedule->steps[schedule->step_count++] = *step;
cleanup:
    opevo_free(copy);
    return status;
}
