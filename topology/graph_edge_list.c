/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edge lists. To igraph one is a stream of numbers, so that a missing end would shift all later
 * edges. */

#include "graph_text.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint64_t opevo_i_graph_vertex_limit(const opevo_i_graph_text *text)
{
    const uint64_t always = UINT64_C(1) << 16;

    return text->size > always ? text->size : always;
}

bool opevo_i_graph_vertex(const char **at, uint64_t *vertex)
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

opevo_status opevo_i_graph_text_check(const opevo_i_graph_text *text, opevo_error *err)
{
    if (strlen(text->data) == text->size)
        return OPEVO_OK;
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a text file: it holds a zero byte.",
                      text->path);
}

static opevo_status check_edge(const opevo_i_graph_text *text, const char *at, size_t line,
                               opevo_error *err)
{
    uint64_t a = 0, b = 0, limit = opevo_i_graph_vertex_limit(text);

    if (!opevo_i_graph_vertex(&at, &a) || !opevo_i_graph_vertex(&at, &b) ||
        at[strspn(at, " \t\r")] != '\0')
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s:%zu: an edge is two vertex numbers from 0, separated by a space.",
                          text->path, line);
    if (a == b)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s:%zu: an edge joins vertex %llu to itself; remove it.", text->path,
                          line, (unsigned long long)a);
    if (a >= limit || b >= limit)
        return OPEVO_FAIL(
            err, OPEVO_LIMIT,
            "%s:%zu: vertex numbers must be below %llu in a file of %zu bytes; number "
            "the vertices from 0 without gaps.",
            text->path, line, (unsigned long long)limit, text->size);
    return OPEVO_OK;
}

opevo_status opevo_i_edge_list_check(opevo_i_graph_text *text, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t line = 1;

    for (char *at = text->data; *at && status == OPEVO_OK; line++) {
        char *end = at + strcspn(at, "\n"), ended_by = *end;

        *end = '\0';
        if (*at == '#')
            memset(at, ' ', (size_t)(end - at));
        else if (at[strspn(at, " \t\r")] != '\0')
            status = check_edge(text, at, line, err);
        *end = ended_by;
        at = end + (ended_by == '\n');
    }
    return status;
}
