/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Generated kernels in the interpreter: one execution on the operands of their computation, in
 * place, and what is wrong with it. */

#include "simt_generated_internal.h"

#include <opevo/memory.h>
#include <opevo/simt.h>

#include <stdlib.h>

enum { ARGUMENTS = OPEVO_WORKLOAD_OPERANDS + 1 };

/* An execution on its way. */
typedef struct running {
    opevo_simt *simt;
    opevo_i_reference_operands *operands;
    const opevo_kernel *kernel;
    opevo_i_wire_result *result;
    opevo_simt_argument argument[ARGUMENTS]; /* the number of each is that of its buffer */
    void *scratch;
} running;

static size_t argument_count(const running *self)
{
    return (size_t)self->operands->list.count + (self->kernel->scratch_bytes > 0);
}

static opevo_status add_buffer(running *self, size_t number, const opevo_simt_buffer *buffer,
                               opevo_error *err)
{
    self->argument[number] = (opevo_simt_argument){.is_buffer = true};
    return opevo_simt_add_buffer(self->simt, buffer, &self->argument[number].buffer, err);
}

/* Inputs can only be read; outputs and scratch memory hold nothing that a kernel may rely on. */
static opevo_status add_buffers(running *self, opevo_error *err)
{
    const opevo_workload_list *list = &self->operands->list;
    size_t bytes = (size_t)self->kernel->scratch_bytes;
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < list->count && status == OPEVO_OK; i++) {
        bool input = i < list->inputs;
        const opevo_simt_buffer buffer = {.data = self->operands->memory[i].data,
                                          .size_bytes = self->operands->memory[i].bytes,
                                          .initialised = input,
                                          .read_only = input,
                                          .name = list->item[i].name};

        status = add_buffer(self, (size_t)i, &buffer, err);
    }
    if (bytes == 0 || status != OPEVO_OK)
        return status;
    self->scratch =
        aligned_alloc(OPEVO_KERNEL_ALIGNMENT, (bytes + OPEVO_KERNEL_ALIGNMENT - 1) /
                                                  OPEVO_KERNEL_ALIGNMENT * OPEVO_KERNEL_ALIGNMENT);
    OPEVO_NEED_OR_RETURN(self->scratch, "%zu bytes of scratch memory", bytes);
    return add_buffer(
        self, (size_t)list->count,
        &(opevo_simt_buffer){.data = self->scratch, .size_bytes = bytes, .name = "scratch memory"},
        err);
}

static opevo_outcome_class class_of(opevo_simt_outcome outcome)
{
    if (outcome == OPEVO_SIMT_UNSUPPORTED)
        return OPEVO_OUTCOME_LAUNCH_ERROR;
    return outcome == OPEVO_SIMT_LIMIT ? OPEVO_OUTCOME_TIMEOUT : OPEVO_OUTCOME_WRONG;
}

/* False after a fault, which is the outcome. */
static bool launch_all(running *self, opevo_error *err)
{
    opevo_simt_result result = {.outcome = OPEVO_SIMT_OK};
    opevo_status status = OPEVO_OK;

    for (int i = 0;
         i <= self->kernel->more && status == OPEVO_OK && result.outcome == OPEVO_SIMT_OK; i++) {
        const opevo_launch shape = opevo_kernel_launch(self->kernel, i);
        char name[OPEVO_KERNEL_NAME];
        opevo_simt_launch launch = {.kernel = name,
                                    .dynamic_shared_bytes = shape.dynamic_shared_bytes,
                                    .arguments = self->argument,
                                    .argument_count = argument_count(self)};

        opevo_kernel_launch_name(self->kernel, i, name);
        for (int d = 0; d < 3; d++) {
            launch.grid[d] = shape.grid[d];
            launch.block[d] = shape.block[d];
        }
        status = opevo_simt_run(self->simt, &launch, &result, err);
    }
    if (status != OPEVO_OK)
        opevo_i_wire_result_fail(self->result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s", err->message);
    else if (result.outcome != OPEVO_SIMT_OK)
        opevo_i_wire_result_fail(self->result, class_of(result.outcome), "%s: %s",
                                 opevo_simt_outcome_name(result.outcome), result.message);
    return status == OPEVO_OK && result.outcome == OPEVO_SIMT_OK;
}

/* Whether every element of the outputs was written, and is right. */
static bool check_outputs(running *self)
{
    const opevo_workload_list *list = &self->operands->list;
    opevo_text why = {0};
    bool right = true;

    for (int i = list->inputs; i < list->count && right; i++) {
        size_t first = opevo_simt_first_uninitialised(self->simt, self->argument[i].buffer);

        right = first >= self->operands->memory[i].bytes;
        if (!right)
            opevo_text_printf(&why, "%s: no thread wrote %s[%zu]",
                              opevo_simt_outcome_name(OPEVO_SIMT_UNINITIALISED), list->item[i].name,
                              first / opevo_i_reference_operand_bytes(self->operands, i));
        else
            right = opevo_i_reference_operands_check(self->operands, i,
                                                     self->operands->memory[i].data, &why);
    }
    if (!right)
        opevo_i_wire_result_fail(self->result, OPEVO_OUTCOME_WRONG, "%s", opevo_text_string(&why));
    opevo_text_free(&why);
    return right;
}

bool opevo_i_simt_judge(opevo_simt *simt, opevo_i_reference_operands *operands,
                        const opevo_kernel *kernel, double *cost, opevo_i_wire_result *result)
{
    running self = {.simt = simt, .operands = operands, .kernel = kernel, .result = result};
    opevo_simt_counts counts;
    opevo_error err = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;
    bool right = false;

    opevo_i_reference_operands_poison(operands);
    OPEVO_TRY(opevo_simt_reset(simt, &err));
    OPEVO_TRY(add_buffers(&self, &err));
    right = launch_all(&self, &err) && check_outputs(&self);
    opevo_simt_count(simt, &counts);
    *cost = counts.cost;
cleanup:
    if (status != OPEVO_OK)
        opevo_i_wire_result_fault(result, "%s", err.message);
    free(self.scratch);
    return right;
}
