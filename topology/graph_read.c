/* SPDX-License-Identifier: GPL-3.0-or-later */

/* igraph parses; what it would accept silently is checked here: an edge list is a stream of numbers
 * to it, so that one missing end would shift all later edges, and it invents the nodes that a
 * GraphML edge names but the file does not declare. */

#include "graph_read.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include "igraph_guard.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* igraph takes some 50 bytes for a vertex, whatever the size of the file that names it. */
#define VERTEX_LIMIT (UINT64_C(1) << 26)

typedef enum file_form { EDGE_LIST, GRAPHML, PAJEK } file_form;

typedef struct source {
    const char *path;
    const char *parameter;
    file_form form;
    char *data;
    size_t size;
} source;

static opevo_status find_form(source *file, opevo_error *err)
{
    static const struct {
        const char *ending;
        file_form form;
    } endings[] = {{".txt", EDGE_LIST},   {".edges", EDGE_LIST}, {".el", EDGE_LIST},
                   {".graphml", GRAPHML}, {".xml", GRAPHML},     {".net", PAJEK}};
    const char *ending = strrchr(file->path, '.');

    for (size_t i = 0; ending && i < sizeof endings / sizeof endings[0]; i++) {
        if (strcasecmp(ending, endings[i].ending) == 0) {
            file->form = endings[i].form;
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s: the ending tells no graph format; use .txt, .edges or .el for an edge "
                      "list, .graphml or .xml, or .net for Pajek.",
                      file->path);
}

static size_t line_of(const char *start, const char *at)
{
    size_t line = 1;

    for (; start < at; start++)
        line += *start == '\n';
    return line;
}

/* A number at *at, and step over it; false when none stands there or it runs into other text. */
static bool read_vertex(const char **at, uint64_t *vertex)
{
    char *end = NULL;

    *at += strspn(*at, " \t");
    if (!isdigit((unsigned char)**at))
        return false;
    errno = 0;
    *vertex = strtoull(*at, &end, 10);
    *at = end;
    return !errno && strchr(" \t\r\n", **at);
}

static opevo_status check_edge_line(const source *file, const char *at, size_t line,
                                    opevo_error *err)
{
    uint64_t a = 0, b = 0;

    if (!read_vertex(&at, &a) || !read_vertex(&at, &b) || at[strspn(at, " \t\r")] != '\0')
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s:%zu: an edge is two vertex numbers from 0, separated by a space.",
                          file->path, line);
    if (a == b)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s:%zu: an edge joins vertex %llu to itself; remove it.", file->path,
                          line, (unsigned long long)a);
    if (a >= VERTEX_LIMIT || b >= VERTEX_LIMIT)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s:%zu: vertex numbers must be below %llu.",
                          file->path, line, (unsigned long long)VERTEX_LIMIT);
    return OPEVO_OK;
}

/* Each line is an edge, blank, or a comment; comments are blanked out for igraph. */
static opevo_status check_edge_list(source *file, opevo_error *err)
{
    size_t line = 1;

    if (strlen(file->data) != file->size)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: an edge list is text, but this file holds a "
                          "zero byte.",
                          file->path);
    for (char *at = file->data; *at; line++) {
        char *end = at + strcspn(at, "\n"), ended_by = *end;
        opevo_status status = OPEVO_OK;

        *end = '\0';
        if (*at == '#')
            memset(at, ' ', (size_t)(end - at));
        else if (at[strspn(at, " \t\r")] != '\0')
            status = check_edge_line(file, at, line, err);
        *end = ended_by;
        if (status != OPEVO_OK)
            return status;
        at = end + (ended_by == '\n');
    }
    return OPEVO_OK;
}

static opevo_status check_pajek_size(const source *file, opevo_error *err)
{
    const char *at = strcasestr(file->data, "*vertices");
    uint64_t count = 0;

    if (!at)
        return OPEVO_OK;
    at += strlen("*vertices");
    if (read_vertex(&at, &count) && count <= VERTEX_LIMIT)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_LIMIT,
                      "%s:%zu: *Vertices must be followed by their number, at most %llu.",
                      file->path, line_of(file->data, at), (unsigned long long)VERTEX_LIMIT);
}

