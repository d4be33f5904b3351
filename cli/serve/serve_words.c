/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Requests that need no session: laws, tuners, the version. A law may be one of a parameter of a
 * session. */

#include "law_rows_internal.h"
#include "serve_internal.h"
#include "space_spec_internal.h"
#include "tuner_json_internal.h"

#include <opevo/json.h>
#include <opevo/law.h>
#include <opevo/memory.h>
#include <opevo/tuners.h>
#include <opevo/version.h>

#include <string.h>

/* ---- Laws ----------------------------------------------------------------------------------- */

static const opevo_parameter *find_parameter(const opevo_space *space, const char *name)
{
    for (size_t i = 0; space && i < opevo_space_parameter_count(space); i++) {
        if (!strcmp(opevo_parameter_name(opevo_space_parameter(space, i)), name))
            return opevo_space_parameter(space, i);
    }
    return NULL;
}

/* The parameter that the request names; *made is to be destroyed, where it is not that of a
 * session. */
static opevo_status choose_parameter(const opevo_i_cli_server *server,
                                     const opevo_i_cli_request *request,
                                     const opevo_parameter **out, opevo_parameter **made,
                                     opevo_error *err)
{
    opevo_i_cli_serving *of = NULL;
    const char *name = request->parameter;
    opevo_status status = OPEVO_OK;

    if (!name)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"parameter\" is missing: a name, or such as \"factor(8,3)\".");
    if (request->session) {
        OPEVO_TRY(opevo_i_cli_serving_find(server, request, &of, err));
        *out = find_parameter(of->objective->space, name);
        if (!*out)
            return OPEVO_FAIL(err, OPEVO_INVALID, "The session has no parameter \"%.200s\".", name);
        if (request->topology)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "\"topology\" is that of the session: leave it out.");
        return OPEVO_OK;
    }
    if (server->without_files && strstr(name, "graph"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Files are not read here.");
    OPEVO_TRY(opevo_i_cli_parameter_of(name, request->topology, made, err));
    *out = *made;
cleanup:
    return status;
}

/* One value as a person types it. */
static opevo_status add_value(const json_t *value, opevo_text *out, opevo_error *err)
{
    char digits[OPEVO_DOUBLE_TEXT_SIZE];

    if (json_is_string(value))
        opevo_text_add(out, json_string_value(value));
    else if (json_is_integer(value))
        opevo_text_printf(out, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        opevo_text_add(out, opevo_double_format(json_real_value(value), digits));
    else
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"start\" must be a value: a number, a string or a list of these.");
    return OPEVO_OK;
}

static opevo_status read_start(const opevo_i_cli_request *request, const opevo_parameter *parameter,
                               opevo_index *start, opevo_error *err)
{
    const json_t *value = request->start;
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    *start = 0;
    if (!value)
        return OPEVO_OK;
    if (!json_is_array(value))
        status = add_value(value, &text, err);
    for (size_t i = 0; i < json_array_size(value) && status == OPEVO_OK; i++) {
        opevo_text_add(&text, i ? "," : "");
        status = add_value(json_array_get(value, i), &text, err);
    }
    if (status == OPEVO_OK)
        status = opevo_text_check(&text, err);
    if (status == OPEVO_OK)
        status = opevo_parameter_read(parameter, opevo_text_string(&text), start, err);
    opevo_text_free(&text);
    return status;
}

static opevo_status read_options(const opevo_i_cli_request *request, opevo_law_options *options,
                                 opevo_error *err)
{
    options->tolerance = request->tolerance;
    if (!(request->q >= 0 && request->q < 1))
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"q\" must be a number with 0 <= q < 1.");
    if (request->method && !opevo_law_method_parse(request->method, &options->method))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"method\" must be auto, closed-form, tridiagonal, cholesky, cg, "
                          "cg-implicit or lumped.");
    return OPEVO_OK;
}

opevo_status opevo_i_cli_serve_law(opevo_i_cli_server *server, const opevo_i_cli_request *request,
                                   opevo_text *out, opevo_error *err)
{
    opevo_law_options options = {OPEVO_LAW_AUTO, 0};
    const opevo_parameter *parameter = NULL;
    opevo_parameter *made = NULL;
    opevo_i_cli_law_row *rows = NULL;
    opevo_law *law = NULL;
    opevo_status status = OPEVO_OK;
    opevo_index start = 0;
    size_t count = 0;
    bool by_class = false;

    OPEVO_TRY(choose_parameter(server, request, &parameter, &made, err));
    OPEVO_TRY(read_start(request, parameter, &start, err));
    OPEVO_TRY(read_options(request, &options, err));
    OPEVO_TRY(opevo_law_create(parameter, request->q, start, &options, &law, err));
    OPEVO_TRY(opevo_i_cli_law_rows_make(law, &rows, &count, &by_class, err));
    opevo_i_cli_law_json(law, rows, count, by_class, "", out);
cleanup:
    opevo_free(rows);
    opevo_law_destroy(law);
    opevo_parameter_destroy(made);
    return status;
}

/* ---- What there is -------------------------------------------------------------------------- */

opevo_status opevo_i_cli_serve_tuners(opevo_i_cli_server *server,
                                      const opevo_i_cli_request *request, opevo_text *out,
                                      opevo_error *err)
{
    (void)server;
    (void)request;
    (void)err;
    opevo_json_open(out, "tuners", "[");
    for (size_t i = 0; i < opevo_tuner_count(); i++) {
        opevo_json_next(out, " ");
        opevo_i_cli_tuner_json(opevo_tuner_get(i), out);
    }
    opevo_text_add(out, "]");
    return OPEVO_OK;
}

opevo_status opevo_i_cli_serve_version(opevo_i_cli_server *server,
                                       const opevo_i_cli_request *request, opevo_text *out,
                                       opevo_error *err)
{
    (void)server;
    (void)request;
    (void)err;
    opevo_json_string(out, "version", OPEVO_VERSION);
    opevo_json_index(out, "protocol", OPEVO_I_SERVE_PROTOCOL);
    return OPEVO_OK;
}
