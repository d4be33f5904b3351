/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The energy of the processor's packages, as Linux has it in powercap (RAPL). */

#ifndef OPEVO_RAPL_INTERNAL_H
#define OPEVO_RAPL_INTERNAL_H

#include <opevo/text.h>

#define OPEVO_I_POWERCAP "/sys/class/powercap"

enum { OPEVO_I_RAPL_PACKAGES = 16, OPEVO_I_RAPL_PATH = 256, OPEVO_I_RAPL_NAME = 64 };

/* A plain value. */
typedef struct opevo_i_cpu_rapl {
    size_t count; /* packages; 0: energy cannot be read */
    struct {
        char name[OPEVO_I_RAPL_NAME]; /* "package-0" */
        char path[OPEVO_I_RAPL_PATH]; /* of its counter; "": none that can be read */
        uint64_t range;               /* microjoules at which that begins anew */
        uint64_t last;                /* as read last */
    } packages[OPEVO_I_RAPL_PACKAGES];
} opevo_i_cpu_rapl;

/* Find the packages whose counters can be read below `root`, OPEVO_I_POWERCAP. False, with the
 * reason as a clause in *why, where there are none. */
bool opevo_i_cpu_rapl_find(const char *root, opevo_i_cpu_rapl *out, opevo_text *why);
/* Joules of all packages since the last call; NAN the first time, and where a counter fails. Right
 * when called at least once in the time that a counter takes around, a minute at least. */
double opevo_i_cpu_rapl_spent_j(opevo_i_cpu_rapl *self);

#endif
