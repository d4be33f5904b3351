/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators that work element by element, shapes broadcast to each other. */

#include "network_routine_internal.h"

#include <math.h>

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
    MODULO,
    CLIP,
    BITWISE_AND,
    BITWISE_OR,
    BITWISE_XOR,
    SHIFT
};

/* ---- Shapes ---- */

static opevo_status infer(const opevo_i_net_call *call, opevo_error *err)
{
    opevo_array all = {0};
    opevo_status status = OPEVO_OK;

    for (int i = 1; i < call->ins; i++) {
        if (call->in[i] && call->node->row->code != POWER &&
            call->in[i]->array.type != call->in[0]->array.type)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its inputs are of types %s and %s.",
                              opevo_network_type_name(call->in[0]->array.type),
                              opevo_network_type_name(call->in[i]->array.type));
    }
    status = opevo_i_net_broadcast_inputs(call, 0, &all, err);
    return status == OPEVO_OK
               ? opevo_i_net_shape(call->out[0], call->in[0]->array.type, all.dims, all.extent, err)
               : status;
}

/* Bounds are attributes, or inputs of one element. */
static opevo_status infer_clip(const opevo_i_net_call *call, opevo_error *err)
{
    if (call->opset < 11 && call->ins > 1)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "Bounds as inputs are of opsets from 11; in opset %lld they are attributes.",
            (long long)call->opset);
    for (int i = 1; i < call->ins; i++) {
        if (call->in[i] && opevo_array_elements(&call->in[i]->array) != 1)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Input %d must have one element.", i);
        if (call->in[i] && call->in[i]->array.type != call->in[0]->array.type)
            return OPEVO_FAIL(err, OPEVO_INVALID, "Its inputs are of types %s and %s.",
                              opevo_network_type_name(call->in[0]->array.type),
                              opevo_network_type_name(call->in[i]->array.type));
    }
    return opevo_i_net_shape(call->out[0], call->in[0]->array.type, call->in[0]->array.dims,
                             call->in[0]->array.extent, err);
}

