/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What asks, recalls, settles, stores and tells the trials of a session, whether they are evaluated
 * here (run.c) or by the caller (session_ask_tell.c).
 *
 * The trials that the tuner has been asked for and not yet told stand in a queue, in the order of
 * their numbers, which follow each other: those from `first` to `settled` are counted and stored,
 * those to `end` are not. */

#ifndef OPEVO_SESSION_INTERNAL_H
#define OPEVO_SESSION_INTERNAL_H

#include "workers_since_internal.h"

#include <opevo/run.h>

/* What belongs to a trial of the queue beside the trial. */
typedef struct opevo_i_session_slot {
    bool known;    /* its outcome is there */
    bool fresh;    /* told by the call at work */
    bool resumed;  /* by the store, out of order */
    char *message; /* of the outcome, where the session owns them */
    double *samples_s;
} opevo_i_session_slot;

struct opevo_session {
    opevo_objective *objective;
    opevo_run_options options;
    opevo_run_result result;
    bool ended;  /* a limit is reached, or the run was interrupted */
    bool failed; /* a step failed */
    opevo_tuner *tuner;
    bool stored_remain; /* the store may hold trials that are not yet told */
    size_t batch;
    opevo_proposal *proposals;   /* `batch` of them */
    opevo_trial *trials;         /* the queue */
    opevo_i_session_slot *slots; /* one for each of them */
    size_t trial_capacity, slot_capacity;
    size_t first, settled, end;
    /* session_starts.c: points of trials 1 and following, and how many of them the tuner is
     * told. */
    opevo_proposal *starts;
    size_t start_count, starts_asked, starts_told;
    /* run.c: of a batch that is computed. */
    opevo_index *points;
    opevo_outcome *outcomes;
    size_t begun;    /* where in the queue the trials stand that are evaluated, or are to be */
    uint64_t until;  /* the trial with which the step ends */
    uint64_t *given; /* numbers of the trials that are measured, in the order given */
    size_t given_capacity, given_count;
    /* Outcomes told or measured ahead of their turn to a session before this one, in the order of
     * their numbers. */
    opevo_trial *early;
    opevo_i_session_slot *early_slots;
    size_t early_capacity, early_slot_capacity, early_count, early_next;
    opevo_i_workers_since workers;
};

/* ---- session_queue.c ---- */

void opevo_i_session_stop(opevo_session *self, opevo_stop stop);
/* Ask the tuner for at most so many trials, and no more than a batch, and put them at the end of
 * the queue. */
opevo_status opevo_i_session_ask(opevo_session *self, uint64_t most, opevo_error *err);
/* Take the outcomes of trials of the queue from place `from` on out of the store, as far as it has
 * them; *known is the place of the first that it has not. */
opevo_status opevo_i_session_recall(opevo_session *self, size_t from, size_t *known,
                                    opevo_error *err);
/* That of the store and that of the tuner are two: MISMATCH. */
opevo_status opevo_i_session_fail_mismatch(const opevo_session *self, const opevo_trial *stored,
                                           const opevo_trial *expected, opevo_error *err);
/* Count trials of the queue, as far as `until` or to one that ends the run. */
void opevo_i_session_settle(opevo_session *self, size_t until);
/* Show the trials from place `from` on that are settled. */
void opevo_i_session_show(opevo_session *self, size_t from, bool resumed);
/* Settle as above, store what is not there yet, and show it. */
opevo_status opevo_i_session_take(opevo_session *self, size_t until, bool resumed,
                                  opevo_error *err);
/* Tell the tuner what is settled, and take it out of the queue. */
opevo_status opevo_i_session_pass_on(opevo_session *self, opevo_error *err);
/* The end of what can be settled: all before it is known. */
size_t opevo_i_session_known_until(const opevo_session *self);
/* Nothing is known of the slot any more. */
void opevo_i_session_slot_clear(opevo_i_session_slot *slot);
/* Copy the samples and the message of the outcome into the slot, and let the outcome point to them.
 * False, with nothing kept, without memory. */
bool opevo_i_session_slot_keep(opevo_i_session_slot *slot, opevo_outcome *outcome);

/* ---- session_early.c: what is known out of order ---- */

/* Read what the store has of that. */
opevo_status opevo_i_session_read_early(opevo_session *self, opevo_error *err);
/* Take those outcomes for trials from place `from` on. */
opevo_status opevo_i_session_recall_early(opevo_session *self, size_t from, opevo_error *err);
void opevo_i_session_free_early(opevo_session *self);

/* ---- session_starts.c ---- */

/* Take the start points that the run has in the store, or else those offered. */
opevo_status opevo_i_session_take_starts(opevo_session *self, opevo_error *err);
/* The next proposals: start points, none while the outcomes of those are not known, and then the
 * tuner's. */
opevo_status opevo_i_session_propose(opevo_session *self, size_t capacity, size_t *count,
                                     opevo_error *err);
/* Tell the tuner outcomes, of start points as observed. */
opevo_status opevo_i_session_tell(opevo_session *self, const opevo_trial *trials, size_t count,
                                  opevo_error *err);
/* Whether proposals were asked for and not told. */
bool opevo_i_session_waits(const opevo_session *self);

/* ---- session_ask_tell.c ---- */

/* Tell the tuner what the store has of the run, and read what was told out of order. */
opevo_status opevo_i_session_resume(opevo_session *self, opevo_error *err);

#endif
