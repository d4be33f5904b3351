/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A model in an ONNX file. What is accepted is in order: nodes come after those that they read,
 * shapes are known and no larger than tensors may be, first outputs are there, definitions have a
 * count; a small one runs, before and after the passes. */

#include "fuzz.h"

#include <opevo/memory.h>
#include <opevo/network_passes.h>

#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 64, MOST_ELEMENTS = 4096, MOST_STEPPED = 1 << 16 };

/* Elements of all values, each counted without overflow. */
static double check_values(const opevo_network *network)
{
    double all = 0;

    for (int i = 0; i < opevo_network_value_count(network); i++) {
        const opevo_array *array = &opevo_network_value_at(network, i)->array;
        double elements = 1;

        FUZZ_CHECK(opevo_network_type_name(array->type));
        for (int d = 0; d < array->dims; d++) {
            FUZZ_CHECK(array->extent[d] >= 0 && array->extent[d] <= OPEVO_COMPUTATION_EXTENT);
            elements *= (double)array->extent[d];
        }
        FUZZ_CHECK(elements <= (double)OPEVO_COMPUTATION_ELEMENTS);
        FUZZ_CHECK(elements == (double)opevo_array_elements(array));
        all += elements;
    }
    return all;
}

/* Points of the definitions of a node, which take time though they count no operation. */
static double points_of(const opevo_network *network, int node)
{
    opevo_computation *computation = NULL;
    opevo_error err = {OPEVO_OK, ""};
    opevo_text text = {0};
    double points = 0;

    FUZZ_CHECK(opevo_network_define(network, node, &text, &err) == OPEVO_OK);
    FUZZ_CHECK(opevo_computation_parse(opevo_text_string(&text), "definitions", NULL, 0,
                                       &computation, &err) == OPEVO_OK);
    for (int i = 0; i < computation->tensors; i++) {
        if (computation->tensor[i]->definition)
            points += opevo_tensor_points(computation->tensor[i]);
    }
    opevo_computation_destroy(computation);
    opevo_text_free(&text);
    return points;
}

static bool check_nodes(const opevo_network *network)
{
    double elements = 0, work = 0;

    for (int i = 0; i < opevo_network_node_count(network); i++) {
        const opevo_network_node *node = opevo_network_node_at(network, i);
        opevo_error err = {OPEVO_OK, ""};
        opevo_flop count = {0};

        FUZZ_CHECK(node->output[0] >= 0 || strcmp(node->operation, "Split") == 0);
        for (int k = 0; k < node->inputs; k++) {
            if (node->input[k] >= 0)
                FUZZ_CHECK(opevo_network_value_at(network, node->input[k])->producer < i);
        }
        for (int k = 0; k < node->outputs; k++) {
            if (node->output[k] >= 0)
                elements += (double)opevo_array_elements(
                    &opevo_network_value_at(network, node->output[k])->array);
        }
        if (!fuzz_accepts(opevo_network_flop(network, i, &count, &err), &err))
            return false;
        work += count.count + (node->computed ? points_of(network, i) : 0);
    }
    return elements < MOST_ELEMENTS && work < 100 * MOST_ELEMENTS;
}

static void run_passed(const opevo_network *network, const opevo_array *in, opevo_array *out)
{
    opevo_network_inference *inference = NULL;
    opevo_error err = {OPEVO_OK, ""};

    if (!fuzz_accepts(opevo_network_inference_create(network, &inference, &err), &err))
        return;
    if (fuzz_accepts(opevo_network_inference_pass(inference, OPEVO_NETWORK_ALL_PASSES, &err),
                     &err) &&
        fuzz_accepts(opevo_network_inference_run(inference, in, out, 1, &err), &err)) {
        for (int i = 0; i < inference->outputs; i++)
            opevo_array_free(&out[i]);
    }
    opevo_network_inference_destroy(inference);
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
                    &opevo_network_value_at(network, opevo_network_input(network, i))->array) <
                MOST_ELEMENTS;
    if (!small)
        return;
    for (int i = 0; i < inputs; i++) {
        in[i] = opevo_network_value_at(network, opevo_network_input(network, i))->array;
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
    opevo_network_inference *inference = NULL;
    opevo_array array = {0};
    const char *path = fuzz_file("model.onnx", data, size);

    if (fuzz_accepts(opevo_network_read(path, NULL, &network, &err), &err)) {
        bool stepped = check_values(network) < MOST_STEPPED;

        if (check_nodes(network))
            run(network);
        else if (stepped &&
                 fuzz_accepts(opevo_network_inference_create(network, &inference, &err), &err))
            opevo_network_inference_destroy(inference);
        opevo_network_destroy(network);
    }
    if (fuzz_accepts(opevo_array_read(path, &array, &err), &err))
        opevo_array_free(&array);
}
