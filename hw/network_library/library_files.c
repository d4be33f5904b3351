/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The folder of a library: what is in which file, and the memory plan with the kernels that it has. */

#include "library_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"net.c",          "net.h",       "main.c",
                                    "weights.S",      "weights.bin", "Makefile",
                                    "CMakeLists.txt", "inputs.bin",  "outputs.bin"};

/* A kernel moves elements on a GPU: its text is the same for CUDA and HIP. */
static const char move_text[] = "move.cu", program_text[] = "main.c";

const char *opevo_network_library_file(size_t i)
{
    size_t common = sizeof names / sizeof *names;

    return i < common ? names[i] : opevo_i_gpu_texts[i - common].name;
}

/* ---- Places ---- */

static int64_t round_up(int64_t bytes)
{
    return (bytes + OPEVO_MEMORY_ALIGNMENT - 1) / OPEVO_MEMORY_ALIGNMENT * OPEVO_MEMORY_ALIGNMENT;
}

static opevo_status make_plan(opevo_network_library *self, opevo_error *err)
{
    const opevo_inference *inference = self->inference;
    uint32_t *in_place = opevo_calloc((size_t)inference->steps + 1, sizeof *in_place);
    opevo_status status = OPEVO_OK;

    if (!in_place)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the memory plan of the network.");
    for (int n = 0; n < inference->steps; n++)
        in_place[n] = self->task_of[n] < 0 ? 0 : self->task[self->task_of[n]].in_place;
    opevo_memory_plan_destroy(self->plan);
    self->plan = NULL;
    status = opevo_memory_plan_create(inference, in_place, &self->plan, err);
    opevo_free(in_place);
    return status;
}

/* Which kernels overwrite an input. */
static void note_reused(opevo_network_library *self)
{
    for (int n = 0; n < self->inference->steps; n++) {
        const opevo_net_step *step = &self->inference->step[n];
        opevo_i_library_task *task = self->task_of[n] < 0 ? NULL : &self->task[self->task_of[n]];
        const opevo_memory_place *to = task ? &self->plan->place[step->output[0]] : NULL;

        for (int i = 0; task && i < step->inputs && i < 32; i++) {
            const opevo_memory_place *from =
                step->input[i] < 0 ? NULL : &self->plan->place[step->input[i]];

            if (from && from->kind == OPEVO_MEMORY_ARENA && from->offset == to->offset)
                task->reused |= UINT32_C(1) << i;
        }
    }
}

static void add_weight(opevo_network_library *self, int number)
{
    const opevo_memory_place *place = &self->plan->place[number];
    const opevo_array *array = &self->inference->value[place->value].array;

    if (place->kind != OPEVO_MEMORY_CONSTANT || self->weight[place->value] >= 0 ||
        array->type != OPEVO_NETWORK_FLOAT32)
        return;
    self->weight[place->value] = self->weight_bytes;
    self->weight_bytes += round_up(opevo_array_elements(array) * (int64_t)sizeof(float));
}

static opevo_status add_packed(opevo_network_library *self, int n, opevo_error *err)
{
    const opevo_net_step *step = &self->inference->step[n];
    int number = self->task_of[n];
    const opevo_i_library_task *task = &self->task[number];

    for (int i = 0; i < task->work->list.inputs && i < OPEVO_OPERANDS; i++) {
        int value = opevo_i_library_operand(task, step, i), k = 0;

        if (!task->kernel.packed[i])
            continue;
        if (value < 0 || self->plan->place[value].kind != OPEVO_MEMORY_CONSTANT)
            return OPEVO_FAIL(
                err, OPEVO_INVALID,
                "step '%.200s' (%.60s): It reads a constant that is computed by other "
                "steps; fold constants first.",
                step->name, step->operation);
        value = self->plan->place[value].value;
        while (k < self->packed_count &&
               (self->packed[k].task != number || self->packed[k].operand != i ||
                self->packed[k].value != value))
            k++;
        if (k < self->packed_count)
            continue;
        self->packed[self->packed_count++] = (opevo_i_packed){
            .task = number, .operand = i, .value = value, .offset = self->packed_bytes};
        self->packed_bytes += round_up((int64_t)task->kernel.packed[i] * (int64_t)sizeof(float));
    }
    return OPEVO_OK;
}

