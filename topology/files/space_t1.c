/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernel Tuner T1 files: the part ConfigurationSpace, which is the search space. How the kernel is
 * started (KernelSpecification) and what General, Search and Budget say is left to others. The
 * loader of KTT has other names of types, and lists of values as JSON or as ranges.
 * Source: the schema T1 1.0.0 of github.com/odgaard/TuningSchema and of Kernel Tuner; KTT,
 * Source/TuningLoader/JsonCommandConverters.cpp. */

#include "space_file_internal.h"

#include <opevo/memory.h>

#include "json_place.h"
#include "value_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { RANGE_MOST = 1 << 16 };

typedef struct reader {
    const opevo_i_topology_space_file *file;
    opevo_parameter **parameters;
    size_t parameter_count;
    const char **conditions;
    size_t *condition_lines;
    size_t condition_count;
    size_t line;   /* of what is being read */
    uint64_t made; /* values of lists */
} reader;

/* Refuse keys that might mean something that is not understood. `known` ends with NULL. */
static opevo_status check_keys(const reader *self, const json_t *object, const char *what,
                               const char *const *known, opevo_error *err)
{
    const char *key = NULL;
    json_t *value = NULL;

    if (!json_is_object(object))
        return opevo_i_topology_space_file_refuse(self->file, self->line, err,
                                                  "%s must be an object.", what);
    json_object_foreach((json_t *)object, key, value)
    {
        size_t i = 0;

        while (known[i] && strcmp(key, known[i]) != 0)
            i++;
        if (!known[i])
            return opevo_i_topology_space_file_refuse(
                self->file, self->line, err, "%s has the key \"%s\", which T1 does not have.", what,
                OPEVO_I_EXCERPT(key));
    }
    return OPEVO_OK;
}

/* The T1 types: which of our types each becomes, and what values it allows. */
typedef struct type_row {
    const char *name, *becomes;
    unsigned kinds; /* bit 1 << opevo_value_kind */
    bool positive;
    const char *wanted;
} type_row;

static const type_row type_rows[] = {
    {"int", "discrete", 1u << OPEVO_VALUE_INTEGER, false, "integers"},
    {"uint", "discrete", 1u << OPEVO_VALUE_INTEGER, true, "integers that are not negative"},
    {"float", "discrete", 1u << OPEVO_VALUE_INTEGER | 1u << OPEVO_VALUE_REAL, false, "numbers"},
    {"bool", "categorical", 1u << OPEVO_VALUE_INTEGER | 1u << OPEVO_VALUE_BOOLEAN, false,
     "True, False, 0 and 1"},
    {"string", "categorical", 1u << OPEVO_VALUE_TEXT, false, "texts"},
    {"UnsignedInt", "discrete", 1u << OPEVO_VALUE_INTEGER, true, "integers that are not negative"},
    {"double", "discrete", 1u << OPEVO_VALUE_INTEGER | 1u << OPEVO_VALUE_REAL, false, "numbers"},
};

static const type_row *find_type(const char *name)
{
    for (size_t i = 0; name && i < sizeof type_rows / sizeof *type_rows; i++)
        if (strcasecmp(name, type_rows[i].name) == 0)
            return &type_rows[i];
    return NULL;
}

static opevo_status check_values(const reader *self, const char *name, const type_row *type,
                                 const opevo_i_topology_values *values, opevo_error *err)
{
    for (size_t i = 0; i < values->count; i++) {
        const opevo_value *value = &values->items[i];

        if (!(type->kinds >> value->kind & 1) || (type->positive && value->as.integer < 0))
            return opevo_i_topology_space_file_refuse(
                self->file, self->line, err,
                "Parameter %s: value %zu does not fit the type %s, whose "
                "values are %s.",
                OPEVO_I_EXCERPT(name), i + 1, type->name, type->wanted);
    }
    return OPEVO_OK;
}

static opevo_status create_parameter(reader *self, const char *name, const type_row *type,
                                     const opevo_i_topology_values *values, opevo_error *err)
{
    opevo_parameter_spec spec = {
        .name = name, .type = type->becomes, .values = values->items, .value_count = values->count};
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = check_values(self, name, type, values, err);

    if (status != OPEVO_OK)
        return status;
    status = opevo_parameter_create(&spec, &self->parameters[self->parameter_count], &inner);
    if (status != OPEVO_OK)
        return opevo_i_topology_space_file_fail(self->file, self->line, status, inner.message, err);
    self->parameter_count++;
    return OPEVO_OK;
}

