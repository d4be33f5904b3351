/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `gbfs-reference`: G-BFS as the authors of OpEvo ran it.
 *
 * Source: NNI, examples/trials/systems_auto_tuning/opevo/src/algorithms/gbfs.py. It differs from
 * `gbfs` in this:
 * - G1: two factorisations never compare equal there, so no state counts as visited. A neighbour
 *   that was visited enters the queue again and is expanded again.
 * - An expansion is served from its end (a list used as a stack).
 * - With up to rho neighbours all are taken, in the order of the list.
 *
 * Of its other defects, these cannot show here: G2, the program ends when all sampled neighbours
 * were visited (G1 keeps that from happening; a point without any neighbour ended it, and restarts
 * here); G3, after a trial that reports nothing it serves no more (here every trial has an
 * outcome); G4, minimising ranks a failure best (fitness is maximised); G5, time a trial grows with
 * the trials (a heap here).
 *
 * Deliberate deviations: a repeat is answered from memory and is not a trial, where it cost the
 * authors one; after 1024 repeats in a row, which means that the states near the best are
 * exhausted, the queue is emptied and the search starts over at a uniform new point; a forbidden
 * neighbour is dropped. */

#include "gbfs_internal.h"

static opevo_status create(const opevo_space *space, const opevo_setting_value *settings,
                           const opevo_rng *rng, opevo_tuner **out, opevo_error *err)
{
    return opevo_i_gbfs_create(space, settings, rng, true, out, err);
}

const opevo_tuner_ops opevo_i_gbfs_reference_ops = {
    .name = "gbfs-reference",
    .summary = "G-BFS as the authors of OpEvo ran it: visited states are proposed again",
    .source = "NNI, examples/trials/systems_auto_tuning/opevo/src/algorithms/gbfs.py",
    .settings = opevo_i_gbfs_settings,
    .setting_count = OPEVO_I_GBFS_SETTING_COUNT,
    .create = create,
    .ask = opevo_i_gbfs_ask,
    .tell = opevo_i_gbfs_tell,
    .destroy = opevo_i_gbfs_destroy,
    .observe = opevo_i_gbfs_observe,
};