static opevo_status lay_out(opevo_network_library *self, opevo_error *err)
{
    const opevo_inference *inference = self->inference;
    opevo_status status = OPEVO_OK;
    size_t operands = 1;

    OPEVO_TRY(make_plan(self, err));
    note_reused(self);
    for (int n = 0; n < inference->steps; n++)
        operands += self->task_of[n] < 0 ? 0 : OPEVO_OPERANDS;
    opevo_free(self->packed);
    opevo_free(self->weight);
    self->packed_count = 0;
    self->packed_bytes = self->weight_bytes = 0;
    self->packed = opevo_calloc(operands, sizeof *self->packed);
    self->weight = opevo_calloc((size_t)inference->values + 1, sizeof *self->weight);
    if (!self->packed || !self->weight)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the weights of the network."));
    for (int i = 0; i < inference->values; i++)
        self->weight[i] = -1;
    for (int n = 0; n < inference->steps; n++) {
        const opevo_net_step *step = &inference->step[n];

        if (!opevo_memory_plan_needs(self->plan, step))
            continue;
        for (int i = 0; i < step->inputs; i++) {
            if (step->input[i] >= 0)
                add_weight(self, step->input[i]);
        }
        if (self->task_of[n] >= 0)
            OPEVO_TRY(add_packed(self, n, err));
    }
    for (int i = 0; i < inference->outputs; i++)
        add_weight(self, inference->output[i]);
cleanup:
    return status;
}

/* ---- Files ---- */

static opevo_status write_text(const char *folder, const char *name, const opevo_text *text,
                               opevo_error *err)
{
    opevo_text path = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s/%s", folder, name);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_text_check(text, err));
    status = opevo_file_write(path.data, opevo_text_string(text), text->length, err);
cleanup:
    opevo_text_free(&path);
    return status;
}

/* Weights may be larger than what a text should hold: they are written one by one. */
static opevo_status write_weights(const opevo_network_library *self, const char *folder,
                                  opevo_error *err)
{
    static const char zeros[OPEVO_MEMORY_ALIGNMENT];
    opevo_text path = {0};
    opevo_status status = OPEVO_OK;
    FILE *file = NULL;
    bool written = true;

    opevo_text_printf(&path, "%s/weights.bin", folder);
    OPEVO_TRY(opevo_text_check(&path, err));
    file = fopen(path.data, "wb");
    for (int64_t at = 0; file && written && at < self->weight_bytes;) {
        int i = 0;
        size_t bytes = 0;

        while (self->weight[i] != at)
            i++;
        bytes = (size_t)opevo_array_elements(&self->inference->value[i].array) * sizeof(float);
        written = fwrite(self->inference->value[i].array.data, 1, bytes, file) == bytes;
        at += round_up((int64_t)bytes);
        bytes = (size_t)(round_up((int64_t)bytes) - (int64_t)bytes);
        written = written && fwrite(zeros, 1, bytes, file) == bytes;
    }
    if (!file || fclose(file) != 0 || !written)
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path.data, strerror(errno));
cleanup:
    opevo_text_free(&path);
    return status;
}

static void kernel_name(int number, const char *ending, char name[32])
{
    snprintf(name, 32, "kernel_%03d.%s", number, ending);
}

/* Kernels of an earlier library, from this number on. */
static opevo_status remove_kernels(const char *folder, const char *ending, int from,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text path = {0};
    char name[32];

    for (int t = from; status == OPEVO_OK; t++) {
        kernel_name(t, ending, name);
        opevo_text_clear(&path);
        opevo_text_printf(&path, "%s/%s", folder, name);
        status = opevo_text_check(&path, err);
        if (status == OPEVO_OK && unlink(path.data) != 0)
            break;
    }
    opevo_text_free(&path);
    return status;
}

