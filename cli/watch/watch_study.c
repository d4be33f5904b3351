/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The runs of a store by landscape and contender, as the page of a study has them: means over the
 * runs that are known so far. There are no verdicts: those belong to a study that is finished. */

#include "watch_internal.h"

#include "report_internal.h"

#include <opevo/gsl_errors.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/stored_study.h>
#include <opevo/unit.h>

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_GRID = 64 };

static const double confidence = 0.95;

/* Which landscape and which contender a run is of: numbers from 0 in the order of first runs. */
typedef struct sorter {
    const opevo_watched_store *store;
    size_t *landscape, *contender; /* of each run */
    size_t *landscapes;            /* a run of each */
    size_t *contenders;
    size_t landscape_count, contender_count;
    size_t *order;  /* the runs, cell after cell */
    size_t *begin;  /* in `order`, of cell landscape * contender_count + contender, and the end */
    double *values; /* scratch: of the runs of a cell */
} sorter;

/* ---- Sorting -------------------------------------------------------------------------------- */

static bool same_landscape(const opevo_watched_run *a, const opevo_watched_run *b)
{
    return a->signature == b->signature && !strcmp(a->objective, b->objective) &&
           !strcmp(a->unit, b->unit);
}

static bool same_contender(const opevo_watched_run *a, const opevo_watched_run *b)
{
    return !strcmp(a->tuner, b->tuner) && !strcmp(a->settings, b->settings);
}

/* Put the runs into the order of their cells, by counting. */
static opevo_status order_runs(sorter *self, opevo_error *err)
{
    size_t cells = self->landscape_count * self->contender_count, runs = self->store->count;

    self->order = opevo_calloc(runs + 1, sizeof *self->order);
    self->begin = opevo_calloc(cells + 2, sizeof *self->begin);
    OPEVO_NEED_OR_RETURN(self->order && self->begin, "the runs of %s", self->store->path);
    /* begin[k + 2] counts cell k, then begin[k + 1] is where its next run goes. */
    for (size_t i = 0; i < runs; i++) {
        if (self->store->runs[i].described)
            self->begin[self->landscape[i] * self->contender_count + self->contender[i] + 2]++;
    }
    for (size_t k = 0; k < cells; k++)
        self->begin[k + 2] += self->begin[k + 1];
    for (size_t i = 0; i < runs; i++) {
        if (self->store->runs[i].described)
            self->order[self->begin[self->landscape[i] * self->contender_count +
                                    self->contender[i] + 1]++] = i;
    }
    return OPEVO_OK;
}

/* The number of the group that the run is of, which may be a new one. */
static size_t group_of(const opevo_watched_run *runs, size_t run, size_t *firsts, size_t *count,
                       bool (*same)(const opevo_watched_run *, const opevo_watched_run *))
{
    size_t i = 0;

    while (i < *count && !same(&runs[firsts[i]], &runs[run]))
        i++;
    if (i == *count)
        firsts[(*count)++] = run;
    return i;
}

static opevo_status sort(const opevo_watched_store *store, sorter *out, opevo_error *err)
{
    size_t count = store->count + 1;

    *out = (sorter){.store = store,
                    .landscape = opevo_calloc(count, sizeof(size_t)),
                    .contender = opevo_calloc(count, sizeof(size_t)),
                    .landscapes = opevo_calloc(count, sizeof(size_t)),
                    .contenders = opevo_calloc(count, sizeof(size_t)),
                    .values = opevo_calloc(count, sizeof(double))};
    OPEVO_NEED_OR_RETURN(out->landscape && out->contender && out->landscapes && out->contenders &&
                             out->values,
                         "the runs of %s", store->path);
    for (size_t i = 0; i < store->count; i++) {
        if (!store->runs[i].described)
            continue;
        out->landscape[i] =
            group_of(store->runs, i, out->landscapes, &out->landscape_count, same_landscape);
        out->contender[i] =
            group_of(store->runs, i, out->contenders, &out->contender_count, same_contender);
    }
    return order_runs(out, err);
}

static void release(sorter *self)
{
    opevo_free(self->landscape);
    opevo_free(self->contender);
    opevo_free(self->landscapes);
    opevo_free(self->contenders);
    opevo_free(self->order);
    opevo_free(self->begin);
    opevo_free(self->values);
}

/* ---- Cells ---------------------------------------------------------------------------------- */

/* The runs of a cell; their number. */
static size_t runs_of(const sorter *self, size_t landscape, size_t contender, const size_t **out)
{
    const size_t *begin = &self->begin[landscape * self->contender_count + contender];

    *out = &self->order[begin[0]];
    return begin[1] - begin[0];
}

/* Whether the best after so many trials is known: a search that is over keeps it. */
static bool is_known(const opevo_watched_run *run, uint64_t trials)
{
    return run->trials >= trials ||
           (run->trials == run->stored && run->trials > 0 &&
            (!strcmp(run->stop, "search-over") || !strcmp(run->stop, "target")));
}

