/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The test of a library: inputs drawn from a seed, and what the definitions make of them. */

#include "library_internal.h"

#include <opevo/memory.h>
#include <opevo/random.h>

#include <string.h>

bool opevo_i_library_is_float(const opevo_network_inference *inference)
{
    bool is_float = true;

    for (int i = 0; i < inference->inputs; i++)
        is_float &= inference->value[inference->input[i]].array.type == OPEVO_NETWORK_FLOAT32;
    for (int i = 0; i < inference->outputs; i++)
        is_float &= inference->value[inference->output[i]].array.type == OPEVO_NETWORK_FLOAT32;
    return is_float;
}

static opevo_status check_type(const char *what, const opevo_network_tensor *value,
                               opevo_error *err)
{
    if (value->array.type == OPEVO_NETWORK_FLOAT32)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s '%.200s' is of %s; a library for a GPU has float32 only.", what,
                      value->name, opevo_network_type_name(value->array.type));
}

/* Whether the inputs that are given for the test are those of the network. */
static opevo_status check_given(const opevo_network_library *self, opevo_error *err)
{
    const opevo_network_inference *inference = self->inference;

    if (self->options.inputs && self->options.input_count != (size_t)inference->inputs)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The network has %d inputs, and %zu are given.",
                          inference->inputs, self->options.input_count);
    for (int i = 0; i < inference->inputs && self->options.inputs; i++) {
        const opevo_network_tensor *value = &inference->value[inference->input[i]];
        const opevo_array *given = &self->options.inputs[i];
        bool fits = given->type == value->array.type && given->dims == value->array.dims;

        for (int d = 0; d < given->dims && fits; d++)
            fits = given->extent[d] == value->array.extent[d];
        if (!fits)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Input '%.200s' is of another type or shape than what is given for "
                              "the test.",
                              value->name);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_library_check_types(const opevo_network_library *self, opevo_error *err)
{
    const opevo_network_inference *inference = self->inference;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(check_given(self, err));
    if (inference->dynamic &&
        (opevo_i_library_is_for_gpu(self) || self->options.freestanding || self->options.inputs))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Sizes that are not known are for libraries in C with a heap, tested on "
                          "drawn inputs.");
    for (int i = 0; i < inference->inputs && opevo_i_library_is_for_gpu(self); i++)
        OPEVO_TRY(check_type("input", &inference->value[inference->input[i]], err));
    for (int i = 0; i < inference->outputs && opevo_i_library_is_for_gpu(self); i++)
        OPEVO_TRY(check_type("output", &inference->value[inference->output[i]], err));
cleanup:
    return status;
}

/* Numbers from -1 to 1; integers are 0 or 1, which most tables, masks and lengths take. */
static opevo_status draw_inputs(const opevo_network_library *self,
                                const opevo_network_inference *inference, opevo_array *inputs,
                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_rng rng;

    opevo_rng_init(&rng, self->options.seed, "network inputs", 0);
    for (int i = 0; i < inference->inputs; i++) {
        size_t bytes = 0;

        inputs[i] = inference->value[inference->input[i]].array;
        inputs[i].data = NULL;
        OPEVO_TRY(opevo_array_allocate(&inputs[i], err));
        bytes = opevo_network_type_bytes(inputs[i].type);
        if (self->options.inputs) {
            memcpy(inputs[i].data, self->options.inputs[i].data,
                   (size_t)opevo_array_elements(&inputs[i]) * bytes);
            continue;
        }
        for (int64_t k = 0; k < opevo_array_elements(&inputs[i]); k++) {
            double drawn = opevo_rng_unit(&rng);

            if (inputs[i].type == OPEVO_NETWORK_FLOAT32)
                ((float *)inputs[i].data)[k] = (float)(2 * drawn - 1);
            else if (inputs[i].type == OPEVO_NETWORK_FLOAT64)
                ((double *)inputs[i].data)[k] = 2 * drawn - 1;
            else /* the lowest byte of a whole number */
                ((uint8_t *)inputs[i].data)[(size_t)k * bytes] = drawn < .5;
        }
    }
cleanup:
    return status;
}

/* Behind what is recorded. */
static opevo_status record_one(const opevo_network_library *self,
                               const opevo_network_inference *inference,
                               const opevo_network_inference *reference,
                               opevo_i_library_recorded *out, opevo_error *err)
{
    opevo_array *inputs = &out->input[out->inputs];
    opevo_status status = OPEVO_OK;

    out->inputs += inference->inputs;
    OPEVO_TRY(draw_inputs(self, inference, inputs, err));
    OPEVO_TRY(opevo_network_inference_run(reference, inputs, &out->output[out->outputs], 0, err));
    out->outputs += inference->outputs;
cleanup:
    return status;
}

/* Sizes that are not known have tests at the largest, at odd and at the least ones. */
opevo_status opevo_i_library_record(const opevo_network_library *self,
                                    opevo_i_library_recorded *out, opevo_error *err)
{
    const opevo_network_inference *inference = self->inference;
    const opevo_network_dynamic *dynamic = inference->dynamic;
    opevo_status status = OPEVO_OK;

    out->input = opevo_calloc(3 * (size_t)inference->inputs + 1, sizeof *out->input);
    out->output = opevo_calloc(3 * (size_t)inference->outputs + 1, sizeof *out->output);
    OPEVO_NEED(out->input && out->output, "the test of the library");
    if (!dynamic)
        OPEVO_TRY(record_one(self, inference,
                             self->options.reference ? self->options.reference : inference, out,
                             err));
    for (int r = 2; r >= 0 && dynamic; r--)
        OPEVO_TRY(record_one(self, dynamic->at[dynamic->checked[r]],
                             dynamic->at[dynamic->checked[r]], out, err));
cleanup:
    return status;
}

void opevo_i_library_recorded_free(opevo_i_library_recorded *recorded)
{
    for (int i = 0; i < recorded->inputs; i++)
        opevo_array_free(&recorded->input[i]);
    for (int i = 0; i < recorded->outputs; i++)
        opevo_array_free(&recorded->output[i]);
    opevo_free(recorded->input);
    opevo_free(recorded->output);
}
