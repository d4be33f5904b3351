/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The plain loops of a contraction as text, one function for each output. */

#include "export_internal.h"

#include <string.h>

static int64_t extent_of(const opevo_contraction *what, char axis)
{
    return what->axis[opevo_contraction_axis(what, axis)].extent;
}

/* "a[(v_i * 8LL + v_k) * 4LL + v_j]" */
static void add_element(opevo_text *out, const opevo_contraction *what, int operand)
{
    const char *axes = what->operand[operand].axes;

    opevo_text_printf(out, "%c[", OPEVO_I_OPERAND_LETTERS[operand]);
    for (size_t d = 1; axes[0] && axes[d]; d++)
        opevo_text_add(out, "(");
    for (size_t d = 0; axes[d]; d++) {
        if (d)
            opevo_text_printf(out, ") * %lldLL + ", (long long)extent_of(what, axes[d]));
        opevo_text_printf(out, "v_%c", axes[d]);
    }
    opevo_text_add(out, *axes ? "]" : "0]");
}

/* The axes of an output from the number of its element. */
static void add_axes(opevo_text *out, const opevo_contraction *what, const char *axes)
{
    for (size_t d = strlen(axes); d-- > 0;)
        opevo_text_printf(out, "    const long long v_%c = at %% %lldLL;\n    at /= %lldLL;\n",
                          axes[d], (long long)extent_of(what, axes[d]),
                          (long long)extent_of(what, axes[d]));
}

void opevo_i_export_contraction(opevo_text *out, const opevo_contraction *what, int operand)
{
    const char *before = "(double)";

    opevo_text_add(out, "    *sum = *magnitude = 0;\n");
    add_axes(out, what, what->operand[operand].axes);
    for (int a = 0; a < OPEVO_CONTRACTION_AXES && what->axis[a].name; a++) {
        char name = what->axis[a].name;

        if (opevo_contraction_reduces(what, operand, a))
            opevo_text_printf(out, "    for (long long v_%c = 0; v_%c < %lldLL; v_%c++)\n", name,
                              name, (long long)what->axis[a].extent, name);
    }
    opevo_text_add(out, "    {\n        double product = ");
    for (int i = 0; i < operand; i++) {
        if (!(what->operand[operand].factors >> i & 1))
            continue;
        opevo_text_add(out, before);
        add_element(out, what, i);
        before = " * ";
    }
    opevo_text_add(out, ";\n\n        *sum += product;\n        *magnitude += fabs(product);\n"
                        "    }\n}\n\n");
}
