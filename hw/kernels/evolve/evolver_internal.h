/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Workers `opevo-evolver`, and requests to them. */

#ifndef OPEVO_EVOLVER_INTERNAL_H
#define OPEVO_EVOLVER_INTERNAL_H

#include <opevo/evolver.h>

#include <jansson.h>
#include <pthread.h>

#include "pool_internal.h"

/* What became of a request. */
typedef enum opevo_i_evolve_answer {
    OPEVO_I_ANSWERED,
    OPEVO_I_DIED,   /* two workers one after the other */
    OPEVO_I_OVERDUE /* the worker was killed at the limit of time */
} opevo_i_evolve_answer;

typedef struct opevo_i_evolve_request {
    opevo_i_engine_task super;
    char *line;    /* with its end; owned: release with free */
    json_t *reply; /* of ANSWERED; owned */
    opevo_i_evolve_answer answer;
    size_t number; /* of those of a stream */
    struct opevo_i_evolve_request *previous, *next;
} opevo_i_evolve_request;

/* Any number of processes that were told to load the same. */
typedef struct opevo_i_evolve_evolver_pool {
    opevo_i_engine_pool super; /* whose setup is to load that */
    json_t *loaded;            /* what the first answered; NULL before */
    bool refused;              /* one said that it cannot be loaded */
    bool serves;               /* requests that come: the source of those may have others */
} opevo_i_evolve_evolver_pool;

/* Called for each request that is done. Anything but OK ends the service. */
typedef opevo_status (*opevo_i_evolve_request_sink)(void *context, size_t i,
                                                    opevo_i_evolve_request *request,
                                                    opevo_error *err);

/* `count` workers without a command; `timeout_s` of a request. Errors: NOMEM. */
opevo_status opevo_i_evolve_evolver_pool_make(opevo_i_evolve_evolver_pool *pool, size_t count,
                                              double timeout_s, opevo_error *err);
/* Have all requests answered, in any order. Errors: INTERRUPTED within a second; FAULT or IO if no
 * worker can be started; INVALID, IO, ... as a worker says of what it loads; those of the sink. */
opevo_status opevo_i_evolve_evolver_serve(opevo_i_evolve_evolver_pool *pool,
                                          opevo_i_evolve_request *requests, size_t count,
                                          const opevo_interrupt *interrupt,
                                          opevo_i_evolve_request_sink sink, void *context,
                                          opevo_error *err);
/* The same for requests that come as the source has them, which may have others served meanwhile,
 * by a worker that has none. */
opevo_status opevo_i_evolve_evolver_serve_from(opevo_i_evolve_evolver_pool *pool,
                                               const opevo_i_engine_source *source,
                                               const opevo_interrupt *interrupt, opevo_error *err);
/* Start a worker, if none is up, and wait until it has loaded. */
opevo_status opevo_i_evolve_evolver_pool_begin(opevo_i_evolve_evolver_pool *pool, opevo_error *err);
void opevo_i_evolve_evolver_pool_clear(opevo_i_evolve_evolver_pool *pool);
/* A message as a line; takes the message, which may be NULL. NULL without memory. */
char *opevo_i_evolve_request_line(json_t *message);
void opevo_i_evolve_request_clear(opevo_i_evolve_request *request);

/* OK, or the error that the reply is. */
opevo_status opevo_i_evolve_reply_check(const json_t *reply, opevo_error *err);
/* A worker; "" and NAN where it has none. */
const char *opevo_i_evolve_reply_text(const json_t *reply, const char *key);
double opevo_i_evolve_reply_number(const json_t *reply, const char *key);
/* What a reply to "evaluate", or its absence, says. Errors: NOMEM, and those of the reply. */
opevo_status opevo_i_evolve_reply_evaluation(const opevo_i_evolve_request *request,
                                             opevo_evolved *out, opevo_error *err);

struct opevo_evolver {
    pthread_mutex_t lock; /* of the pool */
    opevo_i_evolve_evolver_pool pool;
    opevo_evolver_facts facts;
    opevo_evolver_counts known;
    opevo_texts *texts;
    opevo_domain domain;
    opevo_objective objective;
    opevo_starts starts;
    opevo_proposal base;
    opevo_measurer by; /* of the outcome that is being handed over; otherwise NULLs */
    char *domain_name, *objective_name;
    opevo_evolved *evaluations; /* of the last measurement, whose messages are borrowed */
    size_t evaluation_count;
};

/* One request, without limit by an interrupt. Takes the message; *reply is the caller's. */
opevo_status opevo_i_evolve_evolver_ask(opevo_evolver *self, json_t *message,
                                        opevo_i_evolve_request *out, opevo_error *err);
/* Whether a message can carry the text. Errors: INVALID; `what` begins the sentence. */
opevo_status opevo_i_evolve_evolver_check_text(const char *what, const char *text,
                                               opevo_error *err);
/* The functions of the domain (edit_candidates.c). */
extern const opevo_domain_ops opevo_i_evolve_edit_candidates;

#endif
