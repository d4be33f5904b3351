/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of the user: a source, its harness and the space of its parameters. */

#include "own_of_call_internal.h"

#include "space_spec_internal.h"

#include <opevo/memory.h>
#include <opevo/own_kernels.h>

#include <string.h>

/* What a store keeps of a file begins with @. */
static const char *path_of(const char *what)
{
    return *what == '@' ? what + 1 : what;
}

bool opevo_i_cli_is_own(const opevo_call *call, const char *what)
{
    opevo_kernel_dialect language;

    return opevo_own_language(path_of(what), &language) || opevo_i_cli_is_t1(what) ||
           (call && opevo_i_cli_option(call, "harness"));
}

bool opevo_i_cli_is_t1(const char *what)
{
    const char *path = path_of(what);
    size_t length = strlen(path);

    return length > 5 && !strcmp(path + length - 5, ".json") && opevo_own_is_t1(path);
}

/* NAME.json beside NAME.c. */
static opevo_status find_harness(const char *source, opevo_text *out, opevo_error *err)
{
    const char *slash = strrchr(source, '/');
    const char *dot = strchr(slash ? slash : source, '.');

    opevo_text_printf(out, "%.*s.json", dot ? (int)(dot - source) : (int)strlen(source), source);
    return opevo_text_check(out, err);
}

/* The language of the kernels: that of the source, which the device has to take. */
static opevo_status find_language(const char *source, const opevo_i_cli_own_device *device,
                                  opevo_kernel_dialect *out, opevo_error *err)
{
    if (!opevo_own_language(source, out))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s: --harness goes with a kernel, a file NAME.c, NAME.cu, NAME.hip or "
                          "NAME.cl.",
                          source);
    if (*out == OPEVO_KERNEL_CUDA && device->dialect == OPEVO_KERNEL_HIP)
        *out = OPEVO_KERNEL_HIP; /* one source for both */
    if (device->any ? *out != OPEVO_KERNEL_OPENCL : device->dialect == *out)
        return OPEVO_OK;
    if (device->any)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s is a kernel in opencl, and --on %s takes files NAME.cu, NAME.hip and "
                          "NAME.c; give --on opencl:0.",
                          source, device->name);
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s is a kernel in %s, and --on %s takes %s.", source,
                      opevo_kernel_dialect_name(*out), device->name,
                      opevo_kernel_dialect_name(device->dialect));
}

static opevo_status refuse(const opevo_call *call, opevo_error *err)
{
    static const char *const others[] = {"template", "scratch", "library"};

    for (size_t i = 0; call && i < sizeof others / sizeof *others; i++) {
        if (opevo_i_cli_flag(call, others[i]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "--%s applies to kernels that opevo generates: omit it.", others[i]);
    }
    return OPEVO_OK;
}

opevo_status opevo_i_cli_own_of_call(const opevo_call *call, const char *what,
                                     const opevo_i_cli_own_device *device, const char *space,
                                     opevo_kernel_maker **out, opevo_error *err)
{
    opevo_own_files files = {.source = path_of(what)};
    opevo_kernel_dialect language = OPEVO_KERNEL_C;
    opevo_space *parameters = NULL;
    opevo_text harness = {0}, source = {0};
    bool is_t1 = opevo_i_cli_is_t1(what);
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(refuse(call, err));
    if (is_t1) {
        OPEVO_TRY(opevo_own_t1_read(path_of(what), &source, &harness, err));
        space = space ? space : path_of(what);
        files = (opevo_own_files){.source = opevo_text_string(&source),
                                  .harness = path_of(what),
                                  .text = opevo_text_string(&harness)};
    }
    OPEVO_TRY(find_language(files.source, device, &language, err));
    if (!space) {
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: give the space of its parameters, by --space FILE.", files.source);
        goto cleanup;
    }
    if (!is_t1)
        files.harness = call ? opevo_i_cli_option(call, "harness") : NULL;
    if (!files.harness) {
        OPEVO_TRY(find_harness(files.source, &harness, err));
        files.harness = opevo_text_string(&harness);
    }
    OPEVO_TRY(opevo_i_cli_space_of(space, &parameters, err));
    status = opevo_own_kernels_open(&files, language, device->calls, device->threads, parameters,
                                    out, err);
cleanup:
    opevo_text_free(&harness);
    opevo_text_free(&source);
    return status;
}
