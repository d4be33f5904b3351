/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Golden results from a definition in opevo's language, and from files of numbers. */

#include "own_golden_internal.h"

#include <opevo/computation_named.h>
#include <opevo/computation_reference.h>
#include <opevo/memory.h>

#include <string.h>

enum { BUFFERS = 256, NAMES = 64 };

/* Which buffer has the name of a tensor, of the same type and as many elements. */
static opevo_status find_buffer(const opevo_tensor *tensor, const opevo_buffer *buffers,
                                size_t count, size_t *out, opevo_error *err)
{
    static const struct {
        opevo_element element;
        opevo_kernel_element buffer;
    } types[] = {
        {OPEVO_FLOAT32, OPEVO_KERNEL_ELEMENT_F32}, {OPEVO_INT32, OPEVO_KERNEL_ELEMENT_I32},
        {OPEVO_INT8, OPEVO_KERNEL_ELEMENT_I8},     {OPEVO_FLOAT16, OPEVO_KERNEL_ELEMENT_F16},
        {OPEVO_FLOAT16, OPEVO_KERNEL_ELEMENT_U16}, {OPEVO_BFLOAT16, OPEVO_KERNEL_ELEMENT_U16}};
    size_t i = 0;
    bool fits = false;

    while (i < count && strcmp(buffers[i].name, tensor->name) != 0)
        i++;
    for (size_t t = 0; i < count && t < sizeof types / sizeof *types; t++)
        fits |= types[t].element == tensor->element && types[t].buffer == buffers[i].element;
    *out = i;
    if (fits && (int64_t)buffers[i].count == opevo_tensor_elements(tensor))
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_MISMATCH,
                      "reference.computation: no buffer has the name, the type and the %lld "
                      "elements of the tensor %.60s, %s.",
                      (long long)opevo_tensor_elements(tensor), tensor->name,
                      opevo_element_name(tensor->element));
}

static opevo_status compute(const opevo_computation *computation, const opevo_buffer *buffers,
                            size_t count, void **results, opevo_error *err)
{
    const void *inputs[BUFFERS] = {0};
    void *outputs[BUFFERS] = {0};
    size_t input_count = 0, output_count = 0;
    opevo_status status = OPEVO_OK;

    for (int t = 0; t < computation->tensors && status == OPEVO_OK; t++) {
        const opevo_tensor *tensor = computation->tensor[t];
        size_t i = 0;

        if (tensor->role == OPEVO_ROLE_INTERMEDIATE)
            continue;
        status = find_buffer(tensor, buffers, count, &i, err);
        if (status != OPEVO_OK)
            continue;
        if (tensor->role == OPEVO_ROLE_OUTPUT)
            outputs[output_count++] = results[i];
        else
            inputs[input_count++] = buffers[i].data;
    }
    if (status == OPEVO_OK)
        status = opevo_computation_compute(computation, inputs, outputs, NULL, 0, err);
    return status;
}

static opevo_status read_values(opevo_case *what, const opevo_buffer *buffers, size_t count,
                                void **results, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        if (buffers[i].output)
            status = opevo_case_golden(what, i, results[i], err);
    }
    return status;
}

/* A text over the sizes of the case, or the name of a computation. */
static opevo_status compute_text(const char *text, const opevo_case *what,
                                 const opevo_buffer *buffers, size_t count, void **results,
                                 opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_binding binding[NAMES];
    size_t names = 0;
    opevo_status status = OPEVO_OK;

    while (names < NAMES &&
           opevo_case_value(what, names, &binding[names].name, &binding[names].value))
        names++;
    status = strchr(text, '[') ? opevo_computation_parse(text, "reference.computation", binding,
                                                         names, &computation, err)
                               : opevo_computation_read(text, &computation, err);

    if (status == OPEVO_OK)
        status = compute(computation, buffers, count, results, err);
    opevo_computation_destroy(computation);
    return status;
}

opevo_status opevo_i_own_say_golden(opevo_golden *golden, const opevo_harness *harness, size_t i,
                                    opevo_case *what, opevo_error *err)
{
    opevo_harness_reference_kind kind = opevo_harness_reference_kind_of(harness);
    size_t count = 0;
    const opevo_buffer *buffers = opevo_case_buffers(what, &count);
    void *results[BUFFERS] = {0};
    opevo_status status = OPEVO_OK;

    if ((kind != OPEVO_REFERENCE_COMPUTATION && kind != OPEVO_REFERENCE_FILES) ||
        opevo_golden_has(golden, OPEVO_SET_TUNE, i))
        return OPEVO_OK;
    for (size_t b = 0; b < count; b++) {
        results[b] = opevo_calloc(1, buffers[b].size_bytes);
        OPEVO_NEED(results[b], "golden results");
    }
    status = kind == OPEVO_REFERENCE_FILES ? read_values(what, buffers, count, results, err)
                                           : compute_text(opevo_harness_computation(harness), what,
                                                          buffers, count, results, err);
    if (status == OPEVO_OK)
        status =
            opevo_golden_put(golden, OPEVO_SET_TUNE, i, what, (const void *const *)results, err);
cleanup:
    for (size_t b = 0; b < count; b++)
        opevo_free(results[b]);
    return status;
}
