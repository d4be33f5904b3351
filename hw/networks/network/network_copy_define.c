/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Copies as definitions: a box of one input, with a number around it.
 *
 * The place of an element in the input is a sum of strides times coordinates of the output. It
 * becomes one index for each dimension of the input: a term belongs to the dimension of the largest
 * stride that divides its own. Where each index stays inside its dimension, the indices are those
 * of the place, as these are unique. */

#include "network_passes_internal.h"

#include <math.h>

/* The box that is read, and what is known of the index of each dimension of the input. */
typedef struct box {
    const opevo_network_copy *copy;
    const opevo_array *in, *out;
    int64_t start[OPEVO_NETWORK_DIMS];  /* of the box in the output */
    int64_t offset[OPEVO_NETWORK_DIMS]; /* of the index at the start of the box */
    int dim[OPEVO_NETWORK_DIMS];        /* of the input, for each of the output; -1: none */
    int64_t factor[OPEVO_NETWORK_DIMS];
} box;

/* The one box that is read; NULL if there are several, or boxes of several numbers. */
static const opevo_network_copy *only_box(const opevo_network_step *step, double *filled)
{
    const opevo_network_copy *read = NULL;
    bool first = true;

    *filled = 0;
    for (int i = 0; i < step->copies; i++) {
        const opevo_network_copy *copy = &step->copy[i];
        bool again = copy->input >= 0 ? read != NULL : !first && (double)copy->value != *filled;

        if (again || (copy->input < 0 && !isfinite(copy->value)))
            return NULL;
        if (copy->input >= 0)
            read = copy;
        else
            *filled = (double)copy->value;
        first &= copy->input >= 0;
    }
    return read;
}

static int64_t stride_of(const opevo_array *array, int d)
{
    int64_t stride = 1;

    for (int k = array->dims - 1; k > d; k--)
        stride *= array->extent[k];
    return stride;
}

/* Whether the indices stay inside their dimensions. */
static bool is_inside(const box *self)
{
    for (int j = 0; j < self->in->dims; j++) {
        int64_t least = self->offset[j], most = least;

        for (int d = 0; d < self->out->dims; d++) {
            int64_t reach = self->factor[d] * (self->copy->extent[d] - 1);

            if (self->dim[d] == j)
                *(reach < 0 ? &least : &most) += reach;
        }
        if (least < 0 || most >= self->in->extent[j])
            return false;
    }
    return true;
}

/* The dimensions of the copy are those of the output. */
static bool find_indices(box *self)
{
    int64_t rest = self->copy->from;

    for (int j = 0; j < self->in->dims; j++) {
        self->offset[j] = rest / stride_of(self->in, j);
        rest %= stride_of(self->in, j);
    }
    for (int d = 0; d < self->out->dims; d++) {
        int64_t stride = self->copy->from_stride[d];

        self->start[d] = self->copy->to / stride_of(self->out, d) % self->out->extent[d];
        self->dim[d] = -1;
        for (int j = self->in->dims - 1; j >= 0 && stride && self->copy->extent[d] > 1; j--) {
            if (stride % stride_of(self->in, j))
                break;
            if (self->in->extent[j] == 1)
                continue;
            self->dim[d] = j;
            self->factor[d] = stride / stride_of(self->in, j);
        }
        if (self->dim[d] < 0 && stride && self->copy->extent[d] > 1)
            return false;
    }
    return is_inside(self);
}

/* "a1 - 2 + 3*(a2)", the index of dimension j. */
static void add_index(const box *self, int j, opevo_text *out)
{
    int64_t offset = self->offset[j];

    for (int d = 0; d < self->out->dims; d++) {
        if (self->dim[d] != j)
            continue;
        opevo_text_printf(out, "%lld*a%d + ", (long long)self->factor[d], d);
        offset -= self->factor[d] * self->start[d];
    }
    opevo_text_printf(out, "(%lld)", (long long)offset);
}

/* The comparisons that hold in the box; their number. */
static int add_conditions(const box *self, opevo_text *out)
{
    int count = 0;

    for (int d = 0; d < self->out->dims; d++) {
        int64_t end = self->start[d] + self->copy->extent[d];

        if (self->copy->extent[d] == self->out->extent[d])
            continue;
        opevo_text_printf(out, "%s%lld <= a%d and a%d < %lld", count++ ? " and " : "select(",
                          (long long)self->start[d], d, d, (long long)end);
    }
    return count;
}

bool opevo_i_net_copy_define(const opevo_network_inference *inference,
                             const opevo_network_step *step, opevo_text *out)
{
    double filled = 0;
    box self = {.copy = only_box(step, &filled)};

    if (!self.copy)
        return false;
    self.in = &inference->value[step->input[self.copy->input]].array;
    self.out = &inference->value[step->output[0]].array;
    if (self.copy->dims != self.out->dims || !find_indices(&self))
        return false;
    opevo_text_printf(out, "X%d[", self.copy->input);
    for (int j = 0; j < self.in->dims; j++)
        opevo_text_printf(out, "%s%lld", j ? ", " : "", (long long)self.in->extent[j]);
    opevo_text_add(out, "]\nY0[");
    opevo_i_net_axes("a", self.out, out);
    opevo_text_add(out, "] = ");
    if (add_conditions(&self, out))
        opevo_text_add(out, ", ");
    opevo_text_printf(out, "X%d[", self.copy->input);
    for (int j = 0; j < self.in->dims; j++) {
        opevo_text_add(out, j ? ", " : "");
        add_index(&self, j, out);
    }
    opevo_text_add(out, "]");
    if (step->copies > 1) {
        opevo_text_add(out, ", ");
        opevo_text_add_double(out, filled);
        opevo_text_add(out, ")");
    }
    opevo_text_add(out, "\n");
    return true;
}
