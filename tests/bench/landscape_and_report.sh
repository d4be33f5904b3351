#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What an analysis and a report cost: a landscape of 18,000 points under one topology (at most 10 s), the simulated mm1
# with its 4.15 million points (600 s), and the report of 9,975 runs by 95 contenders on five landscapes (20 s and
# 10 MB). Judged is the processor time of all threads, which other load leaves alone and which is at least the time that
# passes on an idle machine.
#
#   tests/bench/landscape_and_report.sh
#
# OPEVO names the program, build/opevo if unset; OPEVO_TEST_LANDSCAPES the folder of the recordings.
set -eu
cd "$(dirname "$0")/../.."

opevo=$(realpath "${OPEVO:-build/opevo}")
landscapes=${OPEVO_TEST_LANDSCAPES:-../shared/landscapes}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0

# judge TITLE VALUE LIMIT UNIT
judge() {
    awk -v title="$1" -v value="$2" -v limit="$3" -v unit="$4" 'BEGIN {
        printf("%s: %s: %.2f %s, at most %g %s\n", value <= limit ? "ok" : "MISSED", title, value, unit, limit, unit)
        exit(value > limit) }' || status=1
}

# timed TITLE LIMIT COMMAND...: the seconds that pass, and those of the processors.
TIMEFORMAT='%R %U %S'
timed() {
    local title=$1 limit=$2 seconds
    shift 2
    seconds=$({ time "$@" >"$folder/out" 2>"$folder/messages"; } 2>&1) || {
        cat "$folder/messages" >&2
        exit 1
    }
    read -r passed user system <<<"$seconds"
    judge "$title, ${passed} s passed" "$(awk "BEGIN { print $user + $system }")" "$limit" "s of processor time"
}

if [ -f "$landscapes/gemm_rtx3090.csv.xz" ]; then
    landscapes=$(realpath "$landscapes")
    timed "analysis of 17,956 points with 19 values of q" 10 \
        "$opevo" landscape --on "recorded:$landscapes/gemm_rtx3090.csv.xz" --topologies current --population 50
    cat >"$folder/plan.json" <<EOT
{"study": 1, "seeds": 21, "budget": {"trials": 500},
 "objectives": [{"on": ["recorded:$landscapes/conv_a100.csv.xz", "recorded:$landscapes/conv_a4000.csv.xz",
   "recorded:$landscapes/conv_w6600.csv.xz", "recorded:$landscapes/conv_w7800.csv.xz",
   "recorded:$landscapes/gemm_rtx3090.csv.xz"]}],
 "tuners": [{"tuner": "opevo", "settings": {"lambda": [2, 4, 8, 16, 32],
   "q": {"from": 0.05, "to": 0.95, "step": 0.05}}}]}
EOT
    "$opevo" study "$folder/plan.json" --store "$folder/runs.db" --quiet >"$folder/out"
    grep -q '9,975 runs done now' "$folder/out"
    timed "report of 9,975 runs" 20 "$opevo" report "$folder/runs.db" -o "$folder/report.html"
    judge "its size" "$(awk "BEGIN { print $(wc -c <"$folder/report.html") / 1e6 }")" 10 MB
else
    echo "left out: no recorded landscapes at $landscapes (set OPEVO_TEST_LANDSCAPES)"
fi
timed "analysis of the simulated mm1, 4,152,720 points, with 19 values of q" 600 \
    "$opevo" landscape mm1 --on sim:gtx1080ti --topologies current --population 50
exit $status
