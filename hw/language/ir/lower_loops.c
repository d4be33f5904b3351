/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The loops of C, from the outside in: at each, the copies that are attached there are made, with
 * barriers around those that threads share; inside all, the sum of products. */

#include "lower_internal.h"

static void add_sync(opevo_i_nest_lowering *self, opevo_i_nest_node *parent)
{
    if (parent)
        opevo_i_nest_lower_add_node(self, parent, OPEVO_I_SYNC);
}

static void add_body(opevo_i_nest_lowering *self, opevo_i_nest_node *parent)
{
    opevo_i_nest_leaf leaf = {.kind = self->output > 1 ? OPEVO_I_MAC : OPEVO_I_ADD,
                              .factors = self->output};

    for (int t = 0; t <= self->output; t++) {
        opevo_i_affine index[OPEVO_I_AXES];
        int stage = t == self->output ? self->write : self->reads[t];
        opevo_i_nest_access access;

        for (int d = 0; d < self->schedule->compute.tensor[t].dims; d++)
            index[d] = opevo_i_nest_schedule_index(self->schedule, t, d);
        for (int i = 0; stage != self->output && stage == self->write &&
                        i < self->schedule->stage[stage].own.axes;
             i++)
            index[i] = opevo_i_affine_of_atom(self->schedule->stage[stage].origin[i]);
        if (opevo_i_nest_is_tensor(&self->schedule->stage[stage]))
            opevo_i_nest_lower_bound_index(self, &leaf.keep, t, index);
        access = opevo_i_nest_lower_access_of(self, stage, index);
        *(t == self->output ? &leaf.to : &leaf.factor[t]) = access;
    }
    opevo_i_nest_lower_add_leaf(self, opevo_i_nest_lower_add_vthreads(self, parent, &leaf), &leaf);
}

typedef enum copy_choice { SHARED_SINGLE, SHARED_DOUBLE, SHARED_STAGED, PRIVATE } copy_choice;

static bool is_chosen(const opevo_i_nest_stage *stage, int loop, copy_choice choice)
{
    bool shared = stage->scope == OPEVO_SCOPE_SHARED;

    if (stage->kind != OPEVO_I_CACHE_READ || stage->attached != loop)
        return false;
    switch (choice) {
    case SHARED_SINGLE:
        return shared && !stage->double_buffer;
    case SHARED_DOUBLE:
        return shared && stage->double_buffer && !stage->staged;
    case SHARED_STAGED:
        return shared && stage->staged;
    default:
        return !shared;
    }
}

static int count_chosen(const opevo_i_nest_lowering *self, int loop, copy_choice choice)
{
    int count = 0;

    for (int i = self->output + 1; i < self->schedule->stages; i++)
        count += is_chosen(&self->schedule->stage[i], loop, choice);
    return count;
}

static void fill_chosen(opevo_i_nest_lowering *self, opevo_i_nest_node *parent, int loop,
                        copy_choice choice, opevo_i_nest_copy_kind kind,
                        const opevo_i_affine *iteration)
{
    for (int i = self->output + 1; i < self->schedule->stages; i++) {
        if (is_chosen(&self->schedule->stage[i], loop, choice))
            opevo_i_nest_lower_add_nest(self, parent, i, kind, iteration);
    }
}

/* "if there is a next turn { const next = turn + 1; ... }"; returns where the rest goes. */
static opevo_i_nest_node *add_next(opevo_i_nest_lowering *self, opevo_i_nest_node *parent,
                                   const opevo_i_nest_loop *loop, int next)
{
    opevo_i_nest_node *node = parent ? opevo_i_nest_lower_add_node(self, parent, OPEVO_I_IF) : NULL;

    if (!node)
        return NULL;
    node->guards.count = 1;
    node->guards.item[0] =
        (opevo_i_nest_guard){opevo_i_affine_of_atom(loop->atom), 0, loop->extent - 1, false};
    node = opevo_i_nest_lower_add_node(self, node, OPEVO_I_LET);
    if (node) {
        opevo_i_affine one = opevo_i_affine_constant(1);

        node->atom = next;
        node->value =
            opevo_i_affine_add(&self->schedule->atoms, opevo_i_affine_of_atom(loop->atom), 1, &one);
    }
    return node;
}

/* The parts of a sum that threads in z have, one after the other, to the first of them. */
static void gather_slices(opevo_i_nest_lowering *self, opevo_i_nest_node *parent)
{
    int round = opevo_i_affine_atoms_loop(&self->schedule->atoms, self->slices - 1);
    opevo_i_affine one = opevo_i_affine_constant(1);
    opevo_i_affine sender =
        opevo_i_affine_add(&self->schedule->atoms, opevo_i_affine_of_atom(round), 1, &one);
    opevo_i_nest_node *loop =
        opevo_i_nest_lower_add_loop(self, parent, round, self->slices - 1, OPEVO_ANNOTATION_SERIAL);

    if (!loop)
        return;
    add_sync(self, loop);
    opevo_i_nest_lower_add_nest(self, loop, self->write, OPEVO_I_SEND, &sender);
    add_sync(self, loop);
    opevo_i_nest_lower_add_nest(self, loop, self->write, OPEVO_I_RECEIVE, NULL);
}

