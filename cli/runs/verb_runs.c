/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a store holds: its runs, or one of them with its finals. */

#include "curve_internal.h"
#include "finals_of_call_internal.h"
#include "kernels_read_internal.h"
#include "measured_internal.h"
#include "options_internal.h"
#include "roof_internal.h"
#include "run_trials_internal.h"
#include "runs_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/finals.h>
#include <opevo/json.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/stored_study.h>
#include <opevo/unit.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FEWEST_DRAWN = 10 }; /* trials of a run whose course is drawn */

static const opevo_option options[] = {
    {"trials", NULL, "print every trial of one run, with its samples and message", false},
    {"json", NULL, "print one JSON array, with --trials one object", false},
    {"follow", NULL, "show the runs while the store is written, until interrupted", false},
    {"csv", NULL, "with --trials: print one row of CSV for each", false},
};

typedef struct listing {
    opevo_store *store;
    int64_t run; /* the only one that is wanted; 0: all */
    bool json, trials;
    opevo_i_cli_runs_form form; /* of the trials */
    unsigned width;
    opevo_text *out;
    opevo_table table;   /* of all runs, unless as JSON */
    bool has_times;      /* whether a smaller result is better in one of them */
    opevo_status status; /* of reading finals */
    opevo_error *err;
} listing;

static void add_json_proofs(const opevo_i_cli_kernels *kernels, const opevo_space *space,
                            opevo_text *out)
{
    if (!kernels->proofs.count)
        return;
    opevo_json_open(out, "proofs", "[");
    for (size_t i = 0; i < kernels->proofs.count; i++) {
        const opevo_stored_proof *proof = &kernels->proofs.items[i];

        opevo_json_open_next(out, "\n    ", "{");
        opevo_json_string(out, "verdict", proof->verdict);
        opevo_json_string(out, "kernel", opevo_i_cli_kernel_word(kernels, proof->point));
        if (space) {
            opevo_json_key(out, "configuration");
            opevo_space_print_json(space, proof->point, out);
        }
        opevo_json_open(out, "answers", "[");
        opevo_i_cli_certificate_print_json(opevo_text_string(&proof->certificate), out);
        opevo_text_add(out, "]}");
    }
    opevo_text_add(out, "]");
}

static void add_json(const opevo_run_info *info, const opevo_i_cli_reasons *reasons,
                     const opevo_i_cli_measured *measured, const opevo_finals *finals,
                     const opevo_space *space, const opevo_i_cli_kernels *kernels, opevo_index best,
                     listing *self)
{
    opevo_text *out = self->out;
    char signature[20];

    snprintf(signature, sizeof signature, "%016llx", (unsigned long long)info->signature);
    opevo_json_open_next(out, "\n  ", "{");
    opevo_json_index(out, "run", (opevo_index)info->run);
    opevo_json_string(out, "objective", info->objective);
    opevo_json_string(out, "tuner", info->tuner);
    opevo_json_string(out, "settings", info->settings);
    opevo_json_index(out, "seed", info->seed);
    opevo_json_index(out, "trials", info->trials);
    opevo_json_index(out, "failed", info->failed);
    opevo_json_double(out, "best", opevo_unit_result(info->unit, info->best_fitness));
    opevo_i_cli_roof_print_json(opevo_i_cli_roof_of_run(info, measured), info->best_fitness, out);
    opevo_json_string(out, "unit", opevo_unit_name(info->unit));
    opevo_json_string(out, "better", opevo_unit_better(info->unit));
    opevo_json_index(out, "best_trial", info->best_trial);
    if (info->best_trial)
        opevo_i_cli_kernel_print_json(kernels, best, out);
    opevo_json_double(out, "cost_s", info->cost_s);
    opevo_json_string(out, "budget", info->budget);
    opevo_json_string(out, "stop", info->stop);
    opevo_json_string(out, "on", info->on);
    opevo_json_string(out, "what", info->what);
    opevo_json_string(out, "space", info->space);
    opevo_json_string(out, "signature", signature);
    opevo_json_double(out, "optimum", opevo_unit_result(info->unit, info->optimum));
    opevo_i_cli_reasons_print_json(reasons, out);
    opevo_i_cli_measured_print_json(measured, out);
    opevo_json_string(out, "started", info->started);
    opevo_json_string(out, "version", info->version);
    opevo_i_cli_finals_print_json(finals, space, info->unit, kernels, out);
    add_json_proofs(kernels, space, out);
    opevo_text_add(out, "}");
}

static void add_settings(const opevo_run_info *info, opevo_text *out)
{
    opevo_settings_show(info->settings, strlen(info->settings), opevo_unit_follows_time(info->unit),
                        out);
}

