/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces out of Kernel Tuner's JSON: its tune_params with restrictions, as a file of their own or
 * as part of a cache, and T4 results, whose space is what their configurations have for values.
 * Lists of numbers become `discrete`, others `categorical`.
 * Source: Kernel Tuner 1.0 to 1.4, kernel_tuner/util.py and file_utils.py; the schema T4 1.0.0. */

#include "space_file_internal.h"

#include <opevo/memory.h>

#include "json_place.h"
#include "value_text.h"

#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const opevo_i_topology_space_file *file;
    size_t line; /* of what is being read, for messages; 0: not known */
    opevo_parameter **parameters;
    size_t parameter_count;
    const char **restrictions;
    size_t *restriction_lines;
    size_t restriction_count;
} reader;

static opevo_status no_memory(const reader *self, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", self->file->origin);
}

/* ---- Parameters ---- */

static opevo_status add_parameter(reader *self, const char *name, const opevo_value *values,
                                  size_t count, opevo_error *err)
{
    opevo_parameter_spec spec = {
        .name = name, .type = "discrete", .values = values, .value_count = count};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count; i++) {
        if (values[i].kind == OPEVO_VALUE_TEXT || values[i].kind == OPEVO_VALUE_BOOLEAN)
            spec.type = "categorical";
    }
    status = opevo_parameter_create(&spec, &self->parameters[self->parameter_count], &inner);
    if (status != OPEVO_OK)
        return opevo_i_topology_space_file_fail(self->file, self->line, status, inner.message, err);
    self->parameter_count++;
    return OPEVO_OK;
}

static int compare_values(const void *a, const void *b)
{
    return opevo_value_compare(*(const opevo_value *)a, *(const opevo_value *)b);
}

/* ---- tune_params ---- */

static opevo_status read_listed(reader *self, const char *name, const json_t *list,
                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t count = json_array_size(list);
    opevo_value *values = NULL;

    if (count == 0)
        return opevo_i_topology_space_file_refuse(self->file, self->line, err,
                                                  "tune_params lists no values for '%s'.",
                                                  OPEVO_I_EXCERPT(name));
    values = opevo_malloc(count, sizeof *values);
    if (!values)
        return no_memory(self, err);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        if (!opevo_i_topology_value_of_json(json_array_get(list, i), &values[i]))
            status = opevo_i_topology_space_file_refuse(
                self->file, self->line, err,
                "Parameter %s: value %zu is not a number, string or Boolean.",
                OPEVO_I_EXCERPT(name), i + 1);
    }
    if (status == OPEVO_OK)
        status = add_parameter(self, name, values, count, err);
    opevo_free(values);
    return status;
}

/* In the order of tune_params_keys, or else of tune_params. */
static opevo_status read_tune_params(reader *self, opevo_error *err)
{
    const json_t *lists = json_object_get(self->file->root, "tune_params");
    const json_t *keys = json_object_get(self->file->root, "tune_params_keys");
    opevo_i_topology_json_place at = opevo_i_topology_json_place_find(
        opevo_i_topology_json_place_start(self->file->text), self->file->root, "tune_params");
    size_t count = keys ? json_array_size(keys) : json_object_size(lists);
    opevo_status status = OPEVO_OK;
    const char *name = NULL;
    json_t *list = NULL;

    if (count == 0)
        return opevo_i_topology_space_file_refuse(self->file, at.line, err,
                                                  "tune_params lists no parameter.");
    self->parameters = opevo_malloc(count, sizeof(opevo_parameter *));
    if (!self->parameters)
        return no_memory(self, err);
    for (size_t i = 0; keys && i < count && status == OPEVO_OK; i++) {
        name = json_string_value(json_array_get(keys, i));
        if (!name) {
            at = opevo_i_topology_json_place_find(
                opevo_i_topology_json_place_start(self->file->text), self->file->root,
                "tune_params_keys");
            return opevo_i_topology_space_file_refuse(
                self->file, opevo_i_topology_json_place_element(at, i).line, err,
                "tune_params_keys[%zu] is not a string.", i);
        }
        self->line = opevo_i_topology_json_place_find(at, lists, name).line;
        status = read_listed(self, name, json_object_get(lists, name), err);
    }
    if (keys)
        return status;
    json_object_foreach((json_t *)lists, name, list)
    {
        self->line = opevo_i_topology_json_place_find(at, lists, name).line;
        OPEVO_TRY(read_listed(self, name, list, err));
    }
cleanup:
    return status;
}

/* What str() writes of a function object, or a lambda expression: neither can be read. */
static bool is_function(const char *text)
{
    text += strspn(text, " \t\r\n");
    return strncmp(text, "<function", 9) == 0 ||
           (strncmp(text, "lambda", 6) == 0 && strchr(" \t:", text[6]));
}

