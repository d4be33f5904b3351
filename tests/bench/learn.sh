#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# What a tuner gains by learning from runs of the same kernel on another device, as Markdown.
#
#   tests/bench/learn.sh [SOURCE TARGET]...      two landscapes of the folder LANDSCAPES, without .csv.xz
#
# SOURCES (5) runs of TUNER (qgp) on SOURCE, EARLIER (220) trials each; RUNS (20) runs on TARGET learn from
# each of them, 220 trials each; beside these as many with the same seeds that learn nothing. Mean fraction
# of the optimum after some trials, in brackets the least and the largest mean of those that learned from
# one run of the source; and the fraction of runs within 5 % of the optimum at the end. THREADS (1) threads;
# OPEVO names the program, build/opevo if unset.
set -eu
cd "$(dirname "$0")/../.."

opevo=${OPEVO:-build/opevo}
folder=${LANDSCAPES:-../shared/landscapes}
tuner=${TUNER:-qgp}
sources=${SOURCES:-5}
earlier=${EARLIER:-220}
runs=${RUNS:-20}
threads=${THREADS:-1}
[ $# -gt 0 ] || set -- conv_a4000 conv_a100 conv_w6600 conv_w7800 gemm_rtx2080ti gemm_rtx3090
[ $(($# % 2)) = 0 ] || {
    echo "learn.sh: $*: give pairs of landscapes, one to learn from and one to tune" >&2
    exit 2
}
for name; do
    [ -f "$folder/$name.csv.xz" ] || {
        echo "learn.sh: $folder/$name.csv.xz: not there; LANDSCAPES names the folder" >&2
        exit 2
    }
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# tune STORE LANDSCAPE TRIALS FIRST-SEED RUNS [--learn STORE:RUN]
tune() {
    store=$scratch/$1 where=recorded:$folder/$2.csv.xz limit=$3 first=$4 count=$5
    shift 5
    "$opevo" tune --on "$where" --tuner "$tuner" --trials "$limit" --seed "$first" --runs "$count" \
        --threads "$threads" --store "$store" --quiet "$@" >/dev/null
}

# row SOURCE TARGET STORE: over the contenders of a store, all with as many runs. Contenders differ in what
# they learned.
row() {
    "$opevo" analyze "$scratch/$3" --at 10,30,50,100,220 --csv --quiet | awk -F, -v title="$1 | $2" '
        $2 == "random search" { next }
        $4 == "mean" {
            sum[$5] += $7
            if (!n[$5]++ || $7 < low[$5]) low[$5] = $7
            if ($7 > high[$5]) high[$5] = $7
        }
        $4 == "within_5_percent" && $5 == 220 { near += $7 }
        END {
            printf "| %s |", title
            count = split("10 30 50 100 220", at, " ")
            for (i = 1; i <= count; i++) {
                printf " %.3f", sum[at[i]] / n[at[i]]
                if (n[at[i]] > 1) printf " (%.3f to %.3f)", low[at[i]], high[at[i]]
                printf " |"
            }
            printf " %.2f |\n", near / n[220]
        }'
}

echo "| learned from | landscape | 10 | 30 | 50 | 100 | 220 | within 5 % |"
echo "|---|---|---|---|---|---|---|---|"
while [ $# -gt 0 ]; do
    rm -f "$scratch"/*
    tune source.db "$1" "$earlier" 1001 "$sources"
    tune alone.db "$2" 220 1 "$((sources * runs))"
    for run in $(seq "$sources"); do
        tune taught.db "$2" 220 "$(((run - 1) * runs + 1))" "$runs" --learn "$scratch/source.db:$run"
    done
    row - "$2" alone.db
    row "$1" "$2" taught.db
    shift 2
done
