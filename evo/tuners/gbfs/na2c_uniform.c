/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `na2c-uniform`: the episodes of `na2c` with every move uniform: no network and nothing learned.
 * The control of N-A2C: what it does not do better than this, its network does not contribute.
 *
 * Source: none; `na2c` with epsilon = 1, and without the cost of a network. */

#include "na2c_internal.h"

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_gbfs_na2c_create(space, settings, rng, OPEVO_I_NA2C_UNIFORM, out, err);
}

const opevo_tuner_ops opevo_i_na2c_uniform_ops = {
    .name = "na2c-uniform",
    .summary = "the episodes of na2c with uniform moves: the control of its network",
    .source = "a control for N-A2C; no publication",
    .settings = opevo_i_gbfs_na2c_settings,
    .setting_count = OPEVO_I_NA2C_EPSILON,
    .works_on_branches = true,
    .create = create,
    .ask = opevo_i_gbfs_na2c_ask,
    .tell = opevo_i_gbfs_na2c_tell,
    .destroy = opevo_i_gbfs_na2c_destroy,
    .observe = opevo_i_gbfs_na2c_observe,
};
