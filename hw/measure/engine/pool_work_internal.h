/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One run of a pool: the loop (pool.c), who is given what (pool_dispatch.c), and what became of it
 * (pool_events.c), by what a language understands. */

#ifndef OPEVO_POOL_WORK_INTERNAL_H
#define OPEVO_POOL_WORK_INTERNAL_H

#include "pool_internal.h"

struct opevo_i_engine_work {
    opevo_i_engine_pool *pool;
    const opevo_i_engine_source *source; /* NULL: nothing is done */
    opevo_i_engine_task *first, *last;   /* those that are not done, in order */
    size_t left, open;                   /* how many, and how many of them are OPEN */
    bool exhausted;                      /* the source has nothing before another task is done */
    bool over;                           /* nor afterwards */
    double look_s;                       /* when a worker without work may repeat something */
    size_t from, to;                     /* the workers that may be used */
    bool alone;                          /* that one, and no other */
    bool lacking;                        /* because this host lacks something */
    bool refused;        /* by its own words, before any task; `lost` is what it said */
    bool unable;         /* and its host is why */
    opevo_status status; /* of what was heard */
    opevo_error *err;
};

#define OPEVO_I_MEND "fix that (free disk space, memory or processes), then repeat the command"

/* ---- pool_dispatch.c ---- */

/* Give workers with room what they may have, and pull tasks from the source for that. Errors:
 * NOMEM; those of the source. */
opevo_status opevo_i_engine_work_dispatch(opevo_i_engine_work *work, opevo_error *err);
/* The task is done, and goes back to the source; whoever else has it drops it. */
void opevo_i_engine_work_finish(opevo_i_engine_work *work, opevo_i_engine_task *task);
/* The errand is over. */
void opevo_i_engine_work_remove(opevo_i_engine_connection *worker, opevo_i_engine_errand *errand);
/* A worker has the task no more; it is open again where no other has it. */
void opevo_i_engine_work_put_back(opevo_i_engine_work *work, opevo_i_engine_task *task);

/* ---- pool_launch.c: where there is a launcher ---- */

/* Start it where it is needed, and give places to workers that have connected. */
void opevo_i_engine_work_admit(opevo_i_engine_work *work);
/* Returns INTERRUPTED, with what the launcher said if it is waited for. */
opevo_status opevo_i_engine_work_interrupted(const opevo_i_engine_work *work, opevo_error *err);
/* Errors: IO or FAULT, where no worker is there and none may come. */
opevo_status opevo_i_engine_work_hope(const opevo_i_engine_work *work, opevo_error *err);

/* ---- pool_hosts.c: of workers that connect ---- */

/* The worker was lost, or its host failed; it has a result. */
void opevo_i_engine_pool_note_trouble(opevo_i_engine_pool *pool, size_t worker);
void opevo_i_engine_pool_note_result(opevo_i_engine_pool *pool, size_t worker);
/* Hold a worker that has greeted, where its host has had troubles again and again while another one
 * works. False: it is to be set up. */
bool opevo_i_engine_pool_hold(opevo_i_engine_pool *pool, size_t worker);
void opevo_i_engine_pool_set_up(opevo_i_engine_pool *pool, size_t worker);
/* Set up those that are held no longer. */
void opevo_i_engine_pool_release(opevo_i_engine_pool *pool);

/* ---- pool_events.c: for languages ---- */

/* The errand of this number, or the first; NULL: it has none. */
opevo_i_engine_errand *opevo_i_engine_work_find(opevo_i_engine_work *work, size_t worker,
                                                int64_t id);
opevo_i_engine_errand *opevo_i_engine_work_started(opevo_i_engine_work *work, size_t worker);
/* It is set up. */
void opevo_i_engine_work_ready(opevo_i_engine_work *work, size_t worker);
/* It begins with an errand; false: it may not. */
bool opevo_i_engine_work_start(opevo_i_engine_work *work, size_t worker,
                               opevo_i_engine_errand *errand);
/* It has a result, which the task has already. */
void opevo_i_engine_work_result(opevo_i_engine_work *work, size_t worker,
                                opevo_i_engine_errand *errand);
/* It has a failure as its result. True: that is not believed, as another has the task at the same
 * time, which may have been in the way, or as the worker `ends` with it, and its device may be in
 * trouble; the next result counts. */
bool opevo_i_engine_work_doubts(opevo_i_engine_work *work, size_t worker,
                                opevo_i_engine_errand *errand, bool ends);
/* It has dropped what it was asked to drop. */
void opevo_i_engine_work_dropped(opevo_i_engine_work *work, size_t worker,
                                 opevo_i_engine_errand *errand);
/* Its host failed, as the sentence says: the task goes to it or another after a while. False: the
 * worker is left alone now. */
bool opevo_i_engine_work_fault(opevo_i_engine_work *work, size_t worker,
                               opevo_i_engine_errand *errand, const char *sentence);
/* It cannot go on. `reason` is a clause; what the worker said last is added. */
void opevo_i_engine_work_drop_worker(opevo_i_engine_work *work, size_t worker, const char *reason,
                                     bool at_once);
/* The same by its own words or for them: no fault of what it was at. */
void opevo_i_engine_work_clear_blame(opevo_i_engine_work *work, size_t worker);
/* It ends by itself, and is started anew. */
void opevo_i_engine_work_renew(opevo_i_engine_work *work, size_t worker);

#endif
