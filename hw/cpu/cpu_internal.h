/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The two sides of measuring on a CPU: the worker, and the forked process in which the kernel
 * runs. They share one page of results and two pipes of single letters. */

#ifndef OPEVO_CPU_INTERNAL_H
#define OPEVO_CPU_INTERNAL_H

#include <opevo/hardware.h>
#include <opevo/kernel.h>

#include "operands_internal.h"

enum {
    OPEVO_I_CPU_SAMPLES = 1000,
    OPEVO_I_CPU_FROM = 3, /* where the forked process reads the worker's letters */
    OPEVO_I_CPU_TO = 4    /* where it writes its own */
};

#define OPEVO_I_PROCESSORS "/sys/devices/system/cpu"

/* Why kernels do not run here. */
#define OPEVO_I_NO_FILTER                                                                          \
    "the system cannot filter system calls (seccomp) on this processor, and kernels are not run "  \
    "without that"

/* Letters: the process has run the kernel once and waits for the verdict on the result ('c'), could
 * not load it ('l'), could not give up what it must before that ('h'), has finished ('d'); the
 * worker lets it go on ('g'). */

typedef struct opevo_i_cpu_report {
    char failure[512]; /* with 'l' and 'h': why */
    volatile double
        begun_s; /* when the first execution began (opevo_clock_monotonic_s); 0: not yet */
    double begun_processor_s; /* processor time of the process until then */
    double first_s;           /* elapsed, of the first execution */
    bool slow;                /* it takes longer than slow_s, and was not sampled again for that */
    double pack_s;            /* of bringing constants into their layouts, once */
    double calibration_s[2];  /* of a fixed piece of work, before and after */
    uint64_t sample_count;
    bool other_threads;                      /* than the one that calls the kernel worked, too */
    double samples_s[OPEVO_I_CPU_SAMPLES];   /* elapsed; means over a window of executions */
    double processor_s[OPEVO_I_CPU_SAMPLES]; /* of the calling thread, likewise */
} opevo_i_cpu_report;

typedef struct opevo_i_cpu_plan {
    double precision, repeat_s, run_limit_s;
    double least_s; /* of samples, however precise they are */
    double slow_s;  /* an execution that takes longer is not repeated; 0: any is */
    bool cold, brief;
    int core;              /* to measure on; -1: any */
    unsigned threads;      /* of the kernel; 0 and 1: the calling one alone */
    const int *cores;      /* for more threads: one for each */
    uint64_t memory_bytes; /* that the kernel may take, beside scratch and packed memory */
    /* Whose memory that is; NULL: of a kernel with neither. */
    const opevo_kernel *kernel;
} opevo_i_cpu_plan;

/* The forked process, from start to end; without an object OpenBLAS takes the place of the
 * kernel. */
void opevo_i_cpu_child(const opevo_i_cpu_plan *plan, const char *object, const char *entry,
                       const opevo_i_operands *operands, opevo_i_cpu_report *report)
    __attribute__((noreturn));

/* Of `count` processors, move those that measure with so many threads, at most `count`, to the end:
 * from the last on, each on a core of its own as far as there are so many. `root` is
 * OPEVO_I_PROCESSORS. */
void opevo_i_cpu_choose(int *cores, size_t count, size_t threads, const char *root);
/* The processors that this process may use, those that measure with so many threads at the end; at
 * most CPU_SETSIZE. Their number; less than `threads`, in any order, where there are too few, and 0
 * where they are not known. */
size_t opevo_i_cpu_share(int *cores, size_t threads);
/* Model of the processor and what distinguishes it, into `out` of `size` bytes. */
void opevo_i_cpu_title(char *out, size_t size);
/* As `list` of a backend. */
void opevo_i_cpu_list(void (*add)(void *context, const opevo_hardware *row), void *context);

#endif
