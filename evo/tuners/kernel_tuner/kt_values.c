/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is known of a space ahead: its allowed points where they are few, and the values that occur
 * in them. */

#include "kt_hamming_internal.h"
#include "kt_space_internal.h"

#include <opevo/memory.h>
#include <opevo/space_listed.h>

#include <string.h>

static opevo_status list_allowed(opevo_i_kt_space *self, opevo_index size, opevo_error *err)
{
    size_t count = 0;

    self->allowed = opevo_malloc((size_t)size, sizeof *self->allowed);
    OPEVO_NEED_OR_RETURN(self->allowed, "listing the allowed points");
    for (uint32_t point = 0; point < (uint32_t)size; point++) {
        self->allowed[count] = point;
        count += opevo_space_allows(self->space, point);
    }
    self->count = count;
    return OPEVO_OK;
}

/* Mark the values of allowed points until all are marked; few points are needed where all occur.
 * The stride is odd and the walk wraps, so a power of two of places is visited once each. */
static size_t mark_values(const opevo_i_kt_space *self, bool *marks, size_t values)
{
    size_t count = (size_t)self->count;
    size_t places = 1;
    size_t marked = 0;

    while (places < count)
        places *= 2;
    for (size_t step = 0; step < places && marked < values; step++) {
        size_t place = step * 0x9e3779b1u & (places - 1);
        bool *row = marks;

        if (place >= count)
            continue;
        opevo_space_decode(self->space, self->allowed[place], self->spare);
        for (size_t i = 0; i < self->width; i++) {
            if (self->spare[i] != OPEVO_INACTIVE) {
                marked += !row[(size_t)self->spare[i]];
                row[(size_t)self->spare[i]] = true;
            }
            row += (size_t)self->sizes[i];
        }
    }
    return marked;
}

/* Keep for each parameter the values that are marked. */
static opevo_status keep_marked(opevo_i_kt_space *self, const bool *marks, opevo_error *err)
{
    self->occurs = opevo_calloc(self->width, sizeof *self->occurs);
    self->occur_counts = opevo_calloc(self->width, sizeof *self->occur_counts);
    OPEVO_NEED_OR_RETURN(self->occurs && self->occur_counts, "the values that occur");
    for (size_t i = 0; i < self->width; i++) {
        uint32_t size = (uint32_t)self->sizes[i];

        self->occurs[i] = opevo_malloc(size, sizeof *self->occurs[i]);
        OPEVO_NEED_OR_RETURN(self->occurs[i], "the values that occur");
        for (uint32_t value = 0; value < size; value++) {
            self->occurs[i][self->occur_counts[i]] = value;
            self->occur_counts[i] += marks[value];
        }
        marks += size;
    }
    return OPEVO_OK;
}

/* Find the values that occur in allowed points; nothing is kept when all do. */
static opevo_status find_values(opevo_i_kt_space *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t values = 0;
    bool *marks = NULL;

    for (size_t i = 0; i < self->width; i++)
        values += (size_t)self->sizes[i];
    OPEVO_NEW_OR_RETURN(marks, values, "the values that occur");
    if (mark_values(self, marks, values) < values)
        status = keep_marked(self, marks, err);
    opevo_free(marks);
    return status;
}

opevo_status opevo_i_kt_space_use(opevo_i_kt_space *self, const opevo_diagram *diagram,
                                  opevo_error *err)
{
    self->diagram = diagram;
    if (!opevo_diagram_count(diagram, &self->count))
        self->count = OPEVO_INDEX_MAX;
    if (!opevo_space_has_branches(self->space)) {
        self->hamming = opevo_i_kt_hamming_create(self);
        OPEVO_NEED_OR_RETURN(self->hamming, "the neighbours of a point");
    }
    return opevo_diagram_box_create(diagram, &self->boxes, err);
}

opevo_status opevo_i_kt_space_init(opevo_i_kt_space *self, const opevo_space *space,
                                   opevo_error *err)
{
    opevo_index size = opevo_space_size(space);
    opevo_index stride = 1;
    opevo_status status = OPEVO_OK;

    memset(self, 0, sizeof *self);
    self->space = space;
    self->width = opevo_space_parameter_count(space);
    self->sizes = opevo_malloc(self->width, sizeof *self->sizes);
    self->strides = opevo_malloc(self->width, sizeof *self->strides);
    self->spare = opevo_malloc(self->width, sizeof *self->spare);
    self->row = opevo_malloc(self->width, sizeof *self->row);
    self->active = opevo_malloc(self->width, sizeof *self->active);
    self->near = opevo_malloc(self->width, 4 * sizeof *self->near);
    self->near_counts = opevo_malloc(self->width, sizeof *self->near_counts);
    self->box_counts = opevo_malloc(self->width, sizeof *self->box_counts);
    self->others = opevo_malloc(self->width, sizeof *self->others);
    self->order = opevo_malloc(self->width, 2 * sizeof *self->order);
    OPEVO_NEED_OR_RETURN(self->sizes && self->strides && self->spare && self->row && self->active &&
                             self->near && self->near_counts && self->box_counts && self->others &&
                             self->order,
                         "the shape of the space");
    for (size_t i = self->width; i-- > 0;) {
        self->sizes[i] = opevo_parameter_size(opevo_space_parameter(space, i));
        self->strides[i] = stride;
        stride *= self->sizes[i];
        self->free_count += self->sizes[i] > 1;
    }
    self->sparse = opevo_space_is_sparse(space);
    self->count = self->sparse ? opevo_space_listed_count(space) : size;
    if (opevo_space_draws_from(space))
        status = opevo_i_kt_space_use(self, opevo_space_draws_from(space), err);
    if (status == OPEVO_OK && opevo_space_is_restricted(space) && size <= OPEVO_I_KT_LISTED_MOST) {
        status = list_allowed(self, size, err);
        if (status == OPEVO_OK)
            status = find_values(self, err);
    }
    return status;
}

void opevo_i_kt_space_clear(opevo_i_kt_space *self)
{
    for (size_t i = 0; self->occurs && i < self->width; i++)
        opevo_free(self->occurs[i]);
    opevo_free(self->occurs);
    opevo_free(self->occur_counts);
    opevo_i_kt_hamming_destroy(self->hamming);
    opevo_diagram_box_destroy(self->boxes);
    opevo_free(self->allowed);
    opevo_free(self->sizes);
    opevo_free(self->strides);
    opevo_free(self->spare);
    opevo_free(self->row);
    opevo_free(self->active);
    opevo_free(self->near);
    opevo_free(self->near_counts);
    opevo_free(self->box_counts);
    opevo_free(self->others);
    opevo_free(self->order);
}
