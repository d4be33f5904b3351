/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Trials of a session: what is asked for, told, pending, and the best. */

#include "serve_internal.h"

#include <opevo/memory.h>

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
    opevo_json_key(out, "trials");
    opevo_text_add(out, "[");
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

opevo_status opevo_i_cli_serve_ask(opevo_i_cli_server *server, const json_t *request,
                                   opevo_text *out, opevo_error *err)
{
    opevo_i_cli_serving *self = NULL;
    opevo_trial *trials = NULL;
    opevo_status status = OPEVO_OK;
    uint64_t wanted = 0;
    uint64_t until = 0;
    size_t count = 0;
    size_t elsewhere = 0;

    OPEVO_TRY(opevo_i_cli_serving_find(server, request, &self, err));
    OPEVO_TRY(
        opevo_i_cli_field_count(request, "count", 1, 1, OPEVO_I_SERVE_ASK_MOST, &wanted, err));
    OPEVO_TRY(opevo_i_cli_field_count(request, "until", UINT64_MAX, 1, UINT64_MAX, &until, err));
    if (json_object_get(request, "until") && !server->shared)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"until\" is for sessions that are shared: serve --listen.");
    trials = opevo_malloc((size_t)wanted, sizeof *trials);
    if (!trials)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %llu trials.",
                          (unsigned long long)wanted);
    OPEVO_TRY(server->shared
                  ? opevo_i_cli_share_ask(server, self, (size_t)wanted, until, trials, &count,
                                          &elsewhere, err)
                  : opevo_session_ask(self->session, trials, (size_t)wanted, &count, err));
    add_trials(self, trials, count, out);
    if (server->shared)
        add_shared(self, (size_t)wanted - count, until, elsewhere, out);
    else
        add_own(self, (size_t)wanted - count, out);
cleanup:
    opevo_free(trials);
    return status;
}

static opevo_status all_pending(const opevo_i_cli_serving *self, opevo_trial **trials,
                                size_t *count, opevo_error *err)
{
    *count = opevo_session_pending(self->session, NULL, 0);
    *trials = opevo_malloc(*count, sizeof **trials);
    if (!*trials)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu trials.", *count);
    opevo_session_pending(self->session, *trials, *count);
    return OPEVO_OK;
}

/* The numbers of "hold"; release them with opevo_free. */
static opevo_status read_held(const opevo_i_cli_server *server, const json_t *request,
                              uint64_t **out, size_t *count, opevo_error *err)
{
    const json_t *list = json_object_get(request, "hold");

    *count = json_array_size(list);
    if (list && (!server->shared || !json_is_array(list)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"hold\" must be a list of numbers, and the session a shared one.");
    *out = opevo_malloc(*count, sizeof **out);
    if (!*out)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu numbers.", *count);
    for (size_t i = 0; i < *count; i++) {
        json_int_t number = json_integer_value(json_array_get(list, i));

        if (number < 1)
            return OPEVO_FAIL(err, OPEVO_INVALID, "\"hold\" must be a list of numbers of trials.");
        (*out)[i] = (uint64_t)number;
    }
    return OPEVO_OK;
}

opevo_status opevo_i_cli_serve_pending(opevo_i_cli_server *server, const json_t *request,
                                       opevo_text *out, opevo_error *err)
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

/* The number of the success that the entry tells, if it does. */
static opevo_status read_result(opevo_i_cli_told told, const json_t *entry, double *out,
                                bool *given, opevo_error *err)
{
    const char *name = opevo_i_cli_told_name(told);
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < TOLD_COUNT; i++) {
        if (i != told && json_object_get(entry, opevo_i_cli_told_name((opevo_i_cli_told)i)))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "this session is told \"%s\", as its \"result\" says.", name);
    }
    status = opevo_i_cli_field_number(entry, name, out, given, err);
    if (status == OPEVO_OK && *given &&
        !((*out >= ranges[told].least && *out <= ranges[told].most) ||
          (told == OPEVO_I_TOLD_SCORE && *out == 0)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"%s\" must be %sfrom %g to %g.", name,
                          told == OPEVO_I_TOLD_SCORE ? "0 or " : "", ranges[told].least,
                          ranges[told].most);
    return status;
}

static opevo_status read_class(const json_t *entry, opevo_outcome_class *out, bool *given,
                               opevo_error *err)
{
    const char *name = NULL;
    opevo_status status = opevo_i_cli_field_text(entry, "outcome", &name, err);
    opevo_text known = {0};

    *given = name != NULL;
    if (status != OPEVO_OK || !name || opevo_outcome_parse(name, out))
        return status;
    for (int i = 0; i < OPEVO_OUTCOME_CLASS_COUNT; i++)
        opevo_text_printf(&known, "%s%s", i ? ", " : "",
                          opevo_outcome_name((opevo_outcome_class)i));
    status = OPEVO_FAIL(err, OPEVO_INVALID, "the outcome \"%.60s\" is unknown; it is one of %s.",
                        name, opevo_text_string(&known));
    opevo_text_free(&known);
    return status;
}

