/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The correlated Beta process: leave-one-out fit of its levels, and prediction. */

#include "feasibility_internal.h"

#include <opevo/memory.h>

#include <math.h>

enum { START_LEVEL = 3, FRESH_LEVELS = 2 };

static const double prior_weight = 0.5;

struct opevo_i_qgp_feasibility {
    const opevo_i_qgp_walk_kernel *kernel;
    unsigned char *levels;
    opevo_i_qgp_points points;
    bool *ok;
    size_t ok_capacity, successes;
    float *sums;     /* of the followed points: weights of successes, then of all outcomes */
    size_t followed; /* outcomes that are in the sums */
};

opevo_i_qgp_feasibility *opevo_i_qgp_feasibility_create(const opevo_i_qgp_walk_kernel *kernel)
{
    opevo_i_qgp_feasibility *self = opevo_calloc(1, sizeof *self);
    size_t features = opevo_i_qgp_walk_kernel_features(kernel);

    if (!self)
        return NULL;
    self->kernel = kernel;
    self->levels = opevo_malloc(features, sizeof *self->levels);
    if (!self->levels || opevo_i_qgp_points_init(&self->points, kernel, NULL) != OPEVO_OK) {
        opevo_i_qgp_feasibility_destroy(self);
        return NULL;
    }
    for (size_t f = 0; f < features; f++)
        self->levels[f] = START_LEVEL;
    return self;
}

void opevo_i_qgp_feasibility_destroy(opevo_i_qgp_feasibility *self)
{
    if (!self)
        return;
    opevo_i_qgp_points_clear(&self->points);
    opevo_free(self->levels);
    opevo_free(self->ok);
    opevo_free(self->sums);
    opevo_free(self);
}

opevo_status opevo_i_qgp_feasibility_tell(opevo_i_qgp_feasibility *self,
                                          const opevo_i_qgp_points *from, size_t i, bool ok,
                                          opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&self->ok, &self->ok_capacity,
                                       self->points.count + 1, sizeof *self->ok),
                         "%zu outcomes", self->points.count + 1);
    OPEVO_TRY(opevo_i_qgp_points_copy(&self->points, from, i, err));
    self->ok[self->points.count - 1] = ok;
    self->successes += ok;
cleanup:
    return status;
}

const unsigned char *opevo_i_qgp_feasibility_levels(const opevo_i_qgp_feasibility *self)
{
    return self->levels;
}

bool opevo_i_qgp_feasibility_has_failures(const opevo_i_qgp_feasibility *self)
{
    return self->successes < self->points.count;
}

static double prior_share(const opevo_i_qgp_feasibility *self)
{
    return (double)(self->successes + 1) / (double)(self->points.count + 1);
}

static double share(const opevo_i_qgp_feasibility *self, double good, double all)
{
    return (prior_weight * prior_share(self) + good) / (prior_weight + all);
}

/* `products` is n x n scratch. */
static double likelihood(const opevo_i_qgp_feasibility *self, float *products)
{
    size_t n = self->points.count;
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        double good = 0;
        double all = 0;
        double p = 0;

        for (size_t j = 0; j < n; j++) {
            all += (double)products[i * n + j];
            good += self->ok[j] ? (double)products[i * n + j] : 0;
        }
        p = share(self, good - (double)self->ok[i], all - 1); /* C(x, x) = 1 */
        sum += log(self->ok[i] ? p : 1 - p);
    }
    return sum;
}

static void fill_products(const opevo_i_qgp_feasibility *self, float *products)
{
    size_t n = self->points.count;
    size_t features = opevo_i_qgp_walk_kernel_features(self->kernel);

    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            products[i * n + j] = 1;
        for (size_t f = 0; f < features; f++)
            opevo_i_qgp_walk_kernel_multiply(self->kernel, f, self->levels[f], &self->points, i,
                                             (opevo_i_qgp_point_range){&self->points, 0, n},
                                             products + i * n);
    }
}

opevo_status opevo_i_qgp_feasibility_likelihood(const opevo_i_qgp_feasibility *self,
                                                double *log_likelihood, opevo_error *err)
{
    size_t n = self->points.count;
    float *products = opevo_malloc(n * n, sizeof *products);

    OPEVO_NEED_OR_RETURN(products, "the outcomes of %zu points", n);
    fill_products(self, products);
    *log_likelihood = likelihood(self, products);
    opevo_free(products);
    return OPEVO_OK;
}

