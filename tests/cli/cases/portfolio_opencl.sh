# SPDX-License-Identifier: GPL-3.0-or-later
# The kernels of a portfolio on an OpenCL device: a program with its own context and buffers calls them by the numbers
# of a shape.
. "${0%/*}/../opencl_program.sh"
opevo tune 'matmul(32,16,48)' 'matmul(40,24,16)' --on opencl:0 --trials 4 --finals 0 --store runs.db --quiet >/dev/null
opevo portfolio runs.db --configurations 2 --emit out | tail -1
ls out
make -C out check 2>&1 | grep -c '^OK$'
make -C out >/dev/null 2>&1
cat >main.c <<'EOF'
#include "out/kernels.h"
#include "opencl_program.h"

#include <stdio.h>

static void product(portfolio *all, const double *shape)
{
    int m = (int)shape[0], k = (int)shape[1], n = (int)shape[2], w = portfolio_workload(shape), wrong = 0;
    static float a[4096], b[4096], c[4096];
    cl_mem arrays[3], scratch = NULL;
    cl_int code;

    for (int i = 0; i < m * k; i++)
        a[i] = (float)(i % 7 - 3);
    for (int i = 0; i < k * n; i++)
        b[i] = (float)(i % 5 - 2);
    arrays[0] = buffer(a, m * k);
    arrays[1] = buffer(b, k * n);
    arrays[2] = buffer(NULL, m * n);
    if (portfolio_scratch_bytes(w) > 0)
        scratch = buffer(NULL, (int)portfolio_scratch_bytes(w));
    code = portfolio_run(all, queue, w, arrays, scratch);
    clEnqueueReadBuffer(queue, arrays[2], CL_TRUE, 0, 4 * (size_t)(m * n), c, 0, NULL, NULL);
    for (int i = 0; i < m && code == CL_SUCCESS; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0; /* exact in small whole numbers */
            for (int l = 0; l < k; l++)
                sum += a[i * k + l] * b[l * n + j];
            wrong += sum != c[i * n + j];
        }
    printf("workload %d: %d, %d wrong\n", w, code, wrong);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(arrays[i]);
    if (scratch)
        clReleaseMemObject(scratch);
}

int main(void)
{
    static const double shapes[][3] = {{32, 16, 48}, {40, 24, 16}, {32, 16, 47}};
    portfolio *all = NULL;

    if (!open_device())
        return 1;
    printf("open: %d\n", portfolio_open(context, device, &all));
    for (int t = 0; t < 3; t++)
        product(all, shapes[t]);
    portfolio_close(all);
    close_device();
    return 0;
}
EOF
run_program out/libportfolio.a
