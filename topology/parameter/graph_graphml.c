/* SPDX-License-Identifier: GPL-3.0-or-later */

/* GraphML files, element by element, by the reader of libxml2. */

#include "graph_text.h"

#include <opevo/memory.h>

#include "value_text.h"

#include <libxml/xmlreader.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct edge {
    char *end[2]; /* identifiers: source and target */
    size_t line;  /* where its tag ends */
} edge;

typedef struct reading {
    const char *path;
    xmlTextReader *xml;
    opevo_i_topology_graph_rows *rows;
    edge *edges;
    size_t edge_count, edge_capacity;
    char *name_key, *usual_name; /* the key of the nodes' names, and its default; NULL for none */
    bool in_key;                 /* of names */
    bool in_node;                /* of the first graph */
    int graph_depth;             /* of the first graph; -1 before it */
    bool ended;                  /* that graph */
    bool closed;                 /* the outermost element */
} reading;

/* ---- libxml2 ---- */

/* The caller's, in the program's own memory; NULL where it is absent. False without memory. */
static bool take_text(xmlChar *text, char **out)
{
    opevo_free(*out);
    *out = text ? opevo_strdup((const char *)text) : NULL;
    if (text)
        xmlFree(text);
    return !text || *out;
}

static bool take_attribute(const reading *self, const char *name, char **out)
{
    return take_text(xmlTextReaderGetAttribute(self->xml, (const xmlChar *)name), out);
}

static bool attribute_is(const reading *self, const char *name, const char *expected, bool absent)
{
    xmlChar *text = xmlTextReaderGetAttribute(self->xml, (const xmlChar *)name);
    bool is = text ? !strcmp((const char *)text, expected) : absent;

    if (text)
        xmlFree(text);
    return is;
}

static size_t line_of(const reading *self)
{
    long line = xmlGetLineNo(xmlTextReaderCurrentNode(self->xml));

    return line > 0 ? (size_t)line : 1;
}

static opevo_status no_memory(const reading *self, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the graph.", self->path);
}

static opevo_status refuse_xml(const reading *self, opevo_error *err)
{
    const xmlError *error = xmlGetLastError();
    /* libxml2 has one code for a file that is cut and for text behind its end. */
    bool cut = !error || !error->message || (error->code == XML_ERR_DOCUMENT_END && !self->closed);
    const char *reason = cut ? "its end is missing" : error->message;
    size_t length = strcspn(reason, "\n");

    if (error && error->code == XML_ERR_NO_MEMORY)
        return no_memory(self, err);
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%d: the file is not well-formed XML: %.*s.",
                      self->path, error && error->line > 0 ? error->line : 1, (int)length, reason);
}

/* ---- Elements ---- */

/* A key of the nodes' names; a key without a type is of strings, as other readers take it. */
static opevo_status take_key(reading *self, opevo_error *err)
{
    self->in_key =
        !self->name_key && attribute_is(self, "attr.name", "name", false) &&
        attribute_is(self, "attr.type", "string", true) &&
        (attribute_is(self, "for", "node", false) || attribute_is(self, "for", "all", true));
    if (self->in_key && !take_attribute(self, "id", &self->name_key))
        return no_memory(self, err);
    self->in_key &= !xmlTextReaderIsEmptyElement(self->xml);
    return OPEVO_OK;
}

static opevo_status take_node(reading *self, opevo_error *err)
{
    opevo_i_topology_graph_rows *rows = self->rows;
    opevo_i_topology_graph_node *node = NULL;
    void *nodes = rows->nodes;

    if (!opevo_reserve(&nodes, &rows->node_capacity, rows->vertices + 1, sizeof *rows->nodes))
        return no_memory(self, err);
    rows->nodes = nodes;
    node = &rows->nodes[rows->vertices++];
    *node = (opevo_i_topology_graph_node){.line = line_of(self)};
    if (!take_attribute(self, "id", &node->id))
        return no_memory(self, err);
    if (!node->id)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%zu: a node has no id.", self->path, node->line);
    return OPEVO_OK;
}

static opevo_status take_edge(reading *self, opevo_error *err)
{
    static const char *const names[2] = {"source", "target"};
    void *edges = self->edges;
    edge *one = NULL;

    if (!opevo_reserve(&edges, &self->edge_capacity, self->edge_count + 1, sizeof *self->edges))
        return no_memory(self, err);
    self->edges = edges;
    one = &self->edges[self->edge_count++];
    *one = (edge){.line = line_of(self)};
    for (int i = 0; i < 2; i++) {
        if (!take_attribute(self, names[i], &one->end[i]))
            return no_memory(self, err);
        if (!one->end[i])
            return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%zu: an edge has no %s.", self->path,
                              one->line, names[i]);
    }
    if (!strcmp(one->end[0], one->end[1]))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s:%zu: an edge joins vertex %s to itself; remove it.", self->path,
                          one->line, OPEVO_I_EXCERPT(one->end[0]));
    return OPEVO_OK;
}

/* An element of the first graph, or of one of its nodes. */
static opevo_status take_inside(reading *self, const char *name, int depth, opevo_error *err)
{
    opevo_i_topology_graph_rows *rows = self->rows;

    if (depth == self->graph_depth + 1) {
        self->in_node = !strcmp(name, "node");
        if (self->in_node)
            return take_node(self, err);
        return strcmp(name, "edge") ? OPEVO_OK : take_edge(self, err);
    }
    if (depth == self->graph_depth + 2 && self->in_node && self->name_key &&
        !strcmp(name, "data") && attribute_is(self, "key", self->name_key, false) &&
        !take_text(xmlTextReaderReadString(self->xml), &rows->nodes[rows->vertices - 1].name))
        return no_memory(self, err);
    return OPEVO_OK;
}

