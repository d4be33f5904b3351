/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Running the steps of a network, by their definitions. */

#include "network_passes_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* ---- One step ------------------------------------------------------------------------------- */

/* Of elements of so many bytes. What is filled in is float32, or 0. */
static void copy_box(const opevo_network_copy *copy, size_t bytes, const char *from, char *to)
{
    static const double zero = 0;
    const void *fill =
        bytes == sizeof copy->value ? (const void *)&copy->value : (const void *)&zero;
    int64_t p[OPEVO_NETWORK_DIMS] = {0};

    for (int k = 0; k < copy->dims; k++) {
        if (!copy->extent[k])
            return;
    }
    for (int d = 0; d >= 0;) {
        int64_t source = copy->from, place = copy->to;

        for (int k = 0; k < copy->dims; k++) {
            source += p[k] * copy->from_stride[k];
            place += p[k] * copy->to_stride[k];
        }
        memcpy(to + (size_t)place * bytes, from ? from + (size_t)source * bytes : fill, bytes);
        for (d = copy->dims - 1; d >= 0 && ++p[d] == copy->extent[d]; d--)
            p[d] = 0;
    }
}

/* A node of one output on the tensors of the step, all of which it has. */
static opevo_status run_on_own(const opevo_network_inference *self, const opevo_network_step *step,
                               const void *const *in, void *const *out, opevo_error *err)
{
    size_t ins = (size_t)step->inputs;
    opevo_network_value *values = opevo_calloc(ins + 1, sizeof *values);
    opevo_network_value **edges = opevo_calloc(ins + 1, sizeof(opevo_network_value *));
    opevo_i_net_call call = {.node = &self->network->node[step->node],
                             .in = (const opevo_network_value *const *)edges,
                             .out = edges + ins,
                             .ins = step->inputs,
                             .outs = 1};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(values && edges, "a step");
    call.opset = call.node->opset;
    for (size_t i = 0; i <= ins; i++) {
        values[i].array = self->value[i < ins ? step->input[i] : step->output[0]].array;
        edges[i] = &values[i];
    }
    status = call.node->row->move(&call, in, out, err);
cleanup:
    opevo_free(edges);
    opevo_free(values);
    return status;
}

opevo_status opevo_i_net_step_run(const opevo_network_inference *self,
                                  const opevo_network_step *step, const void *const *in,
                                  void *const *out, unsigned threads, opevo_error *err)
{
    switch (step->kind) {
    case OPEVO_NETWORK_STEP_COMPUTE:
        return opevo_i_net_compute(step->computation, in, step->inputs, out, step->outputs, threads,
                                   err);
    case OPEVO_NETWORK_STEP_COPY:
        for (int i = 0; i < step->copies; i++)
            copy_box(&step->copy[i],
                     opevo_network_type_bytes(self->value[step->output[0]].array.type),
                     step->copy[i].input < 0 ? NULL : in[step->copy[i].input], out[0]);
        return OPEVO_OK;
    case OPEVO_NETWORK_STEP_VIEW:
        if (in[0])
            memcpy(out[0], in[0], opevo_i_net_bytes(&self->value[step->output[0]].array));
        return OPEVO_OK;
    case OPEVO_NETWORK_STEP_NODE:
        break;
    }
    /* A pass gave it other tensors than those of the node. */
    if (step->output[0] >= self->network->values)
        return run_on_own(self, step, in, out, err);
    return opevo_i_net_execute_step(self->network, step, in, out, threads, err);
}

/* ---- The steps ----------------------------------------------------------------------------- */

/* Values while the network runs: the data of each, whether it is ours, and how many steps are still
 * to read it. */
typedef struct running {
    const opevo_network_inference *inference;
    void **data;
    bool *owned;
    int *readers;
} running;

static void finish(running *self)
{
    for (int i = 0; i < self->inference->values && self->data && self->owned; i++) {
        if (self->owned[i])
            opevo_free(self->data[i]);
    }
    opevo_free(self->data);
    opevo_free(self->owned);
    opevo_free(self->readers);
}

static void add_kind(const opevo_array *array, opevo_text *out)
{
    opevo_text_add(out, opevo_network_type_name(array->type));
    for (int d = 0; d < array->dims; d++)
        opevo_text_printf(out, "%s%lld", d ? " x " : " ", (long long)array->extent[d]);
}

