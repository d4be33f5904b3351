/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces written as files in NNI's form with our extensions, such that reading one gives an equal
 * space. */

#include <opevo/space.h>

#include <opevo/json.h>
#include <opevo/memory.h>

#include "parameter_internal.h"
#include "space_internal.h"

#include <string.h>

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

static size_t write_parameter(const opevo_space *space, size_t i, opevo_text *out);

/* Write the parameters of a branch, from number `at` on; returns the number behind them. */
static size_t write_branch(const opevo_space *space, size_t at, opevo_text *out)
{
    opevo_activation when = opevo_space_activation(space, at);

    while (at < space->parameter_count && opevo_space_activation(space, at).parent == when.parent &&
           opevo_space_activation(space, at).value == when.value) {
        opevo_json_key(out, opevo_i_topology_branch_key(space, at));
        at = write_parameter(space, at, out);
    }
    return at;
}

/* The values of parameter i, with their branches; returns the number behind all parameters in them.
 */
static size_t write_list(const opevo_space *space, size_t i, opevo_text *out)
{
    const opevo_parameter *parameter = space->parameters[i];
    size_t at = i + 1;

    opevo_text_add(out, "[");
    for (opevo_index v = 0; v < opevo_parameter_size(parameter); v++) {
        opevo_value value = {0};
        bool opens = at < space->parameter_count && opevo_space_activation(space, at).parent == i &&
                     opevo_space_activation(space, at).value == v;

        opevo_parameter_value(parameter, v, &value);
        opevo_json_next(out, " ");
        if (opens) {
            opevo_text_add(out, "{");
            opevo_json_key(out, "_name");
        }
        write_value(out, value);
        if (opens) {
            at = write_branch(space, at, out);
            opevo_text_add(out, "}");
        }
    }
    opevo_text_add(out, "]");
    return at;
}

/* Each edge once, from its smaller vertex. */
static void write_edges(const opevo_parameter *parameter, opevo_text *out)
{
    opevo_json_open(out, "_edges", "[");
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
    opevo_json_open(out, "_components", "[");
    for (size_t i = 0; i < opevo_parameter_arity(parameter); i++) {
        opevo_json_next(out, " ");
        opevo_text_add_json(out, opevo_parameter_component_name(parameter, i));
    }
    opevo_text_add(out, "]");
}

/* Returns the number behind the parameter and all in its branches. */
static size_t write_parameter(const opevo_space *space, size_t i, opevo_text *out)
{
    const opevo_parameter *parameter = space->parameters[i];
    const opevo_i_topology_type *type = parameter->type;
    const char *topology = opevo_parameter_topology(parameter);
    size_t next = i + 1;

    opevo_text_add(out, "{");
    opevo_json_string(out, "_type", type->alias ? type->alias : type->info.name);
    opevo_json_key(out, "_value");
    if (type->is_list || type->is_path)
        next = write_list(space, i, out);
    else
        write_tuple(parameter, out);
    if (type->is_path)
        write_edges(parameter, out);
    if (strcmp(topology, type->topologies[0].name) != 0)
        opevo_json_string(out, "_topology", topology);
    if (parameter->component_names)
        write_components(parameter, out);
    opevo_text_add(out, "}");
    return next;
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
    for (size_t i = 0; i < space->parameter_count;) {
        write_key(out, opevo_parameter_name(space->parameters[i]));
        i = write_parameter(space, i, out);
    }
    if (space->constraint_count)
        write_constraints(space, out);
    if (space->ranges) {
        write_key(out, "_points");
        opevo_text_add(out, "\"");
        opevo_i_topology_points_write(space, out);
        opevo_text_add(out, "\"");
    }
    opevo_text_add(out, "\n}\n");
}
