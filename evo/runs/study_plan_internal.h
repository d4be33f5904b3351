/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading the JSON of a plan strictly; every sentence begins with "path: key path: ". */

#ifndef OPEVO_STUDY_PLAN_INTERNAL_H
#define OPEVO_STUDY_PLAN_INTERNAL_H

#include "study_parts_internal.h"

#include <opevo/json_read.h>

/* The keys of an objective that say how it is measured. */
#define OPEVO_I_PLAN_OPTIONS                                                                       \
    "build", "name", "result", "flop", "criterion", "exit", "repeats", "timeout", "workers",       \
        "workers-from", "workers-address", "template", "cold", "precision", "slower", "check",     \
        "verifier", "build-timeout", "threads", "harness", "with", "jobs", "worker-timeout",       \
        "mixed-devices"
/* Append those of the entry to the objective's options, in the order above (study_options.c). */
opevo_status opevo_i_study_plan_read_options(const opevo_json_reader *entry,
                                             opevo_i_study_plan_objective *self, opevo_error *err);
/* Copies of the texts of a member of the kind TEXTS; count of those made. */
opevo_status opevo_i_study_plan_copy_texts(const opevo_json_reader *entry, const json_t *texts,
                                           char ***out, size_t *count, opevo_error *err);
/* An object of axes: key -> a text, a number, {"from", "to", "step"}, or a list of these. */
opevo_status opevo_i_study_plan_axes(const opevo_json_reader *at, opevo_i_study_axes *out,
                                     opevo_error *err);

#endif
