/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Networks that libraries are made of: small ones with convolutions, joins and residuals, weights
 * for models that have none, and a program that runs several nets at once. */

#ifndef OPEVO_TESTS_LIBRARY_NETWORKS_H
#define OPEVO_TESTS_LIBRARY_NETWORKS_H

#include "library_place.h"
#include "network_draw.h"

#include "build_source.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- Networks ---- */

static uint64_t network_seed = 11;

static inline int64_t *extent_of(network_draw *self, int value)
{
    return self->value[value].array.extent;
}

/* A convolution of 3 x 3 with a bias; with a residual it is added and cut at 0. */
static inline int add_convolution(network_draw *self, int from, int channels, int residual)
{
    const int64_t *in = extent_of(self, from);
    const int64_t weights[] = {channels, in[1], 3, 3}, out[] = {1, channels, in[2], in[3]};
    int weight = network_constant(self, 4, weights, 0.3, &network_seed);
    int bias = network_constant(self, 1, &weights[0], 1, &network_seed), output = 0;
    int c = (int)in[1], h = (int)in[2], w = (int)in[3];
    opevo_network_step *step = NULL;
    char text[1024] = "";

    if (residual >= 0)
        snprintf(text, sizeof text, "X3[1,%d,%d,%d]\n", channels, h, w);
    output = network_value(self, 4, out);
    step = network_step(self, OPEVO_NETWORK_STEP_COMPUTE, output);
    network_read(step, from);
    network_read(step, weight);
    network_read(step, bias);
    if (residual >= 0)
        network_read(step, residual);
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "X0[1,%d,%d,%d]\nconst X1[%d,%d,3,3]\nconst X2[%d]\n"
             "P[n:1,c:%d,p:%d,q:%d] = select(1 <= p and p < %d and 1 <= q and q < %d, "
             "X0[n,c,p - 1,q - 1], 0)\n"
             "C[n:1,k:%d,y:%d,x:%d] = sum(c:%d,i:3,j:3) P[n,c,y + i,x + j]*X1[k,c,i,j]\n"
             "Y0[n:1,k:%d,y:%d,x:%d] = %s",
             c, h, w, channels, c, channels, c, h + 2, w + 2, h + 1, w + 1, channels, h, w, c,
             channels, h, w,
             residual >= 0 ? "max(C[n,k,y,x] + X2[k] + X3[n,k,y,x], 0)" : "C[n,k,y,x] + X2[k]");
    network_define(step, text);
    return output;
}

static inline int add_element_wise(network_draw *self, int from, const char *value)
{
    const int64_t *in = extent_of(self, from);
    int output = network_value(self, 4, in);
    opevo_network_step *step = network_step(self, OPEVO_NETWORK_STEP_COMPUTE, output);
    char text[1024];

    network_read(step, from);
    snprintf(text, sizeof text, "X0[1,%d,%d,%d]\nY0[n:1,c:%d,y:%d,x:%d] = %s", (int)in[1],
             (int)in[2], (int)in[3], (int)in[1], (int)in[2], (int)in[3], value);
    network_define(step, text);
    return output;
}

/* The mean of each channel, then a layer of `classes`. */
static inline int add_end(network_draw *self, int from, int classes)
{
    const int64_t *in = extent_of(self, from);
    const int64_t weights[] = {classes, in[1]}, out[] = {1, classes};
    int weight = network_constant(self, 2, weights, 1, &network_seed);
    int output = network_value(self, 2, out);
    opevo_network_step *step = network_step(self, OPEVO_NETWORK_STEP_COMPUTE, output);
    char text[1024];

    network_read(step, from);
    network_read(step, weight);
    snprintf(text, sizeof text,
             "X0[1,%d,%d,%d]\nconst X1[%d,%d]\nM[c:%d] = sum(y:%d,x:%d) X0[0,c,y,x]/%d\n"
             "Y0[n:1,k:%d] = sum(c:%d) M[c]*X1[k,c]",
             (int)in[1], (int)in[2], (int)in[3], classes, (int)in[1], (int)in[1], (int)in[2],
             (int)in[3], (int)(in[2] * in[3]), classes, (int)in[1]);
    network_define(step, text);
    return output;
}

