/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The nearest allowed point: a shortest path through the diagram of each group, whose arcs cost how
 * far their nearest vertex is from the wanted one. Sums are doubles, which are exact up to 2^53. */

#include "diagram_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

/* The vertex of an arc that is nearest to the wanted one, and how far that is. */
static double nearest_in(const opevo_i_topology_arc *arc, opevo_index wanted, opevo_index *vertex)
{
    opevo_index last = (opevo_index)arc->first + arc->count - 1;

    *vertex = wanted < arc->first ? arc->first : wanted > last ? last : wanted;
    return (double)(*vertex > wanted ? *vertex - wanted : wanted - *vertex);
}

/* The arc of a node with the shortest way on, the last of equals. */
static size_t best_arc(const opevo_i_topology_level *level, uint32_t node, const double *next,
                       opevo_index wanted, double *cost)
{
    size_t best = level->starts[node];

    *cost = INFINITY;
    for (size_t k = level->starts[node]; k < level->starts[node + 1]; k++) {
        opevo_index vertex = 0;
        double one =
            nearest_in(&level->arcs[k], wanted, &vertex) + (next ? next[level->arcs[k].node] : 0);

        if (one <= *cost) {
            *cost = one;
            best = k;
        }
    }
    return best;
}

/* What it costs from each node to the end, level by level; false without memory. */
static bool measure(const opevo_i_topology_group *group, const opevo_index *wanted, double **costs)
{
    for (size_t l = group->depth; l-- > 0;) {
        const opevo_i_topology_level *level = &group->levels[l];

        costs[l] = opevo_malloc(level->node_count, sizeof **costs);
        if (!costs[l])
            return false;
        for (uint32_t node = 0; node < level->node_count; node++)
            best_arc(level, node, l + 1 < group->depth ? costs[l + 1] : NULL,
                     wanted[level->parameter], &costs[l][node]);
    }
    return true;
}

static bool find_in(const opevo_i_topology_group *group, const opevo_index *wanted,
                    opevo_index *vertices)
{
    double **costs = opevo_calloc(group->depth, sizeof *costs);
    bool found = costs && group->levels[0].node_count > 0 && measure(group, wanted, costs);
    uint32_t node = 0;

    for (size_t l = 0; l < group->depth && found; l++) {
        const opevo_i_topology_level *level = &group->levels[l];
        double cost = 0;
        size_t arc = best_arc(level, node, l + 1 < group->depth ? costs[l + 1] : NULL,
                              wanted[level->parameter], &cost);

        nearest_in(&level->arcs[arc], wanted[level->parameter], &vertices[level->parameter]);
        node = level->arcs[arc].node;
    }
    for (size_t l = 0; costs && l < group->depth; l++)
        opevo_free(costs[l]);
    opevo_free(costs);
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
