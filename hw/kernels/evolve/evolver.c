/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernel variants as an objective, and evaluations of given lists. */

#include "evolver_internal.h"

#include <opevo/hash.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const set_names[] = {[OPEVO_CASES_SEARCH] = "search",
                                        [OPEVO_CASES_SELECTION] = "selection",
                                        [OPEVO_CASES_FINAL] = "final"};
static const opevo_criterion error_criterion = {"error", "", false};

static const opevo_tuner_default default_settings[] = {
    {"nsga2", "population=48"},
    {"nsga2", "crossover=0.8"},
    {"nsga2", "mutation=0.6"},
    {"nsga2", "tournament=dcd"},
    {"nsga2", "elite=0.25"},
    {"nsga2", "retries=100"},
    {"nsga2", "q=0"},
    {"climb", "q=0"},
    {NULL, NULL},
};

const opevo_search_defaults opevo_evolver_defaults = {"time,error", default_settings};

/* ---- The objective --------------------------------------------------------------------------- */

typedef struct measurement {
    opevo_evolver *self;
    opevo_outcome_sink sink;
    void *context;
} measurement;

/* Note who did a request; NULLs where a worker did not. */
static void note_measurer(opevo_evolver *self, const opevo_i_evolve_request *request)
{
    opevo_i_engine_connection *worker = NULL;

    self->by = (opevo_measurer){.command = NULL};
    if (!request || request->answer != OPEVO_I_ANSWERED)
        return;
    worker = &self->pool.super.workers[request->super.worker];
    self->by = (opevo_measurer){.command = opevo_i_engine_connection_command(worker),
                                .host = worker->host,
                                .device = worker->device};
}

/* The i-th outcome; what it points to is in *said, which is the caller's. */
static opevo_status hand_over(const measurement *at, size_t i, opevo_i_evolve_request *request,
                              opevo_evolved *said, opevo_error *err)
{
    opevo_status status = opevo_i_evolve_reply_evaluation(request, said, err);
    opevo_outcome outcome = opevo_outcome_failed(OPEVO_OUTCOME_OK);

    if (status != OPEVO_OK)
        return status;
    at->self->known.run++;
    at->self->known.modules += said->known == OPEVO_KNOWN_MODULE;
    at->self->known.objects += said->known == OPEVO_KNOWN_OBJECT;
    outcome = opevo_outcome_failed(said->kind);
    if (said->kind == OPEVO_OUTCOME_OK) {
        outcome = opevo_outcome_of_fitness(at->self->facts.base_cost / said->cost);
        outcome.more[0] = said->error;
    }
    outcome.message = said->message;
    note_measurer(at->self, request);
    status = at->sink(at->context, i, &outcome, err);
    note_measurer(at->self, NULL);
    return status;
}

static opevo_status deliver(void *context, size_t i, opevo_i_evolve_request *request,
                            opevo_error *err)
{
    const measurement *at = context;

    return hand_over(at, i, request, &at->self->evaluations[i], err);
}

static char *evaluation_line(const char *edits, opevo_cases set)
{
    return opevo_i_evolve_request_line(
        json_pack("{s:s, s:s, s:s}", "do", "evaluate", "edits", edits, "set", set_names[set]));
}

static void forget(opevo_evolver *self)
{
    for (size_t i = 0; i < self->evaluation_count; i++)
        opevo_evolved_free(&self->evaluations[i]);
    opevo_free(self->evaluations);
    self->evaluations = NULL;
    self->evaluation_count = 0;
}

/* Requests for evaluations; the caller's, also on failure. */
static opevo_status evaluate(opevo_evolver *self, opevo_i_evolve_request *requests, size_t count,
                             const opevo_interrupt *interrupt, opevo_i_evolve_request_sink sink,
                             void *context, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count; i++) {
        OPEVO_NEED_OR_RETURN(requests[i].line, "%zu evaluations", count);
    }
    pthread_mutex_lock(&self->lock);
    status =
        opevo_i_evolve_evolver_serve(&self->pool, requests, count, interrupt, sink, context, err);
    pthread_mutex_unlock(&self->lock);
    return status;
}

static void clear_requests(opevo_i_evolve_request *requests, size_t count)
{
    for (size_t i = 0; requests && i < count; i++)
        opevo_i_evolve_request_clear(&requests[i]);
    opevo_free(requests);
}

