#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# page.sh SOURCE: the programs in docs/library.md are those that the tests here build, but for the line of the licence.
set -eu
cd "$1"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for language in c cpp; do
    program=tests/outside/programs/ask_tell.$language
    awk -v start="\`\`\`$language" '$0 == "```" { on = 0 } on; $0 == start { on = 1 }' docs/library.md >"$scratch/shown"
    tail -n +3 "$program" | diff - "$scratch/shown" || {
        echo "page.sh: docs/library.md shows another program than $program" >&2
        exit 1
    }
done
