/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `qgp`: Bayesian optimisation with a Gaussian process on the space's own graphs. Two points
 * correlate by a product of scaled resolvents of the q-random walk (walk_kernel): for each
 * parameter that of its graph, or of each of its components, and one for whether values are powers
 * of two, each with a q drawn from its posterior. The next point is the new one with the largest
 * expected improvement times the probability to succeed (success), where
 *
 *   improvement  of z = log(fitness / best + offset) beyond the best z seen, plus a margin every
 *                other time, averaged over models;
 *   success      learned from all outcomes, so that a failure is never a number of the model.
 *
 * The models of the full target, a few posterior draws of q, know every success. Every fourth
 * proposal, half of those without a margin, is made by the model of the clipped target, to which
 * each success below the median is as good as the median. What distinguishes good points may differ
 * from what makes most points bad, and if few points are good, a model of all of them predicts too
 * little improvement there.
 *
 * The offset keeps very slow points from ruling the models: below offset times the best all are
 * about equally bad. The levels are drawn again after every tenth more successes, those of success
 * after every tenth more trials, and only then are all candidates looked at; in between the best
 * 2048 of them are.
 *
 * A batch is chosen by the Kriging believer: each point of it narrows the model as if its outcome
 * had been the predicted mean.
 *
 * Trials of earlier runs, on other devices for instance, are points of the same process with one
 * more thing compared, whether they were measured in the same run, which has a q as well. Only the
 * first full model knows them, and only at first, as they may mislead: the others learn from this
 * run alone.
 *
 * Source: this project; Jones, Schonlau, Welch, "Efficient global optimization of expensive
 * black-box functions", J. Global Optimization 13 (1998); Snoek, Larochelle, Adams, "Practical
 * Bayesian optimization of machine learning algorithms", NIPS 2012, section 3.2; Ginsbourger, Le
 * Riche, Carraro, "Kriging is well-suited to parallelize optimization", 2010, for batches; Gutmann,
 * "A radial basis function method for global optimization", J. Global Optimization 19 (2001), for
 * targets that alternate; Swersky, Snoek, Adams, "Multi-task Bayesian optimization", NIPS 2013, for
 * earlier runs; docs/tuners/qgp.md. */

#include "qgp_internal.h"

#include <opevo/memory.h>

#include <string.h>

static const opevo_setting settings_table[] = {
    OPEVO_ROW_COUNT("initial", opevo_i_qgp, initial, 5, 2, 10000, "initial uniform points"),
    OPEVO_ROW_COUNT("samples", opevo_i_qgp, samples, 2, 1, 8,
                    "posterior draws of q that are averaged"),
    OPEVO_ROW_COUNT("batch", opevo_i_qgp, batch, 1, 1, 64,
                    "points chosen before the outcome of any of them is known",
                    .batch = OPEVO_BATCH_OF_WORKERS),
    OPEVO_ROW_REAL("margin", opevo_i_qgp, margin, 0.1, 0, 10,
                   "margin beyond the best that counts as an improvement, on the logarithmic "
                   "scale, every other time"),
    OPEVO_ROW_REAL("offset", opevo_i_qgp, offset, 0.1, 1e-6, 1000,
                   "fraction of the best below which points are about equally bad"),
};

/* What allocate made. */
static void release(opevo_i_qgp *self)
{
    opevo_i_rounds_destroy(self->rounds);
    if (self->candidates.kernel)
        opevo_i_qgp_candidates_clear(&self->candidates);
    opevo_i_qgp_feasibility_destroy(self->success);
    for (size_t s = 0; self->gaussians && s < self->models; s++)
        opevo_i_qgp_gaussian_destroy(self->gaussians[s]);
    if (self->observed.kernel)
        opevo_i_qgp_training_set_clear(&self->observed);
    if (self->field.kernel)
        opevo_i_qgp_points_clear(&self->field);
    opevo_i_qgp_walk_kernel_destroy(self->kernel);
    opevo_free(self->gaussians);
    self->rounds = NULL;
    self->candidates = (opevo_i_qgp_candidates){0};
    self->success = NULL;
    self->gaussians = NULL;
    self->kernel = NULL;
}

static void destroy(opevo_tuner *tuner)
{
    opevo_i_qgp *self = (opevo_i_qgp *)tuner;

    release(self);
    opevo_free(self->scores);
    opevo_free(self->order);
    opevo_free(self);
}

/* For points measured in `runs` runs, of which this is the first. */
static opevo_status allocate(opevo_i_qgp *self, size_t runs, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_qgp_walk_kernel_create(self->space, runs, &self->kernel, err));
    OPEVO_TRY(opevo_i_qgp_candidates_init(&self->candidates, self->space, self->kernel, err));
    OPEVO_TRY(opevo_i_qgp_training_set_init(&self->observed, self->kernel, err));
    OPEVO_TRY(opevo_i_qgp_points_init(&self->field, self->kernel, err));
    self->rounds = opevo_i_rounds_create(self->space);
    self->success = opevo_i_qgp_feasibility_create(self->kernel);
    self->gaussians = opevo_calloc(self->models, sizeof(opevo_i_qgp_gaussian *));
    for (size_t s = 0; self->gaussians && s < self->models; s++) {
        self->gaussians[s] = opevo_i_qgp_gaussian_create(self->kernel);
        OPEVO_NEED_OR_RETURN(self->gaussians[s], "the tuner qgp");
    }
    OPEVO_NEED_OR_RETURN(self->rounds && self->success && self->gaussians, "the tuner qgp");
