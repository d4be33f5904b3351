/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The walk is TVM's, step by step, with what looks odd in it: a thread axis that a copy binds again
 * replaces the earlier one while that is still open, and a quotient or remainder has the stride of
 * the first multiple of the variable that is found in it. */

#include <opevo/loop_features.h>

#include "lower_pipeline_internal.h"

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>

#include <gsl/gsl_sort.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_TOUCHES = 24, /* of one loop */
    MOST_VARIABLES = 128,
    NOT_BOUND = OPEVO_ANNOTATION_COUNT
};

typedef struct touch {
    char name[OPEVO_I_NAME + 8];
    double stride, count, reuse, thread_count, thread_reuse;
} touch;

/* One row of the features. */
typedef struct variable {
    int64_t length;
    int depth;
    opevo_annotation kind;
    double topdown, bottomup;
    double adds, multiplies;
    int touches;
    touch touched[MOST_TOUCHES];
} variable;

typedef struct walker {
    opevo_i_pipeline_lowering low;
    int compute; /* the key of the stage that is no copy */
    variable *row;
    int rows;
    int stack[OPEVO_I_LOOPS * 2]; /* keys of the open loops */
    int depth;
    int row_of[4096];                        /* of a key: an atom, or a thread axis above them */
    int keys;                                /* first key of a thread axis */
    int accesses[OPEVO_PIPELINE_STAGES + 1]; /* of stages, and of registers that gather sums */
    double topdown;
    int reads; /* of the statement */
    bool failed;
} walker;

/* ---- Entering and leaving ---- */

static int level_of(opevo_annotation kind)
{
    if (opevo_i_nest_is_block(kind))
        return 2;
    return opevo_i_nest_is_thread(kind) || kind == OPEVO_ANNOTATION_PARALLEL ? 1 : 0;
}

static variable *row_at(walker *self, int depth)
{
    return &self->row[self->row_of[self->stack[depth]]];
}

static void enter(walker *self, const opevo_i_nest_loop *loop)
{
    int key =
        opevo_i_nest_is_thread(loop->annotation) ? self->keys + (int)loop->annotation : loop->atom;

    if (self->rows == MOST_VARIABLES || self->depth == OPEVO_I_LOOPS * 2 ||
        key >= (int)(sizeof self->row_of / sizeof *self->row_of)) {
        self->failed = true;
        return;
    }
    self->stack[self->depth++] = key;
    self->topdown *= (double)loop->extent;
    self->row_of[key] = self->rows;
    self->row[self->rows++] = (variable){.length = loop->extent,
                                         .depth = self->depth,
                                         .kind = loop->annotation,
                                         .topdown = self->topdown};
}

static touch *find_touch(variable *row, const char *name)
{
    for (int i = 0; i < row->touches; i++) {
        if (strcmp(row->touched[i].name, name) == 0)
            return &row->touched[i];
    }
    return NULL;
}

static void multiply_up(walker *self, const variable *row)
{
    for (int i = 0; i < row->touches; i++) {
        const touch *one = &row->touched[i];
        bool moves = one->stride != 0;
        char name[sizeof one->name];

        memcpy(name, one->name, sizeof name);
        for (int depth = 0; depth < self->depth; depth++) {
            touch *up = find_touch(row_at(self, depth), name);

            if (up && moves)
                up->count *= (double)row->length;
            else if (up)
                up->reuse *= (double)row->length;
        }
    }
}

/* What one turn of the loops of the level above touches, kept negative until that loop ends. */
static void push_base(walker *self, const variable *row, int level)
{
    for (int i = 0; i < row->touches; i++) {
        for (int depth = 0; depth < self->depth; depth++) {
            variable *above = row_at(self, depth);
            touch *up = find_touch(above, row->touched[i].name);

            if (up && level_of(above->kind) == level + 1) {
                up->thread_reuse = -row->touched[i].reuse;
                up->thread_count = -row->touched[i].count;
            }
        }
    }
}

