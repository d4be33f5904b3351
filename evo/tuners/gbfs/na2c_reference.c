/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `na2c-reference`: N-A2C as the authors of OpEvo ran it.
 *
 * Source: NNI, examples/trials/systems_auto_tuning/opevo/src/algorithms/na2c.py, and the
 * experiments' setting (6 trials at a time). It differs from `na2c` in this:
 * - N1: the sign of the policy's loss is wrong: what was rewarded becomes less likely.
 * - N2: the advantage is not taken as a constant, so that the policy's loss moves the critic too.
 * - N3: rewards are put into the wrong places, most of them overwritten or left 0, unless outcomes
 *   come in from the last collected point to the first. With `concurrency` above 1 the order in
 *   which trials complete is drawn here, any in flight being equally likely to be next; with 1 the
 *   rewards are right.
 * - The reward is the fitness itself (thousands, in GFLOP/s), not a share of the best.
 * - A round is served from its end.
 *
 * Of its other defects, these are not part of the search: N4, steps make floats of integers,
 * which the compiler behind it refuses; N5, when the neighbourhood of the best point is exhausted
 * it spins for ever (after 1024 episodes it starts over here, as `na2c`); N6, minimising never
 * moves the start (fitness is maximised). Its setting for the hidden units is ignored, and absent
 * here. */

#include "na2c_internal.h"

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_gbfs_na2c_create(space, settings, rng, OPEVO_I_NA2C_REFERENCE, out, err);
}

const opevo_tuner_ops opevo_i_na2c_reference_ops = {
    .name = "na2c-reference",
    .summary = "N-A2C as the authors of OpEvo ran it: it unlearns what was rewarded",
    .source = "NNI, examples/trials/systems_auto_tuning/opevo/src/algorithms/na2c.py",
    .settings = opevo_i_gbfs_na2c_settings,
    .setting_count = OPEVO_I_NA2C_SETTING_COUNT,
    .create = create,
    .ask = opevo_i_gbfs_na2c_ask,
    .tell = opevo_i_gbfs_na2c_tell,
    .destroy = opevo_i_gbfs_na2c_destroy,
    .observe = opevo_i_gbfs_na2c_observe,
};
