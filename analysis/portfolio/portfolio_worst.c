/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The least largest regret: the smallest threshold under which a few configurations cover all
 * workloads, each of them those where its regret is within the threshold. */

#include "portfolio_internal.h"

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>

#include <gsl/gsl_sort.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A configuration, with the workloads that it covers as bits. */
typedef struct cover {
    const uint64_t *bits;
    size_t column, size;
} cover;

typedef struct covering {
    opevo_i_portfolio_search *search;
    size_t words;
    uint64_t *bits; /* of all columns */
    cover *covers;  /* those that are part of no other */
    size_t count;
    uint64_t *left; /* workloads that are not covered, at each depth */
    size_t *path;
} covering;

static size_t count_bits(const uint64_t *bits, size_t words)
{
    size_t count = 0;

    for (size_t i = 0; i < words; i++)
        count += (size_t)__builtin_popcountll(bits[i]);
    return count;
}

static bool is_part(const uint64_t *part, const uint64_t *of, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        if (part[i] & ~of[i])
            return false;
    }
    return true;
}

static int by_size(const void *a, const void *b)
{
    const cover *x = a, *y = b;

    if (x->size != y->size)
        return x->size < y->size ? 1 : -1;
    return (x->column > y->column) - (x->column < y->column);
}

/* The covers at a threshold; one that another one has all of is of no use. Unfinished when time is
 * up. */
static void make_covers(covering *self, double threshold)
{
    const opevo_i_portfolio_search *search = self->search;
    size_t kept = 0;

    memset(self->bits, 0, search->columns * self->words * sizeof *self->bits);
    for (size_t c = 0; c < search->columns; c++) {
        uint64_t *bits = self->bits + c * self->words;

        for (size_t w = 0; w < search->workloads; w++)
            bits[w / 64] |= (uint64_t)(search->regret[w * search->columns + c] <= threshold)
                            << (w % 64);
        self->covers[c] = (cover){bits, c, count_bits(bits, self->words)};
    }
    qsort(self->covers, search->columns, sizeof *self->covers, by_size);
    for (size_t c = 0; c < search->columns && !opevo_i_portfolio_is_over(self->search); c++) {
        bool used = self->covers[c].size > 0;

        for (size_t k = 0; k < kept && used; k++)
            used = !is_part(self->covers[c].bits, self->covers[k].bits, self->words);
        if (used)
            self->covers[kept++] = self->covers[c];
    }
    self->count = kept;
}

static bool has(const uint64_t *bits, size_t w)
{
    return bits[w / 64] >> (w % 64) & 1;
}

/* The workload that is left and that the fewest covers have. */
static size_t find_rarest(const covering *self, const uint64_t *left)
{
    size_t rarest = 0, least = SIZE_MAX;

    for (size_t w = 0; w < self->search->workloads; w++) {
        size_t count = 0;

        if (!has(left, w))
            continue;
        for (size_t i = 0; i < self->count && count < least; i++)
            count += has(self->covers[i].bits, w);
        if (count < least) {
            least = count;
            rarest = w;
        }
    }
    return rarest;
}

/* Whether `most` more covers can have what is left, by how much the largest has of it. */
static bool may_cover(const covering *self, const uint64_t *left, size_t count, size_t most)
{
    size_t largest = 0;

    for (size_t i = 0; i < self->count && largest < self->covers[i].size; i++) {
        size_t common = 0;

        for (size_t k = 0; k < self->words; k++)
            common += (size_t)__builtin_popcountll(left[k] & self->covers[i].bits[k]);
        largest = common > largest ? common : largest;
    }
    return most * largest >= count;
}

static bool cover_left(covering *self, size_t depth)
{
    const uint64_t *left = self->left + depth * self->words;
    uint64_t *next = self->left + (depth + 1) * self->words;
    size_t count = count_bits(left, self->words), rarest = 0;

    if (count == 0) {
        self->search->count = depth;
        memcpy(self->search->chosen, self->path, depth * sizeof *self->path);
        return true;
    }
    if (depth == self->search->most || opevo_i_portfolio_is_over(self->search) ||
        !may_cover(self, left, count, self->search->most - depth))
        return false;
    rarest = find_rarest(self, left);
    for (size_t i = 0; i < self->count; i++) {
        if (!has(self->covers[i].bits, rarest))
            continue;
        self->path[depth] = self->covers[i].column;
        for (size_t k = 0; k < self->words; k++)
            next[k] = left[k] & ~self->covers[i].bits[k];
        if (cover_left(self, depth + 1))
            return true;
    }
    return false;
}

static bool covers_all(covering *self, double threshold)
{
    make_covers(self, threshold);
    if (self->search->is_over)
        return false;
    memset(self->left, 0, self->words * sizeof *self->left);
    for (size_t w = 0; w < self->search->workloads; w++)
        self->left[w / 64] |= UINT64_C(1) << (w % 64);
    return cover_left(self, 0);
}

/* The regrets that can be the largest, ascending, each once. */
static size_t list_values(const opevo_i_portfolio_search *search, double *values)
{
    size_t count = search->workloads * search->columns, kept = 0;

    memcpy(values, search->regret, count * sizeof *values);
    gsl_sort(values, 1, count);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || values[i] > values[kept - 1])
            values[kept++] = values[i];
    }
    return kept;
}

/* Below values[low] no so many columns cover all; with values[high] some do. */
static void halve(covering *self, const double *values, size_t count)
{
    opevo_i_portfolio_search *search = self->search;
    size_t low = 0, high = 0;

    while (high + 1 < count && values[high] < search->value)
        high++;
    while (low < high && !search->is_over) {
        size_t middle = low + (high - low) / 2;

        if (covers_all(self, values[middle]))
            high = middle;
        else if (!search->is_over)
            low = middle + 1;
    }
    search->value = fmin(search->value, values[high]);
    search->bound = fmin(values[low], search->value);
}

opevo_status opevo_i_portfolio_worst(opevo_i_portfolio_search *search, opevo_error *err)
{
    size_t words = (search->workloads + 63) / 64, levels = search->most + 2;
    covering self = {.search = search,
                     .words = words,
                     .bits = opevo_malloc(search->columns, words * sizeof *self.bits),
                     .covers = opevo_malloc(search->columns, sizeof *self.covers),
                     .left = opevo_malloc(levels, words * sizeof *self.left),
                     .path = opevo_malloc(levels, sizeof *self.path)};
    double *values = opevo_malloc(search->workloads, search->columns * sizeof *values);
    opevo_status status = OPEVO_OK;

    if (self.bits && self.covers && self.left && self.path && values)
        halve(&self, values, list_values(search, values));
    else
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for portfolios of %zu configurations.",
                            search->columns);
    opevo_free(self.bits);
    opevo_free(self.covers);
    opevo_free(self.left);
    opevo_free(self.path);
    opevo_free(values);
    return status;
}
