/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From steps to statements. The loops of C are walked from the outside in; at each, the copies that
 * are attached there are made, with barriers around those that threads share. */

#include "lower_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* ---- The walk ---- */

static void add_sync(opevo_i_lowering *self, opevo_i_node *parent)
{
    if (parent)
        opevo_i_lower_add_node(self, parent, OPEVO_I_SYNC);
}

static void add_body(opevo_i_lowering *self, opevo_i_node *parent)
{
    opevo_i_leaf leaf = {.kind = self->output > 1 ? OPEVO_I_MAC : OPEVO_I_ADD,
                         .factors = self->output};

    for (int t = 0; t <= self->output; t++) {
        opevo_i_affine index[OPEVO_I_AXES];
        int stage = t == self->output ? self->write : self->reads[t];
        opevo_i_access access;

        for (int d = 0; d < self->schedule->compute.tensor[t].dims; d++)
            index[d] = opevo_i_schedule_index(self->schedule, t, d);
        for (int i = 0;
             stage != self->output && stage == self->write && i < self->schedule->stage[stage].axes;
             i++)
            index[i] = opevo_i_affine_atom(self->schedule->stage[stage].origin[i]);
        if (opevo_i_is_tensor(&self->schedule->stage[stage]))
            opevo_i_lower_bound_index(self, &leaf.keep, t, index);
        access = opevo_i_lower_access_of(self, stage, index);
        *(t == self->output ? &leaf.to : &leaf.factor[t]) = access;
    }
    opevo_i_lower_add_leaf(self, opevo_i_lower_add_vthreads(self, parent, &leaf), &leaf);
}

typedef enum copy_choice { SHARED_SINGLE, SHARED_DOUBLE, SHARED_STAGED, PRIVATE } copy_choice;

static bool is_chosen(const opevo_i_stage *stage, int loop, copy_choice choice)
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

static int count_chosen(const opevo_i_lowering *self, int loop, copy_choice choice)
{
    int count = 0;

    for (int i = self->output + 1; i < self->schedule->stages; i++)
        count += is_chosen(&self->schedule->stage[i], loop, choice);
    return count;
}

static void fill_chosen(opevo_i_lowering *self, opevo_i_node *parent, int loop, copy_choice choice,
                        opevo_i_copy_kind kind, const opevo_i_affine *turn)
{
    for (int i = self->output + 1; i < self->schedule->stages; i++) {
        if (is_chosen(&self->schedule->stage[i], loop, choice))
            opevo_i_lower_add_nest(self, parent, i, kind, turn);
    }
}

/* "if there is a next turn { const next = turn + 1; ... }"; returns where the rest goes. */
static opevo_i_node *add_next(opevo_i_lowering *self, opevo_i_node *parent,
                              const opevo_i_loop *loop, int next)
{
    opevo_i_node *node = parent ? opevo_i_lower_add_node(self, parent, OPEVO_I_IF) : NULL;

    if (!node)
        return NULL;
    node->conditions.count = 1;
    node->conditions.item[0] =
        (opevo_i_condition){opevo_i_affine_atom(loop->atom), 0, loop->extent - 1};
    node = opevo_i_lower_add_node(self, node, OPEVO_I_LET);
    if (node) {
        opevo_i_affine one = opevo_i_affine_constant(1);

        node->atom = next;
        node->value =
            opevo_i_affine_add(&self->schedule->atoms, opevo_i_affine_atom(loop->atom), 1, &one);
    }
    return node;
}

/* The parts of a sum that threads in z have, one after the other, to the first of them. */
static void gather_slices(opevo_i_lowering *self, opevo_i_node *parent)
{
    int round = opevo_i_atoms_loop(&self->schedule->atoms, self->slices - 1);
    opevo_i_affine one = opevo_i_affine_constant(1);
    opevo_i_affine sender =
        opevo_i_affine_add(&self->schedule->atoms, opevo_i_affine_atom(round), 1, &one);
    opevo_i_node *loop =
        opevo_i_lower_add_loop(self, parent, round, self->slices - 1, OPEVO_ANNOTATION_SERIAL);

    if (!loop)
        return;
    add_sync(self, loop);
    opevo_i_lower_add_nest(self, loop, self->write, OPEVO_I_SEND, &sender);
    add_sync(self, loop);
    opevo_i_lower_add_nest(self, loop, self->write, OPEVO_I_RECEIVE, NULL);
}

