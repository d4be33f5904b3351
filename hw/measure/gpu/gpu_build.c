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

static const char *name_in(const char *word)
{
    size_t length = strlen(OPEVO_NAME_EXPRESSION);

    return strncmp(word, OPEVO_NAME_EXPRESSION, length) == 0 ? word + length : NULL;
}

/* What the compiler calls the kernels that words name. */
static opevo_status append_names(const opevo_i_gpu_rtc *rtc, void *program,
                                 const char *const *words, size_t count, char **code, size_t *size,
                                 opevo_error *err)
{
    opevo_text names = {0};
    opevo_status status = OPEVO_OK;
    char *whole = NULL;

    for (size_t i = 0; i < count; i++) {
        const char *expression = name_in(words[i]), *name = NULL;

        if (expression && rtc->lowered_name(program, expression, &name) == 0)
            opevo_text_printf(&names, "%s\t%s\n", expression, name);
    }
    if (names.length && names.length < 100000000)
        opevo_text_printf(&names, "%08zu" OPEVO_I_GPU_NAMES_END, names.length);
    OPEVO_TRY(opevo_text_check(&names, err));
    if (!names.length)
        goto cleanup;
    whole = opevo_malloc(*size + names.length, 1);
    if (!whole) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "error: no memory for the names of kernels.");
        goto cleanup;
    }
    memcpy(whole, *code, *size);
    memcpy(whole + *size, names.data, names.length);
    opevo_free(*code);
    *code = whole;
    *size += names.length;
cleanup:
    opevo_text_free(&names);
    return status;
}

void opevo_i_gpu_lowered_name(const char *image, size_t size, const char *expression,
                              char out[OPEVO_I_GPU_NAME])
{
    const size_t end = strlen(OPEVO_I_GPU_NAMES_END), digits = 8, length = strlen(expression);
    const char *last = image + size, *at = NULL;
    size_t bytes = 0;

    snprintf(out, OPEVO_I_GPU_NAME, "%s", expression);
    if (size < end + digits || memcmp(last - end, OPEVO_I_GPU_NAMES_END, end) != 0)
        return;
    last -= end + digits;
    for (size_t i = 0; i < digits; i++)
        bytes = 10 * bytes + (size_t)(last[i] - '0');
    if (bytes > size - end - digits)
        return;
    for (at = last - bytes; at < last;) {
        const char *stop = memchr(at, '\n', (size_t)(last - at));
        size_t line = stop ? (size_t)(stop - at) : 0;

        if (!stop)
            return;
        if (line > length && at[length] == '\t' && memcmp(at, expression, length) == 0)
            snprintf(out, OPEVO_I_GPU_NAME, "%.*s", (int)(line - length - 1), at + length + 1);
        at = stop + 1;
    }
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
    status = opevo_i_gpu_rtc_open(vendor, &rtc, err);
    if (status != OPEVO_OK)
        return status;
    failed = rtc.create(&program, source, "kernel", 0, NULL, NULL);
    if (failed)
        return OPEVO_FAIL(err, OPEVO_IO, "error: the compiler cannot be started: %d.", failed);
    for (size_t i = 0; i < count; i++) {
        if (name_in(more[i]))
            failed |= rtc.add_name(program, name_in(more[i]));
        else
            options[first++] = more[i];
    }
    if (!failed)
        failed = rtc.compile(program, (int)first, options);
    print_log(&rtc, program);
    if (failed)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "error %d of the compiler", failed);
    else
        status = get_code(&rtc, program, code, size, err);
    if (status == OPEVO_OK)
        status = append_names(&rtc, program, more, count, code, size, err);
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

opevo_status opevo_i_gpu_choose_device(const opevo_i_gpu_vendor *vendor, unsigned ordinal,
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
    if (opevo_i_gpu_choose_device(vendor, (unsigned)ordinal, &err) == OPEVO_OK) {
        /* What a driver reserves for the device is beyond any limit, and comes first. */
        opevo_i_process_limit_memory(OPEVO_I_BUILD_MEMORY);
        if (compile_file(vendor, argv[2], argv[3], argv[4], (const char *const *)argv + 6,
                         (size_t)argc - 6, &err) == OPEVO_OK)
            return 0;
    }
    fprintf(stderr, "%s\n", err.message);
    return err.status == OPEVO_INVALID ? 1 : OPEVO_I_EXIT_HOST;
}
