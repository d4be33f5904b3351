/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The files of a library: what is in which. */

#include "library_internal.h"

#include <opevo/file.h>
#include <opevo/index.h>
#include <opevo/memory.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const opevo_i_library_gpu_text opevo_i_library_gpu_texts[] = {
    {"device.h", opevo_i_library_gpu_file_device_h},
    {"emulate.c", opevo_i_library_gpu_file_emulate_c},
    {"emulate.h", opevo_i_library_gpu_file_emulate_h},
    {"kernel.h", opevo_i_library_gpu_file_kernel_h},
    {"main.c", opevo_i_library_gpu_file_main_c},
    {"move.cu", opevo_i_library_gpu_file_move_cu},
    {"plan.h", opevo_i_library_gpu_file_plan_h},
    {"run.c", opevo_i_library_gpu_file_run_c},
    {NULL, NULL},
};

/* A kernel moves elements on a GPU: its text is the same for CUDA and HIP. */
static const char move_text[] = "move.cu", program_text[] = "main.c";

/* ---- What is in them ---- */

static void add_flags(opevo_text *out)
{
    static const char *const flags[] = {OPEVO_KERNEL_C_FLAGS};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        opevo_text_printf(out, "%s ", flags[i]);
    opevo_text_add(out, "-Wall -Wextra");
}

/* The numbers of all kernels, each between two texts. */
static void add_kernels(const opevo_network_library *self, const char *before, const char *behind,
                        opevo_text *out)
{
    for (int t = 0; t < self->tasks; t++)
        opevo_text_printf(out, "%skernel_%03d%s", before, t, behind);
}

void opevo_i_library_fill_build(const opevo_network_library *self, const char *text,
                                const char *before, const char *behind, const opevo_text_slot *more,
                                size_t count, opevo_text *out)
{
    opevo_text flags = {0}, kernels = {0}, filled = {0};
    char bytes[OPEVO_INDEX_TEXT_SIZE];

    add_flags(&flags);
    add_kernels(self, before, behind, &kernels);
    opevo_index_format((opevo_index)self->weight_bytes, bytes);
    opevo_text_fill(&filled, text, more, count);
    opevo_text_fill(out, opevo_text_string(&filled),
                    (opevo_text_slot[]){{"flags", opevo_text_string(&flags)},
                                        {"kernels", opevo_text_string(&kernels)},
                                        {"bytes", bytes}},
                    3);
    out->failed = out->failed || flags.failed || kernels.failed || filled.failed;
    opevo_text_free(&flags);
    opevo_text_free(&kernels);
    opevo_text_free(&filled);
}

static void add_makefile(const opevo_network_library *self, opevo_text *out)
{
    opevo_i_library_fill_build(self, opevo_i_library_makefile, " \\\n    ", ".o", NULL, 0, out);
}

static void add_cmake(const opevo_network_library *self, opevo_text *out)
{
    opevo_i_library_fill_build(self, opevo_i_library_cmake, "\n  ", ".c", NULL, 0, out);
}

/* The program main.c: what it shares with that of other devices, and its own calls. */
static void add_program(const opevo_network_library *self, opevo_text *out)
{
    const char *calls = opevo_i_library_program_run;

    for (const opevo_i_library_gpu_text *one = opevo_i_library_gpu_texts; one->name; one++) {
        if (self->options.dialect != OPEVO_KERNEL_C && strcmp(one->name, program_text) == 0)
            calls = one->text;
    }
    opevo_text_add(out, opevo_i_library_program);
    opevo_text_add(out, calls);
    opevo_text_add(out, opevo_i_library_program_end);
    opevo_text_add(out, opevo_i_library_program_main);
}

static void add_weights(const opevo_network_library *self, opevo_text *out)
{
    opevo_i_library_fill_build(self, opevo_i_library_weights, "", "", NULL, 0, out);
}

/* ---- Files ---- */

/* Sources that depend on the library. */
static const struct {
    const char *name;
    void (*for_cpu)(const opevo_network_library *self, opevo_text *out);
    void (*for_gpu)(const opevo_network_library *self, opevo_text *out);
} sources[] = {
    {"net.h", opevo_i_library_header, opevo_i_library_header},
    {"net.c", opevo_i_library_source, opevo_i_library_gpu_source},
    {"main.c", add_program, add_program},
    {"weights.S", add_weights, add_weights},
    {"Makefile", add_makefile, opevo_i_library_gpu_makefile},
    {"CMakeLists.txt", add_cmake, opevo_i_library_gpu_cmake},
};

enum { SOURCES = sizeof sources / sizeof *sources };

static const char inputs_name[] = "inputs.bin", outputs_name[] = "outputs.bin",
                  weights_name[] = "weights.bin";

static bool is_for_gpu(const opevo_network_library *self)
{
    return self->options.dialect != OPEVO_KERNEL_C;
}

