/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps of a network, made one after another without a model. */

#ifndef OPEVO_TESTS_NETWORK_DRAW_H
#define OPEVO_TESTS_NETWORK_DRAW_H

#include "check.h"
#include "computation_texts.h"
#include "draw.h"

#include <opevo/memory.h>
#include <opevo/network_inference.h>

enum { NETWORK_MOST = 64 }; /* values, steps */

typedef struct network_draw {
    opevo_network_inference super;
    opevo_network_tensor value[NETWORK_MOST];
    opevo_network_step step[NETWORK_MOST];
    opevo_network_copy copy[NETWORK_MOST][8];
    int in[NETWORK_MOST][8], out[NETWORK_MOST], inputs[NETWORK_MOST], outputs[NETWORK_MOST];
    char name[NETWORK_MOST][16];
} network_draw;

static inline void network_start(network_draw *self)
{
    memset(self, 0, sizeof *self);
    self->super.value = self->value;
    self->super.step = self->step;
    self->super.input = self->inputs;
    self->super.output = self->outputs;
}

static inline int network_value(network_draw *self, int dims, const int64_t *extent)
{
    int number = self->super.values++;
    opevo_network_tensor *value = &self->value[number];

    snprintf(self->name[number], sizeof self->name[number], "v%d", number);
    value->name = self->name[number];
    value->array = (opevo_array){.type = OPEVO_NETWORK_FLOAT32, .dims = dims};
    memcpy(value->array.extent, extent, (size_t)dims * sizeof *extent);
    return number;
}

static inline int network_input(network_draw *self, int dims, const int64_t *extent)
{
    int number = network_value(self, dims, extent);

    self->value[number].input = true;
    self->inputs[self->super.inputs++] = number;
    return number;
}

static inline void network_output(network_draw *self, int number)
{
    self->value[number].output = true;
    self->outputs[self->super.outputs++] = number;
}

/* A constant of numbers from -1 to 1 times `scale`. */
static inline int network_constant(network_draw *self, int dims, const int64_t *extent,
                                   double scale, uint64_t *state)
{
    int number = network_value(self, dims, extent);
    opevo_array *array = &self->value[number].array;

    CHECK_OK(opevo_array_allocate(array, &err));
    for (int64_t i = 0; i < opevo_array_elements(array); i++)
        ((float *)array->data)[i] = (float)(scale * ((double)draw(state, 2001) / 1000 - 1));
    return number;
}

static inline opevo_network_step *network_step(network_draw *self, opevo_network_step_kind kind,
                                               int output)
{
    int number = self->super.steps++;
    opevo_network_step *step = &self->step[number];

    self->out[number] = output;
    *step = (opevo_network_step){.kind = kind,
                                 .name = self->name[output],
                                 .operation = self->name[output],
                                 .input = self->in[number],
                                 .outputs = 1,
                                 .output = &self->out[number],
                                 .copy = self->copy[number]};
    return step;
}

/* The definitions of a step, instead of those that it had. */
static inline void network_define(opevo_network_step *step, const char *text)
{
    opevo_computation_destroy(step->computation);
    step->computation = computation_of(text);
}

static inline void network_read(opevo_network_step *step, int value)
{
    step->input[step->inputs++] = value;
}

/* Values after one another along the first dimension of dense arrays. */
static inline int network_join(network_draw *self, const int *parts, int count)
{
    int64_t elements = 0;
    int output = 0;
    opevo_network_step *step = NULL;

    for (int i = 0; i < count; i++)
        elements += opevo_array_elements(&self->value[parts[i]].array);
    output = network_value(self, 1, &elements);
    step = network_step(self, OPEVO_NETWORK_STEP_COPY, output);
    elements = 0;
    for (int i = 0; i < count; i++) {
        int64_t own = opevo_array_elements(&self->value[parts[i]].array);

        network_read(step, parts[i]);
        step->copy[step->copies++] = (opevo_network_copy){.input = i,
                                                          .dims = 1,
                                                          .extent = {own},
                                                          .from_stride = {1},
                                                          .to = elements,
                                                          .to_stride = {1}};
        elements += own;
    }
    return output;
}

static inline int network_view(network_draw *self, int of, int dims, const int64_t *extent)
{
    int output = network_value(self, dims, extent);

    network_read(network_step(self, OPEVO_NETWORK_STEP_VIEW, output), of);
    return output;
}

static inline void network_free(network_draw *self)
{
    for (int i = 0; i < self->super.values; i++)
        opevo_array_free(&self->value[i].array);
    for (int n = 0; n < self->super.steps; n++)
        opevo_computation_destroy(self->step[n].computation);
}

#endif
