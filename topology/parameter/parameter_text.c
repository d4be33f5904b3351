/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parameters and their values as text. */

#include <opevo/parameter.h>

#include <opevo/memory.h>

#include "parameter_internal.h"
#include "value_text.h"

#include <string.h>

typedef struct arguments {
    opevo_value *values;
    size_t count, capacity;
} arguments;

static bool append(arguments *list, opevo_value value)
{
    void *values = list->values;

    if (!opevo_reserve(&values, &list->capacity, list->count + 1, sizeof *list->values))
        return false;
    list->values = values;
    list->values[list->count++] = value;
    return true;
}

/* Cut blanks off both ends, in place. */
static char *trim(char *text)
{
    size_t length = 0;

    text += strspn(text, " \t\r\n");
    for (length = strlen(text); length && strchr(" \t\r\n", text[length - 1]); length--)
        text[length - 1] = '\0';
    return text;
}

/* The end of the argument that starts at `text`: the comma after it, or the end of the text. Commas
 * inside a JSON string are part of it. */
static char *argument_end(char *text)
{
    char *start = text + strspn(text, " \t\r\n");
    const char *end = *start == '"' ? opevo_i_topology_quoted_end(start) : start;

    return end ? start + (end - start) + strcspn(end, ",") : start + strlen(start);
}

/* What "8,,1" lacks, in words. */
static const char *gap(const arguments *list, bool last)
{
    if (list->count == 0)
        return "before the first comma";
    return last ? "after the last comma" : "between two commas";
}

/* The value of an argument that has been cut out; a JSON string is decoded in place. */
static opevo_status argument_value(char *text, opevo_value *value, opevo_error *err)
{
    opevo_i_topology_excerpt shown = opevo_i_topology_excerpt_of(text, SIZE_MAX);

    *value = opevo_value_parse(text);
    if (*text != '"')
        return OPEVO_OK;
    if (!opevo_i_topology_unquote(text))
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a JSON string", shown.text);
    *value = (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = text}};
    return OPEVO_OK;
}

/* Split what stands between commas; the values borrow from `inside`, which is cut up. Errors:
 * INVALID for a missing value and for a broken JSON string, in words without a full stop; NOMEM. */
static opevo_status split_arguments(char *inside, arguments *list, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool last = *trim(inside) == '\0';

    while (!last) {
        char *end = argument_end(inside);
        opevo_value value = {0};

        last = *end == '\0';
        *end = '\0';
        inside = trim(inside);
        if (*inside == '\0')
            return OPEVO_FAIL(err, OPEVO_INVALID, "a value is missing %s", gap(list, last));
        OPEVO_TRY(argument_value(inside, &value, err));
        if (!append(list, value))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "no memory for the values");
        inside = end + 1;
    }
cleanup:
    return status;
}

/* Whether the type named by `name` takes its parentheses as one path. */
static bool takes_path(const char *name)
{
    const opevo_i_topology_type *type = opevo_i_topology_type_find(name);

    return type && type->is_path;
}

opevo_status opevo_parameter_parse(const char *name, const char *text, const char *topology,
                                   opevo_parameter **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *copy = opevo_strdup(text);
    char *type = NULL, *inside = NULL, *end = NULL;
    arguments list = {0};
    opevo_error inner = {OPEVO_OK, ""};

    OPEVO_NEED_OR_RETURN(copy, "a parameter");
    type = trim(copy);
    inside = strchr(type, '(');
    end = strrchr(type, ')');
    if (!inside || !end || end < inside || end[1] != '\0') {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "\"%s\" is not a parameter; write a type with its arguments, such as "
                            "factor(8,3).",
                            OPEVO_I_EXCERPT(text));
        goto cleanup;
    }
    *inside++ = '\0';
    *end = '\0';
    type = trim(type);
    if (!takes_path(type)) {
        status = split_arguments(inside, &list, &inner);
        if (status != OPEVO_OK) {
            opevo_error_set(err, status, "Parameter %s: %s in \"%s\".", OPEVO_I_EXCERPT(name),
                            inner.message, OPEVO_I_EXCERPT(text));
            goto cleanup;
        }
    } else if (!append(&list,
                       (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = trim(inside)}})) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a parameter.");
        goto cleanup;
    }
    OPEVO_TRY(opevo_parameter_create(&(opevo_parameter_spec){.name = name,
                                                             .type = type,
                                                             .values = list.values,
                                                             .value_count = list.count,
                                                             .topology = topology},
                                     out, err));
