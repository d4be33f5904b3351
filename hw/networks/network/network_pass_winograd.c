/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The pass `winograd`: a convolution of 3 x 3 with stride 1 becomes a transform of its image, a
 * product for each place of a tile, and a transform of that, where the error that is allowed has
 * room for it and it is expected to be faster.
 *
 * What the convolution reads, such as padding, goes into the first step, and what reads it, such as
 * bias, residual sum and ReLU, into the last one. */

#include "network_winograd_match_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* ---- Which form ----------------------------------------------------------------------------- */

/* The transformed weights and their bound. */
typedef struct choice {
    const opevo_i_net_winograd *form; /* NULL: none */
    opevo_array weights;
    double bound, cost;
} choice;

static opevo_status choose(const opevo_network_inference *inference,
                           const opevo_i_net_convolution *self, choice *best, opevo_error *err)
{
    const opevo_winograd *options = &inference->winograd;
    float *weights = NULL;
    size_t count = 0;
    const opevo_i_net_winograd *forms = opevo_i_net_winograds(&count);
    opevo_status status = OPEVO_OK;

    *best = (choice){.cost = opevo_i_net_direct_cost(&self->shape)};
    for (size_t i = 0; i < count; i++) {
        choice one = {.form = &forms[i],
                      .cost = opevo_i_net_winograd_cost(&forms[i], &self->shape)};

        if (options->tile ? options->tile != forms[i].tile : one.cost >= best->cost)
            continue;
        if (!weights)
            OPEVO_TRY(opevo_i_net_convolution_weights(inference, self, &weights, err));
        status = opevo_i_net_winograd_weights(&forms[i], &self->shape, weights, &one.weights,
                                              &one.bound, err);
        if (status == OPEVO_OK && one.bound <= options->error) {
            opevo_array_free(&best->weights);
            *best = one;
        } else {
            opevo_array_free(&one.weights);
        }
        OPEVO_TRY(status);
    }
cleanup:
    opevo_free(weights);
    if (status != OPEVO_OK)
        opevo_array_free(&best->weights);
    return status;
}

/* ---- The steps that replace one ------------------------------------------------------------- */

enum { MADE = 5 };

/* What replaces a step: its numbers of values, and steps. */
typedef struct replacing {
    opevo_network_inference *inference;
    const opevo_i_net_convolution *from;
    const opevo_network_step *step;
    const choice *with;
    int input, places, weights, product, output; /* V; in another shape; U; M; in another shape */
    opevo_network_step made[MADE];
    int count;
} replacing;

/* A value without data. */
static opevo_status add_value(replacing *self, const char *what, int dims, const int64_t *extent,
                              int *number, opevo_error *err)
{
    opevo_array array = {.type = OPEVO_NETWORK_FLOAT32, .dims = dims};
    opevo_text name = {0};
    opevo_status status = OPEVO_OK;

    memcpy(array.extent, extent, (size_t)dims * sizeof *extent);
    opevo_text_printf(&name, "%s.%s", self->inference->value[self->step->output[0]].name, what);
    OPEVO_TRY(opevo_text_check(&name, err));
    status = opevo_i_net_value_add(self->inference, name.data, &array, number, err);
cleanup:
    opevo_text_free(&name);
    return status;
}

static opevo_status add_values(replacing *self, opevo_error *err)
{
    const opevo_i_net_winograd *form = self->with->form;
    const opevo_i_net_winograd_shape *shape = &self->from->shape;
    int64_t p = form->points, rows = opevo_i_net_winograd_rows(form, shape);
    int64_t columns = opevo_i_net_winograd_columns(form, shape);
    int64_t tiles = shape->images * rows * columns;
    int64_t ins = shape->groups * shape->ins;
    int64_t in[] = {p, p, ins, shape->images, rows, columns, shape->block};
    int64_t out[] = {p, p, shape->outs, shape->images, rows, columns, shape->block};
    opevo_array weights = self->with->weights;
    int old = self->from->part.identity[self->from->weights->number];
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_value_add(self->inference, self->inference->value[old].name, &weights,
                                    &self->weights, err));
    OPEVO_TRY(add_value(self, "input", 7, in, &self->input, err));
    OPEVO_TRY(add_value(self, "places", 4, (int64_t[]){p * p, ins, tiles, shape->block},
                        &self->places, err));
    OPEVO_TRY(add_value(self, "product", 4, (int64_t[]){p * p, shape->outs, tiles, shape->block},
                        &self->product, err));
    status = add_value(self, "output", 7, out, &self->output, err);
cleanup:
    return status;
}

