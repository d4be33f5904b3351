/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How large the numbers are that a kernel computes for its loops, indices, guards and conditions.
 * An expression is printed term by term and may be printed in part, with numbers in the place of
 * some loop variables. Whatever the order, no partial sum is above the sum of its positive terms or
 * below that of its negative ones. */

#include "nest_internal.h"

#include <math.h>

typedef struct numbers {
    const opevo_i_nest *nest;
    const opevo_i_affine_atoms *atoms;
    double most; /* absolute value so far */
} numbers;

static void look_at(numbers *self, const opevo_i_affine *a)
{
    double above = fmax((double)a->constant, 0);
    double below = fmax(-(double)a->constant, 0);

    for (int i = 0; i < a->count; i++) {
        const opevo_i_affine_atom *atom = &self->atoms->item[a->term[i].atom];
        double factor = (double)a->term[i].factor;

        *(factor < 0 ? &below : &above) += fabs(factor) * (double)(atom->extent - 1);
        if (!atom->is_loop)
            look_at(self, &atom->inner);
    }
    self->most = fmax(self->most, fmax(above, below));
}

static void look_at_guards(numbers *self, const opevo_i_nest_guards *guards)
{
    for (int i = 0; i < guards->count; i++)
        look_at(self, &guards->item[i].value);
}

static void look_at_value(numbers *self, const opevo_i_nest_value *value);

static void look_at_condition(numbers *self, const opevo_i_nest_condition *condition)
{
    if (!condition)
        return;
    look_at_condition(self, condition->left);
    look_at_condition(self, condition->right);
    if (condition->is_whole)
        look_at(self, &condition->whole);
    look_at_value(self, condition->x);
    look_at_value(self, condition->y);
}

static void look_at_value(numbers *self, const opevo_i_nest_value *value)
{
    if (!value)
        return;
    if (value->kind == OPEVO_EXPR_WHOLE)
        look_at(self, &value->whole);
    look_at_condition(self, value->condition);
    look_at_value(self, value->left);
    look_at_value(self, value->right);
}

static void look_at_leaf(numbers *self, const opevo_i_nest_leaf *leaf)
{
    look_at(self, &leaf->to.address);
    for (int i = 0; i < leaf->factors; i++)
        look_at(self, &leaf->factor[i].address);
    look_at_value(self, leaf->value);
    look_at_guards(self, &leaf->keep);
    look_at_guards(self, &leaf->inside);
}

/* An argument is rounded up to a multiple of the tile by adding to it first. */
static void look_at_count(numbers *self, const opevo_i_nest_count *count)
{
    if (count->tile)
        self->most = fmax(self->most, (double)self->nest->argument[count->argument].most +
                                          (double)(count->tile - 1));
}

static void look_at_node(numbers *self, const opevo_i_nest_node *node)
{
    if (node->kind == OPEVO_I_LOOP) {
        self->most = fmax(self->most, (double)node->extent);
        look_at_count(self, &node->count);
    }
    if (node->kind == OPEVO_I_LET)
        look_at(self, &node->value);
    look_at_guards(self, &node->guards);
    if (node->leaf)
        look_at_leaf(self, node->leaf);
    for (const opevo_i_nest_node *one = node->first; one; one = one->next)
        look_at_node(self, one);
    if (node->otherwise)
        look_at_node(self, node->otherwise);
}

double opevo_i_nest_largest_number(const opevo_i_nest *nest)
{
    numbers self = {.nest = nest, .atoms = &nest->atoms};

    for (int i = 0; i < nest->launches; i++) {
        for (int a = 0; a < OPEVO_ANNOTATION_COUNT; a++) {
            self.most = fmax(self.most, (double)nest->launch[i].bound_extent[a]);
            look_at_count(&self, &nest->launch[i].count[a]);
        }
    }
    look_at_node(&self, nest->root);
    return self.most;
}
