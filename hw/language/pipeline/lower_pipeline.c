/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From steps to statements: each stage that is computed as a whole in its turn, and in its loops
 * the stages that are computed there. A reduction is set to its neutral element before its first
 * reduction loop. */

#include "lower_pipeline_internal.h"

#include <math.h>

static opevo_i_nest_node *checked(opevo_i_pipeline_lowering *self, opevo_i_nest_node *node)
{
    if (!node)
        OPEVO_I_PIPELINE_REFUSE(self, NOMEM, "No memory for a loop nest.");
    return node;
}

/* A leaf, in loops over the virtual threads that it depends on. */
static void add_leaf(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent,
                     const opevo_i_nest_leaf *leaf)
{
    for (int i = 0; i < self->vthreads && parent; i++)
        parent =
            checked(self, opevo_i_nest_add_vthread(self->nest, parent, leaf, &self->nest->atoms,
                                                   self->vthread[i].atom, self->vthread[i].extent));
    if (parent)
        checked(self, opevo_i_nest_add_leaf(self->nest, parent, leaf));
}

static bool has_node(opevo_annotation what)
{
    return what < OPEVO_ANNOTATION_VTHREAD;
}

/* ---- Reductions ---- */

static int first_reduction(const opevo_i_nest_loops *own)
{
    int at = 0;

    while (at < own->loops && !own->loop[at].reduces)
        at++;
    return at;
}

/* The loops of a stage from `at` on that do not reduce, around one leaf. */
static void add_kept(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent,
                     const opevo_i_nest_loops *own, int at, const opevo_i_nest_leaf *leaf)
{
    for (int i = at; i < own->loops && parent; i++) {
        const opevo_i_nest_loop *loop = &own->loop[i];

        if (loop->reduces)
            continue;
        if (has_node(loop->annotation))
            parent = checked(self, opevo_i_nest_add_loop(self->nest, parent, loop->atom,
                                                         loop->extent, loop->annotation));
        else if (loop->annotation == OPEVO_ANNOTATION_VTHREAD)
            parent =
                checked(self, opevo_i_nest_add_vthread(self->nest, parent, leaf, &self->nest->atoms,
                                                       loop->atom, loop->extent));
    }
    if (parent)
        add_leaf(self, parent, leaf);
}

/* The neutral element of max or min among the values of a type. */
static double neutral_of(opevo_reducer reducer, opevo_element element)
{
    if (opevo_element_is_whole(element))
        return reducer == OPEVO_REDUCER_MAX ? opevo_element_least(element)
                                            : opevo_element_most(element);
    return reducer == OPEVO_REDUCER_MAX ? -INFINITY : INFINITY;
}

/* to = the neutral element of the stage's reducer. */
static void set_neutral(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_leaf *leaf)
{
    opevo_reducer reducer = opevo_i_pipeline_reducer(self, key);
    opevo_i_nest_value *value = NULL;

    leaf->kind = OPEVO_I_ZERO;
    if (reducer == OPEVO_REDUCER_SUM)
        return;
    value = opevo_i_nest_take(self->nest, sizeof *value);
    if (!value) {
        OPEVO_I_PIPELINE_REFUSE(self, NOMEM, "No memory for a loop nest.");
        return;
    }
    value->kind = OPEVO_EXPR_NUMBER;
    value->type = opevo_i_pipeline_type(self, key);
    value->number = neutral_of(reducer, opevo_i_pipeline_element(self->pipeline, key));
    leaf->kind = OPEVO_I_STORE;
    leaf->value = value;
}

/* The guards of a stage's own element: those of the axes that do not reduce. */
static opevo_i_nest_guards element_guards(opevo_i_pipeline_lowering *self, int key)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_pipeline_part *part = self->part[key];
    opevo_i_nest_guards guards = part->bound;

    for (int d = 0; d < stage->dims; d++) {
        if (!opevo_i_nest_guards_add(&self->nest->atoms, &guards, &part->value[d], 0,
                                     stage->own.axis_extent[d]))
            OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A statement would need more than %d conditions.",
                                    OPEVO_I_GUARDS);
    }
    return guards;
}

static void clear(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key, int at)
{
    opevo_i_nest_leaf leaf = {.to = opevo_i_pipeline_access(self, key, self->part[key]->value),
                              .keep = element_guards(self, key)};

    set_neutral(self, key, &leaf);
    add_kept(self, parent, &self->part[key]->own, at, &leaf);
}

/* ---- Registers that gather the sums of some loops ---- */

static void add_buffer(opevo_i_pipeline_lowering *self, opevo_i_nest_buffer buffer)
{
    if (self->buffers == OPEVO_I_BUFFERS)
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A kernel has at most %d buffers.", OPEVO_I_BUFFERS);
    else
        self->nest->buffer[self->buffers++] = buffer;
}

