/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Convolutions that Winograd's transforms can replace. Image and result may each lie in blocks of
 * channels or not, as the pass `block` has left them, and channels may be in groups:
 *
 *     C[image, out, row, column] = sum X[image, in + ins*(out//outs), row + tap, column + tap]
 *     W[...]
 *
 * with `place` behind the axes of what lies in blocks. Weights may have their axes in any order. */

#include "network_winograd_match_internal.h"

#include <opevo/memory.h>

#include <string.h>

enum {
    IMAGE = OPEVO_I_CONVOLUTION_IMAGE,
    OUT = OPEVO_I_CONVOLUTION_OUT,
    ROW = OPEVO_I_CONVOLUTION_ROW,
    COLUMN = OPEVO_I_CONVOLUTION_COLUMN,
    PLACE = OPEVO_I_CONVOLUTION_PLACE,
    IN = OPEVO_I_CONVOLUTION_IN,
    TAP_ROW = OPEVO_I_CONVOLUTION_TAP_ROW,
    TAP_COLUMN = OPEVO_I_CONVOLUTION_TAP_COLUMN,
    IN_PLACE = OPEVO_I_CONVOLUTION_IN_PLACE,
    ROLES = OPEVO_I_CONVOLUTION_ROLES,
    PLAIN = 4, /* dimensions; one more in blocks */
    KERNEL = OPEVO_I_WINOGRAD_KERNEL
};

static int64_t extent_of(const opevo_i_net_convolution *self, int role)
{
    int axis = self->axis[role];

    return axis < 0 ? 1 : self->sum->definition->axis[axis].extent;
}

/* ---- The image ------------------------------------------------------------------------------ */

static bool is_axis(const opevo_term *term, int axis)
{
    return term->atom == OPEVO_ATOM_AXIS && term->axis == axis;
}

static bool is_along(const opevo_i_net_convolution *self, const opevo_affine *index, int role)
{
    if (index->count == 0)
        return index->constant == 0 && extent_of(self, role) == 1;
    return index->count == 1 && index->constant == 0 && index->term[0].factor == 1 &&
           is_axis(&index->term[0], self->axis[role]);
}

/* Whether an index is axis + tap. */
static bool is_window(const opevo_i_net_convolution *self, const opevo_affine *index, int role,
                      int tap)
{
    bool has_axis = extent_of(self, role) == 1, has_tap = false;

    for (int t = 0; t < index->count; t++) {
        const opevo_term *term = &index->term[t];

        if (term->factor != 1 ||
            (!is_axis(term, self->axis[role]) && !is_axis(term, self->axis[tap])))
            return false;
        has_axis |= is_axis(term, self->axis[role]);
        has_tap |= is_axis(term, self->axis[tap]);
    }
    return index->constant == 0 && has_axis && has_tap;
}

/* The results of a group if a term is ins * (out // results); 0 otherwise. */
static int64_t group_of(const opevo_i_net_convolution *self, const opevo_term *term, int64_t ins)
{
    const opevo_affine *inner = term->inner;

    if (term->factor != ins)
        return 0;
    if (is_axis(term, self->axis[OUT]))
        return 1;
    return term->atom == OPEVO_ATOM_FLOOR && inner->count == 1 && inner->constant == 0 &&
                   inner->term[0].factor == 1 && is_axis(&inner->term[0], self->axis[OUT])
               ? term->divisor
               : 0;
}

/* Whether an index is in, or in + ins*(out//outs) with as many groups as the image has; sets
 * them. */
static bool is_channel(opevo_i_net_convolution *self, const opevo_affine *index)
{
    int64_t ins = extent_of(self, IN), all = self->image->extent[1], outs = 0;
    bool has_axis = ins == 1;

    for (int t = 0; t < index->count; t++) {
        const opevo_term *term = &index->term[t];

        if (term->factor == 1 && is_axis(term, self->axis[IN]))
            has_axis = true;
        else if (outs || (outs = group_of(self, term, ins)) == 0)
            return false;
    }
    outs = outs ? outs : extent_of(self, OUT);
    if (index->constant != 0 || !has_axis || all % ins || all / ins * outs != extent_of(self, OUT))
        return false;
    self->shape.groups = all / ins;
    return self->shape.plain_result ? outs % self->shape.block == 0 : true;
}

static bool reads_image(opevo_i_net_convolution *self, const opevo_expression *read)
{
    const opevo_affine *at = read->index;

    return is_along(self, &at[0], IMAGE) && is_channel(self, &at[1]) &&
           is_window(self, &at[2], ROW, TAP_ROW) && is_window(self, &at[3], COLUMN, TAP_COLUMN) &&
           (self->shape.plain_image || (is_along(self, &at[PLAIN], IN_PLACE) &&
                                        self->image->extent[PLAIN] == self->shape.block)) &&
           self->image->extent[0] == extent_of(self, IMAGE) &&
           self->image->extent[2] == extent_of(self, ROW) + KERNEL - 1 &&
           self->image->extent[3] == extent_of(self, COLUMN) + KERNEL - 1;
}

/* ---- The weights ---------------------------------------------------------------------------- */

/* Whether each element of the weights belongs to one place of the axes, and the other way round;
 * sets the strides, those of channels not in blocks as if they were. */
static bool reads_weights(opevo_i_net_convolution *self, const opevo_expression *read)
{
    static const int roles[] = {OUT, PLACE, IN, TAP_ROW, TAP_COLUMN, IN_PLACE};
    const opevo_tensor *weights = read->tensor;
    int64_t step = 1;

    for (int d = weights->dims - 1; d >= 0; step *= weights->extent[d], d--) {
        bool found = weights->extent[d] == 1 && read->index[d].count == 0;

        for (size_t i = 0; i < sizeof roles / sizeof *roles && !found; i++) {
            int role = roles[i];

            found = self->axis[role] >= 0 && self->stride[role] == 0 &&
                    weights->extent[d] == extent_of(self, role) && read->index[d].count == 1 &&
                    is_along(self, &read->index[d], role);
            self->stride[role] += found ? step : 0;
        }
        if (!found)
            return false;
    }
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
        if (extent_of(self, roles[i]) > 1 && self->stride[roles[i]] == 0)
            return false;
    }
    if (self->shape.plain_result) {
        self->stride[PLACE] = self->stride[OUT];
        self->stride[OUT] *= self->shape.block;
    }
    if (self->shape.plain_image) {
        self->stride[IN_PLACE] = self->stride[IN];
        self->stride[IN] *= self->shape.block;
    }
    return weights->readers == 1;
}

static void gather(const opevo_i_net_convolution *self, const float *from, float *to)
{
    static const int roles[] = {OUT, IN, TAP_ROW, TAP_COLUMN, IN_PLACE, PLACE};
    const opevo_i_net_winograd_shape *shape = &self->shape;
    const int64_t extent[] = {shape->outs, shape->ins, KERNEL, KERNEL, shape->block, shape->block};
    int64_t place[6] = {0}, at = 0;
    int d = 0;

    do {
        *to++ = from[at];
        for (d = 5; d >= 0; d--) {
            at += self->stride[roles[d]];
            if (++place[d] < extent[d])
                break;
            at -= extent[d] * self->stride[roles[d]];
            place[d] = 0;
        }
    } while (d >= 0);
}

opevo_status opevo_i_net_convolution_weights(const opevo_network_inference *inference,
                                             const opevo_i_net_convolution *self, float **out,
                                             opevo_error *err)
{
    const opevo_array *from = &inference->value[self->part.identity[self->weights->number]].array;
    float *made = opevo_calloc((size_t)opevo_array_elements(from), sizeof *made);

    OPEVO_NEED_OR_RETURN(made, "transformed weights");
    gather(self, from->data, made);
    *out = made;
    return OPEVO_OK;
}

/* ---- The step ------------------------------------------------------------------------------- */

static bool is_known(const opevo_network_inference *inference, const opevo_i_net_part *part,
                     const opevo_tensor *tensor)
{
    int value = part->identity[tensor->number];

    return !tensor->definition && value >= 0 && inference->value[value].array.data &&
           inference->value[value].array.type == OPEVO_NETWORK_FLOAT32;
}

static bool is_in_layout(int dims, bool *plain)
{
    *plain = dims == PLAIN;
    return dims == PLAIN || dims == PLAIN + 1;
}

/* The roles of the axes by the layouts of image and result; false if their numbers differ from
 * these. */
static bool name_axes(opevo_i_net_convolution *self)
{
    const opevo_definition *sum = self->sum->definition;
    opevo_i_net_winograd_shape *shape = &self->shape;
    int next = 0;

    if (!is_in_layout(sum->spatial, &shape->plain_result) ||
        !is_in_layout(self->image->dims, &shape->plain_image))
        return false;
    for (int role = 0; role < ROLES; role++) {
        bool none =
            (role == PLACE && shape->plain_result) || (role == IN_PLACE && shape->plain_image);

        self->axis[role] = none ? -1 : next++;
        self->stride[role] = 0;
    }
    return sum->axes == next;
}

/* Blocks of `channels`, which are numbers of blocks unless plain. */
static bool count_blocks(int64_t block, bool plain, int64_t channels, int64_t inside, int64_t *out)
{
    *out = plain ? channels / block : channels;
    return plain ? channels % block == 0 : inside == block;
}

static bool look_at_sum(const opevo_network_inference *inference, const opevo_tensor *tensor,
                        opevo_i_net_convolution *self)
{
    const opevo_definition *sum = tensor->definition;
    const opevo_expression *image = sum->value->left, *weights = sum->value->right;
    opevo_i_net_winograd_shape *shape = &self->shape;

    if (sum->reducer != OPEVO_REDUCER_SUM || sum->value->kind != OPEVO_EXPR_MULTIPLY ||
        image->kind != OPEVO_EXPR_READ || weights->kind != OPEVO_EXPR_READ)
        return false;
    if (is_known(inference, &self->part, image->tensor)) {
        image = weights;
        weights = sum->value->left;
    }
    self->sum = tensor;
    self->image = image->tensor;
    self->weights = weights->tensor;
    *shape = (opevo_i_net_winograd_shape){.block = inference->blocked};
    if (!is_known(inference, &self->part, weights->tensor) || !name_axes(self) ||
        !reads_image(self, image) || !reads_weights(self, weights))
        return false;
    shape->images = self->image->extent[0];
    shape->height = self->image->extent[2];
    shape->width = self->image->extent[3];
    return extent_of(self, TAP_ROW) == KERNEL && extent_of(self, TAP_COLUMN) == KERNEL &&
           count_blocks(shape->block, shape->plain_image, extent_of(self, IN),
                        extent_of(self, IN_PLACE), &shape->ins) &&
           count_blocks(shape->block, shape->plain_result, extent_of(self, OUT),
                        extent_of(self, PLACE), &shape->outs);
}

opevo_status opevo_i_net_convolution_find(const opevo_network_inference *inference,
                                          const opevo_network_step *step,
                                          opevo_i_net_convolution *self, bool *found,
                                          opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    int sums = 0;

    *found = false;
    if (step->kind != OPEVO_NETWORK_STEP_COMPUTE || step->outputs != 1)
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_net_part_create(step, &self->part, err));
    for (int i = 0; i < self->part.computation->tensors; i++) {
        const opevo_tensor *tensor = self->part.computation->tensor[i];

        if (tensor->element != OPEVO_FLOAT32)
            sums = 2;
        if (!tensor->definition || tensor->definition->reducer == OPEVO_REDUCER_NONE)
            continue;
        sums++;
        *found = sums == 1 && look_at_sum(inference, tensor, self);
    }
    *found &= sums == 1;
cleanup:
    return status;
}
