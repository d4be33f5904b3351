/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Space files in NNI's form with our extensions, read; space_write.c writes them. */

#include <opevo/space.h>

#include <opevo/json_read.h>
#include <opevo/memory.h>

#include "json_place.h"
#include "parameter_internal.h"
#include "space_file_internal.h"
#include "value_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- Messages ---- */

opevo_status opevo_i_topology_space_file_fail(const opevo_i_topology_space_file *file, size_t line,
                                              opevo_status status, const char *sentence,
                                              opevo_error *err)
{
    if (line == 0)
        return OPEVO_FAIL(err, status, "%.256s: %.700s", file->origin, sentence);
    return OPEVO_FAIL(err, status, "%.256s:%zu: %.700s", file->origin, line, sentence);
}

opevo_status opevo_i_topology_space_file_refuse(const opevo_i_topology_space_file *file,
                                                size_t line, opevo_error *err, const char *format,
                                                ...)
{
    char sentence[OPEVO_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return opevo_i_topology_space_file_fail(file, line, OPEVO_INVALID, sentence, err);
}

opevo_status opevo_i_topology_space_file_create(const opevo_i_topology_space_file *file,
                                                opevo_parameter **parameters,
                                                const opevo_activation *activations, size_t count,
                                                const opevo_i_topology_constraint_list *constraints,
                                                opevo_space **out, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status =
        opevo_i_topology_space_create(parameters, activations, count, constraints, out, &inner);
    size_t length = strlen(file->origin);

    if (status == OPEVO_OK)
        return OPEVO_OK;
    if (strncmp(inner.message, file->origin, length > 256 ? 256 : length) == 0)
        return OPEVO_FAIL(err, status, "%s", inner.message);
    return opevo_i_topology_space_file_fail(file, 0, status, inner.message, err);
}

bool opevo_i_topology_value_of_json(const json_t *json, opevo_value *out)
{
    if (json_is_integer(json))
        *out = opevo_value_of_integer(json_integer_value(json));
    else if (json_is_real(json))
        *out = (opevo_value){.kind = OPEVO_VALUE_REAL, .as = {.real = json_real_value(json)}};
    else if (json_is_boolean(json))
        *out = (opevo_value){.kind = OPEVO_VALUE_BOOLEAN, .as = {.boolean = json_is_true(json)}};
    else if (json_is_string(json))
        *out = (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = json_string_value(json)}};
    else
        return false;
    return true;
}

/* ---- Reading ---- */

typedef struct reader {
    opevo_i_topology_space_file file;
    opevo_parameter **parameters;
    opevo_activation *activations;
    size_t parameter_count, parameter_capacity, activation_capacity;
    json_t *keys;             /* how many parameters have each key; NULL while no branch was met */
    const char **constraints; /* borrowed from the JSON */
    size_t *constraint_lines;
    size_t constraint_count;
    opevo_dialect dialect;
    const char *points; /* the text of "_points", or NULL */
    size_t points_number;
} reader;

/* The place of what is read: a member of the file, or of a branch. */
typedef struct place {
    const reader *reader;
    const char *name; /* of the parameter, or the key */
    size_t number;    /* of the key in its object */
    const json_t *entry;
    const struct place *outer; /* the parameter whose branch this is; NULL: the file */
    size_t branch;             /* which of its values */
} place;

static opevo_i_topology_json_place key_of(const place *at)
{
    opevo_i_topology_json_place object = opevo_i_topology_json_place_start(at->reader->file.text);

    if (at->outer) {
        const json_t *values = json_object_get(at->outer->entry, "_value");

        object = opevo_i_topology_json_place_find(
            opevo_i_topology_json_place_next(key_of(at->outer)), at->outer->entry, "_value");
        if (json_is_array(values))
            object = opevo_i_topology_json_place_element(object, at->branch);
    }
    return opevo_i_topology_json_place_key(object, at->number);
}

