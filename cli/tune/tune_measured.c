/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Who measured, said on stderr once a run has ended, where a worker was not what was asked for, or
 * others measured the run before. */

#include "measured_internal.h"
#include "tune_internal.h"

#include <opevo/run.h>

#include <stdio.h>
#include <string.h>

/* ---- On stderr ------------------------------------------------------------------------------ */

/* Whether one of the workers of this call is it. */
static bool is_of_call(const opevo_objective *objective, const opevo_i_cli_measured_worker *one)
{
    opevo_worker_facts worker;

    for (size_t i = 0; opevo_objective_worker(objective, i, &worker); i++) {
        if (!strcmp(worker.host, one->host) && !strcmp(worker.device, one->device) &&
            !strcmp(worker.command, one->command))
            return true;
    }
    return false;
}

static void add_workers(const opevo_objective *objective, const opevo_i_cli_measured *measured,
                        bool of_call, opevo_text *out)
{
    const char *separator = "";

    for (size_t i = 0; i < measured->count; i++) {
        const opevo_i_cli_measured_worker *one = &measured->workers[i];

        if (!one->trials || is_of_call(objective, one) != of_call)
            continue;
        opevo_text_add(out, separator);
        opevo_i_cli_worker_print(one->command, one->host, one->device, out);
        separator = ", ";
    }
}

/* That other workers measured the trials of earlier calls. */
static void tell_changed(const char *verb, const opevo_objective *objective, opevo_store *store,
                         const opevo_run_result *result)
{
    opevo_i_cli_measured measured;
    opevo_text before = {0}, now = {0};

    if (!store || !result->resumed || result->trials == result->resumed ||
        opevo_i_cli_measured_read(store, result->run, result->trials, &measured, NULL))
        return;
    add_workers(objective, &measured, false, &before);
    add_workers(objective, &measured, true, &now);
    if (before.length && now.length)
        fprintf(stderr, "opevo %s: run %lld has trials of %s, and now of %s.\n", verb,
                (long long)result->run, opevo_text_string(&before), opevo_text_string(&now));
    opevo_text_free(&before);
    opevo_text_free(&now);
    opevo_i_cli_measured_free(&measured);
}

void opevo_i_cli_tell_run_workers(const char *verb, const opevo_objective *objective,
                                  opevo_store *store, const opevo_run_result *results,
                                  uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        tell_changed(verb, objective, store, &results[i]);
    opevo_i_cli_tell_workers(verb, objective);
}
