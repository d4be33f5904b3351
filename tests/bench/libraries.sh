#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Ansor's operators and subgraphs, or other products and convolutions, tuned on their sketches and then
# measured beside oneDNN, OpenBLAS and ONNX Runtime, as Markdown (tests/bench/bench_libraries.c).
#
#   tests/bench/libraries.sh [COMPUTATION]...      default: the first shape of each, batch 1
#
# TUNER (qgp) gets TRIALS (150) for each computation and each number of THREADS ("1 2"); the runs are in
# STORE (build/libraries.db), and the same command goes on from there. SECONDS_EACH (4) of measuring follow.
# OPEVO names the program, build/opevo if unset; build/tests/bench_libraries is beside it. oneDNN takes part
# where bench_libraries was built with it, ONNX Runtime where OPEVO_ONNXRUNTIME names its library, or after
#   npm install --prefix build/onnxruntime --ignore-scripts onnxruntime-node@1.30.0
set -eu
cd "$(dirname "$0")/../.."

opevo=${OPEVO:-build/opevo}
bench=$(dirname "$opevo")/tests/bench_libraries
tuner=${TUNER:-qgp}
trials=${TRIALS:-150}
threads=${THREADS:-1 2}
store=${STORE:-build/libraries.db}
seconds=${SECONDS_EACH:-4}
installed=build/onnxruntime/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1
[ -n "${OPEVO_ONNXRUNTIME:-}" ] || [ ! -f "$installed" ] || OPEVO_ONNXRUNTIME=$PWD/$installed
export OPEVO_ONNXRUNTIME="${OPEVO_ONNXRUNTIME:-}"
unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE
[ $# -gt 0 ] || set -- ansor-gmm-1 ansor-c1d-1 ansor-c2d-1 ansor-c3d-1 ansor-grp-1 ansor-dil-1 ansor-dep-1 \
    ansor-t2d-1 ansor-cap-1 ansor-nrm-1 ansor-conv-layer-1 ansor-tbg-1

# tuned COMPUTATION THREADS: the best configuration, in one line.
tuned() {
    "$opevo" tune "$1" --template sketch --on cpu --threads "$2" --tuner "$tuner" --trials "$trials" --finals 0 \
        --store "$store" --quiet --json |
        jq -r '.best.configuration | to_entries
            | map("\(.key)=\(.value | if type == "array" then map(tostring) | join(",") else . end)") | join(" ")'
}

for n in $threads; do
    for what; do
        tuned "$what" "$n" >/dev/null
    done
done
printf '| computation | threads | opevo | oneDNN | OpenBLAS | ONNX Runtime | ratio | of the peak |\n'
printf '|---|---|---|---|---|---|---|---|\n'
for n in $threads; do
    for what; do
        "$bench" --threads "$n" --seconds "$seconds" "$what" "$(tuned "$what" "$n")"
    done | awk -F'|' '
        { print }
        $8 + 0 > 0 { sum += log($8); count++; if (!least || $8 < least) least = $8 + 0 }
        END { if (count) printf "\nGeometric mean of the ratios: %.2f; least: %.2f.\n\n", exp(sum / count), least }'
done
