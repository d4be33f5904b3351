/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Weighted model counting: sums over the allowed points of a product of weights, one for the vertex
 * of each parameter that is active. With probabilities as weights the sum is the probability that
 * a point whose parameters are independent is allowed, and the draws are from its law given that.
 *
 * W(end) = 1, W(node) = sum over arcs, and over their vertices v, of w(v) W(target): one pass from
 * the end. A draw walks from the root, and takes each vertex with probability w(v) W(target) / W.
 * Source: M. Chavira, A. Darwiche, "On probabilistic inference by weighted model counting",
 *         Artificial Intelligence 172, 2008. */

#ifndef OPEVO_DIAGRAM_WEIGHTS_H
#define OPEVO_DIAGRAM_WEIGHTS_H

#include <opevo/diagram.h>

OPEVO_BEGIN_C

typedef struct opevo_diagram_weights opevo_diagram_weights;

/* Room for the sums of a diagram, which must outlive it. Errors: NOMEM. */
opevo_status opevo_diagram_weights_create(const opevo_diagram *diagram, opevo_diagram_weights **out,
                                          opevo_error *err);
void opevo_diagram_weights_destroy(opevo_diagram_weights *weights);

/* Sum up for weights[i][v], finite and not negative, of vertex v of parameter i; they must stay as
 * they are. Cost: a multiplication for each vertex of each arc. */
void opevo_diagram_weights_set(opevo_diagram_weights *self, const double *const *weights);

/* The sum, which is at most 0 where no allowed point has weight. Its relative error is at most
 * opevo_diagram_weights_error. */
double opevo_diagram_weights_total(const opevo_diagram_weights *self);
double opevo_diagram_weights_error(const opevo_diagram_weights *self);
/* Whether an allowed point has weight, also where the sum is too small for a double. */
bool opevo_diagram_weights_any(const opevo_diagram_weights *self);

/* Draw an allowed point; false, with nothing written, where none has weight. `random` gives 64
 * uniform bits. Cost: a search among the arcs of a node for each parameter, and one among the
 * vertices of an arc. */
bool opevo_diagram_weights_draw(const opevo_diagram_weights *self, opevo_diagram_random random,
                                void *context, opevo_index *vertices);

/* The law of the vertex of a parameter in these draws: law[v], and behind the last vertex the
 * probability that it is inactive. Only where the sum is positive. Errors: NOMEM. Cost: as
 * opevo_diagram_weights_set. */
opevo_status opevo_diagram_weights_law(const opevo_diagram_weights *self, size_t parameter,
                                       double *law, opevo_error *err);

OPEVO_END_C

#endif
