/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From the command line to live objectives. */

#ifndef OPEVO_CLI_LIVE_OPTIONS_INTERNAL_H
#define OPEVO_CLI_LIVE_OPTIONS_INTERNAL_H

#include <opevo/live.h>

#include "kernel_maker_internal.h"
#include "options_internal.h"

/* A row beside the following for a verb that has no other threads. */
#define OPEVO_I_KERNEL_THREADS_OPTION                                                              \
    {                                                                                              \
        "threads", "N",                                                                            \
            "cpu and cmd: threads of a kernel (default 1; 0: all cores), of a program", false      \
    }

/* Rows for the workers of a verb that measures. */
#define OPEVO_I_WORKERS_OPTIONS                                                                    \
    {"workers", "COMMAND",                                                                         \
     "measure through this worker, such as 'ssh host opevo-worker cpu'; 8*'ssh node%d "            \
     "opevo-worker cpu' for eight",                                                                \
     true},                                                                                        \
        {"workers-from", "COMMAND",                                                                \
         "measure through workers that this starts, such as 'srun -n16 opevo-worker cpu', and "    \
         "that connect to opevo",                                                                  \
         false},                                                                                   \
        {"workers-address", "ADDRESS",                                                             \
         "where they connect to: HOST:PORT, * for all of this host, or a path for a Unix "         \
         "socket (default: loopback, or for srun, mpirun and ssh this host's address)",            \
         false},                                                                                   \
        {"worker-timeout", "S", "time limit of a worker's start (default 300 s)", false},          \
    {                                                                                              \
        "mixed-devices", NULL, "workers may measure the trials of one run on several devices",     \
            false                                                                                  \
    }

/* Rows for the option table of a verb that measures. */
#define OPEVO_I_LIVE_OPTIONS                                                                       \
    {"result", "HOW",                                                                              \
     "cmd: how to read the result: ms:/REGEX/, gflops:json:PATH, ... (default s:wall); of a "      \
     "recording without description: ms:COLUMN",                                                   \
     false},                                                                                       \
        {"build", "COMMAND",                                                                       \
         "cmd: makes the program of a trial first, such as 'cc -DX={X} s.c -o {out}'", false},     \
        {"name", "NAME", "cmd: name of the objective in stores (default: the command)", false},    \
        {"criterion", "NAME[,UNIT][,larger]:WHERE",                                                \
         "another number: cmd: error:json:err; kernels: build_time, code_size, energy, error, "    \
         "registers, local_memory or occupancy",                                                   \
         true},                                                                                    \
        {"flop", "N", "cmd: floating-point operations of one execution", false},                   \
        {"exit", "STATUS=CLASS", "cmd: what an exit status means, such as 3=rejected", true},      \
        {"repeats", "N", "cmd: executions for each trial (default 1)", false},                     \
        {"timeout", "S", "time limit of one execution (default: cmd 60 s, kernels 5 s)", false},   \
        OPEVO_I_WORKERS_OPTIONS,                                                                   \
        {"template", "NAME", "kernels: template (default: the operator's first), or sketch",       \
         false},                                                                                   \
        {"harness", "FILE",                                                                        \
         "kernels: how a source of yours is run and checked (default: NAME.json of NAME.c)",       \
         false},                                                                                   \
        {"scratch", "MIB",                                                                         \
         "cpu, sketches: memory of a kernel beside its operands (default: 256, or what all "       \
         "tensors take)",                                                                          \
         false},                                                                                   \
        {"verifier", "COMMAND",                                                                    \
         "kernels: of a source of yours, a program that judges results as well: COMMAND FOLDER, "  \
         "with the outputs as NAME.npy; exit status 0: right, 1: wrong",                           \
         false},                                                                                   \
        {"cold", NULL, "kernels: flush the caches before each execution", false},                  \
        {"precision", "P",                                                                         \
         "kernels: sample until the interval of the median is within P percent (default 2)",       \
         false},                                                                                   \
    {                                                                                              \
        "build-timeout", "S", "time limit of one build (default: cmd 120 s, kernels 30 s)", false  \
    }

/* Rows of a verb that searches. */
#define OPEVO_I_SEARCHED_OPTIONS                                                                   \
    {"slower", "FACTOR",                                                                           \
     "kernels: stop one that is FACTOR times slower than the best so far (default 10; 0: never)",  \
     false},                                                                                       \
    {                                                                                              \
        "check", "N",                                                                              \
            "kernels: of a source of yours check every N-th configuration, and each that would "   \
            "be the best so far (default 1: all; 0: only the latter)",                             \
            false                                                                                  \
    }

/* The row of that name of both; NULL for an unknown name. */
const opevo_option *opevo_i_cli_live_option(const char *name);
opevo_status opevo_i_cli_live_program(const opevo_call *call, const char *command,
                                      const char *space, opevo_objective **out, opevo_error *err);
/* What a call, which may be NULL, says of how kernels are measured; `list` is to be freed, also on
 * failure. */
opevo_status opevo_i_cli_live_options_of(const opevo_call *call, const char *device,
                                         opevo_live_options *out, const char ***list,
                                         opevo_error *err);
/* Kernels by the name of their objective, such as "cpu:sketch gmm(1,512,512,512)", in the part of
 * their space that a space file has (NULL: all of it), with the defaults of measuring. Errors:
 * MISMATCH for the name of something else; those of makers. */
opevo_status opevo_i_cli_kernels_named(const char *name, const char *space, opevo_objective **out,
                                       opevo_error *err);
/* --threads of a kernel, `fallback` without it; 0: all cores, which are known of this host only. */
opevo_status opevo_i_cli_kernel_threads(const opevo_call *call, uint64_t fallback,
                                        unsigned *threads, opevo_error *err);
/* Before live objectives are opened: a launcher of workers may wait in a queue for long. */
void opevo_i_cli_catch_while_waiting(const opevo_live_options *options);
/* Say on stderr which sketches no point of can pass. */
void opevo_i_cli_say_beyond_limit(const opevo_kernel_maker *maker);
/* `device` is "cpu", "cuda:0" or such; `what` an operator, a computation or a source; `space` a
 * space file, of a source or with a part of the template's, or NULL. */
opevo_status opevo_i_cli_live_kernels(const opevo_call *call, const char *device, const char *space,
                                      const char *what, opevo_objective **out, opevo_error *err);

#endif
