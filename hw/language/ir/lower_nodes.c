/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Nodes of the nest of a contraction. Virtual threads have no loop of their own around everything:
 * each leaf that depends on one is repeated for it, so that work and barriers that do not depend on
 * it are done once, as TVM's pass "inject virtual thread" does. */

#include "lower_internal.h"

static opevo_i_nest_node *checked(opevo_i_nest_lowering *self, opevo_i_nest_node *node)
{
    if (!node)
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a loop nest.");
    return node;
}

opevo_i_nest_node *opevo_i_nest_lower_add_node(opevo_i_nest_lowering *self,
                                               opevo_i_nest_node *parent,
                                               opevo_i_nest_node_kind kind)
{
    return checked(self, opevo_i_nest_add(self->nest, parent, kind));
}

opevo_i_nest_node *opevo_i_nest_lower_add_loop(opevo_i_nest_lowering *self,
                                               opevo_i_nest_node *parent, int atom, int64_t extent,
                                               opevo_annotation annotation)
{
    return parent
               ? checked(self, opevo_i_nest_add_loop(self->nest, parent, atom, extent, annotation))
               : NULL;
}

opevo_i_nest_node *opevo_i_nest_lower_add_vthreads(opevo_i_nest_lowering *self,
                                                   opevo_i_nest_node *parent,
                                                   const opevo_i_nest_leaf *leaf)
{
    for (int i = 0; i < self->compute->own.loops && parent; i++) {
        const opevo_i_nest_loop *loop = &self->compute->own.loop[i];

        if (loop->annotation == OPEVO_ANNOTATION_VTHREAD)
            parent = checked(self, opevo_i_nest_add_vthread(self->nest, parent, leaf,
                                                            &self->schedule->atoms, loop->atom,
                                                            loop->extent));
    }
    return parent;
}

void opevo_i_nest_lower_add_leaf(opevo_i_nest_lowering *self, opevo_i_nest_node *parent,
                                 const opevo_i_nest_leaf *leaf)
{
    if (parent)
        checked(self, opevo_i_nest_add_leaf(self->nest, parent, leaf));
}
