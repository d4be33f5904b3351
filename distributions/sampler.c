/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The literal q-random walk. A graph that is small is kept as rows of neighbours, where a step
 * costs one random number and two loads; a larger one is walked by the formulas of its parameter.
 * Both consume the stream in the same way: one number for each decision to go on, and one bounded
 * number for each step. */

#include <opevo/sampler.h>

#include <opevo/gsl_errors.h>
#include <opevo/memory.h>
#include <opevo/random_gsl.h>

#include "shifts.h"

#include <gsl/gsl_randist.h>

#include <math.h>
#include <string.h>

enum {
    TABLE_VERTICES = 1 << 16,
    TABLE_TARGETS = 1 << 21,
    FEW_WALKS = 16 /* that are drawn one by one */
};

#define LONG_WALKS 0.999 /* q from which the steps may exceed GSL's numbers */

typedef struct row {
    uint32_t first, degree; /* its neighbours are target[first .. first + degree - 1] */
} row;

struct opevo_walker {
    double q;
    opevo_family family;
    opevo_index size;
    uint64_t go_on; /* a uniform 64-bit number is below this with probability q */
    row *rows;      /* NULL: walked by formula */
    uint32_t *target;
    const opevo_parameter *parameter;
    opevo_i_shifts *shifts; /* of walks on a path that are drawn as one; NULL elsewhere */
};

static opevo_status check_q(double q, opevo_error *err)
{
    if (!(q >= 0.0 && q < 1.0))
        return OPEVO_FAIL(err, OPEVO_INVALID, "q is %g; it must be at least 0 and below 1.", q);
    return OPEVO_OK;
}

static opevo_status copy_tables(opevo_walker *self, const opevo_graph *graph, opevo_error *err)
{
    size_t target_count = (size_t)graph->offset[graph->vertex_count];

    self->rows = opevo_malloc(graph->vertex_count, sizeof *self->rows);
    self->target = opevo_malloc(target_count, sizeof *self->target);
    OPEVO_NEED_OR_RETURN(self->rows && self->target, "the tables of a walk on %zu vertices",
                         graph->vertex_count);
    for (size_t v = 0; v < graph->vertex_count; v++) {
        self->rows[v].first = (uint32_t)graph->offset[v];
        self->rows[v].degree = (uint32_t)opevo_graph_degree(graph, v);
    }
    if (target_count)
        memcpy(self->target, graph->target, target_count * sizeof *self->target);
    return OPEVO_OK;
}

static bool fits_in_tables(const opevo_parameter *parameter)
{
    opevo_index size = opevo_parameter_size(parameter);
    opevo_index targets = 0;

    if (size > TABLE_VERTICES)
        return false;
    for (opevo_index v = 0; v < size && targets <= TABLE_TARGETS; v++)
        targets += opevo_parameter_degree(parameter, v);
    return targets <= TABLE_TARGETS;
}

static opevo_status create(double q, const opevo_parameter *parameter, const opevo_graph *graph,
                           opevo_walker **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_graph *own = NULL;
    opevo_walker *self = opevo_calloc(1, sizeof *self);

    OPEVO_NEED_OR_RETURN(self, "a walker");
    self->q = q;
    self->go_on = opevo_rng_threshold(q);
    self->parameter = parameter;
    self->family = parameter ? opevo_parameter_family(parameter) : OPEVO_FAMILY_GENERAL;
    self->size = parameter ? opevo_parameter_size(parameter) : graph->vertex_count;
    if (self->family == OPEVO_FAMILY_PATH && self->size <= OPEVO_I_SHIFTS_SIZE_MOST) {
        self->shifts = opevo_i_shifts_create(q, (uint64_t)self->size);
        OPEVO_NEED(self->shifts, "a walker");
    }
    if (!graph && fits_in_tables(parameter)) {
        OPEVO_TRY(opevo_graph_create(parameter, 0, &own, err));
        graph = own;
    }
    if (graph)
        OPEVO_TRY(copy_tables(self, graph, err));
    *out = self;
    self = NULL; /* handed over */
cleanup:
    opevo_graph_destroy(own);
    opevo_walker_destroy(self);
    return status;
}

opevo_status opevo_walker_create(const opevo_parameter *parameter, double q, opevo_walker **out,
                                 opevo_error *err)
{
    opevo_status status = check_q(q, err);

    return status == OPEVO_OK ? create(q, parameter, NULL, out, err) : status;
}

