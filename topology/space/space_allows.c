/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether a space allows a point. */

#include "space_internal.h"

size_t opevo_i_topology_failing(const opevo_space *space, const opevo_index *vertices, size_t none)
{
    for (size_t i = 0; i < space->constraint_count; i++) {
        const opevo_i_topology_constraint *self = &space->constraints[space->order[i]];

        if (!opevo_i_topology_constraint_holds(space, self, vertices))
            return self->last;
    }
    return none;
}

bool opevo_space_allows(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    if (space->allowed)
        return space->allowed[(uint64_t)point >> 6] >> ((uint64_t)point & 63) & 1;
    if (space->ranges && !opevo_i_topology_points_have(space, point))
        return false;
    if (!space->known && space->constraint_count == 0)
        return true;
    if (!space->known)
        opevo_space_decode(space, point, vertices);
    else if (!opevo_i_topology_known_get(space->known, point, vertices, space->parameter_count))
        return false;
    return opevo_i_topology_failing(space, vertices, SIZE_MAX) == SIZE_MAX;
}

bool opevo_space_allows_vertices(const opevo_space *space, const opevo_index *vertices)
{
    if (space->allowed || space->ranges)
        return opevo_space_allows(space, opevo_space_encode(space, vertices));
    return opevo_i_topology_failing(space, vertices, SIZE_MAX) == SIZE_MAX;
}

bool opevo_space_is_restricted(const opevo_space *space)
{
    return space->constraint_count > 0 || space->ranges;
}
