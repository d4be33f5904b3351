/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The models of `qgp`, and the field: the candidates that look best to them, which are followed
 * from trial to trial. */

#include "qgp_internal.h"

#include <opevo/memory.h>

#include <math.h>

enum {
    FIRST_SWEEPS = 4,   /* of a chain that starts */
    POOL_TRIALS = 16,   /* successes after which a pool is made anew */
    FORGOTTEN_FROM = 64 /* successes from which no model knows earlier runs */
};
static const double growth = 1.1; /* of the successes, until the levels are drawn again */

/* ---- The models ---- */

static bool is_clipped(const opevo_i_qgp *self, size_t s)
{
    return s + 1 == self->models;
}

bool opevo_i_qgp_uses_clipped(const opevo_i_qgp *self)
{
    return self->proposed % 4 == 1;
}

/* Whether a model is asked for the next proposal. */
static bool is_asked(const opevo_i_qgp *self, size_t s)
{
    return opevo_i_qgp_uses_clipped(self) == is_clipped(self, s);
}

/* Whether a model knows earlier runs. */
static bool remembers(const opevo_i_qgp *self, size_t s)
{
    return s == 0 && self->remembering;
}

static const opevo_i_qgp_points *points_of(const opevo_i_qgp *self, size_t s)
{
    return remembers(self, s) ? &self->observed.all : &self->observed.own;
}

