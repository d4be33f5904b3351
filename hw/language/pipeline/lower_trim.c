/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loops over registers that end early. Where tiles do not divide an axis, the last one reaches past
 * its end: with e = start + factor * iteration + ... < limit the guard for an element of the stage,
 * and `start` what the loops around the tile make of e,
 *
 *     start + factor (iterations - 1) < limit   all iterations bring something,
 *     start < limit                             the first (limit - start) / factor, rounded up,
 *     otherwise                                 none does. */

#include "lower_pipeline_internal.h"

typedef struct tail {
    opevo_i_affine start;
    int64_t factor, limit;
} tail;

static bool find_tail(opevo_i_pipeline_lowering *self, int key, tail *out)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_nest_loops *own = &self->part[key]->own;
    opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_nest_guards inside = opevo_i_pipeline_element_guards(self, key);
    int atom = own->loop[stage->trim].atom;
    opevo_i_affine none = opevo_i_affine_constant(0);
    opevo_i_affine iteration = opevo_i_affine_of_atom(atom);

    for (int i = 0; i < inside.count; i++) {
        const opevo_i_nest_guard *one = &inside.item[i];
        opevo_i_affine rest = one->value;

        *out = (tail){one->value, opevo_i_affine_factor(&one->value, atom), one->limit};
        rest = opevo_i_affine_add(atoms, rest, -out->factor, &iteration);
        if (out->factor <= 0 || opevo_i_affine_uses(atoms, &rest, atom))
            continue;
        for (int l = stage->accumulate + 1; l < own->loops; l++)
            out->start = opevo_i_affine_replace(atoms, &out->start, own->loop[l].atom, &none);
        return true;
    }
    return false;
}

/* The most iterations that bring something where not all do: `start` is a multiple of its
 * factors. */
static int64_t iterations_left(const tail *last, int64_t iterations)
{
    int64_t step = opevo_i_affine_divisor(&last->start);
    int64_t least = last->limit - last->factor * (iterations - 1);

    least = step > 0 ? (least + step - 1) / step * step : 0;
    return (last->limit - least + last->factor - 1) / last->factor;
}

static opevo_i_nest_node *add_if(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent,
                                 const tail *last, int64_t limit)
{
    opevo_i_nest_guards guards = {0};
    opevo_i_nest_node *node = NULL;

    opevo_i_nest_guards_add(&self->nest->atoms, &guards, &last->start,
                            opevo_i_affine_least(&self->nest->atoms, &last->start), limit);
    if (!guards.count)
        return parent;
    node = parent ? opevo_i_pipeline_checked(self, opevo_i_nest_add(self->nest, parent, OPEVO_I_IF))
                  : NULL;
    if (node)
        node->guards = guards;
    return node;
}

static void check(opevo_i_pipeline_lowering *self, int key)
{
    for (int i = 0; i < self->pipeline->stages; i++) {
        if (self->part[i] && self->part[i]->scope == OPEVO_SCOPE_SHARED)
            OPEVO_I_PIPELINE_REFUSE(
                self, INVALID, "%s is trimmed, but threads that share copies need all iterations.",
                self->pipeline->stage[key]->name);
    }
}

void opevo_i_pipeline_trimmed(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key,
                              opevo_i_pipeline_sums_function sums,
                              const opevo_i_nest_access *registers)
{
    opevo_i_nest_loop *loop = &self->part[key]->own.loop[self->pipeline->stage[key]->trim];
    opevo_i_nest_node *full = NULL;
    int64_t iterations = loop->extent;
    int64_t left = 0;
    tail last;

    check(self, key);
    self->nest->trimmed = true;
    if (find_tail(self, key, &last))
        full = add_if(self, parent, &last, last.limit - last.factor * (iterations - 1));
    sums(self, full ? full : parent, key, registers);
    if (!full || full == parent)
        return;
    left = iterations_left(&last, iterations);
    if (left > 0) {
        full->otherwise =
            opevo_i_pipeline_checked(self, opevo_i_nest_add(self->nest, NULL, OPEVO_I_LIST));
        loop->extent = left;
        if (full->otherwise)
            sums(self, add_if(self, full->otherwise, &last, last.limit), key, registers);
        loop->extent = iterations;
    }
}
