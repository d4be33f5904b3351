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
    opevo_text open; /* a line for each that is not judged */
} opevo_reproduction;

OPEVO_API void opevo_reproduction_free(opevo_reproduction *self);

/* Compare the numbers, flags and words of two JSON objects that a verb printed, but not their
 * manifests, nor what names files, commands, versions and dates.
 *
 *   exactly  the same build computed both from the same outcomes on a machine of the same kind:
 *            only equal values follow. Otherwise numbers follow that are equal but for rounding
 *            (1e-9 of their size), that differ by at most twice the smaller of the bounds of both
 *            ("bound" of the object that they stand in, itself within a factor of 2), or that each
 *            are within the interval of the other ("interval" beside "mean", "x_interval" beside
 *            "x", "low" and "high" beside it); intervals follow that overlap, with lengths within a
 *            factor of 2. What plan and data give, and numbers that are "sure": "exact", follow if
 *            they are equal but for rounding. Other estimates are not judged, unless all intervals
 *            and the numbers that have one are equal but for rounding: then they follow from the
 *            same trials, and other ones do not follow. Sentences are not judged where only numbers
 *            in them differ.
 *
 * A member that only one of the objects has does not follow. Files are the same in another folder.
 * Each value counts once in `self`; differences are appended to its lists as "PATH: A is stated, B
 * found". Errors: INVALID for what is not an object; NOMEM. */
OPEVO_API opevo_status opevo_reproduction_compare(opevo_reproduction *self, const char *stated,
                                                  size_t stated_size, const char *found,
                                                  size_t found_size, bool exactly,
                                                  opevo_error *err);

/* The same of two tables, as `opevo record` writes them, row by row; with `measured` a result
 * follows if the ranges of the single measurements of both rows overlap, and costs and messages are
 * not compared. Columns must be the same. Rows that only `stated` has are left out where
 * `is_sample`, and those that only `found` has where `is_part`. */
OPEVO_API opevo_status opevo_reproduction_compare_tables(opevo_reproduction *self,
                                                         const char *stated, const char *found,
                                                         bool measured, bool is_sample,
                                                         bool is_part, opevo_error *err);

/* Whether a number is what a page prints of it: "815,558", ".997", "6.81", rounded to the digits
 * that it prints. False for a text that is not a number. */
OPEVO_API bool opevo_reproduction_prints(const char *text, double value);

OPEVO_END_C

#endif
