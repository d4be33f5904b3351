/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `tiled`: matrix products for GPUs with what a fast single-precision kernel needs beyond the
 * paper's template: neighbouring threads copy neighbouring elements, vectors, both tiles stored
 * with k outermost and an optional pitch against bank conflicts, a double buffer that may be filled
 * by way of registers, threads that share a sum, unevenly divided sizes.
 *
 * X, Y and K mean what they mean to `paper`. Source: NVIDIA, "CUTLASS: fast linear algebra in CUDA
 * C++" (2017), for the hierarchy of tiles and the buffers. */

#include "template_internal.h"

#include <stdio.h>

enum { K, X, Y, VECTOR, PITCH, BUFFERS, UNROLL, SLICES };

/* The next multiple of a power of two that adds no more than a sixteenth. */
static int64_t rounded(int64_t size, int64_t unit)
{
    for (; unit > 1; unit /= 2) {
        int64_t up = (size + unit - 1) / unit * unit;

        if (up - size <= size / 16)
            return up;
    }
    return size;
}

static opevo_status space(const opevo_operator *op, unsigned threads, opevo_space **out,
                          opevo_error *err)
{
    opevo_i_template_space_builder self = {.err = err};

    (void)threads;
    opevo_i_template_add_parameter(&self, "K", "factor", 2,
                                   (const int64_t[]){rounded(op->k, 16), 3});
    opevo_i_template_add_parameter(&self, "X", "factor", 2,
                                   (const int64_t[]){rounded(op->n, 64), 4});
    opevo_i_template_add_parameter(&self, "Y", "factor", 2,
                                   (const int64_t[]){rounded(op->m, 64), 4});
    opevo_i_template_add_parameter(&self, "vector", "discrete", 3, (const int64_t[]){1, 2, 4});
    opevo_i_template_add_parameter(&self, "pitch", "discrete", 2, (const int64_t[]){0, 4});
    opevo_i_template_add_parameter(
        &self, "buffers", "categorical", 3,
        (const int64_t[]){OPEVO_I_SINGLE, OPEVO_I_DOUBLE, OPEVO_I_STAGED});
    opevo_i_template_add_parameter(&self, "unroll", "categorical", 2, (const int64_t[]){0, 1});
    opevo_i_template_add_parameter(&self, "slices", "discrete", 3, (const int64_t[]){1, 2, 4});
    return opevo_i_template_finish_space(&self, out);
}

/* All elements of a tile in turns of all threads, each with a vector. */
static void divide_tile(opevo_i_template_build *self, const char *stage, int64_t lanes)
{
    int64_t turn[4] = {opevo_i_template_lanes(self->value->at[K][1], self->value->at[SLICES][0]),
                       self->value->at[X][2], self->value->at[Y][2], lanes};
    opevo_i_template_loop all = opevo_i_template_fuse(self, stage, NULL, 0);

    opevo_i_template_split(self, stage, all.name, 4, turn);
    for (int i = 0; i < 5; i++) {
        static const opevo_annotation what[5] = {
            OPEVO_ANNOTATION_UNROLL, OPEVO_ANNOTATION_THREAD_Z, OPEVO_ANNOTATION_THREAD_Y,
            OPEVO_ANNOTATION_THREAD_X, OPEVO_ANNOTATION_VECTORIZE};
        char part[OPEVO_I_LOOP_NAME + 4];

        snprintf(part, sizeof part, "%s.%d", all.name, i);
        opevo_i_template_annotate(self, stage, part, what[i]);
    }
}

/* A tile in memory with k outermost, copied by all threads in turns; then registers. */
static void share(opevo_i_template_build *self, char tensor, const char *along)
{
    bool batch = self->op->kind == OPEVO_BATCH_MATMUL;
    bool k_inside = tensor == 'A' ? !self->op->transpose_x : self->op->transpose_y;
    int dk = (batch ? 1 : 0) + (k_inside ? 1 : 0);
    int d = (batch ? 1 : 0) + (k_inside ? 0 : 1);
    const int64_t layout[6] = {0, 1, dk, 1, d, 1};
    opevo_i_template_stage stage =
        opevo_i_template_copy(self, (const char[]){tensor, '\0'}, OPEVO_SCOPE_SHARED, "k.0");
    int64_t width = opevo_i_template_extent(self, stage.name, along);
    int64_t depth = opevo_i_template_extent(self, stage.name, "k");
    char name[32];

    opevo_i_template_layout(self, stage.name, batch ? 3 : 2, batch ? layout : layout + 2);
    opevo_i_template_pad(self, stage.name, "k", width, self->value->at[PITCH][0]);
    opevo_i_template_set_buffers(self, stage.name, "k.0", self->value->at[BUFFERS][0]);
    divide_tile(self, stage.name,
                opevo_i_template_lanes(k_inside ? depth : width, self->value->at[VECTOR][0]));
    stage = opevo_i_template_copy(self, stage.name, OPEVO_SCOPE_LOCAL, "k.1.0");
    width = opevo_i_template_lanes(opevo_i_template_extent(self, stage.name, along),
                                   self->value->at[VECTOR][0]);
    opevo_i_template_split(self, stage.name, along, 1, &width);
    snprintf(name, sizeof name, "%sk %s.0 %s.1", batch ? "b " : "", along, along);
    opevo_i_template_reorder(self, stage.name, name);
    snprintf(name, sizeof name, "%s.0", along);
    opevo_i_template_annotate(self, stage.name, name, OPEVO_ANNOTATION_UNROLL);
    snprintf(name, sizeof name, "%s.1", along);
    opevo_i_template_annotate(self, stage.name, name, OPEVO_ANNOTATION_VECTORIZE);
    opevo_i_template_annotate(self, stage.name, "k", OPEVO_ANNOTATION_UNROLL);
}

