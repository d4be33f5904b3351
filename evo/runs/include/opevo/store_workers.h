/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Who measured what: the workers of a run in a store, and which of them measured each trial. */

#ifndef OPEVO_STORE_WORKERS_H
#define OPEVO_STORE_WORKERS_H

#include <opevo/store.h>

OPEVO_BEGIN_C

/* One worker of a run, by its command, host and device. */
typedef struct opevo_stored_worker {
    opevo_measurer by;
    int64_t number;    /* in the run, from 1; set where it is read */
    uint64_t trials;   /* of the run that it measured; likewise */
    uint64_t faults;   /* times that its host failed, or that it was lost */
    const char *state; /* at the end of the last call: "ready", "down", "suspended", "idle" */
    const char *words; /* why it was lost last; "": it was not */
} opevo_stored_worker;

/* The worker that measured a trial of the run: written with the next trials that are appended, in
 * their transaction. The strings are copied. Errors: NOMEM. */
opevo_status opevo_store_note_measurer(opevo_store *store, int64_t run, uint64_t number,
                                       const opevo_measurer *by, opevo_error *err);
/* What a call knows of its workers at its end: faults are added to those of earlier calls, states
 * take the place of theirs, and so do words that are not "". Errors: those of the file. */
opevo_status opevo_store_put_workers(opevo_store *store, int64_t run,
                                     const opevo_stored_worker *workers, size_t count,
                                     opevo_error *err);
/* Visit the workers of a run in the order in which they came; none where nothing is known. Strings
 * are borrowed during the call. Errors: those of the file; what `visit` returns. */
opevo_status opevo_store_workers(opevo_store *store, int64_t run,
                                 opevo_status (*visit)(void *context,
                                                       const opevo_stored_worker *worker,
                                                       opevo_error *err),
                                 void *context, opevo_error *err);
/* Visit the devices on which runs of each objective were measured, those of one objective together,
 * in the order in which its runs came; `runs` of them have trials of the device. Strings are
 * borrowed during the call. Errors: those of the file; what `visit` returns. */
opevo_status opevo_store_devices(opevo_store *store,
                                 opevo_status (*visit)(void *context, const char *objective,
                                                       const char *device, uint64_t runs,
                                                       opevo_error *err),
                                 void *context, opevo_error *err);
/* The number of the worker of each trial of the run, in the order of the trials from 1; 0 where it
 * is not known. *out has `count` of them, the caller's; NULL and 0 where none is known. Errors:
 * NOMEM; those of the file. */
opevo_status opevo_store_measurers(opevo_store *store, int64_t run, uint64_t trials, uint32_t **out,
                                   opevo_error *err);

OPEVO_END_C

#endif
