/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random networks with random weights: convolutions, normalisations, element-wise steps, moves. */

#ifndef OPEVO_TESTS_GROWN_NETWORKS_H
#define OPEVO_TESTS_GROWN_NETWORKS_H

#include "network_models.h"

/* A model that grows at tensor `at`. */
typedef struct grown {
    model model;
    uint64_t state;
    int named;   /* tensors and weights */
    char at[16]; /* the last tensor */
    int64_t channels, side;
    char old[16]; /* a tensor before, of which shape */
    int64_t old_channels, old_side;
} grown;

static inline const char *fresh(grown *self, char *out)
{
    snprintf(out, 16, "t%d", self->named++);
    return out;
}

/* Per-channel constants, in the shape of a bias or of a factor of images. */
static inline const char *add_channels(grown *self, int64_t channels, bool image, double least,
                                       double most, char *name)
{
    const int64_t shape[] = {channels, 1, 1};

    add_weights(&self->model, fresh(self, name), image ? 3 : 1, shape, least, most, &self->state);
    return name;
}

static inline size_t grow(grown *self, const char *operation, const char *more)
{
    char inputs[128], made[16];
    size_t node = 0;

    snprintf(inputs, sizeof inputs, "%s %s", self->at, more);
    node = add_node(&self->model, operation, inputs, fresh(self, made));
    strcpy(self->at, made);
    return node;
}

static inline void grow_convolution(grown *self, bool transposed)
{
    int64_t groups = !transposed && self->channels % 2 == 0 && draw(&self->state, 3) == 0 ? 2 : 1;
    int64_t out = 2 * (1 + (int64_t)draw(&self->state, 4)), kernel = draw(&self->state, 2) ? 3 : 1;
    int64_t pad = kernel == 3 && draw(&self->state, 2), in = self->channels / groups;
    char weights[16], bias[16] = "", inputs[48];
    size_t node = 0;

    if (!transposed && self->side + 2 * pad < kernel)
        pad = 1;
    add_weights(&self->model, fresh(self, weights), 4,
                transposed ? (int64_t[]){in, out, kernel, kernel}
                           : (int64_t[]){out, in, kernel, kernel},
                -.5, .5, &self->state);
    if (draw(&self->state, 2))
        add_channels(self, out, false, -1, 1, bias);
    snprintf(inputs, sizeof inputs, "%s %s", weights, bias);
    node = grow(self, transposed ? "ConvTranspose" : "Conv", inputs);
    add_int(&self->model, node, "group", groups);
    add_ints(&self->model, node, "pads", 4, (int64_t[]){pad, pad, pad, pad});
    self->channels = out;
    self->side += transposed ? kernel - 1 - 2 * pad : 2 * pad + 1 - kernel;
}

static inline void grow_normalisation(grown *self)
{
    char name[4][16], inputs[80];

    for (int i = 0; i < 4; i++)
        add_channels(self, self->channels, false, i == 3 ? .5 : -1, 1.5, name[i]);
    snprintf(inputs, sizeof inputs, "%s %s %s %s", name[0], name[1], name[2], name[3]);
    grow(self, "BatchNormalization", inputs);
}

/* Both halves of the channels, put together the other way round, with more beside. */
static inline void grow_split(grown *self)
{
    char a[16], b[16], c[16], names[64], operand[64];
    size_t node = 0;

    snprintf(names, sizeof names, "%s %s", fresh(self, a), fresh(self, b));
    node = add_node(&self->model, "Split", self->at, names);
    add_int(&self->model, node, "axis", 1);
    add_node(&self->model, "Relu", a, fresh(self, c));
    snprintf(operand, sizeof operand, "%s %s %s", b, c, self->at);
    node = add_node(&self->model, "Concat", operand, fresh(self, self->at));
    add_int(&self->model, node, "axis", 1);
    self->channels *= 2;
}

static inline void grow_pool(grown *self)
{
    size_t node = grow(self, draw(&self->state, 2) ? "MaxPool" : "AveragePool", "");

    add_ints(&self->model, node, "kernel_shape", 2, (int64_t[]){2, 2});
    add_ints(&self->model, node, "pads", 4, (int64_t[]){1, 0, 0, 1});
}

/* Sum or concatenation with the tensor that is kept. */
static inline void grow_join(grown *self)
{
    if (self->old_side != self->side)
        return;
    if (self->old_channels == self->channels && draw(&self->state, 3)) {
        grow(self, draw(&self->state, 2) ? "Add" : "Mul", self->old);
        return;
    }
    add_int(&self->model, grow(self, "Concat", self->old), "axis", 1);
    self->channels += self->old_channels;
}