static void bind_loops(opevo_i_template_build *self)
{
    static const opevo_i_template_bound bound[] = {
        {"i.0", OPEVO_ANNOTATION_BLOCK_Y},     {"j.0", OPEVO_ANNOTATION_BLOCK_X},
        {"i.1", OPEVO_ANNOTATION_VTHREAD},     {"j.1", OPEVO_ANNOTATION_VTHREAD},
        {"i.2", OPEVO_ANNOTATION_THREAD_Y},    {"j.2", OPEVO_ANNOTATION_THREAD_X},
        {"k.1.1", OPEVO_ANNOTATION_THREAD_Z},  {"k.2", OPEVO_ANNOTATION_UNROLL},
        {"i.3", OPEVO_ANNOTATION_UNROLL},      {"j.3.0", OPEVO_ANNOTATION_UNROLL},
        {"j.3.1", OPEVO_ANNOTATION_VECTORIZE},
    };

    opevo_i_template_annotate_all(self, "C", bound, sizeof bound / sizeof *bound);
    if (self->value->at[UNROLL][0])
        opevo_i_template_annotate(self, "C", "k.1.0", OPEVO_ANNOTATION_UNROLL);
    if (self->op->kind == OPEVO_BATCH_MATMUL)
        opevo_i_template_annotate(self, "C", "b", OPEVO_ANNOTATION_BLOCK_Z);
}

static void steps(opevo_i_template_build *self)
{
    const opevo_i_template_values *value = self->value;
    int64_t width = opevo_i_template_lanes(value->at[Y][3], value->at[VECTOR][0]);
    int64_t slices = opevo_i_template_lanes(value->at[K][1], value->at[SLICES][0]);

    opevo_i_template_extend(self, "i", rounded(self->op->n, 64));
    opevo_i_template_extend(self, "j", rounded(self->op->m, 64));
    opevo_i_template_extend(self, "k", rounded(self->op->k, 16));
    opevo_i_template_split(self, "C", "i", 3, value->at[X] + 1);
    opevo_i_template_split(self, "C", "j", 3, value->at[Y] + 1);
    opevo_i_template_split(self, "C", "j.3", 1, &width);
    opevo_i_template_split(self, "C", "k", 2, value->at[K] + 1);
    opevo_i_template_split(self, "C", "k.1", 1, &slices);
    opevo_i_template_reorder(self, "C",
                             self->op->kind == OPEVO_BATCH_MATMUL
                                 ? "b i.0 j.0 i.1 j.1 k.1.1 i.2 j.2 k.0 k.1.0 k.2 i.3 j.3.0 j.3.1"
                                 : "i.0 j.0 i.1 j.1 k.1.1 i.2 j.2 k.0 k.1.0 k.2 i.3 j.3.0 j.3.1");
    bind_loops(self);
    opevo_i_template_accumulate(self, "j.2");
    share(self, 'A', "i");
    share(self, 'B', "j");
}

/* 256 threads with 8 x 8 elements each, or 4 x 4 where there would be fewer than 64 blocks. */
static void prefer(const opevo_operator *op, const opevo_device_facts *facts, int round,
                   opevo_i_template_values *out)
{
    int64_t batch = op->kind == OPEVO_BATCH_MATMUL ? op->batch : 1;
    int64_t side = batch * op->n * op->m >= 64 * 128 * 128 ? 8 : 4;
    int64_t threads = 16 >> round / 2;
    const int64_t tile[4] = {1, side / 4, threads > 1 ? threads : 1, 4};

    (void)facts;
    opevo_i_template_prefer(out, K, 3, (const int64_t[]){1, round < 4 ? 16 >> round : 1, 1});
    opevo_i_template_prefer(out, X, 4, tile);
    opevo_i_template_prefer(out, Y, 4, tile);
    opevo_i_template_prefer(out, VECTOR, 1, (const int64_t[]){4});
    opevo_i_template_prefer(out, PITCH, 1, (const int64_t[]){4});
    opevo_i_template_prefer(out, BUFFERS, 1, (const int64_t[]){OPEVO_I_STAGED});
    opevo_i_template_prefer(out, UNROLL, 1, (const int64_t[]){1});
    opevo_i_template_prefer(out, SLICES, 1, (const int64_t[]){1});
}

const opevo_i_template opevo_i_template_matmul_gpu = {
    .info = {.name = "tiled",
             .summary = "matrix products with vectors, pitched tiles and buffers through registers",
             .kinds = 1U << OPEVO_MATMUL | 1U << OPEVO_BATCH_MATMUL,
             .dialects = OPEVO_I_GPU_DIALECTS},
    .space = space,
    .steps = steps,
    .prefer = prefer,
    .shared_bytes = 232448, /* 227 KiB: the most that compute capability 9.0 gives a block */
    .local_floats = 512,    /* beyond this nearly everything is spilt */
};
