/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Watch: the page of a store while it is written. */

#include "watch_internal.h"

#include <opevo/memory.h>
#include <opevo/store.h>

static const opevo_option options[] = {
    {"port", "N", "port on this host's loopback address (default 0: any that is free)", false},
};

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_i_cli_watch self = {.call = call};
    uint64_t port = 0;
    char *path = opevo_store_split(call->arguments[0], &self.run);
    opevo_status status = OPEVO_OK;

    (void)out;
    (void)exit_code;
    OPEVO_NEED_OR_RETURN(path, "watching %s", call->arguments[0]);
    OPEVO_TRY(opevo_i_cli_option_count(call, "port", 0, 0, UINT16_MAX, &port, err));
    OPEVO_TRY(opevo_watched_store_create(path, &self.store, err));
    OPEVO_TRY(opevo_i_cli_watch_serve(&self, (uint16_t)port, err));
cleanup:
    opevo_i_cli_watch_release(&self);
    opevo_free(path);
    return status;
}

const opevo_verb opevo_i_cli_verb_watch = {
    .name = "watch",
    .arguments = "STORE[:RUN]",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Show the page of a store, of studies, runs, networks and evolutions, as it grows.",
    .details = "The address that is printed has a token and works on this host only. The store is\n"
               "only read; it may be made, ended and continued meanwhile. Ctrl-C ends watching.\n"
               "docs/report.md describes the page.\n\n"
               "  opevo watch runs.db\n"
               "  opevo watch runs.db:3 --port 8000",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
