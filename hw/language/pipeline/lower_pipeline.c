/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From steps to statements: each stage that is computed as a whole in its turn, and in its loops
 * the stages that are computed there. A reduction is set to its neutral element before its first
 * reduction loop. */

#include "lower_pipeline_internal.h"

static int first_reduction(const opevo_i_nest_loops *own)
{
    int at = 0;

    while (at < own->loops && !own->loop[at].reduces)
        at++;
    return at;
}

static void clear(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key, int at)
{
    opevo_i_nest_leaf leaf = {.to = opevo_i_pipeline_access(self, key, self->part[key]->value),
                              .keep = opevo_i_pipeline_element_guards(self, key)};

    opevo_i_pipeline_set_neutral(self, key, &leaf);
    opevo_i_pipeline_add_kept(self, parent, key, at, &leaf);
}

static void lower_stage(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key);

static void look_at_read(opevo_i_pipeline_lowering *self, void *context, int key,
                         const opevo_i_affine *index)
{
    (void)index;
    *(bool *)context &= self->pipeline->stage[key]->kind == OPEVO_STAGE_INPUT;
}

/* A copy of arguments of the kernel, also through inlined stages, reads nothing that threads
 * share. */
static bool reads_arguments_only(opevo_i_pipeline_lowering *self, int key)
{
    bool only = self->pipeline->stage[key]->kind == OPEVO_STAGE_COPY;

    opevo_i_pipeline_walk(self, key, self->part[key]->value, look_at_read, &only);
    return only;
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

        if (stage->place != OPEVO_PLACE_AT || stage->at != key || stage->at_loop != at ||
            opevo_i_pipeline_is_ahead(self, child, key, at))
            continue;
        if ((shared && !any) || (pending && !reads_arguments_only(self, child))) {
            opevo_i_pipeline_add_sync(self, parent);
            pending = false;
        }
        lower_stage(self, parent, child);
        any |= shared;
        pending |= shared;
    }
    if (pending)
        opevo_i_pipeline_add_sync(self, parent);
}

static void lower_loops(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key, int at,
                        const opevo_i_nest_access *to);

/* Loops `at` and inner, whose sums gather in these registers. */
static void gather_in_registers(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key,
                                int at, const opevo_i_nest_access *sums)
{
    opevo_i_nest_leaf leaf = {.to = *sums};
    int vthreads = self->vthreads;

    opevo_i_pipeline_set_neutral(self, key, &leaf);
    opevo_i_pipeline_add_kept(self, parent, key, at, &leaf);
    lower_loops(self, parent, key, at, sums);
    self->vthreads = vthreads;
}

