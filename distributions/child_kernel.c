/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A row of the kernel is an outer product of one law for each parameter, so only those laws are
 * kept. What can be reached is found from the graphs, not from probabilities, which may underflow.
 */

#include "child_kernel.h"

#include "law_internal.h"

#include <opevo/memory.h>

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- One parameter ---- */

/* Laws from all vertices of a graph that is solved for: the graph is built once. */
static opevo_status solve_rows(opevo_i_law_factor *self, const opevo_parameter *parameter, double q,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_graph *graph = NULL;
    opevo_i_law_graph_system system = {0};
    /* Twice what rounding the law alone may cost: (1 + q) / (1 - q) 2^-53. */
    double tolerance = 2 * DBL_EPSILON / (1 - q);
    double *p0 = opevo_calloc(self->size, sizeof *p0);

    OPEVO_NEED_OR_RETURN(p0, "a start distribution on %zu vertices", self->size);
    OPEVO_TRY(opevo_graph_create(parameter, 0, &graph, err));
    OPEVO_TRY(opevo_i_law_graph_system_init(graph, q, false, &system, err));
    system.super.p0 = p0;
    for (size_t u = 0; u < self->size; u++) {
        double bound = 0;

        p0[u] = 1;
        OPEVO_TRY(
            opevo_i_law_refine(&system.super, tolerance, self->law + u * self->size, &bound, err));
        p0[u] = 0;
        self->bound = fmax(self->bound, bound);
    }
cleanup:
    opevo_i_law_graph_system_release(&system);
    opevo_graph_destroy(graph);
    opevo_free(p0);
    return status;
}

static opevo_status create_rows(opevo_i_law_factor *self, const opevo_parameter *parameter,
                                double q, opevo_error *err)
{
    for (size_t u = 0; u < self->size; u++) {
        opevo_law *law = NULL;
        opevo_status status = opevo_law_create(parameter, q, u, NULL, &law, err);

        if (status != OPEVO_OK)
            return status;
        for (size_t v = 0; v < self->size; v++)
            self->law[u * self->size + v] = opevo_law_probability(law, v);
        self->bound = fmax(self->bound, opevo_law_bound(law));
        opevo_law_destroy(law);
    }
    return OPEVO_OK;
}

/* Connected components by depth-first search; `stack` has room for all vertices. */
static void find_components(opevo_i_law_factor *self, const opevo_parameter *parameter,
                            uint32_t *stack)
{
    const uint32_t unknown = UINT32_MAX;

    for (size_t v = 0; v < self->size; v++)
        self->region[v] = unknown;
    for (size_t v = 0; v < self->size; v++) {
        size_t depth = 0;

        if (self->region[v] != unknown)
            continue;
        self->region[v] = (uint32_t)self->region_count;
        stack[depth++] = (uint32_t)v;
        while (depth > 0) {
            uint32_t at = stack[--depth];
            opevo_index degree = opevo_parameter_degree(parameter, at);

            for (opevo_index k = 0; k < degree; k++) {
                uint32_t next = (uint32_t)opevo_parameter_neighbour(parameter, at, k);

                if (self->region[next] == unknown) {
                    self->region[next] = (uint32_t)self->region_count;
                    stack[depth++] = next;
                }
            }
        }
        self->region_count++;
    }
}

static opevo_status find_regions(opevo_i_law_factor *self, const opevo_parameter *parameter,
                                 double q, opevo_error *err)
{
    uint32_t *stack = NULL;

    if (q == 0) {
        for (size_t v = 0; v < self->size; v++)
            self->region[v] = (uint32_t)v;
        self->region_count = self->size;
        return OPEVO_OK;
    }
    stack = opevo_malloc(self->size, sizeof *stack);
    OPEVO_NEED_OR_RETURN(stack, "finding the components of %s", opevo_parameter_text(parameter));
    find_components(self, parameter, stack);
    opevo_free(stack);
    return OPEVO_OK;
}

static opevo_status factor_init(opevo_i_law_factor *self, const opevo_parameter *parameter,
                                double q, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->size = (size_t)opevo_parameter_size(parameter);
    self->law = opevo_malloc(self->size * self->size, sizeof *self->law);
    self->weight = opevo_malloc(self->size, sizeof *self->weight);
    self->region = opevo_malloc(self->size, sizeof *self->region);
    OPEVO_NEED_OR_RETURN(self->law && self->weight && self->region, "the laws of %s",
                         opevo_parameter_text(parameter));
    for (size_t v = 0; v < self->size; v++)
        self->weight[v] = fmax((double)opevo_parameter_degree(parameter, v), 1);
    if (opevo_i_law_choose(parameter) == OPEVO_LAW_CG)
        status = solve_rows(self, parameter, q, err);
    else
        status = create_rows(self, parameter, q, err);
    return status == OPEVO_OK ? find_regions(self, parameter, q, err) : status;
}

/* ---- The product ---- */

opevo_status opevo_i_law_kernel_init(const opevo_space *space, const opevo_i_law_inheritance *from,
                                     double q, opevo_i_law_kernel *out, opevo_error *err)
{
    opevo_i_law_kernel self = {.factor_count = opevo_space_parameter_count(space)};
    opevo_status status = OPEVO_OK;

    if (opevo_space_size(space) > OPEVO_I_KERNEL_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "The law of a child without duplicates is for spaces of up to %d points; "
                          "this one has %.3g.",
                          OPEVO_I_KERNEL_MAX, (double)opevo_space_size(space));
    self.point_count = (size_t)opevo_space_size(space);
    OPEVO_NEW(self.factors, self.factor_count, "the kernel of a mutation");
    for (size_t i = 0; i < self.factor_count; i++) {
        OPEVO_TRY(factor_init(&self.factors[i], opevo_space_parameter(space, i), q, err));
        /* DBL_EPSILON for one multiplication of opevo_i_law_kernel_row. */
        self.bound = opevo_i_law_bound_join(
            self.bound, opevo_i_law_bound_join(self.factors[i].bound, DBL_EPSILON));
    }
    if (opevo_space_has_branches(space))
        OPEVO_TRY(opevo_i_law_kernel_branches_init(&self, space, from, err));
    *out = self;
    self = (opevo_i_law_kernel){0}; /* handed over */
cleanup:
    opevo_i_law_kernel_release(&self);
    return status;
}

