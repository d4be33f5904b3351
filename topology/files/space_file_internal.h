/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the readers of spaces share: a file, its mistakes, and the forms that it may have. */

#ifndef OPEVO_SPACE_FILE_INTERNAL_H
#define OPEVO_SPACE_FILE_INTERNAL_H

#include <jansson.h>

#include "space_internal.h"

/* A space file being read. */
typedef struct opevo_i_topology_space_file {
    const char *text;
    const char *origin;    /* what messages call it */
    const char *directory; /* where graph files are looked for, or NULL */
    const json_t *root;    /* an object */
} opevo_i_topology_space_file;

/* Put the place of a mistake before the sentence in *err (which may be NULL); line 0: none. */
opevo_status opevo_i_topology_space_file_fail(const opevo_i_topology_space_file *file, size_t line,
                                              opevo_status status, const char *sentence,
                                              opevo_error *err);
/* The same with INVALID and a sentence as by printf. */
opevo_status opevo_i_topology_space_file_refuse(const opevo_i_topology_space_file *file,
                                                size_t line, opevo_error *err, const char *format,
                                                ...) __attribute__((format(printf, 4, 5)));
/* As opevo_i_topology_space_create with the file's name in every message, also those on no
 * constraint. On failure nothing is released. */
opevo_status opevo_i_topology_space_file_create(const opevo_i_topology_space_file *file,
                                                opevo_parameter **parameters,
                                                const opevo_activation *activations, size_t count,
                                                const opevo_i_topology_constraint_list *constraints,
                                                opevo_space **out, opevo_error *err);
/* A number, a truth value or a text, borrowed from the JSON; false for anything else. */
bool opevo_i_topology_value_of_json(const json_t *json, opevo_value *out);
/* A Kernel Tuner T1 file. */
opevo_status opevo_i_topology_space_from_t1(const opevo_i_topology_space_file *file,
                                            opevo_space **out, opevo_error *err);

/* Kernel Tuner's tune_params with restrictions, and T4 results; and whether the object is one. */
opevo_status opevo_i_topology_space_from_kernel_tuner(const opevo_i_topology_space_file *file,
                                                      opevo_space **out, opevo_error *err);
/* A space in NNI's form. */
opevo_status opevo_i_topology_space_from_nni(const opevo_i_topology_space_file *file,
                                             opevo_space **out, opevo_error *err);
/* A space of another tool in NNI's form, and one in NNI's form without its interval types; release
 * it with json_decref. Errors: INVALID; NOMEM. */
opevo_status opevo_i_topology_space_translate(const opevo_i_topology_space_file *file, json_t **out,
                                              opevo_error *err);
bool opevo_i_topology_is_kernel_tuner_space(const json_t *root);
bool opevo_i_topology_is_t4(const json_t *root);

/* A list of values as T1 writes it: "[1, 2, 4]", "[32 * i for i in range(1, 9) if i != 3]". `where`
 * begins the messages. The values' texts are owned by the list. `made` counts the values that the
 * lists of a file make, from 0. Errors: INVALID; LIMIT for too many of them; NOMEM. */
typedef struct opevo_i_topology_values {
    opevo_value *items;
    size_t count, capacity;
} opevo_i_topology_values;
opevo_status opevo_i_topology_values_read(const char *text, const char *where, uint64_t *made,
                                          opevo_i_topology_values *out, opevo_error *err);
void opevo_i_topology_values_release(opevo_i_topology_values *values);

#endif