/* The next step, named after the old one and its role. */
static opevo_status add_step(replacing *self, opevo_network_step_kind kind, const char *role,
                             opevo_network_step **out, opevo_error *err)
{
    opevo_network_step *step = &self->made[self->count++];
    opevo_text operation = {0};

    opevo_text_printf(&operation, "%s (%s)", self->step->operation, role);
    *step =
        (opevo_network_step){.kind = kind,
                             .name = opevo_strdup(self->step->name),
                             .operation = operation.failed ? NULL : opevo_strdup(operation.data),
                             .node = self->step->node};
    opevo_text_free(&operation);
    *out = step;
    OPEVO_NEED_OR_RETURN(step->name && step->operation, "the steps of the network");
    return OPEVO_OK;
}

static opevo_status add_view(replacing *self, const char *role, int from, int to, opevo_error *err)
{
    opevo_network_step *step = NULL;
    opevo_status status = add_step(self, OPEVO_NETWORK_STEP_VIEW, role, &step, err);

    if (status != OPEVO_OK)
        return status;
    step->input = opevo_calloc(1, sizeof *step->input);
    step->output = opevo_calloc(1, sizeof *step->output);
    OPEVO_NEED_OR_RETURN(step->input && step->output, "the steps of the network");
    step->input[0] = from;
    step->output[0] = to;
    step->inputs = step->outputs = 1;
    return OPEVO_OK;
}

