/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Space files in NNI's form with our extensions, read and written. */

#include <opevo/space.h>

#include <opevo/file.h>
#include <opevo/json.h>
#include <opevo/memory.h>

#include "json_place.h"
#include "parameter_internal.h"
#include "space_internal.h"
#include "value_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Of a space file: JSON takes some twenty times its size in memory. */
#define SPACE_BYTES_MAX ((size_t)32 << 20)

/* ---- Messages ---- */

opevo_status opevo_i_space_file_fail(const opevo_i_space_file *file, size_t line,
                                     opevo_status status, const char *sentence, opevo_error *err)
{
    if (line == 0)
        return OPEVO_FAIL(err, status, "%.256s: %.700s", file->origin, sentence);
    return OPEVO_FAIL(err, status, "%.256s:%zu: %.700s", file->origin, line, sentence);
}

opevo_status opevo_i_space_file_refuse(const opevo_i_space_file *file, size_t line,
                                       opevo_error *err, const char *format, ...)
{
    char sentence[OPEVO_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return opevo_i_space_file_fail(file, line, OPEVO_INVALID, sentence, err);
}

opevo_status opevo_i_space_file_create(const opevo_i_space_file *file, opevo_parameter **parameters,
                                       size_t count, const opevo_i_constraint_list *constraints,
                                       opevo_space **out, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_i_space_create(parameters, count, constraints, out, &inner);
    size_t length = strlen(file->origin);

    if (status == OPEVO_OK)
        return OPEVO_OK;
    if (strncmp(inner.message, file->origin, length > 256 ? 256 : length) == 0)
        return OPEVO_FAIL(err, status, "%s", inner.message);
    return opevo_i_space_file_fail(file, 0, status, inner.message, err);
}

/* The line of the key with this number (from 0) of the outermost object. */
static size_t line_of_key(const char *text, size_t number)
{
    return opevo_i_json_place_key(opevo_i_json_place_start(text), number).line;
}

/* ---- Reading ---- */

typedef struct reader {
    opevo_i_space_file file;
    opevo_parameter **parameters;
    size_t parameter_count;
    const char **constraints; /* borrowed from the JSON */
    size_t *constraint_lines;
    size_t constraint_count;
    opevo_dialect dialect;
    const char *points; /* the text of "_points", or NULL */
    size_t points_number;
} reader;

/* The place of what is read, for messages: the parameter and the line of its key. */
typedef struct place {
    const reader *reader;
    const char *name;
    size_t number;
} place;

static opevo_status refuse(const place *at, opevo_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static opevo_status refuse(const place *at, opevo_error *err, const char *format, ...)
{
    char sentence[OPEVO_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return opevo_i_space_file_fail(&at->reader->file,
                                   line_of_key(at->reader->file.text, at->number), OPEVO_INVALID,
                                   sentence, err);
}

static opevo_status read_scalar(const place *at, const json_t *item, opevo_value *out,
                                opevo_error *err)
{
    switch (json_typeof(item)) {
    case JSON_INTEGER:
        *out = opevo_value_of_integer(json_integer_value(item));
        return OPEVO_OK;
    case JSON_REAL:
        *out = (opevo_value){.kind = OPEVO_VALUE_REAL, .as = {.real = json_real_value(item)}};
        return OPEVO_OK;
    case JSON_TRUE:
    case JSON_FALSE:
        *out = (opevo_value){.kind = OPEVO_VALUE_BOOLEAN,
                             .as = {.boolean = json_typeof(item) == JSON_TRUE}};
        return OPEVO_OK;
    case JSON_STRING:
        *out = (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = json_string_value(item)}};
        return OPEVO_OK;
    case JSON_OBJECT:
        return refuse(at, err,
                      "Parameter %s: a value is an object; nested search spaces are not "
                      "supported, so write each inner parameter as one of its own.",
                      OPEVO_I_EXCERPT(at->name));
    default:
        return refuse(
            at, err, "Parameter %s: a value is %s; values are numbers, true, false and texts.",
            OPEVO_I_EXCERPT(at->name), json_typeof(item) == JSON_NULL ? "null" : "a list");
    }
}

/* The values of "_value": those of a list, or one that stands alone. Release with opevo_free. */
static opevo_status read_values(const place *at, const json_t *list, opevo_value **out,
                                size_t *count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool single = !json_is_array(list);
    opevo_value *values = NULL;

    *count = single ? 1 : json_array_size(list);
    values = opevo_malloc(*count, sizeof *values);
    if (!values)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", at->reader->file.origin);
    for (size_t i = 0; i < *count; i++)
        OPEVO_TRY(read_scalar(at, single ? list : json_array_get(list, i), &values[i], err));
    *out = values;
    values = NULL;
cleanup:
    opevo_free(values);
    return status;
}

/* An array of texts, borrowed from the JSON; release the array with opevo_free. */
static opevo_status read_texts(const place *at, const char *key, const json_t *list,
                               const char ***out, size_t *count, opevo_error *err)
{
    const char **texts = NULL;

    if (!json_is_array(list))
        return refuse(at, err, "%s must be a list of texts, such as [\"a\", \"b\"].", key);
    texts = opevo_malloc(json_array_size(list), sizeof *texts);
    if (!texts)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", at->reader->file.origin);
    for (size_t i = 0; i < json_array_size(list); i++) {
        texts[i] = json_string_value(json_array_get(list, i));
        if (!texts[i]) {
            opevo_free(texts);
            return refuse(at, err, "Item %zu of %s is not a text.", i + 1, key);
        }
    }
    *count = json_array_size(list);
    *out = texts;
    return OPEVO_OK;
}

static bool read_vertex(const json_t *item, uint32_t *out)
{
    json_int_t vertex = json_is_integer(item) ? json_integer_value(item) : -1;

    *out = (uint32_t)vertex;
    return vertex >= 0 && vertex <= UINT32_MAX;
}

/* Pairs of vertices; release with opevo_free. */
static opevo_status read_edges(const place *at, const json_t *list, uint32_t **out, size_t *count,
                               opevo_error *err)
{
    size_t size = json_array_size(list);
    uint32_t *edges = opevo_malloc(2 * size, sizeof *edges);
    bool valid = json_is_array(list);

    if (!edges)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", at->reader->file.origin);
    for (size_t i = 0; valid && i < size; i++) {
        const json_t *pair = json_array_get(list, i);

        valid = json_array_size(pair) == 2 && read_vertex(json_array_get(pair, 0), &edges[2 * i]) &&
                read_vertex(json_array_get(pair, 1), &edges[2 * i + 1]);
    }
    if (!valid) {
        opevo_free(edges);
        return refuse(at, err,
                      "Parameter %s: _edges must be a list of pairs of vertices, such as [[0, 1], "
                      "[1, 2]], counted from 0 in the order of _value.",
                      OPEVO_I_EXCERPT(at->name));
    }
    *out = edges;
    *count = size;
    return OPEVO_OK;
}

static opevo_status check_keys(const place *at, const json_t *entry, opevo_error *err)
{
    static const char *const known[] = {"_type", "_value", "_topology", "_components", "_edges"};
    const char *type = json_string_value(json_object_get(entry, "_type"));
    bool graph = type && !strcmp(type, "graph");
    const char *key = NULL;
    json_t *value = NULL;

    if (!json_is_object(entry))
        return refuse(at, err,
                      "Parameter %s: write {\"_type\": ..., \"_value\": ...} as its "
                      "description.",
                      OPEVO_I_EXCERPT(at->name));
    json_object_foreach((json_t *)entry, key, value)
    {
        size_t i = 0;

        while (i < sizeof known / sizeof *known && strcmp(key, known[i]) != 0)
            i++;
        if (i == sizeof known / sizeof *known)
            return refuse(at, err,
                          "Parameter %s: unknown key \"%s\"; the keys are _type, _value, "
                          "_topology%s _components%s.",
                          OPEVO_I_EXCERPT(at->name), OPEVO_I_EXCERPT(key), graph ? "," : " and",
                          graph ? " and _edges" : "");
    }
    if (!json_is_string(json_object_get(entry, "_type")))
        return refuse(at, err, "Parameter %s: _type must be a text, such as \"factor\".",
                      OPEVO_I_EXCERPT(at->name));
    if (!json_object_get(entry, "_value"))
        return refuse(at, err, "Parameter %s: _value is missing.", OPEVO_I_EXCERPT(at->name));
    value = json_object_get(entry, "_topology");
    if (value && !json_is_string(value))
        return refuse(at, err, "Parameter %s: _topology must be a text.",
                      OPEVO_I_EXCERPT(at->name));
    return OPEVO_OK;
}

static opevo_status read_parameter(reader *self, const place *at, const json_t *entry,
                                   opevo_error *err)
{
    opevo_status status = check_keys(at, entry, err);
    opevo_error inner = {OPEVO_OK, ""};
    opevo_value *values = NULL;
    const char **names = NULL;
    opevo_parameter_spec spec = {.name = at->name, .directory = self->file.directory};
    const json_t *components = NULL;
    const json_t *pairs = json_object_get(entry, "_edges");
    uint32_t *edges = NULL;

    if (status != OPEVO_OK)
        return status;
    spec.type = json_string_value(json_object_get(entry, "_type"));
    spec.topology = json_string_value(json_object_get(entry, "_topology"));
    components = json_object_get(entry, "_components");
    OPEVO_TRY(read_values(at, json_object_get(entry, "_value"), &values, &spec.value_count, err));
    spec.values = values;
    if (components)
        OPEVO_TRY(
            read_texts(at, "_components", components, &names, &spec.component_name_count, err));
    spec.component_names = names;
    if (pairs)
        OPEVO_TRY(read_edges(at, pairs, &edges, &spec.edge_count, err));
    spec.edges = edges;
    status = opevo_parameter_create(&spec, &self->parameters[self->parameter_count], &inner);
    if (status == OPEVO_OK)
        self->parameter_count++;
    else
        opevo_i_space_file_fail(&self->file, line_of_key(self->file.text, at->number), status,
                                inner.message, err);
cleanup:
    opevo_free(values);
    opevo_free(names);
    opevo_free(edges);
    return status;
}

static opevo_status read_constraints(reader *self, const place *at, const json_t *list,
                                     opevo_error *err)
{
    opevo_i_json_place key =
        opevo_i_json_place_key(opevo_i_json_place_start(self->file.text), at->number);
    opevo_status status =
        read_texts(at, at->name, list, &self->constraints, &self->constraint_count, err);

    if (status != OPEVO_OK)
        return status;
    self->constraint_lines = opevo_malloc(self->constraint_count, sizeof *self->constraint_lines);
    if (!self->constraint_lines)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", self->file.origin);
    opevo_i_json_place_lines(opevo_i_json_place_next(key), self->constraint_count,
                             self->constraint_lines);
    return OPEVO_OK;
}

static opevo_status read_dialect(reader *self, const place *at, const json_t *value,
                                 opevo_error *err)
{
    const char *text = json_string_value(value);

    if (!text || (strcmp(text, "c") != 0 && strcmp(text, "python") != 0))
        return refuse(at, err, "_dialect must be \"c\" or \"python\".");
    self->dialect = *text == 'c' ? OPEVO_DIALECT_C : OPEVO_DIALECT_PYTHON;
    return OPEVO_OK;
}

static opevo_status read_entry(reader *self, const char *key, size_t number, const json_t *entry,
                               opevo_error *err)
{
    place at = {self, key, number};

    if (strcmp(key, "_constraints") == 0)
        return read_constraints(self, &at, entry, err);
    if (strcmp(key, "_dialect") == 0)
        return read_dialect(self, &at, entry, err);
    if (strcmp(key, "_points") == 0) {
        self->points = json_is_string(entry) ? json_string_value(entry) : "";
        self->points_number = number;
        return OPEVO_OK;
    }
    if (*key == '_' && !json_object_get(entry, "_type"))
        return refuse(&at, err,
                      "Unknown key \"%s\"; besides parameters there are _constraints and "
                      "_dialect.",
                      OPEVO_I_EXCERPT(key));
    return read_parameter(self, &at, entry, err);
}

static opevo_status read_nni(const opevo_i_space_file *file, opevo_space **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    reader self = {.file = *file};
    opevo_i_constraint_list constraints = {0};
    const char *key = NULL;
    json_t *entry = NULL;
    size_t number = 0;
    opevo_space *space = NULL;

    self.parameters = opevo_malloc(json_object_size(file->root), sizeof(opevo_parameter *));
    if (!self.parameters)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", file->origin);
    json_object_foreach((json_t *)file->root, key, entry)
        OPEVO_TRY(read_entry(&self, key, number++, entry, err));
    constraints = (opevo_i_constraint_list){self.constraints, self.constraint_lines,
                                            self.constraint_count, self.dialect, file->origin};
    OPEVO_TRY(opevo_i_space_file_create(file, self.parameters, self.parameter_count, &constraints,
                                        &space, err));
    self.parameter_count = 0; /* handed over */
    if (self.points && !opevo_i_points_read(space, self.points)) {
        status = refuse(&(place){&self, "_points", self.points_number}, err,
                        "_points must be a text of ascending numbers of allowed points and ranges "
                        "of them, such as \"0-7 9 12-40\".");
        goto cleanup;
    }
    *out = space;
    space = NULL;
cleanup:
    opevo_space_destroy(space);
    for (size_t i = 0; i < self.parameter_count; i++)
        opevo_parameter_destroy(self.parameters[i]);
    opevo_free(self.parameters);
    opevo_free(self.constraints);
    opevo_free(self.constraint_lines);
    return status;
}

opevo_status opevo_space_parse(const char *json, const char *origin, const char *directory,
                               opevo_space **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    json_error_t fault;
    json_t *root = json_loads(json, JSON_REJECT_DUPLICATES, &fault);
    opevo_i_space_file file = {json, origin, directory, root};

    if (!root)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%.256s:%d:%d: %s.", origin, fault.line, fault.column,
                          fault.text);
    if (!json_is_object(root))
        status = opevo_i_space_file_fail(&file, 1, OPEVO_INVALID,
                                         "A search space is a JSON object.", err);
    else if (json_object_get(root, "ConfigurationSpace"))
        status = opevo_i_space_from_t1(&file, out, err);
    else if (opevo_i_is_kernel_tuner_space(root) || opevo_i_is_t4(root))
        status = opevo_i_space_from_kernel_tuner(&file, out, err);
    else
        status = read_nni(&file, out, err);
    json_decref(root);
    return status;
}

opevo_status opevo_space_load(const char *path, opevo_space **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const char *slash = strrchr(path, '/');
    char *data = NULL, *directory = NULL;
    size_t size = 0;

    OPEVO_TRY(opevo_file_read(path, SPACE_BYTES_MAX, &data, &size, err));
    directory = slash ? opevo_strndup(path, (size_t)(slash - path) + 1) : opevo_strdup(".");
    if (!directory)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", path);
    else if (strlen(data) != size)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%.256s is not a text file: it holds a zero byte.",
                            path);
    else
        status = opevo_space_parse(data, path, directory, out, err);
cleanup:
    opevo_free(directory);
    opevo_free(data);
    return status;
}