static void leave(walker *self)
{
    variable *row = NULL;
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
        touch *one = &row->touched[i];

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
static int64_t stride_along(const walker *self, const opevo_i_affine *address, int depth, int copy)
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

static void touch_address(walker *self, const char *name, int number, const opevo_i_affine *address,
                          int copy)
{
    touch one = {.count = 1, .reuse = 1};

    snprintf(one.name, sizeof one.name, "%s_%d", name, self->accesses[number]++);
    for (int depth = 0; depth < self->depth; depth++) {
        variable *row = row_at(self, depth);
        touch *there = find_touch(row, one.name);

        one.stride = (double)stride_along(self, address, depth, copy);
        if (!there && row->touches < MOST_TOUCHES)
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
static int operand_of(walker *self, int key)
{
    const opevo_pipeline *pipeline = self->low.pipeline;

    while (pipeline->stage[key]->kind == OPEVO_STAGE_COPY &&
           pipeline->stage[pipeline->stage[key]->source]->kind == OPEVO_STAGE_COPY)
        key = pipeline->stage[key]->source;
    opevo_i_pipeline_walk(&self->low, key, self->low.part[key]->value, find_input, &key);
    return key;
}

/* "A.shared" of a copy of A. */
static void name_of(walker *self, int key, char *out, size_t size)
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

static void touch_stage(walker *self, int key, const opevo_i_affine *index, int copy)
{
    char name[OPEVO_I_NAME];
    opevo_i_affine address = opevo_i_pipeline_address(&self->low, key, index);

    name_of(self, key, name, sizeof name);
    touch_address(self, name, key, &address, copy);
}

typedef struct reading {
    walker *self;
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

static int accumulate_of(const walker *self)
{
    return self->low.pipeline->stage[self->compute]->accumulate;
}

static bool is_register_loop(const walker *self, int loop)
{
    const opevo_i_nest_loop *one = &self->low.part[self->compute]->own.loop[loop];

    return loop > accumulate_of(self) && !one->reduces &&
           opevo_i_pipeline_has_node(one->annotation);
}

static void touch_registers(walker *self)
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

static void touch_sums(walker *self)
{
    if (accumulate_of(self) >= 0)
        touch_registers(self);
    else
        touch_stage(self, self->compute, self->low.part[self->compute]->value, -1);
}

static void touch_body(walker *self)
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

static void walk_copy(walker *self, int key)
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

static void walk_write_back(walker *self)
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
static void walk_copies(walker *self, int at)
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

static void walk(walker *self, int at)
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
    return strcmp(((const touch *)a)->name, ((const touch *)b)->name);
}

/* The only stage that is neither an input, inlined nor a copy at one of its loops; -1 where there are
 * others. */
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

static opevo_status walk_all(const opevo_pipeline *pipeline, walker *self, opevo_error *err)
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
    self->keys = (int)(sizeof self->row_of / sizeof *self->row_of) - NOT_BOUND;
    self->row = opevo_calloc(MOST_VARIABLES, sizeof *self->row);
    if (!self->row)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the features of a loop nest.");
    if (self->low.status == OPEVO_OK)
        walk(self, 0);
    if (self->low.status == OPEVO_OK && self->failed)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "The loop nest is too large for loop features.");
    for (int i = 0; i < self->rows; i++)
        qsort(self->row[i].touched, (size_t)self->row[i].touches, sizeof(touch), compare_touches);
    return self->low.status;
}

static void destroy(walker *self)
{
    if (self && self->low.pipeline) {
        opevo_i_pipeline_end(&self->low);
        opevo_i_nest_destroy(self->low.nest);
    }
    if (self)
        opevo_free(self->row);
    opevo_free(self);
}

/* ---- Rows ---- */

static void push(opevo_feature_row *out, double number)
{
    if (!opevo_reserve((void **)&out->number, &out->capacity, out->count + 1, sizeof *out->number))
        out->failed = true;
    else
        out->number[out->count++] = (float)number;
}

static double scaled(double x, bool log)
{
    if (!log)
        return x;
    return x < 0 ? -log2(1 - x) : log2(x + 1);
}

/* Place of an annotation among TVM's eleven. */
static int kind_place(opevo_annotation kind)
{
    switch (kind) {
    case OPEVO_ANNOTATION_UNROLL:
    case OPEVO_ANNOTATION_EXPAND:
        return 6;
    case OPEVO_ANNOTATION_VECTORIZE:
        return 7;
    case OPEVO_ANNOTATION_PARALLEL:
        return 8;
    case OPEVO_ANNOTATION_SERIAL:
        return 9;
    case OPEVO_ANNOTATION_VTHREAD:
        return 10;
    default:
        return (int)kind - (int)OPEVO_ANNOTATION_BLOCK_X;
    }
}

enum { KINDS = 11 };

static void push_variable(opevo_feature_row *out, const variable *row, bool log)
{
    push(out, scaled((double)row->length, log));
    push(out, row->depth);
    push(out, scaled(row->topdown, log));
    push(out, scaled(row->bottomup, log));
    for (int i = 0; i < KINDS; i++)
        push(out, i == kind_place(row->kind));
    push(out, scaled(row->adds, log));
    push(out, scaled(row->multiplies, log));
    push(out, scaled(0, log));
    for (int i = 0; i < row->touches; i++) {
        const touch *one = &row->touched[i];

        push(out, scaled(one->stride, log));
        push(out, scaled(-1, log));
        push(out, scaled(one->count, log));
        push(out, scaled(one->reuse, log));
        push(out, scaled(one->thread_count, log));
        push(out, scaled(one->thread_reuse, log));
    }
}

opevo_status opevo_features_itervar(const opevo_pipeline *pipeline, bool log,
                                    opevo_feature_row *out, opevo_error *err)
{
    walker *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the features of a loop nest.");
    OPEVO_TRY(walk_all(pipeline, self, err));
    for (int i = 0; i < self->rows; i++)
        push_variable(out, &self->row[i], log);
    if (out->failed)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the features of a loop nest.");
cleanup:
    destroy(self);
    return status;
}

/* ---- Curves ---- */

typedef struct curve {
    char name[sizeof((touch *)0)->name];
    size_t raw; /* bytes of the name before its scope or number */
    int points;
    double count[MOST_VARIABLES + 1], reuse[MOST_VARIABLES + 1], topdown[MOST_VARIABLES + 1];
} curve;

enum { MOST_CURVES = OPEVO_OPERANDS };

/* The last access of each tensor in the innermost loops. */
static int find_curves(const walker *self, curve *curves)
{
    int count = 0;
    int deepest = 0;

    for (int i = 0; i < self->rows; i++)
        deepest = self->row[i].depth > deepest ? self->row[i].depth : deepest;
    for (int i = self->rows - 1; i >= 0; i--) {
        for (int t = 0; t < self->row[i].touches && self->row[i].depth == deepest; t++) {
            const char *name = self->row[i].touched[t].name;
            size_t raw = strcspn(name, "._");
            bool known = false;

            for (int c = 0; c < count; c++)
                known |= curves[c].raw == raw && memcmp(curves[c].name, name, raw) == 0;
            if (known || count == MOST_CURVES)
                continue;
            memcpy(curves[count].name, name, sizeof curves[count].name);
            curves[count].raw = raw;
            curves[count++].points = 1; /* the origin */
        }
    }
    return count;
}

static int compare_curves(const void *a, const void *b)
{
    return strcmp(((const curve *)a)->name, ((const curve *)b)->name);
}

static void fill_curve(walker *self, curve *one)
{
    for (int i = 0; i < self->rows; i++) {
        const touch *there = find_touch(&self->row[i], one->name);

        if (!there)
            continue;
        one->reuse[one->points] = log2(there->reuse);
        one->count[one->points] = log2(there->count);
        one->topdown[one->points++] = log2(self->row[i].topdown);
    }
    gsl_sort(one->reuse, 1, (size_t)one->points);
    gsl_sort(one->count, 1, (size_t)one->points);
    gsl_sort(one->topdown, 1, (size_t)one->points);
}

/* y at the last point with x <= 0, 1, 2, ..., and how far behind that is. */
static void push_relation(opevo_feature_row *out, int samples, int points, const double *x,
                          const double *y)
{
    for (int i = 0; i < samples; i++) {
        int at = points - 1;

        while (at > 0 && !(i > x[at] - 1e-6))
            at--;
        push(out, y[at]);
        push(out, i - x[at]);
    }
}

opevo_status opevo_features_curve(const opevo_pipeline *pipeline, int samples,
                                  opevo_feature_row *out, opevo_error *err)
{
    walker *self = opevo_calloc(1, sizeof *self);
    curve *curves = opevo_calloc(MOST_CURVES, sizeof *curves);
    opevo_status status = OPEVO_OK;
    int count = 0;

    if (!self || !curves) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the features of a loop nest.");
        goto cleanup;
    }
    OPEVO_TRY(walk_all(pipeline, self, err));
    count = find_curves(self, curves);
    qsort(curves, (size_t)count, sizeof *curves, compare_curves);
    for (int i = 0; i < count; i++) {
        curve *one = &curves[i];

        fill_curve(self, one);
        push_relation(out, samples, one->points, one->count, one->reuse);
        push_relation(out, samples, one->points, one->reuse, one->count);
        push_relation(out, samples, one->points, one->count, one->topdown);
        push_relation(out, samples, one->points, one->topdown, one->count);
    }
    if (out->failed)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the features of a loop nest.");
cleanup:
    destroy(self);
    opevo_free(curves);
    return status;
}
