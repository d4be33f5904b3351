/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Harnesses of kernels that opevo printed. */

#include "prover_internal.h"

#include <string.h>

static void add_comma(opevo_text *out)
{
    opevo_text_add(out, out->length ? ", " : "");
}

static void add_buffer(const char *name, int64_t count, bool is_input, opevo_text *buffers,
                       opevo_text *arguments)
{
    add_comma(buffers);
    opevo_text_printf(buffers, "\"%s\": {\"type\": \"f32\", \"count\": %lld%s}", name,
                      (long long)count, is_input ? ", \"fill\": \"zero\"" : "");
    add_comma(arguments);
    opevo_text_printf(arguments, "\"%s\"", name);
}

static void add_packing(const opevo_i_prover_call *call, opevo_text *out)
{
    for (size_t i = 0; i < call->packs; i++)
        opevo_text_printf(out,
                          "{\"launch\": \"%s\", \"grid\": 1, \"block\": 1, \"arguments\": "
                          "[\"%s\", \"%s packed\"]}, ",
                          call->pack[i].function, call->pack[i].operand, call->pack[i].operand);
}

/* Its number among those that are packed; the count of these, if it is not packed. */
static size_t packed_as(const opevo_i_prover_call *call, const char *operand)
{
    size_t i = 0;

    while (i < call->packs && strcmp(call->pack[i].operand, operand) != 0)
        i++;
    return i;
}

static void add_operand(const opevo_i_prover_call *call, const opevo_workload_operand *one,
                        bool is_input, opevo_text *buffers, opevo_text *arguments)
{
    size_t packed = packed_as(call, one->name);
    opevo_text name = {0}, unused = {0};

    add_buffer(one->name, one->elements, is_input, buffers,
               packed < call->packs ? &unused : arguments);
    opevo_text_printf(&name, "%s packed", one->name);
    if (packed < call->packs)
        add_buffer(opevo_text_string(&name), call->pack[packed].bytes / (int64_t)sizeof(float),
                   false, buffers, arguments);
    opevo_text_free(&name);
    opevo_text_free(&unused);
}

/* Where an output lies in an input, that is both its buffer and its argument. */
static void add_output(const opevo_i_prover_call *call, const opevo_workload_operand *one,
                       opevo_text *buffers, opevo_text *arguments, opevo_text *outputs)
{
    bool shares = *call->shared && strcmp(one->name, "Y0") == 0;
    const char *name = shares ? call->shared : one->name;

    if (shares) {
        add_comma(arguments);
        opevo_text_printf(arguments, "\"%s\"", name);
    } else {
        add_operand(call, one, false, buffers, arguments);
    }
    add_comma(outputs);
    opevo_text_printf(outputs, "\"%s\": {\"absolute\": 0}", name);
}

static void add_launches(const opevo_i_prover_call *call, const char *arguments, opevo_text *out)
{
    for (size_t i = 0; i < call->launches; i++) {
        const uint32_t *grid = call->launch[i].grid, *block = call->launch[i].block;

        opevo_text_printf(out,
                          "%s{\"launch\": \"%s\", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], "
                          "\"shared\": %u, \"arguments\": [%s]}",
                          i ? ", " : "", call->launch[i].kernel, grid[0], grid[1], grid[2],
                          block[0], block[1], block[2], call->launch[i].shared_bytes, arguments);
    }
}

opevo_status opevo_i_prover_harness(const opevo_computation *computation,
                                    const opevo_i_prover_call *call, opevo_text *out,
                                    opevo_error *err)
{
    opevo_text buffers = {0}, arguments = {0}, outputs = {0};
    opevo_workload *work = NULL;
    opevo_status status = opevo_workload_create(computation, &work, err);

    if (status != OPEVO_OK)
        return status;
    for (int i = 0; i < work->list.count; i++) {
        const opevo_workload_operand *one = &work->list.item[i];

        if (i < work->list.inputs)
            add_operand(call, one, true, &buffers, &arguments);
        else
            add_output(call, one, &buffers, &arguments, &outputs);
    }
    if (call->has_scratch)
        add_buffer("scratch",
                   (call->scratch_bytes + 2 * call->thread_bytes) / (int64_t)sizeof(float) + 1,
                   false, &buffers, &arguments);
    for (int i = 0; i < call->extents; i++)
        opevo_text_printf(&arguments, ", {\"i32\": %lld}", (long long)call->extent[i]);
    opevo_text_printf(out, "{\"buffers\": {%s}, \"steps\": [", opevo_text_string(&buffers));
    add_packing(call, out);
    add_launches(call, opevo_text_string(&arguments), out);
    opevo_text_printf(out, "], \"outputs\": {%s}, \"tune\": {\"sizes\": {}}}",
                      opevo_text_string(&outputs));
    opevo_workload_destroy(work);
    opevo_text_free(&buffers);
    opevo_text_free(&arguments);
    opevo_text_free(&outputs);
    return OPEVO_OK;
}
