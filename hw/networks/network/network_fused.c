/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators of ONNX Runtime (com.microsoft) that are several of the standard's: sums before a
 * normalisation, activations behind a convolution, a bias before an activation. */

#include "network_read_internal.h"

#include <stdio.h>
#include <string.h>

#define NONE OPEVO_I_NET_OMITTED

static int sum_of(opevo_i_net_builder *self, int a, int b)
{
    return a == NONE ? b : b == NONE ? a : opevo_i_net_build_two(self, "Add", NULL, a, b);
}

/* ---- Normalisation -------------------------------------------------------------------------- */

static int normal(opevo_i_net_builder *self, int in, int scale, int bias)
{
    char text[64];

    snprintf(text, sizeof text, "axis=-1 epsilon=%.9e",
             opevo_i_net_build_float(self, "epsilon", 1e-12));
    return opevo_i_net_build(self, "LayerNormalization", text, bias == NONE ? 2 : 3,
                             (int[]){in, scale, bias});
}

static int root_mean(opevo_i_net_builder *self, int in, int scale, double epsilon)
{
    char text[64];

    snprintf(text, sizeof text, "axis=%d epsilon=%.9e",
             (int)opevo_i_net_build_int(self, "axis", -1),
             opevo_i_net_build_float(self, "epsilon", epsilon));
    return opevo_i_net_build_two(self, "RMSNormalization", text, in, scale);
}

/* The sum of input, skip and bias; it is output 3 as well. */
static int skipped(opevo_i_net_builder *self, int bias)
{
    int sum = sum_of(self, opevo_i_net_build_two(self, "Add", NULL, self->in[0], self->in[1]),
                     opevo_i_net_build_input(self, bias));
    const Onnx__Node *source = self->source;

    for (size_t i = 1; i < 3 && i < source->n_output; i++) {
        if (*source->output[i])
            opevo_i_net_build_fail(self, "Its mean and deviation are of training.");
    }
    opevo_i_net_build_output(self, 3, sum);
    return sum;
}

static void build_skip(opevo_i_net_builder *self)
{
    int sum = skipped(self, 4);

    opevo_i_net_build_next(self, 0);
    normal(self, sum, self->in[2], opevo_i_net_build_input(self, 3));
}

static void build_skip_simplified(opevo_i_net_builder *self)
{
    int sum = skipped(self, 3);

    opevo_i_net_build_next(self, 0);
    root_mean(self, sum, self->in[2], 1e-12);
}

static void build_simplified(opevo_i_net_builder *self)
{
    opevo_i_net_build_next(self, 0);
    root_mean(self, self->in[0], self->in[1], 1e-5);
}

/* Words, positions and segments. Output 1 is how many of each row the mask has. */
static void build_embedding(opevo_i_net_builder *self)
{
    const opevo_array *ids = opevo_i_net_build_array(self, self->in[0]);
    int segments = opevo_i_net_build_input(self, 1), kinds = opevo_i_net_build_input(self, 4);
    int mask = opevo_i_net_build_input(self, 7), places = opevo_i_net_build_input(self, 8), sum = 0;
    int scale = opevo_i_net_build_input(self, 5), bias = opevo_i_net_build_input(self, 6);

    if (!ids || ids->dims != 2 || scale == NONE) {
        opevo_i_net_build_fail(self, "Its inputs are not those of an embedding.");
        return;
    }
    if (places == NONE)
        places = opevo_i_net_build(self, "Range", NULL, 3,
                                   (int[]){opevo_i_net_build_whole(self, 0),
                                           opevo_i_net_build_whole(self, ids->extent[1]),
                                           opevo_i_net_build_whole(self, 1)});
    sum = opevo_i_net_build_two(
        self, "Add", NULL,
        opevo_i_net_build_two(self, "Gather", "axis=0", self->in[2], self->in[0]),
        opevo_i_net_build_two(self, "Gather", "axis=0", self->in[3], places));
    if (segments != NONE && kinds != NONE)
        sum = sum_of(self, sum, opevo_i_net_build_two(self, "Gather", "axis=0", kinds, segments));
    opevo_i_net_build_output(self, 2, sum);
    if (self->outs > 1 && mask != NONE) {
        int axes = opevo_i_net_build_wholes(self, 1, (int64_t[]){1});

        mask = opevo_i_net_build_one(self, "Cast", "to=6", mask);
        if (opevo_i_net_build_next(self, 1))
            opevo_i_net_build_two(self, "ReduceSum", "keepdims=0", mask, axes);
        self->target = NONE;
    } else if (self->outs > 1) {
        opevo_i_net_build_output(
            self, 1,
            opevo_i_net_build_one(
                self, "Cast", "to=6",
                opevo_i_net_build_one(self, "ConstantOfShape", NULL,
                                      opevo_i_net_build_wholes(self, 1, ids->extent))));
    }
    opevo_i_net_build_next(self, 0);
    normal(self, sum, scale, bias);
}

