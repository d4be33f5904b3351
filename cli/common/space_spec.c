/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parameters and spaces by what a user writes: a parameter, an operator, a file or a recording. */

#include "computation_spec_internal.h"
#include "named_path_internal.h"
#include "recording_spec_internal.h"
#include "space_spec_internal.h"

#include <opevo/memory.h>
#include <opevo/workload.h>

#include <string.h>
#include <unistd.h>

static bool is_type_call(const char *text)
{
    size_t length = strcspn(text, "(");

    if (!text[length])
        return false;
    if (length == strlen("choice") && !strncmp(text, "choice", length))
        return true;
    for (size_t i = 0; i < opevo_type_count(); i++) {
        const char *name = opevo_type_get(i)->name;

        if (strlen(name) == length && !strncmp(text, name, length))
            return true;
    }
    return false;
}

const char *opevo_i_cli_unnamed(const char *message)
{
    static const char prefix[] = "Parameter x: ";

    return message + (strncmp(message, prefix, sizeof prefix - 1) ? 0 : sizeof prefix - 1);
}

opevo_status opevo_i_cli_parameter_of(const char *text, const char *topology, opevo_parameter **out,
                                      opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_parameter_parse("x", text, topology, out, &inner);

    return status == OPEVO_OK ? OPEVO_OK
                              : OPEVO_FAIL(err, status, "%s", opevo_i_cli_unnamed(inner.message));
}

static opevo_status space_of_parameter(const char *text, opevo_space **out, opevo_error *err)
{
    opevo_parameter *parameter = NULL;
    opevo_status status = opevo_i_cli_parameter_of(text, NULL, &parameter, err);

    if (status != OPEVO_OK)
        return status;
    status = opevo_space_create(&parameter, 1, NULL, 0, OPEVO_DIALECT_C, text, out, err);
    if (status != OPEVO_OK)
        opevo_parameter_destroy(parameter);
    return status;
}

/* A landscape's space outlives it only as a copy, made through its JSON form. */
static opevo_status space_of_recorded(const char *what, opevo_space **out, opevo_error *err)
{
    opevo_objective *objective = NULL;
    opevo_text json = {0};
    const char *path = strchr(what, ':') + 1;
    opevo_status status = opevo_i_cli_recording_open(path, NULL, *what == 'o', &objective, err);

    if (status != OPEVO_OK)
        return status;
    opevo_space_write_json(objective->space, &json);
    status = opevo_text_check(&json, err);
    if (status == OPEVO_OK)
        status = opevo_space_parse(opevo_text_string(&json), path, NULL, out, err);
    opevo_text_free(&json);
    opevo_objective_destroy(objective);
    return status;
}

static bool is_path(const char *what)
{
    return opevo_i_cli_looks_like_path(what) || access(what, F_OK) == 0;
}

/* The paper's space of an operator. */
static opevo_status space_of_operator(const char *what, opevo_space **out, opevo_error *err)
{
    opevo_operator op;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_workload *work = NULL;
    opevo_status status = opevo_i_cli_operator_of(what, "The paper's space", &op, &inner);

    if (status == OPEVO_OK)
        return opevo_operator_space(&op, out, err);
    OPEVO_FAIL(err, status, "%s%s", inner.message,
               opevo_i_cli_workload_of(what, &work, NULL) == OPEVO_OK
                   ? " `opevo sketch --space` prints that of its sketches."
                   : "");
    opevo_workload_destroy(work);
    return status;
}

opevo_status opevo_i_cli_space_of(const char *what, opevo_space **out, opevo_error *err)
{
    if (opevo_i_cli_is_recorded(what))
        return space_of_recorded(what, out, err);
    if (is_type_call(what))
        return space_of_parameter(what, out, err);
    if (*what != '@' && !strchr(what, '[') && is_path(what))
        return opevo_space_load(what, out, err);
    return space_of_operator(what, out, err);
}
