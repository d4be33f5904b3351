/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A command with places for the values of parameters. No shell is involved: blanks separate
 * arguments, quotes and backslashes protect them as in a shell, and a value that is put in never
 * makes another argument.
 *
 *   {X}      the value of parameter X, components separated by commas
 *   {X[1]}   its second component, also by the component's own name
 *   {}       the whole configuration as a JSON object
 *   {out}    beside a build: the path of what it makes
 *   {{ }}    the braces themselves */

#ifndef OPEVO_COMMAND_LINE_INTERNAL_H
#define OPEVO_COMMAND_LINE_INTERNAL_H

#include <opevo/space.h>

/* Arguments; ends with NULL. */
typedef struct opevo_i_process_arguments {
    char **items;
    size_t count, capacity;
} opevo_i_process_arguments;

bool opevo_i_process_arguments_add(opevo_i_process_arguments *list, const char *text,
                                   size_t length);
void opevo_i_process_arguments_clear(opevo_i_process_arguments *list);
/* The words with blanks between them, as they are. */
void opevo_i_process_arguments_print(const opevo_i_process_arguments *list, opevo_text *out);

/* Stands in words for the path of what a build makes, until a worker knows it. */
#define OPEVO_I_OUTPUT_PLACE '\x1a'
/* Put it in the places {out}; their number. */
opevo_status opevo_i_process_command_mark_output(opevo_i_process_arguments *command, size_t *count,
                                                 opevo_error *err);

/* A hash of the executable file of a command, and of the script that an interpreter is given as its
 * first argument; 0 where one of them cannot be read. */
uint64_t opevo_i_process_program_hash(const opevo_i_process_arguments *command);
/* The same of a build: the executable and all files that are words of the command; 0 where the
 * executable cannot be read. */
uint64_t opevo_i_process_build_hash(const opevo_i_process_arguments *command);
/* The file that a shell would start for the word, in `out`; false if none exists. */
bool opevo_i_process_executable_find(const char *word, opevo_text *out);
/* The program of that name in the folder of the running one, where an installation and a build
 * folder have it; false, with `out` as it was, if none can be started there. */
bool opevo_i_process_executable_beside(const char *name, opevo_text *out);

/* Errors: INVALID for no words, or an open quote; NOMEM. */
opevo_status opevo_i_process_command_split(const char *text, opevo_i_process_arguments *out,
                                           opevo_error *err);
/* Whether every place names something of the space, and every parameter has a place. */
opevo_status opevo_i_process_command_check(const opevo_i_process_arguments *command,
                                           const opevo_space *space, opevo_error *err);
/* The command of a point. Errors: NOMEM; places must have been checked. */
opevo_status opevo_i_process_command_fill(const opevo_i_process_arguments *command,
                                          const opevo_space *space, opevo_index point,
                                          opevo_i_process_arguments *out, opevo_error *err);

#endif
