/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Making and closing sessions. Everything that a request says is checked before its store is
 * opened. */

#include "earlier_of_call_internal.h"
#include "serve_internal.h"

#include <opevo/front.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/run.h>
#include <opevo/start_list.h>
#include <opevo/tuners.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const units[] = {
    [OPEVO_I_TOLD_SCORE] = "score", [OPEVO_I_TOLD_TIME] = "1/s", [OPEVO_I_TOLD_GFLOPS] = "GFLOP/s"};

/* ---- Tuner and settings --------------------------------------------------------------------- */

static opevo_status read_setting(opevo_i_cli_serving *self, const char *key, const json_t *value,
                                 opevo_error *err)
{
    opevo_text assignment = {0};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&assignment, "%s=", key);
    if (json_is_string(value))
        opevo_text_add(&assignment, json_string_value(value));
    else if (json_is_integer(value))
        opevo_text_printf(&assignment, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        opevo_text_add_double(&assignment, json_real_value(value));
    else
        status = OPEVO_FAIL(&inner, OPEVO_INVALID, "the value must be a number or a string.");
    if (status == OPEVO_OK)
        status = opevo_text_check(&assignment, &inner);
    if (status == OPEVO_OK)
        status = opevo_settings_set(self->run.tuner, opevo_text_string(&assignment), self->settings,
                                    &inner);
    opevo_text_free(&assignment);
    return status == OPEVO_OK
               ? OPEVO_OK
               : OPEVO_FAIL(err, status, "\"settings\", %.60s: %.800s", key, inner.message);
}

static opevo_status read_tuner(opevo_i_cli_serving *self, const opevo_i_cli_request *request,
                               opevo_error *err)
{
    const char *key = NULL;
    json_t *value = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_tuner_find(request->tuner ? request->tuner : "opevo", &self->run.tuner, err));
    OPEVO_NEW_OR_RETURN(self->settings, self->run.tuner->setting_count, "settings");
    opevo_settings_default(self->run.tuner, self->settings);
    opevo_settings_widen(self->run.tuner, request->workers ? (size_t)request->workers : 1,
                         self->settings);
    json_object_foreach(request->settings, key, value)
    {
        OPEVO_TRY(read_setting(self, key, value, err));
    }
    self->run.settings = self->settings;
    self->run.seed = request->seed;
cleanup:
    return status;
}

/* ---- The objective -------------------------------------------------------------------------- */

/* A space that is given as an object. Its text is made again, for that is what the reader takes. */
static opevo_status parse_space(const json_t *value, bool without_files, opevo_space **out,
                                opevo_error *err)
{
    char *text = json_dumps(value, JSON_COMPACT);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(text, "the space");
    status = opevo_space_parse(text, "space", without_files ? "" : NULL, out, err);
    free(text);
    return status;
}

static opevo_status read_space(const opevo_i_cli_server *server, const opevo_i_cli_request *request,
                               opevo_space **out, opevo_error *err)
{
    const json_t *value = request->space;

    if (json_is_object(value))
        return parse_space(value, server->without_files, out, err);
    if (!json_is_string(value))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"space\" must be a search space, or the path of a space file.");
    if (server->without_files)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Files are not read here.");
    return opevo_space_load(json_string_value(value), out, err);
}

/* The words of the criteria are the caller's, also of a call that failed. */
static opevo_status read_criteria(const opevo_i_cli_request *request, opevo_criterion *criteria,
                                  char *(*words)[2], size_t *count, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};

    *count = opevo_json_text_count(request->criterion);
    if (*count > OPEVO_CRITERIA_MOST - 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"criterion\" may list %d criteria at most.",
                          OPEVO_CRITERIA_MOST - 1);
    for (size_t i = 0; i < *count; i++) {
        const char *text = opevo_json_text_at(request->criterion, i);
        opevo_status status = opevo_criterion_parse(text, strlen(text), &words[i][0], &words[i][1],
                                                    &criteria[i].larger_is_better, &inner);
        if (status != OPEVO_OK)
            return OPEVO_FAIL(err, status, "\"criterion\", %.100s: %.700s", text, inner.message);
        criteria[i].name = words[i][0];
        criteria[i].unit = words[i][1];
    }
    return OPEVO_OK;
}

/* 16 hexadecimal digits. */
static opevo_status read_signature(const opevo_i_cli_request *request, uint64_t *out,
                                   opevo_error *err)
{
    const char *text = request->signature;

    if (!text)
        return OPEVO_OK;
    if (strlen(text) != 16 || strspn(text, "0123456789abcdefABCDEF") != 16)
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"signature\" must be 16 hexadecimal digits.");
    *out = strtoull(text, NULL, 16);
    return OPEVO_OK;
}

