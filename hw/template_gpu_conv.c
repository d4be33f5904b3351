/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `tiled` for convolutions: the paper's nest, with the outer loops over channels and kernel as one,
 * so that tiles can be double buffered whatever the factors, copies by neighbouring threads, and a
 * pitch against bank conflicts. */

#include "template_internal.h"

#include <string.h>

enum { TILE_F, TILE_Y, TILE_X, TILE_RC, TILE_RY, TILE_RX, PITCH, BUFFERS, UNROLL };
enum { SINGLE, DOUBLE, STAGED };

static opevo_status space(const opevo_operator *op, opevo_kernel_dialect dialect, opevo_space **out,
                          opevo_error *err)
{
    opevo_i_space_builder self = {.err = err};

    (void)dialect;
    opevo_i_add_parameter(&self, "tile_f", "factor", 2, (const int64_t[]){op->out_channels, 4});
    opevo_i_add_parameter(&self, "tile_y", "factor", 2,
                          (const int64_t[]){opevo_operator_out_height(op), 4});
    opevo_i_add_parameter(&self, "tile_x", "factor", 2,
                          (const int64_t[]){opevo_operator_out_width(op), 4});
    opevo_i_add_parameter(&self, "tile_rc", "factor", 2, (const int64_t[]){op->in_channels, 2});
    opevo_i_add_parameter(&self, "tile_ry", "factor", 2, (const int64_t[]){op->kernel_height, 2});
    opevo_i_add_parameter(&self, "tile_rx", "factor", 2, (const int64_t[]){op->kernel_width, 2});
    opevo_i_add_parameter(&self, "pitch", "discrete", 2, (const int64_t[]){0, 1});
    opevo_i_add_parameter(&self, "buffers", "categorical", 3,
                          (const int64_t[]){SINGLE, DOUBLE, STAGED});
    opevo_i_add_parameter(&self, "unroll", "discrete", 4, (const int64_t[]){0, 64, 512, 1500});
    return opevo_i_finish_space(&self, out);
}

/* All dimensions as one loop, given to the threads element by element. */
static void share(opevo_i_build *self, int tensor)
{
    const opevo_i_values *value = self->value;
    int64_t buffers = value->at[BUFFERS][0];
    int64_t turn[3] = {value->at[TILE_F][2], value->at[TILE_Y][2], value->at[TILE_X][2]};
    int stage = opevo_i_cache_read(self, tensor, OPEVO_SCOPE_SHARED);
    const char *name = tensor == OPEVO_STAGE_A ? "n+c+y+x" : "f+c+r+s";
    static const opevo_annotation what[4] = {OPEVO_ANNOTATION_UNROLL, OPEVO_ANNOTATION_THREAD_Z,
                                             OPEVO_ANNOTATION_THREAD_Y, OPEVO_ANNOTATION_THREAD_X};

    opevo_i_attach(self, stage, "c.0+r.0+s.0");
    opevo_i_step(self, OPEVO_STEP_PITCH, stage, 1, value->at[PITCH]);
    if (buffers != SINGLE && opevo_i_extent(self, OPEVO_STAGE_C, "c.0+r.0+s.0") > 1)
        opevo_i_step(self, buffers == STAGED ? OPEVO_STEP_STAGED : OPEVO_STEP_DOUBLE_BUFFER, stage,
                     0, NULL);
    opevo_i_fuse(self, stage, tensor == OPEVO_STAGE_A ? "n" : "f", 4);
    opevo_i_split(self, stage, name, 3, turn);
    for (int i = 0; i < 4; i++) {
        char part[16];

        memcpy(part, name, 7);
        part[7] = '.';
        part[8] = (char)('0' + i);
        part[9] = '\0';
        opevo_i_annotate(self, stage, part, what[i]);
    }
}

static void bind_loops(opevo_i_build *self)
{
    static const struct {
        const char *loop;
        opevo_annotation what;
    } bound[] = {
        {"n+f.0", OPEVO_ANNOTATION_BLOCK_Z}, {"y.0", OPEVO_ANNOTATION_BLOCK_Y},
        {"x.0", OPEVO_ANNOTATION_BLOCK_X},   {"f.1", OPEVO_ANNOTATION_VTHREAD},
        {"y.1", OPEVO_ANNOTATION_VTHREAD},   {"x.1", OPEVO_ANNOTATION_VTHREAD},
        {"f.2", OPEVO_ANNOTATION_THREAD_Z},  {"y.2", OPEVO_ANNOTATION_THREAD_Y},
        {"x.2", OPEVO_ANNOTATION_THREAD_X},  {"f.3", OPEVO_ANNOTATION_UNROLL},
        {"y.3", OPEVO_ANNOTATION_UNROLL},    {"x.3", OPEVO_ANNOTATION_UNROLL},
    };

    for (size_t i = 0; i < sizeof bound / sizeof *bound; i++)
        opevo_i_annotate(self, OPEVO_STAGE_C, bound[i].loop, bound[i].what);
}

static void steps(opevo_i_build *self)
{
    const opevo_i_values *value = self->value;
    int local = 0;

    opevo_i_split(self, OPEVO_STAGE_C, "f", 3, value->at[TILE_F] + 1);
    opevo_i_split(self, OPEVO_STAGE_C, "y", 3, value->at[TILE_Y] + 1);
    opevo_i_split(self, OPEVO_STAGE_C, "x", 3, value->at[TILE_X] + 1);
    opevo_i_split(self, OPEVO_STAGE_C, "c", 1, value->at[TILE_RC] + 1);
    opevo_i_split(self, OPEVO_STAGE_C, "r", 1, value->at[TILE_RY] + 1);
    opevo_i_split(self, OPEVO_STAGE_C, "s", 1, value->at[TILE_RX] + 1);
    opevo_i_reorder(self, OPEVO_STAGE_C,
                    "n f.0 y.0 x.0 f.1 y.1 x.1 f.2 y.2 x.2 c.0 r.0 s.0 c.1 r.1 s.1 f.3 y.3 x.3");
    opevo_i_fuse(self, OPEVO_STAGE_C, "n", 2);
    opevo_i_fuse(self, OPEVO_STAGE_C, "c.0", 3);
    bind_loops(self);
    opevo_i_step(self, OPEVO_STEP_AUTO_UNROLL, OPEVO_STAGE_C, 2,
                 (const int64_t[]){value->at[UNROLL][0], 0});
    local = opevo_i_cache_write(self);
    opevo_i_attach(self, local, "x.2");
    for (int i = 0; i < 3; i++) {
        static const char *const inner[3] = {"f.3", "y.3", "x.3"};

        opevo_i_annotate(self, local, inner[i], OPEVO_ANNOTATION_UNROLL);
    }
    share(self, OPEVO_STAGE_A);
    share(self, OPEVO_STAGE_B);
}

enum {
    GPU_DIALECTS = 1 << OPEVO_KERNEL_CUDA | 1 << OPEVO_KERNEL_HIP | 1 << OPEVO_KERNEL_EMULATION
};

const opevo_i_template opevo_i_template_conv2d_gpu = {
    .info = {.name = "tiled",
             .summary = "direct convolution with double buffers and copies by neighbouring threads",
             .kinds = 1U << OPEVO_CONV2D,
             .dialects = GPU_DIALECTS},
    .space = space,
    .steps = steps,
    .shared_bytes = 232448, /* 227 KiB: the most that compute capability 9.0 gives a block */
    .local_floats = 512,    /* beyond this nearly everything is spilt */
};