/* An element for each virtual thread and iteration of the loops from `inside` on that do not
 * reduce.
 */
static opevo_i_nest_access registers(opevo_i_pipeline_lowering *self, int key, int inside)
{
    const opevo_i_nest_loops *own = &self->part[key]->own;
    opevo_i_nest_access access = {.buffer = self->buffers};
    int64_t size = 1;

    for (int i = own->loops - 1; i >= inside; i--) {
        opevo_i_affine one = opevo_i_affine_of_atom(own->loop[i].atom);

        if (own->loop[i].reduces || own->loop[i].annotation > OPEVO_ANNOTATION_VTHREAD)
            continue;
        access.address = opevo_i_affine_add(&self->nest->atoms, access.address, size, &one);
        size *= own->loop[i].extent;
    }
    for (int i = 0; i < self->vthreads; i++) {
        opevo_i_affine one = opevo_i_affine_of_atom(self->vthread[i].atom);

        access.address = opevo_i_affine_add(&self->nest->atoms, access.address, size, &one);
        size *= self->vthread[i].extent;
    }
    add_buffer(self, (opevo_i_nest_buffer){
                         .scope = OPEVO_SCOPE_LOCAL,
                         .element = opevo_i_pipeline_type(self, key),
                         .size = size,
                         .parallel = opevo_i_pipeline_parallel_around(self, key, inside) != NULL,
                         .launch = self->part[key]->launch});
    return access;
}

/* The leaf, which copies, joins its factor with what is there instead. */
static void set_update(opevo_i_pipeline_lowering *self, int key, opevo_i_nest_leaf *leaf)
{
    opevo_reducer reducer = opevo_i_pipeline_reducer(self, key);
    opevo_i_nest_value *value = NULL;

    leaf->kind = OPEVO_I_ADD;
    if (reducer == OPEVO_REDUCER_SUM)
        return;
    value = opevo_i_nest_take(self->nest, sizeof *value);
    if (!value) {
        OPEVO_I_PIPELINE_REFUSE(self, NOMEM, "No memory for a loop nest.");
        return;
    }
    value->kind = OPEVO_EXPR_READ;
    value->type = opevo_i_pipeline_type(self, key);
    leaf->kind = reducer == OPEVO_REDUCER_MAX ? OPEVO_I_MAX : OPEVO_I_MIN;
    leaf->value = value;
}

/* Registers to the stage: as they are in the first iteration of the reduction loops outside, joined
 * with what is there in the others. */
static void write_back(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key,
                       const opevo_i_nest_access *from)
{
    const opevo_i_nest_loops *own = &self->part[key]->own;
    int inside = self->pipeline->stage[key]->accumulate + 1;
    opevo_i_nest_leaf leaf = {.kind = OPEVO_I_COPY,
                              .to = opevo_i_pipeline_access(self, key, self->part[key]->value),
                              .factors = 1,
                              .factor = {*from},
                              .keep = element_guards(self, key)};
    opevo_i_nest_guards first = {0};
    opevo_i_nest_node *node = NULL;

    for (int i = 0; i < inside; i++) {
        opevo_i_affine turn = opevo_i_affine_of_atom(own->loop[i].atom);

        if (own->loop[i].reduces &&
            !opevo_i_nest_guards_add(&self->nest->atoms, &first, &turn, 0, 1))
            OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "%s has too many reduction loops.",
                                    self->pipeline->stage[key]->name);
    }
    if (!first.count) {
        leaf.stream = self->pipeline->stage[key]->stream;
        add_kept(self, parent, own, inside, &leaf);
        return;
    }
    node = checked(self, opevo_i_nest_add(self->nest, parent, OPEVO_I_IF));
    if (!node)
        return;
    node->guards = first;
    node->otherwise = checked(self, opevo_i_nest_add(self->nest, NULL, OPEVO_I_LIST));
    add_kept(self, node, own, inside, &leaf);
    set_update(self, key, &leaf);
    if (node->otherwise)
        add_kept(self, node->otherwise, own, inside, &leaf);
}

/* ---- Sums that threads share ---- */

static void add_sync(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent)
{
    checked(self, opevo_i_nest_add(self->nest, parent, OPEVO_I_SYNC));
}

static bool is_crossed(const opevo_i_nest_loop *loop)
{
    return loop->reduces && opevo_i_nest_is_thread(loop->annotation);
}

static bool crosses_threads(const opevo_i_nest_loops *own)
{
    for (int i = 0; i < own->loops; i++) {
        if (is_crossed(&own->loop[i]))
            return true;
    }
    return false;
}

/* Where the threads of a block meet: an element for each of their registers, neighbours side by
 * side. */
