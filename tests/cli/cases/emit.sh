# SPDX-License-Identifier: GPL-3.0-or-later
# A kernel from a schedule: the same source as the one that the schedule was written with, in a folder that builds.
opevo tune 'conv2d(2,3,9,8,5,3,3,2,1)' --on cpu --trials 3 --finals 0 --precision 50 --quiet --emit first >printed || cat printed
sed -n '/^# operator/p; /^# dialect/p' first/kernel.schedule
opevo emit --schedule first/kernel.schedule --to again
ls again
cmp first/kernel.c again/kernel.c
opevo emit 'conv2d(2,3,9,8,5,3,3,2,1)' --on cpu --schedule first/kernel.schedule | cmp - first/kernel.c
for file in main.c kernel.h; do grep -v 'device:\|measured there' first/$file | cmp - again/$file; done
build() { (cd "$1" && { command -v make >/dev/null && make || cc $(sed -n 's/^CFLAGS = //p' Makefile) -o kernel main.c kernel.c -lm; }) >log 2>&1; }
build again && again/kernel | tail -1
# The file that was written from a file says the same.
opevo emit --schedule again/kernel.schedule --to third && cmp again/kernel.schedule third/kernel.schedule
# Steps alone, and a sum of more operands, whose operator is read back from the head.
printf 'split C j 8\nannotate C j.1 vectorize\n' >steps
opevo emit 'matmul(9,10,20)' --schedule steps | grep -c 'opevo_computation_[0-9a-f]*(const float \*restrict a, const float \*restrict b, float \*restrict c, float \*restrict scratch)$'
# It needs no scratch memory, and gives no warning for that.
opevo emit 'matmul(9,10,20)' --schedule steps --to plain
cc -O1 -Wall -Wextra -Werror -c -o /dev/null plain/kernel.c
: >empty
opevo emit 'contraction(i=24,j=40,k=32;A[ik],const B[kj],S[j];D[ij]=A*B*S)' --schedule empty --to d
opevo emit --schedule d/kernel.schedule | cmp - d/kernel.c
# A schedule for GPUs, which is not compiled here.
printf '# operator: matmul(64,64,64)\n# dialect: cuda\nannotate C i block.x\nannotate C j thread.x\n' >gpu
opevo emit --schedule gpu --to gpu.files && ls gpu.files && grep -c '_BLOCK 64, 1, 1$' gpu.files/kernel.h
opevo emit --schedule gpu --on cuda:1 | grep -c __global__
# Constants in a layout of their own: packed by a function beside the kernel, whose time is printed apart.
opevo tune 'conv2d(1,3,9,8,5,3,3,1,1)' --on cpu --template weights --trials 3 --finals 0 --precision 50 --quiet --emit weights >printed || cat printed
build weights && weights/kernel >said; echo "status $?"
grep -c '^packing B, once: .* ms$' said
grep -c '_pack_b(const float \*x_B, float \*x_B_packed);$' weights/kernel.h
sed 's/\*to++ = /*to++ = 0.5f * /' weights/kernel.c >spoilt && mv spoilt weights/kernel.c && build weights
weights/kernel >said; echo "status $?: $(tail -1 said)"
# Refused, and nothing is written.
try() { opevo emit "$@" --to none; [ $? = 2 ] || echo "exit status is not 2: $*"; }
try mm1
try --schedule absent
try --schedule steps
try mm1 --schedule first/kernel.schedule
try --schedule gpu --on cpu
try --schedule gpu --on hip:0
try --schedule gpu --on gtx
try 'matmul(9,10,20)' --schedule steps --on cuda:0
try 'matmul(9,10,2O)' --schedule steps
printf '# operator: matmul(64,64)\n' >wrong
try --schedule wrong
printf '# operator: mm1\n# dialect: metal\n' >wrong
try --schedule wrong
printf '# operator: mm1\n\nsplit C j 8\nannotate C j.2 vectorize\n' >wrong
try --schedule wrong
printf '# operator: mm1\nsplit C j 128\nannotate C j.1 vectorize\n' >wrong
try --schedule wrong
printf '# operator: mm1\0' >wrong
try --schedule wrong
ls none 2>/dev/null
opevo emit --schedule first/kernel.schedule --to again; echo "status $?"
opevo emit --schedule first/kernel.schedule --to steps; echo "status $?"
