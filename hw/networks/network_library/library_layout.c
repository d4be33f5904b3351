/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where everything is in memory with the kernels that a library has. */

#include "library_internal.h"

#include <opevo/memory.h>

/* For each step the inputs that it may overwrite; to be freed. */
static uint32_t *list_in_place(const opevo_network_library *self)
{
    uint32_t *in_place = opevo_calloc((size_t)self->inference->steps + 1, sizeof *in_place);

    for (int n = 0; in_place && n < self->inference->steps; n++)
        in_place[n] = self->task_of[n] < 0 ? 0 : self->task[self->task_of[n]].in_place;
    return in_place;
}

static opevo_status make_plan(opevo_network_library *self, opevo_error *err)
{
    uint32_t *in_place = list_in_place(self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(in_place, "the memory plan of the network");
    opevo_memory_plan_destroy(self->plan);
    self->plan = NULL;
    status = opevo_memory_plan_create(self->inference, in_place, &self->plan, err);
    opevo_free(in_place);
    return status;
}

opevo_status opevo_network_library_check_memory(const opevo_network_library *self, opevo_error *err)
{
    uint32_t *in_place = list_in_place(self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(in_place, "checking a memory plan");
    status = opevo_memory_plan_check(self->inference, self->plan, in_place, err);
    opevo_free(in_place);
    return status;
}

/* Which kernels overwrite an input. */
static void note_reused(opevo_network_library *self)
{
    for (int n = 0; n < self->inference->steps; n++) {
        const opevo_network_step *step = &self->inference->step[n];
        opevo_i_library_task *task = self->task_of[n] < 0 ? NULL : &self->task[self->task_of[n]];
        const opevo_memory_place *to = task ? &self->plan->place[step->output[0]] : NULL;

        for (int i = 0; task && i < step->inputs && i < 32; i++) {
            const opevo_memory_place *from =
                step->input[i] < 0 ? NULL : &self->plan->place[step->input[i]];

            if (from && from->kind == OPEVO_MEMORY_ARENA && from->offset == to->offset)
                task->reused |= UINT32_C(1) << i;
        }
    }
}

/* ---- Places ---- */

void opevo_i_library_address(const opevo_network_library *self, int number, opevo_text *out)
{
    const opevo_memory_place *place = &self->plan->place[number];
    const opevo_network_inference *inference = self->inference;

    if (place->kind == OPEVO_MEMORY_CONSTANT) {
        opevo_text_printf(out, "%s_weights + %lld", self->owner,
                          (long long)self->weight[place->value] / (long long)sizeof(float));
    } else if (place->kind == OPEVO_MEMORY_ARENA) {
        opevo_text_printf(out, "self->arena + %lld",
                          (long long)place->offset / (long long)sizeof(float));
    } else {
        for (int i = 0; i < inference->inputs; i++) {
            if (inference->input[i] == place->value)
                opevo_text_printf(out, "self->input[%d]", i);
        }
    }
}

/* Views do nothing, and neither do copies whose producers wrote to the result. */
bool opevo_i_library_is_empty(const opevo_network_library *self, const opevo_network_step *step)
{
    if (step->kind == OPEVO_NETWORK_STEP_VIEW || !opevo_memory_plan_needs(self->plan, step))
        return true;
    if (step->kind != OPEVO_NETWORK_STEP_COPY)
        return false;
    for (int i = 0; i < step->copies; i++) {
        if (!opevo_memory_plan_is_there(self->plan, step, &step->copy[i]))
            return false;
    }
    return true;
}

/* ---- Weights ---- */

static void add_weight(opevo_network_library *self, int number)
{
    const opevo_memory_place *place = &self->plan->place[number];
    const opevo_array *array = &self->inference->value[place->value].array;

    if (place->kind != OPEVO_MEMORY_CONSTANT || self->weight[place->value] >= 0)
        return;
    self->stored[self->stored_count++] = place->value;
    self->weight[place->value] = self->weight_bytes;
    self->weight_bytes += opevo_i_library_aligned(opevo_array_elements(array) *
                                                  (int64_t)opevo_network_type_bytes(array->type));
}

static opevo_status add_packed(opevo_network_library *self, int n, opevo_error *err)
{
    const opevo_network_step *step = &self->inference->step[n];
    int number = self->task_of[n];
    const opevo_i_library_task *task = &self->task[number];

    for (int i = 0; i < task->work->list.inputs && i < OPEVO_OPERANDS; i++) {
        int value = opevo_i_library_operand(task, step, i), k = 0;

        if (!task->kernel.packed[i])
            continue;
        if (value < 0 || self->plan->place[value].kind != OPEVO_MEMORY_CONSTANT)
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "step '%.200s' (%.60s): It reads a constant that is computed by other "
                "steps; fold constants first.",
                step->name, step->operation);
        value = self->plan->place[value].value;
        while (k < self->packed_count &&
               (self->packed[k].task != number || self->packed[k].operand != i ||
                self->packed[k].value != value))
            k++;
        if (k < self->packed_count)
            continue;
        self->packed[self->packed_count++] = (opevo_i_library_packed){
            .task = number, .operand = i, .value = value, .offset = self->packed_bytes};
        self->packed_bytes +=
            opevo_i_library_aligned((int64_t)task->kernel.packed[i] * (int64_t)sizeof(float));
    }
    return OPEVO_OK;
}

static opevo_status lay_out(opevo_network_library *self, opevo_error *err)
{
    const opevo_network_inference *inference = self->inference;
    opevo_status status = OPEVO_OK;
    size_t operands = 1;

    OPEVO_TRY(make_plan(self, err));
    note_reused(self);
    for (int n = 0; n < inference->steps; n++)
        operands += self->task_of[n] < 0 ? 0 : OPEVO_OPERANDS;
    opevo_free(self->packed);
    opevo_free(self->weight);
    opevo_free(self->stored);
    self->packed_count = self->stored_count = 0;
    self->packed_bytes = self->weight_bytes = 0;
    self->packed = opevo_calloc(operands, sizeof *self->packed);
    self->weight = opevo_calloc((size_t)inference->values + 1, sizeof *self->weight);
    self->stored = opevo_calloc((size_t)inference->values + 1, sizeof *self->stored);
    OPEVO_NEED(self->packed && self->weight && self->stored, "the weights of the network");
    for (int i = 0; i < inference->values; i++)
        self->weight[i] = -1;
    for (int n = 0; n < inference->steps; n++) {
        const opevo_network_step *step = &inference->step[n];

        if (!opevo_memory_plan_needs(self->plan, step))
            continue;
        for (int i = 0; i < step->inputs; i++) {
            if (opevo_network_step_reads(step, i))
                add_weight(self, step->input[i]);
        }
        if (self->task_of[n] >= 0)
            OPEVO_TRY(add_packed(self, n, err));
    }
    for (int i = 0; i < inference->outputs; i++)
        add_weight(self, inference->output[i]);
cleanup:
    return status;
}

opevo_status opevo_network_library_measure(opevo_network_library *self,
                                           opevo_network_library_sizes *sizes, opevo_error *err)
{
    opevo_status status = lay_out(self, err);

    if (status != OPEVO_OK)
        return status;
    *sizes = (opevo_network_library_sizes){.arena_bytes = self->plan->bytes,
                                           .peak_bytes = self->plan->peak_bytes,
                                           .weight_bytes = self->weight_bytes,
                                           .packed_bytes = self->packed_bytes,
                                           .scratch_bytes = self->routine_bytes,
                                           .kernels = (size_t)self->tasks};
    for (int t = 0; t < self->tasks; t++) {
        int64_t bytes =
            (int64_t)opevo_kernel_scratch_bytes(&self->task[t].kernel, self->options.threads);

        sizes->scratch_bytes = bytes > sizes->scratch_bytes ? bytes : sizes->scratch_bytes;
    }
    return OPEVO_OK;
}

/* Different constants that steps of a task read as operand i of its kernel. */
static int64_t constants_of(const opevo_network_library *self, int number, int i)
{
    const opevo_network_inference *inference = self->inference;
    int64_t count = 0;

    for (int n = 0; n < inference->steps; n++) {
        int value = self->task_of[n] != number
                        ? -1
                        : opevo_i_library_operand(&self->task[number], &inference->step[n], i);
        bool known = value < 0;

        for (int k = 0; k < n && !known; k++) {
            int other = self->task_of[k] != number
                            ? -1
                            : opevo_i_library_operand(&self->task[number], &inference->step[k], i);

            known = other >= 0 && self->plan->place[other].value == self->plan->place[value].value;
        }
        count += !known;
    }
    return count;
}

opevo_status opevo_network_library_kernel_bytes(const opevo_network_library *self, int number,
                                                const opevo_kernel_maker *maker, opevo_index point,
                                                int64_t *packed_bytes, int64_t *scratch_bytes,
                                                opevo_error *err)
{
    const opevo_i_library_task *task = &self->task[number];
    opevo_kernel kernel = {0};
    opevo_status status = opevo_i_library_kernel_at(maker, point, &kernel, err);

    if (status != OPEVO_OK)
        return status;
    *packed_bytes = 0;
    for (int i = 0; i < task->work->list.inputs && i < OPEVO_OPERANDS; i++) {
        if (kernel.packed[i])
            *packed_bytes +=
                constants_of(self, number, i) *
                opevo_i_library_aligned((int64_t)kernel.packed[i] * (int64_t)sizeof(float));
    }
    *scratch_bytes = (int64_t)opevo_kernel_scratch_bytes(&kernel, self->options.threads);
    opevo_kernel_free(&kernel);
    return OPEVO_OK;
}
