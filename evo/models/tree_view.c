/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "tree_view_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum {
    PLACES = 32,
    LOOP_NUMBERS = OPEVO_LOOP_COLUMNS - OPEVO_LOOP_KIND,
    THRESHOLDS = 24,
    RELATIONS = 2
};

struct opevo_i_tree_view {
    opevo_i_tree_view_kind kind;
    const opevo_feature_source *trees;
    opevo_feature_source source;
    float *rows;                           /* of one tree */
    unsigned char place[OPEVO_LOOP_NAMES]; /* of a name, from 1; 0: not met */
    unsigned char places;
};

const char *opevo_i_tree_view_name(unsigned kind)
{
    static const char *const names[] = {"loops", "relation"};

    return names[kind];
}

/* ---- Loops ---- */

static void view_loops(opevo_i_tree_view *self, const float *rows, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++, rows += OPEVO_LOOP_COLUMNS) {
        unsigned char *place = &self->place[(size_t)rows[OPEVO_LOOP_NAME] % OPEVO_LOOP_NAMES];

        if (!*place && self->places < PLACES)
            *place = ++self->places;
        if (*place)
            memcpy(out + (*place - 1) * LOOP_NUMBERS, rows + OPEVO_LOOP_KIND,
                   LOOP_NUMBERS * sizeof *out);
    }
}

/* ---- Relations ---- */

/* The numbers of one buffer along the path, loop by loop up to the root. */
static void relate(const float *rows, size_t last, size_t buffer, float *out)
{
    float *reuse = out, *top_down = out + THRESHOLDS;

    for (size_t i = last;; i -= (size_t)rows[i * OPEVO_LOOP_COLUMNS + OPEVO_LOOP_PARENT]) {
        const float *row = rows + i * OPEVO_LOOP_COLUMNS;
        const float *touch = row + OPEVO_LOOP_TOUCHES + 3 * buffer;

        for (size_t t = 0; t < THRESHOLDS && touch[0] > 0; t++) {
            if (!(touch[0] < (float)t + 1.5F)) /* log2(1 + x), and one element is 0 */
                continue;
            reuse[t] = touch[1] > reuse[t] ? touch[1] : reuse[t];
            top_down[t] =
                row[OPEVO_LOOP_TOP_DOWN] > top_down[t] ? row[OPEVO_LOOP_TOP_DOWN] : top_down[t];
        }
        if (row[OPEVO_LOOP_PARENT] == 0)
            break;
    }
}

static void view_relation(const float *rows, size_t count, float *out)
{
    size_t last = 0;

    for (size_t i = 1; i < count; i++) {
        if (rows[i * OPEVO_LOOP_COLUMNS + OPEVO_LOOP_TOP_DOWN] >=
            rows[last * OPEVO_LOOP_COLUMNS + OPEVO_LOOP_TOP_DOWN])
            last = i;
    }
    for (size_t b = 0; b < OPEVO_LOOP_BUFFERS; b++, out += RELATIONS * THRESHOLDS)
        relate(rows, last, b, out);
}

/* ---- The source ---- */

void opevo_i_tree_view_row(opevo_i_tree_view *view, const float *rows, size_t count, float *out)
{
    memset(out, 0, view->source.count * sizeof *out);
    if (view->kind == OPEVO_I_VIEW_LOOPS)
        view_loops(view, rows, count, out);
    else
        view_relation(rows, count, out);
}

static size_t row_of(void *context, opevo_index point, float *out)
{
    opevo_i_tree_view *self = context;
    size_t count = self->trees->features(self->trees->context, point, self->rows);

    if (count == 0)
        return 0;
    opevo_i_tree_view_row(self, self->rows, count, out);
    return 1;
}

opevo_i_tree_view *opevo_i_tree_view_create(opevo_i_tree_view_kind kind,
                                            const opevo_feature_source *trees)
{
    opevo_i_tree_view *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->kind = kind;
    self->trees = trees;
    self->source = (opevo_feature_source){
        .count = kind == OPEVO_I_VIEW_LOOPS ? PLACES * LOOP_NUMBERS
                                            : OPEVO_LOOP_BUFFERS * RELATIONS * THRESHOLDS,
        .rows_most = 1,
        .features = row_of,
        .context = self};
    self->rows = opevo_malloc(trees->rows_most, OPEVO_LOOP_COLUMNS * sizeof *self->rows);
    if (self->rows)
        return self;
    opevo_free(self);
    return NULL;
}

void opevo_i_tree_view_destroy(opevo_i_tree_view *view)
{
    if (!view)
        return;
    opevo_free(view->rows);
    opevo_free(view);
}

const opevo_feature_source *opevo_i_tree_view_source(const opevo_i_tree_view *view)
{
    return &view->source;
}
