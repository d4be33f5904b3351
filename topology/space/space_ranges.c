/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The list of the allowed points of a space as ascending ranges: what is in it. */

#include "space_internal.h"

#include <opevo/memory.h>

void opevo_i_topology_points_release(opevo_space *space)
{
    opevo_i_topology_listing_destroy(space->listing);
    space->listing = NULL;
    opevo_free(space->ranges);
}

bool opevo_i_topology_points_have(const opevo_space *space, opevo_index point)
{
    size_t low = 0, high = space->range_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (space->ranges[middle].last < point)
            low = middle + 1;
        else
            high = middle;
    }
    return low < space->range_count && space->ranges[low].first <= point;
}

opevo_index opevo_i_topology_points_count(const opevo_space *space)
{
    opevo_index count = 0;

    for (size_t i = 0; i < space->range_count; i++)
        count += space->ranges[i].last - space->ranges[i].first + 1;
    return count;
}
