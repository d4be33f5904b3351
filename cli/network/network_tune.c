/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernels of a network, tuned within one budget: each task is a run like that of its
 * computation alone, and weighs as much as it occurs. Where passes have a choice, the times that
 * are measured decide. */

#include "network_cli_internal.h"
#include "tune_internal.h"

#include <opevo/live.h>
#include <opevo/memory.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Trials that each task gets before it is given up where another one in its place is clearly
 * faster; what further ones are expected to gain at most; and by how much a task must be faster
 * than those of the passes alone: best times of few trials are noisy. */
enum { PROBE = 8, TRIALS_OF_EACH = 500 };
#define SHARE .25
#define MARGIN .03

/* The call of `opevo tune` that does it: arguments are computations. Those of the network as it is
 * come first, then those that might take their place. */
typedef struct tuned {
    const opevo_call *call;
    opevo_network_choices *choices; /* NULL: none */
    opevo_call tune;
    opevo_text *text;       /* of each task: the definitions in one line */
    const char **what;      /* the same */
    int *task;              /* of the library; -1: none */
    int *candidate;         /* of the choices; -1: none */
    char **name;            /* for the progress line */
    size_t count, own;      /* of the network as it is */
    uint64_t probe;         /* trials of a round of the others */
    double *time_s, *worth; /* of each candidate */
    char trials[24];
    opevo_text weights;
    opevo_given *given;
} tuned;

static void release(tuned *self)
{
    for (size_t i = 0; i < self->count; i++) {
        opevo_text_free(&self->text[i]);
        opevo_free(self->name[i]);
    }
    opevo_free(self->text);
    opevo_free(self->what);
    opevo_free(self->task);
    opevo_free(self->candidate);
    opevo_free(self->name);
    opevo_free(self->time_s);
    opevo_free(self->worth);
    opevo_free(self->given);
    opevo_text_free(&self->weights);
}

/* Of the library or, with -1, of the choices. */
static opevo_status add_task(tuned *self, const opevo_computation *computation,
                             const char *operation, int task, int candidate, int count,
                             opevo_error *err)
{
    opevo_text name = {0};
    opevo_status status = OPEVO_OK;
    size_t i = self->count;

    opevo_computation_print(computation, "; ", &self->text[i]);
    opevo_text_printf(&name, task < 0 ? "%s (instead, %d)" : "%s (%d)", operation,
                      task < 0 ? candidate : task);
    self->name[i] = opevo_strdup(opevo_text_string(&name));
    self->what[i] = opevo_text_string(&self->text[i]);
    self->task[i] = task;
    self->candidate[i] = candidate;
    self->count++;
    opevo_text_printf(&self->weights, "%s%d", i ? "," : "", count);
    OPEVO_TRY(opevo_text_check(&self->text[i], err));
    OPEVO_TRY(opevo_text_check(&self->weights, err));
    if (!self->name[i])
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tasks of the network.");
cleanup:
    opevo_text_free(&name);
    return status;
}

/* Kernels are tuned for as many threads as the library is made for, and without a limit as long as
 * if there were nothing to choose. */
static void make_call(tuned *self)
{
    static const opevo_option weights = {"weights", "W,W,...", "", false},
                              threads = {"threads", "N", "", false},
                              trials = {"trials", "N", "", false};

    self->tune = *self->call;
    self->tune.arguments = (void *)self->what;
    self->tune.argument_count = self->count;
    memcpy(self->given, self->call->given, self->call->given_count * sizeof *self->given);
    self->given[self->tune.given_count++] =
        (opevo_given){&weights, opevo_text_string(&self->weights)};
    if (!opevo_i_cli_flag(self->call, "threads") && !opevo_i_cli_network_for_gpu(self->call))
        self->given[self->tune.given_count++] = (opevo_given){&threads, "0"};
    if (!opevo_i_cli_flag(self->call, "trials") && !opevo_i_cli_flag(self->call, "seconds")) {
        snprintf(self->trials, sizeof self->trials, "%zu", TRIALS_OF_EACH * self->own);
        self->given[self->tune.given_count++] = (opevo_given){&trials, self->trials};
    }
    self->tune.given = self->given;
}

static int find_candidate(const tuned *self, const opevo_computation *computation)
{
    int count = self->choices ? opevo_network_choices_candidates(self->choices) : 0, i = 0;

    while (i < count &&
           !opevo_network_is_same_task(
               opevo_network_choices_candidate(self->choices, i)->computation, computation))
        i++;
    return i < count ? i : -1;
}

/* How many trials each of so many tasks may have first: all together at most a quarter, and no more
 * than the tasks of the network leave; 0: too few. */
