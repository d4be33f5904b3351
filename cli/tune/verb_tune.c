/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tune: run a tuner against an objective, once or for several seeds. */

#include "call_file_internal.h"
#include "launcher_internal.h"
#include "live_options_internal.h"
#include "options_internal.h"
#include "own_of_call_internal.h"
#include "recording_spec_internal.h"
#include "roof_internal.h"
#include "starts_of_call_internal.h"
#include "terminal_internal.h"
#include "tune_internal.h"

#include <opevo/file.h>
#include <opevo/finals.h>
#include <opevo/live.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/run.h>
#include <opevo/run_curve.h>
#include <opevo/unit.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILE_BYTES_MOST = 1 << 24 };

static const opevo_option options[] = {
    {"on", "OBJECTIVE", "recorded:[FILE], sim:DEVICE for an operator, cmd:PROGRAM, cpu, ...", true},
    {"space", "FILE",
     "space file: of a program, restricting the kernels', or replacing the recording's", true},
    OPEVO_I_ONLY_RECORDED_OPTION,
    {"tuner", "NAME", "tuner; opevo tuners lists them (default opevo)", false},
    {"set", "KEY=VALUE", "a setting of the tuner", true},
    {"learn", "STORE:RUN",
     "learn from a run in a store before the first trial, from a model that opevo learn wrote, or "
     "from none",
     true},
    OPEVO_I_START_OPTIONS,
    {"criteria", "NAME,NAME,...",
     "search by these criteria and print the front, such as time,energy", false},
    {"require", "CRITERION<=X", "trials that violate it fail, such as error<=0.01", true},
    {"trials", "N", "stop after N trials (default 500 for each operator when no limit is given)",
     false},
    {"seconds", "S", "stop when the trials have cost S seconds, simulated or measured", false},
    {"target", "X",
     "stop at this result in the run's unit (several operators: in s), or at X% of the known "
     "optimum",
     false},
    {"seed", "N", "seed of the run (default 1)", false},
    {"runs", "N", "number of runs, with consecutive seeds (default 1)", false},
    OPEVO_I_TASK_OPTIONS,
    {"threads", "N",
     "cpu: threads of a kernel (default 1); cmd: of the program, which is bound to as many cores; "
     "recorded and sim: of the evaluation (default 1, for several runs all cores); 0: all cores",
     false},
    {"store", "FILE", "store every trial here; the same command resumes", false},
    OPEVO_I_GIVE_UP_OPTION,
    OPEVO_I_LIVE_OPTIONS,
    OPEVO_I_SEARCHED_OPTIONS,
    {"finals", "K", "re-evaluate the best K side by side (default: 5 for kernels)", false},
    {"rounds", "N", "finals: rounds of the re-evaluation (default 30)", false},
    {"no-null", NULL, "finals: do not measure the first kernel twice (A/A)", false},
    {"prove", NULL, "finals: prove that the kernels compute their definition first", false},
    {"library", NULL, "finals: include the vendor's library (OpenBLAS, cuBLAS, cuDNN, rocBLAS)",
     false},
    {"emit", "DIR", "kernels: export the best kernel with a program that checks and times it",
     false},
    {"curve", NULL, "draw the best fitness over the trials of the run", false},
    {"json", NULL, "print one JSON object", false},
    {"dry-run", NULL, "print the settings and stop", false},
    {"quiet", NULL, "no progress line", false},
};

/* ---- Running --------------------------------------------------------------------------------- */

/* Of the limit that is nearest; 0 when only a target is set, whose distance nobody knows. */
static double share_done(const opevo_i_cli_tuning *self, uint64_t trials)
{
    const opevo_budget *budget = &self->run.budget;
    double of_trials = budget->trials ? (double)trials / (double)budget->trials : 0;
    double of_seconds = budget->seconds > 0 ? self->cost_s / budget->seconds : 0;

    return fmin(fmax(of_trials, of_seconds), 1);
}

/* A run and its number, for its observer. */
typedef struct observed_run {
    opevo_i_cli_tuning *tuning;
    size_t index;
} observed_run;

