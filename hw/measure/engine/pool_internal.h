/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The workers of one objective, whatever they speak. Tasks are handed out as workers come free, and
 * some are queued ahead of each worker, so that none waits for the engine. Where nothing else is
 * left to do, a worker takes over what waits for another one, and repeats what a slow one is at:
 * the first result counts. Which worker did what changes no result's place. A worker that is lost
 * is started again, and what it had in hand is done elsewhere. */

#ifndef OPEVO_POOL_INTERNAL_H
#define OPEVO_POOL_INTERNAL_H

#include <jansson.h>
#include <opevo/interrupt.h>
#include <opevo/objective.h>

#include "connection_internal.h"
#include "launch_internal.h"

/* Workers that may be lost while they have a task in hand, and faults of hosts with it, before that
 * means something. Each time it is another worker's, or one that was started and probed anew. */
enum { OPEVO_I_ATTEMPTS = 4 };

/* First member, `super`, of what a client has done by workers. */
typedef struct opevo_i_engine_task {
    enum { OPEVO_I_OPEN, OPEVO_I_SENT, OPEVO_I_DONE } stage;
    struct opevo_i_engine_task *next; /* of those that are not done, in order */
    uint64_t number;                  /* in the order in which they came */
    unsigned copies;                  /* workers that have it */
    size_t worker;                    /* that did it; SIZE_MAX: none */
    unsigned attempts;                /* workers that were lost while they were at it */
    bool hung;                        /* the last of them by its silence */
    unsigned faults;                  /* times that the host failed and not the task */
    bool doubted; /* it failed in one worker while another had it, or that ended with it */
    struct {
        size_t worker;
        bool lost;                      /* while it was at the task */
    } barred[2 * OPEVO_I_ATTEMPTS + 1]; /* the workers of all three */
    unsigned barred_count;
    double retry_s; /* not to be sent again before */
    bool aside;     /* a question: what answers it has measured nothing */
} opevo_i_engine_task;

typedef struct opevo_i_engine_pool opevo_i_engine_pool;
typedef struct opevo_i_engine_work opevo_i_engine_work;

/* What the workers of a pool speak. */
typedef struct opevo_i_engine_language {
    bool greets;  /* a worker says hello before it is set up */
    bool silent;  /* it does not say when it starts a task: that is when it is given one */
    bool repeats; /* tasks may be repeated by another, and dropped */
    /* The message that gives the task; release with free. NULL without memory. */
    char *(*give)(const opevo_i_engine_pool *pool, opevo_i_engine_task *task, int64_t id);
    /* The message that what was given is not wanted any more, likewise; where `repeats` is set. */
    char *(*drop)(int64_t id);
    /* Take a message by the functions of pool_work_internal.h. False: the worker is lost by then.
     */
    bool (*handle_message)(opevo_i_engine_work *work, size_t worker, const json_t *message);
    /* The task has cost OPEVO_I_ATTEMPTS workers: make this its result. */
    void (*blame)(const opevo_i_engine_pool *pool, opevo_i_engine_task *task);
} opevo_i_engine_language;

/* A host of workers that connect. */
typedef struct opevo_i_engine_host {
    char name[65];
    unsigned troubles; /* workers of it that were lost, and its failures, in a row */
    double until_s;    /* its workers are not set up before; 0: no such time */
} opevo_i_engine_host;

struct opevo_i_engine_pool {
    const opevo_i_engine_language *language;
    opevo_i_engine_connection *workers;
    size_t count;
    opevo_i_engine_launch
        *launch; /* starts the workers, which take places as they come; NULL: each has a
                               command */
    opevo_i_engine_host *hosts; /* of its workers that had troubles */
    size_t host_count;
    uint64_t expected;    /* workers of it, by what is said of it; 0: not known */
    const char *kind;     /* of the devices; NULL: any */
    char *setup;          /* the line that sets a worker up; released with free */
    unsigned threads;     /* of a parallel kernel, as the setup says; 0: as for 1 */
    unsigned depth;       /* tasks at once in a worker: 1, or more where some are ahead */
    bool builds;          /* what a worker has ahead it builds, on each of its cores */
    bool lazy;            /* start no more workers than there is work for */
    unsigned attempts;    /* as OPEVO_I_ATTEMPTS; 0: that */
    bool hanging_decides; /* a task that is not done in time is blamed at once */
    uint64_t lag;         /* a task that so many others overtook is repeated; 0: as all others */
    double start_limit_s; /* from its start to its greeting, and from there to being ready */
    double job_limit_s;   /* from a task's start to its result */
    double silence_s;     /* with tasks in hand, without one starting or ending */
    unsigned blamed;      /* tasks in a row that cost all workers that had them ... */
    unsigned blamed_most; /* ... of which so many are not the reason; 0: they may be */
    size_t lead;          /* the worker that measures what one has to measure alone */
    opevo_text lost;      /* why the last worker was lost */
    const opevo_interrupt *interrupt; /* give up when raised; NULL: never */
    int64_t next_id;
    uint64_t next_number;
};

