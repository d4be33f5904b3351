/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tuning the kernels of a network: what the call says of it, and what is said of it. */

#include "live_options_internal.h"
#include "measured_internal.h"
#include "network_cli_internal.h"
#include "options_internal.h"
#include "reasons_internal.h"
#include "starts_of_call_internal.h"
#include "store_of_call_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"
#include "tune_internal.h"
#include "tuner_of_call_internal.h"

#include <opevo/finals.h>
#include <opevo/json.h>
#include <opevo/live.h>
#include <opevo/memory.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct shown_tuning {
    const opevo_call *call;
    bool quiet;
    opevo_network_tuning_options options;
    const char **workers, **settings, **starts; /* lists of the options */
    opevo_setting_value *values;                /* for checks of the call only */
    opevo_text name, batch;
    opevo_i_cli_reasons *reasons; /* one for each task */
    opevo_i_cli_spent spent;
    opevo_progress progress;
} shown_tuning;

/* ---- The call ---- */

/* "model.onnx", and the shapes and sizes that the call gives: "model.onnx, x=1,3,224,224". */
static opevo_status add_name(shown_tuning *self, opevo_error *err)
{
    const opevo_call *call = self->call;

    opevo_text_add(&self->name, opevo_i_cli_network_name(call));
    for (size_t i = 0; i < call->given_count; i++) {
        const char *option = call->given[i].option->name;

        if (strcmp(option, "shape") == 0 || strcmp(option, "dynamic") == 0)
            opevo_text_printf(&self->name, ", %s", call->given[i].value);
    }
    self->options.name = opevo_text_string(&self->name);
    return opevo_text_check(&self->name, err);
}

/* A limit that leaves a task without a trial is refused before any is opened. */
static opevo_status read_limits(shown_tuning *self, const opevo_network_library *library,
                                opevo_error *err)
{
    opevo_network_tuning_options *out = &self->options;
    opevo_status status = OPEVO_OK;
    uint64_t tasks = 0;

    for (int t = 0; t < opevo_network_library_tasks(library); t++)
        tasks += opevo_network_library_task(library, t)->has_sketches;
    OPEVO_TRY(opevo_i_cli_option_count(self->call, "trials", 0, 1, UINT64_MAX, &out->trials, err));
    OPEVO_TRY(opevo_i_cli_option_positive(self->call, "seconds", &out->seconds, err));
    if (out->trials && out->trials < tasks)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "--trials %llu: give at least one for each of the %llu tasks.",
                            (unsigned long long)out->trials, (unsigned long long)tasks);
cleanup:
    return status;
}

static opevo_status read_finals(shown_tuning *self, opevo_error *err)
{
    opevo_finals_options *out = &self->options.finals;
    opevo_status status = OPEVO_OK;
    uint64_t most = 0;

    OPEVO_TRY(
        opevo_i_cli_option_count(self->call, "finals", 5, 0, OPEVO_FINALISTS_MOST, &most, err));
    OPEVO_TRY(opevo_i_cli_option_count(self->call, "rounds", OPEVO_FINALS_ROUNDS, 1, 10000,
                                       &out->rounds, err));
    out->most = (size_t)most;
    out->no_twin = opevo_i_cli_flag(self->call, "no-null");
cleanup:
    return status;
}

static opevo_status read_call(shown_tuning *self, const opevo_network_library *library,
                              opevo_error *err)
{
    const opevo_call *call = self->call;
    opevo_network_tuning_options *out = &self->options;
    bool gpu = opevo_i_cli_network_for_gpu(call);
    opevo_kernel_dialect dialect = OPEVO_KERNEL_C;
    unsigned cores = 1;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(add_name(self, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "seed", 1, 0, UINT64_MAX, &out->seed, err));
    OPEVO_TRY(opevo_i_cli_tuner_of_call(call, "opevo", NULL, &out->tuner, &self->values, err));
    OPEVO_TRY(opevo_i_cli_option_all(call, "set", &self->settings, &out->setting_count, err));
    out->settings = self->settings;
    OPEVO_TRY(opevo_i_cli_live_options_of(call, opevo_i_cli_option(call, "on"), &out->live,
                                          &self->workers, err));
    OPEVO_TRY(opevo_live_sketch_dialect(opevo_i_cli_option(call, "on"), &dialect, &cores, err));
    OPEVO_TRY(opevo_i_cli_kernel_threads(call, gpu ? cores : 0, &out->threads, err));
    OPEVO_TRY(opevo_i_cli_give_up_read(call, true, &out->give_up, err));
    OPEVO_TRY(read_finals(self, err));
    OPEVO_TRY(opevo_i_cli_start_words(call, &out->starts, &self->starts, err));
    OPEVO_TRY(read_limits(self, library, err));
    OPEVO_TRY(opevo_i_cli_store_of_call(call, &out->store, err));
    out->interrupt = &opevo_i_cli_interrupted;
cleanup:
    return status;
}

