/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Parameters from specifications: the table of types, and what a specification must have before its
 * type sees it. */

#include <opevo/parameter.h>

#include <opevo/memory.h>
#include <opevo/struct_size.h>

#include "parameter_internal.h"
#include "value_text.h"

#include <ctype.h>
#include <string.h>

/* Sorted by name. */
static const opevo_i_topology_type *const types[] = {
    &opevo_i_topology_categorical_type, &opevo_i_topology_discrete_type,
    &opevo_i_topology_factor_type,      &opevo_i_topology_graph_file_type,
    &opevo_i_topology_permutation_type,
};
enum { TYPE_COUNT = sizeof types / sizeof types[0] };

enum {
    LIST_TEXT_MAX = 60, /* bytes of listed values before the description is cut, and of one value */
    NAME_MAX_BYTES = 63, /* of a name: as many as C tells apart (C11, 5.2.4.1) */
    DOTTED_MAX_BYTES = 127
};

size_t opevo_type_count(void)
{
    return TYPE_COUNT;
}

const opevo_type_info *opevo_type_get(size_t i)
{
    return &types[i]->info;
}

const opevo_i_topology_type *opevo_i_topology_type_find(const char *name)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(name, types[i]->info.name) == 0 ||
            (types[i]->alias && strcmp(name, types[i]->alias) == 0))
            return types[i];
    }
    return NULL;
}

/* Bytes of the identifier that the text begins with; 0 if none exists. */
static size_t identifier_length(const char *text)
{
    size_t length = 0;

    if (!isalpha((unsigned char)*text) && *text != '_')
        return 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length <= NAME_MAX_BYTES ? length : 0;
}

static bool is_identifier(const char *text)
{
    size_t length = identifier_length(text);

    return length > 0 && text[length] == '\0';
}

static bool is_dotted_name(const char *text)
{
    const char *at = text;

    for (;; at++) {
        size_t length = identifier_length(at);

        at += length;
        if (length == 0 || *at != '.')
            return length > 0 && *at == '\0' && at - text <= DOTTED_MAX_BYTES;
    }
}

static opevo_status refuse_name(const opevo_parameter_spec *spec, opevo_error *err)
{
    const char *name = spec->name ? spec->name : "";
    const char *dot = spec->dotted_name ? strrchr(name, '.') : NULL;

    if (dot && is_identifier(dot + 1))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Parameter %s: its name %.200s, which tells it from others of this key, "
                          "has more than %d characters, or more than %d between two dots; use "
                          "another key.",
                          dot + 1, name, DOTTED_MAX_BYTES, NAME_MAX_BYTES);
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "The parameter name \"%s\" is not an identifier: use at most %d letters, "
                      "digits and underscores, no digit first.",
                      OPEVO_I_EXCERPT(name), NAME_MAX_BYTES);
}

static opevo_status refuse_names(const opevo_parameter_spec *spec, opevo_error *err)
{
    if (!spec->name ||
        !(spec->dotted_name ? is_dotted_name(spec->name) : is_identifier(spec->name)))
        return refuse_name(spec, err);
    for (size_t i = 0; i < spec->component_name_count; i++) {
        const char *name = spec->component_names[i];

        if (!is_identifier(name))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Parameter %s: the component name \"%s\" is not an identifier.",
                              spec->name, OPEVO_I_EXCERPT(name));
        for (size_t j = 0; j < i; j++) {
            if (strcmp(name, spec->component_names[j]) == 0)
                return OPEVO_FAIL(err, OPEVO_INVALID,
                                  "Parameter %s: two components have the name %s.", spec->name,
                                  name);
        }
    }
    return OPEVO_OK;
}

static opevo_status find_type(const opevo_parameter_spec *spec, const opevo_i_topology_type **type,
                              opevo_error *err)
{
    opevo_text names = {0};

    *type = opevo_i_topology_type_find(spec->type);
    if (*type)
        return OPEVO_OK;
    for (size_t i = 0; i < TYPE_COUNT; i++)
        opevo_text_printf(&names, "%s%s", i ? ", " : "", types[i]->info.name);
    opevo_error_set(err, OPEVO_INVALID, "Parameter %s: unknown type \"%s\"; the types are %s.",
                    spec->name, OPEVO_I_EXCERPT(spec->type), opevo_text_string(&names));
    opevo_text_free(&names);
    return OPEVO_INVALID;
}

/* Whether `text` names the topology; its step in *step. */
static bool topology_matches(const opevo_i_topology *topology, const char *text, int64_t *step)
{
    size_t length = strlen(topology->name);
    char number[24];
    size_t digits = 0;

    if (!topology->has_step)
        return strcmp(text, topology->name) == 0;
    if (strncmp(text, topology->name, length) != 0 || text[length] != '(')
        return false;
    text += length + 1;
    digits = strspn(text, "0123456789");
    if (digits >= sizeof number || strcmp(text + digits, ")") != 0)
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    return opevo_parse_i64(number, step) && *step >= 1;
}

