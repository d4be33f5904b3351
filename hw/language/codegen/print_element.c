/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An element of a buffer: a register, behind a pointer, or at its address. */

#include "print_internal.h"

/* Operands are a, b, ..., h, x8, x9, ... */
void opevo_i_print_operand_name(opevo_text *out, int operand)
{
    static const char letters[] = "abcdefgh";

    if (operand < (int)sizeof letters - 1)
        opevo_text_printf(out, "%c", letters[operand]);
    else
        opevo_text_printf(out, "x%d", operand);
}

void opevo_i_print_buffer(opevo_i_print_printer *self, int buffer)
{
    if (buffer >= 0)
        self->used[buffer] = true;
    if (buffer < 0)
        opevo_text_printf(self->out, "t%d", -1 - buffer);
    else if (buffer < self->nest->operands)
        opevo_i_print_operand_name(self->out, buffer);
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

void opevo_i_print_element_at(opevo_i_print_printer *self, const opevo_i_nest_access *access,
                              int atom, int64_t value)
{
    opevo_i_print_fix(self, atom, value);
    opevo_i_print_element(self, access);
    opevo_i_print_release(self, atom);
}