/* The sums of a copy to C: added to what is there in all but the first iteration of outer sums. */
static void write_back(opevo_i_nest_lowering *self, opevo_i_nest_node *parent, int loop)
{
    opevo_i_nest_guards first = {0};

    for (int i = 0; i <= loop; i++) {
        opevo_i_affine iteration = opevo_i_affine_of_atom(self->compute->own.loop[i].atom);

        if (self->compute->own.loop[i].reduces && self->compute->own.loop[i].atom != self->slice)
            opevo_i_nest_lower_add_guard(self, &first, &iteration, 0, 1);
    }
    if (self->slices > 1)
        gather_slices(self, parent);
    if (first.count) {
        opevo_i_nest_node *node = opevo_i_nest_lower_add_node(self, parent, OPEVO_I_IF);

        if (!node)
            return;
        node->guards = first;
        node->otherwise = opevo_i_nest_lower_add_node(self, NULL, OPEVO_I_LIST);
        opevo_i_nest_lower_add_nest(self, node, self->write, OPEVO_I_WRITE, NULL);
        if (node->otherwise)
            opevo_i_nest_lower_add_nest(self, node->otherwise, self->write, OPEVO_I_GATHER, NULL);
        return;
    }
    opevo_i_nest_lower_add_nest(self, parent, self->write, OPEVO_I_WRITE, NULL);
}

static void lower_sums(opevo_i_nest_lowering *self, opevo_i_nest_node *into, int at)
{
    opevo_i_nest_lower_add_nest(self, into, self->write, OPEVO_I_CLEAR, NULL);
    opevo_i_nest_lower_loops(self, into, at + 1);
    write_back(self, into, at);
}

/* What happens in one iteration of a loop of C. */
static void lower_body(opevo_i_nest_lowering *self, opevo_i_nest_node *into, int at, int next)
{
    const opevo_i_nest_loop *loop = &self->compute->own.loop[at];
    opevo_i_affine iteration = opevo_i_affine_of_atom(next);
    bool writes = self->write != self->output && self->schedule->stage[self->write].attached == at;
    int doubled = count_chosen(self, at, SHARED_DOUBLE);
    int staged = count_chosen(self, at, SHARED_STAGED);

    if (writes && self->schedule->stage[self->write].trimmed) {
        fill_chosen(self, into, at, PRIVATE, OPEVO_I_FILL, NULL);
        opevo_i_nest_lower_trimmed(self, into, at, lower_sums);
        return;
    }
    if (writes)
        opevo_i_nest_lower_add_nest(self, into, self->write, OPEVO_I_CLEAR, NULL);
    if (count_chosen(self, at, SHARED_SINGLE)) {
        add_sync(self, into);
        fill_chosen(self, into, at, SHARED_SINGLE, OPEVO_I_FILL, NULL);
        add_sync(self, into);
    }
    if (doubled)
        fill_chosen(self, add_next(self, into, loop, next), at, SHARED_DOUBLE, OPEVO_I_FILL,
                    &iteration);
    if (staged)
        fill_chosen(self, add_next(self, into, loop, next), at, SHARED_STAGED, OPEVO_I_FETCH,
                    &iteration);
    fill_chosen(self, into, at, PRIVATE, OPEVO_I_FILL, NULL);
    opevo_i_nest_lower_loops(self, into, at + 1);
    if (staged)
        fill_chosen(self, add_next(self, into, loop, next), at, SHARED_STAGED, OPEVO_I_PUT,
                    &iteration);
    if (doubled || staged)
        add_sync(self, into);
    if (writes)
        write_back(self, into, at);
}

void opevo_i_nest_lower_loops(opevo_i_nest_lowering *self, opevo_i_nest_node *parent, int at)
{
    const opevo_i_nest_loop *loop = &self->compute->own.loop[at];
    opevo_i_affine start = opevo_i_affine_constant(0);
    int next = 0;

    if (!parent || self->status != OPEVO_OK)
        return;
    if (self->zeroed && at == self->zeroed_at)
        opevo_i_nest_lower_add_nest(self, parent, self->output, OPEVO_I_CLEAR, NULL);
    if (at == self->compute->own.loops) {
        add_body(self, parent);
        return;
    }
    if (count_chosen(self, at, SHARED_DOUBLE) + count_chosen(self, at, SHARED_STAGED)) {
        bool bound = opevo_i_nest_is_block(loop->annotation) ||
                     opevo_i_nest_is_thread(loop->annotation) ||
                     loop->annotation == OPEVO_ANNOTATION_VTHREAD;

        if (loop->extent < 2 || bound) {
            OPEVO_I_REFUSE(self,
                           "A double buffer needs a loop of at least two iterations; %s has %lld.",
                           loop->name, bound ? 1LL : (long long)loop->extent);
            return;
        }
        next = opevo_i_affine_atoms_loop(&self->schedule->atoms, loop->extent);
        fill_chosen(self, parent, at, SHARED_DOUBLE, OPEVO_I_FILL, &start);
        fill_chosen(self, parent, at, SHARED_STAGED, OPEVO_I_FILL, &start);
        add_sync(self, parent);
    }
    if (loop->annotation < OPEVO_ANNOTATION_VTHREAD)
        parent =
            opevo_i_nest_lower_add_loop(self, parent, loop->atom, loop->extent, loop->annotation);
    if (parent)
        lower_body(self, parent, at, next);
}
