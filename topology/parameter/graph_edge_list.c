/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edge lists, line by line. */

#include "graph_text.h"

#include <opevo/memory.h>

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A vertex number at *at, and step over it and the blanks before it; false when none stands there
 * or it runs into other text. */
static bool take_vertex(const char **at, uint64_t *vertex)
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

static opevo_status take_edge(const opevo_i_topology_graph_text *text, const char *at, size_t line,
                              opevo_i_topology_graph_rows *rows, opevo_error *err)
{
    const uint64_t always = UINT64_C(1) << 16;
    uint64_t limit = text->size > always ? text->size : always;
    uint64_t end[2] = {0, 0};
    void *ends = rows->ends;

    if (!take_vertex(&at, &end[0]) || !take_vertex(&at, &end[1]) ||
        !strchr("\n", at[strspn(at, " \t\r")]))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s:%zu: an edge is two vertex numbers from 0, separated by a space.",
                          text->path, line);
    if (end[0] == end[1])
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s:%zu: an edge joins vertex %llu to itself; remove it.", text->path,
                          line, (unsigned long long)end[0]);
    if (end[0] >= limit || end[1] >= limit)
        return OPEVO_FAIL(
            err, OPEVO_LIMIT,
            "%s:%zu: vertex numbers must be below %llu in a file of %zu bytes; number "
            "the vertices from 0 without gaps.",
            text->path, line, (unsigned long long)limit, text->size);
    if (!opevo_reserve(&ends, &rows->end_capacity, rows->end_count + 2, sizeof *rows->ends))
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s: no memory for the edges.", text->path);
    rows->ends = ends;
    for (int i = 0; i < 2; i++) {
        rows->ends[rows->end_count++] = (uint32_t)end[i];
        if (rows->vertices <= end[i])
            rows->vertices = (size_t)end[i] + 1;
    }
    return OPEVO_OK;
}

opevo_status opevo_i_topology_edge_list_read(const opevo_i_topology_graph_text *text,
                                             opevo_i_topology_graph_rows *rows, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const char *at = text->data;

    if (strlen(text->data) != text->size)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a text file: it holds a zero byte.",
                          text->path);
    for (size_t line = 1; *at && status == OPEVO_OK; line++) {
        if (*at != '#' && !strchr("\n", at[strspn(at, " \t\r")]))
            status = take_edge(text, at, line, rows, err);
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
    return status;
}
