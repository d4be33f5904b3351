/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The choice of AutoTVM's diversity filter, by itself so that it can be tested. */

#ifndef OPEVO_AUTOTVM_INTERNAL_H
#define OPEVO_AUTOTVM_INTERNAL_H

#include <stddef.h>

#include <opevo/index.h>

/* Choose `wanted` of `count` (at least as many) candidates, each a row of `width` vertices: one
 * after the other the one with the most vertices that no chosen one has at the same parameter, the
 * first of equals.
 *
 *   chosen   out: `wanted` candidate numbers, in the order chosen
 *   scratch  room for count * (width + 1) numbers
 *
 * Source: TVM v0.6, submodular_pick, called with all scores 0 as XGBTuner does. Hook of tests. */
void opevo_i_tvm_pick_diverse(const opevo_index *vertices, size_t count, size_t width,
                              size_t wanted, size_t *chosen, size_t *scratch);

#endif
