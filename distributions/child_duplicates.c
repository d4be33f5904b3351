/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The law of a child after duplicates are handled, on spaces small enough to list. Points of S from
 * which no point of T can be reached are set aside first, so that I - K_SS is regular on the rest.
 *
 * How far the result may be off, for `continue`. Let P be the law after one mutation, y the
 * computed solution of y (I - K_SS) = P_S, rho what y leaves of P_S. Then the exact law is P_T + y
 * K_ST + rho (I - K_SS)^-1 K_ST, and the rows of (I - K_SS)^-1 K_ST are probabilities, so replacing
 * the exact kernel by ours, with rows off by at most delta, moves the law by at most |P - P'|_1 +
 * |y|_1 delta + |rho|_1. For `redraw` each start x contributes at most 2 delta / K(x, T). */

#include "child_internal.h"
#include "child_kernel.h"
#include "law_internal.h"

#include <opevo/memory.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include <lapacke.h>
#undef I /* of complex.h */

static const double tolerance = 1e-9;

typedef struct child_step {
    opevo_i_law_kernel kernel;
    const bool *taken;
    size_t point_count;
    double *origin;    /* law of the child after recombination */
    double *landed;    /* and after one mutation */
    bool *escapes;     /* by region: it holds a point of T */
    double *row;       /* scratch: one row of the kernel */
    long double *sums; /* scratch: the law before rounding */
    double off;        /* how far it may be off, gathered on the way */
} child_step;

/* ---- Before duplicates ---- */

/* origin(x) = prod_i sum of the shares of the parents that have x_i, over the active parameters;
 * one parameter at a time. `vertices` is scratch. */
static void recombine(child_step *self, const opevo_space *space,
                      const opevo_i_law_inheritance *from, opevo_index *vertices)
{
    for (size_t x = 0; x < self->point_count; x++)
        self->origin[x] = 1;
    for (size_t i = 0; i < self->kernel.factor_count; i++) {
        double *mixture = self->row; /* at most point_count vertices */

        memset(mixture, 0, self->kernel.factors[i].size * sizeof *mixture);
        for (size_t j = 0; j < from->count; j++) {
            opevo_index vertex = 0;
            double share = opevo_i_law_inherited(from, i, j, &vertex);

            if (share > 0)
                mixture[(size_t)vertex] += share;
        }
        for (size_t x = 0; x < self->point_count; x++) {
            opevo_space_decode(space, x, vertices);
            if (vertices[i] != OPEVO_INACTIVE)
                self->origin[x] *= mixture[(size_t)vertices[i]];
        }
    }
}

static void mutate(child_step *self)
{
    memset(self->sums, 0, self->point_count * sizeof *self->sums);
    for (size_t x = 0; x < self->point_count; x++) {
        if (self->origin[x] == 0)
            continue;
        opevo_i_law_kernel_row(&self->kernel, x, self->row);
        for (size_t y = 0; y < self->point_count; y++)
            self->sums[y] += (long double)self->origin[x] * self->row[y];
    }
    for (size_t y = 0; y < self->point_count; y++)
        self->landed[y] = (double)self->sums[y];
}

static bool is_lost(const child_step *self, size_t point)
{
    return !self->escapes[opevo_i_law_kernel_region(&self->kernel, point)];
}

/* ---- Drawing again ---- */

static void redraw(child_step *self)
{
    memset(self->sums, 0, self->point_count * sizeof *self->sums);
    for (size_t x = 0; x < self->point_count; x++) {
        long double accepted = 0;

        if (self->origin[x] == 0 || is_lost(self, x))
            continue;
        opevo_i_law_kernel_row(&self->kernel, x, self->row);
        for (size_t y = 0; y < self->point_count; y++)
            accepted += self->taken[y] ? 0 : self->row[y];
        for (size_t y = 0; y < self->point_count; y++)
            self->sums[y] += self->taken[y] ? 0 : self->origin[x] * self->row[y] / accepted;
        self->off += self->origin[x] * 2 * self->kernel.bound / (double)accepted;
    }
}

/* ---- Continuing ---- */

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

