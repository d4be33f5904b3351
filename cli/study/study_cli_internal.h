/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of `opevo study` share. */

#ifndef OPEVO_STUDY_CLI_INTERNAL_H
#define OPEVO_STUDY_CLI_INTERNAL_H

#include "evolver_of_call_internal.h"
#include "objective_spec_internal.h"
#include "shard_internal.h"

#include <opevo/sha256.h>
#include <opevo/study_until.h>

/* ---- Objectives (study_objectives.c) ---- */

typedef struct opevo_i_cli_opened {
    opevo_plan_objective named; /* borrowed from the plan */
    opevo_study_objective given;
    opevo_note_texts texts; /* what its note points to */
    opevo_evolver *evolver; /* of edits, whose objective it is; NULL: the objective is itself */
} opevo_i_cli_opened;

/* The study of a plan, which it takes, so that *plan is NULL, and its objectives, which the caller
 * closes when it has destroyed the study; those of a failure are there as well.
 *
 *   verb  which runs them: the workers of each are asked for their device, and rest until they have
 *         work; NULL: nothing is run */
opevo_status opevo_i_cli_open_study(const char *path, opevo_plan **plan, const opevo_verb *verb,
                                    opevo_i_cli_opened **opened, size_t *count, opevo_study **out,
                                    opevo_error *err);
void opevo_i_cli_close_objectives(opevo_i_cli_opened *opened, size_t count);
/* Whether it is a program, and whether the plan says what its result is. */
bool opevo_i_cli_opened_is_program(const opevo_i_cli_opened *opened);
bool opevo_i_cli_opened_has(const opevo_i_cli_opened *opened, const char *option);

/* ---- Printing (study_print.c) ---- */

typedef struct opevo_i_cli_study_call {
    opevo_study *study;
    const opevo_i_cli_opened *opened; /* the objectives of the plan */
    size_t opened_count;
    const char *store; /* as given */
    opevo_text path;   /* of the share */
    opevo_shard shard;
    opevo_text by; /* who said so */
    bool json;
    bool until;                           /* add seeds until all pairs are resolved */
    uint64_t most;                        /* seeds of a combination */
    double alpha;                         /* probability that a pair is ever resolved by chance */
    char registration[OPEVO_SHA256_SIZE]; /* its hash, of a dry run */
} opevo_i_cli_study_call;

/* Say on stderr where a tuner leaves some of the workers of an objective idle. */
void opevo_i_cli_study_tell_idle(const opevo_study *study);
void opevo_i_cli_study_print_head(const opevo_i_cli_study_call *self, opevo_text *out);
/* `until`: what was told apart, if the call asks for that. */
void opevo_i_cli_study_print_result(const opevo_i_cli_study_call *self,
                                    const opevo_study_result *result,
                                    const opevo_until_result *until, opevo_text *out);
void opevo_i_cli_study_print_estimate(const opevo_i_cli_study_call *self,
                                      const opevo_study_estimate *estimate, unsigned threads,
                                      opevo_text *out);
/* `fruitless`: measured runs of the plan that ended without a success. */
void opevo_i_cli_study_print_merge(const opevo_i_cli_study_call *self,
                                   const opevo_merge_result *result, uint64_t fruitless,
                                   size_t sources, opevo_text *out);
/* Which pairs are resolved, and by how many seeds; in JSON as a member "until" (until_print.c). */
void opevo_i_cli_study_print_until(const opevo_i_cli_study_call *self,
                                   const opevo_until_result *until, opevo_text *out);
/* How many seeds it takes to see a probability of superiority, as one of so many comparisons. */
opevo_status opevo_i_cli_study_print_size(double superiority, uint64_t comparisons, bool json,
                                          opevo_text *out, opevo_error *err);

#endif
