/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Verification of a whole child step: recombination, mutation and the duplicate rule. */

#include <opevo/verify.h>

#include <opevo/memory.h>

#include "verify_internal.h"

#include <math.h>

static const opevo_index point_limit = 4096;
static const double lost_limit = 1e-9;

opevo_status opevo_i_verify_child_law(const opevo_child_step *step, double **law, double *bound,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index size = opevo_space_size(step->space);
    double *self = NULL;
    double lost = 0;

    if (size > point_limit)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "The child step can be verified on spaces of at most 4096 points; take a "
                          "smaller space.");
    OPEVO_NEW(self, (size_t)size, "the law of a child");
    OPEVO_TRY(opevo_child_law_without_duplicates(step, self, &lost, bound, err));
    if (lost > lost_limit) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "Some children cannot reach a free point (share %.3g); use a connected "
                            "space and a positive q, or leave a free point in each component.",
                            lost);
        goto cleanup;
    }
    for (size_t i = 0; i < size; i++)
        self[i] = fmax(self[i], 0);
    *law = self;
    self = NULL;
cleanup:
    opevo_free(self);
    return status;
}

opevo_status opevo_verify_child(const opevo_child_step *step, opevo_draw draw, void *context,
                                uint64_t draws, opevo_rng *rng, opevo_fit *out, double *bound,
                                opevo_error *err)
{
    double *law = NULL;
    double law_bound = 0;
    opevo_status status = opevo_i_verify_child_law(step, &law, &law_bound, err);

    if (status != OPEVO_OK)
        return status;
    status = opevo_verify_draws(law, (size_t)opevo_space_size(step->space), draw, context, draws,
                                rng, out, err);
    if (status == OPEVO_OK && bound)
        *bound = law_bound;
    opevo_free(law);
    return status;
}
