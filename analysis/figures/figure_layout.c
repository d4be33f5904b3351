/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Places for the vertices of a graph where the topology has a natural picture. */

#include "figure_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t line_limit = 12; /* longer paths run in rows */
static const size_t layer_limit = 30;
static const double pi = 3.14159265358979323846;

/* ---- By hand ---- */

/* A path runs along the rows, there and back, so that neighbours stay side by side. */
static void place_on_rows(size_t i, size_t n, opevo_i_fig_place *place)
{
    size_t width = n <= line_limit ? n : (size_t)ceil(sqrt(1.8 * (double)n));
    size_t row = i / width, column = i % width;

    place->x = 1.2 * (double)(row % 2 ? width - 1 - column : column);
    place->y = 1.3 * (double)row;
}

/* Vertex 0 at the top, then clockwise. `room` is the distance of neighbours on the circle. */
static void place_on_circle(size_t i, size_t n, double room, opevo_i_fig_place *place)
{
    double angle = 2 * pi * (double)i / (double)n;
    double radius = n < 2 ? 0 : room / (2 * sin(pi / (double)n));

    place->x = radius * sin(angle);
    place->y = -radius * cos(angle);
}

/* The exponents of one prime in the three factors are barycentric coordinates: a prime move is a
 * step along a side of a triangle. With two primes each place of the first one's triangle holds a
 * small triangle of the second. */
typedef struct triangle {
    int64_t prime;
    int side;    /* exponent of the prime in the product */
    double step; /* length of one move */
    double turn; /* of the whole triangle, in radians */
} triangle;

/* Splits C into its primes, up to two of them; their number, 0 where there are none or more. */
static int find_primes(const opevo_parameter *parameter, size_t n, triangle *triangles)
{
    int64_t product = 1;
    opevo_value components[3];
    int count = 0;

    opevo_parameter_value(parameter, 0, components);
    for (size_t i = 0; i < 3; i++)
        product *= components[i].as.integer;
    for (; product > 1; count++) {
        /* The smallest component above 1 that divides what is left is a prime of it. */
        int64_t least = product;

        if (count == 2)
            return 0;
        for (size_t v = 0; v < n; v++) {
            opevo_parameter_value(parameter, v, components);
            for (size_t i = 0; i < 3; i++)
                if (components[i].as.integer > 1 && components[i].as.integer < least &&
                    product % components[i].as.integer == 0)
                    least = components[i].as.integer;
        }
        triangles[count] = (triangle){.prime = least};
        for (; product % least == 0; product /= least)
            triangles[count].side++;
    }
    return count;
}

static void add_barycentric(const triangle *t, const opevo_value *components,
                            opevo_i_fig_place *place)
{
    int e[3] = {0};
    double x = 0, y = 0;

    for (size_t i = 0; i < 3; i++)
        for (int64_t rest = components[i].as.integer; rest % t->prime == 0; rest /= t->prime)
            e[i]++;
    x = t->step * 0.5 * (e[2] - e[1]);
    y = t->step * sqrt(0.75) * ((e[1] + e[2]) / 3.0 - e[0] * 2.0 / 3);
    place->x += x * cos(t->turn) - y * sin(t->turn);
    place->y += x * sin(t->turn) + y * cos(t->turn);
}

/* False where the parameter is not a factorisation in three, or has too many primes for a picture.
 * The inner triangle is turned so that the long edges between copies of it pass between its
 * vertices.
 */
static bool place_on_triangles(const opevo_parameter *parameter, size_t n,
                               opevo_i_fig_place *places)
{
    triangle t[2] = {0};
    int count = 0;

    if (strcmp(opevo_parameter_type(parameter), "factor") != 0 ||
        strcmp(opevo_parameter_topology(parameter), "prime-move") != 0 ||
        opevo_parameter_arity(parameter) != 3)
        return false;
    count = find_primes(parameter, n, t);
    if (count == 0 || (count == 2 && t[0].side > 1 && t[1].side > 1))
        return false;
    if (count == 2 && t[0].side < t[1].side) {
        triangle swap = t[0];

        t[0] = t[1];
        t[1] = swap;
    }
    t[0].step = count == 1 ? 1.2 : 2.9;
    t[1].step = 1.15;
    t[1].turn = pi / 6;
    for (size_t v = 0; v < n; v++) {
        opevo_value components[3];

        places[v] = (opevo_i_fig_place){0};
        opevo_parameter_value(parameter, v, components);
        for (int i = 0; i < count; i++)
            add_barycentric(&t[i], components, &places[v]);
    }
    return true;
}

/* ---- Layers ---- */