static opevo_i_nest_access mailbox(opevo_i_pipeline_lowering *self, int key,
                                   const opevo_i_nest_access *registers)
{
    const opevo_i_nest_launch *launch = &self->nest->launch[self->part[key]->launch];
    opevo_i_nest_access box = {.buffer = self->buffers};
    int64_t threads = 1;

    for (opevo_annotation axis = OPEVO_ANNOTATION_THREAD_X; axis <= OPEVO_ANNOTATION_THREAD_Z;
         axis++) {
        opevo_i_affine thread;

        if (launch->bound[axis] < 0)
            continue;
        thread = opevo_i_affine_of_atom(launch->bound[axis]);
        box.address = opevo_i_affine_add(&self->nest->atoms, box.address, threads, &thread);
        threads *= launch->bound_extent[axis];
    }
    box.address = opevo_i_affine_add(&self->nest->atoms, box.address, threads, &registers->address);
    add_buffer(self,
               (opevo_i_nest_buffer){.scope = OPEVO_SCOPE_SHARED,
                                     .element = opevo_i_pipeline_type(self, key),
                                     .size = self->nest->buffer[registers->buffer].size * threads,
                                     .launch = self->part[key]->launch});
    return box;
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
        set_update(self, key, &leaf);
        add_sync(self, parent);
        add_kept(self, parent, &self->part[key]->own, at, &leaf);
    }
}

/* Each thread's part of the sums goes from its registers to shared memory, where all are added, and
 * to the stage: by the first thread, or by each where each has its own. */
static void join_threads(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key,
                         int at, const opevo_i_nest_access *registers,
                         const opevo_i_nest_access *to)
{
    const opevo_i_nest_loops *own = &self->part[key]->own;
    const opevo_i_nest_launch *launch = &self->nest->launch[self->part[key]->launch];
    bool each = self->nest->buffer[to->buffer].scope == OPEVO_SCOPE_LOCAL;
    opevo_i_nest_leaf leaf = {.kind = OPEVO_I_COPY, .factors = 1, .factor = {*registers}};
    opevo_i_nest_guards keep = element_guards(self, key);

    leaf.to = mailbox(self, key, registers);
    add_sync(self, parent);
    add_kept(self, parent, own, at, &leaf);
    leaf.factor[0] = leaf.to;
    for (int i = 0; i < own->loops; i++) {
        if (is_crossed(&own->loop[i]))
            gather(self, parent, key, at, &own->loop[i], &leaf.to);
    }
    add_sync(self, parent);
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
    add_kept(self, parent, own, at, &leaf);
}

/* ---- Loops ---- */

static void lower_stage(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key);

/* A copy of an argument of the kernel reads nothing that threads share. */
static bool reads_arguments_only(const opevo_pipeline *pipeline,
                                 const opevo_i_pipeline_stage *stage)
{
    return stage->kind == OPEVO_STAGE_COPY &&
           pipeline->stage[stage->source]->kind == OPEVO_STAGE_INPUT;
}

/* The stages that are computed at a loop, in their order, with barriers ahead of the first that
 * threads share, and behind it before what may read it. */
static void lower_attached(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key,
                           int at)
{
    bool any = false;
    bool pending = false; /* a shared stage without a barrier behind it */

    for (int number = 0; number < self->pipeline->stages; number++) {
        int child = self->pipeline->order[number];
        const opevo_i_pipeline_stage *stage = self->pipeline->stage[child];
        bool shared = self->part[child] && self->part[child]->scope == OPEVO_SCOPE_SHARED;

        if (stage->place != OPEVO_PLACE_AT || stage->at != key || stage->at_loop != at)
            continue;
        if ((shared && !any) || (pending && !reads_arguments_only(self->pipeline, stage))) {
            add_sync(self, parent);
            pending = false;
        }
        lower_stage(self, parent, child);
        any |= shared;
        pending |= shared;
    }
    if (pending)
        add_sync(self, parent);
}

static void lower_loops(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key, int at,
                        const opevo_i_nest_access *to);

/* Loops `at` and inner, whose sums gather in registers; returns these. */
static opevo_i_nest_access gather_in_registers(opevo_i_pipeline_lowering *self,
                                               opevo_i_nest_node *parent, int key, int at)
{
    opevo_i_nest_access sums = registers(self, key, at);
    opevo_i_nest_leaf leaf = {.to = sums};
    int vthreads = self->vthreads;

    set_neutral(self, key, &leaf);
    add_kept(self, parent, &self->part[key]->own, at, &leaf);
    lower_loops(self, parent, key, at, &sums);
    self->vthreads = vthreads;
    return sums;
}

/* Sums begin where `to` is the stage itself. */
static bool begins_sums(const opevo_i_pipeline_lowering *self, int key, int at,
                        const opevo_i_nest_access *to)
{
    const opevo_i_nest_loops *own = &self->part[key]->own;

    return at < own->loops && at == first_reduction(own) && to->buffer == self->part[key]->buffer &&
           self->pipeline->stage[key]->accumulate < 0;
}