/* ---- Writing ---- */

/* A real number keeps its point, so that it is read back as a real number. */
static void write_value(opevo_text *out, opevo_value value)
{
    char number[OPEVO_DOUBLE_TEXT_SIZE];

    opevo_value_print_json(out, value);
    if (value.kind == OPEVO_VALUE_REAL &&
        !strpbrk(opevo_double_format(value.as.real, number), ".en"))
        opevo_text_add(out, ".0");
}

/* A factorisation is rebuilt from any of its values, whose product is C. */
static void write_tuple(const opevo_parameter *parameter, opevo_text *out)
{
    size_t arity = opevo_parameter_arity(parameter);
    opevo_value *components = NULL;
    int64_t product = 1;

    if (strcmp(opevo_parameter_type(parameter), "permutation") == 0) {
        opevo_text_printf(out, "[%zu]", arity);
        return;
    }
    components = opevo_malloc(arity, sizeof *components);
    if (!components) {
        out->failed = true;
        return;
    }
    opevo_parameter_value(parameter, 0, components);
    for (size_t i = 0; i < arity; i++)
        product *= components[i].as.integer;
    opevo_text_printf(out, "[%lld, %zu]", (long long)product, arity);
    opevo_free(components);
}

static void write_list(const opevo_parameter *parameter, opevo_text *out)
{
    opevo_text_add(out, "[");
    for (opevo_index i = 0; i < opevo_parameter_size(parameter); i++) {
        opevo_value value = {0};

        opevo_parameter_value(parameter, i, &value);
        opevo_json_next(out, " ");
        write_value(out, value);
    }
    opevo_text_add(out, "]");
}

