/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From a line to the function that answers it, and back to a line. */

#include "serve_internal.h"

#include <opevo/json.h>
#include <opevo/memory.h>

/* The members of a reply to a request that is JSON. */
static opevo_status answer(opevo_i_cli_server *server, const json_t *root, opevo_text *out,
                           opevo_error *err)
{
    opevo_i_cli_request request;
    opevo_i_cli_answer answer_it = NULL;
    opevo_status status = opevo_i_cli_request_read(root, &request, &answer_it, err);

    return status == OPEVO_OK ? answer_it(server, &request, out, err) : status;
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
