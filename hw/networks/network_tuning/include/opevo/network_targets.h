/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Libraries with kernels for several targets. */

#ifndef OPEVO_NETWORK_TARGETS_H
#define OPEVO_NETWORK_TARGETS_H

#include <opevo/network_tuning.h>

OPEVO_BEGIN_C

bool opevo_library_targets_have(const opevo_library_targets *targets, const char *name);
/* Give the options the list, and the target whose library is made first, and tuned: this machine,
 * if it is among them, else the best. Without targets the options stay as they are. Errors: INVALID
 * for a tuning where this machine is not among them. */
opevo_status opevo_network_targets_choose(const opevo_library_targets *targets, bool tunes,
                                          opevo_network_library_options *options, opevo_error *err);

/* One library for each target; without targets one library. */
typedef struct opevo_network_target_libraries {
    opevo_network_library *library[OPEVO_LIBRARY_TARGETS];
    opevo_network_library_sizes sizes[OPEVO_LIBRARY_TARGETS]; /* once it is written */
    size_t count;
    opevo_network_library *made; /* the one of the caller */
    bool has_targets;
} opevo_network_target_libraries;

/* `made` is the library of the options, which outlives this; those of other targets are made from
 * the plan as it is now. Errors: those of opevo_network_plan_library. */
opevo_status opevo_network_targets_create(const opevo_network_plan *plan,
                                          const opevo_network_library_options *options,
                                          const opevo_library_targets *targets,
                                          opevo_network_library *made,
                                          opevo_network_target_libraries *out, opevo_error *err);
void opevo_network_targets_free(opevo_network_target_libraries *libraries);
/* As opevo_network_library_write, of all together. */
opevo_status opevo_network_targets_write(opevo_network_target_libraries *libraries,
                                         const char *folder, opevo_error *err);

OPEVO_END_C

#endif
