/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Ansor's features of the statements of a pipeline and its loop tree, for learned cost models. */

#ifndef OPEVO_PIPELINE_FEATURES_H
#define OPEVO_PIPELINE_FEATURES_H

#include <opevo/pipeline.h>
#include <opevo/statement_features.h>

OPEVO_BEGIN_C

/* Rows of a pipeline, at most: two for each of its stages. */
enum { OPEVO_PIPELINE_ROWS = 2 * OPEVO_PIPELINE_STAGES };

/* The rows of opevo_statement_features for the program that a pipeline is lowered to, as TVM lowers
 * it for this purpose: loops of one iteration stay, conditions are left out, and a reduction has a
 * store of the neutral element at its outermost reduction loop. Where sums gather in registers
 * these are a buffer of their own, which is written back.
 *
 *   rows   out: room for OPEVO_PIPELINE_ROWS rows
 *   count  out: number of rows
 *
 * Errors: INVALID where the pipeline cannot be lowered; LIMIT for a program that is too large to be
 * described; NOMEM. */
opevo_status opevo_pipeline_features(const opevo_pipeline *pipeline, float *rows, size_t *count,
                                     opevo_error *err);

/* The loop tree of the same program. A loop's name is 16 times the place of its stage in the order
 * of the pipeline, plus its place among the loops of the stage.
 *
 *   rows   out: room for OPEVO_LOOP_TREE_ROWS rows
 *   count  out: number of rows
 *
 * Errors: as above. */
opevo_status opevo_pipeline_tree(const opevo_pipeline *pipeline, float *rows, size_t *count,
                                 opevo_error *err);

OPEVO_END_C

#endif
