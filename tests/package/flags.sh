#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# flags.sh CMAKE SOURCE GENERATOR CC: with the build type of packagers, None, their flags stay in force, and opevo's own.
set -eu
cmake=$1 source=$2 generator=$3 cc=$4
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# wanted FORTIFY CFLAGS: what the last of the options on FORTIFY must be, "" for none, in each command that compiles.
wanted() {
    rm -rf "$scratch/build"
    "$cmake" -G "$generator" -S "$source" -B "$scratch/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_BUILD_TYPE=None \
        -DCMAKE_C_FLAGS="$2" -DOPEVO_TESTS=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >"$scratch/log" 2>&1 || {
        cat "$scratch/log" >&2
        exit 1
    }
    sed -n 's/^ *"command": "\(.*\)",*$/\1/p' "$scratch/build/compile_commands.json" >"$scratch/commands"
    [ "$(wc -l <"$scratch/commands")" -gt 100 ] || {
        echo "flags.sh: no commands are in compile_commands.json" >&2
        exit 1
    }
    awk -v wanted="$1" -v flags="$2" '
        {
            fortify = ""
            for (i = 1; i <= NF; i++)
                if ($i ~ /_FORTIFY_SOURCE/) fortify = $i
            if (fortify !~ "^" wanted "$" || !index($0, " " flags " ") || $0 !~ /-ffp-contract=off/ || / -O3/) {
                print "flags.sh: with CFLAGS=\"" flags "\": " $0
                exit 1
            }
        }' "$scratch/commands" >&2
}

wanted -D_FORTIFY_SOURCE=2 '-g -O2 -D_FORTIFY_SOURCE=2'
wanted '-D_FORTIFY_SOURCE=[23]' '-g -O2'
wanted '' '-g -O0'
