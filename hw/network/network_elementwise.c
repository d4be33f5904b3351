/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators that work element by element, shapes broadcast to each other. */

#include "network_internal.h"

#include <math.h>
#include <string.h>

enum code {
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    MAXIMUM,
    MINIMUM,
    SUM,
    MEAN,
    POWER,
    PRELU,
    RELU,
    LEAKY_RELU,
    SIGMOID,
    HARD_SIGMOID,
    HARD_SWISH,
    TANH,
    EXPONENTIAL,
    SQUARE_ROOT,
    ERROR_FUNCTION,
    NEGATE,
    ABSOLUTE,
    RECIPROCAL,
    ELU,
    CLIP
};

/* ---- Shapes ---- */

static opevo_status infer(const opevo_i_call *call, opevo_error *err)
{
    opevo_array all = {0};

    if (!call->in[0])
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its first input is missing.");
    all = call->in[0]->array;
    for (int i = 1; i < call->ins; i++) {
        opevo_status status = OPEVO_OK;

        if (!call->in[i])
            return OPEVO_FAIL(err, OPEVO_INVALID, "Input %d is missing.", i);
        if (call->node->row->code != POWER && call->in[i]->array.type != all.type)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its inputs are of types %s and %s.",
                              opevo_network_type_name(all.type),
                              opevo_network_type_name(call->in[i]->array.type));
        status = opevo_i_broadcast(&all, &call->in[i]->array, &all.dims, all.extent, err);
        if (status != OPEVO_OK)
            return status;
    }
    return opevo_i_shape(call->out[0], all.type, all.dims, all.extent, err);
}

/* Bounds are attributes, or inputs of one element. */
static opevo_status infer_clip(const opevo_i_call *call, opevo_error *err)
{
    for (int i = 1; i < call->ins; i++) {
        if (call->in[i] && opevo_array_elements(&call->in[i]->array) != 1)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Input %d must have one element.", i);
    }
    if (!call->in[0])
        return OPEVO_FAIL(err, OPEVO_INVALID, "Its first input is missing.");
    return opevo_i_shape(call->out[0], call->in[0]->array.type, call->in[0]->array.dims,
                         call->in[0]->array.extent, err);
}

/* ---- Definitions ---- */

static void add_read(const opevo_i_call *call, int in, opevo_text *out)
{
    opevo_i_read(call, in, "a", call->out[0]->array.dims, out);
}

/* X0 op X1 op ..., or f(f(X0, X1), ...). */
static void define_many(const opevo_i_call *call, const char *function, const char *between,
                        opevo_text *out)
{
    for (int i = 1; i < call->ins && *function; i++)
        opevo_text_printf(out, "%s(", function);
    for (int i = 0; i < call->ins; i++) {
        opevo_text_add(out, i ? between : "");
        add_read(call, i, out);
        if (i && *function)
            opevo_text_add(out, ")");
    }
}

/* The power by a constant that products and roots give: 2, 3, 1/2, 1, 0. */
static double constant_power(const opevo_i_call *call)
{
    const opevo_net_value *value = call->in[1];

    if (!value->array.data || opevo_array_elements(&value->array) != 1)
        return NAN;
    return opevo_i_number(&value->array, value->array.data, 0);
}

static void define_power(const opevo_i_call *call, opevo_text *out)
{
    double power = constant_power(call);

    if (power == .5)
        opevo_text_add(out, "sqrt(");
    add_read(call, 0, out);
    if (power == .5)
        opevo_text_add(out, ")");
    for (int i = 1; i < (int)power; i++) {
        opevo_text_add(out, "*");
        add_read(call, 0, out);
    }
}

static void add_number(opevo_text *out, const char *before, double number, const char *after)
{
    opevo_text_add(out, before);
    opevo_text_add_double(out, number);
    opevo_text_add(out, after);
}

/* before X0 after. */
static void define_one(const opevo_i_call *call, const char *before, const char *after,
                       opevo_text *out)
{
    opevo_text_add(out, before);
    add_read(call, 0, out);
    opevo_text_add(out, after);
}

/* A bound as an input, or as an attribute; in old opsets float32's extremes stand for none. */
static bool has_bound(const opevo_i_call *call, int in, const char *name, double *value)
{
    bool given = in < call->ins && call->in[in];

    *value = opevo_i_attribute_float(call, name, INFINITY);
    return given || fabs(*value) < 3.4028234663852886e38;
}

static void add_bound(const opevo_i_call *call, int in, double value, opevo_text *out)
{
    if (in < call->ins && call->in[in]) {
        opevo_text_add(out, ", ");
        add_read(call, in, out);
        opevo_text_add(out, ")");
    } else {
        add_number(out, ", ", value, ")");
    }
}