static opevo_evolver *evolver_of(opevo_objective *objective)
{
    return (opevo_evolver *)((char *)objective - offsetof(opevo_evolver, objective));
}

static opevo_status measure(opevo_objective *objective, const opevo_index *points, size_t count,
                            const opevo_interrupt *interrupt, opevo_outcome_sink sink,
                            void *sink_context, opevo_error *err)
{
    opevo_evolver *self = evolver_of(objective);
    opevo_i_evolve_request *requests = opevo_calloc(count, sizeof *requests);
    measurement context = {self, sink, sink_context};
    opevo_status status = OPEVO_OK;

    forget(self);
    self->evaluations = opevo_calloc(count, sizeof *self->evaluations);
    OPEVO_NEED(requests && self->evaluations, "%zu evaluations", count);
    self->evaluation_count = count;
    for (size_t i = 0; i < count; i++)
        requests[i].line =
            evaluation_line(opevo_texts_get(self->texts, points[i]), OPEVO_CASES_SEARCH);
    status = evaluate(self, requests, count, interrupt, deliver, &context, err);
cleanup:
    clear_requests(requests, count);
    return status;
}

/* Points as they come, each with a request of its own until its outcome is handed over. */
typedef struct stream {
    measurement at;
    const opevo_point_source *points;
    opevo_i_evolve_request *requests;
    size_t count;
} stream;

static void end_request(stream *self, opevo_i_evolve_request *request)
{
    if (request->previous)
        request->previous->next = request->next;
    else
        self->requests = request->next;
    if (request->next)
        request->next->previous = request->previous;
    opevo_i_evolve_request_clear(request);
    opevo_free(request);
}

static opevo_status next_streamed(void *context, opevo_i_engine_task **out, bool *over,
                                  opevo_error *err)
{
    stream *self = context;
    opevo_i_evolve_request *request = NULL;
    opevo_index point = 0;
    size_t count = 0;
    opevo_status status = self->points->next(self->points->context, &point, 1, &count, over, err);

    *out = NULL;
    if (status != OPEVO_OK || *over || count == 0)
        return status;
    OPEVO_NEW_OR_RETURN(request, 1, "a request");
    request->number = self->count++;
    request->next = self->requests;
    if (request->next)
        request->next->previous = request;
    self->requests = request;
    request->line =
        evaluation_line(opevo_texts_get(self->at.self->texts, point), OPEVO_CASES_SEARCH);
    OPEVO_NEED_OR_RETURN(request->line, "a request");
    *out = &request->super;
    return OPEVO_OK;
}

static opevo_status deliver_streamed(void *context, opevo_i_engine_task *task, opevo_error *err)
{
    stream *self = context;
    opevo_i_evolve_request *request = (opevo_i_evolve_request *)task;
    opevo_evolved said = {.status = NULL};
    opevo_status status = hand_over(&self->at, request->number, request, &said, err);

    opevo_evolved_free(&said);
    end_request(self, request);
    return status;
}

static opevo_status measure_from(opevo_objective *objective, const opevo_point_source *points,
                                 const opevo_interrupt *interrupt, opevo_outcome_sink sink,
                                 void *sink_context, opevo_error *err)
{
    opevo_evolver *self = evolver_of(objective);
    stream all = {.at = {self, sink, sink_context}, .points = points};
    const opevo_i_engine_source source = {
        .next = next_streamed, .done = deliver_streamed, .context = &all};
    opevo_status status = OPEVO_OK;

    pthread_mutex_lock(&self->lock);
    status = opevo_i_evolve_evolver_serve_from(&self->pool, &source, interrupt, err);
    pthread_mutex_unlock(&self->lock);
    while (all.requests)
        end_request(&all, all.requests);
    return status;
}

static bool worker_of(const opevo_objective *objective, size_t i, opevo_worker_facts *out)
{
    const opevo_evolver *self =
        (const opevo_evolver *)((const char *)objective - offsetof(opevo_evolver, objective));

    return opevo_i_engine_pool_worker(&self->pool.super, i, out);
}

static void destroy_objective(opevo_objective *objective)
{
    (void)objective; /* it is the evolver's */
}

static const opevo_objective_ops objective_ops = {.kind = "evolve",
                                                  .measure = measure,
                                                  .measure_from = measure_from,
                                                  .worker = worker_of,
                                                  .destroy = destroy_objective};

