/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parts of the verb reproduce. */

#ifndef OPEVO_REPRODUCE_INTERNAL_H
#define OPEVO_REPRODUCE_INTERNAL_H

#include "options_internal.h"

#include <opevo/reproduction.h>

#include <jansson.h>

/* A file that is reproduced. */
typedef struct opevo_i_cli_reproduced {
    const char *path;    /* absolute */
    const char *beside;  /* where the files of a manifest are sought that are not in its folder */
    const char *scratch; /* a folder for what is computed again */
    bool measures;       /* also what is measured */
    bool exactly;        /* the same build and kind of machine made the file, and nothing was
                                measured again */
    opevo_reproduction result;
    size_t repeated; /* commands, plans and calls that were repeated */
    opevo_text left; /* a line for each thing that was not repeated, and why */
} opevo_i_cli_reproduced;

/* ---- reproduce_run.c ---- */

/* Whether a call that a file asks for is harmless, for the file may come from anybody. Errors:
 * INVALID for one that writes outside of the scratch folder, or that executes programs unless what
 * is measured is to be repeated. */
opevo_status opevo_i_cli_reproduce_allow(const opevo_i_cli_reproduced *self, const opevo_call *call,
                                         opevo_error *err);
/* Run a verb in this process, by its words; what it prints is appended. Errors: those of the
 * verb, and of opevo_i_cli_reproduce_allow. */
opevo_status opevo_i_cli_reproduce_run(const opevo_i_cli_reproduced *self, const char *const *words,
                                       size_t count, opevo_text *out, opevo_error *err);
/* Whether an objective, as --on names it, is computed. */
bool opevo_i_cli_reproduce_is_computed(const char *on);
/* Note that something was not repeated. */
void opevo_i_cli_reproduce_leave(opevo_i_cli_reproduced *self, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- reproduce_store.c ---- */

/* Make the runs of a store that a manifest describes again, as the store `target`. *whole is
 * whether all of them could be, or else a line says why not. Errors: those of studies and runs. */
opevo_status opevo_i_cli_reproduce_store(opevo_i_cli_reproduced *self, const json_t *store,
                                         const char *target, bool *whole, opevo_error *err);
/* The runs of a plan in the text `text`, whose paths are seen from the file `path`, by the rule of
 * what was registered (NULL: nothing was); *found gets what is registered for them. *whole as
 * before. */
opevo_status opevo_i_cli_reproduce_plan(opevo_i_cli_reproduced *self, const char *text,
                                        const char *path, const char *target,
                                        const json_t *registered, opevo_text *found, bool *whole,
                                        opevo_error *err);

/* ---- reproduce_document.c ---- */

/* Whether manifest and content of a JSON object are as opevo wrote them, and its files still what
 * they were; goes to the folder of its command. False with what is wrong in the list or among what
 * is left. */
opevo_status opevo_i_cli_reproduce_enter(opevo_i_cli_reproduced *self, const json_t *root,
                                         bool *good, opevo_error *err);
/* A JSON object that a verb printed, or that a report has as its data: `is_page`. */
opevo_status opevo_i_cli_reproduce_document(opevo_i_cli_reproduced *self, const json_t *root,
                                            bool is_page, opevo_error *err);
/* The data of a report; NULL without an error for a page that has none. */
opevo_status opevo_i_cli_reproduce_page_data(const char *path, json_t **out, opevo_error *err);

/* ---- reproduce_recording.c, reproduce_page.c ---- */

/* NAME.json of a recording, with NAME.csv beside it. */
opevo_status opevo_i_cli_reproduce_recording(opevo_i_cli_reproduced *self, const json_t *root,
                                             opevo_error *err);
/* A page of Markdown, with what its numbers are computed by in NAME.json beside it. */
opevo_status opevo_i_cli_reproduce_markdown(opevo_i_cli_reproduced *self, opevo_error *err);

#endif
