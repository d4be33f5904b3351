// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes A[i:n, k:n]; B[k, j:n]; C[i, j] = sum(k) A[i, k]*B[k, j]
//@ harness {"buffers": {"A": {"type": "f32", "count": "n*n", "fill": "zero"},
//@ harness  "B": {"type": "f32", "count": "n*n", "fill": "zero"},
//@ harness  "C": {"type": "f32", "count": "n*n"}},
//@ harness  "steps": [{"call": "f", "arguments": ["A", "B", "C"]}],
//@ harness  "outputs": {"C": {"absolute": 0}}, "tune": {"sizes": {"n": 10}}}
//@ 0 proved
//@ 1 proved
//@ 2 proved
//@ 3 refuted C[
//@ 4 proved
//@ 5 refuted C[
//@ 6 proved
//@ 7 proved
//@ 8 proved
//@ 9 refuted C[
//@ 10 proved
//@ 11 undecided rounds to float16
//@ 12 proved
//@ 13 refuted C[

// Products of matrices as they are written by hand.
enum { N = 10, H = N / 2 };

#if CASE == 8 || CASE == 9
static void add(const float *x, const float *y, float sign, float *out)
{
    for (int i = 0; i < H; i++)
        for (int j = 0; j < H; j++)
            out[i * H + j] = x[i * N + j] + sign * y[i * N + j];
}

static void multiply(const float *x, const float *y, float *out)
{
    for (int i = 0; i < H; i++)
        for (int j = 0; j < H; j++) {
            float s = 0;

            for (int k = 0; k < H; k++)
                s += x[i * H + k] * y[k * H + j];
            out[i * H + j] = s;
        }
}
#endif

void f(const float *A, const float *B, float *C)
{
#if CASE == 0 // naive
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            C[i * N + j] = 0;
            for (int k = 0; k < N; k++)
                C[i * N + j] += A[i * N + k] * B[k * N + j];
        }
#elif CASE == 1                // rows of B in the inner loop
    for (int i = 0; i < N * N; i++)
        C[i] = 0;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++)
            for (int j = 0; j < N; j++)
                C[i * N + j] += A[i * N + k] * B[k * N + j];
#elif CASE == 2 || CASE == 3   // split sums; with 3 without the rest
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float s[4] = {0}, rest = 0;
            int k = 0;

            for (; k + 4 <= N; k += 4)
                for (int l = 0; l < 4; l++)
                    s[l] += A[i * N + k + l] * B[(k + l) * N + j];
            for (; CASE == 2 && k < N; k++)
                rest += A[i * N + k] * B[k * N + j];
            C[i * N + j] = (s[0] + s[1]) + (s[2] + s[3]) + rest;
        }
#elif CASE == 4 || CASE == 5   // Kahan's sums; with 5 the correction has the wrong sign and stays
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float s = 0, lost = 0;

            for (int k = 0; k < N; k++) {
                float term = A[i * N + k] * B[k * N + j] - lost, next = s + term;

                lost = CASE == 4 ? (next - s) - term : next - s;
                s = next;
            }
            C[i * N + j] = s;
        }
#elif CASE == 6                // blocks, whose last ones are cut
    for (int i = 0; i < N * N; i++)
        C[i] = 0;
    for (int ib = 0; ib < N; ib += 4)
        for (int kb = 0; kb < N; kb += 3)
            for (int jb = 0; jb < N; jb += 8)
                for (int i = ib; i < ib + 4 && i < N; i++)
                    for (int j = jb; j < jb + 8 && j < N; j++)
                        for (int k = kb; k < kb + 3 && k < N; k++)
                            C[i * N + j] += A[i * N + k] * B[k * N + j];
#elif CASE == 7                // B turned before
    float turned[N * N];

    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            turned[j * N + k] = B[k * N + j];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            float s = 0;

            for (int k = N - 1; k >= 0; k--)
                s = __builtin_fmaf(A[i * N + k], turned[j * N + k], s);
            C[i * N + j] = s;
        }
#elif CASE == 8 || CASE == 9   // Strassen's algorithm, one level
    const float *a[2][2] = {{A, A + H}, {A + H * N, A + H * N + H}};
    const float *b[2][2] = {{B, B + H}, {B + H * N, B + H * N + H}};
    static const float zeros[N * N];
    float x[H * H], y[H * H], m[7][H * H];

    add(a[0][0], a[1][1], 1, x), add(b[0][0], b[1][1], 1, y), multiply(x, y, m[0]);
    add(a[1][0], a[1][1], 1, x), add(b[0][0], zeros, 1, y), multiply(x, y, m[1]);
    add(a[0][0], zeros, 1, x), add(b[0][1], b[1][1], -1, y), multiply(x, y, m[2]);
    add(a[1][1], zeros, 1, x), add(b[1][0], b[0][0], -1, y), multiply(x, y, m[3]);
    add(a[0][0], a[0][1], 1, x), add(b[1][1], zeros, 1, y), multiply(x, y, m[4]);
    add(a[1][0], a[0][0], -1, x), add(b[0][0], b[0][1], 1, y), multiply(x, y, m[5]);
    add(a[0][1], a[1][1], -1, x), add(b[1][0], b[1][1], 1, y), multiply(x, y, m[6]);
    for (int i = 0; i < H; i++)
        for (int j = 0; j < H; j++) {
            int at = i * H + j;
            float sign = CASE == 8 ? 1 : -1;

            C[i * N + j] = m[0][at] + m[3][at] - m[4][at] + sign * m[6][at];
            C[i * N + j + H] = m[2][at] + m[4][at];
            C[(i + H) * N + j] = m[1][at] + m[3][at];
            C[(i + H) * N + j + H] = m[0][at] - m[1][at] + m[2][at] + m[5][at];
        }
#elif CASE == 10 || CASE == 11 // sums in another precision
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
#if CASE == 10
            double s = 0;
#else
            _Float16 s = 0;
#endif
            for (int k = 0; k < N; k++)
                s += A[i * N + k] * B[k * N + j];
            C[i * N + j] = (float)s;
        }
#elif CASE == 12 || CASE == 13 // vectors of 4 columns, the last ones alone; with 13 one too few
    typedef float V4 __attribute__((vector_size(16), aligned(4)));

    for (int i = 0; i < N; i++) {
        int j = 0;

        for (; j + 4 <= N; j += 4) {
            V4 s = {0};

            for (int k = 0; k < N; k++)
                s += A[i * N + k] * *(const V4 *)&B[k * N + j];
            *(V4 *)&C[i * N + j] = s;
        }
        for (; j < N; j++) {
            float s = 0;

            for (int k = 0; k < N - (CASE == 13); k++)
                s += A[i * N + k] * B[k * N + j];
            C[i * N + j] = s;
        }
    }
#endif
}
