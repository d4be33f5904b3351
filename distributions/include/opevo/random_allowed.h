/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Uniform points of a space, and uniform allowed ones from a diagram. */

#ifndef OPEVO_RANDOM_ALLOWED_H
#define OPEVO_RANDOM_ALLOWED_H

#include <opevo/diagram.h>
#include <opevo/random.h>

OPEVO_BEGIN_C

/* 64 uniform bits of a stream, an opevo_rng. */
static inline uint64_t opevo_rng_bits(void *rng)
{
    return opevo_rng_u64((opevo_rng *)rng);
}

/* A uniform one of the points of a diagram that has at least one. Cost: about 1 us for 10
 * parameters. */
static inline opevo_index opevo_rng_allowed(opevo_rng *rng, const opevo_diagram *diagram)
{
    opevo_index count = 0;

    return opevo_diagram_count(diagram, &count)
               ? opevo_diagram_point(diagram, opevo_rng_below_wide(rng, count))
               : opevo_diagram_draw_point(diagram, opevo_rng_bits, rng);
}

/* A uniform one of all points of a space, allowed or not. */
static inline opevo_index opevo_rng_point(opevo_rng *rng, const opevo_space *space)
{
    return opevo_space_is_wide(space) ? opevo_rng_allowed(rng, opevo_space_all(space))
                                      : opevo_rng_below_wide(rng, opevo_space_size(space));
}

OPEVO_END_C

#endif
