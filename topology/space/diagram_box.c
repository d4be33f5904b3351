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

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a box of a space.");
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

/* The arc of a node for the k-th vertex that the box has of its parameter; SIZE_MAX: none. */
static size_t arc_for(const walk *at, size_t l, uint32_t node, unsigned k, opevo_index *vertex)
{
    const opevo_i_topology_level *level = &at->group->levels[l];

    *vertex = at->box->vertices[at->box->stride * level->parameter + k];
    return opevo_i_topology_arc_find(
        level, node, *vertex == OPEVO_INACTIVE ? OPEVO_I_ARC_INACTIVE : (uint32_t)*vertex);
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
    for (unsigned k = 0; k < at->box->counts[level->parameter]; k++) {
        opevo_index vertex = 0;
        size_t arc = arc_for(at, l, node, k, &vertex);

        if (arc != SIZE_MAX)
            sum += sum_below(at, l + 1, level->arcs[arc].node, first + level->node_count);
    }
    self->marks[first + node] = self->number;
    self->sums[first + node] = sum;
    return sum;
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
            product *= box->counts[group->free_parameter];
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

    for (unsigned k = 0; k < at->box->counts[level->parameter]; k++) {
        opevo_index vertex = 0;
        size_t arc = arc_for(at, l, node, k, &vertex);
        double sum = arc == SIZE_MAX ? 0 : sum_below(at, l + 1, level->arcs[arc].node, next);

        if (sum > 0) {
            last = arc;
            *chosen = vertex;
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

            vertices[i] = box->vertices[box->stride * i + (size_t)(unit * box->counts[i])];
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
