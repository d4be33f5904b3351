/* SPDX-License-Identifier: GPL-3.0-or-later */

/* LSTM, GRU and RNN. */

#include "network_routine_internal.h"

#include <string.h>
#include <strings.h>

/* An activation with the alpha and beta that it has by default; source: ONNX operator schemas. */
static const struct activation {
    const char *name;
    int code;
    double alpha, beta;
} activations[] = {{"Sigmoid", ROUTINE_CELL_SIGMOID, 0, 0},
                   {"Tanh", ROUTINE_CELL_TANH, 0, 0},
                   {"Relu", ROUTINE_CELL_RELU, 0, 0},
                   {"Affine", ROUTINE_CELL_AFFINE, 1, 0},
                   {"LeakyRelu", ROUTINE_CELL_LEAKY_RELU, .01, 0},
                   {"ThresholdedRelu", ROUTINE_CELL_THRESHOLDED_RELU, 1, 0},
                   {"ScaledTanh", ROUTINE_CELL_SCALED_TANH, 1, 1},
                   {"HardSigmoid", ROUTINE_CELL_HARD_SIGMOID, .2, .5},
                   {"Elu", ROUTINE_CELL_ELU, 1, 0},
                   {"Softsign", ROUTINE_CELL_SOFTSIGN, 0, 0},
                   {"Softplus", ROUTINE_CELL_SOFTPLUS, 0, 0}};

static const int64_t gates[] = {[ROUTINE_RNN] = 1, [ROUTINE_GRU] = 3, [ROUTINE_LSTM] = 4};
static const int functions[] = {[ROUTINE_RNN] = 1, [ROUTINE_GRU] = 2, [ROUTINE_LSTM] = 3};

typedef struct recurrence {
    int kind, directions;
    bool back, batch_first;
    int64_t steps, batch, in, hidden;
} recurrence;

static opevo_status recurrence_of(const opevo_i_net_call *call, recurrence *self, opevo_error *err)
{
    const opevo_array *x = &call->in[0]->array, *r = &call->in[2]->array;
    bool both = opevo_i_net_attribute_is(call, "direction", "bidirectional");
    bool forward = !opevo_i_net_attribute(call, "direction") ||
                   opevo_i_net_attribute_is(call, "direction", "forward");

    *self = (recurrence){.kind = call->node->row->code,
                         .directions = both ? 2 : 1,
                         .back = opevo_i_net_attribute_is(call, "direction", "reverse"),
                         .batch_first = opevo_i_net_attribute_int(call, "layout", 0) != 0};
    if (!both && !forward && !self->back)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Attribute direction is not forward, reverse or bidirectional.");
    if (x->dims != 3 || r->dims != 3)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Inputs 0 and 2 must have 3 dimensions.");
    self->steps = x->extent[self->batch_first];
    self->batch = x->extent[!self->batch_first];
    self->in = x->extent[2];
    self->hidden = r->extent[2];
    return OPEVO_OK;
}

static bool has_shape(const opevo_array *array, int dims, int64_t a, int64_t b, int64_t c)
{
    const int64_t extent[] = {a, b, c};
    bool same = array->dims == dims;

    for (int d = 0; d < dims && same; d++)
        same = array->extent[d] == extent[d];
    return same;
}

static opevo_status check_inputs(const opevo_i_net_call *call, const recurrence *self,
                                 opevo_error *err)
{
    int64_t rows = gates[self->kind] * self->hidden, directions = self->directions;
    int64_t first = self->batch_first ? self->batch : directions;
    int64_t second = self->batch_first ? directions : self->batch;

    for (int i = 0; i < call->ins; i++) {
        const opevo_array *array = call->in[i] ? &call->in[i]->array : NULL;
        bool fits = true;

        if (!array)
            continue;
        switch (i) {
        case 1:
            fits = has_shape(array, 3, directions, rows, self->in);
            break;
        case 2:
            fits = has_shape(array, 3, directions, rows, self->hidden);
            break;
        case 3:
            fits = has_shape(array, 2, directions, 2 * rows, 0);
            break;
        case 4:
            fits = has_shape(array, 1, self->batch, 0, 0);
            break;
        case 7:
            fits = has_shape(array, 2, directions, 3 * self->hidden, 0);
            break;
        default:
            fits = i == 0 || has_shape(array, 3, first, second, self->hidden);
        }
        if (!fits || (i != 4 && array->type != OPEVO_NETWORK_FLOAT32) ||
            (i == 4 && !opevo_i_net_type_is_whole(array->type)))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Input %d is of another shape or type.", i);
    }
    return OPEVO_OK;
}

