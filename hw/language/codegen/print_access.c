/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loads and stores as text: operands, buffers and their elements, and the statement of one element.
 * Variables are named by numbers, so no name from outside reaches the text. */

#include "print_internal.h"

/* Operands are a, b, ..., h, x8, x9, ... */
static void print_operand_name(opevo_text *out, int operand)
{
    static const char letters[] = "abcdefgh";

    if (operand < (int)sizeof letters - 1)
        opevo_text_printf(out, "%c", letters[operand]);
    else
        opevo_text_printf(out, "x%d", operand);
}

void opevo_i_print_signature(opevo_i_print_printer *self, const char *before, const char *pointer)
{
    opevo_text_printf(self->out, "%s" OPEVO_I_ENTRY, before);
    if (self->launch)
        opevo_text_printf(self->out, "_%d", self->launch + 1);
    opevo_text_add(self->out, "(");
    for (int i = 0; i < self->nest->operands; i++) {
        opevo_text_printf(self->out, "%s%s%s %s", i ? ", " : "",
                          i < self->nest->inputs ? "const " : "",
                          opevo_kernel_type_text(self->nest->buffer[i].element), pointer);
        print_operand_name(self->out, i);
    }
    if (!self->dialect->gpu || self->scratch)
        opevo_text_printf(self->out, ", float %sscratch", pointer);
    opevo_text_add(self->out, ")");
}

void opevo_i_print_unused_scratch(opevo_i_print_printer *self)
{
    if (!self->scratch && !self->thread_scratch)
        opevo_i_print_line(self, "(void)scratch;");
}

void opevo_i_print_unused_operands(opevo_i_print_printer *self)
{
    for (int i = 0; i < self->nest->operands; i++) {
        if (self->used[i])
            continue;
        opevo_i_print_indent(self);
        opevo_text_add(self->out, "(void)");
        print_operand_name(self->out, i);
        opevo_text_add(self->out, ";\n");
    }
}

void opevo_i_print_buffer(opevo_i_print_printer *self, int buffer)
{
    if (buffer >= 0)
        self->used[buffer] = true;
    if (buffer < 0)
        opevo_text_printf(self->out, "t%d", -1 - buffer);
    else if (buffer < self->nest->operands)
        print_operand_name(self->out, buffer);
    else
        opevo_text_printf(self->out, "m%d", buffer);
}

/* Where loops are written out, a branch that is never taken may name an element that is not there:
 * any register stands for it. */
static int64_t register_of(const opevo_i_print_printer *self, int buffer, int64_t place)
{
    return place < 0 || place >= self->nest->buffer[buffer].size ? 0 : place / self->named[buffer];
}

void opevo_i_print_element(opevo_i_print_printer *self, const opevo_i_nest_access *access)
{
    int64_t place = 0;

    if (access->buffer >= 0 && self->named[access->buffer] &&
        opevo_i_print_constant(self, &access->address, &place)) {
        opevo_text_printf(self->out, "r%d_%lld", access->buffer,
                          (long long)register_of(self, access->buffer, place));
        return;
    }
    for (int i = 0; i < self->pointers; i++) {
        opevo_i_affine rest =
            opevo_i_affine_add(self->atoms, access->address, -1, &self->pointer[i].address);

        if (self->pointer[i].buffer == access->buffer &&
            opevo_i_print_constant(self, &rest, &place)) {
            opevo_text_printf(self->out, "p%d[%lld]", i, (long long)place);
            return;
        }
    }
    opevo_i_print_buffer(self, access->buffer);
    opevo_text_add(self->out, "[");
    if (!self->dialect->gpu && !self->dialect->cpu &&
        self->nest->buffer[access->buffer].scope == OPEVO_SCOPE_LOCAL)
        opevo_text_printf(self->out, "thread * %lld + ",
                          (long long)self->nest->buffer[access->buffer].size);
    opevo_i_print_affine(self, &access->address);
    opevo_text_add(self->out, "]");
}

/* Of the kinds that have no value: the product of the factors. */
static void print_product(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf,
                          opevo_element type)
{
    int inside = opevo_i_print_decided(self, &leaf->inside);

    if (leaf->kind == OPEVO_I_ZERO || inside == 0) {
        opevo_text_add(self->out, opevo_i_print_zero_text(type));
        return;
    }
    if (inside < 0) {
        opevo_i_print_guards(self, &leaf->inside);
        opevo_text_add(self->out, " ? ");
    }
    for (int i = 0; i < leaf->factors; i++) {
        opevo_text_add(self->out, i ? " * " : "");
        opevo_i_print_load(self, &leaf->factor[i], type);
    }
    if (inside < 0)
        opevo_text_printf(self->out, " : %s", opevo_i_print_zero_text(type));
}

/* One element, whatever the dialect. */
void opevo_i_print_scalar(opevo_i_print_printer *self, const opevo_i_nest_leaf *leaf)
{
    int keep = opevo_i_print_decided(self, &leaf->keep);
    opevo_element stored = opevo_i_print_stored_type(self, leaf->to.buffer);
    opevo_element type = opevo_i_print_statement_type(self, leaf);

    if (keep == 0)
        return;
    opevo_i_print_indent(self);
    if (keep < 0) {
        opevo_text_add(self->out, "if (");
        opevo_i_print_guards(self, &leaf->keep);
        opevo_text_add(self->out, ") ");
    }
    opevo_i_print_element(self, &leaf->to);
    opevo_text_add(self->out, opevo_i_print_leaf_adds(leaf) ? " += " : " = ");
    opevo_i_print_store_start(self, stored, type, 1);
    if (leaf->kind < OPEVO_I_STORE)
        print_product(self, leaf, type);
    else
        opevo_i_print_leaf_value(self, leaf);
    opevo_i_print_store_end(self, stored, type, 1);
    opevo_text_add(self->out, ";\n");
}
