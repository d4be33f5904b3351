/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The manifest of what a verb writes. */

#ifndef OPEVO_CLI_MANIFEST_OF_CALL_INTERNAL_H
#define OPEVO_CLI_MANIFEST_OF_CALL_INTERNAL_H

#include <opevo/objective.h>
#include <opevo/text.h>

#include "options_internal.h"

/* Note the files that an objective was read from, for the manifests that this process writes later.
 * Without memory for a part, that part is left out. */
void opevo_i_cli_manifest_note(const opevo_objective *objective);
/* Make `call` the one that manifests are of from here on, and forget the files of the one before;
 * returns that one, NULL at first. It must outlive its use. */
const opevo_call *opevo_i_cli_manifest_begin(const opevo_call *call);
/* Append the words of that call with all of its options as a JSON list, "[]" without one. */
void opevo_i_cli_manifest_print_command(opevo_text *out);
/* The name of its verb, "" without one. */
const char *opevo_i_cli_manifest_verb(void);
/* Append the manifest of that call to the JSON object in `out` (opevo_manifest_add): its words, but
 * those of options that decide nothing of the numbers; the files that were noted or that a word
 * names; the stores that its arguments name. Errors: those of opevo_manifest_add. */
opevo_status opevo_i_cli_manifest_add(opevo_text *out, opevo_error *err);

#endif
