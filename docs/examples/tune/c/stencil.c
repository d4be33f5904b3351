/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A step of the five-point stencil in tiles of tile_h rows and tile_w columns. */

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void copy_border(const float *restrict in, float *restrict out, int height, int width)
{
    for (int w = 0; w < width; w++) {
        out[w] = in[w];
        out[(height - 1) * width + w] = in[(height - 1) * width + w];
    }
    for (int h = 0; h < height; h++) {
        out[h * width] = in[h * width];
        out[h * width + width - 1] = in[h * width + width - 1];
    }
}

void stencil(const float *restrict in, float *restrict out, int height, int width)
{
    copy_border(in, out, height, width);
    for (int h0 = 1; h0 < height - 1; h0 += tile_h)
        for (int w0 = 1; w0 < width - 1; w0 += tile_w)
            for (int h = h0; h < least(h0 + tile_h, height - 1); h++)
                for (int w = w0; w < least(w0 + tile_w, width - 1); w++) {
                    int at = h * width + w;

                    out[at] = 0.25f * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width]);
                }
}
