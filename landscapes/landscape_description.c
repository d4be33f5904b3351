/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The JSON that describes a table: its columns, its parameters with their listed values, and the
 * constraints. What it says about the rows is checked where they are read. */

#include "recorded_internal.h"

#include <opevo/json_read.h>
#include <opevo/memory.h>
#include <opevo/space_tree.h>

#include <stdlib.h>
#include <string.h>

/* More parts than any factorisation that is measured whole. */
enum { MOST_PARTS = 64 };

typedef struct source {
    const opevo_i_landscape_table *table;
    opevo_json_reader root;
    const char *path; /* of the description */
} source;

typedef struct description {
    unsigned format;
    json_t *columns, *parameters, *constraints, *space; /* NULL: absent */
} description;

static const char *const formats[] = {"tuning-landscape 1", NULL};

/* Other members say where the table comes from. */
static const opevo_json_field description_fields[] = {
    OPEVO_JSON_FIELD(description, format, WORD, .required = true, .words = formats),
    OPEVO_JSON_FIELD(description, columns, LIST), OPEVO_JSON_FIELD(description, parameters, LIST),
    OPEVO_JSON_FIELD(description, constraints, TEXTS),
    OPEVO_JSON_FIELD(description, space, OBJECT)};
enum { DESCRIPTION_FIELDS = sizeof description_fields / sizeof *description_fields };

bool opevo_i_landscape_is_space(const json_t *root, const char *text, const char *path)
{
    opevo_space *space = NULL;
    bool is = opevo_space_from_tree(root, text, path, ".", &space, NULL) == OPEVO_OK;

    opevo_space_destroy(space);
    return is || json_object_get(root, "ConfigurationSpace") ||
           json_object_get(root, "tune_params");
}

bool opevo_i_landscape_is_description(const json_t *root)
{
    return json_object_get(root, "format") != NULL;
}

/* ---- Columns -------------------------------------------------------------------------------- */

void opevo_i_landscape_column_name(const opevo_parameter *parameter, size_t component,
                                   opevo_text *out)
{
    const char *own = opevo_parameter_component_name(parameter, component);

    opevo_text_add(out, own ? own : opevo_parameter_name(parameter));
    if (!own && opevo_parameter_arity(parameter) > 1)
        opevo_text_printf(out, "_%zu", component);
}

/* Name of one member of "columns", which is a string or an object with "name". */
static const char *column_name(const json_t *column)
{
    return json_string_value(json_is_object(column) ? json_object_get(column, "name") : column);
}

static opevo_status check_columns(const source *self, const json_t *columns, opevo_error *err)
{
    const opevo_i_landscape_table *table = self->table;
    bool named[OPEVO_I_MOST_COLUMNS] = {false};

    if (!columns)
        return OPEVO_OK;
    for (size_t i = 0; i < json_array_size(columns); i++) {
        const char *name = column_name(json_array_get(columns, i));
        size_t column = SIZE_MAX;

        if (!name)
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s: columns[%zu] has no name.", self->path, i);
        column = opevo_i_landscape_find_name(table->names, table->column_count, name);
        if (column == SIZE_MAX)
            return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, 1,
                                             "missing column '%.80s', which %s names.", name,
                                             self->path);
        named[column] = true;
    }
    for (size_t i = 0; i < table->column_count; i++) {
        if (!named[i])
            return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, 1,
                                             "%s does not name the column '%.80s'.", self->path,
                                             table->names[i]);
    }
    return OPEVO_OK;
}

static size_t find_column(const source *self, const char *name)
{
    return opevo_i_landscape_find_name(self->table->names, self->table->column_count, name);
}

/* ---- Parameters ----------------------------------------------------------------------------- */

/* Place of the column of one component; the name is borrowed from the description. */
static opevo_status place_column(const source *self, const char *name, size_t *column,
                                 opevo_error *err)
{
    *column = find_column(self, name);
    if (*column == SIZE_MAX)
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, self->table->path, 1,
                                         "missing column '%.80s', which %s names as a parameter.",
                                         name, self->path);
    if (strcmp(name, "time_ms") == 0 || strcmp(name, "status") == 0 || strcmp(name, "gflops") == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: column '%s' holds results and cannot be a parameter.", self->path,
                          name);
    return OPEVO_OK;
}

