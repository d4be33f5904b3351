/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tune: run a tuner against an objective, once or for several seeds. */

#include "cli_internal.h"

#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/summary.h>
#include <opevo/tuners.h>

#include <gsl/gsl_cdf.h>

#include <float.h>
#include <math.h>
#include <string.h>

static const opevo_option options[] = {
    {"on", "OBJECTIVE", "recorded:[FILE], sim:DEVICE for an operator, cmd:PROGRAM, cpu, ...",
     false},
    {"space", "FILE",
     "space file: of a program, a part of the kernels', or other than the recording's", false},
    {"tuner", "NAME", "which tuner; opevo tuners lists them (default opevo)", false},
    {"set", "KEY=VALUE", "a setting of the tuner", true},
    {"learn", "STORE:RUN", "learn from a run in a store before the first trial", true},
    {"trials", "N", "stop after N trials (default 500 when no limit is given)", false},
    {"seconds", "S", "stop when the trials have cost S seconds, simulated or measured", false},
    {"target", "X", "stop at this fitness, or at X% of the known optimum", false},
    {"seed", "N", "seed of the run (default 1)", false},
    {"runs", "N", "as many runs, with the seeds that follow (default 1)", false},
    {"threads", "N", "threads (default 1, for several runs all processors; 0: all)", false},
    {"store", "FILE", "keep every trial here; the same command resumes", false},
    OPEVO_I_LIVE_OPTIONS,
    {"finals", "K", "measure the best K again, side by side (default: kernels 5)", false},
    {"rounds", "N", "rounds of the finals (default 30)", false},
    {"library", NULL, "in the finals: OpenBLAS, cuBLAS and cuDNN, or rocBLAS, too", false},
    {"emit", "DIR", "kernels: write the best as source, with a program that checks and times it",
     false},
    {"json", NULL, "print one JSON object", false},
    {"dry-run", NULL, "print the settings and stop", false},
    {"quiet", NULL, "no progress line", false},
};

typedef struct plan {
    opevo_objective *objective;
    opevo_optimum optimum;
    opevo_run_options run;
    opevo_setting_value *settings;
    opevo_text settings_text;
    uint64_t runs;
    unsigned threads;
    opevo_note_texts note;
    opevo_trial *earlier;      /* to learn from */
    opevo_run_result *results; /* one for each run */
    opevo_progress progress;
    opevo_i_finals finals;
    uint64_t failed; /* what the progress line of a single run shows */
    double best, cost_s;
} plan;

/* ---- Reading the command line
 * ------------------------------------------------------------------------ */

static opevo_status read_settings(const opevo_call *call, plan *self, opevo_error *err)
{
    const char *name = opevo_i_option(call, "tuner");
    opevo_status status = opevo_tuner_find(name ? name : "opevo", &self->run.tuner, err);

    if (status != OPEVO_OK)
        return status;
    self->settings = opevo_calloc(self->run.tuner->setting_count, sizeof *self->settings);
    if (!self->settings)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for settings.");
    opevo_settings_default(self->run.tuner, self->settings);
    for (size_t i = 0; i < call->given_count; i++) {
        opevo_error inner = {OPEVO_OK, ""};

        if (strcmp(call->given[i].option->name, "set") != 0)
            continue;
        if (opevo_settings_set(self->run.tuner, call->given[i].value, self->settings, &inner))
            return OPEVO_FAIL(err, inner.status, "--set %.100s: %.800s", call->given[i].value,
                              inner.message);
    }
    self->run.settings = self->settings;
    opevo_settings_print(self->run.tuner, self->settings, &self->settings_text);
    return opevo_text_check(&self->settings_text, err);
}

/* A fitness, or a share of the optimum. */
static opevo_status read_target(const opevo_call *call, plan *self, opevo_error *err)
{
    const char *text = opevo_i_option(call, "target");
    size_t length = text ? strlen(text) : 0;
    char number[64];
    bool share = length && text[length - 1] == '%';

    if (!text)
        return OPEVO_OK;
    snprintf(number, sizeof number, "%.*s", (int)(share ? length - 1 : length), text);
    if (length >= sizeof number || !opevo_parse_double(number, &self->run.budget.target) ||
        !(self->run.budget.target > 0))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--target %s: give a number above 0, or such as 95%%.", text);
    if (!share)
        return OPEVO_OK;
    if (self->run.budget.target > 100)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--target %s: give at most 100%%.", text);
    if (!self->optimum.known)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--target %s: the optimum of %s is not known; give a number.", text,
                          self->objective->name);
    self->run.budget.target *= self->optimum.fitness / 100;
    return OPEVO_OK;
}

