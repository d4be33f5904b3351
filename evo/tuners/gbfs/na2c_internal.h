/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What `na2c`, `na2c-reference` and `na2c-uniform` share. */

#ifndef OPEVO_NA2C_INTERNAL_H
#define OPEVO_NA2C_INTERNAL_H

#include <opevo/tuner.h>

#include "actor_critic_internal.h"

typedef enum opevo_i_gbfs_na2c_kind {
    OPEVO_I_NA2C_PUBLISHED,
    OPEVO_I_NA2C_REFERENCE,
    OPEVO_I_NA2C_UNIFORM
} opevo_i_gbfs_na2c_kind;

/* A row each: the states to collect, the steps of an episode, the probability of a random move,
 * and, for the reference only, the trials at a time. The uniform policy takes the first two. */
enum {
    OPEVO_I_NA2C_STATES,
    OPEVO_I_NA2C_STEPS,
    OPEVO_I_NA2C_EPSILON,
    OPEVO_I_NA2C_CONCURRENCY,
    OPEVO_I_NA2C_SETTING_COUNT
};
extern const opevo_setting opevo_i_gbfs_na2c_settings[OPEVO_I_NA2C_SETTING_COUNT];

opevo_status opevo_i_gbfs_na2c_create(const opevo_space *space, const opevo_setting_value *settings,
                                      const opevo_rng *rng, opevo_i_gbfs_na2c_kind kind,
                                      opevo_tuner **out, opevo_error *err);
opevo_status opevo_i_gbfs_na2c_ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                                   size_t *count, opevo_error *err);
opevo_status opevo_i_gbfs_na2c_observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                       opevo_error *err);
opevo_status opevo_i_gbfs_na2c_tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                    opevo_error *err);
void opevo_i_gbfs_na2c_destroy(opevo_tuner *tuner);

/* Where the authors' program puts rewards, its defect N3: a completed trial is taken out of the
 * list of those that are not, and its fitness put where it stood in that list; all else is 0. So
 * they are right only for completions from the last to the first.
 *
 *   order    the numbers 0 .. count - 1 as they complete
 *   fitness  count
 *   rewards  out: count
 *
 * Hook of tests. */
void opevo_i_gbfs_na2c_misplace_rewards(const size_t *order, const double *fitness, size_t count,
                                        double *rewards);

#endif