/* Create the parameter, with the path before the message of a failure, and append it. */
static opevo_status add_parameter(const source *self, const opevo_parameter_spec *spec,
                                  const size_t *columns, opevo_i_landscape_parameters *list,
                                  opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_parameter *parameter = NULL;

    if (opevo_parameter_create(spec, &parameter, &inner) != OPEVO_OK)
        return opevo_i_landscape_fail_in(err, &inner, self->path);
    if (!opevo_i_landscape_parameters_add(list, parameter, columns)) {
        opevo_parameter_destroy(parameter);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", self->path);
    }
    return OPEVO_OK;
}

typedef struct parameter_entry {
    const char *name, *type;
    uint64_t product, parts;
    json_t *columns, *values;
} parameter_entry;

static const opevo_json_field parameter_fields[] = {
    OPEVO_JSON_FIELD(parameter_entry, name, TEXT, .required = true),
    OPEVO_JSON_FIELD(parameter_entry, type, TEXT, .required = true)};
static const opevo_json_field factor_fields[] = {
    OPEVO_JSON_FIELD(parameter_entry, product, WHOLE, .required = true, .most = 0x1p62),
    OPEVO_JSON_FIELD(parameter_entry, parts, WHOLE, .required = true, .least = 1,
                     .most = MOST_PARTS),
    OPEVO_JSON_FIELD(parameter_entry, columns, TEXTS, .required = true)};
static const opevo_json_field listed_fields[] = {
    OPEVO_JSON_FIELD(parameter_entry, values, LIST, .required = true, .least = 1)};

static opevo_status read_factor(const source *self, const opevo_json_reader *at,
                                parameter_entry *entry, opevo_i_landscape_parameters *list,
                                opevo_error *err)
{
    opevo_value values[2];
    const char *names[MOST_PARTS];
    size_t places[MOST_PARTS];
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_json_read_some(at, factor_fields, 3, entry, err));
    values[0] = opevo_value_of_integer((int64_t)entry->product);
    values[1] = opevo_value_of_integer((int64_t)entry->parts);
    if (opevo_json_text_count(entry->columns) != entry->parts)
        return opevo_json_fail(at, err,
                               "the factor '%.80s' has %llu parts and %zu columns; it needs one "
                               "column for each part.",
                               entry->name, (unsigned long long)entry->parts,
                               opevo_json_text_count(entry->columns));
    for (size_t i = 0; i < entry->parts; i++) {
        names[i] = opevo_json_text_at(entry->columns, i);
        OPEVO_TRY(place_column(self, names[i], &places[i], err));
    }
    status = add_parameter(self,
                           &(opevo_parameter_spec){.name = entry->name,
                                                   .type = "factor",
                                                   .values = values,
                                                   .value_count = 2,
                                                   .component_names = names,
                                                   .component_name_count = (size_t)entry->parts},
                           places, list, err);
cleanup:
    return status;
}

static opevo_status read_listed(const source *self, const opevo_json_reader *at,
                                parameter_entry *entry, opevo_i_landscape_parameters *list,
                                opevo_error *err)
{
    bool is_number = strcmp(entry->type, "int") == 0 || strcmp(entry->type, "float") == 0;
    opevo_status status = opevo_json_read_some(at, listed_fields, 1, entry, err);
    size_t count = json_array_size(entry->values);
    opevo_value *values = NULL;
    size_t column = 0;

    if (status != OPEVO_OK)
        return status;
    OPEVO_NEW(values, count, "%s", self->path);
    for (size_t i = 0; i < count; i++) {
        if (!opevo_i_landscape_json_value(json_array_get(entry->values, i), &values[i])) {
            status = opevo_json_fail(
                at, err, "value %zu of parameter '%.80s' is not a number, string or Boolean.",
                i + 1, entry->name);
            goto cleanup;
        }
    }
    OPEVO_TRY(place_column(self, entry->name, &column, err));
    OPEVO_TRY(add_parameter(self,
                            &(opevo_parameter_spec){.name = entry->name,
                                                    .type = is_number ? "discrete" : "categorical",
                                                    .values = values,
                                                    .value_count = count},
                            &column, list, err));
cleanup:
    opevo_free(values);
    return status;
}

