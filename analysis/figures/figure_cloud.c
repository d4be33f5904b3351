/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Places for the vertices of any graph, by its distances. igraph lays out; what is left is to turn
 * the picture, to scale it, and to push apart what overlaps.
 *
 * Source: Kamada, Kawai, "An algorithm for drawing general undirected graphs", Information
 * Processing Letters 31 (1989). */

#include "figure_internal.h"
#include "igraph_internal.h"

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>

#include <gsl/gsl_sort.h>

#include <math.h>

static const double pi = 3.14159265358979323846;
enum { ROUNDS = 500 };
static const double wanted_distance = 1.2; /* to the nearest other vertex, as a median */

/* The vertices on a circle that is a little out of shape: on a true one a symmetric graph may rest
 * at a saddle of the energy. */
static void seed_layout(igraph_matrix_t *layout, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double angle = 2 * pi * (double)i / (double)n;
        double radius = 1 + 0.2 * sin(2.4 * (double)i);

        MATRIX(*layout, (igraph_integer_t)i, 0) = radius * cos(angle);
        MATRIX(*layout, (igraph_integer_t)i, 1) = radius * sin(angle);
    }
}

static opevo_status from_igraph(const opevo_i_fig_igraph *library, igraph_error_t code,
                                opevo_error *err)
{
    if (code == IGRAPH_SUCCESS)
        return OPEVO_OK;
    return OPEVO_FAIL(err, code == IGRAPH_ENOMEM ? OPEVO_NOMEM : OPEVO_INVALID,
                      "igraph cannot lay out the graph: %s.", library->igraph_strerror(code));
}

/* The graph as igraph's: each edge once, from its smaller end. */
static igraph_error_t make_view(const opevo_i_fig_igraph *library, const opevo_graph *graph,
                                igraph_t *out)
{
    igraph_vector_int_t edges;
    igraph_integer_t at = 0;
    igraph_error_t code = library->igraph_vector_int_init(
        &edges, (igraph_integer_t)graph->offset[graph->vertex_count]);

    if (code != IGRAPH_SUCCESS)
        return code;
    for (size_t v = 0; v < graph->vertex_count; v++) {
        for (uint64_t i = graph->offset[v]; i < graph->offset[v + 1]; i++) {
            if (graph->target[i] < v)
                continue;
            VECTOR(edges)[at++] = (igraph_integer_t)v;
            VECTOR(edges)[at++] = (igraph_integer_t)graph->target[i];
        }
    }
    code = library->igraph_create(out, &edges, (igraph_integer_t)graph->vertex_count,
                                  IGRAPH_UNDIRECTED);
    library->igraph_vector_int_destroy(&edges);
    return code;
}

static igraph_error_t lay_out(const opevo_i_fig_igraph *library, const opevo_graph *graph,
                              const igraph_t *view, opevo_i_fig_place *places)
{
    igraph_matrix_t layout;
    igraph_integer_t n = (igraph_integer_t)graph->vertex_count;
    igraph_error_t code = library->igraph_matrix_init(&layout, n, 2);

    if (code != IGRAPH_SUCCESS)
        return code;
    seed_layout(&layout, graph->vertex_count);
    code = library->igraph_layout_kamada_kawai(view, &layout, true, 50 * n, 0, (double)n, NULL,
                                               NULL, NULL, NULL, NULL);
    for (igraph_integer_t i = 0; code == IGRAPH_SUCCESS && i < n; i++)
        places[i] = (opevo_i_fig_place){MATRIX(layout, i, 0), MATRIX(layout, i, 1)};
    library->igraph_matrix_destroy(&layout);
    return code;
}

