/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every allowed point of a landscape, evaluated chunk by chunk. */

#include <opevo/landscape_analysis.h>

#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <math.h>

enum { CHUNK = 4096 };

typedef struct worker {
    opevo_index point[CHUNK];
    opevo_outcome outcome[CHUNK];
} worker;

typedef struct filling {
    opevo_objective *objective;
    opevo_landscape_table *table;
    worker *workers;
} filling;

void opevo_landscape_table_destroy(opevo_landscape_table *table)
{
    if (!table)
        return;
    opevo_free(table->fitness);
    opevo_free(table->state);
    opevo_free(table);
}

static opevo_status fill_chunk(void *context, size_t index, unsigned worker_index, opevo_error *err)
{
    filling *self = context;
    worker *scratch = &self->workers[worker_index];
    size_t first = index * CHUNK, count = 0;
    size_t end = first + CHUNK < self->table->size ? first + CHUNK : self->table->size;
    opevo_status status = OPEVO_OK;

    for (size_t point = first; point < end; point++) {
        self->table->fitness[point] = 0;
        self->table->state[point] = OPEVO_POINT_FORBIDDEN;
        if (opevo_space_allows(self->objective->space, point))
            scratch->point[count++] = point;
    }
    if (count > 0)
        status =
            opevo_objective_evaluate(self->objective, scratch->point, count, scratch->outcome, err);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        size_t point = (size_t)scratch->point[i];
        bool ok = scratch->outcome[i].kind == OPEVO_OUTCOME_OK;

        self->table->state[point] = ok ? OPEVO_POINT_OK : OPEVO_POINT_FAILED;
        self->table->fitness[point] = ok ? scratch->outcome[i].fitness : 0;
    }
    return status;
}

static void count_states(opevo_landscape_table *table)
{
    table->best = NAN;
    for (size_t point = 0; point < table->size; point++) {
        table->allowed += table->state[point] != OPEVO_POINT_FORBIDDEN;
        if (table->state[point] != OPEVO_POINT_OK)
            continue;
        table->ok++;
        table->best = fmax(table->best, table->fitness[point]);
    }
}

opevo_status opevo_landscape_table_create(opevo_objective *objective, unsigned threads,
                                          opevo_landscape_table **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_index size = opevo_space_size(objective->space);
    filling self = {.objective = objective};

    if (size > OPEVO_LANDSCAPE_POINTS_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT,
                          "The analysis of a landscape evaluates every point and takes at most %d; "
                          "this space has %.3g.",
                          OPEVO_LANDSCAPE_POINTS_MAX, (double)size);
    if (!objective->concurrent)
        threads = 1;
    else if (threads == 0)
        threads = opevo_processor_count();
    OPEVO_NEW(self.table, 1, "the outcomes of a landscape");
    OPEVO_NEW(self.workers, threads, "the outcomes of a landscape");
    self.table->size = (size_t)size;
    self.table->fitness = opevo_malloc(self.table->size, sizeof *self.table->fitness);
    self.table->state = opevo_malloc(self.table->size, sizeof *self.table->state);
    OPEVO_NEED(self.table->fitness && self.table->state, "the outcomes of %zu points",
               self.table->size);
    OPEVO_TRY(opevo_parallel_for((self.table->size + CHUNK - 1) / CHUNK, threads, fill_chunk, &self,
                                 err));
    count_states(self.table);
    *out = self.table;
    self.table = NULL; /* handed over */
cleanup:
    opevo_landscape_table_destroy(self.table);
    opevo_free(self.workers);
    return status;
}