static opevo_status read_budget(const opevo_call *call, plan *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    bool limited = opevo_i_flag(call, "trials") || opevo_i_flag(call, "seconds") ||
                   opevo_i_flag(call, "target");

    OPEVO_TRY(opevo_i_option_count(call, "trials", limited ? 0 : 500, 1, UINT64_MAX,
                                   &self->run.budget.trials, err));
    OPEVO_TRY(opevo_i_option_positive(call, "seconds", &self->run.budget.seconds, err));
    OPEVO_TRY(read_target(call, self, err));
cleanup:
    return status;
}

/* Append the trials of one run, given as STORE:RUN. */
static opevo_status read_earlier_run(plan *self, const char *text, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    const char *colon = strrchr(text, ':');
    char *path = opevo_strndup(text, colon ? (size_t)(colon - text) : 0);
    opevo_store *store = NULL;
    opevo_trial *grown = NULL;
    int64_t run = 0;
    uint64_t count = 0;
    size_t got = 0;

    if (!path)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read --learn.");
    if (!colon || !opevo_parse_i64(colon + 1, &run)) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--learn %s: give a store and the number of a run in it, such as "
                            "runs.db:1.",
                            text);
        goto cleanup;
    }
    OPEVO_TRY(opevo_store_open(path, OPEVO_STORE_READ, &store, err));
    OPEVO_TRY(opevo_store_find(store, run, self->objective->space, &count, err));
    grown = opevo_realloc(self->earlier, self->run.earlier_count + (size_t)count, sizeof *grown);
    if (!grown) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the trials of %s.", text);
        goto cleanup;
    }
    self->earlier = grown;
    OPEVO_TRY(
        opevo_store_read(store, run, 0, grown + self->run.earlier_count, (size_t)count, &got, err));
    for (size_t i = 0; i < got; i++)
        grown[self->run.earlier_count + i].proposal.origin = "earlier"; /* outlives the store */
    self->run.earlier_count += got;
    self->run.earlier = grown;
cleanup:
    opevo_store_close(store);
    opevo_free(path);
    return status;
}

static opevo_status read_earlier(const opevo_call *call, plan *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    if (opevo_i_option(call, "learn") && !self->run.tuner->learn)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--learn: the tuner %s cannot learn from earlier trials; use --tuner "
                          "autotvm.",
                          self->run.tuner->name);
    for (size_t i = 0; i < call->given_count && status == OPEVO_OK; i++) {
        if (!strcmp(call->given[i].option->name, "learn"))
            status = read_earlier_run(self, call->given[i].value, err);
    }
    return status;
}

static opevo_status read_plan(const opevo_call *call, plan *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t threads = 0;

    OPEVO_TRY(opevo_i_option_count(call, "seed", 1, 0, UINT64_MAX, &self->run.seed, err));
    OPEVO_TRY(opevo_i_option_count(call, "runs", 1, 1, 1000000, &self->runs, err));
    OPEVO_TRY(opevo_i_option_count(call, "threads", self->runs == 1, 0, 1024, &threads, err));
    self->threads = threads ? (unsigned)threads : opevo_processor_count();
    OPEVO_TRY(read_settings(call, self, err));
    OPEVO_TRY(opevo_i_objective_of_call(call, call->argument_count ? call->arguments[0] : NULL,
                                        opevo_i_option(call, "on"), opevo_i_option(call, "space"),
                                        &self->objective, err));
    self->run.batch = opevo_live_batch(self->objective);
    OPEVO_TRY(opevo_i_finals_read(call, self->objective, &self->finals, err));
    OPEVO_TRY(opevo_objective_optimum(self->objective, &self->optimum, err));
    /* Where nothing is ok there is no optimum to compare with. */
    self->optimum.known = self->optimum.known && self->optimum.fitness > 0;
    OPEVO_TRY(read_budget(call, self, err));
    OPEVO_TRY(opevo_i_note_of(call->argument_count ? call->arguments[0] : NULL,
                              opevo_i_option(call, "on"), opevo_i_option(call, "space"),
                              &self->optimum, &self->note, err));
    self->run.note = self->note.note;
    OPEVO_TRY(read_earlier(call, self, err));
    OPEVO_TRY(opevo_i_kernel_files_prepare(call, self->objective, err));
    if (!opevo_i_flag(call, "dry-run") && opevo_i_option(call, "store"))
        OPEVO_TRY(opevo_store_open(opevo_i_option(call, "store"), OPEVO_STORE_WRITE,
                                   &self->run.store, err));
    self->results = opevo_calloc((size_t)self->runs, sizeof *self->results);
    if (!self->results)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for %llu runs.",
                            (unsigned long long)self->runs);
