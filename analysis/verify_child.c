/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Verification of a whole child step: recombination, mutation and the duplicate rule. */

#include <opevo/memory.h>
#include <opevo/verify.h>

#include <math.h>

opevo_status opevo_verify_child(const opevo_space *space, const opevo_parents *parents, double q,
                                opevo_duplicate_rule rule, const bool *taken, opevo_draw draw,
                                void *context, uint64_t draws, opevo_rng *rng, opevo_fit *out,
                                double *bound, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index size = opevo_space_size(space);
    double *law = NULL;
    double lost = 0, law_bound = 0;

    if (size > 4096)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "The child step can be verified on spaces of at most 4096 points; take a "
                          "smaller space.");
    law = opevo_malloc((size_t)size, sizeof *law);
    if (!law)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the law of a child.");
    OPEVO_TRY(opevo_child_law_without_duplicates(space, parents, q, rule, taken, law, &lost,
                                                 &law_bound, err));
    if (lost >= 1 - 1e-9) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "No child can reach a point that is not taken; leave some points "
                            "within reach of the parents free.");
        goto cleanup;
    }
    for (size_t i = 0; i < size; i++)
        law[i] = fmax(law[i], 0);
    OPEVO_TRY(opevo_verify_draws(law, (size_t)size, draw, context, draws, rng, out, err));
    if (bound)
        *bound = law_bound / (1 - lost);
cleanup:
    opevo_free(law);
    return status;
}
