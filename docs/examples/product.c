/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A matrix product in tiles of I x J x K, for `opevo tune --build`: each trial is this file with
 * other macros. It prints the shortest of three times. */

#include <stdio.h>
#include <time.h>

enum { N = 384 };

static float a[N][N], b[N][N], c[N][N];

static double now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void multiply(void)
{
    for (int i0 = 0; i0 < N; i0 += I)
        for (int j0 = 0; j0 < N; j0 += J)
            for (int k0 = 0; k0 < N; k0 += K)
                for (int i = i0; i < i0 + I; i++)
                    for (int k = k0; k < k0 + K; k++)
                        for (int j = j0; j < j0 + J; j++)
                            c[i][j] += a[i][k] * b[k][j];
}

int main(void)
{
    double best = 1e9;

    for (int i = 0; i < N * N; i++)
        a[i / N][i % N] = b[i / N][i % N] = (float)(i % 7);
    for (int run = 0; run < 3; run++) {
        double start = now_ms();

        multiply();
        if (now_ms() - start < best)
            best = now_ms() - start;
    }
    printf("%.4f ms, checksum %g\n", best, (double)c[N / 2][N / 3]);
    return 0;
}
