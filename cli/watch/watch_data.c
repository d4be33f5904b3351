/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The data of a page that watches: what the store holds by now, and one run of it. */

#include "watch_internal.h"

#include "report_internal.h"

#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/unit.h>
#include <opevo/version.h>

#include <math.h>
#include <string.h>

enum { MOST_RUNS = 100, FEW_RUNS = 2 };

/* ---- All runs ------------------------------------------------------------------------------- */

typedef struct counts {
    size_t open, ended, planned;
    uint64_t stored, failed, wanted, shared; /* shared: that tasks were asked for together */
    bool is_wanted_known;
    double cost_s;
} counts;

static counts count_runs(const opevo_watched_store *store)
{
    counts all = {.is_wanted_known = true};

    for (size_t i = 0; i < store->count; i++) {
        const opevo_watched_run *run = &store->runs[i];
        bool open = opevo_watched_run_is_open(run);

        all.open += open;
        all.planned += run->planned;
        all.ended += !open && !run->planned;
        all.stored += run->stored;
        all.failed += run->failed;
        all.cost_s += run->cost_s;
        all.is_wanted_known = all.is_wanted_known && (!open || run->wanted);
        if (!open)
            all.wanted += run->stored;
        else if (run->shared)
            all.shared = run->wanted > all.shared ? run->wanted : all.shared;
        else
            all.wanted += run->wanted;
    }
    all.wanted += all.shared;
    return all;
}

/* Seconds until all is done: by runs where some are planned, else by trials. */
static double time_left(const opevo_watched_store *store, const counts *all)
{
    if (!all->open && !all->planned)
        return 0;
    if (all->planned)
        return opevo_watched_left_s(&store->pace_of_runs, all->ended,
                                    all->ended + all->open + all->planned);
    return all->is_wanted_known ? opevo_watched_left_s(&store->pace, store->trials, all->wanted)
                                : NAN;
}

static void add_counts(const opevo_watched_store *store, opevo_text *out)
{
    counts all = count_runs(store);

    opevo_json_open(out, "counts", "{");
    opevo_json_index(out, "runs", store->count);
    opevo_json_index(out, "open", all.open);
    opevo_json_index(out, "ended", all.ended);
    opevo_json_index(out, "planned", all.planned);
    opevo_json_index(out, "trials", store->trials);
    opevo_json_index(out, "stored", all.stored);
    opevo_json_index(out, "failed", all.failed);
    opevo_json_double(out, "cost_s", all.cost_s);
    opevo_json_double(out, "pace", opevo_watched_pace_of(&store->pace, store->trials));
    opevo_json_double(out, "left_s", time_left(store, &all));
    opevo_text_add(out, "}");
}

/* Failures of all runs by class, with the first message. */
static void add_failures(const opevo_watched_store *store, opevo_text *out)
{
    opevo_json_open(out, "failures", "[");
    for (int k = OPEVO_OUTCOME_OK + 1; k < OPEVO_OUTCOME_CLASS_COUNT; k++) {
        const opevo_watched_failure *first = NULL;
        int64_t run = 0;
        uint64_t count = 0;

        for (size_t i = 0; i < store->count; i++) {
            const opevo_watched_failure *one = &store->runs[i].failures[k];

            count += one->count;
            if (one->count && !first) {
                first = one;
                run = store->runs[i].run;
            }
        }
        if (!first)
            continue;
        opevo_json_open_next(out, " ", "{");
        opevo_json_string(out, "outcome", opevo_outcome_name((opevo_outcome_class)k));
        opevo_json_index(out, "count", count);
        opevo_json_index(out, "run", (opevo_index)run);
        opevo_json_index(out, "trial", first->trial);
        opevo_json_string(out, "message", first->message ? first->message : "");
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "]");
}

/* Seconds until the run is done; NAN where that is not known. */
static double time_left_of(const opevo_watched_run *run)
{
    return opevo_watched_run_is_open(run) && run->wanted && !run->shared
               ? opevo_watched_left_s(&run->pace, run->trials, run->wanted)
               : NAN;
}

static void add_row(const opevo_watched_run *run, opevo_text *out)
{
    const opevo_watched_step *best = run->step_count ? &run->steps[run->step_count - 1] : NULL;

    opevo_json_open_next(out, "\n ", "{");
    opevo_json_index(out, "run", (opevo_index)run->run);
    opevo_json_string(out, "objective", run->objective);
    opevo_json_string(out, "tuner", run->tuner);
    opevo_json_index(out, "seed", run->seed);
    opevo_json_index(out, "trials", run->trials);
    opevo_json_index(out, "wanted", run->shared ? 0 : run->wanted);
    opevo_json_index(out, "failed", run->failed);
    opevo_json_double(out, "best", best ? opevo_unit_result(run->unit, best->fitness) : NAN);
    opevo_json_index(out, "best_trial", best ? best->trial : 0);
    opevo_json_string(out, "unit", opevo_unit_name(run->unit));
    opevo_json_string(out, "state",
                      run->planned                     ? "planned"
                      : opevo_watched_run_is_open(run) ? "open"
                                                       : run->stop);
    opevo_json_double(out, "left_s", time_left_of(run));
    opevo_text_add(out, "}");
}

