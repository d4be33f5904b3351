/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether a diagram is one: what counting and drawing rely on. That it allows the points of its
 * space is for those who can list them to check. */

#include "diagram_internal.h"

#include <string.h>

static bool is_arc_sound(const opevo_i_topology_group *group, size_t l, const opevo_space *space,
                         const opevo_i_topology_arc *arc, const opevo_i_topology_arc *last)
{
    const opevo_i_topology_level *level = &group->levels[l];
    uint64_t size = (uint64_t)opevo_parameter_size(opevo_space_parameter(space, level->parameter));
    uint32_t below = l + 1 < group->depth ? level[1].node_count : 1;

    if (arc->count == 0 || arc->node >= below)
        return false;
    if (arc->first == OPEVO_I_ARC_INACTIVE)
        return !last && arc->count == 1 &&
               opevo_space_activation(space, level->parameter).parent != OPEVO_NO_PARENT;
    if ((uint64_t)arc->first + arc->count > size)
        return false;
    if (!last)
        return true;
    return last->first != OPEVO_I_ARC_INACTIVE && last->first + last->count <= arc->first &&
           (last->node != arc->node || last->first + last->count < arc->first);
}

/* Arcs in order, counts that are the sums of those below, and the vertices behind the node. */
static bool is_node_sound(const opevo_i_topology_group *group, size_t l, const opevo_space *space,
                          uint32_t node)
{
    const uint64_t one[OPEVO_I_DIAGRAM_LIMBS_MAX] = {1};
    const opevo_i_topology_level *level = &group->levels[l];
    size_t limbs = group->limbs, bytes = limbs * sizeof(uint64_t);
    uint64_t sum[OPEVO_I_DIAGRAM_LIMBS_MAX] = {0};
    uint64_t reach[OPEVO_I_DIAGRAM_REACH] = {0};
    size_t known = opevo_i_topology_reach(group, l);
    const opevo_i_topology_arc *last = NULL;

    for (size_t k = level->starts[node]; k < level->starts[node + 1]; k++) {
        const opevo_i_topology_arc *arc = &level->arcs[k];

        if (!is_arc_sound(group, l, space, arc, last) ||
            memcmp(sum, level->before + k * limbs, bytes) != 0)
            return false;
        opevo_i_topology_natural_add_times(
            sum, l + 1 < group->depth ? level[1].counts + arc->node * limbs : one, arc->count,
            limbs);
        opevo_i_topology_reach_by(group, l, arc, reach);
        last = arc;
    }
    return last && memcmp(sum, level->counts + node * limbs, bytes) == 0 &&
           memcmp(reach, level->reach + node * known, known * sizeof *reach) == 0;
}

bool opevo_diagram_is_sound(const opevo_diagram *diagram)
{
    for (size_t g = 0; g < diagram->group_count; g++) {
        const opevo_i_topology_group *group = &diagram->groups[g];

        for (size_t l = 0; l < group->depth; l++) {
            for (uint32_t node = 0; node < group->levels[l].node_count; node++) {
                if (!is_node_sound(group, l, diagram->space, node))
                    return false;
            }
        }
    }
    return true;
}
