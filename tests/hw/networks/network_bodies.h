/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Graphs in attributes of models that are made for tests. */

#ifndef OPEVO_TESTS_NETWORK_BODIES_H
#define OPEVO_TESTS_NETWORK_BODIES_H

#include "network_models.h"

#include <math.h>

static inline void check_near(double found, double wanted, const char *what)
{
    if (!(fabs(found - wanted) <= 2e-5 * (1 + fabs(wanted))))
        fail_msg("%s: %.9g instead of %.9g", what, found, wanted);
}

static inline void start(model *self, int opset)
{
    model_start(self);
    self->opset.version = opset;
}

/* A model whose graph is that of an attribute; its outputs are in order. */
enum { OUTPUTS = 3 };
typedef struct body {
    model super;
    Onnx__ValueInfo output[OUTPUTS], *outputs[OUTPUTS];
} body;

static inline void body_start(body *self)
{
    start(&self->super, 18);
}

static inline void body_input(body *self, const char *name)
{
    add_input(&self->super, name, 0, NULL);
    self->super.shape[self->super.graph.n_input - 1].n_dim = 0;
}

/* Of a Loop: its number, whether it goes on, and one carried value. */
static inline void body_start_loop(body *self)
{
    body_start(self);
    body_input(self, "i");
    body_input(self, "goes");
    body_input(self, "acc");
}

static inline void body_outputs(body *self, size_t count, const char *const *names)
{
    for (size_t i = 0; i < count; i++) {
        self->output[i] = (Onnx__ValueInfo)ONNX__VALUE_INFO__INIT;
        self->output[i].name = (char *)names[i];
        self->outputs[i] = &self->output[i];
    }
    self->super.graph.output = self->outputs;
    self->super.graph.n_output = count;
}

#endif
