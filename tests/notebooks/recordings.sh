#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# recordings.sh OPEVO FOLDER [--only-recorded]: what the descriptions of the recordings in the folder say of rows,
# successes and the best is what opevo finds in them.
set -u
failed=0

# number FILE NAME: the last number behind "NAME" in JSON
number() {
    grep -o "\"$2\": [0-9.e+-]*" "$1" | tail -1 | cut -d ' ' -f 2
}

for description in "$2"/*.json; do
    found=$(mktemp)
    "$1" landscape --on "recorded:${description%.json}.csv.xz" ${3+"$3"} --json >"$found" || failed=1
    said="$(number "$description" rows) $(number "$description" valid) $(number "$description" gflops)"
    seen="$(number "$found" allowed) $(number "$found" ok) $(number "$found" fitness)"
    rm -f "$found"
    [ "$said" = "$seen" ] || {
        echo "$description says $said, and opevo $seen: rows, successes, best"
        failed=1
    }
done
exit $failed
