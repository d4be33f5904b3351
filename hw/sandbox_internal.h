/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a process gives up before it runs a kernel that may do anything. */

#ifndef OPEVO_SANDBOX_INTERNAL_H
#define OPEVO_SANDBOX_INTERNAL_H

#include <stdint.h>

typedef struct opevo_i_limits {
    uint64_t memory_bytes; /* beyond what the process has mapped already */
    double processor_s;    /* seconds of processor time */
    int core;              /* the only one to run on; -1: any */
    int kept;              /* file descriptors below this stay open; the first three read and write
                              nothing */
} opevo_i_limits;

/* In a forked process. Its own group, killed with its parent; no files can be written or made; no
 * other process can be started (the attempt kills this one) or signalled; threads are allowed. The
 * last two hold on x86-64 and ARM64, where the kernel filters system calls. */
void opevo_i_sandbox_enter(const opevo_i_limits *limits);

/* Let this process map no more than `bytes` beyond what it has. */
void opevo_i_limit_memory(uint64_t bytes);

#endif