/* igraph names the line inside its sentence: "Parse error in Pajek file, line 3 (...)". */
static opevo_status refuse_file(const source *file, igraph_error_t code, opevo_error *err)
{
    const char *reason = opevo_i_igraph_reason();
    const char *line = strcasestr(reason, "line ");
    unsigned long number = line ? strtoul(line + strlen("line "), NULL, 10) : 0;
    size_t length = strlen(reason);

    if (code == IGRAPH_ENOMEM)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the graph.", file->path);
    if (length == 0)
        reason = igraph_strerror(code);
    length = strlen(reason);
    if (length && reason[length - 1] == '.')
        length--;
    if (number)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%lu: igraph cannot read the graph: %.*s.",
                          file->path, number, (int)length, reason);
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s: igraph cannot read the graph: %.*s.", file->path,
                      (int)length, reason);
}

static opevo_status parse(const source *file, igraph_t *graph, opevo_error *err)
{
    igraph_error_t code = IGRAPH_SUCCESS;
    FILE *stream = file->size ? fmemopen(file->data, file->size, "r") : NULL;

    if (!stream)
        return OPEVO_FAIL(err, file->size ? OPEVO_NOMEM : OPEVO_INVALID,
                          file->size ? "%s: no memory." : "%s: the file is empty.", file->path);
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

/* Whether the file declares a node of this identifier, in either kind of quotes. */
static bool declares(const char *data, const char *identifier)
{
    size_t length = strlen(identifier);

    for (const char *at = data; (at = strstr(at, "id=")); at++) {
        char quote = at[3];

        if ((quote == '"' || quote == '\'') && strncmp(at + 4, identifier, length) == 0 &&
            at[4 + length] == quote)
            return true;
    }
    return false;
}

static size_t count_nodes(const char *data)
{
    size_t count = 0;

    for (const char *at = data; (at = strstr(at, "<node")); at++)
        count += at[5] && strchr(" \t\r\n/>", at[5]) != NULL;
    return count;
}

/* Only a file with plain <node> tags can be checked; one that prefixes them with a name space is
 * taken as igraph reads it. */
static opevo_status check_declared(const source *file, const igraph_t *graph, opevo_error *err)
{
    size_t declared = count_nodes(file->data);

    if (declared == 0 || (size_t)igraph_vcount(graph) <= declared || !has_text(graph, "id"))
        return OPEVO_OK;
    for (igraph_integer_t v = 0; v < igraph_vcount(graph); v++) {
        const char *identifier = VAS(graph, "id", v);
        const char *at = NULL;

        if (declares(file->data, identifier))
            continue;
        at = strstr(file->data, identifier);
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s:%zu: an edge names the node \"%.100s\", which the file does not "
                          "declare.",
                          file->path, at ? line_of(file->data, at) : 1, identifier);
    }
    return OPEVO_OK;
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
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the names.", file->path);
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
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the edges.", file->path);
    for (size_t e = 0; e < count; e++) {
        igraph_integer_t a = 0, b = 0;
        opevo_text name = {0};

        igraph_edge(graph, (igraph_integer_t)e, &a, &b); /* fails only for an e out of range */
        edges[2 * e] = (uint32_t)a;
        edges[2 * e + 1] = (uint32_t)b;
        if (a != b)
            continue;
        opevo_value_print(&name, values->values[a]);
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "%s: an edge joins vertex %.100s to itself; remove it.",
                       file->path, opevo_text_string(&name));
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
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: the graph has no vertices.", file->path);
    if ((uint64_t)igraph_vcount(graph) > VERTEX_LIMIT)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s: more than %llu vertices.", file->path,
                          (unsigned long long)VERTEX_LIMIT);
    if (file->form == GRAPHML)
        OPEVO_TRY(check_declared(file, graph, err));
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
    source file = {.path = path, .parameter = parameter};
    opevo_status status = find_form(&file, err);

    if (status != OPEVO_OK)
        return status;
    OPEVO_TRY(opevo_file_read(path, &file.data, &file.size, err));
    if (file.form == EDGE_LIST)
        OPEVO_TRY(check_edge_list(&file, err));
    if (file.form == PAJEK)
        OPEVO_TRY(check_pajek_size(&file, err));
    status = parse_and_take(&file, graph, values, err);
cleanup:
    opevo_free(file.data);
    return status;
}
