/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trials of a session: what is asked for, told, pending, and the best. */

#include "serve_internal.h"

#include <opevo/front.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/run.h>

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Asking --------------------------------------------------------------------------------- */

/* {"number": 1, "config": {...}; the caller ends the object. */
static void begin_trial(const opevo_i_cli_serving *self, const opevo_trial *trial, opevo_text *out)
{
    opevo_text_add(out, "{");
    opevo_json_index(out, "number", trial->number);
    opevo_json_key(out, "config");
    opevo_space_print_json(self->objective->space, trial->proposal.point, out);
}

static void add_trials(const opevo_i_cli_serving *self, const opevo_trial *trials, size_t count,
                       opevo_text *out)
{
    opevo_json_open(out, "trials", "[");
    for (size_t i = 0; i < count; i++) {
        opevo_json_next(out, " ");
        begin_trial(self, &trials[i], out);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}

/* What a client of a shared session is told beside its trials. A search is over only when nobody
 * can give a trial back. */
static void add_shared(const opevo_i_cli_serving *self, size_t missing, uint64_t until,
                       size_t elsewhere, opevo_text *out)
{
    const opevo_run_result *result = opevo_session_result(self->session);

    if (missing > 0 && opevo_session_is_over(self->session) && elsewhere == 0) {
        opevo_json_bool(out, "over", true);
        opevo_json_string(out, "reason", result->reason);
    } else if (missing > 0 && result->trials < until) {
        opevo_json_bool(out, "waiting", true);
    }
    opevo_json_index(out, "complete", result->trials);
    opevo_json_index(out, "elsewhere", elsewhere);
}

static void add_own(const opevo_i_cli_serving *self, size_t missing, opevo_text *out)
{
    if (opevo_session_is_over(self->session)) {
        opevo_json_bool(out, "over", true);
        opevo_json_string(out, "reason", opevo_session_result(self->session)->reason);
    } else if (missing > 0) {
        opevo_json_bool(out, "waiting", true);
    }
}

opevo_status opevo_i_cli_serve_ask(opevo_i_cli_server *server, const opevo_i_cli_request *request,
                                   opevo_text *out, opevo_error *err)
{
    opevo_i_cli_serving *self = NULL;
    opevo_trial *trials = NULL;
    opevo_status status = OPEVO_OK;
    size_t wanted = (size_t)request->count;
    size_t count = 0;
    size_t elsewhere = 0;

    OPEVO_TRY(opevo_i_cli_serving_find(server, request, &self, err));
    if (request->until < UINT64_MAX && !server->shared)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"until\" is for sessions that are shared: serve --listen.");
    trials = opevo_malloc(wanted, sizeof *trials);
    OPEVO_NEED_OR_RETURN(trials, "%zu trials", wanted);
    OPEVO_TRY(server->shared ? opevo_i_cli_share_ask(server, self, wanted, request->until, trials,
                                                     &count, &elsewhere, err)
                             : opevo_session_ask(self->session, trials, wanted, &count, err));
    add_trials(self, trials, count, out);
    if (server->shared)
        add_shared(self, wanted - count, request->until, elsewhere, out);
    else
        add_own(self, wanted - count, out);
cleanup:
    opevo_free(trials);
    return status;
}

static opevo_status all_pending(const opevo_i_cli_serving *self, opevo_trial **trials,
                                size_t *count, opevo_error *err)
{
    *count = opevo_session_pending(self->session, NULL, 0);
    *trials = opevo_malloc(*count, sizeof **trials);
    OPEVO_NEED_OR_RETURN(*trials, "%zu trials", *count);
    opevo_session_pending(self->session, *trials, *count);
    return OPEVO_OK;
}

/* The numbers of "hold"; release them with opevo_free. */
static opevo_status read_held(const opevo_i_cli_server *server, const opevo_i_cli_request *request,
                              uint64_t **out, size_t *count, opevo_error *err)
{
    const json_t *list = request->hold;

    *count = json_array_size(list);
    if (list && !server->shared)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"hold\" is for sessions that are shared: serve --listen.");
    *out = opevo_malloc(*count, sizeof **out);
    OPEVO_NEED_OR_RETURN(*out, "%zu numbers", *count);
    for (size_t i = 0; i < *count; i++) {
        json_int_t number = json_integer_value(json_array_get(list, i));

        if (number < 1)
            return OPEVO_FAIL(err, OPEVO_INVALID, "\"hold\" must be a list of numbers of trials.");
        (*out)[i] = (uint64_t)number;
    }
    return OPEVO_OK;
}

opevo_status opevo_i_cli_serve_pending(opevo_i_cli_server *server,
                                       const opevo_i_cli_request *request, opevo_text *out,
                                       opevo_error *err)
{
    opevo_i_cli_serving *self = NULL;
    uint64_t *held = NULL;
    opevo_trial *trials = NULL;
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_serving_find(server, request, &self, err));
    OPEVO_TRY(read_held(server, request, &held, &count, err));
    OPEVO_TRY(server->shared
                  ? opevo_i_cli_share_hold(server, self, held, count, &trials, &count, err)
                  : all_pending(self, &trials, &count, err));
    add_trials(self, trials, count, out);
