/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The test of a library: inputs drawn from a seed, and what the definitions make of them. */

#include "library_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/random.h>

#include <stdio.h>

static opevo_status check_type(const char *what, const opevo_net_tensor *value, opevo_error *err)
{
    if (value->array.type == OPEVO_NETWORK_FLOAT32)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s '%.200s' is of %s; a library has float32 only.", what,
                      value->name, opevo_network_type_name(value->array.type));
}

static opevo_status draw_inputs(const opevo_network_library *self, opevo_array *inputs,
                                opevo_error *err)
{
    const opevo_inference *inference = self->inference;
    opevo_status status = OPEVO_OK;
    opevo_rng rng;

    opevo_rng_init(&rng, self->options.seed, "network inputs", 0);
    for (int i = 0; i < inference->inputs; i++) {
        const opevo_net_tensor *value = &inference->value[inference->input[i]];

        OPEVO_TRY(check_type("input", value, err));
        inputs[i] = value->array;
        inputs[i].data = NULL;
        OPEVO_TRY(opevo_array_allocate(&inputs[i], err));
        for (int64_t k = 0; k < opevo_array_elements(&inputs[i]); k++)
            ((float *)inputs[i].data)[k] = (float)(2 * opevo_rng_unit(&rng) - 1);
    }
    for (int i = 0; i < inference->outputs; i++)
        OPEVO_TRY(check_type("output", &inference->value[inference->output[i]], err));
cleanup:
    return status;
}

static opevo_status write_arrays(const char *folder, const char *name, const opevo_array *arrays,
                                 int count, opevo_error *err)
{
    opevo_text path = {0}, bytes = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s/%s", folder, name);
    for (int i = 0; i < count; i++)
        opevo_text_add_bytes(&bytes, arrays[i].data,
                             (size_t)opevo_array_elements(&arrays[i]) * sizeof(float));
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_text_check(&bytes, err));
    status = opevo_file_write(path.data, opevo_text_string(&bytes), bytes.length, err);
cleanup:
    opevo_text_free(&path);
    opevo_text_free(&bytes);
    return status;
}

opevo_status opevo_i_library_record(const opevo_network_library *self, const char *folder,
                                    opevo_error *err)
{
    const opevo_inference *inference = self->inference;
    opevo_array *inputs = opevo_calloc((size_t)inference->inputs + 1, sizeof *inputs);
    opevo_array *outputs = opevo_calloc((size_t)inference->outputs + 1, sizeof *outputs);
    opevo_status status = OPEVO_OK;

    if (!inputs || !outputs)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the test of the library."));
    OPEVO_TRY(draw_inputs(self, inputs, err));
    OPEVO_TRY(opevo_inference_run(self->options.reference ? self->options.reference : inference,
                                  inputs, outputs, 0, err));
    OPEVO_TRY(write_arrays(folder, "inputs.bin", inputs, inference->inputs, err));
    OPEVO_TRY(write_arrays(folder, "outputs.bin", outputs, inference->outputs, err));
cleanup:
    for (int i = 0; i < inference->inputs && inputs; i++)
        opevo_array_free(&inputs[i]);
    for (int i = 0; i < inference->outputs && outputs; i++)
        opevo_array_free(&outputs[i]);
    opevo_free(inputs);
    opevo_free(outputs);
    return status;
}