static void add_row(const opevo_run_info *info, const char *kernel, opevo_table *table)
{
    opevo_text settings = {0}, objective = {0};

    opevo_i_cli_table_cell(table, "%lld", (long long)info->run);
    opevo_i_cli_table_cell(table, "%llu", (unsigned long long)info->seed);
    opevo_i_cli_table_cell(table, "%llu", (unsigned long long)info->trials);
    opevo_i_cli_table_cell(table, "%llu", (unsigned long long)info->failed);
    if (info->best_trial)
        opevo_i_cli_table_cell(table, "%.6g %s%s%s",
                               opevo_unit_result(info->unit, info->best_fitness),
                               opevo_unit_name(info->unit), *kernel ? ", " : "", kernel);
    else
        opevo_i_cli_table_cell(table, "none");
    opevo_i_cli_table_cell(table, "%llu", (unsigned long long)info->best_trial);
    opevo_i_cli_table_cell(table, "%.1f s", info->cost_s);
    opevo_i_cli_text_add_objective(&objective, info->objective);
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&objective));
    opevo_text_free(&objective);
    opevo_i_cli_table_cell(table, "%s", info->tuner);
    add_settings(info, &settings);
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&settings));
    opevo_text_free(&settings);
    opevo_i_cli_table_cell(table, "%s", info->started);
}

static void print_run(const opevo_run_info *info, const opevo_i_cli_reasons *reasons,
                      const opevo_i_cli_measured *measured, const opevo_i_cli_kernels *kernels,
                      opevo_index best, opevo_text *out)
{
    opevo_text settings = {0};

    add_settings(info, &settings);
    opevo_text_printf(out, "run %lld, ", (long long)info->run);
    opevo_i_cli_text_add_objective(out, info->objective);
    opevo_text_add(out, "; tuner ");
    opevo_text_add_visible(out, info->tuner);
    opevo_text_add(out, *info->settings ? " " : "");
    opevo_text_add_visible(out, opevo_text_string(&settings));
    opevo_text_free(&settings);
    opevo_text_printf(out, "; seed %llu%s", (unsigned long long)info->seed,
                      *info->started ? "; started " : "");
    opevo_text_add_visible(out, info->started);
    opevo_text_add(out, "; opevo ");
    opevo_text_add_visible(out, info->version);
    opevo_text_add(out, "\n");
    opevo_text_printf(out, "%llu trial%s, %llu failed; cost %.1f s; %s%s\n",
                      (unsigned long long)info->trials, opevo_i_cli_plural(info->trials),
                      (unsigned long long)info->failed, info->cost_s,
                      *info->stop ? "stopped by: " : "not ended", info->stop);
    opevo_i_cli_reasons_print(reasons, out);
    if (!info->best_trial) {
        opevo_text_add(out, "no trial succeeded\n");
        return;
    }
    opevo_text_printf(out, "best %.8g ", opevo_unit_result(info->unit, info->best_fitness));
    opevo_text_add_visible(out, opevo_unit_name(info->unit));
    opevo_text_printf(out, "%s, at trial %llu",
                      opevo_unit_is_time(info->unit) ? " (smaller is better)" : "",
                      (unsigned long long)info->best_trial);
    opevo_i_cli_kernel_print(kernels, best, out);
    opevo_text_add(out, "\n");
    opevo_text_add_visible(out, info->best_text);
    opevo_text_add(out, "\n");
    opevo_i_cli_roof_print(opevo_i_cli_roof_of_run(info, measured), info->best_fitness, info->unit,
                           out);
}

/* The best fitness over the trials, read piece by piece. */
static opevo_status print_curve(opevo_store *store, const opevo_run_info *info, opevo_text *out,
                                opevo_error *err)
{
    enum { PIECE = 256 };
    opevo_status status = OPEVO_OK;
    opevo_run_curve curve = {0};
    opevo_trial *trials = opevo_malloc(PIECE, sizeof *trials);
    size_t got = PIECE;

    OPEVO_NEED_OR_RETURN(trials, "reading run %lld", (long long)info->run);
    while (got == PIECE) {
        OPEVO_TRY(opevo_store_read(store, info->run, curve.trials, trials, PIECE, &got, err));
        for (size_t i = 0; i < got; i++)
            OPEVO_TRY(opevo_run_curve_add(&curve, &trials[i].outcome, err));
    }
    if (curve.trials >= FEWEST_DRAWN && opevo_run_curve_best(&curve, curve.trials) > 0)
        opevo_i_cli_curve_print(&curve, info->optimum, info->unit,
                                opevo_i_cli_terminal_width(STDOUT_FILENO), out);
cleanup:
    opevo_run_curve_free(&curve);
    opevo_free(trials);
    return status;
}

