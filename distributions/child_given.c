/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The marginals of the child's product law as weights on the diagram of the space. */

#include <opevo/child_given.h>

#include <opevo/diagram_weights.h>
#include <opevo/memory.h>
#include <opevo/random_allowed.h>

#include <math.h>

struct opevo_child_given {
    opevo_child_law *law;
    const double **marginals; /* of each parameter */
    opevo_diagram_weights *weights;
};

opevo_status opevo_child_given_create(const opevo_space *space, const opevo_parents *parents,
                                      double q, opevo_child_given **out, opevo_error *err)
{
    size_t width = opevo_space_parameter_count(space);
    const opevo_diagram *diagram = NULL;
    opevo_child_given *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "the law of a child");
    OPEVO_TRY(opevo_space_diagram(space, &diagram, err));
    OPEVO_TRY(opevo_child_law_create(space, parents, q, NULL, &self->law, err));
    OPEVO_TRY(opevo_diagram_weights_create(diagram, &self->weights, err));
    self->marginals = opevo_malloc(width, sizeof *self->marginals);
    OPEVO_NEED(self->marginals, "the law of a child");
    for (size_t i = 0; i < width; i++)
        self->marginals[i] = opevo_child_law_marginal(self->law, i);
    opevo_diagram_weights_set(self->weights, self->marginals);
    *out = self;
    self = NULL;
cleanup:
    opevo_child_given_destroy(self);
    return status;
}

void opevo_child_given_destroy(opevo_child_given *given)
{
    if (!given)
        return;
    opevo_diagram_weights_destroy(given->weights);
    opevo_child_law_destroy(given->law);
    opevo_free((void *)given->marginals);
    opevo_free(given);
}

double opevo_child_given_probability(const opevo_child_given *given, double *bound)
{
    double total = opevo_diagram_weights_total(given->weights);

    if (bound)
        *bound =
            opevo_child_law_bound(given->law) + total * opevo_diagram_weights_error(given->weights);
    return fmin(total, 1);
}

bool opevo_child_given_draw(const opevo_child_given *given, opevo_rng *rng, opevo_index *vertices)
{
    return opevo_diagram_weights_draw(given->weights, opevo_rng_bits, rng, vertices);
}

opevo_status opevo_child_given_law(const opevo_child_given *given, size_t parameter, double *law,
                                   opevo_error *err)
{
    if (!opevo_diagram_weights_any(given->weights))
        return OPEVO_FAIL(err, OPEVO_INVALID, "No child of these parents is allowed.");
    return opevo_diagram_weights_law(given->weights, parameter, law, err);
}
