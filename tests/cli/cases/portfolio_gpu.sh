# SPDX-License-Identifier: GPL-3.0-or-later
# The kernels of a portfolio in CUDA and HIP: their functions compile, with declarations that stand for those of the
# vendors, and run, with a runtime that says what it was asked to launch. They were chosen by a driver and a compiler that
# run kernels on the processor.
folder=$(dirname "$(command -v opevo)")/tests/hw/fake_gpu
[ -d "$folder" ] || { echo "skipped: the stand-in for a GPU is not built" >&2; exit 77; }
clang=$(command -v clang++-19 || command -v clang++) || { echo "skipped: clang++ was not found" >&2; exit 77; }
mkdir -p include/hip
cat >include/cuda_runtime.h <<'EOF'
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a, unsigned b, unsigned c) : x(a), y(b), z(c) {}
};
struct float2 {
    float x, y;
};
struct float4 {
    float x, y, z, w;
};
struct uint3 {
    unsigned x, y, z;
};
extern __device__ const uint3 threadIdx, blockIdx;
__device__ void __syncthreads();
__device__ float __int_as_float(int bits);
__device__ float expf(float x);
typedef struct stream *cudaStream_t, *hipStream_t;
enum cudaError_t { cudaSuccess, cudaErrorInvalidValue };
typedef cudaError_t hipError_t;
#define hipErrorInvalidValue cudaErrorInvalidValue
extern "C" cudaError_t cudaGetLastError(), hipGetLastError();
extern "C" int cudaConfigureCall(dim3 grid, dim3 block, __SIZE_TYPE__ shared = 0, cudaStream_t stream = 0);
extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, __SIZE_TYPE__ shared = 0, void *stream = 0);
extern "C" cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, __SIZE_TYPE__ *shared, void *stream);
extern "C" cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, __SIZE_TYPE__ shared,
                                        cudaStream_t stream);
EOF
cat >runtime.cpp <<'EOF'
#include <cstdio>

struct dim3 {
    unsigned x, y, z;
};
struct stream;
static struct {
    dim3 grid, block;
    __SIZE_TYPE__ shared;
    void *stream;
} pushed;
static int extents; /* of kernels, behind three arrays */

extern "C" unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, __SIZE_TYPE__ shared, void *stream)
{
    pushed = {grid, block, shared, stream};
    return 0;
}
extern "C" int __cudaPopCallConfiguration(dim3 *grid, dim3 *block, __SIZE_TYPE__ *shared, void **stream)
{
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    *stream = pushed.stream;
    return 0;
}
extern "C" int cudaLaunchKernel(const void *, dim3 grid, dim3, void **arguments, __SIZE_TYPE__, void *stream)
{
    std::printf("launch on stream %p:", stream);
    for (int i = 0; i < 3; i++)
        std::printf(" %p", *(void **)arguments[i]);
    for (int i = 3; i < 3 + extents; i++)
        std::printf(" %d", *(int *)arguments[i]);
    std::printf(grid.x * grid.y * grid.z ? "\n" : " without blocks\n");
    return 0;
}
extern "C" int cudaGetLastError()
{
    return 0;
}
extern "C" int hipGetLastError()
{
    return 0;
}
extern "C" int portfolio_run(int workload, void *const *arrays, void *scratch, stream *stream);
extern "C" int portfolio_class_run(const long *numbers, void *const *arrays, void *scratch, stream *stream);

int main()
{
    void *const arrays[3] = {(void *)1, (void *)2, (void *)3};
    const long member[3] = {37, 24, 48}, other[3] = {65, 24, 48};
    int results[5] = {portfolio_run(0, arrays, nullptr, (stream *)4), portfolio_run(1, arrays, nullptr, (stream *)4),
                      portfolio_run(2, arrays, nullptr, (stream *)4), 0, 0};

    extents = 3;
    results[3] = portfolio_class_run(member, arrays, nullptr, (stream *)4);
    results[4] = portfolio_class_run(other, arrays, nullptr, (stream *)4);
    std::printf("%d %d %d, %d %d\n", results[0], results[1], results[2], results[3], results[4]);
    return 0;
}
EOF
cp include/cuda_runtime.h include/hip/hip_runtime.h
host() {
    $clang -x cuda --cuda-host-only -nocudainc -nocudalib -std=c++11 -Wall -Werror -Wno-unknown-cuda-version -Iinclude \
        "$@"
}
compile() {
    host -fsyntax-only "$1"
}
for device in cuda hip; do
    LD_LIBRARY_PATH=$folder opevo tune 'matmul(32,16,48)' 'matmul(40,24,16)' --on $device:0 --trials 6 --finals 0 \
        --store $device.db --quiet >/dev/null
    opevo portfolio $device.db --configurations 2 --emit $device | tail -1
    ls $device
    source=$device/kernels.cu
    [ $device = cuda ] || source=$device/kernels.hip.cpp
    compile $source && echo "compiles"
    grep -c '<<<dim3(' $source
    opevo portfolio $device.db --configurations 2 --class 'matmul(1..64,1..24,1..48)' --emit $device-class | tail -1
    compile $device-class/class/class.${source#*.} && echo "compiles"
    host -c -o kernels.o $source && host -c -o class.o $device-class/class/class.${source#*.} &&
        $clang -std=c++11 -Wall -Werror runtime.cpp kernels.o class.o -o run && ./run
    sed 's/any{arrays\[2\]}//' $source >$device/spoilt.cu
    compile $device/spoilt.cu 2>/dev/null || echo "spoilt"
    opevo portfolio $device.db --emit $device
done
# Two kernels with functions of the same names, and two workloads with one kernel.
LD_LIBRARY_PATH=$folder opevo tune 'A[i:8, j:16]; B[i, j] = sigmoid(A[i, j])' \
    'A[i:4, j:32]; B[i, j] = sigmoid(A[i, j])' 'A[i:5, j:7]; B[i, j] = sigmoid(A[i, j])' \
    --on cuda:0 --trials 6 --finals 0 --store sigmoid.db --quiet >/dev/null
opevo portfolio sigmoid.db --configurations 3 --emit sigmoid | tail -1
grep -l 'float opevo_sigmoid(' sigmoid/kernel-*/kernel.cu
compile sigmoid/kernels.cu && echo "compiles"