static void observe(void *context, const opevo_trial *trial, bool resumed)
{
    const observed_run *observed = context;
    opevo_i_cli_tuning *self = observed->tuning;
    const char *unit = self->objective->unit;
    char line[256];
    char best[160] = "none";
    char share[64] = "";
    char which[40] = "";

    if (self->fronts)
        opevo_i_cli_tune_fronts_note(self, observed->index, trial);
    if (self->reasons && self->runs > 1)
        snprintf(which, sizeof which, "seed %llu, ",
                 (unsigned long long)(self->run.seed + observed->index));
    if (self->reasons)
        opevo_i_cli_tune_note_failure(self, observed->index, which, trial, resumed);
    if (self->runs > 1)
        return;
    self->failed += trial->outcome.kind != OPEVO_OUTCOME_OK;
    self->cost_s += opevo_outcome_cost_s(&trial->outcome);
    self->best = fmax(self->best, trial->outcome.fitness);
    opevo_finals_note(self->finals, trial);
    opevo_i_cli_tune_note_start(self, trial);
    if (!resumed)
        opevo_i_cli_tune_note_samples(self, trial);
    if (self->draws_curve)
        self->draws_curve = opevo_run_curve_add(&self->curve, &trial->outcome, NULL) == OPEVO_OK;
    if (resumed)
        self->progress.given = share_done(self, trial->number);
    if (!opevo_i_cli_progress_due(&self->progress))
        return;
    if (self->optimum.known)
        snprintf(share, sizeof share, " (%.1f %% of the optimum)",
                 100 * self->best / self->optimum.fitness);
    if (self->best > 0)
        snprintf(best, sizeof best, "%.6g %s%s", opevo_unit_result(unit, self->best),
                 opevo_unit_name(unit), share);
    snprintf(line, sizeof line, "trial %llu, best %s, %llu failed",
             (unsigned long long)trial->number, best, (unsigned long long)self->failed);
    opevo_i_cli_progress_draw(&self->progress, share_done(self, trial->number), line);
}

static opevo_status run_one(void *context, size_t index, unsigned worker, opevo_error *err)
{
    opevo_i_cli_tuning *self = context;
    observed_run observed = {self, index};
    opevo_run_options options_of_run = self->run;
    opevo_status status = OPEVO_OK;
    opevo_text call = {0};
    char line[128];

    options_of_run.seed = self->run.seed + index;
    opevo_i_cli_tune_print_call(self, options_of_run.seed, &call);
    options_of_run.call = !call.failed ? opevo_text_string(&call) : NULL;
    options_of_run.observer_context = &observed;
    status = opevo_run(self->objective, &options_of_run, &self->results[index], err);
    if (status == OPEVO_OK && self->reasons && self->run.store)
        status = opevo_i_cli_reasons_complete(&self->reasons[index], self->run.store,
                                              self->results[index].run, err);
    if (status == OPEVO_OK && self->runs > 1 && worker == 0 &&
        opevo_i_cli_progress_due(&self->progress)) {
        snprintf(line, sizeof line, "run %zu of %llu", index + 1, (unsigned long long)self->runs);
        opevo_i_cli_progress_draw(&self->progress, (double)(index + 1) / (double)self->runs, line);
    }
    opevo_text_free(&call);
    return status;
}

/* Several runs share the threads among themselves; one run, or runs that share a store, spread the
 * evaluations of a batch. Either way the trials are the same. */
