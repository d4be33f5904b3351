/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The devices of this machine that kernels can be measured on, and the program that measures on
 * one: a worker, in a process of its own because a kernel may crash, hang or exhaust memory. */

#ifndef OPEVO_HARDWARE_H
#define OPEVO_HARDWARE_H

#include <opevo/operator.h>

/* A device, or why there is none of its kind. */
typedef struct opevo_hardware {
    const char *name; /* as behind --on: "cpu", "cuda:0" */
    bool present;
    const char
        *title;     /* its model; what is missing, and what to install, where it is not present */
    unsigned cores; /* processors, multiprocessors or compute units; 0 where not known */
    unsigned vector_bits;  /* of a CPU: the widest registers; 0 for others */
    uint64_t memory_bytes; /* 0 where not known */
    const char *facts;     /* further facts in words: driver, clocks, power state; "" where none */
} opevo_hardware;

/* Call `visit` for each, in the order cpu, cuda, hip; the strings are borrowed during the call.
 * Libraries of vendors are opened at run time. */
void opevo_hardware_list(void (*visit)(void *context, const opevo_hardware *device), void *context);

/* A plain implementation of an operator to check kernels against: operands as in kernel.h. Errors:
 * NOMEM. */
typedef opevo_status (*opevo_reference_function)(const opevo_operator *op, const float *a,
                                                 const float *b, float *c, opevo_error *err);

/* The program opevo-worker: `argv` names a device; messages come on standard input and go to
 * standard output, as docs/formats/worker.md describes. Returns the exit status. `reference` may be
 * NULL for loops in double precision. */
int opevo_worker_main(int argc, char **argv, opevo_reference_function reference);

#endif