static inline void grow_dropout(grown *self)
{
    char inputs[16], outputs[64], mask[16];

    strcpy(inputs, self->at);
    fresh(self, self->at);
    snprintf(outputs, sizeof outputs, "%s %s", self->at, fresh(self, mask));
    add_node(&self->model, "Dropout", inputs, outputs);
}

/* Zeros around the image, a part of its rows or its mirror, its columns as rows. */
static inline void grow_move(grown *self)
{
    char name[4][16], inputs[80];
    int64_t pad = 1 + (int64_t)draw(&self->state, 2);

    switch (draw(&self->state, 3)) {
    case 0:
        add_whole(&self->model, fresh(self, name[0]), 8, (int64_t[]){0, 0, pad, 1, 0, 0, 1, pad});
        grow(self, "Pad", name[0]);
        self->side += 1 + pad;
        return;
    case 1:
        add_whole(&self->model, fresh(self, name[0]), 1, (int64_t[]){pad == 1 ? 0 : -1});
        add_whole(&self->model, fresh(self, name[1]), 1, (int64_t[]){pad == 1 ? 99 : -99});
        add_whole(&self->model, fresh(self, name[2]), 1, (int64_t[]){2});
        add_whole(&self->model, fresh(self, name[3]), 1, (int64_t[]){pad == 1 ? 1 : -1});
        snprintf(inputs, sizeof inputs, "%s %s %s %s", name[0], name[1], name[2], name[3]);
        grow(self, "Slice", inputs);
        return;
    default:
        add_ints(&self->model, grow(self, "Transpose", ""), "perm", 4, (int64_t[]){0, 1, 3, 2});
    }
}

static inline void grow_any(grown *self)
{
    char name[16];

    switch (draw(&self->state, 15)) {
    case 13:
    case 14:
        grow_move(self);
        break;
    case 0:
    case 1:
        grow_convolution(self, false);
        break;
    case 2:
        grow_convolution(self, true);
        break;
    case 3:
    case 4:
        grow_normalisation(self);
        break;
    case 5:
        grow(self, "Mul", add_channels(self, self->channels, true, .5, 1.5, name));
        break;
    case 6:
        grow(self, draw(&self->state, 2) ? "Add" : "Sub",
             add_channels(self, self->channels, true, -1, 1, name));
        break;
    case 7:
        grow(self, (const char *[]){"Relu", "Sigmoid", "HardSigmoid"}[draw(&self->state, 3)], "");
        break;
    case 8:
        grow_pool(self);
        break;
    case 9:
        grow_join(self);
        break;
    case 10:
        if (self->channels % 2 == 0 && self->channels <= 8)
            grow_split(self);
        break;
    case 11:
        grow_dropout(self);
        break;
    default:
        grow(self, "Identity", "");
    }
    if (draw(&self->state, 3) == 0) {
        strcpy(self->old, self->at);
        self->old_channels = self->channels;
        self->old_side = self->side;
    }
}

/* Flatten and a product of matrices with a bias, scaled. */
static inline void grow_end(grown *self)
{
    int64_t columns = self->channels * self->side * self->side;
    char weights[16], bias[16], inputs[48];

    grow(self, "Flatten", "");
    add_weights(&self->model, fresh(self, weights), 2, (int64_t[]){5, columns}, -.5, .5,
                &self->state);
    add_channels(self, 5, false, -1, 1, bias);
    snprintf(inputs, sizeof inputs, "%s %s", weights, bias);
    add_int(&self->model, grow(self, "Gemm", inputs), "transB", 1);
    grow(self, "Mul", add_channels(self, 5, false, .5, 1.5, bias));
}

static inline void grow_network(grown *self, uint64_t seed, opevo_network **out)
{
    *self = (grown){.state = seed,
                    .at = "x",
                    .old = "x",
                    .channels = 4,
                    .side = 5,
                    .old_channels = 4,
                    .old_side = 5};
    model_start(&self->model);
    add_input(&self->model, "x", 4, (int64_t[]){1, 4, 5, 5});
    for (int i = 0; i < 12; i++)
        grow_any(self);
    if (draw(&self->state, 2))
        grow_end(self);
    set_output(&self->model, self->at);
    CHECK_OK(model_read(&self->model, NULL, out));
}

#endif
