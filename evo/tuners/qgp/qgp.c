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
 * FIELD of them are.
 *
 * A batch believes its own predictions: the points chosen before in it narrow the model, their
 * means being what was predicted.
 *
 * Trials of earlier runs, on other devices for instance, are points of the same process with one
 * more thing compared, whether they were measured in the same run, which has a q as well. Only the
 * first wide model knows them, and only at first, as they may mislead: the others learn from this
 * run alone.
 *
 * Source: this project; Jones, Schonlau, Welch, "Efficient global optimization of expensive
 * black-box functions", J. Global Optimization 13 (1998); Snoek, Larochelle, Adams, "Practical
 * Bayesian optimization of machine learning algorithms", NIPS 2012, section 3.2; Ginsbourger, Le
 * Riche, Carraro, "Kriging is well-suited to parallelize optimization", 2010, for batches; Gutmann,
 * "A radial basis function method for global optimization", J. Global Optimization 19 (2001), for
 * targets that alternate; Swersky, Snoek, Adams, "Multi-task Bayesian optimization", NIPS 2013, for
 * earlier runs; docs/tuners/qgp.md. */

#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "candidates_internal.h"
#include "gaussian_internal.h"
#include "rounds_internal.h"
#include "training_set_internal.h"

enum {
    SETTING_INITIAL,
    SETTING_SAMPLES,
    SETTING_BATCH,
    SETTING_MARGIN,
    SETTING_OFFSET,
    SETTING_COUNT
};

enum {
    FIELD = 2048, /* candidates that are followed from trial to trial, and the size of a block */
    FIRST_SWEEPS = 4,   /* of a chain that starts */
    POOL_TRIALS = 16,   /* successes after which a pool is made anew */
    FORGOTTEN_FROM = 64 /* successes from which no model knows earlier runs */
};
static const double growth = 1.1; /* of the successes, until the levels are drawn again */

static const opevo_setting settings_table[SETTING_COUNT] = {
    [SETTING_INITIAL] = {.key = "initial",
                         .kind = OPEVO_SETTING_COUNT,
                         .default_value = 5,
                         .min = 2,
                         .max = 10000,
                         .summary = "initial uniform points"},
    [SETTING_SAMPLES] = {.key = "samples",
                         .kind = OPEVO_SETTING_COUNT,
                         .default_value = 2,
                         .min = 1,
                         .max = 8,
                         .summary = "posterior draws of q that are averaged"},
    [SETTING_BATCH] = {.key = "batch",
                       .kind = OPEVO_SETTING_COUNT,
                       .default_value = 1,
                       .min = 1,
                       .max = 64,
                       .summary = "points chosen before the outcome of any of them is known"},
    [SETTING_MARGIN] = {.key = "margin",
                        .kind = OPEVO_SETTING_REAL,
                        .default_value = 0.1,
                        .min = 0,
                        .max = 10,
                        .summary = "margin beyond the best that counts as an improvement, on the "
                                   "logarithmic scale, every other time"},
    [SETTING_OFFSET] = {.key = "offset",
                        .kind = OPEVO_SETTING_REAL,
                        .default_value = 0.1,
                        .min = 1e-6,
                        .max = 1000,
                        .summary = "fraction of the best below which points are about equally bad"},
};

typedef struct qgp {
    opevo_tuner super;
    const opevo_space *space;
    opevo_setting_value settings[SETTING_COUNT];
    size_t models; /* the wide ones, and the close one last */
    opevo_rng rng;
    opevo_i_rounds *rounds;
    opevo_i_walk_kernel *kernel;
    opevo_i_candidates candidates;
    opevo_i_feasibility *success;
    opevo_i_gaussian **gaussians; /* one for each model */

    opevo_i_training_set observed;
    bool remembering; /* whether the first model knows earlier runs */

    /* Successes when the levels were drawn, when the field was chosen, and that the models know. */
    size_t fitted, refreshed, known;
    size_t told, told_fitted; /* outcomes, and as many when the law of success was fitted */
    size_t proposed;          /* by improvement */
    double refreshed_best;
    bool started;

    opevo_i_points field;
    opevo_index field_numbers[FIELD];
    float probability[FIELD], mean[FIELD], deviation[FIELD];
    double *scores; /* of all candidates */
    size_t *order;
    size_t score_capacity, order_capacity;
} qgp;

