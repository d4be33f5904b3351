/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Study: all runs of a plan, alone or as one of many processes, and what goes with that. */

#include "measured_internal.h"
#include "options_internal.h"
#include "reasons_internal.h"
#include "recording_spec_internal.h"
#include "store_of_call_internal.h"
#include "study_cli_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/store.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const opevo_option options[] = {
    {"store", "FILE", "where the runs are kept; the same command resumes", false},
    {"shard", "I/N", "run the I-th of N shares into a separate store", false},
    {"shards", "N", "the tasks of this job array, numbered from 1, are some of N shares", false},
    {"merge", NULL, "merge the stores of the shares into --store, and report missing runs", false},
    {"threads", "N", "threads (default 0: all cores)", false},
    OPEVO_I_GIVE_UP_OPTION,
    {"dry-run", NULL, "print the runs and the estimated time, and stop", false},
    {"until", "resolved", "add seeds until all pairs of tuners are told apart", false},
    {"seeds-max", "N", "--until: most seeds of a tuner (default: ten times those of the plan)",
     false},
    {"alpha", "P", "--until: probability of any false verdict (default: that of the plan, or .05)",
     false},
    {"size", "P", "print the number of seeds that detect a probability of superiority P", false},
    {"comparisons", "N", "for --size: number of comparisons in the family (default 1)", false},
    {"json", NULL, "print one JSON object", false},
    {"quiet", NULL, "no progress line", false},
};

#define ESTIMATE_S 2.0

/* What an objective that is measured has failed in so far. */
typedef struct failing {
    const opevo_objective *objective;
    opevo_i_cli_reasons reasons;
} failing;

typedef struct watcher {
    opevo_progress progress;
    failing *failing;
    size_t count;
} watcher;

static opevo_i_cli_reasons *reasons_of(watcher *self, const opevo_objective *objective)
{
    failing *grown = NULL;

    for (size_t i = 0; i < self->count; i++) {
        if (self->failing[i].objective == objective)
            return &self->failing[i].reasons;
    }
    grown = opevo_realloc(self->failing, self->count + 1, sizeof *grown);
    if (!grown)
        return NULL;
    self->failing = grown;
    grown[self->count] = (failing){.objective = objective};
    return &grown[self->count++].reasons;
}

/* Say at once how an objective is the first time seen to fail. */
static void observe(void *context, const opevo_study_line *line, uint64_t seed,
                    const opevo_trial *trial, bool resumed)
{
    watcher *self = context;
    opevo_i_cli_reasons *reasons = NULL;
    opevo_text which = {0};

    /* Most edits of a kernel fail: that is how they are searched. */
    if (resumed || trial->outcome.kind == OPEVO_OUTCOME_OK || !line->objective->space)
        return;
    reasons = reasons_of(self, line->objective);
    if (!reasons || !opevo_i_cli_reasons_add(reasons, trial, false))
        return;
    opevo_i_cli_text_add_message(&which, line->objective->name);
    opevo_text_printf(&which, ": %s, seed %llu, ", line->tuner->name, (unsigned long long)seed);
    opevo_i_cli_reasons_tell("study", opevo_text_string(&which), trial, &self->progress);
    opevo_text_free(&which);
}

static void free_watcher(watcher *self)
{
    for (size_t i = 0; i < self->count; i++)
        opevo_i_cli_reasons_free(&self->failing[i].reasons);
    opevo_free(self->failing);
}

static void draw(void *context, const opevo_study_progress *progress)
{
    opevo_progress *self = &((watcher *)context)->progress;
    char line[128];

    if (progress->done == 0) /* what came before says nothing of the time that the runs take */
        opevo_i_cli_progress_start(self, !self->active);
    if (!opevo_i_cli_progress_due(self))
        return;
    snprintf(line, sizeof line, "run %llu of %llu, %llu trial%s",
             (unsigned long long)progress->done, (unsigned long long)progress->runs,
             (unsigned long long)progress->trials, opevo_i_cli_plural(progress->trials));
    opevo_i_cli_progress_draw(self, (double)progress->done / (double)progress->runs, line);
}

/* ---- Doing ---------------------------------------------------------------------------------- */

static opevo_status hash_registration(opevo_i_cli_study_call *self, opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = opevo_study_registration(self->study, &text, err);

    if (status == OPEVO_OK)
        opevo_sha256_of(text.data, text.length, self->registration);
    opevo_text_free(&text);
    return status;
}

static opevo_status estimate(opevo_i_cli_study_call *self, const opevo_study_options *given,
                             opevo_text *out, opevo_error *err)
{
    unsigned threads = given->threads ? given->threads : opevo_processor_count();
    opevo_study_estimate found;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_study_estimate_time(self->study, given, ESTIMATE_S, &found, err));
    OPEVO_TRY(hash_registration(self, err));
    opevo_i_cli_study_print_head(self, out);
    opevo_i_cli_study_print_estimate(self, &found, threads, out);
