/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernel that a call names, its harness and its settings. */

#include "evolver_of_call_internal.h"
#include "options_internal.h"

#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/text.h>

#include <string.h>

static const opevo_option rows[] = {
    OPEVO_I_EVOLVER_OPTIONS(OPEVO_I_WITH_EDITS OPEVO_I_WITH_CHECKS)};

const opevo_option *opevo_i_cli_evolver_option(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!strcmp(rows[i].name, name))
            return &rows[i];
    }
    return NULL;
}

/* ---- Settings -------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    bool draws; /* says how edits are drawn */
} known[] = {
    {"move", true},    {"const-one", true}, {"order", true},      {"crossover", true},
    {"initial", true}, {"races", false},    {"warp-sync", false}, {"uninitialised", false},
    {"costs", false},  {"machine", false},
};
enum { KNOWN_COUNT = sizeof known / sizeof *known };

/* The worker checks the values. */
static opevo_status check_setting(const char *given, bool searches, opevo_error *err)
{
    size_t length = strcspn(given, "=");
    opevo_text names = {0};

    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        if (known[i].draws && !searches)
            continue;
        if (given[length] && strlen(known[i].name) == length &&
            !strncmp(known[i].name, given, length)) {
            opevo_text_free(&names);
            return OPEVO_OK;
        }
        opevo_text_printf(&names, "%s%s", names.length ? ", " : "", known[i].name);
    }
    OPEVO_FAIL(err, OPEVO_INVALID, "--with %.100s: give KEY=VALUE, where KEY is one of %s.", given,
               opevo_text_string(&names));
    opevo_text_free(&names);
    return OPEVO_INVALID;
}

static opevo_status gather(const opevo_call *call, bool searches, const char **settings,
                           size_t *count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < call->given_count && status == OPEVO_OK; i++) {
        if (strcmp(call->given[i].option->name, "with") != 0)
            continue;
        settings[(*count)++] = call->given[i].value;
        status = check_setting(call->given[i].value, searches, err);
    }
    return status;
}

/* ---- Opening --------------------------------------------------------------------------------- */

opevo_status opevo_i_cli_evolver_of_call(const opevo_call *call, const char *name,
                                         opevo_i_cli_evolver_use use, opevo_evolver **out,
                                         opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *kernel = NULL;
    char *beside = NULL;
    const char **settings = opevo_calloc(call->given_count + 1, sizeof *settings);
    opevo_evolver_options options = {.on = opevo_i_cli_option(call, "on"),
                                     .harness = opevo_i_cli_option(call, "harness"),
                                     .settings = settings};
    opevo_error missing = {OPEVO_OK, ""};
    uint64_t jobs = 0;

    OPEVO_NEED_OR_RETURN(settings, "settings");
    OPEVO_TRY(opevo_i_cli_option_count(call, "jobs", 0, 0, 1024, &jobs, err));
    OPEVO_TRY(opevo_i_cli_option_positive(call, "timeout", &options.timeout_s, err));
    OPEVO_TRY(gather(call, use == OPEVO_I_EDITS_SEARCHED, settings, &options.setting_count, err));
    OPEVO_TRY(opevo_evolver_paths(name, &kernel, &beside, &missing, err));
    if (!options.harness)
        options.harness = beside;
    if (!options.harness && use != OPEVO_I_EDITS_READ) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s", missing.message);
        goto cleanup;
    }
    options.kernel = kernel;
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
