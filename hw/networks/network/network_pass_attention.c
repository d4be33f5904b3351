/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pass `attention`: scores, what is made of each row of them, and their product with values
 * become one computation, which is computed by blocks of rows. It is found from its end: a product
 * that reads what steps before it make of another product, each of which nobody else reads. A copy
 * of the result, such as the transposition that puts heads side by side, belongs to it, and so do
 * factors of the queries, and a choice between scores and other numbers by a mask. */

#include "network_passes_internal.h"

#include <opevo/computation_rows.h>
#include <opevo/memory.h>

enum {
    INPUTS_MOST = 7, /* as of joined steps */
    PARTS_MOST = 8   /* steps that are joined */
};

typedef struct search {
    opevo_network_inference *inference;
    opevo_i_net_links links;
    int values;           /* that the links know */
    int step[PARTS_MOST]; /* from the end */
    int steps;
    opevo_network_step found; /* what they become; without a computation: nothing */
    /* Of steps that choose by a mask: their definitions, if they were looked at. */
    opevo_network_step *mask;
    bool *looked;
} search;

static bool is_product(const opevo_tensor *tensor)
{
    return tensor->definition && tensor->definition->reducer == OPEVO_REDUCER_SUM &&
           tensor->definition->value->kind == OPEVO_EXPR_MULTIPLY &&
           opevo_tensor_needs_tiling(tensor);
}

static bool has_product(const opevo_network_step *step)
{
    bool has = false;

    for (int t = 0; step->computation && t < step->computation->tensors; t++)
        has |= is_product(step->computation->tensor[t]);
    return has;
}

static bool reduces(const opevo_network_step *step)
{
    bool any = false;

    for (int t = 0; t < step->computation->tensors; t++) {
        const opevo_definition *definition = step->computation->tensor[t]->definition;

        any |= definition && definition->reducer != OPEVO_REDUCER_NONE;
    }
    return any;
}

/* The definitions of a step, or of a copy; *out stays empty for a step without definitions. */
static opevo_status make_part(const search *self, int n, opevo_i_net_part *out, opevo_error *err)
{
    opevo_network_step copy = self->inference->step[n];
    opevo_computation *parsed = NULL;
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    *out = (opevo_i_net_part){0};
    if (self->mask[n].computation) {
        copy = self->mask[n];
    } else if (copy.kind == OPEVO_NETWORK_STEP_COPY) {
        if (!opevo_i_net_copy_define(self->inference, &copy, &text))
            goto cleanup;
        OPEVO_TRY(opevo_text_check(&text, err));
        OPEVO_TRY(opevo_computation_parse(text.data, "definitions", NULL, 0, &parsed, err));
        copy.computation = parsed;
    }
    if (copy.computation)
        status = opevo_i_net_part_create(&copy, out, err);
cleanup:
    opevo_computation_destroy(parsed);
    opevo_text_free(&text);
    return status;
}

/* The definitions of the steps as blocks of rows: *out has no computation if they are of another
 * kind. */
static opevo_status join(const search *self, opevo_network_step *out, opevo_error *err)
{
    opevo_i_net_part part[PARTS_MOST] = {{0}};
    opevo_network_step made = {0};
    opevo_computation *rows = NULL;
    opevo_status status = OPEVO_OK;
    bool whole = true;

    for (int i = 0; i < self->steps; i++) {
        OPEVO_TRY(make_part(self, self->step[self->steps - 1 - i], &part[i], err));
        whole &= part[i].computation != NULL;
    }
    if (!whole)
        goto cleanup;
    status = opevo_i_net_step_define(&made, part, self->steps,
                                     self->inference->step[self->step[0]].output[0], NULL);
    if (status == OPEVO_OK)
        status = opevo_computation_rows(made.computation, &rows, NULL);
    if (status == OPEVO_OK && made.inputs <= INPUTS_MOST) {
        opevo_computation_destroy(made.computation);
        made.computation = rows;
        rows = NULL;
        *out = made;
        made = (opevo_network_step){0};
    } else if (status == OPEVO_NOMEM) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the definitions of a step.");
    } else {
        status = OPEVO_OK;
    }
cleanup:
    for (int i = 0; i < self->steps; i++)
        opevo_i_net_part_free(&part[i]);
    opevo_computation_destroy(rows);
    opevo_i_net_step_free(&made);
    return status;
}

/* Keep what one more step makes of it, if that is of the kind. */
static opevo_status extend(search *self, opevo_error *err)
{
    opevo_network_step longer = {0};
    opevo_status status = join(self, &longer, err);

    if (status != OPEVO_OK || !longer.computation)
        return status;
    opevo_i_net_step_free(&self->found);
    self->found = longer;
    return OPEVO_OK;
}

