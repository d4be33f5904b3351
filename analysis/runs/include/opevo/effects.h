/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The effect of each parameter on the result, from the trials of one run. */

#ifndef OPEVO_EFFECTS_H
#define OPEVO_EFFECTS_H

#include <opevo/space.h>

OPEVO_BEGIN_C

/* Trials that are used at most, evenly spaced over the run: the model costs their cube. */
enum { OPEVO_EFFECTS_TRIALS = 600 };

/* One value of a parameter, or several neighbouring ones. Effects are differences of ln f, f the
 * fitness, from its mean: exp(effect) is a factor of the fitness, exp(-effect) one of a time. */
typedef struct opevo_effect_level {
    char label[64]; /* "8", or "8 to 32" */
    size_t trials;
    double best; /* largest fitness */
    /* Marginal: the mean over the trials with this value, whatever their other values, and its 95 %
     * interval by Student's t; NAN below 2 trials. A search tries good values with good ones, so
     * the mean says what the trials were, not what the value does. */
    double mean, mean_low, mean_high;
    /* By the model, which holds the other parameters fixed; with its 95 % interval. NAN without. */
    double model, model_low, model_high;
} opevo_effect_level;

/* A component of a parameter that has had at least two values. */
typedef struct opevo_effect {
    char name[160]; /* "X[1]", or the component's own name */
    opevo_effect_level *levels;
    size_t level_count;
    double importance; /* share of the variance of ln f over the trials that its effect gives; NAN
                          without a model. Shares of dependent parameters may overlap. */
} opevo_effect;

typedef struct opevo_effects {
    opevo_effect *effects; /* the most important first */
    size_t count;
    size_t trials;    /* that were used */
    double explained; /* share of the variance of ln f that the model explains; NAN without one */
} opevo_effects;

/* From successful trials, with their fitness above 0.
 *
 * The model is additive: ln f = m + sum_v g_v(level of v) + noise, each g_v a Gaussian process with
 * covariance t^2 exp(-|a - b| / 2) on the order of numbers, t^2 [a = b] on texts and components of
 * permutations, and independent normal noise of variance s^2. t / s is the one of a grid with the
 * largest marginal likelihood. Effects are those of the posterior, minus their mean over the
 * trials. Interactions count as noise. Without 8 trials of two different results there is no model.
 *
 * More than 16 values of a number are grouped into 16 groups of about as many trials.
 *
 * Errors: NOMEM. Cost: 8 n^3 / 3 operations for n trials, at most OPEVO_EFFECTS_TRIALS; 16 n^2
 * bytes. Source: Rasmussen, Williams, "Gaussian Processes for Machine Learning", 2006, ch. 2 and 5;
 * Duvenaud et al., "Additive Gaussian Processes", NeurIPS 2011. */
opevo_status opevo_effects_create(const opevo_space *space, const opevo_index *points,
                                  const double *fitness, size_t count, opevo_effects **out,
                                  opevo_error *err);
void opevo_effects_destroy(opevo_effects *effects); /* NULL is allowed */

OPEVO_END_C

#endif
