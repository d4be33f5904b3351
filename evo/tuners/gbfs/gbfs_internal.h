/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What `gbfs` and `gbfs-reference` share. */

#ifndef OPEVO_GBFS_INTERNAL_H
#define OPEVO_GBFS_INTERNAL_H

#include <opevo/tuner.h>

enum { OPEVO_I_GBFS_SETTING_COUNT = 1 };
extern const opevo_setting opevo_i_gbfs_settings[OPEVO_I_GBFS_SETTING_COUNT];

/* `reference`: expand what was visited before, and serve an expansion from its end. */
opevo_status opevo_i_gbfs_create(const opevo_space *space, const opevo_setting_value *settings,
                                 const opevo_rng *rng, bool reference, opevo_tuner **out,
                                 opevo_error *err);
opevo_status opevo_i_gbfs_ask(opevo_tuner *tuner, opevo_proposal *proposals, size_t capacity,
                              size_t *count, opevo_error *err);
opevo_status opevo_i_gbfs_observe(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                                  opevo_error *err);
opevo_status opevo_i_gbfs_tell(opevo_tuner *tuner, const opevo_trial *trials, size_t count,
                               opevo_error *err);
void opevo_i_gbfs_destroy(opevo_tuner *tuner);

/* States that were generated again after they were visited; 0 for `gbfs`. Hook of tests. */
uint64_t opevo_i_gbfs_repeats(const opevo_tuner *tuner);

#endif
