/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Types of arrays in programs for kernels: their values, random inputs, and the check of an output.
 * In the texts @element@ is the type, @type@ what C calls it, @value@( its value as a number,
 * @draw@ a random one, @unwritten@ whether an element was not written. */

#include "export_internal.h"

#include <opevo/text_fill.h>

#include <stdio.h>
#include <string.h>

/* Multiples of 2^-24 are drawn, of which bits are the upper 24. */
static const char *const draws[] = {
    [OPEVO_FLOAT32] = "positive ? (float)bits / 16777216 + 0.5f : (float)bits / 8388608 - 1",
    [OPEVO_FLOAT16] =
        "short_bits(positive ? (double)bits / 16777216 + 0.5\n"
        "                                        : (double)bits / 8388608 - 1, 10, -14)",
    [OPEVO_BFLOAT16] =
        "short_bits(positive ? (double)bits / 16777216 + 0.5\n"
        "                                        : (double)bits / 8388608 - 1, 7, -126)",
    [OPEVO_INT8] = "(signed char)(positive ? (int)(bits % 127) + 1 : (int)(bits % 256) - 128)",
    [OPEVO_INT32] = "positive ? (int)(bits >> 4) + 1 : (int)(bits >> 3) - 1048576",
};

static bool is_short_float(opevo_element element)
{
    return element == OPEVO_FLOAT16 || element == OPEVO_BFLOAT16;
}

static void add_typed(opevo_text *out, const char *text, opevo_element element)
{
    const char *name = opevo_element_name(element);
    bool is_short = is_short_float(element);
    char short_value[32];

    snprintf(short_value, sizeof short_value, "%s_value", name);
    opevo_text_fill(
        out, text,
        (opevo_text_slot[]){
            {"element", name},
            {"type", opevo_kernel_type_text(element)},
            {"draw", draws[element]},
            {"unwritten", opevo_element_is_whole(element)
                              ? "0" /* no NaN of ints */
                              : "!memcmp(&c[i], \"\\xff\\xff\\xff\\xff\", sizeof c[i])"},
            {"value", is_short ? short_value : "(double)"}},
        5);
}

bool opevo_i_export_is_typed(const opevo_computation *computation)
{
    for (int i = 0; i < computation->tensors; i++) {
        if (computation->tensor[i]->element != OPEVO_FLOAT32)
            return true;
    }
    return false;
}

void opevo_i_export_types(opevo_text *out, const opevo_computation *computation)
{
    if (!opevo_i_export_is_typed(computation))
        return;
    opevo_text_add(out, opevo_i_export_typed_short_floats);
    opevo_text_add(out, opevo_i_export_typed_values);
}

void opevo_i_export_operands(opevo_text *out, const opevo_workload *work)
{
    for (opevo_element e = OPEVO_FLOAT32; e <= OPEVO_INT32; e++) {
        bool used[2] = {false, false};

        for (int i = 0; i < work->list.count; i++)
            used[i >= work->list.inputs] |= work->list.item[i].element == e;
        if (used[0])
            add_typed(out, opevo_i_export_fill, e);
        if (used[1])
            add_typed(out, opevo_i_export_check, e);
    }
}

const char *opevo_i_export_value_start(opevo_element element)
{
    static const char *const starts[] = {[OPEVO_FLOAT32] = "make(",
                                         [OPEVO_FLOAT16] = "make(float16_value(",
                                         [OPEVO_BFLOAT16] = "make(bfloat16_value(",
                                         [OPEVO_INT8] = "make(",
                                         [OPEVO_INT32] = "whole("};

    return starts[element];
}

const char *opevo_i_export_value_end(opevo_element element)
{
    return is_short_float(element) ? "), 0)" : element == OPEVO_INT32 ? ")" : ", 0)";
}

const char *opevo_i_export_store_start(opevo_element element)
{
    return is_short_float(element) ? "stored(" : opevo_element_is_whole(element) ? "exact(" : "";
}

const char *opevo_i_export_store_end(opevo_element element)
{
    return element == OPEVO_FLOAT16          ? ", 10, -14, 65520)"
           : element == OPEVO_BFLOAT16       ? ", 7, -126, ldexp(511, 119))"
           : opevo_element_is_whole(element) ? ")"
                                             : "";
}
