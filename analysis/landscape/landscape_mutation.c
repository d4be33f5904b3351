/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The mutation kernel applied factor by factor, without forming the product matrix. */

#include "mutation_internal.h"

#include <opevo/graph.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include <cblas.h>
#include <lapacke.h>
#undef I /* of complex.h */

enum {
    AXIS_MAX = 4096, /* values of a parameter: its matrix has 128 MiB */
    BLOCK = 2048,    /* columns or rows of a job: its operands stay in the cache */
    SMALL = 12       /* values of a parameter below which plain loops are faster than BLAS */
};

void opevo_i_analysis_mutation_release(opevo_i_analysis_mutation *self)
{
    for (size_t i = 0; self->axes && i < self->axis_count; i++) {
        opevo_free(self->axes[i].matrix);
        opevo_free(self->axes[i].root);
        opevo_free(self->axes[i].component);
    }
    opevo_free(self->axes);
    opevo_free(self->root);
    opevo_free(self->scratch);
    *self = (opevo_i_analysis_mutation){0};
}

/* ---- One parameter ---- */

/* (1 - q) (I - q N)^-1 by Cholesky; a vertex without neighbours keeps the walk. */
static opevo_status invert(opevo_i_analysis_mutation_axis *self, const opevo_parameter *parameter,
                           const opevo_graph *graph, double q, opevo_error *err)
{
    lapack_int n = (lapack_int)self->size;
    double *m = self->matrix;

    for (size_t u = 0; u < self->size; u++) {
        m[u * self->size + u] = opevo_graph_degree(graph, u) ? 1 : 1 - q;
        for (uint64_t k = graph->offset[u]; k < graph->offset[u + 1]; k++) {
            size_t v = graph->target[k];

            m[u * self->size + v] = -q / (self->root[u] * self->root[v]);
        }
    }
    if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, m, n) != 0 ||
        LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n, m, n) != 0)
        return OPEVO_FAIL(err, OPEVO_TOLERANCE,
                          "LAPACK found no inverse of the matrix of a walk on %s with q = %.17g.",
                          opevo_parameter_text(parameter), q);
    for (size_t u = 0; u < self->size; u++) {
        for (size_t v = u; v < self->size; v++) {
            double entry = (1 - q) * m[u * self->size + v]; /* column u, row v */

            m[u * self->size + v] = m[v * self->size + u] = fmax(entry, 0);
        }
    }
    return OPEVO_OK;
}

/* Largest |r|_1 / (1 - q) over the starts u, with T = law from u and
 * r = (1 - q) e_u - (I - Q) T. */
static double certify(const opevo_i_analysis_mutation_axis *self, const opevo_graph *graph,
                      double q)
{
    double worst = 0;

    for (size_t u = 0; u < self->size; u++) {
        const double *m = self->matrix + u * self->size;
        long double norm = 0;

        for (size_t v = 0; v < self->size; v++) {
            long double rest = (u == v ? 1 - (long double)q : 0);
            bool alone = opevo_graph_degree(graph, v) == 0;

            rest -= (alone ? 1 - (long double)q : 1) * m[v] * self->root[v] / self->root[u];
            for (uint64_t k = graph->offset[v]; k < graph->offset[v + 1]; k++) {
                size_t w = graph->target[k];

                rest += (long double)q * m[w] / (self->root[w] * (long double)self->root[u]);
            }
            norm += fabsl(rest);
        }
        worst = fmax(worst, (double)(norm / (1 - q)));
    }
    return worst;
}

static void find_components(opevo_i_analysis_mutation_axis *self, const opevo_graph *graph,
                            bool moves, uint32_t *stack)
{
    const uint32_t unknown = UINT32_MAX;

    for (size_t v = 0; v < self->size; v++)
        self->component[v] = unknown;
    for (size_t v = 0; v < self->size; v++) {
        size_t depth = 0;

        if (self->component[v] != unknown)
            continue;
        self->component[v] = (uint32_t)self->component_count;
        stack[depth++] = (uint32_t)v;
        while (moves && depth > 0) {
            uint32_t at = stack[--depth];

            for (uint64_t k = graph->offset[at]; k < graph->offset[at + 1]; k++) {
                if (self->component[graph->target[k]] != unknown)
                    continue;
                self->component[graph->target[k]] = (uint32_t)self->component_count;
                stack[depth++] = graph->target[k];
            }
        }
        self->component_count++;
    }
}

