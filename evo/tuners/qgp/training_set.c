/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The successes of this run and of earlier ones, and their targets. */

#include "training_set_internal.h"

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>

#include <gsl/gsl_statistics_double.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

opevo_status opevo_i_qgp_training_set_init(opevo_i_qgp_training_set *self,
                                           opevo_i_qgp_walk_kernel *kernel, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *self = (opevo_i_qgp_training_set){.kernel = kernel};
    OPEVO_TRY(opevo_i_qgp_points_init(&self->own, kernel, err));
    OPEVO_TRY(opevo_i_qgp_points_init(&self->all, kernel, err));
cleanup:
    if (status != OPEVO_OK)
        opevo_i_qgp_training_set_clear(self);
    return status;
}

void opevo_i_qgp_training_set_clear(opevo_i_qgp_training_set *self)
{
    if (self->own.kernel)
        opevo_i_qgp_points_clear(&self->own);
    if (self->all.kernel)
        opevo_i_qgp_points_clear(&self->all);
    opevo_free(self->numbers);
    opevo_free(self->fitness);
    opevo_free(self->z);
    opevo_free(self->clipped);
    opevo_free(self->ahead);
    *self = (opevo_i_qgp_training_set){0};
}

/* ---- This run ---- */

static opevo_status reserve(opevo_i_qgp_training_set *self, size_t count, opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(
        opevo_reserve((void **)&self->numbers, &self->number_capacity, count,
                      sizeof *self->numbers) &&
            opevo_reserve((void **)&self->fitness, &self->fitness_capacity, count,
                          sizeof *self->fitness) &&
            opevo_reserve((void **)&self->z, &self->z_capacity, count, sizeof *self->z) &&
            opevo_reserve((void **)&self->clipped, &self->clipped_capacity, count,
                          sizeof *self->clipped),
        "%zu trials", count);
    return OPEVO_OK;
}

opevo_status opevo_i_qgp_training_set_expect(opevo_i_qgp_training_set *self, opevo_index point,
                                             opevo_error *err)
{
    opevo_status status = opevo_i_qgp_points_add(&self->own, self->kernel, point, 0, err);

    if (status == OPEVO_OK && self->earlier > 0)
        status = opevo_i_qgp_points_add(&self->all, self->kernel, point, 0, err);
    return status;
}

void opevo_i_qgp_training_set_retract(opevo_i_qgp_training_set *self, size_t count)
{
    self->own.count = count;
    self->all.count = self->earlier > 0 ? self->earlier + count : 0;
}

opevo_status opevo_i_qgp_training_set_tell(opevo_i_qgp_training_set *self,
                                           opevo_i_qgp_feasibility *success, opevo_index point,
                                           double fitness, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t count = self->own.count;
    bool ok = fitness > 0;

    OPEVO_TRY(reserve(self, self->earlier + count + 1, err));
    OPEVO_TRY(opevo_i_qgp_training_set_expect(self, point, err));
    OPEVO_TRY(opevo_i_qgp_feasibility_tell(success, &self->own, count, ok, err));
    self->numbers[self->earlier + count] = point;
    self->fitness[self->earlier + count] = fitness;
    self->best = fmax(self->best, fitness);
cleanup:
    if (status != OPEVO_OK || !ok)
        opevo_i_qgp_training_set_retract(self, count);
    return status;
}

void opevo_i_qgp_training_set_transform(opevo_i_qgp_training_set *self, double offset)
{
    size_t count = self->own.count;
    const double *fitness = NULL;
    double median = 0;

    if (count == 0)
        return;
    fitness = self->fitness + self->earlier;
    memcpy(self->clipped, fitness, count * sizeof *fitness);
    median = gsl_stats_select(self->clipped, 1, count, (count - 1) / 2);
    for (size_t i = 0; i < count; i++) {
        self->z[self->earlier + i] = log(fitness[i] / self->best + offset);
        self->clipped[i] = log(fmax(fitness[i], median) / self->best + offset);
    }
}

size_t opevo_i_qgp_training_set_best(const opevo_i_qgp_training_set *self, size_t most,
                                     opevo_index *points, double *fitness)
{
    size_t count = 0;

    for (size_t i = self->earlier; i < self->earlier + self->own.count; i++) {
        size_t at = count < most ? count++ : most;

        for (; at > 0 && fitness[at - 1] < self->fitness[i]; at--) {
            if (at < most) {
                points[at] = points[at - 1];
                fitness[at] = fitness[at - 1];
            }
        }
        if (at < most) {
            points[at] = self->numbers[i];
            fitness[at] = self->fitness[i];
        }
    }
    return count;
}