/* What is inside the point of accumulate. */
static void lower_sums(opevo_i_pipeline_lowering *self, opevo_i_nest_node *into, int key,
                       const opevo_i_nest_access *sums)
{
    gather_in_registers(self, into, key, self->pipeline->stage[key]->accumulate + 1, sums);
    opevo_i_pipeline_write_back(self, into, key, sums);
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
    const opevo_i_nest_loop *loop = &own->loop[at];
    opevo_i_pipeline_ahead ahead = {0};
    opevo_i_nest_access sums;

    if (!parent || self->status != OPEVO_OK)
        return;
    if (begins_sums(self, key, at, to) && opevo_i_pipeline_crosses_threads(own)) {
        sums = opevo_i_pipeline_registers(self, key, at);
        gather_in_registers(self, parent, key, at, &sums);
        opevo_i_pipeline_join_threads(self, parent, key, at, &sums, to);
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
            opevo_i_pipeline_add_leaf(self, parent, &leaf);
        return;
    }
    ahead = opevo_i_pipeline_begin_ahead(self, parent, key, at);
    if (opevo_i_pipeline_has_node(loop->annotation)) {
        parent = opevo_i_pipeline_add_loop(self, parent, key, loop);
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
    opevo_i_pipeline_fill_ahead(self, parent, &ahead);
    lower_attached(self, parent, key, at);
    if (at != self->pipeline->stage[key]->accumulate) {
        lower_loops(self, parent, key, at + 1, to);
    } else {
        sums = opevo_i_pipeline_registers(self, key, at + 1);
        if (self->pipeline->stage[key]->trim >= 0)
            opevo_i_pipeline_trimmed(self, parent, key, lower_sums, &sums);
        else
            lower_sums(self, parent, key, &sums);
    }
    opevo_i_pipeline_end_ahead(self, parent, &ahead);
}

/* One statement in loops of its own. */
static bool is_plain_copy(const opevo_pipeline *pipeline, int key)
{
    bool plain = pipeline->stage[key]->kind == OPEVO_STAGE_COPY;

    for (int i = 0; i < pipeline->stages; i++)
        plain &= pipeline->stage[i]->place != OPEVO_PLACE_AT || pipeline->stage[i]->at != key;
    return plain;
}

static void lower_copy(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key,
                       const opevo_i_nest_access *to)
{
    opevo_i_nest_leaf leaf;

    opevo_i_pipeline_leaf(self, key, &leaf);
    leaf.to = *to;
    leaf.stream = self->pipeline->stage[key]->stream;
    if (self->status == OPEVO_OK)
        opevo_i_pipeline_add_kept(self, parent, key, 0, &leaf);
}

/* Threads of one axis may have parts of sums that gather in registers of their own. The first of
 * them has the result, so others cannot read it from theirs. */
static void check_sums(opevo_i_pipeline_lowering *self, int key)
{
    const opevo_i_pipeline_part *part = self->part[key];
    int crossed = 0;

    if (self->pipeline->stage[key]->accumulate < 0)
        return;
    for (int i = 0; i < part->own.loops; i++)
        crossed +=
            part->own.loop[i].reduces && opevo_i_nest_is_thread(part->own.loop[i].annotation);
    if (crossed > 1 || (crossed && self->nest->buffer[part->buffer].scope == OPEVO_SCOPE_LOCAL))
        OPEVO_I_PIPELINE_REFUSE(
            self, INVALID,
            "Threads share the sums of %s on several axes, or each of them needs the result: leave "
            "out accumulate.",
            self->pipeline->stage[key]->name);
}

static void lower_stage(opevo_i_pipeline_lowering *self, opevo_i_nest_node *parent, int key)
{
    opevo_i_pipeline_part *part = self->part[key];
    opevo_i_nest_node *list =
        parent ? opevo_i_pipeline_checked(self, opevo_i_nest_add(self->nest, parent, OPEVO_I_LIST))
               : NULL;
    int vthreads = self->vthreads;
    opevo_i_nest_access to;

    if (!list || self->status != OPEVO_OK)
        return;
    if (part->scope == OPEVO_SCOPE_SHARED && self->pipeline->stage[key]->place == OPEVO_PLACE_ROOT)
        OPEVO_I_PIPELINE_REFUSE(self, INVALID,
                                "%s is shared by threads, so it must be computed at a loop.",
                                self->pipeline->stage[key]->name);
    check_sums(self, key);
    to = opevo_i_pipeline_access(self, key, part->value);
    self->nest->streams |= self->pipeline->stage[key]->stream;
    if (is_plain_copy(self->pipeline, key))
        lower_copy(self, list, key, &to);
    else
        lower_loops(self, list, key, 0, &to);
    self->vthreads = vthreads;
    if (self->pipeline->stage[key]->auto_unroll)
        opevo_i_nest_node_auto_unroll(list, self->pipeline->stage[key]->auto_unroll,
                                      self->pipeline->stage[key]->auto_unroll_explicit
                                          ? OPEVO_ANNOTATION_EXPAND
                                          : OPEVO_ANNOTATION_UNROLL);
}

/* ---- The whole ---- */

opevo_status opevo_i_pipeline_lower(const opevo_pipeline *pipeline, opevo_i_nest **out,
                                    opevo_error *err)
{
    opevo_i_pipeline_lowering self = {.pipeline = pipeline, .err = err};

    opevo_i_pipeline_begin(&self);
    if (self.status == OPEVO_OK)
        opevo_i_pipeline_take_arguments(&self);
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
