/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Proposed points and their outcomes, in a table by point. */

#include "tried_internal.h"

#include "untried_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

struct opevo_i_tried {
    opevo_index_map *fitness; /* the bits of a double */
    opevo_i_untried *fresh;
};

opevo_i_tried *opevo_i_tried_create(const opevo_space *space)
{
    opevo_i_tried *self = opevo_calloc(1, sizeof *self);

    if (!self)
        return NULL;
    self->fitness = opevo_index_map_create();
    self->fresh = opevo_i_untried_create(space);
    if (!self->fitness || !self->fresh) {
        opevo_i_tried_destroy(self);
        return NULL;
    }
    return self;
}

void opevo_i_tried_destroy(opevo_i_tried *tried)
{
    if (!tried)
        return;
    opevo_index_map_destroy(tried->fitness);
    opevo_i_untried_destroy(tried->fresh);
    opevo_free(tried);
}

bool opevo_i_tried_get(const opevo_i_tried *tried, opevo_index point, double *fitness)
{
    uint64_t bits = 0;

    if (!opevo_index_map_get(tried->fitness, point, &bits))
        return false;
    if (fitness)
        memcpy(fitness, &bits, sizeof bits);
    return true;
}

static opevo_status put(opevo_i_tried *self, opevo_index point, double fitness, opevo_error *err)
{
    uint64_t bits = 0;

    memcpy(&bits, &fitness, sizeof bits);
    OPEVO_NEED_OR_RETURN(opevo_index_map_put(self->fitness, point, bits),
                         "remembering another point");
    return OPEVO_OK;
}

opevo_status opevo_i_tried_propose(opevo_i_tried *tried, opevo_index point, opevo_error *err)
{
    return put(tried, point, NAN, err);
}

opevo_status opevo_i_tried_tell(opevo_i_tried *tried, opevo_index point, double fitness,
                                opevo_error *err)
{
    return put(tried, point, fitness > 0 && isfinite(fitness) ? fitness : 0, err);
}

opevo_status opevo_i_tried_draw(opevo_i_tried *tried, opevo_rng *rng, opevo_index *point,
                                const char **reason, opevo_error *err)
{
    opevo_index drawn = 0;

    do {
        opevo_status status = opevo_i_untried_draw(tried->fresh, NULL, rng, &drawn, reason, err);

        if (status != OPEVO_OK || *reason)
            return status;
    } while (opevo_i_tried_get(tried, drawn, NULL));
    *point = drawn;
    return OPEVO_OK;
}
