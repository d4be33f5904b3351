/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators as computations: each is written as a text and read back. Names are those of the
 * operands and the axes of schedules: b i j k, and n f y x c r s. */

#include "computation_internal.h"

#include <opevo/computation_named.h>

#include <string.h>

typedef long long integer;

/* "i:512, k:64" in the order in which it is stored. */
static void add_pair(opevo_text *out, bool transposed, char row, int64_t rows, char column,
                     int64_t columns)
{
    opevo_text_printf(out, "%c:%lld, %c:%lld]", transposed ? column : row,
                      (integer)(transposed ? columns : rows), transposed ? row : column,
                      (integer)(transposed ? rows : columns));
}

static void write_matmul(const opevo_operator *op, opevo_text *out)
{
    bool batch = op->kind == OPEVO_BATCH_MATMUL;
    const char *first = batch ? "b, " : "";

    opevo_text_add(out, "A[");
    if (batch)
        opevo_text_printf(out, "b:%lld, ", (integer)op->batch);
    add_pair(out, op->transpose_x, 'i', op->n, 'k', op->k);
    opevo_text_printf(out, "\nB[%s", first);
    add_pair(out, op->transpose_y, 'k', op->k, 'j', op->m);
    opevo_text_printf(out, "\nC[%si, j] = sum(k) A[%s%s]*B[%s%s]", first, first,
                      op->transpose_x ? "k, i" : "i, k", first, op->transpose_y ? "j, k" : "k, j");
}

static void write_conv2d(const opevo_operator *op, opevo_text *out)
{
    integer stride = op->stride, pad = op->padding;
    integer height = op->height, width = op->width;
    const char *image = "A";

    opevo_text_printf(out, "A[n:%lld, c:%lld, %lld, %lld]\n", (integer)op->batch,
                      (integer)op->in_channels, height, width);
    opevo_text_printf(out, "const B[f:%lld, c, r:%lld, s:%lld]\n", (integer)op->out_channels,
                      (integer)op->kernel_height, (integer)op->kernel_width);
    if (pad > 0) {
        opevo_text_printf(out,
                          "P[n, c, h:%lld, w:%lld] = select(%lld <= h and h < %lld and %lld <= w "
                          "and w < %lld, A[n, c, h - %lld, w - %lld], 0)\n",
                          height + 2 * pad, width + 2 * pad, pad, height + pad, pad, width + pad,
                          pad, pad);
        image = "P";
    }
    opevo_text_printf(
        out,
        "C[n, f, y:%lld, x:%lld] = sum(c, r, s) %s[n, c, %lld*y + r, %lld*x + s]*B[f, "
        "c, r, s]",
        (integer)opevo_operator_out_height(op), (integer)opevo_operator_out_width(op), image,
        stride, stride);
}

/* ---- Contractions ---- */

/* An operand's name, with '_' behind it where it is the letter of an axis or a word of the
 * language. */
static void add_name(const opevo_contraction *self, int operand, opevo_text *out)
{
    const char *name = self->operand[operand].name;
    bool taken = opevo_i_comp_is_reserved(name, strlen(name));

    for (int a = 0; a < OPEVO_CONTRACTION_AXES && self->axis[a].name; a++)
        taken |= name[0] == self->axis[a].name && !name[1];
    opevo_text_printf(out, "%s%s", name, taken ? "_" : "");
}

static void add_axes(const char *axes, opevo_text *out)
{
    opevo_text_add(out, "[");
    for (const char *axis = axes; *axis; axis++)
        opevo_text_printf(out, "%s%c", axis == axes ? "" : ", ", *axis);
    opevo_text_add(out, "]");
}

static void write_output(const opevo_contraction *self, int operand, opevo_text *out)
{
    bool summed = false;
    bool first = true;

    add_name(self, operand, out);
    add_axes(self->operand[operand].axes, out);
    opevo_text_add(out, " = ");
    for (int a = 0; a < OPEVO_CONTRACTION_AXES && self->axis[a].name; a++) {
        if (!opevo_contraction_reduces(self, operand, a))
            continue;
        opevo_text_printf(out, "%s%c", summed ? ", " : "sum(", self->axis[a].name);
        summed = true;
    }
    opevo_text_add(out, summed ? ") " : "");
    for (int i = 0; i < operand; i++) {
        if (!(self->operand[operand].factors >> i & 1))
            continue;
        opevo_text_add(out, first ? "" : "*");
        add_name(self, i, out);
        add_axes(self->operand[i].axes, out);
        first = false;
    }
    opevo_text_add(out, "\n");
}

static void write_contraction(const opevo_contraction *self, opevo_text *out)
{
    for (int i = 0; i < OPEVO_OPERANDS && self->operand[i].name[0]; i++) {
        const char *axes = self->operand[i].axes;

        if (self->operand[i].role == OPEVO_ROLE_OUTPUT) {
            write_output(self, i, out);
            continue;
        }
        opevo_text_add(out, self->operand[i].role == OPEVO_ROLE_CONSTANT ? "const " : "");
        add_name(self, i, out);
        opevo_text_add(out, "[");
        for (const char *axis = axes; *axis; axis++)
            opevo_text_printf(out, "%s%c:%lld", axis == axes ? "" : ", ", *axis,
                              (integer)self->axis[opevo_contraction_axis(self, *axis)].extent);
        opevo_text_add(out, "]\n");
    }
}

opevo_status opevo_computation_of_operator(const opevo_operator *op, opevo_computation **out,
                                           opevo_error *err)
{
    opevo_text text = {0}, name = {0};
    opevo_computation *computation = NULL;
    opevo_status status = OPEVO_OK;

    if (op->kind == OPEVO_CONTRACTION)
        write_contraction(&op->contraction, &text);
    else if (op->kind == OPEVO_CONV2D)
        write_conv2d(op, &text);
    else
        write_matmul(op, &text);
    opevo_operator_print(op, &name);
    OPEVO_TRY(opevo_text_check(&text, err));
    OPEVO_TRY(opevo_text_check(&name, err));
    OPEVO_TRY(opevo_computation_parse(opevo_text_string(&text), opevo_text_string(&name), NULL, 0,
                                      &computation, err));
    OPEVO_TRY(opevo_i_comp_name(computation, &name, err));
    *out = computation;
    computation = NULL;
cleanup:
    opevo_computation_destroy(computation);
    opevo_text_free(&text);
    opevo_text_free(&name);
    return status;
}
