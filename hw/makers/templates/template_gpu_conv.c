/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `tiled` for convolutions: the paper's nest, with the outer loops over channels and kernel as one,
 * so that tiles can be double buffered whatever the factors, copies by neighbouring threads, and a
 * pitch against bank conflicts. */

#include "template_internal.h"

#include <stdio.h>

enum { PITCH = OPEVO_I_TILES, BUFFERS, UNROLL };

static opevo_status space(const opevo_operator *op, unsigned threads, opevo_space **out,
                          opevo_error *err)
{
    opevo_i_template_space_builder self = {.err = err};

    (void)threads;
    opevo_i_template_add_parameter(&self, "tile_f", "factor", 2,
                                   (const int64_t[]){op->out_channels, 4});
    opevo_i_template_add_parameter(&self, "tile_y", "factor", 2,
                                   (const int64_t[]){opevo_operator_out_height(op), 4});
    opevo_i_template_add_parameter(&self, "tile_x", "factor", 2,
                                   (const int64_t[]){opevo_operator_out_width(op), 4});
    opevo_i_template_add_parameter(&self, "tile_rc", "factor", 2,
                                   (const int64_t[]){op->in_channels, 2});
    opevo_i_template_add_parameter(&self, "tile_ry", "factor", 2,
                                   (const int64_t[]){op->kernel_height, 2});
    opevo_i_template_add_parameter(&self, "tile_rx", "factor", 2,
                                   (const int64_t[]){op->kernel_width, 2});
    opevo_i_template_add_parameter(&self, "pitch", "discrete", 2, (const int64_t[]){0, 1});
    opevo_i_template_add_parameter(
        &self, "buffers", "categorical", 3,
        (const int64_t[]){OPEVO_I_SINGLE, OPEVO_I_DOUBLE, OPEVO_I_STAGED});
    opevo_i_template_add_parameter(&self, "unroll", "discrete", 4,
                                   (const int64_t[]){0, 64, 512, 1500});
    return opevo_i_template_finish_space(&self, out);
}

/* All dimensions as one loop, given to the threads element by element. */
static void share(opevo_i_template_build *self, const char *tensor, const char *row,
                  const char *column)
{
    const opevo_i_template_values *value = self->value;
    int64_t turn[3] = {value->at[OPEVO_I_TILE_F][2], value->at[OPEVO_I_TILE_Y][2],
                       value->at[OPEVO_I_TILE_X][2]};
    opevo_i_template_stage stage =
        opevo_i_template_copy(self, tensor, OPEVO_SCOPE_SHARED, "c.0+r.0+s.0");
    static const opevo_annotation what[4] = {OPEVO_ANNOTATION_UNROLL, OPEVO_ANNOTATION_THREAD_Z,
                                             OPEVO_ANNOTATION_THREAD_Y, OPEVO_ANNOTATION_THREAD_X};
    opevo_i_template_loop all;

    opevo_i_template_pad(self, stage.name, row, opevo_i_template_extent(self, stage.name, column),
                         value->at[PITCH][0]);
    opevo_i_template_set_buffers(self, stage.name, "c.0+r.0+s.0", value->at[BUFFERS][0]);
    all = opevo_i_template_fuse(self, stage.name, NULL, 0);
    opevo_i_template_split(self, stage.name, all.name, 3, turn);
    for (int i = 0; i < 4; i++) {
        char part[OPEVO_I_LOOP_NAME + 4];

        snprintf(part, sizeof part, "%s.%d", all.name, i);
        opevo_i_template_annotate(self, stage.name, part, what[i]);
    }
}

static void steps(opevo_i_template_build *self)
{
    static const opevo_i_template_bound inner[] = {
        {"f.3", OPEVO_ANNOTATION_UNROLL},
        {"y.3", OPEVO_ANNOTATION_UNROLL},
        {"x.3", OPEVO_ANNOTATION_UNROLL},
    };
    opevo_i_template_image_loops image = opevo_i_template_loops_of_image(self);

    opevo_i_template_tile_convolution(self);
    opevo_i_template_fuse(self, "C", "c.0", 3);
    opevo_i_template_annotate_all(self, "C", inner, sizeof inner / sizeof *inner);
    opevo_i_template_step(self, OPEVO_PIPELINE_AUTO_UNROLL, "C", 1, self->value->at[UNROLL]);
    opevo_i_template_accumulate(self, "x.2");
    share(self, opevo_i_template_image(self), image.row, image.column);
    share(self, "B", "r", "s");
}

static void prefer(const opevo_operator *op, const opevo_device_facts *facts, int round,
                   opevo_i_template_values *out)
{
    (void)facts;
    opevo_i_template_prefer_convolution(op, round, out);
    opevo_i_template_prefer(out, BUFFERS, 1, (const int64_t[]){OPEVO_I_DOUBLE});
    opevo_i_template_prefer(out, UNROLL, 1, (const int64_t[]){512});
}

const opevo_i_template opevo_i_template_conv2d_gpu = {
    .info = {.name = "tiled",
             .summary = "direct convolution with double buffers and copies by neighbouring threads",
             .kinds = 1U << OPEVO_CONV2D,
             .dialects = OPEVO_I_GPU_DIALECTS},
    .space = space,
    .steps = steps,
    .prefer = prefer,
    .shared_bytes = 232448, /* 227 KiB: the most that compute capability 9.0 gives a block */
    .local_floats = 512,    /* beyond this nearly everything is spilt */
};
