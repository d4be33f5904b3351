/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading the JSON of a plan strictly; every sentence begins with "path: key path: ". */

#ifndef OPEVO_STUDY_PLAN_INTERNAL_H
#define OPEVO_STUDY_PLAN_INTERNAL_H

#include "study_parts_internal.h"

#include <jansson.h>

enum { OPEVO_I_STUDY_WHERE_SIZE = 160 };

/* Texts of a JSON value; the items are borrowed from it, the list is the caller's to free. */
typedef struct opevo_i_study_texts {
    const char **items;
    size_t count;
} opevo_i_study_texts;

opevo_status opevo_i_study_plan_parse(const char *path, const char *text, size_t size, json_t **out,
                                      opevo_error *err);
/* Refuse a value that is no object, or has another key than these (ending in NULL). */
opevo_status opevo_i_study_plan_keys(const char *path, const json_t *object, const char *where,
                                     const char *const *keys, const char *form, opevo_error *err);
/* The member as a list that is not empty. */
opevo_status opevo_i_study_plan_list(const char *path, const json_t *object, const char *key,
                                     const json_t **out, opevo_error *err);
/* The member as a text or a list of texts, none of them empty. */
opevo_status opevo_i_study_plan_texts(const char *path, const json_t *object, const char *where,
                                      const char *key, bool required, opevo_i_study_texts *out,
                                      opevo_error *err);
/* The keys of an objective that say how it is measured. */
#define OPEVO_I_PLAN_OPTIONS                                                                       \
    "build", "name", "result", "flop", "criterion", "exit", "repeats", "timeout", "workers",       \
        "workers-from", "workers-address", "template", "cold", "precision", "slower",              \
        "build-timeout", "threads", "harness", "with", "jobs", "worker-timeout", "mixed-devices"
/* Append those of the entry to the objective's options, in the order above (study_options.c). */
opevo_status opevo_i_study_plan_read_options(const opevo_plan *plan, const json_t *entry,
                                             opevo_i_study_plan_objective *self, opevo_error *err);
/* "start" of an objective: a text or a list of texts. */
opevo_status opevo_i_study_plan_read_starts(const opevo_plan *plan, const json_t *entry,
                                            opevo_i_study_plan_objective *self, opevo_error *err);
/* An object of axes: key -> a text, a number, {"from", "to", "step"}, or a list of these. */
opevo_status opevo_i_study_plan_axes(const char *path, const json_t *object, const char *where,
                                     const char *key, opevo_i_study_axes *out, opevo_error *err);

#endif
