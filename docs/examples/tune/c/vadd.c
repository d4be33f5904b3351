/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sums of two vectors, `block` elements in an inner loop. */

void vadd(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
    int i = 0;

    for (; i + block <= n; i += block)
        for (int k = 0; k < block; k++)
            c[i + k] = a[i + k] + b[i + k];
    for (; i < n; i++)
        c[i] = a[i] + b[i];
}
