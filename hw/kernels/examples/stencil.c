/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One Jacobi step of the five-point stencil on a grid of `height` x `width`; the border is copied.
 * Blocks of any shape. */

#include "kernel_dialect.h"

KERNEL stencil(const GLOBAL float *in, GLOBAL float *out, int width, int height)
{
    const int x = BLOCK(0) * BLOCK_SIZE(0) + THREAD(0);
    const int y = BLOCK(1) * BLOCK_SIZE(1) + THREAD(1);
    const int at = y * width + x;

    if (x >= width || y >= height)
        return;
    if (x > 0 && y > 0 && x < width - 1 && y < height - 1)
        out[at] =
            0.5f * in[at] + 0.125f * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
    else
        out[at] = in[at];
}
