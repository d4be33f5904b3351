/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels in machine code or PTX on a GPU, as a launcher of harnesses.
 *
 * Inputs are copied to the device before each run. Each buffer lies between guards: a kernel that
 * writes there is out of bounds; what it reads there, and what it reads without writing it first,
 * are bytes 0xff. Races are seen only if they change results. */

#ifndef OPEVO_GPU_LAUNCHER_H
#define OPEVO_GPU_LAUNCHER_H

#include <opevo/kernel_harness.h>

OPEVO_BEGIN_C

/* A device with a context in this process. */
typedef struct opevo_gpu opevo_gpu;

typedef struct opevo_gpu_options {
    unsigned windows; /* timed runs of a case, at most 99; 0: only the first run, which is judged */
    /* The first run is timed as windows are, without a wait behind each launch. */
    bool unwaited;
    double timeout_s;        /* of all runs of a case */
    void (*meanwhile)(void); /* called again and again while a kernel runs; may be NULL */
} opevo_gpu_options;

extern const opevo_gpu_options opevo_gpu_defaults; /* 15 windows, 10 s */

/*   name  "cuda:0", "hip:1", "opencl:0"
 * Errors: INVALID for another name; IO with what to install, or that there is no such device;
 * NOMEM. */
opevo_status opevo_gpu_open(const char *name, const opevo_gpu_options *options, opevo_gpu **out,
                            opevo_error *err);
void opevo_gpu_close(opevo_gpu *gpu); /* NULL is allowed */
bool opevo_gpu_is_hip(const opevo_gpu *gpu);
bool opevo_gpu_is_opencl(const opevo_gpu *gpu);
/* The image of a source in OpenCL C, for opevo_gpu_launcher; quotients and roots are rounded
 * correctly where the device can do that. The compiler's log goes to standard error. Errors:
 * INVALID for a source that does not compile; IO; NOMEM. */
opevo_status opevo_gpu_build(const opevo_gpu *gpu, const char *source, opevo_text *image,
                             opevo_error *err);
/* "sm_90"; "" where the driver does not say it. */
const char *opevo_gpu_machine(const opevo_gpu *gpu);
/* A kernel hangs, or has cost the context: nothing runs any more, and the process should end. */
bool opevo_gpu_context_is_lost(const opevo_gpu *gpu);

/* Wait until nobody else measures on the device, `opevo tune` of the same user included, and keep
 * others waiting until the end; of what hangs, the end is that of the process. Without a cache
 * folder nobody waits.
 *   note  called before and after a wait; may be NULL */
void opevo_gpu_begin(opevo_gpu *gpu, void (*note)(void *context, bool over), void *context);
void opevo_gpu_end(opevo_gpu *gpu);

/* A launcher of the kernels in a module.
 *   gpu    must outlive the launcher, and serve one harness only
 *   image  CUDA: PTX or a cubin; HIP: a code object; OpenCL: what was built; copied
 *   base   its cases set the time limits of the others: ten times as long plus 0.1 s, but
 *          options.timeout_s at most
 * Verdicts: unsupported for a kernel that is missing or a launch that the driver refuses; out of
 * bounds for a write beside a buffer; signal for a kernel that cost the context; timeout; limit.
 * time_s is the 10 % quantile of the windows' times, by events around all steps of the case;
 * without windows the time of the first run.
 * Errors: INVALID if the driver refuses the module; NOMEM. */
opevo_status opevo_gpu_launcher(opevo_gpu *gpu, const void *image, size_t size, bool base,
                                opevo_launcher **out, opevo_error *err);

/* What the driver says of the kernels that were launched (job_internal.h); borrowed. */
const struct opevo_i_wire_usage *opevo_gpu_launcher_usage(const opevo_launcher *launcher);
/* Timed runs of a case from now on. */
void opevo_gpu_set_windows(opevo_gpu *gpu, unsigned windows);
/* From now on one run of each case, unwaited. */
void opevo_gpu_set_unwaited(opevo_gpu *gpu);
/* The times of the last case that ended well, in seconds, in ascending order; valid until the next
 * run. */
const double *opevo_gpu_launcher_times(const opevo_launcher *launcher, size_t *count);

OPEVO_END_C

#endif
