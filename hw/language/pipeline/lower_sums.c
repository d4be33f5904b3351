/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sums that gather in registers: these, how they come to the stage, and how threads that share a
 * sum bring their parts together. */

#include "lower_pipeline_internal.h"

opevo_i_nest_access opevo_i_pipeline_registers(opevo_i_pipeline_lowering *self, int key, int inside)
{
    const opevo_i_nest_loops *own = &self->part[key]->own;
    opevo_i_nest_access access = {0};
    int64_t size = 1;

    for (int i = own->loops - 1; i >= inside; i--) {
        opevo_i_affine one = opevo_i_affine_of_atom(own->loop[i].atom);

        if (own->loop[i].reduces || own->loop[i].annotation > OPEVO_ANNOTATION_VTHREAD)
            continue;
        access.address = opevo_i_affine_add(&self->nest->atoms, access.address, size, &one);
        size *= own->loop[i].extent;
    }
    for (int i = self->vthreads - 1; i >= 0; i--) {
        opevo_i_affine one = opevo_i_affine_of_atom(self->vthread[i].atom);

        access.address = opevo_i_affine_add(&self->nest->atoms, access.address, size, &one);
        size *= self->vthread[i].extent;
    }
    access.buffer = opevo_i_pipeline_add_buffer(
        self, (opevo_i_nest_buffer){.scope = OPEVO_SCOPE_LOCAL,
                                    .element = opevo_i_pipeline_type(self, key),
                                    .size = size,
                                    .parallel =
                                        opevo_i_pipeline_parallel_around(self, key, inside) != NULL,
                                    .launch = self->part[key]->launch});
    return access;
}

static bool is_crossed(const opevo_i_nest_loop *loop)
{
    return loop->reduces && opevo_i_nest_is_thread(loop->annotation);
}

/* Where the threads of a block meet: an element for each of their registers, neighbours side by
 * side; the same for all threads of the axis `but`. */
static opevo_i_nest_access mailbox(opevo_i_pipeline_lowering *self, int key,
                                   const opevo_i_nest_access *registers, opevo_annotation but)
{
    const opevo_i_nest_launch *launch = &self->nest->launch[self->part[key]->launch];
    opevo_i_nest_access box = {0};
    int64_t threads = 1;

    for (opevo_annotation axis = OPEVO_ANNOTATION_THREAD_X; axis <= OPEVO_ANNOTATION_THREAD_Z;
         axis++) {
        opevo_i_affine thread;

        if (launch->bound[axis] < 0 || axis == but)
            continue;
        thread = opevo_i_affine_of_atom(launch->bound[axis]);
        box.address = opevo_i_affine_add(&self->nest->atoms, box.address, threads, &thread);
        threads *= launch->bound_extent[axis];
    }
    box.address = opevo_i_affine_add(&self->nest->atoms, box.address, threads, &registers->address);
    box.buffer = opevo_i_pipeline_add_buffer(
        self, (opevo_i_nest_buffer){.scope = OPEVO_SCOPE_SHARED,
                                    .element = opevo_i_pipeline_type(self, key),
                                    .size = self->nest->buffer[registers->buffer].size * threads,
                                    .launch = self->part[key]->launch});
    return box;
}

/* The parts of a sum that the threads of an axis have, one after the other, to the first of them,
 * which alone writes the result: that is added to `keep`. */
static void gather_slices(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key,
                          const opevo_i_nest_access *registers, opevo_i_nest_guards *keep)
{
    const opevo_i_nest_loops *own = &self->part[key]->own;
    opevo_i_affine_atoms *atoms = &self->nest->atoms;
    int inside = self->pipeline->stage[key]->accumulate + 1;
    const opevo_i_nest_loop *slice = NULL;
    opevo_i_affine one = opevo_i_affine_constant(1);
    opevo_i_affine thread, sender;
    opevo_i_nest_leaf leaf = {.kind = OPEVO_I_COPY, .factors = 1, .factor = {*registers}};
    opevo_i_nest_leaf add = {.to = *registers, .factors = 1};
    opevo_i_nest_node *loop = NULL;
    int round = 0;

    for (int i = 0; i < own->loops; i++)
        slice = is_crossed(&own->loop[i]) && own->loop[i].extent > 1 ? &own->loop[i] : slice;
    if (!slice)
        return;
    thread = opevo_i_affine_of_atom(
        self->nest->launch[self->part[key]->launch].bound[slice->annotation]);
    round = opevo_i_affine_atoms_loop(atoms, slice->extent - 1);
    loop = opevo_i_pipeline_checked(self, opevo_i_nest_add_loop(self->nest, parent, round,
                                                                slice->extent - 1,
                                                                OPEVO_ANNOTATION_SERIAL));
    if (!loop)
        return;
    leaf.to = add.factor[0] = mailbox(self, key, registers, slice->annotation);
    sender = opevo_i_affine_add(atoms, opevo_i_affine_of_atom(round), 1, &one);
    sender = opevo_i_affine_add(atoms, thread, -1, &sender);
    opevo_i_nest_guards_add(atoms, &leaf.keep, &sender, 0, 1);
    opevo_i_nest_guards_add(atoms, &add.keep, &thread, 0, 1);
    opevo_i_pipeline_set_update(self, key, &add);
    opevo_i_pipeline_add_sync(self, loop);
    opevo_i_pipeline_add_kept(self, loop, key, inside, &leaf);
    opevo_i_pipeline_add_sync(self, loop);
    opevo_i_pipeline_add_kept(self, loop, key, inside, &add);
    if (!opevo_i_nest_guards_add(atoms, keep, &thread, 0, 1))
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A statement would need more than %d conditions.",
                                OPEVO_I_GUARDS);
}

