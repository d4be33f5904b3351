/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From a line to the function that answers it, and back to a line. */

#include "serve_internal.h"

#include <opevo/closest.h>
#include <opevo/memory.h>

#include <string.h>

enum { KEYS_MOST = 16 };

static opevo_status close_one(opevo_i_cli_server *server, const json_t *request, opevo_text *out,
                              opevo_error *err)
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

static const struct {
    const char *op;
    opevo_i_cli_answer answer;
    const char *keys[KEYS_MOST + 1]; /* beside "op" and "id" */
} operations[] = {
    {"create",
     opevo_i_cli_serve_create,
     {"op", "id", "space", "tuner", "seed", "settings", "store", "name", "result", "criterion",
      "criteria", "require", "learn", "start", "signature", "workers"}},
    {"ask", opevo_i_cli_serve_ask, {"op", "id", "session", "count", "until"}},
    {"pending", opevo_i_cli_serve_pending, {"op", "id", "session", "hold"}},
    {"tell", opevo_i_cli_serve_tell, {"op", "id", "session", "trials"}},
    {"best", opevo_i_cli_serve_best, {"op", "id", "session"}},
    {"law",
     opevo_i_cli_serve_law,
     {"op", "id", "session", "parameter", "topology", "start", "q", "method", "tolerance"}},
    {"tuners", opevo_i_cli_serve_tuners, {"op", "id"}},
    {"version", opevo_i_cli_serve_version, {"op", "id"}},
    {"close", close_one, {"op", "id", "session"}},
};
enum { OPERATION_COUNT = sizeof operations / sizeof *operations };

opevo_status opevo_i_cli_serving_find(const opevo_i_cli_server *server, const json_t *request,
                                      opevo_i_cli_serving **out, opevo_error *err)
{
    uint64_t number = 0;
    opevo_status status =
        opevo_i_cli_field_count(request, "session", 0, 1, UINT32_MAX, &number, err);

    if (status != OPEVO_OK)
        return status;
    if (number == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"session\" is missing: the number from create.");
    if (number > server->count || !server->sessions[number - 1])
        return OPEVO_FAIL(err, OPEVO_INVALID, "Session %llu is not open.",
                          (unsigned long long)number);
    *out = server->sessions[number - 1];
    return OPEVO_OK;
}

static opevo_status find_operation(const char *op, size_t *out, opevo_error *err)
{
    opevo_closest closest = {.word = op};

    for (size_t i = 0; i < OPERATION_COUNT; i++) {
        if (!strcmp(operations[i].op, op)) {
            *out = i;
            return OPEVO_OK;
        }
        opevo_closest_offer(&closest, operations[i].op);
    }
    if (closest.found)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown op \"%.60s\"; did you mean \"%s\"?", op,
                          closest.found);
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "Unknown op \"%.60s\"; it is one of create, ask, pending, tell, best, law, "
                      "tuners, version and close.",
                      op);
}

/* The members of a reply to a request that could be read. */
static opevo_status answer(opevo_i_cli_server *server, json_t *request, opevo_text *out,
                           opevo_error *err)
{
    const char *op = NULL;
    size_t found = 0;
    opevo_status status = opevo_i_cli_field_text(request, "op", &op, err);

    if (status == OPEVO_OK && !op)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "\"op\" is missing: what to do, such as \"ask\".");
    if (status == OPEVO_OK)
        status = find_operation(op, &found, err);
    if (status == OPEVO_OK)
        status = opevo_i_cli_field_check(request, operations[found].keys, op, err);
    return status == OPEVO_OK ? operations[found].answer(server, request, out, err) : status;
}

static opevo_status read_request(const char *line, size_t length, json_t **out, opevo_error *err)
{
    json_error_t error;
    json_t *request = json_loadb(line, length, JSON_REJECT_DUPLICATES, &error);
    const json_t *id = json_object_get(request, "id");

    if (!request)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The request is not JSON: column %d: %.200s.",
                          error.column, error.text);
    if (!json_is_object(request)) {
        json_decref(request);
        return OPEVO_FAIL(err, OPEVO_INVALID, "A request must be a JSON object.");
    }
    if (id && !json_is_number(id) && !json_is_string(id)) {
        json_decref(request);
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"id\" must be a number or a string.");
    }
    *out = request;
    return OPEVO_OK;
}

/* Forget what was added behind `length`. */
static void cut(opevo_text *out, size_t length)
{
    out->length = length;
    if (out->data)
        out->data[length] = '\0';
}

static void add_id(const json_t *request, opevo_text *out)
{
    const json_t *id = json_object_get(request, "id");
    char digits[OPEVO_DOUBLE_TEXT_SIZE];

    if (json_is_string(id)) {
        opevo_json_string(out, "id", json_string_value(id));
    } else if (id) {
        opevo_json_key(out, "id");
        if (json_is_integer(id))
            opevo_text_printf(out, "%lld", (long long)json_integer_value(id));
        else
            opevo_text_add(out, opevo_double_format(json_real_value(id), digits));
    }
}

static void add_refusal(const json_t *request, const char *sentence, opevo_text *out)
{
    opevo_text_add(out, "{");
    add_id(request, out);
    opevo_json_bool(out, "ok", false);
    opevo_json_string(out, "error", sentence);
    opevo_text_add(out, "}\n");
}

void opevo_i_cli_serve_refuse(const char *sentence, opevo_text *out)
{
    add_refusal(NULL, sentence, out);
}

void opevo_i_cli_serve_line(opevo_i_cli_server *server, const char *line, size_t length,
                            opevo_text *out)
{
    opevo_error err = {OPEVO_OK, ""};
    size_t start = out->length;
    json_t *request = NULL;
    opevo_status status = read_request(line, length, &request, &err);

    opevo_text_add(out, "{");
    add_id(request, out);
    opevo_json_bool(out, "ok", true);
    if (status == OPEVO_OK)
        status = answer(server, request, out, &err);
    opevo_text_add(out, "}\n");
    if (status != OPEVO_OK) {
        cut(out, start);
        add_refusal(request, err.message, out);
    }
    json_decref(request);
}

opevo_status opevo_i_cli_serve_end(opevo_i_cli_server *server, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < server->count; i++) {
        opevo_error one = {OPEVO_OK, ""};

        if (opevo_i_cli_serving_close(server->sessions[i], &one) != OPEVO_OK && status == OPEVO_OK)
            status = OPEVO_FAIL(err, one.status, "%s", one.message);
    }
    opevo_free(server->sessions);
    *server = (opevo_i_cli_server){.count = 0};
    return status;
}
