/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What comes before the statements: the operands of the kernel, the launch of each stage, parts and
 * buffers, and what threads of a CPU have of their own. */

#include "lower_pipeline_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* ---- Parallel loops ---- */

const opevo_i_nest_loop *opevo_i_pipeline_parallel_around(const opevo_i_pipeline_lowering *self,
                                                          int key, int at)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_nest_loop *around = opevo_i_nest_loops_parallel(&self->part[key]->own, at);

    for (; !around && stage->place == OPEVO_PLACE_AT; stage = self->pipeline->stage[stage->at])
        around = opevo_i_nest_loops_parallel(&self->part[stage->at]->own, stage->at_loop + 1);
    return around;
}

/* A stage computed inside a parallel loop is each thread's own. */
static void find_parallel(opevo_i_pipeline_lowering *self)
{
    for (int i = 0; i < self->pipeline->stages; i++) {
        const opevo_i_nest_loop *own = NULL;
        const opevo_i_nest_loop *around = NULL;

        if (!self->part[i])
            continue;
        own = opevo_i_nest_loops_parallel(&self->part[i]->own, self->part[i]->own.loops);
        around = opevo_i_pipeline_parallel_around(self, i, 0);
        self->nest->buffer[self->part[i]->buffer].parallel |= around != NULL;
        if (own && around)
            OPEVO_I_PIPELINE_REFUSE(
                self, INVALID,
                "The parallel loop %s of %s is inside the parallel loop %s: parallel "
                "loops are not nested.",
                own->name, self->pipeline->stage[i]->name, around->name);
        else if (own && opevo_i_nest_loops_meet(&self->part[i]->own, &self->nest->atoms,
                                                (int)(own - self->part[i]->own.loop)))
            OPEVO_I_PIPELINE_REFUSE(
                self, INVALID,
                "Iterations of the parallel loop %s of %s write the same elements: split what is "
                "inside it evenly.",
                own->name, self->pipeline->stage[i]->name);
    }
}

/* ---- Operands ---- */

/* A constant in a layout of its own: what packs it, and what the kernel can read then. */
static void set_packing(opevo_i_pipeline_lowering *self, int key)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    opevo_i_nest *nest = self->nest;
    int operand = self->part[key]->buffer;
    opevo_i_nest_packing *one = NULL;
    double size = 1;

    if (operand >= OPEVO_OPERANDS) {
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT,
                                "Only the first %d operands can have layouts of their own.",
                                OPEVO_OPERANDS);
        return;
    }
    one = &nest->packing[nest->packings++];
    *one = (opevo_i_nest_packing){.operand = operand, .dims = stage->dims, .pieces = stage->pieces};
    memcpy(one->extent, stage->own.axis_extent, sizeof one->extent);
    for (int i = 0; i < stage->pieces; i++) {
        one->piece[i] = opevo_i_pipeline_piece(stage, i, self->part[key]->extent);
        size *= (double)one->piece[i].extent;
    }
    nest->buffer[operand].readable = (int64_t)size;
    nest->reach = size > nest->reach ? size : nest->reach;
}

/* Inputs and constants, then outputs, are the arguments of the kernel. */
static void set_operands(opevo_i_pipeline_lowering *self)
{
    const opevo_computation *computation = self->pipeline->computation;
    opevo_i_nest *nest = self->nest;

    for (int outputs = 0; outputs < 2; outputs++) {
        for (int t = 0; t < computation->tensors; t++) {
            const opevo_tensor *tensor = computation->tensor[t];
            double reach = 1;

            if (!self->part[t] || tensor->role == OPEVO_ROLE_INTERMEDIATE ||
                (tensor->role == OPEVO_ROLE_OUTPUT) != (outputs == 1))
                continue;
            for (int d = 0; d < tensor->dims; d++)
                reach *= (double)tensor->extent[d] + 4096;
            nest->reach = reach > nest->reach ? reach : nest->reach;
            nest->inputs += !outputs;
            if (nest->operands < OPEVO_I_BUFFERS) {
                nest->buffer[nest->operands].readable = opevo_tensor_elements(tensor);
                nest->buffer[nest->operands].element = tensor->element;
            }
            self->part[t]->buffer = nest->operands++;
        }
    }
    self->buffers = nest->operands;
}

