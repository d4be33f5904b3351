/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions that stand before a kernel: those that C lacks for vectors, and max and min, which C
 * would have to evaluate twice. One element goes the way of four, so that a result does not depend
 * on the lanes that it is computed with.
 *
 * exp splits x = n ln 2 + r with |r| <= ln 2 / 2 and multiplies e^r by 2^n in two steps, which go
 * beyond the exponents of normal numbers. tanh and erf are polynomials near 0, and further away
 * 1 - 2 / (e^(2x) + 1) and 1 - e^P(x). log splits x = 2^n (1 + r) with sqrt(1/2) <= 1 + r <
 * sqrt(2), and adds n ln 2, in two parts, to a polynomial in r (that of logf in Cephes); of 0 it is
 * -infinity, of less NaN. All other polynomials are those with the smallest relative error of the
 * result. Largest errors over all floats, in units in the last place: exp 1.0, tanh 1.3, erf 1.4,
 * log 0.9.
 *
 * maximum takes max both ways: where the operands are numbers both give one of them, of which
 * either is right where they are zeros; where one is NaN, one of the two is, and all bits of its
 * exponent stay set when the other's are added. */

#include "print_functions_internal.h"

#include <opevo/text_fill.h>

#include <stdio.h>
#include <string.h>

#define CALLS(kind) (UINT64_C(1) << OPEVO_EXPR_##kind)

/* In the order of the text: what a function calls comes before it. */
static const opevo_i_print_function functions[] = {
    {OPEVO_I_FUNCTION_MASK, "mask", NULL, 0, 0, NULL, opevo_i_print_vector_mask},
    /* As in the functions of masks, gcc 12 must not know the lanes. Without lanes, what is read
     * is mapped: processors take a thousand cycles for a fault that the mask hides. */
    {OPEVO_I_FUNCTION_GET, "get", NULL, 0, UINT64_C(1) << OPEVO_I_FUNCTION_MASK, NULL,
     opevo_i_print_vector_get},
    /* Every second element, from two vectors that meet in the middle: nothing is read that does not
     * lie between them. */
    {OPEVO_I_FUNCTION_EVEN, "even", NULL, 0, 0, NULL, opevo_i_print_vector_even},
    {OPEVO_I_FUNCTION_EVEN_OF, "even_of", NULL, 0,
     1U << OPEVO_I_FUNCTION_GET | 1U << OPEVO_I_FUNCTION_MASK, NULL, opevo_i_print_vector_even_of},
    {OPEVO_EXPR_SELECT, "select", NULL, 0, 0, NULL, opevo_i_print_vector_select},
    /* gcc 12 makes two vectors of 16 lanes, by way of memory. */
    {OPEVO_EXPR_MAX, "max", NULL, 2, 0, opevo_i_print_one_max, opevo_i_print_vector_max},
    {OPEVO_EXPR_MIN, "min", NULL, 2, 0, opevo_i_print_one_min, opevo_i_print_vector_min},
    {OPEVO_I_FUNCTION_MAXIMUM, "maximum", NULL, 2, CALLS(MAX), opevo_i_print_one_maximum,
     opevo_i_print_vector_maximum},
    {OPEVO_I_FUNCTION_MINIMUM, "minimum", NULL, 2, CALLS(MIN), opevo_i_print_one_minimum,
     opevo_i_print_vector_minimum},
    {OPEVO_EXPR_SQRT, "sqrt", "sqrtf", 1, 0, opevo_i_print_one_sqrt, opevo_i_print_vector_sqrt},
    {OPEVO_EXPR_EXP, "exp", "expf", 1, CALLS(MAX) | CALLS(MIN), NULL, opevo_i_print_vector_exp},
    {OPEVO_EXPR_TANH, "tanh", "tanhf", 1, CALLS(EXP) | CALLS(SELECT), NULL,
     opevo_i_print_vector_tanh},
    {OPEVO_EXPR_ERF, "erf", "erff", 1, CALLS(EXP) | CALLS(MIN) | CALLS(SELECT), NULL,
     opevo_i_print_vector_erf},
    {OPEVO_EXPR_LOG, "log", "logf", 1, CALLS(MAX) | CALLS(SELECT), NULL, opevo_i_print_vector_log},
    {OPEVO_EXPR_SIGMOID, "sigmoid", NULL, 1, CALLS(EXP), NULL, opevo_i_print_vector_sigmoid},
};
enum {
    OWN_FUNCTIONS = sizeof functions / sizeof *functions,
    FUNCTIONS = OWN_FUNCTIONS + OPEVO_I_TYPED_FUNCTIONS
};

