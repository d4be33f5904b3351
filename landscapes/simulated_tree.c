/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The loop tree of a simulated schedule: the paper's loops over blocks, virtual threads and
 * threads, in which stages copy a tile of each operand and then multiply. All threads of a block
 * copy together, so that a copy is a loop over what one of them brings. Every loop that is not one
 * of a copy belongs to an axis of the operator, and an operand is touched along its axes. */

#include "simulated_internal.h"

#include <opevo/loop_tree.h>

#include <math.h>
#include <stdint.h>

enum { AXES = 7, LOOPS_MOST = 32, DIMS = 4 };

/* Names: loops of a block from 0 on, those of a copy behind them. */
enum { COPY_NAMES = 64 };

/* The index is the sum of scale * axis over two terms; a term of scale 0 is left out. */
typedef struct dimension {
    int axis[2];
    int scale[2];
    double pitch; /* elements from one index to the next */
} dimension;

typedef struct operand {
    int dims;
    dimension dim[DIMS];
} operand;

typedef struct loop {
    int axis;
    double extent;
    opevo_loop_kind kind;
} loop;

typedef struct nest {
    loop loops[LOOPS_MOST];
    int count;
    int stages;          /* loops around the copies */
    operand operands[3]; /* the result first */
    double copied[2];    /* elements of the others that a thread brings in a stage */
} nest;

static void add(nest *self, int axis, int extent, opevo_loop_kind kind)
{
    self->loops[self->count++] = (loop){axis, extent, kind};
}

/* Elements that an operand has where the axes have these extents. */
static double elements_of(const operand *self, const double *extents)
{
    double product = 1;

    for (int d = 0; d < self->dims; d++) {
        const dimension *dim = &self->dim[d];

        product *= 1 + dim->scale[0] * (extents[dim->axis[0]] - 1) +
                   dim->scale[1] * (extents[dim->axis[1]] - 1);
    }
    return product;
}

/* Elements between two iterations of a loop over an axis whose inner loops have this extent. */
static double stride_of(const operand *self, int axis, double inner)
{
    double stride = 0;

    for (int d = 0; d < self->dims; d++) {
        for (int t = 0; t < 2; t++) {
            if (self->dim[d].axis[t] == axis)
                stride += self->dim[d].scale[t] * self->dim[d].pitch;
        }
    }
    return stride * inner;
}

static void touch_operands(const nest *self, const double *extents, int axis, double inner,
                           opevo_loop_node *node)
{
    for (int i = 0; i < 3; i++) {
        double elements = elements_of(&self->operands[i], extents);

        node->touches[i] = (opevo_loop_touch){.elements = elements,
                                              .reuse = node->bottom_up / elements,
                                              .stride = stride_of(&self->operands[i], axis, inner)};
    }
}

/* The two copies of a stage, in the loop of row `parent`: from operand i + 1 to a buffer of its own
 * behind the operands. */
static size_t add_copies(const nest *self, size_t parent, double around, float *rows, size_t count)
{
    for (unsigned i = 0; i < 2; i++) {
        double length = self->copied[i];
        opevo_loop_node node = {.parent = parent,
                                .name = COPY_NAMES + i,
                                .extent = length,
                                .top_down = around * length,
                                .bottom_up = length};

        if (length <= 1)
            continue;
        node.touches[i + 1] = node.touches[i + 3] = (opevo_loop_touch){length, 1, 1};
        opevo_loop_node_write(&node, count, rows + count * OPEVO_LOOP_COLUMNS);
        count++;
    }
    return count;
}

static size_t write_rows(const nest *self, float *rows)
{
    double inner[LOOPS_MOST], below[LOOPS_MOST][AXES], bottom_up[LOOPS_MOST];
    double extents[AXES] = {1, 1, 1, 1, 1, 1, 1};
    double product = 1;
    size_t parent = SIZE_MAX, count = 0;

    for (int i = self->count; i-- > 0;) {
        inner[i] = extents[self->loops[i].axis];
        extents[self->loops[i].axis] *= self->loops[i].extent;
        product *= self->loops[i].extent;
        bottom_up[i] = product;
        for (int a = 0; a < AXES; a++)
            below[i][a] = extents[a];
    }
    product = 1;
    for (int i = 0; i < self->count; i++) {
        const loop *one = &self->loops[i];
        opevo_loop_node node = {.parent = parent,
                                .name = (unsigned)i,
                                .kind = one->kind,
                                .extent = one->extent,
                                .top_down = product * one->extent,
                                .bottom_up = bottom_up[i]};

        product *= one->extent;
        if (i == self->stages)
            count = add_copies(self, parent, node.top_down / one->extent, rows, count);
        if (one->extent <= 1)
            continue;
        touch_operands(self, below[i], one->axis, inner[i], &node);
        opevo_loop_node_write(&node, count, rows + count * OPEVO_LOOP_COLUMNS);
        parent = count++;
    }
    if (count == 0)
        opevo_loop_node_write(
            &(opevo_loop_node){.parent = SIZE_MAX, .extent = 1, .top_down = 1, .bottom_up = 1},
            count++, rows);
    return count;
}

/* The tile of a stage is what the loops inside it, virtual threads and threads touch together. */
static void set_copies(nest *self, double threads)
{
    double extents[AXES] = {1, 1, 1, 1, 1, 1, 1};

    for (int i = 0; i < self->count; i++) {
        const loop *one = &self->loops[i];

        if (i >= self->stages || one->kind == OPEVO_LOOP_VTHREAD ||
            one->kind >= OPEVO_LOOP_THREAD_X)
            extents[one->axis] *= one->extent;
    }
    for (int i = 0; i < 2; i++)
        self->copied[i] = ceil(elements_of(&self->operands[i + 1], extents) / threads);
}

