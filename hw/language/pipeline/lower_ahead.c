/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Double buffers: shared copies that are filled one iteration ahead. The first is filled before the
 * loop; in each iteration the next one is, to the other half, while threads compute with this one.
 * A staged copy comes to registers at the start of an iteration and goes to shared memory at its
 * end, so that no thread waits for it. */

#include "lower_pipeline_internal.h"

#include <opevo/memory.h>

bool opevo_i_pipeline_is_ahead(const opevo_i_pipeline_lowering *self, int child, int key, int at)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[child];

    return stage->double_buffer && stage->place == OPEVO_PLACE_AT && stage->at == key &&
           stage->at_loop == at;
}

static bool any_ahead(const opevo_i_pipeline_lowering *self, int key, int at)
{
    for (int child = 0; child < self->pipeline->stages; child++) {
        if (opevo_i_pipeline_is_ahead(self, child, key, at))
            return true;
    }
    return false;
}

/* ---- One copy ---- */

typedef enum copy_kind { FILL, FETCH, PUT } copy_kind;

/* Registers that hold what one thread brings of a staged copy: one for each iteration of its
 * loops. */
static opevo_i_nest_access staging(opevo_i_pipeline_lowering *self, int child)
{
    opevo_i_pipeline_part *part = self->part[child];
    opevo_i_nest_access access = {.buffer = part->staging};
    int64_t size = 1;

    for (int i = part->own.loops - 1; i >= 0; i--) {
        opevo_i_affine one = opevo_i_affine_of_atom(part->own.loop[i].atom);

        if (opevo_i_nest_is_thread(part->own.loop[i].annotation))
            continue;
        access.address = opevo_i_affine_add(&self->nest->atoms, access.address, size, &one);
        size *= part->own.loop[i].extent;
    }
    if (!part->staging)
        access.buffer = part->staging = opevo_i_pipeline_add_buffer(
            self, (opevo_i_nest_buffer){.scope = OPEVO_SCOPE_LOCAL,
                                        .element = opevo_i_pipeline_element(self->pipeline, child),
                                        .size = size,
                                        .launch = part->launch});
    return access;
}

/* The part of another iteration of the loop that it is computed at. */
static void shift_part(opevo_i_pipeline_lowering *self, int child, const opevo_i_affine *iteration)
{
    opevo_i_pipeline_part *part = self->part[child];
    opevo_i_affine_atoms *atoms = &self->nest->atoms;
    int atom = part->turn.term[0].atom;

    for (int d = 0; d < part->own.axes; d++) {
        part->base[d] = opevo_i_affine_replace(atoms, &part->base[d], atom, iteration);
        part->value[d] = opevo_i_affine_replace(atoms, &part->value[d], atom, iteration);
    }
    part->turn = *iteration;
}

static void add_copy(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int child,
                     copy_kind kind, const opevo_i_affine *iteration)
{
    opevo_i_pipeline_part *part = self->part[child];
    opevo_i_pipeline_part *kept = opevo_malloc(1, sizeof *kept);
    opevo_i_nest_access registers;
    opevo_i_nest_leaf leaf;

    if (!kept) {
        OPEVO_I_PIPELINE_REFUSE(self, NOMEM, "No memory for a loop nest.");
        return;
    }
    if (kind != FILL)
        registers = staging(self, child);
    *kept = *part;
    shift_part(self, child, iteration);
    opevo_i_pipeline_leaf(self, child, &leaf);
    leaf.to = opevo_i_pipeline_access(self, child, part->value);
    *part = *kept;
    opevo_free(kept);
    if (kind == FETCH)
        leaf.to = registers;
    if (kind == PUT) {
        leaf.kind = OPEVO_I_COPY;
        leaf.value = NULL;
        leaf.factors = 1;
        leaf.factor[0] = registers;
        leaf.inside = (opevo_i_nest_guards){0};
    }
    if (self->status == OPEVO_OK)
        opevo_i_pipeline_add_kept(self, parent, child, 0, &leaf);
}

