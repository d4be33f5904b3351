/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The system of the walk on classes of vertices. If each of the s_a vertices of class a has m_ab
 * neighbours in class b, then s_a m_ab = s_b m_ba (both count the edges between the classes), so
 * the walk of the classes is that on the weighted graph with weights s_a m_ab, and conjugate
 * gradients apply unchanged. The certificate weighs each class by its size, which makes it the
 * 1-norm over all vertices of the large graph. */

#include "law_internal.h"

#include <opevo/memory.h>

#include <math.h>

typedef struct quotient_system {
    opevo_i_law_system super;
    const opevo_i_law_quotient *quotient;
    double *inverse_degree, *size, *p0;
    double longest;
} quotient_system;

static double apply(const opevo_i_law_system *super, const double *z, double *out,
                    opevo_i_law_range *range)
{
    const quotient_system *self = (const quotient_system *)super;
    const opevo_i_law_quotient *quotient = self->quotient;
    double product = 0;

    range->lo = 0;
    range->hi = super->count;
    for (size_t a = 0; a < super->count; a++) {
        double sum = quotient->degree[a] > 0 ? 0 : z[a];

        for (size_t k = quotient->offset[a]; k < quotient->offset[a + 1]; k++)
            sum += (double)quotient->count[k] * z[quotient->target[k]];
        out[a] = z[a] / self->inverse_degree[a] - super->q * self->size[a] * sum;
        product += z[a] * out[a];
    }
    return product;
}

static opevo_status residual(const opevo_i_law_system *super, const double *law, double *r,
                             opevo_i_law_residual *out, opevo_error *err)
{
    const quotient_system *self = (const quotient_system *)super;
    const opevo_i_law_quotient *quotient = self->quotient;
    const long double q = super->q;

    (void)err;
    *out = (opevo_i_law_residual){.longest = self->longest};
    for (size_t a = 0; a < super->count; a++) {
        long double size = (long double)quotient->size[a];
        long double sum = quotient->degree[a] > 0 ? 0 : law[a], row = 0;

        for (size_t k = quotient->offset[a]; k < quotient->offset[a + 1]; k++) {
            uint32_t b = quotient->target[k];

            sum += (long double)quotient->count[k] * law[b] / quotient->degree[b];
        }
        row = (1 - q) * super->p0[a] - size * law[a] + q * size * sum;
        out->norm += fabsl(row);
        out->terms += (1 - q) * super->p0[a] + size * law[a] + q * size * sum;
        r[a] = (double)row;
    }
    return OPEVO_OK;
}

static void describe(quotient_system *self, size_t start)
{
    const opevo_i_law_quotient *quotient = self->quotient;

    for (size_t a = 0; a < quotient->class_count; a++) {
        double degree = quotient->degree[a];
        double length = (double)(quotient->offset[a + 1] - quotient->offset[a]);

        self->size[a] = (double)quotient->size[a];
        self->inverse_degree[a] = 1 / (self->size[a] * (degree > 0 ? degree : 1));
        self->p0[a] = a == start;
        if (length > self->longest)
            self->longest = length;
    }
}

opevo_status opevo_i_law_quotient_solve(const opevo_i_law_quotient *quotient, double q,
                                        size_t start, double tolerance, double *law, double *bound,
                                        opevo_error *err)
{
    size_t count = quotient->class_count;
    quotient_system self = {
        .super = {.count = count,
                  .q = q,
                  .apply = apply,
                  .solve = opevo_i_law_cg_solve,
                  .residual = residual},
        .quotient = quotient,
    };
    opevo_status status = OPEVO_OK;

    self.inverse_degree = opevo_malloc(count, sizeof *self.inverse_degree);
    self.size = opevo_malloc(count, sizeof *self.size);
    self.p0 = opevo_malloc(count, sizeof *self.p0);
    if (!self.inverse_degree || !self.size || !self.p0) {
        status =
            OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to solve for the law of %zu classes.", count);
        goto cleanup;
    }
    describe(&self, start);
    self.super.inverse_degree = self.inverse_degree;
    self.super.size = self.size;
    self.super.p0 = self.p0;
    OPEVO_TRY(opevo_i_law_refine(&self.super, tolerance, law, bound, err));
cleanup:
    opevo_free(self.inverse_degree);
    opevo_free(self.size);
    opevo_free(self.p0);
    return status;
}
