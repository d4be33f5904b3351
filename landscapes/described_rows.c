/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The rows of a table that has a description. Lines that are in memory together are shared out
 * among threads, which read what they say; then the rows are added in the order of the table. So
 * rows, their numbers and the first mistake are the same on any number of threads. */

#include "described_table_internal.h"

#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <math.h>
#include <string.h>

enum {
    CHUNK = 1 << 10, /* lines of a task */
    CHUNK_COUNT = 16,
    LINE_COUNT = CHUNK * CHUNK_COUNT, /* read together */
    AHEAD = 16                        /* rows whose places are expected */
};

typedef struct parsed_row {
    opevo_i_landscape_row row;
    opevo_i_landscape_place place;
} parsed_row;

/* The lines of a task. Those before the first mistake were read. */
typedef struct chunk {
    size_t count; /* of rows that were read */
    opevo_error failure;
    opevo_i_landscape_tally tally;
} chunk;

/* A thread, and the line that it reads. */
typedef struct worker {
    const opevo_i_landscape_described_table *file;
    size_t line;
    const char **cells;
    opevo_value *values; /* likewise one for each column */
    opevo_i_landscape_scratch scratch;
} worker;

typedef struct reader {
    opevo_i_landscape_described_table *file;
    opevo_i_landscape_line *lines;
    size_t line_count;
    parsed_row *rows; /* of each line */
    chunk *chunks;
    worker *workers;
    unsigned worker_count;
} reader;

const opevo_i_landscape_state opevo_i_landscape_states[OPEVO_I_LANDSCAPE_STATES] = {
    {"ok", "rows with status ok", OPEVO_OUTCOME_OK},
    {"compile_error", "rows with status compile_error", OPEVO_OUTCOME_BUILD_ERROR},
    {"runtime_error", "rows with status runtime_error", OPEVO_OUTCOME_LAUNCH_ERROR},
    {"invalid", "rows with status invalid", OPEVO_OUTCOME_REJECTED},
    {"timeout", "rows with status timeout", OPEVO_OUTCOME_TIMEOUT},
    {"wrong", "rows with status wrong", OPEVO_OUTCOME_WRONG},
    {"crashed", "rows with status crashed", OPEVO_OUTCOME_CRASHED},
};

const char *opevo_recorded_status(opevo_outcome_class kind)
{
    for (size_t i = 0; i < OPEVO_I_LANDSCAPE_STATES; i++) {
        if (opevo_i_landscape_states[i].kind == kind)
            return opevo_i_landscape_states[i].name;
    }
    return NULL;
}

/* ---- A row ---------------------------------------------------------------------------------- */

/* The number in a cell: NAN when the table lacks the column or the cell is empty. */
static opevo_status read_number(const worker *self, size_t column, double *out, opevo_error *err)
{
    const opevo_i_landscape_table *table = self->file->table;
    double value = 0;

    if (column == SIZE_MAX || !*self->cells[column]) {
        *out = NAN;
        return OPEVO_OK;
    }
    if (!opevo_parse_double(self->cells[column], &value) || value < 0)
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, self->line,
                                         "'%.80s' in column '%s' is not a number of at least 0.",
                                         self->cells[column], table->names[column]);
    *out = value;
    return OPEVO_OK;
}

static opevo_status read_state(const worker *self, opevo_i_landscape_tally *tally,
                               opevo_outcome_class *kind, opevo_error *err)
{
    const char *cell = self->cells[self->file->columns.status];

    for (size_t i = 0; i < OPEVO_I_LANDSCAPE_STATES; i++) {
        if (strcmp(cell, opevo_i_landscape_states[i].name) == 0) {
            tally->states[i]++;
            *kind = opevo_i_landscape_states[i].kind;
            return OPEVO_OK;
        }
    }
    return opevo_i_landscape_fail_status(self->file->table->path, self->line, cell, err);
}

/* An ok row has a result in the column, every other row has none. */
static opevo_status check_result(const worker *self, size_t column, bool ok, double value,
                                 opevo_error *err)
{
    const opevo_i_landscape_table *table = self->file->table;

    if (column == SIZE_MAX)
        return OPEVO_OK;
    if (ok && !(value > 0))
        return opevo_i_landscape_fail_at(
            err, OPEVO_INVALID, table->path, self->line,
            "the status is ok, but column '%s' holds no number above 0.", table->names[column]);
    if (!ok && !isnan(value))
        return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, self->line,
                                         "the status is %s, but column '%s' is not empty.",
                                         self->cells[self->file->columns.status],
                                         table->names[column]);
    return OPEVO_OK;
}

