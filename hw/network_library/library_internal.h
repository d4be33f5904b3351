/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inside the library of a network: its tasks, and where everything is in memory. */

#ifndef OPEVO_LIBRARY_INTERNAL_H
#define OPEVO_LIBRARY_INTERNAL_H

#include <opevo/network_library.h>

/* Of a task: the workload has the operands of the kernel, X<i> and Y<i>, in their order. */
typedef struct opevo_i_library_task {
    opevo_network_task super;
    opevo_workload *work;
    opevo_kernel kernel;
    uint32_t in_place; /* see opevo_computation_in_place */
    uint32_t reused;   /* inputs that a step of the plan overwrites */
} opevo_i_library_task;

/* A constant as the kernel of a task reads it. */
typedef struct opevo_i_packed {
    int task, operand, value;
    int64_t offset; /* in bytes, from the first */
} opevo_i_packed;

struct opevo_network_library {
    const opevo_inference *inference;
    opevo_network_library_options options;
    char *model, *version;
    opevo_i_library_task *task;
    int tasks;
    int *task_of; /* by step; -1: not a computation, or not needed */
    opevo_memory_plan *plan;
    int64_t *weight; /* by value: its offset in the file of weights in bytes; -1: not there */
    int64_t weight_bytes;
    opevo_i_packed *packed;
    int packed_count;
    int64_t packed_bytes;
};

/* The value that operand i of the kernel of a task is in a step; -1 if it is omitted there. */
int opevo_i_library_operand(const opevo_i_library_task *task, const opevo_net_step *step, int i);

/* Tasks and their kernels (library_tasks.c). Errors: those of opevo_network_library_create. */
opevo_status opevo_i_library_tasks(opevo_network_library *self, opevo_error *err);
/* The source of a kernel, as a file of its own. */
void opevo_i_library_kernel(const opevo_i_library_task *task, opevo_text *out);

/* The files net.c and net.h (library_source.c). */
void opevo_i_library_source(const opevo_network_library *self, opevo_text *out);
void opevo_i_library_header(const opevo_network_library *self, opevo_text *out);

/* Inputs and expected outputs into the folder, and the program that compares (library_test.c). */
opevo_status opevo_i_library_record(const opevo_network_library *self, const char *folder,
                                    opevo_error *err);

/* ---- Fixed texts (library_text.c) ---- */

extern const char opevo_i_library_first[];   /* of net.c: what is above the kernels */
extern const char opevo_i_library_copies[];  /* ... the function that moves elements */
extern const char opevo_i_library_last[];    /* ... creation and runs */
extern const char opevo_i_library_types[];   /* of net.h */
extern const char opevo_i_library_calls[];   /* ... behind the counts */
extern const char opevo_i_library_program[]; /* main.c, */
extern const char opevo_i_library_program_end[];
extern const char opevo_i_library_weights[]; /* weights.S */

#endif
