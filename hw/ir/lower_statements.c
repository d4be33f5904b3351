/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Nodes, addresses and leaves of a loop nest. Virtual threads have no loop of their own around
 * everything: each leaf that depends on one is repeated for it, so that work and barriers that do not depend
 * on it are done once, as TVM's pass "inject virtual thread" does. */

#include "lower_internal.h"

#include <opevo/memory.h>

/* ---- Nodes ---- */

opevo_i_node *opevo_i_lower_add_node(opevo_i_lowering *self, opevo_i_node *parent,
                                     opevo_i_node_kind kind)
{
    opevo_i_node *node = opevo_calloc(1, sizeof *node);

    if (!node) {
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a loop nest.");
        return NULL;
    }
    node->kind = kind;
    node->made_before = self->nest->nodes;
    self->nest->nodes = node;
    if (parent && parent->last)
        parent->last->next = node;
    else if (parent)
        parent->first = node;
    if (parent)
        parent->last = node;
    return node;
}

opevo_i_node *opevo_i_lower_add_loop(opevo_i_lowering *self, opevo_i_node *parent, int atom,
                                     int64_t extent, opevo_annotation annotation)
{
    opevo_i_node *node = parent ? opevo_i_lower_add_node(self, parent, OPEVO_I_LOOP) : NULL;

    if (node) {
        node->atom = atom;
        node->extent = extent;
        node->annotation = annotation;
    }
    return node;
}

static int64_t rounded_up(int64_t a, int64_t b)
{
    return a / b + (a % b > 0);
}

/* The same condition, as compilers see most in it: least <= e / d < limit is one on e, and one on a multiple of
 * e another on e. */
static opevo_i_condition simplified(const opevo_i_atoms *atoms, opevo_i_condition one)
{
    for (int i = one.value.count - 1; i >= 0; i--) {
        opevo_i_affine term = opevo_i_affine_atom(one.value.term[i].atom);

        if (opevo_i_affine_most(atoms, &term) == 0)
            one.value = opevo_i_affine_add(atoms, one.value, -one.value.term[i].factor, &term);
    }
    while (one.value.count == 1 && one.value.term[0].factor > 0) {
        const opevo_i_atom *atom = &atoms->item[one.value.term[0].atom];
        int64_t factor = one.value.term[0].factor;

        one.least = rounded_up(one.least - one.value.constant, factor);
        one.limit = rounded_up(one.limit - one.value.constant, factor);
        one.value = opevo_i_affine_atom(one.value.term[0].atom);
        if (atom->is_loop || atom->modulus)
            break;
        one =
            (opevo_i_condition){atom->inner, one.least * atom->divisor, one.limit * atom->divisor};
    }
    return one;
}

/* least <= value < limit, unless it always holds. */
void opevo_i_lower_add_condition(opevo_i_lowering *self, opevo_i_conditions *conditions,
                                 const opevo_i_affine *value, int64_t least, int64_t limit)
{
    const opevo_i_atoms *atoms = &self->schedule->atoms;

    if (opevo_i_affine_least(atoms, value) >= least && opevo_i_affine_most(atoms, value) < limit)
        return;
    if (conditions->count == OPEVO_I_CONDITIONS) {
        OPEVO_I_REFUSE(self, "A statement would need more than %d conditions.", OPEVO_I_CONDITIONS);
        return;
    }
    conditions->item[conditions->count++] =
        simplified(atoms, (opevo_i_condition){*value, least, limit});
}

/* ---- Addresses ---- */

void opevo_i_lower_grow(opevo_i_lowering *self, const opevo_i_access *access)
{
    opevo_i_buffer *buffer = &self->nest->buffer[access->buffer];
    int64_t most = opevo_i_affine_most(&self->schedule->atoms, &access->address);

    if (access->address.overflow)
        OPEVO_I_REFUSE(self, "An address has more than %d parts.", OPEVO_I_TERMS);
    if (buffer->scope != OPEVO_SCOPE_GLOBAL && most >= buffer->size)
        buffer->size = most + 1;
}

/* What selects the copy of a virtual thread, and the half of a double buffer; `turn` is the number
 * of the turn that the half belongs to. */