static opevo_status read_parameters(const source *self, opevo_i_landscape_parameters *list,
                                    opevo_error *err)
{
    opevo_json_reader parameters = opevo_json_member(&self->root, "parameters");
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < json_array_size(parameters.value) && status == OPEVO_OK; i++) {
        opevo_json_reader at = opevo_json_element(&parameters, i);
        parameter_entry entry = {.name = NULL};

        status = opevo_json_read_some(&at, parameter_fields, 2, &entry, err);
        if (status == OPEVO_OK)
            status = strcmp(entry.type, "factor") == 0 ? read_factor(self, &at, &entry, list, err)
                                                       : read_listed(self, &at, &entry, list, err);
    }
    return status;
}

/* ---- A whole space -------------------------------------------------------------------------- */

static opevo_status place_components(const source *self, const opevo_parameter *parameter,
                                     size_t *columns, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text name = {0};

    for (size_t k = 0; k < opevo_parameter_arity(parameter) && status == OPEVO_OK; k++) {
        opevo_text_clear(&name);
        opevo_i_landscape_column_name(parameter, k, &name);
        status = opevo_text_check(&name, err);
        if (status == OPEVO_OK)
            status = place_column(self, name.data, &columns[k], err);
    }
    opevo_text_free(&name);
    return status;
}

static opevo_status place_all(const source *self, const opevo_space *space, size_t **out,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t *columns = NULL;
    size_t count = 0;

    for (size_t i = 0; i < opevo_space_parameter_count(space); i++)
        count += opevo_parameter_arity(opevo_space_parameter(space, i));
    columns = opevo_malloc(count, sizeof *columns);
    OPEVO_NEED_OR_RETURN(columns, "reading %s", self->path);
    count = 0;
    for (size_t i = 0; i < opevo_space_parameter_count(space) && status == OPEVO_OK; i++) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);

        status = place_components(self, parameter, columns + count, err);
        count += opevo_parameter_arity(parameter);
    }
    if (status == OPEVO_OK)
        *out = columns;
    else
        opevo_free(columns);
    return status;
}

/* The member "space": a search space in NNI's form with the extensions of space files. */
static opevo_status begin_in_space(const source *self, opevo_i_landscape_recording *recording,
                                   const json_t *member, const char *given, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *text = json_dumps(member, JSON_COMPACT);
    const char *slash = strrchr(self->path, '/');
    char *directory = slash ? opevo_strndup(self->path, (size_t)(slash - self->path)) : NULL;
    opevo_space *space = NULL;
    size_t *columns = NULL;

    OPEVO_NEED(text && (directory || !slash), "reading %s", self->path);
    OPEVO_TRY(opevo_space_parse(text, self->path, directory, &space, err));
    OPEVO_TRY(place_all(self, space, &columns, err));
    status =
        opevo_i_landscape_recording_begin_in(recording, space, columns, self->path, given, err);
    space = NULL;
cleanup:
    opevo_space_destroy(space);
    opevo_free(directory);
    free(text);
    return status;
}

opevo_status opevo_i_landscape_description_begin(opevo_i_landscape_recording *recording,
                                                 const opevo_i_landscape_table *table,
                                                 const json_t *root, const char *path,
                                                 const char *space, opevo_error *err)
{
    const source self = {table, {.origin = path, .value = root}, path};
    description read = {.columns = NULL};
    opevo_i_landscape_parameters list = {0};
    const char **texts = NULL;
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_json_read_some(&self.root, description_fields, DESCRIPTION_FIELDS, &read, err));
    OPEVO_TRY(check_columns(&self, read.columns, err));
    if (read.space) {
        OPEVO_TRY(begin_in_space(&self, recording, read.space, space, err));
        goto cleanup;
    }
    count = opevo_json_text_count(read.constraints);
    OPEVO_NEW(texts, count, "%s", path);
    for (size_t i = 0; i < count; i++)
        texts[i] = opevo_json_text_at(read.constraints, i);
    OPEVO_TRY(read_parameters(&self, &list, err));
    OPEVO_TRY(opevo_i_landscape_recording_begin(recording, &list, texts, count, path, space, err));
cleanup:
    opevo_i_landscape_parameters_clear(&list);
    opevo_free(texts);
    return status;
}
