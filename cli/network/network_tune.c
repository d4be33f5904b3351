/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernels of a network, tuned within one budget: each task is a run like that of its computation
 * alone, and weighs as much as it occurs. */

#include "network_internal.h"
#include "tune_internal.h"

#include <opevo/live.h>
#include <opevo/memory.h>

#include <math.h>
#include <string.h>

/* The call of `opevo tune` that does it: arguments are computations. */
typedef struct tuned {
    const opevo_call *call;
    opevo_call tune;
    opevo_text *text;  /* of each task: the definitions in one line */
    const char **what; /* the same */
    int *task;         /* of the library */
    char **name;       /* for the progress line */
    size_t count;
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
    opevo_free(self->name);
    opevo_free(self->given);
    opevo_text_free(&self->weights);
}

static opevo_status add_task(tuned *self, const opevo_network_task *task, int number,
                             opevo_error *err)
{
    opevo_computation *computation = NULL;
    opevo_text name = {0};
    opevo_status status = OPEVO_OK;
    size_t i = self->count;

    OPEVO_TRY(opevo_computation_parse(task->text, "definitions", NULL, 0, &computation, err));
    opevo_computation_print(computation, "; ", &self->text[i]);
    opevo_text_printf(&name, "%s (%d)", task->operation, number);
    self->name[i] = opevo_strdup(opevo_text_string(&name));
    self->what[i] = opevo_text_string(&self->text[i]);
    self->task[i] = number;
    self->count++;
    opevo_text_printf(&self->weights, "%s%d", i ? "," : "", task->count);
    OPEVO_TRY(opevo_text_check(&self->text[i], err));
    OPEVO_TRY(opevo_text_check(&self->weights, err));
    if (!self->name[i])
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tasks of the network.");
cleanup:
    opevo_text_free(&name);
    opevo_computation_destroy(computation);
    return status;
}

/* Kernels are tuned for as many threads as the library is made for. */
static void make_call(tuned *self)
{
    static const opevo_option weights = {"weights", "W,W,...", "", false},
                              threads = {"threads", "N", "", false};

    self->tune = *self->call;
    self->tune.arguments = (void *)self->what;
    self->tune.argument_count = self->count;
    memcpy(self->given, self->call->given, self->call->given_count * sizeof *self->given);
    self->given[self->tune.given_count++] =
        (opevo_given){&weights, opevo_text_string(&self->weights)};
    if (!opevo_i_flag(self->call, "threads") && !opevo_i_network_for_gpu(self->call))
        self->given[self->tune.given_count++] = (opevo_given){&threads, "0"};
    self->tune.given = self->given;
}

static opevo_status start(tuned *self, const opevo_network_library *library, opevo_error *err)
{
    size_t tasks = (size_t)opevo_network_library_tasks(library) + 1;
    opevo_status status = OPEVO_OK;

    self->text = opevo_calloc(tasks, sizeof *self->text);
    self->what = opevo_calloc(tasks, sizeof *self->what);
    self->task = opevo_calloc(tasks, sizeof *self->task);
    self->name = opevo_calloc(tasks, sizeof *self->name);
    self->given = opevo_calloc(self->call->given_count + 2, sizeof *self->given);
    if (!self->text || !self->what || !self->task || !self->name || !self->given)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the tasks of the network.");
    for (int t = 0; t < opevo_network_library_tasks(library); t++) {
        const opevo_network_task *task = opevo_network_library_task(library, t);

        if (task->has_sketches)
            OPEVO_TRY(add_task(self, task, t, err));
    }
    if (self->count == 0)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "No computation of the network has sketches."));
    make_call(self);
cleanup:
    return status;
}

/* ---- What came of it ---- */

/* *sum_s and *known: over the tasks that have a success. */
static opevo_status take(const tuned *self, const opevo_i_tasks *tasks,
                         opevo_network_library *library, opevo_text *out, double *sum_s,
                         size_t *known, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t untried = 0;

    *sum_s = 0;
    *known = 0;
    for (size_t i = 0; i < self->count; i++) {
        const opevo_i_tuning *tuning = &tasks->tunings[i];
        const opevo_network_task *task = opevo_network_library_task(library, self->task[i]);
        opevo_index point = 0;
        double fitness = 0, time_s = 0;

        if (!opevo_i_tune_best(tuning, &point, &fitness)) {
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
                          untried, opevo_i_plural(untried));
cleanup:
    return status;
}

static void describe(const opevo_call *call, const opevo_i_tasks *tasks, double sum_s, size_t known,
                     opevo_text *out)
{
    size_t all = tasks->network_tasks; /* also those without sketches */
    bool interrupted = opevo_interrupt_is_raised(&opevo_i_interrupted);
    char time[40];

    opevo_text_printf(out, "%zu", tasks->count);
    if (tasks->count < all)
        opevo_text_printf(out, " of %zu", all);
    opevo_text_printf(
        out, " task%s, %llu trials, %llu of them from the store, %llu failed; predicted latency",
        opevo_i_plural(all), (unsigned long long)tasks->result.trials,
        (unsigned long long)tasks->result.resumed, (unsigned long long)tasks->result.failed);
    if (known > 0 && known < all)
        opevo_text_printf(out, " of %zu of %zu tasks", known, all);
    opevo_text_printf(out, ": %s\n", opevo_i_tasks_time(known ? sum_s : NAN, time, sizeof time));
    if (interrupted)
        opevo_text_printf(out, "interrupted: the library has the best kernels so far%s\n",
                          opevo_i_flag(call, "store")
                              ? "; the same command goes on"
                              : "; with --store the same command would go on");
}

/* "model.onnx", and the shapes that the call gives: "model.onnx, x=1,3,224,224". */
static void add_name(const opevo_call *call, opevo_text *out)
{
    opevo_text_add(out, opevo_i_network_name(call));
    for (size_t i = 0; i < call->given_count; i++) {
        if (strcmp(call->given[i].option->name, "shape") == 0)
            opevo_text_printf(out, ", %s", call->given[i].value);
    }
}

opevo_status opevo_i_library_tune(const opevo_call *call, opevo_network_library *library,
                                  opevo_text *out, int *exit_code, opevo_error *err)
{
    tuned self = {.call = call};
    opevo_i_tasks tasks = {.network_tasks = (size_t)opevo_network_library_tasks(library)};
    opevo_status status = OPEVO_OK;
    opevo_text name = {0};
    double sum_s = 0;
    size_t known = 0;

    add_name(call, &name);
    OPEVO_TRY(opevo_text_check(&name, err));
    tasks.network = opevo_text_string(&name);
    OPEVO_TRY(start(&self, library, err));
    OPEVO_TRY(opevo_i_tasks_read(&self.tune, &tasks, err));
    for (size_t i = 0; i < self.count; i++)
        tasks.names[i] = self.name[i];
    OPEVO_TRY(opevo_i_tasks_run(&tasks, opevo_i_flag(call, "quiet"), err));
    if (tasks.store)
        OPEVO_TRY(opevo_i_library_note_memory(library, &tasks, self.task, err));
    OPEVO_TRY(take(&self, &tasks, library, out, &sum_s, &known, err));
    describe(call, &tasks, sum_s, known, out);
    if (opevo_interrupt_is_raised(&opevo_i_interrupted))
        *exit_code = OPEVO_EXIT_SIGINT;
    opevo_i_tune_check_store(call->verb->name, tasks.store, exit_code);
cleanup:
    opevo_i_tasks_free(&tasks);
    opevo_text_free(&name);
    release(&self);
    return status;
}
