/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sums of products of weights over a diagram. All terms are non-negative, so no digits cancel. The
 * sums of a level are divided by the largest of them, and the logarithms of the divisors added up:
 * products of a thousand small probabilities do not underflow. */

#include <opevo/diagram_weights.h>

#include "diagram_internal.h"
#include "space_internal.h"

#include <opevo/memory.h>

#include <float.h>
#include <math.h>
#include <string.h>

/* Sums of one group, level by level; of a free parameter one level with one node and one arc. */
typedef struct weighted_group {
    double **nodes;  /* W of each node, divided by the largest of its level */
    double **ahead;  /* of each arc: what it and those of its node ahead of it weigh */
    double log_size; /* natural logarithm of what the root was divided by */
} weighted_group;

struct opevo_diagram_weights {
    const opevo_diagram *diagram;
    const double *const *weights;
    weighted_group *groups;
    double error; /* relative, of the sum */
};

static size_t level_count(const opevo_i_topology_group *group)
{
    return group->depth ? group->depth : 1;
}

/* ---- Creation ---- */

void opevo_diagram_weights_destroy(opevo_diagram_weights *self)
{
    for (size_t g = 0; self && self->groups && g < self->diagram->group_count; g++) {
        weighted_group *group = &self->groups[g];

        for (size_t l = 0; l < level_count(&self->diagram->groups[g]); l++) {
            if (group->nodes)
                opevo_free(group->nodes[l]);
            if (group->ahead)
                opevo_free(group->ahead[l]);
        }
        opevo_free(group->nodes);
        opevo_free(group->ahead);
    }
    if (self)
        opevo_free(self->groups);
    opevo_free(self);
}

static bool create_group(const opevo_i_topology_group *of, weighted_group *group)
{
    size_t levels = level_count(of);

    group->nodes = opevo_calloc(levels, sizeof *group->nodes);
    group->ahead = opevo_calloc(levels, sizeof *group->ahead);
    for (size_t l = 0; group->nodes && group->ahead && l < levels; l++) {
        size_t nodes = of->depth ? of->levels[l].node_count : 1;
        size_t arcs = of->depth ? of->levels[l].arc_count : 1;

        group->nodes[l] = opevo_calloc(nodes, sizeof **group->nodes);
        group->ahead[l] = opevo_calloc(arcs, sizeof **group->ahead);
        if (!group->nodes[l] || !group->ahead[l])
            return false;
    }
    return group->nodes && group->ahead;
}

