/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a diagram says of its points beside their number. A uniform point passes an arc of a node
 * that it passes with the probability (points behind the arc) / (points of the node); carrying
 * these probabilities down gives the share of the points that pass each node. */

#include "diagram_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

#define SHARES_MOST ((opevo_index)1 << 24)

/* Where a parameter stands; level SIZE_MAX: free. */
typedef struct place {
    const opevo_i_topology_group *group;
    size_t level;
} place;

static place find_place(const opevo_diagram *diagram, size_t parameter)
{
    return (place){&diagram->groups[diagram->group_of[parameter]], diagram->level_of[parameter]};
}

size_t opevo_diagram_group(const opevo_diagram *diagram, size_t parameter)
{
    return diagram->group_of[parameter];
}

size_t opevo_diagram_group_count(const opevo_diagram *diagram)
{
    return diagram->group_count;
}

static opevo_index size_of(const opevo_diagram *diagram, size_t parameter)
{
    return opevo_parameter_size(opevo_space_parameter(diagram->space, parameter));
}

/* a / b of numbers that are not 0, from their highest two limbs. */
static double ratio(const uint64_t *a, const uint64_t *b, size_t limbs)
{
    double x = 0, y = 0;

    while (limbs > 1 && b[limbs - 1] == 0)
        limbs--;
    for (size_t i = limbs; i-- > (limbs > 2 ? limbs - 3 : 0);) {
        x = x * 0x1p64 + (double)a[i];
        y = y * 0x1p64 + (double)b[i];
    }
    return x / y;
}

/* The share of a node's points behind one vertex of an arc. */
static double share_of(const opevo_i_topology_group *group, size_t l, uint32_t node,
                       const opevo_i_topology_arc *arc)
{
    static const uint64_t one[OPEVO_I_DIAGRAM_LIMBS_MAX] = {1};
    const opevo_i_topology_level *level = &group->levels[l];

    return ratio(l + 1 < group->depth ? level[1].counts + arc->node * group->limbs : one,
                 level->counts + node * group->limbs, group->limbs);
}

/* From the shares of the nodes of level `from` to those of level `to`; the array is replaced. */
static bool carry(const opevo_i_topology_group *group, size_t from, size_t to, double **shares)
{
    for (size_t l = from; l < to; l++) {
        const opevo_i_topology_level *level = &group->levels[l];
        double *next = opevo_calloc(level[1].node_count, sizeof *next);

        if (!next)
            return false;
        for (uint32_t node = 0; node < level->node_count; node++) {
            for (size_t k = level->starts[node]; k < level->starts[node + 1]; k++)
                next[level->arcs[k].node] += (*shares)[node] * level->arcs[k].count *
                                             share_of(group, l, node, &level->arcs[k]);
        }
        opevo_free(*shares);
        *shares = next;
    }
    return true;
}

/* The shares of the nodes of a level; NULL without memory. */
static double *shares_at(const opevo_i_topology_group *group, size_t level)
{
    double *shares = opevo_calloc(group->levels[0].node_count + 1u, sizeof *shares);

    if (!shares)
        return NULL;
    shares[0] = 1;
    if (!carry(group, 0, level, &shares)) {
        opevo_free(shares);
        return NULL;
    }
    return shares;
}

/* Spread the shares of the nodes of a level over its vertices. */
static void spread(const opevo_i_topology_group *group, size_t l, const double *nodes, size_t size,
                   double *shares)
{
    const opevo_i_topology_level *level = &group->levels[l];

    memset(shares, 0, (size + 1) * sizeof *shares);
    for (uint32_t node = 0; node < level->node_count; node++) {
        for (size_t k = level->starts[node]; k < level->starts[node + 1]; k++) {
            const opevo_i_topology_arc *arc = &level->arcs[k];
            size_t first = arc->first == OPEVO_I_ARC_INACTIVE ? size : arc->first;
            double share = nodes[node] * share_of(group, l, node, arc);

            for (uint32_t i = 0; i < arc->count; i++)
                shares[first + i] += share;
        }
    }
}

static opevo_status no_memory(opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the shares of values.");
}

opevo_status opevo_diagram_shares(const opevo_diagram *diagram, size_t parameter, double *shares,
                                  opevo_error *err)
{
    place at = find_place(diagram, parameter);
    opevo_index size = size_of(diagram, parameter);
    double *nodes = NULL;

    if (size > SHARES_MOST)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "Parameter %s has more than 2^24 values.",
                          opevo_parameter_name(opevo_space_parameter(diagram->space, parameter)));
    if (at.level == SIZE_MAX) {
        for (size_t vertex = 0; vertex < (size_t)size; vertex++)
            shares[vertex] = 1 / (double)size;
        shares[(size_t)size] = 0;
        return OPEVO_OK;
    }
    nodes = shares_at(at.group, at.level);
    if (!nodes)
        return no_memory(err);
    spread(at.group, at.level, nodes, (size_t)size, shares);
    opevo_free(nodes);
    return OPEVO_OK;
}

