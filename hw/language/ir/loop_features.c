/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The walk is TVM's, step by step, with what looks odd in it: a thread axis that a copy binds again
 * replaces the earlier one while that is still open, and a quotient or remainder has the stride of
 * the first multiple of the variable that is found in it. */

#include <opevo/loop_features.h>

#include "nest_internal.h"

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
    opevo_schedule *schedule; /* a copy, since addresses add atoms */
    const opevo_i_nest *nest;
    variable *row;
    int rows;
    int stack[OPEVO_I_LOOPS * 2]; /* keys of the open loops */
    int depth;
    int row_of[4096]; /* of a key: an atom, or a thread axis above them */
    int keys;         /* first key of a thread axis */
    int accesses[OPEVO_I_STAGES];
    double topdown;
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

/* Stride along an open loop; a thread axis has one atom in C and others in the copies. */
static int64_t stride_along(const walker *self, const opevo_i_affine *address, int depth,
                            const opevo_i_nest_stage *copy)
{
    int key = self->stack[depth];
    int64_t stride = 0;

    if (key < self->keys)
        return stride_of(&self->schedule->atoms, address, key);
    for (int i = 0; copy && i < copy->own.loops; i++) {
        if ((int)copy->own.loop[i].annotation == key - self->keys)
            stride = stride_of(&self->schedule->atoms, address, copy->own.loop[i].atom);
    }
    if (!stride && self->nest->launch[0].bound[key - self->keys] >= 0)
        stride = stride_of(&self->schedule->atoms, address,
                           self->nest->launch[0].bound[key - self->keys]);
    return stride;
}

static void touch_stage(walker *self, int number, const opevo_i_affine *index,
                        const opevo_i_nest_stage *copy)
{
    const opevo_i_nest_stage *stage = &self->schedule->stage[number];
    opevo_i_affine address = opevo_i_nest_schedule_address(self->schedule, stage, index);
    touch one = {.count = 1, .reuse = 1};

    snprintf(one.name, sizeof one.name, "%s_%d", stage->name, self->accesses[number]++);
    for (int depth = 0; depth < self->depth; depth++) {
        variable *row = row_at(self, depth);
        touch *there = find_touch(row, one.name);

        one.stride = (double)stride_along(self, &address, depth, copy);
        if (!there && row->touches < MOST_TOUCHES)
            there = &row->touched[row->touches++];
        if (there)
            *there = one;
        else
            self->failed = true;
    }
}

static void touch_body(walker *self, const int *reads, int write)
{
    const opevo_i_nest_compute *compute = &self->schedule->compute;
    int stages[OPEVO_OPERANDS + 1] = {write, write};

    memcpy(stages + 2, reads, (size_t)compute->output * sizeof *reads);
    for (int i = 0; i < compute->output + 2; i++) {
        opevo_i_affine index[OPEVO_I_AXES];
        const opevo_i_nest_stage *stage = &self->schedule->stage[stages[i]];

        for (int d = 0; d < compute->tensor[stage->tensor].dims; d++)
            index[d] = opevo_i_nest_schedule_index(self->schedule, stage->tensor, d);
        for (int a = 0; stage->kind == OPEVO_I_CACHE_WRITE && a < stage->own.axes; a++)
            index[a] = opevo_i_affine_of_atom(stage->origin[a]);
        touch_stage(self, stages[i], index, NULL);
    }
    if (self->depth) {
        row_at(self, self->depth - 1)->adds++;
        row_at(self, self->depth - 1)->multiplies += compute->output - 1;
    }
}

/* ---- The walk ---- */

static void walk_copy(walker *self, int number)
{
    const opevo_i_nest_stage *stage = &self->schedule->stage[number];
    opevo_i_affine index[OPEVO_I_DIMS];
    bool writes = stage->kind == OPEVO_I_CACHE_WRITE;

    for (int i = 0; i < stage->own.loops; i++)
        enter(self, &stage->own.loop[i]);
    for (int d = 0; d < self->schedule->compute.tensor[stage->tensor].dims; d++)
        index[d] = opevo_i_nest_schedule_copied(self->schedule, stage, d, stage->own.axis);
    touch_stage(self, writes ? self->schedule->compute.output : number, index, stage);
    touch_stage(self, writes ? number : stage->source, writes ? stage->own.axis : index, stage);
    for (int i = 0; i < stage->own.loops; i++)
        leave(self);
}

