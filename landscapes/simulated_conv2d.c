/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the paper's schedule of a direct convolution asks of a device. Factors of the output's
 * channels f, rows y and columns x: block, virtual threads, threads, elements of a thread; of the
 * reduction over channels rc and kernel rows ry and columns rx: stages, steps in a stage. A stage
 * copies a patch of the image and the weights that go with it, without double buffering. */

#include "simulated_internal.h"

enum {
    BASE_REGISTERS = 32, /* addresses and loop counters */
    LOOP_INDEX = 4,      /* instructions of one turn of a loop that stays rolled */
    LOAD_INDEX = 20,     /* instructions to address one load: divisions by sizes of the patch */
    WORD = 4             /* bytes */
};

typedef struct factors {
    int f1, f2, f3, y1, y2, y3, x1, x2, x3;
    int rc, ry, rx; /* steps in a stage */
    double stages;
    int patch_rows, patch_columns;
} factors;

static int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static void launch(const opevo_operator *op, const opevo_i_landscape_factors *point,
                   opevo_i_landscape_launch *out)
{
    const int32_t *f = point->factor[0];
    const int32_t *y = point->factor[1];
    const int32_t *x = point->factor[2];
    double rc = point->factor[3][1];
    double ry = point->factor[4][1];
    double rx = point->factor[5][1];
    double stride = (double)op->stride;
    double rows = ((double)y[1] * y[2] * y[3] - 1.0) * stride + ry;
    double columns = ((double)x[1] * x[2] * x[3] - 1.0) * stride + rx;

    out->threads = (double)f[2] * y[2] * x[2];
    out->block_z = f[2];
    out->grid_x = x[0];
    out->grid_y = y[0];
    out->grid_z = (double)op->batch * f[0];
    out->shared_bytes = WORD * rc * (rows * columns + (double)f[1] * f[2] * f[3] * ry * rx);
    out->compiles = true;
}

static factors read_factors(const opevo_operator *op, const opevo_i_landscape_factors *point)
{
    const int32_t *f = point->factor[0];
    const int32_t *y = point->factor[1];
    const int32_t *x = point->factor[2];
    factors out = {.f1 = f[1],
                   .f2 = f[2],
                   .f3 = f[3],
                   .y1 = y[1],
                   .y2 = y[2],
                   .y3 = y[3],
                   .x1 = x[1],
                   .x2 = x[2],
                   .x3 = x[3],
                   .rc = point->factor[3][1],
                   .ry = point->factor[4][1],
                   .rx = point->factor[5][1]};

    out.stages = (double)point->factor[3][0] * point->factor[4][0] * point->factor[5][0];
    out.patch_rows = (y[1] * y[2] * y[3] - 1) * (int)op->stride + out.ry;
    out.patch_columns = (x[1] * x[2] * x[3] - 1) * (int)op->stride + out.rx;
    return out;
}

/* Reduction steps that are unrolled: the compiler unrolls the loops over a thread's own elements,
 * since they index registers; TVM adds the loops over rx, ry and rc from the inside out, as long as
 * the statements stay within its limit. */
static int unrolled_steps(const factors *f, int elements, int limit)
{
    const int loops[3] = {f->rx, f->ry, f->rc};
    int steps = 1;

    for (int i = 0; i < 3 && (double)elements * steps * loops[i] <= limit; i++)
        steps *= loops[i];
    return steps;
}

/* Reads of weights and of image elements; lanes of a warp lie along x first, then y, then f. */
static void add_reads(const opevo_operator *op, const opevo_i_landscape_device *device,
                      const factors *f, int lanes, bool rx_unrolled, opevo_i_landscape_work *work)
{
    int stride = (int)op->stride;
    int across = least(f->x2, lanes);
    int down = least(f->y2, ceil_div(lanes, across));
    int deep = least(f->f2, ceil_div(lanes, across * down));
    int step_x = f->x3 * stride;
    /* One row of outputs has no lanes below each other, and a stride of any size. */
    int step_y = f->y1 * f->y2 * f->y3 > 1 ? f->y3 * stride * f->patch_columns : 0;
    int steps = f->rc * f->ry * f->rx;
    double weights = (double)f->f1 * f->f3 * steps;
    double image = (double)f->y1 * f->y3 * f->x1 * f->rc * f->ry;
    double along_x = opevo_i_landscape_bank_cycles(device, across, 1, step_x, 1, lanes);
    double along_y = opevo_i_landscape_bank_cycles(device, down, across, step_y, 1, lanes);
    double both =
        opevo_i_landscape_bank_cycles(device, across * down, 1, step_x | step_y, 1, lanes);
    double queue = along_x > along_y ? along_x : along_y;

    /* Neighbouring elements of an unrolled row share what their windows have in common. */
    image *= rx_unrolled ? least(f->x3 * f->rx, (f->x3 - 1) * stride + f->rx) : f->x3 * f->rx;
    work->reads += weights + image;
    work->read_cycles += weights * opevo_i_landscape_bank_cycles(device, deep, across * down,
                                                                 f->f3 * steps, 1, lanes) +
                         image * (queue > both ? queue : both);
}

