/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Points as text: "K=64,4,4 X=8,1,16,4 PRECISION=fp16". */

#include <opevo/space.h>

#include <opevo/json.h>
#include <opevo/memory.h>

#include "parameter_internal.h"
#include "space_internal.h"
#include "value_text.h"

#include <ctype.h>
#include <string.h>

enum { NAMES_MAX = 400 }; /* bytes of parameters' names in a message */

/* ---- Printing ---- */

void opevo_space_print(const opevo_space *space, opevo_index point, opevo_text *out)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < space->parameter_count; i++) {
        const opevo_parameter *parameter = space->parameters[i];

        if (vertices[i] == OPEVO_INACTIVE)
            continue;
        opevo_text_printf(out, "%s%s=", i ? " " : "", opevo_parameter_name(parameter));
        opevo_i_topology_parameter_print_in_point(parameter, vertices[i], out);
    }
}

void opevo_space_print_json(const opevo_space *space, opevo_index point, opevo_text *out)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    opevo_text_add(out, "{");
    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < space->parameter_count; i++) {
        if (vertices[i] == OPEVO_INACTIVE)
            continue;
        opevo_json_key(out, opevo_parameter_name(space->parameters[i]));
        opevo_parameter_print_json(space->parameters[i], vertices[i], out);
    }
    opevo_text_add(out, "}");
}

/* ---- Reading ---- */

static bool has_name(const opevo_parameter *parameter, const char *name, size_t length)
{
    const char *known = opevo_parameter_name(parameter);

    return strncmp(known, name, length) == 0 && known[length] == '\0';
}

/* Which parameter has this name, looked for from `first` on, where what was printed has it; the
 * count when none. */
static size_t find_parameter(const opevo_space *space, size_t first, const char *name,
                             size_t length)
{
    size_t count = space->parameter_count;

    for (size_t k = 0, i = first; k < count; k++, i++) {
        i = i < count ? i : 0;
        if (has_name(space->parameters[i], name, length))
            return i;
    }
    return count;
}

static opevo_status unknown_parameter(const opevo_space *space, const char *name, size_t length,
                                      opevo_error *err)
{
    opevo_text names = {0};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < space->parameter_count; i++) {
        if (names.length > NAMES_MAX) {
            opevo_text_add(&names, ", ...");
            break;
        }
        opevo_text_printf(&names, "%s%s", i ? ", " : "",
                          opevo_parameter_name(space->parameters[i]));
    }
    status = opevo_text_check(&names, err);
    if (status == OPEVO_OK)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "Unknown parameter %s; the parameters are %s.",
                            OPEVO_I_EXCERPT_BYTES(name, length), opevo_text_string(&names));
    opevo_text_free(&names);
    return status;
}

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* Behind the value that starts here: a JSON string to its closing quote, else up to a blank. NULL
 * for a quote that is not closed. */
static const char *value_end(const char *text)
{
    return *text == '"' ? opevo_i_topology_quoted_end(text) : text + strcspn(text, " \t\r\n");
}

static opevo_status read_value(const opevo_parameter *parameter, const char *start, size_t length,
                               opevo_index *vertex, opevo_error *err)
{
    char *value = opevo_strndup(start, length);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(value, "reading a point");
    status = opevo_parameter_read(parameter, value, vertex, err);
    opevo_free(value);
    return status;
}

/* Read "NAME=value" at *text and move behind it; *next: where the following parameter is expected.
 */
static opevo_status read_assignment(const opevo_space *space, const char **text, size_t *next,
                                    opevo_index *vertices, bool *given, opevo_error *err)
{
    const char *start = *text, *end = NULL;
    size_t length = strcspn(start, "= \t\r\n"), i = 0;

    if (start[length] != '=' || length == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "\"%s\" is not of the form NAME=value; write a point as NAME=value "
                          "NAME=value.",
                          OPEVO_I_EXCERPT(start));
    i = find_parameter(space, *next, start, length);
    *next = i + 1;
    if (i == space->parameter_count)
        return unknown_parameter(space, start, length, err);
    if (given[i])
        return OPEVO_FAIL(err, OPEVO_INVALID, "Parameter %s is given twice.",
                          opevo_parameter_name(space->parameters[i]));
    start += length + 1;
    end = value_end(start);
    if (!end || (*end && !isspace((unsigned char)*end)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Parameter %s: the quotes of %s are not closed.",
                          opevo_parameter_name(space->parameters[i]), OPEVO_I_EXCERPT(start));
    given[i] = true;
    *text = end;
    return read_value(space->parameters[i], start, (size_t)(end - start), &vertices[i], err);
}

/* Each parameter that is active, given those before it, has a value, and no other has. */
static opevo_status check_given(const opevo_space *space, const bool *given, opevo_index *vertices,
                                opevo_error *err)
{
    for (size_t i = 0; i < space->parameter_count; i++) {
        const char *name = opevo_parameter_name(space->parameters[i]);
        bool active = opevo_space_is_active(space, i, vertices);

        if (active && !given[i])
            return OPEVO_FAIL(err, OPEVO_INVALID, "Parameter %s has no value; write %s=value.",
                              name, name);
        if (!active && given[i])
            return OPEVO_FAIL(
                err, OPEVO_INVALID, "Parameter %s is inactive in this branch of %s; omit it.", name,
                opevo_parameter_name(space->parameters[space->activations[i].parent]));
        if (!active)
            vertices[i] = OPEVO_INACTIVE;
    }
    return OPEVO_OK;
}

opevo_status opevo_space_read(const opevo_space *space, const char *text, opevo_index *point,
                              opevo_error *err)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    bool given[OPEVO_SPACE_PARAMETERS_MAX] = {false};
    size_t next = 0;
    opevo_index encoded = 0;
    opevo_status status = OPEVO_OK;

    for (text = skip_blanks(text); *text; text = skip_blanks(text)) {
        status = read_assignment(space, &text, &next, vertices, given, err);
        if (status != OPEVO_OK)
            return status;
    }
    status = check_given(space, given, vertices, err);
    if (status != OPEVO_OK)
        return status;
    encoded = opevo_space_encode(space, vertices);
    OPEVO_NEED_OR_RETURN(opevo_space_has(space, encoded), "another point of a space");
    *point = encoded;
    return OPEVO_OK;
}
