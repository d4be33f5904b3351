#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# A library with kernels for several targets beside one for this processor, as Markdown: for each target that this machine
# is, the median over ROUNDS (9) rounds of the ratio of times, native to target, in alternating processes of SECONDS_EACH
# (1) on one core, the last one; and the kB of sources and of libnet.a, without the weights.
#
#   tests/bench/network_targets.sh [MODEL.onnx]...      default: the light models of ../shared/onnx, and resnet18
#
# Weights are drawn by tests/bench/network_weights.c: those of the models give numbers that processors are slow with.
# Libraries are built in FOLDER (build/targets). OPEVO names the program, build/opevo if unset; network_weights and
# network_resnet18 are in tests/ beside it.
set -eu
cd "$(dirname "$0")/../.."
opevo=${OPEVO:-build/opevo}
programs=$(dirname "$opevo")/tests
rounds=${ROUNDS:-9}
seconds=${SECONDS_EACH:-1}
folder=${FOLDER:-build/targets}
[ $# -gt 0 ] || set -- ../shared/onnx/light/*.onnx resnet18
core=$(taskset -cp $$ | sed 's/.*[^0-9]//')

median() { sort -g | awk '{ x[NR] = $1 } END { print NR % 2 ? x[(NR + 1) / 2] : (x[NR / 2] + x[NR / 2 + 1]) / 2 }'; }
# milliseconds LIBRARY [OPTION...]
milliseconds() {
    made=$1
    shift
    taskset -c "$core" "$made/net" --data "$made" --threads 1 --time "$seconds" "$@" | sed -n 's/ ms (median.*//p'
}
kilobytes() { cat "$@" | wc -c | awk '{ printf "%d", $1 / 1000 + 0.5 }'; }

mkdir -p "$folder"
echo "| model | native, ms | v4 | v3 | v2 | sources, kB: native | all targets | libnet.a, kB: native | v2, v3 and v4 |"
echo "|---|---|---|---|---|---|---|---|---|"
for model; do
    name=$(basename "$model" .onnx)
    if [ "$model" = resnet18 ]; then
        "$programs/network_resnet18" 1 "$folder/$name.onnx"
    else
        "$programs/network_weights" "$model" 1 "$folder/$name.onnx"
    fi
    model=$folder/$name.onnx
    one=$folder/$name-native all=$folder/$name-targets
    "$opevo" network "$model" --threads 1 -o "$one" >&2
    "$opevo" network "$model" --threads 1 --target v2,v3,v4,aarch64 -o "$all" >&2
    make -s -j2 -C "$one" net >&2
    make -s -j2 -C "$all" net >&2
    rm -f "$folder"/ratios-*
    for _ in $(seq "$rounds"); do
        native=$(milliseconds "$one")
        echo "$native" >>"$folder/ratios-native"
        for target in v4 v3 v2; do
            its=$(milliseconds "$all" --target $target 2>/dev/null) || continue
            echo "$native $its" | awk '{ print $1 / $2 }' >>"$folder/ratios-$target"
        done
    done
    weights=$(wc -c <"$one/weights.bin")
    printf '| %s | %s |' "$name" "$(median <"$folder/ratios-native")"
    for target in v4 v3 v2; do
        [ -f "$folder/ratios-$target" ] && printf ' %.2f |' "$(median <"$folder/ratios-$target")" || printf ' |'
    done
    printf ' %s | %s |' "$(kilobytes "$one"/*.[ch])" "$(kilobytes "$all"/*.[ch])"
    for made in "$one" "$all"; do
        printf ' %s |' "$(($(wc -c <"$made/libnet.a") / 1000 - weights / 1000))"
    done
    echo
done