opevo_status opevo_diagram_weights_create(const opevo_diagram *diagram, opevo_diagram_weights **out,
                                          opevo_error *err)
{
    opevo_diagram_weights *self = opevo_calloc(1, sizeof *self);
    bool made = self;

    if (self) {
        self->diagram = diagram;
        self->groups = opevo_calloc(diagram->group_count, sizeof *self->groups);
        made = self->groups;
    }
    for (size_t g = 0; made && g < diagram->group_count; g++)
        made = create_group(&diagram->groups[g], &self->groups[g]);
    if (!made) {
        opevo_diagram_weights_destroy(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the weights of a diagram.");
    }
    *out = self;
    return OPEVO_OK;
}

/* ---- Sums ---- */

static double sum_of(const double *weights, size_t first, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += weights[first + i];
    return sum;
}

/* The weight of the vertices of an arc; an inactive parameter has none to weigh. */
static double arc_weight(const double *weights, const opevo_i_topology_arc *arc)
{
    return arc->first == OPEVO_I_ARC_INACTIVE ? 1 : sum_of(weights, arc->first, arc->count);
}

/* Divide the sums of a level by the largest; returns its logarithm. Where all are 0, -INFINITY. */
static double scale(double *nodes, size_t count)
{
    double largest = 0;

    for (size_t i = 0; i < count; i++)
        largest = fmax(largest, nodes[i]);
    for (size_t i = 0; largest > 0 && i < count; i++)
        nodes[i] /= largest;
    return log(largest);
}

static void weigh_level(const opevo_diagram_weights *self, const opevo_i_topology_group *of,
                        weighted_group *group, size_t l)
{
    const opevo_i_topology_level *level = &of->levels[l];
    const double *weights = self->weights[level->parameter];
    bool last = l + 1 == of->depth;

    for (uint32_t node = 0; node < level->node_count; node++) {
        double sum = 0;

        for (size_t k = level->starts[node]; k < level->starts[node + 1]; k++) {
            const opevo_i_topology_arc *arc = &level->arcs[k];

            sum += arc_weight(weights, arc) * (last ? 1 : group->nodes[l + 1][arc->node]);
            group->ahead[l][k] = sum;
        }
        group->nodes[l][node] = sum;
    }
    group->log_size += scale(group->nodes[l], level->node_count);
}

/* Roundings on one path: each term is a sum over vertices times a sum below, then summed itself. */
static double roundings(const opevo_diagram *diagram, const opevo_i_topology_group *of)
{
    double count = 0;

    for (size_t l = 0; l < of->depth; l++) {
        const opevo_i_topology_level *level = &of->levels[l];
        size_t widest = 0;

        for (uint32_t node = 0; node < level->node_count; node++) {
            size_t arcs = level->starts[node + 1] - level->starts[node];

            widest = arcs > widest ? arcs : widest;
        }
        count +=
            (double)widest + 4 +
            (double)opevo_parameter_size(opevo_space_parameter(diagram->space, level->parameter));
    }
    return of->depth ? count : (double)of->free_size + 4;
}

void opevo_diagram_weights_set(opevo_diagram_weights *self, const double *const *weights)
{
    const opevo_diagram *diagram = self->diagram;
    double count = 8;

    self->weights = weights;
    for (size_t g = 0; g < diagram->group_count; g++) {
        const opevo_i_topology_group *of = &diagram->groups[g];
        weighted_group *group = &self->groups[g];

        group->log_size = 0;
        count += roundings(diagram, of);
        for (size_t l = of->depth; l-- > 0;)
            weigh_level(self, of, group, l);
        if (of->depth == 0) {
            group->nodes[0][0] = sum_of(weights[of->free_parameter], 0, (size_t)of->free_size);
            group->ahead[0][0] = group->nodes[0][0];
            group->log_size = scale(group->nodes[0], 1);
        } else if (of->levels[0].node_count == 0) {
            group->log_size = -INFINITY;
        }
    }
    self->error = 1.01 * count * DBL_EPSILON;
}

static double log_total(const opevo_diagram_weights *self)
{
    double sum = 0;

    for (size_t g = 0; g < self->diagram->group_count; g++)
        sum += self->groups[g].log_size;
    return sum;
}

double opevo_diagram_weights_total(const opevo_diagram_weights *self)
{
    return exp(log_total(self));
}

bool opevo_diagram_weights_any(const opevo_diagram_weights *self)
{
    return log_total(self) > -INFINITY;
}

/* The exponential turns the absolute error of the logarithm into a relative one. */
double opevo_diagram_weights_error(const opevo_diagram_weights *self)
{
    double size = fabs(log_total(self));

    return self->error + (isfinite(size) ? 8 * (1 + size) * DBL_EPSILON *
                                               (double)self->diagram->space->parameter_count
                                         : 0);
}

/* ---- Draws ---- */

static double unit(opevo_diagram_random random, void *context)
{
    return (double)(random(context) >> 11) * 0x1p-53;
}

/* The first place whose sum exceeds x; the last that adds anything if rounding left none. */
static size_t find_sum(const double *ahead, size_t begin, size_t end, double x)
{
    size_t low = begin, high = end;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ahead[middle] > x)
            high = middle;
        else
            low = middle + 1;
    }
    if (low < end)
        return low;
    low = end - 1;
    while (low > begin && !(ahead[low] > ahead[low - 1]))
        low--;
    return low;
}

/* One of `count` vertices from `first` on, by weight. */
static size_t draw_vertex(const double *weights, size_t first, size_t count, double x)
{
    size_t last = first;
    double sum = 0;

    for (size_t v = first; v < first + count; v++) {
        sum += weights[v];
        if (weights[v] > 0)
            last = v;
        if (sum > x)
            return v;
    }
    return last;
}

