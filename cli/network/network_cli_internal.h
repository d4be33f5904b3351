/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Inside the verb `network`. */

#ifndef OPEVO_CLI_NETWORK_INTERNAL_H
#define OPEVO_CLI_NETWORK_INTERNAL_H

#include "options_internal.h"

#include <opevo/network_passes.h>
#include <opevo/network_proof.h>
#include <opevo/network_targets.h>
#include <opevo/network_tasks.h>
#include <opevo/network_tuning.h>

/* What is in the network: inputs, outputs, operators, weights, tasks. */
opevo_status opevo_i_cli_network_print(const opevo_network_inference *inference,
                                       const opevo_network_tasks *tasks, opevo_text *out,
                                       opevo_error *err);
opevo_status opevo_i_cli_network_print_json(const opevo_network_inference *inference,
                                            const opevo_network_tasks *tasks, opevo_text *out,
                                            opevo_error *err);
/* The convolutions that the pass `winograd` has replaced, each with its form and bound. */
void opevo_i_cli_network_print_winograd(const opevo_network_inference *inference, opevo_text *out);
/* The same as a member of JSON; nothing where --error allows nothing. */
void opevo_i_cli_network_add_json_winograd(const opevo_network_inference *inference,
                                           opevo_text *out);
/* What each pass of the mask changes. */
opevo_status opevo_i_cli_network_print_passes(opevo_network_inference *inference, uint32_t mask,
                                              opevo_text *out, opevo_error *err);
/* "1 x 3 x 224 x 224" */
void opevo_i_cli_add_shape(const opevo_array *array, opevo_text *out);

/* A name of a model: without what steers a terminal, and "..." for the rest of a long one. */
void opevo_i_cli_add_name(const char *name, opevo_text *out);
/* A word of a command that can be pasted into a shell, quoted where it must be. */
void opevo_i_cli_add_shell_word(const char *word, opevo_text *out);
/* A sentence on stderr for each constant of the file with an element that is not finite. */
void opevo_i_cli_network_warn(const opevo_call *call, const opevo_network *network);

/* Arrays of a list of files, "A.pb,B.pb", of which some may hold sequences or optionals. */
typedef struct opevo_i_cli_arrays {
    opevo_array *array;
    const char **file; /* of each, in `list` */
    char *list;
    int count;
    int *length; /* of what each file holds (opevo_arrays_read) */
    int files;
} opevo_i_cli_arrays;
opevo_status opevo_i_cli_arrays_read(const char *option, const char *files, opevo_i_cli_arrays *out,
                                     opevo_error *err);
void opevo_i_cli_arrays_free(opevo_i_cli_arrays *arrays);

/* --run and --expect: run on the inputs and compare the results with those of files; *exit_code is
 * OPEVO_EXIT_FAILED if they differ. */
opevo_status opevo_i_cli_network_compare(const opevo_call *call,
                                         const opevo_network_inference *inference,
                                         const opevo_i_cli_arrays *inputs, opevo_text *out,
                                         int *exit_code, opevo_error *err);

/* --write: an output of the model as the file PREFIXnumber.pb; `length` is that of
 * opevo_network_declared_length, and says how many arrays there are. */
opevo_status opevo_i_cli_network_write(const char *prefix, int number, const char *name,
                                       const opevo_array *array, int length, opevo_error *err);

/* ---- What the call says of device and tuning (network_call.c) ---- */

/* Options that are about tuning on a device; NULL ends the list. */
extern const char *const opevo_i_cli_network_of_tuning[];
/* Errors: INVALID for options that do not go together, or values that they do not take. */
opevo_status opevo_i_cli_network_check(const opevo_call *call, opevo_error *err);
/* Those of --target, and the options of the library that is made first; none without it. Errors:
 * INVALID. */
opevo_status opevo_i_cli_network_targets(const opevo_call *call, opevo_library_targets *out,
                                         opevo_network_library_options *options, opevo_error *err);
/* The file of the model, without its folder. */
const char *opevo_i_cli_network_name(const opevo_call *call);
/* Whether --on names a GPU. */
bool opevo_i_cli_network_for_gpu(const opevo_call *call);
/* Whether kernels are measured: a library for a GPU can be made on a machine without one. */
bool opevo_i_cli_network_is_tuned(const opevo_call *call);

/* ---- --dynamic: sizes that each run has its own of (network_dynamic_call.c) ---- */

/* Errors: INVALID for ranges that cannot be read, and options that do not go with them. */
opevo_status opevo_i_cli_network_check_dynamic(const opevo_call *call, opevo_error *err);
/* Read the model at several sizes, and write the library. Errors: those of
 * opevo_network_dynamic_read and opevo_i_cli_library_emit. */
opevo_status opevo_i_cli_network_emit_dynamic(const opevo_call *call,
                                              const opevo_network_given *given, uint32_t mask,
                                              opevo_text *out, int *exit_code, opevo_error *err);

/* ---- -o: the network as a library in C (network_library.c) ---- */

/* Before anything long: check what the call says of device and tuning, and make the folder, or
 * refuse one with files of others that the library would replace. *made: it was not there. */
opevo_status opevo_i_cli_library_prepare(const opevo_call *call, bool *made, opevo_error *err);
/* Remove a folder that was made, unless something is in it. */
void opevo_i_cli_library_leave(const char *folder, bool made);
/* What is being done, in a line on a terminal; "": nothing to say. */
void opevo_i_cli_network_say(const opevo_call *call, const char *what);
/* Tune the tasks of a library by the options of the call, and take the best kernels; what was found
 * is appended, as text or as a member of JSON. Where times choose otherwise than the passes, the
 * library is replaced, and the inference of the plan. (network_tune.c) */
opevo_status opevo_i_cli_library_tune(const opevo_call *call, opevo_network_plan *plan,
                                      const opevo_network_library_options *library_options,
                                      opevo_network_library **library, opevo_text *out,
                                      int *exit_code, opevo_error *err);
/* All of it; `how` made the plan, and `inputs` are those of --check-input. */
opevo_status opevo_i_cli_library_emit(const opevo_call *call, opevo_network_plan *plan,
                                      const opevo_network_plan_options *how,
                                      const opevo_i_cli_arrays *inputs, opevo_text *out,
                                      int *exit_code, opevo_error *err);

#endif
