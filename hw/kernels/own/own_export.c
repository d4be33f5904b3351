/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A point as files: its source with the macros, these as a header, and a program that runs the
 * steps on the inputs of the first seed, compares and times them: functions in C by a call, kernels
 * by what device.h knows of their device. */

#include "own_internal.h"

#include <opevo/export.h>
#include <opevo/text_fill.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void opevo_i_own_define_macros(const char *macros, opevo_text *out)
{
    for (const char *at = macros; *at;) {
        size_t length = strcspn(at, "\n"), name = strcspn(at, "=");

        opevo_text_printf(out, "#define %.*s %.*s\n", (int)name - 2, at + 2,
                          (int)(length - name - 1), at + name + 1);
        at += length + 1;
    }
}

/* Behind a source that a program includes: parameters may have the names of its variables. */
static void undefine_macros(const char *macros, opevo_text *out)
{
    for (const char *at = macros; *at; at += strcspn(at, "\n") + 1)
        opevo_text_printf(out, "#undef %.*s\n", (int)strcspn(at, "=") - 2, at + 2);
}

/* ---- Names ---------------------------------------------------------------------------------- */

enum { FILE_KERNEL, FILE_HEADER, FILE_MAIN, FILE_MAKE, FILE_INPUTS, FILE_DEVICE, FILE_REFERENCE };

/* The ending of a source. */
static const char *ending(opevo_kernel_dialect dialect)
{
    static const char *const endings[] = {[OPEVO_KERNEL_C] = ".c",
                                          [OPEVO_KERNEL_CUDA] = ".cu",
                                          [OPEVO_KERNEL_HIP] = ".hip.cpp",
                                          [OPEVO_KERNEL_OPENCL] = ".cl"};

    return endings[dialect];
}

static bool compares(opevo_harness_reference_kind kind)
{
    return kind == OPEVO_REFERENCE_ITSELF || kind == OPEVO_REFERENCE_SOURCE;
}

/* Which file is number i: without a device there is no FILE_DEVICE. */
static size_t file_of(bool calls, size_t i)
{
    return calls && i >= FILE_DEVICE ? i + 1 : i;
}

const char *opevo_i_own_file_name(opevo_kernel_dialect dialect, bool calls,
                                  opevo_harness_reference_kind kind, size_t i)
{
    static const char *const references[] = {[OPEVO_KERNEL_C] = "reference.c",
                                             [OPEVO_KERNEL_CUDA] = "reference.cu",
                                             [OPEVO_KERNEL_HIP] = "reference.hip.cpp",
                                             [OPEVO_KERNEL_OPENCL] = "reference.cl"};
    static const char *const kernels[] = {[OPEVO_KERNEL_C] = "kernel.c",
                                          [OPEVO_KERNEL_CUDA] = "kernel.cu",
                                          [OPEVO_KERNEL_HIP] = "kernel.hip.cpp",
                                          [OPEVO_KERNEL_OPENCL] = "kernel.cl"};
    static const char *const mains[] = {[OPEVO_KERNEL_C] = "main.c",
                                        [OPEVO_KERNEL_CUDA] = "main.cu",
                                        [OPEVO_KERNEL_HIP] = "main.hip.cpp",
                                        [OPEVO_KERNEL_OPENCL] = "main.c"};

    switch (file_of(calls, i)) {
    case FILE_KERNEL:
        return kernels[dialect];
    case FILE_HEADER:
        return "kernel.h";
    case FILE_MAIN:
        return !calls && dialect == OPEVO_KERNEL_C ? NULL : mains[dialect];
    case FILE_MAKE:
        return "Makefile";
    case FILE_INPUTS:
        return "inputs.bin";
    case FILE_DEVICE:
        return "device.h";
    case FILE_REFERENCE:
        return !compares(kind)                  ? NULL
               : kind == OPEVO_REFERENCE_SOURCE ? "reference.c"
                                                : references[dialect];
    default:
        return NULL;
    }
}

/* ---- The program ---------------------------------------------------------------------------- */

/* A text about functions in C: those that take all buffers, and scratch memory, of which there is
 * none. */