/* What allocate made. */
static void release(qgp *self)
{
    opevo_i_rounds_destroy(self->rounds);
    if (self->candidates.kernel)
        opevo_i_candidates_clear(&self->candidates);
    opevo_i_feasibility_destroy(self->success);
    for (size_t s = 0; self->gaussians && s < self->models; s++)
        opevo_i_gaussian_destroy(self->gaussians[s]);
    if (self->observed.kernel)
        opevo_i_training_set_clear(&self->observed);
    if (self->field.kernel)
        opevo_i_points_clear(&self->field);
    opevo_i_walk_kernel_destroy(self->kernel);
    opevo_free(self->gaussians);
    self->rounds = NULL;
    self->candidates = (opevo_i_candidates){0};
    self->success = NULL;
    self->gaussians = NULL;
    self->kernel = NULL;
}

static void destroy(opevo_tuner *tuner)
{
    qgp *self = (qgp *)tuner;

    release(self);
    opevo_free(self->scores);
    opevo_free(self->order);
    opevo_free(self);
}

/* For points measured in `runs` runs, of which this is the first. */
static opevo_status allocate(qgp *self, size_t runs, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_walk_kernel_create(self->space, runs, &self->kernel, err));
    OPEVO_TRY(opevo_i_candidates_init(&self->candidates, self->space, self->kernel, err));
    OPEVO_TRY(opevo_i_training_set_init(&self->observed, self->kernel, err));
    OPEVO_TRY(opevo_i_points_init(&self->field, self->kernel, err));
    self->rounds = opevo_i_rounds_create(self->space);
    self->success = opevo_i_feasibility_create(self->kernel);
    self->gaussians = opevo_calloc(self->models, sizeof(opevo_i_gaussian *));
    for (size_t s = 0; self->gaussians && s < self->models; s++) {
        self->gaussians[s] = opevo_i_gaussian_create(self->kernel);
        if (!self->gaussians[s])
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner qgp.");
    }
    if (!self->rounds || !self->success || !self->gaussians)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner qgp.");
cleanup:
    return status;
}

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    qgp *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tuner qgp.");
    memcpy(self->settings, settings, sizeof self->settings);
    self->space = space;
    self->models = (size_t)settings[SETTING_SAMPLES].number + 1;
    self->rng = *rng;
    status = allocate(self, 1, err);
    if (status != OPEVO_OK) {
        destroy(&self->super);
        return status;
    }
    *out = &self->super;
    return OPEVO_OK;
}

/* ---- The model ---- */

static double offset_of(const qgp *self)
{
    return self->settings[SETTING_OFFSET].number;
}

static bool is_close(const qgp *self, size_t s)
{
    return s + 1 == self->models;
}

/* Whether the model of the clipped target decides the next proposal: every other one without a
 * margin. */
static bool is_close_turn(const qgp *self)
{
    return self->proposed % 4 == 1;
}

/* Whether a model is asked for the next proposal. */
static bool is_asked(const qgp *self, size_t s)
{
    return is_close_turn(self) == is_close(self, s);
}

/* Whether a model knows earlier runs. */
static bool remembers(const qgp *self, size_t s)
{
    return s == 0 && self->remembering;
}

static const opevo_i_points *points_of(const qgp *self, size_t s)
{
    return remembers(self, s) ? &self->observed.all : &self->observed.own;
}

static const double *targets_of(const qgp *self, size_t s)
{
    if (is_close(self, s))
        return self->observed.close;
    return self->observed.z + (remembers(self, s) ? 0 : self->observed.earlier);
}

/* Expected improvement of a normal law beyond `bar`. */
static double improvement(double mean, double deviation, double bar)
{
    double u = (mean - bar) / deviation;

    return deviation *
           (u * 0.5 * erfc(-u * M_SQRT1_2) + exp(-0.5 * u * u) * M_2_SQRTPI * M_SQRT1_2 * 0.5);
}

