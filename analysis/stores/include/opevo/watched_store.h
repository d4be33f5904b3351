/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A store that is read while others write it: what each run has come to, kept in memory and brought
 * up to date with what is new. The store may not exist yet, end, be moved away and come back. */

#ifndef OPEVO_WATCHED_STORE_H
#define OPEVO_WATCHED_STORE_H

#include <opevo/store.h>

OPEVO_BEGIN_C

typedef struct opevo_watched_failure {
    uint64_t count, trial; /* trial: number of the first */
    char *message;         /* of the first; NULL without one */
} opevo_watched_failure;

/* A trial that was better than all before. */
typedef struct opevo_watched_step {
    uint64_t trial;
    double fitness;
} opevo_watched_step;

/* Two earlier moments, by which a pace is estimated. */
typedef struct opevo_watched_pace {
    double then_s, last_s; /* of the monotonic clock; 0: none */
    uint64_t then, last;   /* what was done then */
} opevo_watched_pace;

typedef struct opevo_watched_run {
    int64_t run;
    char *objective, *tuner, *settings, *unit, *started, *version, *on,
        *stop; /* as opevo_run_info */
    uint64_t seed, signature;
    double optimum;
    uint64_t wanted; /* trials that it was asked for; 0: unknown */
    bool shared;     /* these are those of several tasks together */
    bool described;  /* the members above are known */
    bool planned;
    uint64_t stored, trials; /* in the store, and read of them */
    uint64_t failed;
    double cost_s;
    opevo_watched_failure failures[OPEVO_OUTCOME_CLASS_COUNT]; /* of OK: none */
    opevo_watched_step *steps;                                 /* in order */
    size_t step_count, step_capacity;
    opevo_index best_point;
    opevo_watched_pace pace;
} opevo_watched_run;

typedef struct opevo_watched_store {
    char *path;
    opevo_store *store; /* NULL: it cannot be read, `trouble` says why */
    opevo_error trouble;
    opevo_watched_run *runs; /* in order of their numbers */
    size_t count, capacity;
    uint64_t version; /* grows with each change of what is here */
    uint64_t opened;  /* how often it was opened: strings of the store are those of the last time */
    bool behind;      /* the store has more than was read */
    uint64_t trials;  /* read of all runs */
    opevo_watched_pace pace, pace_of_runs;
    /* For the look. */
    uint64_t device, inode;
    int64_t changes;
} opevo_watched_store;

/* Errors: NOMEM. */
opevo_status opevo_watched_store_create(const char *path, opevo_watched_store **out,
                                        opevo_error *err);
void opevo_watched_store_destroy(opevo_watched_store *self);

/* Read what is new, for about `seconds` at most; `behind` says whether more is left. A store that
 * cannot be read is tried again at the next look. Errors: NOMEM.
 * Cost: without a change that of stat() and one question to the store, else O(runs + new
 * trials). */
opevo_status opevo_watched_store_look(opevo_watched_store *self, double seconds, opevo_error *err);

/* The run of that number; NULL for an unknown number. */
const opevo_watched_run *opevo_watched_store_find(const opevo_watched_store *self, int64_t run);
/* Fitness of the best trial among the first `trials`; 0 without a success. */
double opevo_watched_run_best(const opevo_watched_run *run, uint64_t trials);
/* Whether it has begun and not ended. */
bool opevo_watched_run_is_open(const opevo_watched_run *run);
/* Done per second over the last half minute to a minute; NAN if unknown. */
double opevo_watched_pace_of(const opevo_watched_pace *pace, uint64_t done);
/* Seconds until `wanted` at that pace; NAN if unknown. */
double opevo_watched_left_s(const opevo_watched_pace *pace, uint64_t done, uint64_t wanted);

OPEVO_END_C

#endif
