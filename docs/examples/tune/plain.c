/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the examples compute, in plain loops: their golden results. */

void vadd(const float *a, const float *b, float *c, int n)
{
    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
}

/* c[n][m] = a[n][k] b[k][m] */
void matmul(const float *a, const float *b, float *c, int n, int m, int k)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) {
            double sum = 0;

            for (int l = 0; l < k; l++)
                sum += (double)a[i * k + l] * b[l * m + j];
            c[i * m + j] = (float)sum;
        }
}

/* out[h][w] = sum over y, x of in[h + y][w + x] filter[y][x]; `in` has size - 1 more rows and columns. */
void conv(const float *in, const float *filter, float *out, int height, int width, int size)
{
    for (int h = 0; h < height; h++)
        for (int w = 0; w < width; w++) {
            double sum = 0;

            for (int y = 0; y < size; y++)
                for (int x = 0; x < size; x++)
                    sum += (double)in[(h + y) * (width + size - 1) + w + x] * filter[y * size + x];
            out[h * width + w] = (float)sum;
        }
}

/* The mean of the four neighbours; the border stays. */
void stencil(const float *in, float *out, int height, int width)
{
    for (int h = 0; h < height; h++)
        for (int w = 0; w < width; w++) {
            int at = h * width + w;
            int inside = h > 0 && w > 0 && h < height - 1 && w < width - 1;

            out[at] = inside ? 0.25f * (in[at - 1] + in[at + 1] + in[at - width] + in[at + width])
                             : in[at];
        }
}

void reduction(const float *in, float *out, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += in[i];
    *out = (float)sum;
}

/* out[width][height] from in[height][width] */
void transpose(const float *in, float *out, int height, int width)
{
    for (int h = 0; h < height; h++)
        for (int w = 0; w < width; w++)
            out[w * height + h] = in[h * width + w];
}

/* How often each value occurs; values are from 0 to bins - 1. */
void histogram(const int *in, int *out, int n, int bins)
{
    for (int i = 0; i < bins; i++)
        out[i] = 0;
    for (int i = 0; i < n; i++)
        out[in[i]]++;
}
