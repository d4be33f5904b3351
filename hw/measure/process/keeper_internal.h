/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A keeper: a small process between this one and a program that it runs (a compiler, a benchmark).
 * It limits the program's time, keeps what the program printed, and leaves none of its processes
 * behind: it kills the program's process group, adopts and kills whatever left that group, and does
 * the same when the process that started it dies in any way, SIGKILL included. */

#ifndef OPEVO_KEEPER_INTERNAL_H
#define OPEVO_KEEPER_INTERNAL_H

#include <sys/types.h>

#include <opevo/text.h>

enum { OPEVO_I_STARVED = 5 };
#define OPEVO_I_BUILD_HELPER ".pid" /* behind the object of a build: its helper */

/* What is run; borrowed during opevo_i_process_keeper_start only. */
typedef struct opevo_i_process_program {
    char *const *argv;     /* ends with NULL; argv[0] is looked for in PATH */
    double limit_s;        /* of elapsed time */
    size_t output_limit;   /* bytes kept of standard output */
    uint64_t memory_bytes; /* limit of the address space of each process; 0: none */
    bool processor_limit;  /* also limit the processor time of each process to limit_s */
    /* Let the time limit leave out for how long its processes wait for a processor, up to
     * OPEVO_I_STARVED times it. */
    bool waits_apart;
    const char *helper; /* a file with the number of a process that works for it; NULL: none */
    const int *cores;   /* to run on; NULL: where its keeper may */
    size_t core_count;
} opevo_i_process_program;

/* How it ended. */
typedef struct opevo_i_process_program_end {
    bool kept;           /* false: the keeper itself was killed, and nothing is known */
    int start_errno;     /* not 0: it could not be started, and why */
    bool timed_out;      /* it was killed at its time limit ... */
    bool starved;        /* ... having waited for a processor for most of the time */
    int wait_status;     /* as from waitpid */
    double elapsed_s;    /* from before its start to its end */
    uint64_t peak_bytes; /* of memory, of the largest of its processes */
    opevo_text out;      /* the first bytes of standard output */
    opevo_text error;    /* the first bytes of standard error */
} opevo_i_process_program_end;
void opevo_i_process_program_end_free(opevo_i_process_program_end *end);
/* The last line of what it printed to standard error, as a tail for a sentence; `buffer`. */
const char *opevo_i_process_program_tail(const opevo_i_process_program_end *end, char *buffer,
                                         size_t size);

/* A running keeper. */
typedef struct opevo_i_process_keeper {
    pid_t pid;
    int report; /* becomes readable when it has something to say */
    opevo_text received;
} opevo_i_process_keeper;

/* The pipe by which keepers notice the death of this process; made at the first start. */
opevo_status opevo_i_process_keeper_start(const opevo_i_process_program *program,
                                          opevo_i_process_keeper *out, opevo_error *err);
/* Read what the keeper reports without waiting; true once the program has ended: then *end is
 * filled, and the keeper is gone. */
bool opevo_i_process_keeper_poll(opevo_i_process_keeper *keeper, opevo_i_process_program_end *end);
/* Kill it and what it keeps: the next polls find the end, of which nothing is known. */
void opevo_i_process_keeper_stop(const opevo_i_process_keeper *keeper);
/* Before this process ends: have all keepers kill what they keep, wait for that,
 * and kill orphans. */
void opevo_i_process_keepers_end(void);
/* Whether this child has ended; it is not reaped, so that its number stays taken. */
bool opevo_i_process_has_ended(pid_t pid);
/* Close the ends that are open (not -1). */
void opevo_i_process_close_pipe(int ends[2]);

#endif
