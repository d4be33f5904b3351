/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces of listed points: beside what the constraints say, only these are allowed. The list is
 * kept and written as ascending ranges, so that neither memory nor work exceeds what its text
 * justifies. */

#include "space_internal.h"

#include <opevo/memory.h>

#include <stdlib.h>
#include <string.h>

enum { LISTED_MOST = 1 << 22 }; /* points whose constraints are looked at when they are listed */

/* Add points behind all others; equal lists of points are equal lists of ranges. */
static bool add_range(opevo_space *space, size_t *capacity, opevo_index first, opevo_index last)
{
    opevo_i_topology_range *before =
        space->range_count ? &space->ranges[space->range_count - 1] : NULL;
    void *ranges = space->ranges;
    bool room = false;

    if (before && first - before->last == 1) {
        before->last = last;
        return true;
    }
    room = opevo_reserve(&ranges, capacity, space->range_count + 1, sizeof *space->ranges);
    space->ranges = ranges;
    if (room)
        space->ranges[space->range_count++] = (opevo_i_topology_range){first, last};
    return room;
}

/* Take the points that constraints exclude off the list, unless that takes long or leaves none. */
static void narrow_list(opevo_space *space)
{
    opevo_space kept = {.ranges = NULL};
    size_t capacity = 0;
    bool room = true;

    space->list_allowed = space->constraint_count == 0;
    if (space->list_allowed || space->allowed || opevo_i_topology_points_count(space) > LISTED_MOST)
        return;
    for (size_t i = 0; i < space->range_count && room; i++) {
        for (opevo_index at = space->ranges[i].first; at <= space->ranges[i].last && room; at++)
            room = !opevo_space_allows(space, at) || add_range(&kept, &capacity, at, at);
    }
    if (!room || kept.range_count == 0) {
        opevo_free(kept.ranges);
        return;
    }
    opevo_free(space->ranges);
    space->ranges = kept.ranges;
    space->range_count = kept.range_count;
    space->list_allowed = true;
}

/* Take the points that are not listed out of the table of the constraints. */
static void narrow_table(opevo_space *space)
{
    space->allowed_count = 0;
    for (uint64_t point = 0; point < (uint64_t)space->size; point++) {
        uint64_t bit = UINT64_C(1) << (point & 63);

        if (!opevo_i_topology_points_have(space, point))
            space->allowed[point >> 6] &= ~bit;
        space->allowed_count += (space->allowed[point >> 6] & bit) != 0;
    }
}

static int compare_points(const void *a, const void *b)
{
    opevo_index x = *(const opevo_index *)a, y = *(const opevo_index *)b;

    return (x > y) - (x < y);
}

opevo_status opevo_space_restrict(opevo_space *space, opevo_index *points, size_t count,
                                  opevo_error *err)
{
    size_t capacity = 0;

    opevo_i_topology_points_release(space);
    space->ranges = NULL;
    space->range_count = 0;
    qsort(points, count, sizeof *points, compare_points);
    for (size_t i = 0; i < count; i++) {
        if ((i == 0 || points[i] != points[i - 1]) &&
            !add_range(space, &capacity, points[i], points[i]))
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the points of a space.");
    }
    narrow_list(space);
    if (space->allowed)
        narrow_table(space);
    opevo_i_topology_compiled_forget(space->compiled);
    space->listing = opevo_i_topology_listing_create(space);
    OPEVO_NEED_OR_RETURN(space->listing, "the points of a space");
    return OPEVO_OK;
}

/* The points of a wide space, whose numbers say nothing: the vertices of each, separated by commas,
 * '-' for an inactive parameter. Steps over one that ends at a blank or with the text. */
static bool read_wide(opevo_space *space, const char **at, opevo_index *point)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    for (size_t i = 0; i < space->parameter_count; i++) {
        char number[OPEVO_INDEX_TEXT_SIZE];
        size_t length = strcspn(*at, ", ");
        bool active = opevo_space_is_active(space, i, vertices);

        if (length == 0 || length >= sizeof number)
            return false;
        memcpy(number, *at, length);
        number[length] = '\0';
        vertices[i] = OPEVO_INACTIVE;
        if (active ? !opevo_index_parse(number, &vertices[i]) ||
                         vertices[i] >= opevo_parameter_size(space->parameters[i])
                   : strcmp(number, "-") != 0)
            return false;
        *at += length;
        if (i + 1 < space->parameter_count && *(*at)++ != ',')
            return false;
    }
    *point = opevo_space_encode(space, vertices);
    return *point != OPEVO_INDEX_MAX && (**at == ' ' || !**at);
}

static void write_wide(const opevo_space *space, opevo_index point, opevo_text *out)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    opevo_space_decode(space, point, vertices);
    for (size_t i = 0; i < space->parameter_count; i++) {
        opevo_text_add(out, i ? "," : "");
        if (vertices[i] == OPEVO_INACTIVE)
            opevo_text_add(out, "-");
        else
            opevo_text_add_index(out, vertices[i]);
    }
}

/* Read a number that ends at a blank, at '-' or with the text, and step over it. */
static bool read_number(const char **at, opevo_index *out)
{
    char number[OPEVO_INDEX_TEXT_SIZE];
    size_t length = strcspn(*at, "- ");

    if (length >= sizeof number)
        return false;
    memcpy(number, *at, length);
    number[length] = '\0';
    *at += length;
    return opevo_index_parse(number, out);
}

bool opevo_i_topology_points_read(opevo_space *space, const char *text)
{
    size_t capacity = 0;
    const char *at = text;

    do {
        opevo_i_topology_range range = {0, 0};

        if (space->known ? !read_wide(space, &at, &range.first) : !read_number(&at, &range.first))
            return false;
        range.last = range.first;
        if (*at == '-' && (at++, !read_number(&at, &range.last)))
            return false;
        if (range.last < range.first || range.last >= space->size ||
            (space->range_count && range.first <= space->ranges[space->range_count - 1].last) ||
            !add_range(space, &capacity, range.first, range.last))
            return false;
    } while (*at++ == ' ');
    if (at[-1])
        return false;
    narrow_list(space);
    if (space->allowed)
        narrow_table(space);
    opevo_i_topology_compiled_forget(space->compiled);
    space->listing = opevo_i_topology_listing_create(space);
    return space->listing && (!space->allowed || space->allowed_count > 0);
}

void opevo_i_topology_points_write(const opevo_space *space, opevo_text *out)
{
    for (size_t i = 0; i < space->range_count; i++) {
        const opevo_i_topology_range *range = &space->ranges[i];

        opevo_text_add(out, i ? " " : "");
        if (space->known) {
            write_wide(space, range->first, out);
            continue;
        }
        opevo_text_add_index(out, range->first);
        if (range->last == range->first)
            continue;
        opevo_text_add(out, "-");
        opevo_text_add_index(out, range->last);
    }
}