static void draw_group(const opevo_diagram_weights *self, size_t g, opevo_diagram_random random,
                       void *context, opevo_index *vertices)
{
    const opevo_i_topology_group *of = &self->diagram->groups[g];
    const weighted_group *group = &self->groups[g];
    uint32_t node = 0;

    for (size_t l = 0; l < of->depth; l++) {
        const opevo_i_topology_level *level = &of->levels[l];
        const double *weights = self->weights[level->parameter];
        size_t begin = level->starts[node], end = level->starts[node + 1];
        size_t k =
            find_sum(group->ahead[l], begin, end, unit(random, context) * group->ahead[l][end - 1]);
        const opevo_i_topology_arc *arc = &level->arcs[k];

        vertices[level->parameter] = OPEVO_INACTIVE;
        if (arc->first != OPEVO_I_ARC_INACTIVE)
            vertices[level->parameter] =
                arc->count == 1 ? arc->first
                                : draw_vertex(weights, arc->first, arc->count,
                                              unit(random, context) * arc_weight(weights, arc));
        node = arc->node;
    }
    if (of->depth == 0) {
        const double *weights = self->weights[of->free_parameter];

        vertices[of->free_parameter] = draw_vertex(weights, 0, (size_t)of->free_size,
                                                   unit(random, context) * group->ahead[0][0]);
    }
}

bool opevo_diagram_weights_draw(const opevo_diagram_weights *self, opevo_diagram_random random,
                                void *context, opevo_index *vertices)
{
    if (!opevo_diagram_weights_any(self))
        return false;
    for (size_t g = 0; g < self->diagram->group_count; g++)
        draw_group(self, g, random, context, vertices);
    return true;
}

/* ---- Laws ---- */

/* Add what the arcs of a node pass on of its probability: to its vertices, or to the nodes below.
 */
static void pass_on(const opevo_diagram_weights *self, size_t g, size_t l, uint32_t node,
                    double probability, double *vertices, double *below)
{
    const opevo_i_topology_group *of = &self->diagram->groups[g];
    const opevo_i_topology_level *level = &of->levels[l];
    const weighted_group *group = &self->groups[g];
    const double *weights = self->weights[level->parameter];
    size_t size =
        (size_t)opevo_parameter_size(opevo_space_parameter(self->diagram->space, level->parameter));
    double whole = group->ahead[l][level->starts[node + 1] - 1];

    for (size_t k = level->starts[node]; whole > 0 && k < level->starts[node + 1]; k++) {
        const opevo_i_topology_arc *arc = &level->arcs[k];
        double share =
            probability / whole * (l + 1 == of->depth ? 1 : group->nodes[l + 1][arc->node]);

        if (below)
            below[arc->node] += share * arc_weight(weights, arc);
        else if (arc->first == OPEVO_I_ARC_INACTIVE)
            vertices[size] += share;
        for (uint32_t i = 0; !below && arc->first != OPEVO_I_ARC_INACTIVE && i < arc->count; i++)
            vertices[arc->first + i] += share * weights[arc->first + i];
    }
}

/* Carry the probability of each node down to level `to`, and spread it over the vertices there. */
static opevo_status law_in(const opevo_diagram_weights *self, size_t g, size_t to, double *law,
                           opevo_error *err)
{
    const opevo_i_topology_group *of = &self->diagram->groups[g];
    double *now = opevo_calloc(1, sizeof *now);

    for (size_t l = 0; now && l < to; l++) {
        double *next = opevo_calloc(of->levels[l + 1].node_count, sizeof *next);

        if (l == 0)
            now[0] = 1;
        for (uint32_t node = 0; next && node < of->levels[l].node_count; node++)
            pass_on(self, g, l, node, now[node], NULL, next);
        opevo_free(now);
        now = next;
    }
    OPEVO_NEED_OR_RETURN(now, "the law of a parameter");
    if (to == 0)
        now[0] = 1;
    for (uint32_t node = 0; node < of->levels[to].node_count; node++)
        pass_on(self, g, to, node, now[node], law, NULL);
    opevo_free(now);
    return OPEVO_OK;
}

opevo_status opevo_diagram_weights_law(const opevo_diagram_weights *self, size_t parameter,
                                       double *law, opevo_error *err)
{
    size_t size =
        (size_t)opevo_parameter_size(opevo_space_parameter(self->diagram->space, parameter));

    memset(law, 0, (size + 1) * sizeof *law);
    for (size_t g = 0; g < self->diagram->group_count; g++) {
        const opevo_i_topology_group *of = &self->diagram->groups[g];

        if (of->depth == 0 && of->free_parameter == parameter) {
            for (size_t v = 0; v < size; v++)
                law[v] = self->weights[parameter][v] / self->groups[g].ahead[0][0];
        }
        for (size_t l = 0; l < of->depth; l++) {
            if (of->levels[l].parameter == parameter)
                return law_in(self, g, l, law, err);
        }
    }
    return OPEVO_OK;
}
