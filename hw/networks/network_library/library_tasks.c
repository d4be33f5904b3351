/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tasks of a library: equal computations share a kernel, and constants are laid out once. */

#include "library_internal.h"

#include <opevo/emit.h>
#include <opevo/memory.h>
#include <opevo/network_tasks.h>
#include <opevo/pipeline.h>
#include <opevo/sketch.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int opevo_i_library_operand(const opevo_i_library_task *task, const opevo_network_step *step, int i)
{
    const char *name = task->work->list.item[i].name;
    long number = strtol(name + 1, NULL, 10);

    if (i < task->work->list.inputs)
        return number < step->inputs ? step->input[number] : -1;
    return number < step->outputs ? step->output[number] : -1;
}

/* ---- Kernels ---- */

static opevo_status step(opevo_pipeline *pipeline, opevo_pipeline_step_kind kind, int stage,
                         int count, const int64_t *numbers, opevo_error *err)
{
    opevo_pipeline_step one = {.kind = kind, .stage = stage, .count = count};

    memcpy(one.number, numbers, (size_t)count * sizeof *numbers);
    return opevo_pipeline_apply(pipeline, &one, err);
}

/* On a GPU each definition is a kernel, whose elements are divided among blocks of threads. */
static opevo_status bind_stages(opevo_pipeline *pipeline, opevo_error *err)
{
    enum { THREADS = 128 };
    opevo_status status = OPEVO_OK;

    for (int s = 0; s < opevo_pipeline_stage_count(pipeline); s++) {
        opevo_stage_info stage = opevo_pipeline_stage(pipeline, s);
        int64_t loops[OPEVO_PIPELINE_NUMBERS];

        if (stage.kind != OPEVO_STAGE_DEFINED || stage.dims == 0)
            continue;
        for (int d = 0; d < stage.dims; d++)
            loops[d] = d;
        if (stage.dims > 1)
            OPEVO_TRY(step(pipeline, OPEVO_PIPELINE_FUSE, s, stage.dims, loops, err));
        OPEVO_TRY(step(pipeline, OPEVO_PIPELINE_SPLIT, s, 2, (int64_t[]){0, THREADS}, err));
        OPEVO_TRY(step(pipeline, OPEVO_PIPELINE_ANNOTATE, s, 2,
                       (int64_t[]){0, OPEVO_ANNOTATION_BLOCK_X}, err));
        OPEVO_TRY(step(pipeline, OPEVO_PIPELINE_ANNOTATE, s, 2,
                       (int64_t[]){1, OPEVO_ANNOTATION_THREAD_X}, err));
    }
cleanup:
    return status;
}

/* All definitions as they stand; what a task gets that has no analytic start. */
static opevo_status make_plain(const opevo_network_library *self, opevo_i_library_task *task,
                               opevo_error *err)
{
    opevo_kernel_dialect dialect = self->options.dialect;
    const opevo_limits none = {0};
    const opevo_limits limits =
        opevo_kernel_is_for_cpu(dialect) ? none : opevo_limits_default(dialect);
    opevo_pipeline *pipeline = NULL;
    opevo_text why = {0};
    opevo_status status = OPEVO_OK;
    bool fits = false;

    OPEVO_TRY(opevo_pipeline_create(task->work->computation, &pipeline, err));
    if (!opevo_kernel_is_for_cpu(dialect))
        OPEVO_TRY(bind_stages(pipeline, err));
    if (self->options.freestanding)
        OPEVO_TRY(opevo_i_library_free_schedule(pipeline, err));
    OPEVO_TRY(
        opevo_i_library_free_axes(pipeline, opevo_i_library_axes(self, task->super.step), err));
    OPEVO_TRY(opevo_pipeline_emit(pipeline, dialect, &limits, &task->kernel, &fits, &why, err));
    if (!fits)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "It has no kernel: %s", opevo_text_string(&why));
cleanup:
    opevo_pipeline_destroy(pipeline);
    opevo_text_free(&why);
    return status;
}

