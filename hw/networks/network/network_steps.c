/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps in the list of an inference: who makes and reads their values, their names, and what is
 * added and removed. */

#include "network_passes_internal.h"

#include <opevo/memory.h>

void opevo_i_net_links_count(opevo_i_net_links *links, const opevo_network_step *step, int by)
{
    for (int i = 0; i < step->inputs; i++) {
        if (step->input[i] >= 0)
            links->readers[step->input[i]] += by;
    }
}

opevo_status opevo_i_net_links_create(const opevo_network_inference *inference,
                                      opevo_i_net_links *out, opevo_error *err)
{
    size_t values = (size_t)inference->values + 1, steps = (size_t)inference->steps + 1;

    *out = (opevo_i_net_links){.producer = opevo_calloc(values, sizeof *out->producer),
                               .readers = opevo_calloc(values, sizeof *out->readers),
                               .dead = opevo_calloc(steps, sizeof *out->dead)};
    OPEVO_NEED_OR_RETURN(out->producer && out->readers && out->dead, "the steps of the network");
    for (int i = 0; i < inference->values; i++) {
        out->producer[i] = -1;
        out->readers[i] = inference->value[i].output;
    }
    for (int n = 0; n < inference->steps; n++) {
        const opevo_network_step *step = &inference->step[n];

        opevo_i_net_links_count(out, step, 1);
        for (int i = 0; i < step->outputs; i++)
            if (step->output[i] >= 0)
                out->producer[step->output[i]] = n;
    }
    return OPEVO_OK;
}

void opevo_i_net_links_free(opevo_i_net_links *links)
{
    opevo_free(links->producer);
    opevo_free(links->readers);
    opevo_free(links->dead);
    *links = (opevo_i_net_links){0};
}

bool opevo_network_step_reads(const opevo_network_step *step, int i)
{
    bool read =
        step->kind != OPEVO_NETWORK_STEP_COPY && (step->kind != OPEVO_NETWORK_STEP_VIEW || i == 0);

    for (int k = 0; k < step->copies && !read && step->kind == OPEVO_NETWORK_STEP_COPY; k++)
        read = step->copy[k].input == i;
    return read && step->input[i] >= 0;
}

void opevo_i_net_step_free(opevo_network_step *step)
{
    opevo_free(step->name);
    opevo_free(step->operation);
    opevo_free(step->input);
    opevo_free(step->output);
    opevo_computation_destroy(step->computation);
    opevo_free(step->copy);
    *step = (opevo_network_step){0};
}

static void release_unread(opevo_network_inference *inference)
{
    opevo_i_net_links links = {0};

    if (opevo_i_net_links_create(inference, &links, NULL) == OPEVO_OK) {
        for (int i = 0; i < inference->values; i++) {
            opevo_network_tensor *value = &inference->value[i];

            if (links.readers[i] || !value->owned)
                continue;
            opevo_array_free(&value->array);
            value->owned = false;
        }
    }
    opevo_i_net_links_free(&links);
}

void opevo_i_net_steps_remove(opevo_network_inference *inference, const bool *dead)
{
    int kept = 0;

    for (int n = 0; n < inference->steps; n++) {
        if (dead[n])
            opevo_i_net_step_free(&inference->step[n]);
        else
            inference->step[kept++] = inference->step[n];
    }
    inference->steps = kept;
    release_unread(inference);
}

opevo_status opevo_i_net_value_add(opevo_network_inference *inference, const char *name,
                                   opevo_array *array, int *number, opevo_error *err)
{
    opevo_network_tensor *grown =
        opevo_realloc(inference->value, (size_t)inference->values + 1, sizeof *grown);
    char *own = opevo_strdup(name);

    if (grown)
        inference->value = grown;
    if (!grown || !own) {
        opevo_free(own);
        opevo_array_free(array);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a constant.");
    }
    *number = inference->values++;
    grown[*number] = (opevo_network_tensor){.name = own, .array = *array, .owned = true};
    *array = (opevo_array){0};
    return OPEVO_OK;
}

bool opevo_i_net_is_last_reader(const opevo_network_inference *inference,
                                const opevo_i_net_links *links, int value)
{
    return inference->value[value].owned && links->readers[value] == 1;
}

/* "a+b"; an empty one is left out. NULL without memory. */
static char *join_names(const char *before, const char *after)
{
    opevo_text text = {0};
    char *joined = NULL;

    opevo_text_printf(&text, "%s%s%s", before, *before && *after ? "+" : "", after);
    joined = text.failed ? NULL : opevo_strdup(opevo_text_string(&text));
    opevo_text_free(&text);
    return joined;
}

opevo_status opevo_i_net_step_name(opevo_network_step *step, const opevo_network_step *before,
                                   const opevo_network_step *after, opevo_error *err)
{
    char *name = join_names(before->name, after->name);
    char *operation = join_names(before->operation, after->operation);

    if (!name || !operation) {
        opevo_free(name);
        opevo_free(operation);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the name of a step.");
    }
    opevo_free(step->name);
    opevo_free(step->operation);
    step->name = name;
    step->operation = operation;
    return OPEVO_OK;
}

bool opevo_i_net_same_shape(const opevo_array *a, const opevo_array *b)
{
    bool same = a->type == b->type && a->dims == b->dims;

    for (int d = 0; d < a->dims && same; d++)
        same = a->extent[d] == b->extent[d];
    return same;
}
