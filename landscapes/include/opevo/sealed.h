/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sealed landscapes: recordings in one file that open for evaluation only, each opening appended to
 * a log in the file. docs/formats/sealed.md specifies the file, and says what the log cannot
 * show. */

#ifndef OPEVO_SEALED_H
#define OPEVO_SEALED_H

#include <opevo/api.h>
#include <opevo/objective.h>

OPEVO_BEGIN_C

/* Write a described recording (NAME.csv, NAME.csv.xz or NAME.csv.gz with NAME.json) as the sealed
 * file `out`, which must not exist. Errors: INVALID for another form, or for a file that is there;
 * those of opevo_recorded_open; IO; NOMEM. */
OPEVO_API opevo_status opevo_sealed_create(const char *path, const char *out, opevo_error *err);
/* Whether a file begins as sealed ones do. */
OPEVO_API bool opevo_sealed_is(const char *path);

/* Open a sealed landscape for evaluation, after appending an entry to its log: "sealed:NAME", whose
 * rows cannot be listed and whose optimum is unknown. Nothing is opened if the entry cannot be
 * written.
 *
 *   command  what opens it, for the entry: a line of JSON, such as ["study", "plan.json"]
 *   look     out: the number of the entry; may be NULL
 *
 * Errors: INVALID for a file that is not sealed or was altered, and for another command; IO where
 * it cannot be written; those of opevo_recorded_open. */
OPEVO_API opevo_status opevo_sealed_open(const char *path, const char *command, uint64_t *look,
                                         opevo_objective **out, opevo_error *err);

/* What the log says. */
typedef struct opevo_sealed_log {
    uint64_t looks;  /* entries of openings */
    uint64_t copies; /* of them, those that found the file copied or moved since the one before */
    bool altered;    /* the content or an entry is not what was written */
    char head[65];   /* SHA-256 that ends the chain: publish it to fix the log */
    char name[256];  /* of the landscape */
} opevo_sealed_log;
/* Read and check it; the landscape is not opened. Errors: INVALID for a file that is not sealed;
 * IO; NOMEM. */
OPEVO_API opevo_status opevo_sealed_read_log(const char *path, opevo_sealed_log *out,
                                             opevo_error *err);

/* Append the entries as they stand in the file, a line of JSON each. Errors: likewise. */
OPEVO_API opevo_status opevo_sealed_print_log(const char *path, opevo_text *out, opevo_error *err);

OPEVO_END_C

#endif
