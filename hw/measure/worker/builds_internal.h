/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The queue of a worker: jobs that came in, their kernels built ahead of being measured. */

#ifndef OPEVO_BUILDS_INTERNAL_H
#define OPEVO_BUILDS_INTERNAL_H

#include "backend_internal.h"
#include "build_cache_internal.h"
#include "keeper_internal.h"

typedef enum opevo_i_worker_stage {
    OPEVO_I_WAITING,
    OPEVO_I_BUILDING,
    OPEVO_I_BUILT,  /* or nothing to build */
    OPEVO_I_UNBUILT /* the result says why */
} opevo_i_worker_stage;

typedef struct opevo_i_worker_queued {
    opevo_i_wire_job job;
    opevo_i_worker_stage stage;
    opevo_i_wire_result result;
    opevo_text recipe, source, scratch, object; /* paths, the recipe excepted */
    opevo_text refused;                         /* why an object in the cache was not taken */
    opevo_i_process_keeper keeper;              /* while building ... */
    double started_s;                           /* ... and since when */
    bool unwanted;                              /* goes when it is built */
} opevo_i_worker_queued;

typedef struct opevo_i_worker_builds {
    opevo_i_backend *backend;
    opevo_i_worker_cache cache;
    opevo_i_worker_queued *items; /* in the order received */
    size_t count, capacity;
    unsigned most; /* compilers at once */
    unsigned building;
    double good_s; /* when a compiler last ended without an error (opevo_clock_monotonic_s) */
} opevo_i_worker_builds;

opevo_status opevo_i_worker_builds_init(opevo_i_worker_builds *self, opevo_i_backend *backend,
                                        opevo_error *err);
/* Build, run and time a kernel without a fault, where the backend has one. Errors: FAULT with what
 * this host cannot do; then no kernel is to blame. */
opevo_status opevo_i_worker_builds_probe(opevo_i_worker_builds *self, opevo_error *err);
/* Wait for the turn to measure, where workers of the device take turns: what ends it with
 * opevo_i_backend_device_lock_release; -1 where nobody waits. */
int opevo_i_worker_builds_take_turn(const opevo_i_worker_builds *self);
/* Build and run the kernel that the setup named as reference, where it did. Errors: INVALID for one
 * that does not compile or fails; those of the host. */
opevo_status opevo_i_worker_builds_reference(opevo_i_worker_builds *self, opevo_error *err);
/* Remove what compilers left, which have ended or been killed. */
void opevo_i_worker_builds_clear(opevo_i_worker_builds *self);
/* Whether the jobs of this backend are built. */
bool opevo_i_worker_builds_any(const opevo_i_backend *backend);
/* Takes the job on success. Errors: NOMEM. */
opevo_status opevo_i_worker_builds_add(opevo_i_worker_builds *self, opevo_i_wire_job *job,
                                       opevo_error *err);
/* Take the results of compilers that ended, and start others. */
void opevo_i_worker_builds_step(opevo_i_worker_builds *self);
/* Whether a job needs no more building; the first such one, for the caller to clear. False: none.
 */
bool opevo_i_worker_builds_any_ready(const opevo_i_worker_builds *self);
bool opevo_i_worker_builds_take(opevo_i_worker_builds *self, opevo_i_worker_queued *out);
void opevo_i_worker_queued_clear(opevo_i_worker_queued *item);
/* The job is not wanted any more; false: it is not here. */
bool opevo_i_worker_builds_drop(opevo_i_worker_builds *self, int64_t id);

#endif
