/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The walk is TVM's, step by step, with what looks odd in it: a thread axis that a copy binds again
 * replaces the earlier one while that is still open, and a quotient or remainder has the stride of
 * the first multiple of the variable that is found in it. */

#include "loop_features_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Entering and leaving ---- */

static int level_of(opevo_annotation kind)
{
    if (opevo_i_nest_is_block(kind))
        return 2;
    return opevo_i_nest_is_thread(kind) || kind == OPEVO_ANNOTATION_PARALLEL ? 1 : 0;
}

static opevo_i_loop_variable *row_at(opevo_i_loop_walk *self, int depth)
{
    return &self->row[self->row_of[self->stack[depth]]];
}

static void enter(opevo_i_loop_walk *self, const opevo_i_nest_loop *loop)
{
    int key =
        opevo_i_nest_is_thread(loop->annotation) ? self->keys + (int)loop->annotation : loop->atom;

    if (self->rows == OPEVO_I_VARIABLES || self->depth == OPEVO_I_LOOPS * 2 ||
        key >= (int)(sizeof self->row_of / sizeof *self->row_of)) {
        self->failed = true;
        return;
    }
    self->stack[self->depth++] = key;
    self->topdown *= (double)loop->extent;
    self->row_of[key] = self->rows;
    self->row[self->rows++] = (opevo_i_loop_variable){.length = loop->extent,
                                                      .depth = self->depth,
                                                      .kind = loop->annotation,
                                                      .topdown = self->topdown};
}

opevo_i_loop_touch *opevo_i_loop_find_touch(opevo_i_loop_variable *row, const char *name)
{
    for (int i = 0; i < row->touches; i++) {
        if (strcmp(row->touched[i].name, name) == 0)
            return &row->touched[i];
    }
    return NULL;
}

static void multiply_up(opevo_i_loop_walk *self, const opevo_i_loop_variable *row)
{
    for (int i = 0; i < row->touches; i++) {
        const opevo_i_loop_touch *one = &row->touched[i];
        bool moves = one->stride != 0;
        char name[sizeof one->name];

        memcpy(name, one->name, sizeof name);
        for (int depth = 0; depth < self->depth; depth++) {
            opevo_i_loop_touch *up = opevo_i_loop_find_touch(row_at(self, depth), name);

            if (up && moves)
                up->count *= (double)row->length;
            else if (up)
                up->reuse *= (double)row->length;
        }
    }
}

/* What one turn of the loops of the level above touches, kept negative until that loop ends. */
static void push_base(opevo_i_loop_walk *self, const opevo_i_loop_variable *row, int level)
{
    for (int i = 0; i < row->touches; i++) {
        for (int depth = 0; depth < self->depth; depth++) {
            opevo_i_loop_variable *above = row_at(self, depth);
            opevo_i_loop_touch *up = opevo_i_loop_find_touch(above, row->touched[i].name);

            if (up && level_of(above->kind) == level + 1) {
                up->thread_reuse = -row->touched[i].reuse;
                up->thread_count = -row->touched[i].count;
            }
        }
    }
}

static void leave(opevo_i_loop_walk *self)
{
    opevo_i_loop_variable *row = NULL;
    int level = 0;

    if (self->failed || self->depth == 0)
        return;
    row = row_at(self, self->depth - 1);
    multiply_up(self, row);
    self->depth--;
    self->topdown /= (double)row->length;
    row->bottomup = -1;
    for (int i = 0; i < row->touches; i++) {
        double most = row->touched[i].count * row->touched[i].reuse;

        if (most > row->bottomup)
            row->bottomup = most;
    }
    level = level_of(row->kind);
    if (self->depth > 0 && level_of(row_at(self, self->depth - 1)->kind) == level + 1)
        push_base(self, row, level);
    for (int i = 0; i < row->touches; i++) {
        opevo_i_loop_touch *one = &row->touched[i];

        if (one->thread_count < 0) {
            one->thread_count = trunc(one->count / -one->thread_count);
            one->thread_reuse = trunc(one->reuse / -one->thread_reuse);
        }
    }
}

/* ---- Accesses ---- */

/* The factor of the first occurrence of a loop variable. */
static int64_t stride_of(const opevo_i_affine_atoms *atoms, const opevo_i_affine *a, int atom)
{
    int64_t stride = opevo_i_affine_factor(a, atom);

    for (int i = 0; i < a->count && !stride; i++) {
        const opevo_i_affine_atom *one = &atoms->item[a->term[i].atom];

        if (!one->is_loop)
            stride = stride_of(atoms, &one->inner, atom);
    }
    return stride;
}

/* Stride along an open loop; a thread axis has one atom in the computation and others in copies. */
static int64_t stride_along(const opevo_i_loop_walk *self, const opevo_i_affine *address, int depth,
                            int copy)
{
    const opevo_i_affine_atoms *atoms = &self->low.nest->atoms;
    int key = self->stack[depth];
    int stages[2] = {copy, self->compute};
    int64_t stride = 0;

    if (key < self->keys)
        return stride_of(atoms, address, key);
    for (int s = 0; s < 2 && !stride; s++) {
        const opevo_i_nest_loops *own = stages[s] < 0 ? NULL : &self->low.part[stages[s]]->own;

        for (int i = 0; own && i < own->loops; i++) {
            if ((int)own->loop[i].annotation == key - self->keys)
                stride = stride_of(atoms, address, own->loop[i].atom);
        }
    }
    return stride;
}