/* The sums of a copy to C: added to what is there in all but the first turn of outer sums. */
static void write_back(opevo_i_lowering *self, opevo_i_node *parent, int loop)
{
    opevo_i_conditions first = {0};

    for (int i = 0; i <= loop; i++) {
        opevo_i_affine turn = opevo_i_affine_atom(self->compute->loop[i].atom);

        if (self->compute->loop[i].reduces && self->compute->loop[i].atom != self->slice)
            opevo_i_lower_add_condition(self, &first, &turn, 0, 1);
    }
    if (self->slices > 1)
        gather_slices(self, parent);
    if (first.count) {
        opevo_i_node *node = opevo_i_lower_add_node(self, parent, OPEVO_I_IF);

        if (!node)
            return;
        node->conditions = first;
        node->otherwise = opevo_i_lower_add_node(self, NULL, OPEVO_I_LIST);
        opevo_i_lower_add_nest(self, node, self->write, OPEVO_I_WRITE, NULL);
        if (node->otherwise)
            opevo_i_lower_add_nest(self, node->otherwise, self->write, OPEVO_I_GATHER, NULL);
        return;
    }
    opevo_i_lower_add_nest(self, parent, self->write, OPEVO_I_WRITE, NULL);
}

static void lower(opevo_i_lowering *self, opevo_i_node *parent, int at);

static void lower_sums(opevo_i_lowering *self, opevo_i_node *into, int at)
{
    opevo_i_lower_add_nest(self, into, self->write, OPEVO_I_CLEAR, NULL);
    lower(self, into, at + 1);
    write_back(self, into, at);
}

/* What happens in one turn of a loop of C. */
static void lower_turn(opevo_i_lowering *self, opevo_i_node *into, int at, int next)
{
    const opevo_i_loop *loop = &self->compute->loop[at];
    opevo_i_affine turn = opevo_i_affine_atom(next);
    bool writes = self->write != self->output && self->schedule->stage[self->write].attached == at;
    int doubled = count_chosen(self, at, SHARED_DOUBLE);
    int staged = count_chosen(self, at, SHARED_STAGED);

    if (writes && self->schedule->stage[self->write].trimmed) {
        fill_chosen(self, into, at, PRIVATE, OPEVO_I_FILL, NULL);
        opevo_i_lower_trimmed(self, into, at, lower_sums);
        return;
    }
    if (writes)
        opevo_i_lower_add_nest(self, into, self->write, OPEVO_I_CLEAR, NULL);
    if (count_chosen(self, at, SHARED_SINGLE)) {
        add_sync(self, into);
        fill_chosen(self, into, at, SHARED_SINGLE, OPEVO_I_FILL, NULL);
        add_sync(self, into);
    }
    if (doubled)
        fill_chosen(self, add_next(self, into, loop, next), at, SHARED_DOUBLE, OPEVO_I_FILL, &turn);
    if (staged)
        fill_chosen(self, add_next(self, into, loop, next), at, SHARED_STAGED, OPEVO_I_FETCH,
                    &turn);
    fill_chosen(self, into, at, PRIVATE, OPEVO_I_FILL, NULL);
    lower(self, into, at + 1);
    if (staged)
        fill_chosen(self, add_next(self, into, loop, next), at, SHARED_STAGED, OPEVO_I_PUT, &turn);
    if (doubled || staged)
        add_sync(self, into);
    if (writes)
        write_back(self, into, at);
}

static void lower(opevo_i_lowering *self, opevo_i_node *parent, int at)
{
    const opevo_i_loop *loop = &self->compute->loop[at];
    opevo_i_affine start = opevo_i_affine_constant(0);
    int next = 0;

    if (!parent || self->status != OPEVO_OK)
        return;
    if (self->zeroed && at == self->zeroed_at)
        opevo_i_lower_add_nest(self, parent, self->output, OPEVO_I_CLEAR, NULL);
    if (at == self->compute->loops) {
        add_body(self, parent);
        return;
    }
    if (count_chosen(self, at, SHARED_DOUBLE) + count_chosen(self, at, SHARED_STAGED)) {
        bool bound = opevo_i_is_block(loop->annotation) || opevo_i_is_thread(loop->annotation) ||
                     loop->annotation == OPEVO_ANNOTATION_VTHREAD;

        if (loop->extent < 2 || bound) {
            OPEVO_I_REFUSE(self,
                           "A double buffer needs a loop of two turns or more, and %s has %lld.",
                           loop->name, bound ? 1LL : (long long)loop->extent);
            return;
        }
        next = opevo_i_atoms_loop(&self->schedule->atoms, loop->extent);
        fill_chosen(self, parent, at, SHARED_DOUBLE, OPEVO_I_FILL, &start);
        fill_chosen(self, parent, at, SHARED_STAGED, OPEVO_I_FILL, &start);
        add_sync(self, parent);
    }
    if (loop->annotation < OPEVO_ANNOTATION_VTHREAD)
        parent = opevo_i_lower_add_loop(self, parent, loop->atom, loop->extent, loop->annotation);
    if (parent)
        lower_turn(self, parent, at, next);
}

/* ---- Before and after ---- */

