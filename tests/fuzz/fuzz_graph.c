/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A graph file in the form of FUZZ_FILE's ending: what is read is a simple undirected graph. */

#include "fuzz.h"

#include "graph_read.h"

static bool has_edge(const opevo_graph *graph, uint32_t from, uint32_t to)
{
    for (uint64_t i = graph->offset[from]; i < graph->offset[from + 1]; i++)
        if (graph->target[i] == to)
            return true;
    return false;
}

static void check_graph(const opevo_graph *graph)
{
    for (size_t v = 0; v < graph->vertex_count; v++) {
        for (uint64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
            uint32_t other = graph->target[i];

            FUZZ_CHECK(other < graph->vertex_count && other != v);
            FUZZ_CHECK(i == graph->offset[v] || graph->target[i - 1] < other);
            FUZZ_CHECK(has_edge(graph, other, (uint32_t)v));
        }
    }
}

void fuzz_one(const uint8_t *data, size_t size)
{
    opevo_error err = {OPEVO_OK, ""};
    opevo_graph *graph = NULL;
    opevo_i_topology_value_list values = {0};
    const char *path = fuzz_file(FUZZ_FILE, data, size);

    if (fuzz_accepts(opevo_i_topology_graph_read(path, "p", &graph, &values, &err), &err)) {
        FUZZ_CHECK(values.count == graph->vertex_count);
        check_graph(graph);
        opevo_graph_destroy(graph);
    }
    opevo_i_topology_value_list_release(&values);
}
