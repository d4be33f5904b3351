/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Counting in a box: the points below a node are summed over the vertices that the box lets in.
 * Each node that is reached is summed once, and marked with the number of the count. */

#include <opevo/diagram_box.h>

#include <opevo/memory.h>

#include "diagram_internal.h"

#include <string.h>

struct opevo_diagram_box {
    const opevo_diagram *diagram;
    size_t node_count;
    uint32_t number; /* of the last count */
    uint32_t *marks; /* of each node, group by group and level by level */
    double *sums;
};

void opevo_diagram_box_destroy(opevo_diagram_box *box)
{
    if (!box)
        return;
    opevo_free(box->marks);
    opevo_free(box->sums);
    opevo_free(box);
}

opevo_status opevo_diagram_box_create(const opevo_diagram *diagram, opevo_diagram_box **out,
                                      opevo_error *err)
{
    opevo_diagram_box *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "a box of a space");
    self->diagram = diagram;
    self->node_count = opevo_diagram_node_count(diagram);
    self->marks = opevo_calloc(self->node_count + 1, sizeof *self->marks);
    self->sums = opevo_malloc(self->node_count + 1, sizeof *self->sums);
    if (!self->marks || !self->sums) {
        opevo_diagram_box_destroy(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a box of a space.");
    }
    *out = self;
    return OPEVO_OK;
}

/* A group in a box. */
typedef struct walk {
    const opevo_diagram_box *self;
    const opevo_i_topology_group *group;
    const opevo_box *box;
} walk;

/* The arcs of a node that the box lets in, and how many vertices of it. */
typedef struct ways {
    size_t arc, vertices;
    opevo_index vertex; /* the first of them */
} ways;

static size_t way_count(const walk *at, size_t l, uint32_t node)
{
    const opevo_i_topology_level *level = &at->group->levels[l];
    unsigned count = at->box->counts[level->parameter];

    return count == OPEVO_BOX_ALL ? level->starts[node + 1] - level->starts[node] : count;
}

/* The k-th of them; its arc is SIZE_MAX where the node has none for the k-th vertex of the box. */
static ways way(const walk *at, size_t l, uint32_t node, size_t k)
{
    const opevo_i_topology_level *level = &at->group->levels[l];
    ways out = {.arc = level->starts[node] + k, .vertices = 1};

    if (at->box->counts[level->parameter] == OPEVO_BOX_ALL) {
        const opevo_i_topology_arc *arc = &level->arcs[out.arc];
        bool inactive = arc->first == OPEVO_I_ARC_INACTIVE;

        out.vertex = inactive ? OPEVO_INACTIVE : arc->first;
        out.vertices = inactive ? 1 : arc->count;
        return out;
    }
    out.vertex = at->box->vertices[at->box->stride * level->parameter + k];
    out.arc = opevo_i_topology_arc_find(
        level, node, out.vertex == OPEVO_INACTIVE ? OPEVO_I_ARC_INACTIVE : (uint32_t)out.vertex);
    return out;
}

/* The points below a node; `first` is the place of its level. */
static double sum_below(const walk *at, size_t l, uint32_t node, size_t first)
{
    const opevo_diagram_box *self = at->self;
    const opevo_i_topology_level *level = &at->group->levels[l];
    double sum = 0;

    if (l == at->group->depth)
        return 1;
    if (self->marks[first + node] == self->number)
        return self->sums[first + node];
    for (size_t k = 0; k < way_count(at, l, node); k++) {
        ways one = way(at, l, node, k);

        if (one.arc != SIZE_MAX)
            sum += (double)one.vertices *
                   sum_below(at, l + 1, level->arcs[one.arc].node, first + level->node_count);
    }
    self->marks[first + node] = self->number;
    self->sums[first + node] = sum;
    return sum;
}

/* How many vertices the box has of a parameter that nothing is tied to. */
static double free_count(const opevo_diagram_box *self, const opevo_box *box, size_t parameter)
{
    return box->counts[parameter] == OPEVO_BOX_ALL
               ? (double)opevo_parameter_size(
                     opevo_space_parameter(self->diagram->space, parameter))
               : box->counts[parameter];
}

double opevo_diagram_box_count(opevo_diagram_box *self, const opevo_box *box)
{
    double product = 1;
    size_t first = 0;

    if (++self->number == 0) {
        memset(self->marks, 0, self->node_count * sizeof *self->marks);
        self->number = 1;
    }
    for (size_t g = 0; g < self->diagram->group_count && product > 0; g++) {
        const opevo_i_topology_group *group = &self->diagram->groups[g];
        walk at = {self, group, box};

        if (group->depth == 0)
            product *= free_count(self, box, group->free_parameter);
        else
            product *= group->levels[0].node_count ? sum_below(&at, 0, 0, first) : 0;
        for (size_t l = 0; l < group->depth; l++)
            first += group->levels[l].node_count;
    }
    return product;
}

/* One of the vertices of a node's parameter, by the points behind it. */
static size_t choose(const walk *at, size_t l, uint32_t node, size_t next, double x,
                     opevo_index *chosen)
{
    const opevo_i_topology_level *level = &at->group->levels[l];
    size_t last = SIZE_MAX;

    for (size_t k = 0; k < way_count(at, l, node); k++) {
        ways one = way(at, l, node, k);
        double each =
            one.arc == SIZE_MAX ? 0 : sum_below(at, l + 1, level->arcs[one.arc].node, next);
        double sum = each * (double)one.vertices;

        if (sum > 0) {
            size_t place = x < sum ? (size_t)(x / each) : one.vertices - 1;

            last = one.arc;
            *chosen = one.vertex + (place < one.vertices ? place : one.vertices - 1);
            if (x < sum)
                break;
        }
        x -= sum;
    }
    return last;
}

void opevo_diagram_box_draw(const opevo_diagram_box *self, const opevo_box *box,
                            opevo_diagram_random random, void *context, opevo_index *vertices)
{
    size_t first = 0;

    for (size_t g = 0; g < self->diagram->group_count; g++) {
        const opevo_i_topology_group *group = &self->diagram->groups[g];
        walk at = {self, group, box};
        uint32_t node = 0;

        if (group->depth == 0) {
            size_t i = group->free_parameter;
            double unit = (double)(random(context) >> 11) * 0x1p-53;

            opevo_index place = (opevo_index)(unit * free_count(self, box, i));

            vertices[i] = box->counts[i] == OPEVO_BOX_ALL
                              ? place
                              : box->vertices[box->stride * i + (size_t)place];
        }
        for (size_t l = 0; l < group->depth; l++) {
            const opevo_i_topology_level *level = &group->levels[l];
            double unit = (double)(random(context) >> 11) * 0x1p-53;
            size_t arc = choose(&at, l, node, first + level->node_count,
                                unit * sum_below(&at, l, node, first), &vertices[level->parameter]);

            node = level->arcs[arc].node;
            first += level->node_count;
        }
    }
}