cleanup:
    return status;
}

static opevo_status do_runs(const opevo_call *call, opevo_i_cli_study_call *self, unsigned threads,
                            opevo_text *out, int *exit_code, opevo_error *err)
{
    bool is_share = self->shard.count > 1;
    int of_share = OPEVO_EXIT_OK;
    watcher watch = {.failing = NULL};
    opevo_until_result until = {.pairs = NULL};
    opevo_study_result result = {.runs = 0};
    opevo_status status = OPEVO_OK;
    opevo_study_options given = {
        .store = self->store ? opevo_text_string(&self->path) : NULL,
        .known = is_share && self->store && access(self->store, F_OK) == 0 ? self->store : NULL,
        .shard = self->shard,
        .threads = threads,
        .progress = draw,
        .progress_context = &watch,
        .observer = observe,
        .observer_context = &watch,
        .interrupt = &opevo_i_cli_interrupted};

    OPEVO_TRY(opevo_i_cli_give_up_read(call, true, &given.give_up, err));
    if (opevo_i_cli_flag(call, "dry-run"))
        return estimate(self, &given, out, err);
    opevo_i_cli_catch_interrupts();
    if (!opevo_i_cli_flag(call, "quiet"))
        opevo_i_cli_study_tell_idle(self->study);
    opevo_i_cli_progress_start(&watch.progress, opevo_i_cli_flag(call, "quiet"));
    if (opevo_i_cli_progress_due(&watch.progress))
        opevo_i_cli_progress_draw(&watch.progress, 0, "allocating the runs in the store");
    if (self->until)
        status =
            opevo_study_until(self->study, &given, self->alpha, (size_t)self->most, &until, err);
    else
        status = opevo_study_run(self->study, &given, &result, err);
    opevo_i_cli_progress_end(&watch.progress);
    for (size_t i = 0; i < self->opened_count; i++)
        opevo_i_cli_tell_workers("study", self->opened[i].given.objective);
    if (status != OPEVO_OK)
        goto cleanup;
    result = self->until ? until.runs : result;
    opevo_i_cli_tell_folder("study", given.store);
    opevo_i_cli_study_print_head(self, out);
    opevo_i_cli_study_print_result(self, &result, &until, out);
    /* A share has done its work; the whole is judged when it is merged. */
    if (result.fruitless && !is_share)
        *exit_code = OPEVO_EXIT_FAILED;
    opevo_i_cli_judge_replay(call, result.trials, result.unrecorded,
                             is_share ? &of_share : exit_code);
    if (result.interrupted)
        *exit_code = OPEVO_EXIT_SIGINT;
cleanup:
    opevo_until_result_free(&until);
    free_watcher(&watch);
    return status;
}

/* ---- Joining -------------------------------------------------------------------------------- */

/* Measured runs of a study that ended without a success. */
typedef struct fruitless_runs {
    const opevo_study *study;
    uint64_t count;
} fruitless_runs;

static bool has_seed(const opevo_study *study, const opevo_study_line *line, uint64_t seed)
{
    uint64_t more = line->is_twin ? OPEVO_TWIN_SEEDS : 0;
    size_t at = 0;

    while (at < study->seed_count && study->seeds[at] + more != seed)
        at++;
    return at < study->seed_count;
}

static void note_fruitless(void *context, const opevo_run_info *info)
{
    fruitless_runs *self = context;

    if (info->best_trial || !*info->stop || *info->budget)
        return;
    for (size_t i = 0; i < self->study->line_count; i++) {
        const opevo_study_line *line = &self->study->lines[i];

        if (!strcmp(info->objective, line->objective->name) &&
            !strcmp(info->tuner, line->tuner->name) &&
            !strcmp(info->settings, line->settings_text) &&
            has_seed(self->study, line, info->seed)) {
            self->count++;
            return;
        }
    }
}

/* What is to be said of the runs in the store: how many are fruitless, and which objectives were
 * measured on several devices. */
static opevo_status look_at_runs(const opevo_i_cli_study_call *self, uint64_t *fruitless,
                                 opevo_text *devices, opevo_error *err)
{
    fruitless_runs found = {.study = self->study};
    opevo_store *store = NULL;
    opevo_status status = opevo_store_open(self->store, OPEVO_STORE_READ, &store, err);

    if (status == OPEVO_OK)
        status = opevo_store_list(store, note_fruitless, &found, err);
    if (status == OPEVO_OK)
        status = opevo_i_cli_measured_print_several(store, devices, err);
    opevo_store_close(store);
    *fruitless = found.count;
    return status;
}

