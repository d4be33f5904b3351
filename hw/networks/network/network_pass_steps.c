/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Passes over whole steps: fold, split and drop. None looks into definitions. */

#include "network_passes_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* ---- Fold: what depends on constants alone -------------------------------------------------- */

/* What a file may ask for, in all: bytes, and work. */
#define FOLDED_BYTES ((double)OPEVO_NETWORK_FILE)
#define FOLDED_WORK 0x1p32

typedef struct folding {
    opevo_network_inference *inference;
    double bytes, work;
} folding;

static bool has_data(const opevo_network_inference *inference, const opevo_network_step *step)
{
    for (int i = 0; i < step->inputs; i++) {
        if (step->input[i] >= 0 && !inference->value[step->input[i]].array.data)
            return false;
    }
    return true;
}

static opevo_status compute_once(opevo_network_inference *inference, const opevo_network_step *step,
                                 opevo_error *err)
{
    const void **in = opevo_calloc((size_t)step->inputs + 1, sizeof *in);
    void **out = opevo_calloc((size_t)step->outputs + 1, sizeof *out);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(in && out, "step %s", step->name);
    for (int i = 0; i < step->inputs; i++)
        in[i] = step->input[i] < 0 ? NULL : inference->value[step->input[i]].array.data;
    for (int i = 0; i < step->outputs; i++) {
        opevo_array array = {0};

        if (step->output[i] < 0)
            continue;
        array = inference->value[step->output[i]].array;
        OPEVO_TRY(opevo_array_allocate(&array, err));
        out[i] = array.data;
    }
    OPEVO_TRY(opevo_i_net_step_run(inference, step, in, out, 1, err));
    for (int i = 0; i < step->outputs; i++) {
        if (step->output[i] < 0)
            continue;
        inference->value[step->output[i]].array.data = out[i];
        inference->value[step->output[i]].owned = true;
        out[i] = NULL;
    }
cleanup:
    for (int i = 0; i < step->outputs && out; i++)
        opevo_free(out[i]);
    opevo_free(in);
    opevo_free(out);
    return status;
}

/* Of the tensors between inputs and outputs, while they are computed. */
static double bytes_inside(const opevo_computation *computation)
{
    double bytes = 0;

    for (int i = 0; i < computation->tensors; i++) {
        if (computation->tensor[i]->role == OPEVO_ROLE_INTERMEDIATE)
            bytes += (double)opevo_tensor_elements(computation->tensor[i]) * sizeof(double);
    }
    return bytes;
}

/* Whether the outputs of a step may be computed; they are then counted. */
static opevo_status afford(folding *self, const opevo_network_step *step, bool *yes,
                           opevo_error *err)
{
    double bytes = 0, inside = 0, work = 0;
    opevo_i_net_part part = {0};
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < step->outputs; i++) {
        const opevo_array *array =
            step->output[i] < 0 ? NULL : &self->inference->value[step->output[i]].array;

        if (array)
            bytes +=
                (double)opevo_array_elements(array) * (double)opevo_network_type_bytes(array->type);
    }
    if (step->kind == OPEVO_NETWORK_STEP_COMPUTE) {
        OPEVO_TRY(opevo_i_net_part_create(step, &part, err));
        work = opevo_i_net_work(part.computation);
        inside = bytes_inside(part.computation);
    } else if (step->kind == OPEVO_NETWORK_STEP_NODE) {
        OPEVO_TRY(opevo_i_net_cost(self->inference->network, step->node, &work, err));
    }
    *yes = self->bytes + bytes + inside <= FOLDED_BYTES && self->work + work <= FOLDED_WORK;
    self->bytes += *yes ? bytes : 0;
    self->work += *yes ? work : 0;
cleanup:
    opevo_i_net_part_free(&part);
    return status;
}

opevo_status opevo_i_net_pass_fold(opevo_network_inference *inference, opevo_error *err)
{
    folding self = {.inference = inference};
    bool *dead = opevo_calloc((size_t)inference->steps + 1, sizeof *dead);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(dead, "the steps of the network");
    for (int n = 0; n < inference->steps; n++) {
        bool yes = has_data(inference, &inference->step[n]);

        if (yes)
            OPEVO_TRY(afford(&self, &inference->step[n], &yes, err));
        if (!yes)
            continue;
        OPEVO_TRY(compute_once(inference, &inference->step[n], err));
        dead[n] = true;
    }
cleanup:
    opevo_i_net_steps_remove(inference, dead);
    opevo_free(dead);
    return status;
}

/* ---- Split: one step of each output --------------------------------------------------------- */

static opevo_status copy_step(const opevo_network_step *from, opevo_network_step *to,
                              opevo_error *err)
{
    size_t inputs = (size_t)from->inputs, outputs = (size_t)from->outputs;

    *to = *from;
    to->computation = NULL;
    to->copy = NULL;
    to->name = opevo_strdup(from->name);
    to->operation = opevo_strdup(from->operation);
    to->input = opevo_calloc(inputs + 1, sizeof *to->input);
    to->output = opevo_calloc(outputs + 1, sizeof *to->output);
    if (!to->name || !to->operation || !to->input || !to->output) {
        opevo_i_net_step_free(to);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the steps of the network.");
    }
    memcpy(to->input, from->input, inputs * sizeof *to->input);
    memcpy(to->output, from->output, outputs * sizeof *to->output);
    return OPEVO_OK;
}

/* Steps that each make one output of `step`. *count is 0 if some output is neither view nor
 * copies. */
