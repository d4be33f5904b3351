/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a child that is mutated on from where it landed, until it is new: by one system of
 * equations, or, for at most so many mutations, by following them.
 *
 * How far the first may be off. Let P be the law after one mutation, y the computed solution of
 * y (I - K_SS) = P_S, rho what y leaves of P_S. Then the exact law is P_T + y K_ST + rho (I -
 * K_SS)^-1 K_ST, and the rows of (I - K_SS)^-1 K_ST are probabilities, so replacing the exact
 * kernel by ours, with rows off by at most delta, moves the law by at most |P - P'|_1 + |y|_1 delta
 * + |rho|_1.
 *
 * And the second: what is wrong by e in the 1-norm before a mutation is wrong by at most e after
 * all of them, in the law and the probability of no child together. Each mutation of a mass v adds
 * at most |v|_1 delta. The mass soon keeps its shape: where one mutation leaves s of it in T and
 * (1 - s) v + rho in S, all that is left is a geometric series, wrong by at most |rho|_1 for each
 * mutation that it expects. Where it takes long to, the rest is computed at once
 * (child_chebyshev.c). */

#include "child_step.h"

#include <opevo/memory.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include <lapacke.h>
#undef I /* of complex.h */

enum { FOLLOWED = 128 }; /* mutations, before the rest is one leap if their mass has no shape */

/* Most that the geometric series may be off. */
static const long double series_tolerance = 1e-13L;

/* ---- Without a limit ---- */

typedef struct visits {
    size_t count;
    size_t *point;  /* the points of S that reach T */
    double *kernel; /* K_SS, row by row */
    double *factor; /* LU factors of the transpose of I - K_SS */
    lapack_int *pivot;
    double *expected; /* y: expected visits of each point */
    double *left;     /* rho */
} visits;

static void visits_release(visits *self)
{
    opevo_free(self->point);
    opevo_free(self->kernel);
    opevo_free(self->factor);
    opevo_free(self->pivot);
    opevo_free(self->expected);
    opevo_free(self->left);
}

static opevo_status visits_init(visits *self, opevo_i_law_child *step, opevo_error *err)
{
    size_t n = 0;

    self->point = opevo_malloc(step->point_count, sizeof *self->point);
    OPEVO_NEED_OR_RETURN(self->point, "continuing from duplicates");
    for (size_t x = 0; x < step->point_count; x++) {
        if (step->taken[x] && !opevo_i_law_child_is_lost(step, x))
            self->point[n++] = x;
    }
    self->count = n;
    self->kernel = opevo_malloc(n * n, sizeof *self->kernel);
    self->factor = opevo_malloc(n * n, sizeof *self->factor);
    self->pivot = opevo_malloc(n, sizeof *self->pivot);
    self->expected = opevo_calloc(n, sizeof *self->expected);
    self->left = opevo_malloc(n, sizeof *self->left);
    OPEVO_NEED_OR_RETURN(self->kernel && self->factor && self->pivot && self->expected &&
                             self->left,
                         "continuing from %zu duplicates", n);
    for (size_t a = 0; a < n; a++) {
        opevo_i_law_kernel_row(&step->kernel, self->point[a], step->row);
        for (size_t b = 0; b < n; b++) {
            self->kernel[a * n + b] = step->row[self->point[b]];
            self->factor[a * n + b] = (a == b) - self->kernel[a * n + b];
        }
    }
    return OPEVO_OK;
}

/* left = landed_S - expected (I - K_SS); returns its 1-norm. `sums` has room for it. */
static double leave(visits *self, const opevo_i_law_child *step)
{
    size_t n = self->count;
    long double norm = 0;

    for (size_t b = 0; b < n; b++)
        step->sums[b] = (long double)step->landed[self->point[b]] - self->expected[b];
    for (size_t a = 0; a < n; a++) {
        for (size_t b = 0; b < n; b++)
            step->sums[b] += (long double)self->expected[a] * self->kernel[a * n + b];
    }
    for (size_t b = 0; b < n; b++) {
        self->left[b] = (double)step->sums[b];
        norm += fabsl(step->sums[b]);
    }
    return (double)norm;
}

/* Expected visits of each point of S. Row by row, I - K_SS is what LAPACK reads as the transpose.
 */