/* ---- Earlier runs ---- */

typedef struct ranked {
    double value;
    opevo_index point;
    size_t at;
} ranked;

/* The larger first, and of equals the one that came first. */
static int compare_ranked(const void *a, const void *b)
{
    const ranked *x = a;
    const ranked *y = b;

    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Trials of the run that the first of them belongs to. */
static size_t run_length(const opevo_trial *trials, size_t count)
{
    size_t length = 1;

    while (length < count && trials[length].number > trials[length - 1].number)
        length++;
    return length;
}

size_t opevo_i_qgp_training_set_runs(const opevo_trial *trials, size_t count)
{
    size_t runs = 0;

    for (size_t first = 0; first < count; runs++)
        first += run_length(trials + first, count - first);
    return runs;
}

/* Put the share of a run that is kept first, and return its size. The others than the best are
 * those in the middle of equal parts of what is left, by rank. */
static size_t keep_share(ranked *trials, size_t count, size_t share)
{
    size_t best = (share + 1) / 2;

    if (count <= share)
        return count;
    for (size_t i = best; i < share; i++)
        trials[i] = trials[best + (2 * (i - best) + 1) * (count - best) / (2 * (share - best))];
    return share;
}

/* A trial of an earlier run; failures go to the feasibility model only. */
static opevo_status add_earlier(opevo_i_qgp_training_set *self, opevo_i_qgp_feasibility *success,
                                const ranked *trial, size_t run, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t at = self->all.count;
    bool ok = trial->value > 0;

    OPEVO_TRY(reserve(self, at + 1, err));
    OPEVO_TRY(opevo_i_qgp_points_add(&self->all, self->kernel, trial->point, run, err));
    OPEVO_TRY(opevo_i_qgp_feasibility_tell(success, &self->all, at, ok, err));
    self->numbers[at] = trial->point;
    self->fitness[at] = trial->value;
cleanup:
    if (status != OPEVO_OK || !ok)
        self->all.count = at;
    return status;
}

static opevo_status learn_run(opevo_i_qgp_training_set *self, opevo_i_qgp_feasibility *success,
                              const opevo_trial *trials, size_t count, size_t run, size_t share,
                              double offset, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    ranked *order = opevo_malloc(count, sizeof *order);
    size_t first = self->all.count;
    size_t kept = 0;

    OPEVO_NEED_OR_RETURN(order, "learning from %zu trials", count);
    for (size_t i = 0; i < count; i++)
        order[i] = (ranked){trials[i].outcome.fitness, trials[i].proposal.point, i};
    qsort(order, count, sizeof *order, compare_ranked);
    kept = keep_share(order, count, share);
    for (size_t i = 0; i < kept; i++)
        OPEVO_TRY(add_earlier(self, success, &order[i], run, err));
    for (size_t i = first; i < self->all.count; i++)
        self->z[i] = log(self->fitness[i] / self->fitness[first] + offset);
cleanup:
    opevo_free(order);
    return status;
}

static opevo_status sort_earlier(opevo_i_qgp_training_set *self, opevo_error *err)
{
    size_t count = self->all.count;
    ranked *order = opevo_malloc(count, sizeof *order);

    self->ahead = opevo_malloc(count, sizeof *self->ahead);
    if (!order || !self->ahead) {
        opevo_free(order);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to learn from %zu trials.", count);
    }
    for (size_t i = 0; i < count; i++)
        order[i] = (ranked){self->z[i], self->numbers[i], i};
    qsort(order, count, sizeof *order, compare_ranked);
    for (size_t i = 0; i < count; i++)
        self->ahead[i] = order[i].point;
    self->earlier = count;
    opevo_free(order);
    return OPEVO_OK;
}

opevo_status opevo_i_qgp_training_set_learn(opevo_i_qgp_training_set *self,
                                            opevo_i_qgp_feasibility *success,
                                            const opevo_trial *trials, size_t count, double offset,
                                            opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t runs = opevo_i_qgp_training_set_runs(trials, count);
    size_t share = count;
    size_t run = 0;
    size_t length = 0;

    if (count > OPEVO_I_EARLIER_MOST)
        share = runs < OPEVO_I_EARLIER_MOST ? OPEVO_I_EARLIER_MOST / runs : 1;
    for (size_t first = 0; first < count; first += length) {
        length = run_length(trials + first, count - first);
        OPEVO_TRY(learn_run(self, success, trials + first, length, ++run, share, offset, err));
    }
    if (self->all.count > 0)
        status = sort_earlier(self, err);
cleanup:
    return status;
}