/* The results by device, where there are several. */
static opevo_status print_devices(opevo_store *store, const opevo_run_info *info,
                                  const opevo_i_cli_measured *measured, opevo_text *out,
                                  opevo_error *err)
{
    opevo_i_cli_measured_device *devices = NULL;
    opevo_status status = OPEVO_OK;
    size_t count = 0;

    OPEVO_TRY(
        opevo_i_cli_measured_devices_of_run(store, info->run, measured, &devices, &count, err));
    for (size_t i = 0; count > 1 && i < count; i++) {
        opevo_text_printf(out, "%llu of %llu trials succeeded on ",
                          (unsigned long long)devices[i].succeeded,
                          (unsigned long long)devices[i].trials);
        opevo_text_add_visible(out, devices[i].device);
        if (devices[i].succeeded)
            opevo_text_printf(
                out, ": best %.6g %s, median %.6g", opevo_unit_result(info->unit, devices[i].best),
                opevo_unit_name(info->unit), opevo_unit_result(info->unit, devices[i].median));
        opevo_text_add(out, "\n");
    }
cleanup:
    opevo_free(devices);
    return status;
}

/* Its trials, and what they say of each parameter. */
static opevo_status print_effects(opevo_store *store, const opevo_run_info *info, opevo_text *out,
                                  opevo_error *err)
{
    opevo_i_cli_run_trials trials;
    opevo_status status = opevo_i_cli_run_trials_read(store, info->run, &trials, err);

    if (status == OPEVO_OK) {
        opevo_i_cli_runs_print_scatter(&trials, info->unit,
                                       opevo_i_cli_terminal_width(STDOUT_FILENO), out);
        opevo_i_cli_runs_print_effects(&trials, info->unit, out);
    }
    opevo_i_cli_run_trials_free(&trials);
    return status;
}

/* What is known of the kernels of a run, or of the best one alone, and the point of that. */
static opevo_status read_kernels(const listing *self, const opevo_run_info *info, bool all,
                                 opevo_i_cli_kernels *kernels, opevo_index *best)
{
    opevo_trial trial = {.number = 0};
    size_t count = 0;
    opevo_status status = OPEVO_OK;

    if (info->best_trial)
        status = opevo_store_read(self->store, info->run, info->best_trial - 1, &trial, 1, &count,
                                  self->err);
    *best = trial.proposal.point;
    return status == OPEVO_OK
               ? opevo_i_cli_kernels_read(self->store, info, all ? NULL : best, kernels, self->err)
               : status;
}

/* A run with its curve, why its trials failed, and its finals. */
static void visit_whole(listing *self, const opevo_run_info *info)
{
    opevo_finals *finals = NULL;
    opevo_i_cli_reasons reasons = {.of[0] = {0}};
    opevo_i_cli_measured measured = {.workers = NULL};
    opevo_i_cli_kernels kernels = {0};
    opevo_index best = 0;
    opevo_space *space = NULL;

    self->status = opevo_finals_read(self->store, info->run, &finals, &space, self->err);
    if (self->status == OPEVO_OK && info->failed)
        self->status = opevo_i_cli_reasons_of_run(self->store, info->run, &reasons, self->err);
    if (self->status == OPEVO_OK)
        self->status =
            opevo_i_cli_measured_read(self->store, info->run, info->trials, &measured, self->err);
    if (self->status == OPEVO_OK)
        self->status = read_kernels(self, info, true, &kernels, &best);
    if (self->status == OPEVO_OK && kernels.proofs.count && !space &&
        opevo_live_is_device(info->on))
        self->status = opevo_store_space(self->store, info->run, &space, self->err);
    if (self->status == OPEVO_OK && self->json) {
        add_json(info, &reasons, &measured, finals, space, &kernels, best, self);
    } else if (self->status == OPEVO_OK) {
        print_run(info, &reasons, &measured, &kernels, best, self->out);
        opevo_i_cli_measured_print(&measured, self->out);
        self->status = print_devices(self->store, info, &measured, self->out, self->err);
    }
    if (self->status == OPEVO_OK && !self->json) {
        self->status = print_curve(self->store, info, self->out, self->err);
        if (self->status == OPEVO_OK)
            self->status = print_effects(self->store, info, self->out, self->err);
        opevo_i_cli_finals_print(finals, space, info->unit, &kernels, self->out);
        opevo_i_cli_kernels_print(&kernels, space, self->out);
    }
    opevo_space_destroy(space);
    opevo_i_cli_reasons_free(&reasons);
    opevo_i_cli_measured_free(&measured);
    opevo_i_cli_kernels_free(&kernels);
    opevo_finals_destroy(finals);
}

static void visit_trials(listing *self, const opevo_run_info *info)
{
    opevo_text_add(self->out, self->json ? "{" : "");
    self->status = opevo_i_cli_runs_print_trials(self->store, info, self->form, self->width,
                                                 self->out, self->err);
    opevo_text_add(self->out, self->json ? "}\n" : "");
}