static opevo_status count_visits(visits *self, opevo_i_law_child *step, opevo_error *err)
{
    lapack_int n = (lapack_int)self->count;
    double norm = leave(self, step), total = 0;

    if (n > 0 && LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, self->factor, n, self->pivot) != 0)
        return OPEVO_FAIL(
            err, OPEVO_TOLERANCE,
            "LAPACK's dgetrf found a singular matrix of duplicates: the points left are "
            "too improbable for double precision.");
    for (int round = 0; round < 3 && n > 0 && norm > 1e-15; round++) {
        if (LAPACKE_dgetrs(LAPACK_COL_MAJOR, 'N', n, 1, self->factor, n, self->pivot, self->left,
                           n) != 0)
            return OPEVO_FAIL(err, OPEVO_TOLERANCE, "LAPACK's dgetrs failed on %d duplicates.",
                              (int)n);
        for (size_t a = 0; a < self->count; a++)
            self->expected[a] = fmax(self->expected[a] + self->left[a], 0);
        norm = leave(self, step);
    }
    for (size_t a = 0; a < self->count; a++)
        total += self->expected[a];
    step->off += norm + total * (step->kernel.bound + (double)n * (double)LDBL_EPSILON);
    return OPEVO_OK;
}

opevo_status opevo_i_law_continue(opevo_i_law_child *step, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    visits self = {.count = 0};

    step->off += step->kernel.bound + DBL_EPSILON;
    for (size_t x = 0; x < step->point_count; x++)
        step->lost += opevo_i_law_child_is_lost(step, x) ? step->origin[x] : 0;
    OPEVO_TRY(visits_init(&self, step, err));
    OPEVO_TRY(count_visits(&self, step, err));
    for (size_t y = 0; y < step->point_count; y++)
        step->sums[y] = step->taken[y] ? 0 : step->landed[y];
    for (size_t a = 0; a < self.count; a++) {
        opevo_i_law_kernel_row(&step->kernel, self.point[a], step->row);
        for (size_t y = 0; y < step->point_count; y++)
            step->sums[y] += step->taken[y] ? 0 : (long double)self.expected[a] * step->row[y];
    }
cleanup:
    visits_release(&self);
    return status;
}

/* ---- Within a limit ---- */

typedef struct mass {
    long double *now, *next, *spare; /* a number for each point */
    long double sum;                 /* of now */
    long double exit;                /* of next, in T */
} mass;

static opevo_status mass_init(mass *self, opevo_i_law_child *step, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_NEW(self->now, step->point_count, "the law of a child");
    OPEVO_NEW(self->next, step->point_count, "the law of a child");
    OPEVO_NEW(self->spare, step->point_count, "the law of a child");
    for (size_t x = 0; x < step->point_count; x++) {
        if (opevo_i_law_child_is_lost(step, x)) {
            step->lost += step->origin[x];
            self->now[x] = 0;
        } else {
            self->now[x] = step->origin[x];
            self->sum += self->now[x];
        }
    }
cleanup:
    return status;
}

static void mass_release(mass *self)
{
    opevo_free(self->now);
    opevo_free(self->next);
    opevo_free(self->spare);
}

/* One mutation of `now` into `next`; returns |rho|_1. */
static long double mutate(const opevo_i_law_child *step, mass *self)
{
    long double stays = 0, change = 0;

    memcpy(self->next, self->now, step->point_count * sizeof *self->next);
    opevo_i_law_kernel_apply(&step->kernel, self->next, self->spare, step->row);
    self->exit = 0;
    for (size_t y = 0; y < step->point_count; y++)
        self->exit += step->taken[y] ? 0 : self->next[y];
    stays = 1 - self->exit / self->sum;
    for (size_t y = 0; y < step->point_count; y++)
        change += fabsl((step->taken[y] ? self->next[y] : 0) - stays * self->now[y]);
    return change;
}

/* What arrived in T, `times` times; the rest is mutated next. */
static void arrive(opevo_i_law_child *step, mass *self, long double times)
{
    self->sum = 0;
    for (size_t y = 0; y < step->point_count; y++) {
        step->sums[y] += step->taken[y] ? 0 : times * self->next[y];
        self->now[y] = step->taken[y] ? self->next[y] : 0;
        self->sum += self->now[y];
    }
}

opevo_status opevo_i_law_continue_within(opevo_i_law_child *step, unsigned most, opevo_error *err)
{
    double delta = step->kernel.bound + (double)step->point_count * (double)LDBL_EPSILON;
    mass self = {.sum = 0};
    opevo_status status = mass_init(&self, step, err);

    for (unsigned left = most; status == OPEVO_OK && left > 0 && self.sum > 0; left--) {
        long double change = 0, share = 0, times = 0;
        bool last = false;

        if (left + FOLLOWED <= most && opevo_i_law_leap_pays(step, left)) {
            status = opevo_i_law_leap(step, self.now, left, err);
            break;
        }
        change = mutate(step, &self);
        share = self.exit / self.sum;
        times = opevo_i_law_trials(share, left);
        last = left == 1 || change * times <= series_tolerance;
        if (!last)
            times = 1;
        step->off += (double)(times * (self.sum * delta + (last && left > 1 ? change : 0)));
        if (last)
            step->lost += self.sum * opevo_i_law_no_success(share, left);
        arrive(step, &self, times);
        if (last)
            break;
    }
    mass_release(&self);
    return status;
}
