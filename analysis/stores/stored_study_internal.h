/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How stores become a study. */

#ifndef OPEVO_STORED_STUDY_INTERNAL_H
#define OPEVO_STORED_STUDY_INTERNAL_H

#include <opevo/stored_study.h>

/* Open the stores (stored_study.c). */
opevo_status opevo_i_stored_open(const opevo_names *paths, opevo_stored_study *data,
                                 opevo_error *err);
void opevo_i_stored_landscape_free(opevo_stored_landscape *row);
void opevo_i_stored_contender_free(opevo_stored_contender *row);

/* Hash of what identifies a run in a store: objective, tuner, settings, seed, budget
 * (study_merge.c). */
uint64_t opevo_i_stored_key(const opevo_run_info *info);
typedef struct opevo_i_stored_keys {
    uint64_t *keys;
    size_t count, capacity;
    bool failed; /* no memory */
} opevo_i_stored_keys;
void opevo_i_stored_keys_add(opevo_i_stored_keys *keys, const opevo_run_info *info);
/* Count the planned runs that no store has begun, given the keys of those that are listed. */
opevo_status opevo_i_stored_plan(opevo_stored_study *data, opevo_i_stored_keys *listed,
                                 opevo_error *err);
/* Of the runs as listed keep those with trials, in the order of their numbers, each once.
 * Errors: MISMATCH if the same run has different trials in two stores; NOMEM. */
opevo_status opevo_i_stored_settle(opevo_stored_study *data, opevo_error *err);

/* List the runs that are wanted, each once (study_list.c). */
opevo_status opevo_i_stored_list(const opevo_stored_study_options *options, opevo_stored_study *out,
                                 opevo_error *err);
/* Contenders that differ in their space files alone become one (study_spaces.c). */
opevo_status opevo_i_stored_merge_spaces(opevo_stored_study *data, opevo_error *err);

/* The place of a registration of the runs, plus 1; 0 where info names none, or without memory
 * (study_standing.c). */
size_t opevo_i_stored_registration(opevo_stored_study *data, const opevo_run_info *info);
/* Read what the registrations of the stores say, and count their runs. */
opevo_status opevo_i_stored_registrations(opevo_stored_study *data, opevo_error *err);
/* Sum up how the runs of each contender on each landscape stand, at the end. Errors: NOMEM. */
opevo_status opevo_i_stored_stand(opevo_stored_study *data, opevo_error *err);
void opevo_i_stored_registrations_free(opevo_stored_study *data);

#endif
