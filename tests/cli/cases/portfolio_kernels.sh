# SPDX-License-Identifier: GPL-3.0-or-later
# The kernels of a portfolio: their own programs check them, and a program calls them by the numbers of a shape.
opevo tune 'matmul(32,16,48)' 'matmul(40,24,16)' --on cpu --trials 6 --finals 0 --store runs.db --quiet >/dev/null
opevo portfolio runs.db --configurations 2 --emit out | tail -1
ls out out/kernel-0
make -C out check 2>&1 | grep -c '^OK$'
grep -c "measured there, estimated: [1-9]" out/kernel-0/kernel.h out/kernel-1/kernel.h
make -C out >/dev/null 2>&1
cat >main.c <<'EOF'
#include "out/kernels.h"
#include <stdio.h>
#include <stdlib.h>
static float *array(long long count)
{
    return aligned_alloc(64, (size_t)(4 * count + 127) / 64 * 64);
}
int main(void)
{
    static const double shapes[][3] = {{32, 16, 48}, {40, 24, 16}, {32, 16, 47}};
    for (int t = 0; t < 3; t++) {
        int m = (int)shapes[t][0], k = (int)shapes[t][1], n = (int)shapes[t][2], w = portfolio_workload(shapes[t]);
        float *a = array(m * k), *b = array(k * n), *c = array(m * n);
        float *scratch = array(portfolio_scratch_bytes(w, 64) / 4 + 1);
        int wrong = 0;
        for (int i = 0; i < m * k; i++)
            a[i] = (float)(i % 7 - 3);
        for (int i = 0; i < k * n; i++)
            b[i] = (float)(i % 5 - 2);
        int result = portfolio_run(w, (void *[]){a, b, c}, scratch);
        for (int i = 0; i < m && !result; i++)
            for (int j = 0; j < n; j++) {
                float sum = 0; /* exact in small whole numbers */
                for (int l = 0; l < k; l++)
                    sum += a[i * k + l] * b[l * n + j];
                wrong += sum != c[i * n + j];
            }
        printf("workload %d: %d, %d wrong\n", w, result, wrong);
        free(a), free(b), free(c), free(scratch);
    }
    return 0;
}
EOF
cc -Wall -Werror main.c out/libportfolio.a -o main -fopenmp -lm && ./main
opevo portfolio runs.db --emit out
