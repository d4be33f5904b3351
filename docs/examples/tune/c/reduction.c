/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A sum in `lanes` parts, each of which takes every lanes-th element. */

void reduction(const float *restrict in, float *restrict out, int n)
{
    float part[lanes] = {0};
    int i = 0;

    for (; i + lanes <= n; i += lanes)
        for (int k = 0; k < lanes; k++)
            part[k] += in[i + k];
    for (; i < n; i++)
        part[0] += in[i];
    *out = 0;
    for (int k = 0; k < lanes; k++)
        *out += part[k];
}