static opevo_status init_axis(opevo_i_analysis_mutation_axis *self,
                              const opevo_parameter *parameter, double q, double *bound,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_graph *graph = NULL;
    uint32_t *stack = NULL;

    if (self->size > AXIS_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "%s has %zu values; the improvement of a generation is for parameters of "
                          "up to %d.",
                          opevo_parameter_text(parameter), self->size, AXIS_MAX);
    OPEVO_TRY(opevo_graph_create(parameter, 0, &graph, err));
    self->matrix = opevo_calloc(self->size * self->size, sizeof *self->matrix);
    self->root = opevo_malloc(self->size, sizeof *self->root);
    self->component = opevo_malloc(self->size, sizeof *self->component);
    stack = opevo_malloc(self->size, sizeof *stack);
    OPEVO_NEED(self->matrix && self->root && self->component && stack, "the laws of %s",
               opevo_parameter_text(parameter));
    for (size_t v = 0; v < self->size; v++)
        self->root[v] = sqrt(fmax(1, (double)opevo_graph_degree(graph, v)));
    OPEVO_TRY(invert(self, parameter, graph, q, err));
    *bound = certify(self, graph, q) + (double)(self->size + 2) * DBL_EPSILON;
    find_components(self, graph, q > 0, stack);
cleanup:
    opevo_graph_destroy(graph);
    opevo_free(stack);
    return status;
}

static opevo_status multiply_roots(opevo_i_analysis_mutation *self, opevo_error *err)
{
    const double **roots = opevo_malloc(self->axis_count, sizeof(double *));

    OPEVO_NEED_OR_RETURN(roots, "the kernel of a mutation");
    for (size_t i = 0; i < self->axis_count; i++)
        roots[i] = self->axes[i].root;
    opevo_i_analysis_mutation_product(self, roots, self->root);
    opevo_free(roots);
    return OPEVO_OK;
}

opevo_status opevo_i_analysis_mutation_init(const opevo_space *space, double q, unsigned threads,
                                            opevo_i_analysis_mutation *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_analysis_mutation self = {.size = 1, .threads = threads};
    double product = 1;

    if (!(q >= 0 && q < 1))
        return OPEVO_FAIL(err, OPEVO_INVALID, "q = %g is not in [0, 1).", q);
    if (opevo_space_has_branches(space))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The improvement of a generation does not support spaces with branches; "
                          "omit its options.");
    self.axis_count = opevo_space_parameter_count(space);
    OPEVO_NEW(self.axes, self.axis_count, "the kernel of a mutation");
    OPEVO_NEW(self.root, (size_t)opevo_space_size(space), "the kernel of a mutation");
    OPEVO_NEW(self.scratch, (size_t)opevo_space_size(space), "the kernel of a mutation");
    for (size_t i = self.axis_count; i-- > 0;) {
        const opevo_parameter *parameter = opevo_space_parameter(space, i);
        double bound = 0;

        self.axes[i].size = (size_t)opevo_parameter_size(parameter);
        self.axes[i].stride = self.size;
        self.size *= self.axes[i].size;
        OPEVO_TRY(init_axis(&self.axes[i], parameter, q, &bound, err));
        product *= 1 + bound;
    }
    self.bound = nextafter(product - 1, INFINITY);
    OPEVO_TRY(multiply_roots(&self, err));
    *out = self;
    self = (opevo_i_analysis_mutation){0}; /* handed over */
cleanup:
    opevo_i_analysis_mutation_release(&self);
    return status;
}

/* ---- Products ---- */

/* One parameter's matrix on x, seen as [outer][size][stride]. A job is some outer parts and a block
 * of columns of each, or, for a last parameter of many values, a block of rows. */
typedef struct step {
    const opevo_i_analysis_mutation_axis *axis;
    const double *x;
    double *y;
    size_t outer;
    size_t parts;  /* outer parts of a job */
    size_t blocks; /* of columns of an outer part */
    bool by_rows;
} step;

static void multiply_small(const opevo_i_analysis_mutation_axis *axis, const double *x, double *y,
                           size_t columns)
{
    for (size_t v = 0; v < axis->size; v++) {
        const double *row = axis->matrix + v * axis->size;
        double *to = y + v * axis->stride;

        for (size_t r = 0; r < columns; r++)
            to[r] = row[0] * x[r];
        for (size_t w = 1; w < axis->size; w++) {
            const double *from = x + w * axis->stride;

            for (size_t r = 0; r < columns; r++)
                to[r] += row[w] * from[r];
        }
    }
}

