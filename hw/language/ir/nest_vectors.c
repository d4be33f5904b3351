/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Vectorized loops of lengths that compilers have no vectors for, in parts of 16, 8, 4, 2 and 1:
 * 7 is 4 + 2 + 1. Where a local buffer is read or written, all parts are of one length, since the
 * buffer can live in registers of one length only. */

#include "nest_internal.h"

enum { WIDEST = 16 };

typedef struct splitter {
    opevo_i_nest *nest;
    int lane;
    opevo_i_affine now; /* what takes the place of the lane */
    bool failed;        /* without memory */
} splitter;

/* ---- A statement with another lane ---- */

static opevo_i_affine replaced(splitter *self, const opevo_i_affine *a)
{
    return opevo_i_affine_replace(&self->nest->atoms, a, self->lane, &self->now);
}

static const opevo_i_nest_value *replaced_value(splitter *self, const opevo_i_nest_value *value);

static const opevo_i_nest_condition *replaced_condition(splitter *self,
                                                        const opevo_i_nest_condition *condition)
{
    opevo_i_nest_condition *copy = condition ? opevo_i_nest_take(self->nest, sizeof *copy) : NULL;

    self->failed |= condition && !copy;
    if (!copy)
        return NULL;
    *copy = *condition;
    copy->left = replaced_condition(self, condition->left);
    copy->right = replaced_condition(self, condition->right);
    copy->whole = replaced(self, &condition->whole);
    copy->x = replaced_value(self, condition->x);
    copy->y = replaced_value(self, condition->y);
    return copy;
}

static const opevo_i_nest_value *replaced_value(splitter *self, const opevo_i_nest_value *value)
{
    opevo_i_nest_value *copy = value ? opevo_i_nest_take(self->nest, sizeof *copy) : NULL;

    self->failed |= value && !copy;
    if (!copy)
        return NULL;
    *copy = *value;
    copy->left = replaced_value(self, value->left);
    copy->right = replaced_value(self, value->right);
    copy->condition = replaced_condition(self, value->condition);
    copy->whole = replaced(self, &value->whole);
    return copy;
}

static void replace_in_guards(splitter *self, opevo_i_nest_guards *guards)
{
    for (int i = 0; i < guards->count; i++)
        guards->item[i].value = replaced(self, &guards->item[i].value);
}

static opevo_i_nest_leaf replaced_leaf(splitter *self, const opevo_i_nest_leaf *leaf)
{
    opevo_i_nest_leaf copy = *leaf;

    copy.to.address = replaced(self, &leaf->to.address);
    for (int i = 0; i < leaf->factors; i++)
        copy.factor[i].address = replaced(self, &leaf->factor[i].address);
    replace_in_guards(self, &copy.keep);
    replace_in_guards(self, &copy.inside);
    copy.value = replaced_value(self, leaf->value);
    return copy;
}

/* ---- Loops ---- */

static bool is_local(const opevo_i_nest *nest, const opevo_i_nest_access *access)
{
    return access->buffer >= nest->operands &&
           nest->buffer[access->buffer].scope == OPEVO_SCOPE_LOCAL;
}

/* The longest part of `left` iterations; of all of them where there is a local buffer. */
static int64_t part_of(const opevo_i_nest *nest, const opevo_i_nest_leaf *leaf, int64_t extent,
                       int64_t left)
{
    bool local = is_local(nest, &leaf->to);
    int64_t part = WIDEST;

    for (int i = 0; i < leaf->factors; i++)
        local |= is_local(nest, &leaf->factor[i]);
    while (local ? extent % part != 0 : part > left)
        part /= 2;
    return part;
}

static void split(splitter *self, opevo_i_nest_node *node)
{
    const opevo_i_nest_leaf *leaf = opevo_i_nest_node_only_leaf(node);
    int64_t part = 0;

    node->kind = OPEVO_I_LIST;
    node->first = node->last = NULL;
    for (int64_t at = 0; at < node->extent && !self->failed; at += part) {
        opevo_i_affine start = opevo_i_affine_constant(at);
        opevo_i_nest_node *parent = node;
        opevo_i_nest_leaf copy;

        part = part_of(self->nest, leaf, node->extent, node->extent - at);
        self->now = start;
        if (part > 1) {
            int lane = opevo_i_affine_atoms_loop(&self->nest->atoms, part);
            opevo_i_affine one = opevo_i_affine_of_atom(lane);

            self->now = opevo_i_affine_add(&self->nest->atoms, start, 1, &one);
            parent =
                opevo_i_nest_add_loop(self->nest, node, lane, part, OPEVO_ANNOTATION_VECTORIZE);
        }
        copy = replaced_leaf(self, leaf);
        self->failed |= !parent || !opevo_i_nest_add_leaf(self->nest, parent, &copy);
    }
}

bool opevo_i_nest_split_vectors(opevo_i_nest *nest)
{
    splitter self = {.nest = nest};

    for (opevo_i_nest_node *node = nest->nodes; node && !self.failed; node = node->made_before) {
        const opevo_i_nest_leaf *leaf =
            node->kind == OPEVO_I_LOOP && node->annotation == OPEVO_ANNOTATION_VECTORIZE
                ? opevo_i_nest_node_only_leaf(node)
                : NULL;
        bool is_whole = node->extent <= WIDEST && (node->extent & (node->extent - 1)) == 0;

        if (!leaf || is_whole)
            continue;
        self.lane = node->atom;
        /* Not one statement each for more elements than a vector has. */
        if (node->extent > WIDEST && part_of(nest, leaf, node->extent, node->extent) == 1)
            node->annotation = OPEVO_ANNOTATION_SERIAL;
        else
            split(&self, node);
    }
    return !self.failed && !nest->atoms.failed;
}
