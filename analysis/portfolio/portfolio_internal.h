/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the two searches share. */

#ifndef OPEVO_PORTFOLIO_INTERNAL_H
#define OPEVO_PORTFOLIO_INTERNAL_H

#include <opevo/portfolio.h>

/* Values are compared up to this. */
#define OPEVO_I_PORTFOLIO_CLOSE 1e-12

/* A search for `most` columns of a matrix without gaps. */
typedef struct opevo_i_portfolio_search {
    const double *regret; /* [w * columns + c] */
    size_t workloads, columns, most;
    const double *weights;            /* sum 1 */
    double seconds;                   /* that it may take; 0: any */
    double until_s;                   /* on the monotonic clock; INFINITY: without end */
    const opevo_interrupt *interrupt; /* may be NULL */
    uint64_t steps, steps_most;       /* steps_most 0: any */
    bool is_over;                     /* time is up */
    /* The best so far, and what no other can be below. */
    size_t *chosen;
    size_t count;
    double value, bound;
} opevo_i_portfolio_search;

/* Whether time is up; looks at the clock now and then. */
bool opevo_i_portfolio_is_over(opevo_i_portfolio_search *self);
/* From the columns in `chosen`, `count` and `value`, which are a greedy choice, to the best.
 * Errors: NOMEM. */
opevo_status opevo_i_portfolio_mean(opevo_i_portfolio_search *self, opevo_error *err);
/* The mean of few workloads without a search; *done is false where time was up, and nothing is
 * changed then. Errors: NOMEM. Cost: 2^workloads columns + 3^workloads most. */
bool opevo_i_portfolio_is_of_few(const opevo_i_portfolio_search *search);
opevo_status opevo_i_portfolio_mean_of_few(opevo_i_portfolio_search *self, bool *done,
                                           opevo_error *err);
/* A bound of the mean of any `most` columns (portfolio_dual.c). Errors: NOMEM. */
opevo_status opevo_i_portfolio_dual(opevo_i_portfolio_search *self, double *bound,
                                    opevo_error *err);
opevo_status opevo_i_portfolio_worst(opevo_i_portfolio_search *self, opevo_error *err);

#endif
