/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Models with dimensions that have names, and a program that runs a library at many sizes. */

#ifndef OPEVO_TESTS_DYNAMIC_MODELS_H
#define OPEVO_TESTS_DYNAMIC_MODELS_H

#include "network_models.h"

static uint64_t dynamic_state = 5;

/* An input; an extent of 0 has the name behind it in `names`. */
static inline void add_named_input(model *self, const char *name, int dims, const int64_t *extent,
                                   const char *const *names)
{
    size_t i = self->graph.n_input;

    add_input(self, name, dims, extent);
    for (int d = 0; d < dims; d++) {
        if (extent[d] == 0)
            self->dim[i][d].dim_param = (char *)*names++;
    }
}

static inline void add_random(model *self, const char *name, int dims, const int64_t *extent)
{
    add_weights(self, name, dims, extent, -.5, .5, &dynamic_state);
}

/* x[batch, 12] through layers of 20 and 5. */
static inline void make_mlp(model *self)
{
    model_start(self);
    add_named_input(self, "x", 2, (int64_t[]){0, 12}, (const char *[]){"batch"});
    add_random(self, "w1", 2, (int64_t[]){12, 20});
    add_random(self, "b1", 1, (int64_t[]){20});
    add_random(self, "w2", 2, (int64_t[]){20, 5});
    add_random(self, "b2", 1, (int64_t[]){5});
    add_node(self, "Gemm", "x w1 b1", "g");
    add_node(self, "Tanh", "g", "t");
    add_node(self, "MatMul", "t w2", "m");
    add_node(self, "Add", "m b2", "a");
    add_int(self, add_node(self, "Softmax", "a", "y"), "axis", -1);
    set_output(self, "y");
}

static inline void add_conv(model *self, const char *inputs, const char *output, int64_t kernel,
                            int64_t group)
{
    size_t node = add_node(self, "Conv", inputs, output);
    int64_t pad = kernel / 2;

    add_ints(self, node, "pads", 4, (int64_t[]){pad, pad, pad, pad});
    add_int(self, node, "group", group);
}

/* Images of 3 x 8 x 8: convolutions, a residual, a depthwise one, a join, pools and a layer. */
static inline void make_cnn(model *self)
{
    size_t node = 0;

    model_start(self);
    add_named_input(self, "x", 4, (int64_t[]){0, 3, 8, 8}, (const char *[]){"batch"});
    add_random(self, "w1", 4, (int64_t[]){16, 3, 3, 3});
    add_random(self, "w2", 4, (int64_t[]){16, 16, 3, 3});
    add_random(self, "b", 1, (int64_t[]){16});
    add_random(self, "w3", 4, (int64_t[]){16, 1, 3, 3});
    add_random(self, "w4", 4, (int64_t[]){6, 16, 1, 1});
    add_random(self, "w5", 2, (int64_t[]){22, 7});
    add_conv(self, "x w1 b", "c1", 3, 1);
    add_node(self, "Relu", "c1", "r1");
    add_conv(self, "r1 w2 b", "c2", 3, 1);
    add_node(self, "Add", "c2 r1", "s");
    node = add_node(self, "MaxPool", "s", "p");
    add_ints(self, node, "kernel_shape", 2, (int64_t[]){2, 2});
    add_ints(self, node, "strides", 2, (int64_t[]){2, 2});
    add_conv(self, "p w3 b", "d", 3, 16);
    add_conv(self, "p w4", "e", 1, 1);
    add_int(self, add_node(self, "Concat", "d e", "j"), "axis", 1);
    add_ints(self, add_node(self, "Transpose", "j", "q"), "perm", 4, (int64_t[]){0, 2, 3, 1});
    add_ints(self, add_node(self, "Transpose", "q", "i"), "perm", 4, (int64_t[]){0, 3, 1, 2});
    add_node(self, "GlobalAveragePool", "i", "g");
    add_node(self, "Flatten", "g", "f");
    add_node(self, "MatMul", "f w5", "y");
    set_output(self, "y");
}

/* "Transpose(Reshape(x w))" with 2 heads of 4. */
static inline void add_heads(model *self, const char *weights, const char *out, const int64_t *perm)
{
    char names[3][32];

    snprintf(names[0], sizeof names[0], "n %s", weights);
    snprintf(names[1], sizeof names[1], "%s_m", out);
    snprintf(names[2], sizeof names[2], "%s_r", out);
    add_node(self, "MatMul", names[0], names[1]);
    snprintf(names[0], sizeof names[0], "%s_m heads", out);
    add_node(self, "Reshape", names[0], names[2]);
    add_ints(self, add_node(self, "Transpose", names[2], out), "perm", 4, perm);
}

