/* SPDX-License-Identifier: GPL-3.0-or-later */

/* igraph parses what graph_text.h has checked. */

#include "graph_read.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include "graph_text.h"
#include "igraph_guard.h"
#include "value_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Of a graph file, which igraph reads in some twenty times its size of memory. */
#define GRAPH_BYTES_MAX ((size_t)64 << 20)

typedef enum file_form { EDGE_LIST, GRAPHML, PAJEK } file_form;

typedef struct source {
    opevo_i_graph_text text;
    const char *parameter;
    file_form form;
} source;

static opevo_status find_form(source *file, opevo_error *err)
{
    static const struct {
        const char *ending;
        file_form form;
    } endings[] = {{".txt", EDGE_LIST},   {".edges", EDGE_LIST}, {".el", EDGE_LIST},
                   {".graphml", GRAPHML}, {".xml", GRAPHML},     {".net", PAJEK}};
    const char *ending = strrchr(file->text.path, '.');

    for (size_t i = 0; ending && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcasecmp(ending, endings[i].ending) == 0) {
            file->form = endings[i].form;
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(
        err, OPEVO_INVALID,
        "%s: the ending is not that of a graph format; use .txt, .edges or .el for an edge "
        "list, .graphml or .xml, or .net for Pajek.",
        file->text.path);
}

/* igraph names the line inside its sentence: "Parse error in Pajek file, line 3 (...)". When it did
 * not expect the end of a line, it has counted that line already. */
static opevo_status refuse_file(const source *file, igraph_error_t code, opevo_error *err)
{
    const char *reason = opevo_i_igraph_reason();
    const char *line = strcasestr(reason, "line ");
    char *end = NULL;
    unsigned long number = line ? strtoul(line + strlen("line "), &end, 10) : 0;
    bool in_brackets = number && end[0] == ' ' && end[1] == '(';
    size_t length = 0;

    if (code == IGRAPH_ENOMEM)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the graph.", file->text.path);
    if (!*reason)
        reason = igraph_strerror(code);
    if (in_brackets)
        reason = end + 2;
    if (number && strstr(reason, "unexpected end of line"))
        number--;
    length = strlen(reason);
    while (length && (reason[length - 1] == '.' || (in_brackets && reason[length - 1] == ')')))
        length--;
    if (number)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%lu: igraph cannot read the graph: %.*s.",
                          file->text.path, number, (int)length, reason);
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s: igraph cannot read the graph: %.*s.",
                      file->text.path, (int)length, reason);
}

static opevo_status check_text(source *file, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (file->form == GRAPHML)
        return opevo_i_graphml_check(&file->text, err);
    status = opevo_i_graph_text_check(&file->text, err);
    if (status != OPEVO_OK)
        return status;
    return file->form == PAJEK ? opevo_i_pajek_check(&file->text, err)
                               : opevo_i_edge_list_check(&file->text, err);
}

static opevo_status parse(const source *file, igraph_t *graph, opevo_error *err)
{
    igraph_error_t code = IGRAPH_SUCCESS;
    FILE *stream = file->text.size ? fmemopen(file->text.data, file->text.size, "r") : NULL;

    if (!stream)
        return OPEVO_FAIL(err, file->text.size ? OPEVO_NOMEM : OPEVO_INVALID,
                          file->text.size ? "%s: no memory." : "%s: the file is empty.",
                          file->text.path);
    if (file->form == EDGE_LIST)
        code = igraph_read_graph_edgelist(graph, stream, 0, IGRAPH_UNDIRECTED);
    else if (file->form == GRAPHML)
        code = igraph_read_graph_graphml(graph, stream, 0);
    else
        code = igraph_read_graph_pajek(graph, stream);
    fclose(stream);
    return code == IGRAPH_SUCCESS ? OPEVO_OK : refuse_file(file, code, err);
}

static bool has_text(const igraph_t *graph, const char *attribute)
{
    igraph_attribute_type_t type = IGRAPH_ATTRIBUTE_UNSPECIFIED;

    return igraph_cattribute_has_attr(graph, IGRAPH_ATTRIBUTE_VERTEX, attribute) &&
           igraph_cattribute_table.gettype(graph, &type, IGRAPH_ATTRIBUTE_VERTEX, attribute) ==
               IGRAPH_SUCCESS &&
           type == IGRAPH_ATTRIBUTE_STRING;
}