static const double *targets_of(const opevo_i_qgp *self, size_t s)
{
    if (is_clipped(self, s))
        return self->observed.clipped;
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
static double bar_of(const opevo_i_qgp *self)
{
    double margin = self->proposed % 2 == 0 ? self->margin : 0;

    return log1p(opevo_i_qgp_offset(self)) + margin;
}

/* Draw levels, which starts with more sweeps than it goes on with. */
static opevo_status draw_levels(opevo_i_qgp *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int sweeps = self->fitted == 0 ? FIRST_SWEEPS : 1;

    self->remembering = self->observed.earlier > 0 && self->observed.own.count < FORGOTTEN_FROM;
    for (size_t s = 0; s < self->models; s++) {
        for (int k = 0; k < sweeps; k++)
            OPEVO_TRY(opevo_i_qgp_gaussian_sweep(self->gaussians[s], points_of(self, s),
                                                 targets_of(self, s), &self->rng, err));
    }
    self->fitted = self->observed.own.count;
cleanup:
    return status;
}

/* ---- The field ---- */

/* Score candidates first .. first + count - 1, at most OPEVO_I_QGP_FIELD of them. */
static opevo_status score_block(opevo_i_qgp *self, size_t first, size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double *scores = self->scores + first;

    OPEVO_TRY(opevo_i_qgp_feasibility_predict(self->success, &self->candidates.points, first, count,
                                              self->probability, err));
    for (size_t j = 0; j < count; j++)
        scores[j] = 0;
    for (size_t s = 0; s < self->models; s++) {
        if (!is_asked(self, s))
            continue;
        OPEVO_TRY(opevo_i_qgp_gaussian_predict(self->gaussians[s], points_of(self, s),
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

static opevo_status choose_field(opevo_i_qgp *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t total = self->candidates.points.count;
    size_t count = total < OPEVO_I_QGP_FIELD ? total : OPEVO_I_QGP_FIELD;

    for (size_t i = 0; i < total; i++)
        self->order[i] = i;
    select_largest(self->scores, self->order, total, count);
    self->field.count = 0;
    for (size_t i = 0; i < count; i++) {
        self->field_numbers[i] = self->candidates.numbers[self->order[i]];
        OPEVO_TRY(
            opevo_i_qgp_points_copy(&self->field, &self->candidates.points, self->order[i], err));
    }
    for (size_t s = 0; s < self->models && count > 0; s++)
        OPEVO_TRY(
            opevo_i_qgp_gaussian_watch(self->gaussians[s], points_of(self, s), &self->field, err));
cleanup:
    return status;
}

/* Look at all candidates, and follow the best of them. */
static opevo_status refresh(opevo_i_qgp *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index parents[OPEVO_I_POOL_PARENTS];
    double fitness[OPEVO_I_POOL_PARENTS];
    size_t count =
        opevo_i_qgp_training_set_best(&self->observed, OPEVO_I_POOL_PARENTS, parents, fitness);
    size_t total = 0;

    OPEVO_TRY(opevo_i_qgp_candidates_refresh(&self->candidates, parents, fitness, count, &self->rng,
                                             err));
    total = self->candidates.points.count;
    OPEVO_NEED(
        opevo_reserve((void **)&self->scores, &self->score_capacity, total, sizeof *self->scores) &&
            opevo_reserve((void **)&self->order, &self->order_capacity, total, sizeof *self->order),
        "scoring %zu candidates", total);
    for (size_t s = 0; s < self->models; s++) {
        OPEVO_TRY(opevo_i_qgp_gaussian_condition(self->gaussians[s], points_of(self, s), err));
        opevo_i_qgp_gaussian_target(self->gaussians[s], targets_of(self, s));
    }
    for (size_t first = 0; first < total; first += OPEVO_I_QGP_FIELD)
        OPEVO_TRY(score_block(self, first,
                              total - first < OPEVO_I_QGP_FIELD ? total - first : OPEVO_I_QGP_FIELD,
                              err));
    OPEVO_TRY(choose_field(self, err));
    opevo_i_qgp_feasibility_restart(self->success);
    OPEVO_TRY(opevo_i_qgp_feasibility_follow(self->success, &self->field, self->probability, err));
    self->known = self->refreshed = self->observed.own.count;
    self->refreshed_best = self->observed.best;
cleanup:
    if (status != OPEVO_OK)
        self->field.count = 0; /* so that another is chosen */
    return status;
}

static bool is_due(const opevo_i_qgp *self, bool drawn)
{
    size_t left = 0;

    for (size_t j = 0; j < self->field.count; j++)
        left += !opevo_i_qgp_candidates_taken(&self->candidates, self->field_numbers[j]);
    return drawn || left == 0 ||
           (!self->candidates.listed &&
            (self->observed.best > self->refreshed_best ||
             self->observed.own.count >= self->refreshed + POOL_TRIALS));
}

opevo_status opevo_i_qgp_update(opevo_i_qgp *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool draw = (double)self->observed.own.count >= growth * (double)self->fitted;
    bool fit = opevo_i_qgp_feasibility_has_failures(self->success) &&
               (draw || (double)self->told >= growth * (double)self->told_fitted);

    opevo_i_qgp_training_set_transform(&self->observed, opevo_i_qgp_offset(self));
    if (draw)
        OPEVO_TRY(draw_levels(self, err));
    if (fit) {
        OPEVO_TRY(opevo_i_qgp_feasibility_fit(self->success, &self->rng, err));
        self->told_fitted = self->told;
    }
    if (is_due(self, draw || fit))
        return refresh(self, err);
    for (size_t s = 0; s < self->models; s++) {
        for (size_t i = self->known; i < self->observed.own.count; i++)
            OPEVO_TRY(opevo_i_qgp_gaussian_append(self->gaussians[s], points_of(self, s),
                                                  &self->field, err));
        opevo_i_qgp_gaussian_target(self->gaussians[s], targets_of(self, s));
    }
    self->known = self->observed.own.count;
    OPEVO_TRY(opevo_i_qgp_feasibility_follow(self->success, &self->field, self->probability, err));
cleanup:
    if (status != OPEVO_OK)
        self->field.count = 0; /* some models may know more than others */
    return status;
}

size_t opevo_i_qgp_best_of_field(opevo_i_qgp *self)
{
    size_t count = self->field.count;
    size_t chosen = count;
    double largest = -1;

    for (size_t j = 0; j < count; j++)
        self->scores[j] = 0;
    for (size_t s = 0; s < self->models && count > 0; s++) {
        if (!is_asked(self, s))
            continue;
        opevo_i_qgp_gaussian_read(self->gaussians[s], self->mean, self->deviation);
        for (size_t j = 0; j < count; j++)
            self->scores[j] +=
                (double)self->probability[j] *
                improvement((double)self->mean[j], (double)self->deviation[j], bar_of(self));
    }
    for (size_t j = 0; j < count; j++) {
        if (self->scores[j] > largest &&
            !opevo_i_qgp_candidates_taken(&self->candidates, self->field_numbers[j])) {
            largest = self->scores[j];
            chosen = j;
        }
    }
    return chosen;
}

opevo_status opevo_i_qgp_believe(opevo_i_qgp *self, size_t chosen, opevo_error *err)
{
    opevo_status status =
        opevo_i_qgp_training_set_expect(&self->observed, self->field_numbers[chosen], err);

    for (size_t s = 0; s < self->models && status == OPEVO_OK; s++)
        status =
            opevo_i_qgp_gaussian_append(self->gaussians[s], points_of(self, s), &self->field, err);
    return status;
}

void opevo_i_qgp_forget(opevo_i_qgp *self, size_t known)
{
    for (size_t s = 0; s < self->models; s++)
        opevo_i_qgp_gaussian_retract(self->gaussians[s],
                                     known + (remembers(self, s) ? self->observed.earlier : 0));
    opevo_i_qgp_training_set_retract(&self->observed, known);
}
