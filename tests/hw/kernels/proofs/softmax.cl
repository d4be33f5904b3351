// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[i:n, j:m]; M[i] = max(j) X[i, j]; E[i, j] = exp(X[i, j] - M[i]);
//@ computes  S[i] = sum(j) E[i, j]; Y[i, j] = E[i, j]/S[i]
//@ harness {"buffers": {"X": {"type": "f32", "count": "n*m", "fill": "zero"},
//@ harness  "Y": {"type": "f32", "count": "n*m"}},
//@ harness  "steps": [{"launch": "f", "grid": "n", "block": 8,
//@ harness  "arguments": ["X", "Y", {"i32": "m"}]}],
//@ harness  "outputs": {"Y": {"absolute": 0}}, "tune": {"sizes": {"n": 2, "m": 21}}}
//@ 0 proved
//@ 1 refuted Y[
//@ 2 refuted nothing

// Softmax of a row by a work group; with 1 the sum begins with 1, with 2 the last halves are not set.
__kernel void f(__global const float *X, __global float *Y, int m)
{
    __local float part[8];
    const int t = get_local_id(0), row = get_group_id(0);
    float most = -INFINITY, sum = CASE == 1 ? 1.0f : 0.0f;

    for (int j = t; j < m; j += get_local_size(0))
        most = max(most, X[row * m + j]);
    if (CASE != 2 || t < 4)
        part[t] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_ = 4; half_ > 0; half_ /= 2) {
        if (t < half_)
            part[t] = fmax(part[t], part[t + half_]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = part[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int j = t; j < m; j += get_local_size(0))
        sum += native_exp(X[row * m + j] - most);
    part[t] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_ = 4; half_ > 0; half_ /= 2) {
        if (t < half_)
            part[t] += part[t + half_];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int j = t; j < m; j += get_local_size(0))
        Y[row * m + j] = exp(X[row * m + j] - most) / part[0];
}
