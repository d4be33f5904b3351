/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parzen estimators of one parameter, as hyperopt has them: the observed values, each with a
 * weight, and a prior as one more of them.
 *
 *   discrete  (ordered) values at 0 .. n - 1: a mixture of normal laws with means at the observed
 *             places and at the middle (the prior, whose deviation is n), cut to [-1/2, n - 1/2)
 * and rounded. A deviation is the larger distance to the means beside it, kept within n and n /
 * min(100, 1 + means): hyperopt's quniform. others    (unordered) p(v) = (weight observed at v + 1)
 * / (all weight + n): its choice.
 *
 * Source: Bergstra et al., "Algorithms for Hyper-Parameter Optimization", NIPS 2011, section 4;
 * hyperopt 0.2, hyperopt/tpe.py, adaptive_parzen_normal, GMM1, GMM1_lpdf, ap_randint_sampler. */

#ifndef OPEVO_PARZEN_INTERNAL_H
#define OPEVO_PARZEN_INTERNAL_H

#include <opevo/parameter.h>
#include <opevo/random.h>

/* All observations of a parameter, by value. */
typedef struct opevo_i_tpe_parzen opevo_i_tpe_parzen;

opevo_i_tpe_parzen *
opevo_i_tpe_parzen_create(const opevo_parameter *parameter); /* NULL without memory */
void opevo_i_tpe_parzen_destroy(opevo_i_tpe_parzen *parzen);

/* Add an observation. Errors: NOMEM. Cost: moving 24 bytes for each one of a larger value. */
opevo_status opevo_i_tpe_parzen_observe(opevo_i_tpe_parzen *parzen, opevo_index vertex,
                                        opevo_error *err);

size_t opevo_i_tpe_parzen_count(const opevo_i_tpe_parzen *parzen);
/* Forget all but the first `count` observations. Cost: linear in the observations. */
void opevo_i_tpe_parzen_forget(opevo_i_tpe_parzen *parzen, size_t count);

/* The two estimators, made anew by opevo_i_tpe_parzen_fit. */
typedef enum opevo_i_tpe_parzen_side {
    OPEVO_I_PARZEN_BELOW,
    OPEVO_I_PARZEN_ABOVE
} opevo_i_tpe_parzen_side;

/* Estimate from the observations of positive weight, which may be none; weights[k] belongs to the
 * k-th observed. Cost: linear in the observations. */
void opevo_i_tpe_parzen_fit(opevo_i_tpe_parzen *parzen, opevo_i_tpe_parzen_side side,
                            const double *weights);

opevo_index opevo_i_tpe_parzen_draw(const opevo_i_tpe_parzen *parzen, opevo_i_tpe_parzen_side side,
                                    opevo_rng *rng);
double opevo_i_tpe_parzen_probability(const opevo_i_tpe_parzen *parzen,
                                      opevo_i_tpe_parzen_side side, opevo_index vertex);
/* Probability below over probability above, both fitted. Kept until the next fit for parameters of
 * at most 4096 values. */
double opevo_i_tpe_parzen_ratio(opevo_i_tpe_parzen *parzen, opevo_index vertex);

#endif