/* Of images with channels last, as diffusion models have it. */
static void build_groups(opevo_i_net_builder *self)
{
    bool last = opevo_i_net_build_int(self, "channels_last", 1) != 0;
    bool swish = opevo_i_net_build_int(self, "activation", 0) != 0;
    int in = self->in[0];
    char text[80];

    snprintf(text, sizeof text, "num_groups=%d epsilon=%.9e",
             (int)opevo_i_net_build_int(self, "groups", 1),
             opevo_i_net_build_float(self, "epsilon", 1e-5));
    if (last)
        in = opevo_i_net_build_one(self, "Transpose", "perm=0,3,1,2", in);
    in = opevo_i_net_build(self, "GroupNormalization", text, 3,
                           (int[]){in, self->in[1], self->in[2]});
    if (swish)
        in = opevo_i_net_build_one(self, "Swish", NULL, in);
    if (last) {
        opevo_i_net_build_next(self, 0);
        opevo_i_net_build_one(self, "Transpose", "perm=0,2,3,1", in);
    } else {
        opevo_i_net_build_output(self, 0, in);
    }
}

/* ---- Activations ---------------------------------------------------------------------------- */

/* What attribute `activation` names, on output 0. */
static void activate(opevo_i_net_builder *self, int in)
{
    static const char *const plain[] = {"Relu", "Tanh", "Sigmoid", "Softplus", "Gelu"};
    const Onnx__Attribute *with = opevo_i_net_build_attribute(self, "activation_params");
    double a = with && with->n_floats > 0 ? (double)with->floats[0] : 0;
    double b = with && with->n_floats > 1 ? (double)with->floats[1] : 0;
    char text[96];

    if (with == NULL) {
        a = opevo_i_net_build_float(self, "activation_alpha", 0.01);
        b = opevo_i_net_build_float(self, "activation_beta", 0.5);
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (opevo_i_net_build_is(self, "activation", plain[i])) {
            opevo_i_net_build_next(self, 0);
            opevo_i_net_build_one(self, plain[i], NULL, in);
            return;
        }
    }
    if (opevo_i_net_build_is(self, "activation", "LeakyRelu") ||
        opevo_i_net_build_is(self, "activation", "HardSigmoid")) {
        bool leaky = opevo_i_net_build_is(self, "activation", "LeakyRelu");

        snprintf(text, sizeof text, leaky ? "alpha=%.9e" : "alpha=%.9e beta=%.9e", a, b);
        opevo_i_net_build_next(self, 0);
        opevo_i_net_build_one(self, leaky ? "LeakyRelu" : "HardSigmoid", text, in);
    } else if (opevo_i_net_build_is(self, "activation", "Clip")) {
        int least = opevo_i_net_build_number(self, a), most = opevo_i_net_build_number(self, b);

        opevo_i_net_build_next(self, 0);
        opevo_i_net_build(self, "Clip", NULL, 3, (int[]){in, least, most});
    } else if (opevo_i_net_build_attribute(self, "activation")) {
        opevo_i_net_build_fail(self, "Its activation is one that opevo does not know.");
    } else {
        opevo_i_net_build_output(self, 0, in);
    }
}

static void build_convolution(opevo_i_net_builder *self)
{
    int bias = opevo_i_net_build_input(self, 2);
    int made = opevo_i_net_build_like(self, "Conv", "activation", bias == NONE ? 2 : 3,
                                      (int[]){self->in[0], self->in[1], bias});

    activate(self, sum_of(self, made, opevo_i_net_build_input(self, 3)));
}

static void build_gemm(opevo_i_net_builder *self)
{
    activate(self, opevo_i_net_build_like(self, "Gemm", "activation", self->ins, self->in));
}

