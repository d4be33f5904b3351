/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Start points from the command line: --start and --transfer. */

#include "options_internal.h"
#include "starts_of_call_internal.h"

#include <opevo/live_starts.h>
#include <opevo/memory.h>

opevo_status opevo_i_cli_start_words(const opevo_call *call, opevo_start_words *out,
                                     const char ***list, opevo_error *err)
{
    opevo_status status = opevo_i_cli_option_all(call, "start", list, &out->count, err);

    out->starts = *list;
    out->transfer = opevo_i_cli_option(call, "transfer");
    out->needed = call->argument_count < 2;
    out->dashes = "--";
    return status;
}

opevo_status opevo_i_cli_starts_read(const opevo_call *call, const opevo_objective *objective,
                                     opevo_live_starts *self, opevo_error *err)
{
    opevo_start_words words = {.count = 0};
    const char **list = NULL;
    opevo_status status = opevo_i_cli_start_words(call, &words, &list, err);

    if (status == OPEVO_OK)
        status = opevo_live_starts_read(&words, objective, self, err);
    opevo_free(list);
    return status;
}
