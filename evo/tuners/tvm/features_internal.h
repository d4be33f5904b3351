/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a learned cost model sees of a point: rows of numbers. By default there is one, AutoTVM's
 * "knob" features, parameter after parameter in the order of the space:
 *
 *     factor        -1, then the second to the last component as they are (the first follows from
 *                   them, and AutoTVM writes -1 for it)
 *     permutation   the components
 *     others        the number, a truth value as 0 or 1
 *     with texts    a one for the value and zeros for the others, up to 256 values; beyond, the
 *                   number of the vertex. AutoTVM has no texts, but codes annotations so
 *
 * A parameter that is not active has zeros. No logarithm is taken: splits of a tree do not see one.
 * Where an objective offers features of its own, those of the loop nest, they are used instead: a
 * row for each statement. */

#ifndef OPEVO_FEATURES_INTERNAL_H
#define OPEVO_FEATURES_INTERNAL_H

#include <opevo/objective.h>

typedef struct opevo_i_tvm_features opevo_i_tvm_features;

/* `space` and `source` (NULL: none) outlive it. NULL without memory. */
opevo_i_tvm_features *opevo_i_tvm_features_create(const opevo_space *space,
                                                  const opevo_feature_source *source);
void opevo_i_tvm_features_destroy(opevo_i_tvm_features *features);

/* Numbers in a row, at least 1. */
size_t opevo_i_tvm_features_width(const opevo_i_tvm_features *features);

/* Rows that a point has at most. */
size_t opevo_i_tvm_features_rows_most(const opevo_i_tvm_features *features);

/* The rows of a point, all finite, and their number, at least 1; `vertices` are the point's. A
 * source is asked once for a point, and where it has nothing to say there is one row, all zeros.
 * Errors: NOMEM. Cost: copying the rows; of a point that the source was not asked for,
 * what it takes. */
opevo_status opevo_i_tvm_features_rows(opevo_i_tvm_features *features, opevo_index point,
                                       const opevo_index *vertices, float *rows, size_t *count,
                                       opevo_error *err);

/* Whether rows are those of numbers of points: of a source. */
bool opevo_i_tvm_features_need_numbers(const opevo_i_tvm_features *features);
/* Whether the source had nothing to say of the point whose rows were asked for last. */
bool opevo_i_tvm_features_are_missing(const opevo_i_tvm_features *features, opevo_index point);

#endif
