/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points from the command line. */

#ifndef OPEVO_CLI_STARTS_OF_CALL_INTERNAL_H
#define OPEVO_CLI_STARTS_OF_CALL_INTERNAL_H

#include <opevo/live_starts.h>

#include "options_internal.h"

#define OPEVO_I_START_OPTIONS                                                                      \
    {"start", "POINT",                                                                             \
     "measure this first: a configuration, STORE:RUN, FILE of a schedule, default, or none",       \
     true},                                                                                        \
    {                                                                                              \
        "transfer", "STORE", "measure the best points of its runs with other extents first", false \
    }

/* From --start and --transfer: the points of --start in their order, that of the objective unless
 * one is `none`, and the transferred ones; nothing without these options. Release what is there
 * with opevo_live_starts_free. Errors: INVALID naming the option; those of files and stores;
 * NOMEM. */
opevo_status opevo_i_cli_starts_read(const opevo_call *call, const opevo_objective *objective,
                                     opevo_live_starts *starts, opevo_error *err);
/* The words of these options, which borrow from the call; `list` is to be freed. Errors: NOMEM. */
opevo_status opevo_i_cli_start_words(const opevo_call *call, opevo_start_words *out,
                                     const char ***list, opevo_error *err);

#endif
