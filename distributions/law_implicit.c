/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The system of the walk on a parameter's graph that is never stored: neighbours are computed by
 * formula in every product. Eight numbers a vertex are kept, however many edges there are. */

#include "law_internal.h"

#include <opevo/memory.h>

#include <math.h>

typedef struct implicit_system {
    opevo_i_law_system super;
    const opevo_parameter *parameter;
    double *inverse_degree;
    double degree_max;
} implicit_system;

static double apply(const opevo_i_law_system *super, const double *z, double *out,
                    opevo_i_law_range *range)
{
    const opevo_parameter *parameter = ((const implicit_system *)super)->parameter;
    double product = 0;

    range->lo = 0;
    range->hi = super->count;
    for (size_t v = 0; v < super->count; v++) {
        opevo_index degree = opevo_parameter_degree(parameter, v);
        double sum = degree ? 0 : z[v];

        for (opevo_index k = 0; k < degree; k++)
            sum += z[(size_t)opevo_parameter_neighbour(parameter, v, k)];
        out[v] = (double)(degree ? degree : 1) * z[v] - super->q * sum;
        product += z[v] * out[v];
    }
    return product;
}

static opevo_status residual(const opevo_i_law_system *super, const double *law, double *r,
                             opevo_i_law_residual *out, opevo_error *err)
{
    const implicit_system *self = (const implicit_system *)super;
    const long double q = super->q;
    long double *share = opevo_malloc(super->count, sizeof *share);

    OPEVO_NEED_OR_RETURN(share, "certifying the law of %zu vertices", super->count);
    for (size_t v = 0; v < super->count; v++) {
        opevo_index degree = opevo_parameter_degree(self->parameter, v);

        share[v] = (long double)law[v] / (long double)(degree ? degree : 1);
    }
    *out = (opevo_i_law_residual){.longest = self->degree_max};
    for (size_t v = 0; v < super->count; v++) {
        opevo_index degree = opevo_parameter_degree(self->parameter, v);
        long double sum = degree ? 0 : share[v], row = 0;

        for (opevo_index k = 0; k < degree; k++)
            sum += share[(size_t)opevo_parameter_neighbour(self->parameter, v, k)];
        row = (1 - q) * super->p0[v] - law[v] + q * sum;
        out->norm += fabsl(row);
        out->terms += (1 - q) * super->p0[v] + law[v] + q * sum;
        r[v] = (double)row;
    }
    opevo_free(share);
    return OPEVO_OK;
}

opevo_status opevo_i_law_implicit_solve(const opevo_parameter *parameter, double q,
                                        const double *p0, double tolerance, double *law,
                                        double *bound, opevo_error *err)
{
    implicit_system self = {
        .super = {.count = (size_t)opevo_parameter_size(parameter),
                  .q = q,
                  .p0 = p0,
                  .apply = apply,
                  .solve = opevo_i_law_cg_solve,
                  .residual = residual},
        .parameter = parameter,
    };
    opevo_status status = OPEVO_OK;

    self.inverse_degree = opevo_malloc(self.super.count, sizeof *self.inverse_degree);
    OPEVO_NEED_OR_RETURN(self.inverse_degree, "solving for the law of %zu vertices",
                         self.super.count);
    for (size_t v = 0; v < self.super.count; v++) {
        double degree = (double)opevo_parameter_degree(parameter, v);

        self.inverse_degree[v] = 1 / (degree > 0 ? degree : 1);
        if (degree > self.degree_max)
            self.degree_max = degree;
    }
    self.super.inverse_degree = self.inverse_degree;
    status = opevo_i_law_refine(&self.super, tolerance, law, bound, err);
    opevo_free(self.inverse_degree);
    return status;
}
