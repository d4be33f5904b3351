/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the paper's schedule of a matrix product asks of a device. Factors of n: block row n1,
 * virtual threads n2, threads n3, elements of a thread n4; m likewise; k: stages k1, fragments in a
 * stage k2, steps of a fragment k3; batch: blocks b1, threads b2. Both tiles are double buffered in
 * shared memory and copied with contiguous runs of a thread, four words at a time where they allow
 * it. */

#include "simulated_internal.h"

enum {
    BASE_REGISTERS = 24, /* addresses, loop counters, and a vector under way */
    LOOP_INDEX = 12,     /* instructions of one turn of the stage loop */
    LOAD_INDEX = 4,      /* instructions to address one load from global memory */
    WORD = 4             /* bytes */
};

typedef struct factors {
    int b2, k1, k2, k3, n2, n3, n4, m2, m3, m4;
} factors;

static int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void launch(const opevo_operator *op, const opevo_i_landscape_factors *point,
                   opevo_i_landscape_launch *out)
{
    static const int32_t one[2] = {1, 1};
    bool batch = op->kind == OPEVO_BATCH_MATMUL;
    const int32_t *b = batch ? point->factor[0] : one;
    const int32_t *k = point->factor[batch];
    const int32_t *x = point->factor[batch + 1];
    const int32_t *y = point->factor[batch + 2];
    double rows = (double)x[1] * x[2] * x[3];
    double columns = (double)y[1] * y[2] * y[3];

    out->threads = (double)b[1] * x[2] * y[2];
    out->block_z = b[1];
    out->grid_x = y[0];
    out->grid_y = x[0];
    out->grid_z = b[0];
    out->shared_bytes = 2.0 * WORD * b[1] * (rows + columns) * k[1] * k[2];
    /* TVM refuses to double buffer in a loop of one turn. */
    out->compiles = k[0] > 1;
}

static factors read_factors(const opevo_operator *op, const opevo_i_landscape_factors *point)
{
    bool batch = op->kind == OPEVO_BATCH_MATMUL;
    const int32_t *k = point->factor[batch];
    const int32_t *x = point->factor[batch + 1];
    const int32_t *y = point->factor[batch + 2];

    return (factors){.b2 = batch ? point->factor[0][1] : 1,
                     .k1 = k[0],
                     .k2 = k[1],
                     .k3 = k[2],
                     .n2 = x[1],
                     .n3 = x[2],
                     .n4 = x[3],
                     .m2 = y[1],
                     .m3 = y[2],
                     .m4 = y[3]};
}

/* Words that one read from shared memory fetches out of a run of `run` adjacent ones. */
static int vector_width(int run)
{
    return run % 4 == 0 ? 4 : run % 2 == 0 ? 2 : 1;
}

/* Fragments of one operand, as a warp reads them. */
typedef struct fragments {
    bool along_k;     /* it lies along k, so that a thread reads runs of k3 words */
    int outer, inner; /* otherwise along its own axis, in runs of `inner` words */
    int threads;      /* of the warp that read different fragments */
    int repeat;
} fragments;

/* An operand lies in shared memory as in global memory. */
static void add_reads(const opevo_i_landscape_device *device, const factors *f,
                      const fragments *read, int lanes, opevo_i_landscape_work *work)
{
    int depth = f->k2 * f->k3;
    int width = vector_width(read->along_k ? f->k3 : read->inner);
    int stride = read->along_k ? read->inner * depth : read->inner;
    int reads = read->outer * read->inner * depth / width;

    work->reads += reads;
    work->read_cycles += reads * opevo_i_landscape_bank_cycles(device, read->threads, read->repeat,
                                                               stride, width, lanes);
}

static void add_tile(const opevo_i_landscape_device *device, const factors *f, bool along_k,
                     int edge, int64_t pitch, opevo_i_landscape_work *work)
{
    int depth = f->k2 * f->k3;
    int words = f->b2 * edge * depth;
    opevo_i_landscape_copy copy = {.words = words,
                                   .run = ceil_div(ceil_div(words, f->n3), f->m3),
                                   .row = along_k ? depth : edge,
                                   .vector = true,
                                   .pitch = along_k ? pitch * WORD : 0};

    opevo_i_landscape_add_copy(device, &copy, f->b2 * f->n3 * f->m3, work);
}

static void work(const opevo_operator *op, const opevo_i_landscape_device *device,
                 const opevo_i_landscape_factors *point, opevo_i_landscape_work *out)
{
    factors f = read_factors(op, point);
    int threads = f.b2 * f.n3 * f.m3;
    int lanes = least(threads, (int)device->warp_size);
    int across = least(f.m3, lanes);                 /* lanes of a warp along m */
    int down = least(f.n3, ceil_div(lanes, across)); /* and along n */
    int deep = ceil_div(lanes, across * down);       /* and along the batch */
    int rows = f.n2 * f.n4;                          /* of one thread */
    int columns = f.m2 * f.m4;
    int warps = ceil_div(threads, (int)device->warp_size);
    double batches = op->kind == OPEVO_BATCH_MATMUL ? (double)op->batch : 1.0;

    *out = (opevo_i_landscape_work){
        .accumulators = (double)rows * columns,
        .registers = (double)rows * columns + (double)f.k3 * (rows + columns) + BASE_REGISTERS,
        .statements = (double)rows * columns * f.k2 * f.k3,
        .indexed = (double)rows * columns * f.k3,
        .stages = f.k1,
        .syncs = 1.0,
        .fma = (double)rows * columns * f.k2 * f.k3,
        .rounds = f.k2,
        .operand_bytes = WORD * batches * (double)(op->n + op->m) * (double)op->k,
        .result_bytes = WORD * batches * (double)op->n * (double)op->m,
    };
    add_reads(device, &f, &(fragments){!op->transpose_x, f.n2, f.n4, down * deep, across}, lanes,
              out);
    add_reads(device, &f, &(fragments){op->transpose_y, f.m2, f.m4, across * deep, 1}, lanes, out);
    add_tile(device, &f, !op->transpose_x, rows * f.n3, op->k, out);
    add_tile(device, &f, op->transpose_y, columns * f.m3, op->k, out);
    out->index = LOOP_INDEX + LOAD_INDEX * out->loads;
    out->stores = (double)rows * columns;
    out->store_lines = out->stores * down * deep *
                       opevo_i_landscape_pieces(across, f.m4, 1, (int)device->warp_size * f.m4,
                                                (int)device->line_bytes / WORD);
    out->store_bytes = warps * out->stores * down * deep * device->sector_bytes *
                       opevo_i_landscape_pieces(across, f.m4, 1, (int)device->warp_size * f.m4,
                                                (int)device->sector_bytes / WORD);
    if (op->kind == OPEVO_MATMUL) {
        out->row_bytes = (double)WORD * rows * f.n3 * (double)op->k;
        out->column_bytes = (double)WORD * columns * f.m3 * (double)op->k;
    }
}

const opevo_i_landscape_schedule opevo_i_landscape_matmul_schedule = {
    launch, work, opevo_i_landscape_matmul_tree};
