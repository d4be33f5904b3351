/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Ranks of points in a diagram, and draws by them. An arc knows the points of its node ahead of it:
 * a rank is a sum over the path, and unranking a search among the arcs of each node on it. */

#include <opevo/diagram.h>

#include "diagram_internal.h"
#include "space_internal.h"

#include <assert.h>
#include <string.h>

size_t opevo_i_topology_arc_find(const opevo_i_topology_level *level, uint32_t node,
                                 uint32_t vertex)
{
    size_t low = level->starts[node], high = level->starts[node + 1];
    size_t guess = 0;

    if (low == high || vertex < level->arcs[low].first ||
        (vertex > level->arcs[high - 1].first &&
         vertex - level->arcs[high - 1].first >= level->arcs[high - 1].count))
        return SIZE_MAX;
    guess = low + (vertex - level->arcs[low].first); /* if each vertex has an arc of its own */
    if (guess < high && level->arcs[guess].first == vertex)
        return guess;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const opevo_i_topology_arc *arc = &level->arcs[middle];

        if (vertex < arc->first)
            high = middle;
        else if (vertex - arc->first < arc->count)
            return middle;
        else
            low = middle + 1;
    }
    return SIZE_MAX;
}

/* The rank of the vertices in a group; false where it does not allow them. */
static bool rank_in(const opevo_i_topology_group *group, const opevo_index *vertices,
                    uint64_t *rank)
{
    static const uint64_t one[OPEVO_I_DIAGRAM_LIMBS_MAX] = {1};
    uint32_t node = 0;

    memset(rank, 0, group->limbs * sizeof *rank);
    if (group->levels[0].node_count == 0)
        return false;
    for (size_t l = 0; l < group->depth; l++) {
        const opevo_i_topology_level *level = &group->levels[l];
        uint32_t label = opevo_i_topology_arc_label(vertices[level->parameter]);
        size_t found = opevo_i_topology_arc_find(level, node, label);
        const opevo_i_topology_arc *arc = NULL;

        if (found == SIZE_MAX)
            return false;
        arc = &level->arcs[found];
        opevo_i_topology_natural_add_times(rank, level->before + found * group->limbs, 1,
                                           group->limbs);
        opevo_i_topology_natural_add_times(
            rank, l + 1 < group->depth ? level[1].counts + arc->node * group->limbs : one,
            label - arc->first, group->limbs);
        node = arc->node;
    }
    return true;
}

