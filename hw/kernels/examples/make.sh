#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compile the kernels to LLVM modules for NVIDIA's GPUs: sh make.sh [FOLDER], by default this folder.
# The committed modules are those of clang 19, which may also be named by CLANG.
set -eu
out=$(mkdir -p "${1:-$(dirname "$0")}" && cd "${1:-$(dirname "$0")}" && pwd)
cd "$(dirname "$0")"

# compile NAME [SOURCE [FLAG...]]: without vectors, which the interpreter lacks, and without fused
# multiplication and addition, so that a CPU computes the same bits.
compile() {
    name=$1 source=${2:-$1}
    shift $(($# < 2 ? 1 : 2))
    "${CLANG:-clang-19}" -O2 --target=nvptx64-nvidia-cuda -march=sm_70 -nogpulib -std=gnu11 -Wall -Wextra \
        -ffp-contract=off -fno-vectorize -fno-slp-vectorize -gline-tables-only -ffile-compilation-dir=. \
        -fno-ident "$@" -S -emit-llvm -o "$out/$name.ll" "$source.c"
}

# The planted stores stay in the inner loop, which optimisers move them out of.
compile planted planted -DPLANT_ALL -mllvm -disable-licm-promotion
compile planted-store planted -DPLANT_STORE -mllvm -disable-licm-promotion
compile planted-test planted -DPLANT_TEST
compile planted-barrier planted -DPLANT_BARRIER
compile planted-repeat planted -DPLANT_REPEAT
compile planted-none planted
for name in matmul stencil hotspot pathfinder nw bfs lud srad reduction backprop kmeans smo jacobi; do
    compile $name
done