/* What has to be exceeded; the margin counts for every other proposal. */
static double bar_of(const qgp *self)
{
    double margin = self->proposed % 2 == 0 ? self->settings[SETTING_MARGIN].number : 0;

    return log1p(offset_of(self)) + margin;
}

/* Draw levels, which starts with more sweeps than it goes on with. */
static opevo_status draw_levels(qgp *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int sweeps = self->fitted == 0 ? FIRST_SWEEPS : 1;

    self->remembering = self->observed.earlier > 0 && self->observed.own.count < FORGOTTEN_FROM;
    for (size_t s = 0; s < self->models; s++) {
        for (int k = 0; k < sweeps; k++)
            OPEVO_TRY(opevo_i_gaussian_sweep(self->gaussians[s], points_of(self, s),
                                             targets_of(self, s), &self->rng, err));
    }
    self->fitted = self->observed.own.count;
cleanup:
    return status;
}

/* Score candidates first .. first + count - 1, at most FIELD of them. */
static opevo_status score_block(qgp *self, size_t first, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double *scores = self->scores + first;

    OPEVO_TRY(opevo_i_feasibility_predict(self->success, &self->candidates.points, first, count,
                                          self->probability, err));
    for (size_t j = 0; j < count; j++)
        scores[j] = 0;
    for (size_t s = 0; s < self->models; s++) {
        if (!is_asked(self, s))
            continue;
        OPEVO_TRY(opevo_i_gaussian_predict(self->gaussians[s], points_of(self, s),
                                           &self->candidates.points, first, count, self->mean,
                                           self->deviation, err));
        for (size_t j = 0; j < count; j++)
            scores[j] +=
                (double)self->probability[j] *
                improvement((double)self->mean[j], (double)self->deviation[j], bar_of(self));
    }
cleanup:
    return status;
}

/* Put the `count` largest of order[0 .. total - 1] by score first, in any order; of equals the
 * earlier. */
static void select_largest(const double *scores, size_t *order, size_t total, size_t count)
{
    size_t low = 0;
    size_t high = total;

    while (high - low > 1 && count > low && count < high) {
        size_t pivot = order[low + (high - low) / 2];
        size_t left = low;
        size_t right = high;

        for (size_t i = low; i < right;) {
            size_t at = order[i];
            bool larger = scores[at] > scores[pivot] || (at < pivot && scores[at] == scores[pivot]);

            if (larger) {
                order[i++] = order[left];
                order[left++] = at;
            } else if (at == pivot) {
                i++;
            } else {
                order[i] = order[--right];
                order[right] = at;
            }
        }
        if (count <= left)
            high = left;
        else
            low = left + 1;
    }
}

static opevo_status choose_field(qgp *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t total = self->candidates.points.count;
    size_t count = total < FIELD ? total : FIELD;

    for (size_t i = 0; i < total; i++)
        self->order[i] = i;
    select_largest(self->scores, self->order, total, count);
    self->field.count = 0;
    for (size_t i = 0; i < count; i++) {
        self->field_numbers[i] = self->candidates.numbers[self->order[i]];
        OPEVO_TRY(opevo_i_points_copy(&self->field, &self->candidates.points, self->order[i], err));
    }
    for (size_t s = 0; s < self->models && count > 0; s++)
        OPEVO_TRY(
            opevo_i_gaussian_watch(self->gaussians[s], points_of(self, s), &self->field, err));
cleanup:
    return status;
}

