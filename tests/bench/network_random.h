/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random weights of models, for the programs that make them: each prints one sentence and ends with
 * status 1 where it cannot go on. */

#ifndef OPEVO_TESTS_NETWORK_RANDOM_H
#define OPEVO_TESTS_NETWORK_RANDOM_H

#include "network_internal.h"

#include <opevo/file.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void stop(const char *sentence)
{
    fprintf(stderr, "%s: %s\n", program_invocation_short_name, sentence);
    exit(1);
}

static inline void *need(void *memory)
{
    if (!memory)
        stop("No memory.");
    return memory;
}

/* Uniform from 0 to 1.
 * Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators" (SplitMix64). */
static inline double draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

/* A stored tensor. With several dimensions it is uniform with mean 0 and a variance of one over the
 * elements that a sum takes, those of an output channel, so that the scale of elements stays; with
 * one, such as scales, variances and biases, uniform from 0.5 to 1.5. */
static inline Onnx__Tensor *random_tensor(const char *name, size_t rank, const int64_t *extent,
                                          uint64_t *state)
{
    Onnx__Tensor *tensor = need(calloc(1, sizeof *tensor));
    int64_t count = 1;
    float *data = NULL;
    double scale = 0;

    onnx__tensor__init(tensor);
    tensor->name = need(strdup(name));
    tensor->has_data_type = tensor->has_raw_data = 1;
    tensor->data_type = OPEVO_NETWORK_FLOAT32;
    tensor->n_dims = rank;
    tensor->dims = need(calloc(rank + 1, sizeof *tensor->dims));
    for (size_t d = 0; d < rank; d++)
        count *= tensor->dims[d] = extent[d];
    data = need(calloc((size_t)count + 1, sizeof *data));
    scale = rank > 1 ? sqrt(3. * (double)extent[0] / (double)count) : 0.5;
    for (int64_t i = 0; i < count; i++)
        data[i] = (float)(scale * (2 * draw(state) - 1) + (rank < 2));
    tensor->raw_data.len = (size_t)count * sizeof *data;
    tensor->raw_data.data = (uint8_t *)data;
    return tensor;
}

/* Write the model to a file and free it; it is of the IR version from which on stored tensors need
 * not be inputs as well. */
static inline void write_model(Onnx__Model *model, const char *path)
{
    opevo_error err = {OPEVO_OK, ""};
    uint8_t *packed = NULL;
    size_t size = 0;

    model->has_ir_version = 1;
    model->ir_version = 4;
    size = onnx__model__get_packed_size(model);
    packed = need(malloc(size + 1));
    onnx__model__pack(model, packed);
    onnx__model__free_unpacked(model, NULL);
    if (opevo_file_write(path, (const char *)packed, size, &err) != OPEVO_OK)
        stop(err.message);
    free(packed);
}

#endif
