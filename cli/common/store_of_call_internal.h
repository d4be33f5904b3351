/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The store that a call writes, and the run that it names. */

#ifndef OPEVO_CLI_STORE_OF_CALL_INTERNAL_H
#define OPEVO_CLI_STORE_OF_CALL_INTERNAL_H

#include <opevo/store.h>

#include "options_internal.h"

/* Say on stderr what is to be known of the folder of a store; nothing for a local one. */
void opevo_i_cli_tell_folder(const char *verb, const char *path);
/* The store of --store, NULL without it and in a dry run. */
opevo_status opevo_i_cli_store_of_call(const opevo_call *call, opevo_store **out, opevo_error *err);
/* "STORE:RUN" in its parts; `path` is the caller's. Errors: INVALID without a number; NOMEM. */
opevo_status opevo_i_cli_run_split(const char *text, char **path, int64_t *run, opevo_error *err);

#endif
