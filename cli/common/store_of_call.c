/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The store that a call writes, and the run that it names. */

#include "options_internal.h"
#include "store_of_call_internal.h"

#include <opevo/memory.h>
#include <opevo/store.h>

#include <stdio.h>
#include <string.h>

void opevo_i_cli_tell_folder(const char *verb, const char *path)
{
    opevo_text text = {0};

    opevo_store_print_folder(path, &text);
    if (text.length)
        fprintf(stderr, "opevo %s: %s\n", verb, opevo_text_string(&text));
    opevo_text_free(&text);
}

opevo_status opevo_i_cli_store_of_call(const opevo_call *call, opevo_store **out, opevo_error *err)
{
    const char *path = opevo_i_cli_option(call, "store");
    opevo_error reason = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;
    bool begins = false;

    if (!path || opevo_i_cli_flag(call, "dry-run"))
        return OPEVO_OK;
    status = opevo_store_open(path, OPEVO_STORE_WRITE, out, &reason);
    if (status == OPEVO_OK) {
        opevo_i_cli_tell_folder(call->verb->name, path);
        return OPEVO_OK;
    }
    begins = *path && strncmp(reason.message, path, strlen(path)) == 0;
    return OPEVO_FAIL(err, status, "--store%s %s", begins ? "" : ":", reason.message);
}

opevo_status opevo_i_cli_run_split(const char *text, char **path, int64_t *run, opevo_error *err)
{
    char *store = opevo_store_split(text, run);

    OPEVO_NEED_OR_RETURN(store, "reading %s", text);
    if (!*run) {
        opevo_free(store);
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Give a store and the number of a run in it, such as runs.db:1; opevo "
                          "runs lists the runs of a store.");
    }
    *path = store;
    return OPEVO_OK;
}
