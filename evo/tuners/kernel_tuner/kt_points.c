/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Points and rows of vertices. */

#include "kt_space_internal.h"

opevo_index opevo_i_kt_encode(const opevo_i_kt_space *self, const opevo_index *vertices)
{
    opevo_index point = 0;

    if (!opevo_space_has_strides(self->space)) /* which reads nothing that is silent */
        return opevo_space_encode(self->space, vertices);
    for (size_t i = 0; i < self->width; i++)
        point += vertices[i] * self->strides[i];
    return point;
}

void opevo_i_kt_decode(const opevo_i_kt_space *self, opevo_index point, opevo_index *vertices)
{
    opevo_space_decode(self->space, point, vertices);
    for (size_t i = 0; opevo_space_has_branches(self->space) && i < self->width; i++)
        vertices[i] = vertices[i] == OPEVO_INACTIVE ? 0 : vertices[i];
}

bool opevo_i_kt_is_silent(const opevo_i_kt_space *self, size_t i, const opevo_index *vertices)
{
    opevo_activation when = opevo_space_activation(self->space, i);

    while (when.parent != OPEVO_NO_PARENT && vertices[when.parent] == when.value)
        when = opevo_space_activation(self->space, when.parent);
    return when.parent != OPEVO_NO_PARENT;
}

bool opevo_i_kt_is_among(const opevo_i_kt_space *self, const opevo_index *vertices,
                         const opevo_index *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (opevo_i_kt_equal(self, vertices, rows + i * self->width))
            return true;
    }
    return false;
}
