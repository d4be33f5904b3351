/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The criteria of kernels that a setup asks for: what building and measuring them shows by the
 * way. */

#ifndef OPEVO_KERNEL_CRITERIA_INTERNAL_H
#define OPEVO_KERNEL_CRITERIA_INTERNAL_H

#include <jansson.h>

#include "job_internal.h"

typedef struct opevo_i_worker_kernel_criteria {
    opevo_i_wire_kernel_criterion items[OPEVO_CRITERIA_MOST - 1];
    size_t count;
} opevo_i_worker_kernel_criteria;

/* The member "criteria" of a setup, a list of names; NULL: none. False for an unknown name and for
 * too many. */
bool opevo_i_worker_kernel_criteria_read(const json_t *list, opevo_i_worker_kernel_criteria *out);
/* Put them into the result of a kernel that was built as `object`. */
void opevo_i_worker_kernel_criteria_fill(const opevo_i_worker_kernel_criteria *self,
                                         const char *object, opevo_i_wire_result *result);
/* Bytes of the sections of an ELF object (64 bits, in this machine's byte order) that hold code;
 * NAN for anything else. Hook of tests. */
double opevo_i_worker_code_bytes(const char *path);

#endif
