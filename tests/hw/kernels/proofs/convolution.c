// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[c:3, h:n, w:n]; W[o:4, c, r:3, s:3];
//@ computes  P[c, y:n+2, x:n+2] = select(1 <= y <= n and 1 <= x <= n, X[c, y - 1, x - 1], 0);
//@ computes  Y[o, h, w] = sum(c, r, s) P[c, h + r, w + s]*W[o, c, r, s]
//@ harness {"buffers": {"X": {"type": "f32", "count": "3*n*n", "fill": "zero"},
//@ harness  "W": {"type": "f32", "count": 108, "fill": "zero"},
//@ harness  "Y": {"type": "f32", "count": "4*n*n"}},
//@ harness  "steps": [{"call": "f", "arguments": ["X", "W", "Y"]}],
//@ harness  "outputs": {"Y": {"absolute": 0}}, "tune": {"sizes": {"n": 6}}}
//@ 0 proved
//@ 1 proved
//@ 2 proved
//@ 3 refuted Y[
//@ 4 refuted Y[
//@ 5 refuted buffer X
//@ fault 3 wrong constant of Winograd
//@ fault 4 wrong padding
//@ fault 5 guard

// Convolutions: direct, by a matrix of patches, and by Winograd's F(2 x 2, 3 x 3).
enum { N = 6 };

#if CASE == 2 || CASE == 3
/* B' d B of a patch of 4 x 4, G g G' of a kernel of 3 x 3. */
static void transform_patch(const float d[16], float out[16])
{
    float t[16];

    for (int j = 0; j < 4; j++) {
        t[j] = d[j] - d[8 + j];
        t[4 + j] = d[4 + j] + d[8 + j];
        t[8 + j] = d[8 + j] - d[4 + j];
        t[12 + j] = d[4 + j] - d[12 + j];
    }
    for (int i = 0; i < 4; i++) {
        out[4 * i] = t[4 * i] - t[4 * i + 2];
        out[4 * i + 1] = t[4 * i + 1] + t[4 * i + 2];
        out[4 * i + 2] = t[4 * i + 2] - t[4 * i + 1];
        out[4 * i + 3] = t[4 * i + 1] - t[4 * i + 3];
    }
}

static void transform_kernel(const float g[9], float out[16])
{
    const float half = CASE == 3 ? 0.25f : 0.5f; // a wrong constant
    float t[12];

    for (int j = 0; j < 3; j++) {
        t[j] = g[j];
        t[3 + j] = half * (g[j] + g[3 + j] + g[6 + j]);
        t[6 + j] = 0.5f * (g[j] - g[3 + j] + g[6 + j]);
        t[9 + j] = g[6 + j];
    }
    for (int i = 0; i < 4; i++) {
        out[4 * i] = t[3 * i];
        out[4 * i + 1] = 0.5f * (t[3 * i] + t[3 * i + 1] + t[3 * i + 2]);
        out[4 * i + 2] = 0.5f * (t[3 * i] - t[3 * i + 1] + t[3 * i + 2]);
        out[4 * i + 3] = t[3 * i + 2];
    }
}
#endif

static float at(const float *X, int c, int y, int x)
{
    return y >= 0 && y < N && x >= 0 && x < N ? X[(c * N + y) * N + x] : 0;
}

void f(const float *X, const float *W, float *Y)
{
#if CASE == 0 || CASE == 4 || CASE == 5 // with 4 the edges are not padded, with 5 not guarded
    for (int o = 0; o < 4; o++)
        for (int y = 0; y < N; y++)
            for (int x = 0; x < N; x++) {
                float s = 0;

                for (int c = 0; c < 3; c++)
                    for (int r = 0; r < 3; r++)
                        for (int q = 0; q < 3; q++) {
                            int yy = y + r - 1, xx = x + q - 1;

                            if (CASE == 4)
                                yy = yy < 0 ? 0 : yy;
                            s += (CASE == 5 ? X[(c * N + yy) * N + xx] : at(X, c, yy, xx)) *
                                 W[((o * 3 + c) * 3 + r) * 3 + q];
                        }
                Y[(o * N + y) * N + x] = s;
            }
#elif CASE == 1
    float patches[27 * N * N];

    for (int c = 0; c < 3; c++)
        for (int r = 0; r < 3; r++)
            for (int q = 0; q < 3; q++)
                for (int p = 0; p < N * N; p++)
                    patches[((c * 3 + r) * 3 + q) * N * N + p] =
                        at(X, c, p / N + r - 1, p % N + q - 1);
    for (int o = 0; o < 4; o++)
        for (int p = 0; p < N * N; p++) {
            float s = 0;

            for (int k = 0; k < 27; k++)
                s += W[o * 27 + k] * patches[k * N * N + p];
            Y[o * N * N + p] = s;
        }
#else
    float u[4 * 3][16];

    for (int k = 0; k < 4 * 3; k++)
        transform_kernel(W + 9 * k, u[k]);
    for (int y = 0; y < N; y += 2)
        for (int x = 0; x < N; x += 2) {
            float v[3][16];

            for (int c = 0; c < 3; c++) {
                float d[16];

                for (int i = 0; i < 16; i++)
                    d[i] = at(X, c, y + i / 4 - 1, x + i % 4 - 1);
                transform_patch(d, v[c]);
            }
            for (int o = 0; o < 4; o++) {
                float m[16] = {0}, t[8];

                for (int c = 0; c < 3; c++)
                    for (int i = 0; i < 16; i++)
                        m[i] += u[o * 3 + c][i] * v[c][i];
                for (int j = 0; j < 4; j++) {
                    t[j] = m[j] + m[4 + j] + m[8 + j];
                    t[4 + j] = m[4 + j] - m[8 + j] - m[12 + j];
                }
                for (int i = 0; i < 2; i++) {
                    float *to = &Y[(o * N + y + i) * N + x];

                    to[0] = t[4 * i] + t[4 * i + 1] + t[4 * i + 2];
                    to[1] = t[4 * i + 1] - t[4 * i + 2] - t[4 * i + 3];
                }
            }
        }
#endif
}
