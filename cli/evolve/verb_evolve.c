/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Evolve: search for edits of a kernel's LLVM-IR that make it cheaper. */

#include "evolve_internal.h"
#include "measured_internal.h"
#include "options_internal.h"
#include "store_of_call_internal.h"
#include "terminal_internal.h"
#include "tuner_of_call_internal.h"

#include <opevo/front.h>
#include <opevo/memory.h>
#include <opevo/run.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const opevo_option options[] = {
    OPEVO_I_EVOLVER_OPTIONS(OPEVO_I_WITH_EDITS OPEVO_I_WITH_CHECKS),
    {"criteria", "NAME,NAME,...", "search by these: time and error (default both)", false},
    {"require", "CRITERION<=X", "trials that violate it fail, such as error<=0", true},
    {"tuner", "NAME", "nsga2 (default), climb or random", false},
    {"set", "KEY=VALUE", "a setting of the tuner", true},
    {"trials", "N", "stop after N trials (default 2000)", false},
    {"seed", "N", "seed of the run (default 1)", false},
    {"store", "FILE", "store every trial here; the same command resumes", false},
    {"json", NULL, "print one JSON object", false},
    {"quiet", NULL, "no progress line", false},
};

/* ---- Reading the command line ---------------------------------------------------------------- */

static opevo_status read_criteria(const opevo_call *call, opevo_i_cli_evolution *self,
                                  opevo_error *err)
{
    const char *words = opevo_i_cli_option(call, "criteria");
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    self->criteria_words = words ? words : opevo_evolver_defaults.criteria;
    status = opevo_criteria_parse(self->objective, self->criteria_words, &self->criteria, &inner);
    if (status != OPEVO_OK)
        return OPEVO_FAIL(err, status, "--criteria %.200s: %.700s", self->criteria_words,
                          inner.message);
    self->front.criteria = self->criteria;
    self->run.criteria = &self->criteria;
    return OPEVO_OK;
}

/* Settings of edits and checks are a part of what identifies a run; where the kernel is is
 * noted. */
static opevo_status note_call(const opevo_call *call, opevo_i_cli_evolution *self, opevo_error *err)
{
    const char *on = opevo_i_cli_option(call, "on");
    opevo_text before = {0};

    for (size_t i = 0; i < call->given_count; i++) {
        if (!strcmp(call->given[i].option->name, "with"))
            opevo_text_printf(&self->with, " %s", call->given[i].value);
    }
    opevo_run_print_settings(self->objective, &self->run, &before);
    self->run.settings_more =
        opevo_text_string(&self->with) + (before.length == 0 && self->with.length > 0);
    opevo_text_free(&before);
    opevo_text_printf(&self->on, "evolve:%s", on ? on : "simt");
    self->run.note =
        (opevo_objective_note){.on = opevo_text_string(&self->on), .what = self->kernel};
    return opevo_text_check(self->on.failed ? &self->on : &self->with, err);
}

static opevo_status read_call(const opevo_call *call, opevo_i_cli_evolution *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    self->kernel = call->arguments[0];
    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", 1, 0, UINT64_MAX, &self->run.seed, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "trials", 2000, 1, UINT64_MAX,
                                       &self->run.budget.trials, err));
    OPEVO_TRY(opevo_i_cli_tuner_of_call(call, "nsga2", opevo_evolver_defaults.settings,
                                        &self->run.tuner, &self->settings, err));
    self->run.settings = self->settings;
    opevo_settings_print(self->run.tuner, self->settings, &self->settings_text);
    OPEVO_TRY(opevo_text_check(&self->settings_text, err));
    if (!self->run.tuner->create_on) {
        status =
            OPEVO_FAIL(err, OPEVO_INVALID,
                       "--tuner %s: the tuner needs a search space; use climb, nsga2 or random.",
                       self->run.tuner->name);
        goto cleanup;
    }
    OPEVO_TRY(opevo_i_cli_evolver_of_call(call, self->kernel, OPEVO_I_EDITS_SEARCHED,
                                          &self->evolver, err));
    OPEVO_TRY(
        opevo_evolver_paths(self->kernel, &self->kernel_path, &self->harness_path, NULL, err));
    self->harness = opevo_i_cli_option(call, "harness");
    if (!self->harness)
        self->harness = self->harness_path;
    self->objective = opevo_evolver_objective(self->evolver);
    OPEVO_TRY(opevo_found_evaluate_base(self->evolver, &self->found, err));
    OPEVO_TRY(read_criteria(call, self, err));
    OPEVO_TRY(opevo_i_cli_requirements_of_call(call, self->objective, &self->requirements,
                                               &self->run.requirement_count, err));
    self->run.requirements = self->requirements;
    OPEVO_TRY(note_call(call, self, err));
    OPEVO_TRY(opevo_i_cli_store_of_call(call, &self->run.store, err));
