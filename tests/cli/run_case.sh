#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# run_case.sh CASE.sh OPEVO: run a case in an empty folder and compare stdout, stderr and exit status with the files
# beside it. In the expected text a line "..." stands for any lines.
set -u
case_file=$(realpath "$1")
base=${case_file%.sh}
opevo=$(realpath "$2")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mkdir work cache
export COLUMNS=400 # what is printed is compared whole; cases about narrow terminals say otherwise
export XDG_CACHE_HOME="$folder/cache" PATH="${opevo%/*}:$PATH" LC_ALL=C OPENBLAS_NUM_THREADS=1
(cd work && sh "$case_file") >out 2>err </dev/null
status=$?
[ "$status" = 77 ] && { cat err; exit 77; }
wanted=0
[ -f "$base.status" ] && wanted=$(cat "$base.status")
failed=0
if [ "$status" != "$wanted" ]; then
    echo "exit status $status, expected $wanted"
    failed=1
fi

# matches EXPECTED ACTUAL
matches() {
    awk '
        NR == FNR { want[++n] = $0; next }
        { have[++m] = $0 }
        function fits(i, j) {
            for (; i <= n; i++) {
                if (want[i] == "...") {
                    for (; j <= m + 1; j++)
                        if (fits(i + 1, j))
                            return 1
                    return 0
                }
                if (j > m || want[i] != have[j])
                    return 0
                j++
            }
            return j > m
        }
        END { exit !fits(1, 1) }' "$1" "$2"
}

for stream in out err; do
    expected=$base.$stream
    [ -f "$expected" ] || expected=/dev/null
    # awk would take an empty first file for no file at all
    if [ -s "$expected" ]; then matches "$expected" $stream; else [ ! -s $stream ]; fi || {
        echo "$stream differs:"
        diff -u "$expected" $stream
        failed=1
    }
done
exit $failed