/* Leaves the kernel empty where there is no start. */
static opevo_status make_start(const opevo_network_library *self, opevo_i_library_task *task,
                               const opevo_kernel_maker *maker, opevo_error *err)
{
    const opevo_network_free_axes *axes = opevo_i_library_axes(self, task->super.step);
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    opevo_status status = OPEVO_OK;
    opevo_index point = 0;
    bool found = false;

    OPEVO_TRY(maker->ops->start(maker, &self->options.facts, &found, &point, err));
    if (!found) {
        task->super.fallback = "its sketches have no analytic start";
        goto cleanup;
    }
    if (axes->count) {
        OPEVO_TRY(
            opevo_i_library_dynamic_kernel(task, maker, point, axes, &task->kernel, &why, err));
        if (!task->kernel.source.length)
            task->super.fallback = "the kernel of its analytic start cannot take sizes";
        goto cleanup;
    }
    OPEVO_TRY(maker->ops->make(maker, point, &task->kernel, &refused, &why, err));
    if (refused != OPEVO_OUTCOME_OK) {
        opevo_kernel_free(&task->kernel);
        task->kernel = (opevo_kernel){0};
        task->super.fallback = "the kernel of its analytic start breaks a limit";
    }
cleanup:
    opevo_text_free(&why);
    return status;
}

/* *out: NULL without sketches. */
static opevo_status open_sketches(const opevo_computation *of,
                                  const opevo_network_library_options *options,
                                  opevo_kernel_maker **out, opevo_error *err)
{
    const opevo_sketch_target target = {
        .dialect = options->dialect, .cores = options->threads, .threads = options->threads};
    opevo_status status = OPEVO_OK;

    *out = NULL;
    status = opevo_sketch_store_open(options->sketches, of, &target, out, err);
    return status == OPEVO_LIMIT ? OPEVO_OK : status;
}

opevo_status opevo_network_library_has_sketches(const opevo_network_library *library,
                                                const opevo_computation *computation, bool *out,
                                                opevo_error *err)
{
    opevo_kernel_maker *maker = NULL;
    opevo_status status = open_sketches(computation, &library->options, &maker, err);

    if (status == OPEVO_OK)
        *out = maker != NULL;
    if (maker)
        maker->ops->destroy(maker);
    return status;
}

/* Its functions are visible to the whole program, as those of the library are. */
static void name_kernel(const opevo_network_library *self, opevo_kernel *kernel)
{
    static const char head[] = "opevo";
    char before[OPEVO_KERNEL_NAME], entry[2 * OPEVO_KERNEL_NAME];

    if (strcmp(self->name, "net") == 0 || strncmp(kernel->entry, head, strlen(head)) != 0)
        return;
    snprintf(before, sizeof before, "%s", kernel->entry);
    snprintf(entry, sizeof entry, "%s%s", self->name, before + strlen(head));
    opevo_kernel_rename(kernel, before, entry);
}

static opevo_status make_kernel(const opevo_network_library *self, opevo_i_library_task *task,
                                opevo_error *err)
{
    const opevo_network_library_options *options = &self->options;
    opevo_kernel_maker *maker = NULL;
    opevo_status status = OPEVO_OK;

    if (options->freestanding) {
        OPEVO_TRY(make_plain(self, task, err));
        name_kernel(self, &task->kernel);
        goto cleanup;
    }
    OPEVO_TRY(open_sketches(task->super.member, options, &maker, err));
    task->super.has_sketches = maker != NULL;
    if (maker)
        OPEVO_TRY(make_start(self, task, maker, err));
    else
        task->super.fallback = "it exceeds a limit of sketches";
    if (!task->kernel.source.length)
        OPEVO_TRY(make_plain(self, task, err));
    name_kernel(self, &task->kernel);
cleanup:
    if (maker)
        maker->ops->destroy(maker);
    return status;
}

opevo_status opevo_i_library_kernel_at(const opevo_kernel_maker *maker, opevo_index point,
                                       opevo_kernel *out, opevo_error *err)
{
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    opevo_status status = maker->ops->make(maker, point, out, &refused, &why, err);

    if (status == OPEVO_OK && refused != OPEVO_OUTCOME_OK)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s", opevo_text_string(&why));
    if (status != OPEVO_OK)
        opevo_kernel_free(out);
    opevo_text_free(&why);
    return status;
}

opevo_status opevo_network_library_choose(opevo_network_library *self, int number,
                                          const opevo_kernel_maker *maker, opevo_index point,
                                          double time_s, opevo_error *err)
{
    opevo_i_library_task *task = &self->task[number];
    const opevo_network_free_axes *axes = opevo_i_library_axes(self, task->super.step);
    opevo_kernel kernel = {0};
    opevo_text why = {0};
    opevo_status status =
        axes->count ? opevo_i_library_dynamic_kernel(task, maker, point, axes, &kernel, &why, err)
                    : opevo_i_library_kernel_at(maker, point, &kernel, err);

    if (status == OPEVO_OK && !kernel.source.length)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s", opevo_text_string(&why));
    opevo_text_free(&why);
    if (status != OPEVO_OK)
        return status;
    opevo_kernel_free(&task->kernel);
    task->kernel = kernel;
    name_kernel(self, &task->kernel);
    task->super.time_s = time_s;
    task->super.fallback = NULL;
    return OPEVO_OK;
}

