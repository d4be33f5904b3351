/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Labels stay while predictions change, so the rows are sorted by label once: begin[row] is where
 * the rows of its label begin. In each round the rows, sorted by prediction, are dealt out to the
 * places of their labels, which sorts them by label and then by prediction. */

#include "rank_pairs_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { GENERATOR_MODULUS = 2147483647, GENERATOR_FACTOR = 48271, SEED_FACTOR = 1111 };

typedef struct entry {
    float key;
    uint32_t row;
} entry;

struct opevo_i_tvm_rank_pairs {
    size_t count;
    entry *sorted;   /* scratch: rows by a key */
    uint32_t *begin; /* for each row: rows with a larger label */
    uint32_t *next;  /* for each place where a label begins: its next free place */
    uint32_t *rows;  /* by label, then by prediction */
};

/* Larger keys first, and of equal ones the earlier row. */
static int compare(const void *left, const void *right)
{
    const entry *a = left, *b = right;

    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static void sort_by(opevo_i_tvm_rank_pairs *self, const float *keys)
{
    for (size_t i = 0; i < self->count; i++)
        self->sorted[i] = (entry){.key = keys[i], .row = (uint32_t)i};
    qsort(self->sorted, self->count, sizeof *self->sorted, compare);
}

opevo_i_tvm_rank_pairs *opevo_i_tvm_rank_pairs_create(const float *labels, size_t count)
{
    opevo_i_tvm_rank_pairs *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->count = count;
    self->sorted = opevo_malloc(count, sizeof *self->sorted);
    self->begin = opevo_malloc(count, sizeof *self->begin);
    self->next = opevo_malloc(count, sizeof *self->next);
    self->rows = opevo_malloc(count, sizeof *self->rows);
    if (!self->sorted || !self->begin || !self->next || !self->rows) {
        opevo_i_tvm_rank_pairs_destroy(self);
        return NULL;
    }
    sort_by(self, labels);
    for (size_t i = 0; i < count; i++) {
        const entry *at = self->sorted + i;

        self->begin[at->row] =
            i > 0 && at[-1].key == at->key ? self->begin[at[-1].row] : (uint32_t)i;
    }
    return self;
}

void opevo_i_tvm_rank_pairs_destroy(opevo_i_tvm_rank_pairs *pairs)
{
    if (!pairs)
        return;
    opevo_free(pairs->sorted);
    opevo_free(pairs->begin);
    opevo_free(pairs->next);
    opevo_free(pairs->rows);
    opevo_free(pairs);
}

/* ---- Drawing ---- */

/* As std::minstd_rand is seeded: never with 0. */
static uint32_t seeded(unsigned round)
{
    uint32_t seed = (uint32_t)((round + UINT64_C(1)) * SEED_FACTOR % GENERATOR_MODULUS);

    return seed ? seed : 1;
}

/* Uniform below `bound`, from 1 to 2^31 - 3, as libstdc++ draws it from numbers of
 * 1 to 2^31 - 2. */
static uint32_t draw_below(uint32_t *state, uint32_t bound)
{
    uint32_t width = (GENERATOR_MODULUS - 2) / bound;
    uint32_t drawn = 0;

    do {
        *state = (uint32_t)(UINT64_C(1) * *state * GENERATOR_FACTOR % GENERATOR_MODULUS);
        drawn = *state - 1;
    } while (drawn >= width * bound);
    return drawn / width;
}

/* ---- Gradients ---- */

static void add_pair(const float *predictions, uint32_t better, uint32_t worse, float *first,
                     float *second)
{
    float p = 1.0F / (1.0F + expf(predictions[worse] - predictions[better]));
    float gradient = p - 1.0F;
    float curvature = 2.0F * fmaxf(p * (1.0F - p), 1e-16F);

    first[better] += gradient;
    first[worse] -= gradient;
    second[better] += curvature;
    second[worse] += curvature;
}

static void sort_rows(opevo_i_tvm_rank_pairs *self, const float *predictions)
{
    sort_by(self, predictions);
    for (size_t i = 0; i < self->count; i++)
        self->next[self->begin[i]] = self->begin[i];
    for (size_t i = 0; i < self->count; i++) {
        uint32_t row = self->sorted[i].row;

        self->rows[self->next[self->begin[row]]++] = row;
    }
}

void opevo_i_tvm_rank_pairs_gradients(opevo_i_tvm_rank_pairs *pairs, unsigned round,
                                      const float *predictions, float *first, float *second)
{
    uint32_t count = (uint32_t)pairs->count;
    const uint32_t *rows = pairs->rows;
    uint32_t state = seeded(round);

    sort_rows(pairs, predictions);
    for (size_t i = 0; i < count; i++)
        first[i] = second[i] = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t begin = pairs->begin[rows[i]];
        uint32_t end = pairs->next[begin]; /* behind the rows of the same label */
        uint32_t partner = 0;

        if (end - begin == count)
            return;
        partner = draw_below(&state, count - (end - begin));
        if (partner < begin)
            add_pair(predictions, rows[partner], rows[i], first, second);
        else
            add_pair(predictions, rows[i], rows[partner + end - begin], first, second);
    }
}