static void print_calls(const char *text, size_t count, opevo_text *out)
{
    opevo_text parameters = {0}, arguments = {0};

    for (size_t i = 0; i < count; i++) {
        opevo_text_add(&parameters, "void *, ");
        opevo_text_printf(&arguments, "b[%zu], ", i);
    }
    opevo_text_add(&parameters, "void *");
    opevo_text_add(&arguments, "NULL");
    opevo_text_fill(out, text,
                    (opevo_text_slot[]){{"entry", OPEVO_I_OWN_ENTRY},
                                        {"parameters", opevo_text_string(&parameters)},
                                        {"arguments", opevo_text_string(&arguments)}},
                    3);
    out->failed |= parameters.failed || arguments.failed;
    opevo_text_free(&parameters);
    opevo_text_free(&arguments);
}

/* Words for the compiler, one a line, as one text in C. */
static void print_words(const char *lines, opevo_text *out)
{
    size_t length = strlen(lines);

    while (length && lines[length - 1] == '\n')
        length--;
    for (size_t i = 0; i < length; i++) {
        if (lines[i] == '"' || lines[i] == '\\')
            opevo_text_add(out, "\\");
        opevo_text_add_bytes(out, lines[i] == '\n' ? " " : &lines[i], 1);
    }
}

static opevo_status print_options(const opevo_i_own_export *what, const opevo_i_own_point *point,
                                  opevo_text *out, opevo_error *err)
{
    opevo_text lines = {0};
    opevo_status status = opevo_harness_compiler(what->harness, &point->whole, &lines, err);

    if (status == OPEVO_OK && !strstr(opevo_text_string(&lines), "-cl-std="))
        opevo_text_add(&lines, "-cl-std=CL1.2\n");
    print_words(opevo_text_string(&lines), out);
    opevo_text_free(&lines);
    return status;
}

static opevo_status print_opencl_run(const opevo_i_own_export *what, opevo_text *out,
                                     opevo_error *err)
{
    bool compared = what->kind == OPEVO_REFERENCE_ITSELF;
    opevo_text options = {0}, first = {0}, launches = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(print_options(what, what->values, &options, err));
    OPEVO_TRY(print_options(what, what->first, &first, err));
    if (compared)
        OPEVO_TRY(opevo_harness_print_launches(what->harness, &what->first->whole,
                                               "static void opevo_reference", &launches, err));
    for (int i = 0; i < (compared ? 2 : 1); i++)
        opevo_text_fill(out, i ? opevo_i_own_opencl_refer : opevo_i_own_opencl_run,
                        (opevo_text_slot[]){{"options", opevo_text_string(&options)},
                                            {"first_options", opevo_text_string(&first)},
                                            {"launches", opevo_text_string(&launches)}},
                        3);
    out->failed |= options.failed || first.failed || launches.failed;
cleanup:
    opevo_text_free(&options);
    opevo_text_free(&first);
    opevo_text_free(&launches);
    return status;
}

/* run() and, where something compares, refer(). */
static opevo_status print_run(const opevo_i_own_export *what, size_t count, opevo_text *out,
                              opevo_error *err)
{
    bool opencl = what->dialect == OPEVO_KERNEL_OPENCL;
    opevo_status status = OPEVO_OK;

    if (what->calls) {
        print_calls(opevo_i_own_call_run, count, out);
        if (compares(what->kind))
            print_calls(opevo_i_own_call_refer, count, out);
        return opevo_text_check(out, err);
    }
    opevo_text_add(out, "#include \"device.h\"\n");
    if (!opencl) {
        opevo_text_printf(out, "#include \"kernel%s\"\n", ending(what->dialect));
        undefine_macros(opevo_text_string(&what->values->macros), out);
    }
    opevo_text_add(out, "\n");
    opevo_harness_print_helpers(out);
    OPEVO_TRY(opevo_harness_print_launches(what->harness, &what->values->whole,
                                           "static void " OPEVO_I_OWN_ENTRY, out, err));
    opevo_text_add(out, opevo_i_own_on_device);
    opevo_text_add(out, opencl ? "" : opevo_i_own_gpu_run);
    if (opencl)
        OPEVO_TRY(print_opencl_run(what, out, err));
    else if (what->kind == OPEVO_REFERENCE_ITSELF)
        opevo_text_add(out, opevo_i_own_gpu_refer);
    if (what->kind == OPEVO_REFERENCE_SOURCE)
        print_calls(opevo_i_own_call_refer, count, out);
    status = opevo_text_check(out, err);
cleanup:
    return status;
}