static void multiply_rows(const step *self, size_t index)
{
    size_t first = index * BLOCK;
    size_t rows = self->outer - first < BLOCK ? self->outer - first : BLOCK;
    int m = (int)self->axis->size;

    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)rows, m, m, 1,
                self->x + first * self->axis->size, m, self->axis->matrix, m, 0,
                self->y + first * self->axis->size, m);
}

static opevo_status run_step(void *context, size_t index, unsigned worker, opevo_error *err)
{
    const step *self = context;
    const opevo_i_analysis_mutation_axis *axis = self->axis;
    size_t first = index / self->blocks * self->parts, column = index % self->blocks * BLOCK;
    size_t columns = axis->stride - column < BLOCK ? axis->stride - column : BLOCK;
    int m = (int)axis->size;

    (void)worker;
    (void)err;
    if (self->by_rows) {
        multiply_rows(self, index);
        return OPEVO_OK;
    }
    for (size_t o = first; o < first + self->parts && o < self->outer; o++) {
        size_t at = o * axis->size * axis->stride + column;

        if (axis->size <= SMALL)
            multiply_small(axis, self->x + at, self->y + at, columns);
        else
            cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, (int)columns, m, 1,
                        axis->matrix, m, self->x + at, (int)axis->stride, 0, self->y + at,
                        (int)axis->stride);
    }
    return OPEVO_OK;
}

static opevo_status apply_axis(const opevo_i_analysis_mutation *self,
                               const opevo_i_analysis_mutation_axis *axis, const double *x,
                               double *y, opevo_error *err)
{
    size_t part = axis->size * axis->stride;
    step work = {.axis = axis, .x = x, .y = y, .outer = self->size / part};
    size_t jobs = 0;

    work.by_rows = axis->stride == 1 && axis->size > SMALL;
    work.blocks = (axis->stride + BLOCK - 1) / BLOCK;
    work.parts = part < BLOCK ? BLOCK / part : 1;
    jobs = work.by_rows ? (work.outer + BLOCK - 1) / BLOCK
                        : (work.outer + work.parts - 1) / work.parts * work.blocks;
    /* Threads do not pay where a job is a few multiplications. */
    return opevo_parallel_for(jobs, axis->size > SMALL ? self->threads : 1, run_step, &work, err);
}

opevo_status opevo_i_analysis_mutation_apply(opevo_i_analysis_mutation *self, double *x,
                                             opevo_error *err)
{
    double *from = x, *to = self->scratch;

    for (size_t i = 0; i < self->axis_count; i++) {
        opevo_status status = OPEVO_OK;
        double *held = from;

        if (self->axes[i].size == 1)
            continue;
        status = apply_axis(self, &self->axes[i], from, to, err);
        if (status != OPEVO_OK)
            return status;
        from = to;
        to = held;
    }
    if (from != x)
        memcpy(x, from, self->size * sizeof *x);
    return OPEVO_OK;
}

double opevo_i_analysis_mutation_entry(const opevo_i_analysis_mutation *self, size_t x, size_t y)
{
    double product = 1;

    for (size_t i = 0; i < self->axis_count; i++) {
        const opevo_i_analysis_mutation_axis *axis = &self->axes[i];

        product *= axis->matrix[x / axis->stride % axis->size * axis->size +
                                y / axis->stride % axis->size];
    }
    return product;
}

size_t opevo_i_analysis_mutation_region(const opevo_i_analysis_mutation *self, size_t x)
{
    size_t region = 0;

    for (size_t i = 0; i < self->axis_count; i++) {
        const opevo_i_analysis_mutation_axis *axis = &self->axes[i];

        region = region * axis->component_count + axis->component[x / axis->stride % axis->size];
    }
    return region;
}

size_t opevo_i_analysis_mutation_region_count(const opevo_i_analysis_mutation *self)
{
    size_t count = 1;

    for (size_t i = 0; i < self->axis_count; i++)
        count *= self->axes[i].component_count;
    return count;
}

/* The product grows by one parameter at a time, last entry first so that nothing is overwritten
 * early. */
void opevo_i_analysis_mutation_product(const opevo_i_analysis_mutation *self,
                                       const double *const *marginal, double *out)
{
    size_t length = 1;

    out[0] = 1;
    for (size_t i = 0; i < self->axis_count; i++) {
        size_t size = self->axes[i].size;

        for (size_t k = length; k-- > 0;) {
            double before = out[k];

            for (size_t v = size; v-- > 0;)
                out[k * size + v] = before * marginal[i][v];
        }
        length *= size;
    }
}
