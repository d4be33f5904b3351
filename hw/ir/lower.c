/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From steps to statements: what is known before the loops are walked (which stages are read, which
 * axes are bound, what is set to zero), and the nest that comes of it. */

#include "lower_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* Every copy must be attached, and the computation reads the last copy of each tensor. */
static void find_stages(opevo_i_lowering *self)
{
    bool shared = false;

    for (int t = 0; t < self->output; t++)
        self->reads[t] = t;
    self->write = self->output;
    for (int i = self->output + 1; i < self->schedule->stages; i++) {
        const opevo_i_stage *stage = &self->schedule->stage[i];

        if (stage->attached < 0)
            OPEVO_I_REFUSE(self, "%s is not attached to a loop.", stage->name);
        shared |= stage->scope == OPEVO_SCOPE_SHARED;
        if (stage->kind == OPEVO_I_CACHE_WRITE)
            self->write = i;
        else
            self->reads[stage->tensor] = i; /* copies of copies come later */
        self->nest->buffer[i].scope = stage->scope;
        self->nest->buffer[i].size = opevo_i_stage_size(stage);
        for (int l = 0; l <= stage->attached && l < self->compute->loops; l++)
            self->nest->buffer[i].parallel |=
                self->compute->loop[l].annotation == OPEVO_ANNOTATION_PARALLEL;
    }
    if (shared && self->schedule->stage[self->write].trimmed)
        OPEVO_I_REFUSE(self, "%s is trimmed, but threads that share copies need all iterations.",
                       self->schedule->stage[self->write].name);
}

static void find_bound_axes(opevo_i_lowering *self)
{
    for (int a = 0; a < OPEVO_ANNOTATION_COUNT; a++) {
        self->nest->bound[a] = -1;
        self->nest->bound_extent[a] = 1;
    }
    for (int i = 0; i < self->compute->loops; i++) {
        const opevo_i_loop *loop = &self->compute->loop[i];

        if (opevo_i_is_block(loop->annotation) || opevo_i_is_thread(loop->annotation)) {
            self->nest->bound[loop->annotation] = loop->atom;
            self->nest->bound_extent[loop->annotation] = loop->extent;
            if (loop->reduces && loop->extent > 1) {
                self->slice = loop->atom;
                self->slices = loop->extent;
            }
        }
    }
}

/* Where C has no copy, it is set to zero before the first reduction loop. */
static void find_zeroed(opevo_i_lowering *self)
{
    int at = 0;

    if (self->write != self->output)
        return;
    if (self->slices > 1) {
        OPEVO_I_REFUSE(self, "Threads can share a sum only if a copy of C accumulates it.");
        return;
    }
    while (at < self->compute->loops && !self->compute->loop[at].reduces)
        at++;
    self->zeroed = opevo_calloc(1, sizeof *self->zeroed);
    if (!self->zeroed) {
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a loop nest.");
        return;
    }
    *self->zeroed = (opevo_i_stage){
        .kind = OPEVO_I_CACHE_WRITE, .tensor = self->output, .scope = OPEVO_SCOPE_LOCAL};
    self->zeroed_at = at;
    self->status = opevo_i_schedule_attach(self->schedule, self->zeroed, at - 1, self->err);
}

static opevo_schedule *clone(const opevo_schedule *schedule)
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

opevo_status opevo_i_nest_create(const opevo_schedule *schedule, opevo_i_nest **out,
                                 opevo_error *err)
{
    opevo_i_lowering self = {.err = err, .slice = -1, .slices = 1};

    self.nest = opevo_calloc(1, sizeof *self.nest);
    if (self.nest)
        self.nest->schedule = clone(schedule);
    if (!self.nest || !self.nest->schedule) {
        opevo_i_nest_destroy(self.nest);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a loop nest.");
    }
    self.schedule = self.nest->schedule;
    self.output = self.schedule->compute.output;
    self.compute = &self.schedule->stage[self.output];
    self.nest->root = opevo_i_lower_add_node(&self, NULL, OPEVO_I_LIST);
    find_bound_axes(&self);
    find_stages(&self);
    if (self.status == OPEVO_OK)
        find_zeroed(&self);
    if (self.status == OPEVO_OK)
        opevo_i_lower_loops(&self, self.nest->root, 0);
    if (self.status == OPEVO_OK && self.schedule->atoms.failed)
        self.status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a loop nest.");
    opevo_free(self.zeroed);
    if (self.status != OPEVO_OK) {
        opevo_i_nest_destroy(self.nest);
        return self.status;
    }
    opevo_i_nest_auto_unroll(self.nest);
    *out = self.nest;
    return OPEVO_OK;
}

void opevo_i_nest_destroy(opevo_i_nest *nest)
{
    if (!nest)
        return;
    for (opevo_i_node *node = nest->nodes; node;) {
        opevo_i_node *before = node->made_before;

        opevo_free(node->leaf);
        opevo_free(node);
        node = before;
    }
    opevo_schedule_destroy(nest->schedule);
    opevo_free(nest);
}
