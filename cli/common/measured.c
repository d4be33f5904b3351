/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Who measured a run, as its store has it: its workers, and the results by device. */

#include "measured_internal.h"
#include "reasons_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/store.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Reading -------------------------------------------------------------------------------- */

static opevo_status add_worker(void *context, const opevo_stored_worker *worker, opevo_error *err)
{
    opevo_i_cli_measured *self = context;
    opevo_i_cli_measured_worker *grown =
        opevo_realloc(self->workers, self->count + 1, sizeof *self->workers);
    opevo_i_cli_measured_worker *one = NULL;

    OPEVO_NEED_OR_RETURN(grown, "the workers of a run");
    self->workers = grown;
    one = &grown[self->count++];
    *one = (opevo_i_cli_measured_worker){.number = worker->number,
                                         .trials = worker->trials,
                                         .faults = worker->faults,
                                         .command = opevo_strdup(worker->by.command),
                                         .host = opevo_strdup(worker->by.host),
                                         .device = opevo_strdup(worker->by.device),
                                         .state = opevo_strdup(worker->state),
                                         .words = opevo_strdup(worker->words)};
    return one->command && one->host && one->device && one->state && one->words
               ? OPEVO_OK
               : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the workers of a run.");
}

opevo_status opevo_i_cli_measured_read(opevo_store *store, int64_t run, uint64_t trials,
                                       opevo_i_cli_measured *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    *out = (opevo_i_cli_measured){.trials = trials};
    OPEVO_TRY(opevo_store_workers(store, run, add_worker, out, err));
    OPEVO_TRY(opevo_store_measurers(store, run, trials, &out->of_trial, err));
cleanup:
    if (status != OPEVO_OK)
        opevo_i_cli_measured_free(out);
    return status;
}

void opevo_i_cli_measured_free(opevo_i_cli_measured *self)
{
    for (size_t i = 0; i < self->count; i++) {
        opevo_free(self->workers[i].command);
        opevo_free(self->workers[i].host);
        opevo_free(self->workers[i].device);
        opevo_free(self->workers[i].state);
        opevo_free(self->workers[i].words);
    }
    opevo_free(self->workers);
    opevo_free(self->of_trial);
    *self = (opevo_i_cli_measured){.workers = NULL};
}

const opevo_i_cli_measured_worker *opevo_i_cli_measured_of(const opevo_i_cli_measured *self,
                                                           uint64_t trial)
{
    uint32_t number =
        self->of_trial && trial >= 1 && trial <= self->trials ? self->of_trial[trial - 1] : 0;

    for (size_t i = 0; number && i < self->count; i++) {
        if (self->workers[i].number == (int64_t)number)
            return &self->workers[i];
    }
    return NULL;
}

/* ---- Workers -------------------------------------------------------------------------------- */

void opevo_i_cli_worker_print(const char *command, const char *host, const char *device,
                              opevo_text *out)
{
    opevo_text_add(out, "'");
    opevo_text_add_visible(out, command);
    opevo_text_add(out, "'");
    if (*host || *device) {
        opevo_text_add(out, " (");
        opevo_text_add_visible(out, host);
        opevo_text_add(out, *host && *device ? ": " : "");
        opevo_text_add_visible(out, device);
        opevo_text_add(out, ")");
    }
}

static void print_json_worker(const char *command, const char *host, const char *device,
                              const char *state, uint64_t trials, uint64_t faults,
                              const char *words, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_string(out, "command", command);
    opevo_json_string(out, "host", host);
    opevo_json_string(out, "device", device);
    opevo_json_string(out, "state", state);
    opevo_json_index(out, "measured", trials);
    opevo_json_index(out, "faults", faults);
    opevo_json_string(out, "words", words);
    opevo_text_add(out, "}");
}

/* "; 3 faults of its host; suspended; last: ...": nothing of a sound worker. */
static void print_troubles(uint64_t faults, const char *state, const char *words, opevo_text *out)
{
    if (faults)
        opevo_text_printf(out, "; %llu fault%s of its host", (unsigned long long)faults,
                          opevo_i_cli_plural(faults));
    if (*state && strcmp(state, "ready") != 0)
        opevo_text_printf(out, "; %s", state);
    if (*words) {
        opevo_text_add(out, "; last: ");
        opevo_i_cli_text_add_message(out, words);
    }
}