/* A list of Python expressions, or one. */
static opevo_status read_restrictions(reader *self, opevo_error *err)
{
    const json_t *list = json_object_get(self->file->root, "restrictions");
    opevo_i_topology_json_place at = opevo_i_topology_json_place_find(
        opevo_i_topology_json_place_start(self->file->text), self->file->root, "restrictions");
    size_t count = json_is_string(list) ? 1 : json_array_size(list);
    const char *first =
        self->parameter_count ? opevo_parameter_name(self->parameters[0]) : "block_size_x";

    if (!list || json_is_null(list))
        return OPEVO_OK;
    self->line = at.line;
    if (!json_is_array(list) && !json_is_string(list))
        return opevo_i_topology_space_file_refuse(
            self->file, self->line, err, "restrictions must be a list of Python expressions.");
    self->restrictions = opevo_malloc(count, sizeof *self->restrictions);
    self->restriction_lines = opevo_malloc(count, sizeof *self->restriction_lines);
    if (!self->restrictions || !self->restriction_lines)
        return no_memory(self, err);
    if (json_is_array(list))
        opevo_i_topology_json_place_lines(at, count, self->restriction_lines);
    else
        self->restriction_lines[0] = at.line;
    for (size_t i = 0; i < count; i++) {
        self->restrictions[i] =
            json_string_value(json_is_array(list) ? json_array_get(list, i) : list);
        if (!self->restrictions[i])
            return opevo_i_topology_space_file_refuse(
                self->file, self->line, err,
                "Item %zu of restrictions is not a string; write it as a Python expression.",
                i + 1);
        if (is_function(self->restrictions[i]))
            return opevo_i_topology_space_file_refuse(
                self->file, self->restriction_lines[i], err,
                "Item %zu of restrictions is a Python function, which cannot be evaluated; write "
                "it as an expression over the names, such as \"%s <= 32\".",
                i + 1, first);
    }
    self->restriction_count = count;
    return OPEVO_OK;
}

/* ---- T4 ---- */

/* The different values that the configurations have for one parameter. */
static opevo_status read_observed(reader *self, const char *name, const json_t *results,
                                  opevo_value *values, opevo_error *err)
{
    size_t count = json_array_size(results);
    size_t kept = 0;

    for (size_t i = 0; i < count; i++) {
        const json_t *given = json_object_get(json_array_get(results, i), "configuration");

        if (!opevo_i_topology_value_of_json(json_object_get(given, name), &values[i]))
            return opevo_i_topology_space_file_refuse(
                self->file, self->line, err, "results[%zu] has no value for parameter '%s'.", i,
                OPEVO_I_EXCERPT(name));
    }
    qsort(values, count, sizeof *values, compare_values);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || compare_values(&values[kept - 1], &values[i]) != 0)
            values[kept++] = values[i];
    }
    return add_parameter(self, name, values, kept, err);
}

static opevo_status read_results(reader *self, opevo_error *err)
{
    const json_t *results = json_object_get(self->file->root, "results");
    const json_t *first = json_object_get(json_array_get(results, 0), "configuration");
    size_t count = json_object_size(first);
    opevo_value *values = opevo_malloc(json_array_size(results), sizeof *values);
    opevo_status status = OPEVO_OK;
    const char *name = NULL;
    json_t *value = NULL;

    self->parameters = opevo_malloc(count, sizeof(opevo_parameter *));
    if (!values || !self->parameters)
        status = no_memory(self, err);
    else if (count == 0)
        status = opevo_i_topology_space_file_refuse(self->file, self->line, err,
                                                    "results[0] has no configuration.");
    if (status != OPEVO_OK)
        goto cleanup;
    for (size_t i = 0; i < json_array_size(results); i++) {
        if (json_object_size(json_object_get(json_array_get(results, i), "configuration")) !=
            count) {
            status = opevo_i_topology_space_file_refuse(
                self->file, self->line, err, "results[%zu] has other parameters than results[0].",
                i);
            goto cleanup;
        }
    }
    json_object_foreach((json_t *)first, name, value)
        OPEVO_TRY(read_observed(self, name, results, values, err));
cleanup:
    opevo_free(values);
    return status;
}

/* ---- Both ---- */

bool opevo_i_topology_is_kernel_tuner_space(const json_t *root)
{
    const json_t *lists = json_object_get(root, "tune_params");

    return json_is_object(lists) && !json_object_get(lists, "_type");
}

bool opevo_i_topology_is_t4(const json_t *root)
{
    return json_is_array(json_object_get(root, "results")) &&
           (json_object_get(root, "schema_version") || json_object_get(root, "metadata"));
}

static opevo_status read_all(reader *self, opevo_space **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_topology_constraint_list list = {.dialect = OPEVO_DIALECT_PYTHON,
                                             .origin = self->file->origin};

    if (opevo_i_topology_is_t4(self->file->root)) {
        OPEVO_TRY(read_results(self, err));
    } else {
        OPEVO_TRY(read_tune_params(self, err));
        OPEVO_TRY(read_restrictions(self, err));
    }
    list.texts = self->restrictions;
    list.lines = self->restriction_lines;
    list.count = self->restriction_count;
    status = opevo_i_topology_space_file_create(self->file, self->parameters, NULL,
                                                self->parameter_count, &list, out, err);
cleanup:
    return status;
}

opevo_status opevo_i_topology_space_from_kernel_tuner(const opevo_i_topology_space_file *file,
                                                      opevo_space **out, opevo_error *err)
{
    reader self = {.file = file};
    opevo_status status = read_all(&self, out, err);

    for (size_t i = 0; i < self.parameter_count && status != OPEVO_OK; i++)
        opevo_parameter_destroy(self.parameters[i]);
    opevo_free(self.parameters);
    opevo_free(self.restrictions);
    opevo_free(self.restriction_lines);
    return status;
}
