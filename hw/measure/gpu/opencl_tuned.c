/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What CLBlast's own tuners found on the device, files clblast_*_32.json, in the place of the
 * parameters that it is built with. */

#include "opencl_internal.h"

#include <dirent.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETERS = 32, SINGLE = 32 /* CLBlast's number of the precision */ };

/* The kernels that products and convolutions use, and what files of their parameters have for a
 * family: of several files of a family the fastest counts. */
static const struct {
    const char *family, *kernel;
} kernels[] = {{"copy", "Copy"},
               {"pad", "Pad"},
               {"transpose", "Transpose"},
               {"padtranspose", "Padtranspose"},
               {"xgemm_direct", "XgemmDirect"},
               {"xgemm", "Xgemm"},
               {"gemm_routine", "GemmRoutine"}};
enum { KERNELS = sizeof kernels / sizeof *kernels };

typedef struct found {
    json_t *best[KERNELS]; /* files */
    double time[KERNELS];
} found;

static const char *text_of(const json_t *file, const char *key)
{
    const char *text = json_string_value(json_object_get(file, key));

    return text ? text : "";
}

/* "xgemm_2" is of the family "xgemm", "xgemm_direct_1" of "xgemm_direct". */
static size_t kernel_of(const char *family)
{
    size_t length = strlen(family);
    size_t kernel = 0;

    while (length && strchr("0123456789", family[length - 1]))
        length--;
    length -= length && family[length - 1] == '_';
    while (kernel < KERNELS && (strlen(kernels[kernel].family) != length ||
                                strncmp(kernels[kernel].family, family, length) != 0))
        kernel++;
    return kernel;
}

static void look_at(found *self, const char *path)
{
    json_t *file = json_load_file(path, 0, NULL);
    size_t kernel = kernel_of(text_of(file, "kernel_family"));
    double time = strtod(text_of(file, "best_time"), NULL);

    if (kernel < KERNELS && strcmp(text_of(file, "precision"), "32") == 0 &&
        (!self->best[kernel] || time < self->time[kernel])) {
        json_decref(self->best[kernel]);
        self->best[kernel] = json_incref(file);
        self->time[kernel] = time;
    }
    json_decref(file);
}

/* "MWG=64 NWG=32 ... PRECISION=32"; false where CLBlast does not take them. */
static bool override(opevo_i_opencl_override *function, cl_device_id device, const char *kernel,
                     const char *parameters)
{
    char words[1024];
    const char *names[PARAMETERS];
    size_t values[PARAMETERS];
    size_t count = 0;
    char *rest = NULL;

    snprintf(words, sizeof words, "%s", parameters);
    for (char *word = strtok_r(words, " ", &rest); word && count < PARAMETERS;
         word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');

        if (!equals || strncmp(word, "PRECISION=", 10) == 0)
            continue;
        *equals = '\0';
        names[count] = word;
        values[count++] = strtoul(equals + 1, NULL, 10);
    }
    return function(device, kernel, SINGLE, count, names, values) == 0;
}

size_t opevo_i_opencl_take_tuned(const char *folder, opevo_i_opencl_override *function,
                                 cl_device_id device)
{
    found self = {.time = {0}};
    DIR *files = opendir(folder);
    size_t count = 0;
    char path[4096];

    for (struct dirent *one = files ? readdir(files) : NULL; one; one = readdir(files)) {
        size_t length = strlen(one->d_name);

        if (length < 5 || strcmp(one->d_name + length - 5, ".json") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, one->d_name);
        look_at(&self, path);
    }
    if (files)
        closedir(files);
    for (size_t i = 0; i < KERNELS; i++) {
        count += self.best[i] && override(function, device, kernels[i].kernel,
                                          text_of(self.best[i], "best_parameters"));
        json_decref(self.best[i]);
    }
    return count;
}