/* ---- Tasks ---- */

static int find_task(const opevo_network_library *self, int n)
{
    const opevo_computation *computation = self->inference->step[n].computation;
    uint64_t hash = opevo_computation_hash(computation);
    int number = 0;

    while (number < self->tasks &&
           (self->task[number].hash != hash ||
            !opevo_network_is_same_task(self->task[number].super.computation, computation) ||
            !opevo_i_library_same_axes(self, self->task[number].super.step, n)))
        number++;
    return number;
}

static opevo_status add_task(opevo_network_library *self, int n, opevo_error *err)
{
    const opevo_network_step *step = &self->inference->step[n];
    const opevo_network_dynamic *dynamic = self->inference->dynamic;
    opevo_i_library_task *task = &self->task[self->tasks];
    opevo_computation *computation = opevo_computation_share(step->computation);
    opevo_status status = OPEVO_OK;

    task->hash = opevo_computation_hash(computation);
    task->super =
        (opevo_network_kernel){.computation = step->computation,
                               .member = dynamic && dynamic->axes[n].tuned
                                             ? dynamic->at[dynamic->tuned]->step[n].computation
                                             : step->computation,
                               .operation = step->operation,
                               .step = n,
                               .time_s = NAN};
    self->tasks++;
    task->in_place = opevo_computation_in_place(computation);
    OPEVO_TRY(opevo_workload_adopt(computation, &task->work, err));
    OPEVO_TRY(make_kernel(self, task, err));
cleanup:
    return status;
}

/* Why a step has no code; NULL: it has. */
static const char *refusal(opevo_network_library *self, const opevo_network_step *step)
{
    if (step->kind == OPEVO_NETWORK_STEP_NODE) {
        int64_t bytes = 0;
        const char *why = opevo_i_library_node_refusal(self, step, &bytes);

        self->routine_bytes = bytes > self->routine_bytes ? bytes : self->routine_bytes;
        return why;
    }
    for (int i = 0; i < step->inputs && opevo_i_library_is_for_gpu(self); i++) {
        const opevo_array *array =
            step->input[i] < 0 ? NULL : &self->inference->value[step->input[i]].array;

        if (step->kind != OPEVO_NETWORK_STEP_VIEW && array &&
            array->type != OPEVO_NETWORK_FLOAT32 && !array->data)
            return "it reads another type than float32";
    }
    return NULL;
}

/* Name all steps without code at once, before kernels are made. */
static opevo_status check_steps(opevo_network_library *self, const opevo_memory_plan *needs,
                                opevo_error *err)
{
    enum { NAMED = 5 };
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;
    int refused = 0;

    for (int n = 0; n < self->inference->steps; n++) {
        const opevo_network_step *step = &self->inference->step[n];
        const char *why = opevo_memory_plan_needs(needs, step) ? refusal(self, step) : NULL;

        if (why && refused++ < NAMED)
            opevo_text_printf(&text, "%sstep '%.60s' (%.40s): %s", refused > 1 ? "; " : "",
                              step->name, step->operation, why);
    }
    OPEVO_TRY(opevo_text_check(&text, err));
    if (refused > NAMED)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%.800s; and %d more.", opevo_text_string(&text),
                            refused - NAMED);
    else if (refused)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%.900s.", opevo_text_string(&text));
cleanup:
    opevo_text_free(&text);
    return status;
}

static opevo_status add_step(opevo_network_library *self, int n, opevo_error *err)
{
    const opevo_network_step *step = &self->inference->step[n];
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;

    if (step->kind != OPEVO_NETWORK_STEP_COMPUTE)
        return OPEVO_OK;
    self->task_of[n] = find_task(self, n);
    if (self->task_of[n] == self->tasks)
        status = add_task(self, n, &inner);
    self->task[self->task_of[n]].super.count++;
    if (status != OPEVO_OK)
        OPEVO_FAIL(err, status, "step '%.200s' (%.60s): %.600s", step->name, step->operation,
                   inner.message);
    return status;
}

