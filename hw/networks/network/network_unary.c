/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions of one tensor, element by element. */

#include "network_routine_internal.h"

/* In a formula, $ is the element, and A and B are the attributes of the row. */
typedef struct formula {
    const char *text;  /* NULL: the language of computations has no such function */
    bool whole;        /* there is one of whole numbers */
    const char *a, *b; /* names of attributes; NULL: none */
    float a_default, b_default;
} formula;

/* Defaults of attributes are floats of ONNX's operator schemas. */
static const formula formulas[] = {
    [ROUTINE_RELU] = {.text = "max($, 0)", .whole = true},
    [ROUTINE_LEAKY_RELU] = {.text = "max($, 0) + A*min($, 0)", .a = "alpha", .a_default = .01f},
    [ROUTINE_SIGMOID] = {.text = "sigmoid($)"},
    [ROUTINE_HARD_SIGMOID] = {.text = "max(0, min(1, A*$ + B))",
                              .a = "alpha",
                              .a_default = .2f,
                              .b = "beta",
                              .b_default = .5f},
    [ROUTINE_HARD_SWISH] = {.text = "$*max(0, min(1, $/6 + 0.5))"},
    [ROUTINE_TANH] = {.text = "tanh($)"},
    [ROUTINE_EXP] = {.text = "exp($)"},
    [ROUTINE_SQRT] = {.text = "sqrt($)"},
    [ROUTINE_ERF] = {.text = "erf($)"},
    [ROUTINE_NEGATE] = {.text = "-$", .whole = true},
    [ROUTINE_ABSOLUTE] = {.text = "max($, -$)", .whole = true},
    [ROUTINE_RECIPROCAL] = {.text = "1/$"},
    [ROUTINE_ELU] = {.text = "max($, 0) + A*(exp(min($, 0)) - 1)", .a = "alpha", .a_default = 1},
    [ROUTINE_SELU] = {.text = "B*(max($, 0) + A*(exp(min($, 0)) - 1))",
                      .a = "alpha",
                      .a_default = 1.67326319217681884765625f,
                      .b = "gamma",
                      .b_default = 1.05070102214813232421875f},
    [ROUTINE_CELU] = {.text = "max($, 0) + A*(exp(min($, 0)/A) - 1)", .a = "alpha", .a_default = 1},
    [ROUTINE_THRESHOLDED_RELU] = {.text = "select($ > A, $, 0)", .a = "alpha", .a_default = 1},
    [ROUTINE_SHRINK] = {.text = "select($ < -B, $ + A, select($ > B, $ - A, 0))",
                        .a = "bias",
                        .b = "lambd",
                        .b_default = .5f},
    [ROUTINE_SOFTSIGN] = {.text = "$/(1 + max($, -$))"},
    [ROUTINE_SIGN] = {.text = "select($ > 0, 1, select($ < 0, -1, 0))", .whole = true},
    [ROUTINE_SOFTPLUS] = {.text = "max($, 0) + log(1 + exp(-max($, -$)))"},
    [ROUTINE_LOG] = {.text = "log($)"},
    [ROUTINE_IS_INF] = {.a = "detect_negative",
                        .a_default = 1,
                        .b = "detect_positive",
                        .b_default = 1},
    [ROUTINE_BITWISE_NOT] = {.whole = true},
    [ROUTINE_GELU] = {.text = "0.5*$*(1 + erf($*0.7071067811865476))"},
    [ROUTINE_GELU_TANH] = {.text = "0.5*$*(1 + tanh(0.7978845608028654*($ + 0.044715*$*$*$)))"},
    [ROUTINE_MISH] = {.text = "$*tanh(max($, 0) + log(1 + exp(-max($, -$))))"},
    [ROUTINE_SWISH] = {.text = "$*sigmoid(A*$)", .a = "alpha", .a_default = 1},
};

static const formula *formula_of(const opevo_i_net_call *call)
{
    return &formulas[call->node->row->code];
}

/* ---- The node ---- */

/* An attribute that is a number, of whatever type. */
static double parameter(const opevo_i_net_call *call, const char *name, float absent)
{
    const Onnx__Attribute *attribute = name ? opevo_i_net_attribute(call, name) : NULL;

    return !attribute         ? (double)absent
           : attribute->has_i ? (double)attribute->i
                              : (double)attribute->f;
}

static opevo_status infer(const opevo_i_net_call *call, opevo_error *err)
{
    const opevo_array *in = &call->in[0]->array;
    const formula *self = formula_of(call);

    if (opevo_i_net_type_is_whole(in->type) && (!self->whole || in->type == OPEVO_NETWORK_BOOL))
        return OPEVO_FAIL(err, OPEVO_INVALID, "opevo does not compute it on %s.",
                          opevo_network_type_name(in->type));
    return opevo_i_net_shape(call->out[0],
                             call->node->row->code == ROUTINE_IS_NAN ||
                                     call->node->row->code == ROUTINE_IS_INF
                                 ? OPEVO_NETWORK_BOOL
                                 : in->type,
                             in->dims, in->extent, err);
}

