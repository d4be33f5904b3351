/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Live objectives: points are measured on a device, by workers in processes of their own.
 * docs/measuring.md and docs/timing.md describe how, docs/formats/worker.md what engine and worker
 * say to each other. */

#ifndef OPEVO_LIVE_H
#define OPEVO_LIVE_H

#include <opevo/interrupt.h>
#include <opevo/kernel.h>

OPEVO_BEGIN_C

/* Which workers measure: each a command that reaches one, such as "ssh host opevo-worker cpu", or
 * "8*ssh node%d opevo-worker cpu" for eight; or one command that starts all, which then connect to
 * this process; with none, opevo-worker is started here. */
typedef struct opevo_workers {
    const char *const *commands; /* words separated by blanks, with quotes as in a shell */
    size_t count;
    const char *from; /* "srun -n16 opevo-worker cpu"; "4*sh loop.sh" says how many; NULL: none */
    const char *address; /* that these connect to, as in opevo/listen.h; NULL: by the command */
    const char *program; /* path of opevo-worker; NULL: next to this program, else in PATH */
    double start_s; /* limit from a start to the greeting, and from there to being ready; 0: 300 */
    bool mixed; /* they may measure on several devices; otherwise a result of a second one ends the
                   run with MISMATCH */
} opevo_workers;

typedef struct opevo_live_options {
    const char *device; /* "cpu", "cuda:0", "hip:1" */
    opevo_workers workers;
    double build_limit_s; /* of one kernel; elapsed */
    double run_limit_s;   /* of one execution; elapsed */
    double precision;     /* repeat until the interval of the median is within this share of it */
    double repeat_s;      /* ... or this long; 0 < repeat_s */
    double slower;        /* an execution longer than so many times that of the best trial so far of
                             the run, and than repeat_s, is a timeout; 0: none. Not signed. */
    uint64_t check_every; /* with a harness: the results of every so-many-th configuration are
                             checked, and of each that is faster than the best so far; 0: only of
                             the latter */
    const char *verifier; /* with a harness: a command that judges results as well; NULL: none */
    bool cold_cache;      /* caches are flushed before each execution */
    uint64_t seed;        /* of the operands */
    const char *const
        *criteria; /* "build_time", "code_size", "energy", "error", "registers", "local_memory",
                      "occupancy": more to report, at most 3 */
    size_t criterion_count;
    bool meet; /* start the workers that are given at once, to know of their device */
    const opevo_interrupt *interrupt; /* of that; NULL: never */
    /* Of a kernel with a harness whose reference is a computation: an outcome has so many samples,
     * each of one execution on contents that it has not seen, whose results are judged. 0: windows
     * of executions on the same. */
    unsigned calls;
    bool of_plan; /* leave the device of workers that are given out of the signature, as a plan is
                     also opened where they cannot be asked */
} opevo_live_options;

/* cpu, 30 s, 5 s, 2 %, 0.1 s, 10 times, all checked, warm, 1. */
opevo_live_options opevo_live_defaults(void);

/* Kernels measured on a device. Takes ownership of the maker, also on failure. Workers are started
 * at the first evaluation, or, with `meet`, here: then the device of the first that greets is that
 * of the signature, unless it is `of_plan`, and of the start points; otherwise nothing is known of
 * those of other hosts.
 * Fitness is GFLOP/s at the median of the samples; on a CPU at the 10 % quantile of its windows,
 * each with the smaller of elapsed and processor time.
 *
 * Errors: INVALID for options outside their domain, an unknown device, and energy that cannot be
 * read on this host; NOMEM. Evaluating, and with `meet`: IO when no worker can be had. */
opevo_status opevo_live_open(opevo_kernel_maker *maker, const opevo_live_options *options,
                             opevo_objective **out, opevo_error *err);

/* Whether a name, or what it is before a colon or a space, is that of a kind of device that kernels
 * run on. */
bool opevo_live_is_device(const char *name);
/* The dialect of kernels for a device, which is "cpu", "cuda:N" or "hip:N", N from 0 to 1023, or
 * "opencl:" with a number, two numbers with a dot between them, or a part of a name.
 * Errors: INVALID for another name. */