/* Every copy must be attached, and the computation reads the last copy of each tensor. */
static void find_stages(opevo_i_lowering *self)
{
    bool shared = false;

    for (int t = 0; t < self->output; t++)
        self->reads[t] = t;
    self->write = self->output;
    for (int i = self->output + 1; i < self->schedule->stages; i++) {
        const opevo_i_stage *stage = &self->schedule->stage[i];

        if (stage->attached < 0)
            OPEVO_I_REFUSE(self, "%s is not attached to a loop.", stage->name);
        shared |= stage->scope == OPEVO_SCOPE_SHARED;
        if (stage->kind == OPEVO_I_CACHE_WRITE)
            self->write = i;
        else
            self->reads[stage->tensor] = i; /* copies of copies come later */
        self->nest->buffer[i].scope = stage->scope;
        self->nest->buffer[i].size = opevo_i_stage_size(stage);
        for (int l = 0; l <= stage->attached && l < self->compute->loops; l++)
            self->nest->buffer[i].parallel |=
                self->compute->loop[l].annotation == OPEVO_ANNOTATION_PARALLEL;
    }
    if (shared && self->schedule->stage[self->write].trimmed)
        OPEVO_I_REFUSE(self, "%s is trimmed, and threads that share copies need all turns.",
                       self->schedule->stage[self->write].name);
}

static void find_bound(opevo_i_lowering *self)
{
    for (int a = 0; a < OPEVO_ANNOTATION_COUNT; a++) {
        self->nest->bound[a] = -1;
        self->nest->bound_extent[a] = 1;
    }
    for (int i = 0; i < self->compute->loops; i++) {
        const opevo_i_loop *loop = &self->compute->loop[i];

        if (opevo_i_is_block(loop->annotation) || opevo_i_is_thread(loop->annotation)) {
            self->nest->bound[loop->annotation] = loop->atom;
            self->nest->bound_extent[loop->annotation] = loop->extent;
            if (loop->reduces && loop->extent > 1) {
                self->slice = loop->atom;
                self->slices = loop->extent;
            }
        }
    }
}

/* Where C has no copy, it is set to zero before the first loop that is summed over. */
static void find_zeroed(opevo_i_lowering *self)
{
    int at = 0;

    if (self->write != self->output)
        return;
    if (self->slices > 1) {
        OPEVO_I_REFUSE(self, "Threads can share a sum only where a copy of C gathers it.");
        return;
    }
    while (at < self->compute->loops && !self->compute->loop[at].reduces)
        at++;
    self->zeroed = opevo_calloc(1, sizeof *self->zeroed);
    if (!self->zeroed) {
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for a loop nest.");
        return;
    }
    *self->zeroed = (opevo_i_stage){
        .kind = OPEVO_I_CACHE_WRITE, .tensor = self->output, .scope = OPEVO_SCOPE_LOCAL};
    self->zeroed_at = at;
    self->status = opevo_i_schedule_attach(self->schedule, self->zeroed, at - 1, self->err);
}

static opevo_schedule *clone(const opevo_schedule *schedule)
{
    opevo_schedule *copy = opevo_malloc(1, sizeof *copy);

    if (!copy)
        return NULL;
    *copy = *schedule;
    copy->steps = NULL;
    copy->step_count = copy->step_capacity = 0;
    copy->atoms.item = opevo_malloc(schedule->atoms.count, sizeof *copy->atoms.item);
    copy->atoms.capacity = copy->atoms.count;
    if (!copy->atoms.item) {
        opevo_free(copy);
        return NULL;
    }
    memcpy(copy->atoms.item, schedule->atoms.item, copy->atoms.count * sizeof *copy->atoms.item);
    return copy;
}

opevo_status opevo_i_nest_create(const opevo_schedule *schedule, opevo_i_nest **out,
                                 opevo_error *err)
{
    opevo_i_lowering self = {.err = err, .slice = -1, .slices = 1};

    self.nest = opevo_calloc(1, sizeof *self.nest);
    if (self.nest)
        self.nest->schedule = clone(schedule);
    if (!self.nest || !self.nest->schedule) {
        opevo_i_nest_destroy(self.nest);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a loop nest.");
    }
    self.schedule = self.nest->schedule;
    self.output = self.schedule->compute.output;
    self.compute = &self.schedule->stage[self.output];
    self.nest->root = opevo_i_lower_add_node(&self, NULL, OPEVO_I_LIST);
    find_bound(&self);
    find_stages(&self);
    if (self.status == OPEVO_OK)
        find_zeroed(&self);
    if (self.status == OPEVO_OK)
        lower(&self, self.nest->root, 0);
    if (self.status == OPEVO_OK && self.schedule->atoms.failed)
        self.status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a loop nest.");
    opevo_free(self.zeroed);
    if (self.status != OPEVO_OK) {
        opevo_i_nest_destroy(self.nest);
        return self.status;
    }
    opevo_i_nest_auto_unroll(self.nest);
    *out = self.nest;
    return OPEVO_OK;
}

void opevo_i_nest_destroy(opevo_i_nest *nest)
{
    if (!nest)
        return;
    for (opevo_i_node *node = nest->nodes; node;) {
        opevo_i_node *before = node->made_before;

        opevo_free(node->leaf);
        opevo_free(node);
        node = before;
    }
    opevo_schedule_destroy(nest->schedule);
    opevo_free(nest);
}
