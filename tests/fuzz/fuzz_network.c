/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model in an ONNX file. What is accepted is in order: nodes come after those that they read, shapes
 * are known, definitions have a count; a small one runs, before and after the passes. */

#include "fuzz.h"

#include <opevo/memory.h>
#include <opevo/network_passes.h>

#include <stdlib.h>

enum { MOST_VALUES = 64, MOST_ELEMENTS = 4096 };

static bool check_nodes(const opevo_network *network)
{
    double elements = 0, flop = 0;

    for (int i = 0; i < opevo_network_node_count(network); i++) {
        const opevo_net_node *node = opevo_network_node(network, i);
        opevo_error err = {OPEVO_OK, ""};
        opevo_flop count = {0};

        for (int k = 0; k < node->inputs; k++) {
            if (node->input[k] >= 0)
                FUZZ_CHECK(opevo_network_value(network, node->input[k])->producer < i);
        }
        for (int k = 0; k < node->outputs; k++) {
            if (node->output[k] >= 0)
                elements += (double)opevo_array_elements(
                    &opevo_network_value(network, node->output[k])->array);
        }
        if (!fuzz_accepts(opevo_network_flop(network, i, &count, &err), &err))
            return false;
        flop += count.count;
    }
    return elements < MOST_ELEMENTS && flop < 100 * MOST_ELEMENTS;
}

static void run_passed(const opevo_network *network, const opevo_array *in, opevo_array *out)
{
    opevo_inference *inference = NULL;
    opevo_error err = {OPEVO_OK, ""};

    if (!fuzz_accepts(opevo_inference_create(network, &inference, &err), &err))
        return;
    if (fuzz_accepts(opevo_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err), &err) &&
        fuzz_accepts(opevo_inference_run(inference, in, out, 1, &err), &err)) {
        for (int i = 0; i < inference->outputs; i++)
            opevo_array_free(&out[i]);
    }
    opevo_inference_destroy(inference);
}

static void run(const opevo_network *network)
{
    opevo_array in[MOST_VALUES] = {{0}}, out[MOST_VALUES] = {{0}};
    int inputs = opevo_network_input_count(network);
    int outputs = opevo_network_output_count(network);
    opevo_error err = {OPEVO_OK, ""};
    bool small = inputs <= MOST_VALUES && outputs <= MOST_VALUES;

    for (int i = 0; i < inputs && small; i++)
        small = opevo_array_elements(
                    &opevo_network_value(network, opevo_network_input(network, i))->array) <
                MOST_ELEMENTS;
    if (!small)
        return;
    for (int i = 0; i < inputs; i++) {
        in[i] = opevo_network_value(network, opevo_network_input(network, i))->array;
        FUZZ_CHECK(opevo_array_allocate(&in[i], &err) == OPEVO_OK);
    }
    if (fuzz_accepts(opevo_network_run(network, in, out, 1, &err), &err)) {
        for (int i = 0; i < outputs; i++)
            opevo_array_free(&out[i]);
    }
    run_passed(network, in, out);
    for (int i = 0; i < inputs; i++)
        opevo_array_free(&in[i]);
}

void fuzz_one(const uint8_t *data, size_t size)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_network *network = NULL;
    opevo_array array = {0};
    const char *path = fuzz_file("model.onnx", data, size);

    if (fuzz_accepts(opevo_network_read(path, NULL, &network, &err), &err)) {
        if (check_nodes(network))
            run(network);
        opevo_network_destroy(network);
    }
    if (fuzz_accepts(opevo_array_read(path, &array, &err), &err))
        opevo_array_free(&array);
}
