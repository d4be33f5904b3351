/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Nodes and leaves of a loop nest. Virtual threads have no loop of their own around everything:
 * each leaf that depends on one is repeated for it, so that work and barriers that do not depend on
 * it are done once, as TVM's pass "inject virtual thread" does. */

#include "lower_internal.h"

#include <opevo/memory.h>

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

static bool guards_use(const opevo_i_atoms *atoms, const opevo_i_guards *guards, int atom)
{
    for (int i = 0; i < guards->count; i++) {
        if (opevo_i_affine_uses(atoms, &guards->item[i].value, atom))
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
           guards_use(atoms, &leaf->keep, atom) || guards_use(atoms, &leaf->inside, atom);
}

/* TVM copies the statement for fewer virtual threads than this, and loops over more. */
enum { VTHREADS_EXPANDED = 16 };

opevo_i_node *opevo_i_lower_add_vthreads(opevo_i_lowering *self, opevo_i_node *parent,
                                         const opevo_i_leaf *leaf)
{
    for (int i = 0; i < self->compute->own.loops; i++) {
        const opevo_i_loop *loop = &self->compute->own.loop[i];

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