static opevo_status set_fitness(const worker *self, opevo_i_landscape_tally *tally, double gflops,
                                opevo_i_landscape_row *row, opevo_error *err)
{
    const char *path = self->file->table->path;
    double flop = self->file->facts.flop;
    double computed = flop / row->time_s / 1e9;

    if (isnan(gflops)) {
        row->fitness = flop > 0 ? computed : 1 / row->time_s;
    } else {
        row->fitness = gflops;
        if (flop > 0 && !(fabs(gflops - computed) <= OPEVO_I_LANDSCAPE_ROUNDING * computed))
            return opevo_i_landscape_fail_at(
                err, OPEVO_INVALID, path, self->line,
                "%g GFLOP/s disagree with the time, which gives %g at the flop_per_run of %s.",
                gflops, computed, self->file->description);
    }
    if (!isfinite(row->fitness))
        return opevo_i_landscape_fail_short(path, self->line, row->time_s, err);
    tally->best_time_s = fmin(tally->best_time_s, row->time_s);
    tally->best_gflops = fmax(tally->best_gflops, gflops);
    return OPEVO_OK;
}

/* What the trial cost: compile_ms is building, the rest of cost_ms running. Without cost_ms, the
 * time of all runs. */
static opevo_status set_costs(const worker *self, opevo_i_landscape_row *row, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    double compile = NAN;
    double cost = NAN;
    double runs = NAN;

    OPEVO_TRY(read_number(self, self->file->columns.compile, &compile, err));
    OPEVO_TRY(read_number(self, self->file->columns.cost, &cost, err));
    OPEVO_TRY(read_number(self, self->file->columns.runs, &runs, err));
    row->build_s = isnan(compile) ? 0 : compile / 1e3;
    if (!isnan(cost))
        row->run_s = fmax(0, cost / 1e3 - row->build_s);
    else if (row->kind == OPEVO_OUTCOME_OK)
        row->run_s = row->time_s * (isnan(runs) ? 1 : runs);
cleanup:
    return status;
}

/* Those of the row: any number, or an empty cell where it is not known. */
static opevo_status read_criteria(const worker *self, opevo_i_landscape_row *row, opevo_error *err)
{
    const opevo_i_landscape_criteria *criteria = &self->file->recording->criteria;
    const opevo_i_landscape_table *table = self->file->table;

    for (size_t i = 0; i < OPEVO_CRITERIA_MOST - 1; i++)
        row->more[i] = NAN;
    for (size_t i = 0; i < criteria->count && row->kind == OPEVO_OUTCOME_OK; i++) {
        const char *cell = self->cells[criteria->columns[i]];

        if (*cell && !opevo_parse_double(cell, &row->more[i]))
            return opevo_i_landscape_fail_at(err, OPEVO_INVALID, table->path, self->line,
                                             "'%.80s' in column '%s' is not a number.", cell,
                                             table->names[criteria->columns[i]]);
    }
    return OPEVO_OK;
}

static opevo_status read_row(worker *self, const opevo_i_landscape_line *line,
                             opevo_i_landscape_tally *tally, parsed_row *out, opevo_error *err)
{
    const opevo_i_landscape_described_table *file = self->file;
    opevo_status status = OPEVO_OK;
    opevo_i_landscape_row *row = &out->row;
    double time_ms = NAN;
    double gflops = NAN;
    bool ok = false;

    *row = (opevo_i_landscape_row){.time_s = NAN};
    self->line = line->number;
    OPEVO_TRY(opevo_i_landscape_table_cut(file->table, line, self->cells, err));
    OPEVO_TRY(read_state(self, tally, &row->kind, err));
    ok = row->kind == OPEVO_OUTCOME_OK;
    OPEVO_TRY(read_number(self, file->columns.time, &time_ms, err));
    OPEVO_TRY(read_number(self, file->columns.gflops, &gflops, err));
    OPEVO_TRY(check_result(self, file->columns.time, ok, time_ms, err));
    OPEVO_TRY(check_result(self, file->columns.gflops, ok, gflops, err));
    if (ok) {
        row->time_s = time_ms / 1e3;
        OPEVO_TRY(set_fitness(self, tally, gflops, row, err));
    }
    OPEVO_TRY(set_costs(self, row, err));
    OPEVO_TRY(read_criteria(self, row, err));
    for (size_t i = 0; i < file->table->column_count; i++)
        self->values[i] = (opevo_value){.kind = OPEVO_VALUE_TEXT, .as = {.text = self->cells[i]}};
    OPEVO_TRY(opevo_i_landscape_recording_place(file->recording, self->values, line->number,
                                                &self->scratch, &out->place, err));
cleanup:
    return status;
}

