# SPDX-License-Identifier: GPL-3.0-or-later
# A network's library is proved as a whole against its model; a changed plan, weight, kernel, note, certificate or model is found.
command -v opevo-worker-simt >/dev/null || { echo "skipped: opevo is built without LLVM" >&2; exit 77; }
# A convolution of 1 x 1 with weights, and a Relu.
printf '\010\007\072\223\001\012\022\012\001x\012\001w\022\001c\032\001a\042\004Conv\012\017\012\001c\022\001y\032\001b\042\004Relu\022\001g\052\057\010\004\010\002\010\001\010\001\020\001B\001wJ\040\000\000\240\277\000\000\000\077\000\000\000\277\000\000\240\077\000\000\200\076\000\000\100\277\000\000\200\077\000\000\000\000Z\033\012\001x\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\002\012\002\010\006\012\002\010\006b\033\012\001y\022\026\012\024\010\001\022\020\012\002\010\001\012\002\010\004\012\002\010\006\012\002\010\006B\004\012\000\020\015' >model.onnx
opevo network model.onnx --threads 2 -o lib --quiet >printed
opevo prove lib | grep -q 'proofs need clang' && { echo "skipped: proofs of sources need clang (Debian: clang-19)" >&2; exit 77; }
prove() {
    opevo prove "$@" >said
    code=$?
    sed -n '/^network: proved/s/  .*//; /^memory\|^network\|^kernel\|^the/p' said | sed 's/: proved  .*/: proved/; s/[0-9a-f]\{16\}/HASH/g'
    echo "exit status $code"
}
echo "A library that was written without proofs, and one with certificates:"
prove lib --model model.onnx
opevo network model.onnx --threads 2 -o lib --quiet --prove >printed
prove lib --model model.onnx
echo "Its model is in the folder, and is not:"
cp model.onnx lib
prove lib
rm lib/model.onnx
prove lib
opevo prove lib --json | grep -o '"undecided": 0, "memory.*"reason'
echo "Another model:"
sed 's/Relu/Sqrt/' model.onnx >other.onnx
prove lib --model other.onnx
cp -r lib kept
changed() {
    echo "$1:"
    prove lib --model model.onnx
    rm -r lib
    cp -r kept lib
}
sed -i '/self->input\[0\]/s/input.0./arena + 16/' lib/net.c
changed "Another place of an operand"
printf '\100' | dd of=lib/weights.bin bs=1 seek=3 conv=notrunc 2>/dev/null
changed "Another weight"
sed -i 's/-ffp-contract=off/-ffast-math/; s/-O2/-Ofast/' lib/Makefile
cmp -s lib/Makefile kept/Makefile && echo "the Makefile is the same"
changed "Other flags of the compiler"
sed -i 's/fuse,//' lib/net.files
changed "A note that says other passes"
sed -i '/made:/d' lib/net.files
changed "A note that is missing"
sed -i '1,/[*][/]/s/max(/min(/' lib/kernel_000.c
changed "A kernel of another definition"
sed -i 's/"library": "proved"/"library": "refuted"/' lib/kernels.proof
changed "A certificate that was changed"
sed -i 's/"library": .*"files"/"library": "proved", "files"/; $!d' lib/kernels.proof
sed -i 's/bias/bias/; /self->input\[0\]/s/input.0./arena + 16/' lib/net.c
changed "A certificate of other files"
# Measured times are no part of it, and where times chose other steps they are made again.
opevo network model.onnx --threads 2 --on cpu --trials 2 --finals 0 -o tuned --quiet --timeout 60 >printed || cat printed
grep -c '"Conv+Relu", [1-9]' tuned/net.c
prove tuned --model model.onnx
opevo prove model.onnx --model model.onnx
opevo prove lib --model absent.onnx