static void add_tiles(const opevo_operator *op, const opevo_i_landscape_device *device,
                      const factors *f, opevo_i_landscape_work *work)
{
    int threads = f->f2 * f->y2 * f->x2;
    int patch = f->rc * f->patch_rows * f->patch_columns;
    int steps = f->rc * f->ry * f->rx;
    int weights = f->f1 * f->f2 * f->f3 * steps;
    bool whole_rows = f->rx == op->kernel_width;
    int run = whole_rows && f->ry == op->kernel_height ? steps : f->rx * (whole_rows ? f->ry : 1);
    opevo_i_landscape_copy copies[2] = {{.words = patch, .row = f->patch_columns},
                                        {.words = weights, .row = run}};

    for (int i = 0; i < 2; i++) {
        copies[i].run = ceil_div(ceil_div(ceil_div(copies[i].words, f->f2), f->y2), f->x2);
        opevo_i_landscape_add_copy(device, &copies[i], threads, work);
    }
}

static void add_stores(const opevo_i_landscape_device *device, const factors *f, int lanes,
                       opevo_i_landscape_work *work)
{
    int threads = f->f2 * f->y2 * f->x2;
    int across = least(f->x2, lanes);
    int rows = ceil_div(lanes, across);
    int warps = ceil_div(threads, (int)device->warp_size);
    int row = f->x2 * f->x3;

    work->stores = work->accumulators;
    work->store_lines =
        work->stores * rows *
        opevo_i_landscape_pieces(across, f->x3, 1, row, (int)device->line_bytes / WORD);
    work->store_bytes =
        warps * work->stores * rows * device->sector_bytes *
        opevo_i_landscape_pieces(across, f->x3, 1, row, (int)device->sector_bytes / WORD);
}

static void work(const opevo_operator *op, const opevo_i_landscape_device *device,
                 const opevo_i_landscape_factors *point, opevo_i_landscape_work *out)
{
    factors f = read_factors(op, point);
    int channels = f.f1 * f.f3; /* of one thread */
    int pixels = f.y1 * f.y3 * f.x1 * f.x3;
    int lanes = least(f.f2 * f.y2 * f.x2, (int)device->warp_size);
    int steps = f.rc * f.ry * f.rx;
    int elements = channels * pixels;
    int unrolled = unrolled_steps(&f, elements, point->factor[6][0]);
    bool explicit_unroll = point->factor[7][0] != 0;

    *out = (opevo_i_landscape_work){
        .accumulators = elements,
        .registers = elements + channels + pixels + BASE_REGISTERS,
        .statements = (double)elements * unrolled,
        .indexed = elements,
        .stages = f.stages,
        .syncs = 2.0,
        .fma = (double)elements * steps,
        .rounds = (double)steps / unrolled,
        .operand_bytes = WORD * ((double)op->batch * (double)op->in_channels * (double)op->height *
                                     (double)op->width +
                                 (double)op->out_channels * (double)op->in_channels *
                                     (double)op->kernel_height * (double)op->kernel_width),
        .result_bytes = WORD * (double)op->batch * (double)op->out_channels *
                        (double)opevo_operator_out_height(op) *
                        (double)opevo_operator_out_width(op),
    };
    add_reads(op, device, &f, lanes, unrolled >= f.rx, out);
    add_tiles(op, device, &f, out);
    /* What TVM expands itself has constant indices; a loop left to the compiler's pragma keeps one
     * instruction a turn. */
    out->index = LOOP_INDEX * out->rounds + LOAD_INDEX * out->loads +
                 (explicit_unroll ? 0.0 : (double)most(unrolled - 1, 0) * out->rounds);
    add_stores(device, &f, lanes, out);
}

const opevo_i_landscape_schedule opevo_i_landscape_conv2d_schedule = {
    launch, work, opevo_i_landscape_conv2d_tree};