/* One file for each. */
static opevo_status write_kernels(const opevo_network_library *self, const char *folder,
                                  opevo_error *err)
{
    static const char *const endings[] = {"c", "cu", "hip"};
    const char *own = opevo_i_gpu_ending(self);
    opevo_status status = OPEVO_OK;
    opevo_text text = {0};
    char name[32];

    for (int t = 0; t < self->tasks && status == OPEVO_OK; t++) {
        opevo_text_clear(&text);
        if (self->options.dialect == OPEVO_KERNEL_C)
            opevo_i_library_kernel(&self->task[t], &text);
        else
            opevo_i_gpu_kernel(self, t, &text);
        kernel_name(t, own, name);
        status = write_text(folder, name, &text, err);
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings && status == OPEVO_OK; i++)
        status = remove_kernels(folder, endings[i], strcmp(endings[i], own) ? 0 : self->tasks, err);
    opevo_text_free(&text);
    return status;
}

static void add_flags(opevo_text *out, const char *before)
{
    static const char *const flags[] = {OPEVO_KERNEL_C_FLAGS};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        opevo_text_printf(out, "%s%s", i ? " " : before, flags[i]);
    opevo_text_add(out, " -Wall -Wextra");
}

static void add_makefile(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_add(out, "# libnet.a, and the program net, which checks and times it.\n");
    add_flags(out, "CFLAGS = ");
    opevo_text_add(out, "\nOPENMP = -fopenmp\nOBJECTS = net.o weights.o");
    for (int t = 0; t < self->tasks; t++)
        opevo_text_printf(out, " \\\n    kernel_%03d.o", t);
    opevo_text_add(out, "\n\nnet: main.o libnet.a\n"
                        "\t$(CC) $(CFLAGS) $(OPENMP) -o $@ main.o libnet.a -lm\n\n"
                        "libnet.a: $(OBJECTS)\n\trm -f $@\n\t$(AR) rcs $@ $(OBJECTS)\n\n"
                        "%.o: %.c\n\t$(CC) $(CFLAGS) $(OPENMP) -c -o $@ $<\n\n"
                        "net.o main.o: net.h\n\n"
                        "weights.o: weights.S weights.bin\n\t$(CC) -c -o $@ weights.S\n\n"
                        "check: net\n\t./net\n\n"
                        "clean:\n\trm -f net libnet.a main.o $(OBJECTS)\n\n"
                        ".PHONY: check clean\n");
}

static void add_cmake(const opevo_network_library *self, opevo_text *out)
{
    opevo_text_add(out,
                   "# The library `net`: add_subdirectory() this folder, and link net.\n"
                   "cmake_minimum_required(VERSION 3.18)\nproject(net C ASM)\n"
                   "find_package(OpenMP COMPONENTS C)\n\nadd_library(net STATIC net.c weights.S");
    for (int t = 0; t < self->tasks; t++)
        opevo_text_printf(out, "\n  kernel_%03d.c", t);
    opevo_text_add(out, ")\nset_target_properties(net PROPERTIES POSITION_INDEPENDENT_CODE ON)\n"
                        "set_property(SOURCE weights.S PROPERTY OBJECT_DEPENDS "
                        "${CMAKE_CURRENT_SOURCE_DIR}/weights.bin)\n"
                        "target_include_directories(net PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})\n"
                        "target_compile_options(net PRIVATE\n  \"$<$<COMPILE_LANGUAGE:C>:SHELL:");
    add_flags(out, "");
    opevo_text_add(out, ">\"\n  \"$<$<COMPILE_LANGUAGE:ASM>:-Wa,-I${CMAKE_CURRENT_SOURCE_DIR}>\")\n"
                        "target_link_libraries(net PUBLIC m)\n"
                        "if(OpenMP_C_FOUND)\n  target_link_libraries(net PUBLIC OpenMP::OpenMP_C)\n"
                        "endif()\n\nadd_executable(net_program main.c)\n"
                        "target_link_libraries(net_program PRIVATE net)\n"
                        "set_target_properties(net_program PROPERTIES OUTPUT_NAME net)\n"
                        "enable_testing()\nadd_test(NAME net COMMAND net_program --data "
                        "${CMAKE_CURRENT_SOURCE_DIR})\n");
}

