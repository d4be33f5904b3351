/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Why trials failed: for each class of failure how often it came, and the first trial of it with
 * its message. */

#ifndef OPEVO_REASONS_INTERNAL_H
#define OPEVO_REASONS_INTERNAL_H

#include "options_internal.h"
#include "terminal_internal.h"

#include <opevo/store.h>

/* After so many failures of one kind from the start a device is given up, unless told otherwise. */
enum { OPEVO_I_GIVE_UP = 20 };
#define OPEVO_I_GIVE_UP_OPTION                                                                     \
    {                                                                                              \
        "give-up", "N",                                                                            \
            "devices: end a run without a success after N failures of one class (default 20; 0: "  \
            "never)",                                                                              \
            false                                                                                  \
    }
/* From --give-up. Errors: INVALID also where it is given for what is `live` is not. */
opevo_status opevo_i_cli_give_up_read(const opevo_call *call, bool live, uint64_t *out,
                                      opevo_error *err);

typedef struct opevo_i_cli_reason {
    uint64_t count, trial; /* trial: number of the first */
    opevo_index point;     /* of it */
    bool is_stored;        /* its message is still in the store */
    opevo_text message;    /* of it; may be empty */
} opevo_i_cli_reason;

typedef struct opevo_i_cli_reasons {
    opevo_i_cli_reason of[OPEVO_OUTCOME_CLASS_COUNT]; /* of OK: results in doubt */
} opevo_i_cli_reasons;

/* Count the trial, which came from a store without its message or has it; true where it is the
 * first failure of its class, or the first result that is ok and in doubt. */
bool opevo_i_cli_reasons_add(opevo_i_cli_reasons *reasons, const opevo_trial *trial,
                             bool is_stored);
/* Fetch the messages that are still in the store. */
opevo_status opevo_i_cli_reasons_complete(opevo_i_cli_reasons *reasons, opevo_store *store,
                                          int64_t run, opevo_error *err);
/* Those of a run in a store. */
opevo_status opevo_i_cli_reasons_of_run(opevo_store *store, int64_t run, opevo_i_cli_reasons *out,
                                        opevo_error *err);
void opevo_i_cli_reasons_free(opevo_i_cli_reasons *reasons);

/* Say on stderr, above the progress line, that a trial is the first to fail in its way; `which`
 * names its run, such as "seed 2, ", or is empty. */
void opevo_i_cli_reasons_tell(const char *verb, const char *which, const opevo_trial *trial,
                              const opevo_progress *progress);
/* One line for each class. */
void opevo_i_cli_reasons_print(const opevo_i_cli_reasons *reasons, opevo_text *out);
/* One line of a run that so many failures of one class ended. */
void opevo_i_cli_give_up_print(uint64_t give_up, opevo_text *out);
/* The member "failures" of the JSON object being written: a list with one object for each class. */
void opevo_i_cli_reasons_print_json(const opevo_i_cli_reasons *reasons, opevo_text *out);

/* A message of a program or a compiler, on one line and without control characters. */
void opevo_i_cli_text_add_message(opevo_text *out, const char *message);

#endif
