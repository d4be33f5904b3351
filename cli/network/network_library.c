/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A network as a library in C: the folder, and what is in it. */

#include "network_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/parallel.h>
#include <opevo/worker.h>

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- The folder ---- */

/* Whether a library of opevo is there, which may be replaced. */
static bool is_library(const char *folder)
{
    static const char mark[] = "/* Made by opevo ";
    opevo_text path = {0};
    char *data = NULL;
    size_t size = 0;
    bool is = false;

    opevo_text_printf(&path, "%s/net.h", folder);
    is = !path.failed &&
         opevo_file_read(opevo_text_string(&path), (size_t)1 << 20, &data, &size, NULL) ==
             OPEVO_OK &&
         strncmp(data, mark, strlen(mark)) == 0;
    opevo_free(data);
    opevo_text_free(&path);
    return is;
}

opevo_status opevo_i_library_folder(const char *folder, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    struct stat info;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return OPEVO_FAIL(err, OPEVO_INVALID, "-o %s: %s; give a folder that can be created.",
                          folder, strerror(errno));
    if (stat(folder, &info) != 0 || !S_ISDIR(info.st_mode) || access(folder, W_OK | X_OK) != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "-o %s: give a folder that can be written.", folder);
    if (is_library(folder))
        return OPEVO_OK;
    for (size_t i = 0; opevo_network_library_file(i) && status == OPEVO_OK; i++) {
        const char *name = opevo_network_library_file(i);
        opevo_text path = {0};

        opevo_text_printf(&path, "%s/%s", folder, name);
        status = opevo_text_check(&path, err);
        if (status == OPEVO_OK && lstat(path.data, &info) == 0)
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "-o %s: %s already exists and is not of a library; give another "
                                "folder.",
                                folder, name);
        opevo_text_free(&path);
    }
    return status;
}

/* ---- The library ---- */

static void note_cpu(void *context, const opevo_hardware *device)
{
    opevo_device_facts *facts = context;

    if (device->present && strcmp(device->name, "cpu") == 0)
        *facts = (opevo_device_facts){.vector_bits = device->vector_bits,
                                      .l1_bytes = device->l1_bytes,
                                      .l2_bytes = device->l2_bytes};
}

opevo_status opevo_i_library_create(const opevo_call *call, const opevo_inference *inference,
                                    opevo_network_library **out, opevo_error *err)
{
    const char *file = strrchr(call->arguments[0], '/');
    opevo_network_library_options options = {.model = file ? file + 1 : call->arguments[0],
                                             .version = OPEVO_VERSION};
    opevo_status status = OPEVO_OK;
    uint64_t threads = 0;

    OPEVO_TRY(opevo_i_option_count(call, "threads", 0, 0, 1024, &threads, err));
    OPEVO_TRY(opevo_i_option_count(call, "seed", 1, 0, UINT64_MAX, &options.seed, err));
    options.threads = threads ? (unsigned)threads : opevo_processor_count();
    opevo_hardware_list(note_cpu, &options.facts);
    OPEVO_TRY(opevo_network_library_create(inference, &options, out, err));
cleanup:
    return status;
}

static void add_fallbacks(const opevo_network_library *library, opevo_text *out)
{
    for (int t = 0; t < opevo_network_library_tasks(library); t++) {
        const opevo_network_task *task = opevo_network_library_task(library, t);

        if (task->fallback)
            opevo_text_printf(out, "kernel %d, %s, is plain loops: %s\n", t, task->operation,
                              task->fallback);
    }
}

opevo_status opevo_i_library_write(const char *folder, opevo_network_library *library,
                                   opevo_text *out, opevo_error *err)
{
    opevo_network_library_sizes sizes = {0};
    opevo_status status = opevo_network_library_write(library, folder, &sizes, err);

    if (status != OPEVO_OK)
        return status;
    opevo_text_printf(out,
                      "%s: %zu kernel%s, weights of %.3f MB\n"
                      "arena: %.3f MB, %.2f times the peak of live tensors, %.3f MB; weights in "
                      "layouts of kernels: %.3f MB; scratch memory: %.3f MB\n",
                      folder, sizes.kernels, opevo_i_plural(sizes.kernels),
                      (double)sizes.weight_bytes / 1e6, (double)sizes.arena_bytes / 1e6,
                      (double)sizes.arena_bytes / (double)sizes.peak_bytes,
                      (double)sizes.peak_bytes / 1e6, (double)sizes.packed_bytes / 1e6,
                      (double)sizes.scratch_bytes / 1e6);
    add_fallbacks(library, out);
    opevo_text_printf(out, "build and check it: make -C %s check\n", folder);
    return OPEVO_OK;
}

opevo_status opevo_i_library_emit(const opevo_call *call, const opevo_inference *inference,
                                  opevo_text *out, int *exit_code, opevo_error *err)
{
    const char *folder = opevo_i_option(call, "-o"), *on = opevo_i_option(call, "on");
    opevo_network_library *library = NULL;
    opevo_status status = OPEVO_OK;

    if (on && strcmp(on, "cpu") != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--on %s: a library is in C; give cpu.", on);
    OPEVO_TRY(opevo_i_library_create(call, inference, &library, err));
    OPEVO_TRY(opevo_i_library_folder(folder, err));
    if (on)
        OPEVO_TRY(opevo_i_library_tune(call, library, out, exit_code, err));
    OPEVO_TRY(opevo_i_library_write(folder, library, out, err));
cleanup:
    opevo_network_library_destroy(library);
    return status;
}