cleanup:
    return status;
}

/* ---- Running
 * --------------------------------------------------------------------------------------------- */

/* Of the limit that is nearest; 0 when only a target is set, whose distance nobody knows. */
static double share_done(const plan *self, uint64_t trials)
{
    const opevo_budget *budget = &self->run.budget;
    double of_trials = budget->trials ? (double)trials / (double)budget->trials : 0;
    double of_seconds = budget->seconds > 0 ? self->cost_s / budget->seconds : 0;

    return fmin(fmax(of_trials, of_seconds), 1);
}

static void observe(void *context, const opevo_trial *trial, bool resumed)
{
    plan *self = context;
    char line[256];
    char share[64] = "";

    (void)resumed;
    self->failed += trial->outcome.kind != OPEVO_OUTCOME_OK;
    self->cost_s += opevo_outcome_cost_s(&trial->outcome);
    self->best = fmax(self->best, trial->outcome.fitness);
    opevo_i_finals_note(&self->finals, trial);
    if (!opevo_i_progress_due(&self->progress))
        return;
    if (self->optimum.known)
        snprintf(share, sizeof share, " (%.1f %% of the optimum)",
                 100 * self->best / self->optimum.fitness);
    snprintf(line, sizeof line, "trial %llu, best %.6g %s%s, %llu failed",
             (unsigned long long)trial->number, self->best, self->objective->unit, share,
             (unsigned long long)self->failed);
    opevo_i_progress_draw(&self->progress, share_done(self, trial->number), line);
}

static opevo_status run_one(void *context, size_t index, unsigned worker, opevo_error *err)
{
    plan *self = context;
    opevo_run_options options_of_run = self->run;
    opevo_status status = OPEVO_OK;
    char line[128];

    options_of_run.seed = self->run.seed + index;
    status = opevo_run(self->objective, &options_of_run, &self->results[index], err);
    if (status == OPEVO_OK && self->runs > 1 && worker == 0 &&
        opevo_i_progress_due(&self->progress)) {
        snprintf(line, sizeof line, "run %zu of %llu", index + 1, (unsigned long long)self->runs);
        opevo_i_progress_draw(&self->progress, (double)(index + 1) / (double)self->runs, line);
    }
    return status;
}

/* Several runs share the threads among themselves; one run, or runs that share a store, spread the
 * evaluations of a batch. Either way the trials are the same. */
static opevo_status run_all(plan *self, bool quiet, opevo_error *err)
{
    bool side_by_side = self->runs > 1 && !self->run.store && self->objective->concurrent;
    opevo_status status = OPEVO_OK;

    self->run.threads = side_by_side ? 1 : self->threads;
    self->run.observer = self->runs == 1 ? observe : NULL;
    self->run.observer_context = self;
    self->run.interrupt = &opevo_i_interrupted;
    opevo_i_catch_interrupts();
    opevo_i_progress_start(&self->progress, quiet);
    status = opevo_parallel_for((size_t)self->runs, side_by_side ? self->threads : 1, run_one, self,
                                err);
    opevo_i_progress_end(&self->progress);
    if (status == OPEVO_OK && self->runs == 1 && !opevo_i_interrupted)
        status = opevo_i_finals_run(&self->finals, self->objective, self->run.seed, self->run.store,
                                    self->results[0].run, err);
    return status;
}

/* The winner of the finals, or else the best trial of all runs, into the folder of --emit. What was
 * measured is printed also when that fails. */
