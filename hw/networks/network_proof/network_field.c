/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The steps of a network in the field of residues. */

#include "network_proof_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/network_routine.h>
#include <opevo/proof_definition.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of random tensors, beyond those of the inputs. */
#define LABELS (UINT64_C(1) << 40)
#define UNKNOWN (UINT64_C(1) << 63)

typedef struct running {
    const opevo_network_inference *inference;
    const opevo_field *field;
    opevo_simt_value **values; /* of what is neither known nor released */
    int *readers;              /* steps that are still to read it */
    uint64_t degree;           /* of what nodes read, at most: the sum of those of two values */
} running;

/* What a definition reads: of a step that runs. */
typedef struct reading {
    const running *run;
    const opevo_network_step *step;
} reading;

int64_t opevo_i_netproof_label_of(float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits >= OPEVO_I_NETPROOF_FIRST_LABEL &&
                   bits - OPEVO_I_NETPROOF_FIRST_LABEL < OPEVO_I_NETPROOF_LABELS
               ? (int64_t)(bits - OPEVO_I_NETPROOF_FIRST_LABEL)
               : -1;
}

static int64_t elements_of(const running *self, int value)
{
    return opevo_array_elements(&self->inference->value[value].array);
}

/* A value that does not exist, as 0/0. */
static opevo_simt_value nothing(const running *self)
{
    const opevo_simt_arithmetic *arithmetic = opevo_field_arithmetic(self->field);

    return arithmetic->number(arithmetic, NAN, sizeof(double));
}

static opevo_simt_value known_value(const running *self, const opevo_array *array, int64_t e)
{
    const opevo_simt_arithmetic *arithmetic = opevo_field_arithmetic(self->field);
    bool is_float = array->type == OPEVO_NETWORK_FLOAT32;
    int64_t label = is_float ? opevo_i_netproof_label_of(((const float *)array->data)[e]) : -1;

    return label >= 0 ? opevo_field_input(self->field, LABELS, (uint64_t)label)
                      : arithmetic->number(arithmetic, opevo_array_number(array, e),
                                           is_float ? sizeof(float) : sizeof(double));
}

static opevo_simt_value value_at(const running *self, int value, int64_t e)
{
    const opevo_array *array = &self->inference->value[value].array;

    if (array->data)
        return known_value(self, array, e);
    return self->values[value] ? self->values[value][e] : nothing(self);
}

/* ---- Steps ---- */

static opevo_simt_value read_input(const void *context, const opevo_tensor *tensor,
                                   uint64_t element)
{
    const reading *self = context;

    return value_at(self->run, self->step->input[strtol(tensor->name + 1, NULL, 10)],
                    (int64_t)element);
}

static opevo_status compute(const running *self, const opevo_network_step *step, opevo_error *err)
{
    const reading from = {.run = self, .step = step};
    opevo_defined *defined = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_define(step->computation, opevo_field_arithmetic(self->field), read_input,
                           &from, &defined, err));
    for (int t = 0; t < step->computation->tensors; t++) {
        const opevo_tensor *tensor = step->computation->tensor[t];
        int value = -1;

        if (tensor->role != OPEVO_ROLE_OUTPUT)
            continue;
        value = step->output[strtol(tensor->name + 1, NULL, 10)];
        if (value >= 0)
            memcpy(self->values[value], opevo_defined_values(defined, t),
                   (size_t)opevo_tensor_elements(tensor) * sizeof **self->values);
    }
cleanup:
    opevo_defined_destroy(defined);
    return status;
}

static void copy_box(const running *self, const opevo_network_step *step,
                     const opevo_network_copy *box)
{
    const opevo_simt_arithmetic *arithmetic = opevo_field_arithmetic(self->field);
    bool is_float = self->inference->value[step->output[0]].array.type == OPEVO_NETWORK_FLOAT32;
    opevo_simt_value fill =
        arithmetic->number(arithmetic, is_float ? (double)box->value : 0, sizeof(float));
    int64_t count = 1;

    for (int d = 0; d < box->dims; d++)
        count *= box->extent[d];
    for (int64_t n = 0; n < count; n++) {
        int64_t from = box->from, to = box->to, rest = n;

        for (int d = box->dims - 1; d >= 0; d--) {
            from += rest % box->extent[d] * box->from_stride[d];
            to += rest % box->extent[d] * box->to_stride[d];
            rest /= box->extent[d];
        }
        self->values[step->output[0]][to] =
            box->input < 0 ? fill : value_at(self, step->input[box->input], from);
    }
}

