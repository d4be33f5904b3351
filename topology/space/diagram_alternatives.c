/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The alternatives of all parameters of an allowed point. With another vertex of a parameter, the
 * path of the point leaves it for another node, from which the vertices behind the parameter must
 * lead to the end. Whether they do is asked once for each node. */

#include "diagram_internal.h"

#include <opevo/memory.h>

enum { UNKNOWN, FITS, FAILS };

typedef struct remainders {
    const opevo_i_topology_group *group;
    const opevo_index *vertices;
    size_t *first;  /* of each level's nodes among all */
    uint8_t *known; /* of all nodes: whether the vertices from its level on fit */
} remainders;

static bool remainders_init(remainders *self, const opevo_i_topology_group *group,
                            const opevo_index *vertices)
{
    size_t nodes = 0;

    *self = (remainders){.group = group, .vertices = vertices};
    self->first = opevo_malloc(group->depth, sizeof *self->first);
    for (size_t l = 0; self->first && l < group->depth; l++) {
        self->first[l] = nodes;
        nodes += group->levels[l].node_count;
    }
    self->known = self->first ? opevo_calloc(nodes, sizeof *self->known) : NULL;
    return self->known;
}

static void remainders_release(remainders *self)
{
    opevo_free(self->first);
    opevo_free(self->known);
}

/* Sets *next to the node that the point's own vertex leads to; false where it leads to no node. */
static bool follow(const remainders *self, size_t l, uint32_t node, uint32_t *next)
{
    const opevo_i_topology_level *level = &self->group->levels[l];
    opevo_index vertex = self->vertices[level->parameter];
    size_t arc = opevo_i_topology_arc_find(level, node, opevo_i_topology_arc_label(vertex));

    if (arc == SIZE_MAX)
        return false;
    *next = level->arcs[arc].node;
    return true;
}

/* Whether the vertices from level l on lead from a node to the end; at most 1024 calls deep. */
static bool fits(const remainders *self, size_t l, uint32_t node)
{
    uint8_t *known = NULL;
    uint32_t next = 0;

    if (l == self->group->depth)
        return true;
    known = &self->known[self->first[l] + node];
    if (*known == UNKNOWN)
        *known = follow(self, l, node, &next) && fits(self, l + 1, next) ? FITS : FAILS;
    return *known == FITS;
}

/* Of the parameter of level l, at the node of the point's path. */
static size_t count_at(const remainders *self, size_t l, uint32_t node)
{
    const opevo_i_topology_level *level = &self->group->levels[l];
    opevo_index own = self->vertices[level->parameter];
    size_t count = 0;

    for (size_t k = level->starts[node]; own != OPEVO_INACTIVE && k < level->starts[node + 1];
         k++) {
        const opevo_i_topology_arc *arc = &level->arcs[k];

        if (arc->first != OPEVO_I_ARC_INACTIVE && fits(self, l + 1, arc->node))
            count += arc->count - (own >= arc->first && own - arc->first < arc->count);
    }
    return count;
}

bool opevo_diagram_count_alternatives(const opevo_diagram *diagram, const opevo_index *vertices,
                                      size_t group, size_t *counts)
{
    const opevo_i_topology_group *self = &diagram->groups[group];
    remainders rest = {0};
    uint32_t node = 0;

    if (self->depth == 0) {
        counts[self->free_parameter] =
            opevo_diagram_alternatives_of_allowed(diagram, vertices, self->free_parameter, NULL, 0);
        return true;
    }
    if (!remainders_init(&rest, self, vertices)) {
        remainders_release(&rest);
        return false;
    }
    for (size_t l = 0; l < self->depth; l++) {
        counts[self->levels[l].parameter] = count_at(&rest, l, node);
        if (!follow(&rest, l, node, &node))
            break; /* not an allowed point */
    }
    remainders_release(&rest);
    return true;
}
