/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The row: how the interpreter is listed, and the program that has it. */

#include "simt_row_internal.h"

#include <opevo/parallel.h>
#include <opevo/text.h>
#include <opevo/version.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command_line_internal.h"

#define PROGRAM "opevo-worker-simt"

extern const opevo_i_backend_ops opevo_i_backend_simt;
const opevo_i_backend_ops *opevo_i_simt_whole;

void opevo_i_simt_list(void (*add)(void *context, const opevo_hardware *row), void *context)
{
    opevo_text path = {0};
    bool present = opevo_i_process_executable_beside(PROGRAM, &path);
    const opevo_hardware row = {
        .name = "simt",
        .present = present,
        .title = present ? "interpreter of GPU kernels, with checks and a model of costs"
                         : PROGRAM " is missing: build with LLVM 19 (Debian: llvm-19-dev)",
        .identity = "interpreter of opevo " OPEVO_VERSION,
        .cores = opevo_processor_count(),
        .facts = "",
        .no_energy = present ? "an interpreter uses none that is a kernel's" : NULL};

    opevo_text_free(&path);
    add(context, &row);
}

static opevo_status open_row(const char *which, opevo_i_backend **out, opevo_error *err)
{
    char *arguments[] = {NULL, "simt", NULL};
    opevo_status status = OPEVO_IO;
    opevo_text path = {0};

    if (opevo_i_simt_whole)
        return opevo_i_simt_whole->open(which, out, err);
    if (!opevo_i_process_executable_beside(PROGRAM, &path))
        return OPEVO_FAIL(err, OPEVO_IO,
                          "simt: " PROGRAM " is not beside opevo-worker; build opevo with LLVM 19 "
                          "or newer (Debian: llvm-19-dev).");
    arguments[0] = path.data;
    execv(path.data, arguments);
    status = OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", path.data, strerror(errno));
    opevo_text_free(&path);
    return status;
}

/* Says that kernels with a harness are measured; never called. */
static opevo_status no_reference(opevo_i_backend *self, const opevo_kernel *kernel,
                                 const char *object, opevo_error *err)
{
    (void)self, (void)kernel, (void)object;
    return OPEVO_FAIL(err, OPEVO_FAULT, "simt: this program has no interpreter.");
}

const opevo_i_backend_ops opevo_i_backend_simt = {
    OPEVO_I_SIMT_ROW,
    .open = open_row,
    .run_reference = no_reference,
};
