/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether numbers that were computed again follow from those that a file states. */

#ifndef OPEVO_REPRODUCTION_H
#define OPEVO_REPRODUCTION_H

#include <stdbool.h>
#include <stddef.h>

#include <opevo/api.h>
#include <opevo/status.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

/* How the values of a file came out. Start from {0}; free it. */
typedef struct opevo_reproduction {
    size_t equal;    /* as stated */
    size_t within;   /* another number, within the bound or interval that the file states for it */
    size_t unjudged; /* another estimate, for which the file states no interval */
    size_t differ;   /* does not follow */
    opevo_text list; /* a line for each of the latter, and for what else is to be said */
} opevo_reproduction;

OPEVO_API void opevo_reproduction_free(opevo_reproduction *self);

/* Compare the numbers, flags and words of two JSON objects that a verb printed, but not their
 * manifests, nor what names files, commands, versions and dates.
 *
 *   exactly  the same build computed both from the same outcomes on a machine of the same kind:
 *            only equal values follow. Otherwise a number follows that is within the bound of the
 *            object that it stands in ("bound"), or within its interval ("interval" beside "mean",
 *            "x_interval" beside "x", "low" and "high" beside it); intervals follow that overlap;
 *            words follow that are equal but for numbers in them.
 *
 * Each value counts once in `self`; differences are appended to its list as "PATH: A is stated, B
 * found". Errors: INVALID for what is not an object; NOMEM. */
OPEVO_API opevo_status opevo_reproduction_compare(opevo_reproduction *self, const char *stated,
                                                  size_t stated_size, const char *found,
                                                  size_t found_size, bool exactly,
                                                  opevo_error *err);

/* The same of two tables, as `opevo record` writes them, row by row; with `measured` a result
 * follows if the ranges of the single measurements of both rows overlap, and costs and messages are
 * not compared. Rows that only `stated` has are left out where `is_sample`. */
OPEVO_API opevo_status opevo_reproduction_compare_tables(opevo_reproduction *self,
                                                         const char *stated, const char *found,
                                                         bool measured, bool is_sample,
                                                         opevo_error *err);

/* Whether a number is what a page prints of it: "815,558", ".997", "6.81", rounded to the digits
 * that it prints. False for a text that is not a number. */
OPEVO_API bool opevo_reproduction_prints(const char *text, double value);

OPEVO_END_C

#endif
