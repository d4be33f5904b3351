/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the files of the GPU backend share: the backend (backend_gpu.c), one execution of a kernel
 * and its check (gpu_execute.c), and the samples of its time (gpu_samples.c). */

#ifndef OPEVO_GPU_BACKEND_INTERNAL_H
#define OPEVO_GPU_BACKEND_INTERNAL_H

#include <opevo/gpu_launcher.h>

#include "gpu_internal.h"
#include "operands_internal.h"
#include "own_operands_internal.h"
#include "protocol_internal.h"

#define OPEVO_I_GPU_PATTERN 0xa5a5a5a5U /* of guards */
#define OPEVO_I_GPU_COUNTER_S 0.02      /* after which the counter of energy is renewed */
#define OPEVO_I_GPU_PROBE_FACTOR 2654435761U
enum {
    OPEVO_I_GPU_GUARD_WORDS = 1024, /* before and after an output */
    OPEVO_I_GPU_PROBE_THREADS = 64
};

/* The kernel without a fault (gpu_probe.c), once it is loaded: out[i] = FACTOR i + 1. */
typedef struct opevo_i_gpu_probe_state {
    void *module, *function;
    uint64_t memory;
} opevo_i_gpu_probe_state;

typedef struct opevo_i_gpu_backend {
    opevo_i_backend super;
    const opevo_i_gpu_vendor *vendor;
    opevo_i_gpu_driver driver;
    opevo_i_gpu_facts facts;
    unsigned ordinal;
    char self[4096]; /* path of this program, which is also the compiler */
    char ordinal_text[16];
    unsigned builds;                /* that were started */
    opevo_i_process_keeper builder; /* where there are several on this host's cores */
    double run_limit_s, precision, repeat_s;
    double least_s; /* of samples, however precise they are */
    bool cold;
    opevo_i_reference_operands operands;
    /* Of each operand. */
    uint64_t pristine[OPEVO_WORKLOAD_OPERANDS]; /* inputs; a kernel sees copies made anew for it */
    uint64_t memory[OPEVO_WORKLOAD_OPERANDS];   /* these copies; outputs between their guards */
    uint64_t argument[OPEVO_WORKLOAD_OPERANDS]; /* where the elements begin */
    uint64_t scratch; /* memory of kernels; made larger when one needs more */
    size_t scratch_bytes;
    uint64_t flush;
    size_t flush_words;
    void *start, *end;      /* events */
    opevo_i_gpu_math *math; /* NULL until asked for */
    uint32_t *words;        /* an output and its guards on this side */
    opevo_i_gpu_probe_state probe;
    /* For kernels with a harness; else NULL, and no operands. */
    opevo_i_own *own;
    opevo_i_reference_operands own_sets[2]; /* of seeds, as on a CPU */
    opevo_gpu *launches;
} opevo_i_gpu_backend;

/* Kernels with a harness (gpu_own.c). Errors: those of the harness and of the device. */
opevo_status opevo_i_gpu_own_setup(opevo_i_gpu_backend *self, const json_t *message,
                                   opevo_error *err);
void opevo_i_gpu_own_close(opevo_i_gpu_backend *self);
/* The blocks of the launches of a kernel, each once, such as "16-16-1,8-1-1". Errors: INVALID,
 * LIMIT, NOMEM. */
opevo_status opevo_i_gpu_own_blocks(const opevo_i_gpu_backend *self, const opevo_kernel *kernel,
                                    opevo_text *out, opevo_error *err);
/* Add a block to such a text, unless it has it. */
void opevo_i_gpu_add_block(const uint32_t block[3], opevo_text *out);
opevo_status opevo_i_gpu_run_reference(opevo_i_backend *backend, const opevo_kernel *kernel,
                                       const char *object, opevo_error *err); /* of a backend */
void opevo_i_gpu_own_measure(opevo_i_gpu_backend *self, const opevo_i_wire_job *job,
                             const char *object, opevo_i_wire_result *result);

/* A kernel that is measured. */
typedef struct opevo_i_gpu_running {
    opevo_i_gpu_backend *self;
    const opevo_i_wire_job *job;
    opevo_i_wire_result *result;
    void *function[OPEVO_KERNEL_LAUNCHES];
} opevo_i_gpu_running;

/* Words of an output with its guards. */
static inline size_t opevo_i_gpu_output_words(const opevo_i_gpu_backend *self, int operand)
{
    return (self->operands.memory[operand].bytes + 3) / 4 + 2 * (size_t)OPEVO_I_GPU_GUARD_WORDS;
}

/* Whether what an output is poisoned with is one word, again and again. */
static inline bool opevo_i_gpu_is_filled(const opevo_i_gpu_backend *self, int operand)
{
    return self->operands.list.item[operand].element == OPEVO_FLOAT32;
}

/* Wait for the end event. The driver's code, NOT_READY after the deadline, a time of
 * opevo_clock_monotonic_s. The engine may go away meanwhile. */
int opevo_i_gpu_await(opevo_i_gpu_backend *self, double deadline);

/* End with the engine, where it has gone away. */
void opevo_i_gpu_mind_engine(void);

/* ---- One execution (gpu_execute.c); false or 0 with a failed result ---- */

/* Fail with the driver's code. After an error the context either still works, or every further call
 * fails: then the worker must go. */
void opevo_i_gpu_judge(const opevo_i_gpu_running *run, int code, const char *what);
/* Leave for all shared memory that the launches ask for, and scratch memory, poisoned: whatever is
 * in it must not matter. */
bool opevo_i_gpu_reserve(const opevo_i_gpu_running *run);
/* Inputs as they were, outputs poisoned between their guards. */
bool opevo_i_gpu_prepare(const opevo_i_gpu_running *run);
/* Mean time in s of `calls` executions back to back; 0 on failure. */
double opevo_i_gpu_window(const opevo_i_gpu_running *run, unsigned calls);
/* Whether the outputs are right, and their guards untouched. */
bool opevo_i_gpu_check(const opevo_i_gpu_running *run);

/* ---- Samples (gpu_samples.c) ---- */

/* The energy that the device uses from the start of the meter. */
typedef struct opevo_i_gpu_meter {
    double before_j, start_s; /* NAN: it is not asked for, or not known */
} opevo_i_gpu_meter;
opevo_i_gpu_meter opevo_i_gpu_meter_start(const opevo_i_gpu_backend *self);
/* Note the energy of one execution, its mean time multiplied by the mean power since the start,
 * where that is long enough for the counter. */
void opevo_i_gpu_meter_stop(const opevo_i_gpu_backend *self, const opevo_i_gpu_meter *meter,
                            opevo_i_wire_result *result);

/* The samples, and from the power meanwhile the energy of one execution: the device's, with all
 * that runs on it, where the time is long enough for its counter. False on failure. */
bool opevo_i_gpu_sample(const opevo_i_gpu_running *run);

#endif