static opevo_status take_element(reading *self, opevo_error *err)
{
    const char *name = (const char *)xmlTextReaderConstLocalName(self->xml);
    int depth = xmlTextReaderDepth(self->xml);

    self->closed |= depth == 0 && xmlTextReaderIsEmptyElement(self->xml);
    if (self->graph_depth >= 0)
        return self->ended ? OPEVO_OK : take_inside(self, name, depth, err);
    if (!strcmp(name, "key"))
        return take_key(self, err);
    if (!strcmp(name, "default") && self->in_key &&
        !take_text(xmlTextReaderReadString(self->xml), &self->usual_name))
        return no_memory(self, err);
    if (!strcmp(name, "graph")) {
        self->graph_depth = depth;
        self->ended = xmlTextReaderIsEmptyElement(self->xml);
    }
    return OPEVO_OK;
}

static void end_element(reading *self)
{
    int depth = xmlTextReaderDepth(self->xml);

    self->in_key &= strcmp((const char *)xmlTextReaderConstLocalName(self->xml), "key") != 0;
    self->ended |= depth == self->graph_depth;
    self->closed |= depth == 0;
}

static opevo_status read_elements(reading *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int code = 0;

    while (status == OPEVO_OK && (code = xmlTextReaderRead(self->xml)) == 1) {
        int type = xmlTextReaderNodeType(self->xml);

        if (type == XML_READER_TYPE_ELEMENT)
            status = take_element(self, err);
        else if (type == XML_READER_TYPE_END_ELEMENT)
            end_element(self);
    }
    return status == OPEVO_OK && code < 0 ? refuse_xml(self, err) : status;
}

/* ---- Edges between vertices ---- */

typedef struct mention {
    const char *id;
    size_t vertex, line;
} mention;

static int compare_ids(const void *a, const void *b)
{
    return strcmp(((const mention *)a)->id, ((const mention *)b)->id);
}

static int compare_mentions(const void *a, const void *b)
{
    const mention *x = a, *y = b;
    int order = compare_ids(a, b);

    return order ? order : (x->vertex > y->vertex) - (x->vertex < y->vertex);
}

/* All nodes in the order of their identifiers. */
static opevo_status sort_nodes(const reading *self, mention *sorted, opevo_error *err)
{
    size_t count = self->rows->vertices;

    for (size_t i = 0; i < count; i++)
        sorted[i] = (mention){self->rows->nodes[i].id, i, self->rows->nodes[i].line};
    qsort(sorted, count, sizeof *sorted, compare_mentions);
    for (size_t i = 1; i < count; i++) {
        if (!compare_ids(&sorted[i - 1], &sorted[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s:%zu: the node \"%s\" is already declared in line %zu; give each "
                              "its own id.",
                              self->path, sorted[i].line, OPEVO_I_EXCERPT(sorted[i].id),
                              sorted[i - 1].line);
    }
    return OPEVO_OK;
}

static opevo_status join(const reading *self, const mention *sorted, opevo_error *err)
{
    opevo_i_topology_graph_rows *rows = self->rows;
    size_t count = 2 * self->edge_count;

    rows->ends = opevo_malloc(count, sizeof *rows->ends);
    if (!rows->ends)
        return no_memory(self, err);
    for (size_t i = 0; i < count; i++) {
        const edge *one = &self->edges[i / 2];
        mention end = {.id = one->end[i % 2]};
        const mention *found = bsearch(&end, sorted, rows->vertices, sizeof *sorted, compare_ids);

        if (!found)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s:%zu: an edge names the node \"%s\", which the file does not "
                              "declare.",
                              self->path, one->line, OPEVO_I_EXCERPT(end.id));
        rows->ends[rows->end_count++] = (uint32_t)found->vertex;
    }
    return OPEVO_OK;
}

/* Nodes without a name have the key's default. */
static opevo_status name_others(const reading *self, opevo_error *err)
{
    for (size_t i = 0; self->usual_name && i < self->rows->vertices; i++) {
        opevo_i_topology_graph_node *node = &self->rows->nodes[i];

        if (!node->name && !(node->name = opevo_strdup(self->usual_name)))
            return no_memory(self, err);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_topology_graphml_read(const opevo_i_topology_graph_text *text,
                                           opevo_i_topology_graph_rows *rows, opevo_error *err)
{
    enum {
        QUIET = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING,
        OPTIONS = QUIET | XML_PARSE_BIG_LINES
    };
    opevo_status status = OPEVO_OK;
    reading self = {.path = text->path, .rows = rows, .graph_depth = -1};
    mention *sorted = NULL;

    xmlResetLastError();
    self.xml = xmlReaderForMemory(text->data, (int)text->size, text->path, NULL, OPTIONS);
    if (!self.xml)
        return no_memory(&self, err);
    OPEVO_TRY(read_elements(&self, err));
    sorted = opevo_malloc(rows->vertices, sizeof *sorted);
    if (!sorted) {
        status = no_memory(&self, err);
        goto cleanup;
    }
    OPEVO_TRY(sort_nodes(&self, sorted, err));
    OPEVO_TRY(join(&self, sorted, err));
    OPEVO_TRY(name_others(&self, err));
cleanup:
    opevo_free(sorted);
    for (size_t i = 0; i < self.edge_count; i++) {
        opevo_free(self.edges[i].end[0]);
        opevo_free(self.edges[i].end[1]);
    }
    opevo_free(self.edges);
    opevo_free(self.name_key);
    opevo_free(self.usual_name);
    xmlFreeTextReader(self.xml);
    return status;
}