/* A row of the program's table for each buffer. */
static void print_buffers(const opevo_harness *harness, const opevo_buffer *buffers, size_t count,
                          opevo_text *out)
{
    for (size_t i = 0; i < count; i++) {
        opevo_harness_tolerance allowed = opevo_harness_tolerance_of(harness, i);
        size_t element = opevo_kernel_element_is_real(buffers[i].element)
                             ? opevo_kernel_element_size(buffers[i].element)
                             : 0;

        opevo_text_printf(out, "    {\"%s\", %zu, %zu, %zu, %d, %d, %d, %.17g, %.17g},\n",
                          buffers[i].name, buffers[i].size_bytes, buffers[i].count, element,
                          buffers[i].output, buffers[i].initialised,
                          allowed.relative + 2 * allowed.summed, allowed.bound, allowed.floor);
    }
}

static opevo_status print_program(const opevo_i_own_export *what, opevo_text *out, opevo_error *err)
{
    opevo_case *timed = NULL;
    opevo_status status = OPEVO_OK;
    const opevo_buffer *buffers = NULL;
    opevo_text number = {0}, rows = {0}, run = {0};
    size_t count = 0;

    OPEVO_TRY(
        opevo_case_open_with(what->harness, OPEVO_SET_TUNE, 0, &what->values->whole, &timed, err));
    buffers = opevo_case_buffers(timed, &count);
    opevo_text_printf(&number, "%zu", count);
    print_buffers(what->harness, buffers, count, &rows);
    OPEVO_TRY(print_run(what, count, &run, err));
    OPEVO_TRY(opevo_text_check(&number, err));
    OPEVO_TRY(opevo_text_check(&rows, err));
    opevo_text_fill(
        out, opevo_i_own_program,
        (opevo_text_slot[]){{"count", number.data}, {"buffers", rows.data}, {"run", run.data}}, 3);
    status = opevo_text_check(out, err);
cleanup:
    opevo_case_close(timed);
    opevo_text_free(&number);
    opevo_text_free(&rows);
    opevo_text_free(&run);
    return status;
}

static opevo_status print_inputs(const opevo_i_own_export *what, opevo_text *out, opevo_error *err)
{
    opevo_case *timed = NULL;
    opevo_status status =
        opevo_case_open_with(what->harness, OPEVO_SET_TUNE, 0, &what->values->whole, &timed, err);
    const opevo_buffer *buffers = NULL;
    size_t count = 0;

    if (status != OPEVO_OK)
        return status;
    buffers = opevo_case_buffers(timed, &count);
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].initialised)
            opevo_text_add_bytes(out, buffers[i].data, buffers[i].size_bytes);
    }
    opevo_case_close(timed);
    return opevo_text_check(out, err);
}

/* ---- The reference -------------------------------------------------------------------------- */

/* A function in C, under another name: a copy, in which that of the entry is replaced. */
static void print_reference_call(const opevo_i_own_export *what, opevo_text *out)
{
    const char *source = opevo_text_string(&what->reference->source);
    const char *at = NULL;

    if (what->kind == OPEVO_REFERENCE_ITSELF)
        opevo_i_own_define_macros(opevo_text_string(&what->first->macros), out);
    while ((at = strstr(source, OPEVO_I_OWN_ENTRY "(")) != NULL) {
        opevo_text_add_bytes(out, source, (size_t)(at - source));
        opevo_text_add(out, "opevo_reference(");
        source = at + strlen(OPEVO_I_OWN_ENTRY "(");
    }
    opevo_text_add(out, source);
}

/* Kernels get names of their own, as programs have one of each name. */
static opevo_status rename_kernel(void *context, const opevo_grid_launch *launch,
                                  opevo_evaluation *out, opevo_error *err)
{
    const char *at = launch->kernel;
    opevo_text line = {0};

    (void)out, (void)err;
    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    opevo_text_printf(&line, "#define %s opevo_reference_%s\n", launch->kernel, launch->kernel);
    if (!*at && !line.failed && !strstr(opevo_text_string(context), opevo_text_string(&line)))
        opevo_text_add(context, opevo_text_string(&line));
    opevo_text_free(&line);
    return OPEVO_OK;
}

