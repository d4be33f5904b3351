/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <opevo/parameter.h>

#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/struct_size.h>

#include "parameter_internal.h"
#include "value_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* Sorted by name. */
static const opevo_i_type *const types[] = {
    &opevo_i_categorical_type, &opevo_i_discrete_type,    &opevo_i_factor_type,
    &opevo_i_graph_file_type,  &opevo_i_permutation_type,
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

const opevo_i_type *opevo_i_type_find(const char *name)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (strcmp(name, types[i]->info.name) == 0 ||
            (types[i]->alias && strcmp(name, types[i]->alias) == 0))
            return types[i];
    }
    return NULL;
}

/* Bytes of the identifier that the text begins with; 0 if there is none. */
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

bool opevo_i_value_integer(opevo_value value, int64_t *out)
{
    const double limit = 9223372036854775808.0; /* 2^63 */
    double real = value.kind == OPEVO_VALUE_REAL ? value.as.real : NAN;

    if (value.kind == OPEVO_VALUE_INTEGER) {
        *out = value.as.integer;
        return true;
    }
    if (!(real >= -limit && real < limit) || real != trunc(real))
        return false;
    *out = (int64_t)real;
    return true;
}

/* "2^40" and the like: a base and an exponent without sign; false when the power is not below 2^63.
 */
static bool read_power(const char *text, int64_t *out)
{
    uint64_t base = 0, exponent = 0;
    int64_t power = 1;
    char copy[32];
    char *caret = NULL;

    if (strlen(text) >= sizeof copy)
        return false;
    caret = strchr(strcpy(copy, text), '^');
    if (!caret)
        return false;
    *caret = '\0';
    if (!opevo_parse_u64(copy, &base) || !opevo_parse_u64(caret + 1, &exponent) ||
        (base > 1 && exponent > 62))
        return false;
    for (uint64_t i = 0; base > 1 && i < exponent; i++) {
        if (__builtin_mul_overflow(power, base, &power))
            return false;
    }
    *out = base || !exponent ? power : 0;
    return true;
}

static bool read_positive(opevo_value value, int64_t *out)
{
    if (value.kind == OPEVO_VALUE_TEXT)
        return read_power(value.as.text, out) && *out >= 1;
    return opevo_i_value_integer(value, out) && *out >= 1;
}

opevo_status opevo_i_positive_arguments(const opevo_parameter_spec *spec, const char *usage,
                                        int64_t *out, size_t count, opevo_error *err)
{
    bool valid = spec->value_count == count;
    opevo_text given = {0};

    for (size_t i = 0; valid && i < count; i++)
        valid = read_positive(spec->values[i], &out[i]);
    if (valid)
        return OPEVO_OK;
    for (size_t i = 0; i < spec->value_count && given.length < LIST_TEXT_MAX; i++) {
        opevo_text_add(&given, i ? "," : "");
        opevo_i_value_print(&given, spec->values[i]);
    }
    opevo_error_set(err, OPEVO_INVALID,
                    "Parameter %s: %s takes %zu positive integer%s below 2^63, not (%s).",
                    spec->name, usage, count, count == 1 ? "" : "s",
                    OPEVO_I_EXCERPT(opevo_text_string(&given)));
    opevo_text_free(&given);
    return OPEVO_INVALID;
}

uint64_t opevo_i_hash_text(uint64_t hash, const char *text)
{
    if (!text)
        return opevo_hash_u64(hash, UINT64_MAX);
    hash = opevo_hash_u64(hash, strlen(text));
    return opevo_hash_bytes(hash, text, strlen(text));
}

static opevo_status refuse_names(const opevo_parameter_spec *spec, opevo_error *err)
{
    if (!spec->name ||
        !(spec->dotted_name ? is_dotted_name(spec->name) : is_identifier(spec->name)))
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "The parameter name \"%s\" is not an identifier: use at most %d letters, digits "
            "and underscores, no digit first.",
            OPEVO_I_EXCERPT(spec->name ? spec->name : ""), NAME_MAX_BYTES);
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

static opevo_status find_type(const opevo_parameter_spec *spec, const opevo_i_type **type,
                              opevo_error *err)
{
    opevo_text names = {0};

    *type = opevo_i_type_find(spec->type);
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

static opevo_status find_topology(const opevo_parameter_spec *spec, const opevo_i_type *type,
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

    opevo_i_value_print(&text, value);
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
    const opevo_i_type *type = NULL;
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

void opevo_parameter_destroy(opevo_parameter *parameter)
{
    if (!parameter)
        return;
    if (parameter->component_names) {
        for (size_t i = 0; i < parameter->arity; i++)
            opevo_free(parameter->component_names[i]);
    }
    opevo_free(parameter->component_names);
    opevo_free(parameter->name);
    opevo_free(parameter->text);
    opevo_free(parameter->topology_text);
    parameter->type->destroy(parameter);
}

const char *opevo_parameter_name(const opevo_parameter *parameter)
{
    return parameter->name;
}

const char *opevo_parameter_type(const opevo_parameter *parameter)
{
    return parameter->type->info.name;
}

const char *opevo_parameter_topology(const opevo_parameter *parameter)
{
    return parameter->topology_text;
}

const char *opevo_parameter_text(const opevo_parameter *parameter)
{
    return parameter->text;
}

opevo_family opevo_parameter_family(const opevo_parameter *parameter)
{
    return parameter->family;
}

opevo_index opevo_parameter_size(const opevo_parameter *parameter)
{
    return parameter->size;
}

size_t opevo_parameter_arity(const opevo_parameter *parameter)
{
    return parameter->arity;
}

const char *opevo_parameter_component_name(const opevo_parameter *parameter, size_t component)
{
    return parameter->component_names ? parameter->component_names[component] : NULL;
}

void opevo_parameter_value(const opevo_parameter *parameter, opevo_index vertex,
                           opevo_value *components)
{
    parameter->type->value(parameter, vertex, components);
}

bool opevo_parameter_find(const opevo_parameter *parameter, const opevo_value *components,
                          opevo_index *vertex)
{
    return parameter->type->find(parameter, components, vertex);
}

opevo_index opevo_parameter_degree(const opevo_parameter *parameter, opevo_index vertex)
{
    return parameter->topology->degree(parameter, vertex);
}

opevo_index opevo_parameter_neighbour(const opevo_parameter *parameter, opevo_index vertex,
                                      opevo_index k)
{
    return parameter->topology->neighbour(parameter, vertex, k);
}

void opevo_parameter_neighbours(const opevo_parameter *parameter, opevo_index vertex,
                                opevo_index *neighbours)
{
    const opevo_i_topology *topology = parameter->topology;
    opevo_index degree = 0;

    if (topology->neighbours) {
        topology->neighbours(parameter, vertex, neighbours);
        return;
    }
    degree = topology->degree(parameter, vertex);
    for (opevo_index k = 0; k < degree; k++)
        neighbours[(size_t)k] = topology->neighbour(parameter, vertex, k);
}

uint64_t opevo_parameter_hash(const opevo_parameter *parameter, uint64_t hash)
{
    hash = opevo_i_hash_text(hash, parameter->name);
    hash = opevo_i_hash_text(hash, parameter->type->info.name);
    hash = opevo_i_hash_text(hash, parameter->topology_text);
    for (size_t i = 0; i < parameter->arity; i++)
        hash = opevo_i_hash_text(hash, opevo_parameter_component_name(parameter, i));
    return parameter->type->hash(parameter, hash);
}
