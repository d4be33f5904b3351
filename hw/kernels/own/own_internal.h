/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The parts of an own kernel: its source, and what a point makes of it. */

#ifndef OPEVO_OWN_INTERNAL_H
#define OPEVO_OWN_INTERNAL_H

#include <opevo/kernel.h>
#include <opevo/kernel_harness.h>
#include <opevo/space.h>

/* The text of a source with those that it includes in quotes. Errors: IO; LIMIT for more than 64
 * MiB, and for files that include themselves; NOMEM. */
opevo_status opevo_i_own_source_read(const char *path, opevo_text *out, opevo_error *err);

/* The components of all active parameters of a point. Errors: NOMEM. */
typedef struct opevo_i_own_point {
    opevo_text macros; /* "-DNAME=VALUE", one a line */
    opevo_text values; /* "NAME=VALUE" of whole ones, likewise */
    char *names[OPEVO_HARNESS_VALUES];
    int64_t numbers[OPEVO_HARNESS_VALUES];
    size_t count;
    opevo_harness_values whole; /* these */
} opevo_i_own_point;

/* Errors: LIMIT for more than OPEVO_HARNESS_VALUES whole ones; NOMEM. */
opevo_status opevo_i_own_point_read(const opevo_space *space, opevo_index point,
                                    opevo_i_own_point *out, opevo_error *err);
void opevo_i_own_point_free(opevo_i_own_point *self);

/* The program that runs, compares and times (texts/program.in). */
extern const char opevo_i_own_program[];

/* The program of an exported function in C, which needs inputs.bin; what that holds; and the
 * Makefile of both, with words for the compiler, one a line.
 *   compares  with the function opevo_reference of reference.c
 * Errors: INVALID, LIMIT, NOMEM. */
opevo_status opevo_i_own_print_program(const opevo_harness *harness,
                                       const opevo_harness_values *values, bool compares,
                                       opevo_text *out, opevo_error *err);
opevo_status opevo_i_own_print_inputs(const opevo_harness *harness,
                                      const opevo_harness_values *values, opevo_text *out,
                                      opevo_error *err);
opevo_status opevo_i_own_print_makefile(const char *options, bool compares, opevo_text *out,
                                        opevo_error *err);

/* The point of a JSON object of values, in which parameters without a value have their first; NULL:
 * the first point that the constraints allow. Errors: INVALID, NOMEM. */
opevo_status opevo_i_own_default(const opevo_space *space, const char *json, opevo_index *out,
                                 opevo_error *err);

#endif
