/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Conjugate gradients on (D - q B) X = rhs with the preconditioner D, which is the same as plain
 * conjugate gradients on I - q D^-1/2 B D^-1/2: the spectrum lies in [1-q, 1+q], so k products
 * shrink the error by about 2 ((1 - sqrt(1-q^2)) / q)^k. In these variables the residual is that of
 * (I - Q) S = rhs itself, so its 1-norm, which the certificate is made of, decides when to stop.
 *
 * After k products everything is still zero farther than k steps from the start. Rows ascend, so
 * the rows that matter lie in a range that grows with k; only those are touched. */

#include "law_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

typedef struct sums {
    double weighted; /* r . D^-1 r */
    double absolute; /* |r|_1 */
} sums;

static sums measure(const double *r, const double *inverse_degree, opevo_i_law_range range)
{
    sums sum = {0, 0};

    for (size_t i = range.lo; i < range.hi; i++) {
        sum.weighted += r[i] * r[i] * inverse_degree[i];
        sum.absolute += fabs(r[i]);
    }
    return sum;
}

/* x += alpha z and r -= alpha out, with the sums of the new r. */
static sums advance(double alpha, const double *restrict z, const double *restrict out,
                    const double *restrict inverse_degree, double *restrict x, double *restrict r,
                    opevo_i_law_range range)
{
    sums sum = {0, 0};

    for (size_t i = range.lo; i < range.hi; i++) {
        double next = r[i] - alpha * out[i];

        x[i] += alpha * z[i];
        r[i] = next;
        sum.weighted += next * next * inverse_degree[i];
        sum.absolute += fabs(next);
    }
    return sum;
}

static void turn(double beta, const double *restrict r, const double *restrict inverse_degree,
                 double *restrict z, opevo_i_law_range range)
{
    for (size_t i = range.lo; i < range.hi; i++)
        z[i] = r[i] * inverse_degree[i] + beta * z[i];
}

static opevo_i_law_range support(const double *rhs, size_t count)
{
    opevo_i_law_range range = {0, count, 0, 0};

    while (range.lo < range.hi && rhs[range.lo] == 0)
        range.lo++;
    while (range.hi > range.lo && rhs[range.hi - 1] == 0)
        range.hi--;
    range.seen_lo = range.seen_hi = range.lo;
    return range;
}

/* r holds rhs on entry, x and z are zero. */
static void iterate(const opevo_i_law_system *self, double goal, double *r, double *z, double *out,
                    double *x)
{
    /* Four times the products that the theory asks for; rounding makes more of them useless. */
    size_t most = 64 + (size_t)(160 * sqrt((1 + self->q) / (1 - self->q)));
    opevo_i_law_range range = support(r, self->count);
    sums sum = measure(r, self->inverse_degree, range);

    turn(0, r, self->inverse_degree, z, range);
    for (size_t k = 0; k < most && sum.absolute > goal && sum.weighted > 0; k++) {
        double curvature = self->apply(self, z, out, &range);
        double weighted = sum.weighted;

        sum = advance(weighted / curvature, z, out, self->inverse_degree, x, r, range);
        turn(sum.weighted / weighted, r, self->inverse_degree, z, range);
    }
    for (size_t i = range.lo; i < range.hi; i++)
        x[i] /= self->inverse_degree[i];
}

opevo_status opevo_i_law_cg_solve(const opevo_i_law_system *self, const double *rhs, double goal,
                                  double *x, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double *r = opevo_malloc(self->count, sizeof *r);
    double *z = opevo_calloc(self->count, sizeof *z);
    double *out = opevo_malloc(self->count, sizeof *out);

    OPEVO_NEED(r && z && out, "conjugate gradients on %zu vertices", self->count);
    memcpy(r, rhs, self->count * sizeof *r);
    memset(x, 0, self->count * sizeof *x);
    iterate(self, goal, r, z, out, x);
cleanup:
    opevo_free(r);
    opevo_free(z);
    opevo_free(out);
    return status;
}
