/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether a diagram allows a point: one path for each group, as far as it goes. */

#include "diagram_internal.h"

bool opevo_diagram_allows_asked(const opevo_diagram *diagram, opevo_diagram_vertex vertex,
                                void *context)
{
    for (size_t g = 0; g < diagram->group_count; g++) {
        const opevo_i_topology_group *group = &diagram->groups[g];
        uint32_t node = 0;

        if (group->depth && group->levels[0].node_count == 0)
            return false;
        for (size_t l = 0; l < group->depth; l++) {
            const opevo_i_topology_level *level = &group->levels[l];
            opevo_index asked = vertex(context, level->parameter);
            size_t found =
                opevo_i_topology_arc_find(level, node, opevo_i_topology_arc_label(asked));

            if (found == SIZE_MAX)
                return false;
            node = level->arcs[found].node;
        }
    }
    return true;
}

static opevo_index vertex_of(void *context, size_t parameter)
{
    return (*(const opevo_index *const *)context)[parameter];
}

bool opevo_diagram_allows(const opevo_diagram *diagram, const opevo_index *vertices)
{
    return opevo_diagram_allows_asked(diagram, vertex_of, (void *)&vertices);
}
