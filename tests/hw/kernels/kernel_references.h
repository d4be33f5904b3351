/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Plain C of what the kernels of opevo compute, each a function of the buffers of a case, in double
 * precision where the kernel has floats. They know sizes from the buffers' names and the numbers of
 * the case, and nothing of tiles or launches. */

#ifndef OPEVO_TESTS_KERNEL_REFERENCES_H
#define OPEVO_TESTS_KERNEL_REFERENCES_H

#include <opevo/kernel_harness.h>

/* A kernel, and what changes its buffers as it should. `number` reads a number of the case, such as
 * "n". `tolerance` is the largest relative error, with a floor of 1; 0 for integers. */
typedef struct kernel_reference {
    const char *name;
    double tolerance;
    void (*compute)(const opevo_buffer *buffers, int (*number)(const char *name));
} kernel_reference;

extern const kernel_reference kernel_references[];
extern const size_t kernel_reference_count;

#endif