/* The success or the failure that the entry tells, without criteria and costs. */
static opevo_status read_outcome(const opevo_i_cli_serving *self, const json_t *entry,
                                 opevo_outcome *out, opevo_error *err)
{
    opevo_outcome_class kind = OPEVO_OUTCOME_OK;
    bool has_class = false;
    bool has_result = false;
    double result = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(read_result(self->told, entry, &result, &has_result, err));
    OPEVO_TRY(read_class(entry, &kind, &has_class, err));
    if (kind != OPEVO_OUTCOME_OK && has_result)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "a trial whose outcome is %s has no \"%s\": leave one of them out.",
                          opevo_outcome_name(kind), opevo_i_cli_told_name(self->told));
    if (kind == OPEVO_OUTCOME_OK && !has_result)
        return OPEVO_FAIL(err, OPEVO_INVALID, "it needs a \"%s\", or the \"outcome\" of a failure.",
                          opevo_i_cli_told_name(self->told));
    if (kind != OPEVO_OUTCOME_OK)
        *out = opevo_outcome_failed(kind);
    else if (self->told == OPEVO_I_TOLD_TIME)
        *out = opevo_outcome_of_time(result);
    else
        *out = opevo_outcome_of_fitness(result);
cleanup:
    return status;
}

static opevo_status read_criteria(const opevo_i_cli_serving *self, const json_t *entry,
                                  opevo_outcome *out, opevo_error *err)
{
    json_t *values = json_object_get(entry, "criteria");
    const opevo_objective *objective = self->objective;
    const char *known[OPEVO_CRITERIA_MOST] = {NULL};
    opevo_status status = OPEVO_OK;

    if (values && !json_is_object(values))
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"criteria\" must be an object.");
    for (size_t i = 0; i < objective->more_count; i++)
        known[i] = objective->criteria[i].name;
    OPEVO_TRY(opevo_i_cli_field_check(values, known, "criteria", err));
    for (size_t i = 0; i < objective->more_count; i++) {
        bool given = false;

        if (!json_is_null(json_object_get(values, known[i])))
            OPEVO_TRY(opevo_i_cli_field_number(values, known[i], &out->more[i], &given, err));
    }
cleanup:
    return status;
}

static opevo_status read_entry(const opevo_i_cli_serving *self, json_t *entry, opevo_trial *out,
                               opevo_error *err)
{
    static const char *const keys[] = {"number",   "time", "gflops",  "score", "outcome",
                                       "criteria", "cost", "message", NULL};
    bool given = false;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_field_check(entry, keys, "a trial", err));
    OPEVO_TRY(read_outcome(self, entry, &out->outcome, err));
    OPEVO_TRY(read_criteria(self, entry, &out->outcome, err));
    OPEVO_TRY(opevo_i_cli_field_number(entry, "cost", &out->outcome.other_s, &given, err));
    OPEVO_TRY(opevo_i_cli_field_text(entry, "message", &out->outcome.message, err));
cleanup:
    return status;
}

static opevo_status read_told(const opevo_i_cli_serving *self, const json_t *list,
                              opevo_trial *trials, opevo_error *err)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *entry = json_array_get(list, i);
        opevo_error inner = {OPEVO_OK, ""};

        trials[i] = (opevo_trial){.number = 0};
        if (!json_is_object(entry) || !json_object_get(entry, "number"))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Entry %zu of \"trials\" must be an object with a \"number\".",
                              i + 1);
        if (opevo_i_cli_field_count(entry, "number", 0, 1, UINT64_MAX, &trials[i].number, &inner))
            return OPEVO_FAIL(err, inner.status, "Entry %zu of \"trials\": %.900s", i + 1,
                              inner.message);
        if (read_entry(self, entry, &trials[i], &inner))
            return OPEVO_FAIL(err, inner.status, "Trial %llu: %.900s",
                              (unsigned long long)trials[i].number, inner.message);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_cli_serve_tell(opevo_i_cli_server *server, const json_t *request,
                                    opevo_text *out, opevo_error *err)
{
    const json_t *list = json_object_get(request, "trials");
    size_t count = json_array_size(list);
    opevo_i_cli_serving *self = NULL;
    opevo_trial *trials = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_serving_find(server, request, &self, err));
    if (!json_is_array(list))
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"trials\" must be a list of trials.");
    trials = opevo_malloc(count, sizeof *trials);
    if (!trials)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %zu trials.", count);
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
    opevo_json_double(out, opevo_i_cli_told_name(self->told),
                      self->told == OPEVO_I_TOLD_TIME ? outcome->time_s : outcome->fitness);
    if (objective->more_count > 0) {
        opevo_json_key(out, "criteria");
        opevo_text_add(out, "{");
        for (size_t i = 0; i < objective->more_count; i++)
            opevo_json_double(out, objective->criteria[i].name, outcome->more[i]);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "}");
}

opevo_status opevo_i_cli_serve_best(opevo_i_cli_server *server, const json_t *request,
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
    opevo_json_key(out, "front");
    opevo_text_add(out, "[");
    for (size_t i = 0; i < self->front.count; i++) {
        opevo_json_next(out, " ");
        add_told(self, &self->front.members[i], out);
    }
    opevo_text_add(out, "]");
    return OPEVO_OK;
}
