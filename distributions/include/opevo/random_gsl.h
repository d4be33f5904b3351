/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Named random streams for GSL's distributions. Not a part of libopevo, whose headers need no other
 * library's. */

#ifndef OPEVO_RANDOM_GSL_H
#define OPEVO_RANDOM_GSL_H

#include <gsl/gsl_rng.h>

#include <opevo/random.h>

OPEVO_BEGIN_C

/* Let every GSL distribution draw from `rng`: type and state are set, nothing is to be freed, and
 * `rng` must outlive what is returned. gsl_rng_get gives the 64 bits of opevo_rng_u64 (so min is 0
 * and max UINT64_MAX), gsl_rng_uniform the number of opevo_rng_unit. gsl_rng_set restarts the
 * stream of (seed, same purpose, same index). */
extern const gsl_rng_type *const opevo_rng_gsl_type;
static inline gsl_rng opevo_rng_as_gsl(opevo_rng *rng)
{
    gsl_rng gsl;

    gsl.type = opevo_rng_gsl_type;
    gsl.state = rng;
    return gsl;
}

OPEVO_END_C

#endif
