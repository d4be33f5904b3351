/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Many mutations of what stays among the points that may not be proposed, in few products with the
 * kernel. A power is a mean of Chebyshev polynomials,
 *
 *     x^m = E T_|D_m|(x),   D_m = where a simple random walk on the integers is after m steps,
 *
 * as cos(t)^m = E exp(i t D_m); and |D_m| stays below sqrt(2 m log(4 / e)) up to the probability e.
 * So all sums over m mutations follow from T_d(K_SS) for d up to about 9 sqrt(m).
 *
 * How far they may be off. The kernel of a parameter is K(u,v) = C(u,v) w(v) with C symmetric and w
 * the degrees. C is rounded to a symmetric matrix, and scaled so that no row of K sums to more than
 * 1; that K is exact from here on, and what it differs by from the walk's own counts for each
 * mutation. With |v|_w^2 = sum v(x)^2 / w(x), K_SS does not increase |v|_w, nor does T_d(K_SS), as
 * its eigenvalues are in [-1, 1]; and |v|_1 is at most |v|_w sqrt(w(S)).
 *
 *   - What is left, z = v K_SS^m. A product is off by at most g K |t| in each entry, so that T_d,
 *     by its recurrence, is off by at most 3 g |v|_w (1 + 2 + ... + d), as the Chebyshev polynomial
 *     U_k of the second kind is at most k + 1. With E D_m^2 = m, z is off by 3/2 g (m + sqrt(m))
 *     |v|_w, and by what is cut off.
 *   - The law. With y the expected visits of S, y (I - K_SS) = v - z, and the law is y K_ST. If the
 *     computed y leaves rho of that, the law is off by as much as z and by |rho|_1
 *     (child_continue.c).
 *
 * Source: S. Sachdeva, N. K. Vishnoi, "Faster algorithms via approximation theory", Foundations and
 *         Trends in Theoretical Computer Science 9(2), 2014, section 3. */

#include "child_step.h"
#include "law_internal.h"

#include <opevo/memory.h>

#include <float.h>
#include <math.h>
#include <string.h>

/* What may be cut off of the places of the random walk. */
#define CUT 1e-19L

typedef struct leap {
    const opevo_i_law_child *step;
    opevo_i_law_kernel twin; /* of symmetric laws: C */
    long double *weight;     /* w of each point */
    long double *now, *before, *next, *spare;
    long double *visits, *left; /* y and z */
    long double *at, *at_next;  /* the law of |D|, of the last step and the next */
    long double *times;         /* how many steps are expected at each place, from 0 to m - 1 */
    size_t degree;              /* of the highest polynomial */
    long double cut;            /* of the law of |D| */
    long double rounding;       /* g */
    long double difference;     /* 1-norm of a row of the kernel, from the walk's own */
} leap;

/* ---- The symmetric kernel ------------------------------------------------------------------- */

/* Into `law`; returns the largest sum of a row of the kernel. */
static long double make_symmetric(const opevo_i_law_factor *from, double *law)
{
    size_t n = from->size;
    long double most = 0;

    for (size_t u = 0; u < n; u++) {
        for (size_t v = u; v < n; v++) {
            long double there = (long double)from->law[u * n + v] / from->weight[v];
            long double back = (long double)from->law[v * n + u] / from->weight[u];

            law[u * n + v] = law[v * n + u] = (double)((there + back) / 2);
        }
    }
    for (size_t u = 0; u < n; u++) {
        long double sum = 0;

        for (size_t v = 0; v < n; v++)
            sum += (long double)law[u * n + v] * from->weight[v];
        most = fmaxl(most, sum);
    }
    return most;
}

/* Scale it; returns the largest 1-norm of a row's change from the walk's own. */
static long double scale(const opevo_i_law_factor *from, long double by, double *law)
{
    size_t n = from->size;
    long double most = 0;

    for (size_t u = 0; u < n; u++) {
        long double change = 0;

        for (size_t v = 0; v < n; v++) {
            law[u * n + v] = (double)(law[u * n + v] * by);
            change += fabsl((long double)law[u * n + v] * from->weight[v] - from->law[u * n + v]);
        }
        most = fmaxl(most, change);
    }
    return most + DBL_EPSILON;
}