static opevo_status infer_recurrent(const opevo_i_net_call *call, opevo_error *err)
{
    recurrence self;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(recurrence_of(call, &self, err));
    OPEVO_TRY(check_inputs(call, &self, err));
    if (call->outs > (self.kind == ROUTINE_LSTM ? 3 : 2))
        return OPEVO_FAIL(err, OPEVO_INVALID, "It has %d outputs.", call->outs);
    if (call->outs > 0 && call->out[0]) {
        const int64_t first[] = {self.batch, self.steps, self.directions, self.hidden};
        const int64_t usual[] = {self.steps, self.directions, self.batch, self.hidden};

        OPEVO_TRY(opevo_i_net_shape(call->out[0], OPEVO_NETWORK_FLOAT32, 4,
                                    self.batch_first ? first : usual, err));
    }
    for (int i = 1; i < call->outs; i++) {
        const int64_t first[] = {self.batch, self.directions, self.hidden};
        const int64_t usual[] = {self.directions, self.batch, self.hidden};

        if (call->out[i])
            OPEVO_TRY(opevo_i_net_shape(call->out[i], OPEVO_NETWORK_FLOAT32, 3,
                                        self.batch_first ? first : usual, err));
    }
cleanup:
    return status;
}

/* Activation i of the list of all directions. */
static const struct activation *activation_of(const opevo_i_net_call *call, int kind, int i)
{
    const Onnx__Attribute *given = opevo_i_net_attribute(call, "activations");
    int number = i % functions[kind];

    if (!given)
        return &activations[number || kind == ROUTINE_RNN ? 1 : 0];
    if ((size_t)i >= given->n_strings)
        return NULL;
    for (size_t k = 0; k < sizeof activations / sizeof *activations; k++) {
        if (given->strings[i].len == strlen(activations[k].name) &&
            strncasecmp((const char *)given->strings[i].data, activations[k].name,
                        given->strings[i].len) == 0)
            return &activations[k];
    }
    return NULL;
}

static opevo_status take_activations(const opevo_i_net_call *call, const recurrence *self,
                                     opevo_network_routine *out, opevo_error *err)
{
    const Onnx__Attribute *alpha = opevo_i_net_attribute(call, "activation_alpha");
    const Onnx__Attribute *beta = opevo_i_net_attribute(call, "activation_beta");
    opevo_status status = OPEVO_OK;

    for (int direction = 0; direction < self->directions; direction++) {
        for (int i = 0; i < 3; i++) {
            int used = i < functions[self->kind] ? i : 0;
            size_t at = (size_t)(direction * functions[self->kind] + used);
            const struct activation *one = activation_of(call, self->kind, (int)at);

            if (!one)
                return OPEVO_FAIL(err, OPEVO_INVALID,
                                  "Attribute activations names %d functions that ONNX defines, "
                                  "for each direction; one is missing or unknown.",
                                  functions[self->kind]);
            OPEVO_TRY(opevo_i_net_routine_whole(out, one->code, err));
            OPEVO_TRY(opevo_i_net_routine_number(
                out, alpha && at < alpha->n_floats ? (double)alpha->floats[at] : one->alpha, err));
            OPEVO_TRY(opevo_i_net_routine_number(
                out, beta && at < beta->n_floats ? (double)beta->floats[at] : one->beta, err));
        }
    }
cleanup:
    return status;
}

static opevo_status take(const opevo_i_net_call *call, opevo_network_routine *out, opevo_error *err)
{
    recurrence self;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(recurrence_of(call, &self, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, self.kind, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, self.directions, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, self.back, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, self.batch_first, err));
    OPEVO_TRY(opevo_i_net_routine_whole(
        out,
        opevo_i_net_attribute_int(
            call, self.kind == ROUTINE_GRU ? "linear_before_reset" : "input_forget", 0),
        err));
    OPEVO_TRY(opevo_i_net_routine_number(out, opevo_i_net_attribute_float(call, "clip", 0), err));
    OPEVO_TRY(take_activations(call, &self, out, err));
cleanup:
    return status;
}

static const opevo_i_net_routine recurrent = {"routine_recurrent", routine_recurrent, take,
                                              routine_recurrent_need};

#define SHARED                                                                                     \
    "activation_alpha=floats activation_beta=floats activations=strings clip=float "               \
    "direction=string hidden_size=int layout=int:14-"

const opevo_i_net_operator opevo_i_net_recurrent[] = {
    {"RNN", 7, 3, 6, 0, infer_recurrent, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     ROUTINE_RNN, SHARED, &recurrent, 0},
    {"GRU", 7, 3, 6, 0, infer_recurrent, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     ROUTINE_GRU, SHARED " linear_before_reset=int", &recurrent, 0},
    {"LSTM", 7, 3, 8, 0, infer_recurrent, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     ROUTINE_LSTM, SHARED " input_forget=int", &recurrent, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
