/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A job for a worker, and its result. */

#ifndef OPEVO_JOB_INTERNAL_H
#define OPEVO_JOB_INTERNAL_H

#include <opevo/kernel.h>
#include <opevo/objective.h>

#include "command_line_internal.h"

/* What the engine asks a worker to measure: a kernel, the operator as the device's vendor has it in
 * a library, or the arguments of a program. */
typedef struct opevo_i_wire_job {
    int64_t id;
    opevo_kernel kernel;
    opevo_i_process_arguments command;
    opevo_i_process_arguments
        build;          /* makes what the command runs; no words: nothing does. Both have
                                OPEVO_I_OUTPUT_PLACE */
    bool library;       /* in place of the kernel */
    bool single_sample; /* one round among finalists: executions from OPEVO_I_SINGLE_SAMPLE_S on are
                           not repeated */
    /* An execution of a kernel that takes more than `slower` times best_s, that of the best kernel
     * so far, is not worth its time; 0: no such limit. */
    double slower, best_s;
} opevo_i_wire_job;

#define OPEVO_I_SINGLE_SAMPLE_S 1e-3

/* What may be asked of kernels beside their time. */
typedef enum opevo_i_wire_kernel_criterion {
    OPEVO_I_BUILD_TIME, /* seconds of the compiler */
    OPEVO_I_CODE_SIZE,  /* bytes of machine code of the object */
    OPEVO_I_ENERGY,     /* joules of one execution */
    OPEVO_I_ERROR,      /* of the results, as their tolerances have it; with a harness */
    /* What the driver of a GPU says of its kernels, the worst of all: registers of a work item, its
     * local memory (spilled registers), and work items on a multiprocessor at once. */
    OPEVO_I_REGISTERS,
    OPEVO_I_LOCAL_MEMORY,
    OPEVO_I_OCCUPANCY,
    OPEVO_I_KERNEL_CRITERION_COUNT
} opevo_i_wire_kernel_criterion;
extern const opevo_criterion opevo_i_wire_kernel_criterion_rows[OPEVO_I_KERNEL_CRITERION_COUNT];
/* False, with *out untouched, for an unknown name. */
bool opevo_i_wire_kernel_criterion_find(const char *name, opevo_i_wire_kernel_criterion *out);

/* What kernels use of a device; below 0: not known. */
typedef struct opevo_i_wire_usage {
    double registers, local_bytes, resident;
} opevo_i_wire_usage;
#define OPEVO_I_NO_USAGE ((opevo_i_wire_usage){-1, -1, -1})

typedef struct opevo_i_wire_result {
    int64_t id;
    opevo_outcome_class kind;
    double *samples; /* seconds; for programs the quantity that they were asked for */
    size_t sample_count, sample_capacity;
    double
        *processor_s; /* of as many windows, whose elapsed times are the samples; NULL: unknown */
    size_t processor_capacity;
    double build_s, run_s, check_s, other_s;
    double criteria[OPEVO_CRITERIA_MOST - 1]; /* those that were asked for; NAN: not known */
    size_t criterion_count;
    double energy_j;   /* of one execution, in the worker; 0: not known */
    bool judged, used; /* error and usage are known, in the worker */
    double error;      /* of the results */
    opevo_i_wire_usage usage;
    double object_s; /* of the build that made the object, now or earlier; likewise */
    opevo_text message;
    bool context_lost; /* the worker cannot go on and ends after this result */
    /* No outcome: the host failed, as the message says, and the job may be tried again. */
    bool fault;
} opevo_i_wire_result;

/* slower * best_s, or INFINITY. */
double opevo_i_wire_job_slow_s(const opevo_i_wire_job *job);
/* What a kernel beyond that is, as the format of a sentence with both numbers. */
#define OPEVO_I_SLOWER "slower than %g times the best so far, %.4g s"
void opevo_i_wire_job_clear(opevo_i_wire_job *job);
void opevo_i_wire_result_clear(opevo_i_wire_result *result);
/* A failure with its sentence; costs are kept. */
void opevo_i_wire_result_fail(opevo_i_wire_result *result, opevo_outcome_class kind,
                              const char *format, ...) __attribute__((format(printf, 3, 4)));
/* No outcome: the host failed. The sentence names what failed, without its end. */
void opevo_i_wire_result_fault(opevo_i_wire_result *result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool opevo_i_wire_result_add(opevo_i_wire_result *result, double sample);
/* A sample with its processor time: for all samples of a result, or for none. */
bool opevo_i_wire_result_add_window(opevo_i_wire_result *result, double elapsed_s,
                                    double processor_s);

#endif
