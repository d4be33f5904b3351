/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The trials of one run as a page needs them, taken one after the other, so that a run which goes
 * on is read once: a sample of the trials, the front, and the generation at hand. */

#ifndef OPEVO_RUN_DIGEST_INTERNAL_H
#define OPEVO_RUN_DIGEST_INTERNAL_H

#include "nsga2_pool_internal.h"

#include <opevo/front.h>
#include <opevo/store.h>

enum { OPEVO_I_DIGEST_TOP = 8, OPEVO_I_DIGEST_RECENT = 32 };

/* The generation of the tuner `opevo` that the next trial belongs to (evo/tuners/opevo/opevo.c). */
typedef struct opevo_i_cli_generation {
    bool known; /* the run has generations, and parents that its trials tell */
    size_t lambda, rho;
    double q;
    uint64_t number;             /* 0: the first, which is not bred */
    uint64_t observed;           /* trials that were given, before those that it proposed */
    bool is_given;               /* so far all trials were */
    uint64_t next;               /* last trial of the generation */
    opevo_trial *best, *parents; /* lambda of each, fittest first */
    size_t best_count, parent_count;
} opevo_i_cli_generation;

/* That of the tuner `nsga2`. */
typedef struct opevo_i_cli_breeding {
    bool known;
    opevo_i_nsga2_replay replay;
} opevo_i_cli_breeding;

typedef struct opevo_i_cli_run_digest {
    int64_t run;
    char *unit;
    opevo_space *space; /* NULL: the run searched none that can be made here */
    uint64_t read;      /* trials taken */
    /* In order: the 1st and each `stride`-th after it, each that was better than all before, and
     * the best of different points. Origins live as long as the store. */
    opevo_trial *trials;
    size_t count, capacity;
    size_t most; /* roughly */
    uint64_t stride;
    double best;
    opevo_trial top[OPEVO_I_DIGEST_TOP]; /* the best first */
    size_t top_count;
    opevo_trial recent[OPEVO_I_DIGEST_RECENT];     /* trial i at (i - 1) % OPEVO_I_DIGEST_RECENT */
    opevo_criterion criteria[OPEVO_CRITERIA_MOST]; /* strings live as long as the store */
    size_t criterion_count;                        /* 0: the front is empty */
    opevo_front front;
    opevo_front_box box;
    opevo_i_cli_generation generation;
    opevo_i_cli_breeding evolution;
} opevo_i_cli_run_digest;

/* Of the run without its trials. Release with opevo_i_cli_run_digest_free, also on failure. Errors:
 * those of the store; NOMEM. */
opevo_status opevo_i_cli_run_digest_start(opevo_store *store, const opevo_run_info *info,
                                          size_t most, opevo_i_cli_run_digest *out,
                                          opevo_error *err);
/* Take trials that the store has beyond those taken, up to `pieces` of 256; *all says whether none
 * is left. Errors: those of the store; NOMEM. */
opevo_status opevo_i_cli_run_digest_read(opevo_i_cli_run_digest *self, opevo_store *store,
                                         size_t pieces, bool *all, opevo_error *err);
/* Whether it has every trial that was taken. */
bool opevo_i_cli_run_digest_is_whole(const opevo_i_cli_run_digest *self);
void opevo_i_cli_run_digest_free(opevo_i_cli_run_digest *self);

/* ---- run_generation.c ---- */

/* From the tuner and the settings of a run. Errors: NOMEM. */
opevo_status opevo_i_cli_generation_start(const char *tuner, const char *settings,
                                          opevo_i_cli_generation *out, opevo_error *err);
void opevo_i_cli_generation_add(opevo_i_cli_generation *self, const opevo_trial *trial);
void opevo_i_cli_generation_free(opevo_i_cli_generation *self);
/* The member "law": the exact law of a child of the parents for each parameter, before duplicates
 * are handled; null where it is not known or has too many values. Errors: those of the law. */
opevo_status opevo_i_cli_generation_print(const opevo_i_cli_generation *self,
                                          const opevo_space *space, opevo_text *out,
                                          opevo_error *err);
/* The member "recent": what the last trials had in common. */
void opevo_i_cli_recent_print(const opevo_i_cli_run_digest *self, opevo_store *store,
                              opevo_text *out);

/* ---- run_evolution.c ---- */

/* From the tuner and the settings of a run, whose unit and criteria the digest has. Errors:
 * NOMEM. */
opevo_status opevo_i_cli_breeding_start(const opevo_i_cli_run_digest *run, const char *tuner,
                                        const char *settings, opevo_i_cli_breeding *out,
                                        opevo_error *err);
opevo_status opevo_i_cli_breeding_add(opevo_i_cli_breeding *self, const opevo_trial *trial,
                                      opevo_error *err);
void opevo_i_cli_breeding_free(opevo_i_cli_breeding *self);
/* The member "evolution": the exact law of a parent, by candidates, by their parts and by values of
 * parameters; null before the first generation that is bred. Errors: NOMEM. */
opevo_status opevo_i_cli_breeding_print(const opevo_i_cli_run_digest *run, opevo_store *store,
                                        opevo_text *out, opevo_error *err);

#endif
