/* SPDX-License-Identifier: GPL-3.0-or-later */

/* GraphML files, tag by tag. igraph takes two nodes of one identifier for one, and invents the
 * nodes that an edge names but the file does not declare. Tags may have a prefix. Where something
 * is not understood (no XML, UTF-16) the scan ends, and igraph decides. */

#include "graph_text.h"

#include <opevo/memory.h>

#include "value_text.h"

#include <stdlib.h>
#include <string.h>

/* The identifier of a node, where it is written. */
typedef struct mention {
    const char *text;
    size_t line;
} mention;

typedef struct mentions {
    mention *items;
    size_t count, capacity;
} mentions;

/* A start tag, an end tag, or both at once. */
typedef struct xml_tag {
    const char *name; /* without a prefix */
    size_t line;
    bool start, end;
    const char *id, *source, *target; /* attributes, decoded; NULL when absent */
} xml_tag;

typedef struct scan {
    const char *path;
    char *at; /* in a copy of the text, which is cut up into names */
    size_t line;
    size_t depth;       /* open elements */
    size_t graph_depth; /* of the first graph; 0 before it */
    bool whole;         /* it has been read to its end */
    size_t keys;        /* declared attributes */
    mentions nodes, ends;
} scan;

/* ---- XML ---- */

/* Step over `count` bytes. */
static void advance(scan *self, size_t count)
{
    for (; count > 0; count--)
        self->line += *self->at++ == '\n';
}

static void skip_blanks(scan *self)
{
    advance(self, strspn(self->at, " \t\r\n"));
}

/* Behind the next `word`; false if none exists. */
static bool skip_past(scan *self, const char *word)
{
    const char *found = strstr(self->at, word);

    if (!found)
        return false;
    advance(self, (size_t)(found - self->at) + strlen(word));
    return true;
}

/* Behind a declaration such as <!DOCTYPE graphml [ ... ]>. */
static bool skip_declaration(scan *self)
{
    size_t depth = 0;

    for (; *self->at; advance(self, 1)) {
        depth += *self->at == '<' || *self->at == '[';
        depth -= depth > 0 && (*self->at == '>' || *self->at == ']');
        if (depth == 0) {
            advance(self, 1);
            return true;
        }
    }
    return false;
}

/* Go to the next tag; false at the end of what is understood. */
static bool find_tag(scan *self)
{
    bool found = true;

    while (found) {
        advance(self, strcspn(self->at, "<"));
        if (strncmp(self->at, "<!--", 4) == 0)
            found = skip_past(self, "-->");
        else if (strncmp(self->at, "<![CDATA[", 9) == 0)
            found = skip_past(self, "]]>");
        else if (strncmp(self->at, "<?", 2) == 0)
            found = skip_past(self, "?>");
        else if (strncmp(self->at, "<!", 2) == 0)
            found = skip_declaration(self);
        else
            return *self->at == '<';
    }
    return false;
}

/* The character that "&...;" stands for, into `out` as UTF-8, and how many bytes; 0 for one that is
 * not known. */
static size_t decode_entity(const char *text, size_t length, char out[8])
{
    static const struct {
        const char *entity, *meaning;
    } known[] = {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&apos;", "'"}};
    bool hexadecimal = text[1] == '#' && text[2] == 'x';
    char *end = NULL;
    unsigned long character = 0;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i].entity) == length && memcmp(text, known[i].entity, length) == 0) {
            out[0] = known[i].meaning[0];
            return 1;
        }
    }
    if (text[1] != '#')
        return 0;
    character = strtoul(text + (hexadecimal ? 3 : 2), &end, hexadecimal ? 16 : 10);
    if (*end != ';' || character == 0 || character > 0x10ffff)
        return 0;
    return (size_t)(opevo_i_put_character(out, (uint32_t)character) - out);
}

/* Decode an attribute in place, where it only becomes shorter: entities, and blanks of any kind.
 * False for an entity that is not known. */
static bool decode(char *text)
{
    char *out = text;

    while (*text) {
        const char *end = *text == '&' ? strchr(text, ';') : NULL;
        char character[8];
        size_t length = end ? decode_entity(text, (size_t)(end - text) + 1, character) : 0;

        if (*text != '&') {
            *out++ = strchr("\t\r\n", *text) ? ' ' : *text;
            text++;
            continue;
        }
        if (length == 0)
            return false;
        memcpy(out, character, length);
        out += length;
        text += end - text + 1;
    }
    *out = '\0';
    return true;
}

/* name="value" at the place reached, into the tag; false when it is not well formed. */
static bool read_attribute(scan *self, xml_tag *out)
{
    char *key = self->at, *value = NULL;
    size_t length = strcspn(key, " \t\r\n=<>/'\"");
    char quote = 0;

    advance(self, length);
    skip_blanks(self);
    if (length == 0 || *self->at != '=')
        return false;
    advance(self, 1);
    skip_blanks(self);
    quote = *self->at;
    if (quote != '"' && quote != '\'')
        return false;
    advance(self, 1);
    value = self->at;
    advance(self, strcspn(value, quote == '"' ? "\"" : "'"));
    if (*self->at != quote)
        return false;
    *self->at = '\0';
    advance(self, 1);
    key[length] = '\0'; /* no more than the '=' or the blank that has been read */
    if (!decode(value))
        return false;
    if (strcmp(key, "id") == 0)
        out->id = value;
    else if (strcmp(key, "source") == 0)
        out->source = value;
    else if (strcmp(key, "target") == 0)
        out->target = value;
    return true;
}