/* The names of two sources are those of the library. */
static opevo_status source_name(const opevo_network_library *self, size_t i,
                                char name[OPEVO_I_FILE_NAME], opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    opevo_i_library_rename(self->name, sources[i].name, &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    snprintf(name, OPEVO_I_FILE_NAME, "%s", opevo_text_string(&text));
cleanup:
    opevo_text_free(&text);
    return status;
}

static void kernel_name(const opevo_network_library *self, int task, char name[OPEVO_I_FILE_NAME])
{
    snprintf(name, OPEVO_I_FILE_NAME, "kernel_%03d.%s", task, opevo_i_library_gpu_ending(self));
}

/* Of a text that all libraries for GPUs have; false for that which is a part of main.c. */
static bool text_name(const opevo_network_library *self, const opevo_i_library_gpu_text *text,
                      char name[OPEVO_I_FILE_NAME])
{
    if (strcmp(text->name, move_text) == 0)
        snprintf(name, OPEVO_I_FILE_NAME, "move.%s", opevo_i_library_gpu_ending(self));
    else
        snprintf(name, OPEVO_I_FILE_NAME, "%s", text->name);
    return strcmp(text->name, program_text) != 0;
}

static bool is_kernel_name(const char *name)
{
    static const char head[] = "kernel_";
    size_t digits = 0;

    if (strncmp(name, head, strlen(head)) != 0)
        return false;
    name += strlen(head);
    digits = strspn(name, "0123456789");
    name += digits;
    return digits >= 3 && digits < 10 &&
           (strcmp(name, ".c") == 0 || strcmp(name, ".cu") == 0 || strcmp(name, ".hip") == 0);
}

/* A source or header with the name of a library. */
static bool is_named_source(const char *name)
{
    char stem[OPEVO_LIBRARY_NAME + 1];
    size_t length = strcspn(name, ".");

    if (length >= sizeof stem ||
        (strcmp(name + length, ".c") != 0 && strcmp(name + length, ".h") != 0))
        return false;
    snprintf(stem, sizeof stem, "%.*s", (int)length, name);
    return opevo_network_library_check_name(stem, NULL) == OPEVO_OK;
}

bool opevo_i_library_is_name(const char *name)
{
    for (size_t i = 0; i < SOURCES; i++) {
        if (strcmp(name, sources[i].name) == 0)
            return true;
    }
    for (const opevo_i_library_gpu_text *one = opevo_i_library_gpu_texts; one->name; one++) {
        if (strcmp(name, one->name) == 0)
            return true;
    }
    return strcmp(name, "move.hip") == 0 || strcmp(name, inputs_name) == 0 ||
           strcmp(name, outputs_name) == 0 || strcmp(name, weights_name) == 0 ||
           is_kernel_name(name) || is_named_source(name);
}

/* All files that the library is written to. */
static opevo_status list_files(const opevo_network_library *self, opevo_i_library_names *out,
                               opevo_error *err)
{
    char name[OPEVO_I_FILE_NAME];
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < SOURCES; i++) {
        OPEVO_TRY(source_name(self, i, name, err));
        OPEVO_TRY(opevo_i_library_names_add(out, name, err));
    }
    OPEVO_TRY(opevo_i_library_names_add(out, inputs_name, err));
    OPEVO_TRY(opevo_i_library_names_add(out, outputs_name, err));
    OPEVO_TRY(opevo_i_library_names_add(out, weights_name, err));
    for (int t = 0; t < self->tasks; t++) {
        kernel_name(self, t, name);
        OPEVO_TRY(opevo_i_library_names_add(out, name, err));
    }
    for (const opevo_i_library_gpu_text *one = opevo_i_library_gpu_texts;
         one->name && is_for_gpu(self); one++) {
        if (text_name(self, one, name))
            OPEVO_TRY(opevo_i_library_names_add(out, name, err));
    }
cleanup:
    return status;
}

/* ---- Writing ---- */

static opevo_status write_text(const opevo_network_library *self, const char *folder,
                               const char *name, const opevo_text *text, opevo_error *err)
{
    opevo_text path = {0}, named = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&path, "%s/%s", folder, name);
    OPEVO_TRY(opevo_text_check(&path, err));
    OPEVO_TRY(opevo_text_check(text, err));
    opevo_i_library_rename(self->name, opevo_text_string(text), &named);
    OPEVO_TRY(opevo_text_check(&named, err));
    status = opevo_file_write(path.data, opevo_text_string(&named), named.length, err);
cleanup:
    opevo_text_free(&path);
    opevo_text_free(&named);
    return status;
}

/* Arrays, which may be larger than what a text should hold, one after another. */
static opevo_status write_arrays(const char *folder, const char *name, const opevo_array *arrays,
                                 int count, int64_t alignment, opevo_error *err)
{
    static const char zeros[OPEVO_MEMORY_ALIGNMENT];
    opevo_text path = {0};
    opevo_status status = OPEVO_OK;
    FILE *file = NULL;
    bool written = false;

    opevo_text_printf(&path, "%s/%s", folder, name);
    OPEVO_TRY(opevo_text_check(&path, err));
    file = fopen(path.data, "wb");
    written = file != NULL;
    for (int i = 0; i < count && written; i++) {
        size_t bytes = (size_t)opevo_array_elements(&arrays[i]) * sizeof(float);
        size_t more = (size_t)(-(int64_t)bytes & (alignment - 1));

        written =
            fwrite(arrays[i].data, 1, bytes, file) == bytes && fwrite(zeros, 1, more, file) == more;
    }
    written = written && fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (!written)
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path.data, strerror(errno));
    if (file && fclose(file) != 0 && status == OPEVO_OK)
        status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path.data, strerror(errno));