static opevo_status make_twin(leap *self, opevo_error *err)
{
    const opevo_i_law_kernel *kernel = &self->step->kernel;
    size_t below = kernel->point_count;
    opevo_status status = OPEVO_OK;
    double difference = 0;

    self->twin = (opevo_i_law_kernel){.point_count = kernel->point_count,
                                      .factor_count = kernel->factor_count};
    OPEVO_NEW(self->twin.factors, kernel->factor_count, "the law of a child");
    for (size_t x = 0; x < kernel->point_count; x++)
        self->weight[x] = 1;
    for (size_t i = 0; i < kernel->factor_count; i++) {
        const opevo_i_law_factor *from = &kernel->factors[i];
        opevo_i_law_factor *to = &self->twin.factors[i];
        long double most = 0;

        to->size = from->size;
        OPEVO_NEW(to->law, from->size * from->size, "the law of a child");
        most = make_symmetric(from, to->law);
        /* Entries are rounded once more. */
        most = fmaxl(most, 1) + 4 * DBL_EPSILON;
        difference = opevo_i_law_bound_join(difference,
                                            (double)(scale(from, 1 / most, to->law) + from->bound));
        self->rounding += (long double)(from->size + 2) * LDBL_EPSILON;
        below /= from->size;
        for (size_t x = 0; x < kernel->point_count; x++)
            self->weight[x] *= from->weight[x / below % from->size];
    }
    self->rounding += 4 * LDBL_EPSILON;
    self->difference = difference;
cleanup:
    return status;
}

/* mass K_SS into `mass`, what leaves S lost. */
static void apply(leap *self, long double *mass)
{
    const opevo_i_law_child *step = self->step;

    opevo_i_law_kernel_apply(&self->twin, mass, self->spare, step->row);
    for (size_t x = 0; x < step->point_count; x++)
        mass[x] *= self->weight[x];
}

static void leave_out_free(const opevo_i_law_child *step, long double *mass)
{
    for (size_t x = 0; x < step->point_count; x++)
        mass[x] = step->taken[x] ? mass[x] : 0;
}

/* ---- The simple random walk ----------------------------------------------------------------- */

static size_t degree_for(unsigned steps)
{
    return (size_t)ceill(sqrtl(2 * (long double)steps * logl(4 / CUT))) + 1;
}

static void walk(leap *self, unsigned steps)
{
    size_t last = self->degree;

    self->at[0] = 1;
    for (unsigned j = 0; j < steps; j++) {
        long double *swap = self->at;

        for (size_t d = 0; d <= last; d++)
            self->times[d] += self->at[d];
        self->at_next[0] = self->at[1] / 2;
        for (size_t d = 1; d <= last; d++)
            self->at_next[d] =
                (self->at[d - 1] * (d == 1 ? 2 : 1) + (d < last ? self->at[d + 1] : 0)) / 2;
        self->cut += self->at[last] / 2;
        self->at = self->at_next;
        self->at_next = swap;
    }
}

/* ---- All mutations -------------------------------------------------------------------------- */

static void add(const leap *self, size_t d)
{
    for (size_t x = 0; x < self->step->point_count; x++) {
        self->visits[x] += self->times[d] * self->now[x];
        self->left[x] += self->at[d] * self->now[x];
    }
}

/* Go through T_0, T_1, ... of the kernel, from `mass`. */
static void follow(leap *self, const long double *mass)
{
    size_t n = self->step->point_count, bytes = n * sizeof *mass;

    memcpy(self->now, mass, bytes);
    for (size_t d = 0; d <= self->degree; d++) {
        long double *swap = self->before;

        add(self, d);
        memcpy(self->next, self->now, bytes);
        apply(self, self->next);
        leave_out_free(self->step, self->next);
        for (size_t x = 0; d > 0 && x < n; x++)
            self->next[x] = 2 * self->next[x] - self->before[x];
        self->before = self->now;
        self->now = self->next;
        self->next = swap;
    }
}