void opevo_i_cli_measured_print(const opevo_i_cli_measured *self, opevo_text *out)
{
    bool plain = self->count == 1 && !self->workers[0].faults && !*self->workers[0].words;

    for (size_t i = 0; i < self->count && !plain; i++) {
        const opevo_i_cli_measured_worker *one = &self->workers[i];

        opevo_text_printf(out, "%llu trial%s by the worker ", (unsigned long long)one->trials,
                          opevo_i_cli_plural(one->trials));
        opevo_i_cli_worker_print(one->command, one->host, one->device, out);
        print_troubles(one->faults, one->state, one->words, out);
        opevo_text_add(out, "\n");
    }
}

void opevo_i_cli_measured_print_json(const opevo_i_cli_measured *self, opevo_text *out)
{
    if (!self->count)
        return;
    opevo_json_open(out, "workers", "[");
    for (size_t i = 0; i < self->count; i++) {
        const opevo_i_cli_measured_worker *one = &self->workers[i];

        opevo_json_next(out, " ");
        print_json_worker(one->command, one->host, one->device, one->state, one->trials,
                          one->faults, one->words, out);
    }
    opevo_text_add(out, "]");
}

void opevo_i_cli_add_json_workers(const opevo_objective *objective, opevo_text *out)
{
    opevo_worker_facts worker;

    if (!opevo_objective_worker(objective, 0, &worker))
        return;
    opevo_json_open(out, "workers", "[");
    for (size_t i = 0; opevo_objective_worker(objective, i, &worker); i++) {
        opevo_json_next(out, " ");
        print_json_worker(worker.command, worker.host, worker.device, worker.state, worker.trials,
                          worker.faults, worker.words, out);
    }
    opevo_text_add(out, "]");
}

/* ---- On stderr ------------------------------------------------------------------------------ */

#define STARTS_S 5.0 /* a worker that has not come up so long is worth a word */

void opevo_i_cli_tell_workers(const char *verb, const opevo_objective *objective)
{
    size_t count = 0, measured = 0;
    opevo_worker_facts worker;
    opevo_text text = {0};
    bool sound = true;

    for (; opevo_objective_worker(objective, count, &worker); count++) {
        measured += worker.trials > 0;
        sound = sound && !worker.faults && worker.waits_s < STARTS_S;
    }
    if (sound || (count == 1 && !measured)) /* the error is about that one */
        return;
    fprintf(stderr, "opevo %s: %zu of %zu worker%s measured:\n", verb, measured, count,
            opevo_i_cli_plural(count));
    for (size_t i = 0; opevo_objective_worker(objective, i, &worker); i++) {
        opevo_text_clear(&text);
        opevo_text_printf(&text, "  %llu measurement%s: ", (unsigned long long)worker.trials,
                          opevo_i_cli_plural(worker.trials));
        opevo_i_cli_worker_print(worker.command, worker.host, worker.device, &text);
        print_troubles(worker.faults, worker.state, worker.words, &text);
        fprintf(stderr, "%s\n", opevo_text_string(&text));
    }
    opevo_text_free(&text);
}

/* ---- Runs on several devices ----------------------------------------------------------------- */

/* The devices of one objective after the other. */
typedef struct several {
    opevo_text objective, devices;
    size_t count; /* of the objective */
    opevo_text *out;
} several;

static void end_objective(several *self)
{
    if (self->count > 1) {
        opevo_i_cli_text_add_objective(self->out, opevo_text_string(&self->objective));
        opevo_text_printf(self->out,
                          ": runs of several devices, whose results are not comparable as they "
                          "are: %s\n",
                          opevo_text_string(&self->devices));
    }
    self->count = 0;
    opevo_text_clear(&self->objective);
    opevo_text_clear(&self->devices);
}

