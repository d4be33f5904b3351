/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Neighbours in a sparse list, which stand for those of every kind. */

#include "kt_space_internal.h"

#include <opevo/space_listed.h>

enum { STEPS_FIRST = 16 }; /* beside four for each neighbour that is wanted */

typedef struct exception {
    bool given;
    opevo_index point;
} exception;

static bool is_exception(const void *context, opevo_index point)
{
    const exception *self = context;

    return self->given && self->point == point;
}

bool opevo_i_kt_become_listed(const opevo_i_kt_space *self, const opevo_index *except,
                              opevo_index *vertices)
{
    opevo_index point = opevo_i_kt_encode(self, vertices);
    exception but = {.given = except != NULL,
                     .point = except ? opevo_i_kt_encode(self, except) : 0};

    opevo_space_decode(self->space, point, self->spare);
    if (!opevo_space_nearest_listed(self->space, self->spare, is_exception, &but, &point))
        return false;
    opevo_i_kt_decode(self, point, vertices);
    return true;
}

/* Different steps from the point, or from the listed one that is nearest to it, in the list. */
size_t opevo_i_kt_listed_neighbours(const opevo_i_kt_space *self, const opevo_index *from,
                                    opevo_rng *rng, size_t count, opevo_index *rows)
{
    opevo_index point = 0;
    size_t found = 0;

    opevo_i_kt_copy(self, rows, from);
    if (count == 0 || !opevo_i_kt_become_listed(self, NULL, rows))
        return 0;
    point = opevo_i_kt_encode(self, rows);
    for (size_t i = 0; i < 4 * count + STEPS_FIRST && found < count; i++) {
        opevo_index *row = rows + found * self->width;

        opevo_i_kt_decode(self, opevo_space_listed_step(self->space, point, opevo_rng_u64(rng)),
                          row);
        found += !opevo_i_kt_equal(self, row, from) && !opevo_i_kt_is_among(self, row, rows, found);
    }
    return found;
}