static opevo_status run_all(opevo_i_cli_tuning *self, bool quiet, opevo_error *err)
{
    bool side_by_side = self->runs > 1 && !self->run.store && self->objective->concurrent;
    opevo_status status = OPEVO_OK;

    self->run.threads = side_by_side ? 1 : self->threads;
    self->run.observer = self->reasons || self->fronts ? observe : NULL;
    self->run.interrupt = &opevo_i_cli_interrupted;
    opevo_i_cli_catch_interrupts();
    opevo_i_cli_progress_start(&self->progress, quiet);
    status = opevo_parallel_for((size_t)self->runs, side_by_side ? self->threads : 1, run_one, self,
                                err);
    opevo_i_cli_progress_end(&self->progress);
    if (status == OPEVO_OK)
        status = opevo_i_cli_tune_read_proofs(self, err);
    if (status == OPEVO_OK && opevo_i_cli_flag(self->call, "prove"))
        status = opevo_i_cli_tune_prove(self, err);
    if (status == OPEVO_OK && self->runs == 1 &&
        !opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
        status = opevo_finals_run(self->finals, self->objective, self->run.seed, self->run.store,
                                  self->results[0].run, &opevo_i_cli_interrupted, err);
    return status;
}

static bool has_success(const opevo_i_cli_tuning *self)
{
    for (uint64_t i = 0; i < self->runs; i++) {
        if (self->results[i].best.number)
            return true;
    }
    return false;
}

static double best_fitness(const opevo_i_cli_tuning *self)
{
    double best = 0;

    for (uint64_t i = 0; i < self->runs; i++)
        best = fmax(best, self->results[i].best.outcome.fitness);
    return best;
}

/* Whether it is one of several processes of a launcher, whose runs a store has: the launcher would
 * kill the others for a status that says no more than the store does. */
static bool is_stored_rank(const opevo_i_cli_tuning *self)
{
    return self->run.store && opevo_i_cli_is_one_of_several();
}

/* Over all runs. */
static void judge(const opevo_call *call, const opevo_i_cli_tuning *self, int *exit_code)
{
    uint64_t trials = 0, unrecorded = 0;

    for (uint64_t i = 0; i < self->runs; i++) {
        trials += self->results[i].trials;
        unrecorded += self->results[i].failed_by_class[OPEVO_OUTCOME_UNRECORDED];
    }
    opevo_i_cli_judge_replay(call, trials, unrecorded, exit_code);
}

static opevo_status run_single(const opevo_call *call, opevo_text *out, int *exit_code,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_cli_tuning self = {.runs = 1};
    int code = OPEVO_EXIT_OK; /* of what was found */

    OPEVO_TRY(opevo_i_cli_tasks_refuse(call, err));
    OPEVO_TRY(opevo_i_cli_tune_read_run(call, &self, err));
    if (opevo_i_cli_flag(call, "dry-run")) {
        (opevo_i_cli_flag(call, "json") ? opevo_i_cli_tune_print_json_settings
                                        : opevo_i_cli_tune_print_settings)(&self, out);
        goto cleanup;
    }
    if (!opevo_i_cli_flag(call, "quiet")) {
        opevo_i_cli_tell_batch(self.verb, self.objective, &self.run,
                               opevo_text_string(&self.batch_text));
        opevo_i_cli_tell_reference(self.verb, "", self.objective);
    }
    status = run_all(&self, opevo_i_cli_flag(call, "quiet"), err);
    opevo_i_cli_tell_run_workers(self.verb, self.objective, self.run.store, self.results,
                                 status == OPEVO_OK ? self.runs : 0);
    OPEVO_TRY(status);
    OPEVO_TRY(opevo_i_cli_tune_fronts_finish(&self, err));
    OPEVO_TRY(opevo_i_cli_tune_read_samples(&self, err));
    if (has_success(&self) && !opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
        self.roof = opevo_i_cli_roof_of(self.objective, self.on, best_fitness(&self),
                                        !opevo_i_cli_flag(call, "workers") &&
                                            !opevo_i_cli_flag(call, "workers-from"));
    if (opevo_i_cli_flag(call, "emit"))
        opevo_i_cli_tune_emit(&self, opevo_i_cli_option(call, "emit"), exit_code);
    if (opevo_i_cli_flag(call, "json")) {
        opevo_i_cli_tune_print_json(&self, out);
    } else {
        opevo_i_cli_tune_print_settings(&self, out);
        if (self.runs == 1)
            opevo_i_cli_tune_print_result(&self, opevo_i_cli_option(call, "store"), out);
        else
            OPEVO_TRY(opevo_i_cli_tune_print_results(&self, out, err));
        OPEVO_TRY(opevo_i_cli_tune_print_front(&self, out, err));
    }
    if (!has_success(&self))
        code = OPEVO_EXIT_FAILED;
    judge(call, &self, &code);
    if (code != OPEVO_EXIT_OK && !is_stored_rank(&self))
        *exit_code = code;
    if (*self.finals->failure)
        *exit_code = OPEVO_EXIT_FAILED;
    if (opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
        *exit_code = OPEVO_EXIT_SIGINT;
    opevo_i_cli_tune_check_store(call->verb->name, self.run.store, exit_code);
cleanup:
    opevo_store_close(self.run.store);
    opevo_i_cli_tune_free(&self);
    return status;
}

static opevo_status run_call(const opevo_call *call, opevo_text *out, int *exit_code,
                             opevo_error *err)
{
    return opevo_i_cli_tasks_count(call) > 1 ? opevo_i_cli_tune_tasks(call, out, exit_code, err)
                                             : run_single(call, out, exit_code, err);
}

static bool is_file(const char *word)
{
    size_t length = strlen(word);

    return !strcmp(word, "-") ||
           (length > 5 && !strcmp(word + length - 5, ".json") && !opevo_i_cli_is_t1(word));
}

static opevo_status read_input(opevo_text *out, opevo_error *err)
{
    char piece[4096];
    size_t got = 0;

    while (out->length < FILE_BYTES_MOST && (got = fread(piece, 1, sizeof piece, stdin)) > 0)
        opevo_text_add_bytes(out, piece, got);
    if (ferror(stdin))
        return OPEVO_FAIL(err, OPEVO_IO, "Standard input: %s.", strerror(errno));
    return opevo_text_check(out, err);
}

/* What a file says, with the other options of the call in place of its own. */
static opevo_status run_file(const opevo_call *call, opevo_text *out, int *exit_code,
                             opevo_error *err)
{
    bool piped = !strcmp(call->arguments[0], "-");
    const char *origin = piped ? "standard input" : call->arguments[0];
    opevo_i_cli_call_file file = {.root = NULL};
    opevo_status status = OPEVO_OK;
    opevo_text input = {0};
    char *text = NULL;
    size_t size = 0;

    OPEVO_TRY(piped ? read_input(&input, err)
                    : opevo_file_read(origin, FILE_BYTES_MOST, &text, &size, err));
    OPEVO_TRY(opevo_i_cli_call_file_parse(piped ? opevo_text_string(&input) : text,
                                          piped ? input.length : size, origin, call->verb, &file,
                                          err));
    OPEVO_TRY(opevo_i_cli_call_file_lay_over(&file, call, err));
    OPEVO_TRY(opevo_i_cli_call_file_enter(&file, origin, err));
    status = run_call(&file.call, out, exit_code, err);
cleanup:
    opevo_i_cli_call_file_free(&file);
    opevo_text_free(&input);
    opevo_free(text);
    return status;
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    for (size_t i = 0; i < call->argument_count; i++) {
        if (is_file(call->arguments[i]) && call->argument_count > 1)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s is the specification of a run, which names all its operators: "
                              "give it alone.",
                              call->arguments[i]);
    }
    return call->argument_count && is_file(call->arguments[0])
               ? run_file(call, out, exit_code, err)
               : run_call(call, out, exit_code, err);
}

const opevo_verb opevo_i_cli_verb_tune = {
    .name = "tune",
    .arguments = "[OPERATOR...|FILE.json|-]",
    .arguments_max = SIZE_MAX,
    .summary = "Search for the fastest configuration of an operator, a program or a recording.",
    .details = "  opevo tune mm1 --on sim:gtx1080ti --trials 500 --set lambda=8 --set q=0.5\n"
               "  opevo tune --on recorded:conv_a100.csv.xz --tuner random --runs 20\n"
               "  opevo tune --on recorded: --target 95%\n"
               "  opevo tune --on 'cmd:./bench {X}' --space space.json --result 'ms:/([0-9.]+)/'\n"
               "  opevo tune --on 'cmd:{out}' --build 'cc -DX={X} s.c -o {out}' --space s.json\n"
               "  opevo tune mm1 --on cpu --store runs.db\n"
               "  opevo tune mm1 --on cpu --emit mm1 && make -C mm1 && mm1/kernel\n"
               "  opevo tune conv.cu --space space.json --on cuda:0\n"
               "  opevo tune mm1 bmm1 c1 --weights 3,1,1 --on cpu --trials 1500 --store runs.db\n\n"
               "recorded: without a file is the built-in recording, which needs no device.\n"
               "FILE.json, or - for standard input, has the same options as members of an object:\n"
               "{\"what\": \"mm1\", \"on\": \"cpu\", \"trials\": 200}.\n"
               "A run with --store survives a kill at any moment: the same command continues it,\n"
               "and a larger budget continues a finished run.\n"
               "Several operators, or several --on, share one budget: each round of trials goes\n"
               "where the sum of weight x time is expected to fall most.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
