#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# One library for all sizes of a range beside libraries made for one size each, as Markdown.
#
#   tests/bench/network_dynamic.sh [MODEL.onnx NAME=N..N "SHAPE" SIZE...]
#
# SHAPE is the --shape of a library for one size, with @ in the place of that. Default: the residual network of
# tests/gpu/make_network.py on images of SIDE (56), with batches of 1, 8 and 32 from 1..32. TUNE_AT, if set, is --tune-at.
# Both are untuned, on THREADS (1), and run in ROUNDS (5) alternating processes of SECONDS_EACH (1); times are medians
# over the rounds, and the ratio, the time of the library for one size by that of the other, is that of each round, its
# median. Libraries are built in FOLDER (build/network-dynamic). OPEVO names the program, build/opevo if unset.
set -eu
cd "$(dirname "$0")/../.."

opevo=${OPEVO:-build/opevo}
folder=${FOLDER:-build/network-dynamic}
threads=${THREADS:-1}
rounds=${ROUNDS:-5}
seconds=${SECONDS_EACH:-1}
side=${SIDE:-56}
mkdir -p "$folder"
if [ $# = 0 ]; then
    python3 tests/gpu/make_network.py "$folder/residual.onnx" "$side" batch
    set -- "$folder/residual.onnx" batch=1..32 "image=@,3,$side,$side" 1 8 32
fi
model=$1 range=$2 shape=$3
shift 3

# library FOLDER OPTION...
library() {
    made=$1
    shift
    "$opevo" network "$model" "$@" --threads "$threads" --quiet -o "$made" >&2
    make -s -j2 -C "$made" check >&2
}

# time_of FOLDER OPTION...: the median in ms.
time_of() {
    where=$1
    shift
    "$where/net" --data "$where" --threads "$threads" --time "$seconds" "$@" | sed 's/ ms.*//'
}

# median COLUMN: of a file of numbers.
median() { awk -v c="$1" '{ print $c }' "$2" | sort -g | awk '{ x[NR] = $1 } END { print x[int((NR + 1) / 2)] }'; }

library "$folder/all" --dynamic "$range" ${TUNE_AT:+--tune-at "$TUNE_AT"}
printf '| sizes | for all, ms | for this one, ms | ratio |\n|---|---|---|---|\n'
for size; do
    library "$folder/one" --shape "$(echo "$shape" | sed "s/@/$size/")"
    : >"$folder/times"
    round=0
    while [ "$round" -lt "$rounds" ]; do
        all=$(time_of "$folder/all" --sizes "$size")
        one=$(time_of "$folder/one")
        echo "$all $one" | awk '{ print $1, $2, $2 / $1 }' >>"$folder/times"
        round=$((round + 1))
    done
    printf '| %s | %s | %s | %.2f |\n' "$size" "$(median 1 "$folder/times")" "$(median 2 "$folder/times")" \
        "$(median 3 "$folder/times")"
done
