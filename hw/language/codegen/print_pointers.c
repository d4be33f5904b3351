/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Base pointers: "const float *p7 = a + ..." before a statement that is repeated as text. */

#include "print_internal.h"

/* Compilers take time for each address; so what the copies of a statement have in common is worked
 * out once. */
typedef struct pointer_finder {
    opevo_i_print_printer *self;
    const opevo_i_nest_node *node; /* its loop variables change among the copies */
} pointer_finder;

/* Whether a loop or a value inside changes the atom. */
static bool changes(const opevo_i_print_printer *self, const opevo_i_nest_node *node,
                    const opevo_i_affine *atom)
{
    if ((node->kind == OPEVO_I_LOOP || node->kind == OPEVO_I_LET) &&
        opevo_i_affine_uses(self->atoms, atom, node->atom))
        return true;
    for (const opevo_i_nest_node *one = node->first; one; one = one->next) {
        if (changes(self, one, atom))
            return true;
    }
    return node->otherwise && changes(self, node->otherwise, atom);
}

/* Where a statement is masked, its address may lie outside of an array. A pointer there would be
 * computed without the mask, and compilers conclude from it that loops end earlier. */
static bool is_outside(const opevo_i_print_printer *self, int buffer, const opevo_i_affine *address)
{
    return buffer >= self->nest->operands &&
           (opevo_i_affine_least(self->atoms, address) < 0 ||
            opevo_i_affine_most(self->atoms, address) >= self->nest->buffer[buffer].size);
}

static void add_pointer(pointer_finder *all, const opevo_i_nest_access *access)
{
    opevo_i_print_printer *self = all->self;
    opevo_i_affine common = opevo_i_affine_constant(0);
    int terms = 0;

    if (self->named[access->buffer])
        return;
    for (int i = 0; i < access->address.count; i++) {
        opevo_i_affine one = opevo_i_affine_of_atom(access->address.term[i].atom);

        if (changes(self, all->node, &one))
            continue;
        common = opevo_i_affine_add(self->atoms, common, access->address.term[i].factor, &one);
        terms++;
    }
    for (int i = 0; i < self->pointers; i++) {
        if (self->pointer[i].buffer == access->buffer &&
            opevo_i_affine_equal(&self->pointer[i].address, &common))
            return;
    }
    if (terms == 0 || self->pointers == OPEVO_I_POINTERS ||
        is_outside(self, access->buffer, &common))
        return;
    opevo_i_print_indent(self);
    opevo_text_printf(
        self->out, "%s%s%s *p%d = &", opevo_i_print_pointer_space(self, access->buffer),
        access->buffer < self->nest->inputs ? "const " : "",
        opevo_kernel_type_text(opevo_i_print_stored_type(self, access->buffer)), self->pointers);
    opevo_i_print_buffer(self, access->buffer);
    opevo_text_add(self->out, "[");
    opevo_i_print_affine(self, &common);
    opevo_text_add(self->out, "];\n");
    opevo_i_print_indent(self);
    opevo_text_printf(self->out, "(void)p%d;\n", self->pointers);
    self->pointer[self->pointers++] = (opevo_i_print_pointer){access->buffer, common};
}

static void find_pointers(pointer_finder *all, const opevo_i_nest_node *node)
{
    if (node->kind == OPEVO_I_LEAF) {
        add_pointer(all, &node->leaf->to);
        for (int i = 0; i < node->leaf->factors; i++)
            add_pointer(all, &node->leaf->factor[i]);
    }
    for (const opevo_i_nest_node *one = node->first; one; one = one->next)
        find_pointers(all, one);
    if (node->otherwise)
        find_pointers(all, node->otherwise);
}

void opevo_i_print_pointers(opevo_i_print_printer *self, const opevo_i_nest_node *node)
{
    pointer_finder all = {.self = self, .node = node};

    find_pointers(&all, node);
}
