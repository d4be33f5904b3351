/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A histogram by `copies` counters of each bin, so that equal values one behind the other do not wait. */

enum { MOST_BINS = 1024 };

void histogram(const int *restrict in, int *restrict out, int n, int bins)
{
    int counts[copies][MOST_BINS] = {{0}};
    int i = 0;

    for (; i + copies <= n; i += copies)
        for (int k = 0; k < copies; k++)
            counts[k][in[i + k]]++;
    for (; i < n; i++)
        counts[0][in[i]]++;
    for (int b = 0; b < bins; b++) {
        out[b] = 0;
        for (int k = 0; k < copies; k++)
            out[b] += counts[k][b];
    }
}
