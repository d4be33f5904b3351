/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Dense Cholesky on I - q D^-1/2 A D^-1/2: the reference that the other methods are held against.
 */

#include "law_internal.h"

#include <opevo/memory.h>

#include <math.h>

#include <lapacke.h>
#undef I /* of complex.h */

enum { DENSE_MAX = 20000 };

/* Lower triangle, column by column. */
static void fill(const opevo_i_law_graph_system *self, double *matrix)
{
    const opevo_graph *graph = self->graph;
    size_t n = self->super.count;

    for (size_t v = 0; v < n; v++) {
        bool alone = graph->offset[v] == graph->offset[v + 1];

        matrix[v * n + v] = alone ? 1 - self->super.q : 1;
        for (uint64_t k = graph->offset[v]; k < graph->offset[v + 1]; k++) {
            size_t w = graph->target[k];

            if (w > v)
                matrix[v * n + w] = -self->super.q * sqrt(self->super.inverse_degree[v] *
                                                          self->super.inverse_degree[w]);
        }
    }
}

opevo_status opevo_i_law_dense_factor(opevo_i_law_graph_system *self, opevo_error *err)
{
    size_t n = self->super.count;
    lapack_int info = 0;

    if (n > DENSE_MAX)
        return OPEVO_FAIL(
            err, OPEVO_LIMIT,
            "The method cholesky is for graphs of up to %d vertices, and this one has "
            "%zu; use cg.",
            DENSE_MAX, n);
    OPEVO_NEW_OR_RETURN(self->factor, n * n, "a dense matrix of order %zu", n);
    fill(self, self->factor);
    info = LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', (lapack_int)n, self->factor, (lapack_int)n);
    if (info == LAPACK_WORK_MEMORY_ERROR)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to factorise a matrix of order %zu.", n);
    if (info != 0)
        return OPEVO_FAIL(
            err, OPEVO_TOLERANCE,
            "LAPACK's dpotrf found the matrix of the walk not positive definite (%d); "
            "use a smaller q.",
            (int)info);
    return OPEVO_OK;
}

opevo_status opevo_i_law_dense_solve(const opevo_i_law_system *super, const double *rhs,
                                     double goal, double *x, opevo_error *err)
{
    const opevo_i_law_graph_system *self = (const opevo_i_law_graph_system *)super;
    lapack_int n = (lapack_int)super->count;

    (void)goal;
    for (size_t i = 0; i < super->count; i++)
        x[i] = rhs[i] * sqrt(super->inverse_degree[i]);
    if (LAPACKE_dpotrs(LAPACK_COL_MAJOR, 'L', n, 1, self->factor, n, x, n) != 0)
        return OPEVO_FAIL(err, OPEVO_TOLERANCE, "LAPACK's dpotrs failed on a system of order %zu.",
                          super->count);
    for (size_t i = 0; i < super->count; i++)
        x[i] /= sqrt(super->inverse_degree[i]);
    return OPEVO_OK;
}
