/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `cpu`: direct convolutions on a CPU, as products of the kernel with shifted views of the
 * image.
 *
 * The image is copied with its padding, one plane for each phase of the stride, in rows of w
 * elements. In such a plane the pixel that output (y, x) needs for place (r, s) of the kernel lies
 * at y w + x plus a number that depends on r and s only, so y and x become one loop q = y w + x,
 * and consecutive outputs read consecutive pixels whatever the kernel. The w - (output width)
 * columns between the rows are computed and dropped, and so are the lanes after the last pixel.
 *
 *     F = (f0, f1, f2), Q = (q0, q1, q2), Cin = (c0, c1)
 *     for each image: copy it; for f.0, y+x.0, c.0 in the order `order`
 *       pack the kernel (f1 f2 x c1) if asked to
 *       for f.1, y+x.1 in the order `inner`
 *         for c.1, r, s: f2 x q2 sums in vector registers
 *
 * Source: the views are those of "kn2row" (Vasudevan, Anderson, Gregg, "Parallel multi channel
 * convolution using general matrix multiplication", ASAP 2017), kept inside the loop nest. */

#include "template_internal.h"

#include <stdio.h>
#include <string.h>

enum { F, Q, CHANNELS, ORDER, INNER, PACK, VECTOR, UNROLL };

enum { LINE = 16 }; /* elements of a cache line, and lanes of the widest vector */

static int64_t phases(int64_t kernel, int64_t stride)
{
    return kernel == 1 ? 1 : stride; /* one pixel a step is all that is kept then */
}

/* Elements in a row of a phase. */
static int64_t row_width(const opevo_operator *op)
{
    int64_t out = opevo_operator_out_width(op);

    if (op->kernel_width == 1)
        return out;
    return (op->stride * (out - 1) + op->kernel_width + op->stride - 1) / op->stride;
}

static int64_t row_count(const opevo_operator *op)
{
    int64_t out = opevo_operator_out_height(op);

    if (op->kernel_height == 1)
        return out;
    return (op->stride * (out - 1) + op->kernel_height + op->stride - 1) / op->stride;
}

/* Without a copy the last vector must be whole, since nothing may be read past the end of the
 * image. */
static bool needs_copy(const opevo_operator *op)
{
    return op->kernel_width != 1 || op->kernel_height != 1 || op->stride != 1 || op->padding != 0 ||
           op->height * op->width % LINE != 0;
}

/* The next multiple of 12 or 4 vectors, so that tiles of several vectors divide it; the
 * excess is trimmed. Small numbers stay as they are. */
static int64_t pixels(const opevo_operator *op)
{
    int64_t count = opevo_operator_out_height(op) * row_width(op);
    int64_t unit = count > 12 * LINE ? 12 * LINE : count > LINE ? 4 * LINE : 1;

    return (count + unit - 1) / unit * unit;
}

/* What threads may divide. Returns how many loops these are. */
static size_t divisible(const opevo_operator *op, opevo_i_template_divisible *out)
{
    out[0] = (opevo_i_template_divisible){"f.0", "F[0]", op->out_channels};
    out[1] = (opevo_i_template_divisible){"y+x.0", "Q[0]", pixels(op)};
    out[2] = (opevo_i_template_divisible){"f.1", "F[1]", op->out_channels};
    out[3] = (opevo_i_template_divisible){"y+x.1", "Q[1]", pixels(op)};
    out[4] = (opevo_i_template_divisible){"n", NULL, op->batch};
    return 5;
}

static opevo_status space(const opevo_operator *op, unsigned threads, opevo_space **out,
                          opevo_error *err)
{
    opevo_i_template_space_builder self = {.err = err};
    opevo_i_template_divisible loops[OPEVO_I_DIVISIBLES];

    opevo_i_template_add_parameter(&self, "F", "factor", 2, (const int64_t[]){op->out_channels, 3});
    opevo_i_template_add_parameter(&self, "Q", "factor", 2, (const int64_t[]){pixels(op), 3});
    opevo_i_template_add_parameter(&self, "C", "factor", 2, (const int64_t[]){op->in_channels, 2});
    opevo_i_template_add_parameter(&self, "order", "permutation", 1, (const int64_t[]){3});
    opevo_i_template_add_parameter(&self, "inner", "permutation", 1, (const int64_t[]){2});
    opevo_i_template_add_parameter(&self, "pack", "categorical", 2, (const int64_t[]){0, 1});
    opevo_i_template_add_parameter(&self, "vector", "discrete", 3, (const int64_t[]){4, 8, 16});
    opevo_i_template_add_parameter(&self, "unroll", "discrete", 4,
                                   (const int64_t[]){0, 16, 64, 256});
    opevo_i_template_add_parallel(&self, threads, loops, divisible(op, loops));
    return opevo_i_template_finish_space(&self, out);
}

/* The piece of a layout for the phases of a dimension, if there are any; returns its numbers. */
static int add_phases(int64_t *layout, int64_t dim, int64_t count)
{
    if (count <= 1)
        return 0;
    layout[0] = dim;
    layout[1] = 1;
    return 2;
}

/* The padded image in phases: loops n c y x, with rows of a phase side by side in memory. Channels
 * lie an odd number of cache lines apart: pixels of a kernel of one then start a line, and those of
 * neighbouring channels do not compete for places in a cache. */
static void copy_image(opevo_i_template_build *self, const opevo_i_template_divisible *loops)
{
    const opevo_operator *op = self->op;
    int64_t py = phases(op->kernel_height, op->stride);
    int64_t px = phases(op->kernel_width, op->stride);
    opevo_i_template_stage stage =
        opevo_i_template_copy(self, opevo_i_template_image(self), OPEVO_SCOPE_PACKED, "n");
    int64_t plane = py * px * row_count(op) * row_width(op);
    int64_t lines = ((plane + LINE - 1) / LINE) | 1;
    opevo_i_template_image_loops image = opevo_i_template_loops_of_image(self);
    int64_t layout[12] = {0, 1, 1, 1};
    int count = 4;

    count += add_phases(layout + count, 2, py);
    count += add_phases(layout + count, 3, px);
    memcpy(layout + count, (const int64_t[]){2, py, 3, px}, 4 * sizeof *layout);
    opevo_i_template_layout(self, stage.name, count / 2 + 2, layout);
    opevo_i_template_pad(self, stage.name, image.channel, plane, lines * LINE - plane);
    if (px > 1) {
        char order[64];

        opevo_i_template_split(self, stage.name, image.column, 1, &px);
        snprintf(order, sizeof order, "%s %s %s %s.1 %s.0", image.number, image.channel, image.row,
                 image.column, image.column);
        opevo_i_template_reorder(self, stage.name, order);
    }
    opevo_i_template_divide_copy(self, stage.name, "n", loops);
}

/* The kernel in panels of f2 output channels: in memory (panel, c, r, s, place in the panel). */
static void pack_kernel(opevo_i_template_build *self, const char *at,
                        const opevo_i_template_divisible *loops)
{
    opevo_i_template_stage stage = opevo_i_template_copy(self, "B", OPEVO_SCOPE_PACKED, at);
    int64_t tile = self->value->at[F][2];

    opevo_i_template_layout(self, stage.name, 5,
                            (const int64_t[]){0, tile, 1, 1, 2, 1, 3, 1, 0, 1});
    opevo_i_template_split(self, stage.name, "f", 1, &tile);
    opevo_i_template_reorder(self, stage.name, "f.0 c r s f.1");
    opevo_i_template_divide_copy(self, stage.name, at, loops);
}

/* The kernel changes with the outer loops over f and c. */
static const char *kernel_place(const int64_t *order)
{
    static const char *const names[3] = {"f.0", "y+x.0", "c.0"};
    int64_t last = 0;

    for (int i = 0; i < 3; i++) {
        if (order[i] != 1)
            last = order[i];
    }
    return names[last];
}

static void set_order(opevo_i_template_build *self)
{
    static const char *const outer[3] = {"f.0", "y+x.0", "c.0"};
    const int64_t *order = self->value->at[ORDER];
    char text[128];

    snprintf(text, sizeof text, "n %s %s %s %s c.1 r s f.2 y+x.2.0 y+x.2.1", outer[order[0]],
             outer[order[1]], outer[order[2]],
             self->value->at[INNER][0] ? "y+x.1 f.1" : "f.1 y+x.1");
    opevo_i_template_reorder(self, "C", text);
}

/* As text: all statements of a channel, or those of a row of the kernel, or of one place,
 * or none. */
static void set_unrolling(opevo_i_template_build *self, int64_t vector)
{
    int64_t tile = self->value->at[F][2] * (self->value->at[Q][2] / vector);
    int64_t limit = self->value->at[UNROLL][0];

    if (tile > limit)
        return;
    opevo_i_template_annotate(self, "C", "f.2", OPEVO_ANNOTATION_UNROLL);
    opevo_i_template_annotate(self, "C", "y+x.2.0", OPEVO_ANNOTATION_UNROLL);
    opevo_i_template_unroll_window(self, tile, limit);
}

static void steps(opevo_i_template_build *self)
{
    const opevo_i_template_values *value = self->value;
    int64_t vector = opevo_i_template_lanes(value->at[Q][2], value->at[VECTOR][0]);
    opevo_i_template_divisible loops[OPEVO_I_DIVISIBLES];

    opevo_i_template_extend(self, "x", row_width(self->op));
    opevo_i_template_fuse(self, "C", "y", 2);
    opevo_i_template_split(self, "C", "f", 2, value->at[F] + 1);
    opevo_i_template_split(self, "C", "y+x", 2, value->at[Q] + 1);
    opevo_i_template_split(self, "C", "y+x.2", 1, &vector);
    opevo_i_template_split(self, "C", "c", 1, value->at[CHANNELS] + 1);
    set_order(self);
    set_unrolling(self, vector);
    opevo_i_template_annotate(self, "C", "y+x.2.1", OPEVO_ANNOTATION_VECTORIZE);
    divisible(self->op, loops);
    opevo_i_template_divide(self, loops);
    opevo_i_template_accumulate(self, value->at[INNER][0] ? "f.1" : "y+x.1");
    opevo_i_template_trim(self, "y+x.2.0");
    if (needs_copy(self->op))
        copy_image(self, loops);
    if (value->at[PACK][0])
        pack_kernel(self, kernel_place(value->at[ORDER]), loops);
}

/* A panel of the kernel for some channels stays in the first cache while the pixels are
 * streamed. */
static void prefer(const opevo_operator *op, const opevo_device_facts *given, int round,
                   opevo_i_template_values *out)
{
    opevo_device_facts facts = opevo_i_template_known_facts(given);
    opevo_i_template_register_tile tile =
        opevo_i_template_choose_tile(&facts, op->out_channels, pixels(op));
    int64_t l1 = (int64_t)facts.l1_bytes / 4; /* numbers */
    int64_t l2 = (int64_t)facts.l2_bytes / 4;
    int64_t places = op->kernel_height * op->kernel_width;
    int64_t channels = opevo_i_template_divisor_below(op->in_channels, l1 / 2 / places / tile.rows);
    int64_t panels = opevo_i_template_divisor_below(op->out_channels / tile.rows,
                                                    l2 / 2 / places / channels / tile.rows);
    bool pack = places > 1 || op->in_channels > channels;

    (void)round;
    opevo_i_template_prefer(out, F, 3, (const int64_t[]){1, panels, tile.rows});
    opevo_i_template_prefer(out, Q, 3,
                            (const int64_t[]){1, pixels(op) / tile.columns, tile.columns});
    opevo_i_template_prefer(out, CHANNELS, 2, (const int64_t[]){1, channels});
    opevo_i_template_prefer(out, ORDER, 3, (const int64_t[]){0, 2, 1});
    opevo_i_template_prefer(out, INNER, 2, (const int64_t[]){0, 1});
    opevo_i_template_prefer(out, PACK, 1, (const int64_t[]){pack});
    opevo_i_template_prefer(out, VECTOR, 1, &tile.lanes);
    opevo_i_template_prefer(out, UNROLL, 1, (const int64_t[]){64});
}

/* Whole images where there are enough; else blocks of output channels, which share the image; else
 * blocks of pixels. */
static int64_t prefer_parallel(const opevo_operator *op, unsigned threads,
                               opevo_i_template_values *out)
{
    int64_t *f = out->at[F];
    int64_t *q = out->at[Q];

    if (op->batch >= threads)
        return 5;
    if (opevo_i_template_prefer_divided(op->out_channels / f[2], threads, &f[0], &f[1]))
        return 1;
    return opevo_i_template_prefer_divided(pixels(op) / q[2], threads, &q[0], &q[1]) ? 2 : 0;
}

const opevo_i_template opevo_i_template_conv2d_cpu = {
    .info = {.name = "cpu",
             .summary = "direct convolution on a CPU: shifted rows, register tiles, blocks",
             .kinds = 1U << OPEVO_CONV2D,
             .dialects = 1U << OPEVO_KERNEL_C},
    .space = space,
    .steps = steps,
    .prefer = prefer,
    .prefer_parallel = prefer_parallel,
};
