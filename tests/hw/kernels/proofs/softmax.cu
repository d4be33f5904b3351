// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[i:n, j:40]; M[i] = max(j) X[i, j]; E[i, j] = exp(X[i, j] - M[i]);
//@ computes  S[i] = sum(j) E[i, j]; Y[i, j] = E[i, j]/S[i]
//@ harness {"buffers": {"X": {"type": "f32", "count": "n*40", "fill": "zero"},
//@ harness  "Y": {"type": "f32", "count": "n*40"}},
//@ harness  "steps": [{"launch": "f", "grid": "n", "block": 32, "arguments": ["X", "Y"]}],
//@ harness  "outputs": {"Y": {"absolute": 0}}, "tune": {"sizes": {"n": 2}}}
//@ 0 proved
//@ 1 refuted Y[
//@ 2 proved

// Softmax of a row by a warp, whose lanes have one or two elements; with 1 the second ones count once
// too often, with 2 each lane goes over its elements in one pass.
extern "C" __global__ void f(const float *X, float *Y)
{
    const float *x = X + blockIdx.x * 40;
    int lane = threadIdx.x;
    float most = -__builtin_inff(), sum = 0;

    for (int j = lane; j < 40; j += 32) {
        float next = fmaxf(most, x[j]);

        if (CASE == 2)
            sum = sum * __builtin_expf(most - next) + __builtin_expf(x[j] - next);
        most = next;
    }
    float own = most;
    for (int half = 16; half > 0; half /= 2)
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, half));
    sum *= CASE == 2 ? __builtin_expf(own - most) : 1;
    for (int j = lane; CASE != 2 && j < 40; j += 32)
        sum += __builtin_expf(x[j] - most) * (CASE == 1 && j >= 32 ? 2 : 1);
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, half);
    for (int j = lane; j < 40; j += 32)
        Y[blockIdx.x * 40 + j] = __builtin_expf(x[j] - most) / sum;
}