static void emit(const plan *self, const opevo_call *call, int *exit_code)
{
    const opevo_finalist *winner = &self->finals.finalists[self->finals.verdict.winner];
    const opevo_trial *best = &self->results[0].best;
    opevo_error err = {OPEVO_OK, ""};

    for (uint64_t i = 1; i < self->runs; i++) {
        if (self->results[i].best.outcome.fitness > best->outcome.fitness)
            best = &self->results[i].best;
    }
    if (!best->number)
        return;
    if (self->finals.ran && winner->median > 0)
        opevo_i_kernel_files_write(call, self->objective, winner->point, winner->median, &err);
    else
        opevo_i_kernel_files_write(call, self->objective, best->proposal.point,
                                   best->outcome.fitness, &err);
    if (err.status == OPEVO_OK)
        return;
    fprintf(stderr, "opevo tune: The kernel is not written: %s\n", err.message);
    *exit_code = OPEVO_EXIT_FAILED;
}

/* ---- Printing
 * ---------------------------------------------------------------------------------------------- */

static double fraction(const plan *self, double fitness)
{
    return self->optimum.known ? fitness / self->optimum.fitness : NAN;
}

static void add_json_head(const plan *self, opevo_text *out)
{
    opevo_i_json_string(out, "objective", self->objective->name);
    opevo_i_json_string(out, "unit", self->objective->unit);
    opevo_i_json_double(out, "optimum", self->optimum.known ? self->optimum.fitness : NAN);
    opevo_i_json_string(out, "tuner", self->run.tuner->name);
    opevo_i_json_key(out, "settings");
    opevo_settings_print_json(self->run.tuner, self->settings, out);
    if (self->run.earlier_count > 0)
        opevo_text_printf(out, ", \"earlier_trials\": %zu", self->run.earlier_count);
}

static void add_json_best(const plan *self, const opevo_trial *best, opevo_text *out)
{
    bool is_gflops = !strcmp(self->objective->unit, "GFLOP/s");

    opevo_i_json_key(out, "best");
    if (!best->number) {
        opevo_text_add(out, "null");
        return;
    }
    opevo_text_add(out, "{");
    opevo_i_json_key(out, "configuration");
    opevo_space_print_json(self->objective->space, best->proposal.point, out);
    opevo_i_json_double(out, "gflops", is_gflops ? best->outcome.fitness : NAN);
    opevo_i_json_double(out, "fitness", best->outcome.fitness);
    opevo_i_json_index(out, "trial", best->number);
    opevo_text_add(out, "}");
}

static void add_json_result(const plan *self, size_t index, opevo_text *out)
{
    const opevo_run_result *result = &self->results[index];

    add_json_best(self, &result->best, out);
    opevo_i_json_index(out, "trials", result->trials);
    opevo_i_json_index(out, "resumed", result->resumed);
    opevo_i_json_index(out, "failed", result->failed);
    opevo_i_json_double(out, "cost_s", result->cost_s);
    opevo_i_json_string(out, "stop", opevo_stop_name(result->stop));
    opevo_i_json_index(out, "seed", self->run.seed + index);
    opevo_i_json_double(out, "fraction_of_optimum", fraction(self, result->best.outcome.fitness));
}

static void print_json(const plan *self, opevo_text *out)
{
    opevo_text_add(out, "{");
    if (self->runs == 1) {
        add_json_result(self, 0, out);
        add_json_head(self, out);
        opevo_i_finals_print_json(&self->finals, self->objective, out);
    } else {
        add_json_head(self, out);
        opevo_i_json_key(out, "runs");
        for (size_t i = 0; i < self->runs; i++) {
            opevo_text_add(out, i ? ",\n  {" : "[\n  {");
            add_json_result(self, i, out);
            opevo_text_add(out, "}");
        }
        opevo_text_add(out, "\n]");
    }
    opevo_text_add(out, "}\n");
}