static void release(shown_tuning *self, size_t count)
{
    for (size_t i = 0; self->reasons && i < count; i++)
        opevo_i_cli_reasons_free(&self->reasons[i]);
    opevo_free(self->reasons);
    opevo_free(self->workers);
    opevo_free(self->settings);
    opevo_free(self->starts);
    opevo_free(self->values);
    opevo_text_free(&self->name);
    opevo_text_free(&self->batch);
    opevo_store_close(self->options.store);
}

/* ---- While it runs ---- */

static void tell_batch(void *context, const opevo_network_tuning *tuning)
{
    shown_tuning *self = context;
    const opevo_network_task_run *first = opevo_network_tuning_task(tuning, 0);

    opevo_i_cli_print_batch(self->call, first->run->tuner, first->run->settings, &self->batch);
    if (!self->quiet)
        opevo_i_cli_tell_batch(self->call->verb->name, first->objective, first->run,
                               opevo_text_string(&self->batch));
}

/* "latency 1.2 ms", or of the tasks that have had a success. */
static void print_latency(const opevo_network_tuning *tuning, char *out, size_t size)
{
    opevo_network_tuning_state state = opevo_network_tuning_state_of(tuning);
    char time[40];

    snprintf(out, size, "latency %s", opevo_i_cli_tasks_time(state.latency_s, time, sizeof time));
    if (state.known > 0 && state.known < state.tasks)
        snprintf(out + strlen(out), size - strlen(out), " of %zu of %zu tasks", state.known,
                 state.tasks);
}

static void draw(shown_tuning *self, const opevo_network_tuning *tuning, size_t number,
                 const opevo_trial *trial)
{
    const opevo_network_task_run *task = opevo_network_tuning_task(tuning, number);
    opevo_network_tuning_state state = opevo_network_tuning_state_of(tuning);
    char latency[80];

    print_latency(tuning, latency, sizeof latency);
    opevo_i_cli_tasks_draw(&self->progress, &self->spent, state.trials, state.seconds,
                           &(const opevo_i_cli_task_trial){
                               number, opevo_network_tuning_count(tuning), task->name, latency,
                               task->objective, task->best, trial->number, task->failed});
}

static void observe(void *context, const opevo_network_tuning *tuning, size_t number,
                    const opevo_trial *trial, bool resumed)
{
    shown_tuning *self = context;
    char which[128];

    if (opevo_i_cli_reasons_add(&self->reasons[number], trial, resumed) && !resumed) {
        snprintf(which, sizeof which, "%.120s, ", opevo_network_tuning_task(tuning, number)->name);
        opevo_i_cli_reasons_tell(self->call->verb->name, which, trial, &self->progress);
    }
    opevo_i_cli_spent_note(&self->spent, trial, resumed);
    if (opevo_i_cli_progress_due(&self->progress))
        draw(self, tuning, number, trial);
}

static void draw_finals(void *context, const opevo_network_tuning *tuning, size_t number)
{
    shown_tuning *self = context;
    const opevo_network_task_run *task = opevo_network_tuning_task(tuning, number);

    opevo_i_cli_tasks_draw_finals(&self->progress, number, opevo_network_tuning_count(tuning),
                                  task->name, task->finals);
}

/* ---- What came of it ---- */

static void print_off(const opevo_network_plan *plan, opevo_network_site_kind kind,
                      const char *head, opevo_text *out)
{
    for (int s = 0, found = 0; s < opevo_network_choices_sites(plan->choices); s++) {
        const opevo_network_site *site = opevo_network_choices_site(plan->choices, s);

        if (site->kind == kind && !site->on)
            opevo_text_printf(out, "%s%s", found++ ? ", " : head,
                              plan->inference->value[site->value].name);
        if (s + 1 == opevo_network_choices_sites(plan->choices) && found)
            opevo_text_add(out, "\n");
    }
}

static void print_choices(const opevo_network_plan *plan, bool tries, opevo_text *out)
{
    size_t decided = 0, all = (size_t)opevo_network_choices_sites(plan->choices);

    for (size_t s = 0; s < all; s++)
        decided += opevo_network_choices_site(plan->choices, (int)s)->measured;
    if (all == 0)
        return;
    opevo_text_printf(out, "%zu of %zu layouts and convolutions chosen by measured times%s\n",
                      decided, all,
                      tries ? "" : "; the trials are too few to try what might replace them");
    print_off(plan, OPEVO_NETWORK_SITE_LAYOUT, "not in blocks of channels: ", out);
    print_off(plan, OPEVO_NETWORK_SITE_CONVOLUTION, "not by Winograd's transforms: ", out);
}

