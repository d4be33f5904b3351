/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The successes that the models are fitted to: those of this run, in the order told, and before
 * them some of earlier runs, which a model may know or not. Their targets are
 *
 *     z = log(fitness / best + offset),   best: of the run that the point was measured in,
 *
 * so what is learned from another run is which points are good, and not how good. A model of the
 * better half is told clipped targets instead, for this run's points,
 *
 *     z = log(max(fitness, median) / best + offset),
 *
 * with the lower median of this run's successes.
 *
 * Outcomes, failures among them, are passed on to the feasibility model. */

#ifndef OPEVO_TRAINING_SET_INTERNAL_H
#define OPEVO_TRAINING_SET_INTERNAL_H

#include <opevo/tuner.h>

#include "feasibility_internal.h"

enum { OPEVO_I_EARLIER_MOST = 256 /* trials of earlier runs that are kept */ };

typedef struct opevo_i_qgp_training_set {
    opevo_i_qgp_walk_kernel *kernel;
    opevo_i_qgp_points own; /* of this run, run 0 of the kernel */
    opevo_i_qgp_points all; /* of earlier runs, then own; empty without earlier runs */
    size_t earlier;         /* of earlier runs */
    opevo_index *numbers;   /* as all, like those that follow */
    double *fitness, *z;
    double *clipped; /* as own */
    size_t number_capacity, fitness_capacity, z_capacity, clipped_capacity;
    double best;        /* of this run */
    opevo_index *ahead; /* the points of earlier runs, from the largest z on */
} opevo_i_qgp_training_set;

/* `kernel` must outlive it. Errors: NOMEM. */
opevo_status opevo_i_qgp_training_set_init(opevo_i_qgp_training_set *self,
                                           opevo_i_qgp_walk_kernel *kernel, opevo_error *err);
void opevo_i_qgp_training_set_clear(opevo_i_qgp_training_set *self);

/* How many runs trials belong to: each number that is not larger than the one before begins one. */
size_t opevo_i_qgp_training_set_runs(const opevo_trial *trials, size_t count);
/* Trials of earlier runs, before any of this: runs 1, 2, ... of the kernel. Where they are more
 * than OPEVO_I_EARLIER_MOST, each run has an equal share, at least one: half of it its best, half
 * spread evenly over the ranks of the others. Errors: NOMEM. Cost: sorting. */
opevo_status opevo_i_qgp_training_set_learn(opevo_i_qgp_training_set *self,
                                            opevo_i_qgp_feasibility *success,
                                            const opevo_trial *trials, size_t count, double offset,
                                            opevo_error *err);

/* An outcome of this run; a fitness of 0 is a failure. Errors: NOMEM. */
opevo_status opevo_i_qgp_training_set_tell(opevo_i_qgp_training_set *self,
                                           opevo_i_qgp_feasibility *success, opevo_index point,
                                           double fitness, opevo_error *err);
/* Both targets of this run's points, which change with its best and its median. Cost: n. */
void opevo_i_qgp_training_set_transform(opevo_i_qgp_training_set *self, double offset);
/* The best of this run, at most `most`, the best first, of equals the one told first;
 * their number. */
size_t opevo_i_qgp_training_set_best(const opevo_i_qgp_training_set *self, size_t most,
                                     opevo_index *points, double *fitness);

/* A point of this run whose outcome is not known yet, without a target; and forget all after the
 * first `count` of this run. Errors: NOMEM. */
opevo_status opevo_i_qgp_training_set_expect(opevo_i_qgp_training_set *self, opevo_index point,
                                             opevo_error *err);
void opevo_i_qgp_training_set_retract(opevo_i_qgp_training_set *self, size_t count);

#endif