static void touch_address(opevo_i_loop_walk *self, const char *name, int number,
                          const opevo_i_affine *address, int copy)
{
    opevo_i_loop_touch one = {.count = 1, .reuse = 1};

    snprintf(one.name, sizeof one.name, "%s_%d", name, self->accesses[number]++);
    for (int depth = 0; depth < self->depth; depth++) {
        opevo_i_loop_variable *row = row_at(self, depth);
        opevo_i_loop_touch *there = opevo_i_loop_find_touch(row, one.name);

        one.stride = (double)stride_along(self, address, depth, copy);
        if (!there && row->touches < OPEVO_I_TOUCHES)
            there = &row->touched[row->touches++];
        if (there)
            *there = one;
        else
            self->failed = true;
    }
}

static void find_input(opevo_i_pipeline_lowering *low, void *context, int key,
                       const opevo_i_affine *index)
{
    (void)index;
    if (low->pipeline->stage[key]->kind == OPEVO_STAGE_INPUT)
        *(int *)context = key;
}

/* The operand that is copied, also through an inlined stage, such as one that pads. */
static int operand_of(opevo_i_loop_walk *self, int key)
{
    const opevo_pipeline *pipeline = self->low.pipeline;

    while (pipeline->stage[key]->kind == OPEVO_STAGE_COPY &&
           pipeline->stage[pipeline->stage[key]->source]->kind == OPEVO_STAGE_COPY)
        key = pipeline->stage[key]->source;
    opevo_i_pipeline_walk(&self->low, key, self->low.part[key]->value, find_input, &key);
    return key;
}

/* "A.shared" of a copy of A. */
static void name_of(opevo_i_loop_walk *self, int key, char *out, size_t size)
{
    const opevo_pipeline *pipeline = self->low.pipeline;
    const opevo_i_pipeline_stage *stage = pipeline->stage[key];
    const opevo_i_pipeline_stage *first = stage;

    while (first->kind == OPEVO_STAGE_COPY)
        first = pipeline->stage[first->source];
    snprintf(out, size, "%s%s",
             stage->kind == OPEVO_STAGE_COPY ? pipeline->stage[operand_of(self, key)]->name
                                             : stage->name,
             stage->name + strlen(first->name));
}

static void touch_stage(opevo_i_loop_walk *self, int key, const opevo_i_affine *index, int copy)
{
    char name[OPEVO_I_NAME];
    opevo_i_affine address = opevo_i_pipeline_address(&self->low, key, index);

    name_of(self, key, name, sizeof name);
    touch_address(self, name, key, &address, copy);
}

typedef struct reading {
    opevo_i_loop_walk *self;
    int copy; /* that reads; -1 for the computation */
} reading;

static void touch_read(opevo_i_pipeline_lowering *low, void *context, int key,
                       const opevo_i_affine *index)
{
    const reading *of = context;

    (void)low;
    touch_stage(of->self, key, index, of->copy);
    of->self->reads++;
}

/* ---- Sums in registers ---- */

static int accumulate_of(const opevo_i_loop_walk *self)
{
    return self->low.pipeline->stage[self->compute]->accumulate;
}

static bool is_register_loop(const opevo_i_loop_walk *self, int loop)
{
    const opevo_i_nest_loop *one = &self->low.part[self->compute]->own.loop[loop];

    return loop > accumulate_of(self) && !one->reduces &&
           opevo_i_pipeline_has_node(one->annotation);
}

static void touch_registers(opevo_i_loop_walk *self)
{
    const opevo_i_nest_loops *own = &self->low.part[self->compute]->own;
    opevo_i_affine address = opevo_i_affine_constant(0);
    int64_t stride = 1;
    char name[OPEVO_I_NAME + 8];

    for (int i = own->loops - 1; i >= 0; i--) {
        opevo_i_affine one = opevo_i_affine_of_atom(own->loop[i].atom);

        if (!is_register_loop(self, i))
            continue;
        address = opevo_i_affine_add(&self->low.nest->atoms, address, stride, &one);
        stride *= own->loop[i].extent;
    }
    snprintf(name, sizeof name, "%s.local", self->low.pipeline->stage[self->compute]->name);
    touch_address(self, name, OPEVO_PIPELINE_STAGES, &address, -1);
}

static void touch_sums(opevo_i_loop_walk *self)
{
    if (accumulate_of(self) >= 0)
        touch_registers(self);
    else
        touch_stage(self, self->compute, self->low.part[self->compute]->value, -1);
}