static opevo_status say_input(const opevo_network_tensor *value, const opevo_array *given,
                              opevo_error *err)
{
    opevo_text wanted = {0}, found = {0};
    opevo_status status = OPEVO_OK;

    add_kind(&value->array, &wanted);
    add_kind(given, &found);
    OPEVO_TRY(opevo_text_check(&wanted, err));
    OPEVO_TRY(opevo_text_check(&found, err));
    status = OPEVO_FAIL(err, OPEVO_INVALID,
                        "input '%.200s': The tensor given is %s; give one that is %s.", value->name,
                        opevo_text_string(&found), opevo_text_string(&wanted));
cleanup:
    opevo_text_free(&wanted);
    opevo_text_free(&found);
    return status;
}

static opevo_status start(running *self, const opevo_array *inputs, opevo_error *err)
{
    const opevo_network_inference *inference = self->inference;
    size_t values = (size_t)inference->values + 1;

    self->data = opevo_calloc(values, sizeof *self->data);
    self->owned = opevo_calloc(values, sizeof *self->owned);
    self->readers = opevo_calloc(values, sizeof *self->readers);
    OPEVO_NEED_OR_RETURN(self->data && self->owned && self->readers, "running the network");
    for (int i = 0; i < inference->values; i++)
        self->data[i] = inference->value[i].array.data;
    for (int n = 0; n < inference->steps; n++) {
        for (int i = 0; i < inference->step[n].inputs; i++)
            if (inference->step[n].input[i] >= 0)
                self->readers[inference->step[n].input[i]]++;
    }
    for (int i = 0; i < inference->inputs; i++) {
        const opevo_network_tensor *value = &inference->value[inference->input[i]];
        bool fits = inputs[i].type == value->array.type && inputs[i].dims == value->array.dims;

        for (int d = 0; d < value->array.dims && fits; d++)
            fits = inputs[i].extent[d] == value->array.extent[d];
        if (!fits)
            return say_input(value, &inputs[i], err);
        self->data[inference->input[i]] = inputs[i].data;
    }
    return OPEVO_OK;
}

static opevo_status run_step(running *self, const opevo_network_step *step, unsigned threads,
                             opevo_error *err)
{
    const opevo_network_inference *inference = self->inference;
    size_t ins = (size_t)step->inputs, outs = (size_t)step->outputs;
    const void **in = opevo_calloc(ins + 1, sizeof *in);
    void **out = opevo_calloc(outs + 1, sizeof *out);
    opevo_status status = OPEVO_OK;
    bool known = true;

    OPEVO_NEED(in && out, "step %s", step->name);
    for (size_t i = 0; i < ins; i++)
        in[i] = step->input[i] < 0 ? NULL : self->data[step->input[i]];
    for (size_t i = 0; i < outs; i++) {
        int value = step->output[i];
        opevo_array array = {0};

        if (value < 0 || self->data[value])
            continue;
        known = false;
        array = inference->value[value].array;
        OPEVO_TRY(opevo_array_allocate(&array, err));
        self->data[value] = out[i] = array.data;
        self->owned[value] = true;
    }
    if (!known)
        OPEVO_TRY(opevo_i_net_step_run(inference, step, in, out, threads, err));
    for (size_t i = 0; i < ins; i++) {
        int value = step->input[i];

        if (value < 0 || --self->readers[value] || !self->owned[value] ||
            inference->value[value].output)
            continue;
        opevo_free(self->data[value]);
        self->data[value] = NULL;
        self->owned[value] = false;
    }
cleanup:
    opevo_free(in);
    opevo_free(out);
    return status;
}

opevo_status opevo_network_inference_run(const opevo_network_inference *inference,
                                         const opevo_array *inputs, opevo_array *outputs,
                                         unsigned threads, opevo_error *err)
{
    running self = {.inference = inference};
    opevo_status status = OPEVO_OK;
    int made = 0;

    OPEVO_TRY(start(&self, inputs, err));
    for (int n = 0; n < inference->steps; n++)
        OPEVO_TRY(run_step(&self, &inference->step[n], threads, err));
    for (; made < inference->outputs; made++) {
        const opevo_array *array = &inference->value[inference->output[made]].array;

        outputs[made] = *array;
        OPEVO_TRY(opevo_array_allocate(&outputs[made], err));
        memcpy(outputs[made].data, self.data[inference->output[made]], opevo_i_net_bytes(array));
    }
cleanup:
    if (status != OPEVO_OK) {
        for (int i = 0; i < made; i++)
            opevo_array_free(&outputs[i]);
    }
    finish(&self);
    return status;
}

opevo_status opevo_network_run(const opevo_network *network, const opevo_array *inputs,
                               opevo_array *outputs, unsigned threads, opevo_error *err)
{
    opevo_network_inference *inference = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_network_inference_create(network, &inference, err));
    OPEVO_TRY(opevo_network_inference_run(inference, inputs, outputs, threads, err));
cleanup:
    opevo_network_inference_destroy(inference);
    return status;
}
