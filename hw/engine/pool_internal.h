/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The workers of one objective. Jobs are handed out as workers come free; which worker measured
 * what changes no result's place. A worker that is lost is started again, and what it had in hand
 * is measured elsewhere. */

#ifndef OPEVO_POOL_INTERNAL_H
#define OPEVO_POOL_INTERNAL_H

#include <opevo/interrupt.h>

#include "connection_internal.h"
#include "protocol_internal.h"

typedef struct opevo_i_pool {
    opevo_i_connection *members;
    size_t count;
    const char *kind;     /* of the devices; NULL: any */
    char *setup;          /* the line that sets a worker up; released with free */
    unsigned threads;     /* of a parallel kernel, as the setup says; 0: as for 1 */
    unsigned depth;       /* jobs at once in a worker: 1, or more where it builds ahead */
    double start_limit_s; /* from its start to its greeting, and from there to being ready */
    double job_limit_s;   /* from a job's start to its result */
    double silence_s;     /* with jobs in hand, without one starting or ending */
    unsigned blamed;      /* jobs in a row that cost all workers that had them */
    size_t lead;          /* the member that measures what one has to measure alone */
    opevo_text lost;      /* why the last worker was lost */
    const opevo_interrupt *interrupt; /* give up when raised; NULL: never */
    /* Called for each task when it is done; anything but OK ends the run of the pool, which returns
     * it. May be NULL. */
    opevo_status (*done)(void *context, size_t task, opevo_error *err);
    void *done_context;
    int64_t next_id;
} opevo_i_pool;

/* Workers that may be lost while they measure a job, and faults of hosts with it, before that means
 * something. Each time it is another worker's, or one that was started and probed anew. */
enum { OPEVO_I_ATTEMPTS = 4 };

/* One job and what came of it. */
typedef struct opevo_i_task {
    opevo_i_job job;
    opevo_i_result result;
    enum { OPEVO_I_OPEN, OPEVO_I_SENT, OPEVO_I_DONE } stage;
    size_t member; /* while SENT */
    bool started;  /* likewise: the worker said so */
    double started_s;
    unsigned attempts;                   /* workers that were lost while they measured it */
    bool hung;                           /* the last of them by its silence */
    unsigned faults;                     /* times that the host failed and not the job */
    size_t barred[2 * OPEVO_I_ATTEMPTS]; /* the members of both */
    double retry_s;                      /* not to be sent again before */
} opevo_i_task;

/* Have all tasks done, in whatever order; on the leading worker alone when `alone` is set. Workers
 * are started when first needed. Errors: IO when no worker can be had any more; FAULT when
 * hosts failed again and again with the same job; INTERRUPTED, with
 * the workers stopped; NOMEM. */
opevo_status opevo_i_pool_run(opevo_i_pool *pool, opevo_i_task *tasks, size_t count, bool alone,
                              opevo_error *err);
/* Whether a worker was lost so often in a row that it is left alone for a while. */
bool opevo_i_connection_is_suspended(const opevo_i_connection *member);
/* Whether its launcher says, in the words of Slurm, that it waits in a queue: for that is no limit.
 */
bool opevo_i_connection_is_queued(const opevo_i_connection *member);
/* What is wrong with a worker by its greeting, as a clause; false where nothing is. Asking again
 * would not change it. */
bool opevo_i_pool_refuses(const opevo_i_pool *pool, const json_t *message, opevo_text *why);
/* What a worker says of its device in its greeting. */
void opevo_i_model_read(const json_t *facts, opevo_i_model *out);
/* Whether all members are started by one command. */
bool opevo_i_pool_is_uniform(const opevo_i_pool *pool);
/* Whether the host of the member failed so often in a row that it is better left alone, while
 * another works. */
bool opevo_i_pool_can_spare(const opevo_i_pool *pool, size_t member);
/* The host of the member failed with the task: put it back, for a while, and rather for others. */
void opevo_i_task_put_off(opevo_i_task *task, size_t member);
/* Whether the member may be sent the task: not if a worker of it was lost with that, or its host
 * failed, as long as another may have it. */
bool opevo_i_pool_may_take(const opevo_i_pool *pool, const opevo_i_task *task, size_t member);
/* Start the workers, and wait for the first greeting of one; what it says of its device. They go on
 * to be set up. Errors: those of run. */
opevo_status opevo_i_pool_meet(opevo_i_pool *pool, opevo_i_model *out, opevo_error *err);
/* Let the next member lead, or the first that is known to measure. */
void opevo_i_pool_pass_lead(opevo_i_pool *pool);
void opevo_i_pool_choose_lead(opevo_i_pool *pool);
/* Stop all workers; the next run starts those that it needs. */
void opevo_i_pool_rest(opevo_i_pool *pool);
/* Stop all workers for good. */
void opevo_i_pool_clear(opevo_i_pool *pool);
void opevo_i_task_clear(opevo_i_task *task);

#endif