/* Loops `at` and inner; `to` is what the innermost statement writes. */
static void lower_loops(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key, int at,
                        const opevo_i_nest_access *to)
{
    const opevo_i_nest_loops *own = &self->part[key]->own;
    int accumulate = self->pipeline->stage[key]->accumulate;
    const opevo_i_nest_loop *loop = &own->loop[at];
    opevo_i_nest_access sums;

    if (!parent || self->status != OPEVO_OK)
        return;
    if (begins_sums(self, key, at, to) && crosses_threads(own)) {
        sums = gather_in_registers(self, parent, key, at);
        join_threads(self, parent, key, at, &sums, to);
        return;
    }
    if (begins_sums(self, key, at, to))
        clear(self, parent, key, at);
    if (at == own->loops) {
        opevo_i_nest_leaf leaf;

        opevo_i_pipeline_leaf(self, key, &leaf);
        leaf.to = *to;
        leaf.stream = self->pipeline->stage[key]->stream && to->buffer == self->part[key]->buffer;
        if (self->status == OPEVO_OK)
            add_leaf(self, parent, &leaf);
        return;
    }
    if (has_node(loop->annotation)) {
        parent = checked(self, opevo_i_nest_add_loop(self->nest, parent, loop->atom, loop->extent,
                                                     loop->annotation));
    } else if (loop->annotation == OPEVO_ANNOTATION_VTHREAD && self->vthreads == 3) {
        OPEVO_I_PIPELINE_REFUSE(self, LIMIT,
                                "%s would be in more than 3 loops over virtual threads.",
                                self->pipeline->stage[key]->name);
        return;
    } else if (loop->annotation == OPEVO_ANNOTATION_VTHREAD) {
        self->vthread[self->vthreads].atom = loop->atom;
        self->vthread[self->vthreads++].extent = loop->extent;
    }
    if (!parent)
        return;
    lower_attached(self, parent, key, at);
    if (at != accumulate) {
        lower_loops(self, parent, key, at + 1, to);
        return;
    }
    sums = gather_in_registers(self, parent, key, at + 1);
    write_back(self, parent, key, &sums);
}

static void lower_stage(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key)
{
    opevo_i_pipeline_part *part = self->part[key];
    opevo_i_nest_node *list =
        parent ? checked(self, opevo_i_nest_add(self->nest, parent, OPEVO_I_LIST)) : NULL;
    int vthreads = self->vthreads;
    opevo_i_nest_access to;

    if (!list || self->status != OPEVO_OK)
        return;
    if (part->scope == OPEVO_SCOPE_SHARED && self->pipeline->stage[key]->place == OPEVO_PLACE_ROOT)
        OPEVO_I_PIPELINE_REFUSE(self, INVALID,
                                "%s is shared by threads, so it must be computed at a loop.",
                                self->pipeline->stage[key]->name);
    if (crosses_threads(&part->own) && self->pipeline->stage[key]->accumulate >= 0)
        OPEVO_I_PIPELINE_REFUSE(
            self, INVALID,
            "Threads share the sums of %s, which gather in registers already: accumulate "
            "is not needed.",
            self->pipeline->stage[key]->name);
    to = opevo_i_pipeline_access(self, key, part->value);
    self->nest->streams |= self->pipeline->stage[key]->stream;
    lower_loops(self, list, key, 0, &to);
    self->vthreads = vthreads;
    if (self->pipeline->stage[key]->auto_unroll)
        opevo_i_nest_node_auto_unroll(list, self->pipeline->stage[key]->auto_unroll,
                                      OPEVO_ANNOTATION_UNROLL);
}

/* ---- The whole ---- */

opevo_status opevo_i_pipeline_lower(const opevo_pipeline *pipeline, opevo_i_nest **out,
                                    opevo_error *err)
{
    opevo_i_pipeline_lowering self = {.pipeline = pipeline, .err = err};

    opevo_i_pipeline_begin(&self);
    if (self.status == OPEVO_OK)
        opevo_i_pipeline_bind(&self);
    for (int number = 0; number < pipeline->stages && self.status == OPEVO_OK; number++) {
        int key = pipeline->order[number];
        const opevo_i_pipeline_stage *stage = pipeline->stage[key];

        if (stage->kind == OPEVO_STAGE_INPUT || stage->place != OPEVO_PLACE_ROOT)
            continue;
        lower_stage(&self, self.nest->root, key);
        self.nest->launch[self.part[key]->launch].body = self.nest->root->last;
    }
    opevo_i_pipeline_end(&self);
    if (self.status == OPEVO_OK)
        *out = self.nest;
    else
        opevo_i_nest_destroy(self.nest);
    return self.status;
}