static opevo_status merge(const opevo_call *call, const opevo_i_cli_study_call *self,
                          opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_cli_paths found = {NULL, 0};
    const char *const *sources = call->arguments + 1;
    size_t count = call->argument_count - 1;
    opevo_text devices = {0};
    uint64_t fruitless = 0;
    opevo_merge_result result;

    if (count == 0) {
        OPEVO_TRY(opevo_i_cli_shards_find(self->store, &found, err));
        if (found.count == 0)
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "No stores of shares found beside %s: name the stores after the plan.",
                self->store);
        sources = (const char *const *)found.items;
        count = found.count;
    }
    OPEVO_TRY(opevo_study_merge(self->study, self->store, sources, count, &result, err));
    opevo_i_cli_tell_folder("study", self->store);
    OPEVO_TRY(look_at_runs(self, &fruitless, &devices, err));
    opevo_i_cli_study_print_merge(self, &result, fruitless, count, out);
    if (devices.length)
        fprintf(stderr, "opevo study: %s", opevo_text_string(&devices));
    if (result.present < result.runs || fruitless)
        *exit_code = OPEVO_EXIT_FAILED;
cleanup:
    opevo_text_free(&devices);
    opevo_i_cli_paths_free(&found);
    return status;
}

/* ---- The verb ------------------------------------------------------------------------------- */

/* Of each entry once, that nothing says what its program's result is. */
static void warn_of_wall_time(const char *plan, const opevo_i_cli_opened *opened, size_t count)
{
    const char *last = "";

    for (size_t i = 0; i < count; i++) {
        const opevo_i_cli_opened *one = &opened[i];

        if (!opevo_i_cli_opened_is_program(one) || opevo_i_cli_opened_has(one, "result") ||
            !strcmp(last, one->named.where))
            continue;
        last = one->named.where;
        fprintf(stderr,
                "opevo study: %s: %s: no \"result\" is given, so the program is scored by its wall "
                "time, including startup; add \"result\", such as \"ms:/took ([0-9.]+)/\", or "
                "\"s:wall\" if that is intended.\n",
                plan, last);
    }
}