void opevo_i_law_kernel_release(opevo_i_law_kernel *self)
{
    opevo_i_law_kernel_branches_release(self);
    for (size_t i = 0; self->factors && i < self->factor_count; i++) {
        opevo_free(self->factors[i].law);
        opevo_free(self->factors[i].weight);
        opevo_free(self->factors[i].region);
    }
    opevo_free(self->factors);
}

/* The row grows by one parameter at a time, last entry first so that nothing is overwritten early.
 */
void opevo_i_law_kernel_row(const opevo_i_law_kernel *self, size_t point, double *row)
{
    size_t length = 1, below = self->point_count;

    if (self->start) {
        opevo_i_law_kernel_branches_row(self, point, row);
        return;
    }
    row[0] = 1;
    for (size_t i = 0; i < self->factor_count; i++) {
        const opevo_i_law_factor *factor = &self->factors[i];
        const double *law = NULL;

        below /= factor->size;
        law = factor->law + point / below % factor->size * factor->size;
        for (size_t k = length; k-- > 0;) {
            double before = row[k];

            for (size_t v = factor->size; v-- > 0;)
                row[k * factor->size + v] = before * law[v];
        }
        length *= factor->size;
    }
}

/* mass[v] = sum_u from[u] law[u][v], four rows at a time, as numbers of extended precision are slow
 * to load and store. */
static void apply_last(const opevo_i_law_factor *factor, const long double *from, long double *mass)
{
    size_t n = factor->size, u = 0;

    for (; u + 4 <= n; u += 4) {
        const double *row = factor->law + u * n;

        if (from[u] == 0 && from[u + 1] == 0 && from[u + 2] == 0 && from[u + 3] == 0)
            continue;
        for (size_t v = 0; v < n; v++)
            mass[v] += (from[u] * row[v] + from[u + 1] * row[v + n]) +
                       (from[u + 2] * row[v + 2 * n] + from[u + 3] * row[v + 3 * n]);
    }
    for (; u < n; u++) {
        for (size_t v = 0; v < n; v++)
            mass[v] += from[u] * factor->law[u * n + v];
    }
}

/* One parameter of the product: mass[.., v, ..] = sum_u spare[.., u, ..] law[u][v], for each choice
 * of the other parameters; `below` points differ in those behind it only. */
static void apply_factor(const opevo_i_law_factor *factor, size_t count, size_t below,
                         const long double *spare, long double *mass)
{
    memset(mass, 0, count * sizeof *mass);
    for (size_t start = 0; start < count; start += below * factor->size) {
        if (below == 1)
            apply_last(factor, spare + start, mass + start);
        for (size_t u = 0; below > 1 && u < factor->size; u++) {
            const long double *from = spare + start + u * below;
            const double *row = factor->law + u * factor->size;

            for (size_t v = 0; v < factor->size; v++) {
                long double *to = mass + start + v * below;
                long double law = row[v];

                for (size_t k = 0; k < below; k++)
                    to[k] += law * from[k];
            }
        }
    }
}

static void apply_rows(const opevo_i_law_kernel *self, const long double *spare, long double *mass,
                       double *row)
{
    memset(mass, 0, self->point_count * sizeof *mass);
    for (size_t x = 0; x < self->point_count; x++) {
        if (spare[x] == 0)
            continue;
        opevo_i_law_kernel_row(self, x, row);
        for (size_t y = 0; y < self->point_count; y++)
            mass[y] += spare[x] * row[y];
    }
}

void opevo_i_law_kernel_apply(const opevo_i_law_kernel *self, long double *mass, long double *spare,
                              double *row)
{
    size_t below = self->point_count;

    if (self->start) {
        memcpy(spare, mass, self->point_count * sizeof *spare);
        apply_rows(self, spare, mass, row);
        return;
    }
    for (size_t i = 0; i < self->factor_count; i++) {
        below /= self->factors[i].size;
        memcpy(spare, mass, self->point_count * sizeof *spare);
        apply_factor(&self->factors[i], self->point_count, below, spare, mass);
    }
}

size_t opevo_i_law_kernel_region(const opevo_i_law_kernel *self, size_t point)
{
    size_t region = 0, below = self->point_count;

    if (self->start)
        return self->class_of[point];
    for (size_t i = 0; i < self->factor_count; i++) {
        const opevo_i_law_factor *factor = &self->factors[i];

        below /= factor->size;
        region = region * factor->region_count + factor->region[point / below % factor->size];
    }
    return region;
}

void opevo_i_law_kernel_escapes(const opevo_i_law_kernel *self, const bool *taken, bool repeated,
                                bool *escapes)
{
    if (self->start) {
        opevo_i_law_kernel_branches_escapes(self, taken, repeated, escapes);
        return;
    }
    for (size_t x = 0; x < self->point_count; x++) {
        if (!taken[x])
            escapes[opevo_i_law_kernel_region(self, x)] = true;
    }
}
