/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What a worker can drive: one row of functions for each kind of device. The worker's main loop
 * (worker.c) knows nothing else of them; a new one is a file and a row in worker/backends.c. */

#ifndef OPEVO_BACKEND_INTERNAL_H
#define OPEVO_BACKEND_INTERNAL_H

#include <jansson.h>

#include <opevo/hardware.h>
#include <opevo/reference.h>

#include "job_internal.h"
#include "keeper_internal.h"

typedef struct opevo_i_backend opevo_i_backend;

typedef struct opevo_i_backend_ops {
    const char *kind; /* as on the command line */
    opevo_kernel_dialect dialect;
    unsigned also; /* bits 1 << dialect of others that it takes */
    /* Where set, the compute units of a device that computes on a CPU, by what is behind the
     * colon, and 0 for others: on such a one schedules for a CPU are best. */
    unsigned (*cpu_cores)(const char *which);
    bool builds;        /* kernels: sources are built; otherwise jobs are commands */
    const char *suffix; /* of a source file, with its dot */
    /* Devices of this kind here, each through `add`; if none exists, one row that says why. */
    void (*list)(void (*add)(void *context, const opevo_hardware *row), void *context);
    /* Whether what is behind the colon, NULL without one, may name a device of this kind. */
    bool (*is_name)(const char *which);
    /* Fills `device` of the base struct, too; `which` as above. Errors: IO with what is missing. */
    opevo_status (*open)(const char *which, opevo_i_backend **out, opevo_error *err);
    /* The members of a setup message; once, before anything below. Errors: INVALID, NOMEM. */
    opevo_status (*setup)(opevo_i_backend *self, const json_t *setup, opevo_error *err);
    /* The command that makes a loadable object of the source file of a job's kernel, or a program
     * without a source of ours. Errors: NOMEM. */
    opevo_status (*build_command)(const opevo_i_backend *self, const opevo_i_wire_job *job,
                                  const char *source, const char *object,
                                  opevo_i_process_arguments *out, opevo_error *err);
    /* Where set, what goes before a build: the command runs next. */
    void (*before_build)(opevo_i_backend *self);
    /* Where set, a kernel without a fault, for telling whether a host can build and run any: its
     * source, and a run of its object. Errors: FAULT with what failed. */
    void (*probe)(opevo_kernel *out);
    bool keeps_probe; /* its object is kept in the cache, as its compiler takes a second */
    opevo_status (*run_probe)(opevo_i_backend *self, const opevo_kernel *kernel, const char *object,
                              opevo_error *err);
    /* Where set, run it once more: after a kernel that failed, whether its device works. Errors:
     * likewise. */
    opevo_status (*recheck)(opevo_i_backend *self, opevo_error *err);
    /* Where set, kernels that opevo did not write are measured, by their harness: run the object of
     * the kernel that the setup named as their reference, and keep what it computes. Errors:
     * INVALID for a reference that fails, FAULT. */
    opevo_status (*run_reference)(opevo_i_backend *self, const opevo_kernel *kernel,
                                  const char *object, opevo_error *err);
    /* Where set, workers of this device take turns at measuring, whose name goes to `out`. */
    void (*lock_name)(const opevo_i_backend *self, char *out, size_t size);
    /* Load and start the object (NULL for libraries and for commands that are not built), check
     * what it computes, and time it; does not return before all is over. */
    void (*measure)(opevo_i_backend *self, const opevo_i_wire_job *job, const char *object,
                    opevo_i_wire_result *result);
    void (*close)(opevo_i_backend *self);
} opevo_i_backend_ops;

/* First member, `super`, of every implementation. */
struct opevo_i_backend {
    const opevo_i_backend_ops *ops;
    char device[256];            /* what makes measurements comparable: model, driver */
    const int *cores;            /* those that nothing is measured on; NULL: any */
    size_t core_count;           /* 0: building would disturb measuring */
    unsigned builders;           /* where core_count is 0: builds at once; 0: one */
    double build_limit_s;        /* from the setup */
    bool builds_programs;        /* likewise: jobs are commands, and have one that builds */
    unsigned threads;            /* likewise: of a parallel kernel; 0: as for 1 */
    uint64_t build_memory_bytes; /* address space of a process that builds; 0: it limits itself */
    /* Also from the setup, for kernels: what the right result took, and how many of its elements
     * have no bound. */
    double reference_s;
    size_t unbounded;
    opevo_i_wire_job reference; /* likewise: its kernel gives golden results; no source: none */
};

/* The row of a device's kind, by what is before a colon or a space; NULL for another kind. */
const opevo_i_backend_ops *opevo_i_backend_kind(const char *device);
/* "cpu", "cuda:1": the row, and what is behind the colon, NULL without one. Errors: INVALID with
 * the known kinds. */
opevo_status opevo_i_backend_find(const char *device, const opevo_i_backend_ops **out,
                                  const char **which, opevo_error *err);

/* Names of devices, for `is_name`: none, a number up to 1023, any. */
bool opevo_i_backend_is_none(const char *which);
bool opevo_i_backend_is_number(const char *which);
bool opevo_i_backend_is_some(const char *which);

/* Why a device's library is not measured for a computation. */
#define OPEVO_I_NO_LIBRARY                                                                         \
    "libraries are measured for operators such as matmul(512,512,512), and the computation is "    \
    "not "                                                                                         \
    "given as one"

/* A compiler that needs more is stuck in a pathological source. */
#define OPEVO_I_BUILD_MEMORY ((uint64_t)8 << 30)

/* Where the engine's messages come from: what waits for a device also watches this, and ends the
 * process when the engine is gone. Ready for poll. */
enum { OPEVO_I_ENGINE_FD = 0 };
void opevo_i_backend_end_with_engine(void) __attribute__((noreturn));
/* For waits of a measurement that ask poll for POLLIN: what poll says of the engine. Messages are
 * taken; true: what is measured is not wanted any more. Does not return when the engine is gone. */
bool opevo_i_backend_check_engine(short revents);
/* Wait for the end of a program, which is stopped when nobody wants to know it any more. */
void opevo_i_backend_await(opevo_i_process_keeper *keeper, opevo_i_process_program_end *end);
/* What takes the messages, and returns that. */
void opevo_i_backend_at_message(bool (*take)(void));
/* What that runs before the process ends, when nothing that was started runs any more. */
void opevo_i_backend_at_end(void (*tidy)(void));

#endif