static void define_clip(const opevo_i_call *call, opevo_text *out)
{
    double least = 0, most = 0;
    bool below = has_bound(call, 1, "min", &least), above = has_bound(call, 2, "max", &most);

    opevo_text_add(out, above ? "min(" : "");
    define_one(call, below ? "max(" : "", "", out);
    if (below)
        add_bound(call, 1, least, out);
    if (above)
        add_bound(call, 2, most, out);
}

static void define_value(const opevo_i_call *call, opevo_text *out)
{
    bool swish = call->node->row->code == HARD_SWISH;

    switch ((enum code)call->node->row->code) {
    case ADD:
    case SUM:
        define_many(call, "", " + ", out);
        break;
    case SUBTRACT:
        define_many(call, "", " - ", out);
        break;
    case MULTIPLY:
        define_many(call, "", "*", out);
        break;
    case DIVIDE:
        define_many(call, "", "/", out);
        break;
    case MAXIMUM:
        define_many(call, "max", ", ", out);
        break;
    case MINIMUM:
        define_many(call, "min", ", ", out);
        break;
    case MEAN:
        opevo_text_add(out, "(");
        define_many(call, "", " + ", out);
        opevo_text_printf(out, ")/%d", call->ins);
        break;
    case POWER:
        define_power(call, out);
        break;
    case PRELU:
        define_one(call, "max(", ", 0) + ", out);
        add_read(call, 1, out);
        define_one(call, "*min(", ", 0)", out);
        break;
    case RELU:
        define_one(call, "max(", ", 0)", out);
        break;
    case LEAKY_RELU:
        define_one(call, "max(", ", 0) + ", out);
        add_number(out, "", opevo_i_attribute_float(call, "alpha", (double).01f), "*");
        define_one(call, "min(", ", 0)", out);
        break;
    case SIGMOID:
        define_one(call, "sigmoid(", ")", out);
        break;
    case HARD_SIGMOID:
    case HARD_SWISH:
        if (swish)
            define_one(call, "", "*", out);
        add_number(out, "max(0, min(1, ",
                   swish ? 1. / 6 : opevo_i_attribute_float(call, "alpha", (double).2f), "*");
        add_read(call, 0, out);
        add_number(out, " + ", swish ? .5 : opevo_i_attribute_float(call, "beta", .5), "))");
        break;
    case TANH:
        define_one(call, "tanh(", ")", out);
        break;
    case EXPONENTIAL:
        define_one(call, "exp(", ")", out);
        break;
    case SQUARE_ROOT:
        define_one(call, "sqrt(", ")", out);
        break;
    case ERROR_FUNCTION:
        define_one(call, "erf(", ")", out);
        break;
    case NEGATE:
        define_one(call, "-", "", out);
        break;
    case ABSOLUTE:
        define_one(call, "max(", ", ", out);
        define_one(call, "-", ")", out);
        break;
    case RECIPROCAL:
        define_one(call, "1/", "", out);
        break;
    case ELU:
        define_one(call, "max(", ", 0) + ", out);
        add_number(out, "", opevo_i_attribute_float(call, "alpha", 1), "*");
        define_one(call, "(exp(min(", ", 0)) - 1)", out);
        break;
    case CLIP:
        define_clip(call, out);
        break;
    }
}

static opevo_status define(const opevo_i_call *call, opevo_text *out, opevo_error *err)
{
    for (int i = 0; i < call->ins; i++) {
        if (call->in[i] && (i == 0 || call->node->row->code != POWER))
            opevo_i_declare(call, i, out);
    }
    opevo_text_add(out, "Y0[");
    opevo_i_axes("a", &call->out[0]->array, out);
    opevo_text_add(out, "] = ");
    define_value(call, out);
    opevo_text_add(out, "\n");
    return opevo_text_check(out, err);
}

/* ---- Other types ---- */

static double apply(enum code code, double a, double b)
{
    switch (code) {
    case ADD:
    case SUM:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return a / b;
    case MAXIMUM:
        return a > b ? a : b;
    case MINIMUM:
        return a < b ? a : b;
    case POWER:
        return pow(a, b);
    default:
        return NAN;
    }
}