/* ---- The two schedules ---- */

/* Axes of a product: batch, n, m, k. */
size_t opevo_i_landscape_matmul_tree(const opevo_operator *op,
                                     const opevo_i_landscape_factors *point, float *rows)
{
    enum { B, N, M, K };
    static const int32_t one[2] = {1, 1};
    bool batch = op->kind == OPEVO_BATCH_MATMUL;
    const int32_t *b = batch ? point->factor[0] : one;
    const int32_t *k = point->factor[batch];
    const int32_t *x = point->factor[batch + 1];
    const int32_t *y = point->factor[batch + 2];
    double n = (double)op->n, m = (double)op->m, depth = (double)op->k;
    bool tx = op->transpose_x, ty = op->transpose_y;
    nest self = {
        .operands = {
            {3, {{{B}, {1}, n * m}, {{N}, {1}, m}, {{M}, {1}, 1}}},
            {3, {{{B}, {1}, n * depth}, {{N}, {1}, tx ? 1 : depth}, {{K}, {1}, tx ? n : 1}}},
            {3, {{{B}, {1}, depth * m}, {{K}, {1}, ty ? 1 : m}, {{M}, {1}, ty ? depth : 1}}},
        }};

    add(&self, B, b[0], OPEVO_LOOP_BLOCK_Z);
    add(&self, N, x[0], OPEVO_LOOP_BLOCK_Y);
    add(&self, M, y[0], OPEVO_LOOP_BLOCK_X);
    add(&self, N, x[1], OPEVO_LOOP_VTHREAD);
    add(&self, M, y[1], OPEVO_LOOP_VTHREAD);
    add(&self, B, b[1], OPEVO_LOOP_THREAD_Z);
    add(&self, N, x[2], OPEVO_LOOP_THREAD_Y);
    add(&self, M, y[2], OPEVO_LOOP_THREAD_X);
    add(&self, K, k[0], OPEVO_LOOP_SERIAL);
    self.stages = self.count;
    add(&self, K, k[1], OPEVO_LOOP_SERIAL);
    add(&self, K, k[2], OPEVO_LOOP_UNROLL);
    add(&self, N, x[3], OPEVO_LOOP_UNROLL);
    add(&self, M, y[3], OPEVO_LOOP_UNROLL);
    set_copies(&self, (double)b[1] * x[2] * y[2]);
    return write_rows(&self, rows);
}

/* Axes of a convolution: channels f, rows y and columns x of the result; rc, ry and rx. */
size_t opevo_i_landscape_conv2d_tree(const opevo_operator *op,
                                     const opevo_i_landscape_factors *point, float *rows)
{
    enum { N, F, Y, X, RC, RY, RX };
    const int32_t *const *p = point->factor;
    int stride = (int)op->stride;
    double oh = (double)opevo_operator_out_height(op), ow = (double)opevo_operator_out_width(op);
    double h = (double)op->height, w = (double)op->width;
    double kh = (double)op->kernel_height, kw = (double)op->kernel_width;
    double ic = (double)op->in_channels;
    double steps = (double)p[0][1] * p[0][3] * p[1][1] * p[1][3] * p[2][1] * p[2][3];
    opevo_loop_kind kinds[3] = {OPEVO_LOOP_SERIAL, OPEVO_LOOP_SERIAL, OPEVO_LOOP_SERIAL};
    nest self = {
        .operands = {
            {3, {{{F}, {1}, oh * ow}, {{Y}, {1}, ow}, {{X}, {1}, 1}}},
            {3, {{{RC}, {1}, h * w}, {{Y, RY}, {stride, 1}, w}, {{X, RX}, {stride, 1}, 1}}},
            {4, {{{F}, {1}, ic * kh * kw}, {{RC}, {1}, kh * kw}, {{RY}, {1}, kw}, {{RX}, {1}, 1}}},
        }};

    for (int i = 2; i >= 0 && steps * p[3 + i][1] <= p[6][0]; i--) {
        steps *= p[3 + i][1];
        kinds[i] = OPEVO_LOOP_UNROLL;
    }
    add(&self, N, (int)op->batch, OPEVO_LOOP_BLOCK_Z);
    add(&self, F, p[0][0], OPEVO_LOOP_BLOCK_Z);
    add(&self, Y, p[1][0], OPEVO_LOOP_BLOCK_Y);
    add(&self, X, p[2][0], OPEVO_LOOP_BLOCK_X);
    for (int i = 0; i < 3; i++)
        add(&self, F + i, p[i][1], OPEVO_LOOP_VTHREAD);
    add(&self, F, p[0][2], OPEVO_LOOP_THREAD_Z);
    add(&self, Y, p[1][2], OPEVO_LOOP_THREAD_Y);
    add(&self, X, p[2][2], OPEVO_LOOP_THREAD_X);
    for (int i = 0; i < 3; i++)
        add(&self, RC + i, p[3 + i][0], OPEVO_LOOP_SERIAL);
    self.stages = self.count;
    for (int i = 0; i < 3; i++)
        add(&self, RC + i, p[3 + i][1], kinds[i]);
    for (int i = 0; i < 3; i++)
        add(&self, F + i, p[i][3], OPEVO_LOOP_UNROLL);
    set_copies(&self, (double)p[0][2] * p[1][2] * p[2][2]);
    return write_rows(&self, rows);
}
