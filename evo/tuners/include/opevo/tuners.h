/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The tuners that exist, sorted by name. A new tuner is one file with its ops, and one row in
 * tuners.c. */

#ifndef OPEVO_TUNERS_H
#define OPEVO_TUNERS_H

#include <opevo/api.h>
#include <opevo/tuner.h>

OPEVO_BEGIN_C

OPEVO_API size_t opevo_tuner_count(void);
OPEVO_API const opevo_tuner_ops *opevo_tuner_get(size_t i);
/* Errors: INVALID with the known names. */
OPEVO_API opevo_status opevo_tuner_find(const char *name, const opevo_tuner_ops **out,
                                        opevo_error *err);

OPEVO_END_C

#endif