/* Copies at a loop in their order: the staged ones or the others. */
static void add_copies(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent,
                       const opevo_i_pipeline_ahead *of, bool staged, copy_kind kind,
                       const opevo_i_affine *iteration)
{
    for (int number = 0; number < self->pipeline->stages && parent; number++) {
        int child = self->pipeline->order[number];

        if (opevo_i_pipeline_is_ahead(self, child, of->key, of->at) &&
            self->pipeline->stage[child]->staged == staged)
            add_copy(self, parent, child, kind, iteration);
    }
}

static bool any_of(const opevo_i_pipeline_lowering *self, const opevo_i_pipeline_ahead *of,
                   bool staged)
{
    for (int child = 0; child < self->pipeline->stages; child++) {
        if (opevo_i_pipeline_is_ahead(self, child, of->key, of->at) &&
            self->pipeline->stage[child]->staged == staged)
            return true;
    }
    return false;
}

/* ---- Around the body of a loop ---- */

/* "if there is a next turn { const next = turn + 1; ... }"; returns where the rest goes. */
static opevo_i_nest_node *add_next(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent,
                                   const opevo_i_pipeline_ahead *of)
{
    const opevo_i_nest_loop *loop = &self->part[of->key]->own.loop[of->at];
    opevo_i_affine one = opevo_i_affine_constant(1);
    opevo_i_nest_node *node =
        opevo_i_pipeline_checked(self, opevo_i_nest_add(self->nest, parent, OPEVO_I_IF));

    if (!node)
        return NULL;
    node->guards.count = 1;
    node->guards.item[0] =
        (opevo_i_nest_guard){opevo_i_affine_of_atom(loop->atom), 0, loop->extent - 1, false};
    node = opevo_i_pipeline_checked(self, opevo_i_nest_add(self->nest, node, OPEVO_I_LET));
    if (node) {
        node->atom = of->next;
        node->value =
            opevo_i_affine_add(&self->nest->atoms, opevo_i_affine_of_atom(loop->atom), 1, &one);
    }
    return node;
}

opevo_i_pipeline_ahead opevo_i_pipeline_begin_ahead(opevo_i_pipeline_lowering *self,
                                                    opevo_i_nest_node *parent, int key, int at)
{
    const opevo_i_nest_loop *loop = &self->part[key]->own.loop[at];
    opevo_i_pipeline_ahead self_ahead = {.key = key, .at = at, .any = any_ahead(self, key, at)};
    opevo_i_affine start = opevo_i_affine_constant(0);

    if (!self_ahead.any)
        return self_ahead;
    if (loop->extent < 2 || !opevo_i_pipeline_has_node(loop->annotation)) {
        OPEVO_I_PIPELINE_REFUSE(
            self, INVALID, "A double buffer needs a loop of at least two iterations; %s has %lld.",
            self->pipeline->stage[key]->own.loop[at].name,
            opevo_i_pipeline_has_node(loop->annotation) ? (long long)loop->extent : 1LL);
        return self_ahead;
    }
    self_ahead.next = opevo_i_affine_atoms_loop(&self->nest->atoms, loop->extent);
    add_copies(self, parent, &self_ahead, false, FILL, &start);
    add_copies(self, parent, &self_ahead, true, FILL, &start);
    opevo_i_pipeline_add_sync(self, parent);
    return self_ahead;
}

void opevo_i_pipeline_fill_ahead(opevo_i_pipeline_lowering *self, opevo_i_nest_node *into,
                                 const opevo_i_pipeline_ahead *of)
{
    opevo_i_affine next = opevo_i_affine_of_atom(of->next);

    if (!of->any)
        return;
    if (any_of(self, of, false))
        add_copies(self, add_next(self, into, of), of, false, FILL, &next);
    if (any_of(self, of, true))
        add_copies(self, add_next(self, into, of), of, true, FETCH, &next);
}

void opevo_i_pipeline_end_ahead(opevo_i_pipeline_lowering *self, opevo_i_nest_node *into,
                                const opevo_i_pipeline_ahead *of)
{
    opevo_i_affine next = opevo_i_affine_of_atom(of->next);

    if (!of->any)
        return;
    if (any_of(self, of, true))
        add_copies(self, add_next(self, into, of), of, true, PUT, &next);
    opevo_i_pipeline_add_sync(self, into);
}
