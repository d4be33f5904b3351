/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of one tensor, element by element. */

#include "network_internal.h"

#include <math.h>
#include <string.h>

/* In a formula, $ is the element, and A and B are the attributes of the row. */
typedef struct formula {
    const char *text;          /* NULL: the language of computations has no such function */
    double (*apply)(double);   /* what there is no text for, and other types than float32 */
    int64_t (*whole)(int64_t); /* of int64 */
    const char *a, *b;         /* names of attributes; NULL: none */
    float a_default, b_default;
} formula;

/* ---- Functions ---- */

static double positive(double x)
{
    return x > 0 ? x : 0;
}

static double negative(double x)
{
    return -x;
}

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

static double softplus(double x)
{
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

static double is_nan(double x)
{
    return isnan(x);
}

static int64_t whole_positive(int64_t x)
{
    return x > 0 ? x : 0;
}

static int64_t whole_negative(int64_t x)
{
    return (int64_t)(0 - (uint64_t)x);
}

static int64_t whole_absolute(int64_t x)
{
    return x < 0 ? whole_negative(x) : x;
}

static int64_t whole_sign(int64_t x)
{
    return (x > 0) - (x < 0);
}

enum code {
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
    SELU,
    CELU,
    THRESHOLDED_RELU,
    SHRINK,
    SOFTSIGN,
    SIGN,
    SOFTPLUS,
    LOGARITHM,
    FLOOR,
    CEILING,
    ROUND,
    SINE,
    COSINE,
    TANGENT,
    ARC_SINE,
    ARC_COSINE,
    ARC_TANGENT,
    SINE_H,
    COSINE_H,
    ARC_SINE_H,
    ARC_COSINE_H,
    ARC_TANGENT_H,
    IS_NAN
};

/* Defaults of attributes are floats of ONNX's operator schemas. */
static const formula formulas[] = {
    [RELU] = {.text = "max($, 0)", .apply = positive, .whole = whole_positive},
    [LEAKY_RELU] = {.text = "max($, 0) + A*min($, 0)", .a = "alpha", .a_default = .01f},
    [SIGMOID] = {.text = "sigmoid($)"},
    [HARD_SIGMOID] = {.text = "max(0, min(1, A*$ + B))",
                      .a = "alpha",
                      .a_default = .2f,
                      .b = "beta",
                      .b_default = .5f},
    [HARD_SWISH] = {.text = "$*max(0, min(1, $/6 + 0.5))"},
    [TANH] = {.text = "tanh($)", .apply = tanh},
    [EXPONENTIAL] = {.text = "exp($)", .apply = exp},
    [SQUARE_ROOT] = {.text = "sqrt($)", .apply = sqrt},
    [ERROR_FUNCTION] = {.text = "erf($)", .apply = erf},
    [NEGATE] = {.text = "-$", .apply = negative, .whole = whole_negative},
    [ABSOLUTE] = {.text = "max($, -$)", .apply = fabs, .whole = whole_absolute},
    [RECIPROCAL] = {.text = "1/$"},
    [ELU] = {.text = "max($, 0) + A*(exp(min($, 0)) - 1)", .a = "alpha", .a_default = 1},
    [SELU] = {.text = "B*(max($, 0) + A*(exp(min($, 0)) - 1))",
              .a = "alpha",
              .a_default = 1.67326319217681884765625f,
              .b = "gamma",
              .b_default = 1.05070102214813232421875f},
    [CELU] = {.text = "max($, 0) + A*(exp(min($, 0)/A) - 1)", .a = "alpha", .a_default = 1},
    [THRESHOLDED_RELU] = {.text = "select($ > A, $, 0)", .a = "alpha", .a_default = 1},
    [SHRINK] = {.text = "select($ < -B, $ + A, select($ > B, $ - A, 0))",
                .a = "bias",
                .b = "lambd",
                .b_default = .5f},
    [SOFTSIGN] = {.text = "$/(1 + max($, -$))"},
    [SIGN] = {.text = "select($ > 0, 1, select($ < 0, -1, 0))", .apply = sign, .whole = whole_sign},
    [SOFTPLUS] = {.text = "max($, 0) + log(1 + exp(-max($, -$)))", .apply = softplus},
    [LOGARITHM] = {.text = "log($)", .apply = log},
    [FLOOR] = {.apply = floor},
    [CEILING] = {.apply = ceil},
    [ROUND] = {.apply = rint},
    [SINE] = {.apply = sin},
    [COSINE] = {.apply = cos},
    [TANGENT] = {.apply = tan},
    [ARC_SINE] = {.apply = asin},
    [ARC_COSINE] = {.apply = acos},
    [ARC_TANGENT] = {.apply = atan},
    [SINE_H] = {.apply = sinh},
    [COSINE_H] = {.apply = cosh},
    [ARC_SINE_H] = {.apply = asinh},
    [ARC_COSINE_H] = {.apply = acosh},
    [ARC_TANGENT_H] = {.apply = atanh},
    [IS_NAN] = {.apply = is_nan},
};

static const formula *formula_of(const opevo_i_net_call *call)
{
    return &formulas[call->node->row->code];
}

/* ---- The node ---- */

static opevo_status infer(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    const formula *self = formula_of(call);

    if (in->type != OPEVO_NETWORK_FLOAT32 && (!self->apply || in->type == OPEVO_NETWORK_BOOL))
        return OPEVO_FAIL(err, OPEVO_INVALID, "opevo does not compute it on %s.",
                          opevo_network_type_name(in->type));
    return opevo_i_net_shape(call->out[0],
                             call->node->row->code == IS_NAN ? OPEVO_NETWORK_BOOL : in->type,
                             in->dims, in->extent, err);
}

static opevo_status define(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    const formula *self = formula_of(call);
    double a = self->a ? opevo_i_net_attribute_float(call, self->a, (double)self->a_default) : 0;
    double b = self->b ? opevo_i_net_attribute_float(call, self->b, (double)self->b_default) : 0;

    if (!self->text)
        return OPEVO_FAIL(err, OPEVO_MISMATCH, "It has no definitions.");
    opevo_i_net_declare(call, 0, out);
    opevo_text_add(out, "Y0[");
    opevo_i_net_axes("a", &call->out[0]->array, out);
    opevo_text_add(out, "] = ");
    for (const char *c = self->text; *c; c++) {
        if (*c == '$')
            opevo_i_net_read(call, 0, "a", call->out[0]->array.dims, out);
        else if (*c == 'A' || *c == 'B')
            opevo_text_add_double(out, *c == 'A' ? a : b);
        else
            opevo_text_add_bytes(out, c, 1);
    }
    opevo_text_add(out, "\n");
    return opevo_text_check(out, err);
}

static opevo_status move(const opevo_i_net_call *call, const void *const *in, void *const *out,
                         opevo_error *err)
{
    const opevo_array *from = &call->in[0]->array, *to = &call->out[0]->array;
    const formula *self = formula_of(call);

    (void)err;
    for (int64_t i = 0, count = opevo_array_elements(to); i < count; i++) {
        if (self->whole && opevo_i_net_type_is_whole(from->type))
            opevo_i_net_set_whole(to->type, out[0], i,
                                  self->whole(opevo_i_net_whole(from, in[0], i)));
        else
            opevo_i_net_set_number(to->type, out[0], i,
                                   self->apply(opevo_i_net_number(from, in[0], i)));
    }
    return OPEVO_OK;
}

const opevo_i_net_operator opevo_i_net_unary[] = {
    {"Relu", 6, 1, 1, 1, infer, define, move, RELU, NULL},
    {"LeakyRelu", 6, 1, 1, 1, infer, define, move, LEAKY_RELU, "alpha=float"},
    {"Sigmoid", 6, 1, 1, 1, infer, define, move, SIGMOID, NULL},
    {"HardSigmoid", 6, 1, 1, 1, infer, define, move, HARD_SIGMOID, "alpha=float beta=float"},
    {"HardSwish", 14, 1, 1, 1, infer, define, move, HARD_SWISH, NULL},
    {"Tanh", 6, 1, 1, 1, infer, define, move, TANH, NULL},
    {"Exp", 6, 1, 1, 1, infer, define, move, EXPONENTIAL, NULL},
    {"Sqrt", 6, 1, 1, 1, infer, define, move, SQUARE_ROOT, NULL},
    {"Erf", 9, 1, 1, 1, infer, define, move, ERROR_FUNCTION, NULL},
    {"Neg", 6, 1, 1, 1, infer, define, move, NEGATE, NULL},
    {"Abs", 6, 1, 1, 1, infer, define, move, ABSOLUTE, NULL},
    {"Reciprocal", 6, 1, 1, 1, infer, define, move, RECIPROCAL, NULL},
    {"Elu", 6, 1, 1, 1, infer, define, move, ELU, "alpha=float"},
    {"Selu", 6, 1, 1, 1, infer, define, move, SELU, "alpha=float gamma=float"},
    {"Celu", 12, 1, 1, 1, infer, define, move, CELU, "alpha=float"},
    {"ThresholdedRelu", 10, 1, 1, 1, infer, define, move, THRESHOLDED_RELU, "alpha=float"},
    {"Shrink", 9, 1, 1, 1, infer, define, move, SHRINK, "bias=float lambd=float"},
    {"Softsign", 1, 1, 1, 1, infer, define, move, SOFTSIGN, NULL},
    {"Sign", 9, 1, 1, 1, infer, define, move, SIGN, NULL},
    {"Softplus", 1, 1, 1, 1, infer, define, move, SOFTPLUS, NULL},
    {"Log", 6, 1, 1, 1, infer, define, move, LOGARITHM, NULL},
    {"Floor", 6, 1, 1, 1, infer, define, move, FLOOR, NULL},
    {"Ceil", 6, 1, 1, 1, infer, define, move, CEILING, NULL},
    {"Round", 11, 1, 1, 1, infer, define, move, ROUND, NULL},
    {"Sin", 7, 1, 1, 1, infer, define, move, SINE, NULL},
    {"Cos", 7, 1, 1, 1, infer, define, move, COSINE, NULL},
    {"Tan", 7, 1, 1, 1, infer, define, move, TANGENT, NULL},
    {"Asin", 7, 1, 1, 1, infer, define, move, ARC_SINE, NULL},
    {"Acos", 7, 1, 1, 1, infer, define, move, ARC_COSINE, NULL},
    {"Atan", 7, 1, 1, 1, infer, define, move, ARC_TANGENT, NULL},
    {"Sinh", 9, 1, 1, 1, infer, define, move, SINE_H, NULL},
    {"Cosh", 9, 1, 1, 1, infer, define, move, COSINE_H, NULL},
    {"Asinh", 9, 1, 1, 1, infer, define, move, ARC_SINE_H, NULL},
    {"Acosh", 9, 1, 1, 1, infer, define, move, ARC_COSINE_H, NULL},
    {"Atanh", 9, 1, 1, 1, infer, define, move, ARC_TANGENT_H, NULL},
    {"IsNaN", 9, 1, 1, 1, infer, define, move, IS_NAN, NULL},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL},
};
