/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The commands that reach workers. */

#ifndef OPEVO_WORKER_COMMANDS_INTERNAL_H
#define OPEVO_WORKER_COMMANDS_INTERNAL_H

#include "command_line_internal.h"

enum { OPEVO_I_WORKERS_MOST = 4096 };

/* A plain value; start from {0}. */
typedef struct opevo_i_engine_worker_commands {
    opevo_i_process_arguments *items;
    size_t count, capacity;
} opevo_i_engine_worker_commands;

/* The number N of "N*" at the beginning of *text, which is moved behind it; 1 without "N*".
 * Errors: INVALID, with a clause in place of a sentence. */
opevo_status opevo_i_engine_worker_factor(const char **text, uint64_t *factor, opevo_error *err);
/* Add the command that the text is, or with N* before it the N commands that it stands for, in
 * which %d is a number from 1 to N. Errors: INVALID, with a clause in place of a sentence; NOMEM.
 */
opevo_status opevo_i_engine_worker_commands_add(opevo_i_engine_worker_commands *list,
                                                const char *text, opevo_error *err);
void opevo_i_engine_worker_commands_clear(opevo_i_engine_worker_commands *list);

#endif
