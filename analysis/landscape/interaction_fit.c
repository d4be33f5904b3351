/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The best sum of functions of k parameters at a time, where points are missing and the functions
 * are not orthogonal. The columns of the least squares problem are the indicators of the cells: a
 * set of k parameters and one vertex of each. */

#include "interaction_internal.h"

#include <opevo/memory.h>

#include <math.h>
#include <string.h>

enum { ROUNDS = 5000, RECENT = 10 };

static const size_t most_pairs = (size_t)1 << 28;

typedef struct fit {
    size_t n, order;
    size_t set_count; /* sets of `order` parameters */
    size_t cell_count;
    uint32_t *cell;    /* of each set and node */
    double *scale;     /* of each cell: 1 / sqrt(nodes in it), 0 for none */
    double *residual;  /* by node */
    double *image;     /* by node: A direction */
    double *gradient;  /* by cell: A' residual */
    double *direction; /* by cell */
} fit;

static void release(fit *self)
{
    opevo_free(self->cell);
    opevo_free(self->scale);
    opevo_free(self->residual);
    opevo_free(self->image);
    opevo_free(self->gradient);
    opevo_free(self->direction);
}

/* The next set of `order` of `count` things in lexicographic order; false after the last. */
static bool next_set(size_t *set, size_t order, size_t count)
{
    for (size_t i = order; i-- > 0;) {
        if (set[i] < count - order + i) {
            set[i]++;
            for (size_t k = i + 1; k < order; k++)
                set[k] = set[k - 1] + 1;
            return true;
        }
    }
    return false;
}

static opevo_status count_sets(fit *self, const opevo_i_analysis_axis *axes, size_t count,
                               size_t *set, opevo_error *err)
{
    for (size_t i = 0; i < self->order; i++)
        set[i] = i;
    do {
        double cells = 1;

        for (size_t i = 0; i < self->order; i++)
            cells *= (double)axes[set[i]].size;
        self->set_count++;
        if ((double)self->cell_count + cells > (double)most_pairs ||
            self->set_count > most_pairs / self->n)
            return OPEVO_FAIL(err, OPEVO_LIMIT,
                              "Interactions of %zu parameters have too many cells.", self->order);
        self->cell_count += (size_t)cells;
    } while (next_set(set, self->order, count));
    return OPEVO_OK;
}

static void fill_cells(fit *self, const opevo_landscape_graph *graph,
                       const opevo_i_analysis_axis *axes, size_t count, size_t *set)
{
    size_t base = 0;
    uint32_t *cell = self->cell;

    for (size_t i = 0; i < self->order; i++)
        set[i] = i;
    do {
        size_t cells = 1;

        for (size_t i = 0; i < self->order; i++)
            cells *= axes[set[i]].size;
        for (size_t u = 0; u < self->n; u++) {
            size_t at = 0;

            for (size_t i = 0; i < self->order; i++)
                at = at * axes[set[i]].size +
                     graph->point[u] / axes[set[i]].stride % axes[set[i]].size;
            cell[u] = (uint32_t)(base + at);
            self->scale[base + at] += 1;
        }
        base += cells;
        cell += self->n;
    } while (next_set(set, self->order, count));
    for (size_t i = 0; i < self->cell_count; i++)
        self->scale[i] = self->scale[i] > 0 ? 1 / sqrt(self->scale[i]) : 0;
}

static opevo_status allocate(fit *self, opevo_error *err)
{
    self->cell = opevo_malloc(self->set_count * self->n, sizeof *self->cell);
    self->scale = opevo_calloc(self->cell_count, sizeof *self->scale);
    self->residual = opevo_malloc(self->n, sizeof *self->residual);
    self->image = opevo_malloc(self->n, sizeof *self->image);
    self->gradient = opevo_malloc(self->cell_count, sizeof *self->gradient);
    self->direction = opevo_malloc(self->cell_count, sizeof *self->direction);
    OPEVO_NEED_OR_RETURN(self->cell && self->scale && self->residual && self->image &&
                             self->gradient && self->direction,
                         "fitting interactions of %zu parameters", self->order);
    return OPEVO_OK;
}

static double square(const double *x, size_t count)
{
    long double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (long double)x[i] * x[i];
    return (double)sum;
}

/* gradient = A' residual; returns its square. */
static double descend(fit *self)
{
    memset(self->gradient, 0, self->cell_count * sizeof *self->gradient);
    for (size_t s = 0; s < self->set_count; s++) {
        const uint32_t *cell = self->cell + s * self->n;

        for (size_t u = 0; u < self->n; u++)
            self->gradient[cell[u]] += self->residual[u];
    }
    for (size_t i = 0; i < self->cell_count; i++)
        self->gradient[i] *= self->scale[i];
    return square(self->gradient, self->cell_count);
}

/* image = A direction; returns its square. */
static double apply(fit *self)
{
    memset(self->image, 0, self->n * sizeof *self->image);
    for (size_t s = 0; s < self->set_count; s++) {
        const uint32_t *cell = self->cell + s * self->n;

        for (size_t u = 0; u < self->n; u++)
            self->image[u] += self->direction[cell[u]] * self->scale[cell[u]];
    }
    return square(self->image, self->n);
}

/* Returns the share explained. */
static double solve(fit *self, const double *values, double *change)
{
    double whole = square(values, self->n);
    double gained[RECENT] = {0};
    double steepness = 0;

    memcpy(self->residual, values, self->n * sizeof *values);
    steepness = descend(self);
    memcpy(self->direction, self->gradient, self->cell_count * sizeof *self->direction);
    for (int round = 0; round < ROUNDS && steepness > 1e-26 * whole; round++) {
        double step = steepness / apply(self), before = steepness, recent = 0;

        for (size_t u = 0; u < self->n; u++)
            self->residual[u] -= step * self->image[u];
        gained[round % RECENT] = step * steepness / whole; /* fall of the squared residual */
        steepness = descend(self);
        for (size_t i = 0; i < self->cell_count; i++)
            self->direction[i] = self->gradient[i] + steepness / before * self->direction[i];
        for (int i = 0; i < RECENT; i++)
            recent += gained[i];
        *change = recent;
        if (round >= RECENT && recent < 1e-12)
            break;
    }
    /* With the normal equations solved, that there were few rounds says nothing. */
    if (steepness <= 1e-26 * whole)
        *change = sqrt(steepness / whole);
    return fmax(0, 1 - square(self->residual, self->n) / whole);
}

opevo_status opevo_i_analysis_interaction_fit(const opevo_landscape_graph *graph,
                                              const opevo_i_analysis_axis *axes, size_t axis_count,
                                              size_t order, const double *values, double *explained,
                                              double *change, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    fit self = {.n = graph->count, .order = order};
    size_t *set = NULL;

    *change = 0;
    if (order == axis_count) { /* a function of all parameters fits every node */
        *explained = 1;
        return OPEVO_OK;
    }
    set = opevo_malloc(order, sizeof *set);
    OPEVO_NEED_OR_RETURN(set, "fitting interactions");
    OPEVO_TRY(count_sets(&self, axes, axis_count, set, err));
    OPEVO_TRY(allocate(&self, err));
    fill_cells(&self, graph, axes, axis_count, set);
    *explained = solve(&self, values, change);
cleanup:
    opevo_free(set);
    release(&self);
    return status;
}
