/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A point as files: its source with the macros, these as a header, and for functions in C a program
 * that runs the steps on the inputs of the first seed, compares and times them. */

#include "own_internal.h"

#include <stdio.h>
#include <string.h>

static const char head[] =
    "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <time.h>\n\n"
    "struct buffer {\n    const char *name;\n    size_t bytes, count;\n    int element; /* 4: "
    "float, "
    "8: double, 0: whole */\n    int output, filled, relative;\n    double bound, floor;\n};\n\n";

static const char body[] =
    "static char *given[COUNT], *memory[COUNT], *right[COUNT];\n\n"
    "static void *room(size_t bytes)\n{\n"
    "    void *data = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);\n\n"
    "    if (!data)\n        exit(1);\n    return data;\n}\n\n"
    "static void renew(char **to)\n{\n"
    "    for (int i = 0; i < COUNT; i++) {\n"
    "        if (buffers[i].filled)\n            memcpy(to[i], given[i], buffers[i].bytes);\n"
    "        else\n            memset(to[i], 0xff, buffers[i].bytes);\n    }\n}\n\n"
    "static double value(const struct buffer *of, const char *data, size_t i)\n{\n"
    "    return of->element == 4 ? ((const float *)data)[i] : ((const double *)data)[i];\n}\n\n"
    "static int compare(void)\n{\n    int wrong = 0;\n\n"
    "    for (int i = 0; i < COUNT; i++) {\n"
    "        const struct buffer *of = &buffers[i];\n        double worst = 0;\n\n"
    "        if (!of->output)\n            continue;\n"
    "        for (size_t k = 0; of->element && k < of->count; k++) {\n"
    "            double x = value(of, memory[i], k), g = value(of, right[i], k);\n"
    "            double error = fabs(x - g) / (of->relative ? fmax(fabs(g), of->floor) : 1);\n\n"
    "            worst = error <= worst ? worst : error; /* also where it is not a number */\n"
    "        }\n"
    "        if (!of->element)\n            worst = memcmp(memory[i], right[i], of->bytes) != 0;\n"
    "        printf(\"%s: largest error %g, at most %g\\n\", of->name, worst, of->bound);\n"
    "        wrong |= !(worst <= of->bound);\n    }\n    return wrong;\n}\n\n"
    "static double now(void)\n{\n    struct timespec t;\n\n"
    "    clock_gettime(CLOCK_MONOTONIC, &t);\n    return (double)t.tv_sec + 1e-9 * "
    "(double)t.tv_nsec;\n}\n\n"
    "static int ascending(const void *a, const void *b)\n{\n"
    "    double x = *(const double *)a, y = *(const double *)b;\n\n"
    "    return (x > y) - (x < y);\n}\n\n"
    "int main(void)\n{\n    double times[31];\n    int wrong = 0;\n"
    "    FILE *file = fopen(\"inputs.bin\", \"rb\");\n\n"
    "    if (!file) {\n        fputs(\"inputs.bin is missing\\n\", stderr);\n        return 1;\n   "
    " }\n"
    "    for (int i = 0; i < COUNT; i++) {\n"
    "        given[i] = room(buffers[i].bytes);\n        memory[i] = room(buffers[i].bytes);\n"
    "        right[i] = room(buffers[i].bytes);\n"
    "        if (buffers[i].filled && fread(given[i], 1, buffers[i].bytes, file) != "
    "buffers[i].bytes)\n            return 1;\n    }\n    fclose(file);\n"
    "    renew(memory);\n    RUN(memory);\n"
    "#ifdef REFERENCE\n    renew(right);\n    REFERENCE(right);\n    wrong = compare();\n#endif\n"
    "    for (int k = 0; k < 31; k++) {\n        double start;\n\n"
    "        renew(memory);\n        start = now();\n        RUN(memory);\n"
    "        times[k] = now() - start;\n    }\n"
    "    qsort(times, 31, sizeof *times, ascending);\n"
    "    printf(\"%g ms, the median of 31 runs\\n\", 1e3 * times[15]);\n    return wrong;\n}\n";

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

opevo_status opevo_i_own_print_program(const opevo_harness *harness,
                                       const opevo_harness_values *values, bool compares,
                                       opevo_text *out, opevo_error *err)
{
    opevo_case *what = NULL;
    opevo_status status = opevo_case_open_with(harness, OPEVO_SET_TUNE, 0, values, &what, err);
    const opevo_buffer *buffers = NULL;
    size_t count = 0;

    if (status != OPEVO_OK)
        return status;
    buffers = opevo_case_buffers(what, &count);
    opevo_text_add(out, head);
    opevo_text_printf(out, "enum { COUNT = %zu };\nstatic const struct buffer buffers[COUNT] = {\n",
                      count);
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
    opevo_text_add(out, "};\n\n");
    print_call("RUN", "opevo_run", count, out);
    if (compares)
        print_call("REFERENCE", "opevo_reference", count, out);
    opevo_text_printf(out, "\n%s", body);
    opevo_case_close(what);
    return opevo_text_check(out, err);
}

opevo_status opevo_i_own_print_inputs(const opevo_harness *harness,
                                      const opevo_harness_values *values, opevo_text *out,
                                      opevo_error *err)
{
    opevo_case *what = NULL;
    opevo_status status = opevo_case_open_with(harness, OPEVO_SET_TUNE, 0, values, &what, err);
    const opevo_buffer *buffers = NULL;
    size_t count = 0;

    if (status != OPEVO_OK)
        return status;
    buffers = opevo_case_buffers(what, &count);
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].initialised)
            opevo_text_add_bytes(out, buffers[i].data, buffers[i].size_bytes);
    }
    opevo_case_close(what);
    return opevo_text_check(out, err);
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
