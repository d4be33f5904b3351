/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operators as sums of products over axes. */

#include "schedule_internal.h"

#include <string.h>

#define LARGEST_TENSOR (INT64_C(1) << 40)

static void add_axis(opevo_i_nest_compute *self, char name, int64_t extent, bool reduces)
{
    self->axis_name[self->axes] = name;
    self->axis_extent[self->axes] = extent;
    self->axis_reduces[self->axes++] = reduces;
}

/* A dimension that is indexed by one axis. */
static void add_dim(opevo_i_nest_tensor *tensor, int64_t extent, int axis)
{
    tensor->factor[tensor->dims][axis] = 1;
    tensor->extent[tensor->dims++] = extent;
}

static void set_matmul(const opevo_operator *op, opevo_i_nest_compute *self)
{
    bool batch = op->kind == OPEVO_BATCH_MATMUL;
    int i = batch ? 1 : 0;
    int j = i + 1;
    int k = i + 2;
    opevo_i_nest_tensor *a = &self->tensor[0];
    opevo_i_nest_tensor *b = &self->tensor[1];
    opevo_i_nest_tensor *c = &self->tensor[2];

    if (batch)
        add_axis(self, 'b', op->batch, false);
    add_axis(self, 'i', op->n, false);
    add_axis(self, 'j', op->m, false);
    add_axis(self, 'k', op->k, true);
    for (int t = 0; t < 3 && batch; t++)
        add_dim(&self->tensor[t], op->batch, 0);
    add_dim(a, op->transpose_x ? op->k : op->n, op->transpose_x ? k : i);
    add_dim(a, op->transpose_x ? op->n : op->k, op->transpose_x ? i : k);
    add_dim(b, op->transpose_y ? op->m : op->k, op->transpose_y ? j : k);
    add_dim(b, op->transpose_y ? op->k : op->m, op->transpose_y ? k : j);
    add_dim(c, op->n, i);
    add_dim(c, op->m, j);
}

enum { AXIS_N, AXIS_F, AXIS_Y, AXIS_X, AXIS_C, AXIS_R, AXIS_S };

/* A row or column of the padded image: stride times the output's plus the kernel's, less the
 * padding. */
static void add_window(opevo_i_nest_tensor *tensor, int64_t extent, const opevo_operator *op,
                       int out, int kernel)
{
    tensor->factor[tensor->dims][out] = op->stride;
    tensor->factor[tensor->dims][kernel] = 1;
    tensor->offset[tensor->dims] = -op->padding;
    tensor->extent[tensor->dims++] = extent;
}

static void set_conv2d(const opevo_operator *op, opevo_i_nest_compute *self)
{
    int64_t height = opevo_operator_out_height(op);
    int64_t width = opevo_operator_out_width(op);
    opevo_i_nest_tensor *image = &self->tensor[0];
    opevo_i_nest_tensor *kernel = &self->tensor[1];
    opevo_i_nest_tensor *out = &self->tensor[2];

    add_axis(self, 'n', op->batch, false);
    add_axis(self, 'f', op->out_channels, false);
    add_axis(self, 'y', height, false);
    add_axis(self, 'x', width, false);
    add_axis(self, 'c', op->in_channels, true);
    add_axis(self, 'r', op->kernel_height, true);
    add_axis(self, 's', op->kernel_width, true);
    add_dim(image, op->batch, AXIS_N);
    add_dim(image, op->in_channels, AXIS_C);
    add_window(image, op->height, op, AXIS_Y, AXIS_R);
    add_window(image, op->width, op, AXIS_X, AXIS_S);
    add_dim(kernel, op->out_channels, AXIS_F);
    add_dim(kernel, op->in_channels, AXIS_C);
    add_dim(kernel, op->kernel_height, AXIS_R);
    add_dim(kernel, op->kernel_width, AXIS_S);
    add_dim(out, op->batch, AXIS_N);
    add_dim(out, op->out_channels, AXIS_F);
    add_dim(out, height, AXIS_Y);
    add_dim(out, width, AXIS_X);
}

static opevo_status set_contraction(const opevo_operator *op, opevo_i_nest_compute *self,
                                    opevo_error *err)
{
    const opevo_contraction *what = &op->contraction;
    const char *kept = what->operand[self->output].axes;

    if (what->operand[self->output].factors != (1U << self->output) - 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not the product of all its inputs.",
                          what->operand[self->output].name);
    for (int pass = 0; pass < 2; pass++) { /* reducing axes come last */
        for (int a = 0; a < OPEVO_CONTRACTION_AXES && what->axis[a].name; a++) {
            bool reduces = !strchr(kept, what->axis[a].name);

            if (reduces == (pass == 1))
                add_axis(self, what->axis[a].name, what->axis[a].extent, reduces);
        }
    }
    for (int t = 0; t <= self->output; t++) {
        for (const char *name = what->operand[t].axes; *name; name++) {
            int axis = 0;

            while (self->axis_name[axis] != *name)
                axis++;
            add_dim(&self->tensor[t], self->axis_extent[axis], axis);
        }
    }
    return OPEVO_OK;
}

opevo_status opevo_i_nest_compute_of(const opevo_operator *op, opevo_i_nest_compute *out,
                                     opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_operand_list list;

    opevo_operator_operands(op, &list);
    if (list.count != list.inputs + 1)
        return OPEVO_FAIL(err, OPEVO_INVALID, "A schedule computes one output, not %d.",
                          list.count - list.inputs);
    *out = (opevo_i_nest_compute){.output = list.inputs};
    if (op->kind == OPEVO_CONTRACTION)
        OPEVO_TRY(set_contraction(op, out, err));
    else if (op->kind == OPEVO_CONV2D)
        set_conv2d(op, out);
    else
        set_matmul(op, out);
    for (int t = 0; t < list.count; t++) {
        double size = 1;

        for (int d = 0; d < out->tensor[t].dims; d++)
            size *= (double)out->tensor[t].extent[d];
        if (size >= (double)LARGEST_TENSOR)
            return OPEVO_FAIL(err, OPEVO_LIMIT,
                              "A tensor of the operator has 2^40 elements or more.");
    }
cleanup:
    return status;
}