/* Put the best fractions of the runs of a cell into `values`, and return their number. */
static size_t collect(const sorter *self, size_t landscape, size_t contender, uint64_t trials,
                      double whole)
{
    const size_t *runs = NULL;
    size_t run_count = runs_of(self, landscape, contender, &runs), count = 0;

    for (size_t i = 0; i < run_count; i++) {
        const opevo_watched_run *run = &self->store->runs[runs[i]];

        if (is_known(run, trials))
            self->values[count++] = opevo_watched_run_best(run, trials) / whole;
    }
    return count;
}

typedef struct column {
    double mean[MOST_GRID], low[MOST_GRID], high[MOST_GRID], worst[MOST_GRID], within[MOST_GRID];
    size_t known[MOST_GRID];
} column;

/* Student's interval of the mean, within [0, 1]; NAN below two values. */
static void summarise(const double *values, size_t count, column *out, size_t place)
{
    double sum = 0, squares = 0, half = 0, mean = 0;

    out->known[place] = count;
    out->mean[place] = out->low[place] = out->high[place] = out->worst[place] = out->within[place] =
        NAN;
    if (!count)
        return;
    out->worst[place] = values[0];
    out->within[place] = 0;
    for (size_t i = 0; i < count; i++) {
        sum += values[i];
        out->worst[place] = fmin(out->worst[place], values[i]);
        out->within[place] += values[i] >= 0.95 ? 1.0 / (double)count : 0;
    }
    out->mean[place] = mean = sum / (double)count;
    if (count < 2)
        return;
    for (size_t i = 0; i < count; i++)
        squares += (values[i] - mean) * (values[i] - mean);
    half = gsl_cdf_tdist_Pinv((1 + confidence) / 2, (double)count - 1) *
           sqrt(squares / (double)(count - 1) / (double)count);
    out->low[place] = fmax(0, mean - half);
    out->high[place] = fmin(1, mean + half);
}

static void add_doubles(opevo_text *out, const char *key, const double *values, size_t count)
{
    opevo_i_cli_report_json_column(out, key, values, count, sizeof *values);
}

static void add_cell(const sorter *self, size_t landscape, size_t contender, const uint64_t *grid,
                     size_t grid_count, double whole, opevo_text *out)
{
    column cell;
    const size_t *runs = NULL;

    for (size_t i = 0; i < grid_count; i++)
        summarise(self->values, collect(self, landscape, contender, grid[i], whole), &cell, i);
    opevo_json_open_next(out, "\n  ", "{");
    opevo_json_index(out, "contender", contender);
    opevo_json_index(out, "runs", runs_of(self, landscape, contender, &runs));
    opevo_json_string(out, "against_first", "");
    add_doubles(out, "mean", cell.mean, grid_count);
    add_doubles(out, "low", cell.low, grid_count);
    add_doubles(out, "high", cell.high, grid_count);
    add_doubles(out, "worst", cell.worst, grid_count);
    add_doubles(out, "within_5", cell.within, grid_count);
    opevo_json_open(out, "known", "[");
    for (size_t i = 0; i < grid_count; i++) {
        opevo_json_next(out, "");
        opevo_text_add_index(out, cell.known[i]);
    }
    opevo_text_add(out, "]");
    opevo_json_open(out, "score", "[]");
    opevo_json_open(out, "courses", "[]");
    opevo_text_add(out, "}");
}

/* ---- Landscapes ----------------------------------------------------------------------------- */

/* 1, 2, 3, 5, 7, 10, ... below `most`, and that itself; their number. */
static size_t make_grid(uint64_t most, uint64_t *out)
{
    static const unsigned steps[] = {10, 15, 20, 30, 50, 70};
    size_t count = 0;

    for (uint64_t power = 1; power <= most && count + 8 < MOST_GRID; power *= 10) {
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            uint64_t trials = power * steps[i] / 10;

            if ((count == 0 || trials > out[count - 1]) && trials < most)
                out[count++] = trials;
        }
    }
    out[count++] = most;
    return count;
}

/* The most trials of a run of the cell. */
static uint64_t longest_of(const sorter *self, size_t landscape, size_t contender)
{
    const size_t *runs = NULL;
    size_t count = runs_of(self, landscape, contender, &runs);
    uint64_t longest = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t trials = self->store->runs[runs[i]].trials;

        longest = trials > longest ? trials : longest;
    }
    return longest;
}

/* The trials that all contenders of a landscape are known up to, and the most of any run. */
static void find_horizon(const sorter *self, size_t landscape, uint64_t *horizon, uint64_t *most)
{
    *horizon = UINT64_MAX;
    *most = 0;
    for (size_t c = 0; c < self->contender_count; c++) {
        uint64_t longest = longest_of(self, landscape, c);

        if (longest == 0)
            continue;
        *horizon = longest < *horizon ? longest : *horizon;
        *most = longest > *most ? longest : *most;
    }
}

static double best_of(const sorter *self, size_t landscape)
{
    double best = 0;

    for (size_t c = 0; c < self->contender_count; c++) {
        const size_t *runs = NULL;
        size_t count = runs_of(self, landscape, c, &runs);

        for (size_t i = 0; i < count; i++)
            best = fmax(best, opevo_watched_run_best(&self->store->runs[runs[i]], UINT64_MAX));
    }
    return best;
}