/* Each edge once, from its smaller vertex. */
static void write_edges(const opevo_parameter *parameter, opevo_text *out)
{
    opevo_json_key(out, "_edges");
    opevo_text_add(out, "[");
    for (opevo_index u = 0; u < opevo_parameter_size(parameter); u++) {
        for (opevo_index k = 0; k < opevo_parameter_degree(parameter, u); k++) {
            opevo_index v = opevo_parameter_neighbour(parameter, u, k);

            if (v < u)
                continue;
            opevo_json_next(out, " ");
            opevo_text_printf(out, "[%llu, %llu]", (unsigned long long)u, (unsigned long long)v);
        }
    }
    opevo_text_add(out, "]");
}

static void write_components(const opevo_parameter *parameter, opevo_text *out)
{
    opevo_json_key(out, "_components");
    opevo_text_add(out, "[");
    for (size_t i = 0; i < opevo_parameter_arity(parameter); i++) {
        opevo_json_next(out, " ");
        opevo_text_add_json(out, opevo_parameter_component_name(parameter, i));
    }
    opevo_text_add(out, "]");
}

static void write_parameter(const opevo_parameter *parameter, opevo_text *out)
{
    const opevo_i_type *type = parameter->type;
    const char *topology = opevo_parameter_topology(parameter);

    opevo_text_add(out, "{");
    opevo_json_string(out, "_type", type->alias ? type->alias : type->info.name);
    opevo_json_key(out, "_value");
    if (type->is_list || type->is_path)
        write_list(parameter, out);
    else
        write_tuple(parameter, out);
    if (type->is_path)
        write_edges(parameter, out);
    if (strcmp(topology, type->topologies[0].name) != 0)
        opevo_json_string(out, "_topology", topology);
    if (parameter->component_names)
        write_components(parameter, out);
    opevo_text_add(out, "}");
}

