#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# network_libraries.sh OPEVO FOLDER [SHARE]: of the node cases of ONNX's backend tests in FOLDER (Debian:
# libonnx-testdata), the library of each SHAREth that `--run` computes right gives the same on the inputs of the case,
# or is refused with a sentence; inputs that it asks for are bound. Outside the long run one in 80.
set -eu
. "${0%/*}/node_cases.sh"
opevo=$1
folder=$2
share=${3:-80}
[ -z "${OPEVO_TEST_LONG:-}" ] || share=1
open_cases "$folder"
number=0 all=0 right=0 made=0 wrong=0
for case in "$folder"/*/; do
    number=$((number + 1))
    [ $((number % share)) = 0 ] || continue
    all=$((all + 1))
    inputs=$(list_files "$case" input)
    "$opevo" network "$case/model.onnx" --run "$inputs" --expect "$(list_files "$case" output)" >"$work/said" 2>&1 || continue
    right=$((right + 1))
    bound_library "$opevo" "$case" "$inputs"
    if [ "$status" != 0 ]; then
        echo "refused: $(basename "$case"): $(sed 's/.*onnx: //' "$work/said")"
        [ "$status" = 2 ] || wrong=$((wrong + 1))
        continue
    fi
    if make -s -C "$work/library" check CFLAGS='-O1 -ffp-contract=off' >"$work/said" 2>&1; then
        made=$((made + 1))
    else
        echo "WRONG: $(basename "$case"): $(head -3 "$work/said" | tr '\n' ' ')"
        wrong=$((wrong + 1))
    fi
done
echo "of $all cases --run computes $right right, and libraries $made; $wrong wrong"
[ "$wrong" = 0 ] && [ $((10 * made)) -ge $((9 * all)) ]
