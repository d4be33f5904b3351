# SPDX-License-Identifier: GPL-3.0-or-later
# Kernels in OpenCL C that others wrote, on the first device: proved, with two faces, and wrong within the tolerance.
command -v opevo-worker-simt >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
opevo devices 2>/dev/null | grep -q opencl:0 || { echo "skipped: no OpenCL device: install pocl-opencl-icd" >&2; exit 77; }
cat >task.json <<'EOT'
{"buffers": {"A": {"type": "f32", "count": "n * n", "fill": {"uniform": [-1, 1]}},
             "B": {"type": "f32", "count": "n * n", "fill": {"uniform": [-1, 1]}}, "C": {"type": "f32", "count": "n * n"}},
 "steps": [{"launch": "mm", "grid": ["n / 8", "n / 8"], "block": [8, 8], "arguments": ["A", "B", "C", {"i32": "n"}]}],
 "outputs": {"C": {"absolute": 2}}, "flop": "2 * n * n * n",
 "reference": {"computation": "A[i:n, k:n]; B[k, j:n]; C[i, j] = sum(k) A[i, k]*B[k, j]"},
 "tune": {"sizes": {"n": 32}}, "judge": {"rounds": 2, "calls": 1}}
EOT
kernel() {
    cat >"$1" <<EOT
__kernel void mm(__global const float *A, __global const float *B, __global float *C, int n)
{
    int i = get_global_id(1), j = get_global_id(0), end = n;
    float s = 0;
$2
    for (int k = 0; k < end; k++)
        s += A[i * n + k] * B[k * n + j];
    C[i * n + j] = s;
}
EOT
}
kernel plain.cl ''
opevo prove plain.cl --harness task.json 2>&1 | grep -q 'proofs need clang' && { echo "skipped: proofs of sources need clang (Debian: clang-19)" >&2; exit 77; }
kernel term.cl '    end = n - 1;'
kernel faces.cl '#ifndef __NVPTX__
    end = n - 1;
#endif'
kernel data.cl '    if (A[0] > 2) end = 0;'
kernel shape.cl '    if (get_global_size(0) == 32) end = n / 2;'
opevo judge task.json plain.cl term.cl faces.cl data.cl shape.cl --on opencl:0 --baseline plain.cl >said
echo "exit status $?"
sed -n 's/^{"kernel": "\([^"]*\)", "baseline": \([a-z]*\), "verdict": "\([a-z]*\)".*/\1 \3/p' said
