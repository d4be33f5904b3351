/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The two sides of measuring on a CPU: the worker, and the forked process in which the kernel runs.
 *
 * Once its object is loaded, that process belongs to the kernel: all its memory, the code in it and
 * its descriptors. So nothing that it says is taken for true. The worker orders each step, reads
 * the clocks itself, before it sends an order and after the answer, and judges the outputs, which
 * are all that both share, while the process is stopped. An answer repeats the random number of its
 * order and says nothing else. */

#ifndef OPEVO_CPU_INTERNAL_H
#define OPEVO_CPU_INTERNAL_H

#include <opevo/hardware.h>
#include <opevo/kernel.h>

#include <sys/types.h>
#include <time.h>

#include "own_operands_internal.h"

enum {
    OPEVO_I_CPU_SAMPLES = 1000,
    OPEVO_I_CPU_SETS = 2, /* of inputs; the second is kept for one execution at the end */
    OPEVO_I_CPU_WORDS = 512,
    OPEVO_I_CPU_FROM = 3, /* where the forked process reads orders */
    OPEVO_I_CPU_TO = 4    /* where it answers */
};

#define OPEVO_I_PROCESSORS "/sys/devices/system/cpu"

/* Why kernels do not run here. */
#define OPEVO_I_NO_FILTER                                                                          \
    "the system cannot filter system calls (seccomp) on this processor, and kernels are not run "  \
    "without that"

typedef enum opevo_i_cpu_task {
    OPEVO_I_CPU_CALIBRATE, /* a fixed piece of work */
    OPEVO_I_CPU_LOAD,      /* the object; whatever comes after it may be the kernel's doing */
    OPEVO_I_CPU_PACK,      /* bring constants into their layouts, which the kernel reads */
    OPEVO_I_CPU_TOUCH,     /* read all operands, so that they are mapped, and cached if they fit */
    OPEVO_I_CPU_FLUSH,     /* the caches */
    OPEVO_I_CPU_RUN        /* so many executions */
} opevo_i_cpu_task;

typedef struct opevo_i_cpu_order {
    uint64_t token;
    uint64_t count; /* of executions */
    uint32_t task;  /* opevo_i_cpu_task */
    uint32_t set;   /* of operands, below OPEVO_I_CPU_SETS */
} opevo_i_cpu_order;

/* What the process answers: the token of the order and a letter. 'd': done; 'l', for an object that
 * cannot be loaded, and 'h', when it could not give up what it must, both followed by words. Before
 * the first order it says 'r' or 'h', with the token 0. */
typedef struct opevo_i_cpu_answer {
    uint64_t token;
    char letter;
    char words[OPEVO_I_CPU_WORDS - 1]; /* as many as there are */
} opevo_i_cpu_answer;

typedef struct opevo_i_cpu_cost {
    double wall_s, processor_s; /* elapsed, and of all threads of the process */
} opevo_i_cpu_cost;

typedef struct opevo_i_cpu_plan {
    double precision, repeat_s, run_limit_s;
    double least_s;       /* of samples, however precise they are */
    double slow_s;        /* an execution that takes longer is not repeated; 0: any is */
    double check_below_s; /* the results of one that takes less are checked; INFINITY: of any */
    bool cold, single_sample;
    unsigned calls;   /* executions that are judged one by one, in place of windows; 0: windows */
    int core;         /* to measure on; -1: any */
    unsigned threads; /* of the kernel; 0 and 1: the calling one alone */
    unsigned runs;    /* samples at most, unless least_s needs more; 0: any number */
    const int *cores; /* for more threads: one for each */
    uint64_t memory_bytes; /* that the kernel may take, beside scratch and packed memory */
    /* Whose memory that is; NULL: of a kernel with neither. */
    const opevo_kernel *kernel;
} opevo_i_cpu_plan;

/* The forked process, from start to end; without an object OpenBLAS takes the place of the
 * kernel. */
void opevo_i_cpu_child(const opevo_i_cpu_plan *plan, const char *object, const char *entry,
                       const opevo_i_reference_operands *sets) __attribute__((noreturn));

