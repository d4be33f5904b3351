/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The allowed points of a space as a table of bits.
 *
 * Points are enumerated by an odometer that never divides. When a constraint fails whose largest
 * parameter is i, every point that agrees in the parameters 0 .. i fails too, so the odometer
 * advances parameter i; behind the largest parameter of all constraints nothing is tested. */

#include "diagram_internal.h"
#include "space_internal.h"

#include <opevo/memory.h>

/* Advance parameter `level`, with carry; those behind it return to 0. Returns the new point. */
static uint64_t advance(const opevo_space *space, uint64_t point, opevo_index *vertices,
                        size_t level)
{
    for (size_t i = space->parameter_count; i-- > level + 1;) {
        point -= (uint64_t)(vertices[i] * space->stride[i]);
        vertices[i] = 0;
    }
    point += (uint64_t)space->stride[level];
    while (++vertices[level] == space->small_sizes[level] && level > 0)
        vertices[level--] = 0;
    return point;
}

static void set_bits(uint64_t *bits, uint64_t begin, uint64_t end)
{
    for (uint64_t i = begin; i < end; i++)
        bits[i >> 6] |= UINT64_C(1) << (i & 63);
}

/* As enumerate, with branches: each point is decoded, but those that must fare alike are passed
 * together. */
static uint64_t enumerate_branches(const opevo_space *space, uint64_t begin, uint64_t end,
                                   uint64_t *bits)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    size_t last = space->constraints[space->order[space->constraint_count - 1]].last;
    uint64_t count = 0;

    for (uint64_t point = begin, next = 0; point < end; point = next) {
        size_t level = 0;
        opevo_index agreeing = 0;

        opevo_space_decode(space, point, vertices);
        level = opevo_i_topology_failing(space, vertices, SIZE_MAX);
        next = (uint64_t)opevo_i_topology_branches_first(
            space, vertices, (level == SIZE_MAX ? last : level) + 1, &agreeing);
        next += (uint64_t)agreeing;
        if (next > end)
            next = end;
        if (level != SIZE_MAX)
            continue;
        count += next - point;
        if (bits)
            set_bits(bits, point, next);
    }
    return count;
}

uint64_t opevo_i_topology_enumerate(const opevo_space *space, uint64_t begin, uint64_t end,
                                    uint64_t *bits)
{
    opevo_index vertices[OPEVO_SPACE_PARAMETERS_MAX];
    size_t last = space->constraints[space->order[space->constraint_count - 1]].last;
    uint64_t count = 0;

    if (space->activations)
        return enumerate_branches(space, begin, end, bits);
    opevo_space_decode(space, begin, vertices);
    for (uint64_t point = begin; point < end;) {
        size_t level = opevo_i_topology_failing(space, vertices, SIZE_MAX);
        uint64_t next = advance(space, point, vertices, level == SIZE_MAX ? last : level);

        if (next > end)
            next = end;
        if (level == SIZE_MAX) {
            count += next - point;
            if (bits)
                set_bits(bits, point, next);
        }
        point = next;
    }
    return count;
}

opevo_status opevo_i_topology_space_tabulate(opevo_space *space, const char *origin,
                                             opevo_error *err)
{
    uint64_t size = (uint64_t)space->size;

    space->allowed = opevo_calloc((size_t)(size / 64 + 1), sizeof *space->allowed);
    OPEVO_NEED_OR_RETURN(space->allowed, "counting the allowed points");
    space->allowed_count = opevo_i_topology_enumerate(space, 0, size, space->allowed);
    return space->allowed_count ? OPEVO_OK : opevo_i_topology_diagram_conflict(space, origin, err);
}
