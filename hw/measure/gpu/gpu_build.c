/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Compiling in a process of its own, because the compilers run in the process that calls them, for
 * as long as they like and as deep as the stack is. */

#include "gpu_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

#include "host_fault_internal.h"
#include "sandbox_internal.h"

#define SOURCE_BYTES_MAX ((size_t)64 << 20)

static void print_log(const opevo_i_gpu_rtc *rtc, void *program)
{
    size_t size = 0;
    char *log = NULL;

    if (rtc->log_size(program, &size) != 0 || size < 2)
        return;
    log = opevo_malloc(size + 1, 1);
    if (log && rtc->log(program, log) == 0) {
        log[size] = '\0';
        fputs(log, stderr);
    }
    opevo_free(log);
}

static opevo_status get_code(const opevo_i_gpu_rtc *rtc, void *program, char **code, size_t *size,
                             opevo_error *err)
{
    if (rtc->code_size(program, size) != 0 || *size == 0)
        return OPEVO_FAIL(err, OPEVO_IO, "error: the compiler made no code for this device.");
    *code = opevo_malloc(*size, 1);
    if (*code && rtc->code(program, *code) == 0)
        return OPEVO_OK;
    opevo_free(*code);
    *code = NULL;
    return OPEVO_FAIL(err, OPEVO_NOMEM, "error: no memory for %zu bytes of code.", *size);
}

opevo_status opevo_i_gpu_compile(const opevo_i_gpu_vendor *vendor, const char *arch,
                                 const char *source, const char *const *more, size_t count,
                                 char **code, size_t *size, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_gpu_rtc rtc;
    void *program = NULL;
    char option[64];
    const char *options[1 + OPEVO_I_GPU_OPTIONS] = {option};
    size_t first = *arch ? 1 : 0;
    int failed = 0;

    snprintf(option, sizeof option, "--gpu-architecture=%s", arch);
    if (count > OPEVO_I_GPU_OPTIONS)
        return OPEVO_FAIL(err, OPEVO_INVALID, "error: more than %d words for the compiler.",
                          OPEVO_I_GPU_OPTIONS);
    if (vendor->own)
        return vendor->own->compile(source, more, count, code, size, err);
    for (size_t i = 0; i < count; i++)
        options[first + i] = more[i];
    status = opevo_i_gpu_rtc_open(vendor, &rtc, err);
    if (status != OPEVO_OK)
        return status;
    failed = rtc.create(&program, source, "kernel", 0, NULL, NULL);
    if (failed)
        return OPEVO_FAIL(err, OPEVO_IO, "error: the compiler cannot be started: %d.", failed);
    failed = rtc.compile(program, (int)(first + count), options);
    print_log(&rtc, program);
    if (failed)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "error %d of the compiler", failed);
    else
        status = get_code(&rtc, program, code, size, err);
    rtc.destroy(&program);
    return status;
}

static opevo_status compile_file(const opevo_i_gpu_vendor *vendor, const char *arch,
                                 const char *source, const char *object, const char *const *more,
                                 size_t count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    char *text = NULL;
    char *code = NULL;
    size_t size = 0;
    FILE *file = NULL;

    OPEVO_TRY(opevo_file_read(source, SOURCE_BYTES_MAX, &text, &size, err));
    OPEVO_TRY(opevo_i_gpu_compile(vendor, arch, text, more, count, &code, &size, err));
    file = fopen(object, "we");
    if (!file || fwrite(code, 1, size, file) != size)
        status = OPEVO_FAIL(err, OPEVO_IO, "error: %s cannot be written.", object);
    if (file && fclose(file) != 0 && status == OPEVO_OK)
        status = OPEVO_FAIL(err, OPEVO_IO, "error: %s cannot be written.", object);
cleanup:
    opevo_free(code);
    opevo_free(text);
    return status;
}

/* hipRTC and OpenCL compile for the current device. */
static opevo_status choose_device(const opevo_i_gpu_vendor *vendor, unsigned ordinal,
                                  opevo_error *err)
{
    opevo_i_gpu_driver driver;
    opevo_status status = OPEVO_OK;

    if (!vendor->hip && !vendor->own)
        return OPEVO_OK;
    status = opevo_i_gpu_driver_open(vendor, &driver, err);
    if (status == OPEVO_OK && driver.set_device((int)ordinal))
        status = OPEVO_FAIL(err, OPEVO_IO, "error: device %s:%u not found.", vendor->kind, ordinal);
    return status;
}

int opevo_i_gpu_build_main(int argc, char **argv)
{
    const opevo_i_gpu_vendor *vendor = NULL;
    opevo_error err = {OPEVO_OK, ""};
    const char *which = NULL;
    char device[64];
    uint64_t ordinal = 0;

    if (argc < 6 || !opevo_parse_u64(argv[1], &ordinal))
        return 2;
    snprintf(device, sizeof device, "%.16s:%.16s", argv[0], argv[1]);
    vendor = opevo_i_gpu_vendor_of(device, &which);
    if (!vendor)
        return 2;
    if (vendor->own)
        vendor->own->expect(argv[5]);
    if (choose_device(vendor, (unsigned)ordinal, &err) == OPEVO_OK) {
        /* What a driver reserves for the device is beyond any limit, and comes first. */
        opevo_i_process_limit_memory(OPEVO_I_BUILD_MEMORY);
        if (compile_file(vendor, argv[2], argv[3], argv[4], (const char *const *)argv + 6,
                         (size_t)argc - 6, &err) == OPEVO_OK)
            return 0;
    }
    fprintf(stderr, "%s\n", err.message);
    return err.status == OPEVO_INVALID ? 1 : OPEVO_I_EXIT_HOST;
}
