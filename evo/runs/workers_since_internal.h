/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What becomes of the workers of an objective while a session or finals last, for the store of the
 * run. An objective may have measured for other runs before. */

#ifndef OPEVO_WORKERS_SINCE_INTERNAL_H
#define OPEVO_WORKERS_SINCE_INTERNAL_H

#include <opevo/store.h>

/* What a worker had done by then. */
typedef struct opevo_i_workers_done {
    uint64_t trials, faults;
} opevo_i_workers_done;

/* All of them, in the order of opevo_objective_worker; 0 before any. */
typedef struct opevo_i_workers_since {
    opevo_i_workers_done *done;
    size_t capacity, count;
} opevo_i_workers_since;

/* Note what the workers have done so far; *out is the caller's, also on failure. Errors: NOMEM. */
opevo_status opevo_i_workers_note(const opevo_objective *objective, opevo_i_workers_since *out,
                                  opevo_error *err);
/* Put into the store, which may be NULL, what became of them since; their states only where
 * `measured` says that the run has used them. Errors: NOMEM; those of the file. */
opevo_status opevo_i_workers_store(const opevo_i_workers_since *since,
                                   const opevo_objective *objective, bool measured,
                                   opevo_store *store, int64_t run, opevo_error *err);
void opevo_i_workers_free(opevo_i_workers_since *since);

#endif