/* x[batch, length, 8]: a layer norm, a mask, attention with two heads, and a sum over places. */
static inline void make_attention(model *self)
{
    static const int64_t last[] = {0, 2, 1, 3}, turned[] = {0, 2, 3, 1};

    model_start(self);
    self->opset.version = 17;
    add_named_input(self, "x", 3, (int64_t[]){0, 0, 8}, (const char *[]){"batch", "length"});
    add_named_input(self, "mask", 2, (int64_t[]){0, 0}, (const char *[]){"batch", "length"});
    for (int i = 0; i < 4; i++)
        add_random(self, (const char *[]){"wq", "wk", "wv", "wo"}[i], 2, (int64_t[]){8, 8});
    add_random(self, "scale", 1, (int64_t[]){8});
    add_random(self, "shift", 1, (int64_t[]){8});
    add_whole(self, "heads", 4, (int64_t[]){0, 0, 2, 4});
    add_whole(self, "whole", 3, (int64_t[]){0, 0, 8});
    add_whole(self, "inner", 2, (int64_t[]){1, 2});
    add_whole(self, "one", 1, (int64_t[]){1});
    add_node(self, "LayerNormalization", "x scale shift", "n");
    add_heads(self, "wq", "q", last);
    add_heads(self, "wk", "k", turned);
    add_heads(self, "wv", "v", last);
    add_node(self, "Unsqueeze", "mask inner", "m");
    add_node(self, "MatMul", "q k", "s");
    add_node(self, "Add", "s m", "t");
    add_int(self, add_node(self, "Softmax", "t", "p"), "axis", -1);
    add_node(self, "MatMul", "p v", "h");
    add_ints(self, add_node(self, "Transpose", "h", "b"), "perm", 4, last);
    add_node(self, "Reshape", "b whole", "c");
    add_node(self, "MatMul", "c wo", "o");
    add_node(self, "Add", "o x", "z");
    add_int(self, add_node(self, "ReduceSum", "z one", "y"), "keepdims", 0);
    set_output(self, "y");
}

/* Runs at the sizes of its arguments, NET_SIZES each, on exactly so many elements of given.bin for
 * each input; results go to made.bin. What lies behind an output must stay. */
static const char run_sized[] =
    "#include \"net.h\"\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "enum { BEHIND = 64 };\n"
    "int main(int count, char **argument)\n{\n"
    "    net *self = net_create(2);\n"
    "    FILE *given = fopen(\"given.bin\", \"rb\"), *made = fopen(\"made.bin\", \"wb\");\n"
    "    long long sizes[NET_SIZES], extent[8];\n"
    "    int wrong = 0;\n"
    "    for (int a = 1; a + NET_SIZES <= count; a += NET_SIZES) {\n"
    "        const float *input[NET_INPUTS];\n        float *output[NET_OUTPUTS];\n"
    "        for (int i = 0; i < NET_SIZES; i++)\n"
    "            sizes[i] = atoll(argument[a + i]);\n"
    "        for (int i = 0; i < NET_INPUTS; i++) {\n"
    "            size_t elements = net_input_shape(i, sizes, extent);\n"
    "            float *one = malloc(elements * sizeof *one);\n"
    "            wrong |= fread(one, sizeof *one, elements, given) != elements;\n"
    "            input[i] = one;\n        }\n"
    "        for (int i = 0; i < NET_OUTPUTS; i++) {\n"
    "            size_t elements = net_output_shape(i, sizes, extent);\n"
    "            output[i] = malloc((elements + BEHIND) * sizeof(float));\n"
    "            memset(output[i], 0x7f, (elements + BEHIND) * sizeof(float));\n        }\n"
    "        wrong |= net_run_sized(self, sizes, input, output) != 0;\n"
    "        for (int i = 0; i < NET_OUTPUTS; i++) {\n"
    "            size_t elements = net_output_shape(i, sizes, extent);\n"
    "            for (size_t k = 0; k < BEHIND * sizeof(float); k++)\n"
    "                wrong |= ((unsigned char *)(output[i] + elements))[k] != 0x7f;\n"
    "            fwrite(output[i], sizeof(float), elements, made);\n"
    "            free(output[i]);\n        }\n"
    "        for (int i = 0; i < NET_INPUTS; i++)\n            free((void *)input[i]);\n"
    "    }\n"
    "    sizes[NET_SIZES - 1] = net_sizes[NET_SIZES - 1].most + 1;\n"
    "    wrong |= net_run_sized(self, sizes, NULL, NULL) != 2 || !net_error(self);\n"
    "    sizes[NET_SIZES - 1] = 0;\n"
    "    wrong |= net_run_sized(self, sizes, NULL, NULL) != 2;\n"
    "    net_destroy(self);\n    fclose(given);\n    fclose(made);\n    return wrong;\n}\n";

#endif
