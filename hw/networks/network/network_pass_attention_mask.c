/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Masks that choose: a Where, or a copy that keeps some elements in their places and fills others
 * with one number, as definitions that read the mask as floats, 1 where scores are kept. */

#include "network_passes_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum { ELEMENTS_MOST = 1 << 26 }; /* of a mask that a copy stands for */

typedef struct choice {
    opevo_network_inference *inference;
    const opevo_network_step *step;
    opevo_array mask; /* of floats; without data: known at a run only */
    int operand[2];   /* values: where the mask is 1, and where it is 0; -1: `number` */
    float number;
} choice;

static const opevo_array *array_of(const choice *self, int value)
{
    return &self->inference->value[value].array;
}

/* ---- Where ---------------------------------------------------------------------------------- */

bool opevo_i_net_step_is_where(const opevo_network_inference *inference,
                               const opevo_network_step *step)
{
    return step->kind == OPEVO_NETWORK_STEP_NODE && inference->network && step->inputs == 3 &&
           strcmp(inference->network->node[step->node].row->name, "Where") == 0;
}

static opevo_status take_where(choice *self, bool *found, opevo_error *err)
{
    const opevo_array *condition = array_of(self, self->step->input[0]);

    self->mask = *condition;
    self->mask.type = OPEVO_NETWORK_FLOAT32;
    self->mask.data = NULL;
    for (int i = 0; i < 2; i++)
        self->operand[i] = self->step->input[1 + i];
    *found = self->operand[0] != self->operand[1];
    if (!condition->data || !*found)
        return OPEVO_OK;
    if (opevo_array_allocate(&self->mask, err) != OPEVO_OK)
        return OPEVO_NOMEM;
    for (int64_t e = 0; e < opevo_array_elements(condition); e++)
        ((float *)self->mask.data)[e] = ((const uint8_t *)condition->data)[e] ? 1.f : 0.f;
    return OPEVO_OK;
}

/* ---- Copies --------------------------------------------------------------------------------- */

static bool stays(const opevo_network_copy *box)
{
    bool same = box->from == box->to;

    for (int d = 0; d < box->dims; d++)
        same &= box->from_stride[d] == box->to_stride[d] || box->extent[d] == 1;
    return same;
}

static bool is_mask(const choice *self)
{
    const opevo_network_step *step = self->step;
    const opevo_array *out = array_of(self, step->output[0]);
    const opevo_network_copy *fill = NULL;
    bool same = step->inputs > 0 && opevo_array_elements(out) <= ELEMENTS_MOST;

    for (int k = 0; k < step->copies && same; k++) {
        const opevo_network_copy *box = &step->copy[k];

        if (box->input >= 0) {
            same = step->input[box->input] ==
                       step->input[step->copy[0].input < 0 ? box->input : step->copy[0].input] &&
                   stays(box) &&
                   opevo_i_net_same_shape(out, array_of(self, step->input[box->input]));
            continue;
        }
        same = !fill || memcmp(&fill->value, &box->value, sizeof fill->value) == 0;
        fill = box;
    }
    return same && fill;
}

static void mark(const opevo_network_copy *box, float *mask)
{
    int64_t count = 1;

    for (int d = 0; d < box->dims; d++)
        count *= box->extent[d];
    for (int64_t n = 0; n < count; n++) {
        int64_t to = box->to, rest = n;

        for (int d = box->dims - 1; d >= 0; d--) {
            to += rest % box->extent[d] * box->to_stride[d];
            rest /= box->extent[d];
        }
        mask[to] = box->input < 0 ? 0.f : 1.f;
    }
}

/* Leave the first part of each dimension along which all are equal. */
static void shorten(opevo_array *mask)
{
    int64_t behind = 1;
    float *at = mask->data;

    for (int d = mask->dims - 1; d >= 0; d--) {
        int64_t extent = mask->extent[d], before = opevo_array_elements(mask) / (extent * behind);
        bool same = true;

        for (int64_t b = 0; b < before && same; b++)
            for (int64_t i = 1; i < extent && same; i++)
                same = memcmp(at + b * extent * behind, at + (b * extent + i) * behind,
                              (size_t)behind * sizeof *at) == 0;
        for (int64_t b = 0; b < before && same; b++)
            memmove(at + b * behind, at + b * extent * behind, (size_t)behind * sizeof *at);
        mask->extent[d] = same ? 1 : extent;
        behind *= mask->extent[d];
    }
}