/* The remainder of floats has the sign of the dividend, which fmod says. */
static opevo_status infer_modulo(const opevo_i_net_call *call, opevo_error *err)
{
    if (!opevo_i_net_type_is_whole(call->in[0]->array.type) &&
        !opevo_i_net_attribute_int(call, "fmod", 0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Attribute fmod must be 1 for %s.",
                          opevo_network_type_name(call->in[0]->array.type));
    return infer(call, err);
}

static opevo_status infer_bits(const opevo_i_net_call *call, opevo_error *err)
{
    if (!opevo_i_net_type_is_whole(call->in[0]->array.type))
        return OPEVO_FAIL(err, OPEVO_INVALID, "It is of whole numbers.");
    return infer(call, err);
}

/* ---- Definitions ---- */

static void add_read(const opevo_i_net_call *call, int in, opevo_text *out)
{
    opevo_i_net_read(call, in, "a", call->out[0]->array.dims, out);
}

/* X0 op X1 op ..., or f(f(X0, X1), ...), of `count` inputs from the first on; of many, halves of
 * them, since expressions are nested up to a limit only. */
static void define_range(const opevo_i_net_call *call, int first, int count, const char *function,
                         const char *between, opevo_text *out)
{
    enum { FEW = 16 };

    if (count > FEW) {
        opevo_text_printf(out, "%s(", function);
        define_range(call, first, count / 2, function, between, out);
        opevo_text_add(out, between);
        define_range(call, first + count / 2, count - count / 2, function, between, out);
        opevo_text_add(out, ")");
        return;
    }
    for (int i = 1; i < count && *function; i++)
        opevo_text_printf(out, "%s(", function);
    for (int i = 0; i < count; i++) {
        opevo_text_add(out, i ? between : "");
        add_read(call, first + i, out);
        if (i && *function)
            opevo_text_add(out, ")");
    }
}

static void define_many(const opevo_i_net_call *call, const char *function, const char *between,
                        opevo_text *out)
{
    define_range(call, 0, call->ins, function, between, out);
}

/* The exponent if it is one constant; NAN otherwise. */
static double constant_power(const opevo_i_net_call *call)
{
    const opevo_network_value *value = call->in[1];

    if (!value->array.data || opevo_array_elements(&value->array) != 1)
        return NAN;
    return opevo_i_net_number(&value->array, value->array.data, 0);
}

/* X, X*X, ..., the root, or 1 over these. */
static void define_power(const opevo_i_net_call *call, opevo_text *out)
{
    double power = constant_power(call);
    bool root = fabs(power) == .5;

    opevo_text_add(out, power < 0 ? "1/(" : "");
    opevo_text_add(out, root ? "sqrt(" : "");
    add_read(call, 0, out);
    opevo_text_add(out, root ? ")" : "");
    for (int i = 1; i < (int)fabs(power); i++) {
        opevo_text_add(out, "*");
        add_read(call, 0, out);
    }
    opevo_text_add(out, power < 0 ? ")" : "");
}

static void add_number(opevo_text *out, const char *before, double number, const char *after)
{
    opevo_text_add(out, before);
    opevo_text_add_double(out, number);
    opevo_text_add(out, after);
}

/* before X0 after. */
static void define_one(const opevo_i_net_call *call, const char *before, const char *after,
                       opevo_text *out)
{
    opevo_text_add(out, before);
    add_read(call, 0, out);
    opevo_text_add(out, after);
}

/* A bound as an input, or as an attribute; in old opsets float32's extremes, and in all of
 * them a constant NaN, mean that the side is unbounded. */
static bool has_bound(const opevo_i_net_call *call, int in, const char *name, double *value)
{
    const opevo_array *bound = in < call->ins && call->in[in] ? &call->in[in]->array : NULL;
    bool given = bound && !(bound->data && isnan(opevo_array_number(bound, 0)));

    *value = opevo_i_net_attribute_float(call, name, INFINITY);
    return given || fabs(*value) < 3.4028234663852886e38;
}

static void add_bound(const opevo_i_net_call *call, int in, double value, opevo_text *out)
{
    if (in < call->ins && call->in[in]) {
        opevo_text_add(out, ", ");
        add_read(call, in, out);
        opevo_text_add(out, ")");
    } else {
        add_number(out, ", ", value, ")");
    }
}

static void define_clip(const opevo_i_net_call *call, opevo_text *out)
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

static void define_value(const opevo_i_net_call *call, opevo_text *out)
{
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
    case CLIP:
        define_clip(call, out);
        break;
    default: /* without definitions */
        break;
    }
}

static opevo_status define(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    for (int i = 0; i < call->ins; i++) {
        if (call->in[i] && (i == 0 || call->node->row->code != POWER))
            opevo_i_net_declare(call, i, out);
    }
    opevo_text_add(out, "Y0[");
    opevo_i_net_axes("a", &call->out[0]->array, out);
    opevo_text_add(out, "] = ");
    define_value(call, out);
    opevo_text_add(out, "\n");
    return opevo_text_check(out, err);
}

/* ---- Other types ---- */

/* By their code. */
static const int routines[] = {[ADD] = ROUTINE_ADD,
                               [SUBTRACT] = ROUTINE_SUBTRACT,
                               [MULTIPLY] = ROUTINE_MULTIPLY,
                               [DIVIDE] = ROUTINE_DIVIDE,
                               [MAXIMUM] = ROUTINE_MAXIMUM,
                               [MINIMUM] = ROUTINE_MINIMUM,
                               [SUM] = ROUTINE_ADD,
                               [MEAN] = ROUTINE_ADD,
                               [POWER] = ROUTINE_POWER,
                               [PRELU] = ROUTINE_PRELU,
                               [MODULO] = ROUTINE_MODULO,
                               [BITWISE_AND] = ROUTINE_BITWISE_AND,
                               [BITWISE_OR] = ROUTINE_BITWISE_OR,
                               [BITWISE_XOR] = ROUTINE_BITWISE_XOR,
                               [SHIFT] = ROUTINE_SHIFT_RIGHT};