static opevo_status place_by_distance(const opevo_graph *graph, opevo_i_fig_place *places,
                                      opevo_error *err)
{
    const opevo_i_fig_igraph *library = NULL;
    igraph_t view;
    igraph_error_t code = IGRAPH_SUCCESS;
    opevo_status status = opevo_i_fig_igraph_enter(&library, err);

    if (status != OPEVO_OK)
        return status;
    code = make_view(library, graph, &view);
    if (code == IGRAPH_SUCCESS) {
        code = lay_out(library, graph, &view, places);
        library->igraph_destroy(&view);
    }
    status = from_igraph(library, code, err);
    opevo_i_fig_igraph_leave();
    return status;
}

/* ---- Turning and pushing apart ---- */

/* Turn the cloud's long axis level and its start to the left and up. */
static void turn(opevo_i_fig_place *places, size_t n, size_t start)
{
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0, angle = 0;

    for (size_t i = 0; i < n; i++) {
        x += places[i].x / (double)n;
        y += places[i].y / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        places[i].x -= x;
        places[i].y -= y;
        xx += places[i].x * places[i].x;
        xy += places[i].x * places[i].y;
        yy += places[i].y * places[i].y;
    }
    angle = -atan2(2 * xy, xx - yy) / 2;
    for (size_t i = 0; i < n; i++)
        places[i] = (opevo_i_fig_place){places[i].x * cos(angle) - places[i].y * sin(angle),
                                        places[i].x * sin(angle) + places[i].y * cos(angle)};
    for (size_t i = 0, left = places[start].x <= 0, up = places[start].y <= 0; i < n; i++) {
        places[i].x *= left ? 1 : -1;
        places[i].y *= up ? 1 : -1;
    }
}

/* Scale so that the median distance to the nearest other vertex is the wanted one. */
static opevo_status scale(opevo_i_fig_place *places, size_t n, opevo_error *err)
{
    double *nearest = opevo_malloc(n, sizeof *nearest);
    double factor = 1;

    OPEVO_NEED_OR_RETURN(nearest, "laying out %zu vertices", n);
    for (size_t i = 0; i < n; i++) {
        nearest[i] = INFINITY;
        for (size_t j = 0; j < n; j++) {
            if (j != i)
                nearest[i] =
                    fmin(nearest[i], hypot(places[i].x - places[j].x, places[i].y - places[j].y));
        }
    }
    gsl_sort(nearest, 1, n);
    if (n > 1 && nearest[n / 2] > 1e-6)
        factor = wanted_distance / nearest[n / 2];
    for (size_t i = 0; i < n; i++) {
        places[i].x *= factor;
        places[i].y *= factor;
    }
    opevo_free(nearest);
    return OPEVO_OK;
}

/* Move every two vertices that overlap apart, each by half of what is missing and a little more, in
 * rounds until none overlap or the rounds are used up. Two at the same place part along a direction
 * that depends on their numbers. */
static void push_apart(opevo_i_fig_place *places, size_t n)
{
    for (int round = 0, moved = 1; moved && round < ROUNDS; round++) {
        moved = 0;
        for (size_t i = 0; i < n; i++) {
            for (size_t j = i + 1; j < n; j++) {
                double x = places[j].x - places[i].x, y = places[j].y - places[i].y;
                double distance = hypot(x, y), push = 0;

                if (distance >= 1)
                    continue;
                if (distance < 1e-6) {
                    x = cos((double)(i + j));
                    y = sin((double)(i + j));
                    distance = 1;
                    push = 0.5;
                } else {
                    push = 0.505 * (1 - distance);
                }
                places[i].x -= push * x / distance;
                places[i].y -= push * y / distance;
                places[j].x += push * x / distance;
                places[j].y += push * y / distance;
                moved = 1;
            }
        }
    }
}

opevo_status opevo_i_fig_layout_by_distance(const opevo_graph *graph, size_t start,
                                            opevo_i_fig_place *places, opevo_error *err)
{
    opevo_status status = place_by_distance(graph, places, err);

    if (status != OPEVO_OK)
        return status;
    turn(places, graph->vertex_count, start);
    status = scale(places, graph->vertex_count, err);
    if (status == OPEVO_OK)
        push_apart(places, graph->vertex_count);
    return status;
}
