// SPDX-License-Identifier: GPL-3.0-or-later
//@ computes X[c:2, h:n, w:n]; P[c, y:n+2, x:n+2] = select(1 <= y <= n and 1 <= x <= n, X[c, y - 1,
//@ computes  x - 1], -3.4028235e38);
//@ computes  M[c, i:n/2, j:n/2] = max(r:3, s:3) P[c, 2*i + r, 2*j + s];
//@ computes  Z[c, y, x] = select(1 <= y <= n and 1 <= x <= n, X[c, y - 1, x - 1], 0);
//@ computes  A[c, i, j] = sum(r, s) Z[c, 2*i + r, 2*j + s]/9
//@ harness {"buffers": {"X": {"type": "f32", "count": "2*n*n", "fill": "zero"},
//@ harness  "M": {"type": "f32", "count": "n*n/2"}, "A": {"type": "f32", "count": "n*n/2"}},
//@ harness  "steps": [{"call": "f", "arguments": ["X", "M", "A", {"i32": "n"}]}],
//@ harness  "outputs": {"M": {"absolute": 0}, "A": {"absolute": 0}}, "tune": {"sizes": {"n": 6}}}
//@ 0 proved
//@ 1 proved
//@ 2 refuted M[
//@ 3 refuted A[
//@ 4 refuted M[
//@ 5 refuted buffer X
//@ 6 refuted No work item wrote
//@ 7 undecided depend on data
//@ fault 2 wrong padding
//@ fault 3 wrong constant
//@ fault 4 stale accumulator
//@ fault 5 guard
//@ fault 6 tail

// Pools of windows of 3 x 3 at a stride of 2, the largest and the mean with zeros as padding.
#include <math.h>

void f(const float *X, float *M, float *A, int n)
{
    float most = -INFINITY, sum;

    for (int c = 0; c < 2; c++)
        for (int i = 0; i < n / 2 - (CASE == 6 && c == 1); i++)
            for (int j = 0; j < n / 2; j++) {
                int count = 0, at = 0;

                most = CASE == 2 ? 0 : CASE == 4 ? most : -INFINITY;
                sum = 0;
                for (int r = 0; r < 3; r++)
                    for (int s = 0; s < 3; s++) {
                        int y = 2 * i + r - 1, x = 2 * j + s - 1;

                        if ((CASE != 5 && y < 0) || x < 0 || y >= n || x >= n)
                            continue;
#if CASE == 1
                        most = X[(c * n + y) * n + x] > most ? X[(c * n + y) * n + x] : most;
#elif CASE == 7
                        if (X[(c * n + y) * n + x] > most) {
                            most = X[(c * n + y) * n + x];
                            at = (c * n + y) * n + x;
                        }
#else
                        most = fmaxf(most, X[(c * n + y) * n + x]);
#endif
                        sum += X[(c * n + y) * n + x];
                        count++;
                    }
                M[(c * n / 2 + i) * (n / 2) + j] = CASE == 7 ? X[at] : most;
                A[(c * n / 2 + i) * (n / 2) + j] = sum / (CASE == 3 ? count : 9);
            }
}