cleanup:
    opevo_free(list.values);
    opevo_free(copy);
    return status;
}

/* Call print for each component, in a buffer that needs no memory up to a usual number of them. */
static void print_components(const opevo_parameter *self, opevo_index vertex, const char *separator,
                             void (*print)(opevo_text *out, opevo_value value), opevo_text *out)
{
    opevo_value local[16];
    opevo_value *components = local;

    if (self->arity > sizeof local / sizeof local[0])
        components = opevo_malloc(self->arity, sizeof *components);
    if (!components) {
        out->failed = true;
        return;
    }
    opevo_parameter_value(self, vertex, components);
    for (size_t i = 0; i < self->arity; i++) {
        opevo_text_add(out, i ? separator : "");
        print(out, components[i]);
    }
    if (components != local)
        opevo_free(components);
}

void opevo_parameter_print(const opevo_parameter *parameter, opevo_index vertex, opevo_text *out)
{
    print_components(parameter, vertex, ",", opevo_i_topology_value_print, out);
}

void opevo_i_topology_parameter_print_in_point(const opevo_parameter *parameter, opevo_index vertex,
                                               opevo_text *out)
{
    print_components(parameter, vertex, ",", opevo_i_topology_value_print_in_point, out);
}

void opevo_parameter_print_json(const opevo_parameter *parameter, opevo_index vertex,
                                opevo_text *out)
{
    if (parameter->type->is_tuple)
        opevo_text_add(out, "[");
    print_components(parameter, vertex, ", ", opevo_value_print_json, out);
    if (parameter->type->is_tuple)
        opevo_text_add(out, "]");
}

static opevo_status refuse_value(const opevo_parameter *self, const char *text, const char *reason,
                                 opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID, "Parameter %s: %s is not a value of %.200s%s%s.",
                      self->name, OPEVO_I_EXCERPT(text), self->text, *reason ? ": " : "", reason);
}

static opevo_status refuse_components(const opevo_parameter *self, const char *text,
                                      const opevo_value *components, opevo_error *err)
{
    opevo_text reason = {0};
    opevo_status status = OPEVO_OK;

    if (self->type->explain)
        self->type->explain(self, components, &reason);
    status = refuse_value(self, text, opevo_text_string(&reason), err);
    opevo_text_free(&reason);
    return status;
}

/* A value in quotes is a text and nothing else; without them, one that looks like a number may
 * still be listed as a text. `copy` is a copy of `text`. */
static opevo_status find_single(const opevo_parameter *self, const char *text, char *copy,
                                opevo_index *vertex, opevo_error *err)
{
    opevo_value value = opevo_value_parse(text);
    opevo_value verbatim = {.kind = OPEVO_VALUE_TEXT, .as = {.text = copy}};
    bool quoted = *text == '"';

    if ((!quoted && opevo_parameter_find(self, &value, vertex)) ||
        ((!quoted || opevo_i_topology_unquote(copy)) &&
         opevo_parameter_find(self, &verbatim, vertex)))
        return OPEVO_OK;
    return refuse_components(self, text, &value, err);
}

static opevo_status find_tuple(const opevo_parameter *self, const char *text, char *copy,
                               opevo_index *vertex, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_error inner = {OPEVO_OK, ""};
    arguments list = {0};

    status = split_arguments(copy, &list, &inner);
    if (status == OPEVO_NOMEM)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a value.");
    else if (status != OPEVO_OK)
        status = refuse_value(self, text, inner.message, err);
    else if (list.count != self->arity)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "Parameter %s: %s is not a value of %.200s: it has %zu components, not "
                            "%zu.",
                            self->name, OPEVO_I_EXCERPT(text), self->text, list.count, self->arity);
    else if (!opevo_parameter_find(self, list.values, vertex))
        status = refuse_components(self, text, list.values, err);
    opevo_free(list.values);
    return status;
}

opevo_status opevo_parameter_read(const opevo_parameter *parameter, const char *text,
                                  opevo_index *vertex, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *copy = opevo_strdup(text);

    OPEVO_NEED_OR_RETURN(copy, "a value");
    status = parameter->type->is_tuple ? find_tuple(parameter, text, copy, vertex, err)
                                       : find_single(parameter, text, copy, vertex, err);
    opevo_free(copy);
    return status;
}