/* The better of the current level and some others, of one factor of one parameter. */
static void climb(opevo_i_qgp_feasibility *self, unsigned char *level, opevo_rng *rng,
                  float *products, double *best)
{
    unsigned char kept = *level;

    for (int k = 0; k < FRESH_LEVELS; k++) {
        double found = 0;

        *level = (unsigned char)opevo_rng_below(rng, OPEVO_I_LEVELS);
        if (*level == kept)
            continue;
        fill_products(self, products);
        found = likelihood(self, products);
        if (found > *best) {
            *best = found;
            kept = *level;
        }
    }
    *level = kept;
}

opevo_status opevo_i_qgp_feasibility_fit(opevo_i_qgp_feasibility *self, opevo_rng *rng,
                                         opevo_error *err)
{
    size_t n = self->points.count;
    size_t features = opevo_i_qgp_walk_kernel_features(self->kernel);
    float *products = opevo_malloc(n * n, sizeof *products);
    double best = 0;

    OPEVO_NEED_OR_RETURN(products, "the outcomes of %zu points", n);
    fill_products(self, products);
    best = likelihood(self, products);
    for (size_t k = 0; k < features; k++) {
        size_t f = (size_t)opevo_rng_below(rng, features);

        climb(self, &self->levels[f], rng, products, &best);
    }
    opevo_free(products);
    return OPEVO_OK;
}

/* Add what outcomes first .. last - 1 weigh at points of `at`. Errors: NOMEM. */
static opevo_status add_outcomes(const opevo_i_qgp_feasibility *self, size_t first, size_t last,
                                 opevo_i_qgp_point_range at, float *good, float *all,
                                 opevo_error *err)
{
    float *row = opevo_malloc(at.count, sizeof *row);

    OPEVO_NEED_OR_RETURN(row, "predicting at %zu points", at.count);
    for (size_t i = first; i < last; i++) {
        float weight = self->ok[i] ? 1 : 0;

        opevo_i_qgp_walk_kernel_row(self->kernel, self->levels, &self->points, i, at, row);
        for (size_t j = 0; j < at.count; j++) {
            all[j] += row[j];
            good[j] += weight * row[j];
        }
    }
    opevo_free(row);
    return OPEVO_OK;
}

static void fill_probabilities(const opevo_i_qgp_feasibility *self, const float *good,
                               const float *all, size_t count, float *probability)
{
    for (size_t j = 0; j < count; j++)
        probability[j] = (float)share(self, (double)good[j], (double)all[j]);
}

static void fill_certain(float *probability, size_t count)
{
    for (size_t j = 0; j < count; j++)
        probability[j] = 1;
}

opevo_status opevo_i_qgp_feasibility_predict(const opevo_i_qgp_feasibility *self,
                                             const opevo_i_qgp_points *at, size_t first,
                                             size_t count, float *probability, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    float *sums = NULL;

    if (!opevo_i_qgp_feasibility_has_failures(self)) {
        fill_certain(probability, count);
        return OPEVO_OK;
    }
    OPEVO_NEW_OR_RETURN(sums, 2 * count, "predicting at %zu points", count);
    OPEVO_TRY(add_outcomes(self, 0, self->points.count, (opevo_i_qgp_point_range){at, first, count},
                           sums, sums + count, err));
    fill_probabilities(self, sums, sums + count, count, probability);
cleanup:
    opevo_free(sums);
    return status;
}

void opevo_i_qgp_feasibility_restart(opevo_i_qgp_feasibility *self)
{
    self->followed = 0;
}

opevo_status opevo_i_qgp_feasibility_follow(opevo_i_qgp_feasibility *self,
                                            const opevo_i_qgp_points *field, float *probability,
                                            opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t count = field->count;

    if (!opevo_i_qgp_feasibility_has_failures(self)) {
        fill_certain(probability, count);
        return OPEVO_OK;
    }
    if (self->followed == 0) {
        float *sums = opevo_calloc(2 * count, sizeof *sums);

        OPEVO_NEED_OR_RETURN(sums, "predicting at %zu points", count);
        opevo_free(self->sums);
        self->sums = sums;
    }
    OPEVO_TRY(add_outcomes(self, self->followed, self->points.count,
                           (opevo_i_qgp_point_range){field, 0, count}, self->sums,
                           self->sums + count, err));
    self->followed = self->points.count;
    fill_probabilities(self, self->sums, self->sums + count, count, probability);
cleanup:
    return status;
}
