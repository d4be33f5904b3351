/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What fails on the host and not in the kernel or program that is measured: no disk, memory,
 * processes or descriptors, or a process killed by somebody else. Such a failure is not an outcome;
 * the worker reports it as a fault, and the job is tried again. */

#ifndef OPEVO_HOST_FAULT_INTERNAL_H
#define OPEVO_HOST_FAULT_INTERNAL_H

#include "keeper_internal.h"

/* With which a compiler of our own ends when the host failed: EX_OSERR of sysexits.h. */
enum { OPEVO_I_EXIT_HOST = 71 };

/* Whether a call that failed so did for want of something that the host has too little of, or that
 * is being changed at the moment. What cannot be found or is not permitted is not such a fault. */
bool opevo_i_process_host_errno(int code);

/* Whether a process that ends by this signal was most likely ended by others: a batch system that
 * takes its processors back, the system short of memory, a user. A program may send it to itself,
 * and then does so again. */
bool opevo_i_process_foreign_signal(int number);

/* Whether the compiler, named `compiler`, failed for a reason of the host: it was not started or
 * not kept, it was killed by a signal that no source earns, or its own words say so. That it has no
 * memory is the source's fault where it had taken half of its limit, `memory_bytes` (0: none). Then
 * the reason goes to `why`. The compiler must speak English, as in the locale C. */
bool opevo_i_process_build_fault(const opevo_i_process_program_end *end, const char *compiler,
                                 uint64_t memory_bytes, opevo_text *why);

#endif
