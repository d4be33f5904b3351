/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The lanes of a vector of GCC: how indices move with them, and an operand for all of them. */

#include "print_cpu_internal.h"

/* How an index moves with the lane as long as no quotient or remainder in it wraps around; false
 * where one moves by a different rule. */
bool opevo_i_print_lane_factor(const opevo_i_print_printer *self, const opevo_i_affine *a, int lane,
                               int64_t *factor)
{
    *factor = 0;
    for (int i = 0; i < a->count; i++) {
        const opevo_i_affine_atom *atom = &self->atoms->item[a->term[i].atom];
        int64_t inner = 0;

        if (a->term[i].atom == lane)
            *factor += a->term[i].factor;
        if (atom->is_loop)
            continue;
        if (!opevo_i_print_lane_factor(self, &atom->inner, lane, &inner) || inner < 0)
            return false;
        if (opevo_i_affine_is_product(atom) && opevo_i_affine_uses(self->atoms, &atom->inner, lane))
            return false;
        if (atom->modulus)
            *factor += a->term[i].factor * inner;
    }
    return true;
}

void opevo_i_print_at_first(opevo_i_print_printer *self, const opevo_i_affine *a, int lane)
{
    opevo_i_print_fix(self, lane, 0);
    opevo_i_print_affine(self, a);
    opevo_i_print_release(self, lane);
}

/* A factor that is the same everywhere, outside quotients and remainders. */
bool opevo_i_print_plain_factor(const opevo_i_print_printer *self, const opevo_i_affine *a,
                                int atom, int64_t *factor)
{
    opevo_i_affine rest = *a;
    opevo_i_affine one = opevo_i_affine_of_atom(atom);

    *factor = opevo_i_affine_factor(a, atom);
    rest = opevo_i_affine_add(self->atoms, rest, -*factor, &one);
    return !opevo_i_affine_uses(self->atoms, &rest, atom);
}

/* An operand: a variable, a vector in memory, every second element of two, one element for all
 * lanes, or a list of elements. */
void opevo_i_print_operand(opevo_i_print_printer *self, const opevo_i_print_vector_loop *loop,
                           const opevo_i_nest_access *access, opevo_element type, bool splat_alone)
{
    int64_t factor = 0;
    int width = (int)loop->width;
    opevo_element stored = opevo_i_print_stored_type(self, access->buffer);
    char letter = opevo_i_print_vector_letter(type);
    bool regular = opevo_i_print_lane_factor(self, &access->address, loop->lane, &factor);

    opevo_i_print_fix(self, loop->lane, 0);
    if (self->named[access->buffer] == width || (regular && factor == 1)) {
        opevo_i_print_vector_load_start(self, stored, type, width);
        if (self->named[access->buffer] != width)
            opevo_text_printf(self->out, "*(const %c%d *)&", opevo_i_print_vector_letter(stored),
                              width);
        opevo_i_print_element(self, access);
        opevo_i_print_vector_load_end(self, stored, type, width);
    } else if (regular && factor == 2 && stored == OPEVO_FLOAT32 && type == OPEVO_FLOAT32) {
        opevo_i_print_function_name(self, OPEVO_I_FUNCTION_EVEN, width);
        opevo_text_add(self->out, "(&");
        opevo_i_print_element(self, access);
        opevo_text_add(self->out, ")");
    } else if (regular && factor == 0) {
        if (splat_alone)
            opevo_text_printf(self->out, "(%c%d){0} + ", letter, width);
        opevo_i_print_load(self, access, type);
    } else {
        opevo_text_printf(self->out, "(%c%d){", letter, width);
        for (int i = 0; i < width; i++) {
            opevo_i_print_fix(self, loop->lane, i);
            opevo_text_add(self->out, i ? ", " : "");
            opevo_i_print_load(self, access, type);
        }
        opevo_text_add(self->out, "}");
    }
    opevo_i_print_release(self, loop->lane);
}

bool opevo_i_print_is_vector_loop(const opevo_i_nest_node *node)
{
    return node->kind == OPEVO_I_LOOP && node->annotation == OPEVO_ANNOTATION_VECTORIZE &&
           opevo_i_print_is_vector_width(node->extent) && opevo_i_nest_node_only_leaf(node);
}
