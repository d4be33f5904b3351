#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# page.sh SOURCE: the programs in docs/library.md are those that the tests here build, but for the line of the licence.
set -eu
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk '/^```$/ { on = 0 } on; /^```c/ { on = 1 }' docs/library.md >"$scratch/shown"
for program in ask_tell.c ask_tell.cpp own_objective.c; do
    tail -n +3 tests/outside/programs/$program
done >"$scratch/built"
diff "$scratch/built" "$scratch/shown" || {
    echo "page.sh: docs/library.md shows other programs than those of tests/outside/programs" >&2
    exit 1
}