/* ---- All ---- */

/* Launches are numbered as the stages that are computed as a whole. */
static int launch_of(const opevo_pipeline *pipeline, int key)
{
    int launch = 0;

    while (pipeline->stage[key]->place == OPEVO_PLACE_AT)
        key = pipeline->stage[key]->at;
    for (int number = 0; pipeline->order[number] != key; number++) {
        const opevo_i_pipeline_stage *stage = opevo_i_pipeline_at(pipeline, number);

        launch += stage->kind != OPEVO_STAGE_INPUT && stage->place == OPEVO_PLACE_ROOT;
    }
    return launch;
}

static void prepare(opevo_i_pipeline_lowering *self)
{
    for (int i = 0; i < self->pipeline->stages; i++) {
        if (self->pipeline->stage[i]->place == OPEVO_PLACE_INLINED)
            continue;
        self->part[i] = opevo_calloc(1, sizeof *self->part[i]);
        if (!self->part[i]) {
            OPEVO_I_PIPELINE_REFUSE(self, NOMEM, "No memory for a loop nest.");
            return;
        }
        self->part[i]->buffer = -1;
        self->part[i]->scope = opevo_i_pipeline_scope(self->pipeline, i);
        self->part[i]->launch = launch_of(self->pipeline, i);
    }
    set_operands(self);
    if (self->nest->operands > OPEVO_I_BUFFERS / 2)
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A kernel has at most %d operands.",
                                OPEVO_I_BUFFERS / 2);
}

void opevo_i_pipeline_begin(opevo_i_pipeline_lowering *self)
{
    self->nest = opevo_calloc(1, sizeof *self->nest);
    if (self->nest)
        self->nest->root = opevo_i_nest_add(self->nest, NULL, OPEVO_I_LIST);
    if (!self->nest || !self->nest->root)
        OPEVO_I_PIPELINE_REFUSE(self, NOMEM, "No memory for a loop nest.");
    if (self->status == OPEVO_OK)
        prepare(self);
    if (self->status == OPEVO_OK)
        opevo_i_pipeline_infer(self);
    for (int i = 0; i < self->pipeline->stages && self->status == OPEVO_OK; i++) {
        const opevo_i_pipeline_stage *stage = self->pipeline->stage[i];

        if (stage->kind == OPEVO_STAGE_INPUT && stage->pieces)
            set_packing(self, i);
    }
    if (self->status == OPEVO_OK)
        find_parallel(self);
}

void opevo_i_pipeline_end(opevo_i_pipeline_lowering *self)
{
    if (self->status == OPEVO_OK && self->nest->atoms.failed)
        OPEVO_I_PIPELINE_REFUSE(self, NOMEM, "No memory for a loop nest.");
    for (int i = 0; i < self->pipeline->stages; i++)
        opevo_free(self->part[i]);
    opevo_free(self->owner);
}

opevo_status opevo_pipeline_part_extents(const opevo_pipeline *pipeline, int stage, int64_t *out,
                                         opevo_error *err)
{
    opevo_i_pipeline_lowering self = {.pipeline = pipeline, .err = err};
    const opevo_i_pipeline_stage *one = opevo_i_pipeline_at(pipeline, stage);

    if (one->kind == OPEVO_STAGE_INPUT || one->place == OPEVO_PLACE_INLINED)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s has no loops.", one->name);
    opevo_i_pipeline_begin(&self);
    for (int i = 0; i < one->own.loops && self.status == OPEVO_OK; i++)
        out[i] = self.part[pipeline->order[stage]]->own.loop[i].extent;
    opevo_i_pipeline_end(&self);
    opevo_i_nest_destroy(self.nest);
    return self.status;
}
