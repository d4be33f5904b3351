#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# 10,000 runs of opevo, 500 trials each, on a recorded landscape of 4,362 points, with all statistics: the time of
# `opevo study` and `opevo analyze` together on one thread and on two, and the efficiency of two, T1 / (2 T2).
#
#   tests/bench/study_and_analyze.sh
#
# OPEVO names the program, build/opevo if unset; OPEVO_TEST_LANDSCAPES the folder of the recordings.
set -eu
cd "$(dirname "$0")/../.."

opevo=$(realpath "${OPEVO:-build/opevo}")
landscapes=${OPEVO_TEST_LANDSCAPES:-../shared/landscapes}
[ -f "$landscapes/conv_a100.csv.xz" ] || {
    echo "skipped: no recorded landscapes at $landscapes (set OPEVO_TEST_LANDSCAPES)"
    exit 0
}
landscapes=$(realpath "$landscapes")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cat >plan.json <<EOT
{"study": 1, "objectives": ["recorded:$landscapes/conv_a100.csv.xz"], "tuners": ["opevo"],
 "seeds": 10000, "budget": {"trials": 500}}
EOT

# timed COMMAND...: the seconds that pass, and those of the processors.
TIMEFORMAT='%R %U %S'
timed() {
    { time "$@" >out 2>messages; } 2>&1 | awk '{ print $1, $2 + $3 }'
}

for threads in 1 2; do
    study=$(timed "$opevo" study plan.json --store "$threads.db" --threads "$threads" --quiet)
    analyze=$(timed "$opevo" analyze "$threads.db" --threads "$threads" --quiet)
    grep -q 'random search' out || {
        cat out messages >&2
        exit 1
    }
    echo "$threads $study $analyze"
done | awk '
    { wall[$1] = $2 + $4; cpu[$1] = $3 + $5
      printf("%d thread(s): study %.2f s, analyze %.2f s, together %.2f s (%.2f s of processor time)\n",
             $1, $2, $4, wall[$1], cpu[$1]) }
    END { printf("efficiency of two threads: %.0f %% in time, %.0f %% in processor time\n",
                 100 * wall[1] / (2 * wall[2]), 100 * cpu[1] / cpu[2])
          printf("%s: at most 30 s\n", (wall[2] <= 30 ? "ok" : "MISSED"))
          exit(wall[2] > 30) }'
