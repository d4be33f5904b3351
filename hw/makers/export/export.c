/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A kernel as a folder of files that stands alone: its source, its schedule, a program that checks
 * and times it, a Makefile, and a header for other programs. */

#include <opevo/export.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "export_internal.h"

/* ---- Comments ------------------------------------------------------------------------------- */

/* One line behind `mark`: neither a line's end nor a backslash before it leaves the comment. */
static void add_comment(opevo_text *out, const char *mark, const char *what, const char *text)
{
    opevo_text_printf(out, "%s %s: ", mark, what);
    for (; *text; text++) {
        bool plain = isalnum((unsigned char)*text) || strchr(" .,:;=+-*_/()[]{}\"@%<>!", *text);

        opevo_text_add_bytes(out, plain ? text : " ", 1);
    }
    opevo_text_add(out, "\n");
}

static void add_label(opevo_text *out, const char *mark, const opevo_workload *work,
                      const opevo_export_label *label)
{
    opevo_text form = {0};
    char fitness[64];
    char threads[16];

    opevo_workload_print(work, &form);
    add_comment(out, mark, work->library ? "operator" : "computation", opevo_text_string(&form));
    if (label->name)
        add_comment(out, mark, "template", label->name);
    if (label->threads > 1) {
        snprintf(threads, sizeof threads, "%u", label->threads);
        add_comment(out, mark, "threads", threads);
    }
    if (label->configuration)
        add_comment(out, mark, "configuration", label->configuration);
    if (label->device) {
        if (work->flop > 0)
            snprintf(fitness, sizeof fitness, "%.6g GFLOP/s", label->fitness);
        else
            snprintf(fitness, sizeof fitness, "%.6g ms", 1e3 / label->fitness);
        add_comment(out, mark, "device", label->device);
        add_comment(out, mark, "measured there, estimated", fitness);
    }
    add_comment(out, mark, "opevo", label->version);
    out->failed = out->failed || form.failed;
    opevo_text_free(&form);
}

/* ---- The Makefile --------------------------------------------------------------------------- */

static void add_makefile(opevo_text *out, const opevo_kernel *kernel)
{
    static const char *const flags[] = {OPEVO_KERNEL_C_FLAGS, OPEVO_KERNEL_C_PARALLEL_FLAG};

    if (kernel->dialect == OPEVO_KERNEL_C) {
        opevo_text_add(out, "CFLAGS =");
        for (size_t i = 0; i < sizeof flags / sizeof *flags - !kernel->parallel; i++)
            opevo_text_printf(out, " %s", flags[i]);
        opevo_text_add(out, "\n\nkernel: main.c kernel.c\n"
                            "\t$(CC) $(CFLAGS) -o $@ main.c kernel.c -lm\n");
    } else if (kernel->dialect == OPEVO_KERNEL_CUDA) {
        opevo_text_add(out, "NVCC = nvcc\nNVCCFLAGS = -O2 -arch=native\n\n"
                            "kernel: main.cu kernel.cu\n"
                            "\t$(NVCC) $(NVCCFLAGS) -o $@ main.cu\n");
    } else {
        opevo_text_add(out, "HIPCC = hipcc\nHIPCCFLAGS = -O2\n\n"
                            "kernel: main.hip.cpp kernel.hip.cpp\n"
                            "\t$(HIPCC) $(HIPCCFLAGS) -o $@ main.hip.cpp\n");
    }
}

/* ---- The header -------------------------------------------------------------------------------
 */

/* "a: 512 x 1024" for each operand. */
/* What an operand is called: by its letter, or by the name that the computation gives it. */
static void add_operand(opevo_text *out, const opevo_workload *work, int i)
{
    if (work->library)
        opevo_text_printf(out, "%c", OPEVO_I_OPERAND_LETTERS[i]);
    else
        opevo_text_printf(out, "x_%s", work->list.item[i].name);
}

static const char *type_of(const opevo_workload *work, int i)
{
    return opevo_kernel_type_text(work->list.item[i].element);
}

static bool is_typed(const opevo_workload *work)
{
    return !work->library && opevo_i_export_is_typed(work->computation);
}