static opevo_status add_measured(void *context, const char *objective, const char *device,
                                 uint64_t runs, opevo_error *err)
{
    several *self = context;

    if (strcmp(opevo_text_string(&self->objective), objective) != 0)
        end_objective(self);
    if (self->count++ == 0)
        opevo_text_add(&self->objective, objective);
    opevo_text_add(&self->devices, self->count > 1 ? ", " : "");
    opevo_text_add_visible(&self->devices, device);
    opevo_text_printf(&self->devices, " (%llu run%s)", (unsigned long long)runs,
                      opevo_i_cli_plural(runs));
    return opevo_text_check(&self->devices, err);
}

opevo_status opevo_i_cli_measured_print_several(opevo_store *store, opevo_text *out,
                                                opevo_error *err)
{
    several self = {.out = out};
    opevo_status status = opevo_store_devices(store, add_measured, &self, err);

    if (status == OPEVO_OK)
        end_objective(&self);
    opevo_text_free(&self.objective);
    opevo_text_free(&self.devices);
    return status;
}

/* ---- Devices -------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Whether the worker is the first on a device that is known. */
static bool is_first(const opevo_i_cli_measured *self, size_t i)
{
    if (!*self->workers[i].device)
        return false;
    for (size_t k = 0; k < i; k++) {
        if (!strcmp(self->workers[k].device, self->workers[i].device))
            return false;
    }
    return true;
}

static void add_device(const opevo_i_cli_measured *self, const char *device, const double *fitness,
                       double *scratch, opevo_i_cli_measured_device *out)
{
    size_t count = 0;

    *out = (opevo_i_cli_measured_device){.device = device};
    for (uint64_t t = 1; t <= self->trials; t++) {
        const opevo_i_cli_measured_worker *by = opevo_i_cli_measured_of(self, t);

        if (!by || strcmp(by->device, device) != 0)
            continue;
        out->trials++;
        if (fitness[t - 1] > 0)
            scratch[count++] = fitness[t - 1];
    }
    out->succeeded = count;
    if (count == 0)
        return;
    qsort(scratch, count, sizeof *scratch, compare_doubles);
    out->best = scratch[count - 1];
    out->median = (scratch[(count - 1) / 2] + scratch[count / 2]) / 2;
}

static size_t count_devices(const opevo_i_cli_measured *self)
{
    size_t count = 0;

    for (size_t i = 0; i < self->count; i++)
        count += is_first(self, i);
    return count;
}

static opevo_status read_fitness(opevo_store *store, int64_t run, double *fitness, uint64_t trials,
                                 opevo_error *err)
{
    enum { PIECE = 64 };
    opevo_trial read[PIECE];
    opevo_status status = OPEVO_OK;
    uint64_t done = 0;
    size_t got = PIECE;

    while (status == OPEVO_OK && got == PIECE && done < trials) {
        status = opevo_store_read(store, run, done, read, PIECE, &got, err);
        for (size_t i = 0; status == OPEVO_OK && i < got && done < trials; i++)
            fitness[done++] = read[i].outcome.fitness;
    }
    return status;
}

opevo_status opevo_i_cli_measured_devices_of_run(opevo_store *store, int64_t run,
                                                 const opevo_i_cli_measured *measured,
                                                 opevo_i_cli_measured_device **out, size_t *count,
                                                 opevo_error *err)
{
    size_t most = count_devices(measured);
    opevo_status status = OPEVO_OK;
    double *fitness = NULL, *scratch = NULL;

    *out = NULL;
    *count = 0;
    if (most < 2)
        return OPEVO_OK;
    fitness = opevo_calloc((size_t)measured->trials + 1, sizeof *fitness);
    scratch = opevo_malloc((size_t)measured->trials + 1, sizeof *scratch);
    *out = opevo_calloc(most, sizeof **out);
    OPEVO_NEED(fitness && scratch && *out, "the devices of a run");
    OPEVO_TRY(read_fitness(store, run, fitness, measured->trials, err));
    for (size_t i = 0; i < measured->count; i++) {
        if (is_first(measured, i))
            add_device(measured, measured->workers[i].device, fitness, scratch,
                       &(*out)[(*count)++]);
    }
cleanup:
    opevo_free(fitness);
    opevo_free(scratch);
    if (status != OPEVO_OK) {
        opevo_free(*out);
        *out = NULL;
    }
    return status;
}
