/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A computation as text: what is printed reads back, and is printed the same, in lines or in one
 * line; its counts are finite; its graph is in order; a small one is evaluated, with every tensor
 * in a block of its own. */

#include "fuzz.h"

#include <opevo/computation_access.h>
#include <opevo/computation_reference.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check_same(const opevo_computation *computation, const char *between)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_text first = {0}, second = {0};
    opevo_computation *again = NULL;

    opevo_computation_print(computation, between, &first);
    FUZZ_CHECK(opevo_computation_parse(opevo_text_string(&first), "printed", NULL, 0, &again,
                                       &err) == OPEVO_OK);
    opevo_computation_print(again, between, &second);
    FUZZ_CHECK(strcmp(opevo_text_string(&first), opevo_text_string(&second)) == 0);
    FUZZ_CHECK(opevo_computation_signature(again) == opevo_computation_signature(computation));
    opevo_computation_destroy(again);
    opevo_text_free(&first);
    opevo_text_free(&second);
}

static void check_graph(const opevo_computation *computation)
{
    opevo_flop flop = opevo_computation_flop(computation);

    FUZZ_CHECK(isfinite(flop.count) && flop.count >= 0);
    FUZZ_CHECK(isfinite(opevo_computation_bytes(computation)));
    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        opevo_access access;

        FUZZ_CHECK(tensor->number == i && opevo_tensor_elements(tensor) >= 1);
        for (int p = 0; p < tensor->producers; p++) {
            FUZZ_CHECK(tensor->producer[p]->number < i);
            FUZZ_CHECK(opevo_tensor_access(tensor, tensor->producer[p], &access));
        }
        opevo_tensor_is_strictly_inlineable(tensor);
        opevo_tensor_needs_tiling(tensor);
    }
}

static bool is_small(const opevo_computation *computation)
{
    double work = 0;

    for (int i = 0; i < computation->tensors; i++) {
        const opevo_tensor *tensor = computation->tensor[i];

        work += (double)opevo_tensor_elements(tensor) + 100 * opevo_tensor_points(tensor);
    }
    return work < 1e6;
}

static void evaluate(const opevo_computation *computation)
{
    opevo_error err = {OPEVO_OK, ""};
    size_t count = (size_t)computation->tensors;
    float **inputs = calloc(count, sizeof *inputs), **outputs = calloc(count, sizeof *outputs);
    double **bounds = calloc(count, sizeof *bounds);
    size_t in = 0, out = 0;

    for (size_t i = 0; i < count; i++) {
        const opevo_tensor *tensor = computation->tensor[i];
        size_t elements = (size_t)opevo_tensor_elements(tensor);

        if (!tensor->definition)
            inputs[in++] = calloc(elements, sizeof **inputs);
        if (tensor->role != OPEVO_ROLE_OUTPUT)
            continue;
        outputs[out] = calloc(elements, sizeof **outputs);
        bounds[out++] = calloc(elements, sizeof **bounds);
    }
    FUZZ_CHECK(opevo_computation_compute(computation, (const void *const *)inputs,
                                         (void *const *)outputs, bounds, 1, &err) == OPEVO_OK);
    for (size_t i = 0; i < out; i++)
        FUZZ_CHECK(bounds[i][0] >= 0);
    for (size_t i = 0; i < count; i++) {
        free(inputs[i]);
        free(outputs[i]);
        free(bounds[i]);
    }
    free(inputs);
    free(outputs);
    free(bounds);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    opevo_error err = {OPEVO_OK, ""};
    opevo_computation *computation = NULL;

    if (fuzz_accepts(opevo_computation_parse(text, "fuzz", NULL, 0, &computation, &err), &err)) {
        check_same(computation, "\n");
        check_same(computation, "; ");
        check_graph(computation);
        if (is_small(computation))
            evaluate(computation);
        opevo_computation_destroy(computation);
    }
    free(text);
}