static void print_settings(const plan *self, opevo_text *out)
{
    const opevo_budget *budget = &self->run.budget;

    opevo_text_printf(out, "%s, ", self->objective->name);
    opevo_i_text_add_grouped(out, opevo_space_size(self->objective->space));
    opevo_text_printf(out, " points; tuner %s%s%s; ", self->run.tuner->name,
                      self->settings_text.length ? " " : "",
                      opevo_text_string(&self->settings_text));
    if (self->runs == 1)
        opevo_text_printf(out, "seed %llu", (unsigned long long)self->run.seed);
    else
        opevo_text_printf(out, "seeds %llu to %llu", (unsigned long long)self->run.seed,
                          (unsigned long long)(self->run.seed + self->runs - 1));
    if (self->run.earlier_count > 0)
        opevo_text_printf(out, "; %zu earlier trials", self->run.earlier_count);
    if (budget->trials)
        opevo_text_printf(out, "; at most %llu trials", (unsigned long long)budget->trials);
    if (budget->seconds > 0)
        opevo_text_printf(out, "; at most %g s", budget->seconds);
    if (budget->target > 0)
        opevo_text_printf(out, "; to %.6g %s", budget->target, self->objective->unit);
    opevo_text_add(out, "\n");
    opevo_i_print_ignored(self->objective, out);
}

static void print_failures(const opevo_run_result *result, opevo_text *out)
{
    const char *separator = " (";

    opevo_text_printf(out, ", %llu failed = %.1f %%", (unsigned long long)result->failed,
                      result->trials ? 100 * (double)result->failed / (double)result->trials : 0.0);
    for (int i = OPEVO_OUTCOME_OK + 1; i < OPEVO_OUTCOME_CLASS_COUNT; i++) {
        if (result->failed_by_class[i]) {
            opevo_text_printf(out, "%s%llu %s", separator,
                              (unsigned long long)result->failed_by_class[i],
                              opevo_outcome_name((opevo_outcome_class)i));
            separator = ", ";
        }
    }
    opevo_text_add(out, result->failed ? ")" : "");
}

static void print_result(const plan *self, const char *store, opevo_text *out)
{
    const opevo_run_result *result = &self->results[0];

    opevo_text_printf(out, "%llu trials", (unsigned long long)result->trials);
    print_failures(result, out);
    if (result->resumed)
        opevo_text_printf(out, ", %llu taken from %s", (unsigned long long)result->resumed, store);
    opevo_text_printf(out, "; cost %.1f s; stopped by: %s", result->cost_s,
                      result->stop == OPEVO_STOP_SEARCH_OVER && result->reason
                          ? result->reason
                          : opevo_stop_name(result->stop));
    if (!result->best.number) {
        opevo_text_add(out, "\nno trial succeeded\n");
        return;
    }
    opevo_text_printf(out, "\nbest %.8g %s", result->best.outcome.fitness, self->objective->unit);
    if (self->optimum.known)
        opevo_text_printf(out, " = %.2f %% of the optimum %.8g (exact)",
                          100 * fraction(self, result->best.outcome.fitness),
                          self->optimum.fitness);
    opevo_text_printf(out, ", at trial %llu\n", (unsigned long long)result->best.number);
    opevo_space_print(self->objective->space, result->best.proposal.point, out);
    opevo_text_add(out, "\n");
    opevo_i_finals_print(&self->finals, self->objective, out);
    if (result->stop == OPEVO_STOP_INTERRUPTED && store)
        opevo_text_printf(out, "interrupted; the same command goes on from %s\n", store);
}

/* How many runs reached the target, and after how many trials: the median over all runs, those that
 * did not reach it counting as longer than any. */
static void print_target(const plan *self, double *scratch, opevo_text *out)
{
    size_t finished = 0;
    size_t reached = 0;
    double median = 0;

    for (size_t i = 0; i < self->runs; i++) {
        bool there = self->results[i].stop == OPEVO_STOP_TARGET;

        reached += there;
        if (self->results[i].stop != OPEVO_STOP_INTERRUPTED)
            scratch[finished++] = there ? (double)self->results[i].trials : DBL_MAX;
    }
    median = opevo_moments_of(scratch, finished).median;
    opevo_text_printf(out, "target reached in %zu of %zu runs", reached, finished);
    if (median < DBL_MAX / 2)
        opevo_text_printf(out, "; median trials to it: %g (estimated from the runs)", median);
    opevo_text_add(out, "\n");
}

/* The runs that were not interrupted: their best fitness, as a fraction of the optimum where that
 * is known, into `values`. */