static opevo_status take(const opevo_i_net_call *call, opevo_network_routine *out, opevo_error *err)
{
    int code = call->node->row->code;
    bool left = code == SHIFT && opevo_i_net_attribute_is(call, "direction", "LEFT");
    const int64_t numbers[] = {left ? ROUTINE_SHIFT_LEFT : routines[code],
                               opevo_i_net_attribute_int(call, "fmod", 0),
                               code == MEAN ? call->ins : 1};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == OPEVO_OK; i++)
        status = opevo_i_net_routine_whole(out, numbers[i], err);
    return status;
}

static opevo_status take_clip(const opevo_i_net_call *call, opevo_network_routine *out,
                              opevo_error *err)
{
    double least = 0, most = 0;
    bool below = has_bound(call, 1, "min", &least), above = has_bound(call, 2, "max", &most);
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_net_routine_whole(out, below, err));
    OPEVO_TRY(opevo_i_net_routine_whole(out, above, err));
    OPEVO_TRY(opevo_i_net_routine_number(out, least, err));
    OPEVO_TRY(opevo_i_net_routine_number(out, most, err));
cleanup:
    return status;
}

static const opevo_i_net_routine binary = {"routine_binary", routine_binary, take, NULL};
static const opevo_i_net_routine clip = {"routine_clip", routine_clip, take_clip, NULL};

/* A power is a product or a root where its exponent is such a constant. */
static opevo_status define_pow(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    double power = constant_power(call);

    if (fabs(power) == .5 || fabs(power) == 1 || fabs(power) == 2 || power == 3 || power == 4)
        return define(call, out, err);
    return OPEVO_FAIL(err, OPEVO_MISMATCH, "The exponent is not such a constant.");
}

/* Of a version, with at least and at most so many inputs; 0: any number. */
#define BINARY(name, since, least, most, function)                                                 \
    {                                                                                              \
        name, since, least, most, 1, infer, define, opevo_i_net_move_by_routine, function, NULL,   \
            &binary, 0                                                                             \
    }

const opevo_i_net_operator opevo_i_net_elementwise[] = {
    BINARY("Add", 7, 2, 2, ADD),
    BINARY("Sub", 7, 2, 2, SUBTRACT),
    BINARY("Mul", 7, 2, 2, MULTIPLY),
    BINARY("Div", 7, 2, 2, DIVIDE),
    BINARY("Max", 8, 1, 0, MAXIMUM),
    BINARY("Min", 8, 1, 0, MINIMUM),
    BINARY("Sum", 8, 1, 0, SUM),
    BINARY("Mean", 8, 1, 0, MEAN),
    {"Pow", 7, 2, 2, 1, infer, define_pow, opevo_i_net_move_by_routine, POWER, NULL, &binary, 0},
    BINARY("PRelu", 7, 2, 2, PRELU),
    {"Clip", 6, 1, 3, 1, infer_clip, define, opevo_i_net_move_by_routine, CLIP,
     "max=float:-10 min=float:-10", &clip, 0},
    {"Mod", 10, 2, 2, 1, infer_modulo, opevo_i_net_define_none, opevo_i_net_move_by_routine, MODULO,
     "fmod=int", &binary, 0},
    {"BitwiseAnd", 18, 2, 2, 1, infer_bits, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     BITWISE_AND, NULL, &binary, 0},
    {"BitwiseOr", 18, 2, 2, 1, infer_bits, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     BITWISE_OR, NULL, &binary, 0},
    {"BitwiseXor", 18, 2, 2, 1, infer_bits, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     BITWISE_XOR, NULL, &binary, 0},
    {"BitShift", 11, 2, 2, 1, infer_bits, opevo_i_net_define_none, opevo_i_net_move_by_routine,
     SHIFT, "direction=string!", &binary, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
