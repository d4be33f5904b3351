/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parameters and their values as text. */

#include <opevo/parameter.h>

#include <opevo/memory.h>

#include "parameter_internal.h"

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

/* End of the argument that starts at `text`: the comma after it, or the end of the text. A comma
 * between double quotes is part of the argument. */
static char *argument_end(char *text)
{
    bool quoted = false;

    for (; *text && (quoted || *text != ','); text++)
        quoted ^= *text == '"';
    return text;
}

static opevo_value argument_value(char *text)
{
    size_t length = 0;

    text = trim(text);
    length = strlen(text);
    if (length < 2 || text[0] != '"' || text[length - 1] != '"')
        return opevo_value_parse(text);
    text[length - 1] = '\0';
    return (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = text + 1}};
}

/* Split what stands in the parentheses; the values borrow from `inside`, which is cut up. */
static opevo_status split_arguments(char *inside, arguments *list, opevo_error *err)
{
    bool last = *trim(inside) == '\0';

    while (!last) {
        char *end = argument_end(inside);

        last = *end == '\0';
        *end = '\0';
        if (!append(list, argument_value(inside)))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the values of a parameter.");
        inside = end + 1;
    }
    return OPEVO_OK;
}

/* Whether the type named by `name` takes its parentheses as one path. */
static bool takes_path(const char *name)
{
    const opevo_i_type *type = opevo_i_type_find(name);

    return type && type->is_path;
}

opevo_status opevo_parameter_parse(const char *name, const char *text, const char *topology,
                                   opevo_parameter **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *copy = opevo_strdup(text);
    char *type = NULL, *inside = NULL, *end = NULL;
    arguments list = {0};

    if (!copy)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a parameter.");
    type = trim(copy);
    inside = strchr(type, '(');
    end = strrchr(type, ')');
    if (!inside || !end || end < inside || end[1] != '\0') {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "\"%.200s\" is no parameter; write a type with its arguments, such as "
                            "factor(8,3).",
                            text);
        goto cleanup;
    }
    *inside++ = '\0';
    *end = '\0';
    type = trim(type);
    if (!takes_path(type)) {
        OPEVO_TRY(split_arguments(inside, &list, err));
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
    print_components(parameter, vertex, ",", opevo_value_print, out);
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

static opevo_status refuse_value(const opevo_parameter *self, const char *text,
                                 const opevo_value *components, opevo_error *err)
{
    opevo_text reason = {0};

    if (self->type->explain)
        self->type->explain(self, components, &reason);
    opevo_error_set(err, OPEVO_INVALID, "Parameter %s: %.200s is no value of %.200s%s%s.",
                    self->name, text, self->text, reason.length ? ": " : "",
                    opevo_text_string(&reason));
    opevo_text_free(&reason);
    return OPEVO_INVALID;
}

/* A text that looks like a number may still be listed as a text. */
static opevo_status find_single(const opevo_parameter *self, const char *text, opevo_index *vertex,
                                opevo_error *err)
{
    opevo_value value = opevo_value_parse(text);
    opevo_value verbatim = {.kind = OPEVO_VALUE_TEXT, .as = {.text = text}};

    if (opevo_parameter_find(self, &value, vertex) || opevo_parameter_find(self, &verbatim, vertex))
        return OPEVO_OK;
    return refuse_value(self, text, &value, err);
}

static opevo_status find_tuple(const opevo_parameter *self, const char *text, char *copy,
                               opevo_index *vertex, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    arguments list = {0};

    OPEVO_TRY(split_arguments(copy, &list, err));
    if (list.count != self->arity)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "Parameter %s: %.200s is no value of %.200s: it has %zu components, "
                            "not %zu.",
                            self->name, text, self->text, list.count, self->arity);
    else if (!opevo_parameter_find(self, list.values, vertex))
        status = refuse_value(self, text, list.values, err);
cleanup:
    opevo_free(list.values);
    return status;
}

opevo_status opevo_parameter_read(const opevo_parameter *parameter, const char *text,
                                  opevo_index *vertex, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *copy = NULL;

    if (!parameter->type->is_tuple)
        return find_single(parameter, text, vertex, err);
    copy = opevo_strdup(text);
    if (!copy)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a value.");
    status = find_tuple(parameter, text, copy, vertex, err);
    opevo_free(copy);
    return status;
}