/* The last arc of a node with at most `rank` points ahead of it. */
static size_t find_ahead(const opevo_i_topology_level *level, uint32_t node, const uint64_t *rank,
                         size_t limbs)
{
    size_t low = level->starts[node], high = level->starts[node + 1];

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;

        if (opevo_i_topology_natural_compare(level->before + middle * limbs, rank, limbs) <= 0)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* How often `by` goes into `rank`, at most `most` times; the rest stays in `rank`. */
static uint32_t divide(uint64_t *rank, const uint64_t *by, uint32_t most, size_t limbs)
{
    uint64_t product[OPEVO_I_DIAGRAM_LIMBS_MAX];
    uint32_t low = 0, high = most;

    if (limbs == 1) {
        low = (uint32_t)(rank[0] / by[0]);
        rank[0] -= low * by[0];
        return low;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;

        memset(product, 0, limbs * sizeof *product);
        if (opevo_i_topology_natural_add_times(product, by, middle, limbs) == 0 &&
            opevo_i_topology_natural_compare(product, rank, limbs) <= 0)
            low = middle;
        else
            high = middle;
    }
    memset(product, 0, limbs * sizeof *product);
    opevo_i_topology_natural_add_times(product, by, low, limbs);
    opevo_i_topology_natural_subtract(rank, product, limbs);
    return low;
}

/* The vertices of a rank, which is lost. */
static void unrank_in(const opevo_i_topology_group *group, uint64_t *rank, opevo_index *vertices)
{
    static const uint64_t one[OPEVO_I_DIAGRAM_LIMBS_MAX] = {1};
    uint32_t node = 0;

    for (size_t l = 0; l < group->depth; l++) {
        const opevo_i_topology_level *level = &group->levels[l];
        size_t found = find_ahead(level, node, rank, group->limbs);
        const opevo_i_topology_arc *arc = &level->arcs[found];

        opevo_i_topology_natural_subtract(rank, level->before + found * group->limbs, group->limbs);
        vertices[level->parameter] = OPEVO_INACTIVE;
        if (arc->first != OPEVO_I_ARC_INACTIVE)
            vertices[level->parameter] =
                (opevo_index)arc->first +
                divide(rank,
                       l + 1 < group->depth ? level[1].counts + arc->node * group->limbs : one,
                       arc->count, group->limbs);
        node = arc->node;
    }
}

/* Two limbs as one number. */
static opevo_index index_of(const uint64_t *limbs, size_t size)
{
    return limbs[0] | (size > 1 ? (opevo_index)limbs[1] << 64 : 0);
}

bool opevo_diagram_rank(const opevo_diagram *diagram, const opevo_index *vertices,
                        opevo_index *rank)
{
    opevo_index sum = 0;

    for (size_t g = 0; g < diagram->group_count; g++) {
        const opevo_i_topology_group *group = &diagram->groups[g];
        uint64_t limbs[OPEVO_I_DIAGRAM_LIMBS_MAX], count[OPEVO_I_DIAGRAM_LIMBS_MAX];
        size_t size = opevo_i_topology_group_count(group, count);

        if (group->depth && !rank_in(group, vertices, limbs))
            return false;
        sum = sum * index_of(count, size) +
              (group->depth ? index_of(limbs, size) : vertices[group->free_parameter]);
    }
    *rank = sum;
    return true;
}

void opevo_diagram_unrank(const opevo_diagram *diagram, opevo_index rank, opevo_index *vertices)
{
    for (size_t g = diagram->group_count; g-- > 0;) {
        const opevo_i_topology_group *group = &diagram->groups[g];
        uint64_t limbs[OPEVO_I_DIAGRAM_LIMBS_MAX] = {0};
        size_t size = opevo_i_topology_group_count(group, limbs);
        opevo_index count = index_of(limbs, size), own = 0;

        assert(count > 0); /* otherwise no rank is below the number of points */
        own = rank % count;
        rank /= count;
        limbs[0] = (uint64_t)own;
        if (size > 1)
            limbs[1] = (uint64_t)(own >> 64);
        if (group->depth)
            unrank_in(group, limbs, vertices);
        else
            vertices[group->free_parameter] = own;
    }
}

opevo_index opevo_diagram_point(const opevo_diagram *diagram, opevo_index rank)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    opevo_diagram_unrank(diagram, rank, vertices);
    return opevo_space_encode(diagram->space, vertices);
}

/* A uniform number below `count`, which is not 0: as many bits as it has, until they are below. */
static void draw_below(const uint64_t *count, size_t size, opevo_diagram_random random,
                       void *context, uint64_t *out)
{
    uint64_t mask = 0;

    memset(out, 0, size * sizeof *out);
    while (size > 1 && count[size - 1] == 0)
        size--;
    mask = ~UINT64_C(0) >> __builtin_clzll(count[size - 1]);
    do {
        for (size_t i = 0; i < size; i++)
            out[i] = random(context);
        out[size - 1] &= mask;
    } while (opevo_i_topology_natural_compare(out, count, size) >= 0);
}

/* The same for a count of one limb. */
static uint64_t draw_below_small(uint64_t count, opevo_diagram_random random, void *context)
{
    uint64_t mask = ~UINT64_C(0) >> __builtin_clzll(count), drawn = 0;

    do
        drawn = random(context) & mask;
    while (drawn >= count);
    return drawn;
}

void opevo_diagram_draw(const opevo_diagram *diagram, opevo_diagram_random random, void *context,
                        opevo_index *vertices)
{
    for (size_t g = 0; g < diagram->group_count; g++) {
        const opevo_i_topology_group *group = &diagram->groups[g];
        uint64_t count[OPEVO_I_DIAGRAM_LIMBS_MAX], rank[OPEVO_I_DIAGRAM_LIMBS_MAX];
        size_t size = 0;

        if (group->depth == 0 && group->free_size <= UINT64_MAX) {
            vertices[group->free_parameter] =
                draw_below_small((uint64_t)group->free_size, random, context);
            continue;
        }
        size = opevo_i_topology_group_count(group, count);
        draw_below(count, size, random, context, rank);
        if (group->depth)
            unrank_in(group, rank, vertices);
        else
            vertices[group->free_parameter] = index_of(rank, size);
    }
}

opevo_index opevo_diagram_draw_point(const opevo_diagram *diagram, opevo_diagram_random random,
                                     void *context)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    opevo_diagram_draw(diagram, random, context, vertices);
    return opevo_space_encode(diagram->space, vertices);
}
