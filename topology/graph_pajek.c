/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Pajek files, line by line. igraph takes a quote that is not closed for a part of the label, and
 * what a cut matrix lacks for zeros. With no more than a warning, 0.10.15 ends the graph at a blank
 * line, which 0.10.2 reads over, and skips a section that it does not know,
 * which 0.10.2 refuses. */

#include "graph_text.h"

#include <opevo/memory.h>

#include "value_text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum section { NONE, VERTICES, EDGES, LISTS, MATRIX } section;

typedef struct pajek {
    const char *path;
    uint64_t limit; /* of vertices */
    size_t line;
    section section;
    size_t vertices_line, matrix_line;
    uint64_t count;      /* of vertices, as *Vertices says */
    uint64_t first_mode; /* of a network of two modes: the vertices of the first; else 0 */
    uint64_t listed;     /* vertices with a line of their own */
    char *seen;          /* for each vertex whether it has */
    uint64_t rows;       /* of the matrix so far */
} pajek;

/* A number from 1 to the number of vertices. */
static bool read_vertex(const pajek *self, const char **at, uint64_t *vertex)
{
    return opevo_i_graph_vertex(at, vertex) && *vertex >= 1 && *vertex <= self->count;
}

static bool line_ends(const char *at)
{
    at += strspn(at, " \t");
    return *at == '\0' || *at == '\r' || *at == '\n';
}

static opevo_status refuse_numbers(const pajek *self, const char *what, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%zu: %s from 1 to %llu.", self->path, self->line,
                      what, (unsigned long long)self->count);
}

static opevo_status refuse_loop(const pajek *self, uint64_t vertex, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%zu: an edge joins vertex %llu to itself; remove it.",
                      self->path, self->line, (unsigned long long)vertex);
}

/* ---- Lines ---- */

static opevo_status check_vertex(pajek *self, const char *at, opevo_error *err)
{
    uint64_t vertex = 0;
    size_t length = 0, quotes = 0;

    if (!read_vertex(self, &at, &vertex))
        return refuse_numbers(self, "a vertex is a label after a number", err);
    if (self->seen[vertex - 1])
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%zu: vertex %llu is listed twice.", self->path,
                          self->line, (unsigned long long)vertex);
    self->seen[vertex - 1] = 1;
    self->listed++;
    at += strspn(at, " \t");
    for (; at[length] && !strchr("\r\n", at[length]); length++)
        quotes += at[length] == '"';
    if (quotes % 2 == 0)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%zu: the quotes of %s are not closed.", self->path,
                      self->line, OPEVO_I_EXCERPT_BYTES(at, length));
}

static opevo_status check_edge(const pajek *self, const char *at, opevo_error *err)
{
    uint64_t a = 0, b = 0;

    if (!read_vertex(self, &at, &a) || !read_vertex(self, &at, &b))
        return refuse_numbers(self, "an edge is two vertex numbers", err);
    return a == b ? refuse_loop(self, a, err) : OPEVO_OK;
}

/* A vertex and its neighbours. */
static opevo_status check_list(const pajek *self, const char *at, opevo_error *err)
{
    uint64_t a = 0, b = 0;
    bool valid = read_vertex(self, &at, &a);

    while (valid && !line_ends(at)) {
        valid = read_vertex(self, &at, &b);
        if (valid && a == b)
            return refuse_loop(self, a, err);
    }
    return valid ? OPEVO_OK : refuse_numbers(self, "a list of edges holds vertex numbers", err);
}

/* A matrix has a row and a column for each vertex; with two modes the first are the rows, the
 * second the columns. */
static uint64_t row_count(const pajek *self)
{
    return self->first_mode ? self->first_mode : self->count;
}

static uint64_t column_count(const pajek *self)
{
    return self->count - self->first_mode;
}

static opevo_status refuse_matrix(const pajek *self, size_t line, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%zu: *Matrix needs %llu rows of %llu numbers.",
                      self->path, line, (unsigned long long)row_count(self),
                      (unsigned long long)column_count(self));
}

static opevo_status check_row(pajek *self, const char *at, opevo_error *err)
{
    uint64_t columns = 0;

    self->rows++;
    for (; !line_ends(at); columns++) {
        char *end = NULL;
        double weight = strtod(at, &end);

        if (end == at)
            return refuse_matrix(self, self->line, err);
        if (weight != 0 && !self->first_mode && columns + 1 == self->rows)
            return refuse_loop(self, self->rows, err);
        at = end;
    }
    if (columns != column_count(self) || self->rows > row_count(self))
        return refuse_matrix(self, self->line, err);
    return OPEVO_OK;
}

/* ---- Sections ---- */

