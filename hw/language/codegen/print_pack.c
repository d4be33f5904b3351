/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions that bring constants into the layouts that a kernel reads them in. */

#include "print_internal.h"

#include <opevo/text.h>

/* "p0 * 8 + p4" of the pieces of a dimension. */
static void print_index(opevo_text *out, const opevo_i_nest_packing *packing, int dim)
{
    bool any = false;

    for (int i = 0; i < packing->pieces; i++) {
        if (packing->piece[i].dim != dim || packing->piece[i].extent == 1)
            continue;
        opevo_text_printf(out, "%sp%d", any ? " + " : "", i);
        if (packing->piece[i].divisor > 1)
            opevo_text_printf(out, " * %lldL", (long long)packing->piece[i].divisor);
        any = true;
    }
    opevo_text_add(out, any ? "" : "0");
}

static int64_t room(const opevo_i_nest_packing *packing, int dim)
{
    int64_t count = 1;

    for (int i = 0; i < packing->pieces; i++)
        count *= packing->piece[i].dim == dim ? packing->piece[i].extent : 1;
    return count;
}

/* "*to++ = i0 < 5 ? from[i0 * 9 + i1] : 0.0f;" */
static void print_element(opevo_i_print_printer *self, const opevo_i_nest_packing *packing)
{
    opevo_text *out = self->out;
    bool any = false;

    opevo_i_print_indent(self);
    opevo_text_add(out, "*to++ = ");
    for (int d = 0; d < packing->dims; d++) {
        if (room(packing, d) == packing->extent[d])
            continue;
        opevo_text_printf(out, "%si%d < %lldL", any ? " && " : "", d,
                          (long long)packing->extent[d]);
        any = true;
    }
    opevo_text_add(out, any ? " ? from[" : "from[");
    for (int d = 0; d < packing->dims - 1; d++)
        opevo_text_add(out, "(");
    for (int d = 0; d < packing->dims; d++) {
        if (d)
            opevo_text_printf(out, ") * %lldL + ", (long long)packing->extent[d]);
        opevo_text_printf(out, "i%d", d);
    }
    if (any)
        opevo_text_printf(out, "] : %s;\n",
                          opevo_i_print_zero_text(self->nest->buffer[packing->operand].element));
    else
        opevo_text_add(out, "];\n");
}

static void print_one(opevo_i_print_printer *self, const opevo_i_nest_packing *packing)
{
    static const char form[] =
        "void " OPEVO_I_ENTRY "_pack_%c(const %s *restrict from, %s *restrict to)%s";
    char letter = (char)('a' + packing->operand);
    const char *type = opevo_kernel_type_text(self->nest->buffer[packing->operand].element);

    opevo_text_printf(self->out, form, letter, type, type, ";\n");
    opevo_text_printf(self->out, form, letter, type, type, "\n{\n");
    self->depth = 1;
    for (int i = 0; i < packing->pieces; i++) {
        if (packing->piece[i].extent == 1)
            continue;
        opevo_i_print_indent(self);
        opevo_text_printf(self->out, "for (long p%d = 0; p%d < %lldL; p%d++) {\n", i, i,
                          (long long)packing->piece[i].extent, i);
        self->depth++;
    }
    for (int d = 0; d < packing->dims; d++) {
        opevo_i_print_indent(self);
        opevo_text_printf(self->out, "long i%d = ", d);
        print_index(self->out, packing, d);
        opevo_text_add(self->out, ";\n");
    }
    print_element(self, packing);
    while (self->depth > 0) {
        self->depth--;
        opevo_i_print_line(self, "}");
    }
}

void opevo_i_print_packing(opevo_i_print_printer *self, opevo_kernel *out)
{
    for (int i = 0; i < self->nest->packings; i++) {
        const opevo_i_nest_packing *packing = &self->nest->packing[i];
        uint64_t size = 1;

        for (int k = 0; k < packing->pieces; k++)
            size *= (uint64_t)packing->piece[k].extent;
        out->packed[packing->operand] = size;
        print_one(self, packing);
    }
}