opevo_status opevo_i_library_tasks(opevo_network_library *self, opevo_error *err)
{
    size_t steps = (size_t)self->inference->steps + 1;
    opevo_memory_plan *needs = NULL;
    opevo_status status = OPEVO_OK;

    self->task = opevo_calloc(steps, sizeof *self->task);
    self->task_of = opevo_calloc(steps, sizeof *self->task_of);
    OPEVO_NEED_OR_RETURN(self->task && self->task_of, "the tasks of the network");
    OPEVO_TRY(opevo_memory_plan_create(self->inference, NULL, &needs, err));
    OPEVO_TRY(check_steps(self, needs, err));
    for (int n = 0; n < self->inference->steps; n++) {
        self->task_of[n] = -1;
        if (opevo_memory_plan_needs(needs, &self->inference->step[n]))
            OPEVO_TRY(add_step(self, n, err));
    }
cleanup:
    opevo_memory_plan_destroy(needs);
    return status;
}

/* ---- The source of a kernel ---- */

/* Where the output may be an input both are plain pointers, and all others are still told apart. */
void opevo_i_library_signature(const opevo_i_library_task *task, const char *word, const char *text,
                               const char *end, opevo_text *out)
{
    const opevo_workload_list *list = &task->work->list;
    int operand = 0;

    for (const char *at = text; at < end; at++) {
        const char *name = operand < list->count ? list->item[operand].name : "S";
        bool shared = task->reused && operand < list->count &&
                      (operand >= list->inputs || task->reused >> strtol(name + 1, NULL, 10) & 1);

        if (shared && strncmp(at, word, strlen(word)) == 0)
            at += strlen(word);
        operand += *at == ',';
        opevo_text_add_bytes(out, at, 1);
    }
}

void opevo_i_library_definitions(const opevo_i_library_task *task, opevo_text *out)
{
    opevo_text_add(out, "/* ");
    opevo_computation_print(task->super.computation, "\n * ", out);
    opevo_text_add(out, " */\n\n");
}

/* What a call must know that the heads of the functions do not say; `opevo prove` reads it. */
static void add_call(const opevo_i_library_task *task, opevo_text *out)
{
    const opevo_kernel *kernel = &task->kernel;
    uint64_t of_threads = kernel->parallel ? kernel->thread_scratch_bytes : 0;

    opevo_text_printf(
        out, "/* scratch memory: %llu bytes, and %llu of each thread */\n",
        (unsigned long long)(kernel->scratch_bytes + kernel->thread_scratch_bytes - of_threads),
        (unsigned long long)of_threads);
    for (int i = 0; i < task->work->list.inputs; i++) {
        char name[OPEVO_KERNEL_NAME];

        if (!kernel->packed[i])
            continue;
        opevo_kernel_pack_name(kernel, i, name);
        opevo_text_printf(out, "/* %s packs %s into %llu bytes */\n", name,
                          task->work->list.item[i].name,
                          (unsigned long long)kernel->packed[i] * sizeof(float));
    }
    for (int i = 0; i < 32; i++)
        if (task->reused >> i & 1)
            opevo_text_printf(out, "/* Y0 may lie where X%d lies */\n", i);
    opevo_text_add(out, "\n");
}

/* The source of a kernel whose heads of functions are as the library calls them. */
static void add_source(const opevo_i_library_task *task, opevo_text *out)
{
    const char *at = opevo_text_string(&task->kernel.source), *found = NULL;
    opevo_text signature = {0};

    opevo_text_printf(&signature, "void %s(", task->kernel.entry);
    while (!signature.failed && (found = strstr(at, opevo_text_string(&signature))) != NULL) {
        const char *end = strchr(found, ')');

        opevo_text_add_bytes(out, at, (size_t)(found - at));
        opevo_i_library_signature(task, "restrict ", found, end, out);
        at = end;
    }
    opevo_text_add(out, at);
    out->failed |= signature.failed;
    opevo_text_free(&signature);
}

void opevo_i_library_kernel_parts(const opevo_i_library_task *task, opevo_text *comments,
                                  opevo_text *source)
{
    opevo_i_library_definitions(task, comments);
    add_call(task, comments);
    add_source(task, source);
}

void opevo_i_library_kernel(const opevo_network_library *self, int number, opevo_text *out)
{
    opevo_i_library_part parts[] = {{"definitions", {0}}, {"source", {0}}};

    opevo_i_library_kernel_parts(&self->task[number], &parts[0].text, &parts[1].text);
    opevo_i_library_fill(self, opevo_i_library_kernel_text, parts, 2, out);
}
