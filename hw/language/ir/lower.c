/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From steps to statements: what is known before the loops are walked (which stages are read, which
 * axes are bound, what is set to zero), and the nest that comes of it. */

#include "lower_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* A copy made inside a parallel loop is each thread's own, and filled by that thread. */
static void find_private(opevo_i_nest_lowering *self, int number)
{
    const opevo_i_nest_stage *stage = &self->schedule->stage[number];
    const opevo_i_nest_loop *around =
        opevo_i_nest_loops_parallel(&self->compute->own, stage->attached + 1);
    const opevo_i_nest_loop *own = opevo_i_nest_loops_parallel(&stage->own, stage->own.loops);

    self->nest->buffer[number].parallel = around != NULL;
    if (around && own)
        OPEVO_I_REFUSE(self,
                       "The parallel loop %s of %s is inside the parallel loop %s: parallel loops "
                       "are not nested.",
                       own->name, stage->name, around->name);
}

/* Every copy must be attached, and the computation reads the last copy of each tensor. */
static void find_stages(opevo_i_nest_lowering *self)
{
    bool shared = false;

    for (int t = 0; t < self->output; t++)
        self->reads[t] = t;
    self->write = self->output;
    for (int i = self->output + 1; i < self->schedule->stages; i++) {
        const opevo_i_nest_stage *stage = &self->schedule->stage[i];

        if (stage->attached < 0)
            OPEVO_I_REFUSE(self, "%s is not attached to a loop.", stage->name);
        shared |= stage->scope == OPEVO_SCOPE_SHARED;
        if (stage->kind == OPEVO_I_CACHE_WRITE)
            self->write = i;
        else
            self->reads[stage->tensor] = i; /* copies of copies come later */
        self->nest->buffer[i].scope = stage->scope;
        self->nest->buffer[i].size = opevo_i_nest_stage_size(stage);
        find_private(self, i);
    }
    if (shared && self->schedule->stage[self->write].trimmed)
        OPEVO_I_REFUSE(self, "%s is trimmed, but threads that share copies need all iterations.",
                       self->schedule->stage[self->write].name);
}

static void find_bound_axes(opevo_i_nest_lowering *self)
{
    opevo_i_nest_launch *launch = opevo_i_nest_add_launch(self->nest, self->nest->root);

    for (int i = 0; i < self->compute->own.loops; i++) {
        const opevo_i_nest_loop *loop = &self->compute->own.loop[i];

        if (opevo_i_nest_is_block(loop->annotation) || opevo_i_nest_is_thread(loop->annotation)) {
            launch->bound[loop->annotation] = loop->atom;
            launch->bound_extent[loop->annotation] = loop->extent;
            if (loop->reduces && loop->extent > 1) {
                self->slice = loop->atom;
                self->slices = loop->extent;
            }
        }
    }
}

/* Where C has no copy, it is set to zero before the first reduction loop. */
static void find_zeroed(opevo_i_nest_lowering *self)
{
    int at = 0;

    if (self->write != self->output)
        return;
    if (self->slices > 1) {
        OPEVO_I_REFUSE(self, "Threads can share a sum only if a copy of C accumulates it.");
        return;
    }
    while (at < self->compute->own.loops && !self->compute->own.loop[at].reduces)
        at++;
    self->zeroed = opevo_calloc(1, sizeof *self->zeroed);
    if (!self->zeroed) {
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a loop nest.");
        return;
    }
    *self->zeroed = (opevo_i_nest_stage){
        .kind = OPEVO_I_CACHE_WRITE, .tensor = self->output, .scope = OPEVO_SCOPE_LOCAL};
    self->zeroed_at = at;
    self->status = opevo_i_nest_schedule_attach(self->schedule, self->zeroed, at - 1, self->err);
}

static void describe_packing(opevo_i_nest_lowering *self, const opevo_i_nest_stage *stage)
{
    const opevo_i_nest_tensor *tensor = &self->schedule->compute.tensor[stage->tensor];
    opevo_i_nest_packing *one = &self->nest->packing[self->nest->packings++];
    double size = (double)opevo_i_nest_stage_size(stage);

    *one = (opevo_i_nest_packing){
        .operand = stage->tensor, .dims = tensor->dims, .pieces = stage->pieces};
    memcpy(one->extent, tensor->extent, sizeof one->extent);
    memcpy(one->piece, stage->piece, sizeof one->piece);
    if (size > self->nest->reach)
        self->nest->reach = size;
}

/* What the nest keeps of the schedule. */
static void describe(opevo_i_nest_lowering *self)
{
    opevo_i_nest *nest = self->nest;

    nest->operands = self->output + 1;
    nest->inputs = self->output;
    for (int t = 0; t < nest->operands; t++) {
        const opevo_i_nest_tensor *tensor = &self->schedule->compute.tensor[t];
        double size = 1;

        for (int d = 0; d < tensor->dims; d++)
            size *= (double)tensor->extent[d] + 4096;
        if (size > nest->reach)
            nest->reach = size;
        if (self->schedule->stage[t].pieces)
            describe_packing(self, &self->schedule->stage[t]);
    }
    for (int i = 0; i < self->schedule->stages; i++)
        nest->streams |= self->schedule->stage[i].stream;
    if (self->schedule->auto_unroll)
        opevo_i_nest_node_auto_unroll(nest->root, self->schedule->auto_unroll,
                                      self->schedule->auto_unroll_explicit
                                          ? OPEVO_ANNOTATION_EXPAND
                                          : OPEVO_ANNOTATION_UNROLL);
    nest->atoms = self->schedule->atoms;
    self->schedule->atoms = (opevo_i_affine_atoms){0};
}

opevo_status opevo_i_nest_create(const opevo_schedule *schedule, opevo_i_nest **out,
                                 opevo_error *err)
{
    opevo_i_nest_lowering self = {.err = err, .slice = -1, .slices = 1};

    self.nest = opevo_calloc(1, sizeof *self.nest);
    self.schedule = opevo_i_nest_schedule_clone(schedule);
    if (!self.nest || !self.schedule) {
        self.status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a loop nest.");
        goto cleanup;
    }
    self.output = self.schedule->compute.output;
    self.compute = &self.schedule->stage[self.output];
    self.nest->root = opevo_i_nest_lower_add_node(&self, NULL, OPEVO_I_LIST);
    find_bound_axes(&self);
    find_stages(&self);
    if (self.status == OPEVO_OK)
        find_zeroed(&self);
    if (self.status == OPEVO_OK)
        opevo_i_nest_lower_loops(&self, self.nest->root, 0);
    if (self.status == OPEVO_OK && self.schedule->atoms.failed)
        self.status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a loop nest.");
    if (self.status == OPEVO_OK) {
        describe(&self);
        *out = self.nest;
        self.nest = NULL;
    }
cleanup:
    opevo_free(self.zeroed);
    opevo_schedule_destroy(self.schedule);
    opevo_i_nest_destroy(self.nest);
    return self.status;
}
