/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A few configurations for many workloads: which ones, how much they lose, and a proof that no
 * others lose less; which of them a workload gets, by a decision tree on its numbers. */

#ifndef OPEVO_PORTFOLIO_H
#define OPEVO_PORTFOLIO_H

#include <opevo/api.h>
#include <opevo/interrupt.h>
#include <opevo/status.h>
#include <opevo/text.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

OPEVO_BEGIN_C

/* ---- What was measured; borrowed as long as it is used ---- */

/* regret[w * configurations + c] is 1 - fitness / (best measured fitness of the workload), in
 * [0, 1], 1 for a failure; NAN for what was not measured, which may be anything in [0, 1]. */
typedef struct opevo_portfolio_matrix {
    const double *regret;
    size_t workloads, configurations;
} opevo_portfolio_matrix;

/* From fitness in the same order: 0 for a failure, NAN for what was not measured. A workload of
 * which nothing succeeded has regret 0 everywhere, measured or not, so that it decides nothing.
 * Release with opevo_free. Errors: INVALID for a fitness below 0 or infinite; NOMEM. */
OPEVO_API opevo_status opevo_portfolio_regret(const double *fitness, size_t workloads,
                                              size_t configurations, double **out,
                                              opevo_error *err);

typedef struct opevo_portfolio_options {
    size_t most;           /* configurations in the portfolio, at least 1 */
    bool worst;            /* minimise the largest regret of a workload; otherwise their mean */
    const double *weights; /* of the workloads in the mean, at least 0, not all 0; NULL: equal */
    double seconds;        /* when to give up the proof; 0: never */
    uint64_t steps;        /* the same in looks at a branch, so that it is reproducible; 0: never */
    const opevo_interrupt *interrupt; /* gives it up as well; may be NULL */
} opevo_portfolio_options;

/* ---- The portfolio ---- */

typedef struct opevo_portfolio {
    size_t *chosen; /* configurations, ascending */
    size_t count;
    /* The regret of the portfolio where each workload gets its best measured configuration: exact.
     * No other so many configurations have less than `bound`: bounded by it, exact if they are
     * equal up to rounding (1e-12). */
    double value, bound;
    bool is_exact;
    /* Whatever the cells are that were not measured, no so many configurations have less; equal to
     * `bound` if all were measured. */
    double floor;
    /* The configurations behind it, ascending: the best found if all that was not measured had
     * regret 0. Those of `chosen` if all was measured. */
    size_t *hopeful;
    size_t hopeful_count;
} opevo_portfolio;

/* The best `most` configurations of the matrix. The worst case is a search for the smallest
 * threshold under which so many sets of workloads cover all (exact cover search, by halving). The
 * mean on up to 13 workloads is that of the best division of the workloads into so many parts; on
 * more it is branch and bound, with the bound of submodular gains:
 *
 *     regret(S + T) >= regret(S) - sum of the largest |T| gains of single configurations,
 *
 * and if it is cut off, the Lagrangian bound of the p-median problem.
 *
 * Errors: INVALID for options outside their domain or an empty matrix; NOMEM. Cost: of the mean on
 * few workloads O(2^workloads configurations + 3^workloads most); otherwise exponential in the
 * worst case, cut off by `seconds` and `steps`. Sources: Nemhauser, Wolsey, Fisher, "An analysis of
 * approximations for maximizing submodular set functions I", Math. Programming 14 (1978);
 * Cornuejols, Fisher, Nemhauser, "Location of bank accounts to optimize float", Management Science
 * 23 (1977). */
OPEVO_API opevo_status opevo_portfolio_find(const opevo_portfolio_matrix *matrix,
                                            const opevo_portfolio_options *options,
                                            opevo_portfolio *out, opevo_error *err);
OPEVO_API void opevo_portfolio_free(opevo_portfolio *portfolio);

/* The smallest measured regret of a workload among some configurations, and which of them has it;
 * 1 and the first if none was measured. */
OPEVO_API double opevo_portfolio_best(const opevo_portfolio_matrix *matrix, size_t workload,
                                      const size_t *chosen, size_t count, size_t *which);
/* The largest or the weighted mean of the regrets of all workloads, one each. */
OPEVO_API double opevo_portfolio_sum(const opevo_portfolio_options *options, const double *regret,
                                     size_t workloads);

/* ---- Which of them ---- */

/* Nodes in one array, the root first. A node sends a workload with numbers[feature] <= threshold to
 * `low` and others to `high`; a leaf (low 0) names a place in `chosen`. */
typedef struct opevo_portfolio_node {
    size_t feature, low, high;
    double threshold;
    size_t place;
} opevo_portfolio_node;

typedef struct opevo_portfolio_tree {
    opevo_portfolio_node *nodes;
    size_t count;
    double value; /* regret of the workloads that it is made from; what was not measured counts 1 */
    bool is_exact; /* no tree of this depth has less */
} opevo_portfolio_tree;

/* The tree of at most `depth` decisions on a path with the least regret, over all trees whose
 * thresholds lie halfway between neighbouring numbers of the workloads. `numbers` has `features`
 * for each workload. Cost: exponential in the depth; O((workloads features)^depth workloads
 * count). Errors: INVALID for a depth above 8 or a number that is not finite; NOMEM. */
OPEVO_API opevo_status opevo_portfolio_tree_make(const opevo_portfolio_matrix *matrix,
                                                 const opevo_portfolio_options *options,
                                                 const size_t *chosen, size_t count,
                                                 const double *numbers, size_t features,
                                                 size_t depth, opevo_portfolio_tree *out,
                                                 opevo_error *err);
OPEVO_API void opevo_portfolio_tree_free(opevo_portfolio_tree *tree);
/* The place in `chosen` that it gives these numbers. */
OPEVO_API size_t opevo_portfolio_tree_choose(const opevo_portfolio_tree *tree,
                                             const double *numbers);

/* What a program is told. */
typedef struct opevo_portfolio_names {
    const char *const *configurations; /* of the matrix */
    const char *const *workloads;
} opevo_portfolio_names;

/* A header for C, C++, CUDA, HIP and OpenCL C: the chosen configurations, which of them a workload
 * that was measured gets (by its number; the measured best), and, with a tree, which of them
 * numbers get. Numbers that are all whole and at most 1e9 in size are `long`, otherwise
 * `double`. */
OPEVO_API void opevo_portfolio_print_c(const opevo_portfolio_matrix *matrix,
                                       const opevo_portfolio *portfolio,
                                       const opevo_portfolio_tree *tree, const double *numbers,
                                       size_t features, const opevo_portfolio_names *names,
                                       opevo_text *out);

/* Whether numbers are `long` there. */
OPEVO_API bool opevo_portfolio_are_whole(const double *numbers, size_t count);

/* ---- What to expect elsewhere ---- */

/* Of each workload, with portfolio and tree made from the others alone: the regret of the best
 * measured of its portfolio, and that of the one which the tree chooses; NAN where that was not
 * measured. `by_tree` and `numbers` may be NULL. Errors and cost: `workloads` times as above. */
OPEVO_API opevo_status opevo_portfolio_leave_out(const opevo_portfolio_matrix *matrix,
                                                 const opevo_portfolio_options *options,
                                                 const double *numbers, size_t features,
                                                 size_t depth, double *by_best, double *by_tree,
                                                 opevo_error *err);

OPEVO_END_C

#endif