/* The landscape with its cells; where nothing succeeded yet it has none. */
static void add_landscape(const sorter *self, size_t landscape, opevo_text *out)
{
    const opevo_watched_run *first = &self->store->runs[self->landscapes[landscape]];
    double best = best_of(self, landscape),
           whole = isfinite(first->optimum) ? first->optimum : best;
    uint64_t grid[MOST_GRID], horizon = 0, most = 0;
    size_t count = 0, compared = 0;

    find_horizon(self, landscape, &horizon, &most);
    count = most ? make_grid(most, grid) : 0;
    for (size_t i = 0; i < count; i++)
        compared = grid[i] <= horizon ? i : compared;
    opevo_json_open_next(out, "\n ", "{");
    opevo_json_string(out, "name", first->objective);
    opevo_json_string(out, "on", first->on);
    opevo_json_string(out, "unit", opevo_unit_name(first->unit));
    opevo_json_string(out, "better", opevo_unit_better(first->unit));
    opevo_json_double(out, "optimum", opevo_unit_result(first->unit, first->optimum));
    opevo_json_double(out, "best", best > 0 ? opevo_unit_result(first->unit, best) : NAN);
    opevo_json_double(out, "fractions_of", whole > 0 ? whole : NAN);
    opevo_json_index(out, "horizon", count ? horizon : 0);
    opevo_json_index(out, "compared_at", count ? grid[compared] : 0);
    opevo_json_open(out, "trials", "[");
    for (size_t i = 0; i < count; i++) {
        opevo_json_next(out, "");
        opevo_text_add_index(out, grid[i]);
    }
    opevo_text_add(out, "]");
    opevo_json_open(out, "cells", "[");
    for (size_t c = 0; count && whole > 0 && c < self->contender_count; c++) {
        if (longest_of(self, landscape, c))
            add_cell(self, landscape, c, grid, count, whole, out);
    }
    opevo_text_add(out, "]}");
}

/* ---- Contenders ----------------------------------------------------------------------------- */

static bool is_only_one(const sorter *self, const char *tuner)
{
    size_t count = 0;

    for (size_t i = 0; i < self->contender_count; i++)
        count += strcmp(self->store->runs[self->contenders[i]].tuner, tuner) == 0;
    return count == 1;
}

/* By its tuner, and by its settings where a tuner has several. */
static void add_contender(const sorter *self, const opevo_watched_run *run, opevo_text *out)
{
    opevo_text name = {0};

    opevo_text_add(&name, run->tuner);
    if (!is_only_one(self, run->tuner)) {
        opevo_text_add(&name, " ");
        opevo_settings_show(run->settings, strlen(run->settings),
                            opevo_unit_follows_time(run->unit), &name);
    }
    opevo_json_open_next(out, "\n ", "{");
    opevo_json_string(out, "name", opevo_text_string(&name));
    opevo_json_string(out, "tuner", run->tuner);
    opevo_text_add(out, "}");
    opevo_text_free(&name);
}

/* ---- Networks ------------------------------------------------------------------------------- */

/* The groups of tasks, as a report has them, over runs that have the numbers found here. */
static opevo_status add_networks(const sorter *self, opevo_text *out, opevo_error *err)
{
    const opevo_watched_store *store = self->store;
    opevo_store *opened = store->store;
    opevo_stored_run *stored = opevo_calloc(store->count + 1, sizeof *stored);
    opevo_analysed_run *runs = opevo_calloc(store->count + 1, sizeof *runs);
    opevo_stored_study study = {.stores = &opened,
                                .store_count = opened ? 1 : 0,
                                .stored = stored,
                                .runs = runs,
                                .run_count = store->count};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; stored && runs && i < store->count; i++) {
        stored[i].run = store->runs[i].run;
        runs[i].contender = self->contender[i];
        runs[i].landscape = self->landscape[i];
        runs[i].seed = store->runs[i].seed;
    }
    status = stored && runs
                 ? opevo_i_cli_report_networks(&study, out, err)
                 : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the networks of %s.", store->path);
    opevo_free(stored);
    opevo_free(runs);
    return status;
}

opevo_status opevo_i_cli_watch_study(const opevo_watched_store *store, opevo_text *out,
                                     opevo_error *err)
{
    sorter self = {.store = NULL};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(sort(store, &self, err));
    opevo_json_string(out, "intervals", "Student's t");
    opevo_json_double(out, "confidence", confidence);
    opevo_i_cli_report_json_words(out);
    opevo_json_open(out, "contenders", "[");
    for (size_t i = 0; i < self.contender_count; i++)
        add_contender(&self, &store->runs[self.contenders[i]], out);
    opevo_text_add(out, "]");
    opevo_json_open(out, "landscapes", "[");
    for (size_t i = 0; i < self.landscape_count; i++)
        add_landscape(&self, i, out);
    opevo_text_add(out, "]");
    OPEVO_TRY(add_networks(&self, out, err));
cleanup:
    release(&self);
    return status;
}