static void add_operands(opevo_text *out, const opevo_workload *work)
{
    for (int i = 0; i < work->list.count; i++) {
        const opevo_workload_operand *one = &work->list.item[i];

        opevo_text_add(out, " *   ");
        add_operand(out, work, i);
        for (int d = 0; d < one->dims; d++)
            opevo_text_printf(out, "%s%lld", d ? " x " : "  ", (long long)one->extent[d]);
        opevo_text_add(out, one->dims ? "" : "  1");
        if (is_typed(work))
            opevo_text_printf(out, ", %s", opevo_element_name(one->element));
        opevo_text_add(out, "\n");
    }
}

/* Macros of the kernel called NAME: its scratch memory, or its launch. */
static void add_launch_macros(opevo_text *out, const opevo_kernel *kernel, const char *name)
{
    opevo_text_printf(out, "/* %s: <<<dim3(GRID), dim3(BLOCK), SHARED_BYTES>>>. */\n",
                      kernel->more ? "The launches of one execution, in this order" : "The launch");
    for (int i = 0; i <= kernel->more; i++) {
        opevo_launch one = opevo_kernel_launch(kernel, i);
        char prefix[OPEVO_KERNEL_NAME];

        snprintf(prefix, sizeof prefix, "%s", name);
        if (i)
            snprintf(prefix, sizeof prefix, "%s_%d", name, i + 1);
        opevo_text_printf(out,
                          "#define %s_GRID %u, %u, %u\n#define %s_BLOCK %u, %u, %u\n"
                          "#define %s_SHARED_BYTES %u\n",
                          prefix, one.grid[0], one.grid[1], one.grid[2], prefix, one.block[0],
                          one.block[1], one.block[2], prefix, one.dynamic_shared_bytes);
    }
    if (kernel->scratch_bytes)
        opevo_text_printf(out, "#define %s_SCRATCH_BYTES %lluLL\n", name,
                          (unsigned long long)kernel->scratch_bytes);
    opevo_text_add(out, "\n");
}

static void add_macros(opevo_text *out, const opevo_kernel *kernel, const char *name)
{
    if (kernel->dialect == OPEVO_KERNEL_C)
        opevo_text_printf(out,
                          "/* Bytes of scratch memory of a call on at most so many threads: 1, or "
                          "those of OpenMP. */\n"
                          "#define %s_SCRATCH_BYTES(threads) (%lluLL + (threads) * %lluLL)\n\n",
                          name, (unsigned long long)kernel->scratch_bytes,
                          (unsigned long long)kernel->thread_scratch_bytes);
    else
        add_launch_macros(out, kernel, name);
}

/* The functions that pack constants, and the memory that these then take. */
static void add_packers(opevo_text *out, const opevo_kernel *kernel, const char *name,
                        const opevo_workload *work)
{
    for (int i = 0; i < work->list.inputs && i < OPEVO_OPERANDS; i++) {
        char pack[OPEVO_KERNEL_NAME];
        opevo_text operand = {0};
        const char *of = NULL;

        if (!kernel->packed[i])
            continue;
        opevo_kernel_pack_name(kernel, i, pack);
        add_operand(&operand, work, i);
        of = opevo_text_string(&operand);
        opevo_text_printf(
            out,
            "\n/* The kernel reads %s in a layout of its own: bring it there once for "
            "all calls. */\n#define %s_PACKED_",
            of, name);
        for (const char *letter = of; *letter; letter++)
            opevo_text_printf(out, "%c", toupper((unsigned char)*letter));
        opevo_text_printf(out, "_BYTES %lluLL\nvoid %s(const %s *%s, %s *%s_packed);\n",
                          (unsigned long long)kernel->packed[i] *
                              (unsigned long long)opevo_element_bytes(work->list.item[i].element),
                          pack, type_of(work, i), of, type_of(work, i), of);
        out->failed |= operand.failed;
        opevo_text_free(&operand);
    }
}

