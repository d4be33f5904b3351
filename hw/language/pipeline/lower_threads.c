/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Stages on a GPU: in which launch each is, where its elements lie, and which threads compute them.
 *
 * Each stage that is computed as a whole is a launch of its own, together with what is computed at
 * its loops: blocks wait for one another only at the end of a launch. The threads of a launch are
 * as many as its stages need at most; a stage that needs fewer leaves the others out. */

#include "lower_pipeline_internal.h"

static bool binds_thread(const opevo_i_pipeline_stage *stage, int from, int to)
{
    for (int i = from; i < to; i++) {
        if (opevo_i_nest_is_thread(stage->own.loop[i].annotation))
            return true;
    }
    return false;
}

/* As TVM does: inside the loops of threads a stage is each thread's own; outside of them, all
 * threads of a block share it. */
opevo_scope opevo_i_pipeline_scope(const opevo_pipeline *pipeline, int key)
{
    const opevo_i_pipeline_stage *stage = pipeline->stage[key];
    bool shared = binds_thread(stage, 0, stage->own.loops);

    if (stage->scope != OPEVO_SCOPE_GLOBAL || stage->place != OPEVO_PLACE_AT)
        return stage->scope;
    for (const opevo_i_pipeline_stage *at = stage; at->place == OPEVO_PLACE_AT;) {
        const opevo_i_pipeline_stage *target = pipeline->stage[at->at];

        if (binds_thread(target, 0, at->at_loop + 1))
            return OPEVO_SCOPE_LOCAL;
        shared |= binds_thread(target, at->at_loop + 1, target->own.loops);
        at = target;
    }
    return shared ? OPEVO_SCOPE_SHARED : OPEVO_SCOPE_LOCAL;
}

/* ---- The threads of a stage ---- */

/* The loop that gives a stage its place on a thread axis: one of its own, or one around it. NULL if
 * no loop does, or if threads that share the stage are on both sides of it. */
static const opevo_i_nest_loop *loop_on(const opevo_i_pipeline_lowering *self, int key,
                                        opevo_annotation axis)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_nest_loops *own = &self->part[key]->own;
    bool shared = self->part[key]->scope == OPEVO_SCOPE_SHARED;

    for (int i = 0; i < own->loops; i++) {
        if (own->loop[i].annotation == axis)
            return &own->loop[i];
    }
    for (; stage->place == OPEVO_PLACE_AT && !shared; stage = self->pipeline->stage[stage->at]) {
        own = &self->part[stage->at]->own;
        for (int i = 0; i <= stage->at_loop; i++) {
            if (own->loop[i].annotation == axis)
                return &own->loop[i];
        }
    }
    return NULL;
}

/* Loops around a stage that is each thread's own cannot be bound once more. */
static bool is_around(const opevo_i_pipeline_lowering *self, int key, opevo_annotation axis)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];

    for (; stage->place == OPEVO_PLACE_AT; stage = self->pipeline->stage[stage->at]) {
        const opevo_i_nest_loops *own = &self->part[stage->at]->own;

        for (int i = 0; i <= stage->at_loop; i++) {
            if (own->loop[i].annotation == axis)
                return true;
        }
    }
    return false;
}

/* Blocks belong to the stage that is computed as a whole. The threads of a stage inside must share
 * it, or share a sum that each of them gets. */
static void bind_loop(opevo_i_pipeline_lowering *self, int key, int number)
{
    const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];
    const opevo_i_pipeline_part *part = self->part[key];
    const opevo_i_nest_loop *loop = &part->own.loop[number];
    opevo_i_nest_launch *launch = &self->nest->launch[part->launch];
    opevo_annotation axis = loop->annotation;

    if (!opevo_i_nest_is_block(axis) && !opevo_i_nest_is_thread(axis))
        return;
    if (stage->place == OPEVO_PLACE_AT &&
        (opevo_i_nest_is_block(axis) ||
         (part->scope != OPEVO_SCOPE_SHARED && (!loop->reduces || is_around(self, key, axis))))) {
        OPEVO_I_PIPELINE_REFUSE(
            self, INVALID, "%s of %s cannot be bound: the threads that read it do not share it.",
            stage->own.loop[number].name, stage->name);
        return;
    }
    if (launch->bound[axis] >= 0 && launch->bound_extent[axis] >= loop->extent)
        return;
    launch->bound[axis] = loop->atom;
    launch->bound_extent[axis] = loop->extent;
    if (opevo_i_nest_is_block(axis))
        launch->count[axis] = opevo_i_pipeline_count(self, key, loop);
}

