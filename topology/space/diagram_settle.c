/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every node leads to the end, so that a walk which takes an arc at each node ends at an allowed
 * point, whatever it was asked for. */

#include "diagram_internal.h"

/* The vertex of a node that is nearest to a wanted one, and the number of its arc. */
static opevo_index nearest(const opevo_i_topology_level *level, uint32_t node, opevo_index wanted,
                           size_t *found)
{
    size_t low = level->starts[node], end = level->starts[node + 1], high = end;
    const opevo_i_topology_arc *arc = &level->arcs[low];
    opevo_index below = 0;

    *found = low;
    if (arc->first == OPEVO_I_ARC_INACTIVE)
        return OPEVO_INACTIVE; /* which has no other arc beside it */
    if (wanted == OPEVO_INACTIVE || wanted < arc->first)
        return arc->first;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (level->arcs[middle].first <= wanted)
            low = middle;
        else
            high = middle;
    }
    *found = low;
    arc = &level->arcs[low];
    if (wanted - arc->first < arc->count)
        return wanted;
    below = (opevo_index)arc->first + arc->count - 1;
    if (high == end || wanted - below <= level->arcs[high].first - wanted)
        return below;
    *found = high;
    return level->arcs[high].first;
}

bool opevo_diagram_settle(const opevo_diagram *diagram, opevo_index *vertices)
{
    bool stayed = true;

    for (size_t g = 0; g < diagram->group_count; g++) {
        const opevo_i_topology_group *group = &diagram->groups[g];
        uint32_t node = 0;

        for (size_t l = 0; l < group->depth; l++) {
            const opevo_i_topology_level *level = &group->levels[l];
            opevo_index *vertex = &vertices[level->parameter];
            size_t found = 0;
            opevo_index settled = nearest(level, node, *vertex, &found);

            stayed = stayed && settled == *vertex;
            *vertex = settled;
            node = level->arcs[found].node;
        }
    }
    return stayed;
}

opevo_index opevo_space_start(const opevo_space *space)
{
    const opevo_diagram *diagram = opevo_space_draws_from(space);
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    if (!diagram)
        return opevo_space_first(space);
    opevo_space_decode(space, opevo_space_first(space), vertices);
    opevo_diagram_settle(diagram, vertices);
    return opevo_space_encode(space, vertices);
}
