/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the values of a point are to a source and to its harness. */

#include "own_internal.h"

#include <opevo/json_read.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

enum { COMPONENTS = 64, NAME = 160 };
#define FIRST_MOST ((opevo_index)1 << 26)

static opevo_status add_component(opevo_i_own_point *self, const char *name, opevo_value value,
                                  opevo_error *err)
{
    bool whole = value.kind == OPEVO_VALUE_INTEGER || value.kind == OPEVO_VALUE_BOOLEAN;
    int64_t number = value.kind == OPEVO_VALUE_BOOLEAN ? value.as.boolean : value.as.integer;

    opevo_text_printf(&self->macros, "-D%s=", name);
    if (whole)
        opevo_text_printf(&self->macros, "%lld", (long long)number);
    else
        opevo_value_print(&self->macros, value);
    opevo_text_add(&self->macros, "\n");
    if (!whole)
        return OPEVO_OK;
    if (self->count == OPEVO_HARNESS_VALUES)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "A kernel has at most %d whole parameters.",
                          OPEVO_HARNESS_VALUES);
    opevo_text_printf(&self->values, "%s=%lld\n", name, (long long)number);
    self->names[self->count] = opevo_strdup(name);
    self->numbers[self->count] = number;
    return self->names[self->count++] ? OPEVO_OK
                                      : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a point.");
}

static opevo_status add_parameter(opevo_i_own_point *self, const opevo_parameter *parameter,
                                  opevo_index vertex, opevo_error *err)
{
    size_t count = opevo_parameter_arity(parameter);
    opevo_value *values = opevo_calloc(count, sizeof *values);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(values, "a point");
    opevo_parameter_value(parameter, vertex, values);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        const char *own = opevo_parameter_component_name(parameter, i);
        char name[NAME];

        if (own || count == 1)
            snprintf(name, sizeof name, "%s", own ? own : opevo_parameter_name(parameter));
        else
            snprintf(name, sizeof name, "%s_%zu", opevo_parameter_name(parameter), i);
        for (char *dot = name; (dot = strchr(dot, '.')) != NULL;)
            *dot = '_';
        status = add_component(self, name, values[i], err);
    }
    opevo_free(values);
    return status;
}

opevo_status opevo_i_own_point_read(const opevo_space *space, opevo_index point,
                                    opevo_i_own_point *out, opevo_error *err)
{
    size_t count = opevo_space_parameter_count(space);
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    opevo_status status = OPEVO_OK;

    *out = (opevo_i_own_point){.count = 0};
    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        if (vertices[i] != OPEVO_INACTIVE)
            status = add_parameter(out, opevo_space_parameter(space, i), vertices[i], err);
    }
    if (status == OPEVO_OK)
        status = opevo_text_check(&out->macros, err);
    if (status == OPEVO_OK)
        status = opevo_text_check(&out->values, err);
    if (status != OPEVO_OK)
        opevo_i_own_point_free(out);
    out->whole = (opevo_harness_values){
        .count = out->count, .name = (const char *const *)out->names, .value = out->numbers};
    return status;
}

void opevo_i_own_point_free(opevo_i_own_point *self)
{
    for (size_t i = 0; i < self->count; i++)
        opevo_free(self->names[i]);
    opevo_text_free(&self->macros);
    opevo_text_free(&self->values);
    *self = (opevo_i_own_point){.count = 0};
}

/* ---- The default ---- */

static opevo_value value_of(const json_t *json)
{
    opevo_value value = {.kind = OPEVO_VALUE_TEXT, .as = {.text = json_string_value(json)}};

    if (json_is_integer(json)) {
        value = opevo_value_of_integer(json_integer_value(json));
    } else if (json_is_real(json)) {
        value.kind = OPEVO_VALUE_REAL;
        value.as.real = json_real_value(json);
    } else if (json_is_boolean(json)) {
        value.kind = OPEVO_VALUE_BOOLEAN;
        value.as.boolean = json_is_true(json);
    }
    return value;
}

static opevo_status find_vertex(const opevo_parameter *parameter, const json_t *json,
                                opevo_index *vertex, opevo_error *err)
{
    size_t arity = opevo_parameter_arity(parameter);
    opevo_value values[COMPONENTS];
    size_t count = json_is_array(json) ? json_array_size(json) : 1;
    bool good = count == arity && count <= COMPONENTS;

    for (size_t i = 0; good && i < count; i++) {
        values[i] = value_of(json_is_array(json) ? json_array_get(json, i) : json);
        good = values[i].kind != OPEVO_VALUE_TEXT || values[i].as.text;
    }
    return good && opevo_parameter_find(parameter, values, vertex)
               ? OPEVO_OK
               : OPEVO_FAIL(err, OPEVO_INVALID, "default: %.100s has no such value.",
                            opevo_parameter_name(parameter));
}

static opevo_status find_given(const opevo_space *space, const json_t *object, opevo_index *out,
                               opevo_error *err)
{
    size_t count = opevo_space_parameter_count(space);
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    const char *key = NULL;
    json_t *value = NULL;
    opevo_status status = OPEVO_OK;

    opevo_space_decode(space, 0, vertices);
    json_object_foreach((json_t *)object, key, value)
    {
        size_t i = 0;

        while (i < count && strcmp(opevo_parameter_name(opevo_space_parameter(space, i)), key) != 0)
            i++;
        if (i == count)
            return OPEVO_FAIL(err, OPEVO_INVALID, "default: no parameter is named \"%.100s\".",
                              key);
        status = find_vertex(opevo_space_parameter(space, i), value, &vertices[i], err);
        if (status != OPEVO_OK)
            return status;
        opevo_space_settle(space, i, vertices);
    }
    *out = opevo_space_encode(space, vertices);
    return OPEVO_OK;
}

opevo_status opevo_i_own_default(const opevo_space *space, const char *json, opevo_index *out,
                                 opevo_error *err)
{
    opevo_index most = opevo_space_size(space) < FIRST_MOST ? opevo_space_size(space) : FIRST_MOST;
    json_t *object = json ? json_loads(json, 0, NULL) : NULL;
    opevo_status status = OPEVO_OK;

    if (json && !object)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a point.");
    if (object) {
        status = find_given(space, object, out, err);
        json_decref(object);
        return status;
    }
    for (opevo_index point = 0; point < most; point++) {
        if (opevo_space_allows(space, point)) {
            *out = point;
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "The first points of the space are not allowed; give one that is by "
                      "\"default\" in the harness.");
}