static void build_product(opevo_i_net_builder *self)
{
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_like(self, "com.microsoft.FusedMatMul", NULL, 2, self->in);
}

static void build_bias_gelu(opevo_i_net_builder *self)
{
    int sum = sum_of(self, self->in[0], self->in[1]);

    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_one(self, "Gelu", NULL, sum);
}

static void build_fast_gelu(opevo_i_net_builder *self)
{
    int sum = sum_of(self, self->in[0], opevo_i_net_build_input(self, 1));

    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_one(self, "Gelu", "approximate='tanh'", sum);
}

/* The left half times the Gelu of the right one. */
static void build_split_gelu(opevo_i_net_builder *self)
{
    int sum = sum_of(self, self->in[0], self->in[1]), half[2] = {0};
    const opevo_array *array = opevo_i_net_build_array(self, sum);
    int64_t size = array && array->dims ? array->extent[array->dims - 1] : 0;

    for (int i = 0; i < 2; i++)
        half[i] = opevo_i_net_build(
            self, "Slice", NULL, 4,
            (int[]){sum, opevo_i_net_build_wholes(self, 1, (int64_t[]){i ? size / 2 : 0}),
                    opevo_i_net_build_wholes(self, 1, (int64_t[]){i ? size : size / 2}),
                    opevo_i_net_build_wholes(self, 1, (int64_t[]){-1})});
    half[1] = opevo_i_net_build_one(self, "Gelu", NULL, half[1]);
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_two(self, "Mul", NULL, half[0], half[1]);
}

static void build_bias_add(opevo_i_net_builder *self)
{
    int sum = sum_of(self, self->in[0], self->in[1]);

    opevo_i_net_build_next(self, 0);
    sum_of(self, sum, self->in[2]);
}

static void build_bias_softmax(opevo_i_net_builder *self)
{
    int sum = sum_of(self, self->in[0], self->in[1]);
    char text[32];

    snprintf(text, sizeof text, "axis=%d", (int)opevo_i_net_build_int(self, "axis", 1));
    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_one(self, "Softmax", text, sum);
}

static void build_expand_dims(opevo_i_net_builder *self)
{
    int axes = opevo_i_net_build_reshape(self, self->in[1], 1, (int64_t[]){1});

    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_two(self, "Unsqueeze", NULL, self->in[0], axes);
}

/* The same operator as the standard has it. */
static void build_same(opevo_i_net_builder *self)
{
    const char *operation = self->source->op_type;

    opevo_i_net_build_next(self, 0);
    opevo_i_net_build_like(self, operation, NULL, self->ins, self->in);
}

const opevo_i_net_form opevo_i_net_fused[] = {
    {"com.microsoft.SkipLayerNormalization", 3, 5, 4, build_skip},
    {"com.microsoft.SkipSimplifiedLayerNormalization", 3, 4, 4, build_skip_simplified},
    {"com.microsoft.SimplifiedLayerNormalization", 2, 2, 1, build_simplified},
    {"SimplifiedLayerNormalization", 2, 2, 1, build_simplified},
    {"com.microsoft.EmbedLayerNormalization", 5, 9, 3, build_embedding},
    {"com.microsoft.GroupNorm", 3, 3, 1, build_groups},
    {"com.microsoft.FusedConv", 2, 4, 1, build_convolution},
    {"com.microsoft.FusedGemm", 2, 3, 1, build_gemm},
    {"com.microsoft.TransposeMatMul", 2, 2, 1, build_product},
    {"com.microsoft.BiasGelu", 2, 2, 1, build_bias_gelu},
    {"com.microsoft.FastGelu", 1, 2, 1, build_fast_gelu},
    {"com.microsoft.BiasSplitGelu", 2, 2, 1, build_split_gelu},
    {"com.microsoft.BiasAdd", 3, 3, 1, build_bias_add},
    {"com.microsoft.BiasSoftmax", 2, 2, 1, build_bias_softmax},
    {"com.microsoft.ExpandDims", 2, 2, 1, build_expand_dims},
    {"com.microsoft.Trilu", 1, 2, 1, build_same},
    {"com.microsoft.Range", 3, 3, 1, build_same},
    {"com.microsoft.GridSample", 2, 2, 1, build_same},
    {NULL, 0, 0, 0, NULL},
};
