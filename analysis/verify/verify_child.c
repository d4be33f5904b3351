/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Verification of a whole child step: recombination, mutation and the duplicate rule. */

#include <opevo/verify.h>

#include <opevo/memory.h>

#include "verify_internal.h"

#include <math.h>

static const opevo_index point_limit = 4096;

opevo_status opevo_i_verify_child_law(const opevo_child_step *step, double **law, double *bound,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index size = opevo_space_size(step->space);
    double *self = NULL;

    if (size > point_limit)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "The child step can be verified on spaces of at most 4096 points; take a "
                          "smaller space.");
    OPEVO_NEW(self, (size_t)size + 1, "the law of a child");
    OPEVO_TRY(opevo_child_law_without_duplicates(step, self, &self[size], bound, err));
    for (size_t i = 0; i < size; i++)
        self[i] = fmax(self[i], 0);
    *law = self;
    self = NULL;
cleanup:
    opevo_free(self);
    return status;
}

typedef struct child_draw {
    opevo_draw draw;
    void *context;
    opevo_index size;
} child_draw;

/* Any number that is not a point's says that there is no child. */
static opevo_index draw_child(void *context, opevo_rng *rng)
{
    const child_draw *self = context;
    opevo_index drawn = self->draw(self->context, rng);

    return drawn < self->size ? drawn : self->size;
}

opevo_status opevo_verify_child(const opevo_child_step *step, opevo_draw draw, void *context,
                                uint64_t draws, opevo_rng *rng, opevo_fit *out, double *bound,
                                opevo_error *err)
{
    child_draw self = {draw, context, opevo_space_size(step->space)};
    double *law = NULL;
    double law_bound = 0;
    opevo_status status = opevo_i_verify_child_law(step, &law, &law_bound, err);

    if (status != OPEVO_OK)
        return status;
    status =
        opevo_verify_draws(law, (size_t)self.size + 1, draw_child, &self, draws, rng, out, err);
    if (status == OPEVO_OK && bound)
        *bound = law_bound;
    opevo_free(law);
    return status;
}