static void visit_row(listing *self, const opevo_run_info *info)
{
    opevo_i_cli_kernels kernels = {0};
    opevo_index best = 0;

    self->status = read_kernels(self, info, false, &kernels, &best);
    add_row(info, opevo_i_cli_kernel_word(&kernels, best), &self->table);
    opevo_i_cli_kernels_free(&kernels);
}

static void visit(void *context, const opevo_run_info *info)
{
    listing *self = context;

    if (self->status != OPEVO_OK)
        return;
    if (self->trials)
        visit_trials(self, info);
    else if (self->json || self->run)
        visit_whole(self, info);
    else
        visit_row(self, info);
    self->has_times = self->has_times || opevo_unit_is_time(info->unit);
}

static opevo_status print_planned(opevo_store *store, opevo_text *out, opevo_error *err)
{
    uint64_t planned = 0;
    opevo_status status = opevo_store_planned(store, &planned, err);

    if (status == OPEVO_OK && planned)
        opevo_text_printf(out, "and %llu planned run%s of a study that %s not started\n",
                          (unsigned long long)planned, planned == 1 ? "" : "s",
                          planned == 1 ? "is" : "are");
    return status;
}

static opevo_status check_call(const opevo_call *call, int64_t run, opevo_error *err)
{
    if (opevo_i_cli_flag(call, "trials") && !run)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "--trials: give a store and the number of a run in it, such as runs.db:1.");
    if (opevo_i_cli_flag(call, "follow") &&
        (opevo_i_cli_flag(call, "trials") || opevo_i_cli_flag(call, "json")))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--follow shows runs as a table or in lines: give it alone.");
    if (opevo_i_cli_flag(call, "csv") && !opevo_i_cli_flag(call, "trials"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--csv requires --trials.");
    if (opevo_i_cli_flag(call, "csv") && opevo_i_cli_flag(call, "json"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "Give --csv or --json, not both.");
    return OPEVO_OK;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    static const char *const heads[] = {"run",    "seed",      "trials",  "failed",
                                        "best",   "at trial",  "cost",    "<objective",
                                        "<tuner", "<settings", "<started"};
    listing self = {.table = {.heads = heads, .columns = sizeof heads / sizeof *heads, .below = 4},
                    .width = opevo_i_cli_terminal_width(STDOUT_FILENO),
                    .trials = opevo_i_cli_flag(call, "trials"),
                    .json = opevo_i_cli_flag(call, "json"),
                    .out = out,
                    .err = err};
    char *path = opevo_store_split(call->arguments[0], &self.run);
    opevo_status status = OPEVO_OK;

    (void)exit_code;
    OPEVO_NEED_OR_RETURN(path, "reading %s", call->arguments[0]);
    OPEVO_TRY(check_call(call, self.run, err));
    self.form = self.json                       ? OPEVO_I_RUNS_JSON
                : opevo_i_cli_flag(call, "csv") ? OPEVO_I_RUNS_CSV
                                                : OPEVO_I_RUNS_TEXT;
    if (opevo_i_cli_flag(call, "follow")) {
        OPEVO_TRY(opevo_i_cli_runs_follow(path, self.run, err));
        goto cleanup;
    }
    OPEVO_TRY(opevo_store_open(path, OPEVO_STORE_READ, &self.store, err));
    opevo_text_add(out, self.json && !self.trials ? "[" : "");
    OPEVO_TRY(self.run ? opevo_store_visit(self.store, self.run, visit, &self, err)
                       : opevo_store_list(self.store, visit, &self, err));
    OPEVO_TRY(self.status);
    opevo_text_add(out, self.json && !self.trials ? "\n]\n" : "");
    if (!self.json && !self.run) {
        OPEVO_TRY(opevo_i_cli_table_print(&self.table, self.width, out, err));
        opevo_text_add(out, self.has_times ? "for results in s, ms, us and ns, smaller is better\n"
                                           : "");
        OPEVO_TRY(opevo_i_cli_measured_print_several(self.store, out, err));
        status = print_planned(self.store, out, err);
    }
cleanup:
    opevo_i_cli_table_free(&self.table);
    opevo_store_close(self.store);
    opevo_free(path);
    return status;
}

const opevo_verb opevo_i_cli_verb_runs = {
    .name = "runs",
    .arguments = "STORE[:RUN]",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary =
        "List the runs of a store, or show one with its failures and re-evaluation (finals).",
    .details = "  opevo runs runs.db\n"
               "  opevo runs runs.db:1\n"
               "  opevo runs runs.db:1 --trials --csv >trials.csv\n\n"
               "Text is wrapped at the width of the terminal or COLUMNS, and whole in a pipe;\n"
               "JSON and CSV are never wrapped.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
