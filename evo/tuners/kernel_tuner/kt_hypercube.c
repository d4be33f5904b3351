/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Latin hypercubes: each list of values is cut into as many equal parts as there are points, and
 * each part has one of them. */

#include "kt_space_internal.h"

#include <opevo/memory.h>

/* A uniform place of part `part` of `parts` equal ones of a list of `size`, laid on [0, size). */
static opevo_index value_in_part(opevo_rng *rng, uint32_t part, size_t parts, opevo_index size)
{
    return opevo_i_kt_place(((double)part + opevo_rng_unit(rng)) / (double)parts * (double)size,
                            size);
}

opevo_status opevo_i_kt_latin_hypercube(const opevo_i_kt_space *self, opevo_rng *rng, size_t count,
                                        opevo_index *rows, opevo_error *err)
{
    uint32_t *parts = opevo_malloc(count, sizeof *parts);

    OPEVO_NEED_OR_RETURN(parts, "a Latin hypercube");
    for (size_t i = 0; i < self->width; i++) {
        opevo_i_kt_order(rng, parts, (uint32_t)count);
        for (size_t k = 0; k < count; k++)
            rows[k * self->width + i] = value_in_part(rng, parts[k], count, self->sizes[i]);
    }
    opevo_free(parts);
    return OPEVO_OK;
}
