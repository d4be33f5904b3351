/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of the user as they are: a maker whose points are the values of macros in a source. The
 * harness (docs/formats/harness.md) says how they are run, and which results are right. */

#ifndef OPEVO_OWN_KERNELS_H
#define OPEVO_OWN_KERNELS_H

#include <opevo/kernel.h>

OPEVO_BEGIN_C

typedef struct opevo_own_files {
    const char *source;  /* NAME.c, NAME.cu, NAME.hip, NAME.hip.cpp or NAME.cl */
    const char *harness; /* has "tune" */
    const char *text; /* of the harness, where `harness` only names where it is from; NULL: none */
} opevo_own_files;

/* Whether a file's name ends as that of a source does, and in which language it is. */
bool opevo_own_language(const char *path, opevo_kernel_dialect *out);

/* Each parameter NAME is the macro NAME of the source, with 1 and 0 for truth values, and a
 * parameter of several components NAME_0, NAME_1, ..., or their own names. Whole ones are also
 * names of the harness. Files that the source includes in quotes, and that exist, become part of
 * it, so that workers need no other file and a change of one is noticed.
 *
 *   dialect  of the source
 *   calls    its functions are called, in C; else its kernels are launched
 *   threads  that functions may have; 0 and 1: one
 *   space    the parameters; the maker's, also on failure
 *
 * Errors: IO; INVALID for a harness without "tune" or with steps that the device does not support,
 *         with file and key, for more than 48 integer values, and for a "default" outside the
 *         space; NOMEM. */
opevo_status opevo_own_kernels_open(const opevo_own_files *files, opevo_kernel_dialect dialect,
                                    bool calls, unsigned threads, opevo_space *space,
                                    opevo_kernel_maker **out, opevo_error *err);
/* Whether a file is a tuning problem of Kernel Tuner, with a kernel (T1). */
bool opevo_own_is_t1(const char *path);
/* The path of its kernel, and its KernelSpecification as the text of a harness. Errors: IO; INVALID
 * for what a harness does not have, with the member; NOMEM. */
opevo_status opevo_own_t1_read(const char *path, opevo_text *source, opevo_text *harness,
                               opevo_error *err);

OPEVO_END_C

#endif
