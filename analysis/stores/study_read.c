/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From stores to a study: the runs are listed once, and then read side by side, each thread
 * through a connection of its own. The study keeps the course of each run, not its trials. */

#include "stored_study_internal.h"

#include <opevo/finals.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <math.h>

enum { PIECE = 512 };

/* ---- Reading ---- */

/* Of one thread, to the store that it read from last. */
typedef struct connection {
    opevo_store *store;
    size_t number; /* of it */
    opevo_trial trials[PIECE];
} connection;

typedef struct reader {
    const opevo_stored_study_options *options;
    opevo_stored_study *data;
    connection *connections;
    size_t *order; /* places of runs: by store, in it by objective and space */
} reader;

static opevo_status connect(const reader *self, connection *from, size_t number, opevo_error *err)
{
    if (from->store && from->number == number)
        return OPEVO_OK;
    opevo_store_close(from->store);
    from->store = NULL;
    from->number = number;
    return opevo_store_open(self->options->stores.names[number], OPEVO_STORE_READ, &from->store,
                            err);
}

/* The medians of finals, if the run has some: of the best point, and of the best trial's, which is
 * the first. */
static opevo_status read_truth(opevo_store *store, int64_t number, opevo_analysed_run *run,
                               opevo_error *err)
{
    opevo_finals *finals = NULL;
    opevo_space *space = NULL;
    opevo_status status = opevo_finals_read(store, number, &finals, &space, err);

    if (status == OPEVO_OK && finals->ran) {
        run->truth.known = true;
        run->truth.chosen = finals->finalists[0].median;
        for (size_t i = 0; i < finals->count; i++) {
            if (finals->finalists[i].point != OPEVO_LIBRARY_POINT)
                run->truth.tried = fmax(run->truth.tried, finals->finalists[i].median);
        }
    }
    opevo_finals_destroy(finals);
    opevo_space_destroy(space);
    return status;
}

static opevo_status read_run(void *context, size_t place, unsigned worker, opevo_error *err)
{
    reader *self = context;
    size_t index = self->order[place];
    opevo_analysed_run *run = &self->data->runs[index];
    connection *from = &self->connections[worker];
    opevo_status status = OPEVO_OK;
    const opevo_stored_run *stored = &self->data->stored[index];
    size_t count = PIECE;

    OPEVO_TRY(connect(self, from, stored->store, err));
    while (count == PIECE) {
        OPEVO_TRY(opevo_store_read(from->store, stored->run, run->curve.trials, from->trials, PIECE,
                                   &count, err));
        for (size_t i = 0; i < count; i++)
            OPEVO_TRY(opevo_run_curve_add(&run->curve, &from->trials[i].outcome, err));
        for (size_t i = 0; i < count; i++)
            self->data->outcomes[index][from->trials[i].outcome.kind]++;
    }
    OPEVO_TRY(read_truth(from->store, stored->run, run, err));
    if (worker == 0 && self->options->progress)
        self->options->progress(self->options->progress_context, place + 1, self->data->run_count);
cleanup:
    return status;
}

/* The store, and in it the cell of a run. */
static size_t pile_of(const opevo_stored_study *data, size_t run)
{
    size_t row = data->stored[run].store * data->landscape_count + data->runs[run].landscape;

    return row * data->contender_count + data->runs[run].contender;
}

/* Where each cell's runs of a store begin, in the order of the cells; then the runs put there. A
 * connection keeps the outcomes of one objective at hand, which a run of another one makes it read
 * anew. */
static bool sort_by_cell(const opevo_stored_study *data, size_t *order)
{
    size_t piles = data->store_count * data->landscape_count * data->contender_count;
    size_t *next = opevo_calloc(piles + 1, sizeof *next);

    if (!next)
        return false;
    for (size_t i = 0; i < data->run_count; i++)
        next[pile_of(data, i) + 1]++;
    for (size_t i = 0; i < piles; i++)
        next[i + 1] += next[i];
    for (size_t i = 0; i < data->run_count; i++)
        order[next[pile_of(data, i)]++] = i;
    opevo_free(next);
    return true;
}

static opevo_status read_runs(const opevo_stored_study_options *options, opevo_stored_study *data,
                              opevo_error *err)
{
    reader self = {.options = options, .data = data};
    unsigned threads = options->threads ? options->threads : opevo_processor_count();
    opevo_status status = OPEVO_OK;

    threads = threads < data->run_count ? threads : (unsigned)data->run_count;
    self.connections = opevo_calloc(threads, sizeof *self.connections);
    data->outcomes = opevo_calloc(data->run_count, sizeof *data->outcomes);
    self.order = opevo_malloc(data->run_count, sizeof *self.order);
    OPEVO_NEED(self.connections && data->outcomes && self.order && sort_by_cell(data, self.order),
               "reading %s", options->stores.names[0]);
    status = opevo_parallel_for(data->run_count, threads, read_run, &self, err);
cleanup:
    for (unsigned i = 0; self.connections && i < threads; i++)
        opevo_store_close(self.connections[i].store);
    opevo_free(self.connections);
    opevo_free(self.order);
    return status;
}

opevo_status opevo_stored_study_read(const opevo_stored_study_options *options,
                                     opevo_stored_study *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_stored_open(&options->stores, out, err));
    OPEVO_TRY(opevo_i_stored_list(options, out, err));
    if (out->run_count > 0)
        OPEVO_TRY(read_runs(options, out, err));
cleanup:
    return status;
}