static void note_degree(running *self, const opevo_simt_value *value)
{
    uint64_t degree = 2 * ((uint64_t)opevo_field_numerator(value) + opevo_field_denominator(value));

    self->degree = degree > self->degree ? degree : self->degree;
}

/* Elements of its results are random and the same for the same elements of its inputs; they do not
 * exist where one of these does not. */
static void apply_unknown(running *self, const opevo_network_step *step)
{
    uint64_t hash = opevo_hash_mix((uint64_t)step->node + 1);
    bool exists = true;

    for (int i = 0; i < step->inputs; i++) {
        int64_t count = step->input[i] < 0 ? 0 : elements_of(self, step->input[i]);

        hash = opevo_hash_mix(hash + (uint64_t)count + 1);
        for (int64_t e = 0; e < count; e++) {
            opevo_simt_value value = value_at(self, step->input[i], e);

            hash = opevo_hash_mix(hash ^ value.word[0]);
            hash = opevo_hash_mix(hash + value.word[1]);
            exists &= opevo_field_compare(&value, &value) == OPEVO_FIELD_EQUAL;
            note_degree(self, &value);
        }
    }
    for (int o = 0; o < step->outputs; o++)
        for (int64_t e = 0; step->output[o] >= 0 && e < elements_of(self, step->output[o]); e++)
            self->values[step->output[o]][e] =
                exists ? opevo_field_input(
                             self->field, UNKNOWN | opevo_hash_mix(hash + (uint64_t)o), (uint64_t)e)
                       : nothing(self);
}

/* ---- Where ---- */

/* The element of an input that is broadcast to an element of the result. */
static int64_t broadcast_at(const opevo_array *in, const opevo_array *out, int64_t e)
{
    int64_t at = 0, stride = 1;

    for (int d = out->dims - 1, i = in->dims - 1; i >= 0; d--, i--) {
        at += in->extent[i] == 1 ? 0 : e % out->extent[d] * stride;
        stride *= in->extent[i];
        e /= out->extent[d];
    }
    return at;
}

/* Truth values are 0 and 1: what is 1 where one holds and else 0 is that. */
static void choose(const running *self, const opevo_network_step *step)
{
    const opevo_simt_arithmetic *arithmetic = opevo_field_arithmetic(self->field);
    const opevo_array *out = &self->inference->value[step->output[0]].array;
    opevo_simt_value zero = arithmetic->number(arithmetic, 0, sizeof(float));
    opevo_simt_value one = arithmetic->number(arithmetic, 1, sizeof(float));

    for (int64_t e = 0; e < opevo_array_elements(out); e++) {
        opevo_simt_value in[3], *to = &self->values[step->output[0]][e];

        for (int i = 0; i < 3; i++)
            in[i] = value_at(self, step->input[i],
                             broadcast_at(&self->inference->value[step->input[i]].array, out, e));
        if (opevo_field_compare(&in[1], &one) == OPEVO_FIELD_EQUAL &&
            opevo_field_compare(&in[2], &zero) == OPEVO_FIELD_EQUAL)
            *to = in[0];
        else
            arithmetic->choose(arithmetic, 1, to, OPEVO_SIMT_LESS, &zero, &in[0], &in[1], &in[2]);
    }
}

static opevo_status run_node(running *self, const opevo_network_step *step, opevo_error *err)
{
    opevo_network_routine routine = {0};
    opevo_status status = opevo_network_step_routine(self->inference, step, &routine, err);

    if (status == OPEVO_OK && routine.name && strcmp(routine.name, "routine_where") == 0)
        choose(self, step);
    else if (status == OPEVO_OK)
        apply_unknown(self, step);
    opevo_network_routine_free(&routine);
    return status;
}

