/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A convolution: `strip` elements of a row at a time, the loops over the filter outside of them or inside. */

static void part(const float *restrict in, const float *restrict filter, float *restrict out,
                 int count, int stride, int size)
{
#if filter_outside
    float sums[strip] = {0};

    for (int y = 0; y < size; y++)
        for (int x = 0; x < size; x++)
            for (int w = 0; w < count; w++)
                sums[w] += in[y * stride + w + x] * filter[y * size + x];
    for (int w = 0; w < count; w++)
        out[w] = sums[w];
#else
    for (int w = 0; w < count; w++) {
        float sum = 0;

        for (int y = 0; y < size; y++)
            for (int x = 0; x < size; x++)
                sum += in[y * stride + w + x] * filter[y * size + x];
        out[w] = sum;
    }
#endif
}

void conv(const float *restrict in, const float *restrict filter, float *restrict out, int height,
          int width, int size)
{
    int stride = width + size - 1;

    for (int h = 0; h < height; h++) {
        int w = 0;

        for (; w + strip <= width; w += strip)
            part(in + h * stride + w, filter, out + h * width + w, strip, stride, size);
        if (w < width)
            part(in + h * stride + w, filter, out + h * width + w, width - w, stride, size);
    }
}