/* The step of one output that makes a value for one reader alone; -1. */
static int only_maker(const search *self, int value)
{
    const opevo_network_inference *inference = self->inference;
    int step = value < 0 ? -1 : self->links.producer[value];

    return step < 0 || self->links.dead[step] || self->links.readers[value] != 1 ||
                   inference->value[value].output || inference->step[step].outputs != 1
               ? -1
               : step;
}

/* The same, if it is definitions; -1. */
static int maker_of(const search *self, int value)
{
    int step = only_maker(self, value);

    return step < 0 || self->inference->step[step].kind != OPEVO_NETWORK_STEP_COMPUTE ? -1 : step;
}

/* The values that were added since the links were made. */
static opevo_status extend_links(search *self, opevo_error *err)
{
    opevo_i_net_links *links = &self->links;
    size_t values = (size_t)self->inference->values + 1;
    int *producer = opevo_realloc(links->producer, values, sizeof *producer);
    int *readers = NULL;

    OPEVO_NEED_OR_RETURN(producer, "the steps of the network");
    links->producer = producer;
    readers = opevo_realloc(links->readers, values, sizeof *readers);
    OPEVO_NEED_OR_RETURN(readers, "the steps of the network");
    links->readers = readers;
    for (; self->values < self->inference->values; self->values++) {
        producer[self->values] = -1;
        readers[self->values] = 0;
    }
    return OPEVO_OK;
}

/* Whether scores, or a choice of them, are an operand of the step. */
static bool reads_scores(const search *self, const opevo_network_step *step)
{
    bool reads = false;

    for (int i = 0; i < step->inputs; i++) {
        int before = only_maker(self, step->input[i]);

        reads |= before >= 0 &&
                 (has_product(&self->inference->step[before]) || self->mask[before].computation);
    }
    return reads;
}

/* The step that makes a value, if it is a choice of scores by a mask; -1. */
static opevo_status find_mask(search *self, int value, int *out, opevo_error *err)
{
    int step = only_maker(self, value);
    opevo_status status = OPEVO_OK;

    *out = -1;
    if (step < 0 || self->inference->step[step].kind == OPEVO_NETWORK_STEP_COMPUTE)
        return OPEVO_OK;
    for (int i = 0; i < self->inference->step[step].inputs && !self->looked[step]; i++) {
        int before = -1;

        OPEVO_TRY(find_mask(self, self->inference->step[step].input[i], &before, err));
    }
    if (!self->looked[step] && reads_scores(self, &self->inference->step[step])) {
        OPEVO_TRY(opevo_i_net_mask_define(self->inference, step, &self->mask[step], err));
        OPEVO_TRY(extend_links(self, err));
    }
    self->looked[step] = true;
    *out = self->mask[step].computation ? step : -1;
cleanup:
    return status;
}

/* From the last step taken back to a product; what was found begins there. */
static opevo_status search_back(search *self, opevo_error *err)
{
    const opevo_network_step *step = &self->inference->step[self->step[self->steps - 1]];
    opevo_status status = OPEVO_OK;

    if (self->steps > 1 && has_product(step))
        return join(self, &self->found, err);
    for (int i = 0; i < step->inputs && self->steps < PARTS_MOST - 2; i++) {
        int before = maker_of(self, step->input[i]);

        if (before < 0)
            OPEVO_TRY(find_mask(self, step->input[i], &before, err));
        if (before < 0)
            continue;
        self->step[self->steps++] = before;
        OPEVO_TRY(search_back(self, err));
        if (self->found.computation)
            return OPEVO_OK;
        self->steps--;
    }
cleanup:
    return status;
}

/* Factors of queries, each a step before the first. */
static opevo_status take_factors(search *self, opevo_error *err)
{
    const opevo_network_step *first = &self->inference->step[self->step[self->steps - 1]];
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < first->inputs && self->steps < PARTS_MOST - 1; i++) {
        const opevo_computation *before = self->found.computation;
        int maker = maker_of(self, first->input[i]);

        if (maker < 0 || reduces(&self->inference->step[maker]))
            continue;
        self->step[self->steps++] = maker;
        OPEVO_TRY(extend(self, err));
        self->steps -= self->found.computation == before;
    }
cleanup:
    return status;
}

