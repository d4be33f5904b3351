/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From a model in an ONNX file to a library in C with tuned kernels, in one call: what `opevo
 * network MODEL -o FOLDER` does. docs/how-to/network-library.md says what is in the folder. */

#ifndef OPEVO_NETWORK_BUILD_H
#define OPEVO_NETWORK_BUILD_H

#include <opevo/api.h>
#include <opevo/interrupt.h>
#include <opevo/store.h>
#include <opevo/tuner.h>

OPEVO_BEGIN_C

/* A trial of a tuning, for its observer; borrowed during the call. */
typedef struct opevo_network_trial {
    const char *task; /* "Conv (3)": operation, and number of the kernel */
    const opevo_trial *trial;
    bool resumed;     /* from the store */
    uint64_t trials;  /* so far, of all tasks */
    size_t known;     /* tasks with a success so far ... */
    size_t tasks;     /* ... of so many */
    double latency_s; /* predicted, of those: sum of steps x best time; NAN without one */
} opevo_network_trial;

/* Start from zeros: a member that is 0 has its default. */
typedef struct opevo_network_build_options {
    /* The network: shapes of inputs that the model leaves open, "x=1,3,224,224"; the passes to run
     * (default all; for a GPU without `block`) and to leave out, with commas between; and what
     * Winograd's convolutions may add to errors (default 0: none). docs/networks.md describes
     * both. */
    const char *const *shapes;
    size_t shape_count;
    const char *only, *without;
    double error;
    /* The library: what its names begin with (default "net"); "cpu" (the default), "cuda:N" or
     * "hip:N"; threads that kernels for a CPU are made for (default: all processors); the seed of
     * the inputs of its test, and of the runs. */
    const char *name;
    const char *device;
    unsigned threads;
    uint64_t seed;
    /* The limits of all tasks together. With both 0 nothing is measured: each kernel is the one
     * that analysis expects to be good. */
    uint64_t trials;
    double seconds; /* sum of the trials' costs */
    /* The search of each task: the tuner (default `opevo`); its settings, "KEY=VALUE", each key at
     * most once; how many failures of one kind without a success end it (default 20); start points
     * and related runs, as words of --start and --transfer. */
    const opevo_tuner_ops *tuner;
    const char *const *settings;
    size_t setting_count;
    uint64_t give_up;
    const char *const *starts;
    size_t start_count;
    const char *transfer;
    /* Finals: points of each task (default 5), rounds (default 30). */
    bool no_finals;
    size_t finals;
    uint64_t rounds;
    /* Where kernels are measured: commands that reach workers, or one that starts all, which then
     * connect to an address. Without either one is started here: `worker` is the path of
     * opevo-worker (default $OPEVO_WORKER, else beside this program, else in PATH). */
    const char *worker;
    const char *const *workers;
    size_t worker_count;
    const char *workers_from, *workers_address;
    double worker_start_s;            /* default 300 */
    bool mixed_devices;               /* they may measure on several models */
    double run_limit_s;               /* of one execution; default 5 */
    opevo_store *store;               /* default NULL: keep nothing */
    const opevo_interrupt *interrupt; /* ends the tuning; the library has the best kernels so far */
    void (*observer)(void *context, const opevo_network_trial *trial);
    void *observer_context;
    bool freestanding; /* for microcontrollers: C99 without a heap, files or threads; on "cpu" */
    /* "v3,v4,aarch64": kernels for each of these, of which the library takes the best that the
     * processor can run; levels of x86-64 (v2, v3, v4), and aarch64. Those that this machine is are
     * tuned. Default: for this CPU only. */
    const char *targets;
} opevo_network_build_options;

/* What came of it. */
typedef struct opevo_network_built {
    size_t kernels;        /* different computations */
    size_t tuned, known;   /* of them, those that were tuned, and those of these with a success */
    uint64_t trials;       /* of all tasks */
    uint64_t resumed;      /* of them, from the store */
    uint64_t failed;       /* of them, without success */
    double latency_s;      /* predicted, of `known`: sum of steps x best time; NAN without one */
    int64_t weight_bytes;  /* of the file of weights */
    int64_t arena_bytes;   /* of all values that a run computes ... */
    int64_t peak_bytes;    /* ... and those of them that are needed at the same time */
    int64_t packed_bytes;  /* weights in the layouts of kernels, in memory; the most of targets */
    int64_t scratch_bytes; /* that kernels need beside their operands; likewise */
    bool interrupted;
} opevo_network_built;

/* Read the model, tune its kernels within the limits, and write the library into the folder, which
 * is made where it is not there; files of an earlier library are replaced, others never. The same
 * call with the same store continues after a kill. Trials are those of `opevo network` with the
 * same options. The call starts processes of opevo-worker and waits for them; it changes neither
 * signals nor the environment of the program.
 *
 * Errors: INVALID for options outside their domain, a model that is refused, and a folder with
 * files of others; IO where no worker can be had, or files cannot be read or written; those of the
 * store; NOMEM. A folder that was made is then removed, unless something is in it.
 * Cost: the limits, the finals of each task, and one run of the network by its definitions. */
OPEVO_API opevo_status opevo_network_build_sized(const char *model, const char *folder,
                                                 const opevo_network_build_options *options,
                                                 size_t size, opevo_network_built *out,
                                                 opevo_error *err);
static inline opevo_status opevo_network_build(const char *model, const char *folder,
                                               const opevo_network_build_options *options,
                                               opevo_network_built *out, opevo_error *err)
{
    return opevo_network_build_sized(model, folder, options, sizeof *options, out, err);
}

OPEVO_END_C

#endif
