/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Types of elements as text. Arrays of float16 and bfloat16 are of unsigned short in every dialect,
 * so that no header is needed; statements compute in float and int. */

#include "print_internal.h"

char opevo_i_print_vector_letter(opevo_element element)
{
    static const char letters[] = {[OPEVO_FLOAT32] = 'V',
                                   [OPEVO_FLOAT16] = 'H',
                                   [OPEVO_BFLOAT16] = 'H',
                                   [OPEVO_INT8] = 'B',
                                   [OPEVO_INT32] = 'I'};

    return letters[element];
}

const char *opevo_i_print_zero_text(opevo_element element)
{
    return element == OPEVO_FLOAT32 ? "0.0f" : "0";
}

bool opevo_i_print_is_typed(const opevo_i_nest *nest)
{
    for (int i = 0; i < OPEVO_I_BUFFERS; i++) {
        if (nest->buffer[i].element != OPEVO_FLOAT32)
            return true;
    }
    return false;
}

opevo_element opevo_i_print_stored_type(const opevo_i_print_printer *self, int buffer)
{
    opevo_element element = OPEVO_FLOAT32;

    if (buffer < 0)
        return self->lanes_type[-1 - buffer];
    element = self->nest->buffer[buffer].element;
    return self->named[buffer] ? opevo_element_accumulator(element) : element;
}

opevo_element opevo_i_print_statement_type(const opevo_i_print_printer *self,
                                           const opevo_i_nest_leaf *leaf)
{
    opevo_element to = opevo_i_print_stored_type(self, leaf->to.buffer);
    bool same = leaf->kind == OPEVO_I_ZERO ||
                (leaf->kind == OPEVO_I_COPY &&
                 opevo_i_print_stored_type(self, leaf->factor[0].buffer) == to);

    return same ? to : opevo_element_accumulator(to);
}

/* ---- Conversions ---- */

static void print_conversion(opevo_i_print_printer *self, opevo_element element, bool to, int width)
{
    int function = element == OPEVO_FLOAT16
                       ? (to ? OPEVO_I_FUNCTION_TO_HALF : OPEVO_I_FUNCTION_FROM_HALF)
                       : (to ? OPEVO_I_FUNCTION_TO_BFLOAT : OPEVO_I_FUNCTION_FROM_BFLOAT);

    opevo_i_print_function_name(self, function, width);
    opevo_text_add(self->out, "(");
}

static bool is_short_float(opevo_element element)
{
    return element == OPEVO_FLOAT16 || element == OPEVO_BFLOAT16;
}

void opevo_i_print_load(opevo_i_print_printer *self, const opevo_i_nest_access *access,
                        opevo_element type)
{
    opevo_element stored = opevo_i_print_stored_type(self, access->buffer);

    if (stored != type && is_short_float(stored))
        print_conversion(self, stored, false, 1);
    else if (stored != type)
        opevo_text_printf(self->out, "(%s)", opevo_kernel_type_text(type));
    opevo_i_print_element(self, access);
    opevo_text_add(self->out, stored != type && is_short_float(stored) ? ")" : "");
}

void opevo_i_print_store_start(opevo_i_print_printer *self, opevo_element stored,
                               opevo_element type, int width)
{
    if (stored == type)
        return;
    if (is_short_float(stored))
        print_conversion(self, stored, true, width);
    else if (width > 1)
        opevo_text_add(self->out, "__builtin_convertvector(");
    else
        opevo_text_printf(self->out, "(%s)(", opevo_kernel_type_text(stored));
}

void opevo_i_print_store_end(opevo_i_print_printer *self, opevo_element stored, opevo_element type,
                             int width)
{
    if (stored == type)
        return;
    if (width > 1 && !is_short_float(stored))
        opevo_text_printf(self->out, ", %c%d)", opevo_i_print_vector_letter(stored), width);
    else
        opevo_text_add(self->out, ")");
}

void opevo_i_print_vector_load_start(opevo_i_print_printer *self, opevo_element stored,
                                     opevo_element type, int width)
{
    if (stored == type)
        return;
    if (is_short_float(stored))
        print_conversion(self, stored, false, width);
    else if (stored == OPEVO_INT8 && type == OPEVO_FLOAT32)
        opevo_text_add(self->out, "__builtin_convertvector(__builtin_convertvector(");
    else
        opevo_text_add(self->out, "__builtin_convertvector(");
}

void opevo_i_print_vector_load_end(opevo_i_print_printer *self, opevo_element stored,
                                   opevo_element type, int width)
{
    if (stored == type)
        return;
    if (is_short_float(stored))
        opevo_text_add(self->out, ")");
    else if (stored == OPEVO_INT8 && type == OPEVO_FLOAT32)
        opevo_text_printf(self->out, ", I%d), V%d)", width, width);
    else
        opevo_text_printf(self->out, ", %c%d)", opevo_i_print_vector_letter(type), width);
}
