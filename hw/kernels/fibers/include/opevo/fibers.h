/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Native kernels on this machine's CPU: one core runs the blocks of a launch one after the other,
 * and the work items of a block as fibers, which change at barriers.
 *
 * Each case runs in a process of its own with limits, which opens no files and sees no golden
 * results. Buffers end at memory that cannot be accessed. What a kernel reads without writing it
 * first is all ones, in buffers and, at the start of each block, in shared memory. Races are seen
 * only if the order of the work items changes results. */

#ifndef OPEVO_FIBERS_H
#define OPEVO_FIBERS_H

#include <opevo/kernel_harness.h>

OPEVO_BEGIN_C

/* Order of the blocks of a launch, and of the work items of a block between two barriers. */
typedef enum opevo_fibers_order {
    OPEVO_FIBERS_FORWARD,
    OPEVO_FIBERS_REVERSE,
    OPEVO_FIBERS_SHUFFLED /* the same order for the same block of any launch */
} opevo_fibers_order;

typedef struct opevo_fibers_options {
    opevo_fibers_order order;
    uint64_t order_seed;
    unsigned windows;      /* executions of a case, of which time_s is taken; at least 1 */
    double timeout_s;      /* of all executions of a case */
    uint64_t memory_bytes; /* beyond what this process has mapped */
} opevo_fibers_options;

/* Forward, 15 windows, 10 s, 1 GiB. */
extern const opevo_fibers_options opevo_fibers_defaults;

/* Options, and how long the cases of the base kernel took. */
typedef struct opevo_fibers opevo_fibers;

/* Errors: NOMEM. */
opevo_status opevo_fibers_create(const opevo_fibers_options *options, opevo_fibers **out,
                                 opevo_error *err);
void opevo_fibers_destroy(opevo_fibers *fibers);

/* A launcher of kernels in a relocatable object of this machine: functions of C, one call for each
 * work item, that import gk_thread and the others of opevo/edits.h.
 *   fibers  must outlive the launcher, and serve one harness only
 *   object  `size` bytes, copied
 *   base    its cases set the time limits of the others: ten times as long plus 0.1 s, but
 *           options.timeout_s at most
 * Verdicts: unsupported for a kernel or a function that is missing, and for dynamic shared memory;
 * out of bounds for an access within 1 MiB around a buffer or next to a stack; divergent barrier;
 * signal; timeout; limit. time_s is the 10 % quantile of the windows' times, each the smaller one
 * of elapsed and processor time. Errors: INVALID if the object cannot be linked; NOMEM. */
opevo_status opevo_fibers_launcher(opevo_fibers *fibers, const void *object, size_t size, bool base,
                                   opevo_launcher **out, opevo_error *err);

OPEVO_END_C

#endif
