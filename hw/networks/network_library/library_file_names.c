/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The names of the files of a library. */

#include "library_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

/* Sources that depend on the library. */
static const char *const sources[OPEVO_I_LIBRARY_SOURCES] = {
    [OPEVO_I_LIBRARY_NET_H] = "@net@.h",     [OPEVO_I_LIBRARY_NET_C] = "@net@.c",
    [OPEVO_I_LIBRARY_MAIN_C] = "main.c",     [OPEVO_I_LIBRARY_WEIGHTS_S] = "weights.S",
    [OPEVO_I_LIBRARY_MAKEFILE] = "Makefile", [OPEVO_I_LIBRARY_CMAKE] = "CMakeLists.txt",
};

/* A kernel that moves elements on a GPU has the same text for CUDA and HIP. */
static const char move_text[] = "move.cu", program_text[] = "main.c";

opevo_status opevo_i_library_names_add(opevo_i_library_names *names, const char *name,
                                       opevo_error *err)
{
    OPEVO_NEED_OR_RETURN(opevo_reserve((void **)&names->name, &names->capacity, names->count + 1,
                                       sizeof *names->name),
                         "the names of files");
    snprintf(names->name[names->count++], sizeof *names->name, "%s", name);
    return OPEVO_OK;
}

void opevo_i_library_names_free(opevo_i_library_names *names)
{
    opevo_free(names->name);
}

const char *opevo_i_library_gpu_ending(const opevo_network_library *self)
{
    return self->options.dialect == OPEVO_KERNEL_HIP    ? "hip"
           : self->options.dialect == OPEVO_KERNEL_CUDA ? "cu"
                                                        : "c";
}

opevo_status opevo_i_library_source_name(const opevo_network_library *self, size_t i,
                                         char name[OPEVO_I_FILE_NAME], opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    opevo_i_library_add(self,
                        self->options.freestanding && i == OPEVO_I_LIBRARY_WEIGHTS_S
                            ? OPEVO_I_LIBRARY_WEIGHTS_C
                            : sources[i],
                        &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    snprintf(name, OPEVO_I_FILE_NAME, "%s", opevo_text_string(&text));
cleanup:
    opevo_text_free(&text);
    return status;
}

void opevo_i_library_kernel_name(const opevo_network_library *self, int task,
                                 char name[OPEVO_I_FILE_NAME])
{
    const char *target = self->options.target;

    snprintf(name, OPEVO_I_FILE_NAME, "kernel_%s%s%03d.%s", target ? target : "", target ? "_" : "",
             task, opevo_i_library_gpu_ending(self));
}

bool opevo_i_library_gpu_file_name(const opevo_network_library *self,
                                   const opevo_i_library_gpu_text *text,
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
    name += opevo_i_library_target_length(name);
    digits = strspn(name, "0123456789");
    name += digits;
    return digits >= 3 && digits < 10 &&
           (strcmp(name, ".c") == 0 || strcmp(name, ".cu") == 0 || strcmp(name, ".hip") == 0);
}

/* A source or header with the name of a library. */
static bool is_named_source(const char *name)
{
    char stem[OPEVO_I_LIBRARY_NAME];
    size_t length = strcspn(name, "."), own = 0;

    if (length >= sizeof stem ||
        (strcmp(name + length, ".c") != 0 && strcmp(name + length, ".h") != 0))
        return false;
    snprintf(stem, sizeof stem, "%.*s", (int)length, name);
    if (opevo_i_library_is_target_name(stem, &own))
        stem[own] = '\0';
    return opevo_network_library_check_name(stem, NULL) == OPEVO_OK;
}

static bool is_fixed_name(const opevo_i_library_gpu_text *texts, const char *name)
{
    while (texts->name && strcmp(name, texts->name) != 0)
        texts++;
    return texts->name != NULL;
}

bool opevo_i_library_is_name(const char *name)
{
    for (size_t i = 0; i < OPEVO_I_LIBRARY_SOURCES; i++) {
        if (strcmp(name, sources[i]) == 0)
            return true;
    }
    if (is_fixed_name(opevo_i_library_gpu_texts, name) ||
        is_fixed_name(opevo_i_library_opencl_texts, name))
        return true;
    return strcmp(name, "move.hip") == 0 || strcmp(name, OPEVO_I_LIBRARY_INPUTS) == 0 ||
           strcmp(name, OPEVO_I_LIBRARY_OUTPUTS) == 0 ||
           strcmp(name, OPEVO_I_LIBRARY_WEIGHTS) == 0 ||
           strcmp(name, OPEVO_I_LIBRARY_WEIGHTS_C) == 0 || is_kernel_name(name) ||
           is_named_source(name);
}

/* The files of kernels; of a target also the source and header of its library. */
static opevo_status list_kernels(const opevo_network_library *self, opevo_i_library_names *out,
                                 opevo_error *err)
{
    char name[OPEVO_I_FILE_NAME];
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i <= OPEVO_I_LIBRARY_NET_C && self->options.target; i++) {
        OPEVO_TRY(opevo_i_library_source_name(self, i, name, err));
        OPEVO_TRY(opevo_i_library_names_add(out, name, err));
    }
    for (int t = 0; t < self->tasks; t++) {
        opevo_i_library_kernel_name(self, t, name);
        OPEVO_TRY(opevo_i_library_names_add(out, name, err));
    }
cleanup:
    return status;
}

opevo_status opevo_i_library_list_files(const opevo_network_library *self,
                                        opevo_i_library_names *out, opevo_error *err)
{
    char name[OPEVO_I_FILE_NAME];
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < OPEVO_I_LIBRARY_SOURCES; i++) {
        if (self->options.freestanding && i == OPEVO_I_LIBRARY_CMAKE)
            continue;
        OPEVO_TRY(opevo_i_library_source_name(self, i, name, err));
        OPEVO_TRY(opevo_i_library_names_add(out, name, err));
    }
    if (!self->options.freestanding) {
        OPEVO_TRY(opevo_i_library_names_add(out, OPEVO_I_LIBRARY_INPUTS, err));
        OPEVO_TRY(opevo_i_library_names_add(out, OPEVO_I_LIBRARY_OUTPUTS, err));
        OPEVO_TRY(opevo_i_library_names_add(out, OPEVO_I_LIBRARY_WEIGHTS, err));
    }
    for (size_t k = 0; k < self->of_count; k++)
        OPEVO_TRY(list_kernels(self->of[k], out, err));
    if (!self->of)
        OPEVO_TRY(list_kernels(self, out, err));
    for (const opevo_i_library_gpu_text *one = opevo_i_library_fixed_texts(self);
         one->name && opevo_i_library_is_for_gpu(self); one++) {
        if (opevo_i_library_gpu_file_name(self, one, name))
            OPEVO_TRY(opevo_i_library_names_add(out, name, err));
    }
cleanup:
    return status;
}
