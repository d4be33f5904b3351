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

static const opevo_i_net_routine gelu = {"routine_unary", routine_unary, take_gelu, NULL};
static const opevo_i_net_routine unary = {"routine_unary", routine_unary, take, NULL};

/* Of a version, with attributes. */
#define UNARY(name, since, routine, attributes)                                                    \
    {                                                                                              \
        name, since, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, routine, attributes,     \
            &unary, 0                                                                              \
    }

const opevo_i_net_operator opevo_i_net_unary[] = {
    UNARY("Relu", 6, ROUTINE_RELU, NULL),
    UNARY("LeakyRelu", 6, ROUTINE_LEAKY_RELU, "alpha=float"),
    UNARY("Sigmoid", 6, ROUTINE_SIGMOID, NULL),
    UNARY("HardSigmoid", 6, ROUTINE_HARD_SIGMOID, "alpha=float beta=float"),
    UNARY("HardSwish", 14, ROUTINE_HARD_SWISH, NULL),
    UNARY("Tanh", 6, ROUTINE_TANH, NULL),
    UNARY("Exp", 6, ROUTINE_EXP, NULL),
    UNARY("Sqrt", 6, ROUTINE_SQRT, NULL),
    UNARY("Erf", 9, ROUTINE_ERF, NULL),
    UNARY("Neg", 6, ROUTINE_NEGATE, NULL),
    UNARY("Abs", 6, ROUTINE_ABSOLUTE, NULL),
    UNARY("Reciprocal", 6, ROUTINE_RECIPROCAL, NULL),
    UNARY("Elu", 6, ROUTINE_ELU, "alpha=float"),
    UNARY("Selu", 6, ROUTINE_SELU, "alpha=float gamma=float"),
    UNARY("Celu", 12, ROUTINE_CELU, "alpha=float"),
    UNARY("ThresholdedRelu", 10, ROUTINE_THRESHOLDED_RELU, "alpha=float"),
    UNARY("Shrink", 9, ROUTINE_SHRINK, "bias=float lambd=float"),
    UNARY("Softsign", 1, ROUTINE_SOFTSIGN, NULL),
    UNARY("Sign", 9, ROUTINE_SIGN, NULL),
    UNARY("Softplus", 1, ROUTINE_SOFTPLUS, NULL),
    UNARY("Log", 6, ROUTINE_LOG, NULL),
    UNARY("Floor", 6, ROUTINE_FLOOR, NULL),
    UNARY("Ceil", 6, ROUTINE_CEIL, NULL),
    UNARY("Round", 11, ROUTINE_ROUND, NULL),
    UNARY("Sin", 7, ROUTINE_SIN, NULL),
    UNARY("Cos", 7, ROUTINE_COS, NULL),
    UNARY("Tan", 7, ROUTINE_TAN, NULL),
    UNARY("Asin", 7, ROUTINE_ASIN, NULL),
    UNARY("Acos", 7, ROUTINE_ACOS, NULL),
    UNARY("Atan", 7, ROUTINE_ATAN, NULL),
    UNARY("Sinh", 9, ROUTINE_SINH, NULL),
    UNARY("Cosh", 9, ROUTINE_COSH, NULL),
    UNARY("Asinh", 9, ROUTINE_ASINH, NULL),
    UNARY("Acosh", 9, ROUTINE_ACOSH, NULL),
    UNARY("Atanh", 9, ROUTINE_ATANH, NULL),
    UNARY("IsNaN", 9, ROUTINE_IS_NAN, NULL),
    UNARY("IsInf", 10, ROUTINE_IS_INF, "detect_negative=int detect_positive=int"),
    UNARY("BitwiseNot", 18, ROUTINE_BITWISE_NOT, NULL),
    UNARY("Mish", 18, ROUTINE_MISH, NULL),
    UNARY("Swish", 24, ROUTINE_SWISH, "alpha=float"),
    {"Gelu", 20, 1, 1, 1, infer, define_gelu, opevo_i_net_move_by_routine, ROUTINE_GELU,
     "approximate=string", &gelu, 0},
    {"com.microsoft.Gelu", 1, 1, 1, 1, infer, define, opevo_i_net_move_by_routine, ROUTINE_GELU,
     NULL, &unary, 0},
    {"com.microsoft.QuickGelu", 1, 1, 1, 1, infer, define, opevo_i_net_move_by_routine,
     ROUTINE_SWISH, "alpha=float", &unary, 0},
    {NULL, 0, 0, 0, 0, NULL, NULL, NULL, 0, NULL, NULL, 0},
};
