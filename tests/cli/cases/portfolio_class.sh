# SPDX-License-Identifier: GPL-3.0-or-later
# Kernels for all shapes of a class, chosen by the tree and with their extents as arguments: a program calls them at
# every number from 1 to 70, at random ones and at the largest, on arrays that end where they should.
opevo tune 'matmul(32,24,16)' 'matmul(6,24,16)' 'matmul(60,24,16)' --on cpu --trials 18 --finals 0 --store runs.db --quiet >/dev/null
opevo portfolio runs.db --configurations 2 --class 'matmul(1..4096,24,16)' --emit out | tail -1
ls out/class | grep -v kernel-
make -C out/class >/dev/null 2>&1
cat >main.c <<'EOF'
#include "out/class/class.h"
#include <stdio.h>
#include <stdlib.h>

enum { K = 24, N = 16 };

static float *floats(long count)
{
    return aligned_alloc(64, ((size_t)count * sizeof(float) + 127) / 64 * 64);
}

static long product(long m)
{
    float *a = floats(m * K), *b = floats(K * N), *c = floats(m * N + 1);
    float *scratch = floats(portfolio_class_scratch_bytes(1) / 4);
    void *arrays[] = {a, b, c};
    long wrong = 0;

    for (long i = 0; i < m * K; i++)
        a[i] = (float)(i % 7 - 3);
    for (long i = 0; i < K * N; i++)
        b[i] = (float)(i % 5 - 2);
    for (long i = 0; i <= m * N; i++)
        c[i] = 12345;
    wrong += portfolio_class_run(&m, arrays, scratch) != 0;
    for (long i = 0; i < m; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0; /* exact in small whole numbers */
            for (int l = 0; l < K; l++)
                sum += a[i * K + l] * b[l * N + j];
            wrong += sum != c[i * N + j];
        }
    wrong += c[m * N] != 12345;
    free(a), free(b), free(c), free(scratch);
    return wrong;
}

int main(void)
{
    const long below = 0, above = 4097;
    long wrong = product(4096);

    for (long m = 1; m <= 70; m++)
        wrong += product(m);
    for (int i = 0; i < 20; i++)
        wrong += product(1 + rand() % 4096);
    printf("%ld wrong; beyond the class: %d %d\n", wrong, portfolio_class_run(&below, NULL, NULL),
           portfolio_class_run(&above, NULL, NULL));
    return 0;
}
EOF
cc -Wall -Werror main.c out/class/libclass.a -lgomp -o main && ./main
# Numbers of a text that are not all whole.
opevo tune 'A[m:32, k:5]; C[m] = sum(k) 0.5*A[m, k]' 'A[m:2, k:5]; C[m] = sum(k) 0.5*A[m, k]' --on cpu --trials 4 \
    --finals 0 --store halves.db --quiet >/dev/null
opevo portfolio halves.db --configurations 2 --class 'A[m:1..64, k:5]; C[m] = sum(k) 0.5*A[m, k]' --emit halves | tail -1
make -C halves/class CC='cc -Werror=incompatible-pointer-types' >/dev/null 2>&1 && echo compiles
opevo portfolio runs.db --class 'matmul(1..4096,24,16)'
opevo portfolio runs.db --class 'matmul(1..50,24,16)' --emit bad
opevo portfolio runs.db --class 'conv2d(1,2,5..9,6,3,3,3,1,1)' --emit bad
opevo portfolio runs.db --class 'matmul(1..4096,24,16)' --numbers 'cpu:cpu matmul(32,24,16)=1' --emit bad
opevo portfolio runs.db --class 'matmul(1..4096,24,16)' --emit out
[ -e bad ] || echo "nothing was written"
