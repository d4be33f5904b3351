/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Uniform allowed points from a diagram. */

#ifndef OPEVO_RANDOM_ALLOWED_H
#define OPEVO_RANDOM_ALLOWED_H

#include <opevo/diagram.h>
#include <opevo/random.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A uniform one of the points of a diagram that has at least one, and at most 2^128 - 1. Cost:
 * about 1 us for 10 parameters. */
static inline opevo_index opevo_rng_allowed(opevo_rng *rng, const opevo_diagram *diagram)
{
    opevo_index count = 1;

    (void)opevo_diagram_count(diagram, &count);
    return opevo_diagram_point(diagram, opevo_rng_below_wide(rng, count));
}

#ifdef __cplusplus
}
#endif

#endif
