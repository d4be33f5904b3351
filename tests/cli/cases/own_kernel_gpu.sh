# SPDX-License-Identifier: GPL-3.0-or-later
# The program that goes with an exported kernel for GPUs: it is C++ that fits the calls of CUDA and of HIP, here those
# of a header that only declares them.
command -v g++ >/dev/null && command -v clang-19 >/dev/null && [ -x "$(dirname "$(command -v opevo)")/opevo-worker-simt" ] ||
    { echo "skipped: g++, clang-19 or opevo-worker-simt is missing" >&2; exit 77; }
cat >sum.cu <<'EOT'
__global__ void sum(const float *in, float *out, int n)
{
    extern __shared__ float part[];
    part[threadIdx.x] = (int)threadIdx.x < n ? in[threadIdx.x] : 0;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i < n; i++)
            out[0] += part[i] * block / block;
}
EOT
cat >sum.json <<'EOT'
{"tune": {"sizes": {"n": 20}},
 "buffers": {"in": {"type": "f32", "count": "n", "fill": {"uniform": [0, 1]}}, "out": {"type": "f32", "count": 1}},
 "steps": [{"zero": "out"}, {"repeat": "k", "count": 2, "steps": [{"launch": "sum", "grid": "min(1, block)",
   "block": "block", "shared": "4 * block", "arguments": ["in", "out", {"i32": "n - k"}]}]}],
 "outputs": {"out": {"relative": 1e-5}}}
EOT
echo '{"block": {"_type": "discrete", "_value": [32, 64]}}' >space.json
cp sum.cu sum.hip
mkdir vendor vendor/hip
for name in cuda hip; do
    cat <<EOT
#pragma once
#include <stddef.h>
#define __global__
#define __syncthreads()
#define __shared__
typedef int ${name}Error_t;
typedef struct event *${name}Event_t;
struct dim3 { unsigned x, y, z; dim3(unsigned x, unsigned y, unsigned z) : x(x), y(y), z(z) {} };
static const dim3 threadIdx(0, 0, 0);
enum kind { ${name}MemcpyHostToDevice, ${name}MemcpyDeviceToHost, ${name}FuncAttributeMaxDynamicSharedMemorySize };
const char *${name}GetErrorString(${name}Error_t);
${name}Error_t ${name}FuncSetAttribute(const void *, kind, int), ${name}Malloc(void **, size_t),
    ${name}LaunchKernel(const void *, dim3, dim3, void **, size_t, void *), ${name}MemsetAsync(void *, int, size_t, void *),
    ${name}Memcpy(void *, const void *, size_t, kind), ${name}EventCreate(${name}Event_t *),
    ${name}EventRecord(${name}Event_t, void *), ${name}EventSynchronize(${name}Event_t),
    ${name}EventElapsedTime(float *, ${name}Event_t, ${name}Event_t);
EOT
done >both
awk '/^#pragma/ { n++ } { print > (n == 1 ? "vendor/cuda_runtime.h" : "vendor/hip/hip_runtime.h") }' both
for source in cu hip; do
    opevo tune sum.$source --harness sum.json --space space.json --on simt --trials 2 --finals 0 --quiet --emit $source >/dev/null
    (cd $source && ls && grep -c 'GPUCC) ' Makefile &&
        for each in main reference; do
            g++ -Wall -Wno-unused-variable -Wno-unused-function -fsyntax-only -x c++ -I../vendor $([ $source = cu ] || echo -D__HIPCC__) $each.*
        done)
done
