/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Loops that end early. Where tiles do not divide an axis of C, the last one reaches past its end:
 * with e = start + factor * iteration + ... < limit the guard for an element of C, and `start` what
 * the loops around the tile make of e,
 *
 *     start + factor (iterations - 1) < limit    all iterations bring something,
 *     start < limit                         the first (limit - start) / factor of them, rounded up,
 *     otherwise                             none does. */

#include "lower_internal.h"

typedef struct tail {
    opevo_i_affine start;
    int64_t factor, limit;
} tail;

static bool find_tail(opevo_i_nest_lowering *self, int at, int atom, tail *out)
{
    opevo_i_affine none = opevo_i_affine_constant(0);
    opevo_i_affine index[OPEVO_I_DIMS];
    opevo_i_nest_guards inside = {0};

    for (int d = 0; d < self->schedule->compute.tensor[self->output].dims; d++)
        index[d] = opevo_i_nest_schedule_index(self->schedule, self->output, d);
    opevo_i_nest_lower_bound_index(self, &inside, self->output, index);
    for (int i = 0; i < inside.count; i++) {
        const opevo_i_nest_guard *one = &inside.item[i];
        opevo_i_affine iteration = opevo_i_affine_of_atom(atom);
        opevo_i_affine rest = one->value;

        *out = (tail){one->value, opevo_i_affine_factor(&one->value, atom), one->limit};
        rest = opevo_i_affine_add(&self->schedule->atoms, rest, -out->factor, &iteration);
        if (out->factor <= 0 || opevo_i_affine_uses(&self->schedule->atoms, &rest, atom))
            continue;
        for (int l = at + 1; l < self->compute->own.loops; l++)
            out->start = opevo_i_affine_replace(&self->schedule->atoms, &out->start,
                                                self->compute->own.loop[l].atom, &none);
        return true;
    }
    return false;
}

/* The most iterations that bring something where not all do:
 * `start` is a multiple of its factors. */
static int64_t iterations_left(const tail *last, int64_t iterations)
{
    int64_t step = opevo_i_affine_divisor(&last->start);
    int64_t least = last->limit - last->factor * (iterations - 1);

    least = step > 0 ? (least + step - 1) / step * step : 0;
    return (last->limit - least + last->factor - 1) / last->factor;
}

static opevo_i_nest_node *add_if(opevo_i_nest_lowering *self, opevo_i_nest_node *parent,
                                 const tail *last, int64_t limit)
{
    opevo_i_nest_guards guards = {0};
    opevo_i_nest_node *node = NULL;

    opevo_i_nest_lower_add_guard(self, &guards, &last->start, 0, limit);
    if (!guards.count)
        return parent;
    node = parent ? opevo_i_nest_lower_add_node(self, parent, OPEVO_I_IF) : NULL;
    if (node)
        node->guards = guards;
    return node;
}

void opevo_i_nest_lower_trimmed(opevo_i_nest_lowering *self, opevo_i_nest_node *parent, int at,
                                void (*sums)(opevo_i_nest_lowering *self, opevo_i_nest_node *into,
                                             int at))
{
    opevo_i_nest_stage *compute = &self->schedule->stage[self->output];
    opevo_i_nest_stage *write = &self->schedule->stage[self->write];
    int atom = write->origin[write->trim];
    opevo_i_nest_loop *loop[2] = {NULL, NULL};
    opevo_i_nest_node *full = NULL;
    int64_t iterations = write->own.axis_extent[write->trim];
    int64_t left = 0;
    tail last;

    for (int i = 0; i < compute->own.loops; i++)
        loop[0] = compute->own.loop[i].atom == atom ? &compute->own.loop[i] : loop[0];
    for (int i = 0; i < write->own.loops; i++) {
        opevo_i_affine own = opevo_i_affine_of_atom(write->own.loop[i].atom);

        if (opevo_i_affine_equal(&own, &write->own.axis[write->trim]))
            loop[1] = &write->own.loop[i];
    }
    if (!loop[0] || !loop[1]) {
        OPEVO_I_REFUSE(self, "A loop of %s was trimmed and then changed.", write->name);
        return;
    }
    if (find_tail(self, at, atom, &last))
        full = add_if(self, parent, &last, last.limit - last.factor * (iterations - 1));
    sums(self, full ? full : parent, at);
    if (!full || full == parent)
        return;
    left = iterations_left(&last, iterations);
    if (left > 0) {
        full->otherwise = opevo_i_nest_lower_add_node(self, NULL, OPEVO_I_LIST);
        loop[0]->extent = loop[1]->extent = left;
        sums(self, add_if(self, full->otherwise, &last, last.limit), at);
        loop[0]->extent = loop[1]->extent = iterations;
    }
}
