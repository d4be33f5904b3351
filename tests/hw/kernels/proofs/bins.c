// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[i:n]; H[b:4] = sum(i) select(b <= X[i]*4 and X[i]*4 < b + 1, 1, 0)
//@ harness {"buffers": {"X": {"type": "f32", "count": "n", "fill": "zero"}, "H": {"type": "f32",
//@ harness  "count": 4}},
//@ harness  "steps": [{"call": "f", "arguments": ["X", "H", {"i32": "n"}]}],
//@ harness  "outputs": {"H": {"absolute": 0}}, "tune": {"sizes": {"n": 12}}}
//@ 0 undecided depend on data
//@ 1 undecided depend on data
//@ 2 undecided depend on data

// A histogram: by addresses, by comparisons, and by a branch on data.
void f(const float *X, float *H, int n)
{
    for (int b = 0; b < 4; b++)
        H[b] = 0;
    for (int i = 0; i < n; i++) {
#if CASE == 0
        int b = (int)(X[i] * 4);

        if (b >= 0 && b < 4)
            H[b] += 1;
#else
        for (int b = 0; b < 4; b++) {
            float x = X[i] * 4;
#if CASE == 2
            if (b <= x && x < b + 1)
                H[b] += 1;
#else
            float low = b <= x ? 1 : 0, both = x < b + 1 ? low : 0;

            H[b] += both;
#endif
        }
#endif
    }
}
