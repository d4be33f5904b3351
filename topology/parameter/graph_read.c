/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From what a graph file says to a graph and the values of its vertices. */

#include "graph_read.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include "graph_text.h"

#include <string.h>
#include <strings.h>

/* Of a graph file; its edges, which are held with their names, take some ten times as much. */
#define GRAPH_BYTES_MAX ((size_t)64 << 20)

typedef opevo_status reader(const opevo_i_topology_graph_text *text,
                            opevo_i_topology_graph_rows *rows, opevo_error *err);

static opevo_status find_reader(const char *path, reader **out, opevo_error *err)
{
    static const struct {
        const char *ending;
        reader *read;
    } endings[] = {{".txt", opevo_i_topology_edge_list_read},
                   {".edges", opevo_i_topology_edge_list_read},
                   {".el", opevo_i_topology_edge_list_read},
                   {".graphml", opevo_i_topology_graphml_read},
                   {".xml", opevo_i_topology_graphml_read}};
    const char *ending = strrchr(path, '.');

    for (size_t i = 0; ending && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcasecmp(ending, endings[i].ending) == 0) {
            *out = endings[i].read;
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(
        err, OPEVO_INVALID,
        "%s: the ending is not that of a graph format; use .txt, .edges or .el for an edge "
        "list, .graphml or .xml for GraphML.",
        path);
}

static void free_rows(opevo_i_topology_graph_rows *rows)
{
    for (size_t v = 0; rows->nodes && v < rows->vertices; v++) {
        opevo_free(rows->nodes[v].id);
        opevo_free(rows->nodes[v].name);
    }
    opevo_free(rows->nodes);
    opevo_free(rows->ends);
    *rows = (opevo_i_topology_graph_rows){0};
}

/* The names of the nodes, or their identifiers, as the vertices' values; false when they do not
 * name each vertex apart. */
static bool take_names(const opevo_i_topology_graph_rows *rows, bool names, opevo_value *texts,
                       const char *parameter, opevo_i_topology_value_list *values,
                       opevo_status *status, opevo_error *err)
{
    for (size_t v = 0; v < rows->vertices; v++) {
        const char *text = names ? rows->nodes[v].name : rows->nodes[v].id;

        if (!text || !*text)
            return false;
        texts[v] = (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = text}};
    }
    *status =
        opevo_i_topology_value_list_init(values, texts, rows->vertices, false, parameter, err);
    if (*status != OPEVO_INVALID)
        return true;
    opevo_i_topology_value_list_release(values);
    *status = OPEVO_OK;
    return false;
}

static opevo_status name_vertices(const opevo_i_topology_graph_rows *rows, const char *path,
                                  const char *parameter, opevo_i_topology_value_list *values,
                                  opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_value *texts = opevo_malloc(rows->vertices, sizeof *texts);

    if (!texts)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the names.", path);
    if (!rows->nodes || (!take_names(rows, true, texts, parameter, values, &status, err) &&
                         !take_names(rows, false, texts, parameter, values, &status, err))) {
        for (size_t v = 0; v < rows->vertices; v++)
            texts[v] = opevo_value_of_integer((int64_t)v);
        status =
            opevo_i_topology_value_list_init(values, texts, rows->vertices, false, parameter, err);
    }
    opevo_free(texts);
    return status;
}

opevo_status opevo_i_topology_graph_read(const char *path, const char *parameter,
                                         opevo_graph **graph, opevo_i_topology_value_list *values,
                                         opevo_error *err)
{
    opevo_i_topology_graph_text text = {.path = path};
    opevo_i_topology_graph_rows rows = {0};
    reader *read = NULL;
    opevo_status status = find_reader(path, &read, err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(opevo_file_read(path, GRAPH_BYTES_MAX, &text.data, &text.size, err));
    if (!text.size) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: the file is empty.", path);
        goto cleanup;
    }
    OPEVO_TRY(read(&text, &rows, err));
    if (!rows.vertices) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: the graph has no vertices.", path);
        goto cleanup;
    }
    OPEVO_TRY(name_vertices(&rows, path, parameter, values, err));
    OPEVO_TRY(opevo_graph_from_edges(rows.vertices, rows.ends, rows.end_count / 2, graph, err));
cleanup:
    free_rows(&rows);
    opevo_free(text.data);
    return status;
}
