/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inside the verb `network`. */

#ifndef OPEVO_CLI_NETWORK_INTERNAL_H
#define OPEVO_CLI_NETWORK_INTERNAL_H

#include <opevo/network.h>

#include "cli_internal.h"

/* Computed nodes with the same definitions are one task. */
typedef struct opevo_i_task {
    char *text;            /* the definitions */
    const char *operation; /* of its first node */
    int node;              /* the first */
    int count;             /* nodes */
    opevo_flop flop;       /* of one */
} opevo_i_task;

typedef struct opevo_i_tasks {
    opevo_i_task *task;
    size_t count;
} opevo_i_tasks;

/* In the order of their first nodes. Free the list. */
opevo_status opevo_i_tasks_of(const opevo_network *network, opevo_i_tasks *out, opevo_error *err);
void opevo_i_tasks_free(opevo_i_tasks *tasks);

/* What is in the network: inputs, outputs, operators, weights, tasks. */
opevo_status opevo_i_network_print(const opevo_network *network, const opevo_i_tasks *tasks,
                                   opevo_text *out, opevo_error *err);
void opevo_i_network_print_json(const opevo_network *network, const opevo_i_tasks *tasks,
                                opevo_text *out);
/* "1 x 3 x 224 x 224" */
void opevo_i_add_shape(const opevo_array *array, opevo_text *out);

/* Arrays of a list of files, "A.pb,B.pb". */
typedef struct opevo_i_arrays {
    opevo_array *array;
    int count;
} opevo_i_arrays;
opevo_status opevo_i_arrays_read(const char *option, const char *files, opevo_i_arrays *out,
                                 opevo_error *err);
void opevo_i_arrays_free(opevo_i_arrays *arrays);

/* --run and --expect: run on the inputs and compare the results with those of files; *exit_code is
 * OPEVO_EXIT_FAILED if they differ. */
opevo_status opevo_i_network_compare(const opevo_call *call, const opevo_network *network,
                                     const opevo_i_arrays *inputs, opevo_text *out, int *exit_code,
                                     opevo_error *err);

#endif