/* Open runs first, then those that began last; not those that are planned. */
static void add_runs(const opevo_watched_store *store, opevo_text *out)
{
    size_t shown = 0;

    opevo_json_open(out, "runs", "[");
    for (int open = 1; open >= 0; open--) {
        for (size_t i = store->count; i-- > 0 && shown < MOST_RUNS;) {
            const opevo_watched_run *run = &store->runs[i];

            if (!run->described || run->planned || opevo_watched_run_is_open(run) != (open == 1))
                continue;
            add_row(run, out);
            shown++;
        }
    }
    opevo_text_add(out, "]");
}

/* ---- One run -------------------------------------------------------------------------------- */

const opevo_watched_run *opevo_i_cli_watch_shown(const opevo_i_cli_watch *self,
                                                 const opevo_i_cli_watch_view *view)
{
    const opevo_watched_store *store = self->store;
    const opevo_watched_run *open = NULL, *found = NULL;
    size_t count = 0;

    if (view->run) {
        found = opevo_watched_store_find(store, view->run);
        return found && found->described ? found : NULL;
    }
    if (store->count == 1 && store->runs[0].described)
        return &store->runs[0];
    for (size_t i = 0; i < store->count; i++) {
        if (!store->runs[i].described || !opevo_watched_run_is_open(&store->runs[i]))
            continue;
        open = &store->runs[i];
        count++;
    }
    return count == 1 ? open : NULL;
}

static opevo_run_info info_of(const opevo_watched_run *run)
{
    const opevo_watched_step *best = run->step_count ? &run->steps[run->step_count - 1] : NULL;

    return (opevo_run_info){.run = run->run,
                            .objective = run->objective,
                            .tuner = run->tuner,
                            .settings = run->settings,
                            .unit = run->unit,
                            .started = run->started,
                            .version = run->version,
                            .best_text = "",
                            .on = run->on,
                            .what = "",
                            .space = "",
                            .budget = "",
                            .registration = "",
                            .optimum = run->optimum,
                            .stop = run->stop,
                            .seed = run->seed,
                            .trials = run->trials,
                            .failed = run->failed,
                            .best_fitness = best ? best->fitness : 0,
                            .best_trial = best ? best->trial : 0,
                            .cost_s = run->cost_s};
}

static void reasons_of(const opevo_watched_run *run, opevo_i_cli_reasons *out)
{
    *out = (opevo_i_cli_reasons){.of[0] = {0}};
    for (int k = OPEVO_OUTCOME_OK + 1; k < OPEVO_OUTCOME_CLASS_COUNT; k++) {
        out->of[k].count = run->failures[k].count;
        out->of[k].trial = run->failures[k].trial;
        opevo_text_add(&out->of[k].message,
                       run->failures[k].message ? run->failures[k].message : "");
    }
}

static opevo_status add_run(const opevo_i_cli_watch *self, const opevo_i_cli_watch_view *view,
                            const opevo_watched_run *run, opevo_text *out, opevo_error *err)
{
    opevo_run_info info = info_of(run);
    opevo_i_cli_reasons reasons;
    opevo_status status = OPEVO_OK;

    reasons_of(run, &reasons);
    opevo_json_open(out, "run", "{");
    opevo_json_index(out, "wanted", run->shared ? 0 : run->wanted);
    opevo_json_bool(out, "planned", run->planned);
    opevo_json_index(out, "digested", view->digest.read);
    opevo_json_double(out, "left_s", time_left_of(run));
    status = opevo_i_cli_report_run_members(self->store->store, &info, &view->digest, &reasons, out,
                                            err);
    opevo_text_add(out, "}");
    opevo_i_cli_reasons_free(&reasons);
    return status;
}

opevo_status opevo_i_cli_watch_data(const opevo_i_cli_watch *self,
                                    const opevo_i_cli_watch_view *view, opevo_text *out,
                                    opevo_error *err)
{
    const opevo_watched_store *store = self->store;
    const opevo_watched_run *run = opevo_i_cli_watch_shown(self, view);
    opevo_status status = OPEVO_OK;

    opevo_text_add(out, "{");
    opevo_i_cli_report_json_head("watch", self->call->arguments[0], self->call, out);
    opevo_json_string(out, "trouble", store->store ? "" : store->trouble.message);
    opevo_json_index(out, "asked", (opevo_index)view->run);
    add_counts(store, out);
    add_failures(store, out);
    add_runs(store, out);
    if (store->count >= FEW_RUNS && !view->run)
        OPEVO_TRY(opevo_i_cli_watch_study(store, out, err));
    if (run && store->store && view->renewal == store->opened && view->digest.run == run->run)
        OPEVO_TRY(add_run(self, view, run, out, err));
    opevo_text_add(out, "}");
cleanup:
    return status;
}