cleanup:
    return status;
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    opevo_i_qgp *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "the tuner qgp");
    OPEVO_SETTINGS_READ(settings_table, settings, self);
    self->space = space;
    self->models = self->samples + 1;
    self->rng = *rng;
    status = allocate(self, 1, err);
    if (status != OPEVO_OK) {
        destroy(&self->super);
        return status;
    }
    *out = &self->super;
    return OPEVO_OK;
}

/* ---- Choosing ---- */

static opevo_status propose(opevo_i_qgp *self, opevo_index point, const char *origin,
                            opevo_error *err)
{
    opevo_status status = opevo_i_rounds_add(self->rounds, point, origin, err);

    return status == OPEVO_OK ? opevo_i_qgp_candidates_take(&self->candidates, point, err) : status;
}

static opevo_status propose_uniform(opevo_i_qgp *self, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count && !self->super.reason; i++) {
        size_t before = opevo_i_rounds_count(self->rounds);

        OPEVO_TRY(opevo_i_rounds_add_uniform(self->rounds, &self->rng, "uniform",
                                             &self->super.reason, err));
        if (opevo_i_rounds_count(self->rounds) > before)
            OPEVO_TRY(opevo_i_qgp_candidates_take(&self->candidates,
                                                  opevo_i_rounds_point(self->rounds, before), err));
    }
cleanup:
    return status;
}

static opevo_status propose_best(opevo_i_qgp *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t batch = self->batch;
    size_t known = self->observed.own.count;

    OPEVO_TRY(opevo_i_qgp_update(self, err));
    for (size_t i = 0; i < batch; i++) {
        size_t chosen = opevo_i_qgp_best_of_field(self);

        if (chosen == self->field.count)
            break;
        OPEVO_TRY(propose(self, self->field_numbers[chosen],
                          opevo_i_qgp_uses_clipped(self) ? "close" : "improvement", err));
        self->proposed++;
        if (i + 1 < batch)
            OPEVO_TRY(opevo_i_qgp_believe(self, chosen, err));
    }
cleanup:
    opevo_i_qgp_forget(self, known);
    return status;
}

/* The best points of earlier runs, then uniform ones. */
static opevo_status propose_first(opevo_i_qgp *self, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; count > 0 && i < self->observed.earlier; i++) {
        opevo_index point = self->observed.ahead[i];

        if (opevo_i_qgp_candidates_taken(&self->candidates, point) ||
            !opevo_space_allows(self->space, point))
            continue;
        OPEVO_TRY(propose(self, point, "earlier", err));
        count--;
    }
    status = propose_uniform(self, count, err);
cleanup:
    return status;
}

/* Two successes are the fewest that say how much points differ. */
static opevo_status next_round(opevo_i_qgp *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_i_rounds_begin(self->rounds);
    if (!self->started || self->observed.own.count < 2)
        status = propose_first(self, self->started ? self->batch : self->initial, err);
    else
        status = propose_best(self, err);
    self->started = true;
    /* A pool may hold nothing new where the space still does. */
    if (status == OPEVO_OK && opevo_i_rounds_count(self->rounds) == 0 && !self->super.reason)
        status = propose_uniform(self, 1, err);
    if (opevo_i_rounds_count(self->rounds) > 0)
        self->super.reason = NULL; /* the next round will say so again */
    return status;
}

static opevo_status ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                        size_t *count, opevo_error *err)
{
    opevo_i_qgp *self = (opevo_i_qgp *)tuner;
    opevo_status status = OPEVO_OK;

    *count = opevo_i_rounds_ask(self->rounds, proposals, capacity);
    if (*count > 0 || tuner->pending > 0 || tuner->reason)
        return OPEVO_OK;
    status = next_round(self, err);
    if (status != OPEVO_OK)
        return status;
    *count = opevo_i_rounds_ask(self->rounds, proposals, capacity);
    return OPEVO_OK;
}

static opevo_status tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                         opevo_error *err)
{
    opevo_i_qgp *self = (opevo_i_qgp *)tuner;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_rounds_tell(self->rounds, trials, count, err));
    for (size_t i = 0; i < count; i++) {
        OPEVO_TRY(opevo_i_qgp_training_set_tell(&self->observed, self->success,
                                                trials[i].proposal.point, trials[i].outcome.fitness,
                                                err));
        self->told++;
    }
cleanup:
    return status;
}

static opevo_status observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                            opevo_error *err)
{
    opevo_i_qgp *self = (opevo_i_qgp *)tuner;
    opevo_status status = opevo_i_rounds_know(self->rounds, trials, count, err);

    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        opevo_index point = trials[i].proposal.point;

        OPEVO_TRY(opevo_i_qgp_candidates_take(&self->candidates, point, err));
        OPEVO_TRY(opevo_i_qgp_training_set_tell(&self->observed, self->success, point,
                                                trials[i].outcome.fitness, err));
        self->told++;
    }
cleanup:
    return status;
}

static opevo_status learn(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                          opevo_error *err)
{
    opevo_i_qgp *self = (opevo_i_qgp *)tuner;
    opevo_status status = OPEVO_OK;

    release(self);
    OPEVO_TRY(allocate(self, 1 + opevo_i_qgp_training_set_runs(trials, count), err));
    status = opevo_i_qgp_training_set_learn(&self->observed, self->success, trials, count,
                                            opevo_i_qgp_offset(self), err);
cleanup:
    return status;
}

const opevo_tuner_ops opevo_i_qgp_ops = {
    .name = "qgp",
    .summary = "Bayesian optimisation, a Gaussian process on the law of the q-random walk",
    .source = "this project, docs/tuners/qgp.md",
    .settings = settings_table,
    .setting_count = sizeof settings_table / sizeof *settings_table,
    .works_on_branches = true,
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .learn = learn,
    .observe = observe,
};
