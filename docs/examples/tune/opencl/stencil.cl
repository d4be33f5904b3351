/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A step of the five-point stencil: a work item goes down `rows` rows of its column, and may keep what it has read. */

__kernel void stencil(__global const float *in, __global float *out, int height, int width)
{
    int w = get_global_id(0), first = get_global_id(1) * rows;
    float above = 0, here = 0;

    if (w >= width)
        return;
    for (int h = first; h < first + rows && h < height; h++) {
        int at = h * width + w;
        int inside = h > 0 && w > 0 && h < height - 1 && w < width - 1;
        int kept = keep && h > first;
        float up = kept ? above : h > 0 ? in[at - width] : 0;
        float center = kept ? here : in[at];
        float down = h < height - 1 ? in[at + width] : 0;

        out[at] = inside ? 0.25f * (in[at - 1] + in[at + 1] + up + down) : center;
        above = center;
        here = down;
    }
}