/* The program main.c: what it shares with that of other devices, and its own calls. */
static void add_program(const opevo_network_library *self, opevo_text *out)
{
    const char *calls = opevo_i_library_program_run;

    for (const opevo_i_gpu_text *one = opevo_i_gpu_texts; one->name; one++) {
        if (self->options.dialect != OPEVO_KERNEL_C && strcmp(one->name, program_text) == 0)
            calls = one->text;
    }
    opevo_text_add(out, opevo_i_library_program);
    opevo_text_add(out, calls);
    opevo_text_add(out, opevo_i_library_program_end);
}

static void add_weights(const opevo_network_library *self, opevo_text *out)
{
    (void)self;
    opevo_text_add(out, opevo_i_library_weights);
}

static opevo_status remove_file(const char *folder, const char *name, opevo_error *err)
{
    opevo_text path = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s/%s", folder, name);
    status = opevo_text_check(&path, err);
    if (status == OPEVO_OK)
        (void)unlink(path.data);
    opevo_text_free(&path);
    return status;
}

/* The files of libraries for GPUs that are the same for all; those of an earlier library for another kind
 * of device are removed. */
static opevo_status write_gpu_texts(const opevo_network_library *self, const char *folder,
                                    opevo_error *err)
{
    static const char *const moves[] = {"move.cu", "move.hip"};
    bool gpu = self->options.dialect != OPEVO_KERNEL_C;
    opevo_status status = OPEVO_OK;
    opevo_text text = {0};
    char name[32];

    for (size_t i = 0; i < sizeof moves / sizeof *moves && status == OPEVO_OK; i++)
        status = remove_file(folder, moves[i], err);
    for (const opevo_i_gpu_text *one = opevo_i_gpu_texts; one->name && status == OPEVO_OK; one++) {
        if (strcmp(one->name, program_text) == 0)
            continue;
        snprintf(name, sizeof name, "%s", one->name);
        if (strcmp(one->name, move_text) == 0)
            snprintf(name, sizeof name, "move.%s", opevo_i_gpu_ending(self));
        opevo_text_clear(&text);
        opevo_text_add(&text, one->text);
        status = gpu ? write_text(folder, name, &text, err) : remove_file(folder, name, err);
    }
    opevo_text_free(&text);
    return status;
}

