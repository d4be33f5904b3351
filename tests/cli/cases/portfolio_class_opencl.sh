# SPDX-License-Identifier: GPL-3.0-or-later
# Kernels for all shapes of a class on an OpenCL device: a program with its own context calls them at many numbers.
. "${0%/*}/../opencl_program.sh"
opevo tune 'matmul(32,16,24)' 'matmul(5,16,24)' --on opencl:0 --trials 4 --finals 0 --store runs.db --quiet >/dev/null
opevo portfolio runs.db --configurations 2 --class 'matmul(1..200,16,24)' --emit out | tail -1
ls out/class | grep -v kernel-
make -C out/class >/dev/null 2>&1
cat >main.c <<'EOF'
#include "out/class/class.h"
#include "opencl_program.h"

#include <stdio.h>

static long product(portfolio_class *all, long m)
{
    enum { K = 16, N = 24 };
    long wrong = 0;
    static float a[200 * K], b[K * N], c[201 * N];
    cl_mem arrays[3], scratch = NULL;
    cl_int code;

    for (int i = 0; i < m * K; i++)
        a[i] = (float)(i % 7 - 3);
    for (int i = 0; i < K * N; i++)
        b[i] = (float)(i % 5 - 2);
    for (int i = 0; i < (m + 1) * N; i++)
        c[i] = 12345;
    arrays[0] = buffer(a, (int)m * K);
    arrays[1] = buffer(b, K * N);
    arrays[2] = buffer(c, (int)(m + 1) * N);
    if (portfolio_class_scratch_bytes() > 0)
        scratch = buffer(NULL, (int)portfolio_class_scratch_bytes());
    code = portfolio_class_run(all, queue, &m, arrays, scratch);
    clEnqueueReadBuffer(queue, arrays[2], CL_TRUE, 0, 4 * (size_t)((m + 1) * N), c, 0, NULL, NULL);
    wrong += code != CL_SUCCESS;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < N; j++) {
            float sum = 0; /* exact in small whole numbers */
            for (int l = 0; l < K; l++)
                sum += a[i * K + l] * b[l * N + j];
            wrong += sum != c[i * N + j];
        }
    for (int j = 0; j < N; j++)
        wrong += c[m * N + j] != 12345;
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(arrays[i]);
    if (scratch)
        clReleaseMemObject(scratch);
    return wrong;
}

int main(void)
{
    const long beyond = 201;
    long wrong = 0;
    portfolio_class *all = NULL;

    if (!open_device())
        return 1;
    printf("open: %d\n", portfolio_class_open(context, device, &all));
    for (long m = 1; m <= 70; m++)
        wrong += product(all, m);
    wrong += product(all, 200);
    printf("%ld wrong; beyond the class: %d\n", wrong, portfolio_class_run(all, queue, &beyond, NULL, NULL));
    portfolio_class_close(all);
    close_device();
    return 0;
}
EOF
run_program out/class/libclass.a
