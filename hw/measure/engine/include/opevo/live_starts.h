/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points of a live run, as users name them. */

#ifndef OPEVO_LIVE_STARTS_H
#define OPEVO_LIVE_STARTS_H

#include <opevo/start_list.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

typedef struct opevo_start_words {
    /* Each a configuration, "STORE:RUN" for the best point of a run, the file of a schedule
     * (opevo/schedule_file.h), "default" for the start points of the objective, which come last
     * anyway, or "none" to leave these out. */
    const char *const *starts;
    size_t count;
    const char *transfer; /* path of a store with related runs; NULL: none */
    bool needed;          /* it must have one */
    const char *dashes;   /* what "start" and "transfer" begin with in messages: "--" or "" */
} opevo_start_words;

/* A plain value: start from {0}. */
typedef struct opevo_live_starts {
    opevo_start_list *list; /* NULL: nothing is said of start points, and the objective's count */
    opevo_text more;        /* `settings_more` of opevo_run_options */
} opevo_live_starts;

/* Into zeros; what is there is to be released, also on failure. At most 5 points are transferred.
 * Errors: INVALID naming the word; those of files and stores; NOMEM. */
opevo_status opevo_live_starts_read(const opevo_start_words *words,
                                    const opevo_objective *objective, opevo_live_starts *out,
                                    opevo_error *err);
void opevo_live_starts_free(opevo_live_starts *starts);

OPEVO_END_C

#endif
