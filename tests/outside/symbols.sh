#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# symbols.sh LIBRARY SYMBOLS [--update]: what the shared library exports is what a file lists, in the form of Debian's
# symbols files. With --update the file gets the new symbols, under the version of the library.
set -eu
library=$1 symbols=$2 update=${3:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
    echo "symbols.sh: $*" >&2
    exit 1
}

nm -D --defined-only "$library" | awk '$2 ~ /^[A-Z]$/ && $3 !~ /^__odr_asan/ { print $3 }' | sort >"$scratch/exported"
others=$(grep -v '^opevo_' "$scratch/exported" || true)
[ -z "$others" ] || fail "$library exports names that do not begin with opevo_: $others"
others=$(grep '^opevo_i_' "$scratch/exported" || true)
[ -z "$others" ] || fail "$library exports names of a module's own: $others"
name=$(readelf -d "$library" | sed -n 's/.*soname: \[\(.*\)\]/\1/p')
if [ "$update" = --update ]; then
    file=$(basename "$(readlink -f "$library")")
    version=${file#"$name".}
    [ -f "$symbols" ] || printf '%s %s #MINVER#\n* Build-Depends-Package: libopevo-dev\n' \
        "$name" "$(basename "$symbols" .symbols)" >"$symbols"
    {
        grep -v '^ ' "$symbols"
        while read -r symbol; do
            grep "^ $symbol@Base " "$symbols" || echo " $symbol@Base $version"
        done <"$scratch/exported"
    } >"$scratch/new"
    cp "$scratch/new" "$symbols"
    exit 0
fi

head -n 1 "$symbols" | grep -q "^$name " || fail "$symbols is of another library than $name"
sed -n 's/^ \(.*\)@Base .*/\1/p' "$symbols" | sort >"$scratch/listed"
added=$(comm -23 "$scratch/exported" "$scratch/listed")
[ -z "$added" ] || fail "exported, but not in $symbols:
$added
If they are meant to stay, run: sh tests/outside/symbols.sh build/libopevo.so cmake/debian/$(basename "$symbols") --update"
lost=$(comm -13 "$scratch/exported" "$scratch/listed")
[ -z "$lost" ] || fail "in $symbols, but not exported any more:
$lost
Programs of a release that call them no longer start: keep them, or raise OPEVO_SOVERSION in CMakeLists.txt and begin a
new file. What no release had may be removed from the file."