static opevo_status make_objective(const opevo_i_cli_server *server, opevo_i_cli_serving *self,
                                   const opevo_i_cli_request *request, opevo_error *err)
{
    opevo_criterion criteria[OPEVO_CRITERIA_MOST];
    char *words[OPEVO_CRITERIA_MOST][2] = {{NULL}};
    opevo_external_options options = {.criteria = criteria};
    opevo_space *space = NULL;
    opevo_status status = OPEVO_OK;

    options.name = request->name ? request->name : "serve";
    self->told = (opevo_i_cli_told)request->result;
    options.unit = units[self->told];
    OPEVO_TRY(read_signature(request, &options.signature, err));
    OPEVO_TRY(read_criteria(request, criteria, words, &options.criterion_count, err));
    OPEVO_TRY(read_space(server, request, &space, err));
    options.space = space;
    OPEVO_TRY(opevo_external_create(&options, &self->objective, err));
    space = NULL; /* the objective's */
cleanup:
    opevo_space_destroy(space);
    for (size_t i = 0; i < OPEVO_CRITERIA_MOST; i++) {
        opevo_free(words[i][0]);
        opevo_free(words[i][1]);
    }
    return status;
}

/* ---- What is searched for ------------------------------------------------------------------- */

static opevo_status read_search(opevo_i_cli_serving *self, const opevo_i_cli_request *request,
                                opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    const char *names = request->criteria;
    size_t count = opevo_json_text_count(request->require);

    if (names && opevo_criteria_parse(self->objective, names, &self->front.criteria, &inner))
        return OPEVO_FAIL(err, inner.status, "\"criteria\", %.100s: %.700s", names, inner.message);
    self->run.criteria = names ? &self->front.criteria : NULL;
    self->shows_front = names && self->front.criteria.count > 1;
    OPEVO_NEW_OR_RETURN(self->requirements, count, "requirements");
    for (size_t i = 0; i < count; i++) {
        const char *text = opevo_json_text_at(request->require, i);

        if (opevo_requirement_parse(self->objective, text, &self->requirements[i], &inner))
            return OPEVO_FAIL(err, inner.status, "\"require\", %.100s: %.700s", text,
                              inner.message);
    }
    self->run.requirements = self->requirements;
    self->run.requirement_count = count;
    return OPEVO_OK;
}

static opevo_status read_earlier(const opevo_i_cli_server *server, opevo_i_cli_serving *self,
                                 const opevo_i_cli_request *request, opevo_error *err)
{
    size_t count = opevo_json_text_count(request->learn);
    opevo_status status = OPEVO_OK;

    if (count > 0 && server->without_files)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Files are not read here.");
    for (size_t i = 0; i < count && status == OPEVO_OK; i++)
        status = opevo_i_cli_earlier_add(&self->earlier, "\"learn\"",
                                         opevo_json_text_at(request->learn, i), self->run.tuner,
                                         self->objective->space, err);
    opevo_i_cli_earlier_use(&self->earlier, &self->run);
    return status;
}

static opevo_status read_starts(opevo_i_cli_serving *self, const opevo_i_cli_request *request,
                                opevo_error *err)
{
    size_t count = opevo_json_text_count(request->start);
    opevo_status status = OPEVO_OK;

    if (status == OPEVO_OK)
        status = opevo_start_list_create(&self->starts, err);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        const char *text = opevo_json_text_at(request->start, i);
        opevo_error inner = {OPEVO_OK, ""};

        if (opevo_start_list_add_text(self->starts, self->objective->space, text, &inner))
            status =
                OPEVO_FAIL(err, inner.status, "\"start\", %.100s: %.700s", text, inner.message);
    }
    self->run.starts = self->starts ? &self->starts->starts : NULL;
    return status;
}

/* ---- The session ---------------------------------------------------------------------------- */

static void observe(void *context, const opevo_trial *trial, bool resumed)
{
    opevo_i_cli_serving *self = context;

    (void)resumed;
    if (self->shows_front && opevo_front_add(&self->front, trial, NULL, NULL) != OPEVO_OK)
        self->front_failed = true;
}

