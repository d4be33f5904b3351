#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh oclgrind_tune.sh EXAMPLES: a second opinion on the kernels of docs/examples/tune/opencl, on small cases with edges:
# oclgrind finds no races, no values that nothing wrote and no accesses out of bounds, and finds each planted fault.
if ! command -v oclgrind-kernel >/dev/null; then
    echo "skipped: oclgrind-kernel is missing"
    exit 77
fi
launch=$(dirname "$(realpath "$0")")/oclgrind_launch.sh
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cp "$1"/*.cl "$folder" && cd "$folder" || exit 1
. "$launch"

# point NAME=VALUE...: the macros of what follows.
point() {
    options=
    for each; do
        options="$options -D$each"
    done
}

for apart in 0 1; do
    point block=16 items=3 width=4 apart=$apart
    clean vadd.cl vadd "48 1 1" "16 1 1" float:403:0.5 float:403:1 float:403 int=403
    for use_local in 0 1; do
        point block=16 items=4 use_local=$use_local apart=$apart bin_count=64
        clean histogram.cl histogram "64 1 1" "16 1 1" int:201:3 int:64:0 int=201
        point block_x=8 block_y=2 tile_x=2 tile_y=2 use_local=$use_local use_constant=$apart filter_size=5
        clean conv.cl conv "16 8 1" "8 2 1" float:437:0.5 float:25:1 float:285 local=640 int=15 int=19
    done
    point block_x=16 block_y=2 rows=2 keep=$apart
    clean stencil.cl stencil "32 6 1" "16 2 1" float:189:0.5 float:189 int=9 int=21
    point block=16 blocks=2 width=4 tree=$apart
    clean reduction.cl reduce "32 1 1" "16 1 1" float:402:0.5 float:2 int=402
    clean reduction.cl finish "16 1 1" "16 1 1" float:2:0.5 float:1
    point tile=8 rows=2 use_local=1 pad=$apart
    clean transpose.cl transpose "16 4 1" "8 2 1" float:135:0.5 float:135 int=15 int=9
done
point tile=8 rows=2 use_local=0 pad=0
clean transpose.cl transpose "16 4 1" "8 2 1" float:135:0.5 float:135 int=15 int=9
point block_x=4 block_y=2 work_x=2 work_y=2 tile_k=4
clean matmul.cl matmul "8 6 1" "4 2 1" float:77:0.5 float:91:2 float:143 int=11 int=13 int=7

# spoilt WORD SOURCE ...: as launch, of a copy with the fault, and oclgrind says the word.
spoilt() {
    word=$1
    shift
    launch "$@" | grep -qi "$word" || { echo "$2: no $word was found in a spoilt copy."; failed=1; }
}
sed '0,/ *barrier(CLK_LOCAL_MEM_FENCE);/s///' matmul.cl >spoilt.cl
spoilt race spoilt.cl matmul "8 6 1" "4 2 1" float:77:0.5 float:91:2 float:143 int=11 int=13 int=7
sed 's/r < n && s < m/r <= n \&\& s < m/' matmul.cl >spoilt.cl
spoilt invalid spoilt.cl matmul "8 6 1" "4 2 1" float:77:0.5 float:91:2 float:143 int=11 int=13 int=7
point tile=8 rows=2 use_local=1 pad=0
sed '0,/ *barrier(CLK_LOCAL_MEM_FENCE);/s///' transpose.cl >spoilt.cl
spoilt race spoilt.cl transpose "16 4 1" "8 2 1" float:135:0.5 float:135 int=15 int=9
point block=16 items=4 use_local=0 apart=1 bin_count=64
sed 's/atomic_inc(&\(.*\]\]\))/\1++/' histogram.cl >spoilt.cl
spoilt race spoilt.cl histogram "64 1 1" "16 1 1" int:201:3 int:64:0 int=201
point block=16 items=4 use_local=1 apart=0 bin_count=64
sed '0,/ *barrier(CLK_LOCAL_MEM_FENCE);/s///' histogram.cl >spoilt.cl
spoilt race spoilt.cl histogram "64 1 1" "16 1 1" int:201:3 int:64:0 int=201
point block=16 blocks=2 width=4 tree=1
sed '/part\[x\] = sum;/{n;d}' reduction.cl >spoilt.cl
spoilt race spoilt.cl reduce "32 1 1" "16 1 1" float:402:0.5 float:2 int=402
exit $failed
