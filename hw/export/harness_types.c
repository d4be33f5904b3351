/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Arrays of other types than float32 in programs for kernels of computations: their values, random
 * inputs, and the check of an output. In the texts $N is the type, $T what C calls it, $V( its
 * value as a number, $U whether an element was not written. */

#include "harness_internal.h"

#include <string.h>

/* Values of float16 and bfloat16, and the bits of the nearest to a number in [-2, 2]; `digits` bits
 * are behind the point, and numbers from 2^least are normal. */
static const char short_floats[] =
    "static double short_value(unsigned short bits, int digits, int least)\n"
    "{\n"
    "    int exponent = (bits & 0x7fff) >> digits, behind = bits & ((1 << digits) - 1);\n"
    "    double size = exponent ? ldexp(behind + (1 << digits), exponent - 1 + least - digits)\n"
    "                           : ldexp(behind, least - digits);\n"
    "\n"
    "    if (exponent == 2 - 2 * least + 1)\n"
    "        size = behind ? NAN : HUGE_VAL;\n"
    "    return bits & 0x8000 ? -size : size;\n"
    "}\n"
    "\n"
    "static inline double float16_value(unsigned short bits)\n"
    "{\n"
    "    return short_value(bits, 10, -14);\n"
    "}\n"
    "\n"
    "static inline double bfloat16_value(unsigned short bits)\n"
    "{\n"
    "    return short_value(bits, 7, -126);\n"
    "}\n"
    "\n"
    "static inline unsigned short short_bits(double x, int digits, int least)\n"
    "{\n"
    "    int exponent = x == 0 || ilogb(x) < least ? least : ilogb(x);\n"
    "    int part = (int)rint(ldexp(fabs(x), digits - exponent));\n"
    "\n"
    "    return (unsigned short)((x < 0 ? 0x8000 : 0) + ((exponent - least) << digits) + part);\n"
    "}\n"
    "\n";

/* What opevo_i_harness_values lacks: results as they are stored. */
static const char values[] =
    "/* Of a whole type, which nothing rounds. */\n"
    "static inline value exact(value a)\n"
    "{\n"
    "    return make(a.v, 0);\n"
    "}\n"
    "\n"
    "/* int32 as a float. */\n"
    "static inline value converted(value a)\n"
    "{\n"
    "    return rounded(a.v, a.e, fabs(a.v) > 16777216);\n"
    "}\n"
    "\n"
    "/* A number that is rounded to float16 or bfloat16, unless it is one, and becomes infinite\n"
    " * from `beyond` on. */\n"
    "static inline value stored(value a, int digits, int least, double beyond)\n"
    "{\n"
    "    double size = fabs(a.v) + a.e;\n"
    "    int exponent = size > 0 && ilogb(size) > least ? ilogb(size) : least;\n"
    "\n"
    "    if (!(size < beyond))\n"
    "        return make(a.v, HUGE_VAL);\n"
    "    if (a.e > 0 || ldexp(a.v, digits - exponent) != rint(ldexp(a.v, digits - exponent)))\n"
    "        a.e += ldexp(0.5, exponent - digits) + (size < 2 * FLT_MIN ? FLT_MIN : 0);\n"
    "    return a;\n"
    "}\n"
    "\n";

/* Multiples of 2^-24 are drawn, of which bits are the upper 24. */
static const char *const draws[] = {
    [OPEVO_FLOAT16] =
        "short_bits(positive ? (double)bits / 16777216 + 0.5\n"
        "                                        : (double)bits / 8388608 - 1, 10, -14)",
    [OPEVO_BFLOAT16] =
        "short_bits(positive ? (double)bits / 16777216 + 0.5\n"
        "                                        : (double)bits / 8388608 - 1, 7, -126)",
    [OPEVO_INT8] = "(signed char)(positive ? (int)(bits % 127) + 1 : (int)(bits % 256) - 128)",
    [OPEVO_INT32] = "positive ? (int)(bits >> 4) + 1 : (int)(bits >> 3) - 1048576",
};

static const char fill[] = "static inline void fill_$N($T *values, long long count, int positive)\n"
                           "{\n"
                           "    for (long long i = 0; i < count; i++) {\n"
                           "        unsigned long long bits = random_bits() >> 40;\n"
                           "\n"
                           "        values[i] = $D;\n"
                           "    }\n"
                           "}\n"
                           "\n";

static const char check[] =
    "/* Whether every element of an output was written, and is within the bound of its error. */\n"
    "static inline int check_$N(const char *name, const $T *c, const value *right, long long "
    "count)\n"
    "{\n"
    "    long long unwritten = 0, wrong = 0, unbounded = 0;\n"
    "    double worst = 0;\n"
    "\n"
    "    for (long long i = 0; i < count; i++) {\n"
    "        double error = fabs($V(c[i]) - right[i].v), bound = right[i].e * (1 + 1e-6);\n"
    "\n"
    "        unwritten += $U;\n"
    "        unbounded += !(bound < HUGE_VAL);\n"
    "        if (!(bound < HUGE_VAL))\n"
    "            continue;\n"
    "        if (!(error <= bound))\n"
    "            wrong++;\n"
    "        if (error > worst * bound)\n"
    "            worst = bound > 0 ? error / bound : HUGE_VAL;\n"
    "    }\n"
    "    printf(\"%s: %lld of %lld elements checked: largest error %.3g of its bound, %lld beyond; "
    "\"\n"
    "           \"%lld not written\\n\",\n"
    "           name, count - unbounded, count, worst, wrong, unwritten);\n"
    "    return !wrong && !unwritten;\n"
    "}\n"
    "\n";

static bool is_short_float(opevo_element element)
{
    return element == OPEVO_FLOAT16 || element == OPEVO_BFLOAT16;
}

static void add_typed(opevo_text *out, const char *text, opevo_element element)
{
    for (const char *at = strchr(text, '$'); at; at = strchr(text, '$')) {
        opevo_text_add_bytes(out, text, (size_t)(at - text));
        if (at[1] == 'N')
            opevo_text_add(out, opevo_element_name(element));
        else if (at[1] == 'T')
            opevo_text_add(out, opevo_kernel_type_text(element));
        else if (at[1] == 'D')
            opevo_text_add(out, draws[element]);
        else if (at[1] == 'U') /* whole types have no NaN */
            opevo_text_add(out, is_short_float(element) ? "c[i] == 0xffff" : "0");
        else
            opevo_text_printf(out, is_short_float(element) ? "%s_value" : "(double)",
                              opevo_element_name(element));
        text = at + 2;
    }
    opevo_text_add(out, text);
}

bool opevo_i_harness_is_typed(const opevo_computation *computation)
{
    for (int i = 0; i < computation->tensors; i++) {
        if (computation->tensor[i]->element != OPEVO_FLOAT32)
            return true;
    }
    return false;
}

void opevo_i_harness_types(opevo_text *out, const opevo_computation *computation)
{
    if (!opevo_i_harness_is_typed(computation))
        return;
    opevo_text_add(out, short_floats);
    opevo_text_add(out, values);
}

void opevo_i_harness_typed_operands(opevo_text *out, const opevo_workload *work)
{
    for (opevo_element e = OPEVO_FLOAT16; e <= OPEVO_INT32; e++) {
        bool used[2] = {false, false};

        for (int i = 0; i < work->list.count; i++)
            used[i >= work->list.inputs] |= work->list.item[i].element == e;
        if (used[0])
            add_typed(out, fill, e);
        if (used[1])
            add_typed(out, check, e);
    }
}

const char *opevo_i_harness_value_start(opevo_element element)
{
    static const char *const starts[] = {[OPEVO_FLOAT32] = "make(",
                                         [OPEVO_FLOAT16] = "make(float16_value(",
                                         [OPEVO_BFLOAT16] = "make(bfloat16_value(",
                                         [OPEVO_INT8] = "make(",
                                         [OPEVO_INT32] = "whole("};

    return starts[element];
}

const char *opevo_i_harness_value_end(opevo_element element)
{
    return is_short_float(element) ? "), 0)" : element == OPEVO_INT32 ? ")" : ", 0)";
}

const char *opevo_i_harness_store_start(opevo_element element)
{
    return is_short_float(element) ? "stored(" : opevo_element_is_whole(element) ? "exact(" : "";
}

const char *opevo_i_harness_store_end(opevo_element element)
{
    return element == OPEVO_FLOAT16          ? ", 10, -14, 65520)"
           : element == OPEVO_BFLOAT16       ? ", 7, -126, ldexp(511, 119))"
           : opevo_element_is_whole(element) ? ")"
                                             : "";
}
