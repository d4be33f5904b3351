/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The least mean regret: of few workloads by their subsets, otherwise by branch and bound, a
 * configuration after the other, in the order of what each alone would gain, and no branch whose
 * largest gains together are too small. What is not searched is bounded by prices of workloads. */

#include "portfolio_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct candidate {
    size_t column;
    double gain;
} candidate;

typedef struct branching {
    opevo_i_portfolio_search *search;
    size_t *path;          /* columns of the branch */
    double *regret;        /* of each workload, `workloads` for each depth */
    candidate *candidates; /* `columns` for each depth */
    double open;           /* the least bound of what was not searched */
} branching;

static int by_gain(const void *a, const void *b)
{
    const candidate *x = a, *y = b;

    if (x->gain != y->gain)
        return x->gain < y->gain ? 1 : -1;
    return (x->column > y->column) - (x->column < y->column);
}

static double gain_of(const opevo_i_portfolio_search *search, const double *regret, size_t column)
{
    double gain = 0;

    for (size_t w = 0; w < search->workloads; w++) {
        double own = search->regret[w * search->columns + column];

        gain += own < regret[w] ? search->weights[w] * (regret[w] - own) : 0;
    }
    return gain;
}

static void take(branching *self, size_t count, double value)
{
    opevo_i_portfolio_search *search = self->search;

    if (value >= search->value - OPEVO_I_PORTFOLIO_CLOSE)
        return;
    search->value = value;
    search->count = count;
    memcpy(search->chosen, self->path, count * sizeof *self->path);
}

/* Sum of the gains of the next `most` candidates from `first` on. */
static double sum_gains(const candidate *candidates, size_t count, size_t first, size_t most)
{
    double sum = 0;

    for (size_t i = first; i < count && i < first + most; i++)
        sum += candidates[i].gain;
    return sum;
}

/* What the branch has with its columns and all candidates: a bound as well. */
static double value_with_all(const branching *self, const double *regret,
                             const candidate *candidates, size_t count)
{
    const opevo_i_portfolio_search *search = self->search;
    double sum = 0;

    for (size_t w = 0; w < search->workloads; w++) {
        double least = regret[w];

        for (size_t i = 0; i < count; i++)
            least = fmin(least, search->regret[w * search->columns + candidates[i].column]);
        sum += search->weights[w] * least;
    }
    return sum;
}

/* The gains of the candidates, those without one left out, the greatest first. */
static size_t rank(const branching *self, const double *regret, candidate *candidates, size_t count)
{
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        candidate one = {candidates[i].column, gain_of(self->search, regret, candidates[i].column)};

        if (one.gain > 0)
            candidates[kept++] = one;
    }
    qsort(candidates, kept, sizeof *candidates, by_gain);
    return kept;
}

/* The branch has `depth` columns, and `count` candidates for the next. */
static void branch(branching *self, size_t depth, double value, size_t count)
{
    opevo_i_portfolio_search *search = self->search;
    const double *regret = self->regret + depth * search->workloads;
    double *next = self->regret + (depth + 1) * search->workloads;
    candidate *candidates = self->candidates + depth * search->columns;
    size_t left = search->most - depth;

    take(self, depth, value);
    if (left == 0)
        return;
    count = rank(self, regret, candidates, count);
    if (left > 1 &&
        value_with_all(self, regret, candidates, count) >= search->value - OPEVO_I_PORTFOLIO_CLOSE)
        return;
    for (size_t i = 0; i < count; i++) {
        double bound = value - sum_gains(candidates, count, i, left);

        if (bound >= search->value - OPEVO_I_PORTFOLIO_CLOSE)
            return; /* so are those after it */
        if (opevo_i_portfolio_is_over(search)) {
            self->open = fmin(self->open, bound);
            return;
        }
        self->path[depth] = candidates[i].column;
        for (size_t w = 0; w < search->workloads; w++)
            next[w] = fmin(regret[w], search->regret[w * search->columns + candidates[i].column]);
        if (left > 1)
            memcpy(candidates + search->columns, candidates + i + 1,
                   (count - i - 1) * sizeof *candidates);
        branch(self, depth + 1, value - candidates[i].gain, left > 1 ? count - i - 1 : 0);
    }
}

/* Search, with a bound of everything from the prices. */
static opevo_status branch_from_root(opevo_i_portfolio_search *search, opevo_error *err)
{
    size_t levels = search->most + 1;
    branching self = {.search = search,
                      .path = opevo_malloc(levels, sizeof *self.path),
                      .regret = opevo_malloc(levels, search->workloads * sizeof *self.regret),
                      .candidates = opevo_malloc(levels, search->columns * sizeof *self.candidates),
                      .open = INFINITY};
    double least = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(self.path && self.regret && self.candidates, "portfolios of %zu configurations",
               search->columns);
    OPEVO_TRY(opevo_i_portfolio_dual(search, &least, err));
    for (size_t w = 0; w < search->workloads; w++)
        self.regret[w] = 1;
    for (size_t c = 0; c < search->columns; c++)
        self.candidates[c].column = c;
    if (least < search->value - OPEVO_I_PORTFOLIO_CLOSE)
        branch(&self, 0, 1, search->columns);
    search->bound = fmax(0, fmin(search->value, fmax(least, self.open)));
cleanup:
    opevo_free(self.path);
    opevo_free(self.regret);
    opevo_free(self.candidates);
    return status;
}

opevo_status opevo_i_portfolio_mean(opevo_i_portfolio_search *search, opevo_error *err)
{
    bool done = false;
    opevo_status status = OPEVO_OK;

    if (opevo_i_portfolio_is_of_few(search))
        status = opevo_i_portfolio_mean_of_few(search, &done, err);
    return status != OPEVO_OK || done ? status : branch_from_root(search, err);
}