static opevo_status open_store(const opevo_i_cli_server *server, opevo_i_cli_serving *self,
                               const opevo_i_cli_request *request, opevo_error *err)
{
    const char *path = request->store ? request->store : server->store;
    opevo_status status = OPEVO_OK;

    if (!path)
        return OPEVO_OK;
    if (server->without_files)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Files are not written here.");
    status = opevo_store_open(path, OPEVO_STORE_WRITE, &self->run.store, err);
    if (status != OPEVO_OK)
        return status;
    self->store_path = realpath(path, NULL);
    return self->store_path ? OPEVO_OK
                            : OPEVO_FAIL(err, OPEVO_IO, "%s: the store is not there.", path);
}

/* A run is told by one session at a time. */
static opevo_status check_alone(const opevo_i_cli_server *server, const opevo_i_cli_serving *self,
                                opevo_error *err)
{
    int64_t run = opevo_session_result(self->session)->run;

    for (size_t i = 0; i < server->count && self->store_path; i++) {
        const opevo_i_cli_serving *other = server->sessions[i];

        if (other && other->store_path && !strcmp(other->store_path, self->store_path) &&
            opevo_session_result(other->session)->run == run)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Session %zu tells this run of %.400s already: close it first, or "
                              "give another seed or name.",
                              i + 1, self->store_path);
    }
    return OPEVO_OK;
}

static opevo_status make(const opevo_i_cli_server *server, opevo_i_cli_serving *self,
                         const opevo_i_cli_request *request, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(read_tuner(self, request, err));
    OPEVO_TRY(make_objective(server, self, request, err));
    OPEVO_TRY(opevo_tuner_suits(self->run.tuner, self->objective->space, err));
    OPEVO_TRY(read_search(self, request, err));
    OPEVO_TRY(read_earlier(server, self, request, err));
    OPEVO_TRY(read_starts(self, request, err));
    self->run.observer = observe;
    self->run.observer_context = self;
    OPEVO_TRY(open_store(server, self, request, err));
    OPEVO_TRY(opevo_session_create(self->objective, &self->run, &self->session, err));
    OPEVO_TRY(check_alone(server, self, err));
cleanup:
    return status;
}

static void print_batch(const opevo_i_cli_serving *self, opevo_text *out)
{
    bool at_most = false;
    size_t batch = opevo_settings_batch(self->run.tuner, self->settings, &at_most);

    opevo_json_double(out, "batch", batch == SIZE_MAX ? NAN : (double)batch);
}

static void print_created(const opevo_i_cli_server *server, const opevo_i_cli_serving *self,
                          const opevo_i_cli_request *request, opevo_text *out)
{
    size_t place = 0;

    while (server->sessions[place] != self)
        place++;
    opevo_json_index(out, "session", place + 1);
    opevo_json_index(out, "trials", opevo_session_result(self->session)->trials);
    opevo_json_key(out, "size");
    opevo_space_print_size(self->objective->space, out);
    if (request->workers)
        print_batch(self, out);
}

opevo_status opevo_i_cli_serve_create(opevo_i_cli_server *server,
                                      const opevo_i_cli_request *request, opevo_text *out,
                                      opevo_error *err)
{
    opevo_i_cli_serving *self = NULL;
    char *identity = NULL;
    opevo_status status = OPEVO_OK;

    if (server->shared)
        OPEVO_TRY(opevo_i_cli_share_find(server, request->root, &self, &identity, err));
    if (self) {
        print_created(server, self, request, out);
        opevo_json_bool(out, "joined", true);
        self = NULL;
        goto cleanup;
    }
    self = opevo_calloc(1, sizeof *self);
    OPEVO_NEED(self && opevo_reserve((void **)&server->sessions, &server->capacity,
                                     server->count + 1, sizeof(opevo_i_cli_serving *)),
               "a session");
    OPEVO_TRY(make(server, self, request, err));
    self->identity = identity;
    server->sessions[server->count++] = self;
    print_created(server, self, request, out);
    self = NULL; /* the server's, with the identity */
    identity = NULL;
cleanup:
    opevo_i_cli_serving_close(self, NULL);
    free(identity);
    return status;
}

opevo_status opevo_i_cli_serve_close(opevo_i_cli_server *server, const opevo_i_cli_request *request,
                                     opevo_text *out, opevo_error *err)
{
    opevo_i_cli_serving *self = NULL;
    opevo_status status = opevo_i_cli_serving_find(server, request, &self, err);

    if (status != OPEVO_OK)
        return status;
    opevo_json_index(out, "trials", opevo_session_result(self->session)->trials);
    if (server->shared) { /* it stays there for others */
        opevo_i_cli_share_release(self, server->client);
        return OPEVO_OK;
    }
    for (size_t i = 0; i < server->count; i++)
        server->sessions[i] = server->sessions[i] == self ? NULL : server->sessions[i];
    return opevo_i_cli_serving_close(self, err);
}
