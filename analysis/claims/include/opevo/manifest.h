/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Manifests: what a file must say so that its numbers can be computed again. docs/claims.md has the
 * form. */

#ifndef OPEVO_MANIFEST_H
#define OPEVO_MANIFEST_H

#include <stddef.h>

#include <opevo/api.h>
#include <opevo/status.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

/* What made a file. Start from {0}; everything is borrowed. */
typedef struct opevo_manifest_options {
    const char *const *command; /* the words behind "opevo": a verb, its arguments and options */
    size_t command_count;
    const char *const *files; /* that numbers were computed from, other than stores */
    size_t file_count;
    const char *const *stores; /* run stores that were read */
    size_t store_count;
} opevo_manifest_options;

/* Append the member "manifest" to the JSON object that is the whole of `out`: program, version and
 * build, command and folder, machine, SHA-256 of the files and stores, what the stores registered
 * (plans, seeds, hashes of data) and how their other runs were asked for, and the SHA-256 of the
 * object without this member (opevo_manifest_content). What ends the object in `out`, "}" and line
 * ends, stays at its end.
 *
 * Errors: INVALID for what is not one object; IO for a file that cannot be read; those of the
 * stores; NOMEM. Cost: reads the files, and parses the object. */
OPEVO_API opevo_status opevo_manifest_add_sized(const opevo_manifest_options *options, size_t size,
                                                opevo_text *out, opevo_error *err);
static inline opevo_status opevo_manifest_add(const opevo_manifest_options *options,
                                              opevo_text *out, opevo_error *err)
{
    return opevo_manifest_add_sized(options, sizeof *options, out, err);
}

/* The SHA-256, as 64 hexadecimal digits, of a JSON object without its member "manifest": of its
 * text with the keys in order, no blanks and numbers in their shortest form with 17 digits, so that
 * it does not change when the object is only laid out in another way. Errors: INVALID for what is
 * not an object; NOMEM. */
OPEVO_API opevo_status opevo_manifest_content(const char *text, size_t size, opevo_text *out,
                                              opevo_error *err);

OPEVO_END_C

#endif
