/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a reader that follows a store asks again and again, beside opevo_store_read with the number
 * of the last trial that it knows. The cost of each call depends on the number of runs, not on that
 * of their trials. */

#ifndef OPEVO_STORE_FOLLOW_H
#define OPEVO_STORE_FOLLOW_H

#include <opevo/store.h>

OPEVO_BEGIN_C

/* A number that is another one after each commit of another process. Errors: those of the file. */
opevo_status opevo_store_changes(opevo_store *store, int64_t *number, opevo_error *err);

typedef struct opevo_run_state {
    int64_t run;
    const char *stop; /* opevo_stop_name; "" if it has not ended or not begun */
    bool planned;     /* by a study, and not begun */
    uint64_t trials;  /* in the store */
} opevo_run_state;

/* Visit all runs in order of their numbers, the planned ones too; strings are borrowed during the
 * call. Errors: those of the file. Cost: O(runs log trials). */
opevo_status opevo_store_states(opevo_store *store,
                                void (*visit)(void *context, const opevo_run_state *state),
                                void *context, opevo_error *err);

/* Visit one run, planned or not, with its trials left out: trials, failed, cost_s and the best are
 * 0 or empty. Errors: INVALID if the run does not exist; those of the file. */
opevo_status opevo_store_describe(opevo_store *store, int64_t run,
                                  void (*visit)(void *context, const opevo_run_info *info),
                                  void *context, opevo_error *err);

OPEVO_END_C

#endif
