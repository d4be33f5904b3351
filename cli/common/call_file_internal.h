/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A call as JSON, its specification: what `opevo tune FILE.json` reads and a store keeps of each of
 * its runs (docs/formats/run.md). */

#ifndef OPEVO_CALL_FILE_INTERNAL_H
#define OPEVO_CALL_FILE_INTERNAL_H

#include "options_internal.h"

#include <opevo/text.h>

#include <jansson.h>

/* Start from {.root = NULL}. */
typedef struct opevo_i_cli_call_file {
    opevo_call call; /* its strings are those of `root`, of `numbers`, and of what was laid over */
    json_t *root;
    opevo_text *numbers; /* values that are numbers, as text */
    size_t number_count;
} opevo_i_cli_call_file;

/* Read a specification of `size` bytes; `origin` is what sentences call it. Release it with
 * opevo_i_cli_call_file_free, also on failure. Errors: INVALID, naming the member; NOMEM. */
opevo_status opevo_i_cli_call_file_parse(const char *text, size_t size, const char *origin,
                                         const opevo_verb *verb, opevo_i_cli_call_file *out,
                                         opevo_error *err);
void opevo_i_cli_call_file_free(opevo_i_cli_call_file *self);
/* The options of a call replace those of the same name; its arguments are not looked at. Errors:
 * NOMEM. */
opevo_status opevo_i_cli_call_file_lay_over(opevo_i_cli_call_file *self, const opevo_call *over,
                                            opevo_error *err);
/* Add an option with a value that outlives the call; false for one that the verb does not have. */
bool opevo_i_cli_call_file_add(opevo_i_cli_call_file *self, const char *name, const char *value);
/* Go to the folder that its paths are seen from, if it names one. Errors: IO. */
opevo_status opevo_i_cli_call_file_enter(const opevo_i_cli_call_file *self, const char *origin,
                                         opevo_error *err);

/* The specification of a call, or of one run of it, with this seed, which may be NULL: all but what
 * says how and where results go. */
void opevo_i_cli_call_print(const opevo_call *call, const char *seed, opevo_text *out);

#endif
