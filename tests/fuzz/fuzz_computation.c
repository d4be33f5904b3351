/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A computation as text: what is printed reads back, and is printed the same, in lines or in one
 * line; its counts are finite; its graph is in order. */

#include "fuzz.h"

#include <opevo/computation_access.h>

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

void fuzz_one(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    opevo_error err = {OPEVO_OK, ""};
    opevo_computation *computation = NULL;

    if (fuzz_accepts(opevo_computation_parse(text, "fuzz", NULL, 0, &computation, &err), &err)) {
        check_same(computation, "\n");
        check_same(computation, "; ");
        check_graph(computation);
        opevo_computation_destroy(computation);
    }
    free(text);
}