/* Look at all candidates, and follow the best of them. */
static opevo_status refresh(qgp *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index parents[OPEVO_I_POOL_PARENTS];
    double fitness[OPEVO_I_POOL_PARENTS];
    size_t count =
        opevo_i_training_set_best(&self->observed, OPEVO_I_POOL_PARENTS, parents, fitness);
    size_t total = 0;

    OPEVO_TRY(
        opevo_i_candidates_refresh(&self->candidates, parents, fitness, count, &self->rng, err));
    total = self->candidates.points.count;
    if (!opevo_reserve((void **)&self->scores, &self->score_capacity, total,
                       sizeof *self->scores) ||
        !opevo_reserve((void **)&self->order, &self->order_capacity, total, sizeof *self->order)) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to score %zu candidates.", total);
        goto cleanup;
    }
    for (size_t s = 0; s < self->models; s++) {
        OPEVO_TRY(opevo_i_gaussian_condition(self->gaussians[s], points_of(self, s), err));
        opevo_i_gaussian_target(self->gaussians[s], targets_of(self, s));
    }
    for (size_t first = 0; first < total; first += FIELD)
        OPEVO_TRY(score_block(self, first, total - first < FIELD ? total - first : FIELD, err));
    OPEVO_TRY(choose_field(self, err));
    opevo_i_feasibility_restart(self->success);
    OPEVO_TRY(opevo_i_feasibility_follow(self->success, &self->field, self->probability, err));
    self->known = self->refreshed = self->observed.own.count;
    self->refreshed_best = self->observed.best;
cleanup:
    if (status != OPEVO_OK)
        self->field.count = 0; /* so that another is chosen */
    return status;
}

static bool is_due(const qgp *self, bool drawn)
{
    size_t left = 0;

    for (size_t j = 0; j < self->field.count; j++)
        left += !opevo_i_candidates_taken(&self->candidates, self->field_numbers[j]);
    return drawn || left == 0 ||
           (!self->candidates.listed &&
            (self->observed.best > self->refreshed_best ||
             self->observed.own.count >= self->refreshed + POOL_TRIALS));
}

/* Bring model and field up to what was observed. */
static opevo_status update(qgp *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool draw = (double)self->observed.own.count >= growth * (double)self->fitted;
    bool fit = opevo_i_feasibility_has_failures(self->success) &&
               (draw || (double)self->told >= growth * (double)self->told_fitted);

    opevo_i_training_set_transform(&self->observed, offset_of(self));
    if (draw)
        OPEVO_TRY(draw_levels(self, err));
    if (fit) {
        OPEVO_TRY(opevo_i_feasibility_fit(self->success, &self->rng, err));
        self->told_fitted = self->told;
    }
    if (is_due(self, draw || fit))
        return refresh(self, err);
    for (size_t s = 0; s < self->models; s++) {
        for (size_t i = self->known; i < self->observed.own.count; i++)
            OPEVO_TRY(
                opevo_i_gaussian_append(self->gaussians[s], points_of(self, s), &self->field, err));
        opevo_i_gaussian_target(self->gaussians[s], targets_of(self, s));
    }
    self->known = self->observed.own.count;
    OPEVO_TRY(opevo_i_feasibility_follow(self->success, &self->field, self->probability, err));
cleanup:
    if (status != OPEVO_OK)
        self->field.count = 0; /* some models may know more than others */
    return status;
}

/* ---- Choosing ---- */

/* The place in the field of the largest score; the field's size when all were proposed. */
static size_t best_of_field(qgp *self)
{
    size_t count = self->field.count;
    size_t chosen = count;
    double largest = -1;

    for (size_t j = 0; j < count; j++)
        self->scores[j] = 0;
    for (size_t s = 0; s < self->models && count > 0; s++) {
        if (!is_asked(self, s))
            continue;
        opevo_i_gaussian_read(self->gaussians[s], self->mean, self->deviation);
        for (size_t j = 0; j < count; j++)
            self->scores[j] +=
                (double)self->probability[j] *
                improvement((double)self->mean[j], (double)self->deviation[j], bar_of(self));
    }
    for (size_t j = 0; j < count; j++) {
        if (self->scores[j] > largest &&
            !opevo_i_candidates_taken(&self->candidates, self->field_numbers[j])) {
            largest = self->scores[j];
            chosen = j;
        }
    }
    return chosen;
}

static opevo_status propose(qgp *self, opevo_index point, const char *origin, opevo_error *err)
{
    opevo_status status = opevo_i_rounds_add(self->rounds, point, origin, err);

    return status == OPEVO_OK ? opevo_i_candidates_take(&self->candidates, point, err) : status;
}

