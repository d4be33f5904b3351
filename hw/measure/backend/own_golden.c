/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Golden results from a definition in opevo's language, and from files of numbers. */

#include "own_golden_internal.h"

#include <opevo/computation_named.h>
#include <opevo/computation_reference.h>
#include <opevo/memory.h>

#include <string.h>

enum { BUFFERS = 256, NAMES = 64 };

static size_t find_name(const char *name, const opevo_buffer *buffers, size_t count)
{
    size_t i = 0;

    while (i < count && strcmp(buffers[i].name, name) != 0)
        i++;
    return i;
}

/* Whether buffer i, if it is one, has the type of a tensor, or is one of doubles for float32, and
 * as many elements. */
static opevo_status check_buffer(const opevo_tensor *tensor, const opevo_buffer *buffers,
                                 size_t count, size_t i, opevo_error *err)
{
    static const struct {
        opevo_element element;
        opevo_kernel_element buffer;
    } types[] = {
        {OPEVO_FLOAT32, OPEVO_KERNEL_ELEMENT_F32}, {OPEVO_FLOAT32, OPEVO_KERNEL_ELEMENT_F64},
        {OPEVO_INT32, OPEVO_KERNEL_ELEMENT_I32},   {OPEVO_INT8, OPEVO_KERNEL_ELEMENT_I8},
        {OPEVO_FLOAT16, OPEVO_KERNEL_ELEMENT_F16}, {OPEVO_FLOAT16, OPEVO_KERNEL_ELEMENT_U16},
        {OPEVO_BFLOAT16, OPEVO_KERNEL_ELEMENT_U16}};
    bool fits = false;

    for (size_t t = 0; i < count && t < sizeof types / sizeof *types; t++)
        fits |= types[t].element == tensor->element && types[t].buffer == buffers[i].element;
    if (fits && (int64_t)buffers[i].count == opevo_tensor_elements(tensor))
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_MISMATCH,
                      "reference.computation: no buffer has the name, the type and the %lld "
                      "elements of the tensor %.60s, %s.",
                      (long long)opevo_tensor_elements(tensor), tensor->name,
                      opevo_element_name(tensor->element));
}

/* Every output that is compared has to be a result of the computation. */
static opevo_status check_outputs(const opevo_harness *harness, const opevo_buffer *buffers,
                                  size_t count, const bool *said, opevo_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].output && !said[i] && !opevo_harness_tolerance_of(harness, i).any)
            return OPEVO_FAIL(err, OPEVO_MISMATCH,
                              "reference.computation: it defines no tensor for the output %.60s.",
                              buffers[i].name);
    }
    return OPEVO_OK;
}

/* Arrays of the tensors: buffers, and where results go, also of an intermediate tensor that has the
 * name of an output. */
static opevo_status find_arrays(const opevo_computation *computation, const opevo_harness *harness,
                                const opevo_buffer *buffers, size_t count, void **results,
                                void **arrays, bool *wide, opevo_error *err)
{
    bool said[BUFFERS] = {false};
    opevo_status status = OPEVO_OK;

    for (int t = 0; t < computation->tensors && status == OPEVO_OK; t++) {
        const opevo_tensor *tensor = computation->tensor[t];
        size_t i = find_name(tensor->name, buffers, count);

        if (tensor->role == OPEVO_ROLE_INTERMEDIATE && (i == count || !buffers[i].output))
            continue;
        status = check_buffer(tensor, buffers, count, i, err);
        if (status != OPEVO_OK)
            continue;
        wide[t] = buffers[i].element == OPEVO_KERNEL_ELEMENT_F64;
        said[i] = tensor->definition != NULL;
        arrays[t] = said[i] ? results[i] : buffers[i].data;
    }
    return status == OPEVO_OK ? check_outputs(harness, buffers, count, said, err) : status;
}

static opevo_status compute(const opevo_computation *computation, const opevo_harness *harness,
                            const opevo_buffer *buffers, size_t count, void **results,
                            opevo_error *err)
{
    size_t tensors = (size_t)computation->tensors;
    void **arrays = opevo_calloc(tensors, sizeof *arrays);
    bool *wide = opevo_calloc(tensors, sizeof *wide);
    opevo_status status = OPEVO_OK;

    if (!arrays || !wide)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for golden results.");
    if (status == OPEVO_OK)
        status = find_arrays(computation, harness, buffers, count, results, arrays, wide, err);
    if (status == OPEVO_OK)
        status = opevo_computation_compute_wide(computation, arrays, wide, 0, err);
    opevo_free(arrays);
    opevo_free(wide);
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
static opevo_status compute_text(const opevo_harness *harness, const opevo_case *what,
                                 const opevo_buffer *buffers, size_t count, void **results,
                                 opevo_error *err)
{
    const char *text = opevo_harness_computation(harness);
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
        status = compute(computation, harness, buffers, count, results, err);
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
    status = kind == OPEVO_REFERENCE_FILES
                 ? read_values(what, buffers, count, results, err)
                 : compute_text(harness, what, buffers, count, results, err);
    if (status == OPEVO_OK)
        status =
            opevo_golden_put(golden, OPEVO_SET_TUNE, i, what, (const void *const *)results, err);
cleanup:
    for (size_t b = 0; b < count; b++)
        opevo_free(results[b]);
    return status;
}
