#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Whether assemblers accept what searches found: the variants of the final fronts that pass all held-out cases.
#
#   tests/bench/evolve_forms.sh FOLDER      of tests/bench/evolve_study.sh
#
# Each distinct variant is emitted as PTX and as a code object for gfx906, which LLVM assembles and ld.lld links. ptxas
# assembles the PTX for MACHINE (sm_75) where it is installed. PROCESSES (2) at once; OPEVO names the program,
# build/opevo if unset. Needs jq.
set -eu
[ $# -eq 1 ] || {
    echo "evolve_forms.sh: name a folder of runs" >&2
    exit 2
}
folder=$(realpath "$1")
cd "$(dirname "$0")/../.."

opevo=$(realpath "${OPEVO:-build/opevo}")
machine=${MACHINE:-sm_75}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

count=0
for file in "$folder"/*.json; do
    kernel=${file##*/}
    jq -r --arg kernel "${kernel%%.*}" \
        '.front[] | select(.final.status == "ok" and .edits != "none") | "\($kernel) \(.edits)"' "$file"
done | sort -u >"$scratch/list"
while read -r kernel edits; do
    count=$((count + 1))
    printf '%s' "$edits" >"$scratch/$count.edits"
    echo "$count $kernel"
done <"$scratch/list" >"$scratch/numbers"

export opevo scratch machine
one='number=$0 kernel=hw/kernels/examples/$1.ll
    emit() {
        "$opevo" edits emit "$kernel" "@$scratch/$number.edits" --jobs 1 --out "$scratch/$number.$1" --form "$@" &&
            [ -s "$scratch/$number.$1" ]
    }
    emit ptx --machine "$machine" && echo "$1 ptx"
    emit amdgcn && echo "$1 amdgcn"
    if command -v ptxas >/dev/null; then
        ptxas -arch="$machine" -o /dev/null "$scratch/$number.ptx" && echo "$1 ptxas"
    fi
    rm -f "$scratch/$number".*'
xargs -a "$scratch/numbers" -P "${PROCESSES:-2}" -L 1 sh -c "$one" >"$scratch/accepted"

printf '| kernel | variants | PTX emitted | assembled by ptxas, %s | code objects for gfx906 |\n|---|---|---|---|---|\n' "$machine"
cut -d ' ' -f 2 "$scratch/numbers" | sort | uniq -c | while read -r wanted kernel; do
    printf '| %s | %d | %d | %s | %d |\n' "$kernel" "$wanted" "$(grep -c "^$kernel ptx$" "$scratch/accepted")" \
        "$(command -v ptxas >/dev/null && grep -c "^$kernel ptxas$" "$scratch/accepted" || echo -)" \
        "$(grep -c "^$kernel amdgcn$" "$scratch/accepted")"
done