static opevo_status read_probe(const tuned *self, size_t others, uint64_t *out, opevo_error *err)
{
    uint64_t trials = 0, all = 0;
    opevo_status status = opevo_i_cli_option_count(
        self->call, "trials",
        opevo_i_cli_flag(self->call, "seconds") ? 0 : TRIALS_OF_EACH * self->own, 1, UINT64_MAX,
        &trials, err);

    if (status != OPEVO_OK)
        return status;
    all = trials < self->own ? 0 : trials - self->own;
    all = trials / 4 < all ? trials / 4 : all;
    *out = trials && others && all / others < PROBE ? all / others : PROBE;
    return OPEVO_OK;
}

/* What might take the place of tasks, if there are trials for it. */
static opevo_status add_others(tuned *self, const opevo_network_library *library, opevo_error *err)
{
    int count = opevo_network_choices_candidates(self->choices);
    bool *others = opevo_calloc((size_t)count + 1, sizeof *others);
    opevo_status status = OPEVO_OK;
    size_t found = 0;

    if (!others)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tasks of the network.");
    for (int i = 0; i < count; i++) {
        const opevo_network_candidate *one = opevo_network_choices_candidate(self->choices, i);

        if (one->count == 0)
            OPEVO_TRY(
                opevo_network_library_has_sketches(library, one->computation, &others[i], err));
        found += others[i];
    }
    OPEVO_TRY(read_probe(self, found, &self->probe, err));
    for (int i = 0; i < count && self->probe; i++) {
        const opevo_network_candidate *one = opevo_network_choices_candidate(self->choices, i);

        if (others[i])
            OPEVO_TRY(add_task(self, one->computation, one->operation, -1, i, 0, err));
    }
cleanup:
    opevo_free(others);
    return status;
}

static opevo_status start(tuned *self, const opevo_network_library *library, opevo_error *err)
{
    size_t candidates = self->choices ? (size_t)opevo_network_choices_candidates(self->choices) : 0;
    size_t tasks = (size_t)opevo_network_library_tasks(library) + candidates + 1;
    opevo_status status = OPEVO_OK;

    self->text = opevo_calloc(tasks, sizeof *self->text);
    self->what = opevo_calloc(tasks, sizeof *self->what);
    self->task = opevo_calloc(tasks, sizeof *self->task);
    self->candidate = opevo_calloc(tasks, sizeof *self->candidate);
    self->name = opevo_calloc(tasks, sizeof *self->name);
    self->time_s = opevo_calloc(candidates + 1, sizeof *self->time_s);
    self->worth = opevo_calloc(candidates + 1, sizeof *self->worth);
    self->given = opevo_calloc(self->call->given_count + 3, sizeof *self->given);
    if (!self->text || !self->what || !self->task || !self->candidate || !self->name ||
        !self->time_s || !self->worth || !self->given)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tasks of the network.");
    for (int t = 0; t < opevo_network_library_tasks(library); t++) {
        const opevo_network_kernel *task = opevo_network_library_task(library, t);

        if (task->has_sketches)
            OPEVO_TRY(add_task(self, task->computation, task->operation, t,
                               find_candidate(self, task->computation), task->count, err));
    }
    if (self->count == 0)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "No computation of the network has sketches."));
    self->own = self->count;
    if (self->choices)
        OPEVO_TRY(add_others(self, library, err));
    make_call(self);
cleanup:
    return status;
}

/* ---- Choosing by times ---- */

/* Decide by the best times so far, and weigh tasks anew. */
static opevo_status decide(opevo_i_cli_tasks *tasks, opevo_error *err)
{
    tuned *self = tasks->context;
    int candidates = opevo_network_choices_candidates(self->choices);
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < candidates; i++)
        self->time_s[i] = NAN;
    for (size_t i = 0; i < self->count; i++)
        if (self->candidate[i] >= 0)
            self->time_s[self->candidate[i]] = opevo_scheduler_task(tasks->scheduler, i)->best_s *
                                               (i < self->own ? 1 : 1 + MARGIN);
    opevo_network_choices_decide(self->choices, self->time_s);
    opevo_network_choices_weigh(self->choices, self->time_s, SHARE, self->worth);
    tasks->network_tasks = 0;
    for (int i = 0; i < candidates; i++)
        tasks->network_tasks += opevo_network_choices_candidate(self->choices, i)->count > 0;
    for (size_t i = 0; i < self->count && status == OPEVO_OK; i++) {
        int number = self->candidate[i];
        int count = number < 0 ? 0 : opevo_network_choices_candidate(self->choices, number)->count;

        if (number >= 0)
            status = opevo_i_cli_tasks_weigh(tasks, i, count, self->worth[number],
                                             count ? 0 : self->probe, err);
        /* There may be more of those than processes or files that can be open. */
        if (number >= 0 && count == 0)
            opevo_live_rest(tasks->tunings[i].objective);
    }
    return status;
}

