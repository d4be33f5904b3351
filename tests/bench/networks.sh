#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Networks as libraries of opevo beside ONNX Runtime, as Markdown (tests/bench/bench_network.c).
#
#   tests/bench/networks.sh [MODEL.onnx]...      default: the light models of ../shared/onnx, and resnet18
#
# resnet18 is ResNet-18 with random weights, made by tests/bench/network_resnet18.c. TRIALS (0: untuned) is the number of
# trials for each task of a network; TUNER (opevo) searches, and the runs are in STORE (build/networks.db), from where the
# same command goes on. ERROR, if set, is that of --error. THREADS ("1 2") are the numbers of threads. Both run in ROUNDS
# (5) alternating processes of SECONDS_EACH (2) on the same cores, the last ones; times are medians over the rounds, and
# the ratio is that of each round, its median. Libraries are built in FOLDER (build/networks). OPEVO names the program,
# build/opevo if unset; build/tests/bench_network and build/tests/network_resnet18 are beside it. ONNX Runtime takes part
# where OPEVO_ONNXRUNTIME names its library, or after
#   npm install --prefix build/onnxruntime --ignore-scripts onnxruntime-node@1.30.0
set -eu
cd "$(dirname "$0")/../.."

opevo=${OPEVO:-build/opevo}
programs=$(dirname "$opevo")/tests
trials=${TRIALS:-0}
tuner=${TUNER:-opevo}
store=${STORE:-build/networks.db}
threads=${THREADS:-1 2}
rounds=${ROUNDS:-5}
seconds=${SECONDS_EACH:-2}
error=${ERROR:-}
folder=${FOLDER:-build/networks}
installed=build/onnxruntime/node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1
[ -n "${OPEVO_ONNXRUNTIME:-}" ] || [ ! -f "$installed" ] || OPEVO_ONNXRUNTIME=$PWD/$installed
export OPEVO_ONNXRUNTIME="${OPEVO_ONNXRUNTIME:-}"
[ -n "$OPEVO_ONNXRUNTIME" ] || echo "networks.sh: ONNX Runtime is skipped; see the head of this file." >&2
[ $# -gt 0 ] || set -- ../shared/onnx/light/*.onnx resnet18

# cores N: the last N processors that this process may use.
cores() {
    taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
        awk -F- '{ for (i = $1; i <= (NF > 1 ? $2 : $1); i++) print i }' | tail -n "$1" | paste -sd,
}

# library MODEL THREADS DIR: made, built and checked.
library() {
    if [ "$trials" -gt 0 ]; then
        tasks=$("$opevo" network "$1" ${error:+--error "$error"} --json | jq '.tasks | length')
        "$opevo" network "$1" ${error:+--error "$error"} --on cpu --tuner "$tuner" --trials $((trials * tasks)) --threads "$2" --store "$store" \
            --quiet -o "$3" >&2
    else
        "$opevo" network "$1" ${error:+--error "$error"} --threads "$2" -o "$3" >&2
    fi
    make -s -j2 -C "$3" check >&2
}

# median: of numbers on standard input.
median() { sort -g | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'; }

mkdir -p "$folder"
for model; do
    [ "$model" != resnet18 ] || "$programs/network_resnet18" 1 "$folder/resnet18.onnx"
done
rows=$folder/rows
: >"$rows"
printf '| network | threads | opevo, ms | ONNX Runtime, ms | ratio |\n|---|---|---|---|---|\n'
for n in $threads; do
    on=$(cores "$n")
    for model; do
        name=$(basename "$model" .onnx)
        made=$folder/$name-$n
        [ "$model" != resnet18 ] || model=$folder/resnet18.onnx
        library "$model" "$n" "$made"
        : >"$made/times"
        round=0
        while [ "$round" -lt "$rounds" ]; do
            ours=$(taskset -c "$on" "$made/net" --data "$made" --threads "$n" --time "$seconds" | cut -d' ' -f1)
            theirs=
            [ -z "$OPEVO_ONNXRUNTIME" ] ||
                theirs=$(taskset -c "$on" "$programs/bench_network" "$model" "$made" "$n" "$seconds" | cut -d' ' -f1)
            echo "$ours $theirs" >>"$made/times"
            round=$((round + 1))
        done
        ours=$(cut -d' ' -f1 "$made/times" | median)
        theirs=
        ratio=
        if [ -n "$OPEVO_ONNXRUNTIME" ]; then
            theirs=$(cut -d' ' -f2 "$made/times" | median)
            ratio=$(awk '{ print $2 / $1 }' "$made/times" | median)
            echo "$n $ratio" >>"$rows"
        fi
        printf '| %s | %s | %.4g | %s | %s |\n' "$name" "$n" "$ours" \
            "${theirs:+$(printf '%.4g' "$theirs")}" "${ratio:+$(printf '%.2f' "$ratio")}"
    done
done
awk '{ sum[$1] += log($2); count[$1]++; if (!least[$1] || $2 < least[$1]) least[$1] = $2 }
    END { for (n in sum) printf "\nthreads %s: geometric mean of the ratios %.2f, least %.2f\n", n,
        exp(sum[n] / count[n]), least[n] }' "$rows"