static opevo_status define(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    const formula *self = formula_of(call);
    double a = parameter(call, self->a, self->a_default);
    double b = parameter(call, self->b, self->b_default);

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

static opevo_status take(const opevo_i_net_call *call, opevo_network_routine *out, opevo_error *err)
{
    const formula *self = formula_of(call);
    opevo_status status = opevo_i_net_routine_take_code(call, out, err);

    if (status == OPEVO_OK)
        status = opevo_i_net_routine_number(out, parameter(call, self->a, self->a_default), err);
    return status == OPEVO_OK
               ? opevo_i_net_routine_number(out, parameter(call, self->b, self->b_default), err)
               : status;
}

/* By its attribute a Gelu is one of two functions. */
static const opevo_i_net_operator tanh_row = {.code = ROUTINE_GELU_TANH};

static opevo_i_net_call as_gelu(const opevo_i_net_call *call, opevo_i_net_node *node)
{
    opevo_i_net_call out = *call;

    *node = *call->node;
    if (opevo_i_net_attribute_is(call, "approximate", "tanh"))
        node->row = &tanh_row;
    out.node = node;
    return out;
}

static opevo_status define_gelu(const opevo_i_net_call *call, opevo_text *out, opevo_error *err)
{
    opevo_i_net_node node;
    opevo_i_net_call as = as_gelu(call, &node);

    return define(&as, out, err);
}

static opevo_status take_gelu(const opevo_i_net_call *call, opevo_network_routine *out,
                              opevo_error *err)
{
    opevo_i_net_node node;
    opevo_i_net_call as = as_gelu(call, &node);

    return take(&as, out, err);
}

static const opevo_i_net_routine gelu = {"routine_unary", routine_unary, take_gelu};
static const opevo_i_net_routine unary = {"routine_unary", routine_unary, take};

const opevo_i_net_operator opevo_i_net_unary[] = {
    {"Relu", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_RELU, NULL, &unary, 0},
    {"LeakyRelu", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_LEAKY_RELU,
     "alpha=float", &unary, 0},
    {"Sigmoid", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_SIGMOID, NULL,
     &unary, 0},
    {"HardSigmoid", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_HARD_SIGMOID,
     "alpha=float beta=float", &unary, 0},
    {"HardSwish", 14, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_HARD_SWISH, NULL,
     &unary, 0},
    {"Tanh", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_TANH, NULL, &unary, 0},
    {"Exp", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_EXP, NULL, &unary, 0},
    {"Sqrt", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_SQRT, NULL, &unary, 0},
    {"Erf", 9, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_ERF, NULL, &unary, 0},
    {"Neg", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_NEGATE, NULL, &unary,
     0},
    {"Abs", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_ABSOLUTE, NULL, &unary,
     0},
    {"Reciprocal", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_RECIPROCAL, NULL,
     &unary, 0},
    {"Elu", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_ELU, "alpha=float",
     &unary, 0},
    {"Selu", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_SELU,
     "alpha=float gamma=float", &unary, 0},
    {"Celu", 12, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_CELU, "alpha=float",
     &unary, 0},
    {"ThresholdedRelu", 10, 1, 1, 1, infer, define, opevo_i_net_move_by_routine,
     ROUTINE_THRESHOLDED_RELU, "alpha=float", &unary, 0},
    {"Shrink", 9, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_SHRINK,
     "bias=float lambd=float", &unary, 0},
    {"Softsign", 1, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_SOFTSIGN, NULL,
     &unary, 0},
    {"Sign", 9, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_SIGN, NULL, &unary, 0},
    {"Softplus", 1, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_SOFTPLUS, NULL,
     &unary, 0},
    {"Log", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_LOG, NULL, &unary, 0},
    {"Floor", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_FLOOR, NULL, &unary,
     0},
    {"Ceil", 6, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_CEIL, NULL, &unary, 0},
    {"Round", 11, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_ROUND, NULL, &unary,
     0},
    {"Sin", 7, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_SIN, NULL, &unary, 0},
    {"Cos", 7, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_COS, NULL, &unary, 0},
    {"Tan", 7, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_TAN, NULL, &unary, 0},
    {"Asin", 7, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_ASIN, NULL, &unary, 0},
    {"Acos", 7, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_ACOS, NULL, &unary, 0},
    {"Atan", 7, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_ATAN, NULL, &unary, 0},
    {"Sinh", 9, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_SINH, NULL, &unary, 0},
    {"Cosh", 9, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_COSH, NULL, &unary, 0},
    {"Asinh", 9, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_ASINH, NULL, &unary,
     0},
    {"Acosh", 9, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_ACOSH, NULL, &unary,
     0},
    {"Atanh", 9, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_ATANH, NULL, &unary,
     0},
    {"IsNaN", 9, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_IS_NAN, NULL, &unary,
     0},
    {"IsInf", 10, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_IS_INF,
     "detect_negative=int detect_positive=int", &unary, 0},
    {"BitwiseNot", 18, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_BITWISE_NOT,
     NULL, &unary, 0},
    {"Mish", 18, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_MISH, NULL, &unary,
     0},
    {"Swish", 24, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_SWISH, "alpha=float",
     &unary, 0},
    {"Gelu", 20, 1, 1, 1, infer, define_gelu, opevo_i_net_move_by_routine, ROUTINE_GELU,
     "approximate=string", &gelu, 0},
    {"com.microsoft.Gelu", 1, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_GELU,
     NULL, &unary, 0},
    {"com.microsoft.QuickGelu", 1, 1, 1, 1, infer, define, opevo_i_net_move_by_routine,
     ROUTINE_SWISH, "alpha=float", &unary, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