opevo_i_affine opevo_i_lower_select_copy(opevo_i_lowering *self, const opevo_i_stage *stage,
                                         const opevo_i_affine *turn)
{
    opevo_i_atoms *atoms = &self->schedule->atoms;
    int64_t stride = opevo_i_stage_size(stage);
    opevo_i_affine offset = opevo_i_affine_constant(0);

    for (int i = stage->vthreads - 1; i >= 0; i--) {
        opevo_i_affine one = opevo_i_affine_atom(stage->vthread[i]);

        offset = opevo_i_affine_add(atoms, offset, stride, &one);
        stride *= atoms->item[stage->vthread[i]].extent;
    }
    if (stage->double_buffer) {
        opevo_i_affine half = opevo_i_affine_modulo(atoms, turn, 2);

        offset = opevo_i_affine_add(atoms, offset, stride, &half);
    }
    return offset;
}

/* The element of a stage at an index of its tensor. */
opevo_i_access opevo_i_lower_access_of(opevo_i_lowering *self, int number,
                                       const opevo_i_affine *index)
{
    const opevo_i_stage *stage = &self->schedule->stage[number];
    opevo_i_access access = {.buffer = number};

    access.address = opevo_i_schedule_address(self->schedule, stage, index);
    if (!opevo_i_is_tensor(stage)) {
        opevo_i_affine turn = opevo_i_affine_constant(0);
        opevo_i_affine offset;

        if (stage->attached >= 0)
            turn = opevo_i_affine_atom(self->compute->loop[stage->attached].atom);
        offset = opevo_i_lower_select_copy(self, stage, &turn);
        access.address = opevo_i_affine_add(&self->schedule->atoms, access.address, 1, &offset);
    }
    opevo_i_lower_grow(self, &access);
    return access;
}

/* That an index lies inside its tensor. */
void opevo_i_lower_bound_index(opevo_i_lowering *self, opevo_i_conditions *conditions, int tensor,
                               const opevo_i_affine *index)
{
    const opevo_i_tensor *one = &self->schedule->compute.tensor[tensor];

    for (int d = 0; d < one->dims; d++)
        opevo_i_lower_add_condition(self, conditions, &index[d], 0, one->extent[d]);
}

/* ---- Leaves ---- */

static bool conditions_use(const opevo_i_atoms *atoms, const opevo_i_conditions *conditions,
                           int atom)
{
    for (int i = 0; i < conditions->count; i++) {
        if (opevo_i_affine_uses(atoms, &conditions->item[i].value, atom))
            return true;
    }
    return false;
}

static bool leaf_uses(const opevo_i_atoms *atoms, const opevo_i_leaf *leaf, int atom)
{
    for (int i = 0; i < leaf->factors; i++) {
        if (opevo_i_affine_uses(atoms, &leaf->factor[i].address, atom))
            return true;
    }
    return opevo_i_affine_uses(atoms, &leaf->to.address, atom) ||
           conditions_use(atoms, &leaf->keep, atom) || conditions_use(atoms, &leaf->inside, atom);
}

/* TVM copies the statement for fewer virtual threads than this, and loops over more. */
enum { VTHREADS_EXPANDED = 16 };

opevo_i_node *opevo_i_lower_add_vthreads(opevo_i_lowering *self, opevo_i_node *parent,
                                         const opevo_i_leaf *leaf)
{
    for (int i = 0; i < self->compute->loops; i++) {
        const opevo_i_loop *loop = &self->compute->loop[i];

        if (loop->annotation == OPEVO_ANNOTATION_VTHREAD &&
            leaf_uses(&self->schedule->atoms, leaf, loop->atom))
            parent =
                opevo_i_lower_add_loop(self, parent, loop->atom, loop->extent,
                                       loop->extent < VTHREADS_EXPANDED ? OPEVO_ANNOTATION_EXPAND
                                                                        : OPEVO_ANNOTATION_SERIAL);
    }
    return parent;
}

void opevo_i_lower_add_leaf(opevo_i_lowering *self, opevo_i_node *parent, const opevo_i_leaf *leaf)
{
    opevo_i_node *node = NULL;

    node = parent ? opevo_i_lower_add_node(self, parent, OPEVO_I_LEAF) : NULL;
    if (!node)
        return;
    node->leaf = opevo_malloc(1, sizeof *node->leaf);
    if (!node->leaf) {
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a loop nest.");
        return;
    }
    *node->leaf = *leaf;
}