opevo_objective *opevo_evolver_objective(opevo_evolver *evolver)
{
    return &evolver->objective;
}

/* ---- Opening --------------------------------------------------------------------------------- */

/* The one that is given, or else beside the running program, or by PATH. */
static bool find_program(opevo_text *out)
{
    const char *given = getenv("OPEVO_EVOLVER");

    if (given || !opevo_i_process_executable_beside("opevo-evolver", out))
        opevo_text_add(out, given ? given : "opevo-evolver");
    return !out->failed;
}

static const char *machine_of(const opevo_evolver_options *options)
{
    return options->on ? options->on : "simt";
}

static opevo_status make_workers(opevo_evolver *self, const opevo_evolver_options *options,
                                 opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text program = {0};
    size_t count = options->worker_count ? options->worker_count : 1;
    double timeout_s = options->timeout_s > 0 ? options->timeout_s : 60;

    OPEVO_TRY(opevo_i_evolve_evolver_pool_make(&self->pool, count, timeout_s, err));
    for (size_t i = 0; i < count; i++) {
        opevo_i_engine_connection *worker = &self->pool.super.workers[i];
        opevo_i_process_arguments *command = &worker->command;

        snprintf(worker->device, sizeof worker->device, "%s", machine_of(options));
        if (gethostname(worker->host, sizeof worker->host - 1) != 0)
            *worker->host = '\0';
        opevo_text_clear(&program);
        if (options->command) {
            OPEVO_TRY(opevo_i_process_command_split(options->command, command, err));
        } else if (!find_program(&program) ||
                   !opevo_i_process_arguments_add(command, program.data, program.length)) {
            status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a worker.");
            goto cleanup;
        }
    }
cleanup:
    opevo_text_free(&program);
    return status;
}

static char *load_line(const opevo_evolver_options *options)
{
    json_t *settings = json_array();
    json_t *message = NULL;

    for (size_t i = 0; i < options->setting_count; i++)
        json_array_append_new(settings, json_string(options->settings[i]));
    message = json_pack("{s:s, s:s, s:s, s:o}", "do", "load", "kernel", options->kernel, "on",
                        machine_of(options), "settings", settings);
    if (options->harness)
        json_object_set_new(message, "harness", json_string(options->harness));
    return opevo_i_evolve_request_line(message);
}

static size_t case_count(const json_t *loaded, const char *set)
{
    return (size_t)json_integer_value(json_object_get(json_object_get(loaded, "cases"), set));
}

static void read_facts(opevo_evolver *self)
{
    const json_t *loaded = self->pool.loaded;

    self->facts = (opevo_evolver_facts){
        .module = opevo_i_evolve_reply_text(loaded, "module"),
        .target = opevo_i_evolve_reply_text(loaded, "target"),
        .llvm = opevo_i_evolve_reply_text(loaded, "llvm"),
        .unit = opevo_i_evolve_reply_text(loaded, "unit"),
        .unchecked = opevo_i_evolve_reply_text(loaded, "unchecked"),
        .instruction_count = (uint64_t)json_integer_value(json_object_get(loaded, "instructions")),
        .base_cost = opevo_i_evolve_reply_number(loaded, "base_cost"),
        .search_cases = case_count(loaded, "search"),
        .selection_cases = case_count(loaded, "selection"),
        .final_cases = case_count(loaded, "final"),
    };
}

