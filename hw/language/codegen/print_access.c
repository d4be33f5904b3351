/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loads and stores as text: operands, buffers and their elements, and the statement of one element.
 * Variables are named by numbers, so no name from outside reaches the text. */

#include "print_internal.h"

const char *opevo_i_print_pointer_space(const opevo_i_print_printer *self, int buffer)
{
    opevo_scope scope = buffer < 0 ? OPEVO_SCOPE_LOCAL : self->nest->buffer[buffer].scope;

    if (!self->dialect->gpu)
        return "";
    if (buffer >= 0 && (buffer < self->nest->operands || scope == OPEVO_SCOPE_PACKED))
        return self->dialect->global_pointer;
    return scope == OPEVO_SCOPE_SHARED ? self->dialect->shared_pointer : "";
}

void opevo_i_print_signature(opevo_i_print_printer *self, const char *before, const char *pointer)
{
    opevo_text_printf(self->out, "%s" OPEVO_I_ENTRY, before);
    if (self->launch)
        opevo_text_printf(self->out, "_%d", self->launch + 1);
    opevo_text_add(self->out, "(");
    for (int i = 0; i < self->nest->operands; i++) {
        opevo_text_printf(self->out, "%s%s%s%s %s", i ? ", " : "",
                          opevo_i_print_pointer_space(self, i),
                          i < self->nest->inputs ? "const " : "",
                          opevo_kernel_type_text(self->nest->buffer[i].element), pointer);
        opevo_i_print_operand_name(self->out, i);
    }
    if (!self->dialect->gpu || self->scratch)
        opevo_text_printf(self->out, ", %sfloat %sscratch",
                          self->dialect->gpu ? self->dialect->global_pointer : "", pointer);
    for (int i = 0; i < self->nest->arguments; i++)
        opevo_text_printf(self->out, ", int n%d", i);
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
        opevo_i_print_operand_name(self->out, i);
        opevo_text_add(self->out, ";\n");
    }
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