static opevo_status find_topology(const opevo_parameter_spec *spec,
                                  const opevo_i_topology_type *type,
                                  const opevo_i_topology **topology, int64_t *step,
                                  opevo_error *err)
{
    *topology = &type->topologies[0];
    if (!spec->topology)
        return OPEVO_OK;
    for (size_t i = 0; i < type->topology_count; i++) {
        *topology = &type->topologies[i];
        if (topology_matches(*topology, spec->topology, step))
            return OPEVO_OK;
    }
    return OPEVO_FAIL(err, OPEVO_INVALID, "Parameter %s: %s has no topology \"%s\"; it has: %s%s.",
                      spec->name, type->info.name, OPEVO_I_EXCERPT(spec->topology),
                      type->info.topologies,
                      strstr(type->info.topologies, "(k)") ? " (an integer k >= 1)" : "");
}

/* Add a listed value; false when the text is cut there, at a value that is long itself. */
static bool describe_value(opevo_value value, opevo_text *out)
{
    opevo_text text = {0};
    bool fits = false;

    opevo_i_topology_value_print(&text, value);
    fits = out->length <= LIST_TEXT_MAX && text.length <= LIST_TEXT_MAX;
    opevo_text_add(out, fits ? opevo_text_string(&text) : "...");
    out->failed |= text.failed;
    opevo_text_free(&text);
    return fits;
}

/* A list is described by its values in the order of the vertices, a graph that came without a file
 * by its size, other types as specified. */
static void describe(const opevo_parameter *self, const opevo_parameter_spec *spec, opevo_text *out)
{
    bool is_list = self->type->is_list;
    size_t count = is_list ? (size_t)self->size : spec->value_count;

    opevo_text_printf(out, "%s(", self->type->info.name);
    if (spec->edges) {
        opevo_text_printf(out, "%zu vertices, %zu edges)", spec->value_count, spec->edge_count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        opevo_value value = {0};

        opevo_text_add(out, i ? "," : "");
        if (!is_list) {
            opevo_value_print(out, spec->values[i]);
            continue;
        }
        self->type->value(self, i, &value);
        if (!describe_value(value, out))
            break;
    }
    opevo_text_add(out, ")");
}

static bool copy_component_names(opevo_parameter *self, const opevo_parameter_spec *spec)
{
    if (spec->component_name_count == 0)
        return true;
    self->component_names = opevo_calloc(self->arity, sizeof *self->component_names);
    if (!self->component_names)
        return false;
    for (size_t i = 0; i < self->arity; i++) {
        self->component_names[i] = opevo_strdup(spec->component_names[i]);
        if (!self->component_names[i])
            return false;
    }
    return true;
}

/* The parts that every type has; false without memory. */
static bool set_texts(opevo_parameter *self, const opevo_parameter_spec *spec)
{
    opevo_text text = {0};

    describe(self, spec, &text);
    self->text = text.failed ? NULL : opevo_strdup(opevo_text_string(&text));
    opevo_text_free(&text);
    self->name = opevo_strdup(spec->name);
    opevo_text_add(&text, self->topology->name);
    if (self->topology->has_step)
        opevo_text_printf(&text, "(%lld)", (long long)self->step);
    self->topology_text = text.failed ? NULL : opevo_strdup(opevo_text_string(&text));
    opevo_text_free(&text);
    return self->text && self->name && self->topology_text && copy_component_names(self, spec);
}

static opevo_status create(const opevo_parameter_spec *spec, opevo_parameter **out,
                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const opevo_i_topology_type *type = NULL;
    const opevo_i_topology *topology = NULL;
    opevo_parameter *self = NULL;
    int64_t step = 0;

    OPEVO_TRY(refuse_names(spec, err));
    OPEVO_TRY(find_type(spec, &type, err));
    OPEVO_TRY(find_topology(spec, type, &topology, &step, err));
    if (spec->edges && !type->is_path) {
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "Parameter %s: only a graph has edges.", spec->name);
        goto cleanup;
    }
    OPEVO_TRY(type->create(spec, &self, err));
    self->type = type;
    self->topology = topology;
    self->step = topology->has_step ? step : 0;
    self->family = topology->family ? topology->family(self) : OPEVO_FAMILY_GENERAL;
    if (spec->component_name_count && spec->component_name_count != self->arity) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "Parameter %s: %zu component names for values of %zu components.",
                            spec->name, spec->component_name_count, self->arity);
        goto cleanup;
    }
    if (!set_texts(self, spec)) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "Parameter %s: no memory.", spec->name);
        goto cleanup;
    }
    *out = self;
    self = NULL;
cleanup:
    opevo_parameter_destroy(self);
    return status;
}

opevo_status opevo_parameter_create_sized(const opevo_parameter_spec *spec, size_t size,
                                          opevo_parameter **out, opevo_error *err)
{
    opevo_parameter_spec known;
    opevo_status status =
        opevo_struct_read(spec, size, "opevo_parameter_spec", &known, sizeof known, err);

    return status == OPEVO_OK ? create(&known, out, err) : status;
}
