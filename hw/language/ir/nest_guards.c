/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Guards that are asked once instead of at each statement:
 *
 *     for (s ...) if (least <= h + r < limit) x += ...   becomes   if (least <= h + r < limit) for
 *     (s ...) x += ...
 *
 * at the outermost node that all of the value's loops are outside of, if nothing else is done in
 * it. */

#include "nest_internal.h"

typedef struct hoisting {
    opevo_i_nest *nest;
    bool failed; /* without memory */
} hoisting;

/* The first statement that has guards. */
static const opevo_i_nest_leaf *find_guarded(const opevo_i_nest_node *node)
{
    const opevo_i_nest_leaf *found = NULL;

    if (node->kind == OPEVO_I_LEAF)
        return node->leaf->keep.count ? node->leaf : NULL;
    for (const opevo_i_nest_node *child = node->first; child && !found; child = child->next)
        found = find_guarded(child);
    return found || !node->otherwise ? found : find_guarded(node->otherwise);
}

/* The guards of a node that can be asked ahead of it: each is one of its first guarded
 * statement. */
static opevo_i_nest_guards find_common(const hoisting *self, const opevo_i_nest_node *node)
{
    const opevo_i_nest_leaf *leaf = find_guarded(node);
    opevo_i_nest_guards common = {0};

    for (int i = 0; leaf && i < leaf->keep.count; i++) {
        const opevo_i_nest_guard *one = &leaf->keep.item[i];

        if (!opevo_i_nest_node_binds(&self->nest->atoms, node, &one->value) &&
            opevo_i_nest_is_guarded(self->nest, node, node, one))
            common.item[common.count++] = *one;
    }
    return common;
}

static void visit(hoisting *self, opevo_i_nest_node *node)
{
    opevo_i_nest_node *before = NULL;

    for (opevo_i_nest_node *child = node->first; child && !self->failed; child = child->next) {
        opevo_i_nest_guards common = {0};

        if (child->kind == OPEVO_I_LOOP)
            common = find_common(self, child);
        if (common.count) {
            opevo_i_nest_node *branch = opevo_i_nest_add(self->nest, NULL, OPEVO_I_IF);

            self->failed |= !branch;
            if (!branch)
                return;
            branch->guards = common;
            branch->first = branch->last = child;
            branch->next = child->next;
            child->next = NULL;
            *(before ? &before->next : &node->first) = branch;
            node->last = node->last == child ? branch : node->last;
            for (int i = 0; i < common.count; i++)
                opevo_i_nest_node_replace_guard(child, &common.item[i], NULL);
            child = branch;
        }
        visit(self, child);
        before = child;
    }
    if (node->otherwise)
        visit(self, node->otherwise);
}

bool opevo_i_nest_hoist_guards(opevo_i_nest *nest)
{
    hoisting self = {.nest = nest};

    visit(&self, nest->root);
    return !self.failed;
}
