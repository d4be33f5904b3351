/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A kernel as a folder of files that stands alone: its source, its schedule, a program that checks
 * and times it, a Makefile, and a header for other programs. */

#include <opevo/export.h>

#include <opevo/text_fill.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "export_internal.h"

/* The order of the files, and of their texts. */
enum { KERNEL, SCHEDULE, MAIN, MAKEFILE, HEADER };

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

/* ---- All files ------------------------------------------------------------------------------ */

static void add_makefile(opevo_text *out, const opevo_kernel *kernel)
{
    static const char *const flags[] = {OPEVO_KERNEL_C_FLAGS, OPEVO_KERNEL_C_PARALLEL_FLAG};
    static const char *const texts[] = {[OPEVO_KERNEL_C] = opevo_i_export_makefile_c,
                                        [OPEVO_KERNEL_CUDA] = opevo_i_export_makefile_cuda,
                                        [OPEVO_KERNEL_HIP] = opevo_i_export_makefile_hip,
                                        [OPEVO_KERNEL_OPENCL] = opevo_i_export_makefile_opencl,
                                        [OPEVO_KERNEL_OPENCL_CPU] = opevo_i_export_makefile_opencl};
    opevo_text options = {0};

    for (size_t i = 0; i < sizeof flags / sizeof *flags - !kernel->parallel; i++)
        opevo_text_printf(&options, "%s%s", i ? " " : "", flags[i]);
    opevo_text_fill(out, texts[kernel->dialect],
                    (opevo_text_slot[]){{"flags", opevo_text_string(&options)}}, 1);
    out->failed |= options.failed;
    opevo_text_free(&options);
}

opevo_status opevo_i_export_files(const opevo_kernel *kernel, const opevo_workload *work,
                                  const opevo_text *steps, const opevo_export_label *label,
                                  opevo_text files[OPEVO_EXPORT_FILES], opevo_error *err)
{
    static const char *const marks[OPEVO_EXPORT_FILES] = {
        [SCHEDULE] = "#", [MAIN] = "//", [MAKEFILE] = "#", [HEADER] = "//"};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < OPEVO_EXPORT_FILES; i++) {
        if (marks[i])
            add_label(&files[i], marks[i], work, label);
    }
    opevo_text_add_bytes(&files[KERNEL], opevo_text_string(&kernel->source), kernel->source.length);
    add_comment(&files[SCHEDULE], "#", "dialect", opevo_kernel_dialect_name(kernel->dialect));
    opevo_text_add_bytes(&files[SCHEDULE], opevo_text_string(steps), steps->length);
    if (kernel->parallel && label->threads)
        opevo_text_printf(&files[MAIN], "\n#define THREADS %u\n", label->threads);
    else if (kernel->parallel)
        opevo_text_add(&files[MAIN], "\n#define THREADS omp_get_max_threads()\n");
    OPEVO_TRY(opevo_i_export_program(&files[MAIN], kernel, work, err));
    add_makefile(&files[MAKEFILE], kernel);
    opevo_i_export_header(&files[HEADER], kernel, work);
    for (size_t i = 0; i < OPEVO_EXPORT_FILES; i++)
        OPEVO_TRY(opevo_text_check(&files[i], err));
cleanup:
    return status;
}
