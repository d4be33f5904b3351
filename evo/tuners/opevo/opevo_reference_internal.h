/* SPDX-License-Identifier: GPL-3.0-or-later */

/* For tests and reports on what the reference does beside its trials. */

#ifndef OPEVO_OPEVO_REFERENCE_INTERNAL_H
#define OPEVO_OPEVO_REFERENCE_INTERNAL_H

#include <opevo/tuner.h>

/* Children served so far that were points served before: the duplicates of the authors' program.
 * Hook of tests. */
uint64_t opevo_i_opevo_reference_repeats(const opevo_tuner *tuner);

#endif