/* That process, as the worker has it. */
typedef struct opevo_i_cpu_process {
    const opevo_i_cpu_plan *plan;
    pid_t pid;
    int from, to; /* pipes: its answers, and the worker's orders */
    clockid_t clock;
    opevo_i_cpu_cost idle; /* of an order that asks for no work, which every order costs as well */
    opevo_i_cpu_order order;
    opevo_i_cpu_cost begun; /* the clocks when that was sent */
    bool loaded;
    bool stopped; /* by opevo_i_cpu_process_stop */
    bool garbled; /* it said what it was not asked */
    bool over;    /* it has ended, with `status` as from waitpid */
    int status;
    char words[OPEVO_I_CPU_WORDS]; /* with 'l' and 'h' */
} opevo_i_cpu_process;

/* Fork it, and wait until it is confined: 'd', or as opevo_i_cpu_process_await; 0 with errno in
 * `status` where the host has no pipes or processes. */
char opevo_i_cpu_process_start(const opevo_i_cpu_plan *plan, const char *object, const char *entry,
                               const opevo_i_reference_operands *sets, opevo_i_cpu_process *out);
void opevo_i_cpu_process_send(opevo_i_cpu_process *self, opevo_i_cpu_task task, uint32_t set,
                              uint64_t count);
/* The letter of its answer to the last order; 't' if none comes within `limit_s`, after which it
 * may be awaited again; 0 when it is gone or has said something else. With 'd' what the order took
 * goes to *cost, which may be NULL. */
char opevo_i_cpu_process_await(opevo_i_cpu_process *self, double limit_s, opevo_i_cpu_cost *cost);
char opevo_i_cpu_process_ask(opevo_i_cpu_process *self, opevo_i_cpu_task task, uint32_t set,
                             uint64_t count, double limit_s, opevo_i_cpu_cost *cost);
/* What the order that is being worked at has taken so far. */
opevo_i_cpu_cost opevo_i_cpu_process_so_far(const opevo_i_cpu_process *self);
/* Whether all that it did took less than half of the limit of one execution of its threads'
 * processor time. */
bool opevo_i_cpu_process_has_waited(const opevo_i_cpu_process *self);
/* Whether it died of a signal that others send. After opevo_i_cpu_process_end. */
bool opevo_i_cpu_process_was_killed(const opevo_i_cpu_process *self);
/* Let none of its threads run, so that shared memory stays as it is; and let it go on. */
void opevo_i_cpu_process_stop(opevo_i_cpu_process *self);
void opevo_i_cpu_process_continue(opevo_i_cpu_process *self);
/* Kill it, and note in `status` how it died if it did so by itself. */
void opevo_i_cpu_process_end(opevo_i_cpu_process *self);

/* The outcome of one that died. */
void opevo_i_cpu_process_describe_death(const opevo_i_cpu_process *process,
                                        opevo_i_wire_result *result);

/* The command that makes a loadable object of a kernel in C. Errors: NOMEM. */
opevo_status opevo_i_cpu_build_command(const char *compiler, const opevo_kernel *kernel,
                                       const char *source, const char *object,
                                       opevo_i_process_arguments *out, opevo_error *err);
/* Run such an object once on each set of operands, OPEVO_I_CPU_SETS of them, and take what it
 * computes as golden.
 *   like  limits and cores; NULL: any core
 * Errors: INVALID with how it failed; MISMATCH, FAULT, NOMEM. */
opevo_status opevo_i_cpu_run_reference(const opevo_i_cpu_plan *like, const char *entry,
                                       const char *object, opevo_i_own *own,
                                       const opevo_i_reference_operands *sets, opevo_error *err);

/* What was measured. */
typedef struct opevo_i_cpu_windows {
    double calibration_s[2]; /* of a fixed piece of work, before and after */
    double pack_s;           /* elapsed, of bringing constants into their layouts */
    opevo_i_cpu_cost first;  /* of the first execution */
    opevo_i_cpu_cost fresh;  /* of the one with new inputs at the end; 0: none */
    bool slow;               /* it takes longer than slow_s, and was not sampled again for that */
    bool unchecked;          /* it takes check_below_s or longer */
    uint64_t sample_count;
    double samples_s[OPEVO_I_CPU_SAMPLES];   /* elapsed; means over a window of executions */
    double processor_s[OPEVO_I_CPU_SAMPLES]; /* likewise */
} opevo_i_cpu_windows;

/* Elapsed seconds of the fixed piece of work, the best of some; a letter. */
char opevo_i_cpu_calibrate(opevo_i_cpu_process *process, double *best_s);
/* From 'r' to where the first execution may begin; a letter as above. */
char opevo_i_cpu_prepare(opevo_i_cpu_process *process, opevo_i_cpu_windows *out);
/* The letter after the first execution; 's' when that is certainly slower than is worth it, by the
 * clock that says less: it may have waited for others. What does not cost more than sampling does
 * is awaited. */
