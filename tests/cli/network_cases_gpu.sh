#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# network_cases_gpu.sh OPEVO FOLDER: single-operator cases of ONNX's backend tests (FOLDER/node) as libraries for a GPU,
# whose kernels the CPU runs: every OPEVO_TEST_EVERY-th case (default 8). Cases without a computation on float32 have no
# library, and the message says so.
set -eu
opevo=$1
folder=$2
every=${OPEVO_TEST_EVERY-8}
[ -d "$folder/node" ] || {
    echo "skipped: no ONNX cases in $folder"
    exit 77
}
command -v make >/dev/null || {
    echo "skipped: make is not installed"
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
checked=0
failed=0
for case in "$folder"/node/*/; do
    count=$((count + 1))
    [ $((count % every)) = 0 ] || continue
    rm -rf "$work/library"
    if "$opevo" network "$case/model.onnx" --on cuda:0 -o "$work/library" >"$work/output" 2>&1; then
        make -s -C "$work/library" CFLAGS='-O1 -Wall -Wextra -Werror' emulate >"$work/output" 2>&1 || {
            echo "$case: $(cat "$work/output")"
            failed=$((failed + 1))
        }
        checked=$((checked + 1))
    elif ! grep -q -E 'float32|computes nothing|is open|constant' "$work/output"; then
        echo "$case: $(cat "$work/output")"
        failed=$((failed + 1))
    fi
done
echo "$checked of $((count / every)) cases have libraries, $failed failed"
[ "$failed" = 0 ] && [ "$checked" -gt 0 ]
