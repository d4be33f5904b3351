#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# network_cases.sh OPEVO FOLDER: the single-operator cases of ONNX's backend tests (FOLDER/node) give what is
# expected, before and after the passes, and the networks of FOLDER/light are read.
set -eu
opevo=$1
folder=$2
[ -d "$folder/node" ] || {
    echo "skipped: no ONNX cases in $folder"
    exit 77
}
failed=0
count=0
for case in "$folder"/node/*/; do
    inputs=$(find "$case" -name 'input_*.pb' | sort -V | paste -sd,)
    outputs=$(find "$case" -name 'output_*.pb' | sort -V | paste -sd,)
    count=$((count + 1))
    for passes in '' --passes; do
        "$opevo" network "$case/model.onnx" --run "$inputs" --expect "$outputs" $passes >output 2>&1 || {
            echo "$case $passes: $(cat output)"
            failed=$((failed + 1))
        }
    done
done
echo "$count cases, $failed failed"
for model in "$folder"/light/*.onnx; do
    "$opevo" network "$model" >output || {
        echo "$model was refused"
        failed=$((failed + 1))
    }
done
[ "$failed" = 0 ]
