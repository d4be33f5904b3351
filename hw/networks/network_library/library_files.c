/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The files of a library: what is in which. */

#include "library_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- What is in them ---- */

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
    opevo_i_library_sizes_fill(self, opevo_i_library_program, out);
    opevo_i_library_sizes_fill(self,
                               opevo_i_library_is_for_gpu(self) ? opevo_i_library_gpu_file_main_c
                                                                : opevo_i_library_program_run,
                               out);
    opevo_i_library_sizes_fill(self, opevo_i_library_program_end, out);
    opevo_i_library_sizes_fill(self, opevo_i_library_program_main, out);
}

static void add_weights(const opevo_network_library *self, opevo_text *out)
{
    opevo_i_library_fill_build(self, opevo_i_library_weights, "", "", NULL, 0, out);
}

/* ---- Writing ---- */

static const struct {
    void (*for_cpu)(const opevo_network_library *self, opevo_text *out);
    void (*for_gpu)(const opevo_network_library *self, opevo_text *out);
    void (*for_targets)(const opevo_network_library *self, opevo_text *out); /* of all together */
} sources[OPEVO_I_LIBRARY_SOURCES] = {
    [OPEVO_I_LIBRARY_NET_H] = {opevo_i_library_header, opevo_i_library_header,
                               opevo_i_library_header},
    [OPEVO_I_LIBRARY_NET_C] = {opevo_i_library_source, opevo_i_library_gpu_source,
                               opevo_i_library_targets_source},
    [OPEVO_I_LIBRARY_MAIN_C] = {add_program, add_program, add_program},
    [OPEVO_I_LIBRARY_WEIGHTS_S] = {add_weights, add_weights, add_weights},
    [OPEVO_I_LIBRARY_MAKEFILE] = {add_makefile, opevo_i_library_gpu_makefile,
                                  opevo_i_library_targets_makefile},
    [OPEVO_I_LIBRARY_CMAKE] = {add_cmake, opevo_i_library_gpu_cmake, opevo_i_library_targets_cmake},
};

void opevo_i_library_source_text(const opevo_network_library *self, size_t source, opevo_text *out)
{
    (self->of                           ? sources[source].for_targets
     : opevo_i_library_is_for_gpu(self) ? sources[source].for_gpu
                                        : sources[source].for_cpu)(self, out);
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
        size_t bytes =
            (size_t)opevo_array_elements(&arrays[i]) * opevo_network_type_bytes(arrays[i].type);
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

    OPEVO_NEED_OR_RETURN(arrays, "the weights of the network");
    for (int i = 0; i < self->stored_count; i++)
        arrays[i] = self->inference->value[self->stored[i]].array;
    status = write_arrays(folder, OPEVO_I_LIBRARY_WEIGHTS, arrays, self->stored_count,
                          OPEVO_MEMORY_ALIGNMENT, err);
    opevo_free(arrays);
    return status;
}

static opevo_status write_recorded(const opevo_i_library_recorded *recorded, const char *folder,
                                   opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(
        write_arrays(folder, OPEVO_I_LIBRARY_INPUTS, recorded->input, recorded->inputs, 1, err));
    status =
        write_arrays(folder, OPEVO_I_LIBRARY_OUTPUTS, recorded->output, recorded->outputs, 1, err);
cleanup:
    return status;
}

/* What a source is in a freestanding library. */
static void add_free(const opevo_network_library *self, size_t source,
                     const opevo_i_library_recorded *recorded, opevo_text *out)
{
    if (source == OPEVO_I_LIBRARY_MAIN_C)
        opevo_i_library_free_main(self, recorded, out);
    else if (source == OPEVO_I_LIBRARY_WEIGHTS_S)
        opevo_i_library_free_weights_file(self, out);
    else if (source == OPEVO_I_LIBRARY_MAKEFILE)
        opevo_i_library_free_make(self, out);
    else
        sources[source].for_cpu(self, out);
}

/* Of a target also the source and header of its library. */
static opevo_status write_kernels(const opevo_network_library *self, const char *folder,
                                  opevo_error *err)
{
    char name[OPEVO_I_FILE_NAME];
    opevo_status status = OPEVO_OK;
    opevo_text text = {0};

    for (size_t i = 0; i <= OPEVO_I_LIBRARY_NET_C && self->options.target && status == OPEVO_OK;
         i++) {
        opevo_text_clear(&text);
        sources[i].for_cpu(self, &text);
        status = opevo_i_library_source_name(self, i, name, err);
        if (status == OPEVO_OK)
            status = opevo_file_write_in(folder, name, &text, err);
    }
    for (int t = 0; t < self->tasks && status == OPEVO_OK; t++) {
        opevo_text_clear(&text);
        if (opevo_i_library_is_for_opencl(self))
            opevo_i_library_opencl_kernel(self, t, &text);
        else if (opevo_i_library_is_for_gpu(self))
            opevo_i_library_gpu_kernel(self, t, &text);
        else if (self->options.freestanding)
            opevo_i_library_free_kernel(self, t, &text);
        else
            opevo_i_library_kernel(self, t, &text);
        opevo_i_library_kernel_name(self, t, name);
        status = opevo_file_write_in(folder, name, &text, err);
    }
    opevo_text_free(&text);
    return status;
}

