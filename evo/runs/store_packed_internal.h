/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The form of packed trials; docs/formats/store.md describes it. */

#ifndef OPEVO_STORE_PACKED_INTERNAL_H
#define OPEVO_STORE_PACKED_INTERNAL_H

#include "store_internal.h"

enum {
    OPEVO_I_PACKED_WHOLE = 1,  /* each trial with its outcome */
    OPEVO_I_PACKED_POINTS = 2, /* the outcomes are in their own table */
    OPEVO_I_NUMBER_COUNT = 6,  /* fitness, time_s, build_s, run_s, check_s, other_s */
    OPEVO_I_HAS_SAMPLES = 1 << OPEVO_I_NUMBER_COUNT,
    OPEVO_I_HAS_MESSAGE = 1 << (OPEVO_I_NUMBER_COUNT + 1),
    OPEVO_I_KIND_SHIFT = OPEVO_I_NUMBER_COUNT + 2,
    OPEVO_I_CRITERIA_SHIFT = OPEVO_I_KIND_SHIFT + 6
};

#endif