/* A member in a line of its own. */
static void write_key(opevo_text *out, const char *key)
{
    opevo_json_next(out, "\n  ");
    opevo_text_add_json(out, key);
    opevo_text_add(out, ": ");
}

static void write_constraints(const opevo_space *space, opevo_text *out)
{
    write_key(out, "_constraints");
    opevo_text_add(out, "[");
    for (size_t i = 0; i < space->constraint_count; i++) {
        opevo_json_next(out, "\n    ");
        opevo_text_add_json(out, space->constraints[i].text);
    }
    opevo_text_add(out, "\n  ]");
    if (space->dialect == OPEVO_DIALECT_PYTHON) {
        write_key(out, "_dialect");
        opevo_text_add_json(out, "python");
    }
}

void opevo_space_write_json(const opevo_space *space, opevo_text *out)
{
    opevo_text_add(out, "{");
    for (size_t i = 0; i < space->parameter_count; i++) {
        write_key(out, opevo_parameter_name(space->parameters[i]));
        write_parameter(space->parameters[i], out);
    }
    if (space->constraint_count)
        write_constraints(space, out);
    if (space->ranges) {
        write_key(out, "_points");
        opevo_text_add(out, "\"");
        opevo_i_points_write(space, out);
        opevo_text_add(out, "\"");
    }
    opevo_text_add(out, "\n}\n");
}
