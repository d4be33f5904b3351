#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# cuda.sh HOW-TO KERNELS OPEVO: the kernel in CUDA of the how-to is compiled without NVIDIA's headers, as the page says,
# and accepted by the interpreter, as native code and by OpenCL, if there is a device; so is a kernel with every function
# of cuda_words.h.
set -eu
page=$1 kernels=$2 opevo=$3
for program in clang-19 "$(dirname "$opevo")/opevo-evolver"; do
    command -v "$program" >/dev/null || {
        echo "skipped: $program is missing"
        exit 77
    }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The first code block of a language that has the word.
block() {
    awk -v language="$1" -v word="$2" '
        /^```/ { if (inside) { if (text ~ word) { printf "%s", text; exit }; inside = 0 } else if ($0 == "```" language) { inside = 1; text = "" }; next }
        inside { text = text $0 "\n" }' "$page"
}
block c scan >"$folder/scan.cu"
block json scan >"$folder/scan.json"
block sh cuda_words.h | sed "s|/usr/share/opevo/kernels|$kernels|" >"$folder/compile.sh"
[ -s "$folder/scan.cu" ] && [ -s "$folder/scan.json" ] && [ -s "$folder/compile.sh" ]

cat >"$folder/all.cu" <<'EOT'
extern "C" __global__ void __launch_bounds__(64) all(const float *in, float *out, unsigned *count, int *more, float *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ int least, most;
    __shared__ unsigned owner;

    __shared__ __align__(16) float four[4 * 64];

    *(float4 *)&four[4 * threadIdx.x] = float4{1, 2, 3, __int_as_float(0x3f800000)};
    if (threadIdx.x == 0) {
        least = n;
        most = 0;
        owner = 1000;
    }
    __syncthreads();
    if (i < n) {
        float x = in[i];

        out[i] = sqrtf(fabsf(x)) + expf(x) + exp2f(x) + logf(fabsf(x) + 1) + log2f(fabsf(x) + 1) + sinf(x) * cosf(x) + tanhf(x) + erff(x) +
                 floorf(4 * x) + ceilf(x) + truncf(x) + fminf(x, 0.5f) + fmaxf(x, 0.25f) + fmaf(x, x, 1) + min(x, 0.1f) +
                 max(x, 0.2f) + (float)abs(min(i - 9, 7)) + (float)max(i, 3) + (float)min(9u, (unsigned)i) + (float)max(9u, (unsigned)i) +
                 four[4 * (threadIdx.x ^ 1) + 3] + (float)(__float_as_int(four[1]) >> 20);
        atomicAdd(&count[0], 1u);
        atomicSub(&count[1], 2u);
        atomicMin(&count[2], (unsigned)i);
        atomicMax(&count[3], (unsigned)i);
        atomicOr(&count[4], 1u << (i & 31));
        atomicXor(&count[5], (unsigned)i);
        atomicAnd(&count[6], ~1u);
        atomicAdd(&more[0], i);
        atomicSub(&more[1], i);
        atomicAdd(&sum[0], 0.5f);
        atomicMin(&least, i);
        atomicMax(&most, i);
        if (atomicCAS(&owner, 1000u, 7u) == 1000u)
            atomicExch(&more[2], 5);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&more[3], least + most);
        atomicExch(&count[7], owner);
        atomicCAS(&more[4], 0, 3);
    }
}
EOT
cat >"$folder/all.json" <<'EOT'
{"buffers": {"in": {"type": "f32", "count": "n", "fill": {"uniform": [-1, 1]}}, "out": {"type": "f32", "count": "n"},
             "count": {"type": "u32", "count": 8, "fill": {"constant": 50}}, "more": {"type": "i32", "count": 8, "fill": "zero"},
             "sum": {"type": "f32", "count": 1, "fill": "zero"}},
 "steps": [{"launch": "all", "grid": "ceil(n, 64)", "block": 64, "arguments": ["in", "out", "count", "more", "sum", {"i32": "n"}]}],
 "outputs": {"out": {"relative": 1e-5, "floor": 1}, "count": "exact", "more": "exact", "sum": "exact"},
 "sets": {"search": [{"sizes": [{"n": 100}], "seeds": [1]}], "selection": [{"sizes": [{"n": 128}], "seeds": [11]}],
          "final": [{"sizes": [{"n": 64}], "seeds": [21]}]}}
EOT
cd "$folder"
sh -e compile.sh
sed 's/scan\./all./g' compile.sh | sh -e
machines='simt cpu'
if "$opevo" devices | grep -q '^opencl:0 '; then
    machines="$machines opencl:0"
fi
for kernel in scan all; do
    for machine in $machines; do
        "$opevo" edits apply "$kernel.ll" none --on "$machine" >said || {
            cat said
            exit 1
        }
        [ "$(grep -c '; error 0$' said)" = 3 ] || {
            cat said
            exit 1
        }
    done
done
# A copy without the barriers is told from it.
grep -v __syncthreads scan.cu >racy.cu
sed 's/-o scan.ll scan.cu/-o racy.ll racy.cu/' compile.sh | sh -e
if "$opevo" edits apply racy.ll none --harness scan.json >said 2>&1 || ! grep -q race: said; then
    cat said
    exit 1
fi