cleanup:
    opevo_free(held);
    opevo_free(trials);
    return status;
}

/* ---- Telling -------------------------------------------------------------------------------- */

/* What a result lies between: no clock resolves less than a picosecond, nobody waits for 30 years,
 * and squares and ratios of results stay numbers. A score may also be 0. */
static const struct {
    double least, most;
} ranges[] = {[OPEVO_I_TOLD_SCORE] = {1e-100, 1e100},
              [OPEVO_I_TOLD_TIME] = {1e-12, 1e9},
              [OPEVO_I_TOLD_GFLOPS] = {1e-12, 1e12}};
enum { TOLD_COUNT = sizeof ranges / sizeof *ranges };

/* A trial as it is told. */
typedef struct told_entry {
    uint64_t number;
    double results[TOLD_COUNT]; /* NaN: not given */
    const char *outcome, *message;
    json_t *criteria;
    double cost;
} told_entry;

#define RESULT(name, told)                                                                         \
    {                                                                                              \
        name, OPEVO_JSON_NUMBER, .offset = offsetof(told_entry, results) + (told) * sizeof(double) \
    }
static const opevo_json_field told_fields[] = {
    OPEVO_JSON_FIELD(told_entry, number, WHOLE, .required = true, .or_digits = true, .least = 1),
    RESULT("score", OPEVO_I_TOLD_SCORE),
    RESULT("time", OPEVO_I_TOLD_TIME),
    RESULT("gflops", OPEVO_I_TOLD_GFLOPS),
    OPEVO_JSON_FIELD(told_entry, outcome, TEXT),
    OPEVO_JSON_FIELD(told_entry, message, TEXT),
    OPEVO_JSON_FIELD(told_entry, criteria, OBJECT),
    OPEVO_JSON_FIELD(told_entry, cost, NUMBER)};
enum { TOLD_FIELDS = sizeof told_fields / sizeof *told_fields };