/* The tag that begins here; false when it is not well formed. */
static bool read_tag(scan *self, xml_tag *out)
{
    char *name = NULL, *colon = NULL, *name_end = NULL;

    *out = (xml_tag){.line = self->line, .start = self->at[1] != '/', .end = self->at[1] == '/'};
    advance(self, out->end ? 2 : 1);
    name = self->at;
    advance(self, strcspn(name, " \t\r\n<>/"));
    name_end = self->at;
    skip_blanks(self);
    while (*self->at && *self->at != '>' && *self->at != '/') {
        if (!read_attribute(self, out))
            return false;
        skip_blanks(self);
    }
    if (*self->at == '/') {
        out->end = true;
        advance(self, 1);
    }
    if (*self->at != '>' || name == name_end)
        return false;
    advance(self, 1);
    *name_end = '\0';
    colon = strchr(name, ':');
    out->name = colon ? colon + 1 : name;
    return true;
}

/* ---- Nodes and edges ---- */

static opevo_status append(const scan *self, mentions *list, const char *text, size_t line,
                           opevo_error *err)
{
    void *items = list->items;

    if (!opevo_reserve(&items, &list->capacity, list->count + 1, sizeof *list->items))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the names.", self->path);
    list->items = items;
    list->items[list->count++] = (mention){text, line};
    return OPEVO_OK;
}

static opevo_status take_node(scan *self, const xml_tag *node, opevo_error *err)
{
    if (!node->id)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%zu: a node has no id.", self->path, node->line);
    return append(self, &self->nodes, node->id, node->line, err);
}

static opevo_status take_edge(scan *self, const xml_tag *edge, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (!edge->source || !edge->target)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%zu: an edge has no %s.", self->path, edge->line,
                          edge->source ? "target" : "source");
    if (strcmp(edge->source, edge->target) == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s:%zu: an edge joins vertex %s to itself; remove it.", self->path,
                          edge->line, OPEVO_I_EXCERPT(edge->source));
    OPEVO_TRY(append(self, &self->ends, edge->source, edge->line, err));
    OPEVO_TRY(append(self, &self->ends, edge->target, edge->line, err));
cleanup:
    return status;
}

/* Read the first graph. */
static opevo_status read_graph(scan *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    xml_tag tag;

    while (status == OPEVO_OK && find_tag(self) && read_tag(self, &tag)) {
        if (tag.start) {
            self->depth++;
            self->keys += strcmp(tag.name, "key") == 0;
            if (!self->graph_depth && strcmp(tag.name, "graph") == 0)
                self->graph_depth = self->depth;
            else if (self->graph_depth && self->depth == self->graph_depth + 1 &&
                     strcmp(tag.name, "node") == 0)
                status = take_node(self, &tag, err);
            else if (self->graph_depth && self->depth == self->graph_depth + 1 &&
                     strcmp(tag.name, "edge") == 0)
                status = take_edge(self, &tag, err);
        }
        if (tag.end && self->depth-- == self->graph_depth) {
            self->whole = true;
            break;
        }
    }
    return status;
}

/* ---- Checks ---- */

static int compare_names(const void *a, const void *b)
{
    const mention *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(((const mention *)a)->text, ((const mention *)b)->text);
}

/* The nodes are sorted. */
static opevo_status refuse_repeated(const scan *self, opevo_error *err)
{
    for (size_t i = 1; i < self->nodes.count; i++) {
        const mention *before = &self->nodes.items[i - 1], *after = &self->nodes.items[i];

        if (strcmp(before->text, after->text) == 0)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s:%zu: the node \"%s\" is already declared in line %zu; give each "
                              "its own id.",
                              self->path, after->line, OPEVO_I_EXCERPT(after->text), before->line);
    }
    return OPEVO_OK;
}

static opevo_status refuse_undeclared(const scan *self, opevo_error *err)
{
    for (size_t i = 0; i < self->ends.count; i++) {
        const mention *end = &self->ends.items[i];

        if (!self->nodes.count || !bsearch(end, self->nodes.items, self->nodes.count,
                                           sizeof *self->nodes.items, compare_texts))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s:%zu: an edge names the node \"%s\", which the file does not "
                              "declare.",
                              self->path, end->line, OPEVO_I_EXCERPT(end->text));
    }
    return OPEVO_OK;
}

/* igraph keeps a value of every attribute for every node and edge, given or not. */
static opevo_status refuse_attributes(const scan *self, size_t size, opevo_error *err)
{
    enum { ALWAYS = 1 << 20 };
    size_t edges = self->ends.count / 2;
    double values = (double)self->keys * (double)(self->nodes.count + edges);

    if (values <= ALWAYS || values <= (double)size)
        return OPEVO_OK;
    return OPEVO_FAIL(
        err, OPEVO_LIMIT,
        "%s: %zu attributes of %zu nodes and %zu edges are more values than a file of "
        "%zu bytes may have; leave out the attributes, of which only names are used.",
        self->path, self->keys, self->nodes.count, edges, size);
}

opevo_status opevo_i_graphml_check(const opevo_i_graph_text *text, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *copy = opevo_strdup(text->data);
    scan self = {.path = text->path, .at = copy, .line = 1};

    if (!copy)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory.", text->path);
    OPEVO_TRY(read_graph(&self, err));
    OPEVO_TRY(refuse_attributes(&self, text->size, err));
    if (self.nodes.count)
        qsort(self.nodes.items, self.nodes.count, sizeof *self.nodes.items, compare_names);
    OPEVO_TRY(refuse_repeated(&self, err));
    if (self.whole)
        OPEVO_TRY(refuse_undeclared(&self, err));
cleanup:
    opevo_free(self.nodes.items);
    opevo_free(self.ends.items);
    opevo_free(copy);
    return status;
}
