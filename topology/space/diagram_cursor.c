/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The successor of a point in the lexicographic order of the vertices. A parameter is advanced to
 * its next vertex that some allowed point has together with the parameters before it, and those
 * behind it return to the least such vertices. Whether there is such a point is reachability in the
 * diagram of the group, whose levels stand in another order: a level of an earlier parameter has
 * one way on, any other has all. Nodes are marked with the number of the search that met them. */

#include <opevo/diagram_cursor.h>

#include <opevo/memory.h>

#include "diagram_internal.h"

#define NO_LABEL UINT64_MAX

/* Where a parameter stands. */
typedef struct place {
    const opevo_i_topology_group *group;
    size_t level; /* not of a free parameter */
    size_t marks; /* of the group's first node */
} place;

struct opevo_diagram_cursor {
    const opevo_diagram *diagram;
    place *places; /* of each parameter */
    size_t count;
    bool begun, ended;
    uint32_t
        search; /* number of the last one; a mark of it is 2 search, or + 1 where a path ends */
    uint32_t *marks; /* group by group, level by level */
    size_t mark_count;
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
};

void opevo_diagram_cursor_destroy(opevo_diagram_cursor *cursor)
{
    if (!cursor)
        return;
    opevo_free(cursor->places);
    opevo_free(cursor->marks);
    opevo_free(cursor);
}

opevo_status opevo_diagram_cursor_create(const opevo_diagram *diagram, opevo_diagram_cursor **out,
                                         opevo_error *err)
{
    opevo_diagram_cursor *self = opevo_calloc(1, sizeof *self);
    size_t nodes = opevo_diagram_node_count(diagram), marks = 0;

    OPEVO_NEED_OR_RETURN(self, "going through the points of a space");
    self->diagram = diagram;
    self->count = opevo_space_parameter_count(diagram->space);
    self->mark_count = nodes;
    self->places = opevo_calloc(self->count, sizeof *self->places);
    self->marks = opevo_calloc(nodes + 1, sizeof *self->marks);
    if (!self->places || !self->marks) {
        opevo_diagram_cursor_destroy(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to go through the points of a space.");
    }
    for (size_t g = 0; g < diagram->group_count; g++) {
        const opevo_i_topology_group *group = &diagram->groups[g];
        size_t first = marks;

        if (group->depth == 0)
            self->places[group->free_parameter] = (place){.group = group};
        for (size_t l = 0; l < group->depth; l++) {
            self->places[group->levels[l].parameter] = (place){group, l, first};
            marks += group->levels[l].node_count;
        }
    }
    *out = self;
    return OPEVO_OK;
}

/* A search for the vertices of one parameter, given those before it. */
typedef struct search {
    opevo_diagram_cursor *cursor;
    const opevo_i_topology_group *group;
    size_t parameter, level;
    uint64_t least, found; /* labels; NO_LABEL: none */
} search;

/* The label that an earlier parameter has at a level; NO_LABEL where any will do. */
static uint64_t label_at(const search *self, size_t level)
{
    size_t parameter = self->group->levels[level].parameter;
    opevo_index vertex = self->cursor->vertices[parameter];

    if (parameter >= self->parameter)
        return NO_LABEL;
    return vertex == OPEVO_INACTIVE ? OPEVO_I_ARC_INACTIVE : (uint64_t)vertex;
}

/* The arcs of a node that lead on: [*begin, *end). */
static void arcs_on(const search *self, size_t l, uint32_t node, size_t *begin, size_t *end)
{
    const opevo_i_topology_level *level = &self->group->levels[l];
    uint64_t label = label_at(self, l);

    *begin = level->starts[node];
    *end = level->starts[node + 1];
    if (label == NO_LABEL)
        return;
    *begin = opevo_i_topology_arc_find(level, node, (uint32_t)label);
    *end = *begin == SIZE_MAX ? *begin : *begin + 1;
}

/* Whether a path leads from a node to the end. `marks` are those of its level. */
static bool completes(const search *self, size_t l, uint32_t node, uint32_t *marks)
{
    const opevo_i_topology_level *level = &self->group->levels[l];
    uint32_t dead = 2 * self->cursor->search;
    bool found = false;
    size_t begin = 0, end = 0;

    if (l == self->group->depth)
        return true;
    if (marks[node] >= dead)
        return marks[node] > dead;
    arcs_on(self, l, node, &begin, &end);
    for (size_t k = begin; k < end && !found; k++)
        found = completes(self, l + 1, level->arcs[k].node, marks + level->node_count);
    marks[node] = dead + found;
    return found;
}

/* The least label of the parameter on a path through a node at or above its level. */
static void look(search *self, size_t l, uint32_t node, uint32_t *marks)
{
    const opevo_i_topology_level *level = &self->group->levels[l];
    uint32_t met = 2 * self->cursor->search;
    size_t begin = 0, end = 0;

    if (marks[node] >= met)
        return;
    marks[node] = met;
    arcs_on(self, l, node, &begin, &end);
    for (size_t k = begin; k < end; k++) {
        const opevo_i_topology_arc *arc = &level->arcs[k];
        uint64_t label = arc->first > self->least ? arc->first : self->least;

        if (l < self->level)
            look(self, l + 1, arc->node, marks + level->node_count);
        else if (label - arc->first < arc->count && label < self->found &&
                 completes(self, l + 1, arc->node, marks + level->node_count))
            self->found = label;
    }
}

/* Give a parameter its least vertex from `least` on; false where it has none. */
static bool settle(opevo_diagram_cursor *self, size_t parameter, opevo_index least)
{
    place at = self->places[parameter];
    search one = {.cursor = self,
                  .group = at.group,
                  .parameter = parameter,
                  .level = at.level,
                  .least = (uint64_t)least,
                  .found = NO_LABEL};

    if (at.group->depth == 0) {
        self->vertices[parameter] = least;
        return least < at.group->free_size;
    }
    if (++self->search == UINT32_MAX / 2) {
        for (size_t i = 0; i < self->mark_count; i++)
            self->marks[i] = 0;
        self->search = 1;
    }
    if (at.group->levels[0].node_count > 0)
        look(&one, 0, 0, self->marks + at.marks);
    self->vertices[parameter] =
        one.found == OPEVO_I_ARC_INACTIVE ? OPEVO_INACTIVE : (opevo_index)one.found;
    return one.found != NO_LABEL;
}

bool opevo_diagram_cursor_next(opevo_diagram_cursor *cursor, const opevo_index **vertices)
{
    size_t i = cursor->begun ? cursor->count : 0;
    bool found = !cursor->begun;

    if (cursor->ended)
        return false;
    for (; !found && i > 0; i--) {
        opevo_index vertex = cursor->vertices[i - 1];

        found = vertex != OPEVO_INACTIVE && settle(cursor, i - 1, vertex + 1);
        if (found)
            break;
    }
    cursor->begun = true;
    for (; found && i < cursor->count; i++)
        found = settle(cursor, i, 0);
    cursor->ended = !found;
    *vertices = cursor->vertices;
    return found;
}