char opevo_i_cpu_await_first(const opevo_i_cpu_plan *plan, opevo_i_cpu_process *process,
                             opevo_i_cpu_cost *first);
/* What the process could not do, from the last letter and how it ended. */
void opevo_i_cpu_describe(const opevo_i_cpu_plan *plan, const opevo_i_wire_job *job, char letter,
                          const opevo_i_cpu_process *process, opevo_i_wire_result *result);
/* Whether what it computed from a set of inputs is right, and nothing beside it was written to;
 * otherwise the outcome says so, after the words of `when`. The process is stopped for it, so that
 * no thread runs that it left behind. `own` may be NULL. */
bool opevo_i_cpu_check(opevo_i_cpu_process *process, opevo_i_own *own,
                       const opevo_i_reference_operands *operands, const char *when,
                       opevo_i_wire_result *result);
/* Let outputs hold what no kernel computes, and restore the pattern around them. */
void opevo_i_cpu_renew_outputs(opevo_i_reference_operands *operands);
/* What such an execution costs that computes nothing, before the object is loaded; a letter. */
char opevo_i_cpu_find_idle_call(opevo_i_cpu_process *process);
/* The executions of plan->calls, and one before them that warms up: each on contents of its own
 * (opevo_i_own_draw_contents), with outputs that are poisoned before and checked after. Its time is
 * that between two moments in which no thread of the process runs. A letter, or 'w' where a result
 * is wrong. */
char opevo_i_cpu_judge_calls(opevo_i_cpu_process *process, opevo_i_own *own,
                             opevo_i_reference_operands *operands, opevo_i_cpu_windows *out,
                             opevo_i_wire_result *result);
/* Warm up and take samples with the first set of operands; a letter. */
char opevo_i_cpu_take_windows(opevo_i_cpu_process *process, opevo_i_cpu_windows *out);
/* One execution with the second set of operands, which the kernel has not seen; a letter. */
char opevo_i_cpu_run_fresh(opevo_i_cpu_process *process, opevo_i_cpu_windows *out);
/* The smaller of both: what others took of the processor counts for no kernel. */
double opevo_i_cpu_time_of(const opevo_i_cpu_cost *cost);
/* One more sample; there is room for it. */
void opevo_i_cpu_keep_window(opevo_i_cpu_windows *windows, opevo_i_cpu_cost cost);
/* One window of an execution as the only sample. */
void opevo_i_cpu_keep_only(opevo_i_cpu_windows *windows, opevo_i_cpu_cost cost);
/* The least time of a window; INFINITY without any. */
double opevo_i_cpu_shortest_s(const opevo_i_cpu_windows *windows);
/* Whether the executions of the windows took far less time than the one with new inputs, a quarter
 * and less of it; then they were not what they should be. */
bool opevo_i_cpu_is_stale(const opevo_i_cpu_windows *windows, unsigned threads);

/* Of `count` processors, move those that measure with so many threads, at most `count`, to the end:
 * from the last on, each on a core of its own as far as there are so many. `root` is
 * OPEVO_I_PROCESSORS. Hook of tests. */
void opevo_i_cpu_choose(int *cores, size_t count, size_t threads, const char *root);
/* The processors that this process may use, those that measure with so many threads at the end; at
 * most CPU_SETSIZE. Their number; less than `threads`, in any order, where there are too few, and 0
 * where they are not known. */
size_t opevo_i_cpu_share(int *cores, size_t threads);
/* Model of the processor, into `out` of `size` bytes. */
void opevo_i_cpu_title(char *out, size_t size);
/* All that decides what a kernel becomes and takes here: the model, a hash of the features that the
 * processor has here, and the compiler. */
void opevo_i_cpu_identity(char *out, size_t size);
/* $OPEVO_CC, or cc. */
const char *opevo_i_cpu_compiler(void);
/* Its name, its version, and a hash of its file and of the macros that it defines by itself with
 * the flags of kernels, until the next call; whether it does so in *works, which may be NULL. */
const char *opevo_i_cpu_compiler_identity(bool *works);
/* As `list` of a backend. */
void opevo_i_cpu_list(void (*add)(void *context, const opevo_hardware *row), void *context);

#endif