/* Distance of every vertex from the start, by breadth-first search; SIZE_MAX where unreachable. */
static void find_distances(const opevo_graph *graph, size_t start, size_t *distance, size_t *queue)
{
    size_t head = 0, tail = 0;

    for (size_t v = 0; v < graph->vertex_count; v++)
        distance[v] = SIZE_MAX;
    distance[start] = 0;
    queue[tail++] = start;
    while (head < tail) {
        size_t v = queue[head++];

        for (uint64_t e = graph->offset[v]; e < graph->offset[v + 1]; e++) {
            size_t w = graph->target[e];

            if (distance[w] != SIZE_MAX)
                continue;
            distance[w] = distance[v] + 1;
            queue[tail++] = w;
        }
    }
}

/* Whether all vertices are within reach and no edge stays in a layer, so that none would run behind
 * a vertex. */
static bool has_clear_layers(const opevo_graph *graph, const size_t *distance)
{
    for (size_t v = 0; v < graph->vertex_count; v++) {
        if (distance[v] == SIZE_MAX)
            return false;
        for (uint64_t e = graph->offset[v]; e < graph->offset[v + 1]; e++)
            if (distance[graph->target[e]] == distance[v])
                return false;
    }
    return true;
}

/* Columns by distance from the start. Inside a column vertices stand in the order of the mean
 * height of their neighbours one column before (ties by number): fewer edges cross. */
static void fill_layer(const opevo_graph *graph, const size_t *distance, size_t layer,
                       opevo_i_fig_place *places, size_t *members)
{
    size_t n = graph->vertex_count, count = 0;

    for (size_t v = 0; v < n; v++) {
        double sum = 0, known = 0;
        size_t at = count;

        if (distance[v] != layer)
            continue;
        for (uint64_t e = graph->offset[v]; e < graph->offset[v + 1]; e++) {
            if (distance[graph->target[e]] >= layer)
                continue;
            sum += places[graph->target[e]].y;
            known++;
        }
        places[v] = (opevo_i_fig_place){2.2 * (double)layer, known > 0 ? sum / known : 0};
        for (; at > 0 && places[members[at - 1]].y > places[v].y + 1e-9; at--)
            members[at] = members[at - 1];
        members[at] = v;
        count++;
    }
    for (size_t i = 0; i < count; i++)
        places[members[i]].y = 1.15 * ((double)i - ((double)count - 1) / 2);
}

/* Small permutations: distance from the start is what their law goes by. */
static opevo_status place_in_layers(const opevo_parameter *parameter, const opevo_graph *graph,
                                    size_t start, opevo_i_fig_place *places, bool *done,
                                    opevo_error *err)
{
    size_t n = graph->vertex_count;
    size_t *distance = NULL, *scratch = NULL;
    opevo_status status = OPEVO_OK;

    *done = false;
    if (strcmp(opevo_parameter_type(parameter), "permutation") != 0 || n > layer_limit)
        return OPEVO_OK;
    distance = opevo_malloc(n, sizeof *distance);
    scratch = opevo_malloc(n, sizeof *scratch);
    OPEVO_NEED(distance && scratch, "laying out %zu vertices", n);
    find_distances(graph, start, distance, scratch);
    if (!has_clear_layers(graph, distance))
        goto cleanup;
    for (size_t layer = 0; layer < n; layer++)
        fill_layer(graph, distance, layer, places, scratch);
    *done = true;
cleanup:
    opevo_free(distance);
    opevo_free(scratch);
    return status;
}

opevo_status opevo_i_fig_layout(const opevo_parameter *parameter, const opevo_graph *graph,
                                size_t start, opevo_i_fig_place *places, opevo_error *err)
{
    size_t n = graph->vertex_count;
    opevo_family family = opevo_parameter_family(parameter);
    opevo_status status = OPEVO_OK;
    bool done = false;

    if (family == OPEVO_FAMILY_PATH) {
        for (size_t i = 0; i < n; i++)
            place_on_rows(i, n, &places[i]);
        return OPEVO_OK;
    }
    if (family == OPEVO_FAMILY_CYCLE || family == OPEVO_FAMILY_COMPLETE) {
        for (size_t i = 0; i < n; i++)
            place_on_circle(i, n, n < 9 ? 1.6 : 1.1, &places[i]);
        return OPEVO_OK;
    }
    if (place_on_triangles(parameter, n, places))
        return OPEVO_OK;
    if (n < 3) {
        for (size_t i = 0; i < n; i++)
            place_on_rows(i, n, &places[i]);
        return OPEVO_OK;
    }
    status = place_in_layers(parameter, graph, start, places, &done, err);
    if (status != OPEVO_OK || done)
        return status;
    return opevo_i_fig_layout_by_distance(graph, start, places, err);
}
