/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The nearest allowed point: a shortest path through the diagram of each group, whose arcs cost how
 * far their nearest vertex is from the wanted one, and nothing where the parameter is inactive.
 * From a node the arcs are followed from the nearest one on, as long as they are within what is
 * left of the shortest way so far; what is found out of a node is kept. A group has at most 1024
 * levels of less than 2^32 vertices, so that sums fit 64 bits. */

#include "diagram_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum { SHORT = 64, LONGER = 4 }; /* ways of up to 64 are looked for first, then of 256, ... */

#define TOO_FAR ((int64_t)1 << 62) /* farther than any vertex */

/* What is known of a node: 0: nothing; c + 1: the way to the end costs c, and begins with `arc`;
 * -(b + 1): it costs more than b. */
typedef struct way {
    int64_t known;
    size_t arc;
} way;

typedef struct search {
    const opevo_i_topology_group *group;
    const opevo_index *wanted;
    way **ways; /* of each level's nodes */
} search;

/* The arcs of a node by their distance from the wanted vertex: those from `above` on to one side,
 * those below `below` to the other. */
typedef struct arcs {
    const opevo_i_topology_arc *arcs;
    uint32_t wanted;
    size_t begin, below, above, end;
} arcs;

static arcs arcs_of(const search *self, size_t l, uint32_t node)
{
    const opevo_i_topology_level *level = &self->group->levels[l];
    arcs out = {.arcs = level->arcs,
                .wanted = (uint32_t)self->wanted[level->parameter],
                .begin = level->starts[node],
                .end = level->starts[node + 1]};
    size_t low = out.begin, high = out.end;

    while (low < high) { /* the first arc that does not end below the wanted vertex */
        size_t middle = low + (high - low) / 2;

        if (out.arcs[middle].first < out.wanted &&
            out.wanted - out.arcs[middle].first >= out.arcs[middle].count)
            low = middle + 1;
        else
            high = middle;
    }
    out.below = out.above = low;
    return out;
}

/* The next arc, and how far it is; false behind the last one. */
static inline bool next_arc(arcs *self, size_t *arc, int64_t *distance)
{
    int64_t wanted = self->wanted, below = TOO_FAR, above = TOO_FAR;

    if (self->above < self->end && self->arcs[self->above].first == OPEVO_I_ARC_INACTIVE) {
        *arc = self->above++;
        *distance = 0;
        return true;
    }
    if (self->below > self->begin) {
        const opevo_i_topology_arc *last = &self->arcs[self->below - 1];

        below = wanted - ((int64_t)last->first + last->count - 1);
    }
    if (self->above < self->end) {
        above = (int64_t)self->arcs[self->above].first - wanted;
        above = above > 0 ? above : 0;
    }
    if (above <= below) {
        *arc = self->above++;
        *distance = above;
    } else {
        *arc = --self->below;
        *distance = below;
    }
    return *distance < TOO_FAR;
}

/* What is known of a node without following its arcs: how far the wanted vertex is from the range
 * of those that it has. */
static int64_t least_cost(const search *self, size_t l, uint32_t node)
{
    const opevo_i_topology_level *level = &self->group->levels[l];
    const opevo_i_topology_arc *first = &level->arcs[level->starts[node]];
    const opevo_i_topology_arc *last = &level->arcs[level->starts[node + 1] - 1];
    int64_t wanted = (int64_t)self->wanted[level->parameter];
    int64_t below = (int64_t)first->first - wanted;
    int64_t above = wanted - ((int64_t)last->first + last->count - 1);

    if (first->first == OPEVO_I_ARC_INACTIVE)
        return 0;
    return below > 0 ? below : above > 0 ? above : 0;
}

/* What it costs from a node to the end, at most `most`; TOO_FAR: more. Among equal ways that with
 * the last arc. */
static int64_t measure(search *self, size_t l, uint32_t node, int64_t most)
{
    way *here = &self->ways[l][node];
    bool last = l + 1 == self->group->depth, found = false;
    int64_t best = most, distance = 0;
    size_t arc = 0;
    arcs left = {0};

    if (here->known > 0)
        return here->known - 1 <= most ? here->known - 1 : TOO_FAR;
    if ((here->known < 0 && most <= -here->known - 1) || least_cost(self, l, node) > most)
        return TOO_FAR;
    left = arcs_of(self, l, node);
    while (next_arc(&left, &arc, &distance) && distance <= best) {
        int64_t cost =
            distance + (last ? 0 : measure(self, l + 1, left.arcs[arc].node, best - distance));

        if (cost < best || (cost == best && (!found || arc > here->arc))) {
            best = cost;
            here->arc = arc;
            found = true;
        }
    }
    here->known = found ? best + 1 : -(most + 1);
    return found ? best : TOO_FAR;
}

/* The vertex of an arc that is nearest to the wanted one. */
static opevo_index nearest_in(const opevo_i_topology_arc *arc, opevo_index wanted)
{
    opevo_index last = (opevo_index)arc->first + arc->count - 1;

    if (arc->first == OPEVO_I_ARC_INACTIVE)
        return OPEVO_INACTIVE;
    return wanted < arc->first ? arc->first : wanted > last ? last : wanted;
}

static bool find_in(const opevo_i_topology_group *group, const opevo_index *wanted,
                    opevo_index *vertices)
{
    search self = {.group = group, .wanted = wanted};
    bool found = group->levels[0].node_count > 0;
    uint32_t node = 0;

    self.ways = opevo_calloc(group->depth, sizeof(way *));
    for (size_t l = 0; self.ways && l < group->depth && found; l++) {
        self.ways[l] = opevo_calloc(group->levels[l].node_count, sizeof(way));
        found = self.ways[l] != NULL;
    }
    found = found && self.ways;
    /* Short ways first, so that what is far off is not looked at. */
    for (int64_t most = SHORT; found && measure(&self, 0, 0, most) == TOO_FAR;)
        most *= LONGER;
    for (size_t l = 0; l < group->depth && found; l++) {
        const opevo_i_topology_level *level = &group->levels[l];
        const opevo_i_topology_arc *arc = &level->arcs[self.ways[l][node].arc];

        vertices[level->parameter] = nearest_in(arc, wanted[level->parameter]);
        node = arc->node;
    }
    for (size_t l = 0; self.ways && l < group->depth; l++)
        opevo_free(self.ways[l]);
    opevo_free(self.ways);
    return found;
}

bool opevo_diagram_nearest(const opevo_diagram *diagram, const opevo_index *wanted,
                           opevo_index *vertices)
{
    opevo_index found[OPEVO_SPACE_PARAMETERS_MAX];

    for (size_t g = 0; g < diagram->group_count; g++) {
        const opevo_i_topology_group *group = &diagram->groups[g];

        if (group->depth == 0)
            found[group->free_parameter] = wanted[group->free_parameter];
        else if (!find_in(group, wanted, found))
            return false;
    }
    memcpy(vertices, found, opevo_space_parameter_count(diagram->space) * sizeof *vertices);
    return true;
}