static const opevo_i_print_function *function_at(int i)
{
    return i < OWN_FUNCTIONS ? &functions[i] : &opevo_i_print_typed_functions[i - OWN_FUNCTIONS];
}

static void print_template(opevo_text *out, const char *text, int width)
{
    char number[16];
    opevo_text bits = {0}, evens = {0};

    snprintf(number, sizeof number, "%d", width);
    for (int i = 0; i < width; i++) {
        opevo_text_printf(&bits, "%s%d", i ? ", " : "", 1 << i);
        opevo_text_printf(&evens, "%s%d", i ? ", " : "", 2 * i + (i >= width / 2));
    }
    opevo_text_fill(out, text,
                    (opevo_text_slot[]){{"w", number},
                                        {"bits", opevo_text_string(&bits)},
                                        {"evens", opevo_text_string(&evens)}},
                    3);
    out->failed = out->failed || bits.failed || evens.failed;
    opevo_text_free(&bits);
    opevo_text_free(&evens);
}

int opevo_i_print_get_function_of(opevo_element stored)
{
    static const int functions_of[] = {[OPEVO_FLOAT32] = OPEVO_I_FUNCTION_GET,
                                       [OPEVO_FLOAT16] = OPEVO_I_FUNCTION_GET_SHORT,
                                       [OPEVO_BFLOAT16] = OPEVO_I_FUNCTION_GET_SHORT,
                                       [OPEVO_INT8] = OPEVO_I_FUNCTION_GET_BYTE,
                                       [OPEVO_INT32] = OPEVO_I_FUNCTION_GET_WHOLE};

    return functions_of[stored];
}

int opevo_i_print_function_of(opevo_expression_kind kind, opevo_element type)
{
    if (type != OPEVO_INT32)
        return kind == OPEVO_EXPR_MAX   ? OPEVO_I_FUNCTION_MAXIMUM
               : kind == OPEVO_EXPR_MIN ? OPEVO_I_FUNCTION_MINIMUM
                                        : (int)kind;
    switch (kind) {
    case OPEVO_EXPR_MAX:
        return OPEVO_I_FUNCTION_WHOLE_MAX;
    case OPEVO_EXPR_MIN:
        return OPEVO_I_FUNCTION_WHOLE_MIN;
    case OPEVO_EXPR_SELECT:
        return OPEVO_I_FUNCTION_WHOLE_SELECT;
    default:
        return (int)kind;
    }
}

int opevo_i_print_function_of_value(const opevo_i_nest_value *value)
{
    bool first_is_number =
        value->left->kind == OPEVO_EXPR_NUMBER || value->left->kind == OPEVO_EXPR_WHOLE;

    return value->type != OPEVO_INT32 && first_is_number
               ? (int)value->kind
               : opevo_i_print_function_of(value->kind, value->type);
}

void opevo_i_print_function_name(opevo_i_print_printer *self, int kind, int width)
{
    const opevo_i_print_function *one = functions;

    for (int i = 0; one->kind != kind; i++)
        one = function_at(i);
    if (self->dialect->gpu && one->gpu_name) { /* OpenCL's are those of all types */
        opevo_text_add(self->out, self->dialect->opencl ? one->name : one->gpu_name);
        return;
    }
    opevo_text_printf(self->out, width > 1 ? "opevo_%s%d" : "opevo_%s", one->name, width);
    self->functions[kind] |= (unsigned char)width;
}

/* Whether a function is but a few instructions: then a call, which compilers warn of where vectors
 * are wider than the processor's, is never wanted. Those that others call are called on some
 * processors. */
static bool is_short(const opevo_i_print_function *one)
{
    const uint64_t short_ones = UINT64_C(1) << OPEVO_I_FUNCTION_MASK | UINT64_C(1)
                                                                           << OPEVO_I_FUNCTION_GET;

    return one->kind == OPEVO_I_FUNCTION_MAXIMUM || one->kind == OPEVO_I_FUNCTION_MINIMUM ||
           (one->calls & ~short_ones) == 0;
}

/* Those that others call. A function of one element that has no text of its own calls the one of
 * four. Returns the widths of all vectors. */
