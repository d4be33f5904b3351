/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A product of matrices in tiles of tile_n x tile_m x tile_k. */

static int least(int a, int b)
{
    return a < b ? a : b;
}

void matmul(const float *restrict a, const float *restrict b, float *restrict c, int n, int m,
            int k)
{
    for (int i = 0; i < n * m; i++)
        c[i] = 0;
    for (int i0 = 0; i0 < n; i0 += tile_n)
        for (int l0 = 0; l0 < k; l0 += tile_k)
            for (int j0 = 0; j0 < m; j0 += tile_m)
                for (int i = i0; i < least(i0 + tile_n, n); i++)
                    for (int l = l0; l < least(l0 + tile_k, k); l++)
                        for (int j = j0; j < least(j0 + tile_m, m); j++)
                            c[i * m + j] += a[i * k + l] * b[l * m + j];
}
