#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Errors of networks with random weights, as Markdown: the library of opevo and ONNX Runtime against the definitions in
# double precision, each tensor of the model rounded to float32, before any pass.
#
#   tests/bench/network_errors.sh [MODEL.onnx]...      default: the light models of ../shared/onnx, and resnet18
#
# Weights are drawn from SEED (1), by tests/bench/network_weights.c, or by network_resnet18.c for the layers of ResNet-18.
# Both run on THREADS (1) threads. Libraries are built in FOLDER (build/network_errors). OPEVO names the program,
# build/opevo if unset; bench_network, network_weights and network_resnet18 are in build/tests beside it. ONNX Runtime
# takes part where OPEVO_ONNXRUNTIME names its library, or after
#   npm install --prefix build/onnxruntime --ignore-scripts onnxruntime-node@1.30.0
# The status is 1 where one is further away than 1e-3 of the largest element.
set -eu
cd "$(dirname "$0")/../.."

opevo=${OPEVO:-build/opevo}
programs=$(dirname "$opevo")/tests
seed=${SEED:-1}
threads=${THREADS:-1}
folder=${FOLDER:-build/network_errors}
installed=build/onnxruntime/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1
[ -n "${OPEVO_ONNXRUNTIME:-}" ] || [ ! -f "$installed" ] || OPEVO_ONNXRUNTIME=$PWD/$installed
export OPEVO_ONNXRUNTIME="${OPEVO_ONNXRUNTIME:-}"
[ -n "$OPEVO_ONNXRUNTIME" ] || echo "network_errors.sh: ONNX Runtime is skipped; see the head of this file." >&2
[ $# -gt 0 ] || set -- ../shared/onnx/light/*.onnx resnet18

# numbers: largest error and largest element of lines "NAME: largest error E, largest element M...".
numbers() { sed -n 's/.*largest error \([^,]*\), largest element \([^, ]*\).*/\1 \2/p' | sort -g | tail -n 1; }

mkdir -p "$folder"
printf '| network | largest element | opevo | of it | ONNX Runtime | of it |\n|---|---|---|---|---|---|\n'
status=0
for model; do
    name=$(basename "$model" .onnx)
    made=$folder/$name
    rm -rf "$made" "$made-plain"
    if [ "$model" = resnet18 ]; then
        "$programs/network_resnet18" "$seed" "$folder/$name.onnx"
    else
        "$programs/network_weights" "$model" "$seed" "$folder/$name.onnx"
    fi
    "$opevo" network "$folder/$name.onnx" --threads "$threads" -o "$made" >&2
    "$opevo" network "$folder/$name.onnx" --threads "$threads" --only fold,split,drop -o "$made-plain" >&2
    cmp "$made/inputs.bin" "$made-plain/inputs.bin"
    cp "$made-plain/outputs.bin" "$made/outputs.bin"
    make -s -j2 -C "$made" net >&2
    "$made/net" --data "$made" --threads "$threads" >"$made/ours" || status=1
    : >"$made/theirs"
    [ -z "$OPEVO_ONNXRUNTIME" ] ||
        "$programs/bench_network" "$folder/$name.onnx" "$made" "$threads" 0 >"$made/theirs" || status=1
    { numbers <"$made/ours" && numbers <"$made/theirs"; } | paste -s -d ' ' |
        awk -v name="$name" '{
            printf "| %s | %.4g | %.2g | %.2g |", name, $2, $1, $1 / $2
            if (NF > 2) printf " %.2g | %.2g |\n", $3, $3 / $4; else printf "  |  |\n" }'
    rm -rf "$made-plain" "$folder/$name.onnx"
done
exit "$status"