/* {"Lower": a, "Upper": b, "Step": c}: a, a + c, ... below b. */
static bool print_range(const json_t *range, opevo_text *out)
{
    const json_t *step_of = json_object_get(range, "Step");
    double lower = json_number_value(json_object_get(range, "Lower"));
    double upper = json_number_value(json_object_get(range, "Upper"));
    double step = step_of ? json_number_value(step_of) : 1;

    if (!json_is_number(json_object_get(range, "Lower")) ||
        !json_is_number(json_object_get(range, "Upper")) || !(step > 0) ||
        (upper - lower) / step > (double)RANGE_MOST)
        return false;
    opevo_text_add(out, "[");
    for (size_t i = 0; lower + (double)i * step < upper; i++)
        opevo_text_printf(out, "%s%.17g", i ? ", " : "", lower + (double)i * step);
    opevo_text_add(out, "]");
    return true;
}

/* The values as a list of Python: a text, a list in JSON, or a range. */
static bool print_values(const json_t *entry, opevo_text *out)
{
    const json_t *values = json_object_get(entry, "Values");

    if (!values)
        return print_range(json_object_get(entry, "Range"), out);
    opevo_text_add(out, json_is_string(values) ? json_string_value(values) : "[");
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *value = json_array_get(values, i);
        char *text = json_dumps(value, JSON_ENCODE_ANY);

        opevo_text_add(out, i ? ", " : "");
        out->failed |= !text;
        if (json_is_boolean(value))
            opevo_text_add(out, json_is_true(value) ? "True" : "False");
        else
            opevo_text_add(out, text ? text : "");
        free(text);
    }
    opevo_text_add(out, json_is_array(values) ? "]" : "");
    return json_is_string(values) || json_is_array(values);
}

/* Item `number` (from 1) of TuningParameters, which stands at `at`. */
static opevo_status read_parameter(reader *self, size_t number, opevo_i_topology_json_place at,
                                   const json_t *entry, opevo_error *err)
{
    static const char *const known[] = {"Name", "Type", "Values", "Range", "Default", NULL};
    const char *name = json_string_value(json_object_get(entry, "Name"));
    const type_row *type = find_type(json_string_value(json_object_get(entry, "Type")));
    opevo_i_topology_values values = {0};
    opevo_text list = {0};
    char where[512];
    opevo_status status = OPEVO_OK;

    self->line = at.line;
    snprintf(where, sizeof where, "TuningParameters, item %zu", number);
    OPEVO_TRY(check_keys(self, entry, where, known, err));
    if (!name)
        return opevo_i_topology_space_file_refuse(self->file, self->line, err,
                                                  "%s: Name must be a string.", where);
    if (!type)
        return opevo_i_topology_space_file_refuse(
            self->file, self->line, err,
            "Parameter %s: Type must be \"int\", \"uint\", \"float\", \"bool\" or "
            "\"string\".",
            OPEVO_I_EXCERPT(name));
    if (!print_values(entry, &list)) {
        status = opevo_i_topology_space_file_refuse(
            self->file, self->line, err,
            "Parameter %s: Values must be a string that contains a Python list, such as "
            "\"[1, 2, 4]\", or a list.",
            OPEVO_I_EXCERPT(name));
        goto cleanup;
    }
    OPEVO_TRY(opevo_text_check(&list, err));
    self->line = opevo_i_topology_json_place_find(at, entry, "Values").line;
    snprintf(where, sizeof where, "%.256s:%zu: Values of %s", self->file->origin, self->line,
             OPEVO_I_EXCERPT(name));
    OPEVO_TRY(
        opevo_i_topology_values_read(opevo_text_string(&list), where, &self->made, &values, err));
    status = create_parameter(self, name, type, &values, err);
cleanup:
    opevo_text_free(&list);
    opevo_i_topology_values_release(&values);
    return status;
}