static opevo_status rename_variables(const opevo_i_own_export *what, opevo_text *out,
                                     opevo_error *err)
{
    opevo_case *timed = NULL;
    opevo_status status =
        opevo_case_open_with(what->harness, OPEVO_SET_TUNE, 0, &what->first->whole, &timed, err);
    size_t count = 0;
    const opevo_buffer *buffers = status == OPEVO_OK ? opevo_case_buffers(timed, &count) : NULL;

    for (size_t i = 0; i < count; i++) {
        if (buffers[i].symbol)
            opevo_text_printf(out, "#define %s opevo_reference_%s\n", buffers[i].symbol,
                              buffers[i].symbol);
    }
    opevo_case_close(timed);
    return status;
}

/* The default configuration of kernels for GPUs, with its steps. */
static opevo_status print_reference_gpu(const opevo_i_own_export *what, opevo_text *out,
                                        opevo_error *err)
{
    opevo_text names = {0};
    const opevo_player player = {.context = &names, .launch = rename_kernel, .takes_local = true};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_harness_launches(what->harness, &what->first->whole, &player, err));
    OPEVO_TRY(rename_variables(what, &names, err));
    opevo_text_add(out, "#include \"device.h\"\n");
    opevo_text_add(out, opevo_text_string(&names));
    opevo_text_add(out, opevo_text_string(&what->reference->source));
    opevo_text_add(out, "\n");
    undefine_macros(opevo_text_string(&what->first->macros), out);
    opevo_harness_print_helpers(out);
    status = opevo_harness_print_launches(what->harness, &what->first->whole,
                                          "void opevo_reference", out, err);
cleanup:
    opevo_text_free(&names);
    return status;
}

static opevo_status print_reference(const opevo_i_own_export *what, opevo_text *out,
                                    opevo_error *err)
{
    if (what->calls || what->kind == OPEVO_REFERENCE_SOURCE) {
        print_reference_call(what, out);
        return opevo_text_check(out, err);
    }
    if (what->dialect != OPEVO_KERNEL_OPENCL)
        return print_reference_gpu(what, out, err);
    opevo_text_add(out, opevo_text_string(&what->reference->source));
    return opevo_text_check(out, err);
}

/* ---- The Makefile --------------------------------------------------------------------------- */

/* What stands before a character in quotes, for make and the shell. */
static const char *quoted(char c)
{
    return c == '$' ? "$" : c == '#' ? "\\" : c == '\'' ? "'\\'" : "";
}

static void print_variable(const char *name, const char *options, opevo_text *out)
{
    opevo_text_printf(out, "%s =", name);
    for (const char *at = options; *at;) {
        size_t length = strcspn(at, "\n");

        opevo_text_add(out, " '");
        for (size_t i = 0; i < length; i++)
            opevo_text_printf(out, "%s%c", quoted(at[i]), at[i]);
        opevo_text_add(out, "'");
        at += length + (at[length] != '\0');
    }
    opevo_text_add(out, "\n");
}

static void print_c_flags(bool parallel, opevo_text *out)
{
    static const char *const flags[] = {OPEVO_KERNEL_C_FLAGS};

    opevo_text_add(out, "# Objects keep their entry only, as both may have functions of one name.\n"
                        "CFLAGS =");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        opevo_text_printf(out, " %s", flags[i]);
    opevo_text_add(out, parallel ? " -fopenmp\n" : "\n");
}

/* Those of the default configuration, where that is the reference. */
static opevo_status print_reference_options(const opevo_i_own_export *what, opevo_text *out,
                                            opevo_error *err)
{
    opevo_text options = {0};
    opevo_status status = OPEVO_OK;

    if (what->kind == OPEVO_REFERENCE_ITSELF && what->dialect != OPEVO_KERNEL_OPENCL) {
        status = opevo_harness_compiler(what->harness, &what->first->whole, &options, err);
        print_variable("REFERENCE_OPTIONS", opevo_text_string(&options), out);
    }
    opevo_text_free(&options);
    return status;
}