/* The number of the success that the entry tells is the session's, and within its range. */
static opevo_status check_result(opevo_i_cli_told told, const told_entry *entry, opevo_error *err)
{
    const char *name = opevo_i_cli_told_names[told];
    double result = entry->results[told];

    for (size_t i = 0; i < TOLD_COUNT; i++) {
        if (i != told && !isnan(entry->results[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "this session is told \"%s\", as its \"result\" says.", name);
    }
    if (!isnan(result) && !((result >= ranges[told].least && result <= ranges[told].most) ||
                            (told == OPEVO_I_TOLD_SCORE && result == 0)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"%s\" must be %sfrom %g to %g.", name,
                          told == OPEVO_I_TOLD_SCORE ? "0 or " : "", ranges[told].least,
                          ranges[told].most);
    return OPEVO_OK;
}

static opevo_status read_class(const char *name, opevo_outcome_class *out, opevo_error *err)
{
    opevo_text known = {0};

    if (!name || opevo_outcome_parse(name, out))
        return OPEVO_OK;
    for (int i = 0; i < OPEVO_OUTCOME_CLASS_COUNT; i++)
        opevo_text_printf(&known, "%s%s", i ? ", " : "",
                          opevo_outcome_name((opevo_outcome_class)i));
    OPEVO_FAIL(err, OPEVO_INVALID, "the outcome \"%.60s\" is unknown; it is one of %s.", name,
               opevo_text_string(&known));
    opevo_text_free(&known);
    return OPEVO_INVALID;
}

/* The success or the failure that the entry tells, without criteria and costs. */
static opevo_status read_outcome(const opevo_i_cli_serving *self, const told_entry *entry,
                                 opevo_outcome *out, opevo_error *err)
{
    const char *name = opevo_i_cli_told_names[self->told];
    double result = entry->results[self->told];
    opevo_outcome_class kind = OPEVO_OUTCOME_OK;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(check_result(self->told, entry, err));
    OPEVO_TRY(read_class(entry->outcome, &kind, err));
    if (kind != OPEVO_OUTCOME_OK && !isnan(result))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "a trial whose outcome is %s has no \"%s\": leave one of them out.",
                          opevo_outcome_name(kind), name);
    if (kind == OPEVO_OUTCOME_OK && isnan(result))
        return OPEVO_FAIL(err, OPEVO_INVALID, "it needs a \"%s\", or the \"outcome\" of a failure.",
                          name);
    if (kind != OPEVO_OUTCOME_OK)
        *out = opevo_outcome_failed(kind);
    else if (self->told == OPEVO_I_TOLD_TIME)
        *out = opevo_outcome_of_time(result);
    else
        *out = opevo_outcome_of_fitness(result);
cleanup:
    return status;
}

/* What is null is not known. */
static opevo_status read_criteria(const opevo_i_cli_serving *self, const opevo_json_reader *at,
                                  opevo_outcome *out, opevo_error *err)
{
    const opevo_objective *objective = self->objective;
    const char *known[OPEVO_CRITERIA_MOST] = {NULL};
    opevo_status status = OPEVO_OK;

    if (!at->value)
        return OPEVO_OK;
    for (size_t i = 0; i < objective->more_count; i++)
        known[i] = objective->criteria[i].name;
    OPEVO_TRY(opevo_json_keys(at, known, "an object", err));
    for (size_t i = 0; i < objective->more_count; i++) {
        const opevo_json_field field = {known[i], OPEVO_JSON_NUMBER,
                                        .offset = i * sizeof *out->more};

        if (!json_is_null(json_object_get(at->value, known[i])))
            OPEVO_TRY(opevo_json_read_some(at, &field, 1, out->more, err));
    }
cleanup:
    return status;
}

static opevo_status read_entry(const opevo_i_cli_serving *self, const opevo_json_reader *at,
                               opevo_trial *out, opevo_error *err)
{
    const opevo_json_reader criteria = opevo_json_member(at, "criteria");
    told_entry entry = {.results = {NAN, NAN, NAN}, .cost = NAN};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_json_read_some(at, told_fields, 1, &entry, err));
    out->number = entry.number;
    OPEVO_TRY(opevo_json_read(at, told_fields, TOLD_FIELDS, &entry, err));
    OPEVO_TRY(read_outcome(self, &entry, &out->outcome, err));
    OPEVO_TRY(read_criteria(self, &criteria, &out->outcome, err));
    if (!isnan(entry.cost))
        out->outcome.other_s = entry.cost;
    out->outcome.message = entry.message;
cleanup:
    return status;
}

static opevo_status read_told(const opevo_i_cli_serving *self, const json_t *list,
                              opevo_trial *trials, opevo_error *err)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const opevo_json_reader at = {.value = json_array_get(list, i)};
        opevo_error inner = {OPEVO_OK, ""};

        trials[i] = (opevo_trial){.number = 0};
        if (read_entry(self, &at, &trials[i], &inner) == OPEVO_OK)
            continue;
        if (trials[i].number == 0)
            return OPEVO_FAIL(err, inner.status, "Entry %zu of \"trials\": %.900s", i + 1,
                              inner.message);
        return OPEVO_FAIL(err, inner.status, "Trial %llu: %.900s",
                          (unsigned long long)trials[i].number, inner.message);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_cli_serve_tell(opevo_i_cli_server *server, const opevo_i_cli_request *request,
                                    opevo_text *out, opevo_error *err)
{
    const json_t *list = request->trials;
    size_t count = json_array_size(list);
    opevo_i_cli_serving *self = NULL;
    opevo_trial *trials = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_serving_find(server, request, &self, err));
    trials = opevo_malloc(count, sizeof *trials);
    OPEVO_NEED_OR_RETURN(trials, "%zu trials", count);
    OPEVO_TRY(read_told(self, list, trials, err));
    if (server->shared)
        OPEVO_TRY(opevo_i_cli_share_sift(server, self, trials, &count, err));
    OPEVO_TRY(opevo_session_tell(self->session, trials, count, err));
    opevo_json_index(out, "told", count);
    opevo_json_index(out, "trials", opevo_session_result(self->session)->trials);
cleanup:
    opevo_free(trials);
    return status;
}

/* ---- The best ------------------------------------------------------------------------------- */

static void add_told(const opevo_i_cli_serving *self, const opevo_trial *trial, opevo_text *out)
{
    const opevo_objective *objective = self->objective;
    const opevo_outcome *outcome = &trial->outcome;

    begin_trial(self, trial, out);
    opevo_json_double(out, opevo_i_cli_told_names[self->told],
                      self->told == OPEVO_I_TOLD_TIME ? outcome->time_s : outcome->fitness);
    if (objective->more_count > 0) {
        opevo_json_open(out, "criteria", "{");
        for (size_t i = 0; i < objective->more_count; i++)
            opevo_json_double(out, objective->criteria[i].name, outcome->more[i]);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "}");
}

opevo_status opevo_i_cli_serve_best(opevo_i_cli_server *server, const opevo_i_cli_request *request,
                                    opevo_text *out, opevo_error *err)
{
    opevo_i_cli_serving *self = NULL;
    opevo_status status = opevo_i_cli_serving_find(server, request, &self, err);
    const opevo_trial *best = NULL;

    if (status != OPEVO_OK)
        return status;
    if (self->front_failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a front.");
    best = &opevo_session_result(self->session)->best;
    opevo_json_key(out, "best");
    if (best->number > 0)
        add_told(self, best, out);
    else
        opevo_text_add(out, "null");
    if (!self->shows_front)
        return OPEVO_OK;
    opevo_front_sort(&self->front);
    opevo_json_open(out, "front", "[");
    for (size_t i = 0; i < self->front.count; i++) {
        opevo_json_next(out, " ");
        add_told(self, &self->front.members[i], out);
    }
    opevo_text_add(out, "]");
    return OPEVO_OK;
}
