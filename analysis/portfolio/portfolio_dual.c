/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A bound of the mean regret of any K configurations, from prices u of the workloads:
 *
 *     sum_w u_w + the sum of the K least values over configurations c of
 *                 sum_w min(0, weight_w regret_wc - u_w)
 *
 * is below it whatever the prices: the configuration c that serves a workload costs weight regret
 * >= u_w + min(0, weight regret - u_w), and one that serves none adds at most 0. Good prices are
 * found by steps along the subgradient, 1 - the number of the K configurations below the price of a
 * workload. This is the Lagrangian relaxation of the p-median problem. Source: G. Cornuejols, M. L.
 * Fisher, G. L. Nemhauser, "Location of bank accounts to optimize float", Management Science 23
 * (1977). */

#include "portfolio_internal.h"

#include <opevo/memory.h>

#include <math.h>

enum { STEPS = 400, PATIENCE = 12 };
#define SMALLEST_STEP 1e-4

typedef struct pricing {
    const opevo_i_portfolio_search *search;
    double *price;    /* of each workload */
    double *gain;     /* of each configuration, at most 0 */
    size_t *cheapest; /* `most` configurations of least gain */
    double *slope;    /* of each workload */
} pricing;

static double cost_of(const opevo_i_portfolio_search *search, size_t w, size_t column)
{
    return search->weights[w] * search->regret[w * search->columns + column];
}

static void sum_gains(pricing *self)
{
    const opevo_i_portfolio_search *search = self->search;

    for (size_t c = 0; c < search->columns; c++)
        self->gain[c] = 0;
    for (size_t w = 0; w < search->workloads; w++)
        for (size_t c = 0; c < search->columns; c++)
            self->gain[c] += fmin(0, cost_of(search, w, c) - self->price[w]);
}

/* The `most` configurations of least gain, in its order, by insertion. */
static void find_cheapest(pricing *self)
{
    const opevo_i_portfolio_search *search = self->search;
    size_t count = 0;

    for (size_t c = 0; c < search->columns; c++) {
        size_t at = count < search->most ? count++ : search->most;

        if (at == search->most && self->gain[c] >= self->gain[self->cheapest[at - 1]])
            continue;
        at -= at == search->most;
        for (; at > 0 && self->gain[self->cheapest[at - 1]] > self->gain[c]; at--)
            self->cheapest[at] = self->cheapest[at - 1];
        self->cheapest[at] = c;
    }
}

/* The bound at these prices; the slope of it, and its square. */
static double price_out(pricing *self, double *square)
{
    const opevo_i_portfolio_search *search = self->search;
    double bound = 0;

    sum_gains(self);
    find_cheapest(self);
    *square = 0;
    for (size_t k = 0; k < search->most; k++)
        bound += self->gain[self->cheapest[k]];
    for (size_t w = 0; w < search->workloads; w++) {
        bound += self->price[w];
        self->slope[w] = 1;
        for (size_t k = 0; k < search->most; k++)
            self->slope[w] -= cost_of(search, w, self->cheapest[k]) < self->price[w];
        *square += self->slope[w] * self->slope[w];
    }
    return bound;
}

/* What the chosen ones pay: with few of them too many. */
static void start(pricing *self)
{
    const opevo_i_portfolio_search *search = self->search;

    for (size_t w = 0; w < search->workloads; w++) {
        self->price[w] = search->weights[w];
        for (size_t k = 0; k < search->count; k++)
            self->price[w] = fmin(self->price[w], cost_of(search, w, search->chosen[k]));
    }
}

static double climb(pricing *self, opevo_i_portfolio_search *search)
{
    double best = 0, length = 2;

    for (int step = 0, stalled = 0; step < STEPS && length > SMALLEST_STEP; step++) {
        double square = 0, bound = price_out(self, &square);

        stalled = bound > best ? 0 : stalled + 1;
        best = fmax(best, bound);
        if (square == 0 || best >= search->value || opevo_i_portfolio_is_over(search))
            break;
        if (stalled == PATIENCE) {
            length /= 2;
            stalled = 0;
        }
        for (size_t w = 0; w < search->workloads; w++)
            self->price[w] += length * (search->value - bound) / square * self->slope[w];
    }
    return best;
}

opevo_status opevo_i_portfolio_dual(opevo_i_portfolio_search *search, double *bound,
                                    opevo_error *err)
{
    pricing self = {.search = search,
                    .price = opevo_malloc(search->workloads, sizeof *self.price),
                    .gain = opevo_malloc(search->columns, sizeof *self.gain),
                    .cheapest = opevo_calloc(search->most, sizeof *self.cheapest),
                    .slope = opevo_malloc(search->workloads, sizeof *self.slope)};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED(self.price && self.gain && self.cheapest && self.slope,
               "portfolios of %zu configurations", search->columns);
    start(&self);
    /* Sums of many numbers, rounded. */
    *bound = climb(&self, search) - OPEVO_I_PORTFOLIO_CLOSE / 2;
cleanup:
    opevo_free(self.price);
    opevo_free(self.gain);
    opevo_free(self.cheapest);
    opevo_free(self.slope);
    return status;
}
