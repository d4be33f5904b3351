# SPDX-License-Identifier: GPL-3.0-or-later
# Whether two kernels give the same bits: sources with a harness, folders of --emit, and what does not fit.
command -v opevo-worker-simt >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
cat >sum.json <<'EOT'
{"buffers": {"A": {"type": "f32", "count": "n", "fill": "zero"}, "C": {"type": "f32", "count": 1}},
 "steps": [{"call": "sum", "arguments": ["A", "C", {"i32": "n"}]}], "outputs": {"C": {"absolute": 0}},
 "tune": {"sizes": {"n": 8}}}
EOT
kernel() { printf 'void sum(const float *A, float *C, int n)\n{\n    float s = 0;\n    %s\n    C[0] = s;\n}\n' "$2" >"$1"; }
kernel up.c 'for (int i = 0; i < n; i++) s += A[i];'
kernel same.c 'for (int i = 0; i < n; i += 2) { s = A[i] + s; s = A[i + 1] + s; }'
kernel down.c 'for (int i = n - 1; i >= 0; i--) s += A[i];'
opevo prove up.c --harness sum.json --computes 'A[i:8]; C[o:1] = sum(i) A[i]' 2>&1 | grep -q 'proofs need clang' && { echo "skipped: proofs of sources need clang (Debian: clang-19)" >&2; exit 77; }
prove() {
    opevo prove "$@" >said
    code=$?
    sed '/operations of/d; s/  .*//; s/[.] Not covered.*//' said
    echo "exit status $code"
}
prove up.c --same-bits same.c --harness sum.json
prove up.c --same-bits down.c --harness sum.json
grep -c 'of the other kernel' said
opevo prove up.c --same-bits same.c --harness sum.json --json | tail -1 | sed 's/"source": "[^"]*"/"source": S/'
# What each device computes in its own way is not decided, though it is one function of real numbers.
sed 's/{"call": "sum", /{"launch": "sum", "grid": 1, "block": "n", /; s/"count": 1}/"count": "n"}/' sum.json >each.json
each() { echo "__global__ void sum(const float *A, float *C, int n) { C[threadIdx.x] = $2; }" >"$1"; }
each exact.cu 'expf(A[threadIdx.x])'
each fast.cu '__expf(A[threadIdx.x])'
each root.cu 'rsqrtf(A[threadIdx.x])'
prove exact.cu --same-bits exact.cu --harness each.json
prove exact.cu --same-bits fast.cu --harness each.json
prove root.cu --same-bits root.cu --harness each.json
prove fast.cu --harness each.json --computes 'A[i:8]; C[i] = exp(A[i])'
# Folders: the same schedule, and others of one computation.
for seed in 1 2; do
    opevo tune 'C[i:8,j:8] = sum(k:8) A[i,k]*B[k,j]' --on cpu --trials 1 --tuner random --seed $seed --start none --finals 0 --emit folder$seed --quiet >/dev/null 2>&1
done
prove folder1 --same-bits folder1
opevo prove folder1 --same-bits folder2 >said
[ $? -ne 2 ] && echo "compared"
opevo prove up.c --same-bits none.c --harness sum.json
opevo prove up.c --same-bits same.c
# The same function of real numbers, in another order; not without a term, nor with an access that is wrong.
kernel less.c 'for (int i = 1; i < n; i++) s += A[i];'
kernel past.c 'for (int i = 0; i <= n; i++) s += i < n ? A[i] : 0 * A[i];'
for other in down less past; do prove $other.c --same-function up.c --harness sum.json; done
sed 's/"f32", "count": 1/"i32", "count": 1/; s/{"absolute": 0}/"exact"/' sum.json >whole.json
printf 'void sum(const float *A, int *C, int n)\n{\n    C[0] = n;\n}\n' >whole.c
prove whole.c --same-function whole.c --harness whole.json
opevo prove up.c --same-bits same.c --same-function down.c --harness sum.json