static opevo_status read_condition(reader *self, size_t number, opevo_i_topology_json_place at,
                                   const json_t *entry, opevo_error *err)
{
    static const char *const known[] = {"Expression", "Parameters", NULL};
    const char *expression = json_string_value(json_object_get(entry, "Expression"));
    char where[64];
    opevo_status status = OPEVO_OK;

    self->line = at.line;
    snprintf(where, sizeof where, "Conditions, item %zu", number);
    status = check_keys(self, entry, where, known, err);
    if (status != OPEVO_OK)
        return status;
    if (!expression)
        return opevo_i_topology_space_file_refuse(self->file, self->line, err,
                                                  "%s: Expression must be a string.", where);
    self->condition_lines[self->condition_count] =
        opevo_i_topology_json_place_find(at, entry, "Expression").line;
    self->conditions[self->condition_count++] = expression;
    return OPEVO_OK;
}

typedef opevo_status (*read_item)(reader *self, size_t number, opevo_i_topology_json_place at,
                                  const json_t *entry, opevo_error *err);

/* Each item of the list, which stands at `at`. */
static opevo_status read_items(reader *self, opevo_i_topology_json_place at, const json_t *list,
                               read_item read, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    at = opevo_i_topology_json_place_element(at, 0);
    for (size_t i = 0; i < json_array_size(list) && status == OPEVO_OK; i++) {
        status = read(self, i + 1, at, json_array_get(list, i), err);
        at = opevo_i_topology_json_place_next(at);
    }
    return status;
}

/* ConfigurationSpace, which stands at `at`. */
static opevo_status read_all(reader *self, opevo_i_topology_json_place at, const json_t *space,
                             opevo_space **out, opevo_error *err)
{
    static const char *const known[] = {"TuningParameters", "Conditions", NULL};
    const json_t *parameters = json_object_get(space, "TuningParameters");
    const json_t *conditions = json_object_get(space, "Conditions");
    opevo_i_topology_constraint_list list = {.dialect = OPEVO_DIALECT_PYTHON,
                                             .origin = self->file->origin};
    opevo_status status = OPEVO_OK;

    self->line = at.line;
    OPEVO_TRY(check_keys(self, space, "ConfigurationSpace", known, err));
    if (!json_is_array(parameters))
        return opevo_i_topology_space_file_refuse(
            self->file, self->line, err, "ConfigurationSpace needs a list TuningParameters.");
    if (conditions && !json_is_array(conditions))
        return opevo_i_topology_space_file_refuse(self->file, self->line, err,
                                                  "Conditions must be a list.");
    self->parameters = opevo_malloc(json_array_size(parameters), sizeof(opevo_parameter *));
    self->conditions = opevo_malloc(json_array_size(conditions), sizeof *self->conditions);
    self->condition_lines =
        opevo_malloc(json_array_size(conditions), sizeof *self->condition_lines);
    if (!self->parameters || !self->conditions || !self->condition_lines)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", self->file->origin);
    OPEVO_TRY(read_items(self, opevo_i_topology_json_place_find(at, space, "TuningParameters"),
                         parameters, read_parameter, err));
    OPEVO_TRY(read_items(self, opevo_i_topology_json_place_find(at, space, "Conditions"),
                         conditions, read_condition, err));
    list.texts = self->conditions;
    list.lines = self->condition_lines;
    list.count = self->condition_count;
    status = opevo_i_topology_space_file_create(self->file, self->parameters, NULL,
                                                self->parameter_count, &list, out, err);
cleanup:
    return status;
}

opevo_status opevo_i_topology_space_from_t1(const opevo_i_topology_space_file *file,
                                            opevo_space **out, opevo_error *err)
{
    reader self = {.file = file};
    opevo_i_topology_json_place at = opevo_i_topology_json_place_find(
        opevo_i_topology_json_place_start(file->text), file->root, "ConfigurationSpace");
    opevo_status status =
        read_all(&self, at, json_object_get(file->root, "ConfigurationSpace"), out, err);

    for (size_t i = 0; i < self.parameter_count && status != OPEVO_OK; i++)
        opevo_parameter_destroy(self.parameters[i]);
    opevo_free(self.parameters);
    opevo_free(self.conditions);
    opevo_free(self.condition_lines);
    return status;
}