static opevo_status propose_uniform(qgp *self, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count && !self->super.reason; i++) {
        size_t before = opevo_i_rounds_count(self->rounds);

        OPEVO_TRY(opevo_i_rounds_add_uniform(self->rounds, &self->rng, "uniform",
                                             &self->super.reason, err));
        if (opevo_i_rounds_count(self->rounds) > before)
            OPEVO_TRY(opevo_i_candidates_take(&self->candidates,
                                              opevo_i_rounds_point(self->rounds, before), err));
    }
cleanup:
    return status;
}

/* Let the model believe what it predicts at a point of the field. */
static opevo_status believe(qgp *self, size_t chosen, opevo_error *err)
{
    opevo_status status =
        opevo_i_training_set_expect(&self->observed, self->field_numbers[chosen], err);

    for (size_t s = 0; s < self->models && status == OPEVO_OK; s++)
        status = opevo_i_gaussian_append(self->gaussians[s], points_of(self, s), &self->field, err);
    return status;
}

static opevo_status propose_best(qgp *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t batch = (size_t)self->settings[SETTING_BATCH].number;
    size_t known = self->observed.own.count;

    OPEVO_TRY(update(self, err));
    for (size_t i = 0; i < batch; i++) {
        size_t chosen = best_of_field(self);

        if (chosen == self->field.count)
            break;
        OPEVO_TRY(propose(self, self->field_numbers[chosen],
                          is_close_turn(self) ? "close" : "improvement", err));
        self->proposed++;
        if (i + 1 < batch)
            OPEVO_TRY(believe(self, chosen, err));
    }
cleanup:
    for (size_t s = 0; s < self->models; s++)
        opevo_i_gaussian_retract(self->gaussians[s],
                                 known + (remembers(self, s) ? self->observed.earlier : 0));
    opevo_i_training_set_retract(&self->observed, known);
    return status;
}

/* The best points of earlier runs, then uniform ones. */
static opevo_status propose_first(qgp *self, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; count > 0 && i < self->observed.earlier; i++) {
        opevo_index point = self->observed.ahead[i];

        if (opevo_i_candidates_taken(&self->candidates, point) ||
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
static opevo_status next_round(qgp *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    opevo_i_rounds_begin(self->rounds);
    if (!self->started || self->observed.own.count < 2)
        status = propose_first(
            self, (size_t)self->settings[self->started ? SETTING_BATCH : SETTING_INITIAL].number,
            err);
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
    qgp *self = (qgp *)tuner;
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
    qgp *self = (qgp *)tuner;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_rounds_tell(self->rounds, trials, count, err));
    for (size_t i = 0; i < count; i++) {
        OPEVO_TRY(opevo_i_training_set_tell(&self->observed, self->success,
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
    qgp *self = (qgp *)tuner;
    opevo_status status = opevo_i_rounds_know(self->rounds, trials, count, err);

    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        opevo_index point = trials[i].proposal.point;

        OPEVO_TRY(opevo_i_candidates_take(&self->candidates, point, err));
        OPEVO_TRY(opevo_i_training_set_tell(&self->observed, self->success, point,
                                            trials[i].outcome.fitness, err));
        self->told++;
    }
cleanup:
    return status;
}

static opevo_status learn(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                          opevo_error *err)
{
    qgp *self = (qgp *)tuner;
    opevo_status status = OPEVO_OK;

    release(self);
    OPEVO_TRY(allocate(self, 1 + opevo_i_training_set_runs(trials, count), err));
    status = opevo_i_training_set_learn(&self->observed, self->success, trials, count,
                                        offset_of(self), err);
cleanup:
    return status;
}

const opevo_tuner_ops opevo_i_qgp_ops = {
    .name = "qgp",
    .summary = "Bayesian optimisation, a Gaussian process on the law of the q-random walk",
    .source = "this project, docs/tuners/qgp.md",
    .settings = settings_table,
    .setting_count = SETTING_COUNT,
    .works_on_branches = true,
    .create = create,
    .ask = ask,
    .tell = tell,
    .destroy = destroy,
    .learn = learn,
    .observe = observe,
};