static opevo_status check_call(const opevo_call *call, opevo_error *err)
{
    bool is_merge = opevo_i_cli_flag(call, "merge");

    if (call->argument_count == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "name a plan, such as plan.json; opevo help study shows one.");
    if (opevo_store_is(call->arguments[0]))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is a store, not a plan: name the plan first, such as opevo study "
                          "plan.json%s.",
                          call->arguments[0],
                          is_merge ? " SHARE.db ... --merge --store ALL.db" : "");
    if (call->argument_count > 1 && !is_merge)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: stores after the plan require --merge.",
                          call->arguments[1]);
    if (!opevo_i_cli_option(call, "store") && !opevo_i_cli_flag(call, "dry-run"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--store is missing: name a file for the runs.");
    if (is_merge && (opevo_i_cli_option(call, "shard") || opevo_i_cli_option(call, "shards") ||
                     opevo_i_cli_flag(call, "dry-run")))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--merge cannot be combined with --shard, --shards or --dry-run.");
    return OPEVO_OK;
}

static opevo_status read_until(const opevo_call *call, opevo_i_cli_study_call *self,
                               opevo_error *err)
{
    const char *until = opevo_i_cli_option(call, "until");
    const char *alpha = opevo_i_cli_option(call, "alpha");
    opevo_status status = OPEVO_OK;

    self->until = until != NULL;
    self->alpha = self->study->plan_alpha > 0 ? self->study->plan_alpha : 0.05;
    if (!until && (alpha || opevo_i_cli_option(call, "seeds-max")))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--seeds-max and --alpha require --until resolved.");
    if (!until)
        return OPEVO_OK;
    if (strcmp(until, "resolved") != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--until %.200s: give resolved.", until);
    if (self->shard.count > 1 || opevo_i_cli_flag(call, "merge") ||
        opevo_i_cli_flag(call, "dry-run"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--until cannot be combined with shares, --merge or --dry-run: which "
                          "runs follow depends on all runs before.");
    if (alpha &&
        (!opevo_parse_double(alpha, &self->alpha) || !(self->alpha > 0 && self->alpha < 1)))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--alpha %.200s: give a number between 0 and 1.",
                          alpha);
    status = opevo_i_cli_option_count(call, "seeds-max", 10 * self->study->seed_count,
                                      self->study->seed_count, 1 << 24, &self->most, err);
    return status;
}

static opevo_status print_size(const opevo_call *call, opevo_text *out, opevo_error *err)
{
    double superiority = 0;
    uint64_t comparisons = 1;
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (call->argument_count)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--size needs no plan.");
    if (!opevo_parse_double(opevo_i_cli_option(call, "size"), &superiority))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--size %s: give a probability such as 0.6.",
                          opevo_i_cli_option(call, "size"));
    OPEVO_TRY(opevo_i_cli_option_count(call, "comparisons", 1, 1, 1000000, &comparisons, err));
    if (opevo_i_cli_study_print_size(superiority, comparisons, opevo_i_cli_flag(call, "json"), out,
                                     &inner))
        status = OPEVO_FAIL(err, inner.status, "--size %s: %s", opevo_i_cli_option(call, "size"),
                            inner.message);
cleanup:
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_cli_study_call self = {.store = opevo_i_cli_option(call, "store"),
                                   .shard = {0, 1},
                                   .json = opevo_i_cli_flag(call, "json")};
    opevo_i_cli_opened *opened = NULL;
    opevo_study *study = NULL;
    opevo_plan *plan = NULL;
    bool runs = !opevo_i_cli_flag(call, "merge") && !opevo_i_cli_flag(call, "dry-run");
    uint64_t threads = 0;
    uint64_t shares = 0;
    size_t count = 0;

    if (opevo_i_cli_option(call, "size"))
        return print_size(call, out, err);
    if (opevo_i_cli_option(call, "comparisons"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--comparisons requires --size.");
    OPEVO_TRY(check_call(call, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "threads", 0, 0, 1024, &threads, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "shards", 0, 1, OPEVO_I_SHARDS_MAX, &shares, err));
    if (!opevo_i_cli_flag(call, "merge"))
        OPEVO_TRY(opevo_i_cli_shard_of(opevo_i_cli_option(call, "shard"), shares, &self.shard,
                                       &self.by, err));
    if (self.store && self.by.length)
        OPEVO_TRY(opevo_i_cli_shards_check(self.store, self.shard, err));
    opevo_i_cli_shard_path(self.store ? self.store : "", self.shard, &self.path);
    OPEVO_TRY(opevo_text_check(&self.path, err));
    OPEVO_TRY(opevo_plan_load(call->arguments[0], &plan, err));
    OPEVO_TRY(opevo_i_cli_open_study(call->arguments[0], &plan, runs ? call->verb : NULL, &opened,
                                     &count, &study, err));
    self.study = study;
    self.opened = opened;
    self.opened_count = count;
    OPEVO_TRY(read_until(call, &self, err));
    warn_of_wall_time(call->arguments[0], opened, count);
    if (opevo_i_cli_flag(call, "merge"))
        status = merge(call, &self, out, exit_code, err);
    else
        status = do_runs(call, &self, (unsigned)threads, out, exit_code, err);
cleanup:
    opevo_study_destroy(study);
    opevo_plan_destroy(plan);
    opevo_i_cli_close_objectives(opened, count);
    opevo_text_free(&self.path);
    opevo_text_free(&self.by);
    return status;
}

const opevo_verb opevo_i_cli_verb_study = {
    .name = "study",
    .arguments = "[PLAN [STORE]...]",
    .arguments_max = 4096,
    .summary = "Run a plan: objectives x tuners x settings x seeds, on all cores or many hosts.",
    .details =
        "  opevo study plan.json --store study.db\n"
        "  opevo study plan.json --store study.db --shard 2/8\n"
        "  opevo study plan.json --store study.db --merge\n"
        "  opevo study plan.json --store study.db --until resolved\n"
        "  opevo study --size 0.6\n\n"
        "A plan, which docs/formats/study.md describes in full:\n\n"
        "  {\"study\": 1,\n"
        "   \"objectives\": [\"recorded:conv_a100.csv.xz\",\n"
        "                  {\"on\": \"sim:mi50\", \"what\": \"mm1\"}],\n"
        "   \"tuners\": [\"random\", {\"tuner\": \"opevo\", \"settings\":\n"
        "     {\"q\": {\"from\": 0.1, \"to\": 0.9, \"step\": 0.2}, \"lambda\": [4, 8, 16]}}],\n"
        "   \"seeds\": 100,\n"
        "   \"budget\": {\"trials\": 500}}\n\n"
        "An objective {\"on\": \"cmd:./bench {X}\", \"space\": \"space.json\", \"result\": "
        "\"ms:/[0-9.]+/\"} is a\n"
        "program. Such a plan executes what it names: run only plans that you trust. --dry-run "
        "lists the\n"
        "programs and executes none. {\"on\": \"evolve\", \"what\": \"planted\"} searches edits of "
        "a kernel.\n\n"
        "Paths are relative to the plan's folder. Stored runs are not repeated, so a study "
        "resumes\n"
        "after a kill, and one whose plan grew runs only what is new. Started as a job "
        "array of\n"
        "Slurm, by srun or by mpirun, each process does its own share.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
