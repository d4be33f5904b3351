/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The exact law of a child of OpEvo. Each parameter comes from parent j with probability w_j, then
 * walks:
 *
 *     P(x) = prod_i sum_j w_j S^(i)_{x_i^j}(x_i),   w_j = f_j / sum f.
 *
 * In a space with branches the product is over the parameters that are active in x, and the weights
 * of a parameter of a branch are those of the parents in which it is active, normalised:
 *
 *     P(x) = prod_{i active in x} M_i(x_i),
 *     M_i(v) = sum_{j in A_i} w_j S^(i)_{x_i^j}(v) / sum_{j in A_i} w_j,
 *     A_i = parents in which i is active,
 *
 * and M_i is uniform where A_i has no weight. One mutation of a point x walks with each parameter
 * that is active before and after, and draws from M_i what becomes active:
 *
 *     K(x, y) = prod_{i active in x and y} S^(i)_{x_i}(y_i) prod_{i active in y only} M_i(y_i).
 *
 * Duplicates: with K the kernel of one mutation on points, S the points that may not be proposed
 * (seen, or forbidden by a constraint) and T the rest, a child that lands in S
 *   - redraw:   is drawn again from its recombined state x before mutation:  K(x,.) / K(x,T) on T;
 *   - continue: is mutated again from where it landed:  K(x,T) + K(x,S) (I - K_SS)^-1 K(S,T);
 *   - given:    is recombined anew, too, so its law is the law before duplicates given T:
 *               P(x) / P(T) on T. The diagram of the space draws it given that it is allowed, so
 *               that only points that were seen are drawn again.
 * Source: "OpEvo" equation 2 and section 4.4; NNI opevo.py for the continuing reading. */

#ifndef OPEVO_CHILD_H
#define OPEVO_CHILD_H

#include <opevo/api.h>
#include <opevo/law.h>
#include <opevo/space.h>

OPEVO_BEGIN_C

/* GIVEN is an option of opevo; the paper and its authors' code mean one of the others. */
typedef enum opevo_duplicate_rule {
    OPEVO_DUPLICATE_CONTINUE,
    OPEVO_DUPLICATE_REDRAW,
    OPEVO_DUPLICATE_GIVEN
} opevo_duplicate_rule;

/* The parents of a generation. */
typedef struct opevo_parents {
    const opevo_index *points;
    const double *weights; /* non-negative, not all zero; normalised here */
    size_t count;
} opevo_parents;

/* How long one child is looked for: after `patience` mutations without a child it is recombined
 * anew, as a graph that is not connected may hold nothing new where it started; after `tries` there
 * is not a child. For q = 0 it is recombined before each of them; given that it is allowed, it is
 * drawn `tries` times. Both 0: the rules as they are worded, without limits. */
typedef struct opevo_child_limits {
    unsigned patience, tries;
} opevo_child_limits;

/* One child of a generation: parents to recombine, q of the mutation,
 * and points that it may not be. */
typedef struct opevo_child_step {
    const opevo_space *space;
    const opevo_parents *parents;
    double q; /* one for all parameters */
    opevo_duplicate_rule rule;
    const bool *taken; /* opevo_space_size(space) flags: true for the points of S */
    opevo_child_limits limits;
} opevo_child_step;

typedef struct opevo_child_law opevo_child_law;

/* The product law, before duplicates are handled. q is one for all parameters. With
 * branches `space` must outlive the law, otherwise it is needed no longer than the call.
 *
 * Errors: INVALID for no parents, a parent outside the space, a negative or infinite weight or only
 *         zeros; otherwise as opevo_law_create.
 * Cost:   one number for each vertex of each parameter; one solve a parameter, or one closed form a
 *         parent where the parameter has one. */
OPEVO_API opevo_status opevo_child_law_create_sized(const opevo_space *space,
                                                    const opevo_parents *parents, double q,
                                                    const opevo_law_options *options, size_t size,
                                                    opevo_child_law **out, opevo_error *err);
static inline opevo_status opevo_child_law_create(const opevo_space *space,
                                                  const opevo_parents *parents, double q,
                                                  const opevo_law_options *options,
                                                  opevo_child_law **out, opevo_error *err)
{
    return opevo_child_law_create_sized(space, parents, q, options, sizeof *options, out, err);
}
OPEVO_API void opevo_child_law_destroy(opevo_child_law *law);
OPEVO_API double opevo_child_law_probability(const opevo_child_law *law, opevo_index point);
/* 1-norm bound on the whole product law, also as opevo_child_law_probability computes it: what
 * prod(1 + bound_i) exceeds 1 by, rounded up, where bound_i is the certificate of marginal i with
 * the rounding of weights, sums and products. */
OPEVO_API double opevo_child_law_bound(const opevo_child_law *law);
/* Marginal law of parameter i, where it is active (M_i): as many numbers as it has vertices;
 * borrowed.
 */
OPEVO_API const double *opevo_child_law_marginal(const opevo_child_law *law, size_t i);

/* The law after duplicates are handled, over all points of the space.
 *
 *   law     out: a probability for each point; 0 on S
 *   lost    out: probability that there is no child: without limits, as no point of T is ever
 *           reached (T empty, or cut off); may be NULL
 *   bound   out: 1-norm bound of the law, and of `lost` with it; may be NULL
 *
 * Given T, law is 0 and lost is 1 where P(T) is 0.
 *
 * With branches T may be out of reach of one mutation and in reach of several; such a recombined
 * child counts as lost when redrawing only.
 *
 * With limits, a recombined child x that is drawn again with probability 1 - k_x, k_x = K(x,T), is
 * recombined anew with probability (1 - k_x)^patience. With R the law after recombination,
 *
 *     A_m(y) = sum_x R(x) (1 - (1 - k_x)^m) / k_x K(x,y) on T,   r_m = sum_x R(x) (1 - k_x)^m
 *
 * are the law and the loss of one round of m mutations, and for tries = n patience + rest the law
 * is (1 + r + .. + r^(n-1)) A + r^n A_rest with A and r those of a full round, and lost is r^n
 * r_rest. Continuing has A_m = sum_{j<m} R (K I_S)^j K on T and r_m = |R (K I_S)^m|, where I_S
 * keeps what is in S.
 *
 * Errors: INVALID as opevo_child_law_create, or for one limit without the other; LIMIT above 4096
 *         points; TOLERANCE when the bound would exceed 1e-9, which without limits takes points of
 *         T that a mutation finds less often than about once in 1e6 times; NOMEM.
 * Cost: O(points^2) memory, O(points^2 + |S|^3) time; continuing within limits takes a product with
 *       K for each mutation until the mass in S keeps its shape, about 128 + 9 sqrt(patience) at
 *       most, and patience with branches. */
OPEVO_API opevo_status opevo_child_law_without_duplicates(const opevo_child_step *step, double *law,
                                                          double *lost, double *bound,
                                                          opevo_error *err);

OPEVO_END_C

#endif