/* The shares of the nodes below a level, of the points that have a label there. */
static double *with_label(const opevo_i_topology_group *group, size_t l, const double *nodes,
                          uint32_t label)
{
    const opevo_i_topology_level *level = &group->levels[l];
    double *next = opevo_calloc(level[1].node_count, sizeof *next);

    for (uint32_t node = 0; next && node < level->node_count; node++) {
        size_t found = opevo_i_topology_arc_find(level, node, label);

        if (found != SIZE_MAX)
            next[level->arcs[found].node] +=
                nodes[node] * share_of(group, l, node, &level->arcs[found]);
    }
    return next;
}

/* Both in one group, `a` above `b`. */
static opevo_status tied_pairs(const opevo_diagram *diagram, place a, place b, size_t size_a,
                               size_t size_b, double *shares, opevo_error *err)
{
    double *nodes = shares_at(a.group, a.level);
    opevo_status status = OPEVO_OK;

    (void)diagram;
    if (!nodes)
        return no_memory(err);
    for (size_t u = 0; u <= size_a && status == OPEVO_OK; u++) {
        double *below =
            with_label(a.group, a.level, nodes, u == size_a ? OPEVO_I_ARC_INACTIVE : (uint32_t)u);

        if (below && carry(a.group, a.level + 1, b.level, &below))
            spread(b.group, b.level, below, size_b, shares + u * (size_b + 1));
        else
            status = no_memory(err);
        opevo_free(below);
    }
    opevo_free(nodes);
    return status;
}

static void transpose(const double *from, size_t rows, size_t columns, double *to)
{
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++)
            to[j * rows + i] = from[i * columns + j];
    }
}

/* In different groups parameters are independent. */
static opevo_status free_pairs(const opevo_diagram *diagram, size_t a, size_t b, size_t size_a,
                               size_t size_b, double *shares, opevo_error *err)
{
    double *left = opevo_malloc(size_a + 1, sizeof *left);
    double *right = opevo_malloc(size_b + 1, sizeof *right);
    opevo_status status = OPEVO_OK;

    if (!left || !right) {
        status = no_memory(err);
        goto cleanup;
    }
    OPEVO_TRY(opevo_diagram_shares(diagram, a, left, err));
    OPEVO_TRY(opevo_diagram_shares(diagram, b, right, err));
    for (size_t u = 0; u <= size_a; u++) {
        for (size_t v = 0; v <= size_b; v++)
            shares[u * (size_b + 1) + v] = left[u] * right[v];
    }
cleanup:
    opevo_free(left);
    opevo_free(right);
    return status;
}

opevo_status opevo_diagram_pair_shares(const opevo_diagram *diagram, size_t a, size_t b,
                                       double *shares, opevo_error *err)
{
    place at_a = find_place(diagram, a), at_b = find_place(diagram, b);
    opevo_index size_a = size_of(diagram, a), size_b = size_of(diagram, b);
    size_t rows = 0, columns = 0;
    double *turned = NULL;
    opevo_status status = OPEVO_OK;

    if (size_a > SHARES_MOST || size_b > SHARES_MOST || (size_a + 1) * (size_b + 1) > SHARES_MOST)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "Parameters %s and %s have more than 2^24 pairs.",
                          opevo_parameter_name(opevo_space_parameter(diagram->space, a)),
                          opevo_parameter_name(opevo_space_parameter(diagram->space, b)));
    rows = (size_t)size_a;
    columns = (size_t)size_b;
    if (at_a.group != at_b.group)
        return free_pairs(diagram, a, b, rows, columns, shares, err);
    if (at_a.level < at_b.level)
        return tied_pairs(diagram, at_a, at_b, rows, columns, shares, err);
    turned = opevo_malloc((rows + 1) * (columns + 1), sizeof *turned);
    if (!turned)
        return no_memory(err);
    status = tied_pairs(diagram, at_b, at_a, columns, rows, turned, err);
    if (status == OPEVO_OK)
        transpose(turned, columns + 1, rows + 1, shares);
    opevo_free(turned);
    return status;
}

bool opevo_diagram_occurs(const opevo_diagram *diagram, size_t parameter, opevo_index vertex)
{
    place at = find_place(diagram, parameter);
    const opevo_i_topology_level *level = NULL;

    if (at.level == SIZE_MAX)
        return vertex < at.group->free_size;
    level = &at.group->levels[at.level];
    for (uint32_t node = 0; node < level->node_count; node++) {
        if (opevo_i_topology_arc_find(level, node,
                                      vertex == OPEVO_INACTIVE ? OPEVO_I_ARC_INACTIVE
                                                               : (uint32_t)vertex) != SIZE_MAX)
            return true;
    }
    return false;
}