/* How far z may be off in the 1-norm. */
static long double error_left(const leap *self, const long double *mass, unsigned steps)
{
    const opevo_i_law_child *step = self->step;
    long double square = 0, total = 0, m = steps, relative = 0;

    for (size_t x = 0; x < step->point_count; x++) {
        square += mass[x] * mass[x] / self->weight[x];
        if (step->taken[x] && !opevo_i_law_child_is_lost(step, x))
            total += self->weight[x];
    }
    relative = 1.5L * (m + sqrtl(m)) * self->rounding + self->cut +
               (2 * m + (long double)self->degree) * LDBL_EPSILON;
    return relative * sqrtl(square) * sqrtl(total);
}

/* The law, from y and z: what is in T after a mutation of y. */
static void finish(leap *self, opevo_i_law_child *step, const long double *mass, unsigned steps)
{
    long double rho = 0, visited = 0, sum = 0, off = error_left(self, mass, steps);

    memcpy(self->next, self->visits, step->point_count * sizeof *self->next);
    apply(self, self->next);
    for (size_t x = 0; x < step->point_count; x++) {
        if (step->taken[x])
            rho += fabsl(mass[x] - self->left[x] - self->visits[x] + self->next[x]);
        else
            step->sums[x] += fmaxl(self->next[x], 0);
        step->lost += fmaxl(self->left[x], 0);
        visited += fabsl(self->visits[x]);
        sum += mass[x];
    }
    step->off += (double)(2 * off + rho + 3 * self->rounding * (visited + sum) +
                          (long double)steps * sum * self->difference);
}

static void leap_release(leap *self)
{
    for (size_t i = 0; self->twin.factors && i < self->twin.factor_count; i++)
        opevo_free(self->twin.factors[i].law);
    opevo_free(self->twin.factors);
    opevo_free(self->weight);
    opevo_free(self->now);
    opevo_free(self->before);
    opevo_free(self->next);
    opevo_free(self->spare);
    opevo_free(self->visits);
    opevo_free(self->left);
    opevo_free(self->at);
    opevo_free(self->at_next);
    opevo_free(self->times);
}

static opevo_status leap_init(leap *self, unsigned steps, opevo_error *err)
{
    size_t n = self->step->point_count;
    opevo_status status = OPEVO_OK;

    self->degree = degree_for(steps);
    OPEVO_NEW(self->weight, n, "the law of a child");
    OPEVO_NEW(self->now, n, "the law of a child");
    OPEVO_NEW(self->before, n, "the law of a child");
    OPEVO_NEW(self->next, n, "the law of a child");
    OPEVO_NEW(self->spare, n, "the law of a child");
    OPEVO_NEW(self->visits, n, "the law of a child");
    OPEVO_NEW(self->left, n, "the law of a child");
    OPEVO_NEW(self->at, self->degree + 1, "the law of a child");
    OPEVO_NEW(self->at_next, self->degree + 1, "the law of a child");
    OPEVO_NEW(self->times, self->degree + 1, "the law of a child");
    OPEVO_TRY(make_twin(self, err));
cleanup:
    return status;
}

bool opevo_i_law_leap_pays(const opevo_i_law_child *step, unsigned steps)
{
    return !step->kernel.start && steps > 2 * degree_for(steps);
}

opevo_status opevo_i_law_leap(opevo_i_law_child *step, const long double *mass, unsigned steps,
                              opevo_error *err)
{
    leap self = {.step = step};
    opevo_status status = leap_init(&self, steps, err);

    if (status == OPEVO_OK) {
        walk(&self, steps);
        follow(&self, mass);
        finish(&self, step, mass, steps);
    }
    leap_release(&self);
    return status;
}
