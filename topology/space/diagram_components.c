/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Components from the end of a diagram to its root. The points below a node are the pairs of a
 * vertex v and a point below the arc of v. Those with one v are connected as they are below the
 * arc; and (v, s) and (u, s) are neighbours if v and u are. So the components of a node are those
 * of the graph whose vertices are the pairs of v and a component below its arc, two of them
 * adjacent if v and u are and the components have a point in common. A component is kept as such
 * pairs, which is a diagram again: whether two have a point in common is a walk down both at once,
 * with a memory of what was found. */

#include <opevo/diagram_components.h>

#include <opevo/hash.h>
#include <opevo/memory.h>

#include "diagram_internal.h"

#include <stdlib.h>

/* Vertices first .. first + count - 1, each with a component of the level below. */
typedef struct piece {
    uint32_t first, count, below;
} piece;

/* The components of a level, node by node; their pieces are in ascending order. */
typedef struct layer {
    uint32_t *firsts; /* of each node, and behind the last */
    size_t *starts;   /* of the pieces of each component, and behind the last */
    piece *pieces;
    size_t count, start_capacity, piece_count, piece_capacity;
} layer;

typedef struct counting {
    const opevo_i_topology_group *group;
    layer *layers;
    opevo_index_map *met; /* whether two components have a point in common */
    uint64_t work, work_most;
    bool failed; /* without memory */
    /* Of the node at hand: pairs of a vertex and a component below. */
    uint32_t *joined_to;
    size_t pair_capacity;
    size_t begin;    /* its first arc */
    size_t *offsets; /* of the pairs of each arc */
    size_t offset_capacity;
} counting;

static bool is_over(const counting *self)
{
    return self->failed || self->work > self->work_most;
}

/* ---- Points in common ---- */

static bool meet(counting *self, size_t l, uint32_t a, uint32_t b);

static bool meet_pieces(counting *self, size_t l, uint32_t a, uint32_t b)
{
    const layer *at = &self->layers[l];
    size_t from = at->starts[b], end = at->starts[b + 1];

    for (size_t i = at->starts[a]; i < at->starts[a + 1]; i++) {
        const piece *one = &at->pieces[i];

        while (from < end && at->pieces[from].first + at->pieces[from].count <= one->first)
            from++;
        for (size_t k = from; k < end && at->pieces[k].first < one->first + one->count; k++) {
            self->work++;
            if (at->pieces[k].first + at->pieces[k].count > one->first &&
                meet(self, l + 1, one->below, at->pieces[k].below))
                return true;
        }
    }
    return false;
}