static opevo_status take_copy(choice *self, bool *found, opevo_error *err)
{
    const opevo_network_step *step = self->step;

    *found = is_mask(self);
    if (!*found)
        return OPEVO_OK;
    self->mask = *array_of(self, step->output[0]);
    self->mask.data = NULL;
    if (opevo_array_allocate(&self->mask, err) != OPEVO_OK)
        return OPEVO_NOMEM;
    self->operand[1] = -1;
    for (int k = 0; k < step->copies; k++) {
        mark(&step->copy[k], self->mask.data);
        if (step->copy[k].input >= 0)
            self->operand[0] = step->input[step->copy[k].input];
        else
            self->number = step->copy[k].value;
    }
    shorten(&self->mask);
    return OPEVO_OK;
}

/* ---- Definitions ---------------------------------------------------------------------------- */

opevo_status opevo_i_net_number_add(opevo_network_inference *inference, const char *name,
                                    float number, int *out, opevo_error *err)
{
    opevo_array array = {.type = OPEVO_NETWORK_FLOAT32};

    if (opevo_array_allocate(&array, err) != OPEVO_OK)
        return OPEVO_NOMEM;
    *(float *)array.data = number;
    return opevo_i_net_value_add(inference, name, &array, out, err);
}

static void declare(const opevo_array *array, int number, opevo_text *out)
{
    opevo_text_printf(out, "%sX%d[", array->data ? "const " : "", number);
    for (int d = 0; d < array->dims; d++)
        opevo_text_printf(out, "%s%lld", d ? ", " : "", (long long)array->extent[d]);
    opevo_text_add(out, "]\n");
}

/* At the place of an element of `dims` dimensions. */
static void read(const opevo_array *array, int number, int dims, opevo_text *out)
{
    opevo_text_printf(out, "X%d[", number);
    for (int d = 0; d < array->dims; d++) {
        opevo_text_add(out, d ? ", " : "");
        if (array->extent[d] == 1)
            opevo_text_add(out, "0");
        else
            opevo_text_printf(out, "a%d", d + dims - array->dims);
    }
    opevo_text_add(out, "]");
}

static opevo_status define(const choice *self, const int *operand, opevo_computation **out,
                           opevo_error *err)
{
    const opevo_array *made = array_of(self, self->step->output[0]);
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < 3; i++)
        declare(array_of(self, operand[i]), i, &text);
    opevo_text_add(&text, "Y0[");
    opevo_i_net_axes("a", made, &text);
    opevo_text_add(&text, "] = select(0 < ");
    for (int i = 0; i < 3; i++) {
        read(array_of(self, operand[i]), i, made->dims, &text);
        opevo_text_add(&text, i < 2 ? ", " : ")\n");
    }
    OPEVO_TRY(opevo_text_check(&text, err));
    status = opevo_computation_parse(opevo_text_string(&text), "definitions", NULL, 0, out, err);
cleanup:
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_i_net_mask_define(opevo_network_inference *inference, int number,
                                     opevo_network_step *out, opevo_error *err)
{
    choice self = {.inference = inference, .step = &inference->step[number]};
    const opevo_network_step *step = self.step;
    opevo_network_step made = {.kind = OPEVO_NETWORK_STEP_COMPUTE, .inputs = 3, .outputs = 1};
    opevo_status status = OPEVO_OK;
    bool found = false;

    *out = (opevo_network_step){0};
    if (step->outputs != 1 || array_of(&self, step->output[0])->type != OPEVO_NETWORK_FLOAT32)
        return OPEVO_OK;
    if (opevo_i_net_step_is_where(inference, step))
        OPEVO_TRY(take_where(&self, &found, err));
    else if (step->kind == OPEVO_NETWORK_STEP_COPY)
        OPEVO_TRY(take_copy(&self, &found, err));
    if (!found)
        goto cleanup;
    OPEVO_NEW(made.input, 3, "a mask");
    OPEVO_NEW(made.output, 1, "a mask");
    made.output[0] = step->output[0];
    OPEVO_TRY(opevo_i_net_value_add(inference, step->name, &self.mask, &made.input[0], err));
    for (int i = 0; i < 2; i++) {
        made.input[1 + i] = self.operand[i];
        if (self.operand[i] < 0)
            OPEVO_TRY(opevo_i_net_number_add(inference, step->name, self.number, &made.input[1 + i],
                                             err));
    }
    OPEVO_TRY(define(&self, made.input, &made.computation, err));
    *out = made;
    made = (opevo_network_step){0};
cleanup:
    opevo_array_free(&self.mask);
    opevo_i_net_step_free(&made);
    return status;
}
