/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a process gives up before it runs a kernel that may do anything. */

#ifndef OPEVO_SANDBOX_INTERNAL_H
#define OPEVO_SANDBOX_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/status.h>

typedef struct opevo_i_process_limits {
    uint64_t memory_bytes; /* beyond what the process has mapped already */
    double processor_s;    /* seconds of processor time */
    const int *cores;      /* the only ones to run on; NULL: any */
    size_t core_count;
    unsigned threads;   /* that it starts; a few more are allowed */
    int kept;           /* file descriptors below this stay open; the first three read and write
                              nothing */
    const char *object; /* the file that is loaded; NULL: none */
} opevo_i_process_limits;

/* In a forked process. Its own group, killed with its parent; no files can be written or made, and
 * but for the object and libraries none be read where there is Landlock; no other process can be
 * started (the attempt kills this one), signalled or limited; threads are allowed. Errors: IO, with
 * what could not be given up; then no kernel may run here. */
opevo_status opevo_i_process_sandbox_enter(const opevo_i_process_limits *limits, opevo_error *err);
/* In such a process, once the kernel is loaded: no file can be opened any more. Errors:
 * as above. */
opevo_status opevo_i_process_sandbox_seal(opevo_error *err);

/* Let this process map no more than `bytes` beyond what it has. */
bool opevo_i_process_limit_memory(uint64_t bytes);

/* The parts of opevo_i_process_sandbox_enter that depend on the system's kernel: the filter of
 * system calls, without which nothing runs, and Landlock, which does nothing where it is not there.
 */
opevo_status opevo_i_process_filter_calls(opevo_error *err);
opevo_status opevo_i_process_landlock_restrict(const char *object, opevo_error *err);
bool opevo_i_process_filter_present(void);
bool opevo_i_process_landlock_present(void);

#endif
