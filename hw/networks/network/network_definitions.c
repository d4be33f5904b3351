/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The definitions of steps: read from what operators write, joined, and the same for several steps.
 */

#include "network_passes_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

/* ---- Reading -------------------------------------------------------------------------------- */

/* A text that was read. */
struct opevo_i_net_definition {
    char *text;
    opevo_computation *computation;
};

static opevo_status read_new(opevo_i_net_definitions *known, uint64_t key, const char *text,
                             opevo_computation **out, opevo_error *err)
{
    opevo_i_net_definition one = {.text = opevo_strdup(text)};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(
        one.text &&
            opevo_reserve((void **)&known->item, &known->capacity, known->count + 1, sizeof one) &&
            opevo_index_map_put(known->by_hash, key, known->count),
        "the definitions of a step");
    OPEVO_TRY(opevo_computation_parse(text, "definitions", NULL, 0, &one.computation, err));
    known->item[known->count++] = one;
    *out = opevo_computation_share(one.computation);
    return OPEVO_OK;
cleanup:
    opevo_free(one.text);
    return status;
}

opevo_status opevo_i_net_definitions_read(opevo_i_net_definitions *known, const opevo_text *text,
                                          opevo_computation **out, opevo_error *err)
{
    uint64_t key = 0, at = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_text_check(text, err));
    if (!known->by_hash)
        known->by_hash = opevo_index_map_create();
    OPEVO_NEED(known->by_hash, "the definitions of a step");
    key = opevo_hash_bytes(OPEVO_HASH_START, text->data, text->length);
    for (; opevo_index_map_get(known->by_hash, key, &at); key++) {
        if (strcmp(known->item[at].text, text->data) != 0)
            continue;
        *out = opevo_computation_share(known->item[at].computation);
        return OPEVO_OK;
    }
    status = read_new(known, key, text->data, out, err);
cleanup:
    return status;
}

void opevo_i_net_definitions_free(opevo_i_net_definitions *known)
{
    for (size_t i = 0; i < known->count; i++) {
        opevo_free(known->item[i].text);
        opevo_computation_destroy(known->item[i].computation);
    }
    opevo_free(known->item);
    opevo_index_map_destroy(known->by_hash);
    *known = (opevo_i_net_definitions){0};
}

/* ---- Parts ---------------------------------------------------------------------------------- */

opevo_status opevo_i_net_part_create(const opevo_network_step *step, opevo_i_net_part *out,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *out = (opevo_i_net_part){.computation = opevo_computation_share(step->computation)};
    OPEVO_NEW(out->identity, (size_t)out->computation->tensors + 1, "the definitions of a step");
    for (int i = 0; i < out->computation->tensors; i++) {
        const opevo_tensor *tensor = out->computation->tensor[i];
        bool output = tensor->role == OPEVO_ROLE_OUTPUT;
        char *end = NULL;
        long number = strtol(tensor->name + 1, &end, 10);

        out->identity[i] = -1;
        if (tensor->role == OPEVO_ROLE_INTERMEDIATE)
            continue;
        if (*tensor->name != (output ? 'Y' : 'X') || !tensor->name[1] || *end || number < 0 ||
            number >= (output ? step->outputs : step->inputs) ||
            (output ? step->output : step->input)[number] < 0)
            OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "Step %s has no tensor %s.", step->name,
                                 tensor->name));
        out->identity[i] = (output ? step->output : step->input)[number];
    }
cleanup:
    return status;
}

void opevo_i_net_part_free(opevo_i_net_part *part)
{
    opevo_computation_destroy(part->computation);
    opevo_free(part->identity);
    *part = (opevo_i_net_part){0};
}

opevo_status opevo_i_net_step_define(opevo_network_step *step, const opevo_i_net_part *part,
                                     int parts, int output, opevo_error *err)
{
    opevo_part *list = opevo_calloc((size_t)parts + 1, sizeof *list);
    int *input = opevo_calloc(OPEVO_JOIN_INPUTS, sizeof *input);
    int *made = opevo_calloc(1, sizeof *made);
    opevo_computation *whole = NULL;
    opevo_status status = OPEVO_OK;
    int inputs = 0;

    OPEVO_NEED(list && input && made, "the definitions of a step");
    for (int i = 0; i < parts; i++)
        list[i] = (opevo_part){part[i].computation, part[i].identity};
    *made = output;
    OPEVO_TRY(opevo_computation_join(list, parts, made, 1, &whole, input, &inputs, err));
    opevo_computation_destroy(step->computation);
    opevo_free(step->input);
    opevo_free(step->output);
    step->computation = whole;
    step->input = input;
    step->inputs = inputs;
    step->output = made;
    step->outputs = 1;
    input = made = NULL;
cleanup:
    opevo_free(list);
    opevo_free(input);
    opevo_free(made);
    return status;
}