/* A part of a text whose tensor `name[i]` is value `value[i]`. */
static opevo_status part_of_text(const opevo_text *text, const char *const *name, const int *value,
                                 int count, opevo_i_net_part *out, opevo_error *err)
{
    opevo_status status = opevo_text_check(text, err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(opevo_computation_parse(text->data, "winograd", NULL, 0, &out->computation, err));
    OPEVO_NEW_OR_RETURN(out->identity, (size_t)out->computation->tensors + 1,
                        "the definitions of a step");
    for (int i = 0; i < out->computation->tensors; i++) {
        out->identity[i] = -1;
        for (int k = 0; k < count; k++)
            if (strcmp(out->computation->tensor[i]->name, name[k]) == 0)
                out->identity[i] = value[k];
    }
cleanup:
    return status;
}

/* The number of a tensor of the old step in the whole: a value, or one that nothing else has. */
static int number_of(const replacing *self, const opevo_tensor *tensor)
{
    int value = self->from->part.identity[tensor->number];

    return value >= 0 ? value : self->inference->values + tensor->number;
}

static opevo_status make_input(replacing *self, opevo_error *err)
{
    const int values[] = {number_of(self, self->from->image), self->input};
    opevo_i_net_part parts[2] = {{0}, {0}};
    opevo_network_step *step = NULL;
    opevo_text text = {0};
    int *identity = self->from->part.identity;
    int old = identity[self->from->image->number];
    opevo_status status = OPEVO_OK;

    parts[0] = self->from->part;
    opevo_i_net_winograd_define_input(self->with->form, &self->from->shape, &text);
    OPEVO_TRY(part_of_text(&text, (const char *const[]){"A", "V"}, values, 2, &parts[1], err));
    OPEVO_TRY(add_step(self, OPEVO_NETWORK_STEP_COMPUTE, "input", &step, err));
    identity[self->from->image->number] = values[0];
    status = opevo_i_net_step_define(step, parts, 2, self->input, err);
    identity[self->from->image->number] = old;
cleanup:
    opevo_text_free(&text);
    opevo_i_net_part_free(&parts[1]);
    return status;
}

static opevo_status make_product(replacing *self, opevo_error *err)
{
    const int values[] = {self->places, self->weights, self->product};
    opevo_i_net_part part = {0};
    opevo_network_step *step = NULL;
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    opevo_i_net_winograd_define_product(self->with->form, &self->from->shape, &text);
    OPEVO_TRY(part_of_text(&text, (const char *const[]){"V", "U", "M"}, values, 3, &part, err));
    OPEVO_TRY(add_step(self, OPEVO_NETWORK_STEP_COMPUTE, "product", &step, err));
    status = opevo_i_net_step_define(step, &part, 1, self->product, err);
cleanup:
    opevo_text_free(&text);
    opevo_i_net_part_free(&part);
    return status;
}

/* The definitions that depend on the sum, which is an input of theirs. */
static opevo_status rest_of(const replacing *self, opevo_i_net_part *out, opevo_error *err)
{
    const opevo_computation *all = self->from->part.computation;
    opevo_status status = opevo_computation_after(all, self->from->sum, &out->computation, err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_NEW_OR_RETURN(out->identity, (size_t)out->computation->tensors + 1,
                        "the definitions of a step");
    for (int i = 0; i < out->computation->tensors; i++) {
        const opevo_tensor *tensor = opevo_computation_find(all, out->computation->tensor[i]->name);

        out->identity[i] = number_of(self, tensor);
    }
    return OPEVO_OK;
}

static opevo_status make_output(replacing *self, opevo_error *err)
{
    const int values[] = {self->output, number_of(self, self->from->sum)};
    bool alone = self->from->sum->role == OPEVO_ROLE_OUTPUT;
    opevo_i_net_part parts[2] = {{0}, {0}};
    opevo_network_step *step = NULL;
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    opevo_i_net_winograd_define_output(self->with->form, &self->from->shape, &text);
    OPEVO_TRY(part_of_text(&text, (const char *const[]){"M", "C"}, values, 2, &parts[0], err));
    if (!alone)
        OPEVO_TRY(rest_of(self, &parts[1], err));
    OPEVO_TRY(add_step(self, OPEVO_NETWORK_STEP_COMPUTE, "output", &step, err));
    status = opevo_i_net_step_define(step, parts, alone ? 1 : 2, self->step->output[0], err);
cleanup:
    opevo_text_free(&text);
    opevo_i_net_part_free(&parts[0]);
    opevo_i_net_part_free(&parts[1]);
    return status;
}

static opevo_status make_steps(replacing *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(add_values(self, err));
    OPEVO_TRY(make_input(self, err));
    OPEVO_TRY(add_view(self, "places", self->input, self->places, err));
    OPEVO_TRY(make_product(self, err));
    OPEVO_TRY(add_view(self, "tiles", self->product, self->output, err));
    status = make_output(self, err);
cleanup:
    return status;
}

/* ---- The pass ------------------------------------------------------------------------------- */

/* Make room for the steps in the place of step n, and put them there. */
static opevo_status put(opevo_network_inference *inference, int n, replacing *by, opevo_error *err)
{
    size_t steps = (size_t)inference->steps + MADE - 1;
    opevo_network_step *grown = opevo_realloc(inference->step, steps + 1, sizeof *grown);

    OPEVO_NEED_OR_RETURN(grown, "the steps of the network");
    inference->step = grown;
    opevo_i_net_step_free(&grown[n]);
    memmove(&grown[n + MADE], &grown[n + 1], (size_t)(inference->steps - n - 1) * sizeof *grown);
    memcpy(&grown[n], by->made, sizeof by->made);
    inference->steps = (int)steps;
    by->count = 0;
    return OPEVO_OK;
}

static opevo_status note(opevo_network_inference *inference, const opevo_i_net_convolution *self,
                         const choice *with, const char *name, opevo_error *err)
{
    opevo_winograd *all = &inference->winograd;
    opevo_winograd_layer *grown = opevo_realloc(all->layer, (size_t)all->layers + 1, sizeof *grown);

    OPEVO_NEED_OR_RETURN(grown, "the steps of the network");
    all->layer = grown;
    grown[all->layers] =
        (opevo_winograd_layer){.name = opevo_strdup(name),
                               .tile = with->form->tile,
                               .bound = with->bound,
                               .direct_bound = opevo_i_net_direct_bound(&self->shape)};
    OPEVO_NEED_OR_RETURN(grown[all->layers].name, "the steps of the network");
    all->layers++;
    return OPEVO_OK;
}

/* *made: how many steps are in the place of step n. */
static opevo_status replace(opevo_network_inference *inference, int n, int *made, opevo_error *err)
{
    opevo_i_net_convolution self = {.shape = {0}};
    choice with = {.form = NULL};
    replacing by = {.inference = inference, .from = &self, .with = &with};
    opevo_status status = OPEVO_OK;
    bool found = false;

    *made = 1;
    OPEVO_TRY(opevo_i_net_convolution_find(inference, &inference->step[n], &self, &found, err));
    if (found && !inference->value[inference->step[n].output[0]].direct)
        OPEVO_TRY(choose(inference, &self, &with, err));
    if (!with.form)
        goto cleanup;
    by.step = &inference->step[n];
    OPEVO_TRY(make_steps(&by, err));
    OPEVO_TRY(note(inference, &self, &with, by.step->name, err));
    OPEVO_TRY(put(inference, n, &by, err));
    *made = MADE;
cleanup:
    for (int i = 0; i < by.count; i++)
        opevo_i_net_step_free(&by.made[i]);
    opevo_i_net_part_free(&self.part);
    return status;
}

opevo_status opevo_i_net_pass_winograd(opevo_network_inference *inference, opevo_error *err)
{
    bool *dead = NULL;
    opevo_status status = OPEVO_OK;

    if (inference->winograd.error <= 0 || inference->blocked < 1)
        return OPEVO_OK;
    for (int n = 0, made = 1; n < inference->steps; n += made)
        OPEVO_TRY(replace(inference, n, &made, err));
    OPEVO_NEW(dead, (size_t)inference->steps + 1, "the steps of the network");
    opevo_i_net_steps_remove(inference, dead);
cleanup:
    opevo_free(dead);
    return status;
}