static opevo_status write_sources(const opevo_network_library *self, const char *folder,
                                  opevo_error *err)
{
    static const struct {
        const char *name;
        void (*for_cpu)(const opevo_network_library *self, opevo_text *out);
        void (*for_gpu)(const opevo_network_library *self, opevo_text *out);
    } files[] = {
        {"net.h", opevo_i_library_header, opevo_i_library_header},
        {"net.c", opevo_i_library_source, opevo_i_gpu_source},
        {"main.c", add_program, add_program},
        {"weights.S", add_weights, add_weights},
        {"Makefile", add_makefile, opevo_i_gpu_makefile},
        {"CMakeLists.txt", add_cmake, opevo_i_gpu_cmake},
    };
    bool gpu = self->options.dialect != OPEVO_KERNEL_C;
    opevo_status status = OPEVO_OK;
    opevo_text text = {0};

    for (size_t i = 0; i < sizeof files / sizeof *files && status == OPEVO_OK; i++) {
        opevo_text_clear(&text);
        (gpu ? files[i].for_gpu : files[i].for_cpu)(self, &text);
        status = write_text(folder, files[i].name, &text, err);
    }
    if (status == OPEVO_OK)
        status = write_gpu_texts(self, folder, err);
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_network_library_measure(opevo_network_library *self,
                                           opevo_network_library_sizes *sizes, opevo_error *err)
{
    opevo_status status = lay_out(self, err);

    if (status != OPEVO_OK)
        return status;
    *sizes = (opevo_network_library_sizes){.arena_bytes = self->plan->bytes,
                                           .peak_bytes = self->plan->peak_bytes,
                                           .weight_bytes = self->weight_bytes,
                                           .packed_bytes = self->packed_bytes,
                                           .kernels = (size_t)self->tasks};
    for (int t = 0; t < self->tasks; t++) {
        int64_t bytes =
            (int64_t)opevo_kernel_scratch_bytes(&self->task[t].kernel, self->options.threads);

        sizes->scratch_bytes = bytes > sizes->scratch_bytes ? bytes : sizes->scratch_bytes;
    }
    return OPEVO_OK;
}

/* Different constants that steps of a task read as operand i of its kernel. */
static int64_t constants_of(const opevo_network_library *self, int number, int i)
{
    const opevo_inference *inference = self->inference;
    int64_t count = 0;

    for (int n = 0; n < inference->steps; n++) {
        int value = self->task_of[n] != number
                        ? -1
                        : opevo_i_library_operand(&self->task[number], &inference->step[n], i);
        bool known = value < 0;

        for (int k = 0; k < n && !known; k++) {
            int other = self->task_of[k] != number
                            ? -1
                            : opevo_i_library_operand(&self->task[number], &inference->step[k], i);

            known = other >= 0 && self->plan->place[other].value == self->plan->place[value].value;
        }
        count += !known;
    }
    return count;
}

opevo_status opevo_network_library_kernel_bytes(const opevo_network_library *self, int number,
                                                const opevo_kernel_maker *maker, opevo_index point,
                                                int64_t *packed_bytes, int64_t *scratch_bytes,
                                                opevo_error *err)
{
    const opevo_i_library_task *task = &self->task[number];
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_kernel kernel = {0};
    opevo_text why = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(maker->ops->make(maker, point, &kernel, &refused, &why, err));
    if (refused != OPEVO_OUTCOME_OK)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_INVALID, "%s", opevo_text_string(&why)));
    *packed_bytes = 0;
    for (int i = 0; i < task->work->list.inputs && i < OPEVO_OPERANDS; i++) {
        if (kernel.packed[i])
            *packed_bytes += constants_of(self, number, i) *
                             round_up((int64_t)kernel.packed[i] * (int64_t)sizeof(float));
    }
    *scratch_bytes = (int64_t)opevo_kernel_scratch_bytes(&kernel, self->options.threads);
cleanup:
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
    return status;
}

opevo_status opevo_network_library_write(opevo_network_library *self, const char *folder,
                                         opevo_network_library_sizes *sizes, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_network_library_measure(self, sizes, err));
    OPEVO_TRY(opevo_i_library_record(self, folder, err));
    OPEVO_TRY(write_weights(self, folder, err));
    OPEVO_TRY(write_kernels(self, folder, err));
    OPEVO_TRY(write_sources(self, folder, err));
cleanup:
    return status;
}

/* ---- The library ---- */

opevo_status opevo_network_library_create(const opevo_inference *inference,
                                          const opevo_network_library_options *options,
                                          opevo_network_library **out, opevo_error *err)
{
    opevo_network_library *self = opevo_calloc(1, sizeof *self);
    opevo_status status = OPEVO_OK;

    if (!self)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the library of the network.");
    self->inference = inference;
    self->options = *options;
    self->model = opevo_strdup(options->model);
    self->version = opevo_strdup(options->version);
    if (!self->model || !self->version)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the library of the network."));
    OPEVO_TRY(opevo_i_library_tasks(self, err));
    *out = self;
    self = NULL;
cleanup:
    opevo_network_library_destroy(self);
    return status;
}

void opevo_network_library_destroy(opevo_network_library *self)
{
    if (!self)
        return;
    for (int t = 0; t < self->tasks; t++) {
        opevo_kernel_free(&self->task[t].kernel);
        opevo_workload_destroy(self->task[t].work);
    }
    opevo_memory_plan_destroy(self->plan);
    opevo_free(self->task);
    opevo_free(self->task_of);
    opevo_free(self->weight);
    opevo_free(self->packed);
    opevo_free(self->model);
    opevo_free(self->version);
    opevo_free(self);
}

int opevo_network_library_tasks(const opevo_network_library *self)
{
    return self->tasks;
}

const opevo_network_task *opevo_network_library_task(const opevo_network_library *self, int task)
{
    return &self->task[task].super;
}
