/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernel that a call names, and its harness. */

#include "evolve_internal.h"

#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <string.h>

static size_t gather(const opevo_call *call, const char **settings)
{
    size_t count = 0;

    for (size_t i = 0; i < call->given_count; i++) {
        if (!strcmp(call->given[i].option->name, "with"))
            settings[count++] = call->given[i].value;
    }
    return count;
}

opevo_status opevo_i_kernel_open(const opevo_call *call, const char *name, bool needs_harness,
                                 opevo_evolver **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *kernel = NULL;
    char *beside = NULL;
    const char **settings = opevo_calloc(call->given_count + 1, sizeof *settings);
    opevo_evolver_options options = {.on = opevo_i_option(call, "on"),
                                     .harness = opevo_i_option(call, "harness"),
                                     .settings = settings};
    opevo_error missing = {OPEVO_OK, ""};
    uint64_t jobs = 0;

    if (!settings)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for settings.");
    OPEVO_TRY(opevo_i_option_count(call, "jobs", 0, 0, 1024, &jobs, err));
    OPEVO_TRY(opevo_i_option_positive(call, "timeout", &options.timeout_s, err));
    OPEVO_TRY(opevo_evolver_paths(name, &kernel, &beside, &missing, err));
    if (!options.harness)
        options.harness = beside;
    if (!options.harness && needs_harness) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s", missing.message);
        goto cleanup;
    }
    options.kernel = kernel;
    options.setting_count = gather(call, settings);
    /* Times are measured one after the other. */
    options.worker_count = jobs ? (size_t)jobs
                           : !options.on || strcmp(options.on, "simt") == 0
                               ? opevo_processor_count()
                               : 1;
    OPEVO_TRY(opevo_evolver_open(&options, out, err));
cleanup:
    opevo_free(settings);
    opevo_free(kernel);
    opevo_free(beside);
    return status;
}
