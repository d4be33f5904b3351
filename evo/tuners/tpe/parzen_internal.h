/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parzen estimators of one parameter, as hyperopt has them: the observed values, each with a
 * weight, and a prior as one more of them. There are two, of good values and of the others; each
 * observation is on one side. On a side the newest 25 weigh 1, and the k-th oldest of the other n
 * of N observations 1 / N + (1 - 1 / N) k / (n - 1), k from 0.
 *
 *   discrete  (ordered) values at 0 .. n - 1: a mixture of normal laws with means at the observed
 *             places and at the middle (the prior, whose deviation is n), cut to [-1/2, n - 1/2)
 *             and rounded. A deviation is the larger distance to the means beside it, kept within n
 *             and n / min(100, 1 + means): hyperopt's quniform.
 *   others    (unordered) p(v) = (weight observed at v + 1) / (all weight + n): its choice.
 *
 * Source: Bergstra et al., "Algorithms for Hyper-Parameter Optimization", NIPS 2011, section 4;
 * hyperopt 0.2, hyperopt/tpe.py, adaptive_parzen_normal, linear_forgetting_weights, GMM1,
 * GMM1_lpdf, ap_randint_sampler. */

#ifndef OPEVO_PARZEN_INTERNAL_H
#define OPEVO_PARZEN_INTERNAL_H

#include <opevo/parameter.h>
#include <opevo/random.h>

enum { OPEVO_I_PARZEN_NEWEST = 25 };

/* All observations of a parameter. */
typedef struct opevo_i_tpe_parzen opevo_i_tpe_parzen;

typedef enum opevo_i_tpe_parzen_side {
    OPEVO_I_PARZEN_BELOW, /* good */
    OPEVO_I_PARZEN_ABOVE
} opevo_i_tpe_parzen_side;

opevo_i_tpe_parzen *
opevo_i_tpe_parzen_create(const opevo_parameter *parameter); /* NULL without memory */
void opevo_i_tpe_parzen_destroy(opevo_i_tpe_parzen *parzen);

/* Add an observation above. Errors: NOMEM. Cost: a look-up, and for a new value moving 8 bytes for
 * each larger one. */
opevo_status opevo_i_tpe_parzen_observe(opevo_i_tpe_parzen *parzen, opevo_index vertex,
                                        opevo_error *err);
size_t opevo_i_tpe_parzen_count(const opevo_i_tpe_parzen *parzen);
/* Put the place-th observation, from 0, on a side. Cost: the next fit is linear in all. */
void opevo_i_tpe_parzen_move(opevo_i_tpe_parzen *parzen, size_t place,
                             opevo_i_tpe_parzen_side side);
/* Forget all but the first `count` observations. Cost: as above, if there are any. */
void opevo_i_tpe_parzen_forget(opevo_i_tpe_parzen *parzen, size_t count);

/* Estimate both sides; whether the law below may be another. What follows is of the last fit. Cost:
 * linear in the different values observed. */
bool opevo_i_tpe_parzen_fit(opevo_i_tpe_parzen *parzen);

/* Draw from the law below. */
opevo_index opevo_i_tpe_parzen_draw(const opevo_i_tpe_parzen *parzen, opevo_rng *rng);
/* The probability of a vertex by that law. Hook of tests. */
double opevo_i_tpe_parzen_probability(opevo_i_tpe_parzen *parzen, opevo_i_tpe_parzen_side side,
                                      opevo_index vertex);
/* All probabilities below, by vertex. */
void opevo_i_tpe_parzen_law(opevo_i_tpe_parzen *parzen, double *law);
/* Probability below over probability above. Kept until the next fit for parameters of at most 4096
 * values. */
double opevo_i_tpe_parzen_ratio(opevo_i_tpe_parzen *parzen, opevo_index vertex);

#endif