static int64_t apply_whole(enum code code, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;

    switch (code) {
    case ADD:
    case SUM:
        return (int64_t)(x + y);
    case SUBTRACT:
        return (int64_t)(x - y);
    case MULTIPLY:
        return (int64_t)(x * y);
    case DIVIDE: /* rounds to zero; the only overflow wraps */
        return b == 0 ? 0 : b == -1 ? (int64_t)(0 - x) : a / b;
    case MAXIMUM:
        return a > b ? a : b;
    case MINIMUM:
        return a < b ? a : b;
    default:
        return (int64_t)apply(code, (double)a, (double)b);
    }
}

/* Where element i of `all` is read in `array`. */
static int64_t place(const opevo_array *all, const opevo_array *array, int64_t i)
{
    int64_t at = 0, step = 1;

    for (int d = array->dims - 1; d >= 0; d--) {
        int64_t extent = all->extent[d + all->dims - array->dims];

        at += array->extent[d] == 1 ? 0 : i % extent * step;
        step *= array->extent[d];
        i /= extent;
    }
    return at;
}

static opevo_status move(const opevo_i_call *call, const void *const *in, void *const *out,
                         opevo_error *err)
{
    const opevo_array *all = &call->out[0]->array;
    enum code code = (enum code)call->node->row->code;

    (void)err;
    for (int64_t i = 0, count = opevo_array_elements(all); i < count; i++) {
        const opevo_array *first = &call->in[0]->array;
        double value = opevo_i_number(first, in[0], place(all, first, i));
        int64_t whole = opevo_i_whole(first, in[0], place(all, first, i));

        for (int k = 1; k < call->ins; k++) {
            const opevo_array *next = &call->in[k]->array;
            int64_t at = place(all, next, i);

            value = apply(code, value, opevo_i_number(next, in[k], at));
            if (opevo_i_type_is_whole(next->type))
                whole = apply_whole(code, whole, opevo_i_whole(next, in[k], at));
        }
        if (all->type == OPEVO_NETWORK_INT64 && code != POWER)
            ((int64_t *)out[0])[i] = whole;
        else
            opevo_i_set_number(all->type, out[0], i, value);
    }
    return OPEVO_OK;
}

/* A power is a product or a root where its exponent is such a constant. */
static opevo_status define_pow(const opevo_i_call *call, opevo_text *out, opevo_error *err)
{
    double power = constant_power(call);

    if (power == .5 || power == 1 || power == 2 || power == 3 || power == 4)
        return define(call, out, err);
    return OPEVO_FAIL(err, OPEVO_MISMATCH, "The exponent is not such a constant.");
}

const opevo_i_operator opevo_i_network_elementwise[] = {
    {"Add", 7, 2, 2, 1, infer, define, move, ADD},
    {"Sub", 7, 2, 2, 1, infer, define, move, SUBTRACT},
    {"Mul", 7, 2, 2, 1, infer, define, move, MULTIPLY},
    {"Div", 7, 2, 2, 1, infer, define, move, DIVIDE},
    {"Max", 8, 1, 0, 1, infer, define, move, MAXIMUM},
    {"Min", 8, 1, 0, 1, infer, define, move, MINIMUM},
    {"Sum", 8, 1, 0, 1, infer, define, move, SUM},
    {"Mean", 8, 1, 0, 1, infer, define, NULL, MEAN},
    {"Pow", 7, 2, 2, 1, infer, define_pow, move, POWER},
    {"PRelu", 7, 2, 2, 1, infer, define, NULL, PRELU},
    {"Relu", 6, 1, 1, 1, infer, define, NULL, RELU},
    {"LeakyRelu", 6, 1, 1, 1, infer, define, NULL, LEAKY_RELU},
    {"Sigmoid", 6, 1, 1, 1, infer, define, NULL, SIGMOID},
    {"HardSigmoid", 6, 1, 1, 1, infer, define, NULL, HARD_SIGMOID},
    {"HardSwish", 14, 1, 1, 1, infer, define, NULL, HARD_SWISH},
    {"Tanh", 6, 1, 1, 1, infer, define, NULL, TANH},
    {"Exp", 6, 1, 1, 1, infer, define, NULL, EXPONENTIAL},
    {"Sqrt", 6, 1, 1, 1, infer, define, NULL, SQUARE_ROOT},
    {"Erf", 9, 1, 1, 1, infer, define, NULL, ERROR_FUNCTION},
    {"Neg", 6, 1, 1, 1, infer, define, NULL, NEGATE},
    {"Abs", 6, 1, 1, 1, infer, define, NULL, ABSOLUTE},
    {"Reciprocal", 6, 1, 1, 1, infer, define, NULL, RECIPROCAL},
    {"Elu", 6, 1, 1, 1, infer, define, NULL, ELU},
    {"Clip", 6, 1, 3, 1, infer_clip, define, NULL, CLIP},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0},
};