static opevo_status visits_init(visits *self, child_step *step, opevo_error *err)
{
    size_t n = 0;

    self->point = opevo_malloc(step->point_count, sizeof *self->point);
    if (!self->point)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to continue from duplicates.");
    for (size_t x = 0; x < step->point_count; x++) {
        if (step->taken[x] && !is_lost(step, x))
            self->point[n++] = x;
    }
    self->count = n;
    self->kernel = opevo_malloc(n * n, sizeof *self->kernel);
    self->factor = opevo_malloc(n * n, sizeof *self->factor);
    self->pivot = opevo_malloc(n, sizeof *self->pivot);
    self->expected = opevo_calloc(n, sizeof *self->expected);
    self->left = opevo_malloc(n, sizeof *self->left);
    if (!self->kernel || !self->factor || !self->pivot || !self->expected || !self->left)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to continue from %zu duplicates.", n);
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
static double leave(visits *self, const child_step *step)
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
static opevo_status count_visits(visits *self, child_step *step, opevo_error *err)
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

static opevo_status continue_on(child_step *step, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    visits self = {.count = 0};

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

/* ---- Given that it is new ---- */

/* Both parts of P(x) / P(T) may be off by what the kernel and `off` say. */
static void condition(child_step *self)
{
    long double mass = 0;

    for (size_t y = 0; y < self->point_count; y++)
        mass += self->taken[y] ? 0 : self->landed[y];
    for (size_t y = 0; y < self->point_count; y++)
        self->sums[y] = self->taken[y] || mass <= 0 ? 0 : self->landed[y] / mass;
    self->off += self->kernel.bound + DBL_EPSILON;
    if (mass > 0)
        self->off = (double)(2 * self->off / mass);
}

/* ---- All ---- */

static opevo_status step_init(child_step *self, const opevo_space *space,
                              const opevo_i_law_inheritance *from, double q,
                              opevo_duplicate_rule rule, const bool *taken, opevo_error *err)
{
    opevo_status status = opevo_i_law_kernel_init(space, from, q, &self->kernel, err);
    size_t n = self->kernel.point_count;

    if (status != OPEVO_OK)
        return status;
    self->taken = taken;
    self->point_count = n;
    self->origin = opevo_malloc(n, sizeof *self->origin);
    self->landed = opevo_malloc(n, sizeof *self->landed);
    self->escapes = opevo_calloc(n, sizeof *self->escapes);
    self->row = opevo_malloc(n, sizeof *self->row);
    self->sums = opevo_malloc(n, sizeof *self->sums);
    if (!self->origin || !self->landed || !self->escapes || !self->row || !self->sums)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the law of a child on %zu points.", n);
    opevo_i_law_kernel_escapes(&self->kernel, taken, rule == OPEVO_DUPLICATE_CONTINUE,
                               self->escapes);
    return OPEVO_OK;
}

static void step_release(child_step *self)
{
    opevo_i_law_kernel_release(&self->kernel);
    opevo_free(self->origin);
    opevo_free(self->landed);
    opevo_free(self->escapes);
    opevo_free(self->row);
    opevo_free(self->sums);
}

/* What is lost is lost at recombination: regions are never left, and with branches whatever a child
 * can become it can leave again for what its parents have. */
static double count_lost(const child_step *self, opevo_duplicate_rule rule)
{
    long double sum = 0;

    if (rule == OPEVO_DUPLICATE_GIVEN) {
        for (size_t y = 0; y < self->point_count; y++)
            sum += self->sums[y];
        return sum > 0 ? 0 : 1;
    }

    for (size_t x = 0; x < self->point_count; x++)
        sum += is_lost(self, x) ? self->origin[x] : 0;
    return (double)sum;
}

static opevo_status judge(const child_step *self, opevo_error *err)
{
    if (self->off <= tolerance)
        return OPEVO_OK;
    return OPEVO_FAIL(
        err, OPEVO_TOLERANCE,
        "The law of the child could be certified only within %.3g, not within %g: the free points "
        "are reached too rarely for double precision; leave more of them free, or use a larger q.",
        self->off, tolerance);
}

opevo_status opevo_child_law_without_duplicates(const opevo_child_step *step, double *law,
                                                double *lost, double *bound, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const opevo_parents *parents = step->parents;
    child_step self = {.off = 0};
    opevo_i_law_inheritance from = {0};
    opevo_index *vertices = NULL;
    double unused = 0;

    OPEVO_TRY(opevo_i_law_check(step->q, NULL, &unused, err));
    OPEVO_NEW(vertices, opevo_space_parameter_count(step->space), "the law of a child");
    OPEVO_TRY(opevo_i_law_inheritance_init(step->space, parents, &from, err));
    OPEVO_TRY(step_init(&self, step->space, &from, step->q, step->rule, step->taken, err));
    recombine(&self, step->space, &from, vertices);
    /* Shares, in branches normalised, their sums and products are rounded; so is the law itself at
     * the end. */
    self.off = (double)(parents->count + (self.kernel.start ? 4 : 2)) *
               (double)self.kernel.factor_count * DBL_EPSILON;
    if (step->rule == OPEVO_DUPLICATE_REDRAW) {
        redraw(&self);
    } else {
        mutate(&self);
        if (step->rule == OPEVO_DUPLICATE_GIVEN) {
            condition(&self);
        } else {
            self.off += self.kernel.bound + DBL_EPSILON;
            OPEVO_TRY(continue_on(&self, err));
        }
    }
    /* One rounding for each of the bounds that were added up. */
    self.off =
        opevo_i_law_bound_join(self.off, self.off * (double)(self.point_count + 8) * DBL_EPSILON);
    OPEVO_TRY(judge(&self, err));
    for (size_t y = 0; y < self.point_count; y++)
        law[y] = (double)self.sums[y];
    if (lost)
        *lost = count_lost(&self, step->rule);
    if (bound)
        *bound = self.off;
cleanup:
    step_release(&self);
    opevo_i_law_inheritance_release(&from);
    opevo_free(vertices);
    return status;
}
