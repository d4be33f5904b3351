#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# sh oclgrind.sh KERNELS: a second opinion on the kernels, compiled as OpenCL C: oclgrind finds no races, no values that
# nothing wrote and no accesses out of bounds in them, and finds a race in a copy without a barrier.
if ! command -v oclgrind-kernel >/dev/null; then
    echo "skipped: oclgrind-kernel is missing"
    exit 77
fi
launch=$(dirname "$(realpath "$0")")/oclgrind_launch.sh
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cp "$1"/*.c "$1"/*.h "$folder" && cd "$folder" || exit 1

options="-I. -DPLANT_ALL"
. "$launch"

clean planted.c planted "16 16 1" "8 8 1" float:256:0.5 float:256:2 float:256 int=16 int=2
clean matmul.c matmul "16 16 1" "8 8 1" float:117:0.5 float:143:2 float:99 int=9 int=11 int=13
clean stencil.c stencil "24 16 1" "8 8 1" float:300:1 float:300 int=20 int=15
clean hotspot.c hotspot "32 32 1" "16 16 1" float:400:1 float:400:60 float:400 int=20 int=2 float=0.1 float=0.01 float=80
clean pathfinder.c pathfinder "128 1 1" "64 1 1" int:400:3 int:100:1 int:100 int=100 int=0 int=4
clean nw.c nw "32 1 1" "16 1 1" int:1089:0 int:1024:2 int=32 int=1 int=10
clean bfs.c bfs_expand "64 1 1" "32 1 1" int:51:0 int:50:1 int:50:1 int:50:0 int:50:0 int:50:0 int=50
clean bfs.c bfs_advance "64 1 1" "32 1 1" int:50:0 int:50:1 int:50:0 int:1:0 int=50
clean lud.c lud_diagonal "16 1 1" "16 1 1" float:2304:1 int=48 int=0
clean lud.c lud_perimeter "64 1 1" "32 1 1" float:2304:1 int=48 int=0
clean lud.c lud_internal "32 32 1" "16 16 1" float:2304:1 int=48 int=0
clean srad.c srad_1 "16 16 1" "8 8 1" float:150:1 float:150 float:150 float:150 float:150 float:150 int=15 int=10 float=0.05
clean srad.c srad_2 "16 16 1" "8 8 1" float:150:1 float:150:1 float:150:1 float:150:1 float:150:1 float:150:1 int=15 int=10 float=0.5
clean reduction.c reduction "128 1 1" "64 1 1" float:300:1 float:2 int=300
clean backprop.c backprop_forward "16 32 1" "16 16 1" float:32:1 float:512:1 float:32 int=16
clean backprop.c backprop_activate "32 1 1" "32 1 1" float:32:1 float:16:1 float:16 float:16 int=2 int=16
clean backprop.c backprop_adjust "16 32 1" "16 16 1" float:32:1 float:16:1 float:512:1 float:512:1 int=16 float=0.3 float=0.3
clean kmeans.c kmeans_assign "64 1 1" "32 1 1" float:200:1 float:12:2 int:50 int=50 int=3 int=4
clean kmeans.c kmeans_move "32 1 1" "32 1 1" float:200:1 float:12:2 int:50:1 int=50 int=3 int=4
clean smo.c smo_select "32 1 1" "32 1 1" float:400:1 float:100:1 float:100:-1 float:100:0.5 int:2 float:2 int=100 int=4 float=1
clean smo.c smo_update "128 1 1" "64 1 1" float:400:1 float:100:1 float:100:1 int:2:1 float:2:1 int=100 int=4
clean jacobi.c jacobi "64 1 1" "32 1 1" float:576:1 float:48:1 float:48 int=24 int=3 float=0.02 float=0.00001

sed '0,/BARRIER();/s///' reduction.c >spoilt.c
case $(launch spoilt.c reduction "128 1 1" "64 1 1" float:300:1 float:2 int=300) in
*race*) ;;
*)
    echo "No race was found in a copy without a barrier."
    failed=1
    ;;
esac
exit $failed
