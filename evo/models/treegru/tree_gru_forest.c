/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From rows, parents before children, to levels. */

#include "tree_gru_internal.h"

#include <opevo/memory.h>

#include <stdint.h>
#include <string.h>

/* Logarithms of lengths are about as large as the ones of the kinds. */
#define SCALE 0.125F

enum { BY_NAME = OPEVO_LOOP_KIND_COUNT + 1 };

size_t opevo_i_tree_gru_inputs(bool by_context)
{
    return by_context ? OPEVO_LOOP_KIND_COUNT + OPEVO_LOOP_COLUMNS - OPEVO_LOOP_EXTENT
                      : (size_t)BY_NAME;
}

static void fill_inputs(const float *row, size_t width, opevo_i_real *out)
{
    size_t kind = (size_t)row[OPEVO_LOOP_KIND];

    memset(out, 0, width * sizeof *out);
    out[kind < OPEVO_LOOP_KIND_COUNT ? kind : 0] = 1;
    for (size_t i = OPEVO_LOOP_KIND_COUNT; i < width; i++)
        out[i] = (opevo_i_real)(SCALE * row[OPEVO_LOOP_EXTENT + i - OPEVO_LOOP_KIND_COUNT]);
}

static bool reserve(opevo_i_tree_gru_forest *self, size_t nodes)
{
    size_t capacity = self->node_capacity;

    if (nodes <= capacity)
        return true;
    capacity = nodes > 2 * capacity ? nodes : 2 * capacity;
    opevo_i_tree_gru_forest_release(self);
    self->width = opevo_i_tree_gru_inputs(self->by_context);
    self->begin = opevo_malloc(OPEVO_LOOP_TREE_ROWS + 1, sizeof *self->begin);
    self->parent = opevo_malloc(capacity, sizeof *self->parent);
    self->tree = opevo_malloc(capacity, sizeof *self->tree);
    self->name = opevo_malloc(capacity, sizeof *self->name);
    self->height = opevo_malloc(capacity, sizeof *self->height);
    self->place = opevo_malloc(capacity, sizeof *self->place);
    self->inputs = opevo_malloc(capacity, self->width * sizeof *self->inputs);
    if (!self->begin || !self->parent || !self->tree || !self->name || !self->height ||
        !self->place || !self->inputs) {
        opevo_i_tree_gru_forest_release(self);
        return false;
    }
    self->node_capacity = capacity;
    return true;
}

void opevo_i_tree_gru_forest_release(opevo_i_tree_gru_forest *forest)
{
    bool by_context = forest->by_context;

    opevo_free(forest->begin);
    opevo_free(forest->parent);
    opevo_free(forest->tree);
    opevo_free(forest->name);
    opevo_free(forest->height);
    opevo_free(forest->place);
    opevo_free(forest->inputs);
    *forest = (opevo_i_tree_gru_forest){.by_context = by_context};
}

/* How many rows before this one its parent is; 0 for a root, and where the row's number is not
 * that of one before it in the tree. */
static size_t up_of(const float *row, size_t in_tree)
{
    float up = row[OPEVO_LOOP_PARENT];

    return up >= 1 && up <= (float)in_tree ? (size_t)up : 0;
}

static void find_heights(opevo_i_tree_gru_forest *self, const float *features, const size_t *rows,
                         size_t count)
{
    size_t first = 0;

    memset(self->height, 0, self->nodes * sizeof *self->height);
    for (size_t t = 0; t < count; first += rows[t++]) {
        for (size_t i = rows[t]; i-- > 0;) {
            size_t node = first + i;
            size_t up = up_of(features + node * OPEVO_LOOP_COLUMNS, i);

            if (up && self->height[node] >= self->height[node - up])
                self->height[node - up] = self->height[node] + 1;
        }
    }
}

/* Levels, and the place of each row among them: in a level, in the order of the rows. */
static void sort(opevo_i_tree_gru_forest *self)
{
    size_t *begin = self->begin;

    self->levels = 0;
    memset(begin, 0, (OPEVO_LOOP_TREE_ROWS + 1) * sizeof *begin);
    for (size_t i = 0; i < self->nodes; i++) {
        begin[self->height[i] + 1]++;
        if (self->height[i] + 1 > self->levels)
            self->levels = self->height[i] + 1;
    }
    for (size_t l = 0; l < self->levels; l++)
        begin[l + 1] += begin[l];
    for (size_t i = 0; i < self->nodes; i++)
        self->place[i] = begin[self->height[i]]++;
    for (size_t l = self->levels; l > 0; l--)
        begin[l] = begin[l - 1];
    begin[0] = 0;
}

bool opevo_i_tree_gru_forest_fill(opevo_i_tree_gru_forest *forest, const float *features,
                                  const size_t *rows, size_t count)
{
    opevo_i_tree_gru_forest *self = forest;
    size_t nodes = 0, node = 0;

    for (size_t t = 0; t < count; t++)
        nodes += rows[t];
    if (!reserve(self, nodes))
        return false;
    self->nodes = nodes;
    self->names = 0;
    find_heights(self, features, rows, count);
    sort(self);
    for (size_t t = 0; t < count; t++) {
        for (size_t i = 0; i < rows[t]; i++, node++) {
            const float *row = features + node * OPEVO_LOOP_COLUMNS;
            size_t place = self->place[node];
            size_t up = up_of(row, i);

            self->parent[place] = up ? self->place[node - up] : SIZE_MAX;
            self->tree[place] = t;
            self->name[place] =
                self->by_context ? 0 : (size_t)row[OPEVO_LOOP_NAME] % OPEVO_LOOP_NAMES;
            if (self->name[place] >= self->names)
                self->names = self->name[place] + 1;
            fill_inputs(row, self->width, self->inputs + place * self->width);
        }
    }
    return true;
}