/* The objective is called as in "evolve:planted.ll on simt". */
static opevo_status make_objective(opevo_evolver *self, const opevo_evolver_options *options,
                                   opevo_error *err)
{
    const char *signature = opevo_i_evolve_reply_text(self->pool.loaded, "signature");
    const char *slash = strrchr(options->kernel, '/');
    const char *file = slash ? slash + 1 : options->kernel;
    const char *on = machine_of(options);
    opevo_text name = {0};

    opevo_text_printf(&name, "the edits of %s", file);
    self->domain_name = opevo_strdup(opevo_text_string(&name));
    opevo_text_clear(&name);
    opevo_text_printf(&name, "evolve:%s on %s", file, on);
    /* Checks that were turned off; other machines never have all. */
    if (!strcmp(on, "simt") && *self->facts.unchecked)
        opevo_text_printf(&name, ", not checked for %s", self->facts.unchecked);
    self->objective_name = opevo_strdup(opevo_text_string(&name));
    opevo_text_free(&name);
    self->texts = opevo_texts_create();
    OPEVO_NEED_OR_RETURN(self->domain_name && self->objective_name && self->texts,
                         "a kernel's variants");
    self->domain = (opevo_domain){
        .ops = &opevo_i_evolve_edit_candidates,
        .name = self->domain_name,
        .signature =
            opevo_hash_bytes(OPEVO_HASH_START, self->facts.module, strlen(self->facts.module)),
    };
    self->starts = (opevo_starts){.points = &self->base, .count = 1};
    self->base.origin = "base";
    self->objective = (opevo_objective){
        .ops = &objective_ops,
        .domain = &self->domain,
        .name = self->objective_name,
        .unit = "x",
        .signature = opevo_hash_bytes(OPEVO_HASH_START, signature, strlen(signature)),
        .wanted = 4 * self->pool.super.count,
        .criteria = &error_criterion,
        .more_count = 1,
        .starts = &self->starts,
        .defaults = &opevo_evolver_defaults,
        .measurer = &self->by,
    };
    return opevo_domain_parse(&self->domain, "none", &self->base.point, err);
}

/* Whoever measures may ask within: what is measured next comes from draws of edits. */
static void make_lock(pthread_mutex_t *lock)
{
    pthread_mutexattr_t recursive;

    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

opevo_status opevo_evolver_open(const opevo_evolver_options *options, opevo_evolver **out,
                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_evolver *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "a kernel's variants");
    make_lock(&self->lock);
    OPEVO_TRY(opevo_i_evolve_evolver_check_text("The path of the kernel", options->kernel, err));
    OPEVO_TRY(opevo_i_evolve_evolver_check_text("The path of the harness", options->harness, err));
    OPEVO_TRY(opevo_i_evolve_evolver_check_text("The machine", options->on, err));
    for (size_t i = 0; i < options->setting_count; i++)
        OPEVO_TRY(opevo_i_evolve_evolver_check_text("A setting", options->settings[i], err));
    OPEVO_TRY(make_workers(self, options, err));
    self->pool.super.setup = load_line(options);
    OPEVO_NEED(self->pool.super.setup, "a request");
    OPEVO_TRY(opevo_i_evolve_evolver_pool_begin(&self->pool, err));
    read_facts(self);
    OPEVO_TRY(make_objective(self, options, err));
    *out = self;
    self = NULL;
cleanup:
    opevo_evolver_close(self);
    return status;
}

void opevo_evolver_close(opevo_evolver *evolver)
{
    if (!evolver)
        return;
    forget(evolver);
    opevo_i_evolve_evolver_pool_clear(&evolver->pool);
    opevo_texts_destroy(evolver->texts);
    opevo_free(evolver->domain_name);
    opevo_free(evolver->objective_name);
    pthread_mutex_destroy(&evolver->lock);
    opevo_free(evolver);
}

const opevo_evolver_facts *opevo_evolver_facts_of(const opevo_evolver *evolver)
{
    return &evolver->facts;
}

opevo_evolver_counts opevo_evolver_count(const opevo_evolver *evolver)
{
    return evolver->known;
}

/* ---- Lists ----------------------------------------------------------------------------------- */

static opevo_status collect(void *context, size_t i, opevo_i_evolve_request *request,
                            opevo_error *err)
{
    return opevo_i_evolve_reply_evaluation(request, &((opevo_evolved *)context)[i], err);
}

opevo_status opevo_evolver_evaluate(opevo_evolver *evolver, const char *const *edits, size_t count,
                                    opevo_cases set, const opevo_interrupt *interrupt,
                                    opevo_evolved *out, opevo_error *err)
{
    opevo_i_evolve_request *requests = opevo_calloc(count, sizeof *requests);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(requests, "%zu evaluations", count);
    for (size_t i = 0; i < count; i++) {
        out[i] = (opevo_evolved){.status = NULL};
        requests[i].line = evaluation_line(edits[i], set);
    }
    status = evaluate(evolver, requests, count, interrupt, collect, out, err);
    for (size_t i = 0; status != OPEVO_OK && i < count; i++)
        opevo_evolved_free(&out[i]);
    clear_requests(requests, count);
    return status;
}