/* The only reader of the result, if that copies it. */
static opevo_status take_copy(search *self, opevo_error *err)
{
    const opevo_network_inference *inference = self->inference;
    const opevo_computation *before = self->found.computation;
    int value = inference->step[self->step[0]].output[0], reader = self->step[0] + 1;
    opevo_status status = OPEVO_OK;

    if (self->links.readers[value] != 1 || inference->value[value].output)
        return OPEVO_OK;
    while (reader < inference->steps &&
           (inference->step[reader].inputs != 1 || inference->step[reader].input[0] != value))
        reader++;
    if (reader == inference->steps || inference->step[reader].kind != OPEVO_NETWORK_STEP_COPY)
        return OPEVO_OK;
    for (int i = self->steps++; i > 0; i--)
        self->step[i] = self->step[i - 1];
    self->step[0] = reader;
    OPEVO_TRY(extend(self, err));
    if (self->found.computation != before)
        return OPEVO_OK;
    self->steps--;
    for (int i = 0; i < self->steps; i++)
        self->step[i] = self->step[i + 1];
cleanup:
    return status;
}

/* A Where whose mask is known at a run only becomes that which makes the mask as floats. */
static opevo_status keep_mask(search *self, int number, opevo_error *err)
{
    opevo_network_step *step = &self->inference->step[number];
    int mask = self->mask[number].input[0], one = -1, zero = -1;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_number_add(self->inference, "one", 1, &one, err));
    OPEVO_TRY(opevo_i_net_number_add(self->inference, "zero", 0, &zero, err));
    OPEVO_TRY(extend_links(self, err));
    step->input[1] = one;
    step->input[2] = zero;
    step->output[0] = mask;
    self->links.producer[mask] = number;
    opevo_i_net_links_count(&self->links, step, 1);
cleanup:
    return status;
}

/* The last of the steps becomes all of them. */
static opevo_status replace(search *self, opevo_error *err)
{
    opevo_network_step *last = &self->inference->step[self->step[0]];
    opevo_status status = OPEVO_OK;

    for (int i = 1; i < self->steps; i++) {
        opevo_network_step *one = &self->inference->step[self->step[i]];

        OPEVO_TRY(opevo_i_net_step_name(last, one, last, err));
        last->node = one->node < last->node ? one->node : last->node;
        opevo_i_net_links_count(&self->links, one, -1);
        if (opevo_i_net_step_is_where(self->inference, one) &&
            !self->inference->value[one->input[0]].array.data)
            OPEVO_TRY(keep_mask(self, self->step[i], err));
        else
            self->links.dead[self->step[i]] = true;
    }
    opevo_i_net_links_count(&self->links, last, -1);
    opevo_computation_destroy(last->computation);
    opevo_free(last->input);
    opevo_free(last->output);
    opevo_free(last->copy);
    last->kind = OPEVO_NETWORK_STEP_COMPUTE;
    last->copy = NULL;
    last->copies = 0;
    last->computation = self->found.computation;
    last->input = self->found.input;
    last->inputs = self->found.inputs;
    last->output = self->found.output;
    last->outputs = 1;
    self->links.producer[last->output[0]] = self->step[0];
    opevo_i_net_links_count(&self->links, last, 1);
    self->found = (opevo_network_step){0};
cleanup:
    return status;
}

opevo_status opevo_i_net_pass_attention(opevo_network_inference *inference, opevo_error *err)
{
    search self = {.inference = inference};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_links_create(inference, &self.links, err));
    self.values = inference->values;
    OPEVO_NEW(self.mask, (size_t)inference->steps + 1, "the masks of the network");
    OPEVO_NEW(self.looked, (size_t)inference->steps + 1, "the masks of the network");
    for (int n = 0; n < inference->steps; n++) {
        const opevo_network_step *step = &inference->step[n];

        if (self.links.dead[n] || step->kind != OPEVO_NETWORK_STEP_COMPUTE || step->outputs != 1 ||
            !has_product(step))
            continue;
        self.step[0] = n;
        self.steps = 1;
        OPEVO_TRY(search_back(&self, err));
        if (!self.found.computation)
            continue;
        OPEVO_TRY(take_factors(&self, err));
        OPEVO_TRY(take_copy(&self, err));
        OPEVO_TRY(replace(&self, err));
    }
cleanup:
    opevo_i_net_step_free(&self.found);
    for (int n = 0; n < inference->steps && self.mask; n++)
        opevo_i_net_step_free(&self.mask[n]);
    opevo_free(self.mask);
    opevo_free(self.looked);
    if (status == OPEVO_OK)
        opevo_i_net_steps_remove(inference, self.links.dead);
    opevo_i_net_links_free(&self.links);
    return status;
}
