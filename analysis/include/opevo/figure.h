/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Figures as SVG text, drawn from exact numbers. */

#ifndef OPEVO_FIGURE_H
#define OPEVO_FIGURE_H

#include <opevo/law.h>

/* The parameter's graph with each vertex shaded by its probability under the law, start vertex
 * marked, values as labels, colour scale with numbers: figures 1 and 2 of the paper. Layout:
 * Kamada-Kawai by igraph, cycles and paths laid out by hand. Errors: LIMIT above 400 vertices. */
opevo_status opevo_figure_law(const opevo_law *law, opevo_text *svg, opevo_error *err);

#endif
