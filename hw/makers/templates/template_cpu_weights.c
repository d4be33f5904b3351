/* SPDX-License-Identifier: GPL-3.0-or-later */

/* `weights`: direct convolutions for one core whose vectors go over output channels. The weights
 * are constants and lie in panels of the channels of one register tile, so they are read as whole
 * vectors, and each pixel is one number for all lanes: no lane is wasted at the end of a row,
 * whatever its length. Sums leave their vectors lane by lane.
 *
 *     F = (f0, f1, f2), Y = (y0, y1, y2), X = (x0, x1, x2), Cin = (c0, c1)
 *     for each image: copy it with its padding, if it has any
 *       for f.0, y.0 x.0, c.0 in the order `order`, f.1, y.1, x.1 in the order `inner`
 *         for c.1, r, s: y2 x2 pixels x f2 channels, as sums in vector registers
 *
 * Source: Zhang, Franchetti, Low, "High performance zero-memory overhead direct convolutions", ICML
 * 2018, for lanes over output channels and weights in that layout. */

#include "template_internal.h"

#include <stdio.h>

enum { F, Y, X, CHANNELS, ORDER, INNER, VECTOR, UNROLL, PACK };

enum { LINE = 16 }; /* elements of a cache line */

/* With factors enough for a tile; too many channels are zeros, and too many pixels are dropped. */
static int64_t channels(const opevo_operator *op)
{
    return opevo_i_template_widened(op->out_channels, (const int64_t[]){32, 16, 8, 4, 2, 1});
}

static int64_t pixels(int64_t count)
{
    return opevo_i_template_widened(count, (const int64_t[]){8, 7, 6, 4, 3, 2, 1});
}

static int64_t rows(const opevo_operator *op)
{
    return pixels(opevo_operator_out_height(op));
}

static int64_t columns(const opevo_operator *op)
{
    return pixels(opevo_operator_out_width(op));
}

/* Nothing may be read past the ends of the image. */
static bool needs_copy(const opevo_operator *op)
{
    return op->padding != 0 || rows(op) != opevo_operator_out_height(op) ||
           columns(op) != opevo_operator_out_width(op);
}

/* What threads may divide. Returns how many loops these are. */
static size_t divisible(const opevo_operator *op, opevo_i_template_divisible *out)
{
    out[0] = (opevo_i_template_divisible){"f.0", "F[0]", channels(op)};
    out[1] = (opevo_i_template_divisible){"y.0", "Y[0]", rows(op)};
    out[2] = (opevo_i_template_divisible){"f.1", "F[1]", channels(op)};
    out[3] = (opevo_i_template_divisible){"y.1", "Y[1]", rows(op)};
    out[4] = (opevo_i_template_divisible){"n", NULL, op->batch};
    return 5;
}

static opevo_status space(const opevo_operator *op, unsigned threads, opevo_space **out,
                          opevo_error *err)
{
    opevo_i_template_space_builder self = {.err = err};
    opevo_i_template_divisible loops[OPEVO_I_DIVISIBLES];

    opevo_i_template_add_parameter(&self, "F", "factor", 2, (const int64_t[]){channels(op), 3});
    opevo_i_template_add_parameter(&self, "Y", "factor", 2, (const int64_t[]){rows(op), 3});
    opevo_i_template_add_parameter(&self, "X", "factor", 2, (const int64_t[]){columns(op), 3});
    opevo_i_template_add_parameter(&self, "C", "factor", 2, (const int64_t[]){op->in_channels, 2});
    opevo_i_template_add_parameter(&self, "order", "permutation", 1, (const int64_t[]){3});
    opevo_i_template_add_parameter(&self, "inner", "permutation", 1, (const int64_t[]){3});
    opevo_i_template_add_parameter(&self, "vector", "discrete", 3, (const int64_t[]){4, 8, 16});
    opevo_i_template_add_parameter(&self, "unroll", "discrete", 4,
                                   (const int64_t[]){0, 16, 64, 256});
    if (!needs_copy(op))
        opevo_i_template_add_parameter(&self, "pack", "categorical", 2, (const int64_t[]){0, 1});
    opevo_i_template_add_parallel(&self, threads, loops, divisible(op, loops));
    return opevo_i_template_finish_space(&self, out);
}

/* The image with its padding. Channels lie an odd number of cache lines apart, so that they do not
 * compete for places in a cache. */
static void copy_image(opevo_i_template_build *self, const opevo_i_template_divisible *loops)
{
    opevo_i_template_stage stage =
        opevo_i_template_copy(self, opevo_i_template_image(self), OPEVO_SCOPE_PACKED, "n");
    opevo_i_template_image_loops image = opevo_i_template_loops_of_image(self);
    int64_t plane = opevo_i_template_extent(self, stage.name, image.row) *
                    opevo_i_template_extent(self, stage.name, image.column);
    int64_t lines = ((plane + LINE - 1) / LINE) | 1;

    opevo_i_template_pad(self, stage.name, image.channel, plane, lines * LINE - plane);
    opevo_i_template_divide_copy(self, stage.name, "n", loops);
}

/* In memory (panel, c, r, s, place in the panel). */
static void lay_out_weights(opevo_i_template_build *self)
{
    int64_t tile = self->value->at[F][2];

    opevo_i_template_layout(self, "B", 5, (const int64_t[]){0, tile, 1, 1, 2, 1, 3, 1, 0, 1});
}