/* Whether two components of a level have a point in common. */
static bool meet(counting *self, size_t l, uint32_t a, uint32_t b)
{
    opevo_index key = (opevo_index)l << 64 | (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
    uint64_t known = 0;

    self->work++;
    if (a == b || is_over(self))
        return true;
    if (opevo_index_map_get(self->met, key, &known))
        return known;
    known = meet_pieces(self, l, a, b);
    self->failed |= !opevo_index_map_put(self->met, key, known);
    return known;
}

/* ---- One node ---- */

static uint32_t root_of(counting *self, size_t pair)
{
    while (self->joined_to[pair] != pair) {
        self->joined_to[pair] = self->joined_to[self->joined_to[pair]];
        pair = self->joined_to[pair];
    }
    return (uint32_t)pair;
}

static void join(counting *self, size_t a, size_t b)
{
    uint32_t x = root_of(self, a), y = root_of(self, b);

    self->joined_to[x > y ? x : y] = x > y ? y : x;
}

/* How many components are below an arc, and the first of them. */
static uint32_t below(const counting *self, size_t l, const opevo_i_topology_arc *arc,
                      uint32_t *first)
{
    const layer *next = &self->layers[l + 1];

    *first = next->firsts[arc->node];
    return next->firsts[arc->node + 1] - *first;
}

/* The pair of a vertex of an arc and the d-th component below it. */
static size_t pair_of(const counting *self, size_t l, size_t k, uint32_t vertex, uint32_t d)
{
    const opevo_i_topology_arc *arc = &self->group->levels[l].arcs[k];
    uint32_t first = 0, count = below(self, l, arc, &first);

    return self->offsets[k - self->begin] + (size_t)(vertex - arc->first) * count + d;
}

/* Join the pairs of two neighbouring vertices, which are of arcs j and k. Different components of
 * one node have no point in common. */
static void join_vertices(counting *self, size_t l, size_t j, uint32_t u, size_t k, uint32_t v)
{
    const opevo_i_topology_arc *arcs = self->group->levels[l].arcs;
    uint32_t first_u = 0, count_u = below(self, l, &arcs[j], &first_u);
    uint32_t first_v = 0, count_v = below(self, l, &arcs[k], &first_v);

    for (uint32_t d = 0; d < count_u; d++) {
        for (uint32_t e = 0; e < count_v && !is_over(self); e++) {
            bool apart = first_u == first_v && d != e;
            size_t a = pair_of(self, l, j, u, d), b = pair_of(self, l, k, v, e);

            self->work++;
            if (!apart && root_of(self, a) != root_of(self, b) &&
                meet(self, l + 1, first_u + d, first_v + e))
                join(self, a, b);
        }
    }
}

/* Join a vertex of arc k with its neighbours before it. */
static void join_neighbours(counting *self, size_t l, uint32_t node,
                            const opevo_parameter *parameter, size_t k, uint32_t v)
{
    const opevo_i_topology_level *level = &self->group->levels[l];
    opevo_index degree = opevo_parameter_degree(parameter, v);

    for (opevo_index i = 0; i < degree && !is_over(self); i++) {
        opevo_index u = opevo_parameter_neighbour(parameter, v, i);
        size_t j = u < v ? opevo_i_topology_arc_find(level, node, (uint32_t)u) : SIZE_MAX;

        self->work++;
        if (j != SIZE_MAX)
            join_vertices(self, l, j, (uint32_t)u, k, v);
    }
}

/* In a complete graph the first vertex of an arc stands for the others. */
static void join_complete(counting *self, size_t l, size_t begin, size_t end)
{
    const opevo_i_topology_arc *arcs = self->group->levels[l].arcs;

    for (size_t k = begin; k < end && !is_over(self); k++) {
        for (uint32_t i = 1; i < arcs[k].count && !is_over(self); i++)
            join_vertices(self, l, k, arcs[k].first + i - 1, k, arcs[k].first + i);
        for (size_t j = begin; j < k && !is_over(self); j++)
            join_vertices(self, l, j, arcs[j].first, k, arcs[k].first);
    }
}

/* Number the pairs of a node, each for itself; 0 where that is too much. */
static size_t number_pairs(counting *self, size_t l, size_t begin, size_t end)
{
    const opevo_i_topology_arc *arcs = self->group->levels[l].arcs;
    size_t count = 0;

    if (!opevo_reserve((void **)&self->offsets, &self->offset_capacity, end - begin,
                       sizeof *self->offsets)) {
        self->failed = true;
        return 0;
    }
    self->begin = begin;
    for (size_t k = begin; k < end; k++) {
        uint32_t first = 0;

        self->offsets[k - begin] = count;
        count += (size_t)arcs[k].count * below(self, l, &arcs[k], &first);
    }
    self->work += count;
    if (count >= UINT32_MAX || self->work > self->work_most) {
        self->work = self->work_most + 1;
        return 0;
    }
    if (!opevo_reserve((void **)&self->joined_to, &self->pair_capacity, count,
                       sizeof *self->joined_to)) {
        self->failed = true;
        return 0;
    }
    for (size_t i = 0; i < count; i++)
        self->joined_to[i] = (uint32_t)i;
    return count;
}

static void add_piece(counting *self, layer *at, piece added)
{
    piece *last = at->piece_count > at->starts[at->count] ? &at->pieces[at->piece_count - 1] : NULL;

    if (last && last->below == added.below && last->first + last->count == added.first) {
        last->count++;
        return;
    }
    if (!opevo_reserve((void **)&at->pieces, &at->piece_capacity, at->piece_count + 1,
                       sizeof *at->pieces)) {
        self->failed = true;
        return;
    }
    at->pieces[at->piece_count++] = added;
}

/* Write down the component of a root. */
static void add_component(counting *self, size_t l, size_t begin, size_t end, uint32_t root)
{
    const opevo_i_topology_arc *arcs = self->group->levels[l].arcs;
    layer *at = &self->layers[l];

    for (size_t k = begin; k < end; k++) {
        uint32_t first = 0, count = below(self, l, &arcs[k], &first);

        for (uint32_t d = 0; d < count; d++) {
            for (uint32_t i = 0; i < arcs[k].count && !is_over(self); i++) {
                self->work++;
                if (root_of(self, pair_of(self, l, k, arcs[k].first + i, d)) == root)
                    add_piece(self, at, (piece){arcs[k].first + i, 1, first + d});
            }
        }
    }
    if (!opevo_reserve((void **)&at->starts, &at->start_capacity, at->count + 2,
                       sizeof *at->starts)) {
        self->failed = true;
        return;
    }
    at->starts[++at->count] = at->piece_count;
}

static int compare_pieces(const void *a, const void *b)
{
    const piece *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

static void count_node(counting *self, const opevo_diagram *diagram, size_t l, uint32_t node)
{
    const opevo_i_topology_level *level = &self->group->levels[l];
    const opevo_parameter *parameter = opevo_space_parameter(diagram->space, level->parameter);
    size_t begin = level->starts[node], end = level->starts[node + 1];
    size_t pairs = number_pairs(self, l, begin, end);

    if (opevo_parameter_family(parameter) == OPEVO_FAMILY_COMPLETE) {
        join_complete(self, l, begin, end);
    } else {
        for (size_t k = begin; k < end; k++) {
            for (uint32_t i = 0; i < level->arcs[k].count && !is_over(self); i++)
                join_neighbours(self, l, node, parameter, k, level->arcs[k].first + i);
        }
    }
    for (size_t i = 0; i < pairs && !is_over(self); i++) {
        layer *at = &self->layers[l];
        size_t start = at->piece_count;

        if (root_of(self, i) != i)
            continue;
        add_component(self, l, begin, end, (uint32_t)i);
        if (!self->failed && at->piece_count > start)
            qsort(at->pieces + start, at->piece_count - start, sizeof *at->pieces, compare_pieces);
    }
}

/* ---- Groups ---- */

/* The layer behind the last level: the end, which is one component. */
static void create_end(counting *self)
{
    layer *end = &self->layers[self->group->depth];

    end->firsts = opevo_calloc(2, sizeof *end->firsts);
    if (end->firsts)
        end->firsts[1] = 1;
    self->failed |= !end->firsts;
}

static void count_level(counting *self, const opevo_diagram *diagram, size_t l)
{
    const opevo_i_topology_level *level = &self->group->levels[l];
    layer *at = &self->layers[l];

    at->firsts = opevo_calloc(level->node_count + 1u, sizeof *at->firsts);
    if (!at->firsts ||
        !opevo_reserve((void **)&at->starts, &at->start_capacity, 1, sizeof *at->starts)) {
        self->failed = true;
        return;
    }
    at->starts[0] = 0;
    for (uint32_t node = 0; node < level->node_count && !is_over(self); node++) {
        count_node(self, diagram, l, node);
        if (at->count >= UINT32_MAX)
            self->work = self->work_most + 1;
        at->firsts[node + 1] = (uint32_t)at->count;
    }
}

/* The components of a group of several parameters; false where that takes too much work. */
static bool count_group(counting *self, const opevo_diagram *diagram, opevo_index *count)
{
    size_t depth = self->group->depth;

    *count = 0;
    if (self->group->levels[0].node_count == 0)
        return true;
    self->met = opevo_index_map_create();
    self->layers = opevo_calloc(depth + 1, sizeof *self->layers);
    self->failed = !self->met || !self->layers;
    if (!self->failed)
        create_end(self);
    for (size_t l = depth; l-- > 0 && !is_over(self);)
        count_level(self, diagram, l);
    if (!is_over(self))
        *count = self->layers[0].count;
    for (size_t l = 0; self->layers && l <= depth; l++) {
        opevo_free(self->layers[l].firsts);
        opevo_free(self->layers[l].starts);
        opevo_free(self->layers[l].pieces);
    }
    opevo_free(self->layers);
    opevo_index_map_destroy(self->met);
    return !is_over(self);
}

opevo_status opevo_diagram_components(const opevo_diagram *diagram, uint64_t work_most,
                                      bool *decided, opevo_index *components, opevo_error *err)
{
    counting self = {.work_most = work_most ? work_most : OPEVO_COMPONENTS_WORK_MOST};
    opevo_index product = 1;
    bool good = !opevo_space_has_branches(diagram->space);
    opevo_status status = OPEVO_OK;

    for (size_t g = 0; g < diagram->group_count && good; g++) {
        opevo_index count = 0;

        self.group = &diagram->groups[g];
        if (self.group->depth == 0) {
            opevo_parameter_metrics facts;

            OPEVO_TRY(opevo_parameter_measure(
                opevo_space_parameter(diagram->space, self.group->free_parameter), &facts, err));
            good = facts.known & OPEVO_METRIC_COMPONENTS;
            count = facts.components;
        } else {
            good = count_group(&self, diagram, &count);
        }
        if (self.failed) {
            status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the components of a space.");
            goto cleanup;
        }
        good = good && opevo_index_mul(product, count, &product);
    }
    *decided = good;
    *components = good ? product : 0;
cleanup:
    opevo_free(self.joined_to);
    opevo_free(self.offsets);
    return status;
}