/* Threads beyond those of a stage do nothing, and where nothing says which, the first does it. */
static void guard_threads(opevo_i_pipeline_lowering *self, int key)
{
    opevo_i_pipeline_part *part = self->part[key];
    const opevo_i_nest_launch *launch = &self->nest->launch[part->launch];
    bool own = self->nest->buffer[part->buffer].scope == OPEVO_SCOPE_LOCAL;

    for (opevo_annotation axis = OPEVO_ANNOTATION_THREAD_X; axis <= OPEVO_ANNOTATION_THREAD_Z;
         axis++) {
        const opevo_i_nest_loop *loop = loop_on(self, key, axis);
        opevo_i_affine thread;

        if (launch->bound[axis] < 0 || (!loop && own))
            continue;
        thread = opevo_i_affine_of_atom(launch->bound[axis]);
        if (!opevo_i_nest_guards_add(&self->nest->atoms, &part->bound, &thread, 0,
                                     loop ? loop->extent : 1))
            OPEVO_I_PIPELINE_REFUSE(self, LIMIT, "A statement would need more than %d conditions.",
                                    OPEVO_I_GUARDS);
    }
}

/* Everything of a launch in terms of its thread instead of a loop. */
static void replace_loop(opevo_i_pipeline_lowering *self, int launch, const opevo_i_nest_loop *loop)
{
    opevo_i_affine_atoms *atoms = &self->nest->atoms;
    opevo_i_affine thread;

    if (!opevo_i_nest_is_thread(loop->annotation) ||
        loop->atom == self->nest->launch[launch].bound[loop->annotation])
        return;
    thread = opevo_i_affine_of_atom(self->nest->launch[launch].bound[loop->annotation]);
    for (int key = 0; key < self->pipeline->stages; key++) {
        opevo_i_pipeline_part *part = self->part[key];

        if (!part || part->launch != launch)
            continue;
        for (int a = 0; a < part->own.axes; a++) {
            part->own.axis[a] =
                opevo_i_affine_replace(atoms, &part->own.axis[a], loop->atom, &thread);
            part->value[a] = opevo_i_affine_replace(atoms, &part->value[a], loop->atom, &thread);
            part->base[a] = opevo_i_affine_replace(atoms, &part->base[a], loop->atom, &thread);
        }
    }
}

void opevo_i_pipeline_bind(opevo_i_pipeline_lowering *self)
{
    for (int key = 0; key < self->pipeline->stages; key++) {
        const opevo_i_pipeline_stage *stage = self->pipeline->stage[key];

        if (stage->kind != OPEVO_STAGE_INPUT && stage->place == OPEVO_PLACE_ROOT)
            opevo_i_nest_add_launch(self->nest, NULL);
    }
    for (int number = self->pipeline->stages - 1; number >= 0; number--) {
        int key = self->pipeline->order[number];

        for (int i = 0; self->part[key] && i < self->part[key]->own.loops; i++)
            bind_loop(self, key, i);
    }
    for (int key = 0; key < self->pipeline->stages && self->status == OPEVO_OK; key++) {
        opevo_i_pipeline_part *part = self->part[key];

        if (!part || self->pipeline->stage[key]->kind == OPEVO_STAGE_INPUT)
            continue;
        guard_threads(self, key);
        for (int i = 0; i < part->own.loops; i++)
            replace_loop(self, part->launch, &part->own.loop[i]);
    }
}