/* The tasks whose kernels are those without tuning. */
static void print_untuned(const opevo_network_tuning *tuning, const opevo_network_library *library,
                          opevo_text *out)
{
    size_t untried = 0;

    for (size_t i = 0; i < opevo_network_tuning_count(tuning); i++) {
        const opevo_network_task_run *task = opevo_network_tuning_task(tuning, i);

        if (task->kept)
            opevo_text_printf(out,
                              "%s: none of its best schedules can take sizes; it has the kernel "
                              "without tuning\n",
                              task->name);
        if (task->task < 0 || task->result->best.number)
            continue;
        untried += task->result->trials == 0;
        if (task->result->trials)
            opevo_text_printf(out, "%s: none of its %llu trials succeeded; it has %s\n", task->name,
                              (unsigned long long)task->result->trials,
                              opevo_network_library_task(library, task->task)->fallback
                                  ? "plain loops"
                                  : "the kernel of the analytic start");
    }
    if (untried)
        opevo_text_printf(out, "%zu task%s had no trial: the kernel is that without tuning\n",
                          untried, opevo_i_cli_plural(untried));
}

static void describe(const opevo_call *call, const opevo_network_tuning *tuning, opevo_text *out)
{
    opevo_network_tuning_state state = opevo_network_tuning_state_of(tuning);
    char time[40];

    opevo_text_printf(out, "%zu", state.tuned);
    if (state.tuned < state.tasks)
        opevo_text_printf(out, " of %zu", state.tasks);
    opevo_text_printf(
        out, " task%s, %llu trials, %llu of them from the store, %llu failed; predicted latency",
        opevo_i_cli_plural(state.tasks), (unsigned long long)state.result->trials,
        (unsigned long long)state.result->resumed, (unsigned long long)state.result->failed);
    if (state.known > 0 && state.known < state.tasks)
        opevo_text_printf(out, " of %zu of %zu tasks", state.known, state.tasks);
    opevo_text_printf(out, ": %s\n", opevo_i_cli_tasks_time(state.latency_s, time, sizeof time));
    if (opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
        opevo_text_printf(out, "interrupted: the library has the best kernels so far%s\n",
                          opevo_i_cli_flag(call, "store")
                              ? "; the same command goes on"
                              : "; with --store the same command would go on");
}

static void add_json(const opevo_network_tuning *tuning, opevo_text *out)
{
    opevo_network_tuning_state state = opevo_network_tuning_state_of(tuning);

    opevo_json_open(out, "tuning", "{");
    opevo_json_double(out, "tasks", (double)state.tuned);
    opevo_json_double(out, "known", (double)state.known);
    opevo_json_double(out, "trials", (double)state.result->trials);
    opevo_json_double(out, "resumed", (double)state.result->resumed);
    opevo_json_double(out, "failed", (double)state.result->failed);
    opevo_json_double(out, "latency_s", state.latency_s);
    opevo_json_bool(out, "interrupted", opevo_interrupt_is_raised(&opevo_i_cli_interrupted));
    opevo_text_add(out, "}");
}

static void tell_workers(const shown_tuning *self, const opevo_network_tuning *tuning, bool ended)
{
    for (size_t i = 0; i < opevo_network_tuning_count(tuning); i++) {
        const opevo_network_task_run *task = opevo_network_tuning_task(tuning, i);

        opevo_i_cli_tell_run_workers(self->call->verb->name, task->objective, self->options.store,
                                     ended ? task->result : NULL, ended ? 1 : 0);
    }
}

opevo_status opevo_i_cli_library_tune(const opevo_call *call, opevo_network_plan *plan,
                                      const opevo_network_library_options *library_options,
                                      opevo_network_library **library, opevo_text *out,
                                      int *exit_code, opevo_error *err)
{
    shown_tuning self = {.call = call, .quiet = opevo_i_cli_flag(call, "quiet")};
    opevo_network_tuning *tuning = NULL;
    opevo_status status = OPEVO_OK;
    size_t count = 0;

    OPEVO_TRY(read_call(&self, *library, err));
    self.options.watch = (opevo_network_watch){&self, tell_batch, observe, draw_finals};
    opevo_i_cli_catch_while_waiting(&self.options.live);
    OPEVO_TRY(opevo_network_tuning_create(plan, *library, &self.options, &tuning, err));
    count = opevo_network_tuning_count(tuning);
    OPEVO_NEW(self.reasons, count, "%zu tasks", count);
    for (size_t i = 0; i < count; i++)
        opevo_i_cli_say_beyond_limit(
            opevo_live_maker(opevo_network_tuning_task(tuning, i)->objective));
    opevo_i_cli_catch_interrupts();
    opevo_i_cli_progress_start(&self.progress, self.quiet);
    status = opevo_network_tuning_run(tuning, library_options, library, err);
    opevo_i_cli_progress_end(&self.progress);
    tell_workers(&self, tuning, status == OPEVO_OK);
    OPEVO_TRY(status);
    if (opevo_i_cli_flag(call, "json")) {
        add_json(tuning, out);
    } else {
        print_untuned(tuning, *library, out);
        describe(call, tuning, out);
        if (plan->choices)
            print_choices(plan, opevo_network_tuning_state_of(tuning).tries, out);
    }
    if (opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
        *exit_code = OPEVO_EXIT_SIGINT;
    opevo_i_cli_tune_check_store(call->verb->name, self.options.store, exit_code);
cleanup:
    opevo_network_tuning_destroy(tuning);
    release(&self, count);
    return status;
}