/* ---- All rows ------------------------------------------------------------------------------- */

/* Never fails itself: whether an earlier line fails is known once its rows are added. */
static opevo_status read_chunk(void *context, size_t index, unsigned number, opevo_error *err)
{
    reader *self = context;
    chunk *out = &self->chunks[index];
    size_t first = index * CHUNK;
    size_t end = first + CHUNK < self->line_count ? first + CHUNK : self->line_count;

    (void)err;
    *out = (chunk){.tally = {.best_gflops = NAN, .best_time_s = NAN}};
    for (size_t i = first; i < end; i++) {
        if (read_row(&self->workers[number], &self->lines[i], &out->tally, &self->rows[i],
                     &out->failure) != OPEVO_OK)
            break;
        out->count++;
    }
    return OPEVO_OK;
}

static opevo_status add_chunk(reader *self, size_t index, opevo_error *err)
{
    const chunk *read = &self->chunks[index];
    opevo_i_landscape_recording *recording = self->file->recording;
    size_t end = index * CHUNK + read->count;
    opevo_i_landscape_tally *tally = &self->file->tally;
    opevo_status status = OPEVO_OK;

    for (size_t i = index * CHUNK; i < end; i++) {
        if (i + AHEAD < end)
            opevo_i_landscape_recording_expect(recording, &self->rows[i + AHEAD].place);
        OPEVO_TRY(opevo_i_landscape_recording_put(recording, &self->rows[i].place,
                                                  &self->rows[i].row, self->lines[i].number, err));
    }
    if (read->failure.status != OPEVO_OK)
        return OPEVO_FAIL(err, read->failure.status, "%s", read->failure.message);
    for (size_t i = 0; i < OPEVO_I_LANDSCAPE_STATES; i++)
        tally->states[i] += read->tally.states[i];
    tally->best_time_s = fmin(tally->best_time_s, read->tally.best_time_s);
    tally->best_gflops = fmax(tally->best_gflops, read->tally.best_gflops);
cleanup:
    return status;
}

static void clear(reader *self)
{
    for (unsigned i = 0; self->workers && i < self->worker_count; i++) {
        opevo_free(self->workers[i].cells);
        opevo_free(self->workers[i].values);
        opevo_i_landscape_scratch_clear(&self->workers[i].scratch);
    }
    opevo_free(self->workers);
    opevo_free(self->chunks);
    opevo_free(self->rows);
    opevo_free(self->lines);
}

static opevo_status prepare(reader *self, opevo_error *err)
{
    const opevo_i_landscape_table *table = self->file->table;
    opevo_status status = OPEVO_OK;
    unsigned processors = opevo_processor_count();

    self->worker_count = processors < CHUNK_COUNT ? processors : CHUNK_COUNT;
    OPEVO_NEW(self->lines, LINE_COUNT, "%s", table->path);
    OPEVO_NEW(self->rows, LINE_COUNT, "%s", table->path);
    OPEVO_NEW(self->chunks, CHUNK_COUNT, "%s", table->path);
    OPEVO_NEW(self->workers, self->worker_count, "%s", table->path);
    for (unsigned i = 0; i < self->worker_count; i++) {
        worker *one = &self->workers[i];

        one->file = self->file;
        OPEVO_NEW(one->cells, table->column_count, "%s", table->path);
        OPEVO_NEW(one->values, table->column_count, "%s", table->path);
        OPEVO_TRY(opevo_i_landscape_scratch_init(&one->scratch, self->file->recording, err));
    }
cleanup:
    return status;
}

opevo_status opevo_i_landscape_described_rows_read(opevo_i_landscape_described_table *file,
                                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    reader self = {.file = file};

    OPEVO_TRY(prepare(&self, err));
    for (;;) {
        size_t chunks = 0;

        OPEVO_TRY(opevo_i_landscape_table_lines(file->table, self.lines, LINE_COUNT,
                                                &self.line_count, err));
        if (!self.line_count)
            break;
        chunks = (self.line_count + CHUNK - 1) / CHUNK;
        OPEVO_TRY(opevo_parallel_for(chunks, self.worker_count, read_chunk, &self, err));
        for (size_t i = 0; i < chunks; i++)
            OPEVO_TRY(add_chunk(&self, i, err));
    }
cleanup:
    clear(&self);
    return status;
}
