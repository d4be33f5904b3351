/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Products with the adjacency matrix of a landscape graph. Each entry is computed by one thread in
 * one order, so the result does not depend on the threads. */

#include <opevo/landscape_analysis.h>

#include <opevo/memory.h>
#include <opevo/parallel.h>

#include "landscape_graph_internal.h"

enum { CHUNK = 4096 };

typedef struct multiplication {
    const opevo_landscape_graph *graph;
    const double *x;
    double *y;
    double *sums; /* of x on each line */
} multiplication;

static opevo_status sum_lines(void *context, size_t index, unsigned worker, opevo_error *err)
{
    multiplication *self = context;
    const opevo_i_analysis_line_reader *lines = &self->graph->lines[index];
    double *sums = self->sums + opevo_i_analysis_line_base(self->graph, index);

    (void)worker;
    (void)err;
    for (size_t u = 0; u < self->graph->count; u++)
        sums[lines->of[u]] += self->x[u];
    return OPEVO_OK;
}

static opevo_status multiply_chunk(void *context, size_t index, unsigned worker, opevo_error *err)
{
    multiplication *self = context;
    const opevo_landscape_graph *graph = self->graph;
    size_t end = (index + 1) * CHUNK;

    (void)worker;
    (void)err;
    for (size_t u = index * CHUNK; u < end && u < graph->count; u++) {
        const double *sums = self->sums;
        double sum = 0;

        for (uint64_t k = graph->offset[u]; k < graph->offset[u + 1]; k++)
            sum += self->x[graph->target[k]];
        for (size_t k = 0; k < graph->line_count; k++) {
            sum += sums[graph->lines[k].of[u]] - self->x[u];
            sums += graph->lines[k].count;
        }
        self->y[u] = sum;
    }
    return OPEVO_OK;
}

opevo_status opevo_landscape_graph_multiply(const opevo_landscape_graph *graph, const double *x,
                                            double *y, unsigned threads, opevo_error *err)
{
    multiplication self = {.graph = graph, .x = x, .y = y};
    opevo_status status = OPEVO_OK;

    self.sums = opevo_calloc(opevo_i_analysis_line_total(graph), sizeof *self.sums);
    OPEVO_NEED_OR_RETURN(self.sums, "a product on %zu nodes", graph->count);
    OPEVO_TRY(opevo_parallel_for(graph->line_count, threads, sum_lines, &self, err));
    OPEVO_TRY(opevo_parallel_for((graph->count + CHUNK - 1) / CHUNK, threads, multiply_chunk, &self,
                                 err));
cleanup:
    opevo_free(self.sums);
    return status;
}