static opevo_status run_kind(running *self, const opevo_network_step *step, opevo_error *err)
{
    switch (step->kind) {
    case OPEVO_NETWORK_STEP_COMPUTE:
        return compute(self, step, err);
    case OPEVO_NETWORK_STEP_COPY:
        for (int k = 0; k < step->copies; k++)
            copy_box(self, step, &step->copy[k]);
        return OPEVO_OK;
    case OPEVO_NETWORK_STEP_VIEW:
        for (int64_t e = 0; e < elements_of(self, step->output[0]); e++)
            self->values[step->output[0]][e] = value_at(self, step->input[0], e);
        return OPEVO_OK;
    case OPEVO_NETWORK_STEP_NODE:
        break;
    }
    return run_node(self, step, err);
}

/* ---- All ---- */

/* What no step writes does not exist. */
static opevo_status allocate(running *self, int value, opevo_error *err)
{
    int64_t count = elements_of(self, value);

    self->values[value] = opevo_calloc((size_t)count + 1, sizeof **self->values);
    OPEVO_NEED_OR_RETURN(self->values[value], "a proof of the network");
    for (int64_t e = 0; e < count; e++)
        self->values[value][e] = nothing(self);
    return OPEVO_OK;
}

static opevo_status run_step(running *self, const opevo_network_step *step, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool known = true;

    for (int o = 0; o < step->outputs; o++) {
        if (step->output[o] < 0 || self->inference->value[step->output[o]].array.data)
            continue;
        known = false;
        OPEVO_TRY(allocate(self, step->output[o], err));
    }
    if (!known)
        OPEVO_TRY(run_kind(self, step, err));
    for (int i = 0; i < step->inputs; i++) {
        int value = step->input[i];

        if (value < 0 || --self->readers[value] || self->inference->value[value].output)
            continue;
        opevo_free(self->values[value]);
        self->values[value] = NULL;
    }
cleanup:
    return status;
}

static opevo_status start(running *self, opevo_error *err)
{
    const opevo_network_inference *inference = self->inference;
    opevo_status status = OPEVO_OK;

    OPEVO_NEW_OR_RETURN(self->values, (size_t)inference->values + 1, "a proof of the network");
    OPEVO_NEW_OR_RETURN(self->readers, (size_t)inference->values + 1, "a proof of the network");
    for (int n = 0; n < inference->steps; n++)
        for (int i = 0; i < inference->step[n].inputs; i++)
            if (inference->step[n].input[i] >= 0)
                self->readers[inference->step[n].input[i]]++;
    for (int i = 0; i < inference->inputs; i++) {
        int value = inference->input[i];

        OPEVO_TRY(allocate(self, value, err));
        for (int64_t e = 0; e < elements_of(self, value); e++)
            self->values[value][e] = opevo_field_input(self->field, (uint64_t)i, (uint64_t)e);
    }
cleanup:
    return status;
}

opevo_status opevo_i_netproof_in_field(const opevo_network_inference *inference,
                                       const opevo_field *field, opevo_simt_value **outputs,
                                       uint64_t *degree, opevo_error *err)
{
    running self = {.inference = inference, .field = field};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(start(&self, err));
    for (int n = 0; n < inference->steps; n++)
        OPEVO_TRY(run_step(&self, &inference->step[n], err));
    for (int i = 0; i < inference->outputs; i++) {
        int64_t count = elements_of(&self, inference->output[i]);

        OPEVO_NEW(outputs[i], (size_t)count + 1, "a proof of the network");
        for (int64_t e = 0; e < count; e++)
            outputs[i][e] = value_at(&self, inference->output[i], e);
    }
    *degree = self.degree > *degree ? self.degree : *degree;
cleanup:
    for (int i = 0; i < inference->values && self.values; i++)
        opevo_free(self.values[i]);
    opevo_free(self.values);
    opevo_free(self.readers);
    return status;
}