opevo_status opevo_walker_create_on_graph(const opevo_graph *graph, double q, opevo_walker **out,
                                          opevo_error *err)
{
    opevo_status status = check_q(q, err);

    if (status != OPEVO_OK)
        return status;
    if (graph->vertex_count > UINT32_MAX || graph->offset[graph->vertex_count] > UINT32_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "A walker keeps graphs of up to 2^32 - 1 vertices and 2^31 edges; this "
                          "one has %zu vertices and %llu edges.",
                          graph->vertex_count,
                          (unsigned long long)graph->offset[graph->vertex_count] / 2);
    return create(q, NULL, graph, out, err);
}

void opevo_walker_destroy(opevo_walker *walker)
{
    if (!walker)
        return;
    opevo_free(walker->rows);
    opevo_free(walker->target);
    opevo_free(walker->shifts);
    opevo_free(walker);
}

static inline uint32_t table_step(const opevo_walker *walker, uint32_t vertex, opevo_rng *rng)
{
    row here = walker->rows[vertex];

    if (!here.degree)
        return vertex;
    return walker->target[here.first + opevo_rng_below(rng, here.degree)];
}

static opevo_index formula_step(const opevo_walker *walker, opevo_index vertex, opevo_rng *rng)
{
    opevo_index degree = opevo_parameter_degree(walker->parameter, vertex);

    if (!degree)
        return vertex;
    return opevo_parameter_neighbour(walker->parameter, vertex, opevo_rng_below_wide(rng, degree));
}

opevo_index opevo_walker_draw(const opevo_walker *walker, opevo_index start, opevo_rng *rng)
{
    opevo_index vertex = start;

    if (walker->rows) {
        uint32_t at = (uint32_t)start;

        while (opevo_rng_u64(rng) < walker->go_on)
            at = table_step(walker, at, rng);
        return at;
    }
    while (opevo_rng_u64(rng) < walker->go_on)
        vertex = formula_step(walker, vertex, rng);
    return vertex;
}

opevo_index opevo_walker_step(const opevo_walker *walker, opevo_index vertex, opevo_rng *rng)
{
    if (walker->rows)
        return table_step(walker, (uint32_t)vertex, rng);
    return formula_step(walker, vertex, rng);
}

/* ---- Many walks at once ---- */

/* Steps of `count` walks: how often they go on before they have stopped so often. */
static uint64_t count_steps(const opevo_walker *walker, uint32_t count, opevo_rng *rng)
{
    uint64_t steps = 0;

    if (count > FEW_WALKS && walker->q > 0 && walker->q < LONG_WALKS) {
        gsl_rng gsl = opevo_rng_as_gsl(rng);

        return gsl_ran_negative_binomial(&gsl, 1 - walker->q, count);
    }
    for (uint32_t i = 0; i < count; i++) {
        while (opevo_rng_u64(rng) < walker->go_on)
            steps++;
    }
    return steps;
}

/* P(back at the start) = 1/n + (1 - 1/n) (-1/(n - 1))^steps; the others are equal. */
static opevo_index step_on_complete(opevo_index size, opevo_index start, uint64_t steps,
                                    opevo_rng *rng)
{
    double n = (double)size;
    double back = 1 / n + (1 - 1 / n) * pow(-1 / (n - 1), (double)steps);
    opevo_index other = 0;

    if (opevo_rng_unit(rng) < back)
        return start;
    other = opevo_rng_below_wide(rng, size - 1);
    return other + (other >= start);
}

opevo_index opevo_walker_draw_many(const opevo_walker *walker, opevo_index start, uint32_t count,
                                   opevo_rng *rng)
{
    opevo_index vertex = start;
    uint64_t steps = 0;

    if (walker->shifts)
        return opevo_i_shifts_draw(walker->shifts, (uint64_t)start, count, rng);
    steps = count_steps(walker, count, rng);
    if (steps == 0 || walker->size == 1)
        return start;
    if (walker->family == OPEVO_FAMILY_COMPLETE)
        return step_on_complete(walker->size, start, steps, rng);
    for (; steps > 0; steps--)
        vertex = opevo_walker_step(walker, vertex, rng);
    return vertex;
}
