# SPDX-License-Identifier: GPL-3.0-or-later
command -v opevo-worker-simt >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
# Times are those of this machine.
prove() {
    opevo prove "$@" >said
    code=$?
    sed -E 's/, [0-9.]+ million a second//; s/"(kernel_)?time_s":[^,}]*/"\1time_s":0/g' said
    echo "exit status $code"
}
cat >mm.c <<'END'
void mm(const float *A, const float *B, float *C, long n)
{
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++) {
            float s = 0;
            for (long k = 0; k < n; k++)
                s += A[i * n + k] * B[k * n + j];
            C[i * n + j] = s;
        }
}
END
cat >mm.json <<'END'
{"buffers": {"A": {"type": "f32", "count": "n*n", "fill": "zero"}, "B": {"type": "f32", "count": "n*n", "fill": "zero"},
             "C": {"type": "f32", "count": "n*n"}},
 "steps": [{"call": "mm", "arguments": ["A", "B", "C", {"i64": "n"}]}],
 "outputs": {"C": {"absolute": 0}}, "tune": {"sizes": {"n": 5}}}
END
product='A[i:n, k:n]; B[k, j:n]; C[i, j] = sum(k) A[i, k]*B[k, j]'
opevo prove mm.c --harness mm.json --computes "$product" 2>&1 | grep -q 'proofs need clang' &&
    { echo "skipped: proofs of sources need clang (Debian: clang-19)" >&2; exit 77; }
prove mm.c --harness mm.json --computes "$product"
prove mm.c --harness mm.json --computes "$product" --json --seed 3
prove mm.c --harness mm.json --computes "$product" --rounding
prove mm.c --harness mm.json --computes "$product" --rounding --json
# A lost term: the element and an input are named.
sed 's/k = 0/k = 1/' mm.c >lost.c
prove lost.c --harness mm.json --computes "$product"
prove lost.c --harness mm.json --computes "$product" --json
# Beyond the end.
sed 's/k < n/k <= n/' mm.c >beyond.c
prove beyond.c --harness mm.json --computes "$product"
# Data decide where a result goes.
sed 's/C\[i \* n + j\]/C[s > 1 ? i * n + j : j * n + i]/' mm.c >data.c
prove data.c --harness mm.json --computes "$product"
prove data.c --harness mm.json --computes "$product" --json
# What rounds in between to what the definition does not store.
sed 's/float s = 0/_Float16 s = 0/' mm.c >half.c
prove half.c --harness mm.json --computes "$product"
# Cases of other sizes are others, though a size is called seed; as are seeds of what is not an input.
sed 's/C\[i \* n + j\] = s/C[i * n + j] = n == 3 ? -s : s/' mm.c >three.c
group() { echo '[{"sizes": ['"$1"'], "geometries": [{}], "seeds": ['"$2"']}]'; }
five='{"seed": 1, "n": 5}'
sets='"sets": {"search": '$(group "$five" 1)', "selection": '$(group "$five" 2)', "final": '$(group "$five, {\"seed\": 1, \"n\": 3}" 3)'}'
sed 's/"tune": .*/"tune": {"sizes": {"seed": 1, "n": 5}}, '"$sets"'}/' mm.json >sizes.json
prove three.c --harness sizes.json --computes "$product" | grep -v "^  "
# A folder of --emit.
: >steps
opevo emit 'matmul(6,6,6)' --schedule steps --to folder
prove folder
# Its certificate is of the kernel with its definition.
opevo prove folder --json >folder/kernel.proof
prove folder | grep certificate
sed -i 's/matmul(6,6,6)/gmm(1,6,6,6)/' folder/kernel.schedule
prove folder | grep certificate
# Functions in front of a kernel whose names say something else than they do: exp doubled, a max that is not one,
# and one of another file.
opevo emit 'A[i:16]; B[i] = exp(A[i])' --schedule steps --to exp
opevo emit 'A[i:16]; B[i] = exp(A[i])' --schedule steps --to doubled
opevo emit 'A[i:16]; B[i] = exp(A[i])' --schedule steps --to chosen
opevo emit 'A[i:16]; B[i] = exp(A[i])' --schedule steps --to elsewhere
sed -i 's/return y [*]/return 2.0f * y */' doubled/kernel.c
sed -i 's/x > y;/x > x;/' chosen/kernel.c
sed -i 's/opevo_exp(a/opevo_exp2(a/; s/^void.*);/float opevo_exp2(float);\n&/' elsewhere/kernel.c
for folder in exp doubled chosen elsewhere; do prove $folder | tail -2; done
# A kernel that counts its calls, and one whose third thread does something else.
opevo emit 'A[i:16]; B[i] = 2*A[i]' --schedule steps --to calls
sed -i 's/^    (void)scratch;/&\n    static int calls;\n    if (calls++)\n        return;/' calls/kernel.c
prove calls | tail -1
printf 'annotate B i parallel\n' >parallel
opevo emit 'A[i:16]; B[i] = 2*A[i]' --schedule parallel --to thread
prove thread | tail -1
sed -i 's/^void.*);/int omp_get_thread_num(void);\n&/; s/^        b/        if (omp_get_thread_num() < 2) b/' thread/kernel.c
prove thread | tail -1
# Input that does not fit together.
prove mm.c
prove absent.c --harness mm.json --computes "$product"
prove mm.c --harness mm.json
prove mm.c --harness mm.json --computes 'A[i:n]; C[i] = A[j]'
prove mm.c --harness mm.json --computes 'A[i:n, k:n]; E[k, j:n]; C[i, j] = sum(k) A[i, k]*E[k, j]'
prove mm.py --harness mm.json --computes "$product"
prove mm.c --harness absent.json --computes "$product"
echo 'void mm(' >syntax.c
prove syntax.c --harness mm.json --computes "$product" 2>&1 | sed 's/compile it: .*/compile it/'
mkdir empty
prove empty
prove mm.c --harness mm.json --computes "$product" --seed x
# Folders for GPUs, and one whose kernel subtracts.
echo '# operator: matmul(4,8,6)' >plain.schedule
for device in cuda:0 hip:0; do
    opevo emit --schedule plain.schedule --on $device --to folder-$device >/dev/null
    opevo prove folder-$device | sed -n '1s/ .*//p'
    sed -i 's/ += / -= /' folder-$device/kernel.[ch][ui]*
    opevo prove folder-$device | sed -n '1s/ .*//p'
done
