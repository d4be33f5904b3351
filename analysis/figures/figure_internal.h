/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of the figures share: a colour scale, and places for the vertices of a graph. */

#ifndef OPEVO_FIGURE_INTERNAL_H
#define OPEVO_FIGURE_INTERNAL_H

#include <opevo/graph.h>
#include <opevo/parameter.h>

enum { OPEVO_I_COLOUR_SIZE = 8 }; /* "#rrggbb" and the terminator */

/* Colour t of a sequential scale, 0 <= t <= 1, from light to dark with lightness falling linearly
 * as the eye sees it; into `out`, which is returned. */
char *opevo_i_fig_colour(double t, char *out);
/* Whether text on colour t should be white rather than black. */
bool opevo_i_fig_colour_is_dark(double t);

typedef struct opevo_i_fig_place {
    double x, y;
} opevo_i_fig_place;

/* One place for each vertex, y downwards, no two nearer than about 1 (less only where a graph has
 * more vertices than pushing apart can free). Paths become lines or rows; cycles and complete
 * graphs circles; factorisations in three factors triangles whose corners have all primes in one
 * factor, where C has one prime, or two of which one is simple; small permutations columns by their
 * distance from `start`; the rest as below. The same on every call. */
opevo_status opevo_i_fig_layout(const opevo_parameter *parameter, const opevo_graph *graph,
                                size_t start, opevo_i_fig_place *places, opevo_error *err);

/* For any graph, by distances in it, turned so that the drawing is wide and `start` lies to the
 * left. Source: Kamada, Kawai, "An algorithm for drawing general undirected graphs", Inf. Process.
 * Lett. 31 (1989), by igraph. */
opevo_status opevo_i_fig_layout_by_distance(const opevo_graph *graph, size_t start,
                                            opevo_i_fig_place *places, opevo_error *err);

#endif