/* The function of a launch. */
static void add_prototype(opevo_text *out, const opevo_kernel *kernel, const opevo_workload *work,
                          int launch)
{
    char name[OPEVO_KERNEL_NAME];

    opevo_kernel_launch_name(kernel, launch, name);
    opevo_text_printf(out, "%svoid %s(", kernel->dialect == OPEVO_KERNEL_C ? "" : "__global__ ",
                      name);
    for (int i = 0; i < work->list.count; i++) {
        opevo_text_printf(out, "%s%s%s *", i ? ", " : "", i < work->list.inputs ? "const " : "",
                          type_of(work, i));
        add_operand(out, work, i);
        opevo_text_add(out, i < OPEVO_OPERANDS && kernel->packed[i] ? "_packed" : "");
    }
    opevo_text_add(out, kernel->dialect == OPEVO_KERNEL_C || kernel->scratch_bytes
                            ? ", float *scratch);\n"
                            : ");\n");
}

/* What a program needs to call the kernel, in C and in C++. */
static void add_header(opevo_text *out, const opevo_kernel *kernel, const opevo_workload *work)
{
    bool cpu = kernel->dialect == OPEVO_KERNEL_C;
    char name[sizeof kernel->entry];

    for (size_t i = 0; i < sizeof name; i++)
        name[i] = (char)toupper((unsigned char)kernel->entry[i]);
    opevo_text_printf(out, "\n#ifndef %s_H\n#define %s_H\n\n", name, name);
    add_macros(out, kernel, name);
    opevo_text_add(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
                        "/* Dense arrays");
    opevo_text_add(out, is_typed(work) ? " (those of float16 and bfloat16 hold their bits)"
                                       : " of float");
    opevo_text_add(out, ", aligned to 64 bytes; outputs are written in full:\n");
    add_operands(out, work);
    opevo_text_add(out, cpu ? " * Scratch memory is aligned likewise and may hold anything. Calls "
                              "with different outputs and\n"
                              " * scratch memory may overlap in time. */\n"
                            : " */\n");
    for (int i = 0; i <= kernel->more; i++)
        add_prototype(out, kernel, work, i);
    add_packers(out, kernel, name, work);
    opevo_text_add(out, "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
}

/* ---- All files ------------------------------------------------------------------------------ */

opevo_status opevo_i_export_files(const opevo_kernel *kernel, const opevo_workload *work,
                                  const opevo_text *steps, const opevo_export_label *label,
                                  opevo_text files[OPEVO_EXPORT_FILES], opevo_error *err)
{
    static const char *const marks[OPEVO_EXPORT_FILES] = {[OPEVO_I_EXPORT_SCHEDULE] = "#",
                                                          [OPEVO_I_EXPORT_MAIN] = "//",
                                                          [OPEVO_I_EXPORT_MAKEFILE] = "#",
                                                          [OPEVO_I_EXPORT_HEADER] = "//"};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < OPEVO_EXPORT_FILES; i++) {
        if (marks[i])
            add_label(&files[i], marks[i], work, label);
    }
    opevo_text_add_bytes(&files[OPEVO_I_EXPORT_KERNEL], opevo_text_string(&kernel->source),
                         kernel->source.length);
    add_comment(&files[OPEVO_I_EXPORT_SCHEDULE], "#", "dialect",
                opevo_kernel_dialect_name(kernel->dialect));
    opevo_text_add_bytes(&files[OPEVO_I_EXPORT_SCHEDULE], opevo_text_string(steps), steps->length);
    if (kernel->parallel && label->threads)
        opevo_text_printf(&files[OPEVO_I_EXPORT_MAIN], "\n#define THREADS %u\n", label->threads);
    else if (kernel->parallel)
        opevo_text_add(&files[OPEVO_I_EXPORT_MAIN], "\n#define THREADS omp_get_max_threads()\n");
    if (work->library)
        opevo_i_export_program(&files[OPEVO_I_EXPORT_MAIN], kernel, work->library);
    else
        OPEVO_TRY(opevo_i_export_graph_program(&files[OPEVO_I_EXPORT_MAIN], kernel, work, err));
    add_makefile(&files[OPEVO_I_EXPORT_MAKEFILE], kernel);
    add_header(&files[OPEVO_I_EXPORT_HEADER], kernel, work);
    for (size_t i = 0; i < OPEVO_EXPORT_FILES; i++)
        OPEVO_TRY(opevo_text_check(&files[i], err));
cleanup:
    return status;
}
