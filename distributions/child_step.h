/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One child while its law is computed: what the rules for duplicates share. */

#ifndef OPEVO_CHILD_STEP_H
#define OPEVO_CHILD_STEP_H

#include "child_kernel.h"

typedef struct opevo_i_law_child {
    opevo_i_law_kernel kernel;
    const bool *taken;
    size_t point_count;
    double *origin; /* law of the child after recombination */
    double *landed; /* and after one mutation */
    bool *escapes;  /* by region: it holds a point of T */
    double *row;    /* scratch: one row of the kernel */
    /* Of one recombined child, by the rule; 1-norm errors gather on the way. */
    long double *sums; /* the law on T, before rounding */
    long double lost;  /* probability that no point of T came */
    double off;
} opevo_i_law_child;

/* No point of T can be reached from here. */
static inline bool opevo_i_law_child_is_lost(const opevo_i_law_child *self, size_t point)
{
    return !self->escapes[opevo_i_law_kernel_region(&self->kernel, point)];
}

/* Of trials that succeed with probability p each, up to the first success and at most `most` of
 * them, 0 for any number: how many are made on average, (1 - (1 - p)^most) / p, and the probability
 * that none succeeds, (1 - p)^most. Exact for small p, too; p = 0 takes INFINITY
 * without a limit. */
long double opevo_i_law_trials(long double p, unsigned most);
long double opevo_i_law_no_success(long double p, unsigned most);

/* `continue` from the law `landed`, without a limit. Errors: TOLERANCE, NOMEM. */
opevo_status opevo_i_law_continue(opevo_i_law_child *self, opevo_error *err);
/* `continue` from the law `origin`, for at most `most` mutations. Errors: NOMEM. */
opevo_status opevo_i_law_continue_within(opevo_i_law_child *self, unsigned most, opevo_error *err);

/* The same of `mass`, a number for each point, which is in S, as one: whether that is faster, and
 * how (child_chebyshev.c). Errors: NOMEM. */
bool opevo_i_law_leap_pays(const opevo_i_law_child *self, unsigned steps);
opevo_status opevo_i_law_leap(opevo_i_law_child *self, const long double *mass, unsigned steps,
                              opevo_error *err);

#endif
