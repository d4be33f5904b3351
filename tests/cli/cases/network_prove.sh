# SPDX-License-Identifier: GPL-3.0-or-later
# The kernels of a library are proved; another definition, another kernel, and outputs that overwrite what is read later are not.
command -v opevo-worker-simt >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
# A convolution of 1 x 1 with weights, and a Relu.
printf '\010\007\072\223\001\012\022\012\001x\012\001w\022\001c\032\001a\042\004Conv\012\017\012\001c\022\001y\032\001b\042\004Relu\022\001g\052\057\010\004\010\002\010\001\010\001\020\001B\001wJ\040\000\000\240\277\000\000\000\077\000\000\000\277\000\000\240\077\000\000\200\076\000\000\100\277\000\000\200\077\000\000\000\000Z\033\012\001x\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\002\012\002\010\006\012\002\010\006b\033\012\001y\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\004\012\002\010\006\012\002\010\006B\004\012\000\020\015' >model.onnx
short() { sed '/^  /d; s/  .*//; s/[.] Not covered.*//; s/, "\(memory\|elements\|source\|not_covered\|probability\|memory_plan_proved\)".*}/}/'; }
opevo network model.onnx --threads 2 -o lib --prove --quiet >printed 2>said
grep -q 'proofs need clang' lib/kernels.proof && { echo "skipped: proofs of sources need clang (Debian: clang-19)" >&2; exit 77; }
tail -1 printed | short
short <lib/kernels.proof
opevo network model.onnx --threads 2 -o lib --prove --quiet --json | grep -o '"proof": {.*"undecided": 0'
prove() {
    opevo prove "$@" >said
    code=$?
    short <said
    echo "exit status $code"
}
prove lib --model model.onnx
prove lib --model model.onnx --json
# Another definition; another kernel.
cp lib/kernel_000.c kept.c
sed -i '1,/[*][/]/s/max(/min(/' lib/kernel_000.c
prove lib --model model.onnx
sed 's/^void opevo_\(.*\), float [*]restrict scratch)$/&\n{ (void)a; (void)b; (void)c; (void)scratch; }\nstatic void unused_\1, float *restrict scratch)/' kept.c >lib/kernel_000.c
prove lib --model model.onnx
# A function of the name that the library calls, in front of a right one; a kernel that counts its calls.
name=$(sed -n 's/^void \(opevo_[^(]*\).*/\1/p' kept.c | tail -1)
{
    sed "s/^void $name(.*[^;]\$/static &/" kept.c | sed "s/$name/opevo_other/; s/^static //"
    sed -n "s/^void $name(.*[^;]\$/&/p" kept.c
    echo '{ (void)a; (void)b; (void)c; (void)scratch; }'
} >lib/kernel_000.c
prove lib --model model.onnx
sed 's/^    (void)scratch;$/    static int calls;\n    c[0] = 0;\n    if (calls++)\n        return;/' kept.c >lib/kernel_000.c
prove lib --model model.onnx
# Kernels that the list names and the folder lacks.
cp kept.c lib/kernel_000.c
echo kernel_001.c >>lib/net.files
prove lib --model model.onnx
# Another name, and a library without proofs in the place of one that had them.
opevo network model.onnx --threads 2 -o lib --name mine --prove --quiet | tail -1 | short
opevo network model.onnx --threads 2 -o lib --quiet >printed
ls lib | grep proof
# Made by hand: an output that may lie in its input, of its own element, of another one, and as if it did not.
mkdir hand
kernel() {
    printf '/* X0[8]\n * Y0[i:8] = 2*X0[%s] */\n\n/* scratch memory: 0 bytes, and 0 of each thread */\n' "$2"
    printf '/* Y0 may lie where X0 lies */\n\nvoid opevo_twice(const float *%sa, float *b, float *scratch)\n' "$3"
    printf '{\n    (void)scratch;\n    for (long i = 0; i < 8; i++)\n        b[i] = 2*a[%s];\n}\n' "$2"
} >hand/kernel_00"$1".c
kernel 0 i ''
kernel 1 '7 - i' ''
kernel 2 i 'restrict '
prove hand
# The comment behind another one; and plain pointers that no comment explains.
sed -i 's/^.. Y0 may/\/* Backwards. *\/\n&/' hand/kernel_001.c
sed -i '/^.. Y0 may/d' hand/kernel_000.c
prove hand
# Not without what a call must know, and not for GPUs.
sed -i /scratch.memory/d hand/kernel_000.c
prove hand/kernel_000.c
prove lib --computes 'A[i:2]; B[i] = A[i]'
opevo network model.onnx --prove
opevo network model.onnx --on cuda:0 -o gpu --prove
# Of several targets, each as its own compiler reads it.
opevo network model.onnx --threads 1 --target v2,v4,aarch64 -o several --prove --quiet | tail -1 | short
prove several
