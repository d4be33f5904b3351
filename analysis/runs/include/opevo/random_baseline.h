/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Random search without replacement on a landscape whose every point is known: what it reaches
 * after M trials is a formula, so as a zero line it has no error bars. A point that fails costs a
 * trial and counts as fitness 0. Beside it the approximate baseline of the community's method. */

#ifndef OPEVO_RANDOM_BASELINE_H
#define OPEVO_RANDOM_BASELINE_H

#include <opevo/api.h>
#include <opevo/objective.h>

OPEVO_BEGIN_C

/* All points of a landscape, by value. */
typedef struct opevo_fitness_table {
    uint64_t points; /* allowed points, N: those that succeed and those that fail */
    uint64_t ok;     /* of them, with a fitness above 0 */
    double *fitness; /* `ok` values, descending */
    /* Seconds that evaluating a point costs: mean over all points, over the successful ones and
     * over the others (0 if none exists), and median over all. 0 if unknown. */
    double mean_cost_s, mean_cost_ok_s, mean_cost_failed_s, median_cost_s;
} opevo_fitness_table;

/* Evaluate every allowed point on `threads` threads (0: all processors). The table does not depend
 * on the threads. Errors: LIMIT for a space of more than `limit` points, the excluded ones counted
 * in; what the objective reports; NOMEM. Memory: 12 bytes a point of the space at first, then 8
 * bytes an ok point. */
OPEVO_API opevo_status opevo_fitness_table_of(opevo_objective *objective, opevo_index limit,
                                              unsigned threads, opevo_fitness_table *out,
                                              opevo_error *err);
/* From arrays: `fitness` of all points, 0 for those that fail; `cost_s` of each, or NULL. Both are
 * copied. Errors: INVALID without points or for a number that is negative or not finite; NOMEM. */
OPEVO_API opevo_status opevo_fitness_table_create(const double *fitness, const double *cost_s,
                                                  size_t points, opevo_fitness_table *out,
                                                  opevo_error *err);
OPEVO_API void opevo_fitness_table_free(opevo_fitness_table *table);

/* What is expected after M trials. The k-th best of N points is the best of M drawn without
 * replacement with probability
 *
 *     w_k = C(N - k, M - 1) / C(N, M),    w_1 = M / N,   w_(k+1) = w_k (1 - (M - 1) / (N - k)),
 *
 * and E[g(best)] = sum_k g(f_k) w_k, exact up to rounding (a relative error below 1e-12 for a
 * million points). */
typedef struct opevo_random_expectation {
    double fitness, sd; /* mean and standard deviation of the best fitness */
    /* Mean of 1 / (best fitness), which is proportional to the time of the best kernel; where every
     * trial failed the worst fitness above 0 replaces the missing one. */
    double inverse;
} opevo_random_expectation;
/* For `count` numbers of trials, each at least 1 (beyond N as N). A table without ok points gives
 * 0, 0 and INFINITY. Errors: NOMEM. Cost: min(ok, 45 N / M) multiplications for each M. */
OPEVO_API opevo_status opevo_random_expect(const opevo_fitness_table *table, const uint64_t *trials,
                                           size_t count, unsigned threads,
                                           opevo_random_expectation *out, opevo_error *err);

/* How many points have at least this fitness. */
OPEVO_API uint64_t opevo_fitness_table_reaching(const opevo_fitness_table *table, double fitness);
/* P(one of K given points among N is drawn within M trials) = 1 - C(N-K, M) / C(N, M). Cost:
 * O(min(K, M)). */
OPEVO_API double opevo_random_hit(uint64_t points, uint64_t good, uint64_t trials);
/* Expected trials to the first of K given points, (N + 1) / (K + 1); INFINITY for K = 0. */
OPEVO_API double opevo_random_trials_to(uint64_t points, uint64_t good);

/* The same as runs are counted: of the first min(T, budget) trials of random search, T the first to
 * hit one of K points, the expectation divided by P(T <= budget); and the mean over the trials 1 to
 * `budget`, on a logarithmic axis, of P(T <= trials): the area under its ECDF, in [0, 1]. INFINITY
 * and 0 for K = 0. Cost: O(budget), at most O(N). */
typedef struct opevo_random_run_time {
    double ert, area;
} opevo_random_run_time;
OPEVO_API opevo_random_run_time opevo_random_run_time_of(uint64_t points, uint64_t good,
                                                         uint64_t budget);

/* ---- The community's method ----
 *
 * Willemsen, Schoonhoven, Filipovic, Tornede, van Nieuwpoort, van Werkhoven, "A methodology for
 * comparing optimization algorithms for auto-tuning", FGCS 159 (2024): minimises the time f, here 1
 * / fitness, over the n ok points; a failure is not a value. */

/* Baseline after M trials: of the n times sorted worst first, the one at rank (from 0)
 * min(n - 1, round(M (n + 1) / (M + 1))), halves to even: the time at the expected best rank, not
 * the expected time. Their smoothing of its steps by a cubic is left out. INFINITY without ok
 * points. */
OPEVO_API double opevo_community_baseline(const opevo_fitness_table *table, uint64_t trials);
/* Trials that the baseline needs to f_opt + (median - f_opt) (1 - p), 0 < p <= 1: with i the first
 * place, worst first, that is as good (one less where that is the optimum and p < 1),
 * ceil(i / (n + 1 - i)); at least 1. 0 without ok points. */
OPEVO_API uint64_t opevo_community_trials(const opevo_fitness_table *table, double p);
/* Seconds that the method reckons for a trial: the mean over the ok points plus the share of the
 * failing ones times their mean. */
OPEVO_API double opevo_community_cost_s(const opevo_fitness_table *table);

OPEVO_END_C

#endif
