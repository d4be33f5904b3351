/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Configurations of several searches, measured on each other's workloads as far as a certificate
 * needs it.
 *
 * Each search has measured its configurations on its own workload only, so that nothing is known of
 * a portfolio but bounds: no K configurations have less regret than `floor`, which takes what was
 * not measured for perfect, and those that are chosen have at most `value`, which takes it for
 * useless. A step measures one configuration of the set behind `floor` on the workload where most
 * depends on it: either the set keeps its promise, and `value` falls, or `floor` rises. When both
 * are equal, nothing else that could be measured would change what is chosen; this leaves out every
 * configuration whose regret on its own workload is above `value`.
 *
 * On another workload a configuration is the same text where its space has it, and otherwise
 * carried over: nearest values, inner lengths of a factorisation kept, the first one what is left
 * (opevo/nearest.h). Without a counterpart it cannot be used there: regret 1. */

#ifndef OPEVO_PORTFOLIO_CROSSING_H
#define OPEVO_PORTFOLIO_CROSSING_H

#include <opevo/portfolio.h>
#include <opevo/run.h>

OPEVO_BEGIN_C

/* The point of `to` that a point of another space is there. *found is false without a counterpart.
 * Errors: NOMEM. */
opevo_status opevo_portfolio_carry(const opevo_space *from, opevo_index point,
                                   const opevo_space *to, bool *found, opevo_index *out,
                                   opevo_error *err);

typedef struct opevo_crossing opevo_crossing;

typedef enum opevo_crossing_end {
    OPEVO_CROSSING_OPEN,    /* not over */
    OPEVO_CROSSING_CLOSED,  /* value and floor are equal */
    OPEVO_CROSSING_TRIALS,  /* of the budget */
    OPEVO_CROSSING_SECONDS, /* likewise */
    OPEVO_CROSSING_LIMIT,   /* a proof was given up after its steps */
    OPEVO_CROSSING_INTERRUPTED
} opevo_crossing_end;
/* "open", "closed", "trials", "seconds", "limit", "interrupted". */
const char *opevo_crossing_end_name(opevo_crossing_end end);

/* How often a proof looks at a branch: enough for 10^4 configurations of 10 workloads. */
#define OPEVO_CROSSING_STEPS UINT64_C(2000000)

typedef struct opevo_crossing_state {
    opevo_crossing_end end;
    uint64_t trials, resumed, failed;
    double cost_s;
    opevo_portfolio portfolio; /* of the matrix, which it is freed with */
    opevo_portfolio_matrix matrix;
} opevo_crossing_state;

/* `weights` of the options, which must outlive it, are of the workloads in the order they are
 * added; `seconds` does not count, as what is measured must not depend on a clock. Errors: INVALID
 * for options outside their domain; NOMEM. */
opevo_status opevo_crossing_create(const opevo_portfolio_options *options, opevo_crossing **out,
                                   opevo_error *err);
void opevo_crossing_destroy(opevo_crossing *self);

/* Add a workload, before the first trial is noted. The objective must outlive it. `run` as for the
 * search: seed, requirements, threads, store, note and interrupt count; what is measured here is a
 * run of its own (opevo/listed.h). Errors: those of opevo_listed_create. */
opevo_status opevo_crossing_add(opevo_crossing *self, opevo_objective *objective,
                                const opevo_run_options *run, opevo_error *err);
/* Note a trial of the search of a workload. Errors: NOMEM. */
opevo_status opevo_crossing_note(opevo_crossing *self, size_t workload, const opevo_trial *trial,
                                 opevo_error *err);
/* How many trials it may make in all, and what they may cost in seconds; 0: any. It goes on
 * after any end but an interrupt. */
void opevo_crossing_allow(opevo_crossing *self, uint64_t trials, double seconds);
/* Measure a configuration, or say why not. What the store has is not measured again; if it has
 * something else than what is to be measured next, a step takes all of that instead. Errors: those
 * of opevo_listed_evaluate and opevo_portfolio_find; INVALID where nothing succeeded of a
 * workload. */
opevo_status opevo_crossing_step(opevo_crossing *self, opevo_crossing_end *end, opevo_error *err);
/* Borrowed until the next step. */
const opevo_crossing_state *opevo_crossing_state_of(const opevo_crossing *self);

/* The text of a configuration, which is that of the workload it was found on. */
const char *opevo_crossing_text(const opevo_crossing *self, size_t configuration);
/* What it is on a workload; false without a counterpart. Hook of tests. */
bool opevo_crossing_point(const opevo_crossing *self, size_t configuration, size_t workload,
                          opevo_index *point);
/* What was measured there, a mean of successes; 0: it failed, NAN: not measured. */
double opevo_crossing_fitness(const opevo_crossing *self, size_t configuration, size_t workload);

OPEVO_END_C

#endif
