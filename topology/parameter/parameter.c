/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A parameter: its values and neighbours, from the tables of its type and its topology. */

#include <opevo/parameter.h>

#include <opevo/hash.h>
#include <opevo/memory.h>

#include "parameter_internal.h"

#include <string.h>

uint64_t opevo_i_topology_hash_text(uint64_t hash, const char *text)
{
    if (!text)
        return opevo_hash_u64(hash, UINT64_MAX);
    hash = opevo_hash_u64(hash, strlen(text));
    return opevo_hash_bytes(hash, text, strlen(text));
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
    hash = opevo_i_topology_hash_text(hash, parameter->name);
    hash = opevo_i_topology_hash_text(hash, parameter->type->info.name);
    hash = opevo_i_topology_hash_text(hash, parameter->topology_text);
    for (size_t i = 0; i < parameter->arity; i++)
        hash = opevo_i_topology_hash_text(hash, opevo_parameter_component_name(parameter, i));
    return parameter->type->hash(parameter, hash);
}
