/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What all rows of a recording come to: the best of them, and their signature. */

#include "recorded_internal.h"

#include <opevo/parallel.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>

enum {
    CHUNK = 1 << 14, /* rows of a task */
    THREADS_MOST = 64
};

/* Call the body for chunks of all rows; it cannot fail. */
static void for_chunks(const opevo_i_row_store *rows, opevo_parallel_body body, void *context)
{
    unsigned processors = opevo_processor_count();
    size_t chunks = (opevo_i_row_store_count(rows) + CHUNK - 1) / CHUNK;

    (void)opevo_parallel_for(chunks, processors < THREADS_MOST ? processors : THREADS_MOST, body,
                             context, NULL);
}

static size_t end_of(const opevo_i_row_store *rows, size_t chunk)
{
    size_t count = opevo_i_row_store_count(rows), end = (chunk + 1) * CHUNK;

    return end < count ? end : count;
}

/* ---- The optimum ---------------------------------------------------------------------------- */

typedef struct best_of_rows {
    const opevo_i_row_store *rows;
    opevo_optimum best[THREADS_MOST]; /* of each thread */
} best_of_rows;

/* The first point among equals. */
static void take_better(opevo_optimum *best, opevo_optimum other)
{
    if (other.known && (!best->known || other.fitness > best->fitness ||
                        (other.fitness == best->fitness && other.point < best->point)))
        *best = other;
}

static opevo_status find_best(void *context, size_t index, unsigned worker, opevo_error *err)
{
    best_of_rows *self = context;

    (void)err;
    for (size_t i = index * CHUNK; i < end_of(self->rows, index); i++) {
        opevo_i_landscape_row row = opevo_i_row_store_get(self->rows, i);

        take_better(&self->best[worker],
                    (opevo_optimum){.known = row.kind == OPEVO_OUTCOME_OK,
                                    .point = opevo_i_row_store_point(self->rows, i),
                                    .fitness = row.fitness});
    }
    return OPEVO_OK;
}

opevo_optimum opevo_i_landscape_rows_optimum(const opevo_i_row_store *rows)
{
    best_of_rows self = {.rows = rows};

    for_chunks(rows, find_best, &self);
    for (size_t i = 1; i < THREADS_MOST; i++)
        take_better(&self.best[0], self.best[i]);
    return self.best[0];
}

/* ---- The signature -------------------------------------------------------------------------- */

static uint64_t hash_double(uint64_t hash, double value)
{
    uint64_t bits = 0;

    if (isnan(value)) /* all NANs alike */
        return opevo_hash_u64(hash, UINT64_MAX);
    memcpy(&bits, &value, sizeof bits);
    return opevo_hash_u64(hash, bits);
}

static uint64_t hash_row(opevo_index point, const opevo_i_landscape_row *row, size_t criteria)
{
    uint64_t hash =
        opevo_hash_u64(opevo_hash_u64(OPEVO_HASH_START, (uint64_t)point), (uint64_t)(point >> 64));

    hash = opevo_hash_u64(hash, row->kind);
    hash = hash_double(hash, row->fitness);
    hash = hash_double(hash, row->time_s);
    hash = hash_double(hash, row->build_s);
    hash = hash_double(hash, row->run_s);
    hash = hash_double(hash, row->check_s);
    hash = hash_double(hash, row->other_s);
    for (size_t i = 0; i < criteria; i++)
        hash = hash_double(hash, row->more[i]);
    return hash;
}

typedef struct sum_of_rows {
    const opevo_i_row_store *rows;
    size_t criteria;
    uint64_t sums[THREADS_MOST]; /* of each thread */
} sum_of_rows;

static opevo_status add_rows(void *context, size_t index, unsigned worker, opevo_error *err)
{
    sum_of_rows *self = context;

    (void)err;
    for (size_t i = index * CHUNK; i < end_of(self->rows, index); i++) {
        opevo_i_landscape_row row = opevo_i_row_store_get(self->rows, i);

        self->sums[worker] +=
            opevo_hash_mix(hash_row(opevo_i_row_store_point(self->rows, i), &row, self->criteria));
    }
    return OPEVO_OK;
}

/* The rows enter as a sum, so that their order, which decides no outcome, does not count. The
 * criteria of a cache do not enter: it had its signature before they were read. */
uint64_t opevo_i_landscape_rows_signature(const opevo_space *space, const char *unit,
                                          const opevo_i_row_store *rows,
                                          const opevo_i_landscape_criteria *described)
{
    uint64_t sum = 0;
    uint64_t hash = opevo_hash_u64(OPEVO_HASH_START, opevo_space_signature(space));
    const char *fitness = opevo_unit_of_fitness(unit);
    size_t criteria = described->described ? described->count : 0;
    sum_of_rows self = {.rows = rows, .criteria = criteria};

    for_chunks(rows, add_rows, &self);
    for (size_t i = 0; i < THREADS_MOST; i++)
        sum += self.sums[i];
    for (size_t i = 0; i < criteria; i++) {
        const opevo_criterion *one = &described->items[i];

        hash = opevo_hash_bytes(hash, one->name, strlen(one->name) + 1);
        hash = opevo_hash_bytes(hash, one->unit, strlen(one->unit) + 1);
        hash = opevo_hash_u64(hash, one->larger_is_better);
    }
    hash = opevo_hash_bytes(hash, fitness, strlen(fitness));
    return opevo_hash_u64(hash, sum);
}
