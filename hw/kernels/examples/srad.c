/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Speckle-reducing anisotropic diffusion of an image: srad_1 computes differences to the four
 * neighbours and the coefficient of diffusion of each pixel, srad_2 applies them. The image goes on
 * as its border pixels beyond its border. Source: Yu and Acton, IEEE Trans. Image Processing 11
 * (2002). */

#include "kernel_dialect.h"

KERNEL srad_1(const GLOBAL float *image, GLOBAL float *north, GLOBAL float *south,
              GLOBAL float *west, GLOBAL float *east, GLOBAL float *coefficient, int width,
              int height, float speckle)
{
    const int x = BLOCK(0) * BLOCK_SIZE(0) + THREAD(0);
    const int y = BLOCK(1) * BLOCK_SIZE(1) + THREAD(1);
    const int at = y * width + x;

    if (x >= width || y >= height)
        return;

    const float here = image[at];
    const float n = image[y > 0 ? at - width : at] - here;
    const float s = image[y < height - 1 ? at + width : at] - here;
    const float w = image[x > 0 ? at - 1 : at] - here;
    const float e = image[x < width - 1 ? at + 1 : at] - here;
    const float gradient = (n * n + s * s + w * w + e * e) / (here * here);
    const float laplacian = (n + s + w + e) / here;
    const float scale = 1 + 0.25f * laplacian;
    const float variation = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (scale * scale);
    float c = 1 / (1 + (variation - speckle) / (speckle * (1 + speckle)));

    if (c < 0)
        c = 0;
    else if (c > 1)
        c = 1;
    north[at] = n;
    south[at] = s;
    west[at] = w;
    east[at] = e;
    coefficient[at] = c;
}

KERNEL srad_2(GLOBAL float *image, const GLOBAL float *north, const GLOBAL float *south,
              const GLOBAL float *west, const GLOBAL float *east, const GLOBAL float *coefficient,
              int width, int height, float rate)
{
    const int x = BLOCK(0) * BLOCK_SIZE(0) + THREAD(0);
    const int y = BLOCK(1) * BLOCK_SIZE(1) + THREAD(1);
    const int at = y * width + x;

    if (x >= width || y >= height)
        return;

    const float here = coefficient[at];
    const float below = coefficient[y < height - 1 ? at + width : at];
    const float right = coefficient[x < width - 1 ? at + 1 : at];
    const float divergence =
        here * north[at] + below * south[at] + here * west[at] + right * east[at];

    image[at] = image[at] + 0.25f * rate * divergence;
}
