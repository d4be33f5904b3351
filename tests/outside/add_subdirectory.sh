#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# add_subdirectory.sh CMAKE SOURCE BUILD GENERATOR COMPILER OPEVO: configure, build and run a project that adds opevo's
# folder, with the programs of tests/outside/programs. The build folder stays, so that a second run builds only what changed.
set -eu
cmake=$1 source=$2 build=$3 generator=$4 compiler=$5 opevo=$6

"$cmake" -G "$generator" -S "$source/tests/outside/project" -B "$build" -DCMAKE_C_COMPILER="$compiler" \
    -DOPEVO_SOURCE="$source" >"$build.log" 2>&1 || {
    cat "$build.log" >&2
    exit 1
}
"$cmake" --build "$build" --target programs >"$build.log" 2>&1 || {
    cat "$build.log" >&2
    exit 1
}
"$build/outside"
sh "$source/tests/outside/programs/expected.sh" "$opevo" >"$build.expected"
for program in "$build"/ask_tell* "$build/own_objective"; do
    "$program" >"$build.printed"
    cmp "$build.printed" "$build.expected"
done