cleanup:
    return status;
}

/* ---- Running --------------------------------------------------------------------------------- */

/* Keep an error-free variant, one of each cost. All are kept: the cheapest may all fail on the
 * held-out cases. False without memory. */
static bool note_exact(opevo_i_cli_evolution *self, const opevo_trial *trial)
{
    size_t at = self->exact_count;
    size_t room = self->exact_room ? 2 * self->exact_room : 64;
    opevo_trial *grown = NULL;

    while (at > 0 && self->exact[at - 1].outcome.fitness < trial->outcome.fitness)
        at--;
    if (at > 0 && self->exact[at - 1].outcome.fitness == trial->outcome.fitness)
        return true;
    if (self->exact_count == self->exact_room) {
        grown = opevo_realloc(self->exact, room, sizeof *grown);
        if (!grown)
            return false;
        self->exact = grown;
        self->exact_room = room;
    }
    memmove(&self->exact[at + 1], &self->exact[at], (self->exact_count - at) * sizeof *self->exact);
    self->exact[at] = *trial;
    self->exact_count++;
    return true;
}

static void observe(void *context, const opevo_trial *trial, bool resumed)
{
    opevo_i_cli_evolution *self = context;
    char line[160];
    char best[40] = "none";
    opevo_trial kept = *trial;

    kept.outcome.samples_s = NULL;
    kept.outcome.sample_count = 0;
    kept.outcome.message = NULL;
    opevo_i_cli_reasons_add(&self->reasons, trial, resumed);
    self->failed = self->failed || opevo_front_add(&self->front, &kept, NULL, NULL) != OPEVO_OK;
    if (trial->outcome.kind == OPEVO_OUTCOME_OK && trial->outcome.more[0] <= 0)
        self->failed = !note_exact(self, &kept) || self->failed;
    if (!opevo_i_cli_progress_due(&self->progress))
        return;
    if (self->exact_count)
        snprintf(best, sizeof best, "%.4f of the base", 1 / self->exact[0].outcome.fitness);
    snprintf(line, sizeof line, "trial %llu, best %s", (unsigned long long)trial->number, best);
    opevo_i_cli_progress_draw(&self->progress,
                              (double)trial->number / (double)self->run.budget.trials, line);
}

static opevo_status add_variant(opevo_i_cli_evolution *self, const opevo_trial *trial,
                                opevo_found_variant *out, opevo_error *err)
{
    *out = (opevo_found_variant){.trial = *trial};
    if (opevo_domain_print(self->objective->domain, trial->proposal.point, &out->edits))
        return opevo_text_check(&out->edits, err);
    return OPEVO_FAIL(err, OPEVO_FAULT, "Trial %llu has no edits.",
                      (unsigned long long)trial->number);
}

/* The variants of which the held-out cases decide. */
static opevo_status gather(opevo_i_cli_evolution *self, opevo_error *err)
{
    opevo_found *found = &self->found;
    opevo_status status = OPEVO_OK;

    if (self->failed)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a front.");
    opevo_front_sort(&self->front);
    found->exact = opevo_calloc(self->exact_count + 1, sizeof *found->exact);
    found->rest = opevo_calloc(self->front.count + 1, sizeof *found->rest);
    OPEVO_NEED_OR_RETURN(found->exact && found->rest, "a front");
    for (; found->exact_count < self->exact_count; found->exact_count++)
        OPEVO_TRY(add_variant(self, &self->exact[found->exact_count],
                              &found->exact[found->exact_count], err));
    for (size_t i = 0; i < self->front.count; i++) {
        if (self->front.members[i].outcome.more[0] > 0)
            OPEVO_TRY(
                add_variant(self, &self->front.members[i], &found->rest[found->rest_count++], err));
    }
    OPEVO_TRY(opevo_found_held_out(self->evolver, &opevo_i_cli_interrupted,
                                   &(const opevo_found_judge){opevo_i_cli_evolution_prove, self},
                                   found, err));
cleanup:
    return status;
}