void opevo_i_pipeline_write_back(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent,
                                 int key, const opevo_i_nest_access *from)
{
    const opevo_i_nest_loops *own = &self->part[key]->own;
    int inside = self->pipeline->stage[key]->accumulate + 1;
    opevo_i_nest_leaf leaf = {.kind = OPEVO_I_COPY,
                              .to = opevo_i_pipeline_access(self, key, self->part[key]->value),
                              .factors = 1,
                              .factor = {*from},
                              .keep = opevo_i_pipeline_element_guards(self, key)};
    opevo_i_nest_guards first = {0};
    opevo_i_nest_node *node = NULL;

    for (int i = 0; i < inside; i++) {
        opevo_i_affine turn = opevo_i_affine_of_atom(own->loop[i].atom);

        if (own->loop[i].reduces && !is_crossed(&own->loop[i]) &&
            !opevo_i_nest_guards_add(&self->nest->atoms, &first, &turn, 0, 1))
            OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "%s has too many reduction loops.",
                                    self->pipeline->stage[key]->name);
    }
    gather_slices(self, parent, key, from, &leaf.keep);
    if (!first.count) {
        leaf.stream = self->pipeline->stage[key]->stream;
        opevo_i_pipeline_add_kept(self, parent, key, inside, &leaf);
        return;
    }
    node = opevo_i_pipeline_checked(self, opevo_i_nest_add(self->nest, parent, OPEVO_I_IF));
    if (!node)
        return;
    node->guards = first;
    node->otherwise =
        opevo_i_pipeline_checked(self, opevo_i_nest_add(self->nest, NULL, OPEVO_I_LIST));
    opevo_i_pipeline_add_kept(self, node, key, inside, &leaf);
    opevo_i_pipeline_set_update(self, key, &leaf);
    if (node->otherwise)
        opevo_i_pipeline_add_kept(self, node->otherwise, key, inside, &leaf);
}

/* ---- Sums that threads share ---- */

bool opevo_i_pipeline_crosses_threads(const opevo_i_nest_loops *own)
{
    for (int i = 0; i < own->loops; i++) {
        if (is_crossed(&own->loop[i]))
            return true;
    }
    return false;
}

/* The elements of all threads of an axis to that of the first, the upper half to the lower one each
 * time. */
static void gather(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key, int at,
                   const opevo_i_nest_loop *loop, const opevo_i_nest_access *box)
{
    const opevo_i_nest_launch *launch = &self->nest->launch[self->part[key]->launch];
    int atom = launch->bound[loop->annotation];
    opevo_i_affine thread = opevo_i_affine_of_atom(atom);

    for (int64_t count = loop->extent; count > 1; count = (count + 1) / 2) {
        opevo_i_nest_leaf leaf = {.to = *box, .factors = 1, .factor = {*box}};
        int64_t half = (count + 1) / 2;

        leaf.factor[0].address.constant += half * opevo_i_affine_factor(&box->address, atom);
        opevo_i_nest_guards_add(&self->nest->atoms, &leaf.keep, &thread, 0, count - half);
        opevo_i_pipeline_set_update(self, key, &leaf);
        opevo_i_pipeline_add_sync(self, parent);
        opevo_i_pipeline_add_kept(self, parent, key, at, &leaf);
    }
}

/* Each thread's part of the sums goes from its registers to shared memory, where all are added, and
 * to the stage: by the first thread, or by each where each has its own. */
void opevo_i_pipeline_join_threads(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent,
                                   int key, int at, const opevo_i_nest_access *registers,
                                   const opevo_i_nest_access *to)
{
    const opevo_i_nest_loops *own = &self->part[key]->own;
    const opevo_i_nest_launch *launch = &self->nest->launch[self->part[key]->launch];
    bool each = self->nest->buffer[to->buffer].scope == OPEVO_SCOPE_LOCAL;
    opevo_i_nest_leaf leaf = {.kind = OPEVO_I_COPY, .factors = 1, .factor = {*registers}};
    opevo_i_nest_guards keep = opevo_i_pipeline_element_guards(self, key);

    leaf.to = mailbox(self, key, registers, OPEVO_ANNOTATION_COUNT);
    opevo_i_pipeline_add_sync(self, parent);
    opevo_i_pipeline_add_kept(self, parent, key, at, &leaf);
    leaf.factor[0] = leaf.to;
    for (int i = 0; i < own->loops; i++) {
        if (is_crossed(&own->loop[i]))
            gather(self, parent, key, at, &own->loop[i], &leaf.to);
    }
    opevo_i_pipeline_add_sync(self, parent);
    leaf.keep = keep;
    for (int i = 0; i < own->loops; i++) {
        int atom = is_crossed(&own->loop[i]) ? launch->bound[own->loop[i].annotation] : -1;
        opevo_i_affine thread = opevo_i_affine_of_atom(atom);

        if (atom < 0)
            continue;
        leaf.factor[0].address =
            opevo_i_affine_add(&self->nest->atoms, leaf.factor[0].address,
                               -opevo_i_affine_factor(&leaf.to.address, atom), &thread);
        if (!each && !opevo_i_nest_guards_add(&self->nest->atoms, &leaf.keep, &thread, 0, 1))
            OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A statement would need more than %d conditions.",
                                    OPEVO_I_GUARDS);
    }
    leaf.to = *to;
    opevo_i_pipeline_add_kept(self, parent, key, at, &leaf);
}
