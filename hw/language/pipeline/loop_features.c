/* SPDX-License-Identifier: GPL-3.0-or-later */

/* AutoTVM's features as rows of numbers. */

#include <opevo/loop_features.h>

#include "loop_features_internal.h"

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>

#include <gsl/gsl_sort.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

static void push_variable(opevo_feature_row *out, const opevo_i_loop_variable *row, bool log)
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
        const opevo_i_loop_touch *one = &row->touched[i];

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
    opevo_i_loop_walk *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "the features of a loop nest");
    OPEVO_TRY(opevo_i_loop_walk_all(pipeline, self, err));
    for (int i = 0; i < self->rows; i++)
        push_variable(out, &self->row[i], log);
    if (out->failed)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the features of a loop nest.");
cleanup:
    opevo_i_loop_walk_destroy(self);
    return status;
}

/* ---- Curves ---- */

typedef struct curve {
    char name[sizeof((opevo_i_loop_touch *)0)->name];
    size_t raw; /* bytes of the name before its scope or number */
    int points;
    double count[OPEVO_I_VARIABLES + 1], reuse[OPEVO_I_VARIABLES + 1],
        topdown[OPEVO_I_VARIABLES + 1];
} curve;

enum { MOST_CURVES = OPEVO_OPERANDS };

/* The last access of each tensor in the innermost loops. */
static int find_curves(const opevo_i_loop_walk *self, curve *curves)
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

static void fill_curve(opevo_i_loop_walk *self, curve *one)
{
    for (int i = 0; i < self->rows; i++) {
        const opevo_i_loop_touch *there = opevo_i_loop_find_touch(&self->row[i], one->name);

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
    opevo_i_loop_walk *self = opevo_calloc(1, sizeof *self);
    curve *curves = opevo_calloc(MOST_CURVES, sizeof *curves);
    opevo_status status = OPEVO_OK;
    int count = 0;

    OPEVO_NEED(self && curves, "the features of a loop nest");
    OPEVO_TRY(opevo_i_loop_walk_all(pipeline, self, err));
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
    opevo_i_loop_walk_destroy(self);
    opevo_free(curves);
    return status;
}
