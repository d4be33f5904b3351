/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the two live objectives share: kernels (live_kernel.c) and programs (live_program.c). */

#ifndef OPEVO_LIVE_INTERNAL_H
#define OPEVO_LIVE_INTERNAL_H

#include <opevo/live.h>

#include "measuring_internal.h"

typedef struct opevo_i_engine_live opevo_i_engine_live;

/* One point that is measured. */
typedef struct opevo_i_engine_live_task {
    opevo_i_engine_measuring super;
    size_t number; /* in the order of the points */
    struct opevo_i_engine_live_task *previous, *next;
} opevo_i_engine_live_task;

struct opevo_i_engine_live {
    opevo_objective super;
    char *name;
    opevo_i_engine_pool pool;
    opevo_i_engine_live_task *tasks; /* that are measured, or that outcomes point into */
    double slower, best_s;           /* as in a job; for programs 0 */
    size_t each;                     /* points wanted at once for each worker */
    bool mixed;                      /* devices are permitted */
    const char *note;                /* of what is right, borrowed; NULL: nothing is to be said */
    struct {
        char device[256], host[65];
    } first;           /* of which there is a result */
    opevo_measurer by; /* of the outcome that is being handed over; otherwise NULLs */
    /* Fill the job of a point, or its result and DONE when there is nothing to measure. */
    opevo_status (*prepare)(const opevo_i_engine_live *self, opevo_index point,
                            opevo_i_engine_measuring *task, opevo_error *err);
    /* Fitness and time of a task that succeeded; its samples may be converted in place. */
    void (*value)(const opevo_i_engine_live *self, opevo_i_engine_measuring *task,
                  opevo_outcome *out);
    void (*release)(opevo_i_engine_live *self);
};

opevo_status opevo_i_engine_live_measure(opevo_objective *objective, const opevo_index *points,
                                         size_t count, const opevo_interrupt *interrupt,
                                         opevo_outcome_sink sink, void *sink_context,
                                         opevo_error *err);
opevo_status opevo_i_engine_live_measure_from(opevo_objective *objective,
                                              const opevo_point_source *source,
                                              const opevo_interrupt *interrupt,
                                              opevo_outcome_sink sink, void *sink_context,
                                              opevo_error *err);
/* As processor_times of an objective. */
const double *opevo_i_engine_live_processor_times(const opevo_objective *objective,
                                                  const opevo_outcome *outcome);
/* As measure_rounds of an objective (live_rounds.c). */
opevo_status opevo_i_engine_live_measure_rounds(opevo_objective *objective,
                                                const opevo_rounds *plan, double *fitness,
                                                opevo_text *library, opevo_error *err);
/* As worker of an objective. */
bool opevo_i_engine_live_worker(const opevo_objective *objective, size_t i,
                                opevo_worker_facts *out);
void opevo_i_engine_live_destroy(opevo_objective *objective);
/* NULL for any other objective. */
opevo_i_engine_live *opevo_i_engine_live_of(opevo_objective *objective);

/* The same for a round of finals: on one worker, one sample each, and OPEVO_LIBRARY_POINT may stand
 * in the place of a point. */
opevo_status opevo_i_engine_live_measure_round(opevo_i_engine_live *self, const opevo_index *points,
                                               size_t count, const opevo_interrupt *interrupt,
                                               opevo_outcome_sink sink, void *sink_context,
                                               opevo_error *err);

/* The limit for the start of a worker that has nothing to compute at first. */
double opevo_i_engine_live_start_s(const opevo_workers *workers);
/* Whether others than one that is started here. */
bool opevo_i_engine_workers_are_given(const opevo_workers *workers);
/* What follows from their number, which a launcher's have only when they are there. */
void opevo_i_engine_live_note_workers(opevo_i_engine_live *self);
/* The workers of the pool from the options; `device` is what a worker started here is told. Errors:
 * INVALID for a command that cannot be split; NOMEM. */
opevo_status opevo_i_engine_live_workers(opevo_i_engine_pool *pool, const opevo_workers *workers,
                                         const char *device, opevo_error *err);

#endif