/* Take the attribute as the vertices' values; false when it does not name each vertex apart. */
static bool take_names(const igraph_t *graph, const char *attribute, opevo_value *texts,
                       opevo_i_value_list *values, const source *file, opevo_status *status,
                       opevo_error *err)
{
    size_t count = (size_t)igraph_vcount(graph);

    if (!has_text(graph, attribute))
        return false;
    for (size_t v = 0; v < count; v++) {
        const char *text = VAS(graph, attribute, (igraph_integer_t)v);

        if (!*text)
            return false;
        texts[v] = (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = text}};
    }
    *status = opevo_i_value_list_init(values, texts, count, false, file->parameter, err);
    if (*status != OPEVO_INVALID)
        return true;
    opevo_i_value_list_release(values);
    *status = OPEVO_OK;
    return false;
}

static opevo_status name_vertices(const source *file, const igraph_t *graph,
                                  opevo_i_value_list *values, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t count = (size_t)igraph_vcount(graph);
    opevo_value *texts = opevo_malloc(count, sizeof *texts);

    if (!texts)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the names.", file->text.path);
    if (!take_names(graph, "name", texts, values, file, &status, err) &&
        !take_names(graph, "id", texts, values, file, &status, err)) {
        for (size_t v = 0; v < count; v++)
            texts[v] = opevo_value_of_integer((int64_t)v);
        status = opevo_i_value_list_init(values, texts, count, false, file->parameter, err);
    }
    opevo_free(texts);
    return status;
}

static opevo_status copy_edges(const source *file, const igraph_t *graph,
                               const opevo_i_value_list *values, opevo_graph **out,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t count = (size_t)igraph_ecount(graph);
    uint32_t *edges = opevo_malloc(2 * count, sizeof *edges);

    if (!edges)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the edges.", file->text.path);
    for (size_t e = 0; e < count; e++) {
        igraph_integer_t a = 0, b = 0;
        opevo_text name = {0};

        igraph_edge(graph, (igraph_integer_t)e, &a, &b); /* fails only for an e out of range */
        edges[2 * e] = (uint32_t)a;
        edges[2 * e + 1] = (uint32_t)b;
        if (a != b)
            continue;
        opevo_i_value_print(&name, values->values[a]);
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: an edge joins vertex %s to itself; remove it.",
                            file->text.path, OPEVO_I_EXCERPT(opevo_text_string(&name)));
        opevo_text_free(&name);
        goto cleanup;
    }
    OPEVO_TRY(opevo_graph_from_edges(values->count, edges, count, out, err));
cleanup:
    opevo_free(edges);
    return status;
}

static opevo_status take_graph(const source *file, const igraph_t *graph, opevo_graph **out,
                               opevo_i_value_list *values, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (igraph_vcount(graph) < 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: the graph has no vertices.", file->text.path);
    if ((uint64_t)igraph_vcount(graph) > opevo_i_graph_vertex_limit(&file->text))
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s: more than %llu vertices in a file of this size.",
                          file->text.path,
                          (unsigned long long)opevo_i_graph_vertex_limit(&file->text));
    OPEVO_TRY(name_vertices(file, graph, values, err));
    OPEVO_TRY(copy_edges(file, graph, values, out, err));
cleanup:
    return status;
}

/* A graph's attributes are released by the table under which they were made, so the program's own
 * table comes back only after the graph is gone. */
static opevo_status parse_and_take(const source *file, opevo_graph **graph,
                                   opevo_i_value_list *values, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    igraph_attribute_table_t *outer = NULL;
    igraph_t parsed;

    opevo_i_igraph_enter();
    outer = igraph_set_attribute_table(&igraph_cattribute_table);
    status = parse(file, &parsed, err);
    if (status == OPEVO_OK) {
        status = take_graph(file, &parsed, graph, values, err);
        igraph_destroy(&parsed);
    }
    igraph_set_attribute_table(outer);
    opevo_i_igraph_leave();
    return status;
}

opevo_status opevo_i_graph_read(const char *path, const char *parameter, opevo_graph **graph,
                                opevo_i_value_list *values, opevo_error *err)
{
    source file = {.text = {.path = path}, .parameter = parameter};
    opevo_status status = find_form(&file, err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(opevo_file_read(path, GRAPH_BYTES_MAX, &file.text.data, &file.text.size, err));
    OPEVO_TRY(check_text(&file, err));
    status = parse_and_take(&file, graph, values, err);
cleanup:
    opevo_free(file.text.data);
    return status;
}