static opevo_status run_session(opevo_i_cli_evolution *self, opevo_session *session,
                                opevo_error *err)
{
    const opevo_run_result *result = opevo_session_result(session);
    opevo_status status = OPEVO_OK;
    bool over = false;

    while (status == OPEVO_OK && !over)
        status = opevo_session_step(session, UINT64_MAX, &over, err);
    opevo_i_cli_progress_end(&self->progress);
    if (status == OPEVO_OK && self->run.store)
        status = opevo_i_cli_reasons_complete(&self->reasons, self->run.store, result->run, err);
    self->run_number = result->run;
    if (status == OPEVO_OK && result->stop != OPEVO_STOP_INTERRUPTED)
        status = gather(self, err);
    return status;
}

/* The session ends after the held-out cases: the store has what became of the evolvers there. */
static opevo_status search(opevo_i_cli_evolution *self, bool quiet, opevo_error *err)
{
    opevo_status status = OPEVO_OK, ended = OPEVO_OK;
    opevo_session *session = NULL;

    self->run.observer = observe;
    self->run.observer_context = self;
    self->run.interrupt = &opevo_i_cli_interrupted;
    opevo_i_cli_catch_interrupts();
    status = opevo_session_create(self->objective, &self->run, &session, err);
    if (status != OPEVO_OK)
        return status;
    opevo_i_cli_progress_start(&self->progress, quiet);
    status = run_session(self, session, err);
    opevo_i_cli_tell_workers("evolve", self->objective);
    ended = opevo_session_end(session, &self->result, status == OPEVO_OK ? err : NULL);
    return status == OPEVO_OK ? ended : status;
}

static void evolution_free(opevo_i_cli_evolution *self)
{
    opevo_found_free(&self->found);
    opevo_stored_proofs_free(&self->proofs);
    opevo_free(self->kernel_path);
    opevo_free(self->harness_path);
    opevo_i_cli_reasons_free(&self->reasons);
    opevo_front_free(&self->front);
    opevo_free(self->exact);
    opevo_store_close(self->run.store);
    opevo_free(self->requirements);
    opevo_text_free(&self->with);
    opevo_text_free(&self->on);
    opevo_text_free(&self->settings_text);
    opevo_free(self->settings);
    opevo_evolver_close(self->evolver);
    opevo_free(self);
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_i_cli_evolution *self = opevo_calloc(1, sizeof *self);
    const char *store = opevo_i_cli_option(call, "store");
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "a run");
    OPEVO_TRY(read_call(call, self, err));
    status = search(self, opevo_i_cli_flag(call, "quiet"), err);
    if (status == OPEVO_INTERRUPTED) /* after the search: its trials are what is there */
        status = OPEVO_OK;
    if (status != OPEVO_OK)
        goto cleanup;
    if (opevo_i_cli_flag(call, "json")) {
        opevo_i_cli_evolution_print_json(self, out);
    } else {
        opevo_i_cli_evolution_print_settings(self, out);
        OPEVO_TRY(opevo_i_cli_evolution_print(self, store, out, err));
    }
    if (opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
        *exit_code = OPEVO_EXIT_SIGINT;
    else if (self->result.failed == self->result.trials)
        *exit_code = OPEVO_EXIT_FAILED;
    if (self->run.store && opevo_store_check_place(self->run.store, err) != OPEVO_OK) {
        opevo_i_cli_print_error("evolve", err->message);
        *exit_code = OPEVO_EXIT_FAILED;
    }
cleanup:
    evolution_free(self);
    return status;
}

const opevo_verb opevo_i_cli_verb_evolve = {
    .name = "evolve",
    .arguments = "KERNEL",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Search for edits of a GPU kernel's LLVM-IR that make it cheaper.",
    .details =
        "  opevo evolve planted.ll --trials 2000 --store runs.db\n"
        "  opevo evolve saxpy.ll --harness saxpy.json --tuner climb --json\n\n"
        "KERNEL is LLVM-IR (.ll or .bc) for NVIDIA's GPUs, as clang compiles it from CUDA or "
        "OpenCL C; the kernels that come with opevo need no path. A harness describes its "
        "buffers, launches and accepted errors. Variants run in an interpreter, which checks "
        "memory, races and barriers and counts costs under a model: it says what is cheaper "
        "there, not what is faster on a GPU. What the search found is tried on cases that it "
        "did not see, and variants that fail there are counted. "
        "Needs LLVM 19 or newer when opevo is built. docs/gevo.md describes the method.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