/* Rounds as long as if there were nothing to choose, but each task has one. */
static void let_choose(tuned *self, opevo_i_cli_tasks *tasks)
{
    uint64_t others = (self->count - self->own) * self->probe, trials = tasks->options.trials;
    uint64_t share = OPEVO_SCHEDULER_ROUND;

    assert(self->own > 0);
    if (trials)
        share = (trials - others) / self->own;
    tasks->between = decide;
    tasks->context = self;
    tasks->options.round = share < OPEVO_SCHEDULER_ROUND ? share : OPEVO_SCHEDULER_ROUND;
}

static void print_off(const tuned *self, const opevo_network_inference *inference,
                      opevo_network_site_kind kind, const char *head, opevo_text *out)
{
    for (int s = 0, found = 0; s < opevo_network_choices_sites(self->choices); s++) {
        const opevo_network_site *site = opevo_network_choices_site(self->choices, s);

        if (site->kind == kind && !site->on)
            opevo_text_printf(out, "%s%s", found++ ? ", " : head,
                              inference->value[site->value].name);
        if (s + 1 == opevo_network_choices_sites(self->choices) && found)
            opevo_text_add(out, "\n");
    }
}

static void print_choices(const tuned *self, const opevo_network_inference *inference,
                          opevo_text *out)
{
    size_t decided = 0, all = (size_t)opevo_network_choices_sites(self->choices);

    for (size_t s = 0; s < all; s++)
        decided += opevo_network_choices_site(self->choices, (int)s)->measured;
    if (all == 0)
        return;
    opevo_text_printf(out, "%zu of %zu layouts and convolutions chosen by measured times%s\n",
                      decided, all,
                      self->probe ? "" : "; the trials are too few to try what might replace them");
    print_off(self, inference, OPEVO_NETWORK_SITE_LAYOUT, "not in blocks of channels: ", out);
    print_off(self, inference, OPEVO_NETWORK_SITE_CONVOLUTION,
              "not by Winograd's transforms: ", out);
}

/* The library of the network as it is chosen, in the place of the one before. */
static opevo_status make_again(tuned *self, opevo_i_cli_network_plan *plan,
                               opevo_network_library **library, opevo_error *err)
{
    opevo_network_library *made = NULL;
    opevo_status status = OPEVO_OK;

    opevo_network_choices_apply(self->choices, plan->fused);
    OPEVO_TRY(opevo_network_inference_pass(plan->fused, plan->passes, err));
    OPEVO_TRY(opevo_i_cli_library_create(self->call, plan->fused, plan->reference, &made, err));
    opevo_network_library_destroy(*library);
    *library = made;
    plan->inference = plan->fused;
    for (size_t i = 0; i < self->count; i++) {
        const opevo_computation *computation =
            self->candidate[i] < 0
                ? NULL
                : opevo_network_choices_candidate(self->choices, self->candidate[i])->computation;

        self->task[i] = -1;
        for (int t = 0; computation && t < opevo_network_library_tasks(made); t++)
            if (opevo_network_is_same_task(opevo_network_library_task(made, t)->computation,
                                           computation))
                self->task[i] = t;
    }
cleanup:
    return status;
}

static bool is_changed(const tuned *self)
{
    bool changed = false;

    for (int s = 0; self->choices && s < opevo_network_choices_sites(self->choices); s++)
        changed |= !opevo_network_choices_site(self->choices, s)->on;
    return changed;
}

/* ---- What came of it ---- */

