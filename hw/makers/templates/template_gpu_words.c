/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Words that only templates for GPUs use. */

#include "template_internal.h"

void opevo_i_template_annotate_all(opevo_i_template_build *build, const char *stage,
                                   const opevo_i_template_bound *bound, size_t count)
{
    for (size_t i = 0; i < count; i++)
        opevo_i_template_annotate(build, stage, bound[i].loop, bound[i].what);
}

void opevo_i_template_set_buffers(opevo_i_template_build *build, const char *stage,
                                  const char *loop, int64_t buffers)
{
    if (buffers != OPEVO_I_SINGLE && opevo_i_template_extent(build, "C", loop) > 1)
        opevo_i_template_step(
            build, buffers == OPEVO_I_STAGED ? OPEVO_PIPELINE_STAGED : OPEVO_PIPELINE_DOUBLE_BUFFER,
            stage, 0, NULL);
}

void opevo_i_template_tile_convolution(opevo_i_template_build *build)
{
    static const struct {
        const char *loop;
        int tile, count;
    } splits[] = {
        {"f", OPEVO_I_TILE_F, 3}, {"y", OPEVO_I_TILE_Y, 3}, {"x", OPEVO_I_TILE_X, 3},
        {"c", OPEVO_I_TILE_C, 1}, {"r", OPEVO_I_TILE_R, 1}, {"s", OPEVO_I_TILE_S, 1},
    };
    static const opevo_i_template_bound bound[] = {
        {"n+f.0", OPEVO_ANNOTATION_BLOCK_Z}, {"y.0", OPEVO_ANNOTATION_BLOCK_Y},
        {"x.0", OPEVO_ANNOTATION_BLOCK_X},   {"f.1", OPEVO_ANNOTATION_VTHREAD},
        {"y.1", OPEVO_ANNOTATION_VTHREAD},   {"x.1", OPEVO_ANNOTATION_VTHREAD},
        {"f.2", OPEVO_ANNOTATION_THREAD_Z},  {"y.2", OPEVO_ANNOTATION_THREAD_Y},
        {"x.2", OPEVO_ANNOTATION_THREAD_X},
    };

    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++)
        opevo_i_template_split(build, "C", splits[i].loop, splits[i].count,
                               build->value->at[splits[i].tile] + 1);
    opevo_i_template_reorder(
        build, "C", "n f.0 y.0 x.0 f.1 y.1 x.1 f.2 y.2 x.2 c.0 r.0 s.0 c.1 r.1 s.1 f.3 y.3 x.3");
    opevo_i_template_fuse(build, "C", "n", 2);
    opevo_i_template_annotate_all(build, "C", bound, sizeof bound / sizeof *bound);
}

void opevo_i_template_prefer_convolution(const opevo_operator *op, int round,
                                         opevo_i_template_values *out)
{
    int64_t most = 256 >> round / 2;
    int64_t x = opevo_i_template_divisor_below(opevo_operator_out_width(op), 16);
    int64_t y = opevo_i_template_divisor_below(opevo_operator_out_height(op), 64 / x);
    int64_t f = most / (x * y) > 1 ? most / (x * y) : 1;

    opevo_i_template_prefer(out, OPEVO_I_TILE_F, 4, (const int64_t[]){1, 2, f, 2});
    opevo_i_template_prefer(out, OPEVO_I_TILE_Y, 4, (const int64_t[]){1, 1, y, 1});
    opevo_i_template_prefer(out, OPEVO_I_TILE_X, 4, (const int64_t[]){1, 1, x, 1});
    opevo_i_template_prefer(out, OPEVO_I_TILE_C, 2,
                            (const int64_t[]){1, round < 3 ? 8 >> round : 1});
    opevo_i_template_prefer(out, OPEVO_I_TILE_R, 2,
                            (const int64_t[]){1, round < 4 ? op->kernel_height : 1});
    opevo_i_template_prefer(out, OPEVO_I_TILE_S, 2,
                            (const int64_t[]){1, round < 5 ? op->kernel_width : 1});
}
