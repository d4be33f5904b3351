/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A kernel that leaves opevo: its source, its schedule, and a program of plain loops that checks
 * and times it without anything of opevo. docs/measuring.md says what the files are. */

#ifndef OPEVO_EXPORT_H
#define OPEVO_EXPORT_H

#include <opevo/pipeline.h>
#include <opevo/template.h>

OPEVO_BEGIN_C

enum { OPEVO_EXPORT_FILES = 5 };

/* Name of a file, i below OPEVO_EXPORT_FILES; NULL for a dialect that no compiler takes by itself
 * (the emulation). */
const char *opevo_export_name(opevo_kernel_dialect dialect, size_t i);

/* What comments say of the kernel; characters that could end one become blanks, and what is NULL is
 * left out. */
typedef struct opevo_export_label {
    const char *name, *configuration; /* template of a pipeline; a point of a maker has its own */
    unsigned threads;                 /* of the kernel; 0: as many as OpenMP has */
    const char *device;               /* what it was measured on */
    const char *version;              /* of opevo */
    double fitness;                   /* on the device, in GFLOP/s; without FLOP in 1/s */
} opevo_export_label;

/* The texts of the files, in the order of their names, for a point of a maker. They
 * start from {0} and are the caller's, also on failure. Errors: INVALID for a point that gives no
 * kernel, with the reason, and for the emulation; NOMEM. */
opevo_status opevo_export_print(const opevo_kernel_maker *maker, opevo_index point,
                                const opevo_export_label *label,
                                opevo_text files[OPEVO_EXPORT_FILES], opevo_error *err);

/* The same for a pipeline, whatever memory of a device it needs. Errors: INVALID for one that gives
 * no kernel in this dialect, with the reason; NOMEM. */
opevo_status opevo_export_print_pipeline(const opevo_pipeline *pipeline,
                                         opevo_kernel_dialect dialect,
                                         const opevo_export_label *label,
                                         opevo_text files[OPEVO_EXPORT_FILES], opevo_error *err);

/* C of a program that launches kernels by OpenCL 1.2 (texts/opencl.in): open_device, use_program,
 * allocate_on_device, copy_in, copy_out, launch, begin_timing and end_timing. */
extern const char opevo_i_export_opencl[];

OPEVO_END_C

#endif