static opevo_status write_sources(const opevo_network_library *self,
                                  const opevo_i_library_recorded *recorded, const char *folder,
                                  opevo_error *err)
{
    char name[OPEVO_I_FILE_NAME];
    opevo_status status = OPEVO_OK;
    opevo_text text = {0};

    for (size_t i = 0; i < OPEVO_I_LIBRARY_SOURCES && status == OPEVO_OK; i++) {
        if (self->options.freestanding && i == OPEVO_I_LIBRARY_CMAKE)
            continue;
        opevo_text_clear(&text);
        if (self->options.freestanding)
            add_free(self, i, recorded, &text);
        else
            opevo_i_library_source_text(self, i, &text);
        status = opevo_i_library_source_name(self, i, name, err);
        if (status == OPEVO_OK)
            status = opevo_file_write_in(folder, name, &text, err);
    }
    for (size_t k = 0; k < self->of_count && status == OPEVO_OK; k++)
        status = write_kernels(self->of[k], folder, err);
    if (!self->of && status == OPEVO_OK)
        status = write_kernels(self, folder, err);
    for (const opevo_i_library_gpu_text *one = opevo_i_library_fixed_texts(self);
         one->name && opevo_i_library_is_for_gpu(self) && status == OPEVO_OK; one++) {
        opevo_text_clear(&text);
        opevo_i_library_add(self, one->text, &text);
        if (opevo_i_library_gpu_file_name(self, one, name))
            status = opevo_file_write_in(folder, name, &text, err);
    }
    opevo_text_free(&text);
    return status;
}

/* The files of a library that is to have kernels for several targets. */
static opevo_status list_all(const opevo_network_library *self, opevo_i_library_names *files,
                             opevo_error *err)
{
    const opevo_library_targets *targets = self->options.targets;
    opevo_network_library part[OPEVO_LIBRARY_TARGETS] = {0}, front = {0};
    opevo_network_library *of[OPEVO_LIBRARY_TARGETS];
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < targets->count; i++) {
        of[i] = &part[i];
        part[i] = *self;
        part[i].options.target = targets->name[i];
        OPEVO_TRY(opevo_i_library_part_open(&part[i], err));
    }
    OPEVO_TRY(opevo_i_library_front_open(of, targets->count, &front, err));
    status = opevo_i_library_list_files(&front, files, err);
cleanup:
    opevo_i_library_part_close(&front);
    for (size_t i = 0; i < OPEVO_LIBRARY_TARGETS; i++)
        opevo_i_library_part_close(&part[i]);
    return status;
}

opevo_status opevo_network_library_check_folder(const opevo_network_library *self,
                                                const char *folder, opevo_error *err)
{
    static const char *const all_have[] = {"Makefile", "main.c"};
    opevo_i_library_names files = {0};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; !self && i < sizeof all_have / sizeof *all_have; i++)
        OPEVO_TRY(opevo_i_library_names_add(&files, all_have[i], err));
    if (self && self->options.targets)
        OPEVO_TRY(list_all(self, &files, err));
    else if (self)
        OPEVO_TRY(opevo_i_library_list_files(self, &files, err));
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

/* Those of a library whose memory has been planned. */
static opevo_status write_all(const opevo_network_library *self, const char *path, opevo_error *err)
{
    opevo_i_library_names files = {0};
    opevo_i_library_folder folder = {.file = -1};
    opevo_i_library_recorded recorded = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_library_list_files(self, &files, err));
    OPEVO_TRY(opevo_i_library_folder_open(path, &files, &folder, err));
    OPEVO_TRY(opevo_i_library_record(self, &recorded, err));
    if (!self->options.freestanding) {
        OPEVO_TRY(write_recorded(&recorded, folder.inside.data, err));
        OPEVO_TRY(write_weights(self, folder.inside.data, err));
    }
    OPEVO_TRY(write_sources(self, &recorded, folder.inside.data, err));
    status = opevo_i_library_folder_finish(&folder, &files, opevo_text_string(&self->made), err);
cleanup:
    opevo_i_library_folder_close(&folder);
    opevo_i_library_recorded_free(&recorded);
    opevo_i_library_names_free(&files);
    return status;
}

opevo_status opevo_network_library_write(opevo_network_library *self, const char *path,
                                         opevo_network_library_sizes *sizes, opevo_error *err)
{
    opevo_status status = opevo_network_library_measure(self, sizes, err);

    return status == OPEVO_OK ? write_all(self, path, err) : status;
}

opevo_status opevo_network_library_write_targets(opevo_network_library *const *libraries,
                                                 size_t count, const char *path,
                                                 opevo_network_library_sizes *sizes,
                                                 opevo_error *err)
{
    opevo_network_library front = {0};
    opevo_status status = OPEVO_OK;

    for (size_t k = 0; k < count; k++)
        OPEVO_TRY(opevo_network_library_measure(libraries[k], &sizes[k], err));
    OPEVO_TRY(opevo_i_library_front_open(libraries, count, &front, err));
    status = write_all(&front, path, err);
cleanup:
    opevo_i_library_part_close(&front);
    return status;
}