static opevo_status divide(const opevo_network_inference *inference, const opevo_network_step *step,
                           const opevo_i_net_links *links, opevo_network_step *out, int *count,
                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool whole = true;

    *count = 0;
    for (int i = 0; i < step->outputs && whole; i++) {
        opevo_network_step *one = &out[*count];

        if (step->output[i] < 0 || links->readers[step->output[i]] == 0)
            continue;
        OPEVO_TRY(copy_step(step, one, err));
        ++*count;
        OPEVO_TRY(opevo_i_net_find_copies(inference, one, i, err));
        whole = one->kind != OPEVO_NETWORK_STEP_NODE;
        one->output[0] = step->output[i];
        one->outputs = 1;
    }
cleanup:
    for (int i = 0; i < *count && (status != OPEVO_OK || !whole); i++)
        opevo_i_net_step_free(&out[i]);
    if (status != OPEVO_OK || !whole)
        *count = 0;
    return status;
}

/* Put `count` steps in the place of step n. Errors: NOMEM. */
static opevo_status replace(opevo_network_inference *inference, int n, opevo_network_step *with,
                            int count, opevo_error *err)
{
    opevo_network_step *grown =
        opevo_realloc(inference->step, (size_t)inference->steps + (size_t)count, sizeof *grown);

    OPEVO_NEED_OR_RETURN(grown, "the steps of the network");
    inference->step = grown;
    opevo_i_net_step_free(&grown[n]);
    memmove(&grown[n + count], &grown[n + 1], (size_t)(inference->steps - n - 1) * sizeof *grown);
    memcpy(&grown[n], with, (size_t)count * sizeof *grown);
    inference->steps += count - 1;
    return OPEVO_OK;
}

static opevo_status split_step(opevo_network_inference *inference, int n,
                               const opevo_i_net_links *links, int *made, opevo_error *err)
{
    opevo_network_step *list = NULL;
    opevo_status status = OPEVO_OK;

    *made = 0;
    OPEVO_NEW_OR_RETURN(list, (size_t)inference->step[n].outputs, "the steps of the network");
    OPEVO_TRY(divide(inference, &inference->step[n], links, list, made, err));
    if (*made)
        status = replace(inference, n, list, *made, err);
    for (int i = 0; i < *made && status != OPEVO_OK; i++)
        opevo_i_net_step_free(&list[i]);
cleanup:
    opevo_free(list);
    return status;
}

opevo_status opevo_i_net_pass_split(opevo_network_inference *inference, opevo_error *err)
{
    opevo_i_net_links links = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_links_create(inference, &links, err));
    for (int n = 0, made = 0; n < inference->steps; n += made ? made : 1) {
        const opevo_network_step *step = &inference->step[n];

        made = 0;
        if (step->kind == OPEVO_NETWORK_STEP_NODE && step->outputs > 1)
            OPEVO_TRY(split_step(inference, n, &links, &made, err));
    }
cleanup:
    opevo_i_net_links_free(&links);
    return status;
}

/* ---- Drop: what changes nothing ------------------------------------------------------------- */

static void rename_reads(opevo_network_inference *inference, int from, int to)
{
    for (int n = 0; n < inference->steps; n++) {
        for (int i = 0; i < inference->step[n].inputs; i++)
            if (inference->step[n].input[i] == from)
                inference->step[n].input[i] = to;
    }
}

/* Whether a step makes a value that may have another name: it is kept in the network. */
static bool is_intermediate(const opevo_network_inference *inference,
                            const opevo_i_net_links *links, int value)
{
    const opevo_network_tensor *tensor = &inference->value[value];

    return links->producer[value] >= 0 && !tensor->output && !tensor->array.data;
}

static void drop_view(opevo_network_inference *inference, opevo_i_net_links *links, int n)
{
    opevo_network_step *view = &inference->step[n];
    int from = view->input[0], to = view->output[0];
    int before = links->producer[from];

    /* Of two views in a row, the second is one of what the first views. */
    if (before >= 0 && inference->step[before].kind == OPEVO_NETWORK_STEP_VIEW)
        from = view->input[0] = inference->step[before].input[0];
    if (!opevo_i_net_same_shape(&inference->value[from].array, &inference->value[to].array))
        return;
    if (!inference->value[to].output) {
        rename_reads(inference, to, from);
        links->dead[n] = true;
        return;
    }
    if (!is_intermediate(inference, links, from))
        return;
    before = links->producer[from];
    for (int i = 0; i < inference->step[before].outputs; i++) {
        if (inference->step[before].output[i] == from)
            inference->step[before].output[i] = to;
    }
    rename_reads(inference, from, to);
    links->producer[to] = before;
    links->dead[n] = true;
}

static void drop_unread(const opevo_network_inference *inference, opevo_i_net_links *links)
{
    for (int n = inference->steps - 1; n >= 0; n--) {
        const opevo_network_step *step = &inference->step[n];
        bool read = false;

        for (int i = 0; i < step->outputs; i++)
            read |= step->output[i] >= 0 && links->readers[step->output[i]] > 0;
        links->dead[n] = !read;
        if (!read)
            opevo_i_net_links_count(links, step, -1);
    }
}

opevo_status opevo_i_net_pass_drop(opevo_network_inference *inference, opevo_error *err)
{
    opevo_i_net_links links = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_links_create(inference, &links, err));
    for (int n = 0; n < inference->steps; n++) {
        if (inference->step[n].kind == OPEVO_NETWORK_STEP_VIEW)
            drop_view(inference, &links, n);
    }
    opevo_i_net_steps_remove(inference, links.dead);
    opevo_i_net_links_free(&links);
    OPEVO_TRY(opevo_i_net_links_create(inference, &links, err));
    drop_unread(inference, &links);
    opevo_i_net_steps_remove(inference, links.dead);
cleanup:
    opevo_i_net_links_free(&links);
    return status;
}
