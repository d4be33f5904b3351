/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Learn a cost model from the loop trees of earlier trials, apart from any run. */

#ifndef OPEVO_LEARN_H
#define OPEVO_LEARN_H

#include <opevo/cost_model.h>
#include <opevo/tuner.h>

OPEVO_BEGIN_C

typedef struct opevo_learn_plan {
    const char *kind; /* as the setting `model` has it: "treegru", "treegru-context" */
    const char *loss; /* "rank" or "reg" */
    size_t hidden;    /* numbers of a state, 1 .. OPEVO_COST_MODEL_HIDDEN; 0: 128 */
    size_t passes;    /* over all trees, at least 1 */
    uint64_t seed;    /* of the first weights and of the order of the trees */
} opevo_learn_plan;

/* Train on `count` trees, whose labels are fitness over the best fitness of their run; runs without
 * a success are left out. The same trees and plan give the same model on one machine. Errors:
 * INVALID for an unknown kind or loss, and where no run has a success; NOMEM. Cost: about
 * 20 hidden^2 multiply-adds a loop and pass. */
OPEVO_API opevo_status opevo_cost_model_learn(const opevo_learn_plan *plan,
                                              const opevo_earlier_tree *trees, size_t count,
                                              opevo_cost_model **out, opevo_error *err);

OPEVO_END_C

#endif
