/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A point as files: its source with the macros, these as a header, and for functions in C a program
 * that runs the steps on the inputs of the first seed, compares and times them. */

#include "own_internal.h"

#include <opevo/text_fill.h>

#include <stdio.h>
#include <string.h>

static void print_call(const char *macro, const char *function, size_t count, opevo_text *out)
{
    opevo_text_printf(out, "void %s(", function);
    for (size_t i = 0; i <= count; i++)
        opevo_text_printf(out, "%svoid *", i ? ", " : "");
    opevo_text_printf(out, ");\n#define %s(b) %s(", macro, function);
    for (size_t i = 0; i < count; i++)
        opevo_text_printf(out, "b[%zu], ", i);
    opevo_text_add(out, "NULL)\n");
}

/* A row of the program's table for each buffer. */
static void print_buffers(const opevo_harness *harness, const opevo_buffer *buffers, size_t count,
                          opevo_text *out)
{
    for (size_t i = 0; i < count; i++) {
        opevo_harness_tolerance allowed = opevo_harness_tolerance_of(harness, i);
        int element = buffers[i].element == OPEVO_KERNEL_ELEMENT_F32   ? 4
                      : buffers[i].element == OPEVO_KERNEL_ELEMENT_F64 ? 8
                                                                       : 0;

        opevo_text_printf(out, "    {\"%s\", %zu, %zu, %d, %d, %d, %d, %.17g, %.17g},\n",
                          buffers[i].name, buffers[i].size_bytes, buffers[i].count, element,
                          buffers[i].output, buffers[i].initialised, allowed.relative,
                          allowed.bound, allowed.floor);
    }
}

opevo_status opevo_i_own_print_program(const opevo_harness *harness,
                                       const opevo_harness_values *values, bool compares,
                                       opevo_text *out, opevo_error *err)
{
    opevo_case *what = NULL;
    opevo_status status = OPEVO_OK;
    const opevo_buffer *buffers = NULL;
    opevo_text number = {0}, rows = {0}, calls = {0};
    size_t count = 0;

    OPEVO_TRY(opevo_case_open_with(harness, OPEVO_SET_TUNE, 0, values, &what, err));
    buffers = opevo_case_buffers(what, &count);
    opevo_text_printf(&number, "%zu", count);
    print_buffers(harness, buffers, count, &rows);
    print_call("RUN", "opevo_run", count, &calls);
    if (compares)
        print_call("REFERENCE", "opevo_reference", count, &calls);
    OPEVO_TRY(opevo_text_check(&number, err));
    OPEVO_TRY(opevo_text_check(&rows, err));
    OPEVO_TRY(opevo_text_check(&calls, err));
    opevo_text_fill(
        out, opevo_i_own_program,
        (opevo_text_slot[]){{"count", number.data}, {"buffers", rows.data}, {"calls", calls.data}},
        3);
    status = opevo_text_check(out, err);
cleanup:
    opevo_case_close(what);
    opevo_text_free(&number);
    opevo_text_free(&rows);
    opevo_text_free(&calls);
    return status;
}

opevo_status opevo_i_own_print_inputs(const opevo_harness *harness,
                                      const opevo_harness_values *values, opevo_text *out,
                                      opevo_error *err)
{
    opevo_case *what = NULL;
    opevo_status status = OPEVO_OK;
    const opevo_buffer *buffers = NULL;
    size_t count = 0;

    OPEVO_TRY(opevo_case_open_with(harness, OPEVO_SET_TUNE, 0, values, &what, err));
    buffers = opevo_case_buffers(what, &count);
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].initialised)
            opevo_text_add_bytes(out, buffers[i].data, buffers[i].size_bytes);
    }
    status = opevo_text_check(out, err);
cleanup:
    opevo_case_close(what);
    return status;
}

opevo_status opevo_i_own_print_makefile(const char *options, bool compares, opevo_text *out,
                                        opevo_error *err)
{
    static const char *const flags[] = {OPEVO_KERNEL_C_FLAGS};

    opevo_text_add(out, "# Objects keep their entry only, as both may have functions of one name.\n"
                        "CFLAGS =");
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        opevo_text_printf(out, " %s", flags[i]);
    opevo_text_add(out, "\nOPTIONS =");
    for (const char *at = options; *at;) {
        size_t length = strcspn(at, "\n");

        if (strncmp(at, "-D", 2) != 0 || memchr(at, ' ', length) == NULL)
            opevo_text_printf(out, " '%.*s'", (int)length, at);
        at += length + (at[length] != '\0');
    }
    opevo_text_printf(out,
                      "\n\nkernel: main.c kernel.o%s\n\t$(CC) -O2 -o $@ main.c kernel.o%s -lm\n\n"
                      "kernel.o: kernel.c\n\t$(CC) $(CFLAGS) -w $(OPTIONS) -c -o $@ kernel.c\n"
                      "\tobjcopy --keep-global-symbol=opevo_run $@\n\n",
                      compares ? " reference.o" : "", compares ? " reference.o" : "");
    if (compares)
        opevo_text_add(out, "reference.o: reference.c\n\t$(CC) $(CFLAGS) -w -c -o $@ reference.c\n"
                            "\tobjcopy --keep-global-symbol=opevo_reference $@\n\n");
    opevo_text_add(out, "clean:\n\trm -f kernel kernel.o reference.o\n");
    return opevo_text_check(out, err);
}
