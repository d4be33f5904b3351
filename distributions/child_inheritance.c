/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From which parent a child has each of its parameters: parent j with probability w_j = f_j / sum f
 * where the parameter is always active, and in a branch w_j / sum of w over those parents in which
 * it is active. */

#include "child_internal.h"

#include <opevo/memory.h>

#include <math.h>

/* Weights w_j = f_j / sum f. */
static opevo_status set_shares(const opevo_space *space, const opevo_parents *parents,
                               double *shares, opevo_error *err)
{
    long double sum = 0;

    if (parents->count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A child needs at least one parent.");
    for (size_t j = 0; j < parents->count; j++) {
        if (!opevo_space_has(space, parents->points[j]))
            return OPEVO_FAIL(err, OPEVO_INVALID, "Parent %zu lies outside the space.", j);
        if (!(parents->weights[j] >= 0.0) || isinf(parents->weights[j]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "The weight of parent %zu is %g; it must be finite and not negative.",
                              j, parents->weights[j]);
        sum += parents->weights[j];
    }
    if (!(sum > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "All parents have weight 0; at least one must be positive.");
    for (size_t j = 0; j < parents->count; j++)
        shares[j] = (double)(parents->weights[j] / sum);
    return OPEVO_OK;
}

/* Sums of the shares of the parents in which each parameter is active; those of a parameter that is
 * always active are taken as they are. */
static void add_active(opevo_i_law_inheritance *self, const opevo_space *space)
{
    for (size_t i = 0; i < self->width; i++) {
        long double sum = 0;

        for (size_t j = 0; j < self->count; j++)
            sum += self->vertices[j * self->width + i] == OPEVO_INACTIVE ? 0 : self->shares[j];
        self->active[i] =
            opevo_space_activation(space, i).parent == OPEVO_NO_PARENT ? 1 : (double)sum;
    }
}

opevo_status opevo_i_law_inheritance_init(const opevo_space *space, const opevo_parents *parents,
                                          opevo_i_law_inheritance *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_law_inheritance self = {.width = opevo_space_parameter_count(space),
                                    .count = parents->count};

    self.shares = opevo_malloc(self.count, sizeof *self.shares);
    self.active = opevo_malloc(self.width, sizeof *self.active);
    self.vertices = opevo_malloc(self.count, self.width * sizeof *self.vertices);
    OPEVO_NEED(self.shares && self.active && self.vertices, "%zu parents", self.count);
    OPEVO_TRY(set_shares(space, parents, self.shares, err));
    for (size_t j = 0; j < self.count; j++)
        opevo_space_decode(space, parents->points[j], self.vertices + j * self.width);
    add_active(&self, space);
    *out = self;
    self = (opevo_i_law_inheritance){0}; /* handed over */
cleanup:
    opevo_i_law_inheritance_release(&self);
    return status;
}

void opevo_i_law_inheritance_release(opevo_i_law_inheritance *self)
{
    opevo_free(self->shares);
    opevo_free(self->active);
    opevo_free(self->vertices);
    *self = (opevo_i_law_inheritance){0};
}

double opevo_i_law_inherited(const opevo_i_law_inheritance *self, size_t i, size_t j,
                             opevo_index *vertex)
{
    *vertex = self->vertices[j * self->width + i];
    return *vertex == OPEVO_INACTIVE || !(self->active[i] > 0) ? 0
                                                               : self->shares[j] / self->active[i];
}
