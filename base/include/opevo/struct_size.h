/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Structs that a caller fills in and that later versions add members to. Each function that takes
 * one also takes its size as the caller was compiled, which the inline function beside it gives.
 * docs/library.md has the rules. */

#ifndef OPEVO_STRUCT_SIZE_H
#define OPEVO_STRUCT_SIZE_H

#include <stddef.h>

#include <opevo/status.h>

OPEVO_BEGIN_C

/* Copy the caller's struct of `size` bytes to *out, which has `out_size`: members that it does not
 * have become 0, and those that only it has must be 0.
 *
 *   type  what it is called in messages: "opevo_run_options"
 *
 * Errors: INVALID for size 0, and for a member that is not known here and not 0; *out is then
 * untouched. Source: the rule of Linux's extensible system calls, copy_struct_from_user(). */
opevo_status opevo_struct_read(const void *from, size_t size, const char *type, void *out,
                               size_t out_size, opevo_error *err);

OPEVO_END_C

#endif
