/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Who measured, once a run has ended: into the store, as JSON, and on stderr where a worker was not
 * what was asked for, or others measured the run before. */

#include "measured_internal.h"
#include "tune_internal.h"

#include <opevo/live.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* Workers that connect later are more. */
static bool reserve_faults(opevo_i_cli_tuning *self, size_t count)
{
    uint64_t *grown = self->faults_stored;

    if (count <= self->faults_count)
        return true;
    grown = opevo_realloc(grown, count, sizeof *grown);
    if (!grown)
        return false;
    memset(grown + self->faults_count, 0, (count - self->faults_count) * sizeof *grown);
    self->faults_stored = grown;
    self->faults_count = count;
    return true;
}

opevo_status opevo_i_cli_tune_store_workers(opevo_i_cli_tuning *self, int64_t run, opevo_error *err)
{
    size_t count = opevo_live_worker_count(self->objective), used = 0;
    opevo_stored_worker *stored = NULL;
    opevo_live_worker *workers = NULL;
    opevo_status status = OPEVO_OK;

    if (!self->run.store || !count || !run)
        return OPEVO_OK;
    stored = opevo_calloc(count, sizeof *stored);
    workers = opevo_calloc(count, sizeof *workers);
    if (!stored || !workers || !reserve_faults(self, count)) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu workers.", count);
        goto cleanup;
    }
    for (size_t i = 0; i < count && opevo_live_worker_get(self->objective, i, &workers[i]); i++) {
        const opevo_live_worker *worker = &workers[i];

        if (!worker->trials && !worker->faults)
            continue; /* it was not needed */
        stored[used++] =
            (opevo_stored_worker){.by = {worker->command, worker->host, worker->device, true},
                                  .faults = worker->faults - self->faults_stored[i],
                                  .state = worker->state,
                                  .words = worker->words};
        self->faults_stored[i] = worker->faults;
    }
    if (used)
        status = opevo_store_put_workers(self->run.store, run, stored, used, err);
cleanup:
    opevo_free(stored);
    opevo_free(workers);
    return status;
}

void opevo_i_cli_tune_add_json_workers(const opevo_i_cli_tuning *self, opevo_text *out)
{
    opevo_live_worker worker;

    if (!opevo_live_worker_count(self->objective))
        return;
    opevo_json_key(out, "workers");
    opevo_text_add(out, "[");
    for (size_t i = 0; opevo_live_worker_get(self->objective, i, &worker); i++) {
        opevo_json_next(out, " ");
        opevo_i_cli_worker_print_json(worker.command, worker.host, worker.device, worker.state,
                                      worker.trials, worker.faults, worker.words, out);
    }
    opevo_text_add(out, "]");
}

/* ---- On stderr ------------------------------------------------------------------------------ */

/* Whether one of the workers of this call is it. */
static bool is_of_call(const opevo_i_cli_tuning *self, const opevo_i_cli_measured_worker *one)
{
    opevo_live_worker worker;

    for (size_t i = 0; opevo_live_worker_get(self->objective, i, &worker); i++) {
        if (!strcmp(worker.host, one->host) && !strcmp(worker.device, one->device) &&
            !strcmp(worker.command, one->command))
            return true;
    }
    return false;
}

static void add_workers(const opevo_i_cli_tuning *self, const opevo_i_cli_measured *measured,
                        bool of_call, opevo_text *out)
{
    const char *separator = "";

    for (size_t i = 0; i < measured->count; i++) {
        const opevo_i_cli_measured_worker *one = &measured->workers[i];

        if (!one->trials || is_of_call(self, one) != of_call)
            continue;
        opevo_text_add(out, separator);
        opevo_i_cli_worker_print(one->command, one->host, one->device, out);
        separator = ", ";
    }
}

/* That other workers measured the trials of earlier calls. */
static void tell_changed(const opevo_i_cli_tuning *self, const opevo_run_result *result)
{
    opevo_i_cli_measured measured;
    opevo_text before = {0}, now = {0};

    if (!self->run.store || !result->resumed || result->trials == result->resumed ||
        !opevo_live_worker_count(self->objective) ||
        opevo_i_cli_measured_read(self->run.store, result->run, result->trials, &measured, NULL))
        return;
    add_workers(self, &measured, false, &before);
    add_workers(self, &measured, true, &now);
    if (before.length && now.length)
        fprintf(stderr, "opevo %s: run %lld has trials of %s, and now of %s.\n", self->verb,
                (long long)result->run, opevo_text_string(&before), opevo_text_string(&now));
    opevo_text_free(&before);
    opevo_text_free(&now);
    opevo_i_cli_measured_free(&measured);
}

void opevo_i_cli_tune_tell_workers(const opevo_i_cli_tuning *self, bool ended)
{
    for (uint64_t i = 0; ended && i < self->runs; i++)
        tell_changed(self, &self->results[i]);
    opevo_i_cli_tell_workers(self->verb, self->objective);
}
