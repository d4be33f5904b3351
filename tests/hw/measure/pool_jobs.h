/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A list of jobs for a pool whose workers are scripts. */

#ifndef OPEVO_TESTS_POOL_JOBS_H
#define OPEVO_TESTS_POOL_JOBS_H

#include "measuring_internal.h"

#include "check.h"

#include <stdio.h>
#include <string.h>

typedef struct pool_jobs {
    opevo_i_engine_measuring *jobs;
    size_t count, given, done;
} pool_jobs;

static inline opevo_status pool_jobs_next(void *context, opevo_i_engine_task **task, bool *over,
                                          opevo_error *error)
{
    pool_jobs *self = context;

    *task = self->given < self->count ? &self->jobs[self->given++].super : NULL;
    return OPEVO_OK;
}

static inline opevo_status pool_jobs_done(void *context, opevo_i_engine_task *task,
                                          opevo_error *error)
{
    pool_jobs *self = context;

    self->done++;
    return OPEVO_OK;
}

/* Have the jobs done, each of which is given its place as the only word of its command. */
static inline opevo_status pool_jobs_run(opevo_i_engine_pool *pool, opevo_i_engine_measuring *jobs,
                                         size_t count, bool alone, opevo_error *error)
{
    pool_jobs self = {.jobs = jobs, .count = count};
    opevo_i_engine_source source = {
        .next = pool_jobs_next, .done = pool_jobs_done, .context = &self};
    opevo_status status = OPEVO_OK;

    pool->language = &opevo_i_engine_measuring_language;
    for (size_t i = 0; i < count; i++) {
        char word[32];
        int length = snprintf(word, sizeof word, "%zu", i);

        jobs[i] = (opevo_i_engine_measuring){.job = {.id = 0}};
        assert_true(opevo_i_process_arguments_add(&jobs[i].job.command, word, (size_t)length));
    }
    status = opevo_i_engine_pool_run(pool, &source, alone, error);
    assert_true(status != OPEVO_OK || self.done == count);
    return status;
}

#endif
