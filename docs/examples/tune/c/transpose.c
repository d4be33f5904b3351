/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A transposition in tiles of tile_h x tile_w; `read_rows` goes along the rows of the input in a tile. */

static int least(int a, int b)
{
    return a < b ? a : b;
}

void transpose(const float *restrict in, float *restrict out, int height, int width)
{
    for (int h0 = 0; h0 < height; h0 += tile_h)
        for (int w0 = 0; w0 < width; w0 += tile_w) {
            int h1 = least(h0 + tile_h, height), w1 = least(w0 + tile_w, width);

#if read_rows
            for (int h = h0; h < h1; h++)
                for (int w = w0; w < w1; w++)
                    out[w * height + h] = in[h * width + w];
#else
            for (int w = w0; w < w1; w++)
                for (int h = h0; h < h1; h++)
                    out[w * height + h] = in[h * width + w];
#endif
        }
}