static void print_make_c(const opevo_i_own_export *what, const char *options, opevo_text *out)
{
    bool compared = compares(what->kind);

    print_variable("OPTIONS", options, out);
    opevo_text_fill(out, opevo_i_own_make_c,
                    &(opevo_text_slot){"reference", compared ? " reference.o" : ""}, 1);
    opevo_text_add(out, compared ? opevo_i_own_make_reference : "");
}

static void print_make_opencl(const opevo_i_own_export *what, opevo_text *out)
{
    bool compared = what->kind == OPEVO_REFERENCE_SOURCE;

    opevo_text_fill(out, opevo_i_own_make_opencl,
                    &(opevo_text_slot){"reference", compared ? " reference.o" : ""}, 1);
    opevo_text_add(out, compared ? opevo_i_own_make_reference : "");
}

static void print_make_gpu(const opevo_i_own_export *what, const char *options, opevo_text *out)
{
    bool compared = compares(what->kind);
    const opevo_text_slot slots[] = {
        {"compiler", what->dialect == OPEVO_KERNEL_CUDA ? "nvcc" : "hipcc"},
        {"ending", ending(what->dialect)},
        {"reference", compared ? " reference.o" : ""}};
    const char *reference = !compared                              ? ""
                            : what->kind == OPEVO_REFERENCE_SOURCE ? opevo_i_own_make_reference
                                                                   : opevo_i_own_make_reference_gpu;

    print_variable("OPTIONS", options, out);
    opevo_text_fill(out, opevo_i_own_make_gpu, slots, 3);
    opevo_text_fill(out, reference, slots, 3);
}

static opevo_status print_makefile(const opevo_i_own_export *what, opevo_text *out,
                                   opevo_error *err)
{
    opevo_text options = {0};
    opevo_status status =
        opevo_harness_compiler(what->harness, &what->values->whole, &options, err);

    print_c_flags(what->kernel->parallel, out);
    if (status == OPEVO_OK)
        status = print_reference_options(what, out, err);
    if (status == OPEVO_OK && what->calls)
        print_make_c(what, opevo_text_string(&options), out);
    else if (status == OPEVO_OK && what->dialect == OPEVO_KERNEL_OPENCL)
        print_make_opencl(what, out);
    else if (status == OPEVO_OK)
        print_make_gpu(what, opevo_text_string(&options), out);
    opevo_text_add(out, "\nclean:\n\trm -f kernel main.o kernel.o reference.o\n");
    opevo_text_free(&options);
    return status == OPEVO_OK ? opevo_text_check(out, err) : status;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static void print_header(const opevo_i_own_point *point, opevo_text *out)
{
    opevo_text_add(out, "#ifndef OPEVO_KERNEL_H\n#define OPEVO_KERNEL_H\n");
    opevo_i_own_define_macros(opevo_text_string(&point->macros), out);
    opevo_text_add(out, "#endif\n");
}

static void print_kernel(const opevo_i_own_export *what, opevo_text *out)
{
    if (what->calls && opevo_harness_defines_macros(what->harness))
        opevo_i_own_define_macros(opevo_text_string(&what->values->macros), out);
    opevo_text_add(out, opevo_text_string(&what->kernel->source));
}

static void print_device(const opevo_i_own_export *what, opevo_text *out)
{
    opevo_text_add(out, "#ifndef OPEVO_DEVICE_H\n#define OPEVO_DEVICE_H\n\n");
    opevo_text_add(out,
                   what->dialect == OPEVO_KERNEL_OPENCL ? opevo_i_export_opencl : opevo_i_own_gpu);
    opevo_text_add(out, "\n#endif\n");
}

opevo_status opevo_i_own_print_file(const opevo_i_own_export *what, size_t i, opevo_text *out,
                                    opevo_error *err)
{
    switch (file_of(what->calls, i)) {
    case FILE_KERNEL:
        print_kernel(what, out);
        break;
    case FILE_HEADER:
        print_header(what->values, out);
        break;
    case FILE_MAIN:
        return print_program(what, out, err);
    case FILE_MAKE:
        return print_makefile(what, out, err);
    case FILE_INPUTS:
        return print_inputs(what, out, err);
    case FILE_DEVICE:
        print_device(what, out);
        break;
    default:
        return print_reference(what, out, err);
    }
    return opevo_text_check(out, err);
}