static opevo_status refuse(const place *at, opevo_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static opevo_status refuse(const place *at, opevo_error *err, const char *format, ...)
{
    char sentence[OPEVO_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return opevo_i_topology_space_file_fail(&at->reader->file, key_of(at).line, OPEVO_INVALID,
                                            sentence, err);
}

static opevo_status read_scalar(const place *at, const json_t *item, opevo_value *out,
                                opevo_error *err)
{
    if (opevo_i_topology_value_of_json(item, out))
        return OPEVO_OK;
    if (json_is_object(item))
        return refuse(at, err,
                      "Parameter %s: a value is an object; only the values of a choice open "
                      "branches, as {\"_name\": ..., ...}.",
                      OPEVO_I_EXCERPT(at->name));
    return refuse(at, err,
                  "Parameter %s: a value is %s; values are numbers, true, false and strings.",
                  OPEVO_I_EXCERPT(at->name), json_is_null(item) ? "null" : "a list");
}

static bool is_choice(const json_t *entry)
{
    const char *type = json_string_value(json_object_get(entry, "_type"));

    return type && opevo_i_topology_type_find(type) == &opevo_i_topology_categorical_type;
}

static size_t value_count(const json_t *list)
{
    return json_is_array(list) ? json_array_size(list) : 1;
}

static const json_t *value_at(const json_t *list, size_t i)
{
    return json_is_array(list) ? json_array_get(list, i) : list;
}

/* A value, or of one that opens a branch its name. */
static opevo_status read_value(const place *at, const json_t *item, opevo_value *out,
                               opevo_error *err)
{
    const json_t *name = json_object_get(item, "_name");

    if (!json_is_object(item) || !is_choice(at->entry))
        return read_scalar(at, item, out, err);
    if (!name)
        return refuse(at, err, "Parameter %s: a branch has no name; write {\"_name\": \"a\", ...}.",
                      OPEVO_I_EXCERPT(at->name));
    return read_scalar(at, name, out, err);
}

/* The values of "_value": those of a list, or one that stands alone. Release with opevo_free. */
static opevo_status read_values(const place *at, const json_t *list, opevo_value **out,
                                size_t *count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_value *values = NULL;

    *count = value_count(list);
    values = opevo_malloc(*count, sizeof *values);
    if (!values)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", at->reader->file.origin);
    for (size_t i = 0; i < *count; i++)
        OPEVO_TRY(read_value(at, value_at(list, i), &values[i], err));
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
        return refuse(at, err, "%s must be a list of strings, such as [\"a\", \"b\"].", key);
    texts = opevo_malloc(json_array_size(list), sizeof *texts);
    if (!texts)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", at->reader->file.origin);
    for (size_t i = 0; i < json_array_size(list); i++) {
        texts[i] = json_string_value(json_array_get(list, i));
        if (!texts[i]) {
            opevo_free(texts);
            return refuse(at, err, "Item %zu of %s is not a string.", i + 1, key);
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
    static const char *const known[] = {"_type",       "_value", "_topology",
                                        "_components", "_edges", NULL};
    static const char *const without_edges[] = {"_type", "_value", "_topology", "_components",
                                                NULL};
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
        opevo_text advice = {0};

        if (opevo_json_is_among(known, key))
            continue;
        opevo_json_add_advice(graph ? known : without_edges, key, &advice);
        refuse(at, err, "Parameter %s: unknown key \"%s\"; %s", OPEVO_I_EXCERPT(at->name),
               OPEVO_I_EXCERPT(key), opevo_text_string(&advice));
        opevo_text_free(&advice);
        return OPEVO_INVALID;
    }
    if (!json_is_string(json_object_get(entry, "_type")))
        return refuse(at, err, "Parameter %s: _type must be a string, such as \"factor\".",
                      OPEVO_I_EXCERPT(at->name));
    if (!json_object_get(entry, "_value"))
        return refuse(at, err, "Parameter %s: _value is missing.", OPEVO_I_EXCERPT(at->name));
    value = json_object_get(entry, "_topology");
    if (value && !json_is_string(value))
        return refuse(at, err, "Parameter %s: _topology must be a string.",
                      OPEVO_I_EXCERPT(at->name));
    return OPEVO_OK;
}

/* Take a parameter over, or leave it to the caller. */
static opevo_status add_parameter(reader *self, opevo_parameter *parameter, opevo_activation when,
                                  opevo_error *err)
{
    void *parameters = self->parameters, *activations = self->activations;
    bool room = opevo_reserve(&parameters, &self->parameter_capacity, self->parameter_count + 1,
                              sizeof(opevo_parameter *));

    self->parameters = parameters;
    room = room && opevo_reserve(&activations, &self->activation_capacity,
                                 self->parameter_count + 1, sizeof when);
    self->activations = activations;
    if (!room)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", self->file.origin);
    self->parameters[self->parameter_count] = parameter;
    self->activations[self->parameter_count++] = when;
    return OPEVO_OK;
}

/* `is_dotted`: the name is PARENT.BRANCH.KEY. */
static opevo_status read_parameter(reader *self, const place *at, opevo_activation when,
                                   bool is_dotted, opevo_error *err)
{
    const json_t *entry = at->entry;
    opevo_status status = check_keys(at, entry, err);
    opevo_error inner = {OPEVO_OK, ""};
    opevo_value *values = NULL;
    const char **names = NULL;
    opevo_parameter_spec spec = {
        .name = at->name, .directory = self->file.directory, .dotted_name = is_dotted};
    const json_t *components = NULL;
    const json_t *pairs = json_object_get(entry, "_edges");
    uint32_t *edges = NULL;
    opevo_parameter *parameter = NULL;

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
    status = opevo_parameter_create(&spec, &parameter, &inner);
    if (status != OPEVO_OK) {
        opevo_i_topology_space_file_fail(&self->file, key_of(at).line, status, inner.message, err);
        goto cleanup;
    }
    status = add_parameter(self, parameter, when, err);
    if (status != OPEVO_OK)
        opevo_parameter_destroy(parameter);
cleanup:
    opevo_free(values);
    opevo_free(names);
    opevo_free(edges);
    return status;
}

/* ---- Branches ---- */

/* Count the keys of all parameters, those of branches inside each other too. False without memory.
 */
static bool count_keys(json_t *counts, const json_t *object)
{
    const char *key = NULL;
    json_t *entry = NULL;
    bool done = true;

    json_object_foreach((json_t *)object, key, entry)
    {
        const json_t *values = json_object_get(entry, "_value");
        json_int_t before = json_integer_value(json_object_get(counts, key));

        if (!json_object_get(entry, "_type"))
            continue;
        done &= json_object_set_new(counts, key, json_integer(before + 1)) == 0;
        for (size_t i = 0; is_choice(entry) && i < value_count(values); i++)
            done &= count_keys(counts, value_at(values, i));
    }
    return done;
}

/* The name of a parameter of a branch, as opevo_space_create_branched wants it. */
static opevo_status name_parameter(reader *self, const char *key, opevo_activation when,
                                   opevo_text *out, bool *is_dotted, opevo_error *err)
{
    const opevo_parameter *parent = self->parameters[when.parent];
    opevo_value branch;

    if (!self->keys) {
        self->keys = json_object();
        if (!self->keys || !count_keys(self->keys, self->file.root))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", self->file.origin);
    }
    *is_dotted = json_integer_value(json_object_get(self->keys, key)) > 1 && !strchr(key, '.');
    opevo_parameter_value(parent, when.value, &branch);
    if (*is_dotted)
        opevo_i_topology_branch_name(opevo_parameter_name(parent), branch, key, out);
    else
        opevo_text_add(out, key);
    return opevo_text_check(out, err);
}

static opevo_status read_branches(reader *self, const place *at, opevo_error *err);

static opevo_status read_branch(reader *self, const place *outer, opevo_activation when,
                                const json_t *object, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text name = {0};
    place at = {.reader = self, .outer = outer, .branch = (size_t)when.value};
    const char *key = NULL;
    json_t *entry = NULL;

    json_object_foreach((json_t *)object, key, entry)
    {
        bool is_dotted = false;

        at.name = key;
        at.entry = entry;
        if (*key == '_' && !json_object_get(entry, "_type")) {
            if (strcmp(key, "_name") != 0) {
                status = refuse(&at, err,
                                "Unknown key \"%s\" in a branch; apart from parameters, a branch "
                                "has only _name.",
                                OPEVO_I_EXCERPT(key));
                goto cleanup;
            }
        } else {
            opevo_text_clear(&name);
            OPEVO_TRY(name_parameter(self, key, when, &name, &is_dotted, err));
            at.name = opevo_text_string(&name);
            OPEVO_TRY(read_parameter(self, &at, when, is_dotted, err));
            OPEVO_TRY(read_branches(self, &at, err));
        }
        at.number++;
    }
cleanup:
    opevo_text_free(&name);
    return status;
}

/* The branches of the parameter that was read last, at this place. A categorical parameter keeps
 * its values as given. */
static opevo_status read_branches(reader *self, const place *at, opevo_error *err)
{
    const json_t *values = json_object_get(at->entry, "_value");
    opevo_activation when = {.parent = self->parameter_count - 1};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; is_choice(at->entry) && i < value_count(values) && !status; i++) {
        when.value = i;
        if (json_is_object(value_at(values, i)))
            status = read_branch(self, at, when, value_at(values, i), err);
    }
    return status;
}

/* ---- The file ---- */

static opevo_status read_constraints(reader *self, const place *at, const json_t *list,
                                     opevo_error *err)
{
    opevo_status status =
        read_texts(at, at->name, list, &self->constraints, &self->constraint_count, err);

    if (status != OPEVO_OK)
        return status;
    self->constraint_lines = opevo_malloc(self->constraint_count, sizeof *self->constraint_lines);
    if (!self->constraint_lines)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", self->file.origin);
    opevo_i_topology_json_place_lines(opevo_i_topology_json_place_next(key_of(at)),
                                      self->constraint_count, self->constraint_lines);
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
    place at = {.reader = self, .name = key, .number = number, .entry = entry};
    opevo_status status = OPEVO_OK;

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
                      "Unknown key \"%s\"; apart from parameters, a space file may have "
                      "_constraints, _dialect and _points.",
                      OPEVO_I_EXCERPT(key));
    status = read_parameter(self, &at, (opevo_activation){.parent = OPEVO_NO_PARENT}, false, err);
    return status == OPEVO_OK ? read_branches(self, &at, err) : status;
}

opevo_status opevo_i_topology_space_from_nni(const opevo_i_topology_space_file *file,
                                             opevo_space **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    reader self = {.file = *file};
    opevo_i_topology_constraint_list constraints = {0};
    const char *key = NULL;
    json_t *entry = NULL;
    size_t number = 0;
    opevo_space *space = NULL;

    json_object_foreach((json_t *)file->root, key, entry)
        OPEVO_TRY(read_entry(&self, key, number++, entry, err));
    constraints = (opevo_i_topology_constraint_list){
        self.constraints, self.constraint_lines, self.constraint_count, self.dialect, file->origin};
    OPEVO_TRY(opevo_i_topology_space_file_create(file, self.parameters, self.activations,
                                                 self.parameter_count, &constraints, &space, err));
    self.parameter_count = 0; /* handed over */
    if (self.points && !opevo_i_topology_points_read(space, self.points)) {
        status =
            refuse(&(place){.reader = &self, .number = self.points_number}, err,
                   "_points must be a string of ascending numbers of allowed points and ranges "
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
    opevo_free(self.activations);
    json_decref(self.keys);
    opevo_free(self.constraints);
    opevo_free(self.constraint_lines);
    return status;
}
