/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Points of a space as mixed-radix numbers. Decoding is in the inner loop of tuners, so spaces of
 * less than 2^64 points, which are nearly all, are decoded in 64-bit arithmetic. */

#include <opevo/space.h>

#include "parameter_internal.h"
#include "space_internal.h"

bool opevo_space_has(const opevo_space *space, opevo_index point)
{
    return space->known
               ? opevo_i_topology_known_get(space->known, point, NULL, space->parameter_count)
               : point < space->size;
}

bool opevo_space_has_strides(const opevo_space *space)
{
    return !space->known && !space->activations;
}

static void set_first(const opevo_space *space, opevo_index *vertices)
{
    for (size_t i = 0; i < space->parameter_count; i++)
        vertices[i] = opevo_space_is_active(space, i, vertices) ? 0 : OPEVO_INACTIVE;
}

opevo_index opevo_space_first(const opevo_space *space)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];

    if (!space->known)
        return 0;
    set_first(space, vertices);
    return opevo_space_encode(space, vertices);
}

static void decode_wide(const opevo_space *space, opevo_index point, opevo_index *vertices)
{
    if (!opevo_i_topology_known_get(space->known, point, vertices, space->parameter_count))
        set_first(space, vertices);
}

/* The vertices as they are kept: nothing is said of those of inactive parameters. */
static opevo_index encode_wide(const opevo_space *space, const opevo_index *vertices)
{
    opevo_index settled[OPEVO_SPACE_PARAMETERS_MAX];

    if (!space->activations)
        return opevo_i_topology_known_add(space->known, vertices, space->parameter_count);
    for (size_t i = 0; i < space->parameter_count; i++)
        settled[i] = opevo_space_is_active(space, i, settled) ? vertices[i] : OPEVO_INACTIVE;
    return opevo_i_topology_known_add(space->known, settled, space->parameter_count);
}

void opevo_space_decode(const opevo_space *space, opevo_index point, opevo_index *vertices)
{
    const uint64_t *sizes = space->small_sizes;

    if (sizes) {
        uint64_t rest = (uint64_t)point;

        for (size_t i = space->parameter_count; i-- > 1;) {
            uint64_t quotient = rest / sizes[i];

            vertices[i] = rest - quotient * sizes[i];
            rest = quotient;
        }
        vertices[0] = rest;
        return;
    }
    if (space->known) {
        decode_wide(space, point, vertices);
        return;
    }
    if (space->activations) {
        opevo_i_topology_branches_decode(space, point, vertices);
        return;
    }
    for (size_t i = 0; i < space->parameter_count; i++) {
        vertices[i] = point / space->stride[i];
        point -= vertices[i] * space->stride[i];
    }
}

opevo_index opevo_space_encode(const opevo_space *space, const opevo_index *vertices)
{
    const uint64_t *sizes = space->small_sizes;
    opevo_index point = 0;

    if (sizes) {
        uint64_t small = 0;

        for (size_t i = 0; i < space->parameter_count; i++)
            small = small * sizes[i] + (uint64_t)vertices[i];
        return small;
    }
    if (space->known)
        return encode_wide(space, vertices);
    if (space->activations)
        return opevo_i_topology_branches_encode(space, vertices);
    for (size_t i = 0; i < space->parameter_count; i++)
        point += vertices[i] * space->stride[i];
    return point;
}
