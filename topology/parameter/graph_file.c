/* SPDX-License-Identifier: GPL-3.0-or-later */

/* graph(FILE): the vertices of a graph that the user brings, in a file or as a list of edges. */

#include <opevo/graph.h>
#include <opevo/hash.h>
#include <opevo/memory.h>

#include "graph_read.h"

typedef struct graph_file {
    opevo_i_topology_listed listed;
    opevo_graph *graph;
} graph_file;

static void destroy(opevo_parameter *parameter)
{
    graph_file *self = (graph_file *)parameter;

    opevo_graph_destroy(self->graph);
    opevo_i_topology_listed_destroy(parameter);
}

/* The vertices and edges of a file. */
static opevo_status read_file(graph_file *self, const opevo_parameter_spec *spec, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text path = {0};
    const char *file = NULL;

    if (spec->value_count != 1 || spec->values[0].kind != OPEVO_VALUE_TEXT ||
        !*spec->values[0].as.text)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Parameter %s: graph(FILE) takes the path of a graph file.", spec->name);
    file = spec->values[0].as.text;
    if (spec->directory && !*spec->directory)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Parameter %s: graph files are not read here; give the _edges.",
                          spec->name);
    if (spec->directory && file[0] != '/')
        opevo_text_printf(&path, "%s/", spec->directory);
    opevo_text_add(&path, file);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_i_topology_graph_read(opevo_text_string(&path), spec->name, &self->graph,
                                          &self->listed.list, err));
cleanup:
    opevo_text_free(&path);
    return status;
}

/* Those that stand in the specification. */
static opevo_status take_edges(graph_file *self, const opevo_parameter_spec *spec, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (spec->value_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Parameter %s: graph needs at least one vertex.",
                          spec->name);
    OPEVO_TRY(opevo_i_topology_value_list_init(&self->listed.list, spec->values, spec->value_count,
                                               false, spec->name, err));
    status = opevo_graph_from_edges(spec->value_count, spec->edges, spec->edge_count, &self->graph,
                                    &inner);
    if (status != OPEVO_OK)
        opevo_error_set(err, status, "Parameter %s: %s", spec->name, inner.message);
cleanup:
    return status;
}

static opevo_status create(const opevo_parameter_spec *spec, opevo_parameter **out,
                           opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    graph_file *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "Parameter %s: no memory.", spec->name);
    OPEVO_TRY(spec->edges ? take_edges(self, spec, err) : read_file(self, spec, err));
    self->listed.super.size = self->listed.list.count;
    self->listed.super.arity = 1;
    *out = &self->listed.super;
    self = NULL;
cleanup:
    if (self)
        destroy(&self->listed.super);
    return status;
}

static uint64_t hash(const opevo_parameter *parameter, uint64_t start)
{
    const graph_file *self = (const graph_file *)parameter;
    const opevo_graph *graph = self->graph;
    uint64_t result = opevo_i_topology_listed_hash(parameter, start);

    for (size_t v = 0; v < graph->vertex_count; v++) {
        result = opevo_hash_u64(result, opevo_graph_degree(graph, v));
        for (uint64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++)
            result = opevo_hash_u64(result, graph->target[i]);
    }
    return result;
}

static opevo_index degree(const opevo_parameter *self, opevo_index vertex)
{
    return opevo_graph_degree(((const graph_file *)self)->graph, (size_t)vertex);
}

static opevo_index neighbour(const opevo_parameter *self, opevo_index vertex, opevo_index k)
{
    const opevo_graph *graph = ((const graph_file *)self)->graph;

    return graph->target[graph->offset[(size_t)vertex] + (size_t)k];
}

static const opevo_i_topology topologies[] = {
    {.name = "file", .degree = degree, .neighbour = neighbour}};

const opevo_i_topology_type opevo_i_topology_graph_file_type = {
    .info = {"graph", "graph(FILE)",
             "the vertices of an edge list (.txt .edges .el) or a GraphML file (.graphml .xml)",
             "file"},
    .topologies = topologies,
    .topology_count = sizeof topologies / sizeof topologies[0],
    .is_path = true,
    .create = create,
    .destroy = destroy,
    .value = opevo_i_topology_listed_value,
    .find = opevo_i_topology_listed_find,
    .hash = hash,
};