static size_t gather(const plan *self, double *values, uint64_t *trials)
{
    size_t finished = 0;

    *trials = 0;
    for (size_t i = 0; i < self->runs; i++) {
        double fitness = self->results[i].best.outcome.fitness;

        if (self->results[i].stop == OPEVO_STOP_INTERRUPTED)
            continue;
        values[finished++] = self->optimum.known ? fraction(self, fitness) : fitness;
        *trials += self->results[i].trials;
    }
    return finished;
}

static opevo_status print_results(const plan *self, opevo_text *out, opevo_error *err)
{
    double *values = opevo_malloc((size_t)self->runs, sizeof *values);
    opevo_moments moments;
    uint64_t trials = 0;
    size_t finished = 0;

    if (!values)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a summary.");
    finished = gather(self, values, &trials);
    opevo_text_printf(out, "%zu runs%s, %llu trials\n", finished,
                      finished < self->runs ? " finished before the interruption" : "",
                      (unsigned long long)trials);
    if (finished) {
        moments = opevo_moments_of(values, finished);
        opevo_text_printf(out, "best of a run, %s (estimated from the runs):\n  mean %.4f",
                          self->optimum.known ? "as a fraction of the optimum"
                                              : self->objective->unit,
                          moments.mean);
        if (finished > 1)
            opevo_text_printf(out, " +- %.4f (95 %% confidence), standard deviation %.4f",
                              gsl_cdf_tdist_Pinv(0.975, (double)finished - 1) * moments.sd /
                                  sqrt((double)finished),
                              moments.sd);
        opevo_text_printf(out, "\n  min %.4f, median %.4f, max %.4f\n", moments.min, moments.median,
                          moments.max);
    }
    if (self->optimum.known)
        opevo_text_printf(out, "optimum (exact): %.8g %s\n", self->optimum.fitness,
                          self->objective->unit);
    if (finished && self->run.budget.target > 0)
        print_target(self, values, out);
    opevo_free(values);
    return OPEVO_OK;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    plan self = {.runs = 1};

    OPEVO_TRY(read_plan(call, &self, err));
    if (opevo_i_flag(call, "dry-run")) {
        print_settings(&self, out);
        goto cleanup;
    }
    OPEVO_TRY(run_all(&self, opevo_i_flag(call, "quiet"), err));
    if (opevo_i_flag(call, "emit"))
        emit(&self, call, exit_code);
    if (opevo_i_flag(call, "json")) {
        print_json(&self, out);
    } else {
        print_settings(&self, out);
        if (self.runs == 1)
            print_result(&self, opevo_i_option(call, "store"), out);
        else
            OPEVO_TRY(print_results(&self, out, err));
    }
    if (opevo_i_interrupted)
        *exit_code = OPEVO_EXIT_SIGINT;
cleanup:
    opevo_store_close(self.run.store);
    opevo_objective_destroy(self.objective);
    opevo_i_finals_free(&self.finals);
    opevo_i_note_free(&self.note);
    opevo_text_free(&self.settings_text);
    opevo_free(self.settings);
    opevo_free(self.earlier);
    opevo_free(self.results);
    return status;
}

const opevo_verb opevo_i_verb_tune = {
    .name = "tune",
    .arguments = "[OPERATOR]",
    .arguments_max = 1,
    .summary = "Search for the fastest configuration of an operator, a program or a recording.",
    .details =
        "  opevo tune mm1 --on sim:gtx1080ti --trials 500 --set lambda=8 --set q=0.5\n"
        "  opevo tune --on recorded:conv_a100.csv.xz --tuner random --runs 20\n"
        "  opevo tune --on recorded: --target 95%\n"
        "  opevo tune --on 'cmd:./bench --tile {X}' --space space.json --result 'ms:/([0-9.]+) "
        "ms/'\n"
        "  opevo tune mm1 --on cpu --store runs.db\n"
        "  opevo tune mm1 --on cpu --emit mm1-kernel && make -C mm1-kernel && mm1-kernel/kernel\n\n"
        "recorded: without a file is the recording that is built in, which needs no device.\n"
        "A run with --store survives a kill at any moment: the same command goes on from there,\n"
        "and a larger budget continues a finished run.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
