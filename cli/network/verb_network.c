/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `opevo network`: what is in a model, and whether it computes what is expected. */

#include "network_internal.h"

#include <opevo/memory.h>

#include <string.h>

static const opevo_option options[] = {
    {"shape", "NAME=N,N,...", "shape of an input whose dimensions the model leaves open", true},
    {"run", "FILE,FILE,...", "run it untuned on tensors (TensorProto files), one for each input",
     false},
    {"expect", "FILE,FILE,...", "with --run: compare each output; status 1 if one differs", false},
    {"threads", "N", "with --run: threads (default 0: all cores)", false},
    {"json", NULL, "print one JSON object", false},
};

/* "data=1,3,224,224"; the name is a part of `text`, which is cut there. */
static opevo_status read_shape(char *text, opevo_network_shape *out, opevo_error *err)
{
    char *numbers = strrchr(text, '='), *rest = NULL, *word = NULL;

    if (!numbers || numbers == text)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--shape %s is not of the form NAME=N,N,..., such as data=1,3,224,224.",
                          text);
    *numbers++ = '\0';
    *out = (opevo_network_shape){.name = text};
    for (word = strtok_r(numbers, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (out->dims == OPEVO_NETWORK_DIMS)
            return OPEVO_FAIL(err, OPEVO_INVALID, "--shape %s has more than %d dimensions.", text,
                              OPEVO_NETWORK_DIMS);
        if (!opevo_parse_i64(word, &out->extent[out->dims]) || out->extent[out->dims] < 1)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--shape %s has the extent \"%s\"; extents are 1, "
                              "2, ....",
                              text, word);
        out->dims++;
    }
    return OPEVO_OK;
}

typedef struct shapes {
    opevo_network_shape *shape;
    char **text;
    size_t count;
} shapes;

static void release(shapes *self)
{
    for (size_t i = 0; i < self->count; i++)
        opevo_free(self->text[i]);
    opevo_free(self->text);
    opevo_free(self->shape);
}

static opevo_status read_shapes(const opevo_call *call, shapes *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    out->shape = opevo_calloc(call->given_count + 1, sizeof *out->shape);
    out->text = opevo_calloc(call->given_count + 1, sizeof *out->text);
    if (!out->shape || !out->text)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the options.");
    for (size_t i = 0; i < call->given_count && status == OPEVO_OK; i++) {
        if (strcmp(call->given[i].option->name, "shape") != 0)
            continue;
        out->text[out->count] = opevo_strdup(call->given[i].value);
        if (!out->text[out->count])
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the options.");
        status = read_shape(out->text[out->count], &out->shape[out->count], err);
        out->count++;
    }
    return status;
}

static opevo_status describe(const opevo_call *call, const opevo_network *network, opevo_text *out,
                             opevo_error *err)
{
    opevo_inference *inference = NULL;
    opevo_net_tasks tasks = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_inference_create(network, &inference, err));
    OPEVO_TRY(opevo_inference_tasks(inference, &tasks, err));
    if (opevo_i_flag(call, "json"))
        opevo_i_network_print_json(inference, &tasks, out);
    else
        OPEVO_TRY(opevo_i_network_print(inference, &tasks, out, err));
cleanup:
    opevo_net_tasks_free(&tasks);
    opevo_inference_destroy(inference);
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    const char *files = opevo_i_option(call, "run");
    opevo_network *network = NULL;
    opevo_i_arrays inputs = {0};
    opevo_network_given given = {0};
    opevo_status status = OPEVO_OK;
    shapes list = {0};

    if (opevo_i_option(call, "expect") && !files)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--expect needs --run with the inputs.");
    OPEVO_TRY(read_shapes(call, &list, err));
    if (files && list.count)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID,
                             "--run and --shape exclude each other: the tensors have shapes."));
    if (files)
        OPEVO_TRY(opevo_i_arrays_read("run", files, &inputs, err));
    given = (opevo_network_given){.shapes = list.shape,
                                  .shape_count = list.count,
                                  .values = inputs.array,
                                  .value_count = (size_t)inputs.count};
    OPEVO_TRY(opevo_network_read(call->arguments[0], &given, &network, err));
    OPEVO_TRY(files ? opevo_i_network_compare(call, network, &inputs, out, exit_code, err)
                    : describe(call, network, out, err));
cleanup:
    opevo_network_destroy(network);
    opevo_i_arrays_free(&inputs);
    release(&list);
    return status;
}

const opevo_verb opevo_i_verb_network = {
    .name = "network",
    .arguments = "MODEL.onnx",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Describe a neural network from an ONNX file, or run it untuned and compare.",
    .details =
        "Prints inputs, outputs, operators, weights and operations of the model, and its "
        "different\n"
        "computations, each with the number of nodes that compute it. docs/formats/onnx.md lists "
        "the\n"
        "operators. --run evaluates the definitions in double precision and rounds each result to\n"
        "float32.\n\n"
        "  opevo network model.onnx --shape data=1,3,224,224\n"
        "  opevo network model.onnx --run input_0.pb --expect output_0.pb",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