/* ---- Neighbours ---- */

/* The node that the vertices lead to from a node of level `from`; false where there is no path. */
static bool follow(const opevo_i_topology_group *group, size_t from, size_t to,
                   const opevo_index *vertices, uint32_t *node)
{
    for (size_t l = from; l < to; l++) {
        const opevo_i_topology_level *level = &group->levels[l];
        opevo_index vertex = vertices[level->parameter];
        size_t found = opevo_i_topology_arc_find(
            level, *node, vertex == OPEVO_INACTIVE ? OPEVO_I_ARC_INACTIVE : (uint32_t)vertex);

        if (found == SIZE_MAX)
            return false;
        *node = level->arcs[found].node;
    }
    return true;
}

/* The bits of the vertices from level `from` on, as nodes of that level know them. */
static size_t bits_behind(const opevo_i_topology_group *group, size_t from,
                          const opevo_index *vertices, uint64_t *bits)
{
    size_t known = from < group->depth ? opevo_i_topology_reach(group, from) : 0;

    for (size_t k = 0; k < known; k++)
        bits[k] = opevo_i_topology_arc_bit(
            opevo_i_topology_arc_label(vertices[group->levels[from + k].parameter]));
    return known;
}

/* Whether a node may have a path of vertices with these bits: false where it has none. */
static bool may_reach(const opevo_i_topology_level *level, uint32_t node, const uint64_t *bits,
                      size_t known)
{
    for (size_t k = 0; k < known; k++) {
        if (!(level->reach[node * known + k] & bits[k]))
            return false;
    }
    return true;
}

/* Whether all other groups allow the vertices. */
static bool others_allow(const opevo_diagram *diagram, const opevo_i_topology_group *but,
                         const opevo_index *vertices)
{
    for (size_t g = 0; g < diagram->group_count; g++) {
        const opevo_i_topology_group *group = &diagram->groups[g];
        uint32_t node = 0;

        if (group != but && group->depth &&
            (group->levels[0].node_count == 0 || !follow(group, 0, group->depth, vertices, &node)))
            return false;
    }
    return true;
}

/* Add `count` vertices from `first` on, less one; returns how many there are, written or not. */
static size_t add_vertices(opevo_index first, opevo_index count, opevo_index but, opevo_index *out,
                           size_t capacity, size_t before)
{
    opevo_index more = count - (but >= first && but - first < count);
    size_t written = before;

    for (opevo_index i = 0; i < count && written < capacity; i++) {
        if (first + i != but)
            out[written++] = first + i;
    }
    return more < SIZE_MAX / 2 - before ? before + (size_t)more : SIZE_MAX / 2;
}

size_t opevo_diagram_alternatives(const opevo_diagram *diagram, const opevo_index *vertices,
                                  size_t parameter, opevo_index *out, size_t capacity)
{
    return others_allow(diagram, find_place(diagram, parameter).group, vertices)
               ? opevo_diagram_alternatives_of_allowed(diagram, vertices, parameter, out, capacity)
               : 0;
}

size_t opevo_diagram_alternatives_of_allowed(const opevo_diagram *diagram,
                                             const opevo_index *vertices, size_t parameter,
                                             opevo_index *out, size_t capacity)
{
    place at = find_place(diagram, parameter);
    const opevo_i_topology_level *level = NULL;
    uint64_t bits[OPEVO_I_DIAGRAM_REACH];
    size_t count = 0, known = 0;
    uint32_t node = 0;

    if (vertices[parameter] == OPEVO_INACTIVE)
        return 0;
    if (at.level == SIZE_MAX)
        return add_vertices(0, at.group->free_size, vertices[parameter], out, capacity, 0);
    level = &at.group->levels[at.level];
    if (level->node_count == 0 || !follow(at.group, 0, at.level, vertices, &node))
        return 0;
    known = bits_behind(at.group, at.level + 1, vertices, bits);
    for (size_t k = level->starts[node]; k < level->starts[node + 1]; k++) {
        const opevo_i_topology_arc *arc = &level->arcs[k];
        uint32_t below = arc->node;

        if (arc->first != OPEVO_I_ARC_INACTIVE && may_reach(level + 1, below, bits, known) &&
            follow(at.group, at.level + 1, at.group->depth, vertices, &below))
            count = add_vertices(arc->first, arc->count, vertices[parameter], out, capacity, count);
    }
    return count;
}