/* Where tasks come from, and where those that are done go; in no order. Anything but OK from either
 * ends the work, which returns it. */
typedef struct opevo_i_engine_source {
    /* The next task, which stays where it is until it is done; NULL if further tasks depend on
     * those that are not done. *over: those are not wanted any more. */
    opevo_status (*next)(void *context, opevo_i_engine_task **task, bool *over, opevo_error *err);
    opevo_status (*done)(void *context, opevo_i_engine_task *task, opevo_error *err);
    void *context;
} opevo_i_engine_source;

/* Have all tasks of the source done; on the leading worker alone when `alone` is set. Workers are
 * started when first needed. Errors: IO when no worker can be had any more; FAULT when hosts failed
 * again and again with the same task; INTERRUPTED, with the workers stopped; NOMEM; those of the
 * source. */
opevo_status opevo_i_engine_pool_run(opevo_i_engine_pool *pool, const opevo_i_engine_source *source,
                                     bool alone, opevo_error *err);
/* Whether a worker was lost so often in a row that it is left alone for a while. */
bool opevo_i_engine_connection_is_suspended(const opevo_i_engine_connection *worker);
/* What is wrong with a worker by its greeting, as a clause; false where nothing is. Asking again
 * would not change it. */
bool opevo_i_engine_pool_refuses(const opevo_i_engine_pool *pool, const json_t *message,
                                 opevo_text *why);
/* What a worker says of its device in its greeting. */
void opevo_i_engine_model_read(const json_t *facts, opevo_i_engine_model *out);
/* Whether all workers are started by one command. */
bool opevo_i_engine_pool_is_uniform(const opevo_i_engine_pool *pool);
/* Whether the host of the worker failed so often in a row that it is better left alone, while
 * another works. */
bool opevo_i_engine_pool_can_spare(const opevo_i_engine_pool *pool, size_t worker);
/* The task goes to the worker only where no other may have it. */
void opevo_i_engine_task_bar(opevo_i_engine_task *task, size_t worker, bool lost);
/* The host of the worker failed with the task: let it wait for a while, and rather for others. */
void opevo_i_engine_task_put_off(opevo_i_engine_task *task, size_t worker);
/* Whether the worker may be sent the task: not if it was lost with that, or its host
 * failed, as long as another may have it. */
bool opevo_i_engine_pool_may_take(const opevo_i_engine_pool *pool, const opevo_i_engine_task *task,
                                  size_t worker);
/* What a worker takes for a task, in s; as others do where that is not known yet, 0 where nothing
 * is. */
double opevo_i_engine_pool_pace(const opevo_i_engine_pool *pool,
                                const opevo_i_engine_connection *worker);
/* It took so long for one more. */
void opevo_i_engine_connection_note_pace(opevo_i_engine_connection *worker, double seconds);
/* Start the workers, and wait until one has greeted, or is ready where they do not greet; what it
 * says of its device, unless `out` is NULL. They go on to be set up. Errors: those of run. */
opevo_status opevo_i_engine_pool_meet(opevo_i_engine_pool *pool, opevo_i_engine_model *out,
                                      opevo_error *err);
/* Whether the commands of the workers are there. */
bool opevo_i_engine_pool_was_startable(const opevo_i_engine_pool *pool);
/* Let the next worker lead, or the fastest that is known to measure. */
void opevo_i_engine_pool_pass_lead(opevo_i_engine_pool *pool);
void opevo_i_engine_pool_choose_lead(opevo_i_engine_pool *pool);
/* Let a worker without a task lead, rather one that is ready: it may serve a run within a run, from
 * the source of that. False: each has one. */
bool opevo_i_engine_pool_lead_idle(opevo_i_engine_pool *pool);
/* Members that are started by no command yet. Errors: NOMEM. */
opevo_status opevo_i_engine_pool_make(opevo_i_engine_pool *pool, size_t count, opevo_error *err);
/* The first place of the workers that a command starts, maybe with N* before it.
 * Errors: those of opevo_i_engine_launch_open. */
opevo_status opevo_i_engine_pool_launch(opevo_i_engine_pool *pool, const char *command,
                                        const char *address, opevo_error *err);
/* How many workers there are, whether or not they run, as far as is known. */
size_t opevo_i_engine_pool_worker_count(const opevo_i_engine_pool *pool);
/* What is known of the i-th of them; false: there are no more than i. */
bool opevo_i_engine_pool_worker(const opevo_i_engine_pool *pool, size_t i, opevo_worker_facts *out);
/* Stop all workers; the next run starts those that it needs. */
void opevo_i_engine_pool_rest(opevo_i_engine_pool *pool);
/* Stop all workers for good. */
void opevo_i_engine_pool_clear(opevo_i_engine_pool *pool);

#endif