static unsigned find_called(opevo_i_print_printer *self)
{
    unsigned widths = self->functions[OPEVO_EXPR_WHOLE];

    for (int i = FUNCTIONS - 1; i >= 0; i--) {
        unsigned char *mine = &self->functions[function_at(i)->kind];

        if ((*mine & 1) && !function_at(i)->one && !self->dialect->gpu)
            *mine |= 4;
        for (int called = 0; called < OPEVO_I_FUNCTIONS; called++) {
            if (function_at(i)->calls >> called & 1)
                self->functions[called] |= *mine & (unsigned char)~1U;
        }
        widths |= *mine & ~1U;
    }
    return widths;
}

static void print_one(opevo_i_print_printer *self, const opevo_i_print_function *one)
{
    opevo_i_print_function_signature of = opevo_i_print_function_signature_of(one->kind);

    opevo_text_printf(self->out, "static %sinline %s opevo_%s(%s x",
                      self->dialect->gpu ? self->dialect->function : "", of.result, one->name,
                      of.operand);
    if (one->operands == 2)
        opevo_text_printf(self->out, ", %s y", of.operand);
    opevo_text_add(self->out, ")\n{\n");
    if (one->one)
        opevo_text_add(self->out, one->one);
    else if (self->dialect->gpu) /* sigmoid */
        opevo_text_printf(self->out, "    return 1.0f / (1.0f + %s(-x));\n",
                          self->dialect->opencl ? "exp" : "expf");
    else
        opevo_text_printf(self->out, "    return opevo_%s4((V4){x, x, x, x})[0];\n", one->name);
    opevo_text_add(self->out, "}\n");
}

/* Of int, unsigned, unsigned short and signed char, in all widths. */
static void print_typed_vectors(opevo_i_print_printer *self)
{
    static const struct {
        const char *type;
        int bytes;
        char letter;
    } vectors[] = {
        {"int", 4, 'I'}, {"unsigned", 4, 'U'}, {"unsigned short", 2, 'H'}, {"signed char", 1, 'B'}};

    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        for (int width = 2; width <= 16; width *= 2)
            opevo_text_printf(self->out,
                              "typedef %s %c%d __attribute__((vector_size(%d), aligned(%d), "
                              "may_alias));\n",
                              vectors[i].type, vectors[i].letter, width, vectors[i].bytes * width,
                              vectors[i].bytes);
    }
}

void opevo_i_print_functions(opevo_i_print_printer *self)
{
    unsigned char by_kernel[OPEVO_I_FUNCTIONS];
    unsigned widths = 0;

    memcpy(by_kernel, self->functions, sizeof by_kernel);
    widths = find_called(self);
    if (self->typed && self->dialect->cpu) {
        print_typed_vectors(self);
        widths = 0;
    }
    for (int width = 2; width <= 16; width *= 2) {
        if (!(widths & (unsigned)width))
            continue;
        if (!self->dialect->cpu)
            opevo_text_printf(self->out, "typedef float V%d __attribute__((vector_size(%d)));\n",
                              width, 4 * width);
        opevo_text_printf(
            self->out, "typedef int I%d __attribute__((vector_size(%d), aligned(4), may_alias));\n",
            width, 4 * width);
    }
    for (int i = 0; i < FUNCTIONS; i++) {
        unsigned used = self->functions[function_at(i)->kind];

        for (int width = 2; width <= 16; width *= 2) {
            if (!(used & (unsigned)width))
                continue;
            opevo_text_printf(self->out, "static inline %s%c%d opevo_%s%d(",
                              !is_short(function_at(i)) ? ""
                              : by_kernel[function_at(i)->kind] & width
                                  ? "__attribute__((always_inline)) "
                                  : "__attribute__((always_inline, unused)) ",
                              opevo_i_print_function_signature_of(function_at(i)->kind).letter,
                              width, function_at(i)->name, width);
            print_template(self->out, function_at(i)->vector, width);
        }
        if (used & 1)
            print_one(self, function_at(i));
    }
}

void opevo_i_print_call_functions(opevo_i_print_printer *self)
{
    for (int i = 0; i < OWN_FUNCTIONS; i++) {
        const opevo_i_print_function *one = &functions[i];
        bool is_select = one->kind == OPEVO_EXPR_SELECT, gpu = self->dialect->gpu;

        if (one->operands && !(gpu && one->gpu_name))
            self->functions[one->kind] = gpu ? 1 : 1 | 2 | 4 | 8 | 16;
        else if (is_select && !gpu)
            self->functions[one->kind] = 2 | 4 | 8 | 16;
    }
}