cleanup:
    opevo_text_free(&path);
    return status;
}

static opevo_status write_weights(const opevo_network_library *self, const char *folder,
                                  opevo_error *err)
{
    opevo_array *arrays = opevo_calloc((size_t)self->stored_count + 1, sizeof *arrays);
    opevo_status status = OPEVO_OK;

    if (!arrays)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the weights of the network.");
    for (int i = 0; i < self->stored_count; i++)
        arrays[i] = self->inference->value[self->stored[i]].array;
    status =
        write_arrays(folder, weights_name, arrays, self->stored_count, OPEVO_MEMORY_ALIGNMENT, err);
    opevo_free(arrays);
    return status;
}

static opevo_status write_recorded(const opevo_i_library_recorded *recorded, const char *folder,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(write_arrays(folder, inputs_name, recorded->input, recorded->inputs, 1, err));
    status = write_arrays(folder, outputs_name, recorded->output, recorded->outputs, 1, err);
cleanup:
    return status;
}

static opevo_status write_sources(const opevo_network_library *self, const char *folder,
                                  opevo_error *err)
{
    char name[OPEVO_I_FILE_NAME];
    opevo_status status = OPEVO_OK;
    opevo_text text = {0};

    for (size_t i = 0; i < SOURCES && status == OPEVO_OK; i++) {
        opevo_text_clear(&text);
        (is_for_gpu(self) ? sources[i].for_gpu : sources[i].for_cpu)(self, &text);
        status = source_name(self, i, name, err);
        if (status == OPEVO_OK)
            status = write_text(self, folder, name, &text, err);
    }
    for (int t = 0; t < self->tasks && status == OPEVO_OK; t++) {
        opevo_text_clear(&text);
        if (is_for_gpu(self))
            opevo_i_library_gpu_kernel(self, t, &text);
        else
            opevo_i_library_kernel(&self->task[t], &text);
        kernel_name(self, t, name);
        status = write_text(self, folder, name, &text, err);
    }
    for (const opevo_i_library_gpu_text *one = opevo_i_library_gpu_texts;
         one->name && is_for_gpu(self) && status == OPEVO_OK; one++) {
        opevo_text_clear(&text);
        opevo_text_add(&text, one->text);
        if (text_name(self, one, name))
            status = write_text(self, folder, name, &text, err);
    }
    opevo_text_free(&text);
    return status;
}

opevo_status opevo_network_library_check_folder(const opevo_network_library *self,
                                                const char *folder, opevo_error *err)
{
    static const char *const all_have[] = {"Makefile", inputs_name, outputs_name, weights_name};
    opevo_i_library_names files = {0};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; !self && i < sizeof all_have / sizeof *all_have; i++)
        OPEVO_TRY(opevo_i_library_names_add(&files, all_have[i], err));
    if (self)
        OPEVO_TRY(list_files(self, &files, err));
    status = opevo_i_library_folder_check(folder, &files, err);
cleanup:
    opevo_i_library_names_free(&files);
    return status;
}

opevo_status opevo_network_library_make_folder(const char *folder, bool *made, opevo_error *err)
{
    struct stat info;

    *made = mkdir(folder, 0777) == 0;
    if (!*made && errno != EEXIST)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: %s; give a folder that can be created.", folder,
                          strerror(errno));
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode) ||
        access(folder, R_OK | W_OK | X_OK) != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: give a folder that can be read and written.",
                          folder);
    return opevo_network_library_check_folder(NULL, folder, err);
}

opevo_status opevo_network_library_write(opevo_network_library *self, const char *path,
                                         opevo_network_library_sizes *sizes, opevo_error *err)
{
    opevo_i_library_names files = {0};
    opevo_i_library_folder folder = {.file = -1};
    opevo_i_library_recorded recorded = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_network_library_measure(self, sizes, err));
    OPEVO_TRY(list_files(self, &files, err));
    OPEVO_TRY(opevo_i_library_folder_open(path, &files, &folder, err));
    OPEVO_TRY(opevo_i_library_record(self, &recorded, err));
    OPEVO_TRY(write_recorded(&recorded, folder.inside.data, err));
    OPEVO_TRY(write_weights(self, folder.inside.data, err));
    OPEVO_TRY(write_sources(self, folder.inside.data, err));
    status = opevo_i_library_folder_finish(&folder, &files, err);
cleanup:
    opevo_i_library_folder_close(&folder);
    opevo_i_library_recorded_free(&recorded);
    opevo_i_library_names_free(&files);
    return status;
}
