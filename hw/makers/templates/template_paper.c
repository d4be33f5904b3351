/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `paper`: the schedules that the OpEvo paper tunes, over its own spaces (opevo_operator_space).
 *
 * Source: TVM v0.6, topi/python/topi/cuda/dense.py (schedule_dense_large_batch) and
 * conv2d_direct.py, as the authors of "OpEvo" use them for factors without restrictions: matrix
 * products with a batch dimension, transposed inputs, copies of four elements by consecutive
 * threads, and double buffers. What the authors call tile_ry and tile_rx splits the kernel's rows
 * and columns here; their program splits them the other way round, which for square kernels only
 * swaps the names. */

#include "template_internal.h"

#include <stdio.h>
#include <string.h>

static opevo_status space(const opevo_operator *op, unsigned threads, opevo_space **out,
                          opevo_error *err)
{
    (void)threads;
    return opevo_operator_space(op, out, err);
}

static int64_t ceil_divide(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

/* Give a loop of a copy to `threads` threads of one axis, each a run of neighbours; appends to
 * `name` so that it is that of the loop over such a run, whose length is returned. */
static int64_t give_runs(opevo_i_template_build *self, const char *stage, char *name,
                         int64_t extent, int64_t threads, opevo_annotation axis)
{
    int64_t run = ceil_divide(extent, threads);
    char *end = name + strlen(name);

    opevo_i_template_split(self, stage, name, 1, &run);
    memcpy(end, ".0", 3);
    opevo_i_template_annotate(self, stage, name, axis);
    memcpy(end, ".1", 3);
    return run;
}

/* ---- Matrix products ---- */

static opevo_i_template_stage share(opevo_i_template_build *self, const char *tensor,
                                    const int64_t *x, const int64_t *y)
{
    opevo_i_template_stage stage = opevo_i_template_copy(self, tensor, OPEVO_SCOPE_SHARED, "k.0");
    opevo_i_template_loop run;
    int64_t length = 0, lanes = 0;

    opevo_i_template_step(self, OPEVO_PIPELINE_DOUBLE_BUFFER, stage.name, 0, NULL);
    run = opevo_i_template_fuse(self, stage.name, NULL, 0);
    length = opevo_i_template_extent(self, stage.name, run.name);
    length = give_runs(self, stage.name, run.name, length, x[2], OPEVO_ANNOTATION_THREAD_Y);
    length = give_runs(self, stage.name, run.name, length, y[2], OPEVO_ANNOTATION_THREAD_X);
    /* A run of one element has one turn, so that there are the same loops for every point. */
    lanes = length > 1 ? 4 : 1;
    opevo_i_template_split(self, stage.name, run.name, 1, &lanes);
    memcpy(run.name + strlen(run.name), ".1", 3);
    opevo_i_template_annotate(self, stage.name, run.name, OPEVO_ANNOTATION_VECTORIZE);
    return stage;
}

static void bind(opevo_i_template_build *self, const char *loop, opevo_annotation what)
{
    opevo_i_template_annotate(self, "C", loop, what);
}

static void matmul_steps(opevo_i_template_build *self)
{
    bool batch = self->op->kind == OPEVO_BATCH_MATMUL;
    const int64_t *k = self->value->at[batch ? 1 : 0];
    const int64_t *x = self->value->at[batch ? 2 : 1];
    const int64_t *y = self->value->at[batch ? 3 : 2];
    opevo_i_template_stage shared[2];

    opevo_i_template_split(self, "C", "i", 3, x + 1);
    opevo_i_template_split(self, "C", "j", 3, y + 1);
    opevo_i_template_split(self, "C", "k", 2, k + 1);
    if (batch) {
        opevo_i_template_split(self, "C", "b", 1, self->value->at[0] + 1);
        opevo_i_template_reorder(self, "C", "b.0 b.1 i.0 j.0 i.1 j.1 i.2 j.2 k.0 k.1 i.3 j.3 k.2");
        bind(self, "b.0", OPEVO_ANNOTATION_BLOCK_Z);
        bind(self, "b.1", OPEVO_ANNOTATION_THREAD_Z);
    } else {
        opevo_i_template_reorder(self, "C", "i.0 j.0 i.1 j.1 i.2 j.2 k.0 k.1 i.3 j.3 k.2");
    }
    bind(self, "i.0", OPEVO_ANNOTATION_BLOCK_Y);
    bind(self, "j.0", OPEVO_ANNOTATION_BLOCK_X);
    bind(self, "i.1", OPEVO_ANNOTATION_VTHREAD);
    bind(self, "j.1", OPEVO_ANNOTATION_VTHREAD);
    bind(self, "i.2", OPEVO_ANNOTATION_THREAD_Y);
    bind(self, "j.2", OPEVO_ANNOTATION_THREAD_X);
    bind(self, "k.1", OPEVO_ANNOTATION_EXPAND);
    opevo_i_template_accumulate(self, "j.2");
    for (int t = 0; t < 2; t++)
        shared[t] = share(self, t ? "B" : "A", x, y);
    for (int t = 0; t < 2; t++)
        opevo_i_template_copy(self, shared[t].name, OPEVO_SCOPE_LOCAL, "k.1");
}

/* ---- Convolutions ---- */

enum { UNROLL = OPEVO_I_TILES, EXPLICIT };

static void conv2d_steps(opevo_i_template_build *self)
{
    static const struct {
        int tile;
        opevo_annotation threads;
    } axes[] = {{OPEVO_I_TILE_F, OPEVO_ANNOTATION_THREAD_Z},
                {OPEVO_I_TILE_Y, OPEVO_ANNOTATION_THREAD_Y},
                {OPEVO_I_TILE_X, OPEVO_ANNOTATION_THREAD_X}};
    const opevo_i_template_values *value = self->value;
    const char *tensors[2] = {opevo_i_template_image(self), "B"};

    opevo_i_template_tile_convolution(self);
    opevo_i_template_step(self, OPEVO_PIPELINE_AUTO_UNROLL, "C", 2,
                          (const int64_t[]){value->at[UNROLL][0], value->at[EXPLICIT][0]});
    opevo_i_template_accumulate(self, "x.2");
    for (int t = 0; t < 2; t++) {
        opevo_i_template_stage stage =
            opevo_i_template_copy(self, tensors[t], OPEVO_SCOPE_SHARED, "s.0");
        opevo_i_template_loop run = opevo_i_template_fuse(self, stage.name, NULL, 0);
        int64_t length = opevo_i_template_extent(self, stage.name, run.name);

        for (size_t i = 0; i < sizeof axes / sizeof *axes; i++)
            length = give_runs(self, stage.name, run.name, length, value->at[axes[i].tile][2],
                               axes[i].threads);
    }
}

/* ---- Start points ---- */

/* Blocks of 64 x 64 by 256 threads, each of which has 2 x 2 elements in 2 x 2 places. */
static void matmul_prefer(const opevo_operator *op, const opevo_device_facts *facts, int round,
                          opevo_i_template_values *out)
{
    int k = op->kind == OPEVO_BATCH_MATMUL ? 1 : 0;
    int64_t threads = 16 >> round / 2;
    const int64_t tile[4] = {1, 2, threads > 1 ? threads : 1, 2};

    (void)facts;
    opevo_i_template_prefer(out, 0, 2, (const int64_t[]){1, 1});
    opevo_i_template_prefer(out, k, 3, (const int64_t[]){1, round < 4 ? 16 >> round : 1, 1});
    opevo_i_template_prefer(out, k + 1, 4, tile);
    opevo_i_template_prefer(out, k + 2, 4, tile);
}

static void conv2d_prefer(const opevo_operator *op, const opevo_device_facts *facts, int round,
                          opevo_i_template_values *out)
{
    (void)facts;
    opevo_i_template_prefer_convolution(op, round, out);
    opevo_i_template_prefer(out, UNROLL, 1, (const int64_t[]){512});
    opevo_i_template_prefer(out, EXPLICIT, 1, (const int64_t[]){1});
}

const opevo_i_template opevo_i_template_matmul_paper = {
    .info = {.name = "paper",
             .summary = "matrix products as TVM v0.6 schedules them and the OpEvo paper tunes them",
             .kinds = 1U << OPEVO_MATMUL | 1U << OPEVO_BATCH_MATMUL,
             .dialects = OPEVO_I_GPU_DIALECTS},
    .space = space,
    .steps = matmul_steps,
    .prefer = matmul_prefer,
};

const opevo_i_template opevo_i_template_conv2d_paper = {
    .info = {.name = "paper",
             .summary = "direct convolution as TVM v0.6 schedules it and the OpEvo paper tunes it",
             .kinds = 1U << OPEVO_CONV2D,
             .dialects = OPEVO_I_GPU_DIALECTS},
    .space = space,
    .steps = conv2d_steps,
    .prefer = conv2d_prefer,
};