/* Branches that are joined, a residual, and equal layers. */
static inline void draw_network(network_draw *self)
{
    int64_t size[] = {1, 1 + (int64_t)draw(&network_seed, 4), 5 + (int64_t)draw(&network_seed, 8),
                      5 + (int64_t)draw(&network_seed, 8)};
    int channels = 8 * (1 + (int)draw(&network_seed, 3)), from = 0, parts[2], value = 0;
    int64_t joined[] = {1, 2 * channels, size[2], size[3]};

    network_start(self);
    from = network_input(self, 4, size);
    from = add_element_wise(self, add_convolution(self, from, channels, -1), "max(X0[0,c,y,x], 0)");
    value = add_convolution(self, from, channels, -1);
    from = add_convolution(self, value, channels, from);
    from = add_element_wise(self, from, "X0[0,c,y,x]*2 + 1");
    for (int i = 0; i < 2; i++)
        parts[i] = add_convolution(self, from, channels, -1);
    value = network_view(self, network_join(self, parts, 2), 4, joined);
    network_output(self, add_end(self, value, 10));
    if (draw(&network_seed, 2))
        network_output(self, value);
}

/* Weights of a model of which the file has none worth the name: uniform, of a variance that keeps
 * the scale of the elements. */
static inline void draw_weights(opevo_network_inference *inference)
{
    for (int i = 0; i < inference->values; i++) {
        opevo_network_tensor *value = &inference->value[i];
        opevo_array array = value->array;
        int64_t count = opevo_array_elements(&array);
        double scale = array.dims > 1 ? sqrt(3.0 * (double)array.extent[0] / (double)count) : 0.5;

        if (!array.data || array.type != OPEVO_NETWORK_FLOAT32)
            continue;
        CHECK_OK(opevo_array_allocate(&array, &err));
        for (int64_t k = 0; k < count; k++)
            ((float *)array.data)[k] =
                (float)(scale * ((double)draw(&network_seed, 2001) / 1000 - 1) + (array.dims < 2));
        if (value->owned)
            opevo_array_free(&value->array);
        value->array = array;
        value->owned = true;
    }
}

static const char two_nets[] =
    "#include \"net.h\"\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "enum { NETS = 3, RUNS = 20 };\n"
    "static float *first, *input;\n"
    "static void *run(void *threads)\n{\n"
    "    net *self = net_create(*(int *)threads);\n"
    "    size_t bytes = net_outputs[0].elements * sizeof(float);\n"
    "    float *output[NET_OUTPUTS];\n"
    "    const float *const inputs[] = {input};\n"
    "    int wrong = !self;\n"
    "    for (int i = 0; i < NET_OUTPUTS; i++)\n"
    "        output[i] = malloc(net_outputs[i].elements * sizeof(float));\n"
    "    for (int r = 0; r < RUNS && self; r++) {\n"
    "        memset(output[0], 0xff, bytes);\n"
    "        net_run(self, inputs, output);\n"
    "        if (first)\n            wrong |= memcmp(first, output[0], bytes) != 0;\n"
    "    }\n"
    "    if (!first) {\n        first = malloc(bytes);\n        memcpy(first, output[0], bytes);\n"
    "    }\n"
    "    net_destroy(self);\n"
    "    for (int i = 0; i < NET_OUTPUTS; i++)\n        free(output[i]);\n"
    "    return wrong ? threads : NULL;\n}\n"
    "int main(void)\n{\n"
    "    pthread_t thread[NETS];\n    int threads[NETS] = {1, 2, 1}, wrong = 0;\n"
    "    input = malloc(net_inputs[0].elements * sizeof *input);\n"
    "    for (size_t i = 0; i < net_inputs[0].elements; i++)\n"
    "        input[i] = (float)(i % 17) / 17 - 0.4f;\n"
    "    wrong = run(&threads[0]) != NULL;\n"
    "    for (int i = 0; i < NETS; i++)\n"
    "        pthread_create(&thread[i], NULL, run, &threads[i]);\n"
    "    for (int i = 0; i < NETS; i++) {\n        void *result = NULL;\n"
    "        pthread_join(thread[i], &result);\n        wrong |= result != NULL;\n    }\n"
    "    free(first);\n    free(input);\n    return wrong;\n}\n";

#endif
