#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# usage: tests/fuzz/run.sh BUILD SECONDS [TARGET]
# Run the fuzz targets of the build folder BUILD, all or one, for SECONDS together, as many at a time as
# there are processors. What was learned stays in BUILD/corpus. Each finding is printed with the file that
# holds its input; the exit status is then 1. SECONDS is at least one for each target.
set -eu
build=$1
seconds=$2
seeds=$(dirname "$0")/seeds

if [ "${4:-}" = one ]; then
    name=$3
    mkdir -p "$build/corpus/$name" "$build/findings"
    log=$build/findings/$name.log
    rm -f "$build/findings/$name-"*
    if "$build/fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 \
        -artifact_prefix="$build/findings/$name-" -verbosity=1 -print_final_stats=1 \
        "$build/corpus/$name" "$seeds/$name" >"$log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        echo "$name: no finding in ${runs:-0} executions"
        exit 0
    fi
    echo "$name: a finding; its words are in $log, and the input in $build/findings:"
    grep -a -E 'ERROR:|SUMMARY:|runtime error|tests/fuzz/|Test unit written' "$log" | sed 's/^/    /'
    exit 1
fi

targets=${3:-}
if [ -z "$targets" ]; then
    targets=$(find "$build/fuzz" -name 'fuzz_*' -type f | sed 's/.*fuzz_//' | sort)
elif [ ! -x "$build/fuzz/fuzz_$targets" ]; then
    echo "run.sh: unknown fuzz target $targets; the targets are $(find "$seeds" -mindepth 1 -type d |
        sed 's/.*\///' | sort | tr '\n' ' ')" >&2
    exit 2
fi
processors=$(nproc)
count=$(printf '%s\n' "$targets" | wc -l)
[ "$count" -ge "$processors" ] || processors=$count
share=$((seconds * processors / count))
[ "$share" -ge 1 ] || share=1
# xargs ends with 123 where one of them failed.
printf '%s\n' "$targets" | xargs -P "$processors" -I '{}' "$0" "$build" "$share" '{}' one || exit 1