static opevo_status begin_vertices(pajek *self, const char *at, opevo_error *err)
{
    uint64_t first = 0;

    self->vertices_line = self->line;
    if (!opevo_i_graph_vertex(&at, &self->count) || self->count > self->limit)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "%s:%zu: *Vertices must be followed by their number, at most %llu in a "
                          "file of this size.",
                          self->path, self->line, (unsigned long long)self->limit);
    if (opevo_i_graph_vertex(&at, &first) && first < self->count)
        self->first_mode = first;
    self->seen = opevo_calloc(self->count, 1);
    if (!self->seen)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the vertices.", self->path);
    return OPEVO_OK;
}

static opevo_status end_section(const pajek *self, opevo_error *err)
{
    if (self->section == VERTICES && self->listed && self->listed < self->count)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s:%zu: *Vertices says %llu, but %llu are listed; list all or none.",
                          self->path, self->vertices_line, (unsigned long long)self->count,
                          (unsigned long long)self->listed);
    if (self->section == MATRIX && self->rows < row_count(self))
        return refuse_matrix(self, self->matrix_line, err);
    return OPEVO_OK;
}

/* Nothing but the name of the network may stand before the vertices. */
static opevo_status refuse_before_vertices(const pajek *self, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s:%zu: igraph cannot read the graph: *Vertices and their number must come "
                      "first.",
                      self->path, self->line);
}

static opevo_status refuse_section(const pajek *self, const char *at, size_t length,
                                   opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s:%zu: the section %s is not one of *Edges, *Arcs, *Edgeslist, *Arcslist "
                      "and *Matrix after *Vertices; remove it.",
                      self->path, self->line, OPEVO_I_EXCERPT_BYTES(at, length));
}

/* A line that begins with an asterisk. */
static opevo_status begin_section(pajek *self, const char *at, opevo_error *err)
{
    static const struct {
        const char *name;
        section section;
    } known[] = {{"*vertices", VERTICES}, {"*edgeslist", LISTS}, {"*arcslist", LISTS},
                 {"*edges", EDGES},       {"*arcs", EDGES},      {"*matrix", MATRIX}};
    size_t length = strcspn(at, " \t\r\n");
    opevo_status status = end_section(self, err);

    if (status != OPEVO_OK)
        return status;
    self->section = NONE;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (length == strlen(known[i].name) && strncasecmp(at, known[i].name, length) == 0)
            self->section = known[i].section;
    if (self->section == MATRIX) {
        self->matrix_line = self->line;
        self->rows = 0;
    }
    if (!self->vertices_line) {
        if (self->section == VERTICES)
            return begin_vertices(self, at + length, err);
        self->section = NONE;
        return (length == 4 || length == 8) && strncasecmp(at, "*network", length) == 0
                   ? OPEVO_OK
                   : refuse_before_vertices(self, err);
    }
    if (self->section == NONE || self->section == VERTICES)
        return refuse_section(self, at, length, err);
    return OPEVO_OK;
}

static bool is_silent(const char *at)
{
    at += strspn(at, " \t");
    return line_ends(at) || *at == '%';
}

static opevo_status check_line(pajek *self, const char *at, opevo_error *err)
{
    if (is_silent(at))
        return OPEVO_OK;
    at += strspn(at, " \t");
    if (*at == '*')
        return begin_section(self, at, err);
    switch (self->section) {
    case VERTICES:
        return check_vertex(self, at, err);
    case EDGES:
        return check_edge(self, at, err);
    case LISTS:
        return check_list(self, at, err);
    case MATRIX:
        return check_row(self, at, err);
    case NONE:
        break;
    }
    return refuse_before_vertices(self, err);
}

/* The line behind the one at `at`. */
static char *next_line(char *at)
{
    at += strcspn(at, "\r\n");
    if (at[0] == '\r' && at[1] == '\n')
        at++;
    return at + (*at != '\0');
}

/* Lines end with \n alone, also the last, and blank ones become comments, which all versions of
 * igraph read alike. */
static opevo_status rewrite(opevo_i_graph_text *text, opevo_error *err)
{
    char *clean = opevo_malloc(text->size + 1, 2);
    size_t size = 0;

    if (!clean)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the graph.", text->path);
    for (char *at = text->data; *at; at = next_line(at)) {
        size_t length = is_silent(at) ? 0 : strcspn(at, "\r\n");

        memcpy(clean + size, at, length);
        size += length;
        if (length == 0)
            clean[size++] = '%';
        clean[size++] = '\n';
    }
    clean[size] = '\0';
    opevo_free(text->data);
    text->data = clean;
    text->size = size;
    return OPEVO_OK;
}

opevo_status opevo_i_pajek_check(opevo_i_graph_text *text, opevo_error *err)
{
    pajek self = {.path = text->path, .limit = opevo_i_graph_vertex_limit(text)};
    opevo_status status = OPEVO_OK;

    for (char *at = text->data; *at; at = next_line(at)) {
        self.line++;
        OPEVO_TRY(check_line(&self, at, err));
    }
    OPEVO_TRY(end_section(&self, err));
    OPEVO_TRY(rewrite(text, err));
cleanup:
    opevo_free(self.seen);
    return status;
}
