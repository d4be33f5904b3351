/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Figures as SVG text, drawn from exact numbers. */

#ifndef OPEVO_FIGURE_H
#define OPEVO_FIGURE_H

#include <opevo/api.h>
#include <opevo/law.h>

OPEVO_BEGIN_C

/* Appends the parameter's graph with each vertex shaded by its probability under the law, as in
 * figures 1 and 2 of the paper: the start in a ring, value and probability as label up to 120
 * vertices, a colour bar (logarithmic when the probabilities span more than a factor of 20), and a
 * title with q, start and the law's bound. Each vertex is one <circle>, in vertex order, whose
 * attribute data-p is the probability in full precision; a vertex that the walk cannot reach is
 * white with a dashed rim. The same text for the same law.
 *
 * Not while the program calls igraph in another thread: igraph, which lays out the less regular
 * graphs and is opened by the first of them, keeps its state in global variables.
 *
 * Errors: LIMIT above 400 vertices; IO where igraph is missing; NOMEM, with *svg then cut short.
 * Cost: O(vertices^2) for layouts by hand, up to O(vertices^3) for those by distance. */
OPEVO_API opevo_status opevo_figure_law(const opevo_law *law, opevo_text *svg, opevo_error *err);

OPEVO_END_C

#endif
