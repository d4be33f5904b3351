/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The kernel that a call names, and its harness. */

#include "evolve_internal.h"

#include <opevo/memory.h>
#include <opevo/parallel.h>

#include <string.h>
#include <unistd.h>

/* Where kernels of ours lie, from the folder of the program: installed, and in a build folder. */
static const char *const folders[] = {"../share/opevo/kernels/", "kernels/"};

/* The path itself, or that of a kernel of ours where no such file is there. */
static void find_kernel(const char *name, opevo_text *out)
{
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = NULL;

    program[length > 0 ? length : 0] = '\0';
    slash = strrchr(program, '/');
    for (size_t i = 0; slash && !strchr(name, '/') && access(name, F_OK) != 0 && i < 2; i++) {
        opevo_text_clear(out);
        opevo_text_add_bytes(out, program, (size_t)(slash + 1 - program));
        opevo_text_printf(out, "%s%s", folders[i], name);
        if (access(opevo_text_string(out), R_OK) == 0)
            return;
    }
    opevo_text_clear(out);
    opevo_text_add(out, name);
}

/* KERNEL.json beside KERNEL.ll; false where that is not there. */
static bool find_harness(const char *kernel, opevo_text *out)
{
    size_t length = strlen(kernel);

    if (length > 3 && (!strcmp(kernel + length - 3, ".ll") || !strcmp(kernel + length - 3, ".bc")))
        length -= 3;
    opevo_text_add_bytes(out, kernel, length);
    opevo_text_add(out, ".json");
    return !out->failed && access(opevo_text_string(out), F_OK) == 0;
}

static size_t gather(const opevo_call *call, const char **settings)
{
    size_t count = 0;

    for (size_t i = 0; i < call->given_count; i++) {
        if (!strcmp(call->given[i].option->name, "with"))
            settings[count++] = call->given[i].value;
    }
    return count;
}

opevo_status opevo_i_kernel_open(const opevo_call *call, const char *name, bool needs_harness,
                                 opevo_evolver **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_text kernel = {0};
    opevo_text harness = {0};
    const char **settings = opevo_calloc(call->given_count + 1, sizeof *settings);
    const char *given = opevo_i_option(call, "harness");
    opevo_evolver_options options = {.on = opevo_i_option(call, "on"), .settings = settings};
    uint64_t jobs = 0;
    bool has_harness = false;

    if (!settings)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for settings.");
    OPEVO_TRY(opevo_i_option_count(call, "jobs", 0, 0, 1024, &jobs, err));
    OPEVO_TRY(opevo_i_option_positive(call, "timeout", &options.timeout_s, err));
    find_kernel(name, &kernel);
    has_harness = given || find_harness(opevo_text_string(&kernel), &harness);
    OPEVO_TRY(opevo_text_check(&kernel, err));
    OPEVO_TRY(opevo_text_check(&harness, err));
    if (access(opevo_text_string(&kernel), R_OK) == 0 && !has_harness && needs_harness) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s has no harness beside it; name one by --harness FILE "
                            "(docs/formats/harness.md).",
                            opevo_text_string(&kernel));
        goto cleanup;
    }
    options.kernel = opevo_text_string(&kernel);
    options.harness = given ? given : has_harness ? opevo_text_string(&harness) : NULL;
    options.setting_count = gather(call, settings);
    options.worker_count = jobs ? (size_t)jobs : opevo_processor_count();
    OPEVO_TRY(opevo_evolver_open(&options, out, err));
cleanup:
    opevo_free(settings);
    opevo_text_free(&kernel);
    opevo_text_free(&harness);
    return status;
}
