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

/* Lines -DNAME=VALUE as #define NAME VALUE, which compilers that are libraries take, too. */
void opevo_i_own_define_macros(const char *macros, opevo_text *out);

/* ---- A point as files (own_export.c) ---- */

/* What runs the steps of functions in C. */
#define OPEVO_I_OWN_ENTRY "opevo_run"

typedef struct opevo_i_own_export {
    const opevo_harness *harness;
    opevo_kernel_dialect dialect;
    bool calls; /* functions in C; else kernels are launched */
    opevo_harness_reference_kind kind;
    const opevo_kernel *kernel, *reference; /* of the point; what gives golden results */
    const opevo_i_own_point *values, *first;
} opevo_i_own_export;

/* NULL from their number on. */
const char *opevo_i_own_file_name(opevo_kernel_dialect dialect, bool calls,
                                  opevo_harness_reference_kind kind, size_t i);
/* Errors: INVALID, LIMIT, NOMEM. */
opevo_status opevo_i_own_print_file(const opevo_i_own_export *what, size_t i, opevo_text *out,
                                    opevo_error *err);

/* The program that runs, compares and times, and its devices; its functions run() and refer(); and
 * how it is built (texts). */
extern const char opevo_i_own_program[], opevo_i_own_gpu[];
extern const char opevo_i_own_call_run[], opevo_i_own_call_refer[], opevo_i_own_on_device[],
    opevo_i_own_gpu_run[], opevo_i_own_gpu_refer[], opevo_i_own_opencl_run[],
    opevo_i_own_opencl_refer[];
extern const char opevo_i_own_make_c[], opevo_i_own_make_opencl[], opevo_i_own_make_gpu[],
    opevo_i_own_make_reference[], opevo_i_own_make_reference_gpu[];

/* The point of a JSON object of values, in which parameters without a value have their first; NULL:
 * the first point that the constraints allow. Errors: INVALID, NOMEM. */
opevo_status opevo_i_own_default(const opevo_space *space, const char *json, opevo_index *out,
                                 opevo_error *err);

/* The kernels of C++ that are launched: words of the options, for compilers at run time, and for
 * clang instances of templates behind the source. Errors: INVALID, LIMIT, NOMEM. */
opevo_status opevo_i_own_add_names(const opevo_harness *harness, const opevo_harness_values *values,
                                   opevo_kernel *out, opevo_error *err);

#endif