static void touch_body(opevo_i_loop_walk *self)
{
    reading of = {self, -1};

    touch_sums(self);
    touch_sums(self);
    self->reads = 0;
    opevo_i_pipeline_walk(&self->low, self->compute, self->low.part[self->compute]->value,
                          touch_read, &of);
    if (self->depth) {
        row_at(self, self->depth - 1)->adds++;
        row_at(self, self->depth - 1)->multiplies += self->reads - 1;
    }
}

/* ---- The walk ---- */

static void walk_copy(opevo_i_loop_walk *self, int key)
{
    const opevo_i_pipeline_part *part = self->low.part[key];
    reading of = {self, key};

    for (int i = 0; i < part->own.loops; i++)
        enter(self, &part->own.loop[i]);
    touch_stage(self, key, part->value, key);
    opevo_i_pipeline_walk(&self->low, key, part->value, touch_read, &of);
    for (int i = 0; i < part->own.loops; i++)
        leave(self);
}

static void walk_write_back(opevo_i_loop_walk *self)
{
    const opevo_i_pipeline_part *part = self->low.part[self->compute];
    int entered = 0;

    for (int i = 0; i < part->own.loops; i++) {
        if (!is_register_loop(self, i))
            continue;
        enter(self, &part->own.loop[i]);
        entered++;
    }
    touch_stage(self, self->compute, part->value, -1);
    touch_registers(self);
    while (entered--)
        leave(self);
}

/* Copies at a loop, those of the first operand first. */
static void walk_copies(opevo_i_loop_walk *self, int at)
{
    const opevo_pipeline *pipeline = self->low.pipeline;

    for (int operand = 0; operand < pipeline->computation->tensors; operand++) {
        for (int number = 0; number < pipeline->stages; number++) {
            int key = pipeline->order[number];
            const opevo_i_pipeline_stage *stage = pipeline->stage[key];

            if (stage->place == OPEVO_PLACE_AT && stage->at_loop == at &&
                operand_of(self, key) == operand)
                walk_copy(self, key);
        }
    }
}

static void walk(opevo_i_loop_walk *self, int at)
{
    const opevo_i_nest_loops *own = &self->low.part[self->compute]->own;

    if (at == own->loops) {
        touch_body(self);
        return;
    }
    enter(self, &own->loop[at]);
    walk_copies(self, at);
    walk(self, at + 1);
    if (at == accumulate_of(self))
        walk_write_back(self);
    leave(self);
}

static int compare_touches(const void *a, const void *b)
{
    return strcmp(((const opevo_i_loop_touch *)a)->name, ((const opevo_i_loop_touch *)b)->name);
}

/* The only stage that is neither an input, inlined nor a copy at one of its loops; -1 where there
 * are others. */
static int find_compute(const opevo_pipeline *pipeline)
{
    int found = -1;

    for (int key = 0; key < pipeline->stages; key++) {
        const opevo_i_pipeline_stage *stage = pipeline->stage[key];

        if (stage->kind == OPEVO_STAGE_INPUT || stage->place != OPEVO_PLACE_ROOT)
            continue;
        if (found >= 0 || stage->kind != OPEVO_STAGE_DEFINED)
            return -1;
        found = key;
    }
    for (int key = 0; key < pipeline->stages; key++) {
        const opevo_i_pipeline_stage *stage = pipeline->stage[key];

        if (stage->place == OPEVO_PLACE_AT &&
            (stage->at != found || stage->kind != OPEVO_STAGE_COPY))
            return -1;
    }
    return found;
}

opevo_status opevo_i_loop_walk_all(const opevo_pipeline *pipeline, opevo_i_loop_walk *self,
                                   opevo_error *err)
{
    opevo_i_nest *nest = NULL;
    opevo_status status = opevo_i_pipeline_lower(pipeline, &nest, err);

    opevo_i_nest_destroy(nest);
    if (status != OPEVO_OK)
        return status;
    self->compute = find_compute(pipeline);
    if (self->compute < 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Loop features are those of one stage and of copies at its loops.");
    self->low = (opevo_i_pipeline_lowering){.pipeline = pipeline, .err = err};
    opevo_i_pipeline_begin(&self->low);
    self->topdown = 1;
    self->keys = (int)(sizeof self->row_of / sizeof *self->row_of) - OPEVO_ANNOTATION_COUNT;
    OPEVO_NEW_OR_RETURN(self->row, OPEVO_I_VARIABLES, "the features of a loop nest");
    if (self->low.status == OPEVO_OK)
        walk(self, 0);
    if (self->low.status == OPEVO_OK && self->failed)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "The loop nest is too large for loop features.");
    for (int i = 0; i < self->rows; i++)
        qsort(self->row[i].touched, (size_t)self->row[i].touches, sizeof(opevo_i_loop_touch),
              compare_touches);
    return self->low.status;
}

void opevo_i_loop_walk_destroy(opevo_i_loop_walk *self)
{
    if (self && self->low.pipeline) {
        opevo_i_pipeline_end(&self->low);
        opevo_i_nest_destroy(self->low.nest);
    }
    if (self)
        opevo_free(self->row);
    opevo_free(self);
}