opevo_status opevo_live_dialect(const char *device, opevo_kernel_dialect *out, opevo_error *err);
/* What sketches are for on such a device: the dialect, which is for a CPU where an OpenCL device of
 * this host computes on one, with its compute units as threads; 1 for other devices. Errors:
 * likewise. */
opevo_status opevo_live_sketch_dialect(const char *device, opevo_kernel_dialect *out,
                                       unsigned *threads, opevo_error *err);
/* What is known of this host's CPU; zeros where nothing is. */
opevo_device_facts opevo_live_cpu_facts(void);

/* What makes the kernels of an objective, borrowed; NULL where none are made. */
const opevo_kernel_maker *opevo_live_maker(const opevo_objective *objective);

typedef struct opevo_program_options {
    const char *command;  /* see docs/measuring.md: parameters are put in as {NAME} */
    const char *build;    /* makes what the command runs as {out}; NULL: nothing does */
    double build_limit_s; /* of one build; elapsed */
    unsigned threads;     /* processors that the program is bound to, beside which builds run;
                                    0: it may use all, and builds run between measurements */
    const char *name;     /* of the objective after "cmd:"; NULL: the command */
    const char *result;   /* "ms:/took ([0-9.]+)/", "gflops:json:a.b"; NULL: "s:wall" */
    const char *const *criteria; /* "error:json:err": more that it prints, at most 3 */
    size_t criterion_count;
    double flop;              /* of one execution; 0: unknown */
    const char *const *exits; /* "3=rejected": what an exit status means */
    size_t exit_count;
    uint64_t repeats;   /* executions for one outcome */
    double run_limit_s; /* of each */
    opevo_workers workers;
} opevo_program_options;

/* s:wall, once, 60 s, builds 120 s. */
opevo_program_options opevo_program_defaults(void);

/* Any program as an objective: it is started once for each point, with the point's values in its
 * arguments and no shell. With `build`, that command makes the program of each point first, on all
 * processors; equal commands are run once, as long as the objective's workers live. Without success
 * the outcome is a build error. Takes ownership of the space on success. The fitness is GFLOP/s
 * where the program prints that or `flop` is known, otherwise 1/s, or the score that it prints; the
 * unit is the one in which it prints (opevo/unit.h).
 *
 * Errors: INVALID for a command with unknown or missing parameters or without {out} where it is
 * built, and for what cannot be parsed. */
opevo_status opevo_program_open(opevo_space *space, const opevo_program_options *options,
                                opevo_objective **out, opevo_error *err);

/* What the workers of a live objective said that they measure on, each once, separated by "; ":
 * model, driver, compiler. Nothing before the first evaluation, and for any other objective. */
void opevo_live_print_devices(const opevo_objective *objective, opevo_text *out);

/* How many workers a live objective has, whether or not they run, as far as is known of those of a
 * launcher; 0 for any other objective. */
size_t opevo_live_worker_count(const opevo_objective *objective);

/* Stop the workers of a live objective, whose processes take memory and open files while they wait;
 * the next evaluation starts them again, and computes the right result again. Nothing for any other
 * objective. */
void opevo_live_rest(opevo_objective *objective);

/* What is to be known of the result that kernels are compared with, in lines: where it comes from
 * if no user said so, what it cost where it took a worker a second or more, and how many elements
 * cannot be compared. Nothing otherwise, and before the first evaluation. */
void opevo_live_print_reference(const opevo_objective *objective, opevo_text *out);
/* Processor time in seconds that each worker spends at least on the result of generated kernels,
 * before the first trial: about that of matrix products (docs/timing.md). 0 for any other
 * objective. */
double opevo_live_reference_least_s(const opevo_objective *objective);

/* In the message of an outcome that is ok, but for a time below 1 ns or a rate above 10^6
 * GFLOP/s. */
#define OPEVO_LIVE_DOUBT "beyond any machine"

OPEVO_END_C

#endif
