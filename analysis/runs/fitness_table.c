/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Every point of a landscape, by value: evaluated chunk by chunk, each chunk with a place of its
 * own, so that the table does not depend on the threads. */

#include <opevo/random_baseline.h>

#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/summary.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 4096 };

typedef struct worker {
    opevo_index point[CHUNK];
    opevo_outcome outcome[CHUNK];
} worker;

/* Point i of the space has place i; what no constraint excludes is moved to the front of its
 * chunk's places. */
typedef struct survey {
    opevo_objective *objective;
    uint64_t size;
    double *fitness;
    double *cost_s;
    size_t *allowed; /* of each chunk */
    worker *workers;
} survey;

static opevo_status survey_chunk(void *context, size_t index, unsigned worker_index,
                                 opevo_error *err)
{
    survey *self = context;
    worker *scratch = &self->workers[worker_index];
    uint64_t first = (uint64_t)index * CHUNK;
    uint64_t end = first + CHUNK < self->size ? first + CHUNK : self->size;
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    for (uint64_t point = first; point < end; point++) {
        if (opevo_space_allows(self->objective->space, point))
            scratch->point[count++] = point;
    }
    self->allowed[index] = count;
    if (count == 0)
        return OPEVO_OK;
    status =
        opevo_objective_evaluate(self->objective, scratch->point, count, scratch->outcome, err);
    if (status != OPEVO_OK)
        return status;
    for (size_t i = 0; i < count; i++) {
        self->fitness[first + i] = scratch->outcome[i].fitness;
        self->cost_s[first + i] = opevo_outcome_cost_s(&scratch->outcome[i]);
    }
    return OPEVO_OK;
}

static int descending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

/* Put the places of the chunks side by side; returns how many there are. */
static size_t collect(survey *self, size_t chunks)
{
    size_t kept = 0;

    for (size_t i = 0; i < chunks; i++) {
        memmove(self->fitness + kept, self->fitness + i * CHUNK,
                self->allowed[i] * sizeof *self->fitness);
        memmove(self->cost_s + kept, self->cost_s + i * CHUNK,
                self->allowed[i] * sizeof *self->cost_s);
        kept += self->allowed[i];
    }
    return kept;
}

static void describe_costs(const double *fitness, double *cost_s, size_t points,
                           opevo_fitness_table *out)
{
    double ok = 0, failed = 0;

    if (!cost_s)
        return;
    for (size_t i = 0; i < points; i++) {
        if (fitness[i] > 0)
            ok += cost_s[i];
        else
            failed += cost_s[i];
    }
    out->mean_cost_s = (ok + failed) / (double)points;
    out->mean_cost_ok_s = out->ok ? ok / (double)out->ok : 0;
    out->mean_cost_failed_s = out->ok < points ? failed / (double)(points - out->ok) : 0;
    out->median_cost_s = opevo_moments_of(cost_s, points).median;
}

/* The table takes `fitness` over and reorders `cost_s`. */
static void fill(double *fitness, double *cost_s, size_t points, opevo_fitness_table *out)
{
    opevo_fitness_table table = {.points = points, .fitness = fitness};
    size_t kept = 0;

    for (size_t i = 0; i < points; i++)
        table.ok += fitness[i] > 0;
    describe_costs(fitness, cost_s, points, &table);
    for (size_t i = 0; i < points; i++) {
        if (fitness[i] > 0)
            fitness[kept++] = fitness[i];
    }
    qsort(fitness, kept, sizeof *fitness, descending);
    *out = table;
}

opevo_status opevo_fitness_table_of(opevo_objective *objective, opevo_index limit, unsigned threads,
                                    opevo_fitness_table *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    survey self = {.objective = objective};
    size_t chunks = 0, points = 0;

    if (opevo_space_size(objective->space) > limit ||
        opevo_space_size(objective->space) > UINT32_MAX)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%s has too many points to evaluate them all.",
                          objective->name);
    self.size = (uint64_t)opevo_space_size(objective->space);
    chunks = (size_t)((self.size + CHUNK - 1) / CHUNK);
    if (!objective->concurrent)
        threads = 1;
    else if (threads == 0)
        threads = opevo_processor_count();
    self.fitness = opevo_malloc(self.size, sizeof *self.fitness);
    self.cost_s = opevo_malloc(self.size, sizeof *self.cost_s);
    self.allowed = opevo_calloc(chunks, sizeof *self.allowed);
    self.workers = opevo_malloc(threads, sizeof *self.workers);
    OPEVO_NEED(self.fitness && self.cost_s && self.allowed && self.workers, "the points of %s",
               objective->name);
    OPEVO_TRY(opevo_parallel_for(chunks, threads, survey_chunk, &self, err));
    points = collect(&self, chunks);
    if (points == 0) {
        status =
            OPEVO_FAIL(err, OPEVO_INVALID, "%s: the constraints allow no point.", objective->name);
        goto cleanup;
    }
    fill(self.fitness, self.cost_s, points, out);
    self.fitness = NULL;
cleanup:
    opevo_free(self.fitness);
    opevo_free(self.cost_s);
    opevo_free(self.allowed);
    opevo_free(self.workers);
    return status;
}

static bool is_amount(double value)
{
    return isfinite(value) && value >= 0;
}

opevo_status opevo_fitness_table_create(const double *fitness, const double *cost_s, size_t points,
                                        opevo_fitness_table *out, opevo_error *err)
{
    double *values = NULL;
    double *costs = NULL;

    if (points == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A table of fitness needs at least one point.");
    for (size_t i = 0; i < points; i++) {
        if (!is_amount(fitness[i]) || (cost_s && !is_amount(cost_s[i])))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "Point %zu: its fitness and cost must be finite and not negative.",
                              i);
    }
    values = opevo_malloc(points, sizeof *values);
    costs = cost_s ? opevo_malloc(points, sizeof *costs) : NULL;
    if (!values || (cost_s && !costs)) {
        opevo_free(values);
        opevo_free(costs);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a table of %zu points.", points);
    }
    memcpy(values, fitness, points * sizeof *values);
    if (cost_s)
        memcpy(costs, cost_s, points * sizeof *costs);
    fill(values, costs, points, out);
    opevo_free(costs);
    return OPEVO_OK;
}

void opevo_fitness_table_free(opevo_fitness_table *table)
{
    opevo_free(table->fitness);
    *table = (opevo_fitness_table){0};
}