/* *sum_s and *known: over the tasks that have a success. */
static opevo_status take(const tuned *self, const opevo_i_cli_tasks *tasks,
                         opevo_network_library *library, opevo_text *out, double *sum_s,
                         size_t *known, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t untried = 0;

    *sum_s = 0;
    *known = 0;
    for (size_t i = 0; i < self->count; i++) {
        const opevo_i_cli_tuning *tuning = &tasks->tunings[i];
        const opevo_network_kernel *task = NULL;
        opevo_index point = 0;
        double fitness = 0, time_s = 0;

        if (self->task[i] < 0)
            continue;
        task = opevo_network_library_task(library, self->task[i]);
        if (!opevo_i_cli_tune_best(tuning, &point, &fitness)) {
            untried += tuning->results[0].trials == 0;
            if (tuning->results[0].trials)
                opevo_text_printf(out, "%s: none of its %llu trials succeeded; it has %s\n",
                                  self->name[i], (unsigned long long)tuning->results[0].trials,
                                  task->fallback ? "plain loops"
                                                 : "the kernel of the analytic start");
            continue;
        }
        time_s = opevo_objective_time_s(tuning->objective, fitness);
        *sum_s += task->count * time_s;
        ++*known;
        OPEVO_TRY(opevo_network_library_choose(
            library, self->task[i], opevo_live_maker(tuning->objective), point, time_s, err));
    }
    if (untried)
        opevo_text_printf(out, "%zu task%s had no trial: the kernel is that without tuning\n",
                          untried, opevo_i_cli_plural(untried));
cleanup:
    return status;
}

static void describe(const opevo_call *call, const opevo_i_cli_tasks *tasks, double sum_s,
                     size_t known, opevo_text *out)
{
    size_t all = tasks->network_tasks, used = 0; /* also those without sketches */
    bool interrupted = opevo_interrupt_is_raised(&opevo_i_cli_interrupted);
    char time[40];

    for (size_t i = 0; i < tasks->count; i++)
        used += !tasks->between || tasks->weights[i] > 0;
    opevo_text_printf(out, "%zu", used);
    if (used < all)
        opevo_text_printf(out, " of %zu", all);
    opevo_text_printf(
        out, " task%s, %llu trials, %llu of them from the store, %llu failed; predicted latency",
        opevo_i_cli_plural(all), (unsigned long long)tasks->result.trials,
        (unsigned long long)tasks->result.resumed, (unsigned long long)tasks->result.failed);
    if (known > 0 && known < all)
        opevo_text_printf(out, " of %zu of %zu tasks", known, all);
    opevo_text_printf(out, ": %s\n",
                      opevo_i_cli_tasks_time(known ? sum_s : NAN, time, sizeof time));
    if (interrupted)
        opevo_text_printf(out, "interrupted: the library has the best kernels so far%s\n",
                          opevo_i_cli_flag(call, "store")
                              ? "; the same command goes on"
                              : "; with --store the same command would go on");
}

/* "model.onnx", and the shapes that the call gives: "model.onnx, x=1,3,224,224". */
static void add_name(const opevo_call *call, opevo_text *out)
{
    opevo_text_add(out, opevo_i_cli_network_name(call));
    for (size_t i = 0; i < call->given_count; i++) {
        if (strcmp(call->given[i].option->name, "shape") == 0)
            opevo_text_printf(out, ", %s", call->given[i].value);
    }
}

opevo_status opevo_i_cli_library_tune(const opevo_call *call, opevo_i_cli_network_plan *plan,
                                      opevo_network_library **library, opevo_text *out,
                                      int *exit_code, opevo_error *err)
{
    tuned self = {.call = call, .choices = plan->choices};
    opevo_i_cli_tasks tasks = {.network_tasks = (size_t)opevo_network_library_tasks(*library)};
    opevo_status status = OPEVO_OK;
    opevo_text name = {0};
    double sum_s = 0;
    size_t known = 0;

    add_name(call, &name);
    OPEVO_TRY(opevo_text_check(&name, err));
    tasks.network = opevo_text_string(&name);
    OPEVO_TRY(start(&self, *library, err));
    OPEVO_TRY(opevo_i_cli_tasks_read(&self.tune, &tasks, err));
    for (size_t i = 0; i < self.count; i++)
        tasks.names[i] = self.name[i];
    if (self.count > self.own)
        let_choose(&self, &tasks);
    OPEVO_TRY(opevo_i_cli_tasks_run(&tasks, opevo_i_cli_flag(call, "quiet"), err));
    if (is_changed(&self))
        OPEVO_TRY(make_again(&self, plan, library, err));
    if (tasks.store)
        OPEVO_TRY(opevo_i_cli_library_note_memory(*library, &tasks, self.task, err));
    OPEVO_TRY(take(&self, &tasks, *library, out, &sum_s, &known, err));
    describe(call, &tasks, sum_s, known, out);
    if (self.choices)
        print_choices(&self, plan->inference, out);
    if (opevo_interrupt_is_raised(&opevo_i_cli_interrupted))
        *exit_code = OPEVO_EXIT_SIGINT;
    opevo_i_cli_tune_check_store(call->verb->name, tasks.store, exit_code);
cleanup:
    opevo_i_cli_tasks_free(&tasks);
    opevo_text_free(&name);
    release(&self);
    return status;
}
