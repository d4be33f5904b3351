/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The path: I - q D^-1/2 A D^-1/2 is tridiagonal and positive definite, so LAPACK's dptsv (its two
 * halves, dpttrf once and dpttrs for each refinement) solves it in O(n). */

#include "law_internal.h"

#include <opevo/memory.h>

#include <math.h>

#include <lapacke.h>
#undef I /* of complex.h */

typedef struct path_system {
    opevo_i_law_system super;
    double *diagonal, *below; /* the factors L D L' */
} path_system;

static double degree(size_t n, size_t v)
{
    return n == 1 ? 1 : v == 0 || v == n - 1 ? 1 : 2;
}

static opevo_status solve(const opevo_i_law_system *super, const double *rhs, double goal,
                          double *x, opevo_error *err)
{
    const path_system *self = (const path_system *)super;
    size_t n = super->count;

    (void)goal;
    for (size_t v = 0; v < n; v++)
        x[v] = rhs[v] / sqrt(degree(n, v));
    if (LAPACKE_dpttrs(LAPACK_COL_MAJOR, (lapack_int)n, 1, self->diagonal, self->below, x,
                       (lapack_int)n) != 0)
        return OPEVO_FAIL(err, OPEVO_TOLERANCE, "LAPACK's dpttrs failed on a path of %zu vertices.",
                          n);
    for (size_t v = 0; v < n; v++)
        x[v] *= sqrt(degree(n, v));
    return OPEVO_OK;
}

static opevo_status residual(const opevo_i_law_system *super, const double *law, double *r,
                             opevo_i_law_residual *out, opevo_error *err)
{
    const long double q = super->q;
    size_t n = super->count;

    (void)err;
    *out = (opevo_i_law_residual){.longest = 2};
    for (size_t v = 0; v < n; v++) {
        long double sum = n == 1 ? law[v] : 0, row = 0;

        if (v > 0)
            sum += law[v - 1] / (long double)degree(n, v - 1);
        if (v + 1 < n)
            sum += law[v + 1] / (long double)degree(n, v + 1);
        row = (1 - q) * super->p0[v] - law[v] + q * sum;
        out->norm += fabsl(row);
        out->terms += (1 - q) * super->p0[v] + law[v] + q * sum;
        r[v] = (double)row;
    }
    return OPEVO_OK;
}

static opevo_status factorise(path_system *self, opevo_error *err)
{
    size_t n = self->super.count;
    double q = self->super.q;

    self->diagonal = opevo_malloc(n, sizeof *self->diagonal);
    self->below = opevo_malloc(n, sizeof *self->below);
    OPEVO_NEED_OR_RETURN(self->diagonal && self->below, "solving for the law of %zu vertices", n);
    for (size_t v = 0; v < n; v++) {
        self->diagonal[v] = n == 1 ? 1 - q : 1;
        if (v + 1 < n)
            self->below[v] = -q / sqrt(degree(n, v) * degree(n, v + 1));
    }
    if (LAPACKE_dpttrf((lapack_int)n, self->diagonal, self->below) != 0)
        return OPEVO_FAIL(err, OPEVO_TOLERANCE,
                          "LAPACK's dpttrf found the matrix of the walk not positive definite; use "
                          "a smaller q.");
    return OPEVO_OK;
}

opevo_status opevo_i_law_path_solve(size_t n, double q, const double *p0, double tolerance,
                                    double *law, double *bound, opevo_error *err)
{
    path_system self = {
        .super = {.count = n, .q = q, .p0 = p0, .solve = solve, .residual = residual}};
    opevo_status status = OPEVO_OK;

    if (n > INT32_MAX)
        return OPEVO_FAIL(
            err, OPEVO_LIMIT,
            "The method tridiagonal is for paths of up to 2^31 - 1 vertices, and this "
            "one has %zu; use cg.",
            n);
    OPEVO_TRY(factorise(&self, err));
    OPEVO_TRY(opevo_i_law_refine(&self.super, tolerance, law, bound, err));
cleanup:
    opevo_free(self.diagonal);
    opevo_free(self.below);
    return status;
}