static const char *const outer[3] = {"f.0", "y.0 x.0", "c.0"};
static const char *const middle[3] = {"f.1", "y.1", "x.1"};

static void set_order(opevo_i_template_build *self)
{
    const int64_t *order = self->value->at[ORDER];
    const int64_t *inner = self->value->at[INNER];
    char text[128];

    snprintf(text, sizeof text, "n %s %s %s %s %s %s c.1 r s y.2 x.2 f.2.0 f.2.1", outer[order[0]],
             outer[order[1]], outer[order[2]], middle[inner[0]], middle[inner[1]],
             middle[inner[2]]);
    opevo_i_template_reorder(self, "C", text);
}

/* The register tile as text, where that is not too much; likewise the loops of the window. */
static void set_unrolling(opevo_i_template_build *self, int64_t vector)
{
    const opevo_i_template_values *value = self->value;
    int64_t tile = value->at[Y][2] * value->at[X][2] * (value->at[F][2] / vector);
    int64_t limit = value->at[UNROLL][0];

    if (tile <= limit) {
        opevo_i_template_annotate(self, "C", "y.2", OPEVO_ANNOTATION_UNROLL);
        opevo_i_template_annotate(self, "C", "x.2", OPEVO_ANNOTATION_UNROLL);
        opevo_i_template_annotate(self, "C", "f.2.0", OPEVO_ANNOTATION_UNROLL);
    }
    opevo_i_template_unroll_window(self, tile, limit);
}

static void steps(opevo_i_template_build *self)
{
    const opevo_i_template_values *value = self->value;
    int64_t vector = opevo_i_template_lanes(value->at[F][2], value->at[VECTOR][0]);
    opevo_i_template_divisible loops[OPEVO_I_DIVISIBLES];

    opevo_i_template_extend(self, "f", channels(self->op));
    opevo_i_template_extend(self, "y", rows(self->op));
    opevo_i_template_extend(self, "x", columns(self->op));
    opevo_i_template_split(self, "C", "f", 2, value->at[F] + 1);
    opevo_i_template_split(self, "C", "f.2", 1, &vector);
    opevo_i_template_split(self, "C", "y", 2, value->at[Y] + 1);
    opevo_i_template_split(self, "C", "x", 2, value->at[X] + 1);
    opevo_i_template_split(self, "C", "c", 1, value->at[CHANNELS] + 1);
    set_order(self);
    set_unrolling(self, vector);
    opevo_i_template_annotate(self, "C", "f.2.1", OPEVO_ANNOTATION_VECTORIZE);
    lay_out_weights(self);
    divisible(self->op, loops);
    opevo_i_template_divide(self, loops);
    opevo_i_template_accumulate(self, middle[value->at[INNER][2]]);
    if (needs_copy(self->op) || value->at[PACK][0])
        copy_image(self, loops);
}

/* A panel of weights stays in the second cache while the pixels go by. A row of a wide kernel is
 * text, whose pixels need registers beside those of the tile. */
static void prefer(const opevo_operator *op, const opevo_device_facts *given, int round,
                   opevo_i_template_values *out)
{
    opevo_device_facts facts = opevo_i_template_known_facts(given);
    int64_t most =
        op->kernel_width > 1 ? opevo_i_template_divisor_below(columns(op), 8) : columns(op);
    opevo_i_template_register_tile tile = opevo_i_template_choose_tile(&facts, most, channels(op));
    int64_t panel = (int64_t)facts.l2_bytes / 4 / 2 / op->kernel_height / op->kernel_width;
    int64_t depth = opevo_i_template_divisor_below(op->in_channels, panel / tile.columns);

    (void)round;
    opevo_i_template_prefer(out, F, 3,
                            (const int64_t[]){channels(op) / tile.columns, 1, tile.columns});
    opevo_i_template_prefer(out, Y, 3, (const int64_t[]){1, rows(op), 1});
    opevo_i_template_prefer(out, X, 3, (const int64_t[]){1, columns(op) / tile.rows, tile.rows});
    opevo_i_template_prefer(out, CHANNELS, 2, (const int64_t[]){op->in_channels / depth, depth});
    opevo_i_template_prefer(out, ORDER, 3, (const int64_t[]){0, 2, 1});
    opevo_i_template_prefer(out, INNER, 3, (const int64_t[]){0, 2, 1});
    opevo_i_template_prefer(out, VECTOR, 1, &tile.lanes);
    opevo_i_template_prefer(out, UNROLL, 1, (const int64_t[]){64});
}

/* Whole images where there are enough; else blocks of output channels, which share the image; else
 * blocks of rows. */
static int64_t prefer_parallel(const opevo_operator *op, unsigned threads,
                               opevo_i_template_values *out)
{
    int64_t *f = out->at[F];
    int64_t *y = out->at[Y];

    if (op->batch >= threads)
        return 5;
    if (opevo_i_template_prefer_divided(channels(op) / f[2], threads, &f[0], &f[1]))
        return 1;
    return opevo_i_template_prefer_divided(rows(op) / y[2], threads, &y[0], &y[1]) ? 2 : 0;
}

const opevo_i_template opevo_i_template_conv2d_weights = {
    .info = {.name = "weights",
             .summary = "direct convolution for one core: weights packed before, lanes of channels",
             .kinds = 1U << OPEVO_CONV2D,
             .dialects = 1U << OPEVO_KERNEL_C},
    .space = space,
    .steps = steps,
    .prefer = prefer,
    .prefer_parallel = prefer_parallel,
};