static void walk(walker *self, int at, const int *reads, int write)
{
    int output = self->schedule->compute.output;
    const opevo_i_nest_stage *compute = &self->schedule->stage[output];

    if (at == compute->own.loops) {
        touch_body(self, reads, write);
        return;
    }
    enter(self, &compute->own.loop[at]);
    for (int i = output + 1; i < self->schedule->stages; i++) {
        const opevo_i_nest_stage *stage = &self->schedule->stage[i];

        if (stage->attached == at && stage->kind == OPEVO_I_CACHE_READ)
            walk_copy(self, i);
    }
    walk(self, at + 1, reads, write);
    if (write != output && self->schedule->stage[write].attached == at)
        walk_copy(self, write);
    leave(self);
}

static int compare_touches(const void *a, const void *b)
{
    return strcmp(((const touch *)a)->name, ((const touch *)b)->name);
}

static opevo_status walk_all(const opevo_schedule *schedule, opevo_i_nest **nest, walker *self,
                             opevo_error *err)
{
    int reads[OPEVO_OPERANDS];
    int write = schedule->compute.output;
    opevo_status status = opevo_i_nest_create(schedule, nest, err);

    if (status != OPEVO_OK)
        return status;
    self->nest = *nest;
    self->schedule = opevo_i_nest_schedule_clone(schedule);
    self->topdown = 1;
    self->keys = (int)(sizeof self->row_of / sizeof *self->row_of) - NOT_BOUND;
    self->row = opevo_calloc(MOST_VARIABLES, sizeof *self->row);
    if (!self->row || !self->schedule)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the features of a loop nest.");
    for (int t = 0; t < OPEVO_OPERANDS; t++)
        reads[t] = t;
    for (int i = schedule->compute.output + 1; i < self->schedule->stages; i++) {
        if (self->schedule->stage[i].kind == OPEVO_I_CACHE_WRITE)
            write = i;
        else
            reads[self->schedule->stage[i].tensor] = i;
    }
    walk(self, 0, reads, write);
    if (self->failed)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "The loop nest is too large for loop features.");
    for (int i = 0; i < self->rows; i++)
        qsort(self->row[i].touched, (size_t)self->row[i].touches, sizeof(touch), compare_touches);
    return OPEVO_OK;
}

static void destroy(walker *self)
{
    if (self) {
        opevo_schedule_destroy(self->schedule);
        opevo_free(self->row);
    }
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

opevo_status opevo_features_itervar(const opevo_schedule *schedule, bool log,
                                    opevo_feature_row *out, opevo_error *err)
{
    opevo_i_nest *nest = NULL;
    walker *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the features of a loop nest.");
    OPEVO_TRY(walk_all(schedule, &nest, self, err));
    for (int i = 0; i < self->rows; i++)
        push_variable(out, &self->row[i], log);
    if (out->failed)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the features of a loop nest.");
cleanup:
    destroy(self);
    opevo_i_nest_destroy(nest);
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

opevo_status opevo_features_curve(const opevo_schedule *schedule, int samples,
                                  opevo_feature_row *out, opevo_error *err)
{
    opevo_i_nest *nest = NULL;
    walker *self = opevo_calloc(1, sizeof *self);
    curve *curves = opevo_calloc(MOST_CURVES, sizeof *curves);
    opevo_status status = OPEVO_OK;
    int count = 0;

    if (!self || !curves) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the features of a loop nest.");
        goto cleanup;
    }
    OPEVO_TRY(walk_all(schedule, &nest, self, err));
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
    opevo_i_nest_destroy(nest);
    return status;
}
