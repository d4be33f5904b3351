#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Searches for edits of opevo's kernels, as Markdown.
#
#   tests/bench/evolve_study.sh FOLDER [CONTENDER...]
#   opevo analyze FOLDER/runs.db
#
# A contender is a tuner of `opevo evolve` with further options --set and --with, by default nsga2, climb, random and
# "random --with initial=6". RUNS (20) runs of each from the seed SEED (1) on, TRIALS (2000) trials each, on each of
# KERNELS (all but those with a part of the planted defects), by a plan for each contender; PROCESSES (2) shares at once,
# each with one worker. FOLDER gets the plans, the stores, and of each run what `opevo evolve` prints of its held-out
# cases as JSON; the same command repeats nothing that is there. OPEVO names the program, build/opevo if unset. Needs
# jq.
#
# The first table has the cost of the best error-free variant that passes the held-out cases, as a fraction of the
# base's: median over the runs, in brackets the least and the largest. The second counts the variants that were tried on
# held-out cases, and those that fail on the selection set and, of the others, on the final set.
set -eu
[ $# -gt 0 ] || {
    echo "evolve_study.sh: name a folder for the runs" >&2
    exit 2
}
mkdir -p "$1"
folder=$(realpath "$1")
shift
cd "$(dirname "$0")/../.."

opevo=$(realpath "${OPEVO:-build/opevo}")
kernels=${KERNELS:-backprop bfs hotspot jacobi kmeans lud matmul nw pathfinder planted reduction smo srad stencil}
trials=${TRIALS:-2000}
runs=${RUNS:-20}
first=${SEED:-1}
[ $# -gt 0 ] || set -- nsga2 climb random "random --with initial=6"
command -v jq >/dev/null || {
    echo "evolve_study.sh: install jq" >&2
    exit 2
}

name() {
    echo "$1" | tr ' ' '_'
}

# plan TUNER [OPTION...]: of one contender.
plan() {
    # shellcheck disable=SC2086  # a list of words
    names=$(printf '%s\n' $kernels | jq -nR '[inputs]') tuner=$1
    shift
    jq -n --argjson kernels "$names" --arg tuner "$tuner" --argjson trials "$trials" --argjson first "$first" \
        --argjson runs "$runs" '
        def values(option): [$ARGS.positional | range(0; length; 2) as $i | select(.[$i] == option) | .[$i + 1]];
        {study: 1,
         objectives: [{on: "evolve", what: $kernels, jobs: 1} +
                      (values("--with") | if . == [] then {} else {with: .} end)],
         tuners: [{tuner: $tuner} +
                  (values("--set") | if . == [] then {} else
                      {settings: map(split("=") | {(.[0]): (.[1] | tonumber? // .)}) | add} end)],
         seeds: {from: $first, count: $runs}, budget: {trials: $trials}}' --args -- "$@"
}

processes=${PROCESSES:-2}
for contender; do
    plan=$folder/$(name "$contender").plan
    # shellcheck disable=SC2086
    plan $contender >"$plan"
    seq "$processes" | xargs -I{} -P "$processes" "$opevo" study "$plan" --store "$folder/runs.db" \
        --shard "{}/$processes" --quiet >&2
    [ "$processes" = 1 ] || "$opevo" study "$plan" --store "$folder/runs.db" --merge >&2
done

# What a line of the list does: FILE KERNEL SEED TUNER [OPTION...]; a file that is there is whole. The trials are in the
# store.
export opevo folder trials
run='file=$0 kernel=$1 seed=$2 tuner=$3
    shift 3
    [ -f "$folder/$file" ] && exit
    "$opevo" evolve "$kernel" --tuner "$tuner" --seed "$seed" --trials "$trials" \
        --store "$folder/runs.db" --jobs 1 --json --quiet "$@" >"$folder/$file.part" &&
        mv "$folder/$file.part" "$folder/$file"'
for seed in $(seq "$first" $((first + runs - 1))); do
    for kernel in $kernels; do
        for contender; do
            echo "$kernel.$(name "$contender").$seed.json $kernel $seed $contender"
        done
    done
done | xargs -P "$processes" -L 1 sh -c "$run"

# files KERNEL CONTENDER: those of the seeds of this call.
files() {
    for seed in $(seq "$first" $((first + runs - 1))); do
        printf '%s/%s.%s.%s.json ' "$folder" "$1" "$(name "$2")" "$seed"
    done
}

# rows FILTER: a row for each kernel, a cell for each contender: what the filter makes of the array of runs.
rows() {
    filter=$1
    shift
    printf '\n| kernel |'
    printf ' `%s` |' "$@"
    printf '\n|---|'
    for contender; do printf '%s' '---|'; done
    echo
    for kernel in $kernels; do
        printf '| %s |' "$kernel"
        for contender; do
            # shellcheck disable=SC2046
            printf ' %s |' "$(jq -rs "$filter" $(files "$kernel" "$contender"))"
        done
        echo
    done
}

rows 'def text: if . == null then "none" else . * 10000 | round + 100000 | tostring | .[:-4][1:] + "." + .[-4:] end;
    map(.fraction_of_base // infinite) | sort | map(if isinfinite then null else . end)
    | "\((if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end) | text)" +
      " (\(.[0] | text) to \(.[-1] | text))"' "$@"
rows '[.[].front[] | select(.selection)]
    | "\(length), \(map(select(.selection.status != "ok")) | length), " +
      "\(map(select(.selection.status == "ok" and .final.status != "ok")) | length)"' "$@"
